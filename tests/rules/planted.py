#!/usr/bin/env python3
"""Plants one fault in many traces and asks what `gpusight analyze` puts first.

    planted.py --gpusight build/src/cli/gpusight [--seeds 10] [--first 0] [NAME...]

Two sources: the scenarios of `gpusight synth`, with their numbers, GPU and file format changed by
the seed, and the programs of imitations.py, which share no code with it.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import imitations
import judge

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TUNING = {"dominant-kernel", "low-occupancy", "scratch-spills"}
UNITS = {"ns": 1, "us": 1000, "ms": 1000000, "s": 1000000000}

# Scenario: what must come first (None: see check_clean), range of the factor on all times and sizes,
# range of a further factor on kernels, and ranges of its parameters.
SCENARIOS = {
    "tiny_kernels": (["tiny-kernels"], (1, 1), (0.3, 1.5), dict(n=(800, 2000))),
    "sync_stall": (["sync-stall"], (0.3, 2.5), (1, 1.6), dict(n=(150, 400))),
    "transfer_bound": (["transfer-bound"], (0.3, 3), (0.3, 3), dict(n=(40, 100))),
    "overlap_missing": (["overlap-missing"], (0.3, 3), (2.2, 4), dict(n=(40, 100))),
    "host_idle": (["host-idle"], (0.3, 3), (0.3, 1.5), dict(n=(60, 200), busy=(2, 6))),
    "pageable_copies": (["slow-copies"], (0.3, 3), (0.3, 2), dict(n=(30, 80))),
    "allocation_churn": (["allocation-churn"], (0.3, 3), (0.5, 1.2), dict(n=(80, 200))),
    "unbalanced_gpus": (["gpu-imbalance"], (0.3, 3), (1, 1), dict(n=(20, 60), heavy=(2, 6))),
    "warm_up": (["warmup", "startup"], (0.3, 3), (1, 1), dict(n=(60, 400))),
    "stream_serialisation": (["stream-serialisation"], (0.3, 3), (1, 1), dict(n=(50, 150))),
    "exposed_comm": (["exposed-comm"], (1, 1), (0.5, 1.5), dict(n=(8, 20), ranks=(2, 4), mb=(250, 600))),
    "hidden_comm": (None, (1, 1), (1, 2), dict(n=(10, 30), ranks=(2, 4), mb=(8, 48))),
    "small_grid": (["small-grid"], (0.3, 3), (1, 1), dict(n=(60, 300), blocks=(4, 48))),
    "dominant_kernel": (["dominant-kernel"], (0.3, 3), (1, 1), dict(n=(30, 100))),
    "two_queues": (None, (0.3, 3), (1, 1), dict(n=(100, 300))),
    "healthy": (None, (0.5, 3), (1, 1), dict(n=(60, 200))),
}


def scaled(text, factor, kernel_factor):
    """All lengths of work, host time and copies times factor; costs of calls stay what they are."""
    def change(match, by):
        number, unit = match.groups()
        return f"{max(1, round(float(number) * by * UNITS.get(unit, 1)))}{unit if unit not in UNITS else ''}"

    out = []
    for line in text.split("\n"):
        if not line.lstrip().startswith(("set ", "#", "param ")):
            by = factor * (kernel_factor if re.match(r"\s*(kernel|launch|loop n \{ launch|loop.*launch)\b", line)
                           else 1)
            line = re.sub(r"(?<![\w])(\d+(?:\.\d+)?)(ns|us|ms|s)\b", lambda m: change(m, by), line)
            line = re.sub(r"(?<=size=)(\d+)(MiB)", lambda m: change(m, factor), line)
        out.append(line)
    return "\n".join(out)


class Planted:
    """One trace with one fault: how it is made and what must be said of it."""

    def __init__(self, source, name, seed):
        self.source, self.name, self.seed = source, name, seed

    def __str__(self):
        return f"{self.source} {self.name} seed {self.seed}"

    def expected(self):
        return SCENARIOS[self.name][0] if self.source == "synth" else imitations.FAULTS[self.name][1]

    def make(self, gpusight, folder):
        path = os.path.join(folder, f"{self.source}_{self.name}_{self.seed}.db")
        if self.source == "imitation":
            imitations.make(self.name, self.seed, path)
            return path
        _, factor, kernel_factor, params = SCENARIOS[self.name]
        r = random.Random(f"{self.name} {self.seed}")
        model = r.choice(["MI300X", "MI250X", "MI210", "A100", "H100"])
        text = subprocess.run([gpusight, "synth", "--show", self.name], capture_output=True, check=True,
                              text=True).stdout
        text = scaled(text.replace("MI300X", model), r.uniform(*factor), r.uniform(*kernel_factor))
        with open(path + ".trace", "w", encoding="utf-8") as f:
            f.write(text)
        how = ["--format", "nsys"] if model in ("A100", "H100") else \
            ["--flavor", r.choice(["rocprofv3", "rocprofv3-3.0.5", "rocprof-sys"])]
        for key, span in params.items():
            how += ["--set", f"{key}={r.randint(*span)}"]
        subprocess.run([gpusight, "synth", path + ".trace", "--merge", "--seed", str(self.seed), "-o", path,
                        *how], capture_output=True, check=True)
        return path


def rules_above(doc, priorities):
    return [x["rule"] for x in doc["recommendations"] if x["priority"] in priorities]


def check_clean(name, doc):
    """No fault is planted: what must not be said."""
    above_low = [x for x in rules_above(doc, ("HIGH", "MEDIUM")) if x not in TUNING]
    if name == "healthy" and (above_low or doc["verdict"]["status"] != "healthy"):
        return f"healthy, but {above_low}, {doc['verdict']['headline']}"
    if name == "hidden_comm" and "exposed-comm" in rules_above(doc, ("HIGH", "MEDIUM", "LOW", "INFO")):
        return "hidden communication is called exposed"
    if name == "hidden_comm" and above_low:
        return f"hidden communication, but {above_low}"
    if name == "full_streams" and "stream-serialisation" in rules_above(doc, ("HIGH", "MEDIUM")):
        return "kernels that fill the device are promised streams"
    if name == "two_queues":
        b = doc["analyses"]["breakdown"]
        if b["busy_pct"] > 100 or b["kernel_ns"] > b["gpu_time_ns"] or not 1.9 < b["concurrency"] < 2.1:
            return f"two queues: {b}"
        if "stream-serialisation" in rules_above(doc, ("HIGH", "MEDIUM", "LOW", "INFO")):
            return "two queues that overlap are called serialised"
    return None


def check(planted, gpusight, folder):
    """What is wrong, or None."""
    path = planted.make(gpusight, folder)
    done = subprocess.run([gpusight, "analyze", "--format", "json", "--threads", "1", path],
                          capture_output=True)
    if done.returncode:
        return done.stderr.decode()
    doc = json.loads(done.stdout)
    for extra in ("", ".trace"):
        if os.path.exists(path + extra) and not os.environ.get("KEEP"):
            os.remove(path + extra)
    wrong = next(judge.document(doc), None)
    if wrong or planted.expected() is None:
        return wrong or check_clean(planted.name, doc)
    found = [(x["rule"], x["priority"], round(x["runtime_fraction_pct"], 1)) for x in doc["recommendations"]]
    if not found or found[0][0] not in planted.expected():
        return f"first is {found[:3]}, not {planted.expected()}"
    return None


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", default=os.path.join(ROOT, "build/src/cli/gpusight"))
    args.add_argument("--seeds", type=int, default=10)
    args.add_argument("--first", type=int, default=0, help="first seed")
    args.add_argument("--source", choices=["synth", "imitation"])
    args.add_argument("names", nargs="*")
    args = args.parse_args()
    cases = [Planted(source, name, seed)
             for source, names in (("synth", SCENARIOS), ("imitation", imitations.FAULTS))
             for name in names for seed in range(args.first, args.first + args.seeds)
             if (not args.names or name in args.names) and args.source in (None, source)]
    bad = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="planted-", dir=os.environ.get("KEEP")) as folder, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        for planted, wrong in zip(cases, pool.map(lambda c: check(c, args.gpusight, folder), cases)):
            if wrong:
                print(f"not ok - {planted}: {wrong}", flush=True)
                bad[planted.name] += 1
        if os.environ.get("KEEP"):
            os.rename(folder, folder + "-kept")
            os.mkdir(folder)
    print(f"# {len(cases)} traces, {sum(bad.values())} wrong {dict(bad) if bad else ''}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
