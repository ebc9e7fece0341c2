#!/usr/bin/env python3
"""A bound of memory changes no result; one that cannot be kept is refused with a line that says why.

    check_memory.py --gpusight build/src/cli/gpusight [--dispatches N] [--bounds 128M,256M]

With more dispatches the bounds are put to a test: at most that much was resident.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from tell import check  # noqa: E402

UNITS = {"M": 1 << 20, "G": 1 << 30}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    parser.add_argument("--dispatches", type=int, default=300000)
    parser.add_argument("--bounds", default="128M")
    args = parser.parse_args()

    def run(*words, **more):
        return subprocess.run([args.gpusight, *words], capture_output=True, timeout=3600, **more)

    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as folder:
        path = os.path.join(folder, "b.db")
        done = run("synth", "bench", "--set", f"n={args.dispatches}", "-o", path)
        if done.returncode:
            sys.exit(done.stderr.decode())
        env = dict(os.environ, TMPDIR=folder)
        if b"kept in memory" in run("info", "--memory", "1G", path, env=env).stderr:
            print(f"skipped: '{folder}' is on no disk")
            sys.exit(77)
        plain = run("analyze", "--json", path)
        for bound in args.bounds.split(","):
            for threads in ("1", "3"):
                done = run("analyze", "--json", "--stats", "--memory", bound, "--threads", threads, path, env=env)
                check(f"same result with {bound}, {threads} threads",
                      (done.returncode, done.stdout) == (plain.returncode, plain.stdout), done.stderr)
                check(f"{bound}: something lies on the disk", b"on a disk" in done.stderr, done.stderr)
                largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
                print(f"    the largest child so far took {largest} KiB")
            most = int(bound[:-1]) * UNITS[bound[-1]]
            out = os.path.join(folder, "out.db")
            for line, times in ((["analyze", "--json", path], 1.25), (["trim", path, "--window", "0%..90%", "-q", "-o", out], 0.75)):
                with subprocess.Popen([args.gpusight, "--memory", bound, *line], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, env=env) as child:
                    _, status, used = os.wait4(child.pid, 0)
                    child.returncode = os.waitstatus_to_exitcode(status)
                check(f"{line[0]} with {bound} ends well", child.returncode in (0, 1), child.returncode)
                check(f"{line[0]}: {bound} holds: {used.ru_maxrss} KiB", used.ru_maxrss * 1024 <= most * times, most)
            os.remove(out)
        check("nothing is left in the folder", os.listdir(folder) == ["b.db"], os.listdir(folder))

        def refused(what, wanted, code=3, **more):
            done = run("analyze", "--memory", "128M", path, **more)
            check(what, done.returncode == code and wanted in done.stderr.decode() and
                  done.stderr.count(b"\n") == 1, (done.returncode, done.stderr))

        refused("no such folder", "TMPDIR", env=dict(env, TMPDIR="/nowhere"))
        if os.path.isdir("/dev/shm"):
            refused("a folder in memory", "is kept in memory", env=dict(env, TMPDIR="/dev/shm"))
        refused("a disk that is full", "no room left", env=env,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
    print(f"{tell.failures} failures")
    sys.exit(tell.failures > 0)


if __name__ == "__main__":
    main()
