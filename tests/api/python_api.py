#!/usr/bin/env python3
"""The Python package against the JSON of the program, and its way with other packages.

    python_api.py --gpusight PROGRAM --library LIBRARY [TRACE...]

Runs itself under the system's Python where that has NumPy and pandas; what needs them is left out,
with a line that says so, where they are absent. Arrow's structs are read here by hand, from its
specification, so no package of Arrow's is needed.
"""
import argparse
import ctypes
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from tell import check, ROOT, TRACES  # noqa: E402


# ---- the same integers as the JSON


def integers(value):
    return isinstance(value, int) and not isinstance(value, bool)


def same_numbers(run, document, path):
    """Every table of "analyses": its integers, reals and texts, row by row."""
    n = 0
    for name, rows in document["analyses"].items():
        table = run[name + "_summary" if name + "_summary" in run.tables else name]
        rows = rows if isinstance(rows, list) else [rows]
        if len(rows) != len(table):
            check(f"{path}: rows of {name}", False, (len(rows), len(table)))
            continue
        for key in table.columns:
            if not rows or key not in rows[0]:
                continue
            ours, theirs = list(table[key]), [row[key] for row in rows]
            n += len(ours)
            equal = all(a == b or (a != a and b is None) or (b is None and a in (None, -1))
                        for a, b in zip(ours, theirs))
            if not equal:
                check(f"{path}: {name}.{key}", False, (ours[:3], theirs[:3]))
    ledger = {r["cause"]: r["ns"] for r in run.ledger if r["GPU" if "GPU" in r else "gpu"] == "all"}
    theirs = {c["label"]: c["ns"] for c in document["ledger"]["causes"]} \
        if isinstance(document.get("ledger"), dict) and "causes" in document["ledger"] else None
    if theirs is not None and len(run.ledger):
        check(f"{path}: ledger", ledger == theirs, (ledger, theirs))
    check(f"{path}: findings", [f["id"] for f in run.findings] ==
          [f["id"] for f in document["recommendations"]])
    return n


def same_sums(run, document, path):
    """Of a workload of rocprof-compute, or of tables of sums."""
    n = 0
    for name in run.tables:
        rows = document.get("kernels" if name == "workload_kernels" else name)
        for ours, theirs in zip(run[name], rows if isinstance(rows, list) else ()):
            keys = [k for k, v in theirs.items() if k in ours and (integers(v) or isinstance(v, (str, float)))]
            check(f"{path}: {name}", keys and all(ours[k] == theirs[k] for k in keys), (ours, theirs))
            n += len(keys)
    check(f"{path}: sums are compared", n > 0, list(document))
    return n


def same_thread_trace(run, document, path):
    """Lists that the JSON has kernel by kernel are one table each, with the name of the kernel."""
    trace, n = document["thread_trace"], 0
    lists = {"dispatches": trace["dispatches"], "kernels": trace["kernels"]}
    for part in ("findings", "stall_classes", "instructions", "blocks", "occupancy", "wave_states"):
        lists[part] = [{"kernel": k["name"], **row} for k in trace["kernels"] for row in k[part]]
    for name, rows in lists.items():
        ours = list(run["thread_trace_" + name])
        check(f"{path}: rows of thread_trace_{name}", len(ours) == len(rows), (len(ours), len(rows)))
        for a, b in zip(ours, rows):
            wrong = [k for k in a if not (a[k] == b[k] or (a[k] != a[k] and b[k] is None))]
            n += len(a)
            if wrong:
                check(f"{path}: thread_trace_{name}", False, (wrong, a, b))
    check(f"{path}: a thread trace is compared", n > 0)
    return n


def same_source(run, document, path):
    found = document["tier0"]
    check(f"{path}: kernels of the source", list(run.source_kernels) == found["detected_kernels"] and
          len(run.source_files) == found["files_scanned"], found)
    return len(found["detected_kernels"])


def json_of(o, path, *options):
    out = subprocess.run([o.gpusight, "analyze", "--format", "json", "--top-kernels", "1000000", *options] +
                         ([path] if path else []), capture_output=True)
    return json.loads(out.stdout) if out.returncode == 0 else None


