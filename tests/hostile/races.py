#!/usr/bin/env python3
"""Changes files while gpusight reads them: cuts, grows, rewrites and replaces them, again and again.

    races.py PROGRAM [--tries N] [--only TEXT]

Whatever it sees, a command ends by itself with an exit code that is documented and, unless that is 0,
with one clear line; never by a signal (a mapping of a file that was cut ends by SIGBUS).
"""
import argparse
import collections
import os
import random
import shutil
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
import sandbox
import seeds

COMMANDS = {
    "rocpd": ["info {}", "analyze {}", "info {} --reader sqlite", "dump {} --table kernels"],
    "nsys": ["info {}", "analyze {} --json", "info {} --reader sqlite"],
    "rpd": ["info {}", "analyze {}"],
    "wal": ["info {}", "analyze {}"],
    "kineto": ["info {}", "analyze {}"],
    "rocprofv3_json": ["info {}", "analyze {}"],
    "csv": ["info {}", "analyze {}"],
    "source": ["analyze --source-dir {}"],
    "profile": ["compare {} {}", "history {} {}"],
}


def grown(path, data, times):
    """A file that takes a while to read."""
    with open(path, "wb") as f:
        for _ in range(times):
            f.write(data)


def big(kind, folder):
    """An input of some megabytes; (what to give to gpusight, the file that changes)."""
    if kind in ("rocpd", "nsys", "rpd", "wal"):
        path = os.path.join(folder, "a.db")
        if kind == "rpd":
            seeds.rpd(path)
        else:
            seeds.synth(path, "tiny_kernels", "--format", "nsys" if kind == "nsys" else "rocpd")
        widen(path)
        if kind == "wal":
            with_log(path)
        return path, path
    if kind == "csv":
        at = seeds.rocprofv3_csv(os.path.join(folder, "csv"))
        changed = next(os.path.join(d, f) for d, _, files in os.walk(at) for f in sorted(files)
                       if "kernel_trace" in f)
        with open(changed, "rb") as f:
            head, rest = f.read().split(b"\n", 1)
        with open(changed, "wb") as f:
            f.write(head + b"\n" + rest * (2000000 // (len(rest) + 1)))
        return at, changed
    if kind == "source":
        at = seeds.source_tree(os.path.join(folder, "src"))
        path = next(os.path.join(d, f) for d, _, files in os.walk(at) for f in sorted(files))
        with open(path, "rb") as f:
            grown(path, f.read(), 20000)
        return at, path
    ending = "a_results.json" if kind == "rocprofv3_json" else "a.json"
    path = getattr(seeds, kind)(os.path.join(folder, ending))
    if kind == "kineto":
        path = seeds.events(path, *(seeds.kernel_event(f"k{i % 50}", ts=i * 9) for i in range(20000)))
    return path, path


def widen(path):
    """More pages: rows of no meaning, in a table of their own and in one that is read."""
    import sqlite3
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE more(id INTEGER PRIMARY KEY, t TEXT)")
    db.executemany("INSERT INTO more(t) VALUES(?)", (("x" * 500,) for _ in range(3000)))
    db.commit()
    db.close()


def with_log(path):
    """The same, with its last changes in a write-ahead log that nobody has written back."""
    import sqlite3
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA wal_autocheckpoint=0")
    db.execute("UPDATE more SET t = t || 'y'")
    copy = path + ".copy"
    shutil.copy(path, copy)
    shutil.copy(path + "-wal", copy + "-wal")
    db.close()
    os.replace(copy, path)
    os.replace(copy + "-wal", path + "-wal")


def change(r, path, data):
    """One change of many kinds."""
    how = r.randrange(6)
    targets = [path] + [path + e for e in ("-wal", "-shm") if os.path.exists(path + e)]
    target = r.choice(targets)
    if how == 0:
        os.truncate(target, r.randrange(len(data)))
    elif how == 1:
        os.truncate(target, 0)
    elif how == 2:
        os.truncate(target, len(data) + r.randrange(1 << 20))
    elif how == 3:
        with open(path + ".new", "wb") as f:
            f.write(data[:r.randrange(len(data))])
        os.replace(path + ".new", path)
    elif how == 4:
        with open(target, "r+b") as f:
            f.seek(r.randrange(len(data)))
            f.write(os.urandom(4096))
    else:
        with open(path, "wb") as f:
            f.write(data)


class Changer(threading.Thread):
    def __init__(self, seed, path, data):
        super().__init__()
        self.random, self.path, self.data = random.Random(seed), path, data
        self.end = threading.Event()

    def run(self):
        while not self.end.wait(self.random.random() * 0.01):
            try:
                change(self.random, self.path, self.data)
            except OSError:
                pass


def attempt(program, words, given, path, data, seed, tmp):
    with open(path, "wb") as f:
        f.write(data)
    changer = Changer(seed, path, data)
    changer.start()
    try:
        o = sandbox.run([program, *(w.replace("{}", given) for w in words.split())], tmp, tmp, wall_s=30)
    finally:
        changer.end.set()
        changer.join()
    lines = o.err.decode(errors="replace").strip().split("\n")
    if o.late:
        return o.code, "does not end"
    if o.code not in sandbox.CODES:
        return o.code, f"ends with {o.code}: {lines[-1]}"
    if o.code and not any(line.startswith("gpusight: ") for line in lines):
        return o.code, f"exit code {o.code} without a clear line: {lines}"
    return o.code, ""


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("program")
    args.add_argument("--tries", type=int, default=8, help="how many a command")
    args.add_argument("--only", default="")
    args = args.parse_args()
    program = os.path.abspath(args.program)
    seeds.set_program(program)
    failed = done = 0
    codes = collections.Counter()
    for kind, lines in COMMANDS.items():
        if args.only not in kind:
            continue
        with tempfile.TemporaryDirectory(prefix="races-") as folder:
            given, path = big(kind, folder)
            with open(path, "rb") as f:
                data = f.read()
            log = path + "-wal"
            kept = open(log, "rb").read() if os.path.exists(log) else None
            tmp = os.path.join(folder, "tmp")
            os.makedirs(tmp)
            for words in lines:
                for n in range(args.tries):
                    if kept is not None:
                        with open(log, "wb") as f:
                            f.write(kept)
                    code, wrong = attempt(program, words, given, path, data, f"{kind}{words}{n}", tmp)
                    codes[code] += 1
                    done += 1
                    if wrong:
                        failed += 1
                        print(f"not ok - {kind}: gpusight {words}: {wrong}", flush=True)
    print(f"# {done} commands on files that changed, exit codes {dict(sorted(codes.items()))}, {failed} faults")
    return 1 if failed or codes.keys() <= {0} else 0  # where nothing failed, nothing was tried


if __name__ == "__main__":
    sys.exit(main())
