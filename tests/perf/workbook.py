#!/usr/bin/env python3
"""Benchmark: a workbook with a row for every dispatch, in memory that does not grow with the rows.

    workbook.py GPUSIGHT [FOLDER]

Writes XLSX and CSV of a trace of 1 M dispatches with and without kernel_details and compares the
peak memory of the processes. FOLDER keeps the trace. BENCH_SMALL=1 makes it ten times smaller. The
exit code is 1 when a bar is missed.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

N = 100_000 if os.environ.get("BENCH_SMALL") else 1_000_000
MOST_GROWTH_MB = 16


def measure(name, command):
    """Runs a command; prints and returns seconds of CPU and the peak of its memory in MB."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, command
    cpu, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    print(f"  {name:<34} {time.monotonic() - start:7.2f} s wall {cpu:7.2f} s cpu {peak:7.1f} MB", flush=True)
    return cpu, peak


def main():
    gpusight = os.path.abspath(sys.argv[1])
    folder = sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="gpusight-bench-")
    trace = os.path.join(folder, f"workbook{N}.db")
    if not os.path.exists(trace):
        subprocess.run([gpusight, "synth", "bench", "-o", trace, "--set", f"n={N}"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    missed = 0
    print(f"workbooks of {N:,} dispatches:")
    for name, target in (("xlsx", ["-o", os.path.join(folder, "b.xlsx")]),
                         ("csv", ["--csv-dir", os.path.join(folder, "b")])):
        plain = measure(name, [gpusight, "report", trace, *target])
        full = measure(name + " with kernel details", [gpusight, "report", "--kernel-details", trace, *target])
        growth = full[1] - plain[1]
        missed += growth > MOST_GROWTH_MB
        print(f"    {'ok    ' if growth <= MOST_GROWTH_MB else 'MISSED'} memory for the details: "
              f"{growth:.1f} MB (bar: <= {MOST_GROWTH_MB})")
    if len(sys.argv) <= 2:
        shutil.rmtree(folder)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
