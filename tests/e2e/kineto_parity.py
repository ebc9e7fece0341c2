#!/usr/bin/env python3
"""Writes every scenario as rocpd and as Kineto JSON, reads both, and compares what they became.

    kineto_parity.py --gpusight build/src/cli/gpusight --sums build/tests/e2e/trace_sums

What the format forces to differ (docs/formats.md): allocations, counters and sensors are not in the
JSON; calls of the compiler are runtime calls there; on AMD there are no registers and no LDS. In
rocpd a call of no length is a sample and no region.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

ZERO = {"n": 0, "ns": 0, "bytes": 0}
LARGE = {"bench": ["--set", "n=2000"]}
NAMELESS = {".kd": "(unknown kernel)"} # rocpd keeps the symbol of a kernel without a name


def run(*command):
    done = subprocess.run(command, capture_output=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def add(a, b):
    return {k: a[k] + b[k] for k in a}


def comparable(sums, is_rocpd):
    regions = sums["regions"]
    if is_rocpd:
        compiler = regions.pop("compiler API", ZERO)
        total = add(regions.get("runtime API", ZERO), compiler)
        if total["ns"]:
            regions["runtime API"] = total
    names = {NAMELESS.get(k, k): v for k, v in sums["kernel_names"].items()}
    calls = {k: v for k, v in sums["region_names"].items() if v["ns"]}
    for kind in regions.values():
        del kind["n"] # by name, and without calls of no length
    facts = {k: sums["kernel_facts"][k]
             for k in ("linked", "grid_items", "group_items", "first_ns")}
    domains = list(sums["markers"].values())
    return {
        "kernels": sums["kernels"], "kernel names": names, "kernel facts": facts,
        "copies": sums["copies"], "linked copies": sums["copies_linked"], "regions": regions,
        "region names": calls, "marker names": sums["marker_names"],
        "markers": [sum(d[k] for d in domains) for k in ("n", "ns")],
        "processes": sums["processes"], "streams": sums["streams"],
    }


def ranks(gpusight, path):
    doc = json.loads(run(gpusight, "info", "--json", path))
    return sorted((p["pid"], p["rank"]) for p in doc["processes"])


def compare(args, scenario, folder):
    """The names of what differs."""
    paths = [os.path.join(folder, scenario, kind, "") for kind in ("rocpd", "kineto")]
    for path in paths:
        kind = os.path.basename(path[:-1])
        more = LARGE.get(scenario, [])
        run(args.gpusight, "synth", scenario, "--format", kind, "-o", path, *more)
    rocpd, kineto = (comparable(json.loads(run(args.sums, p)), i == 0)
                     for i, p in enumerate(paths))
    bad = [f"{what}: {rocpd[what]} is {kineto[what]}" for what in rocpd
           if rocpd[what] != kineto[what]]
    if rocpd["processes"] > 1 and ranks(args.gpusight, paths[0]) != ranks(args.gpusight, paths[1]):
        bad.append("ranks")
    return bad


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", required=True)
    args.add_argument("--sums", required=True, help="the program trace_sums")
    args.add_argument("--only", default="", help="this scenario")
    args = args.parse_args()
    listing = run(args.gpusight, "synth", "--list").decode()
    names = [line.split()[0] for line in listing.split("\n") if line and line[0] != " "]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="parity-") as folder:
        for name in names:
            if args.only not in ("", name):
                continue
            bad = compare(args, name, folder)
            failed += bool(bad)
            print(f"{'not ok' if bad else 'ok'} - {name}", flush=True)
            for line in bad:
                print("    " + line[:1000])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
