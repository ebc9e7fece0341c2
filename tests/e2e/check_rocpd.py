#!/usr/bin/env python3
"""Compares gpusight with what SQL says about rocpd databases, row by row.

    check_rocpd.py --gpusight build/src/cli/gpusight real|made

real: every .db below rocpd/ in the traces; skipped (exit code 77) where there are none,
GPUSIGHT_TRACES says where they are. made: what `gpusight synth` writes, in every flavour, one file
a process and merged, and the same files with rows taken out, ids moved and columns added. All
are read by each reader, with one thread and several, and the answers must be the same bytes.
"""
import argparse
import glob
import os
import random
import sqlite3
import subprocess
import sys
import tempfile

from rocpd_sql import Gpusight, check

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TRACES = os.environ.get("GPUSIGHT_TRACES") or os.path.join(ROOT, "..", "shared", "traces")
SKIP = 77


def synth(gpusight, *args):
    subprocess.run([gpusight.program, "synth", *args], check=True, capture_output=True, timeout=300)


SCENARIOS = [
    ("demo", ["--set", "n=4"]), ("mpi_job", ["--set", "n=3"]), ("counters", ["--set", "n=9"]),
    ("telemetry", ["--set", "n=4"]), ("unbalanced_gpus", ["--set", "n=3"]), ("odd_durations", []),
    ("hostile_names", []), ("markers_only", ["--set", "n=20"]), ("api_only", ["--set", "n=40"]),
    ("one_kernel", []), ("empty", []), ("exposed_comm", ["--set", "n=3"]),
    ("allocation_churn", ["--set", "n=9"]), ("many_streams", ["--set", "n=600"]),
]

SEVERAL = ("mpi_job", "exposed_comm")  # processes: one file each, and all in one

PEERS = """
gpu MI300X count=3
kernel k dur=5us
copy p2p size=1MiB peer=1
copy p2p size=2MiB peer=2
copy d2d size=3MiB
copy h2d size=4MiB; copy d2h size=5MiB; copy h2h size=6MiB
device 1
copy p2p size=7MiB peer=0
launch k
"""


def check_made(gpusight, scratch):
    for flavor in ("rocprofv3", "rocprofv3-3.0.5", "rocprof-sys"):
        for name, args in SCENARIOS:
            for merge in ([], ["--merge"]) if name in SEVERAL else ([],):
                folder = os.path.join(scratch, f"{flavor}-{name}{'-merged' if merge else ''}")
                os.mkdir(folder)
                out = os.path.join(folder, "all.db") if merge else \
                    os.path.join(folder, "out-%pid%.db")
                synth(gpusight, name, *args, *merge, "--flavor", flavor, "-o", out)
                check(gpusight, sorted(glob.glob(os.path.join(folder, "*.db"))))
        print(f"ok - {len(SCENARIOS)} scenarios as {flavor}", flush=True)
    description = os.path.join(scratch, "peers.trace")
    with open(description, "w", encoding="utf-8") as f:
        f.write(PEERS)
    peers = os.path.join(scratch, "peers.db")
    synth(gpusight, description, "-o", peers)
    check(gpusight, [peers])
    kinds = [r["kind"] for r in gpusight.dump([peers], "copies")]
    if kinds.count("peer to peer") != 3 or kinds.count("device to device") != 1:
        sys.exit(f"peer copies are not told apart: {kinds}")
    print("ok - peer copies")


