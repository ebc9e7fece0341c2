"""What formats allow and nobody expects: odd pages and encodings, packings in pieces, folders without
end, texts that other programs would take for their own."""
import gzip
import os
import shutil
import sqlite3
import struct

import seeds
from hostile import item


def _schema_and_rows(path):
    db = sqlite3.connect(path)
    text = "".join(db.iterdump())
    db.close()
    return text


def _again(path, pragmas, change=lambda text: text):
    """The database once more, made with other settings."""
    text = change(_schema_and_rows(path))
    os.unlink(path)
    db = sqlite3.connect(path, isolation_level=None)
    for p in pragmas:
        db.execute(f"PRAGMA {p}")
    db.executescript(text)
    db.close()
    return path


@item(sound=True)
def pages_large(folder):
    """Pages of 64 KiB, whose size does not fit into the two bytes for it."""
    return _again(seeds.rocpd(f"{folder}/a.db"), ["page_size=65536"])


@item(sound=True)
def text_utf16(folder):
    """Texts in UTF-16: each has another length than it seems."""
    return _again(seeds.rocpd(f"{folder}/a.db"), ["encoding='UTF-16le'"])


@item(sound=True)
def text_utf16be(folder):
    """The same the other way round, in an Nsight Systems export."""
    return _again(seeds.nsys(f"{folder}/a.sqlite"), ["encoding='UTF-16be'"])


@item(apart=True)
def pages_reserved(folder):
    """255 bytes of each page are not for SQLite: the least that a page of 512 can hold is more."""
    paths = []
    for n, reserved in enumerate((255, 32, 1)):
        path = seeds.rocpd(f"{folder}/{n}.db")
        data = bytearray(open(path, "rb").read())
        data[20] = reserved
        paths.append(seeds.write_text(path, bytes(data)))
    return paths


@item(apart=True)
def pages_odd_sizes(folder):
    """Headers that tell of pages of 0, 256, 511 and 32769 bytes."""
    paths = []
    for size in (0, 256, 511, 32769, 2):
        path = seeds.rocpd(f"{folder}/{size}.db")
        data = bytearray(open(path, "rb").read())
        struct.pack_into(">H", data, 16, size)
        paths.append(seeds.write_text(path, bytes(data)))
    return paths


def keyed_tables(folder):
    """Every table is WITHOUT ROWID: its rows lie in an index, in the order of a key."""
    path = seeds.rocpd(f"{folder}/a.db")
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA foreign_keys=OFF")
    for name, in db.execute("SELECT name FROM sqlite_master WHERE type='table' AND name LIKE 'rocpd%'"
                            ).fetchall():
        columns = [c[1] for c in db.execute(f'PRAGMA table_info("{name}")')]
        db.execute(f'CREATE TABLE "new"({", ".join(chr(34) + c + chr(34) for c in columns)}, PRIMARY KEY('
                   f'"{columns[0]}")) WITHOUT ROWID')
        db.execute(f'INSERT OR IGNORE INTO "new" SELECT * FROM "{name}" WHERE "{columns[0]}" NOT NULL')
        db.execute("PRAGMA legacy_alter_table=ON")
        db.execute(f'DROP TABLE "{name}"')
        db.execute(f'ALTER TABLE "new" RENAME TO "{name}"')
    db.close()
    return path


def tables_thousands(folder):
    """2,000 tables that mean nothing beside those of a trace."""
    path = seeds.rocpd(f"{folder}/a.db")
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode=OFF")
    db.execute("BEGIN")
    for i in range(2000):
        db.execute(f"CREATE TABLE t{i}(a)")
    db.execute("COMMIT")
    db.close()
    return path


def schema_long(folder):
    """A statement of the schema of a megabyte, and a table of 1,900 columns."""
    path = seeds.rocpd(f"{folder}/a.db")
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE wide(" + ",".join(f"c{i} DEFAULT {i}" for i in range(1900)) + ")")
    db.execute("CREATE TABLE long(a DEFAULT '" + "x" * 900000 + "')")
    db.execute("CREATE TABLE \"rocpd_\u202e\x1b[31m" + "n" * 5000 + "\"(a)")
    db.commit()
    db.close()
    return path


