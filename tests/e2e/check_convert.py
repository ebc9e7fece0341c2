#!/usr/bin/env python3
"""Converts synthetic traces to every format and checks the files from outside: Perfetto with a
decoder of its own, rocpd with sqlite3, CSV and JSON with Python's readers, OTF2 with otf2-print;
and round trips: what is read back gives the same ledger, hotspots and markers.

    check_convert.py --gpusight build/src/cli/gpusight [formats|files|inputs|real]
"""
import argparse
import collections
import csv
import glob
import gzip
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from perfetto_decode import Trace

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from tell import same, TRACES  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SKIPPED = 77
csv.field_size_limit(1 << 30)
gpusight = None
features = ""


def run(*words, code=0, data=None):
    r = subprocess.run([gpusight, *words], capture_output=True, input=data)
    if code is not None and r.returncode != code:
        same(f"exit code of {' '.join(words)}: {r.stderr.decode()}", code, r.returncode)
    return r


def rows(path, table):
    text = run("dump", "--csv", "-t", table, path).stdout.decode("utf-8", "surrogateescape")
    return list(csv.DictReader(text.splitlines(keepends=True)))


def essence(path):
    """What must survive: the ledger, the hotspots, the markers."""
    d = json.loads(run("analyze", "--json", path).stdout)
    ledger = [(c["cause"], c["ns"]) for c in d["ledger"]["causes"]]
    hot = [(h["name"], h["calls"], h["total_duration_ns"]) for h in d["hotspots"]]
    marks = sorted((m["name"], m["calls"], m["wall_ns"]) for m in d["analyses"].get("markers", []))
    return ledger, hot, marks


def synth(scenario, folder, *options):
    path = os.path.join(folder, scenario + ".db")
    run("synth", scenario, "-o", path, *options)
    return path


# ---- formats ----

def check_perfetto(path, out, options=()):
    run("convert", path, "-o", out, *options)
    t = Trace(open(out, "rb").read())
    kernels, copies, calls = rows(path, "kernels"), rows(path, "copies"), rows(path, "regions")
    markers, allocs = rows(path, "markers"), rows(path, "allocations")
    by = collections.Counter(s[1] for s in t.slices)
    name = os.path.basename(path) + " ".join(("",) + options)
    want = sorted((int(k["start_ns"]), max(int(k["start_ns"]), int(k["end_ns"])), k["name"])
                  for k in kernels)
    got = sorted((s[3], s[4], s[2]) for s in t.slices if s[1] == "kernel_dispatch")
    same(f"{name}: kernels keep their times and names", want, got)
    same(f"{name}: copies", len(copies), by["memory_copy"] + by["memory_set"])
    same(f"{name}: allocations", len(allocs), by["memory_allocation"] + by["scratch_memory"])
    same(f"{name}: markers", len(markers),
         by["marker_api"] + sum(i[1] == "marker_api" for i in t.instants))
    others = {"kernel_dispatch", "memory_copy", "memory_set", "memory_allocation", "scratch_memory",
              "marker_api"}
    same(f"{name}: calls", len(calls), sum(n for c, n in by.items() if c not in others))
    begun = {f: s for s in t.slices for f in s[6]}
    linked = sum(1 for k in kernels + copies if k["call_row"] != "")
    ended = [(f, s) for s in t.slices for f in s[7]]
    same(f"{name}: an arrow from each call to its work", (linked, linked),
         (len(ended), sum(f in begun for f, _ in ended)))
    tracks = collections.defaultdict(list)
    for s in t.slices:
        if s[1] in ("kernel_dispatch", "memory_copy", "memory_set"):
            tracks[s[0]].append((s[3], s[4]))
    overlaps = sum(b[0] < a[1] for v in tracks.values() for a, b in zip(sorted(v), sorted(v)[1:]))
    same(f"{name}: nothing overlaps on one track of a GPU", 0, overlaps)
    return t