# Files that differ from what profilers write, made by SQL. {x} is the suffix of the tables.
CHANGES = {
    "rows are missing in the middle": """
        DELETE FROM "rocpd_event{x}" WHERE id % 7 = 3;
        DELETE FROM "rocpd_region{x}" WHERE id % 5 = 2;
        DELETE FROM "rocpd_kernel_dispatch{x}" WHERE id % 11 = 4;
        DELETE FROM "rocpd_arg{x}" WHERE id % 2 = 0;
        DELETE FROM "rocpd_memory_copy{x}" WHERE id < 3""",
    "the first and last rows are missing": """
        DELETE FROM "rocpd_event{x}" WHERE id < 40;
        DELETE FROM "rocpd_kernel_dispatch{x}" WHERE id < 20 OR id > 80""",
    "stack ids need 64 bits": """
        UPDATE "rocpd_event{x}" SET stack_id = stack_id + 123456789012345 WHERE stack_id > 0""",
    "stack ids need 64 bits, and rows are missing": """
        UPDATE "rocpd_event{x}" SET stack_id = -stack_id * 4294967296 WHERE stack_id > 0;
        DELETE FROM "rocpd_event{x}" WHERE id % 9 = 1""",
    "stack ids are NULL": 'UPDATE "rocpd_event{x}" SET stack_id = NULL WHERE id % 3 = 0',
    "ids are far apart": """
        UPDATE "rocpd_event{x}" SET id = -id;
        UPDATE "rocpd_event{x}" SET id = id * -40000000000;
        UPDATE "rocpd_region{x}" SET event_id = event_id * 40000000000;
        UPDATE "rocpd_kernel_dispatch{x}" SET event_id = event_id * 40000000000;
        UPDATE "rocpd_memory_copy{x}" SET event_id = event_id * 40000000000;
        UPDATE "rocpd_memory_allocate{x}" SET event_id = event_id * 40000000000;
        UPDATE "rocpd_sample{x}" SET event_id = event_id * 40000000000""",
    "negative ids": """
        UPDATE "rocpd_event{x}" SET id = id - 9000000000000000000;
        UPDATE "rocpd_region{x}" SET event_id = event_id - 9000000000000000000;
        UPDATE "rocpd_kernel_dispatch{x}" SET event_id = event_id - 9000000000000000000""",
    "starts are not sorted": """
        UPDATE "rocpd_kernel_dispatch{x}" SET start = start + (id * 7919 % 101) * 1000000,
            "end" = "end" + (id * 7919 % 101) * 1000000;
        UPDATE "rocpd_region{x}" SET start = start - (id * 31 % 17) * 1000""",
    "columns were added later": """
        ALTER TABLE "rocpd_kernel_dispatch{x}" ADD COLUMN graph_exec_id INTEGER DEFAULT 77;
        ALTER TABLE "rocpd_event{x}" ADD COLUMN note TEXT DEFAULT 'x';
        UPDATE "rocpd_kernel_dispatch{x}" SET graph_exec_id = 5 WHERE id % 2""",
    "numbers are stored as text and real": """
        CREATE TABLE t AS SELECT * FROM "rocpd_memory_copy{x}"; DROP TABLE "rocpd_memory_copy{x}";
        CREATE TABLE "rocpd_memory_copy{x}" (id INTEGER PRIMARY KEY, guid, nid, pid, tid, start,
            "end", name_id, dst_agent_id, dst_address, src_agent_id, src_address, size, queue_id,
            stream_id, region_name_id, event_id, extdata);
        INSERT INTO "rocpd_memory_copy{x}" SELECT * FROM t;
        UPDATE "rocpd_memory_copy{x}" SET start = CAST(start AS TEXT) WHERE id % 3 = 1;
        UPDATE "rocpd_memory_copy{x}" SET size = size + 0.0 WHERE id % 3 = 2;
        DROP TABLE t""",
    "a generated column": """
        ALTER TABLE "rocpd_region{x}" ADD COLUMN length INTEGER AS ("end" - start)""",
    "names of 5 kB": """
        UPDATE "rocpd_info_kernel_symbol{x}" SET display_name = display_name ||
            replace(hex(zeroblob(2500)), '00', 'y<')""",
    "marker texts of 9 kB": """
        UPDATE "rocpd_event{x}" SET extdata = '{{"message": "' || id ||
            replace(hex(zeroblob(4500)), '00', 'm ') || '"}}' WHERE extdata LIKE '%message%'""",
    "strings of 70 kB": """
        UPDATE "rocpd_string{x}" SET string = string || replace(hex(zeroblob(35000)), '00', 'h_')
            WHERE string LIKE 'hipMem%' OR string LIKE 'MEMORY_COPY_HOST%'""",
}

# A table whose id is no longer the rowid, as `CREATE TABLE ... AS SELECT` leaves it.
COPY = """CREATE TABLE t AS SELECT * FROM "rocpd_event{x}" ORDER BY {order};
          DROP TABLE "rocpd_event{x}"; ALTER TABLE t RENAME TO "rocpd_event{x}" """
REBUILT = {
    "ids are no key": COPY.replace("{order}", "id"),
    "ids are no key and come in any order": COPY.replace("{order}", "id * 7919 % 1009"),
    "ids are no key and descend": COPY.replace("{order}", "-id"),
}
KEYS = {
    "the key descends": ("INTEGER PRIMARY KEY DESC", ""),
    "there is no rowid": ("INTEGER PRIMARY KEY", "WITHOUT ROWID"),
    "the key is of another type": ("INT PRIMARY KEY", ""),
}


def rebuild(db, suffix, table, key, tail):
    columns = [r[1] for r in db.execute(f"SELECT * FROM pragma_table_info('rocpd_{table}{suffix}')"
                                        .replace("SELECT *", "SELECT cid, name"))]
    listed = ", ".join(f'"{c}"' for c in columns)
    body = ", ".join(f'"{c}" {key}' if c == "id" else f'"{c}"' for c in columns)
    db.executescript(f'''CREATE TABLE t ({body}) {tail};
        INSERT INTO t ({listed}) SELECT {listed} FROM "rocpd_{table}{suffix}" ORDER BY -id;
        DROP TABLE "rocpd_{table}{suffix}"; ALTER TABLE t RENAME TO "rocpd_{table}{suffix}"''')


