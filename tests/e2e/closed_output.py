#!/usr/bin/env python3
"""Every command that writes, with a reader that is gone and with a full disk.

    closed_output.py --gpusight GPUSIGHT

Each must end with 3 and one line on standard error, and leave no file behind.
"""
import argparse
import os
import subprocess
import sys
import tempfile

# What is written to standard output; T stands for a trace.
COMMANDS = [
    "help", "help analyze", "--help", "--version", "analyze --help", "--generate man gpusight",
    "--generate bash", "--generate schema", "--generate metrics", "explain", "explain compute",
    "info T", "info --json T", "summary T", "summary --json T",
    "analyze T", "analyze --format json T", "analyze --format json --json-profile rocinsight T",
    "analyze --format markdown T", "analyze --format html T", "analyze --format pdf T",
    "analyze --format pdf -o /dev/stdout T", "analyze --source-dir src",
    "analyze --source-dir src --format json", "analyze --source-dir src --format html",
    "analyze --source-dir src --format pdf", "compare --format pdf T T", "analyze --source-dir src T",
    "compare T T", "compare --format json T T", "compare --format markdown T T",
    "compare --format html T T", "compare --format xlsx T T",
    "history runs", "history --json runs",
    "report T -o -", "report T -o /dev/stdout",
    "plot T", "plot T --format png", "plot T --format draw", "plot --list",
    "query T --query select%201", "query --tables", "summary --by-domain T",
    "dump T", "dump --csv T", "dump -t regions T", "synth --list", "synth --show demo",
]

# Written to a file that is no regular one.
TARGETS = [
    "analyze --format text -o OUT T", "analyze --format json -o OUT T",
    "analyze --format html -o OUT T", "analyze --format markdown -o OUT T",
    "analyze --format pdf -o OUT T", "report T -o OUT", "plot T -o OUT",
    "plot T --format png -o OUT", "summary -o OUT T", "compare -o OUT T T",
    "compare --format html -o OUT T T", "compare --format xlsx -o OUT T T",
    "query --format csv -o OUT T --query select%201", "query --format xlsx -o OUT T --query select%201",
]


def words(line, **names):
    return [names.get(w, w).replace("%20", " ") for w in line.split()]


def run(gpusight, arguments, stdout):
    return subprocess.run([gpusight, *arguments], stdout=stdout, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL)


def check(what, done, reason):
    text = done.stderr.decode()
    if "built without" in text:
        return
    assert done.returncode == 3, (what, done.returncode, text)
    lines = [l for l in text.splitlines() if not l.startswith("wrote ")]
    assert len(lines) == 1 and lines[0].startswith("gpusight: cannot write "), (what, text)
    assert lines[0].endswith(reason), (what, text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    program = os.path.abspath(parser.parse_args().gpusight)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("src")
        with open("src/a.hip", "w") as f:
            f.write("__global__ void k(float *x) { *x = 1; }\nint main() { k<<<1, 1>>>(0); }\n")
        os.mkdir("runs")
        for name in ("t.db", "runs/a.db", "runs/b.db"):
            subprocess.run([program, "synth", "demo", "-o", name], check=True,
                           stderr=subprocess.DEVNULL)
        before = sorted(os.listdir("."))
        for line in COMMANDS:
            reader, writer = os.pipe()
            os.close(reader)
            done = run(program, words(line, T="t.db"), writer)
            os.close(writer)
            check(line + " into a closed pipe", done, "Broken pipe")
            with open("/dev/full", "wb") as full:
                check(line + " on a full disk", run(program, words(line, T="t.db"), full),
                      "No space left on device")
        for line in TARGETS:
            done = run(program, words(line, T="t.db", OUT="/dev/full"), subprocess.DEVNULL)
            check(line, done, "No space left on device")
        assert sorted(os.listdir(".")) == before, os.listdir(".")
    print(f"{2 * len(COMMANDS) + len(TARGETS)} failed writes, all told")
    return 0


if __name__ == "__main__":
    sys.exit(main())
