#!/usr/bin/env python3
"""A replay without changes gives the recorded time, on every trace.

    check_replay.py --gpusight GPUSIGHT [--table]

Made-up traces in every format must be exact; real ones, where they are there, must come within 2 %.
--table prints the rows of docs/whatif.md.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

MOST_PCT = 2.0
SCENARIOS = ["demo", "healthy", "tiny_kernels", "sync_stall", "overlap_missing", "host_idle", "pageable_copies",
             "allocation_churn", "stream_serialisation"]
FORMATS = {"rocpd": "db", "nsys": "sqlite", "kineto": "json", "rocprofv3-json": "json"}
REAL = ["h200/pairs/*.json.gz", "h200/frameworks/*.json.gz", "kineto/*.json.gz", "nsys/*.sqlite", "rocpd/*/*.db",
        "rpd/*", "rocprofv3_json/*_results.json.gz"]


def shared():
    return pathlib.Path(__file__).resolve().parents[3] / "shared" / "traces"


def path_of(gpusight, trace):
    """What the analysis says of the critical path; None when there is nothing to analyze."""
    done = subprocess.run([gpusight, "analyze", "--json", str(trace)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode == 5:
        return None
    if done.returncode:
        sys.exit(f"{trace}: {done.stderr.decode()}")
    doc = json.loads(done.stdout)["analyses"]
    path = doc["critical_path"]
    if sum(p["ns"] for p in doc["critical_path_parts"]) != path["length_ns"]:
        sys.exit(f"{trace}: the parts of the critical path do not add up to its length")
    return path if path["ops"] else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    wrong = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for scenario in SCENARIOS:
            for form, ending in FORMATS.items():
                trace = pathlib.Path(folder) / f"{scenario}.{form}.{ending}"
                subprocess.run([args.gpusight, "synth", scenario, "--format", form, "-o", str(trace)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
                path = path_of(args.gpusight, trace)
                count += 1
                if path["replay_error_pct"]:
                    wrong += 1
                    print(f"not ok - {trace.name}: off by {path['replay_error_pct']} %")
    print(f"{count} made-up traces, {wrong} not exact")
    folder = shared()
    for pattern in REAL:
        for trace in sorted(folder.glob(pattern)):
            path = path_of(args.gpusight, trace)
            if not path:
                continue
            bad = path["replay_error_pct"] > MOST_PCT
            wrong += bad
            name = str(trace.relative_to(folder))
            if args.table:
                print(f"| {name} | {path['ops']:,} | {path['length_ns'] / 1e6:.2f} | {path['replay_error_pct']:.2f} | "
                      f"{path['limit']} |")
            else:
                print(f"{'not ok' if bad else 'ok'} - {name}: {path['replay_error_pct']:.3f} %, {path['ops']} ops, "
                      f"{path['unlinked']} without a call, limit {path['limit']}")
    if not folder.exists():
        print(f"real traces skipped: no {folder}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
