#!/usr/bin/env python3
"""Compares gpusight with what SQL says about rocpd databases, row by row.

    check_rocpd.py --gpusight build/src/cli/gpusight real|made

real: every .db below rocpd/ in the traces; skipped (exit code 77) where there are none,
GPUSIGHT_TRACES says where they are. made: what `gpusight synth` writes, in every flavour, one file
a process and merged, and the same files with rows taken out, ids moved and columns added. All
are read by each reader, with one thread and several, and the answers must be the same bytes.
"""
import argparse
import csv
import glob
import io
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TRACES = os.environ.get("GPUSIGHT_TRACES") or os.path.join(ROOT, "..", "shared", "traces")
SKIP = 77
SECRET = "hunter2-do-not-print"  # what synth puts into every environment

RANKS = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID",
         "RANK"]
KINDS = [("HIP_COMPILER", "compiler API"), ("HIP_", "runtime API"), ("HSA_", "driver API"),
         ("RCCL_", "collective"), ("rocm_hip_compiler", "compiler API"), ("rocm_hip", "runtime API"),
         ("rocm_hsa", "driver API"), ("rocm_rccl", "collective"), ("mpi", "MPI"), ("host", "user"),
         ("MARKER_CONTROL", "other"), ("KERNEL_", "other")]
COPIES = [("HOST_TO_DEVICE", "host to device"), ("DEVICE_TO_HOST", "device to host"),
          ("DEVICE_TO_DEVICE", "device to device"), ("HOST_TO_HOST", "host to host")]
NO_ROW = {}


class Gpusight:
    def __init__(self, program):
        self.program = program

    def run(self, *args):
        done = subprocess.run([self.program, *args], capture_output=True, timeout=300)
        if done.returncode or done.stderr:
            sys.exit(f"gpusight {' '.join(args)}: exit code {done.returncode}, "
                     f"{done.stderr.decode('utf-8', 'backslashreplace')}")
        if SECRET.encode() in done.stdout:
            sys.exit(f"gpusight {' '.join(args)} prints a secret of the environment")
        return done.stdout.decode("utf-8", "surrogateescape")

    def dump(self, paths, table):
        text = self.run("dump", "--csv", "--table", table, *paths)
        return list(csv.DictReader(io.StringIO(text, newline="")))

    def info(self, paths, *args):
        return self.run("info", "--json", *args, *paths)


def text(value):
    return "" if value is None else str(value).replace("\0", "\ufffd")


def same(what, keys, expected, actual):
    """Row by row; says which field of which row differs first."""
    keys = keys.split()
    for i, (e, a) in enumerate(zip(expected, actual)):
        for key, value in zip(keys, e):
            if text(value) != a[key]:
                sys.exit(f"{what}, row {i}: {key} is {a[key]!r}, SQL says {text(value)!r}")
    if len(expected) != len(actual):
        sys.exit(f"{what}: {len(actual)} rows, SQL has {len(expected)}")


def is_marker(category):
    return category.startswith(("MARKER_", "rocm_marker")) and \
        not category.startswith(("MARKER_CONTROL_API", "MARKER_NAME_API"))