def gzip_members(folder):
    """40,000 members, each a few bytes that unpack to 64 KB of white space."""
    member = gzip.compress(b" " * 65000, mtime=0)
    return seeds.write_text(f"{folder}/a.json.gz", member * 40000 + gzip.compress(
        b'{"traceEvents":[]}', mtime=0))


@item(apart=True)
def gzip_empty_members(folder):
    """300,000 members with nothing in them, then the trace; and one with a name without end."""
    data = open(seeds.kineto_gz(f"{folder}/k.gz"), "rb").read()
    named = b"\x1f\x8b\x08\x08\0\0\0\0\0\x03" + b"n" * 3000000
    return [seeds.write_text(f"{folder}/a.json.gz", gzip.compress(b"", mtime=0) * 300000 + data),
            seeds.write_text(f"{folder}/b.json.gz", named)]


@item(apart=True)
def zst_frames(folder):
    """Frames that tell of the largest window, of a dictionary, of 2^62 bytes; and skipped ones."""
    magic = struct.pack("<I", 0xfd2fb528)
    raw = b"\x01\0\0"  # the last block, empty
    frames = {"window": magic + b"\x00\xff" + raw,
              "content": magic + b"\xe0" + struct.pack("<Q", 2**62) + raw,
              "dictionary": magic + b"\x03\x58" + struct.pack("<I", 2**31) + raw,
              "skipped": struct.pack("<II", 0x184d2a50, 0) * 200000,
              "beyond": struct.pack("<II", 0x184d2a50, 2**32 - 1) + b"x" * 100,
              "run": magic + b"\x00\x58" + b"\x02\x00\x10" * 1 + b"a" + b"\x03\x00\x10b"}
    paths = []
    for name, data in frames.items():
        for end in ("json.zst", "db.zst"):
            paths.append(seeds.write_text(f"{folder}/{name}.{end}", data))
    return paths


def zst_runs(folder):
    """Blocks of four bytes, each 128 KB of the same letter."""
    magic = struct.pack("<I", 0xfd2fb528)
    block = struct.pack("<I", (131072 << 3) | (1 << 1))[:3] + b" "
    return seeds.write_text(f"{folder}/a.json.zst", magic + b"\x00\x58" + block * 60000 + b"\x01\0\0")


@item(heavy=True)
def folder_full(folder):
    """10,000 files in a folder, most of them nothing, beside a trace."""
    path = f"{folder}/job"
    os.makedirs(path)
    seeds.rocpd(f"{path}/a.db")
    for i in range(10000):
        open(f"{path}/{i}.{('json', 'csv', 'db', 'txt', 'sqlite')[i % 5]}", "wb").close()
    return path


def folder_deep(folder):
    """Folders inside each other until names are too long, and one that is a link to the first."""
    path = f"{folder}/job"
    os.makedirs(path)
    seeds.rocpd(f"{path}/a.db")
    at = path
    while len(at) < 3800:
        at += "/" + "d" * 100
        os.mkdir(at)
    os.symlink(path, f"{path}/again")
    os.symlink("loop", f"{path}/loop")
    return path


def package_many_names(folder):
    """A package that names one trace in 16,000 ways."""
    path = f"{folder}/a.rpdb"
    os.makedirs(path)
    seeds.rocpd(f"{path}/a.db")
    names = ("".join("./" if i >> bit & 1 else ".//" for bit in range(14)) + "a.db" for i in range(1 << 14))
    seeds.write_text(f"{path}/index.yaml", 'rocprofiler-sdk:\n  rocpd:\n    rocpd_package_version: "1.0"\n    path: "."\n    files:\n' +
                     "".join(f'      - "{name}"\n' for name in names))
    return path


@item(sound=True)
def twice(folder):
    """One trace under two names, one of them a link, one in other letters."""
    path = seeds.rocpd(f"{folder}/Run.db")
    os.link(path, f"{folder}/run.db")
    os.symlink("Run.db", f"{folder}/RUN.db")
    return [path, f"{folder}/run.db", f"{folder}/RUN.db", path]