def check_rocpd(path, out):
    run("convert", path, "-o", out)
    db = sqlite3.connect(f"file:{out}?mode=ro", uri=True)
    name = os.path.basename(path)
    same(f"{name}: sound database", [("ok",)], db.execute("PRAGMA integrity_check").fetchall())
    same(f"{name}: foreign keys", [], db.execute("PRAGMA foreign_key_check").fetchall()[:3])
    for view, table in (("kernels", "kernels"), ("memory_copies", "copies"),
                        ("memory_allocations", "allocations")):
        (n,) = db.execute(f"SELECT count(*) FROM {view}").fetchone()
        same(f"{name}: AMD's view {view} shows every row", len(rows(path, table)), n)
    (n,) = db.execute("SELECT count(*) FROM regions_and_samples").fetchone()
    same(f"{name}: AMD's view of regions",
         len(rows(path, "regions")) + len(rows(path, "markers")) + len(rows(path, "samples")), n)
    tags = dict(db.execute("SELECT tag, value FROM rocpd_metadata"))
    same(f"{name}: metadata", ["3", tags["uuid"]],
         [tags["schema_version_major"], "_" + tags["guid"].replace("-", "_")])


HEADERS = {
    "kernel_trace": "Kind Agent_Id Queue_Id Stream_Id Thread_Id Dispatch_Id Kernel_Id Kernel_Name "
                    "Correlation_Id Start_Timestamp End_Timestamp LDS_Block_Size Scratch_Size VGPR_Count "
                    "Accum_VGPR_Count SGPR_Count Workgroup_Size_X Workgroup_Size_Y Workgroup_Size_Z "
                    "Grid_Size_X Grid_Size_Y Grid_Size_Z",
    "hip_api_trace": "Domain Function Process_Id Thread_Id Correlation_Id Start_Timestamp End_Timestamp",
    "memory_copy_trace": "Kind Direction Stream_Id Source_Agent_Id Destination_Agent_Id Correlation_Id "
                         "Start_Timestamp End_Timestamp Size",
    "kernel_stats": "Name Calls TotalDurationNs AverageNs Percentage MinNs MaxNs StdDev",
    "counter_collection": "Correlation_Id Dispatch_Id Agent_Id Queue_Id Process_Id Thread_Id Grid_Size "
                          "Kernel_Id Kernel_Name Workgroup_Size LDS_Block_Size Scratch_Size VGPR_Count "
                          "Accum_VGPR_Count SGPR_Count Counter_Name Counter_Value Start_Timestamp "
                          "End_Timestamp",
}


def table(path):
    with open(path, newline="", errors="surrogateescape") as f:
        lines = list(csv.reader(f))
    return lines[0], lines[1:]


def check_csv(path, folder):
    name = os.path.basename(path)
    run("convert", path, "-f", "csv", "-o", "x", "-d", folder)
    for kind, header in HEADERS.items():
        file = os.path.join(folder, f"x_{kind}.csv")
        if os.path.exists(file):
            same(f"{name}: header of {kind}", header.split(), table(file)[0])
    for file in glob.glob(os.path.join(folder, "*.csv")):
        header, lines = table(file)
        same(f"{name}: all rows of {os.path.basename(file)} are as wide as its header",
             {len(header)}, {len(line) for line in lines} or {len(header)})
    agents = os.path.join(folder, "x_agent_info.csv")
    same(f"{name}: agent_info has 53 columns", 53, len(table(agents)[0]))
    header, lines = table(os.path.join(folder, "x_kernel_trace.csv"))
    at = header.index("Kernel_Name")
    want = [k["name"] for k in rows(path, "kernels")]
    same(f"{name}: names survive quoting", want, [line[at] for line in lines])
    header, lines = table(os.path.join(folder, "x_kernel_stats.csv"))
    total = sum(int(k["end_ns"]) - int(k["start_ns"]) for k in rows(path, "kernels"))
    same(f"{name}: kernel_stats adds up", total, sum(int(line[2]) for line in lines))


