#!/usr/bin/env python3
"""merge, package, trim, anonymise and repair against what the originals say.

    check_rewrite.py --gpusight PROGRAM [--windows N] [--files N]
"""
import argparse
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from tell import check  # noqa: E402


class Place:
    def __init__(self, gpusight, folder):
        self.gpusight, self.folder = os.path.abspath(gpusight), folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words):
        return subprocess.run([self.gpusight, *words], cwd=self.folder, capture_output=True, text=True)

    def analysis(self, *words):
        done = self.run("analyze", "--format", "json", "--top-kernels", "100000", *words)
        return json.loads(done.stdout) if done.returncode == 0 else None


def says(document, names=True):
    """The ledger and the hotspots: what must be the same."""
    ledger = [(c["key"] if "key" in c else c["label"], c["ns"]) for c in document["ledger"]["causes"]]
    spots = sorted((h["name"] if names else "", h["calls"], h["total_duration_ns"])
                   for h in document["analyses"]["hotspots"])
    return ledger, spots


def rows(path):
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    tables = [r[0] for r in db.execute("select name from sqlite_master where type='table' and name like "
                                       "'rocpd_%'")]
    return {t: sorted(map(repr, db.execute(f'select * from "{t}"'))) for t in tables}


def check_merge(p, n):
    p.run("synth", "mpi_job", "-o", "job")
    parts = sorted(os.path.join("job", f) for f in os.listdir(p.path("job")))
    whole = {}
    for part in parts:
        whole.update(rows(p.path(part)))
    done = p.run("merge", "job", "-o", "all.db")
    hidden = {t: sorted(r.replace("hunter2-do-not-print", "***") if "_info_process_" in t else r for r in v)
              for t, v in whole.items()}
    check("merge: every row of every set is there, but for secrets", done.returncode == 0 and hidden != whole and
          rows(p.path("all.db")) == hidden and "4 values that look secret" in done.stderr, done.stderr)
    check("merge: the analysis is that of the parts", says(p.analysis("all.db")) ==
          says(p.analysis("job")))
    db = sqlite3.connect(f"file:{p.path('all.db')}?mode=ro", uri=True)
    check("merge: AMD's views hold all sets", db.execute("select count(*) from kernels").fetchone()[0] ==
          sum(len(v) for t, v in whole.items() if t.startswith("rocpd_kernel_dispatch_")))
    check("merge: the metadata have all guids", db.execute(
        "select count(distinct value) from rocpd_metadata where tag='guid'").fetchone()[0] == len(parts))
    shutil.copy(p.path(parts[0]), p.path("twin.db"))
    done = p.run("merge", parts[0], "twin.db", "-o", "two.db")
    check("merge: one guid twice is refused", done.returncode == 2 and "--rename" in done.stderr and
          not os.path.exists(p.path("two.db")), done.stderr)
    done = p.run("merge", parts[0], "twin.db", "--rename", "-o", "two.db")
    one = sum(len(v) for v in rows(p.path(parts[0])).values())
    check("merge: or renamed, and all is there twice", done.returncode == 0 and
          sum(len(v) for v in rows(p.path("two.db")).values()) == 2 * one, done.stderr)
    check("merge: an input is never the output", p.run("merge", *parts, "-o", parts[0]).returncode == 2)
    p.run("synth", "--format", "nsys", "demo", "-o", "demo.sqlite")
    check("merge: other formats are told how", "convert -f rocpd" in
          p.run("merge", "demo.sqlite", "-o", "x.db").stderr)
    # 3 and 3.0.5 together
    p.run("synth", "demo", "--flavor", "rocprofv3-3.0.5", "--seed", "5", "-o", "new.db")
    p.run("synth", "demo", "-o", "demo.db")
    done = p.run("merge", "demo.db", "new.db", "--rename", "-o", "mixed.db")
    check("merge: versions may differ", done.returncode == 0 and len(
        p.analysis("mixed.db")["analyses"]["hotspots"]) > 0, done.stderr)
    many = p.path("many")
    os.mkdir(many)
    for i in range(n):
        p.run("synth", "one_kernel", "--seed", str(i), "-o", os.path.join(many, f"{i}.db"))
    done = p.run("merge", "many", "--rename", "-o", "many.db")
    check(f"merge: {n} files", done.returncode == 0 and f"of {n} files" in done.stderr, done.stderr)


def check_package(p):
    before = says(p.analysis("job"))
    for way in ([], ["--copy"]):
        name = "pack" + "".join(way).strip("-")
        done = p.run("package", *way, "job", "-o", name)
        check(f"package {way}: index.yaml stands for the files", done.returncode == 0 and
              says(p.analysis(f"{name}.rpdb/index.yaml")) == before, done.stderr)
    check("package: a folder in use is refused", p.run("package", "job", "-o", "pack").returncode == 2)
    shutil.copytree(p.path("job"), p.path("moved"))
    done = p.run("package", "--consolidate", "moved", "-o", "whole")
    check("package: --consolidate moves", done.returncode == 0 and not [
        f for f in os.listdir(p.path("moved")) if f.endswith(".db")] and
        says(p.analysis("whole.rpdb/index.yaml")) == before, done.stderr)