class Set:
    """The tables of one process, as dictionaries, and what follows from them."""

    def __init__(self, db, suffix, path, base):
        self.db, self.suffix, self.path, self.base = db, suffix, path, base
        self.strings = {r["id"]: r["string"] for r in self.rows("string")}
        self.events = {}
        for r in self.rows("event"):
            self.events.setdefault(r["id"], r)
        self.agents = self.by_id("info_agent")
        self.threads = self.by_id("info_thread")
        self.processes = self.by_id("info_process")
        self.streams = self.by_id("info_stream")
        self.symbols = self.by_id("info_kernel_symbol")
        self.tracks = self.by_id("track")
        self.pmcs = self.by_id("info_pmc")
        self.split_regions()
        self.kernels = self.rows("kernel_dispatch")
        self.split_samples()

    def rows(self, table):
        try:
            found = [dict(r) for r in self.db.execute(
                f'SELECT * FROM "rocpd_{table}{self.suffix}" NOT INDEXED')]
            for row in found:
                row.update({k: int(row[k]) for k in ("start", "end", "size")
                            if isinstance(row.get(k), (str, float))})
            return found
        except sqlite3.OperationalError as e:
            if "no such table" in str(e):
                return []
            raise

    def by_id(self, table):
        return {r["id"]: r for r in self.rows(table)}

    def event(self, row):
        return self.events.get(row.get("event_id"), NO_ROW)

    def category(self, row):
        return self.strings.get(self.event(row).get("category_id"), "")

    def stack(self, row):
        return self.event(row).get("stack_id") or 0

    def message(self, row, otherwise):
        extdata = self.event(row).get("extdata")
        try:
            found = json.loads(extdata, strict=False).get("message")
        except (ValueError, TypeError, AttributeError):
            found = None
        return found if isinstance(found, str) else otherwise

    def split_regions(self):
        self.regions, self.marker_regions, self.call_of = [], [], {}
        for r in self.rows("region"):
            if is_marker(self.category(r)):
                self.marker_regions.append(r)
                continue
            if self.stack(r):
                self.call_of.setdefault(self.stack(r), self.base["regions"] + len(self.regions))
            self.regions.append(r)

    def split_samples(self):
        self.sample_rows = self.rows("sample")
        self.pmc_events = self.rows("pmc_event")
        self.samples, self.marker_samples, self.time_of = [], [], {}
        for r in self.sample_rows:
            track = self.tracks.get(r["track_id"], NO_ROW)
            if is_marker(self.category(r)):
                self.marker_samples.append(r)
            elif r["event_id"] in self.events and self.pmc_events and track.get("tid") is None:
                self.time_of.setdefault(r["event_id"], r["timestamp"])
            else:
                self.samples.append(r)

    def call(self, row):
        at = self.call_of.get(self.stack(row))
        name = None if at is None else \
            self.strings.get(self.regions[at - self.base["regions"]]["name_id"])
        return at, name

    def thread(self, tid):
        t = self.threads.get(tid)
        if not t:
            return None, None
        return self.processes[t["pid"]]["pid"], t["tid"]

    def gpu(self, agent):
        a = self.agents.get(agent, NO_ROW)
        return a["type_index"] if a.get("type") == "GPU" else None

    def agent_name(self, agent):
        a = self.agents.get(agent, NO_ROW)
        return f"GPU {a['type_index']}" if a.get("type") == "GPU" else a.get("type")

    def stream(self, stream, agent):
        s = self.streams.get(stream)
        process = self.processes[s["pid"]] if s else next(iter(self.processes.values()))
        return process["pid"], self.gpu(agent), s["id"] if s else -1

    def region_kind(self, row):
        category = self.category(row)
        if not category:
            return "other"
        return next((kind for prefix, kind in KINDS if category.startswith(prefix)), "?" + category)

    def expect_regions(self):
        return [(r["start"], r["end"], r["id"], self.region_kind(r), self.strings.get(r["name_id"]),
                 *self.thread(r["tid"])) for r in self.regions]

    def expect_markers(self):
        out = []
        for r in self.marker_regions:
            name = self.strings.get(r["name_id"])
            out.append((r["start"], r["end"], r["id"], self.message(r, name), *self.thread(r["tid"])))
        for r in self.marker_samples:
            track = self.tracks.get(r["track_id"], NO_ROW)
            name = self.strings.get(track.get("name_id"))
            out.append((r["timestamp"], r["timestamp"], r["id"], self.message(r, name),
                        *self.thread(track.get("tid"))))
        return out

    def expect_kernels(self):
        out = []
        for k in self.kernels:
            s = self.symbols.get(k["kernel_id"], NO_ROW)
            out.append((
                k["start"], k["end"], k["end"] - k["start"],
                k["id"] if k["dispatch_id"] is None else k["dispatch_id"], s.get("kernel_name"),
                *self.stream(k["stream_id"], k["agent_id"]), self.thread(k["tid"])[1], *self.call(k),
                k["grid_size_x"], k["grid_size_y"], k["grid_size_z"], k["workgroup_size_x"],
                k["workgroup_size_y"], k["workgroup_size_z"], k["group_segment_size"],
                k["private_segment_size"], s.get("arch_vgpr_count"), s.get("accum_vgpr_count"),
                s.get("sgpr_count"), k.get("graph_exec_id") or 0))
        return out

    def copy_kind(self, c):
        src, dst = (self.agents.get(c[k], NO_ROW) for k in ("src_agent_id", "dst_agent_id"))
        if src.get("type") == dst.get("type") == "GPU" and \
                src["absolute_index"] != dst["absolute_index"]:
            return "peer to peer"
        name = self.strings.get(c["name_id"], "")
        return next((kind for part, kind in COPIES if part in name.upper()), "unknown")

    def expect_copies(self):
        out = []
        for c in self.rows("memory_copy"):
            src, dst = c["src_agent_id"], c["dst_agent_id"]
            owner = dst if self.gpu(dst) is not None else src
            out.append((c["start"], c["end"], c["id"], self.copy_kind(c), c["size"],
                        *self.stream(c["stream_id"], owner), self.thread(c["tid"])[1], *self.call(c),
                        self.agent_name(src), self.agent_name(dst)))
        return out

    def expect_allocations(self):
        return [(m["start"], m["end"], m["id"], m["type"].lower(), m["level"].lower(), m["size"],
                 m["address"] or 0, self.agent_name(m["agent_id"]), *self.thread(m["tid"]),
                 *self.call(m)) for m in self.rows("memory_allocate")]

    def expect_values(self):
        """Counter values of kernels, and points of telemetry."""
        owner = {}
        for i, k in enumerate(self.kernels):
            owner.setdefault(k["event_id"], self.base["kernels"] + i)
        counters, points = [], []
        for v in self.pmc_events:
            pmc, kernel = self.pmcs[v["pmc_id"]], owner.get(v["event_id"])
            if kernel is None and v["event_id"] in self.time_of:
                points.append((self.time_of[v["event_id"]], pmc["name"], pmc["units"],
                               self.gpu(pmc["agent_id"]), v["value"]))
                continue
            instance = (v.get("xcc") or 0) << 24 | (v.get("shader_engine") or 0) << 16 | \
                (v.get("instance") or 0)
            counters.append((kernel, pmc["name"], self.gpu(pmc["agent_id"]), instance, v["value"]))
        return counters, points

    def expect_samples(self):
        out = []
        for r in self.samples:
            track = self.tracks.get(r["track_id"], NO_ROW)
            out.append((r["timestamp"], self.strings.get(track.get("name_id")),
                        *self.thread(track.get("tid"))))
        return out

    def expect_processes(self):
        for p in self.processes.values():
            environment = json.loads(p["environment"] or "{}")
            ranks = [int(environment[v]) for v in RANKS if v in environment]
            named = re.search(r"rank[_.-]?(\d+)(?!.*rank[_.-]?\d)", self.path, re.I)
            rank = ranks[0] if ranks else int(named[1]) if named else None
            host = self.db.execute(f'SELECT hostname FROM "rocpd_info_node{self.suffix}" '
                                   "WHERE id=?", (p["nid"],)).fetchone()
            yield p["pid"], rank, host[0] if host else "", p["command"]

    def times(self):
        for table in ("region", "kernel_dispatch", "memory_copy", "memory_allocate"):
            for r in self.rows(table):
                yield r["start"]
                yield r["end"]
        for r in self.sample_rows:
            yield r["timestamp"]