def same_as(run, document, path):
    compare = same_numbers if "analyses" in document else same_thread_trace if document.get("thread_trace") else \
        same_source if document.get("tier0") else same_sums
    n = compare(run, document, path)
    if compare is same_numbers and document.get("thread_trace"):
        n += same_thread_trace(run, document, path)
    ours = run.render("json", top_kernels=1000000)
    check(f"{path}: JSON equal", json.loads(ours) == document)
    return n


def check_numbers(o, gpusight, traces):
    n = 0
    for path in traces:
        document = json_of(o, path)
        try:
            run = gpusight.open(path, progress=False)
        except gpusight.Error as e:
            check(f"{os.path.basename(path)}: fails as the program does", document is None, e)
            continue
        check(f"{os.path.basename(path)}: is opened as the program does", document is not None)
        n += same_as(run, document, os.path.basename(path)) if document else 0
    check(f"{n} values are those of the JSON", n > 0)


STATS = """"Codeobj","Vaddr","Instruction","Hitcount","Latency","Stall","Idle","Source"
0,0,"; work",0,0,0,0,""
1,4096,"s_load_dwordx4 s[0:3], s[0:1], 0x0",8,64,0,0,"a.hip:3"
1,4104,"s_waitcnt lgkmcnt(0)",8,4000,3600,40,"a.hip:3"
1,4108,"s_endpgm",8,80,0,0,""
"""
SOURCE = """__global__ void k(float *x) { x[threadIdx.x] = 1; }
int main() { for (int i = 0; i < 9; i++) { k<<<1, 64>>>(0); hipDeviceSynchronize(); } }
"""


def check_beside(o, gpusight, demo, folder):
    """Thread traces and source code: without a trace, and with one."""
    att, source = os.path.join(folder, "att"), os.path.join(folder, "source")
    for path, name, text in ((att, "stats_ui_output_agent_1_dispatch_2.csv", STATS), (source, "a.hip", SOURCE)):
        os.mkdir(path)
        with open(os.path.join(path, name), "w", encoding="ascii") as f:
            f.write(text)
    for path, keywords in ((att, {}), (None, {"att_dir": att}), (None, {"source_dir": source}),
                           (demo, {"att_dir": att, "source_dir": source})):
        for when in ({}, {"analyze": True}):
            options = [f"--{k.replace('_', '-')}={v}" for k, v in keywords.items()]
            document = json_of(o, path, *options)
            run = gpusight.open(*[path] if path else [], progress=False, **keywords, **when)
            same_as(run, document, f"{path or ''} {options}")
            for form in ("text", "markdown", "html"):
                run.render(form)
            run._repr_html_()
    alone = gpusight.open(att, progress=False)
    check("a thread trace says what it is", "thread_trace_kernels" in repr(alone), repr(alone))
    for what in (lambda: alone.whatif(), lambda: alone.plot(), lambda: gpusight.compare(alone, alone),
                 lambda: alone.query("select * from kernels"), lambda: alone.convert("chrome", att + ".json"),
                 lambda: gpusight.open(att, progress=False, window="1%..2%"),
                 lambda: gpusight.open(progress=False, source_dir=source, att_dir=att)):
        try:
            check("a thread trace is no trace", False, what())
        except gpusight.UsageError as e:
            check("a thread trace is no trace", "a trace" in str(e), e)


