#!/usr/bin/env python3
"""Gives gpusight rocpd files that other programs write, or were writing when they died.

    busy_rocpd.py --gpusight build/src/cli/gpusight [--seed N] [--rounds N] [--only TEXT]

A log or a journal is applied, in memory: nothing beside the input is made, changed or removed. A
program that still writes is named.
"""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys

from rocpd_tester import Bad, clean_copy, listing, main, read, write


def test_write_ahead_log(t):
    folder = t.path("wal")
    os.mkdir(folder)
    path = os.path.join(folder, "x.db")
    whole = t.counts(clean_copy(t, "whole.db"))
    t.synth("demo", "--set", "n=2", "--journal", "wal-left", "-o", path)
    before = listing(folder)
    if path + "-wal" not in before:
        raise Bad("synth left no log")
    for reader in ("auto", "fast", "sqlite", "check"):
        done = t.run("info", "--json", f"--reader={reader}", path)
        if json.loads(done.stdout)["counts"] != whole:
            raise Bad("rows that are only in the log are lost")
    link = t.path("link to wal.db")
    os.symlink(path, link)
    if t.counts(link) != whole:
        raise Bad("rows that are only in the log are lost behind a link")
    if "unfinished-writer" not in t.run("info", "--json", path).stdout.decode():
        raise Bad("a log is not mentioned")
    if listing(folder) != before:
        raise Bad("something was written beside a database with a log")
    log = read(path + "-wal")
    for size in (0, 1, 31, 32, 33, 56, len(log) // 2, len(log) - 1):
        write(path + "-wal", log[:size])
        t.run("info", "--reader=check", path)
    for _ in range(20 * t.rounds):
        d = bytearray(log)
        d[t.rng.randrange(len(d))] ^= 1 << t.rng.randrange(8)
        write(path + "-wal", bytes(d))
        t.run("info", "--reader=check", path)
    db = sqlite3.connect(clean_copy(t, "checkpointed.db"))
    db.execute("PRAGMA journal_mode=WAL")
    db.close()
    if t.counts(t.path("checkpointed.db")) != whole:
        raise Bad("a database in WAL mode without a log")
    write(t.path("checkpointed.db-wal"), b"")
    if t.counts(t.path("checkpointed.db")) != whole:
        raise Bad("a database with an empty log")


WRITER = """
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA cache_size=1")
db.execute("PRAGMA cache_spill=1")
db.execute("PRAGMA journal_mode=" + sys.argv[2])
db.execute("PRAGMA synchronous=OFF")
x = db.execute("SELECT substr(name, 13) FROM sqlite_master WHERE name LIKE 'rocpd_string%' AND "
               "type='table'").fetchone()[0]
db.execute("BEGIN " + sys.argv[3])
db.execute('UPDATE "rocpd_kernel_dispatch' + x + '" SET start = start + 1000000')
db.execute('DELETE FROM "rocpd_region' + x + '"')
if sys.argv[3] != "IMMEDIATE":
    db.execute('INSERT INTO "rocpd_string' + x + '"(string) SELECT hex(randomblob(500)) FROM '
               '"rocpd_event' + x + '"')
if sys.argv[2] == "WAL":
    db.execute("COMMIT")
print("ready", flush=True)
time.sleep(60)
"""


def start_writer(path, journal, begin):
    writer = subprocess.Popen([sys.executable, "-c", WRITER, path, journal, begin],
                              stdout=subprocess.PIPE)
    if writer.stdout.readline() != b"ready\n":
        raise Bad("the writer does not start")
    return writer


def test_live_writers(t):
    path = clean_copy(t, "live.db")
    writer = start_writer(path, "DELETE", "EXCLUSIVE")
    try:
        t.expect(3, "another program is writing", "info", path)
    finally:
        writer.kill()
        writer.wait()
    path = clean_copy(t, "live wal.db")
    writer = start_writer(path, "WAL", "")
    try:
        t.expect(3, rf"another program \(pid {writer.pid}\) is writing", "info", path)
        os.symlink(path, t.path("live link.db"))
        t.expect(3, rf"another program \(pid {writer.pid}\) is writing", "info",
                 t.path("live link.db"))
    finally:
        writer.kill()
        writer.wait()
    t.run("info", "--reader=check", path)


def test_hot_journal(t):
    folder = t.path("hot")
    os.mkdir(folder)
    path = os.path.join(folder, "x.db")
    shutil.copy(clean_copy(t, "cold.db"), path)
    whole = t.call("dump", t.path("cold.db")).stdout
    writer = start_writer(path, "DELETE", "EXCLUSIVE")
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    if not os.path.exists(path + "-journal") or read(path) == read(t.path("cold.db")):
        raise Bad("the writer left no hot journal")
    before = listing(folder)
    for reader in ("auto", "fast", "sqlite", "check"):
        if t.call("dump", f"--reader={reader}", path).stdout != whole:
            raise Bad("a hot journal is not rolled back")
    if "unfinished-writer" not in t.run("info", "--json", path).stdout.decode():
        raise Bad("a hot journal is not mentioned")
    if listing(folder) != before:
        raise Bad("something was written beside a database with a hot journal")
    journal = read(path + "-journal")
    for size in (0, 1, 27, 28, 512, 513, len(journal) // 2, len(journal) - 1):
        write(path + "-journal", journal[:size])
        t.run("info", "--reader=check", path)


def test_nothing_is_written(t):
    folder = t.path("read-only")
    os.mkdir(folder)
    for name, args in (("a.db", []), ("b.db", ["--journal", "wal"]),
                       ("c.db", ["--journal", "wal-left"])):
        t.synth("demo", "--set", "n=1", *args, "-o", os.path.join(folder, name))
        os.chmod(os.path.join(folder, name), 0o444)
    os.chmod(folder, 0o555)
    before = listing(folder)
    for name in ("a.db", "b.db", "c.db"):
        for reader in ("fast", "sqlite", "check"):
            done = t.run("info", f"--reader={reader}", os.path.join(folder, name))
            if done.returncode:
                raise Bad(f"read-only {name}: {done.stderr!r}")
    t.run("info", folder)
    if listing(folder) != before:
        raise Bad("something was written in a read-only folder")
    os.chmod(folder, 0o755)


if __name__ == "__main__":
    sys.exit(main(globals(), __doc__))