def open_sets(paths):
    sets, base = [], {"regions": 0, "kernels": 0}
    for path in paths:
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        db.row_factory = sqlite3.Row
        db.text_factory = lambda b: b.decode("utf-8", "surrogateescape")
        names = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        for suffix in dict.fromkeys(n[len("rocpd_string"):] for n in names
                                    if n.startswith("rocpd_string")):
            sets.append(Set(db, suffix, path, dict(base)))
            base["regions"] += len(sets[-1].regions)
            base["kernels"] += len(sets[-1].kernels)
    return sets


def check_rows(gpusight, paths, sets):
    def everything(get):
        return [row for s in sets for row in get(s)]

    same("regions", "start_ns end_ns id kind name pid tid",
         everything(Set.expect_regions), gpusight.dump(paths, "regions"))
    same("markers", "start_ns end_ns id name pid tid",
         everything(Set.expect_markers), gpusight.dump(paths, "markers"))
    kernels = gpusight.dump(paths, "kernels")
    same("kernels", "start_ns end_ns duration_ns id mangled pid gpu stream tid call_row call grid_x "
         "grid_y grid_z group_x group_y group_z lds_bytes scratch_bytes vgprs accum_vgprs sgprs graph",
         everything(Set.expect_kernels), kernels)
    same("copies", "start_ns end_ns id kind bytes pid gpu stream tid call_row call src dst",
         everything(Set.expect_copies), gpusight.dump(paths, "copies"))
    same("allocations", "start_ns end_ns id op level bytes address agent pid tid call_row call",
         everything(Set.expect_allocations), gpusight.dump(paths, "allocations"))
    same("samples", "time_ns name pid tid", everything(Set.expect_samples),
         gpusight.dump(paths, "samples"))
    for i, (table, keys) in enumerate((("counters", "kernel_row counter gpu instance value"),
                                       ("telemetry", "time_ns series units gpu value"))):
        actual = gpusight.dump(paths, table)
        for row in actual:
            row["value"] = str(float(row["value"]))
        same(table, keys, [(*row[:-1], float(row[-1])) for s in sets
                           for row in s.expect_values()[i]], actual)
    check_names(sets, kernels)