def check_otf2(path, out):
    if "otf2" not in features:
        print("skipped - OTF2: built without libotf2")
        return
    run("convert", path, "-o", out)
    if not shutil.which("otf2-print"):
        print("skipped - otf2-print is not installed (otf2-tools)")
        return
    name = os.path.basename(path)
    r = subprocess.run(["otf2-print", out], capture_output=True, text=True, errors="surrogateescape")
    words = collections.Counter(line.split(" ", 1)[0] for line in r.stdout.splitlines())
    want = sum(len(rows(path, t)) for t in ("kernels", "copies", "regions", "markers", "allocations"))
    same(f"{name}: otf2-print reads it", 0, r.returncode)
    same(f"{name}: as many regions are entered and left", (want, want), (words["ENTER"], words["LEAVE"]))
    last = {}
    ordered = True
    for line in r.stdout.splitlines():
        w = line.split()
        if len(w) > 2 and w[0] in ("ENTER", "LEAVE", "METRIC"):
            ordered &= last.get(w[1], 0) <= int(w[2])
            last[w[1]] = int(w[2])
    same(f"{name}: events of a location come in order", True, ordered)
    d = subprocess.run(["otf2-print", "-G", out], capture_output=True, text=True, errors="surrogateescape").stdout
    counted = sum(int(line.split("# Events: ")[1].split(",")[0]) for line in d.splitlines()
                  if line.startswith("LOCATION ") and "# Events" in line)
    same(f"{name}: locations say how many events they have",
         words["ENTER"] + words["LEAVE"] + words["METRIC"], counted)


def check_flames(path, folder):
    out = os.path.join(folder, "f.folded")
    run("convert", path, "-o", out)
    gpu = sum(int(line.rsplit(" ", 1)[1]) for line in open(out) if line.startswith("GPU "))
    want = sum(max(0, int(k["end_ns"]) - int(k["start_ns"]))
               for k in rows(path, "kernels") + rows(path, "copies"))
    same("folded stacks: GPU time adds up", want, gpu)
    out = os.path.join(folder, "f.speedscope.json")
    run("convert", path, "-o", out)
    d = json.load(open(out))
    for p in d["profiles"]:
        stack, at = [], 0
        for e in p["events"]:
            assert e["at"] >= at and e["at"] <= p["endValue"], "speedscope: in order of time"
            at = e["at"]
            if e["type"] == "O":
                stack.append(e["frame"])
            else:
                assert stack.pop() == e["frame"], "speedscope: frames nest"
        assert not stack
    same("speedscope: frames are listed", True,
         all(e["frame"] < len(d["shared"]["frames"]) for p in d["profiles"] for e in p["events"]))


def round_trips(path, folder, formats):
    want = essence(path)
    for f in formats:
        if f == "otf2" and "otf2" not in features:
            continue
        d = os.path.join(folder, "rt-" + f)
        run("convert", path, "-f", f, "-o", "x", "-d", d)
        got = essence(d)
        for what, w, g in zip(("ledger", "hotspots", "markers"), want, got):
            same(f"{os.path.basename(path)}: {f} read back, {what}", w, g)
        shutil.rmtree(d)


def sums(path):
    """Counters, added up over instances, by kernel."""
    out = collections.defaultdict(float)
    start = {k["row"]: k["start_ns"] for k in rows(path, "kernels")}
    for c in rows(path, "counters"):
        out[start[c["kernel_row"]], c["counter"]] += float(c["value"])
    return dict(out)


