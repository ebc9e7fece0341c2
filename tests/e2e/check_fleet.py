#!/usr/bin/env python3
"""gpusight collect: many runs into SQLite and into PostgreSQL, and what reads from there.

    check_fleet.py --gpusight build/src/cli/gpusight [--kills N]

A server of PostgreSQL is started where one is installed, on loopback, with a password; without one that
part is left out with a line. It does not run as root: then as the user 'postgres' or 'nobody'.
"""
import argparse
import contextlib
import csv
import glob
import hashlib
import io
import json
import os
import pwd
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from sqlite_log import write_log  # noqa: E402
from tell import expect as check  # noqa: E402

SECRET = "geheim-7f3a"
TABLES = ["run", "ledger", "finding", "hotspot", "version"]
VIEWS = ["runs", "ledger_over_time", "findings_over_time", "hotspots_over_time", "versions_over_time", "latest"]


class Tester:
    def __init__(self, gpusight, folder):
        self.gpusight, self.folder = gpusight, folder

    def run(self, *words, env=None):
        return subprocess.run([self.gpusight, *words], cwd=self.folder, capture_output=True, timeout=120,
                              env=dict(os.environ, **(env or {})))

    def ok(self, *words, env=None):
        p = self.run(*words, env=env)
        check(p.returncode == 0, f"{words}: {p.returncode} {p.stderr[:300]}")
        return p.stdout.decode(errors="replace")

    def fails(self, code, text, *words, env=None):
        p = self.run(*words, env=env)
        check(p.returncode == code and text.encode() in p.stderr and p.stderr.count(b"\n") == 1,
              f"{words}: {p.returncode} instead of {code}: {p.stderr[:300]}")
        return p


class SQLite:
    def __init__(self, t, name="fleet.db"):
        self.place, self.path = name, os.path.join(t.folder, name)

    def rows(self, name, columns="*"):
        with contextlib.closing(sqlite3.connect(self.path)) as db:
            return sorted([tuple("" if v is None else str(v) for v in r)
                           for r in db.execute(f"SELECT {columns} FROM gpusight_{name}")])

    def execute(self, sql):
        with contextlib.closing(sqlite3.connect(self.path)) as db:
            db.execute(sql)
            db.commit()


