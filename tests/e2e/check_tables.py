#!/usr/bin/env python3
"""Files with sums and no times as tables, and what rocprof and rocprofv2 leave as lines and CSV: what
gpusight reads equals what was written here.

    check_tables.py --gpusight PROGRAM
"""
import argparse
import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

failures = 0
gpusight = ""


def same(what, want, got):
    global failures
    good = want == got
    failures += not good
    print(f"{'ok' if good else 'not ok'} - {what}" + ("" if good else f": {want!r} expected, {got!r} found"),
          flush=True)


def run(*words, code=0):
    r = subprocess.run([gpusight, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if r.returncode != code:
        same(f"exit code of {' '.join(words)}: {r.stderr.decode()}", code, r.returncode)
    return r


def ask(paths, sql):
    paths = [paths] if isinstance(paths, str) else paths
    r = run("query", *paths, "--query", sql, "--json")
    return [tuple(row.values()) for row in json.loads(r.stdout or b"[]")]


def write(path, text):
    with open(path, "w", encoding="utf-8", newline="") as f:
        f.write(text)
    return path


# ---- profiles of rocprof-sys ----

TITLES = ["LABEL", "COUNT", "DEPTH", "METRIC", "UNITS", "SUM", "MEAN", "MIN", "MAX", "VAR", "STDDEV", "% SELF"]
CALLS = [("|00>>> main", 1, 0, 13.360265, 18.2), ("|00>>> |_solve<a | b>", 12, 1, 10.9, 0.0),
         ("|01>>>   |_kernel(int*)", 300, 2, 4.5, 100.0), ("|00>>> |_finish", 1, 1, 0.25, 100.0)]


def as_text(titles, calls, metric="wall_clock", unit="sec"):
    width = {t: 44 if t == "LABEL" else 12 for t in titles}
    lines = ["|" + "-" * 200 + "|", "|" + "A TIMER | OF SOME KIND".center(200) + "|", "|" + "-" * 200 + "|",
             "| " + " | ".join(t.center(width[t]) for t in titles) + " |",
             "|" + "|".join("-" * (width[t] + 2) for t in titles) + "|"]
    for label, count, depth, total, own in calls:
        cells = {"LABEL": label, "COUNT": count, "DEPTH": depth, "METRIC": metric, "UNITS": unit, "SUM": f"{total:.6f}",
                 "MEAN": f"{total / count:.6f}", "MIN": "0.1", "MAX": "9.5", "VAR": "0.25", "STDDEV": "0.5",
                 "% SELF": own}
        lines.append("| " + " | ".join(str(cells[t]).ljust(width[t]) for t in titles) + " |")
    return "\n".join(lines + ["|" + "-" * 200 + "|"]) + "\n"


def entry(value, count):
    return {"cereal_class_version": 0, "laps": count, "value": int(value * 1e9), "accum": int(value * 1e9),
            "repr_data": value, "repr_display": value}


def stats(value, count):
    return {"sum": value, "count": count, "min": value / count / 2, "max": value, "sqr": value * value,
            "mean": value / count, "stddev": 0.125}


def as_list(ranks):
    return {"timemory": {"wall_clock": {
        "properties": {"id": "wall_clock"}, "type": "wall_clock", "description": "a timer", "unit_value": 10 ** 9,
        "unit_repr": "sec", "num_ranks": len(ranks),
        "ranks": [{"rank": i, "graph_size": len(calls), "graph": [
            {"hash": 2 ** 64 - 1 - n, "prefix": c[0], "depth": c[2], "entry": entry(c[3], c[1]),
             "stats": stats(c[3], c[1]), "rolling_hash": n} for n, c in enumerate(calls)]}
            for i, calls in enumerate(ranks)]}}}


def node(name, inclusive, exclusive, threads, *children):
    side = {k: {"entry": entry(v, 2), "stats": stats(v, 2)}
            for k, v in (("inclusive", inclusive), ("exclusive", exclusive))}
    return {"node": {"hash": 1, "prefix": name, "tid": threads, "pid": [7], "depth": 0, "is_dummy": False, **side},
            "children": list(children)}


def check_profiles(folder):
    want = [("main", 0, 0, 1, 13.360265, 18.2, None), ("solve<a | b>", 0, 1, 12, 10.9, 0.0, 1),
            ("kernel(int*)", 1, 2, 300, 4.5, 100.0, 2), ("finish", 0, 1, 1, 0.25, 100.0, 1)]
    sql = "select label, thread, depth, count, sum, self_pct, parent from profile order by line"
    text = as_text(TITLES, CALLS)
    path = write(os.path.join(folder, "wall_clock.txt"), text)
    same("text", want, ask(path, sql))
    same("text: unit and metric", [("wall_clock", "sec", 0.5, 0.25)],
         ask(path, "select distinct metric, unit, stddev, var from profile"))
    turned = [TITLES[0]] + TITLES[:0:-1]
    same("text, columns in another order",
         want, ask(write(os.path.join(folder, "b.txt"), as_text(turned, CALLS)), sql))
    few = ["LABEL", "COUNT", "DEPTH", "METRIC", "UNITS", "SUM"]
    same("text, fewer columns", [w[:5] + (None,) + w[6:] for w in want],
         ask(write(os.path.join(folder, "c.txt"), as_text(few, CALLS)), sql))
    same("text, CR LF and no last line end", want,
         ask(write(os.path.join(folder, "d.txt"), text.replace("\n", "\r\n").rstrip()), sql))
    with gzip.open(os.path.join(folder, "e.txt.gz"), "wt") as f:
        f.write(text)
    same("text, gzip", want, ask(os.path.join(folder, "e.txt.gz"), sql))
    ranks = [("|03|01>>> main", 1, 0, 2.0, 1.0), ("|03|01>>> |_x", 1, 1, 1.0, 1.0)]
    same("text: ranks", [(3, 1), (3, 1)],
         ask(write(os.path.join(folder, "f.txt"), as_text(TITLES, ranks)), "select rank, thread from profile"))
    plain = [("main", 1, 0, 2.0, 1.0), ("  |_x", 1, 1, 1.0, 1.0)]
    same("text: threads added up", [("main", None), ("x", None)],
         ask(write(os.path.join(folder, "g.txt"), as_text(TITLES, plain)), "select label, thread from profile"))
    twice = ("| LABEL | COUNT | DEPTH | METRIC | SUM | DEPTH | METRIC | SUM |\n| main | 1 | 0 | a | 2 | 0 | b | 3 |\n"
             "| |_x | 1 | 1 | a | 1 | 900000 | b | 2 |\n")
    same("text: two values and two depths, of which the first counts",
         [("main", "a", 0, None), ("main", "b", 0, None), ("x", "a", 1, 1), ("x", "b", 1, 2)],
         ask(write(os.path.join(folder, "h.txt"), twice), "select label, metric, depth, parent from profile"))
    path = os.path.join(folder, "wall_clock.json")
    json.dump(as_list([CALLS]), open(path, "w"), indent=2)
    same("JSON", [w[:5] + (None,) + w[6:] for w in want], ask(path, sql))
    json.dump(as_list([CALLS, CALLS]), open(path, "w"))
    same("JSON: ranks", [(0, 4), (1, 4)], ask(path, "select rank, count(*) from profile group by 1"))
    tree = {"timemory": {"wall_clock": {"type": "wall_clock", "unit_repr": "sec", "graph": [[
        node("unknown-hash=0", 0.0, -3.0, [0], node("main", 4.0, 1.0, [0], node("work", 3.0, 3.0, [0, 1])))]]}}}
    path = os.path.join(folder, "wall_clock.tree.json")
    json.dump(tree, open(path, "w"))
    same("JSON: the tree", [("main", 0, 0, 2, 4.0, 25.0, None), ("work", None, 1, 2, 3.0, 100.0, 1)], ask(path, sql))
    document = json.loads(run("analyze", path, "--json").stdout)
    same("analyze as JSON", (1, 4.0), (len(document["files"]), document["profile"][0]["sum"]))
    out = run("analyze", os.path.join(folder, "wall_clock.txt"), "--format", "markdown").stdout.decode()
    same("analyze as Markdown", True, "finish" in out and "solve" in out and "13.4" in out)
    run("analyze", write(os.path.join(folder, "cut.json"), json.dumps(as_list([CALLS]))[:-30]), code=4)
    run("analyze", write(os.path.join(folder, "empty.txt"), as_text(TITLES, [])), code=5)
    r = run("query", path, "--query", "select * from kernels", code=2)
    same("a table of traces needs one", True, b"sums" in r.stderr and r.stderr.count(b"\n") == 1)
    run("analyze", path, "--window", "1s..2s", code=2)


# ---- statistics ----

def check_statistics(folder):
    old = write(os.path.join(folder, "results.hip_stats.csv"),
                '"Name","Calls","TotalDurationNs","AverageNs","Percentage"\n'
                '"hipMemcpy",3,9007199254740993,3002399751580331,90.0\n"f(""a"", b)",1,100,100,10.0\n')
    sql = "select kind, name, calls, total_duration_ns, percentage, min_ns from statistics"
    same("rocprof, exact", [("hip", "hipMemcpy", 3, 9007199254740993, 90.0, None),
                            ("hip", 'f("a", b)', 1, 100, 10.0, None)], ask(old, sql))
    new = write(os.path.join(folder, "x_kernel_stats.csv"),
                'Percentage,StdDev,"Name","MaxNs",MinNs,AverageNs,Calls,TotalDurationNs\r\n'
                '100.0,0.5,"k<1, 2>(int)",9,7,8.0,2,16\r\n')
    same("rocprofv3, columns in another order", [("kernel", "k<1, 2>(int)", 2, 16, 100.0, 7.0)], ask(new, sql))
    summary = write(os.path.join(folder, "domain.csv"),
                    '"Name","Calls","DURATION (nsec)","AVERAGE (nsec)","PERCENT (INC)","MIN (nsec)","MAX (nsec)",'
                    '"STD_DEV"\n"KERNEL_DISPATCH",4,40,10.0,100.0,9,11,0.7\n')
    same("rocpd's summary", [("domain", "KERNEL_DISPATCH", 4, 40, 100.0, 9.0)], ask(summary, sql))
    same("several files", [(3,)], ask([old, new, summary], "select count(distinct file) from statistics"))
    same("a folder of them", [(4,)], ask(folder, "select count(*) from statistics"))
    run("report", old, "--csv-dir", os.path.join(folder, "out"))
    same("report", True, os.path.exists(os.path.join(folder, "out", "statistics.csv")))
    run("synth", "one_kernel", "-o", os.path.join(folder, "a.db"))
    same("beside a trace", [(1, 4)], ask([os.path.join(folder, "a.db"), old, new, summary],
                                         "select (select count(*) from kernels), (select count(*) from statistics)"))
    r = run("analyze", os.path.join(folder, "a.db"), old, code=2)
    same("not analyzed with a trace", True, b"one kind at a time" in r.stderr)


# ---- rocprof-compute ----

DATABASE = """
create table compute_metadata(id integer primary key, compute_version text, git_version text, schema_version text);
insert into compute_metadata values(1, '3.4.0', 'x', '2.3.0');
create table compute_workload(workload_id integer primary key, name text, sub_name text, sys_info_extdata json);
insert into compute_workload values(1, 'vcopy', 'MI300X', '{"gpu_arch": "gfx942", "gpu_model": "MI300X_A1"}');
create table compute_kernel(kernel_uuid integer primary key, workload_id integer, kernel_name text);
insert into compute_kernel values(1, 1, 'copy(double*)'), (2, 1, 'other'), (3, 1, 'never');
create table compute_dispatch(dispatch_uuid integer primary key, kernel_uuid integer, dispatch_id integer,
                              gpu_id integer, start_timestamp integer, end_timestamp integer);
insert into compute_dispatch values(1, 1, 0, 0, 1000, 3000), (2, 1, 1, 0, 5000, 8000), (3, 2, 2, 0, 9000, 19000),
                                   (4, 99, 3, 0, 1, 2);
create table compute_metric_definition(metric_uuid integer primary key, workload_id integer, name text,
                                       metric_id text, description text, table_name text, sub_table_name text,
                                       unit text);
insert into compute_metric_definition values(1, 1, 'VALU FLOPs', '2.1.0', 'd', 'Speed', 'of light', 'Gflop');
create table compute_roofline_data(roofline_uuid integer primary key, kernel_uuid integer, total_flops float,
                                   l1_cache_data float, l2_cache_data float, hbm_cache_data float);
insert into compute_roofline_data values(1, 1, 100.0, 200.0, 150.0, 120.0);
create view compute_metric_view as select * from compute_metric_definition;
"""
NEW = """
create table compute_kernel_metric_value(value_uuid integer primary key, metric_uuid integer, kernel_uuid integer,
                                         value_name text, value float);
insert into compute_kernel_metric_value values(1, 1, 1, 'avg', 12.5), (2, 1, 2, 'avg', null);
create table compute_workload_metric_value(value_uuid integer primary key, metric_uuid integer, workload_id integer,
                                           value_name text, value float);
insert into compute_workload_metric_value values(1, 1, 1, 'avg', 10.0);
"""
OLD = """
create table compute_value(value_uuid integer primary key, metric_uuid integer, kernel_uuid integer, value_name text,
                           value float);
insert into compute_value values(1, 1, 1, 'avg', 12.5);
"""


def check_compute(folder):
    for name, more, values in (("new.db", NEW, [(None, 10.0), ("copy(double*)", 12.5), ("other", None)]),
                               ("old.db", OLD, [("copy(double*)", 12.5)])):
        path = os.path.join(folder, name)
        db = sqlite3.connect(path)
        db.executescript(DATABASE + more)
        db.close()
        same(f"{name}: workload", [("vcopy/MI300X", "MI300X_A1", "3.4.0", "2.3.0")],
             ask(path, "select name, gpu, version, schema from workloads"))
        same(f"{name}: kernels", [("other", 1, 10000.0), ("copy(double*)", 2, 5000.0), ("never", 0, None)],
             ask(path, "select name, dispatches, total_ns from workload_kernels"))
        same(f"{name}: metrics", values, ask(path, "select kernel, value from workload_metrics order by kernel"))
        same(f"{name}: dispatches", [(None, 1), ("copy(double*)", 2), ("other", 1)],
             ask(path, "select kernel, count(*) from workload_dispatches group by 1"))
        same(f"{name}: roofline", [(100.0, 120.0, None)],
             ask(path, "select total_flops, hbm_cache_data, lds_cache_data from workload_rooflines"))
        same(f"{name}: as text", True, b"VALU FLOPs" in run("analyze", path).stdout)
        r = run("convert", path, "-f", "csv", "-o", os.path.join(folder, "x"), code=4)
        same(f"{name}: is no trace", True, b"rocprof-compute" in r.stderr)


# ---- lines of rocprof ----

def lines(pid, pre, folder):
    put = lambda name, text: write(os.path.join(folder, f"{pre}{name}_trace.txt"), text)
    put("hip_api", f"1000:2000 {pid}:{pid} hipMalloc(ptr=0x7f0000, size=64) :1\n"
        f"2100:5000 {pid}:{pid} hipMemcpy(dst=0x7f, src=0x55, sizeBytes=4194304, kind=1) :2\n"
        f"5100:5400 {pid}:{pid} hipLaunchKernel(f=0x1, stream=stream:<null>) kernel=void foo<int, 3>(float*) :3\n"
        f"5500:5900 {pid}:{pid + 1} hipLaunchKernel(f=0x1, stream=0x1f) kernel=bar(float*) :4\n")
    put("hsa_api", f"2200:2300 {pid}:{pid} hsa_amd_memory_async_copy(dst=0x7f, dst_agent=0x1, size=4194304) = 0 :101\n")
    put("hcc_ops", f"2400:4900 0:0 CopyHostToDevice:2:{pid}\n5600:6600 0:0 KernelExecution:3:{pid}\n"
        f"6700:8000 1:1 bar(float*):4:{pid}\n8100:8200 0:0 Marker:5:{pid}\nnot a record\n")
    put("async_copy", f"2400:4900 async-copy:101:{pid}\n")
    put("roctx", f'500 {pid}:{pid} 1:0:"phase "a""\n600 {pid}:{pid} 0:0:"mark"\n700 {pid}:{pid} 3:9:"job"\n'
        f'9500 {pid}:{pid} 2:0:""\n9700 {pid}:{pid} 4:9:""\n')


KERNELS = "select name, start, end, gpu, pid, tid, call is not null from kernels order by pid, start"
COPIES = "select name, start, end, size, call is not null from memory_copies"
MARKS = "select name, start, end, kind from marker_rows order by pid, start"


def check_lines(folder):
    one = os.path.join(folder, "one")
    os.mkdir(one)
    lines(70, "", one)
    want = [("void foo<int, 3>(float*)", 5600, 6600, 0, 70, 70, 1), ("bar(float*)", 6700, 8000, 1, 70, 71, 1)]
    same("lines: kernels", want, ask(one, KERNELS))
    same("lines: by one of the files", want, ask(os.path.join(one, "hcc_ops_trace.txt"), KERNELS))
    same("lines: a copy once, with its size", [("MEMORY_COPY_HOST_TO_DEVICE", 2400, 4900, 4194304, 1)], ask(one, COPIES))
    same("lines: markers", [('phase "a"', 500, 9500, "thread range"), ("mark", 600, 600, "instant"),
                            ("job", 700, 9700, "process range")], ask(one, MARKS))
    same("lines: calls", [("HIP_RUNTIME_API", 4), ("HSA_API", 1)],
         ask(one, "select category, count(*) from regions where category not like 'MARKER%' group by 1"))
    same("lines: what is none is counted", True, b"lines that are no records" in run("info", one).stdout)
    os.remove(os.path.join(one, "hcc_ops_trace.txt"))
    same("lines: copies of HSA", [("MEMORY_COPY_NONE", 2400, 4900, 4194304, 1)], ask(one, COPIES))
    two = os.path.join(folder, "two")
    os.mkdir(two)
    for pid in (70, 80):
        lines(pid, f"{pid}_", two)
    same("lines of two processes", want + [w[:4] + (w[4] + 10, w[5] + 10) + w[6:] for w in want], ask(two, KERNELS))
    early = os.path.join(folder, "early")
    os.mkdir(early)
    write(os.path.join(early, "hip_api_trace.txt"),
          "2100:3000 10:10 hipMemcpy(dst(0x7f) src(0x5) sizeBytes(64) kind(2))\n"
          "3100:3200 10:11 hipLaunchKernel(kernel(foo(int)) stream(nil))\n")
    write(os.path.join(early, "hcc_ops_trace.txt"), "2200:2900 0:0 hcMemcpyDeviceToHost:1\n3300:4000 0:0 hcCommandKernel:2\n")
    write(os.path.join(early, "roctx_trace.txt"), "900 10:10 1:phase one\n4100 10:10 2:\n")
    same("early lines: kernels", [("foo(int)", 3300, 4000, 0, 10, 11, 1)], ask(early, KERNELS))
    same("early lines: copies", [("MEMORY_COPY_DEVICE_TO_HOST", 2200, 2900, 64, 1)], ask(early, COPIES))
    same("early lines: markers", [("phase one", 900, 4100, "thread range")], ask(early, MARKS))
    counted = os.path.join(folder, "counted")
    os.mkdir(counted)
    write(os.path.join(counted, "results.txt"),
          'dispatch[0], gpu-id(1), queue-id(2), queue-index(0), pid(10), tid(11), grd(1024), wgr(64), lds(512), scr(0), '
          'vgpr(8), sgpr(16), fbar(0), sig(0x0), obj(0x7f), kernel-name("foo(float*) [clone .kd]"), '
          'time(3000,3300,4000,4100)\n  SQ_WAVES (16)\n  WRITE_SIZE (12.5)\n')
    same("dispatches as lines", [("foo(float*)", 3300, 4000, 1, 10, 11, 0)], ask(counted, KERNELS))
    same("their counters", [("SQ_WAVES", 16.0), ("WRITE_SIZE", 12.5)],
         ask(counted, "select counter_name, value from counters_collection order by 1"))
    same("how they were launched", [(1024, 64, 512)],
         ask(counted, "select grid_x, workgroup_x, lds_size from kernels"))


def check_second(folder):
    put = lambda name, text: write(os.path.join(folder, f"{name}_55.csv"), text)
    put("hip_api_trace", "Domain,Function,Start_Timestamp,End_Timestamp,Correlation_ID\n\n"
        'HIP_API_DOMAIN,"hipMalloc",1000,2000,1\nHIP_API_DOMAIN,"hipLaunchKernel","foo",2100,2500,2\n')
    put("hcc_ops_trace", "Domain,Operation,Kernel_Name,Start_Timestamp,Stop_Timestamp,Correlation_ID\n\n"
        'HIP_OPS_DOMAIN,"DISPATCH_OP","foo",2600,3000,2\nHIP_OPS_DOMAIN,"COPY_OP",,3100,3200,3\n')
    put("roctx_trace", 'Domain,ROCTX_ID,Message,Timestamp\n\nROCTX_DOMAIN,0,"a, b",900\nROCTX_DOMAIN,0,,3300\n')
    put("results", "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,arch_vgpr,accum_vgpr,sgpr,"
        'wave_size,DispatchNs,BeginNs,EndNs,CompleteNs\n\n1,"foo",0,0,0,55,55,64,64,0,0,8,0,16,64,0,2600,3000,0\n')
    same("rocprofv2: a kernel once", [("foo", 2600, 3000, 0, 55, 55, 1)], ask(folder, KERNELS))
    same("rocprofv2: copies", [("MEMORY_COPY_NONE", 3100, 3200, None, 0)], ask(folder, COPIES))
    same("rocprofv2: markers", [("a, b", 900, 3300, "thread range")], ask(folder, MARKS))
    for name in ("hip_api_trace", "hcc_ops_trace", "roctx_trace"):
        os.remove(os.path.join(folder, f"{name}_55.csv"))
    same("rocprofv2: results alone", [("foo", 2600, 3000, 0, 55, 55, 0)], ask(folder, KERNELS))


# ---- formats together ----

def check_mixed(folder):
    paths = []
    for form, end in (("rocpd", "a.db"), ("nsys", "b.sqlite"), ("kineto", "c.json")):
        paths.append(os.path.join(folder, end))
        run("synth", "demo", "--format", form, "-o", paths[-1])
    one = [ask(p, "select count(*), sum(duration) from kernels")[0] for p in paths]
    same("query over three formats", [tuple(map(sum, zip(*one)))],
         ask(paths, "select count(*), sum(duration) from kernels"))
    same("query over three formats, by trace", sorted(one),
         sorted(ask(paths, "select count(*), sum(duration) from kernels group by trace")))
    r = run("analyze", *paths, code=2)
    same("analyze does not mix clocks", True, b"different formats" in r.stderr)


def main():
    global gpusight
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    gpusight = os.path.abspath(parser.parse_args().gpusight)
    for part in (check_profiles, check_statistics, check_compute, check_lines, check_second, check_mixed):
        with tempfile.TemporaryDirectory() as folder:
            part(folder)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