def formats_in_names(folder):
    """Names that a function for printing would follow."""
    bad = ["%n%n%n%n", "%s%s%s%s%s", "%99999999d", "%*.*s", "%1$n", "{0}{1}", "$(x)`x`", "${x}", "%",
           "\\", "\\u202e", "&lt;", "\r\nHTTP/1.1", "a\tb\rc\vd", "@SUM(1)", "+1", "-1+1|x", "\ufeff=1",
           "]]>", "--", "/*", "*/", "'); DROP TABLE x;--", "../../../etc/passwd", "CON", "nul.txt"]
    return seeds.events(f"{folder}/a.json", *(seeds.kernel_event(b, i * 9000) for i, b in enumerate(bad)),
                        *({"ph": "X", "cat": "user_annotation", "name": b, "pid": 1, "tid": 1,
                           "ts": i * 9000, "dur": 9000} for i, b in enumerate(bad)))


@item(apart=True)
def no_numbers(folder):
    """NaN and Infinity as some programs write them, hexadecimal, octal, with digits without end."""
    text = ",".join('{"ph":"X","cat":"kernel","name":"k","pid":1,"tid":1,"ts":%s,"dur":%s,"args":'
                    '{"device":0,"stream":7,"correlation":%s}}' % (n, n, n) for n in (
                        "NaN", "Infinity", "-Infinity", "0x10", "017", "1e999999999", "-1e-999999999",
                        "1." + "0" * 100000, "1" * 100000, "+1", ".5", "5.", "1e", "--1", "1_000"))
    return [seeds.write_text(f"{folder}/{i}.json", '{"traceEvents":[' + t + "]}")
            for i, t in enumerate([text] + ["{" + t.strip("{}") + "}}" for t in text.split("}},{")])]


@item(apart=True)
def json_shapes(folder):
    """A mark of order, UTF-16, keys twice, lone surrogates, a string that never ends, nothing at all."""
    event = '{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":5,"pid":1,"tid":1,"args":{"device":0}}'
    whole = '{"traceEvents":[' + event + "]}"
    shapes = [b"\xef\xbb\xbf" + whole.encode(), whole.encode("utf-16"), whole.encode("utf-16-be"),
              whole.replace('"ts":1', '"ts":1,"ts":9,"ts":-9').encode(),
              whole.replace('"k"', '"\\ud800\\udc00\\ud800x\\udfff"').encode(),
              (whole[:-3] + ',{"name":"' + "x" * 3000000).encode(), b"", b"\0" * 4096, b"[", b"[" + b"[]," * 300000,
              b'{"traceEvents":[' + b"{}," * 300000 + b"{}]}", b'{"traceEvents":' * 1000]
    return [seeds.write_text(f"{folder}/{i}.json", s) for i, s in enumerate(shapes)]


@item(apart=True)
def csv_shapes(folder):
    """Quotes that never close, NUL bytes, a megabyte in one cell, lines without end, other ends of lines."""
    paths = []
    for i, tail in enumerate((b'"' + b"x" * 3000000, b"\0" * 100000, b"," * 3000000, b"\r" * 100000,
                              b'"a""b"' * 100000, b'"\n"' * 100000)):
        path = seeds.rocprofv3_csv(f"{folder}/{i}")
        with open(f"{path}/1_kernel_trace.csv", "ab") as f:
            f.write(tail)
        paths.append(path)
    return paths


@item(apart=True)
def endings_lie(folder):
    """Each format under the name of another."""
    made = [(seeds.rocpd, "json"), (seeds.kineto, "db"), (seeds.nsys, "rpd"), (seeds.rpd, "sqlite"),
            (seeds.rocprofv3_json, "csv"), (seeds.kineto_gz, "json"), (seeds.kineto_gz, "zst")]
    return [f(f"{folder}/{i}.{end}") for i, (f, end) in enumerate(made)]


@item(kind="att", apart=True)
def att_shapes(folder):
    """A thread trace whose files are of the wrong kind: lists for objects, texts for numbers."""
    path = seeds.att(f"{folder}/att")
    ui = f"{path}/ui_output_agent_1_dispatch_2"
    for name in sorted(os.listdir(ui)):
        shutil.copytree(path, f"{folder}/{name}")
        for i, text in enumerate(("[]", "{}", "null", '"x"', "[" * 5000, '{"code":[[]],"wave":[],"SE0":{}}')):
            seeds.write_text(f"{folder}/{name}/ui_output_agent_1_dispatch_2/{name}", text)
            if i == len(name) % 6:
                break
    return [f"{folder}/{n}" for n in sorted(os.listdir(folder))]
