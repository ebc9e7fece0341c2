#!/usr/bin/env python3
"""Computes what `gpusight analyze --format json` says once more, from the files themselves.

    check_analysis.py --gpusight build/src/cli/gpusight [--generated] [FILE...]

SQL (or the JSON parser) reads the rows, integers and brute force do the rest: window, unions, exposed
time, gaps, hotspots, copies, time blocked in waits. No code is shared with the program. Without
--generated the real traces are checked; exit code 77 (skipped) where their folder is absent, see
GPUSIGHT_TRACES. With it, traces made by `gpusight synth` and by tests/rules.
"""
import argparse
import collections
import decimal
import glob
import gzip
import json
import math
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TRACES = os.environ.get("GPUSIGHT_TRACES") or os.path.join(ROOT, "..", "shared", "traces")
SKIPPED = 77

# In order of precedence; what runs besides something earlier is not exposed.
CAUSES = ["compute", "communication", "copy_h2d", "copy_d2h", "copy_p2p", "copy_d2d", "copy_set"]
COPY_CAUSE = {"H2D": "copy_h2d", "D2H": "copy_d2h", "P2P": "copy_p2p", "SET": "copy_set",
              "D2D": "copy_d2d", "H2H": "copy_d2d", "UNKNOWN": "copy_d2d"}
DIRECTIONS = {"H2D": "Host-to-Device", "D2H": "Device-to-Host", "D2D": "Device-to-Device",
              "P2P": "Peer-to-Peer", "H2H": "Host-to-Host", "SET": "Memset", "UNKNOWN": "Unknown"}
BUCKETS = [10**4, 10**5, 10**6, 10**7, 10**8]
# Totals of one real trace that others have computed, too.
KNOWN = {"908_results.json.gz": {"gpu_span_ns": 15122023494, "kernel_ns": 4233112334, "compute": 271636292,
                                 "communication": 3954440680, "copy_d2d": 7035362}}

Kernel = collections.namedtuple("Kernel", "gpu start end name")
Copy = collections.namedtuple("Copy", "gpu start end kind bytes")
Call = collections.namedtuple("Call", "thread start end name api")  # api: into the GPU's runtime


class Rows:
    """What a file holds, whatever its format."""

    def __init__(self):
        self.kernels, self.copies, self.calls, self.times = [], [], [], []


# ---- readers


def direction(text):
    """Of a copy, from words like HOST_TO_DEVICE, CopyHostToDevice, Memcpy HtoD."""
    t = text.lower().replace("_", "").replace("to", "2")
    for word, kind in (("memset", "SET"), ("fill", "SET"), ("host2device", "H2D"), ("device2host", "D2H"),
                       ("device2device", "D2D"), ("host2host", "H2H"), ("h2d", "H2D"), ("d2h", "D2H"),
                       ("d2d", "D2D"), ("p2p", "P2P"), ("peer2peer", "P2P"), ("h2h", "H2H")):
        if word in t:
            return kind
    return "UNKNOWN"


def read_rocpd(path):
    rows = Rows()
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    db.text_factory = lambda b: b.decode("utf-8", "surrogateescape")
    tables = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
    tags = [t[len("rocpd_metadata"):] for t in tables if t.startswith("rocpd_metadata")]
    for tag in tags:
        read_rocpd_process(rows, db, tag, set(tables))
    return rows


