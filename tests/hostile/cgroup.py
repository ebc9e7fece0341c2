#!/usr/bin/env python3
"""Commands in a container with little memory: the right answer, or a line that says what to do.

    cgroup.py PROGRAM    skipped (77) where no group with a limit can be made: that takes version 2
                         of cgroups, the controller for memory, and the right to make groups
"""
import os
import resource
import subprocess
import sys
import tempfile

ROOT = "/sys/fs/cgroup"


def own_group():
    """The folder in which groups with a limit can be made, or None."""
    try:
        lines = open("/proc/self/cgroup", encoding="utf-8").read().split("\n")
        path = next(line[3:] for line in lines if line.startswith("0::"))
        folder = ROOT + path.rstrip("/")
        return folder if "memory" in open(f"{folder}/cgroup.subtree_control", encoding="utf-8").read() else None
    except (OSError, StopIteration):
        return None


class Group:
    def __init__(self, folder, limit_mb):
        self.path = tempfile.mkdtemp(prefix="gpusight-", dir=folder)
        try:
            self.put("memory.max", limit_mb << 20)
            if os.path.exists(f"{self.path}/memory.swap.max"):
                self.put("memory.swap.max", 0)
        except OSError:
            os.rmdir(self.path)
            raise

    def put(self, name, value):
        with open(f"{self.path}/{name}", "w", encoding="utf-8") as f:
            f.write(str(value))

    def run(self, *words):
        return subprocess.run(words, capture_output=True, text=True, check=False, timeout=300,
                              preexec_fn=lambda: self.put("cgroup.procs", os.getpid()))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.rmdir(self.path)


def main():
    program, folder = os.path.abspath(sys.argv[1]), own_group()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        with Group(folder or "/does/not/exist", 256):
            pass
    except OSError as e:
        print("skipped: no group with a limit can be made:", e.strerror)
        return 77
    with tempfile.TemporaryDirectory(prefix="cgroup-", dir="/var/tmp") as d:
        trace = f"{d}/a.db"
        subprocess.run([program, "synth", "tiny_kernels", "--set", "n=400000", "-o", trace], check=True, capture_output=True)
        whole = subprocess.run([program, "analyze", trace, "--json"], capture_output=True, text=True, check=True).stdout
        with Group(folder, 256) as g:
            done = g.run(program, "analyze", trace, "--json", "--memory", "160M")
            assert done.returncode == 0 and done.stdout == whole, f"with a bound: {done.returncode} {done.stderr[-300:]}"
        with Group(folder, 40) as g:
            done = g.run(program, "analyze", trace, "--json")
            right = done.returncode == 0 and done.stdout == whole
            assert right or "--memory" in done.stderr, f"without: {done.returncode} {done.stderr[-300:]}"
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
