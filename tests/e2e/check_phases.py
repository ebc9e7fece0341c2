#!/usr/bin/env python3
"""Phases and iterations of generated runs against their truth.

    check_phases.py --gpusight PROGRAM

Runs of 1 to 12 phases, each with kernels, durations and iteration counts of its own, some with idle
stretches between. The truth is the first start of a phase's first kernel, from `gpusight dump`. Phase
count, boundaries (within one bin), names, iteration counts and ledgers that add up are checked.
"""
import argparse
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile


def describe(phases, seed):
    """A .trace with known phases; returns its text and the iteration count of each phase."""
    rng = random.Random(seed)
    lines = ["gpu MI300X", "stream s"]
    counts = []
    for p in range(phases):
        for k in range(3):
            lines.append(f"kernel p{p}k{k} vgpr=32 wg=256 blocks=2432")
    for p in range(phases):
        counts.append(rng.randint(40, 150))
        lines.append(f"loop {counts[-1]} {{")
        longest = rng.randrange(3)
        for k in range(3):
            us = rng.randint(250, 400) if k == longest else rng.randint(50, 200)
            lines.append(f"  launch p{p}k{k} stream=s dur={us}us~5%")
        lines += ["}", "sync"]
    return "\n".join(lines) + "\n", counts


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()


def truth(gpusight, path, phases):
    first = [None] * phases
    for row in csv.DictReader(io.StringIO(run(gpusight, "dump", path, "--table", "kernels", "--csv"))):
        phase = int(row["name"].split("k")[0][1:])
        start = int(row["start_ns"])
        if first[phase] is None or start < first[phase]:
            first[phase] = start
    return first


def check(gpusight, folder, phases, seed):
    problems = []
    text, counts = describe(phases, seed)
    source, path = os.path.join(folder, "p.trace"), os.path.join(folder, f"p{phases}-{seed}.db")
    with open(source, "w", encoding="utf-8") as f:
        f.write(text)
    run(gpusight, "synth", source, "-o", path, "--seed", str(seed))
    document = json.loads(run(gpusight, "analyze", "--format", "json", path))["analyses"]
    found, bin_ns = document["phases"], document["phase_stats"]["bin_ns"]
    if len(found) != phases:
        return [f"{len(found)} phases found, {phases} made"]
    for i, (row, start) in enumerate(zip(found, truth(gpusight, path, phases))):
        if i and abs(row["start_ns"] - start) > bin_ns:
            problems.append(f"phase {i + 1} starts {row['start_ns'] - start} ns off, a bin is {bin_ns}")
        if not row["name"].startswith(f"p{i}k"):
            problems.append(f"phase {i + 1} is called {row['name']}")
        if row["iterations"] != counts[i]:
            problems.append(f"phase {i + 1} has {row['iterations']} iterations, not {counts[i]}")
        if row["compute_ns"] + row["exposed_ns"] + row["idle_ns"] != row["duration_ns"]:
            problems.append(f"the ledger of phase {i + 1} does not add up")
        if i and row["start_ns"] != found[i - 1]["end_ns"]:
            problems.append(f"phase {i + 1} does not follow the one before")
    if phases == 1 and document["iterations"]["count"] != counts[0]:
        problems.append(f"{document['iterations']['count']} iterations of the run, not {counts[0]}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gpusight", required=True)
    gpusight = os.path.abspath(parser.parse_args().gpusight)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for phases in range(1, 13):
            for seed in (1, 2, 3):
                problems = check(gpusight, folder, phases, seed)
                failed += bool(problems)
                for p in problems:
                    print(f"{phases} phases, seed {seed}: {p}")
    print(f"{36 - failed} of 36 runs as they should be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
