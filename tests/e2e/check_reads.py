#!/usr/bin/env python3
"""The files of a job are read once: together they cost the bytes that each costs alone.

    check_reads.py --gpusight build/src/cli/gpusight [--ranks 4]

Small jobs, which are read into one trace; jobs with rows of no process, which a trace of several
files must still be divided by; jobs of more than 512 MiB, of which one rank is looked at in detail;
a rank that is asked for. Files are made large by a hole behind their last page.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

LARGE = 560 << 20  # together; above 512 MiB a job is read rank by rank
failures = 0


def check(what, good, detail=""):
    global failures
    failures += not good
    print(f"{'ok' if good else 'not ok'} - {what}{'' if good else ': ' + str(detail)}", flush=True)


class Reader:
    def __init__(self, gpusight):
        self.gpusight = gpusight
        self.start = self.run("--version")[0]

    def run(self, *words):
        """Bytes that the program asked the system for, and what it printed."""
        with tempfile.TemporaryFile() as out:
            child = subprocess.Popen([self.gpusight, *words], stdout=out)
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # the numbers go with the process
            with open(f"/proc/{child.pid}/io", encoding="ascii") as f:
                read = int(dict(line.split(": ") for line in f)["rchar"])
            if child.wait():
                sys.exit(f"{' '.join(words)}: exit code {child.returncode}")
            out.seek(0)
            return read, out.read()

    def bytes(self, *words):
        return self.run("analyze", "--json", *words)[0] - self.start


def make(gpusight, folder, ranks, form):
    subprocess.run([gpusight, "synth", "-q", "mpi_job", "--set", f"ranks={ranks}", "--format", form, "-o",
                    f"{folder}/"], check=True)
    return sorted(os.path.join(folder, name) for name in os.listdir(folder))


def annotate(path):
    """A range that the GPU's side of PyTorch's profiler records: it is of no thread."""
    with open(path, encoding="utf-8") as f:
        trace = json.load(f)
    kernels = [e for e in trace["traceEvents"] if e.get("cat") == "kernel"]
    trace["traceEvents"] += [dict(kernels[i], cat="gpu_user_annotation", name=f"step {i}", args={}) for i in (0, -1)]
    with open(path, "w", encoding="utf-8") as f:
        json.dump(trace, f)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    parser.add_argument("--ranks", type=int, default=4)
    args = parser.parse_args()
    if not os.path.exists("/proc/self/io"):
        print("skipped: this system does not count what a process reads")
        sys.exit(77)
    reader = Reader(args.gpusight)
    with tempfile.TemporaryDirectory() as top:
        for name, form in (("small", "rocpd"), ("nsys", "nsys"), ("of no process", "kineto"), ("large", "rocpd")):
            folder = os.path.join(top, name)
            files = make(args.gpusight, folder, args.ranks, form)
            for path in files:
                if name == "of no process":
                    annotate(path)
                if name == "large":
                    os.truncate(path, LARGE // args.ranks)
            alone = sum(reader.bytes(path) for path in files)
            spare = alone // len(files) // 4  # a quarter of one file
            for words in ([], ["--rank", "1"], ["--threads", "1"]):
                both = reader.bytes(*words, folder)
                check(f"{name} {' '.join(words)}: {both} bytes", both < alone + spare, f"alone they take {alone}")
            if name == "large":
                job = json.loads(reader.run("analyze", "--json", folder)[1])
                one = job["job"]["analyzed_rank"]
                check(f"rank {one} stands for the others", one >= 0 and one != (job["straggler"] or {}).get("rank"))
    print(f"{failures} failures")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