def check_workload(o, gpusight, folder):
    """A workload of rocprof-compute, and parts of it."""
    sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
    import check_workload as workload
    path = workload.make(os.path.join(folder, "workload"), ["TCC_HIT_sum", "TCC_MISS_sum", "SQ_WAVES"],
                         [("copy", [75, 25, 4], 1000), ("gemm", [10, 90, 8], 5000), ("copy", [50, 50, 4], 1500)])
    for part in ({}, {"panel": 2}, {"per": "second"}, {"dispatch": "0,2"}, {"kernel": "gemm", "panel": 17}):
        run = gpusight.open(path, progress=False, **part)
        same_as(run, json_of(o, path, *[f"--{k}={v}" for k, v in part.items()]), f"workload {part}")
    for what, says in ((lambda: gpusight.open(path, progress=False, panel="x"), "no panel"),
                       (lambda: gpusight.open(path, progress=False, window="1%..2%"), "needs a trace"),
                       (lambda: gpusight.open(os.path.join(folder, "demo.db"), progress=False, panel=2), "is for workloads")):
        try:
            check(f"workload: {says}", False, what())
        except gpusight.Error as e:
            check(f"workload: {says}", says in str(e), e)


# ---- Arrow, read by hand


class Schema(ctypes.Structure):
    pass


Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p),
                   ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
                   ("n_children", ctypes.c_int64),
                   ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
                   ("dictionary", ctypes.POINTER(Schema)), ("release", ctypes.c_void_p),
                   ("private", ctypes.c_void_p)]


class Array(ctypes.Structure):
    pass


Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64),
                  ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                  ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
                  ("children", ctypes.POINTER(ctypes.POINTER(Array))),
                  ("dictionary", ctypes.POINTER(Array)), ("release", ctypes.c_void_p),
                  ("private", ctypes.c_void_p)]


class Stream(ctypes.Structure):
    _fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
                ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
                ("get_last_error", ctypes.c_void_p), ("release", ctypes.c_void_p),
                ("private", ctypes.c_void_p)]


FIXED = {b"l": ctypes.c_int64, b"L": ctypes.c_uint64, b"i": ctypes.c_int32, b"I": ctypes.c_uint32,
         b"S": ctypes.c_uint16, b"C": ctypes.c_uint8, b"g": ctypes.c_double}
RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def bit(address, i):
    return ctypes.c_uint8.from_address(address + i // 8).value >> i % 8 & 1


def values(schema, array):
    n, out = array.length, []
    if schema.format == b"U":
        offsets = (ctypes.c_int64 * (n + 1)).from_address(array.buffers[1])
        out = [ctypes.string_at(array.buffers[2] + offsets[i], offsets[i + 1] - offsets[i])
               .decode(errors="replace") for i in range(n)]
    elif schema.format == b"b":
        out = [bool(bit(array.buffers[1], i)) for i in range(n)]
    elif n:
        out = list((FIXED[schema.format] * n).from_address(array.buffers[1]))
    present = [not array.buffers[0] or bit(array.buffers[0], i) for i in range(n)]
    if schema.dictionary:
        texts = values(schema.dictionary.contents, array.dictionary.contents)
        out = [texts[v] if ok else None for v, ok in zip(out, present)]
    return [v if ok else None for v, ok in zip(out, present)]


def pointer(capsule, name):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype = ctypes.c_void_p
    get.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return get(capsule, name)


def release(struct):
    RELEASE(struct.release)(ctypes.addressof(struct))


def check_arrow(gpusight, path):
    run = gpusight.open(path, progress=False)
    for name in run.tables:
        table = run[name]
        schema_capsule, array_capsule = table.__arrow_c_array__()
        schema = Schema.from_address(pointer(schema_capsule, b"arrow_schema"))
        array = Array.from_address(pointer(array_capsule, b"arrow_array"))
        good = schema.n_children == array.n_children == len(table.columns)
        for i, column in enumerate(table.columns.values()):
            child = values(schema.children[i].contents, array.children[i].contents)
            good = good and schema.children[i].contents.name.decode() == column.name and all(
                a == b or (a is None and b != b) for a, b in zip(child, column)) and \
                len(child) == len(column)
        if not good:
            check(f"arrow: {name}", False)
    check("Arrow holds what the tables hold", True)
    # A column outlives its parent, its table and the run.
    table = run.kernels
    expected = list(table["duration_ns"])
    stream_capsule = table.__arrow_c_stream__()
    del table, run
    stream = Stream.from_address(pointer(stream_capsule, b"arrow_array_stream"))
    at, schema, array, end = ctypes.addressof(stream), Schema(), Array(), Array()
    check("a schema is there as often as it is asked for", all(
        stream.get_schema(at, ctypes.byref(schema)) == 0 and schema.n_children > 5 and not release(schema)
        for _ in range(3)))
    check("a stream gives a schema and one batch",
          stream.get_schema(at, ctypes.byref(schema)) == 0 and
          stream.get_next(at, ctypes.byref(array)) == 0 and
          stream.get_next(at, ctypes.byref(end)) == 0 and not end.release)
    names = [schema.children[i].contents.name for i in range(schema.n_children)]
    k = names.index(b"duration_ns")
    kept = Array.from_buffer_copy(array.children[k].contents)  # moved out, as a consumer may
    kept_schema = Schema.from_buffer_copy(schema.children[k].contents)
    array.children[k].contents.release = None
    schema.children[k].contents.release = None
    release(array)
    release(schema)
    release(stream)
    del stream_capsule
    check("a column that was kept is whole after the rest is gone",
          values(kept_schema, kept) == expected)
    release(kept)
    release(kept_schema)


# ---- NumPy, pandas


def check_frames(gpusight, path):
    try:
        import numpy
        import pandas
    except ImportError as e:
        print(f"skipped - NumPy and pandas: {e}")
        return
    run = gpusight.open(path, progress=False)
    view = run.kernels["duration_ns"].numpy()
    check("a NumPy view has the numbers", view.sum() == sum(run.kernels["duration_ns"]))
    start = run.kernels["start_ns"].numpy()
    check("columns are views, not copies",
          numpy.shares_memory(start, run.kernels["start_ns"].numpy()) and not start.flags.writeable)
    del run
    check("a view keeps its run alive", int(start[0]) > 0)
    run = gpusight.open(path, progress=False)
    frame = run.kernels.to_pandas()
    check("a frame has all rows and columns", frame.shape == (len(run.kernels),
                                                              len(run.kernels.columns)))
    grouped = frame.groupby("name", observed=True)["duration_ns"].sum().to_dict()
    check("sums by name are those of the hotspots", grouped ==
          {h["name"]: h["total_duration_ns"] for h in run.hotspots}, grouped)
    for name in run.tables:
        run[name].to_pandas()
        run[name].numpy()
    check("every table becomes a frame and a structured array", True)


# ---- errors, progress, an early end


def check_sums(gpusight, folder):
    """A file of sums: tables, SQL and reports; what needs a trace says so."""
    path = os.path.join(folder, "made_kernel_stats.csv")
    with open(path, "w", encoding="ascii") as f:
        f.write('"Name","Calls","TotalDurationNs","AverageNs","Percentage","MinNs","MaxNs","StdDev"\n'
                '"a",3,600,200.0,60.0,100,300,81.6\n"b",1,400,400.0,40.0,400,400,0.0\n')
    run = gpusight.open(path, progress=False)
    check("sums are a table", [(r["name"], r["calls"], r["total_duration_ns"]) for r in run.statistics] ==
          [("a", 3, 600), ("b", 1, 400)], list(run.statistics))
    check("asked in SQL", run.query("select sum(calls) as n from statistics")[0] == {"n": 4})
    check("and a report", "sums without times" in run.render().lower() and
          run.to_dict()["statistics"][1]["name"] == "b", run.render())
    for what in (lambda: run.whatif(), lambda: run.plot(), lambda: gpusight.compare(run, run),
                 lambda: run.query("select * from kernels"), lambda: run.convert("chrome", path + ".json"),
                 lambda: gpusight.open(path, progress=False, window="1%..2%")):
        try:
            check("what needs a trace is told", False, what())
        except gpusight.UsageError as e:
            check("what needs a trace is told", "needs a trace" in str(e), e)


def check_calls(gpusight, path):
    for what, call, kind in [
            ("no such file", lambda: gpusight.open("/nonexistent"), gpusight.SystemError),
            ("no such option", lambda: gpusight.open(path, colour="red"), gpusight.UsageError),
            ("a NUL in a path", lambda: gpusight.open(path + "\0x"), ValueError),
            ("a NUL in SQL", lambda: gpusight.open(path).query("select 1\0"), ValueError),
            ("no such table", lambda: gpusight.open(path, progress=False)["nonsense"],
             gpusight.UsageError),
            ("not a trace", lambda: gpusight.open(__file__), gpusight.Error)]:
        try:
            call()
            check(what, False, "no error")
        except kind as e:
            check(what, len(str(e)) > 5)
    check_sums(gpusight, os.path.dirname(path))
    run = gpusight.open(path, progress=False)
    kernels, events = run.kernels, list(run._names)
    check("events come without the analysis", len(kernels) == 1800 and "ledger" not in events, events)
    check("a result makes it", len(run.ledger) > 0 and "findings" in run.tables and run.kernels is kernels, run.tables)
    check("or it is made at once", "ledger" in gpusight.open(path, progress=False, analyze=True)._names)
    check("or never", gpusight.open(path, progress=False, analyze=False).tables == events)
    try:
        gpusight.open(path, progress=False, phase=30)
        check("a phase that is not there is told at once", False)
    except gpusight.UsageError:
        check("a phase that is not there is told at once", True)
    told = []
    gpusight.open(path, progress=lambda *a: told.append(a) and False)
    check("progress is told", told and told[0][0] == "reading", told[:1])
    try:
        gpusight.open(path, progress=lambda *a: True)
        check("progress can end it", False)
    except gpusight.CancelledError:
        check("progress can end it", True)

    def fail(*_):
        raise KeyError("mine")
    try:
        gpusight.open(path, progress=fail)
        check("an error in progress comes through", False)
    except KeyError:
        check("an error in progress comes through", True)
    run = gpusight.open(path, progress=False, window="10%..50%")
    check("options work", len(run.phases) > 0 and
          run.breakdown[0]["window_ns"] < gpusight.open(path, progress=False).breakdown[0]["window_ns"])
    check("what if", run.whatif(remove="sync", graph=True)["result"]["speedup"] >= 1)
    check("reports", run.render("markdown").startswith("#") and "<!doctype html" in
          run.render("html")[:100].lower() and "<iframe" in run._repr_html_())
    whole = gpusight.open(path, progress=False)
    sums = whole.query("select name, count(*) as n, sum(duration) as ns from kernels group by name")
    check("SQL gives what the hotspots have", {r["name"]: (r["n"], r["ns"]) for r in sums} ==
          {h["name"]: (h["calls"], h["total_duration_ns"]) for h in whole.hotspots}, sums[:2])
    schema_capsule, array_capsule = sums.__arrow_c_array__()
    expected = list(sums["ns"])
    del sums
    schema = Schema.from_address(pointer(schema_capsule, b"arrow_schema"))
    array = Array.from_address(pointer(array_capsule, b"arrow_array"))
    check("a result goes to Arrow and outlives itself",
          values(schema.children[2].contents, array.children[2].contents) == expected)
    for sql, kind in (("drop table kernels", gpusight.UsageError), ("select nonsense from kernels",
                                                                     gpusight.UsageError)):
        try:
            whole.query(sql)
            check(sql, False, "no error")
        except gpusight.Error as e:
            check(f"refused: {sql}", bool(str(e)), e)
    for form, name in (("pftrace", "x.pftrace"), ("chrome", "x.json"), ("rocpd", "x.db")):
        to = os.path.join(os.path.dirname(path), name)
        whole.convert(form, to)
        again = gpusight.open(to, progress=False, analyze=False)
        check(f"{form}: all kernels come back", len(again.kernels) == len(whole.kernels))
    try:
        whole.convert("rocpd", path)
        check("a trace is not written over", False)
    except gpusight.Error as e:
        check("a trace is not written over", "reads it" in str(e), e)
    same = gpusight.compare(path, [path, path])
    check("compare", same.verdict == "same" and same.change_pct == 0 and "verdict" in str(same.to_dict()))


def check_interrupt(path, big):
    """Ctrl-C ends a call of a second in a moment, as KeyboardInterrupt."""
    program = ("import gpusight, os, signal, threading\n"
               "threading.Timer(0.03, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
               f"try:\n    gpusight.open({big!r}, progress=False, threads=1, analyze=True)\n    print('late')\n"
               "except KeyboardInterrupt:\n    print('interrupted')\n"
               f"print(len(gpusight.open({path!r}, progress=False).kernels))\n")
    p = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, timeout=60)
    check("Ctrl-C ends a call, and the next one works", p.stdout.split() == ["interrupted", "1800"], p.stdout)