def check_numbers(counted, measured, folder):
    """Hardware counters and telemetry, read back."""
    points = sorted((p["time_ns"], p["series"], p["gpu"], p["value"]) for p in rows(measured, "telemetry"))
    want = sums(counted)
    for name, words in (("x.pftrace", ()), ("y.pftrace", ("--annotate-pmc",)), ("x.db", ()), ("x.otf2", ())):
        if name.endswith("otf2") and "otf2" not in features:
            continue
        out = os.path.join(folder, "n-" + name)
        run("convert", counted, "-o", out, *words)
        same(f"counters in {name}", want, sums(out))
        out = os.path.join(folder, "t-" + name)
        run("convert", measured, "-o", out, *words)
        same(f"telemetry in {name}", points,
             sorted((p["time_ns"], p["series"], p["gpu"], p["value"]) for p in rows(out, "telemetry")))


ARGS = ("SELECT s.string, r.start, a.position, a.type, a.name, a.value FROM rocpd_arg a JOIN rocpd_region r "
        "ON r.event_id = a.event_id AND r.guid = a.guid JOIN rocpd_string s ON s.id = r.name_id AND s.guid = r.guid "
        "ORDER BY 2, 1, 3")


def check_args(path, folder):
    """Arguments of calls go along, with what is left of the calls."""
    want = sqlite3.connect(path).execute(ARGS).fetchall()
    out = os.path.join(folder, "args.db")
    run("convert", path, "-o", out)
    same(f"{os.path.basename(path)}: arguments in rocpd", (True, want),
         (len(want) > 0, sqlite3.connect(out).execute(ARGS).fetchall()))
    out = os.path.join(folder, "part.db")
    run("trim", path, "--window", "30%..60%", "-o", out)
    got = sqlite3.connect(out).execute(ARGS).fetchall()
    same("arguments of a part", True, 0 < len(got) < len(want) and set(got) <= set(want))
    out = os.path.join(folder, "hidden.db")
    run("anonymise", path, "-o", out)
    same("no arguments of what is hidden", [], sqlite3.connect(out).execute(ARGS).fetchall())


def check_hosts(folder):
    """Two processes of one host share its clock and number its GPUs together, in CSV as well."""
    job = os.path.join(folder, "job")
    os.mkdir(job)
    run("synth", "mpi_job", "-o", job + "/", "--set", "ranks=3")
    d = os.path.join(folder, "hosts")
    run("convert", job, "-f", "csv", "-o", "x", "-d", d, "--no-align")
    sql = "select gpu, count(*), min(start), sum(duration) from kernels group by gpu, pid order by 1, 3"
    same("GPUs and hosts of several processes in CSV", run("query", job, sql).stdout, run("query", d, sql).stdout)
    same("hosts", run("query", job, "select host from devices").stdout, run("query", d, "select host from devices").stdout)


def overlapping(folder):
    """Kernels that overlap on one stream, and calls that do on one thread."""
    events = [{"ph": "X", "cat": "kernel", "name": f"k{i}", "pid": 0, "tid": 7, "ts": 10 * i,
               "dur": 25.5, "args": {"device": 0, "stream": 7, "correlation": i + 1}} for i in range(20)]
    events += [{"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 99, "tid": 99,
                "ts": 10 * i - 4, "dur": 12, "args": {"correlation": i + 1}} for i in range(20)]
    path = os.path.join(folder, "overlap.json")
    json.dump({"traceEvents": events, "schemaVersion": 1}, open(path, "w"))
    return path