def check_trim(p, n):
    for name, form in (("demo.db", "rocpd"), ("demo.sqlite", "nsys")):
        done = p.run("trim", name, "-o", f"all-{form}.db")
        check(f"trim {form}: all of it says the same", done.returncode == 0 and
              says(p.analysis(f"all-{form}.db")) == says(p.analysis(name)), done.stderr)
    spread = random.Random(7)
    wrong = []
    for i in range(n):
        a, b = sorted(spread.sample(range(0, 101), 2))
        window = f"{a}%..{b}%"
        done = p.run("trim", "demo.db", "--window", window, "-o", f"part{i}.db")
        # The rows that lie in the window, of the part and of the original.
        sql = "select name, count(*) as n, sum(duration) as ns from kernels group by name order by name"
        part = p.run("query", f"part{i}.db", sql, "--format", "json").stdout
        original = p.run("query", "demo.db", "--window", window, sql, "--format", "json").stdout
        if done.returncode not in (0, 5) or (done.returncode == 0 and part != original):
            wrong.append((window, done.stderr))
    check(f"trim: {n} windows hold what the original has there", not wrong, wrong[:1])
    done = p.run("trim", "demo.db", "--iteration", "3", "-o", "step.pftrace")
    check("trim: one iteration, for Perfetto", done.returncode == 0 and os.path.getsize(
        p.path("step.pftrace")) > 1000, done.stderr)
    check("trim: nothing left", p.run("trim", "demo.db", "--kernel", "nonsense", "-o", "none.db")
          .returncode == 2 and not os.path.exists(p.path("none.db")))
    check("trim: no output", p.run("trim", "demo.db").returncode == 2)


def check_anonymise(p):
    for name, out in (("demo.db", "public.db"), ("demo.sqlite", "public2.db"), ("demo.db", "public.json")):
        done = p.run("anonymise", name, "-o", out, "--key", out + ".key")
        before, after = says(p.analysis(name), False), says(p.analysis(out), False)
        check(f"anonymise {name} as {out}: the ledger is the same", done.returncode == 0 and
              before == after, done.stderr)
        with open(p.path(out), "rb") as f:
            data = f.read()
        with open(p.path(out + ".key"), encoding="utf-8") as f:
            names = [n["original"] for n in json.load(f)["names"]]
        left = [n for n in names if len(n) > 3 and n.encode() in data]
        check(f"anonymise {name} as {out}: no name is in the bytes", names and not left, left)
        check("anonymise: the key is for its owner", os.stat(p.path(out + ".key")).st_mode & 0o77 == 0)
    done = p.run("anonymise", "public.db", "--undo", "public.db.key", "-o", "again.db")
    check("anonymise: undone, all names are back", done.returncode == 0 and
          says(p.analysis("again.db")) == says(p.analysis("demo.db")), done.stderr)
    check("anonymise: a wrong key", p.run("anonymise", "public.db", "--undo", "public.json", "-o",
                                          "x.db").returncode == 4)


def check_repair(p):
    p.run("synth", "--format", "kineto", "demo", "-o", "k.json")
    p.run("synth", "--format", "rocprofv3-json", "demo", "-o", "r.json")
    for name in ("k.json", "r.json"):
        with open(p.path(name), "rb") as f:
            data = f.read()
        for part in (0.3, 0.777, 0.95):
            cut = data[:int(len(data) * part)]
            with open(p.path("cut.json"), "wb") as f:
                f.write(cut)
            done = p.run("repair", "cut.json", "-o", "saved.json")
            good = done.returncode == 0
            if good:
                with open(p.path("saved.json"), encoding="utf-8") as f:
                    json.load(f)
            check(f"repair {name} cut at {part}: it is JSON, and nearly all is kept", good and
                  os.path.getsize(p.path("saved.json")) > len(cut) - 5000, done.stderr)
    with open(p.path("demo.db"), "rb") as f:
        data = f.read()
    total = sum(len(v) for v in rows(p.path("demo.db")).values())
    for part in (0.5, 0.9):
        with open(p.path("cut.db"), "wb") as f:
            f.write(data[:int(len(data) * part)])
        refused = p.run("info", "cut.db")
        done = p.run("repair", "cut.db", "-o", "saved.db")
        saved = sum(len(v) for v in rows(p.path("saved.db")).values()) if done.returncode == 0 else 0
        check(f"repair: a database cut at {part}", refused.returncode == 4 and
              total * part * 0.7 < saved < total and p.run("info", "saved.db").returncode in (0, 5),
              (saved, total, done.stderr))
    done = p.run("repair", "demo.db", "-o", "same.db")
    check("repair: a sound one stays whole", "nothing was missing" in done.stderr and
          rows(p.path("same.db")) == rows(p.path("demo.db")), done.stderr)
    damaged = bytearray(data)
    size = int.from_bytes(data[16:18], "big")
    for page in random.Random(3).sample(range(30, len(data) // size), 5):
        damaged[page * size:(page + 1) * size] = b"\xff" * size
    with open(p.path("bad.db"), "wb") as f:
        f.write(damaged)
    done = p.run("repair", "bad.db", "-o", "fine.db")
    check("repair: five damaged pages cost what is on them", done.returncode == 0 and sum(
        len(v) for v in rows(p.path("fine.db")).values()) > total * 0.5, done.stderr)
    with open(p.path("noise"), "wb") as f:
        f.write(random.Random(1).randbytes(5000))
    check("repair: noise", p.run("repair", "noise", "-o", "x").returncode == 4)
    check("repair: the trace itself", p.run("repair", "demo.db", "-o", "demo.db").returncode == 2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    parser.add_argument("--windows", type=int, default=6)
    parser.add_argument("--files", type=int, default=8)
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        p = Place(o.gpusight, folder)
        check_merge(p, o.files)
        check_package(p)
        check_trim(p, o.windows)
        check_anonymise(p)
        check_repair(p)
    sys.exit(tell.failures > 0)


main()
