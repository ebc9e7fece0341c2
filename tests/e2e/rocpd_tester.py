"""Runs gpusight on odd rocpd files and looks at everything it does.

Whatever the file: an answer (exit code 0) or one line on standard error (3, 4 or 5), within
seconds, without a signal, without a control character or a secret on standard output.
"""
import argparse
import json
import os
import random
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LIMIT_S = 10
SECRET = b"hunter2-do-not-print"  # what synth puts into every environment
CONTROL = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]")


class Bad(Exception):
    pass


class Tester:
    def __init__(self, program, seed, rounds):
        self.program, self.rounds = program, rounds
        self.rng = random.Random(seed)
        self.scratch = tempfile.mkdtemp(prefix="bad-rocpd-")
        self.outcomes = {}

    def path(self, name):
        return os.path.join(self.scratch, name)

    def synth(self, *args, check=True):
        done = subprocess.run([self.program, "synth", *args], check=check, capture_output=True,
                              timeout=60)
        return done.returncode == 0

    def call(self, *args, **more):
        try:
            return subprocess.run([self.program, *args], capture_output=True, timeout=LIMIT_S,
                                  stdin=subprocess.DEVNULL, **more)
        except subprocess.TimeoutExpired:
            raise Bad(f"gpusight {' '.join(args)} takes longer than {LIMIT_S} s") from None

    def run(self, *args, **more):
        """Runs and judges; returns what came."""
        done = self.call(*args, **more)
        what = f"gpusight {' '.join(args)}"
        if done.returncode not in (0, 3, 4, 5):
            raise Bad(f"{what}: exit code {done.returncode}, {done.stderr[-2000:]!r}")
        lines = done.stderr.decode("utf-8").splitlines()
        if done.returncode and (len(lines) != 1 or not lines[0].startswith("gpusight: ")):
            raise Bad(f"{what}: exit code {done.returncode} with the lines {lines}")
        if not done.returncode and lines:
            raise Bad(f"{what}: an answer, and the lines {lines}")
        if done.returncode and done.stdout:
            raise Bad(f"{what}: fails after it has printed something")
        if CONTROL.search(done.stdout) or CONTROL.search(done.stderr):
            raise Bad(f"{what}: prints control characters")
        if SECRET in done.stdout + done.stderr:
            raise Bad(f"{what}: prints a secret of the environment")
        done.stdout.decode("utf-8")
        self.outcomes[done.returncode] = self.outcomes.get(done.returncode, 0) + 1
        return done

    def expect(self, code, message, *args, **more):
        done = self.run(*args, **more)
        if done.returncode != code or not re.search(message, done.stderr.decode()):
            raise Bad(f"gpusight {' '.join(args)}: exit code {done.returncode}, {done.stderr!r}; "
                      f"expected {code}, /{message}/")
        return done

    def counts(self, *paths, **more):
        done = self.run("info", "--json", *paths, **more)
        if done.returncode:
            raise Bad(f"info {paths}: {done.stderr!r}")
        return json.loads(done.stdout)["counts"]


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def listing(folder):
    """Everything below a folder with its time, size and content."""
    out = {}
    for where, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(where, name)
            st = os.lstat(path)
            content = read(path) if stat.S_ISREG(st.st_mode) else b""
            out[path] = (st.st_mtime_ns, st.st_size, hash(content))
    return out


def small_file(t, name="small.db", *args):
    path = t.path(name)
    if not os.path.exists(path):
        t.synth("demo", "--set", "n=1", "--set", "tiny=2", "--args", "0", "--page-size", "512",
                "-o", path, *args)
    return path


def suffix_of(db):
    return db.execute("SELECT substr(name, 13) FROM sqlite_master WHERE type='table' AND name LIKE "
                      "'rocpd_string%'").fetchone()[0]


def clean_copy(t, name, scenario="demo", *args):
    path = t.path(name)
    t.synth(scenario, "-o", path, *(args or ("--set", "n=2")))
    return path


def main(tests, doc):
    args = argparse.ArgumentParser(description=doc.split("\n")[0])
    args.add_argument("--gpusight", default=os.path.join(ROOT, "build/src/cli/gpusight"))
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--rounds", type=int, default=1, help="how much damage to try")
    args.add_argument("--only", default="", help="run the tests whose name has this text")
    args = args.parse_args()
    failed = 0
    for name, test in list(tests.items()):
        if not name.startswith("test_") or args.only not in name:
            continue
        t = Tester(os.path.abspath(args.gpusight), args.seed, args.rounds)
        begin = time.monotonic()
        try:
            test(t)
            shutil.rmtree(t.scratch)
            runs = ", ".join(f"{n} with {code}" for code, n in sorted(t.outcomes.items()))
            print(f"ok - {name[5:].replace('_', ' ')} ({runs}; {time.monotonic() - begin:.1f} s)",
                  flush=True)
        except Bad as e:
            failed += 1
            print(f"not ok - {name[5:].replace('_', ' ')}: {e}; the files are in {t.scratch}",
                  flush=True)
    return 1 if failed else 0