def check_names(sets, kernels):
    """Names that are not mangled stay as they are; each queue keeps its own number."""
    expected = [(s, k) for s in sets for k in s.kernels]
    queues = {}
    for (s, k), row in zip(expected, kernels):
        name = s.symbols.get(k["kernel_id"], NO_ROW).get("display_name") or ""
        if name and not name.startswith("_Z") and not name.endswith(".kd") and \
                text(name) != row["name"]:
            sys.exit(f"kernel {row['row']}: name {row['name']!r}, SQL says {text(name)!r}")
        if queues.setdefault((s.suffix, s.path, k["queue_id"]), row["queue"]) != row["queue"]:
            sys.exit(f"kernel {row['row']}: queue {row['queue']} differs within one queue")
    if len(set(queues.values())) != len(queues):
        sys.exit("several queues are taken for one")


def check_info(info, sets):
    counts = info["counts"]
    values = [s.expect_values() for s in sets]
    expected = {
        "kernels": sum(len(s.kernels) for s in sets),
        "copies": sum(len(s.rows("memory_copy")) for s in sets),
        "allocations": sum(len(s.rows("memory_allocate")) for s in sets),
        "regions": sum(len(s.regions) + len(s.marker_regions) for s in sets),
        "markers": sum(len(s.marker_regions) + len(s.marker_samples) for s in sets),
        "samples": sum(len(s.sample_rows) for s in sets),
        "counter_values": sum(len(s.pmc_events) for s in sets),
        "telemetry_points": sum(len(points) for _, points in values),
        "threads": sum(len(s.threads) for s in sets),
    }
    for key, value in expected.items():
        if counts[key] != value:
            sys.exit(f"info counts {counts[key]} {key}, SQL {value}")
    times = [t for s in sets for t in s.times() if t is not None]
    if times and (info["start_ns"], info["end_ns"], info["span_ns"]) != \
            (min(times), max(times), max(times) - min(times)):
        sys.exit(f"info says {info['start_ns']} to {info['end_ns']}, SQL {min(times)} to {max(times)}")
    processes = [(p["pid"], p["rank"], p["host"], p["command"]) for p in info["processes"]]
    wanted = [p for s in sets for p in s.expect_processes()]
    if processes != wanted:
        sys.exit(f"info lists the processes {processes}, SQL {wanted}")
    categories = {}
    for s in sets:
        for e in s.rows("event"):
            name = s.strings.get(e["category_id"])
            categories[name] = categories.get(name, 0) + (name is not None)
    categories = {k: v for k, v in categories.items() if v}
    if info["categories"] != categories:
        sys.exit(f"info lists the categories {info['categories']}, SQL {categories}")
    gpus = {(a["type_index"], a["name"]) for s in sets for a in s.agents.values()
            if a["type"] == "GPU"}
    if {(g["index"], g["arch"]) for g in info["gpus"]} != gpus:
        sys.exit(f"info lists other GPUs than {gpus}")