class PostgreSQL:
    """A server of its own in a folder that goes."""

    def __init__(self, folder):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
        self.bin = os.path.dirname(found[-1]) if found else os.path.dirname(shutil.which("initdb") or "")
        self.folder, self.place, self.as_user = os.path.join(folder, "server"), None, []
        self.port = None

    def call(self, *words, **more):
        return subprocess.run([*self.as_user, *words], capture_output=True, text=True, timeout=120, cwd="/", **more)

    def start(self):
        if not self.bin:
            return "no initdb"
        os.makedirs(self.folder)
        if os.geteuid() == 0:
            user = next((u for u in pwd.getpwall() if u.pw_name in ("postgres", "nobody")), None)
            if not user or not shutil.which("setpriv"):
                return "a server does not run as root, and there is no other user to run it"
            self.as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            os.chmod(os.path.dirname(self.folder), 0o755)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        password = os.path.join(self.folder, "password")
        with open(password, "w", encoding="ascii") as f:
            f.write(SECRET)
        os.chmod(password, 0o644)
        data = os.path.join(self.folder, "data")
        p = self.call(f"{self.bin}/initdb", "-D", data, "-U", "perf", "--auth=scram-sha-256", "--no-sync",
                      f"--pwfile={password}", "--encoding=UTF8", "--locale=C.UTF-8")
        if p.returncode != 0:
            return f"initdb failed: {p.stderr.strip()[-200:]}"
        p = self.call(f"{self.bin}/pg_ctl", "-D", data, "-w", "-l", os.path.join(self.folder, "log"), "-o",
                      f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off", "start")
        if p.returncode != 0:
            return f"the server does not start: {p.stderr.strip()[-200:]}"
        self.place = f"postgresql://perf@127.0.0.1:{self.port}/postgres"
        return None

    def stop(self):
        if self.place:
            self.call(f"{self.bin}/pg_ctl", "-D", os.path.join(self.folder, "data"), "-m", "immediate", "stop")

    def sql(self, text):
        p = subprocess.run([f"{self.bin}/psql", self.place, "--csv", "-t", "-c", text], capture_output=True,
                           timeout=60, check=True, env=dict(os.environ, PGPASSWORD=SECRET))
        return [tuple(r) for r in csv.reader(io.StringIO(p.stdout.decode()))]

    def rows(self, name, columns="*"):
        return sorted(self.sql(f"SELECT {columns} FROM gpusight_{name}"))

    def execute(self, sql):
        self.sql(sql)


def make_runs(t):
    def synth(*words):
        subprocess.run([t.gpusight, "synth", "-q", *words], cwd=t.folder, check=True, capture_output=True)
    for i in (1, 2, 3):
        os.makedirs(os.path.join(t.folder, f"site/night{i}"))
        synth("tiny_kernels", "--seed", str(i), "-o", f"site/night{i}/train.db")
    synth("mpi_job", "--set", "ranks=3", "--set", "n=10", "-o", "site/job/")
    synth("hostile_names", "-o", "site/night1/it's \"odd\"; DROP TABLE gpusight_run;--.db")
    raw = os.path.join(os.fsencode(t.folder), b"site/night2/\xff\xfe\n.db")
    shutil.copy(os.path.join(t.folder, "site/night1/it's \"odd\"; DROP TABLE gpusight_run;--.db"), raw)
    with open(raw, "ab") as f:  # other content: another run
        f.write(bytes(4096))
    synth("demo", "--format", "kineto", "-o", "site/night3/model.json")
    whole = open(os.path.join(t.folder, "site/night1/train.db"), "rb").read()
    with open(os.path.join(t.folder, "site/cut.db"), "wb") as f:
        f.write(whole[:len(whole) // 2])
    open(os.path.join(t.folder, "site/empty.db"), "wb").close()
    with open(os.path.join(t.folder, "site/README.txt"), "w", encoding="ascii") as f:
        f.write("no trace\n")


def figures(t, db, env):
    """What is stored of a run is what 'analyze' says of it."""
    for name, path in (("night1/train.db", "site/night1/train.db"), ("job", "site/job")):
        a = json.loads(t.ok("analyze", "--json", path))
        run = [r for r in db.rows("run", "name, run, verdict, headline, ranks, gpus, straggler") if r[0] == name]
        check(len(run) == 1, f"{name}: {len(run)} rows")
        _, key, verdict, headline, ranks, _, straggler = run[0]
        check((verdict, headline) == (a["verdict"]["status"], a["verdict"]["headline"]), f"{name}: verdict {verdict}")
        check(int(ranks) == max(1, len(a["ranks"])), f"{name}: ranks {ranks}")
        check(straggler == ("" if not a["straggler"] else str(a["straggler"]["rank"])), f"{name}: {straggler}")
        ledger = {r[1]: int(r[2]) for r in db.rows("ledger", "run, cause, ns") if r[0] == key}
        check(sum(ledger.values()) == int(next(r[1] for r in db.rows("run", "run, gpu_time_ns") if r[0] == key)),
              f"{name}: the ledger does not sum up")
        rules = [r[2] for r in sorted(db.rows("finding", "run, place, rule"), key=lambda r: int(r[1])) if r[0] == key]
        check(rules == [f["id"] for f in a["recommendations"]], f"{name}: findings {rules}")
        calls = {r[1]: int(r[2]) for r in db.rows("hotspot", "run, name, calls") if r[0] == key}
        check(calls == {h["name"]: h["calls"] for h in a["hotspots"]}, f"{name}: hotspots {calls}")
    check(("gpusight", ) in {r[:1] for r in db.rows("version", "what")}, "no version")
    for view in VIEWS:
        check(db.rows(view), f"view {view} is empty")
    names = {r[0] for r in db.rows("run", "name")}
    check(any("DROP TABLE" in n and "it's" in n for n in names), f"odd names: {names}")
    check(any("\ufffd\ufffd" in n for n in names), f"names that are no UTF-8: {names}")
    _ = env


def readers(t, db, env):
    """'compare' and 'history' say of stored runs what they say of the traces."""
    one = json.loads(t.ok("compare", "--json", "site/night1/train.db", "site/night2/train.db"))
    two = json.loads(t.ok("compare", "--json", "--db", db.place, "night1/train.db", "night2/train.db", env=env))
    check(one["verdict"] == two["verdict"], f"compare: {one['verdict']} {two['verdict']}")
    mixed = json.loads(t.ok("compare", "--json", "--db", db.place, "night1/train.db", "site/night2/train.db", env=env))
    check(mixed["verdict"] == one["verdict"], "compare with a file")
    h = json.loads(t.ok("history", "--json", "--db", db.place, "--name", "*/train.db", env=env))
    check([r["label"] for r in h["runs"]] == ["night1/train.db", "night2/train.db", "night3/train.db"], f"history {h}")
    key = next(r[1] for r in db.rows("run", "name, run") if r[0] == "night2/train.db")
    h = json.loads(t.ok("history", "--json", "--db", db.place, key[:12], "latest", env=env))
    check(h["runs"][0]["label"] == "night2/train.db", "history by hash")
    t.fails(2, "no run 'nobody'", "compare", "--db", db.place, "nobody", "latest", env=env)
    t.fails(5, "no run like 'x*'", "history", "--db", db.place, "--name", "x*", env=env)


def collect(t, db, env):
    out = t.ok("collect", "site", "--db", db.place, "--sandbox", "on", env=env)
    check(out.endswith("7 runs added, 0 there already, 2 left out\n"), f"collect: {out}")
    check("cut.db" in out and "empty.db" in out and "README" not in out, f"bad traces are not named: {out}")
    before = {name: db.rows(name) for name in TABLES}
    shutil.move(os.path.join(t.folder, "site/night3"), os.path.join(t.folder, "site/moved"))
    out = t.ok("collect", "site", "--db", db.place, env=env)
    shutil.move(os.path.join(t.folder, "site/moved"), os.path.join(t.folder, "site/night3"))
    check(out.endswith("0 runs added, 7 there already, 2 left out\n"), f"again: {out}")
    check(before == {name: db.rows(name) for name in TABLES}, "the second time changes something")
    t.ok("collect", "site", "--replace", "--db", db.place, env=env)
    check(before == {name: db.rows(name) for name in TABLES}, "--replace changes something")
    figures(t, db, env)
    readers(t, db, env)
    return before


def divisions(t):
    for how, names in (("files", 3), ("folders", 1), ("auto", 1)):
        t.ok("collect", "site/job" if how != "folders" else "site", "--runs", how, "--db", f"{how}.db")
        rows = SQLite(t, f"{how}.db").rows("run", "name, ranks")
        rows = [r for r in rows if r[0].startswith("job")]
        check(len(rows) == names, f"--runs {how}: {rows}")


def refusals(t):
    trace = os.path.join(t.folder, "site/night1/train.db")
    before = open(trace, "rb").read()
    t.fails(2, "is no database of 'gpusight collect'", "collect", "site/job", "--db", "site/night1/train.db")
    t.fails(2, "is no database of 'gpusight collect'", "history", "--db", "site/night1/train.db")
    check(open(trace, "rb").read() == before and not glob.glob(trace + "-*"), "a trace was changed")
    t.fails(4, "not a database", "collect", "site/job", "--db", "site/README.txt")
    t.fails(2, "is no file", "collect", "site/job", "--db", "site")
    t.fails(3, "no such file", "history", "--db", "nothing.db")
    t.fails(2, "'--db' is missing", "collect", "site")
    t.fails(3, "cannot open", "collect", "nothing", "--db", "x.db")
    t.fails(2, "needs '--db'", "history", "--name", "x", "site")
    t.fails(2, "no address of PostgreSQL", "collect", "site", "--db", "mysql://u:geheim@h/d")
    for place in ("postgresql://u:geheim/x@h/d", "postgresql://u:geheim?x@h/d", "postgresql:u:geheim@h", "host=h password=geheim"):
        done = t.fails(2, "write 'postgresql://", "collect", "site", "--db", place)
        check(b"geheim" not in done.stderr + done.stdout and not os.path.exists(os.path.join(t.folder, place)), "a password is told")
    p = t.run("collect", "site/cut.db", "--db", "x.db")
    check(p.returncode == 4 and b"1 left out" in p.stdout, f"only bad traces: {p.returncode} {p.stdout}")
    os.makedirs(os.path.join(t.folder, "void"), exist_ok=True)
    check(t.run("collect", "void", "--db", "x.db").returncode == 5, "no traces at all")
    db = SQLite(t, "later.db")
    t.ok("collect", "site/job", "--db", "later.db")
    db.execute("UPDATE gpusight_schema SET version = 9")
    t.fails(4, "use a later gpusight", "collect", "site/job", "--db", "later.db")
    t.fails(4, "use a later gpusight", "history", "--db", "later.db")


def remembered(t, db, env):
    """Files are read once; what is written to since then is read again, whatever its times say."""
    trace = os.path.join(t.folder, "once.db")
    shutil.copy(os.path.join(t.folder, "site/night1/train.db"), trace)
    with open(trace, "ab") as f:
        f.write(bytes(8192))
    before = os.stat(trace)
    check("1 run added" in t.ok("collect", "once.db", "--db", db.place, env=env), "a new one")
    hashed = hashlib.sha256(open(trace, "rb").read()).hexdigest()
    check((hashed, ) in db.rows("file", "content"), "the hash is not remembered, or another")
    db.execute(f"UPDATE gpusight_file SET content = '{'5' * 64}' WHERE content = '{hashed}'")
    check("1 run added" in t.ok("collect", "once.db", "--db", db.place, env=env), "the file was read again")
    t.ok("collect", "once.db", "--replace", "--db", db.place, env=env)
    check((hashed, ) in db.rows("file", "content"), "--replace believes what is remembered")
    db.execute(f"UPDATE gpusight_file SET content = 'bad' WHERE content = '{hashed}'")
    check("1 there already" in t.ok("collect", "once.db", "--db", db.place, env=env), "a bad hash is taken for one")
    with open(trace, "r+b") as f:
        f.seek(before.st_size - 4000)
        f.write(b"x")
    os.utime(trace, ns=(before.st_atime_ns, before.st_mtime_ns))
    check("1 run added" in t.ok("collect", "once.db", "--db", db.place, env=env), "a change is not noticed")
    files = db.rows("file")
    check("1 there already" in t.ok("collect", "once.db", "--db", db.place, env=env) and db.rows("file") == files, "once more")
    os.remove(trace)


def logs(t):
    """What a log beside a database holds belongs to it, wherever links lead and whenever it comes."""
    data, folder = os.path.join(t.folder, "data"), os.path.join(t.folder, "links")
    trace = os.path.join(data, "x.db")
    os.makedirs(data)
    os.makedirs(folder)
    shutil.copy(os.path.join(t.folder, "site/night1/train.db"), trace)
    log = write_log(trace)
    os.symlink("../data/x.db", os.path.join(folder, "x.db"))
    os.symlink("../data/x.db", os.path.join(folder, "README"))  # the same file by another name
    whole = int(json.loads(t.ok("info", "--json", trace))["counts"]["kernels"])

    def put():
        with open(trace + "-wal", "wb") as f:
            f.write(log)
    db = SQLite(t, "logs.db")
    t.ok("collect", "links", "--db", db.place)
    put()
    check("1 run added" in t.ok("collect", "links", "--db", db.place), "a log beside what a link leads to")
    rows = {(str(whole), "1"), (str(whole - whole // 2), "2")}
    check(set(db.rows("run", "kernels, files")) == rows, f"{db.rows('run', 'kernels, files')} instead of {rows}")
    for i in range(6):  # at any moment: it is part of the hash, or the run is left out
        race = SQLite(t, f"race{i}.db")
        os.remove(trace + "-wal")
        p = subprocess.Popen([t.gpusight, "collect", "site/night1", "data", "--db", race.place], cwd=t.folder,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.01 * i)
        put()
        p.wait(timeout=120)
        there = {r[1:] for r in race.rows("run", "name, kernels, files") if r[0] == "data/x.db"}
        check(there <= rows, f"a log that came after {0.01 * i:.2f} s: {there}")
    t.ok("collect", ".", "--db", os.path.join(data, "fleet.db"))  # never into a database, though
    with open(os.path.join(data, "fleet.db"), "ab") as out:
        p = subprocess.run([t.gpusight, "collect", ".", "--db", "own.db"], cwd=data, stdout=out, stderr=subprocess.PIPE, check=False)
    check(p.returncode == 2 and b"reads the file" in p.stderr, f"a report into a database: {p.returncode} {p.stderr}")
    os.remove(os.path.join(data, "fleet.db"))
    os.remove(os.path.join(data, "own.db"))
    with open(os.path.join(data, "collect.log"), "wb") as out:  # its own report in the folder that it reads
        p = subprocess.run([t.gpusight, "collect", ".", "--db", "own.db"], cwd=data, stdout=out, stderr=subprocess.PIPE, check=False)
    with open(os.path.join(data, "collect.log"), encoding="utf-8") as f:
        check(p.returncode == 0 and "1 run added" in f.read(), f"a report in the folder: {p.returncode} {p.stderr}")


def earlier_version(t, db, env, pg):
    """Tables of version 1 are read as they are, and brought up to date by the next collect."""
    t.ok("collect", "site/night1", "--db", db.place, env=env)
    names = "run, name, verdict, wall_ns, profile"
    before, view = db.rows("run", names), db.rows("runs", "run, wall_s, quality")
    text = db.rows("run", "run")  # version 1 had neither the column nor the table
    db.execute("DROP VIEW gpusight_runs")
    db.execute("ALTER TABLE gpusight_run DROP COLUMN detail_rank")
    db.execute("DROP TABLE gpusight_file")
    time_of = "to_timestamp(r.started_ns / 1e9)" if pg else "strftime('%Y-%m-%dT%H:%M:%SZ', r.started_ns / 1000000000, 'unixepoch')"
    db.execute(f"CREATE VIEW gpusight_runs AS SELECT {time_of} AS time, name, run, path, files, bytes, ranks, gpus, gpu_name, host, "
               "command, verdict, headline, recoverable_pct, wall_ns / 1e9 AS wall_s, window_ns / 1e9 AS window_s, busy_pct, "
               "kernel_pct, idle_pct, kernels, copies, straggler, quality FROM gpusight_run r")
    db.execute("UPDATE gpusight_schema SET version = 1")
    t.ok("history", "--db", db.place, env=env)
    check(db.rows("schema", "version") == [("1", )], "who only reads changes the version")
    check("0 runs added" in t.ok("collect", "site/night1", "--db", db.place, env=env), "known runs are not known")
    check(db.rows("schema", "version") == [("2", )] and db.rows("run", "run") == text, "not brought up to date")
    check(db.rows("run", names) == before and db.rows("runs", "run, wall_s, quality") == view, "rows changed on the way")
    check({r[1] for r in db.rows("runs", "run, detail_rank")} == {""}, "a run of one file is not of one rank")


def large_job(t):
    """Of a job too large for one trace, the rank that the figures are of is named."""
    os.makedirs(os.path.join(t.folder, "large"))
    for path in glob.glob(os.path.join(t.folder, "site/job/*.db")):
        to = os.path.join(t.folder, "large", os.path.basename(path))
        shutil.copy(path, to)
        os.truncate(to, 200 << 20)  # a hole: it takes no room
    db = SQLite(t, "large.fleet")
    t.ok("collect", "large", "--db", db.place)
    rows = db.rows("runs", "ranks, detail_rank")
    check(len(rows) == 1 and rows[0][0] == "3" and rows[0][1] in ("0", "1", "2"), f"a large job: {rows}")


def interrupted(t, db, env, kills, expected):
    """Killed at any moment: what is there is whole, and the next one goes on."""
    r = random.Random(4)
    for i in range(kills):
        p = subprocess.Popen([t.gpusight, "collect", "site", "--db", db.place], cwd=t.folder, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, env=dict(os.environ, **env))
        time.sleep(r.uniform(0, 0.25))
        p.send_signal(signal.SIGKILL)
        p.wait()
    two = [subprocess.Popen([t.gpusight, "collect", "site", "--db", db.place], cwd=t.folder, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, env=dict(os.environ, **env)) for _ in range(2)]
    for p in two:
        _, err = p.communicate(timeout=120)
        check(p.returncode == 0, f"two at once: {err[:300]}")
    check({name: db.rows(name) for name in TABLES} == expected, "killed and run twice: other rows")


def changed_meanwhile(t):
    """A file that is written to between its hash and its analysis is left out, and can be collected later."""
    db, path = SQLite(t, "changed.db"), os.path.join(t.folder, "moving.db")
    shutil.copy(os.path.join(t.folder, "site/night1/train.db"), path)
    p = subprocess.Popen([t.gpusight, "collect", path, "--db", db.place], cwd=t.folder,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while p.poll() is None:
        os.utime(path)
        time.sleep(0.0005)
    out = p.stdout.read().decode()
    check(p.returncode == 3 and "changed while it was read" in out, f"a changing file: {p.returncode} {out}")
    check(not db.rows("run"), "a changing file was stored")
    check("1 run added" in t.ok("collect", path, "--db", db.place), "not collected when it is still")
    with contextlib.closing(sqlite3.connect(db.path)) as c:
        empty = c.execute("SELECT count(*) FROM gpusight_run WHERE '' IN (host, command, gpu_name)").fetchone()[0]
    check(empty == 0, "what is not known is not NULL")


def passwords(t, server):
    for where in ("h:70000/d", "h:0/d", "h:1,h:65536/d", "h/d?port=99999"):
        t.fails(2, "makes no sense", "collect", "site", "--db", f"postgresql://perf@{where}")
    def hidden(p):
        check(SECRET.encode() not in p.stdout + p.stderr, f"the password is shown: {p.stderr[:300]}")
    wrong = server.place.replace("perf@", f"perf:{SECRET}x@")
    hidden(t.fails(6, "cannot reach", "collect", "site", "--db", wrong))
    hidden(t.fails(6, "cannot reach", "collect", "site", "--db", server.place, env={"PGPASSWORD": SECRET + "x"}))
    for address in (f"postgresql://perf:{SECRET}@[::1/x", f"postgresql://perf:{SECRET}@h:{SECRET}/d",
                    f"postgresql://h/d?pasword={SECRET}"):
        p = t.run("collect", "site", "--db", address)
        hidden(p)
        check(p.returncode in (2, 6) and p.stderr, f"{address}: {p.returncode}")
    right = server.place.replace("perf@", f"perf:{SECRET}@")
    p = t.run("history", "--db", right)
    hidden(p)
    check(p.returncode == 0 and b"perf:***@" in p.stdout, f"password in the address: {p.returncode} {p.stderr[:200]}")
    with socket.socket() as s:  # a server that never answers, to look at the command line meanwhile
        s.bind(("127.0.0.1", 0))
        s.listen()
        slow = f"postgresql://perf:{SECRET}@127.0.0.1:{s.getsockname()[1]}/d"
        p = subprocess.Popen([t.gpusight, "history", "--db", slow], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        connection, _ = s.accept()
        with open(f"/proc/{p.pid}/cmdline", "rb") as f:
            check(SECRET.encode() not in f.read(), "the password is in the list of processes")
        connection.close()
        p.communicate(timeout=60)
        check(p.returncode == 6, f"a server that hangs up: {p.returncode}")


def ways(t):
    """How a server is reached: by libpq, where it is, and by the protocol."""
    loads = b"no libpq" not in t.run("history", "--db", "postgresql://127.0.0.1:1/x",
                                     env={"GPUSIGHT_POSTGRESQL": "libpq"}).stderr
    if "libpq" in t.ok("--version") and loads:
        return ["libpq", "wire"]
    print("libpq is left out: it is not there")
    return ["wire"]


def replaced_at_once(t, db, env):
    before = db.rows("ledger")
    several = [subprocess.Popen([t.gpusight, "collect", "--replace", "site", "--db", db.place], cwd=t.folder,
                                env=dict(os.environ, **env), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
               for _ in range(4)]
    for p in several:
        out, err = p.communicate(timeout=120)
        check(p.returncode == 0 and out.endswith(b"7 runs added, 0 there already, 2 left out\n"),
              f"four that replace: {p.returncode} {out[-200:]} {err[:300]}")
    check(db.rows("ledger") == before, "the ledger changed when runs were replaced")


def on_server(t, server, way, files, expected, kills):
    env = {"PGPASSWORD": SECRET, "GPUSIGHT_POSTGRESQL": way}
    os.environ["GPUSIGHT_POSTGRESQL"] = way
    there = collect(t, server, env)
    for name in TABLES:
        check([r[:2] for r in there[name]] == [r[:2] for r in expected[name]], f"{way}: {name} differs from SQLite's")
    names = "run, name, path, started_ns, verdict, headline, wall_ns, straggler, profile"
    check(server.rows("run", names) == files.rows("run", names), f"{way}: runs differ from SQLite's")
    replaced_at_once(t, server, env)
    passwords(t, server)
    drop = ("DROP TABLE gpusight_run, gpusight_ledger, gpusight_finding, gpusight_hotspot, gpusight_version, gpusight_file, "
            "gpusight_schema CASCADE")
    server.execute(drop)
    interrupted(t, server, env, kills, there)
    server.execute(drop)
    earlier_version(t, server, env, True)
    remembered(t, server, env)
    server.execute(drop)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    p.add_argument("--kills", type=int, default=4)
    o = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        t = Tester(os.path.realpath(o.gpusight), folder)
        make_runs(t)
        files = SQLite(t)
        expected = collect(t, files, {})
        divisions(t)
        refusals(t)
        changed_meanwhile(t)
        remembered(t, SQLite(t, "remembered.db"), {})
        logs(t)
        earlier_version(t, SQLite(t, "earlier.db"), {}, False)
        large_job(t)
        interrupted(t, SQLite(t, "killed.db"), {}, o.kills, expected)
        server = PostgreSQL(folder)
        try:
            why = server.start()
            if why:
                print(f"PostgreSQL is left out: {why}")
            for way in [] if why else ways(t):
                on_server(t, server, way, files, expected, o.kills)
        finally:
            server.stop()
    print(f"{tell.failures} failures" if tell.failures else "ok")
    return 1 if tell.failures else 0


if __name__ == "__main__":
    sys.exit(main())
