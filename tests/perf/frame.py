#!/usr/bin/env python3
"""Benchmark: dispatches as a pandas frame, against `gpusight info` in the same run.

    frame.py GPUSIGHT [FOLDER]

Runs itself under the system's Python where that has pandas; without pandas nothing is measured. The library
lies beside the program, as in a build, or is named by GPUSIGHT_LIBRARY. FOLDER keeps the trace.
BENCH_SMALL=1 makes it ten times smaller. Both are tried in turns, the best of each counts; the exit code
is 1 when a bar is missed. What Python takes to start and to import pandas is not counted.
"""
import glob
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

N = 100_000 if os.environ.get("BENCH_SMALL") else 1_000_000
MOST = 2.0
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def spent(who):
    used = resource.getrusage(who)
    return time.monotonic(), used.ru_utime + used.ru_stime


def measure(who, call):
    """Wall and CPU seconds of a call."""
    wall, cpu = spent(who)
    call()
    return [after - before for after, before in zip(spent(who), (wall, cpu))]


def with_pandas():
    """This Python, or the system's instead."""
    try:
        import pandas  # noqa: F401
        return True
    except ImportError:
        system = "/usr/bin/python3"
        if os.path.realpath(sys.executable) != os.path.realpath(system) and os.path.exists(system):
            os.execv(system, [system, *sys.argv])
        return False


def best(gpusight, program, trace):
    rows = 0

    def frame():
        nonlocal rows
        rows = len(gpusight.open(trace, progress=False).kernels.to_pandas())
    tries = [(measure(resource.RUSAGE_CHILDREN, lambda: subprocess.run([program, "info", trace], check=True,
                                                                       stdout=subprocess.DEVNULL)),
              measure(resource.RUSAGE_SELF, frame)) for _ in range(7)]
    assert rows == N, rows
    return [[min(t[who][what] for t in tries) for what in range(2)] for who in range(2)]


def main():
    program = os.path.abspath(sys.argv[1])
    if not with_pandas():
        print("frames: pandas is not installed, nothing is measured")
        return 0
    found = glob.glob(os.path.join(os.path.dirname(program), "..", "api", "libgpusight.so.0"))
    os.environ.setdefault("GPUSIGHT_LIBRARY", found[0] if found else "libgpusight.so.0")
    sys.path.insert(0, os.path.join(ROOT, "python"))
    import gpusight
    folder = sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="gpusight-bench-")
    trace = os.path.join(folder, f"workbook{N}.db")
    if not os.path.exists(trace):
        subprocess.run([program, "synth", "bench", "-o", trace, "--set", f"n={N}"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    info, frame = best(gpusight, program, trace)
    print(f"{N:,} dispatches as a pandas frame:")
    missed = 0
    for what, unit in enumerate(("wall", "cpu")):
        ratio = frame[what] / info[what]
        missed += ratio > MOST
        print(f"    {'ok    ' if ratio <= MOST else 'MISSED'} {frame[what]:.3f} s {unit}, info {info[what]:.3f} s: "
              f"{ratio:.2f} times (bar: <= {MOST})")
    if len(sys.argv) <= 2:
        shutil.rmtree(folder)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