def read_rocpd_process(rows, db, tag, tables):
    def all_of(name, columns):
        table = f"rocpd_{name}{tag}"
        return db.execute(f'SELECT {columns} FROM "{table}"').fetchall() if table in tables else []

    strings = dict(all_of("string", "id, string"))
    agents = {a: (nid, index, kind) for a, nid, index, kind in
              all_of("info_agent", "id, nid, absolute_index, type")}
    names = dict(all_of("info_kernel_symbol", "id, display_name"))
    events = dict(all_of("event", "id, category_id"))
    gpu = lambda agent: agents[agent][:2]
    is_gpu = lambda agent: agent in agents and agents[agent][2] == "GPU"
    for agent, kernel, start, end in all_of("kernel_dispatch", "agent_id, kernel_id, start, end"):
        rows.kernels.append(Kernel(gpu(agent), start, end, names[kernel]))
    for dst, src, name, size, start, end in all_of(
            "memory_copy", "dst_agent_id, src_agent_id, name_id, size, start, end"):
        kind = direction(strings[name])
        if is_gpu(dst) and is_gpu(src) and gpu(dst) != gpu(src):
            kind = "P2P"
        rows.copies.append(Copy(gpu(dst if is_gpu(dst) else src), start, end, kind, size))
    for pid, tid, start, end, name, event in all_of("region", "pid, tid, start, end, name_id, event_id"):
        rows.times += [start, end]
        category = strings.get(events.get(event), "").lower()
        if "marker" in category or category in ("user", "host", "python", "kokkos", "ompt"):
            continue
        rows.calls.append(Call((pid, tid), start, end, strings[name], "hip" in category or "hsa" in category))
    for table, columns in (("memory_allocate", "start, end"), ("sample", "timestamp, timestamp")):
        for times in all_of(table, columns):
            rows.times += times