def check(gpusight, paths):
    """One trace, of one or several files, by all readers and with all numbers of threads."""
    sets = open_sets(paths)
    answers = set()
    for reader, threads in (("auto", 8), ("fast", 1), ("fast", 2), ("sqlite", 2), ("check", 2)):
        answer = gpusight.info(paths, f"--reader={reader}", f"--threads={threads}")
        answers.add(re.sub(r'\s*"reader(_reason)?": .*', "", answer))
    if len(answers) != 1:
        sys.exit(f"{paths}: readers or numbers of threads disagree")
    info = json.loads(answers.pop())
    check_info(info, sets)
    check_rows(gpusight, paths, sets)
    gpusight.run("info", *paths)


def synth(gpusight, *args):
    subprocess.run([gpusight.program, "synth", *args], check=True, capture_output=True, timeout=300)


SCENARIOS = [
    ("demo", ["--set", "n=4"]), ("mpi_job", ["--set", "n=3"]), ("counters", ["--set", "n=9"]),
    ("telemetry", ["--set", "n=4"]), ("unbalanced_gpus", ["--set", "n=3"]), ("odd_durations", []),
    ("hostile_names", []), ("markers_only", ["--set", "n=20"]), ("api_only", ["--set", "n=40"]),
    ("one_kernel", []), ("empty", []), ("exposed_comm", ["--set", "n=3"]),
    ("allocation_churn", ["--set", "n=9"]), ("many_streams", ["--set", "n=600"]),
]

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
            for merge in ([], ["--merge"]):
                folder = os.path.join(scratch, f"{flavor}-{name}{'-merged' if merge else ''}")
                os.mkdir(folder)
                out = os.path.join(folder, "all.db") if merge else \
                    os.path.join(folder, "out-%pid%.db")
                synth(gpusight, name, *args, *merge, "--flavor", flavor, "-o", out)
                check(gpusight, sorted(glob.glob(os.path.join(folder, "*.db"))))
        print(f"ok - {len(SCENARIOS)} scenarios as {flavor}, one file a process and merged", flush=True)
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
        DELETE FROM "rocpd_event{x}" WHERE id % 7 = 3; DELETE FROM "rocpd_region{x}" WHERE id % 5 = 2;
        DELETE FROM "rocpd_kernel_dispatch{x}" WHERE id % 11 = 4;
        DELETE FROM "rocpd_arg{x}" WHERE id % 2 = 0; DELETE FROM "rocpd_memory_copy{x}" WHERE id < 3""",
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
        CREATE TABLE "rocpd_memory_copy{x}" (id INTEGER PRIMARY KEY, guid, nid, pid, tid, start, "end",
            name_id, dst_agent_id, dst_address, src_agent_id, src_address, size, queue_id, stream_id,
            region_name_id, event_id, extdata);
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
    suffix = db.execute("SELECT substr(name, 13) FROM sqlite_master WHERE name LIKE 'rocpd_string_%' "
                        "AND type='table'").fetchone()[0]
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
                db.execute(f'DELETE FROM "rocpd_{table}{suffix}" WHERE id BETWEEN {low} AND {low + 700}')
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