def every_scenario(o, folder):
    """All that synth makes, in every format: files and folders of them."""
    out = subprocess.run([o.gpusight, "synth", "--list"], capture_output=True, text=True, check=True).stdout
    made = []
    for name in [line.split()[0] for line in out.splitlines() if line[:1].strip()]:
        for form in ("rocpd", "rocprofv3-json", "nsys", "kineto"):
            to = os.path.join(folder, f"{name}-{form}", "%pid%." + {"rocpd": "db", "nsys": "sqlite"}.get(form, "json"))
            os.mkdir(os.path.dirname(to))
            p = subprocess.run([o.gpusight, "synth", name, "--format", form, "-o", to], capture_output=True)
            if p.returncode == 0:
                made.append(os.path.dirname(to))
    check("every scenario is made", len(made) > 100, len(made))
    return made


def system_python():
    """The system's Python has the packages of the system; ours may be another."""
    other = "/usr/bin/python3"
    if os.environ.get("GPUSIGHT_SAME_PYTHON") or not os.path.exists(other) or \
            os.path.realpath(other) == os.path.realpath(sys.executable):
        return
    try:
        import pandas  # noqa: F401
    except ImportError:
        if subprocess.run([other, "-c", "import pandas"], capture_output=True).returncode == 0:
            os.environ["GPUSIGHT_SAME_PYTHON"] = "1"
            os.execv(other, [other] + sys.argv)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    p.add_argument("--library", required=True)
    p.add_argument("--all", action="store_true", help="every real trace, not only small ones")
    p.add_argument("traces", nargs="*")
    o = p.parse_args()
    system_python()
    os.environ["GPUSIGHT_LIBRARY"] = os.path.abspath(o.library)
    os.environ["PYTHONPATH"] = os.path.join(ROOT, "python")
    sys.path.insert(0, os.environ["PYTHONPATH"])
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    import gpusight
    check("the version is the program's", gpusight.__version__ in
          subprocess.run([o.gpusight, "--version"], capture_output=True, text=True).stdout)
    with tempfile.TemporaryDirectory() as folder:
        path, big = os.path.join(folder, "demo.db"), os.path.join(folder, "big.db")
        for scenario, to, more in [("demo", path, []), ("bench", big, ["--set", "n=200000"])]:
            subprocess.run([o.gpusight, "synth", scenario, "-o", to] + more, check=True,
                           capture_output=True)
        nsys = os.path.join(folder, "demo.sqlite")
        subprocess.run([o.gpusight, "synth", "demo", "--format", "nsys", "-o", nsys], check=True,
                       capture_output=True)
        real = [f for f in sorted(glob.glob(os.path.join(TRACES, "**", "*"), recursive=True))
                if os.path.isfile(f) or (o.all and os.path.dirname(f) != os.path.normpath(TRACES) and os.listdir(f))]
        if not o.all:
            real = [f for f in real if f.endswith((".db", ".sqlite", ".json", ".json.gz", ".rpd")) and
                    os.path.getsize(f) < 300000][:12]
        if not real:
            print("skipped - real traces: none there")
        made = every_scenario(o, folder) if o.all else []
        check_numbers(o, gpusight, o.traces or [path, nsys] + made + real)
        check_beside(o, gpusight, path, folder)
        check_workload(o, gpusight, folder)
        check_arrow(gpusight, path)
        check_frames(gpusight, path)
        check_calls(gpusight, path)
        check_interrupt(path, big)
    sys.exit(tell.failures > 0)


main()
