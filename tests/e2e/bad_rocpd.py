#!/usr/bin/env python3
"""Gives gpusight damaged and hostile rocpd files, and files that are none.

    bad_rocpd.py --gpusight build/src/cli/gpusight [--seed N] [--rounds N] [--only TEXT]

What may come of it: see rocpd_tester.py.
"""
import json
import os
import shutil
import sqlite3
import struct
import subprocess
import sys

from rocpd_tester import LIMIT_S, Bad, clean_copy, main, read, small_file, suffix_of, write

# ---- files that are no traces ----

def test_other_files(t):
    t.expect(3, "No such file", "info", t.path("nowhere.db"))
    os.mkdir(t.path("folder"))
    t.expect(5, "no traces in", "info", t.path("folder"))
    for name, data, message in (
            ("empty", b"", "the file is empty"), ("text", b"hello\nworld\n" * 99, "a text file"),
            ("binary", bytes(range(256)) * 9, "not a trace"), ("header", b"SQLite format 3\0", ""),
            ("zeros", b"\0" * 8192, "not a trace"),
            ("ones", b"SQLite format 3\0" + b"\xff" * 4080, "database")):
        write(t.path(name), data)
        t.expect(4, message, "info", t.path(name))
        shutil.copy(t.path(name), t.path("folder"))
    for name in ("header", "ones"):
        os.unlink(os.path.join(t.path("folder"), name))
    t.expect(5, "no traces in", "info", t.path("folder"))
    path = t.path("other.sqlite")
    db = sqlite3.connect(path)
    db.executescript("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    db.close()
    t.expect(4, "not of a GPU profiler", "info", path)


def test_special_files(t):
    pipe = t.path("pipe")
    os.mkfifo(pipe)
    t.expect(3, "not a regular file", "info", pipe)
    t.expect(3, "not a regular file", "info", "/dev/null")
    t.expect(3, "not a regular file", "info", "/dev/zero")
    folder = t.path("odd folder")
    os.mkdir(folder)
    shutil.copy(small_file(t), os.path.join(folder, "a.db"))
    os.mkfifo(os.path.join(folder, "b.db"))
    os.symlink("nowhere", os.path.join(folder, "c.db"))
    os.symlink(".", os.path.join(folder, "loop"))
    os.symlink("loop", os.path.join(folder, "loop2"))
    os.symlink("a.db", os.path.join(folder, "d.db"))
    os.link(os.path.join(folder, "a.db"), os.path.join(folder, "e.db"))
    one = t.counts(small_file(t))
    if t.counts(folder) != one or t.counts(folder, folder, os.path.join(folder, "d.db")) != one:
        raise Bad("a file that is met twice is read twice")
    for name in ("-wal", "-journal"):
        os.mkfifo(os.path.join(folder, "a.db" + name))
        t.expect(3, "cannot be read", "info", os.path.join(folder, "a.db"))
        os.unlink(os.path.join(folder, "a.db" + name))


def test_folders(t):
    deep = t.path("deep")
    place = os.path.join(deep, *("abcdefghij"))
    os.makedirs(place)
    shutil.copy(small_file(t), os.path.join(place, "x.db"))
    if t.counts(deep) != t.counts(small_file(t)):
        raise Bad("a trace deep in a folder is not found")
    many = t.path("many")
    os.mkdir(many)
    for i in range(3000):
        write(os.path.join(many, f"log-{i}.txt"), b"nothing\n")
    shutil.copy(small_file(t), many)
    if t.counts(many) != t.counts(small_file(t)):
        raise Bad("a trace in a large folder is not found")
    write(os.path.join(many, "cut.db"), read(small_file(t))[:20000])
    t.expect(4, "cut.db", "info", many)


def test_many_files(t):
    folder = t.path("ranks")
    t.synth("mpi_job", "--set", "ranks=64", "--set", "n=1", "-o", folder + "/")
    counts = t.counts(folder)
    single = t.counts(os.path.join(folder, sorted(os.listdir(folder))[0]))
    info = json.loads(t.run("info", "--json", "--reader=check", folder).stdout)
    if counts["kernels"] < 64 or sorted(p["rank"] for p in info["processes"]) != list(range(64)):
        raise Bad(f"64 files: {counts}")
    if counts["kernels"] != 64 * single["kernels"]:
        raise Bad(f"64 files: {counts['kernels']} kernels, one has {single['kernels']}")
    t.run("info", folder)


# ---- damage ----

def test_cut_files(t):
    data, path = read(small_file(t)), t.path("cut.db")
    at = {0, 1, 15, 16, 17, 99, 100, 101, len(data) - 1}
    pages = list(range(512, len(data), 512))
    for page in t.rng.sample(pages, min(len(pages), 30 * t.rounds)):
        at |= {page - 1, page, page + 1}
    at |= {t.rng.randrange(len(data)) for _ in range(30 * t.rounds)}
    for size in sorted(at):
        write(path, data[:size])
        if t.run("info", path).returncode == 0:
            raise Bad(f"a database cut at {size} of {len(data)} bytes is read as if whole")


def test_zeroed_pages(t):
    data, path = read(small_file(t)), t.path("zeroed.db")
    pages = range(len(data) // 512)
    for page in t.rng.sample(pages, min(len(pages), 50 * t.rounds)):
        write(path, data[:page * 512] + bytes(512) + data[page * 512 + 512:])
        t.run("info", "--reader=check", path)


def test_random_damage(t):
    """Flipped bits, wild bytes, swapped and repeated pages, absurd header fields."""
    data, path = read(small_file(t)), t.path("damaged.db")
    n_pages = len(data) // 512
    for _ in range(150 * t.rounds):
        d = bytearray(data)
        kind = t.rng.randrange(6)
        for _ in range(t.rng.choice([1, 1, 2, 8, 64])):
            at, page = t.rng.randrange(len(d)), t.rng.randrange(n_pages) * 512
            if kind == 0:
                d[at] ^= 1 << t.rng.randrange(8)
            elif kind == 1:
                d[at] = t.rng.choice([0, 1, 0x7f, 0x80, 0xff])
            elif kind == 2:  # the header of a page: type, number of cells, first cell
                d[page + t.rng.randrange(12)] = t.rng.randrange(256)
            elif kind == 3:
                other = t.rng.randrange(n_pages) * 512
                d[page:page + 512] = data[other:other + 512]
            elif kind == 4:
                d[t.rng.randrange(100)] = t.rng.randrange(256)
            else:  # the child pointers and keys of a page, or the cell pointers of a leaf
                d[page + 8 + t.rng.randrange(120)] = t.rng.randrange(256)
        write(path, bytes(d))
        t.run("info", path)
        t.run("info", "--reader=check", path)


def interior_pages(data):
    return [p for p in range(512, len(data), 512) if data[p] == 5]


def test_page_cycles(t):
    """Pages above the leaves that lead to themselves, to each other, to page 0 and past the end."""
    data, path = read(small_file(t)), t.path("cycle.db")
    inner = interior_pages(data)
    if not inner:
        raise Bad("the small file has no interior pages")
    for page in inner:
        others = [page // 512 + 1, inner[0] // 512 + 1, inner[-1] // 512 + 1, 1, 0, 0xffffffff,
                  len(data) // 512 + 1]
        for other in others:
            d = bytearray(data)
            d[page + 8:page + 12] = struct.pack(">I", other)
            first = struct.unpack(">H", d[page + 12:page + 14])[0]
            if other % 2:
                d[page + first:page + first + 4] = struct.pack(">I", other)
            write(path, bytes(d))
            t.run("info", "--reader=check", path)


def leaf_pages(data):
    return [p for p in range(512, len(data), 512) if data[p] == 13]


def test_absurd_cells(t):
    data, path = read(small_file(t)), t.path("cells.db")
    leaves = leaf_pages(data)
    for page in t.rng.sample(leaves, min(len(leaves), 12 * t.rounds)):
        first = struct.unpack(">H", data[page + 8:page + 10])[0]
        for patch in ((3, b"\xff\xff"), (3, b"\x00\x00"), (3, b"\x00\x01"), (5, b"\xff\xff"),
                      (8, b"\x00\x00"), (8, b"\xff\xff"), (8, b"\x01\xff"), (first, b"\xff" * 9),
                      (first, b"\x80" * 9), (first + 1, b"\xff" * 9), (first + 2, b"\x7f"),
                      (first + 2, b"\xff" * 9), (first + 3, b"\xff" * 9), (first, b"\x00\x00\x00")):
            at, new = patch
            new = new[:512 - at]
            d = bytearray(data)
            d[page + at:page + at + len(new)] = new
            write(path, bytes(d))
            t.run("info", "--reader=check", path)


# ---- odd content ----

def changed(t, name, sql, *args):
    path = clean_copy(t, name, *args)
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("PRAGMA foreign_keys=OFF; PRAGMA writable_schema=ON")
    suffix = suffix_of(db)
    db.executescript(sql.format(x=suffix))
    db.close()
    return path


def relax(db, table):
    """The table again without NOT NULL and UNIQUE."""
    names = [r[1] for r in db.execute(f'PRAGMA table_info("{table}")')]
    body = ", ".join(f'"{n}"' + (" INTEGER PRIMARY KEY" if n == "id" else "") for n in names)
    db.executescript(f'''PRAGMA legacy_alter_table=ON; CREATE TABLE t ({body});
        INSERT INTO t SELECT * FROM "{table}"; DROP TABLE "{table}";
        ALTER TABLE t RENAME TO "{table}"''')
    return names


def test_missing_parts(t):
    path = clean_copy(t, "parts.db")
    db = sqlite3.connect(path)
    suffix = suffix_of(db)
    tables = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type='table' AND name "
                                       "LIKE 'rocpd%'")]
    columns = [(tb, r[1]) for tb in tables for r in db.execute(f'PRAGMA table_info("{tb}")')]
    db.close()
    for table in tables:
        short = table[len("rocpd_"):-len(suffix)]
        t.synth("demo", "--set", "n=1", "--drop", short, "-o", t.path("dropped.db"))
        t.run("info", "--reader=check", t.path("dropped.db"))
    for table, column in t.rng.sample(columns, min(len(columns), 40 * t.rounds)):
        short = table[len("rocpd_"):-len(suffix)]
        if t.synth("demo", "--set", "n=1", "--drop", f"{short}.{column}", "-o",
                   t.path("dropped.db"), check=False):
            t.run("info", "--reader=check", t.path("dropped.db"))
    none = changed(t, "no rows.db", "".join(f'DELETE FROM "{tb}";' for tb in tables))
    done = t.run("info", "--json", "--reader=check", none)
    if done.returncode == 0 and json.loads(done.stdout)["quality"]["grade"] != "F":
        raise Bad("a trace without rows gets a good grade")


def test_nulls_and_types(t):
    """NULL, text, real and blobs in any column of any table, in some or all rows."""
    source = clean_copy(t, "types.db", "counters", "--set", "n=5")
    db = sqlite3.connect(source, isolation_level=None)
    tables = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type='table' AND name "
                                       "LIKE 'rocpd%'")]
    columns = [(tb, n) for tb in tables for n in relax(db, tb) if n != "id"]
    db.close()
    values = ["NULL", "'text'", "''", "x'00ff'", "-1", "9223372036854775807",
              "-9223372036854775807 - 1", "1.5", "1e300", "'12'", "zeroblob(3000)", "-1e300",
              "9e999"]
    for _ in range(60 * t.rounds):
        path = t.path("typed.db")
        shutil.copy(source, path)
        db = sqlite3.connect(path, isolation_level=None)
        for table, column in t.rng.sample(columns, 3):
            where = t.rng.choice(["1", "id % 3 = 1"])
            db.execute(f'UPDATE "{table}" SET "{column}" = {t.rng.choice(values)} WHERE {where}')
        db.close()
        t.run("info", "--json", path)
        done = t.run("info", "--reader=check", path)
        if b"differ" in done.stderr:
            raise Bad(f"readers differ: {done.stderr!r}")


