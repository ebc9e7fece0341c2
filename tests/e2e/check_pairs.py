#!/usr/bin/env python3
"""The promise of the first finding against what its repair won, on real before/after pairs.

    check_pairs.py --gpusight GPUSIGHT [FOLDER]

FOLDER holds NAME.before.json.gz, NAME.after.json.gz and pairs.json (speed-ups as measured). Without
it the test is skipped. At least seven of eight predictions must come within 25 % of the speed-up
measured with the profiler.
"""
import argparse
import json
import pathlib
import subprocess
import sys

SKIP = 77
WITHIN = 0.25
SHARE = 7 / 8


def default_folder():
    return pathlib.Path(__file__).resolve().parents[3] / "shared" / "traces" / "h200" / "pairs"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=default_folder())
    args = parser.parse_args()
    if not (args.folder / "pairs.json").exists():
        print(f"skipped: no pairs in {args.folder}")
        return SKIP
    pairs = {k: v for k, v in json.loads((args.folder / "pairs.json").read_text()).items() if k[0] != "_"}
    print(f"{'pair':<16} {'first finding':<24} {'by':<7} {'predicted':>9} {'low':>6} {'high':>6} "
          f"{'measured':>9} {'off':>7}  next limit")
    good = 0
    for name, pair in pairs.items():
        done = subprocess.run([args.gpusight, "analyze", "--json", str(args.folder / f"{name}.before.json.gz")],
                              stdout=subprocess.PIPE, check=True)
        first = json.loads(done.stdout)["recommendations"][0]
        measured = pair["speedup_profiled"]
        speedup = first["predicted_speedup"] or float("nan")
        low = first["recorded_ns"] / first["predicted_high_ns"] if first["predicted_high_ns"] else float("nan")
        high = first["recorded_ns"] / first["predicted_low_ns"] if first["predicted_low_ns"] else float("nan")
        off = speedup / measured - 1
        good += abs(off) <= WITHIN
        print(f"{name:<16} {first['rule']:<24} {first['predicted_by'] or '-':<7} {speedup:>9.2f} {low:>6.2f} "
              f"{high:>6.2f} {measured:>9.2f} {100 * off:>+6.1f}%  {first['next_limit']}")
    least = SHARE * len(pairs)
    print(f"{good} of {len(pairs)} within {100 * WITHIN:.0f} %")
    return 0 if good >= least else 1


if __name__ == "__main__":
    sys.exit(main())