def read_nsys(path):
    rows = Rows()
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    db.text_factory = lambda b: b.decode("utf-8", "surrogateescape")
    tables = {r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
    strings = dict(db.execute("SELECT id, value FROM StringIds")) if "StringIds" in tables else {}
    if "CUPTI_ACTIVITY_KIND_KERNEL" in tables:
        for r in db.execute("SELECT deviceId, start, end, demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL"):
            rows.kernels.append(Kernel(r[0], r[1], r[2], strings[r[3]]))
    if "CUPTI_ACTIVITY_KIND_MEMCPY" in tables:
        kinds = {1: "H2D", 2: "D2H", 8: "D2D", 10: "P2P", 11: "H2D", 12: "D2H", 13: "D2D"}
        for r in db.execute("SELECT deviceId, start, end, copyKind, bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY"):
            rows.copies.append(Copy(r[0], r[1], r[2], kinds[r[3]], r[4]))
    if "CUPTI_ACTIVITY_KIND_MEMSET" in tables:
        for r in db.execute("SELECT deviceId, start, end, bytes FROM CUPTI_ACTIVITY_KIND_MEMSET"):
            rows.copies.append(Copy(r[0], r[1], r[2], "SET", r[3]))
    for table, name in (("CUPTI_ACTIVITY_KIND_RUNTIME", "nameId"), ("OSRT_API", "nameId"),
                        ("MPI_P2P_EVENTS", "textId"), ("MPI_COLLECTIVES_EVENTS", "textId"),
                        ("MPI_START_WAIT_EVENTS", "textId"), ("MPI_OTHER_EVENTS", "textId")):
        if table in tables:
            for tid, start, end, text in db.execute(f"SELECT globalTid, start, end, {name} FROM {table}"):
                rows.times += [start, end]
                rows.calls.append(Call(tid, start, end, strings[text], table.startswith("CUPTI")))
    if "NVTX_EVENTS" in tables:
        for start, end in db.execute("SELECT start, coalesce(end, start) FROM NVTX_EVENTS WHERE eventType "
                                     "IN (34, 59, 60)"):
            rows.times += [start, end]
    for table, columns in (("CUDA_GPU_MEMORY_USAGE_EVENTS", "start, start"),
                           ("COMPOSITE_EVENTS", "start, start"), ("GPU_METRICS", "timestamp, timestamp")):
        if table in tables:
            for times in db.execute(f"SELECT {columns} FROM {table}"):
                rows.times += times
    return rows


def nanoseconds(value):
    """Microseconds with decimals, exactly; below a nanosecond towards the earlier one."""
    return int((value * 1000).to_integral_value(decimal.ROUND_FLOOR))


def read_kineto(path):
    rows = Rows()
    with (gzip.open(path) if path.endswith(".gz") else open(path, "rb")) as f:
        doc = json.load(f, parse_float=decimal.Decimal, parse_int=decimal.Decimal)
    base = int(doc.get("baseTimeNanoseconds", 0))
    for e in doc["traceEvents"]:
        cat, args = e.get("cat"), e.get("args", {})
        if e["ph"] == "i" and e["name"] == "[memory]":
            rows.times.append(base + nanoseconds(e["ts"]))
        if e["ph"] != "X":
            continue
        start = base + nanoseconds(e["ts"])
        end = start + nanoseconds(e.get("dur", decimal.Decimal(0)))
        if cat == "kernel":
            rows.kernels.append(Kernel(int(args["device"]), start, end, e["name"]))
        elif cat in ("gpu_memcpy", "gpu_memset"):
            kind = "SET" if cat == "gpu_memset" else direction(e["name"])
            rows.copies.append(Copy(int(args["device"]), start, end, kind, int(args["bytes"])))
        elif cat in ("cuda_runtime", "cuda_driver"):
            rows.calls.append(Call((e["pid"], e["tid"]), start, end, e["name"], True))
        elif cat == "Trace":
            continue
        rows.times += [start, end]
    return rows


def read_rpd(path):
    rows = Rows()
    with tempfile.NamedTemporaryFile(suffix=".rpd") as copy:
        with (gzip.open(path) if path.endswith(".gz") else open(path, "rb")) as f:
            shutil.copyfileobj(f, copy)
        copy.flush()
        db = sqlite3.connect(f"file:{copy.name}?immutable=1", uri=True)
        sizes = dict(db.execute("SELECT l.op_id, c.size FROM rocpd_api_ops l JOIN rocpd_copyapi c ON "
                                "c.api_ptr_id=l.api_id"))
        for op, gpu, start, end, kind, name in db.execute(
                "SELECT id, gpuId, start, end, opType, description FROM op"):
            if re.match("Copy|Fill", kind):
                rows.copies.append(Copy(gpu, start, end, direction(kind), sizes.get(op)))
            elif not re.match("Marker|Barrier", kind):
                rows.kernels.append(Kernel(gpu, start, end, name))
        for pid, tid, start, end, name in db.execute("SELECT pid, tid, start, end, apiName FROM api"):
            rows.times += [start, end]
            if re.match("hip|hsa_", name):  # the rest are functions of the program
                rows.calls.append(Call((pid, tid), start, end, name, True))
        if db.execute("SELECT count(*) FROM sqlite_master WHERE name='rocpd_monitor'").fetchone()[0]:
            for times in db.execute("SELECT start, end FROM rocpd_monitor"):
                rows.times.append(times[0])
    return rows


def read_rocprofv3(path):
    rows = Rows()
    with (gzip.open(path) if path.endswith(".gz") else open(path, "rb")) as f:
        doc = json.load(f)
    for part in doc["rocprofiler-sdk-tool"]:
        names = {s["kernel_id"]: s["formatted_kernel_name"] for s in part["kernel_symbols"]}
        for r in part["buffer_records"]["kernel_dispatch"]:
            info = r["dispatch_info"]
            rows.kernels.append(Kernel(info["agent_id"]["handle"], r["start_timestamp"], r["end_timestamp"],
                                       names[info["kernel_id"]]))
        agents = {a["id"]["handle"]: a for a in part["agents"]}
        for r in part["buffer_records"]["memory_copy"]:
            gpus = [x for x in (r["dst_agent_id"]["handle"], r["src_agent_id"]["handle"])
                    if agents[x]["type"] == 2]
            name = part["strings"]["buffer_records"][r["kind"]]["operations"][r["operation"]]
            kind = "P2P" if len(set(gpus)) == 2 else direction(name)
            rows.copies.append(Copy(gpus[0], r["start_timestamp"], r["end_timestamp"], kind, r["bytes"]))
    return rows


# ---- intervals: lists of (start, end), sorted and disjoint


def union(spans):
    out = []
    for start, end in sorted(s for s in spans if s[1] > s[0]):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


def total(spans):
    return sum(end - start for start, end in spans)


# ---- what must be said


def kernel_cause(name):
    if re.search(r"nccl|rccl", name, re.I):
        return "communication"
    return "copy_d2d" if name.startswith("__amd_rocclr_copy") else "compute"


def gpu_ledger(kernels, copies, window):
    """Time by cause, and the gaps, of one GPU."""
    spans = {c: [] for c in CAUSES}
    for k in kernels:
        spans[kernel_cause(k.name)].append((k.start, k.end))
    for c in copies:
        spans[COPY_CAUSE[c.kind]].append((c.start, c.end))
    out, busy = {}, []
    for cause in CAUSES:
        before = total(busy)
        busy = union(busy + spans[cause])
        out[cause] = total(busy) - before
    out["idle"] = window - total(busy)
    gaps = [b[0] - a[1] for a, b in zip(busy, busy[1:])]
    return out, gaps, busy


def rank(values, percent):
    return values[max(0, math.ceil(percent * len(values) / 100) - 1)]


def hotspot(durations):
    d = sorted(durations)
    n, s = len(d), sum(d)
    variance = decimal.Decimal(n * sum(x * x for x in d) - s * s) / (n * n)
    return (n, s, d[0], d[-1], rank(d, 50), rank(d, 95)), s / n, float(variance.sqrt())


def waits(name):
    word = re.sub(r"^(__hip|__cuda|hip|cuda|hsa_amd_|hsa_|cu(?=[A-Z]))", "", name)
    if re.match(r"(Device|Thread|Ctx|Stream|Event)Synchronize|signal_wait|wait_any", word):
        return True
    return bool(re.match(r"Memcpy(?!.*Async)|memory_copy", word))


def blocked(rows):
    """Union over threads of the outermost calls that wait."""
    threads = collections.defaultdict(list)
    for c in rows.calls:
        threads[c.thread].append(c)
    spans = []
    for calls in threads.values():
        until = None
        for c in sorted(calls, key=lambda c: (c.start, -c.end)):
            if until is not None and (c.end <= until or c.start < until):
                continue
            until = c.end
            if c.api and waits(c.name):
                spans.append((c.start, c.end))
    return total(union(spans))


def span_of(rows):
    times = rows.times + [t for k in rows.kernels + rows.copies for t in (k.start, k.end)]
    return min(times), max(times)


def cut(rows, start, end):
    """What of the rows lies in [start, end); rows that only touch it do not count."""
    out = Rows()
    for kind in ("kernels", "copies", "calls"):
        for r in getattr(rows, kind):
            until = max(r.start, r.end)
            if (r.start < end and until > start) or (r.start == until and start <= r.start <= end):
                getattr(out, kind).append(r._replace(start=max(start, r.start),
                                                     end=max(start, min(end, until))))
    return out


def gpus_of(rows):
    return sorted({k.gpu for k in rows.kernels} | {c.gpu for c in rows.copies}, key=str)


def expected(rows, gpus, start, end):
    ledgers, buckets = [], [[0, 0] for _ in range(len(BUCKETS) + 1)]
    spans, kernel_ns, copy_ns = [], 0, 0
    directions = collections.defaultdict(lambda: [0, 0, 0])
    for gpu in gpus:
        kernels = [k for k in rows.kernels if k.gpu == gpu]
        copies = [c for c in rows.copies if c.gpu == gpu]
        ledger, gaps, busy = gpu_ledger(kernels, copies, end - start)
        ledgers.append(ledger)
        spans += busy
        kernel_ns += total(union([(k.start, k.end) for k in kernels]))
        copy_ns += total(union([(c.start, c.end) for c in copies]))
        for g in gaps:
            b = buckets[sum(g >= limit for limit in BUCKETS)]
            b[0] += 1
            b[1] += g
        for kind in {c.kind for c in copies}:
            of_kind = [c for c in copies if c.kind == kind]
            d = directions[DIRECTIONS[kind]]
            d[0] += len(of_kind)
            d[1] += sum(c.bytes or 0 for c in of_kind)
            d[2] += total(union([(c.start, c.end) for c in of_kind]))
    names = collections.defaultdict(list)
    for k in rows.kernels:
        names[k.name].append(max(0, k.end - k.start))
    return {"start": start, "end": end, "ledgers": ledgers, "gaps": buckets, "kernel_ns": kernel_ns,
            "copy_ns": copy_ns, "gpu_span_ns": max((s[1] for s in spans), default=0) -
            min((s[0] for s in spans), default=0), "directions": dict(directions),
            "hotspots": [hotspot(d) for d in names.values()], "blocked": blocked(rows)}


# ---- comparison


def ledger_key(causes):
    idle = sum(c["ns"] for c in causes if c["kind"] == "idle")
    ns = {c["cause"]: c["ns"] for c in causes}
    ns["communication"] += ns["communication_wait"]
    return tuple(ns[c] for c in CAUSES) + (idle,)


def differences(want, doc):
    """(what, expected, said) of all that is not equal."""
    ledger, breakdown = doc["ledger"], doc["analyses"]["breakdown"]
    yield "window", (want["start"], want["end"]), (ledger["start_ns"], ledger["end_ns"])
    yield "window_ns", want["end"] - want["start"], ledger["window_ns"]
    yield "GPUs", len(want["ledgers"]), ledger["gpu_count"]
    for gpu in ledger["gpus"]:
        yield f"sum of GPU {gpu['gpu']}", ledger["window_ns"], sum(c["ns"] for c in gpu["causes"])
    yield "ledgers", sorted(tuple(w.values()) for w in want["ledgers"]), \
        sorted(ledger_key(g["causes"]) for g in ledger["gpus"])
    yield "ledger", tuple(map(sum, zip(*(w.values() for w in want["ledgers"])))) or (0,) * 8, \
        ledger_key(ledger["causes"])
    for key in ("kernel_ns", "copy_ns", "gpu_span_ns"):
        yield key, want[key], breakdown[key]
    yield "kernel_sum_ns", sum(h[0][1] for h in want["hotspots"]), breakdown["kernel_sum_ns"]
    exposed = sum(w[c] for w in want["ledgers"] for c in CAUSES[2:])
    yield "exposed_copy_ns", exposed, breakdown["exposed_copy_ns"]
    yield "exposed_comm_ns", sum(w["communication"] for w in want["ledgers"]), breakdown["exposed_comm_ns"]
    yield "idle_ns", sum(w["idle"] for w in want["ledgers"]), breakdown["idle_ns"]
    yield "sync_blocked_ns", want["blocked"], breakdown["sync_blocked_ns"]
    yield "gaps", want["gaps"], [[g["count"], g["total_ns"]] for g in doc["analyses"]["idle_gaps"]]
    yield "copies", want["directions"], {c["direction"]: [c["count"], c["total_bytes"], c["total_duration_ns"]]
                                         for c in doc["analyses"]["copies"]}
    yield from hotspot_differences(want, doc["analyses"]["hotspots"])


def hotspot_differences(want, said):
    keys = ("calls", "total_duration_ns", "min_duration_ns", "max_duration_ns", "median_ns", "p95_ns")
    mine = sorted(want["hotspots"], key=lambda h: h[0])
    ours = sorted(said, key=lambda h: tuple(h[k] for k in keys))
    yield "hotspots", [h[0] for h in mine], [tuple(h[k] for k in keys) for h in ours]
    for m, o in zip(mine, ours):
        for what, value in (("avg_duration_ns", m[1]), ("std_dev_ns", m[2])):
            if not math.isclose(value, o[what], rel_tol=1e-9, abs_tol=1e-6):
                yield f"{what} of {o['name']}", value, o[what]


def analyze(gpusight, path, *options):
    done = subprocess.run([gpusight, "analyze", "--format", "json", "--top-kernels", "1000000", *options, path],
                          capture_output=True)
    if done.returncode not in (0, 5):
        sys.exit(f"not ok - {path}: {done.stderr.decode()}")
    return json.loads(done.stdout) if done.returncode == 0 else None


def check(gpusight, path, reader):
    """True when all agrees, for the whole trace and for a part of it."""
    rows, name = reader(path), os.path.basename(path)
    doc = analyze(gpusight, path)
    if not doc:
        print(f"{'not ok' if rows.times or rows.kernels else 'ok'} - {name}: nothing to analyze")
        return not rows.times
    start, end = span_of(rows)
    gpus = gpus_of(rows)
    wrong = [d for d in differences(expected(rows, gpus, start, end), doc) if d[1] != d[2]]
    said = {**doc["analyses"]["breakdown"], **{c["cause"]: c["ns"] for c in doc["ledger"]["causes"]}}
    wrong += [(k, v, said[k]) for k, v in KNOWN.get(name, {}).items() if said[k] != v]
    a, b = start + (end - start) * 3 // 10, start + (end - start) * 7 // 10
    part = analyze(gpusight, path, "--window", f"{a}..{b}")
    wrong += [("window: " + d[0], *d[1:]) for d in differences(expected(cut(rows, a, b), gpus, a, b), part)
              if d[1] != d[2]]
    print(f"{'not ok' if wrong else 'ok'} - {name}: {len(rows.kernels)} kernels, {len(rows.copies)} copies, "
          f"{len(rows.calls)} calls", flush=True)
    for what, mine, ours in wrong:
        print(f"    {what}: computed {str(mine)[:400]}\n    {' ' * len(what)}  analyzed {str(ours)[:400]}")
    return not wrong


def real_files():
    for pattern, reader in (("rocpd/*/*.db", read_rocpd), ("nsys/*.sqlite", read_nsys),
                            ("kineto/*.json.gz", read_kineto), ("rpd/*.rpd*", read_rpd),
                            ("rocprofv3_json/*_results.json.gz", read_rocprofv3)):
        for path in sorted(glob.glob(os.path.join(TRACES, pattern))):
            yield path, reader


SYNTH = [("demo", []), ("healthy", ["n=50"]), ("sync_stall", ["n=100"]), ("transfer_bound", ["n=20"]),
         ("pageable_copies", ["n=20"]), ("allocation_churn", ["n=50"]), ("unbalanced_gpus", ["n=20"]),
         ("stream_serialisation", ["n=40"]), ("exposed_comm", ["n=6"]), ("hidden_comm", ["n=6"]),
         ("two_queues", ["n=50"]), ("multi_gpu", ["n=5"]), ("many_streams", ["n=1000"]),
         ("mpi_job", ["n=5"]), ("phases", ["n=5"]), ("counters", []), ("telemetry", []), ("sys_trace", ["n=300"])]


def generated_files(gpusight, folder):
    sys.path.insert(0, os.path.join(ROOT, "tests", "rules"))
    import imitations
    for i, (name, settings) in enumerate(SYNTH):
        how = [("rocpd", ["--flavor", "rocprofv3"]), ("rocpd", ["--flavor", "rocprofv3-3.0.5"]),
               ("rocpd", ["--flavor", "rocprof-sys"]), ("nsys", ["--format", "nsys"])][i % 4]
        path = os.path.join(folder, f"{name}.{how[0]}.db")
        subprocess.run([gpusight, "synth", name, "--merge", "-o", path, "--seed", str(i), *how[1],
                        *(x for s in settings for x in ("--set", s))], check=True, capture_output=True)
        yield path, {"rocpd": read_rocpd, "nsys": read_nsys}[how[0]]
    for name in ("healthy", "exposed_comm", "unbalanced_gpus", "tiny_copies", "sync_stall"):
        path = os.path.join(folder, f"{name}.imitation.db")
        imitations.make(name, 5, path)
        yield path, read_rocpd


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", default=os.path.join(ROOT, "build/src/cli/gpusight"))
    args.add_argument("--generated", action="store_true")
    args.add_argument("only", nargs="*", help="check files whose name has this text")
    args = args.parse_args()
    with tempfile.TemporaryDirectory(prefix="analysis-") as folder:
        files = list(generated_files(args.gpusight, folder) if args.generated else real_files())
        if not files:
            print(f"skipped: no traces below '{TRACES}', see GPUSIGHT_TRACES")
            return SKIPPED
        chosen = [f for f in files if not args.only or any(o in f[0] for o in args.only)]
        good = [check(args.gpusight, path, reader) for path, reader in chosen]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