def change(source, target, act):
    """A copy of the database, changed by act(db, suffix)."""
    with open(source, "rb") as f, open(target, "wb") as g:
        g.write(f.read())
    db = sqlite3.connect(target, isolation_level=None)
    db.executescript("PRAGMA foreign_keys=OFF; PRAGMA legacy_alter_table=ON")
    suffix = db.execute("SELECT substr(name, 13) FROM sqlite_master WHERE type='table' AND name "
                        "LIKE 'rocpd_string_%'").fetchone()[0]
    act(db, suffix)
    db.close()


def script(sql):
    return lambda db, suffix: db.executescript(sql.format(x=suffix))


def check_changed(gpusight, scratch):
    source = os.path.join(scratch, "source.db")
    synth(gpusight, "demo", "--set", "n=6", "-o", source)
    for i, (what, sql) in enumerate({**CHANGES, **REBUILT}.items()):
        target = os.path.join(scratch, f"changed-{i}.db")
        change(source, target, script(sql))
        check(gpusight, [target])
        print(f"ok - {what}", flush=True)
    for i, (what, (key, tail)) in enumerate(KEYS.items()):
        target = os.path.join(scratch, f"key-{i}.db")

        def act(db, suffix, key=key, tail=tail):
            for table in ("event", "region", "kernel_dispatch", "string"):
                rebuild(db, suffix, table, key, tail)
        change(source, target, act)
        check(gpusight, [target])
        print(f"ok - {what}", flush=True)


# How SQLite may lay out a file without changing what it says.
LAYOUTS = [f"PRAGMA page_size={1 << bits}" for bits in range(9, 17)] + [
    "PRAGMA auto_vacuum=FULL", "PRAGMA auto_vacuum=INCREMENTAL", "PRAGMA encoding='UTF-16le'",
    "PRAGMA encoding='UTF-16be'",
]


def check_layouts(gpusight, scratch):
    """Every layout gives the same answer as the file it was made from."""
    source = os.path.join(scratch, "layout.db")
    synth(gpusight, "demo", "--set", "n=3", "-o", source)
    wanted = {t: gpusight.run("dump", "-t", t, source)
              for t in ("kernels", "copies", "regions", "markers", "allocations")}
    statements = "\n".join(sqlite3.connect(source).iterdump())
    for i, pragma in enumerate(LAYOUTS):
        target = os.path.join(scratch, f"layout-{i}.db")
        db = sqlite3.connect(target)
        db.executescript(pragma + ";" + statements)
        db.close()
        for table, rows in wanted.items():
            for reader in ("fast", "sqlite", "check"):
                if gpusight.run("dump", "-t", table, f"--reader={reader}", target) != rows:
                    sys.exit(f"{pragma}: {table} differ")
    print(f"ok - {len(LAYOUTS)} layouts", flush=True)


def check_deleted(gpusight, scratch):
    """Random rows of every table are taken out: pages get holes, links dangle, nothing breaks."""
    source = os.path.join(scratch, "holes.db")
    synth(gpusight, "demo", "--set", "n=40", "--page-size", "1024", "-o", source)
    for seed in range(6):
        rng = random.Random(seed)
        target = os.path.join(scratch, f"holes-{seed}.db")

        def act(db, suffix):
            for table in ("event", "region", "kernel_dispatch", "memory_copy", "memory_allocate"):
                part, at = rng.choice([2, 3, 50, 1000]), rng.randrange(2)
                db.execute(f'DELETE FROM "rocpd_{table}{suffix}" WHERE id % {part} = {at}')
                low = rng.randrange(2000)
                db.execute(f'DELETE FROM "rocpd_{table}{suffix}" WHERE id BETWEEN {low} AND '
                           f"{low + 700}")
        change(source, target, act)
        check(gpusight, [target])
    print("ok - random rows are missing", flush=True)


def check_real(gpusight):
    files = sorted(glob.glob(os.path.join(TRACES, "rocpd", "*", "*.db")))
    if not files:
        print(f"skipped: no rocpd files below '{TRACES}', see GPUSIGHT_TRACES")
        return SKIP
    for path in files:
        check(gpusight, [path])
        print(f"ok - {os.path.relpath(path, TRACES)}", flush=True)
    check(gpusight, files)
    print("ok - all of them at once")
    return 0


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", default=os.path.join(ROOT, "build/src/cli/gpusight"))
    args.add_argument("what", choices=["real", "made"])
    args = args.parse_args()
    gpusight = Gpusight(args.gpusight)
    if args.what == "real":
        return check_real(gpusight)
    with tempfile.TemporaryDirectory(prefix="rocpd-") as scratch:
        for part in (check_made, check_changed, check_deleted, check_layouts):
            part(gpusight, scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