HOSTILE = ["'; DROP TABLE x; --", '"quoted"', "new\nline", "tab\there", "\x1b[31mred\x1b[0m",
           "\x1b]0;t\x07", "nul\0inside", "\u009b31m", "\u202eright", "<script>", "%s%n%d",
           "=cmd|' /C calc'!A0",
           "k<" * 2048, "\ufeff", "\u2028", "é漢字🙂", "a\rb", "\x7f"]
RAW = [b"\xff\xfe\xfd", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\x9b31m",
       b"ok\xc0\x80"]


def test_hostile_names(t):
    path = clean_copy(t, "names.db")
    db = sqlite3.connect(path, isolation_level=None)
    suffix = suffix_of(db)
    for n, name in enumerate([h.encode() for h in HOSTILE] + RAW):
        db.execute("PRAGMA foreign_keys=OFF")
        for table, column in (("info_kernel_symbol", "display_name"), ("info_process", "command"),
                              ("info_node", "hostname"), ("info_agent", "product_name"),
                              ("info_agent", "name"), ("info_thread", "name"),
                              ("info_stream", "name"), ("metadata", "value"),
                              ("info_queue", "name")):
            where = "tag NOT LIKE 'schema%'" if table == "metadata" else "1"
            db.execute(f'UPDATE "rocpd_{table}{suffix}" SET "{column}" = CAST(? AS TEXT) '
                       f"WHERE {where}", (name,))
        db.execute(f'UPDATE "rocpd_string{suffix}" SET string = CAST(? || id AS TEXT) '
                   "WHERE id > 20", (name,))
        db.execute(f'INSERT INTO "rocpd_string{suffix}"(string) VALUES (CAST(? AS TEXT))',
                   (name + b" alone %d" % n,))
        shutil.copy(path, t.path("named.db"))
        named = t.path("named.db")
        t.run("info", named)
        json.loads(t.run("info", "--json", "--reader=check", named).stdout)
    db.close()
    odd = t.path("odd \x1b[31m\n\u202e name.db")
    shutil.copy(small_file(t), odd)
    t.run("info", odd)
    json.loads(t.run("info", "--json", odd).stdout)
    write(odd, b"text")
    t.expect(4, "a text file", "info", odd)


