#!/usr/bin/env python3
"""The same description as rocpd and as rocprofv3 JSON must give the same trace.

    parity_rocprofv3_json.py --gpusight build/src/cli/gpusight
"""
import argparse
import csv
import io
import os
import subprocess
import sys
import tempfile

SCENARIOS = ["demo", "healthy", "transfer_bound", "pageable_copies", "allocation_churn", "multi_gpu",
             "exposed_comm", "many_streams", "many_names", "counters", "api_only", "markers_only",
             "one_kernel", "odd_durations", "mpi_job", "empty"]
TABLES = ["kernels", "copies", "allocations", "regions", "markers", "counters"]
# Numbers in lists differ where the two formats order them differently; ids tell rows apart instead.
IGNORED = {"row", "call_row", "kernel_row", "queue"}
# rocpd of this version has no room for them: JSON has.
ONLY_JSON = {"kernels": {"graph"}, "counters": {"instance"}}

failures = 0


def report(good, what, detail=""):
    global failures
    failures += not good
    print(f"{'ok' if good else 'not ok'} - {what}")
    if not good and detail:
        print(f"    {detail}")


def run(*command):
    done = subprocess.run(command, capture_output=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode()}")
    return done.stdout.decode(errors="replace")


def rows_of(gpusight, table, path):
    ignored = IGNORED | ONLY_JSON.get(table, set())
    rows = csv.DictReader(io.StringIO(run(gpusight, "dump", "--csv", "-t", table, path), newline=""))
    return sorted(tuple(sorted((k, v) for k, v in row.items() if k not in ignored)) for row in rows)


def check(gpusight, scenario, folder):
    paths = {}
    for form, ending in (("rocpd", "db"), ("rocprofv3-json", "json")):
        paths[form] = os.path.join(folder, f"{scenario}.{ending}")
        run(gpusight, "synth", scenario, "--merge", "--format", form, "-o", paths[form])
    for table in TABLES:
        want, got = (rows_of(gpusight, table, paths[f]) for f in ("rocpd", "rocprofv3-json"))
        if scenario == "odd_durations" or table == "regions":
            # A call without a length is a sample in rocpd, a call in JSON.
            got = [row for row in got if dict(row)["duration_ns"] != "0"]
            want = [row for row in want if dict(row)["duration_ns"] != "0"]
        missing = sorted(set(want) - set(got))[:1]
        extra = sorted(set(got) - set(want))[:1]
        report(want == got, f"{scenario}: {len(want)} {table}",
               f"{len(got)} in JSON; only rocpd: {missing}; only JSON: {extra}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for scenario in SCENARIOS:
            check(args.gpusight, scenario, folder)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
