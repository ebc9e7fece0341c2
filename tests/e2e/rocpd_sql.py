"""What SQL says about rocpd databases, to be compared with what gpusight says."""
import csv
import io
import json
import re
import sqlite3
import subprocess
import sys

SECRET = "hunter2-do-not-print"  # what synth puts into every environment
RANKS = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID",
         "RANK"]
KINDS = [("HIP_COMPILER", "compiler API"), ("HIP_", "runtime API"), ("HSA_", "driver API"),
         ("RCCL_", "collective"), ("rocm_hip_compiler", "compiler API"),
         ("rocm_hip", "runtime API"), ("rocm_hsa", "driver API"), ("rocm_rccl", "collective"),
         ("mpi", "MPI"), ("host", "user"),
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
            out.append((r["start"], r["end"], r["id"], self.message(r, name),
                        *self.thread(r["tid"])))
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
                *self.stream(k["stream_id"], k["agent_id"]), self.thread(k["tid"])[1],
                *self.call(k), k["grid_size_x"], k["grid_size_y"], k["grid_size_z"],
                k["workgroup_size_x"], k["workgroup_size_y"], k["workgroup_size_z"],
                k["group_segment_size"], k["private_segment_size"], s.get("arch_vgpr_count"),
                s.get("accum_vgpr_count"), s.get("sgpr_count"), k.get("graph_exec_id") or 0))
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
                        *self.stream(c["stream_id"], owner), self.thread(c["tid"])[1],
                        *self.call(c), self.agent_name(src), self.agent_name(dst)))
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
    same("kernels", "start_ns end_ns duration_ns id mangled pid gpu stream tid call_row call "
         "grid_x grid_y grid_z group_x group_y group_z lds_bytes scratch_bytes vgprs accum_vgprs "
         "sgprs graph",
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
        sys.exit(f"info says {info['start_ns']} to {info['end_ns']}, "
                 f"SQL {min(times)} to {max(times)}")
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