def test_suffixes(t):
    """Sets of tables under odd suffixes; ids repeat across them."""
    path = clean_copy(t, "suffix.db")
    db = sqlite3.connect(path, isolation_level=None)
    old = suffix_of(db)
    one = t.counts(path)
    db.executescript("PRAGMA foreign_keys=OFF; PRAGMA legacy_alter_table=ON")
    names = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type='table' AND name "
                                      "LIKE 'rocpd%'")]
    for (view,) in db.execute("SELECT name FROM sqlite_master WHERE type='view'").fetchall():
        db.execute(f'DROP VIEW "{view}"')
    for new in ("", "_it's", '_quo"ted', "_per%cent %s", "_\x1b[31m", "_\u202e", "_new\nline"):
        for name in names:
            new_name = (name[:-len(old)] + new).replace('"', '""')
            db.execute(f'CREATE TABLE "{new_name}" AS SELECT * FROM "{name}"')
    db.close()
    for args in (["--reader=check"], []):
        both = json.loads(t.run("info", "--json", *args, path).stdout)["counts"]
        for key in ("kernels", "copies", "regions", "markers", "threads"):
            if both[key] != 8 * one[key]:
                raise Bad(f"{key}: {both[key]} in eight sets, {one[key]} in one")
    t.run("info", path)