def unusual(folder):
    """Kernels longer than 32 bits of nanoseconds and with numbers beyond 32 bits; copies, too."""
    path = synth("demo", os.path.join(folder, "unusual"))
    with sqlite3.connect(path) as db:
        of = {name.split("_0000")[0]: name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        db.execute(f"UPDATE '{of['rocpd_kernel_dispatch']}' SET end = end + 5000000000 * (id % 3) WHERE id % 50 = 0")
        db.execute(f"UPDATE '{of['rocpd_kernel_dispatch']}' SET dispatch_id = dispatch_id + 4294967000 WHERE id % 7 = 0")
        db.execute(f"UPDATE '{of['rocpd_memory_copy']}' SET end = start + 4294967294 + id % 3, size = size + (id << 33)")
    return path


def check_rows(path, folder):
    """Every row of the GPU's work is the same in formats that keep it until all is known."""
    columns = {"kernels": ("start_ns", "end_ns", "id", "name", "grid_x", "lds_bytes", "call"),
               "copies": ("start_ns", "end_ns", "id", "bytes", "kind"), "allocations": ("start_ns", "bytes", "address", "op")}
    want = {t: sorted([r[c] for c in columns[t]] for r in rows(path, t)) for t in columns}
    same("rows of all kinds, some of them unusual", [True] * 4,
         [len(w) > 3 for w in want.values()] + [any(int(k[2]) >> 32 and int(k[1]) - int(k[0]) >> 32 for k in want["kernels"])])
    for f in ("pftrace", "otf2"):
        if f == "otf2" and "otf2" not in features:
            continue
        run("convert", path, "-f", f, "-o", "rows", "-d", folder)
        got = os.path.join(folder, f"rows_results.{f}")
        for t in columns:
            same(f"{f} read back, {t}", want[t], sorted([r[c] for c in columns[t]] for r in rows(got, t)))


def check_formats(folder):
    for scenario, options in (("demo", ()), ("hostile_names", ()), ("counters", ()),
                              ("telemetry", ("--flavor", "rocprof-sys"))):
        path = synth(scenario, folder, *options)
        t = check_perfetto(path, os.path.join(folder, "x.pftrace"))
        p = check_perfetto(path, os.path.join(folder, "y.pftrace"),
                           ("--compress", "--annotate-pmc", "--group-by-queue", "--annotate-args"))
        same(f"{scenario}: compressed is smaller", True, p.bytes < t.bytes)
        check_rocpd(path, os.path.join(folder, "x.db"))
        d = os.path.join(folder, "csv")
        check_csv(path, d)
        shutil.rmtree(d)
        check_otf2(path, os.path.join(folder, "x.otf2"))
        points = len(rows(path, "telemetry"))
        if points:
            same(f"{scenario}: every point of telemetry", points, len(
                [q for q in t.points if b"BYTES" not in t.tracks[q[0]][2]]))
    demo = os.path.join(folder, "demo.db")
    if "otf2" in features:
        run("convert", demo, "-f", "otf2", "-o", "anchor", "-d", folder)
        os.remove(os.path.join(folder, "anchor_results.def"))
        r = run("info", os.path.join(folder, "anchor_results.otf2"), code=4)
        same("an OTF2 anchor alone", True, b"anchor_results.def' is missing" in r.stderr)
    check_flames(demo, folder)
    round_trips(demo, folder, ("pftrace", "csv", "rocpd", "chrome", "otf2"))
    counted = os.path.join(folder, "counters.db")
    round_trips(counted, folder, ("pftrace", "csv", "rocpd"))
    check_numbers(counted, os.path.join(folder, "telemetry.db"), folder)
    check_args(demo, folder)
    os.mkdir(os.path.join(folder, "unusual"))
    check_rows(unusual(folder), folder)
    check_hosts(folder)
    path = overlapping(folder)
    check_perfetto(path, os.path.join(folder, "o.pftrace"))
    check_flames(path, folder)
    round_trips(path, folder, ("pftrace", "csv", "rocpd", "chrome", "otf2"))


# ---- files and names ----

def check_files(folder):
    demo = synth("demo", folder)
    job = os.path.join(folder, "job")
    os.mkdir(job)
    run("synth", "mpi_job", "-o", job + "/", "--set", "ranks=3")
    before = open(demo, "rb").read()
    r = run("convert", demo, "-f", "rocpd", "-o", demo, code=2)
    same("an output equal to an input is refused", (True, True),
         (b"this command reads it" in r.stderr, open(demo, "rb").read() == before))
    for words, text in ((("-f", "pftrase"), b"did you mean 'pftrace'"),
                        (("-o", "x.what"), b"no format"),
                        (("-f", "csv", "-o", "-"), b"several files"),
                        (("-f", "csv", "-o", "x.pftrace"), b"which says pftrace")):
        r = run("convert", demo, *words, code=2)
        same(f"{' '.join(words)}: one line", (True, 1), (text in r.stderr, r.stderr.count(b"\n")))
    r = run("convert", demo, "-f", "pftrace", "-o", "-")
    out = os.path.join(folder, "same.pftrace")
    run("convert", demo, "-o", out)
    same("standard output holds the same bytes", open(out, "rb").read(), r.stdout)
    d = os.path.join(folder, "ranks")
    run("convert", job, "-f", "pftrace", "-f", "csv,rocpd", "-o", "r%rank%", "-d", d + "/%hostname%")
    names = sorted(os.path.basename(p) for p in glob.glob(d + "/*/*_results.*"))
    same("one output a rank", [f"r{i}_results.{e}" for i in range(3) for e in ("db", "pftrace")], names)
    one = os.path.join(folder, "all.db")
    run("convert", job, "-o", one)
    (n,) = sqlite3.connect(one).execute("SELECT count(*) FROM rocpd_info_process").fetchone()
    same("or one for all", 3, n)
    same("ranks survive", ["0", "1", "2"],
         [str(p["rank"]) for p in json.loads(run("info", "--json", one).stdout)["processes"]])
    link = os.path.join(folder, "rocpd2csv")
    os.symlink(os.path.abspath(gpusight), link)
    subprocess.run([link, "-i", demo], cwd=folder, check=True, capture_output=True)
    same("rocpd2csv writes where AMD's does", True,
         os.path.exists(os.path.join(folder, "rocpd-output-data", "out_kernel_trace.csv")))
    locked = os.path.join(folder, "full")
    r = run("convert", demo, "-o", "/dev/full", "-f", "pftrace", code=3)
    same("a full disk is told", True, b"No space left" in r.stderr)
    os.mkdir(locked, 0o755)
    r = run("convert", demo, "-o", "x", "-d", "/proc/nowhere", "-f", "csv", code=3)
    same("a folder that cannot be made", 1, r.stderr.count(b"\n"))


# ---- inputs ----

def varint(v):
    out = b""
    while v >= 0x80:
        out += bytes([v & 0x7f | 0x80])
        v >>= 7
    return out + bytes([v])


def num(field, v):
    return varint(field << 3) + varint(v & (1 << 64) - 1)


def msg(field, *parts):
    body = b"".join(parts)
    return varint(field << 3 | 2) + varint(len(body)) + body


def text(field, s):
    return msg(field, s.encode())


def sdk_trace():
    """As Perfetto's SDK writes: incremental clocks, defaults, two sequences that number alike."""
    out = b""
    track = msg(60, num(1, 77), msg(3, num(1, 4242), text(6, "app")))
    thread = msg(60, num(1, 78), num(5, 77), msg(4, num(1, 4242), num(2, 4243)))
    stream = msg(60, num(1, 79), num(5, 77), text(2, "STREAM [3]"))
    for packet in (track, thread, stream):
        out += msg(1, num(10, 9), packet)
    for sequence, call in ((1, "hipLaunchKernel"), (2, "hipMemcpy")):
        out += msg(1, num(10, sequence), num(13, 1), num(58, 64),
                   msg(6, msg(1, num(1, 6), num(2, 1_000_000)),
                       msg(1, num(1, 64), num(2, 500), num(3, 1))),
                   msg(59, num(58, 64), msg(11, num(11, 78))),
                   msg(12, msg(1, num(1, 1), text(2, "hip_api")), msg(2, num(1, 1), text(2, call))))
        out += msg(1, num(10, sequence), num(8, 1000 * sequence), msg(11, num(9, 1), num(3, 1), num(10, 1)))
        out += msg(1, num(10, sequence), num(8, 250), msg(11, num(9, 2)))
    out += msg(1, num(10, 3), num(8, 1_002_000), msg(11, num(9, 1), num(11, 79),
               text(22, "kernel_dispatch"), text(23, "saxpy(float*)"), msg(4, text(10, "agent"), num(3, 0))))
    out += msg(1, num(10, 3), num(8, 1_009_000), msg(11, num(9, 2), num(11, 79)))
    out += msg(1, num(10, 4), num(8, 1_020_000), msg(12, msg(24, num(1, 5), text(2, "draw"))),
               msg(53, num(2, 700), num(11, 0), num(14, 5), num(13, 2)))
    return out + msg(1, num(10, 5), msg(1, text(2, "ftrace")))


def check_inputs(folder):
    path = os.path.join(folder, "sdk.pftrace")
    open(path, "wb").write(sdk_trace())
    want = [("hipLaunchKernel", 1_001_000, 1_001_250, "4243"), ("hipMemcpy", 1_002_000, 1_002_250, "4243")]
    same("Perfetto: incremental clocks and defaults", want,
         [(r["name"], int(r["start_ns"]), int(r["end_ns"]), r["tid"]) for r in rows(path, "regions")])
    same("Perfetto: kernels and render stages",
         [("saxpy(float*)", 1_002_000, 1_009_000, "3"), ("draw", 1_020_000, 1_020_700, "2")],
         [(k["name"], int(k["start_ns"]), int(k["end_ns"]), k["stream"]) for k in rows(path, "kernels")])
    packed = path + ".gz"
    gzip.open(packed, "wb").write(open(path, "rb").read())
    same("Perfetto, gzip", rows(path, "kernels"), rows(packed, "kernels"))
    r = run("info", path)
    same("Perfetto: other packets are counted", True, b"no track events" in r.stdout)
    v1 = os.path.join(folder, "results.csv")
    open(v1, "w").write(
        '"Index","KernelName","gpu-id","queue-id","queue-index","pid","tid","grd","wgr","lds","scr",'
        '"arch_vgpr","accum_vgpr","sgpr","wave_size","sig","obj","SQ_WAVES","DispatchNs","BeginNs","EndNs",'
        '"CompleteNs","DurationNs"\n'
        '0,"f(int, float) [clone .kd]",1,0,0,11,12,2048,256,0,0,8,4,16,64,"0x0","0x1",32,5,10,331000000010,'
        '331000000020,331000000000\n')
    k = rows(v1, "kernels")[0]
    same("rocprof: results.csv", ("f(int, float)", 331_000_000_000, "11", "12", "2048", "256"),
         (k["name"], int(k["duration_ns"]), k["pid"], k["tid"], k["grid_x"], k["group_x"]))
    same("rocprof: counters", [("SQ_WAVES", 32.0)],
         [(c["counter"], float(c["value"])) for c in rows(v1, "counters")])
    events = [{}, {"args": {"name": "2 CPU HIP API"}, "ph": "M", "pid": 2, "name": "process_name"},
              {"ph": "X", "name": "hipMalloc", "pid": "2", "tid": "7", "ts": "0", "dur": "5",
               "args": {"BeginNs": "1000", "EndNs": "6000", "pid": "11", "tid": "7"}},
              {"args": {"name": "6 GPU0"}, "ph": "M", "pid": 6, "name": "process_name"},
              {"ph": "X", "name": "slow()", "pid": "6", "tid": "0", "ts": "1", "dur": "331000000",
               "args": {"BeginNs": "2000", "EndNs": "331000002123", "dev-id": "0", "queue-id": "1"}}]
    path = os.path.join(folder, "results.json")
    json.dump({"traceEvents": events}, open(path, "w"))
    same("rocprof: a kernel of 331 s is a kernel", [("slow()", 331_000_000_123, "1")],
         [(k["name"], int(k["duration_ns"]), k["stream"]) for k in rows(path, "kernels")])
    same("rocprof: calls", [("hipMalloc", "11")], [(c["name"], c["pid"]) for c in rows(path, "regions")])
    package = os.path.join(folder, "p.rpdb")
    os.mkdir(package)
    shutil.copy(synth("one_kernel", folder), os.path.join(package, "a.db"))
    for form in ('files: ["a.db"]', "files:\n      - a.db"):
        index = os.path.join(package, "index.yaml")
        open(index, "w").write("rocprofiler-sdk:\n  rocpd:\n    rocpd_package_version: \"1.0\"\n"
                               f"    path: \".\"\n    {form}\n")
        same(f"index.yaml: {form[:7]}", 1, len(rows(index, "kernels")))
        same(f"the folder of it: {form[:7]}", 1, len(rows(package, "kernels")))
    open(index, "w").write('rocprofiler-sdk:\n  rocpd:\n    path: "."\n    files: ["gone.db"]\n')
    r = run("info", package, code=3)
    same("a package that names what is gone", True, b"index.yaml" in r.stderr and b"gone.db" in r.stderr)
    for name, head, word in (("x.ncu-rep", b"NVR\0\2\0\0\0", b"ncu --import"),
                             ("x.csv", b'"Name","Calls","TotalDurationNs"\n', b"sums without times"),
                             ("x.zip", b"PK\3\4aaaa", b"unpack it"),
                             ("x.nsys-rep", b"any\0bytes", b"nsys export"),
                             ("y.ncu-rep", b"any\0bytes", b"Nsight Compute"),
                             ("x.pftrace", b"\x0a\5hello\x12\3abc", b"no packets"),
                             ("x.proto", b"\x0a\5hello\x12\3abc", b"perfetto-trace-*.proto"),
                             ("x.otf2", b"any\0bytes", b"anchor"),
                             ("x.rpdb", b"any bytes", b"index.yaml"),
                             ("x.txt", b"|---|\n| LABEL | COUNT | DEPTH |\n", b"sums without times"),
                             ("x.json", b'{"timemory": {}}', b"sums without times"),
                             ("x.qdrep", b"QDREP\0\0\0", b"nsys export")):
        path = os.path.join(folder, name)
        open(path, "wb").write(head)
        r = run("convert", path, "-f", "csv", "-o", os.path.join(folder, "none"), code=4)
        same(f"{name}: says what it is and what to do", (True, 1), (word in r.stderr, r.stderr.count(b"\n")))


# ---- real traces ----

def check_real(folder):
    if not os.path.isdir(TRACES):
        print(f"skipped: no traces in {TRACES}")
        sys.exit(SKIPPED)
    for path in sorted(glob.glob(os.path.join(TRACES, "rocprofv3_csv", "sdk_samples", "*.csv"))):
        kind = os.path.basename(path)[:-4]
        if kind in HEADERS:
            want = [c for c in HEADERS[kind].split() if c != "Size"]
            same(f"AMD's sample of {kind} has our header", table(path)[0], want)
    for path in ("rocpd/bmm_20251215_0933/22_results.db", "nsys/h100_2gpu_1s.sqlite",
                 "kineto/mi300x_qwen.json.gz", "rpd/raptor_llm_step.rpd.gz"):
        round_trips(os.path.join(TRACES, path), folder, ("pftrace", "rocpd"))


def main():
    global gpusight, features
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    parser.add_argument("part", nargs="?", choices=["formats", "files", "inputs", "real"])
    args = parser.parse_args()
    gpusight = args.gpusight
    features = run("--version").stdout.decode()
    parts = {"formats": check_formats, "files": check_files, "inputs": check_inputs, "real": check_real}
    for name, part in parts.items():
        if args.part in (None, name):
            with tempfile.TemporaryDirectory() as folder:
                part(folder)
    print(f"{tell.failures} failures")
    return 1 if tell.failures else 0


if __name__ == "__main__":
    sys.exit(main())