def test_schema_versions(t):
    for version, good in (("3", 1), ("3.0.5", 1), ("3.1", 1), ("4.0.0", 0), ("2", 0), ("three", 0),
                          ("", 1), ("3x", 0), ("\x1b[2J", 0), ("9" * 5000, 0)):
        path = changed(t, "version.db", "")
        db = sqlite3.connect(path, isolation_level=None)
        db.execute(f'UPDATE "rocpd_metadata{suffix_of(db)}" SET value=? '
                   "WHERE tag='schema_version'", (version,))
        db.close()
        done = t.run("info", path)
        if done.returncode != (0 if good else 4):
            raise Bad(f"schema version {version[:20]!r}: exit code {done.returncode}")


def test_extreme_times(t):
    edge = 9223372036854775807
    for start, end in ((-edge, edge), (edge, -edge), (0, 0), (-edge, -edge), (edge, edge),
                       (-1, edge)):
        path = changed(t, "times.db", f'''
            UPDATE "rocpd_kernel_dispatch{{x}}" SET start={start}, "end"={end} WHERE id % 2;
            UPDATE "rocpd_region{{x}}" SET start={end}, "end"={start} WHERE id % 3 = 1;
            UPDATE "rocpd_memory_copy{{x}}" SET start={start}, "end"={end}, size={edge}''')
        t.run("info", "--reader=check", path)
        json.loads(t.run("info", "--json", path).stdout)


def test_hostile_schema(t):
    """Tables that are views, virtual or triggers in disguise, roots that lead astray."""
    small = small_file(t)
    for sql in ("UPDATE sqlite_schema SET rootpage=1 WHERE name LIKE 'rocpd_kernel_dis%'",
                "UPDATE sqlite_schema SET rootpage=0 WHERE name LIKE 'rocpd_kernel_dis%'",
                "UPDATE sqlite_schema SET rootpage=-1 WHERE name LIKE 'rocpd_event%'",
                "UPDATE sqlite_schema SET rootpage=99999999 WHERE name LIKE 'rocpd_event%'",
                "UPDATE sqlite_schema SET rootpage=2 WHERE name LIKE 'rocpd_%'",
                "UPDATE sqlite_schema SET rootpage=(SELECT rootpage FROM sqlite_schema WHERE name "
                "LIKE 'sqlite_autoindex_rocpd_string%') WHERE name LIKE 'rocpd_string%' AND "
                "type='table'",
                "UPDATE sqlite_schema SET sql='CREATE TABLE x(' WHERE name LIKE 'rocpd_region%'",
                "UPDATE sqlite_schema SET sql='' WHERE name LIKE 'rocpd_region%'",
                "UPDATE sqlite_schema SET sql=NULL WHERE name LIKE 'rocpd_region%'",
                "UPDATE sqlite_schema SET type='view' WHERE name LIKE 'rocpd_region%'",
                "DELETE FROM sqlite_schema WHERE name LIKE 'rocpd_string%'",
                "INSERT INTO sqlite_schema SELECT * FROM sqlite_schema"):
        path = t.path("schema.db")
        shutil.copy(small, path)
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("PRAGMA writable_schema=ON")
        db.execute(sql)
        db.close()
        t.run("info", path)
        t.run("info", "--reader=check", path)


def test_outputs(t):
    path = small_file(t)
    with open("/dev/full", "wb") as full:
        for args in (["info", path], ["info", "--json", path], ["dump", path]):
            done = subprocess.run([t.program, *args], stdout=full, stderr=subprocess.PIPE,
                                  timeout=LIMIT_S)
            if done.returncode != 3 or done.stderr.count(b"\n") != 1:
                raise Bad(f"{args} to a full disk: {done.returncode}, {done.stderr!r}")
    done = subprocess.run(f'"{t.program}" info "{path}" | head -1', shell=True, capture_output=True,
                          timeout=LIMIT_S)
    if done.stderr or done.stdout != b"small.db\n":
        raise Bad(f"info | head -1: {done.stdout!r}, {done.stderr!r}")


if __name__ == "__main__":
    sys.exit(main(globals(), __doc__))
