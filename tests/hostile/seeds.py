"""Small sound inputs of every format: what hostile files are made of, and what mutate.py changes.

Those that `gpusight synth` can write come from it (set_program() first); the others are written
here. Every function writes to the path it is given and returns it.
"""
import csv
import gzip
import json
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import xla_files

_program = None
_cache = None  # a folder with what synth has written, made once a process

KERNEL = "_Z4axpyPfS_fi"
INT64_MAX = 2**63 - 1


def set_program(path):
    global _program
    _program = os.path.abspath(path)


def synth(path, *args):
    """A file of `gpusight synth ARGS`, copied if the same was asked for before."""
    global _cache
    if _cache is None:
        _cache = tempfile.TemporaryDirectory(prefix="hostile-seeds-")
    name = os.path.join(_cache.name, "".join(c if c.isalnum() else "_" for c in "-".join(args)))
    if not os.path.exists(name):
        subprocess.run([_program, "synth", "-q", *args, "-o", name], check=True,
                       capture_output=True)
    (shutil.copytree if os.path.isdir(name) else shutil.copyfile)(name, path)
    return path


def rocpd(path, *args):
    return synth(path, "demo", "--set", "n=2", "--args", "1", "--page-size", "512", *args)


def nsys(path):
    return synth(path, "demo", "--set", "n=2", "--format", "nsys", "--page-size", "512")


def nsys_old(path):
    """An export as old versions wrote them: few tables, no enumerations, no kinds declared."""
    db = sqlite3.connect(path)
    db.executescript("""PRAGMA page_size=512;
        CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
        INSERT INTO StringIds VALUES(1,'_Z4axpyPfS_fi'),(2,'axpy'),(3,'cudaLaunchKernel_v7000'),
            (4,'cudaMemcpyAsync_v3020'),(5,'step');
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, "end", deviceId, contextId, streamId,
            correlationId, globalPid, demangledName, shortName, registersPerThread, gridX, gridY,
            gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory);
        CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start, "end", deviceId, contextId, streamId,
            correlationId, globalPid, bytes, copyKind, srcKind, dstKind);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, "end", eventClass, globalTid, correlationId,
            nameId, returnValue);
        CREATE TABLE NVTX_EVENTS(start, "end", eventType, rangeId, text, globalTid, textId);
        INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(100, 900, 0, 1, 7, 90, 16777216, 4096, 1, 0, 2);
        INSERT INTO NVTX_EVENTS VALUES(50, 90000, 59, NULL, 'round', 16777217, NULL),
            (60, 80000, 59, NULL, NULL, 16777217, 5);""")
    for i in range(1, 40):
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?,?,0,1,7,?,16777216,1,2,32,8,1,1,"
                   "64,1,1,0,0)", (i * 2000, i * 2000 + 1500, i))
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(?,?,0,16777217,?,3,0)",
                   (i * 1000, i * 1000 + 300, i))
    db.commit()
    db.close()
    return path


def rocpd_log(path):
    """A folder with a database whose last rows are only in the log beside it."""
    os.makedirs(path)
    subprocess.run([_program, "synth", "-q", "demo", "--set", "n=2", "--page-size", "512", "--journal",
                    "wal-left", "-o", f"{path}/a.db"], check=True, capture_output=True)
    return path


def chrome(path):
    """Events as other programs write them: a plain list, begin and end apart, flows, counters."""
    of = [{"ph": "M", "name": "process_name", "pid": 7, "args": {"name": "app"}},
          {"ph": "M", "name": "thread_sort_index", "pid": 7, "tid": 2, "args": {"sort_index": 1}},
          {"ph": "C", "name": "memory", "pid": 7, "ts": 5, "args": {"bytes": 100, "x": 0.5}},
          {"ph": "i", "name": "mark", "pid": 7, "tid": 1, "ts": 6, "s": "g"},
          {"ph": "b", "cat": "a", "name": "x", "id": "0x1", "pid": 7, "ts": 1},
          {"ph": "e", "cat": "a", "name": "x", "id": "0x1", "pid": 7, "ts": 60}]
    for i in range(12):
        at = i * 100
        of += [{"ph": "B", "name": "call", "pid": 7, "tid": 1, "ts": at},
               {"ph": "s", "id": i, "name": "f", "cat": "ac2g", "pid": 7, "tid": 1, "ts": at + 1},
               {"ph": "E", "pid": 7, "tid": 1, "ts": at + 20.5},
               {"ph": "f", "id": i, "bp": "e", "name": "f", "cat": "ac2g", "pid": 0, "tid": 7,
                "ts": at + 30},
               kernel_event(ts=at + 30, dur=40, args={"correlation": i})]
    return write_json(path, of)


def kineto_gz(path):
    with tempfile.TemporaryDirectory() as folder:
        data = open(events(f"{folder}/a", *(kernel_event(f"k{i % 3}", i * 9000) for i in range(30))),
                    "rb").read()
    return write_text(path, gzip.compress(data, mtime=0))


def kineto_zst(path):
    """A frame of blocks that are not packed, so that changes reach what is in them."""
    with tempfile.TemporaryDirectory() as folder:
        data = open(events(f"{folder}/a", *(kernel_event(f"k{i % 3}", i * 9000) for i in range(30))), "rb").read()
    blocks = [data[i:i + 4096] for i in range(0, len(data), 4096)]
    return write_text(path, struct.pack("<IBQ", 0xFD2FB528, 0xE0, len(data)) + b"".join(
        (len(b) << 3 | (i == len(blocks) - 1)).to_bytes(3, "little") + b for i, b in enumerate(blocks)))


def kineto(path):
    return synth(path, "demo", "--set", "n=2", "--format", "kineto")


def rocprofv3_json(path):
    return synth(path, "demo", "--set", "n=2", "--format", "rocprofv3-json")


def job(path):
    """A folder with two ranks."""
    return synth(path, "mpi_job", "--set", "ranks=2", "--set", "n=2", "--page-size", "512")


def profile(path):
    """A baseline, as `compare --save-baseline` writes it."""
    with tempfile.TemporaryDirectory() as folder:
        trace = rocpd(os.path.join(folder, "a.db"))
        subprocess.run([_program, "compare", "-q", trace, trace, "--save-baseline", "x",
                        "--baseline-dir", folder], check=True, capture_output=True)
        found = [os.path.join(at, f) for at, _, files in os.walk(folder) for f in files
                 if f.startswith("x") and f.endswith(".json")]
        shutil.copyfile(found[0], path)
    return path


def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as f:
        csv.writer(f).writerows(rows)
    return path


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f)
    return path


def write_text(path, text):
    with open(path, "wb") as f:
        f.write(text.encode() if isinstance(text, str) else text)
    return path


# ---- events of a PyTorch trace, for files of a few lines

def kernel_event(name=KERNEL, ts=1, dur=5000, stream=7, **more):
    args = {"device": 0, "stream": stream, "correlation": 1, **more.pop("args", {})}
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur,
            "args": args, **more}


def events(path, *list_of_events, **more):
    return write_json(path, {"traceEvents": list(list_of_events), **more})


# ---- what synth does not write

RPD = """
CREATE TABLE rocpd_string (id integer PRIMARY KEY, string varchar(4096) NOT NULL);
CREATE TABLE rocpd_op (id integer PRIMARY KEY, gpuId integer, queueId integer, sequenceId integer,
  completionSignal varchar(18), start integer, "end" integer, description_id integer,
  opType_id integer);
CREATE TABLE rocpd_api (id integer PRIMARY KEY, pid integer, tid integer, start integer,
  "end" integer, apiName_id integer, args_id integer);
CREATE TABLE rocpd_api_ops (id integer PRIMARY KEY, api_id integer, op_id integer);
CREATE TABLE rocpd_kernelapi (api_ptr_id integer PRIMARY KEY, stream varchar(18), gridX integer,
  gridY integer, gridZ integer, workgroupX integer, workgroupY integer, workgroupZ integer,
  groupSegmentSize integer, privateSegmentSize integer, kernelName_id integer);
CREATE TABLE rocpd_copyapi (api_ptr_id integer PRIMARY KEY, stream varchar(18), size integer,
  width integer, height integer, kind integer, dst varchar(18), src varchar(18),
  dstDevice integer, srcDevice integer, sync bool, pinned bool);
CREATE TABLE rocpd_metadata (id integer PRIMARY KEY, tag varchar(4096), value varchar(4096));
CREATE TABLE rocpd_monitor (id integer PRIMARY KEY, deviceType varchar(16), deviceId integer,
  monitorType varchar(16), start integer, "end" integer, value varchar(255));
INSERT INTO rocpd_metadata(tag, value) VALUES ('schema_version', '2');
INSERT INTO rocpd_string VALUES (1,''),(2,'hipLaunchKernel'),(3,'hipMemcpyAsync'),
  (4,'UserMarker'),(5,'KernelExecution'),(6,'CopyHostToDevice'),(7,'_Z3addPfi.kd'),(8,'step');
INSERT INTO rocpd_copyapi VALUES (3,'0x30',4096,'','',1,'0x1','0x2',0,0,0,1);
INSERT INTO rocpd_monitor(deviceType,deviceId,monitorType,start,"end",value) VALUES
  ('gpu',0,'sclk',1000,2000,'800'),('gpu',0,'sclk',2000,3000,'1700.5');
"""


def rpd(path):
    db = sqlite3.connect(path)
    db.executescript("PRAGMA page_size=512;" + RPD)
    db.execute("INSERT INTO rocpd_api VALUES (3,70,71,900,990,3,1)")
    db.execute("INSERT INTO rocpd_op VALUES (3,0,0,0,'',2000,2900,1,6)")
    db.execute("INSERT INTO rocpd_api_ops VALUES (3,3,3)")
    db.execute("INSERT INTO rocpd_api VALUES (4,70,71,800,9000000,4,8)")
    for i in range(10, 60):
        db.execute("INSERT INTO rocpd_api VALUES (?,70,71,?,?,2,1)", (i, i * 1000, i * 1000 + 100))
        db.execute("INSERT INTO rocpd_op VALUES (?,0,0,0,'',?,?,7,5)",
                   (i, i * 100000, i * 100000 + 50000))
        db.execute("INSERT INTO rocpd_api_ops VALUES (?,?,?)", (i, i, i))
        db.execute("INSERT INTO rocpd_kernelapi VALUES (?,'0x0',4,2,1,64,1,1,512,16,7)", (i,))
    db.commit()
    db.close()
    return path


CSV_HEAD = ("Kind Agent_Id Queue_Id Stream_Id Thread_Id Dispatch_Id Kernel_Id Kernel_Name "
            "Correlation_Id Start_Timestamp End_Timestamp LDS_Block_Size Scratch_Size VGPR_Count "
            "Accum_VGPR_Count SGPR_Count Workgroup_Size_X Workgroup_Size_Y Workgroup_Size_Z "
            "Grid_Size_X Grid_Size_Y Grid_Size_Z").split()


def rocprofv3_csv(path, name="1", rows=20, kernel=KERNEL):
    """A folder with the kernels, calls and copies of one process."""
    os.makedirs(path, exist_ok=True)
    write_csv(f"{path}/{name}_kernel_trace.csv", [CSV_HEAD] + [
        ["KERNEL_DISPATCH", "Agent 4", 1, 1, 77, i, 10, kernel, i, 10**9 + i * 9000,
         10**9 + i * 9000 + 7000, 0, 0, 8, 0, 16, 64, 1, 1, 1024, 1024, 1] for i in range(rows)])
    write_csv(f"{path}/{name}_hip_api_trace.csv", [
        ["Domain", "Function", "Process_Id", "Thread_Id", "Correlation_Id", "Start_Timestamp",
         "End_Timestamp"]] + [
        ["HIP_RUNTIME_API", "hipLaunchKernel", 70, 77, i, 10**9 + i * 900, 10**9 + i * 900 + 80]
        for i in range(rows)])
    write_csv(f"{path}/{name}_memory_copy_trace.csv", [
        ["Kind", "Direction", "Stream_Id", "Source_Agent_Id", "Destination_Agent_Id",
         "Correlation_Id", "Start_Timestamp", "End_Timestamp"],
        ["MEMORY_COPY", "MEMORY_COPY_HOST_TO_DEVICE", 1, "Agent 0", "Agent 4", 99, 10**9, 10**9 + 99]])
    return path


def converted(path, form):
    """A small trace in another format, by gpusight itself."""
    trace = synth(path + ".source.db", "demo", "--set", "n=1", "--set", "tiny=2")
    subprocess.run([_program, "convert", trace, "-f", form, "-o", path], check=True, capture_output=True)
    os.remove(trace)
    return path


def perfetto(path):
    return converted(path, "pftrace")


def xplane(path):
    return xla_files.write_xplane(path, xla_files.example(2))


def jax(path):
    return xla_files.write_json(path, xla_files.example(2))


def converted_or_not(trace, form, path):
    """The trace in another form, or itself where the program has none such."""
    done = subprocess.run([_program, "convert", trace, "-f", form, "-o", path], check=False, capture_output=True)
    return trace if done.returncode else path


def otf2(path):
    """A folder with an archive; of a build without libotf2, with something else."""
    os.makedirs(path)
    try:
        converted(f"{path}/a", "otf2")
    except subprocess.CalledProcessError:
        converted(f"{path}/a.pftrace", "pftrace")
    return path


def rocprof_v1(path):
    """results.csv of the older rocprof."""
    head = ("Index KernelName gpu-id queue-id queue-index pid tid grd wgr lds scr arch_vgpr accum_vgpr sgpr "
            "wave_size sig obj SQ_WAVES DispatchNs BeginNs EndNs CompleteNs DurationNs").split()
    return write_csv(path, [head] + [
        [i, KERNEL, 0, 0, i, 70, 77, 2048, 256, 0, 0, 8, 0, 16, 64, "0x0", "0x1", 32.5, 10**9 + i * 9000,
         10**9 + i * 9000 + 10, 10**9 + i * 9000 + 7010, 10**9 + i * 9000 + 7020, 7000] for i in range(20)])


def rocprof_lines(path):
    """What the older rocprof keeps while it runs."""
    os.makedirs(path, exist_ok=True)
    calls = "".join(f"{i * 9000}:{i * 9000 + 800} 70:77 hipLaunchKernel(f=0x1, stream=0x2) kernel={KERNEL} :{i}\n"
                    for i in range(1, 20))
    work = "".join(f"{i * 9000 + 1000}:{i * 9000 + 7000} 0:0 {'KernelExecution' if i % 3 else 'CopyHostToDevice'}"
                   f":{i}:70\n" for i in range(1, 20))
    for name, text in (("hip_api", calls), ("hcc_ops", work), ("async_copy", "5000:6000 async-copy:7:70\n"),
                       ("roctx", '500 70:77 1:0:"phase"\n700 70:77 3:9:"job"\n90000 70:77 2:0:""\n')):
        with open(f"{path}/{name}_trace.txt", "w") as f:
            f.write(text)
    return path


def sums(path):
    """Tables without times: of rocprof-sys as text and JSON, statistics."""
    os.makedirs(path, exist_ok=True)
    write_csv(f"{path}/x_kernel_stats.csv", [["Name", "Calls", "TotalDurationNs", "AverageNs", "Percentage"],
                                             [KERNEL, 3, 900, 300.0, 90.0], ["b", 1, 100, 100.0, 10.0]])
    with open(f"{path}/wall_clock.txt", "w") as f:
        f.write("|-----|\n| LABEL | COUNT | DEPTH | METRIC | UNITS | SUM | MEAN | % SELF |\n|---|---|---|\n"
                "| |00>>> main | 1 | 0 | wall_clock | sec | 1.5 | 1.5 | 20.0 |\n"
                "| |00>>> |_work | 4 | 1 | wall_clock | sec | 1.0 | 0.25 | 100.0 |\n|-----|\n")
    entry = {"laps": 1, "value": 5, "repr_data": 0.5}
    with open(f"{path}/wall_clock.json", "w") as f:
        json.dump({"timemory": {"wall_clock": {"type": "wall_clock", "unit_repr": "sec", "ranks": [
            {"rank": 0, "graph": [{"prefix": "|0>>> main", "depth": 0, "entry": entry,
                                   "stats": {"sum": 0.5, "count": 1, "min": 0.5, "max": 0.5, "mean": 0.5}}]}]}}}, f)
    return path


def compute_db(path):
    """The database of 'rocprof-compute analyze'."""
    db = sqlite3.connect(path)
    db.executescript("""PRAGMA page_size=512;
        CREATE TABLE compute_metadata(compute_version TEXT, schema_version TEXT);
        CREATE TABLE compute_workload(workload_id INTEGER, name TEXT, sub_name TEXT, sys_info_extdata TEXT);
        CREATE TABLE compute_kernel(kernel_uuid INTEGER, workload_id INTEGER, kernel_name TEXT);
        CREATE TABLE compute_dispatch(kernel_uuid INTEGER, dispatch_id INTEGER, gpu_id INTEGER,
            start_timestamp INTEGER, end_timestamp INTEGER);
        CREATE TABLE compute_metric_definition(metric_uuid INTEGER, workload_id INTEGER, metric_id TEXT, name TEXT,
            unit TEXT, table_name TEXT, sub_table_name TEXT);
        CREATE TABLE compute_kernel_metric_value(metric_uuid INTEGER, kernel_uuid INTEGER, value_name TEXT, value REAL);
        CREATE TABLE compute_workload_roofline_data(workload_id INTEGER, total_flops REAL, l1_cache_data REAL,
            l2_cache_data REAL, hbm_cache_data REAL);
        INSERT INTO compute_metadata VALUES('3.4.0', '2');
        INSERT INTO compute_workload VALUES(1, 'vcopy', 'MI300X', '[{"gpu_model": "MI300X", "cu_per_gpu": 304}]');
        INSERT INTO compute_kernel VALUES(1, 1, '_Z4axpyPfS_fi'), (2, 1, 'b');
        INSERT INTO compute_metric_definition VALUES(7, 1, '2.1.0', 'VALU', 'GFLOP/s', 'Speed of light', 'all');
        INSERT INTO compute_kernel_metric_value VALUES(7, 1, 'Avg', 12.5), (7, 2, 'Avg', NULL);
        INSERT INTO compute_workload_roofline_data VALUES(1, 1e12, 1e9, 1e9, 1e8);""")
    db.executemany("INSERT INTO compute_dispatch VALUES(?,?,0,?,?)",
                   [(1 + i % 2, i, i * 9000, i * 9000 + 700) for i in range(20)])
    db.commit()
    db.close()
    return path


def fleet(path):
    """What `collect` has written of two runs."""
    with tempfile.TemporaryDirectory() as folder:
        traces = [rocpd(os.path.join(folder, "a.db")), nsys(os.path.join(folder, "b.sqlite"))]
        subprocess.run([_program, "collect", "-q", *traces, "--db", path], check=True, capture_output=True)
    return path


def session(path):
    """A folder with a session of two checkpoints, of a source that is not there."""
    os.makedirs(path, exist_ok=True)
    def checkpoint(number, **more):
        return {"number": number, "parent": number - 1, "time": "2030-01-31T12:00:00Z", "summary": "a change",
                "finding": "ROCPD-TINY-001", "result": "kept" if number else "base", "commit": "", "key": "k",
                "change_pct": -5.5, "noise_pct": 1.5, "predicted_pct": None, "blacklisted": False,
                "files": [{"path": "a.c", "object": "00" * 32, "mode": 420}], **more}
    write_json(f"{path}/session.json", {
        "version": 1, "id": "x", "created": "2030-01-31T12:00:00Z", "updated": "2030-01-31T12:00:00Z",
        "source": "/does/not/exist", "here": "/does/not/exist", "app": ["./app", "-n", "5"], "variables": ["A"],
        "hidden": False, "build": "make", "test": None, "tolerance": 1e-6, "patches": None, "propose": None,
        "goal_pct": 10, "budget_s": 60, "repeat": 3, "plateau": 2, "current": 1, "moving": -1, "trace": None,
        "checkpoints": [checkpoint(0), checkpoint(1)],
        "events": [{"time": "2030-01-31T12:00:00Z", "kind": k, "text": "t", "checkpoint": 1, "seconds": 1.5}
                   for k in ("new", "build", "measure", "kept", "note")]})
    return path


def dialogue(path):
    """A recorded dialogue with a language model: an answer, calls of tools, thoughts, hypotheses."""
    answers = [[{"note": "hm"}, {"text": "the GPU is busy 81.6 % of the time"},
                {"call": {"id": "1", "name": "hotspots", "arguments": "{}"}}, {"stop": "calls"}],
               [{"text": "```json\n{\"hypotheses\": [{\"bottleneck_type\": \"x\", \"claimed_pct\": 5}]}\n```"},
                {"usage": {"input": 5, "output": 7}}, {"stop": "end"}],
               [{"text": "it waits"}, {"stop": "end"}]]
    return write_text(path, "".join(json.dumps({
        "exchange": i + 1, "provider": "anthropic", "model": "m", "sha256": "00", "request": "{}",
        "events": e}) + "\n" for i, e in enumerate(answers)))


def names_key(path):
    """The names that `anonymise --key` kept."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([_program, "anonymise", "-q", rocpd(f"{folder}/a.db"), "-o", f"{folder}/b.db", "--key", path],
                       check=True, capture_output=True)
    return path


def truth(path):
    """Traces with their truth, and the evaluation of them."""
    os.makedirs(path)
    rocpd(f"{path}/a.db")
    write_json(f"{path}/a.truth.json", {"scenario": "a", "expected_bottleneck": "small_grid", "also_true":
               ["dominant_kernel"], "suggestions": ["tune it"], "share_pct": 56.3})
    subprocess.run([_program, "evaluate", "-q", path, "--json", "-o", f"{path}/saved.json"], check=True,
                   capture_output=True)
    return path


def told(path):
    """Reports of a trace in forms that `verify` reads."""
    os.makedirs(path)
    trace = rocpd(f"{path}/a.db")
    for form, name in (("json", "r.json"), ("html", "r.html"), ("markdown", "r.md"), ("text", "r.txt")):
        subprocess.run([_program, "analyze", "-q", trace, "--format", form, "-o", f"{path}/{name}"], check=True,
                       capture_output=True)
    os.remove(trace)
    return path


def workload(path, name="vcopy"):
    """A folder of rocprof-compute."""
    os.makedirs(path, exist_ok=True)
    write_csv(f"{path}/pmc_perf.csv", [
        ["Dispatch_ID", "Kernel_Name", "GPU_ID", "Grid_Size", "Workgroup_Size", "Start_Timestamp",
         "End_Timestamp", "SQ_WAVES", "GRBM_GUI_ACTIVE", "SQ_INSTS_VALU", "TCC_HIT_sum",
         "TCC_MISS_sum"]] + [
        [i, KERNEL, 0, 65536, 64, i * 10**6, i * 10**6 + 5000, 1024, 9000, 70000, 500, 400]
        for i in range(12)])
    info = {"workload_name": name, "gpu_model": "MI200", "gpu_arch": "gfx90a", "se_per_gpu": 8,
            "cu_per_gpu": 104, "simd_per_cu": 4, "wave_size": 64, "max_waves_per_cu": 32,
            "max_sclk": 1700, "max_mclk": 1600, "total_l2_chan": 32, "lds_banks_per_cu": 32,
            "sqc_per_gpu": 56, "num_xcd": 1}
    write_csv(f"{path}/sysinfo.csv", [list(info), list(info.values())])
    write_csv(f"{path}/roofline.csv", [["device", "HBMBw", "L2Bw", "FP32Flops"],
                                       [0, 1300.5, 3500, 20000]])
    return path


ATT_CODE = [
    ["; axpy", 0, 0, "", 2, 4096, 0, 0, 0, 0],
    ["s_load_dwordx2 s[0:1], s[4:5], 0x0", 0, 1, "axpy.hip:3", 2, 4096, 4, 16, 0, 400],
    ["s_waitcnt lgkmcnt(0)", 0, 2, "axpy.hip:3", 2, 4104, 4, 816, 800, 0],
    ["global_load_dword v1, v[2:3], off", 0, 3, "axpy.hip:5", 2, 4108, 40, 160, 0, 0],
    ["s_waitcnt vmcnt(0)", 0, 4, "axpy.hip:5", 2, 4116, 40, 8000, 8000, 0],
    ["v_add_f32_e32 v0, v0, v1", 0, 5, "axpy.hip:5", 2, 4120, 40, 160, 0, 0],
    ["s_cbranch_scc0 65531", 0, 6, "axpy.hip:4", 2, 4124, 40, 160, 0, 0],
    ["s_endpgm", 0, 7, "axpy.hip:7", 2, 4128, 4, 16, 0, 0]]


def att(path, source="axpy.hip"):
    """A thread trace of one dispatch with one decoded wave; `source` is the file its lines cite."""
    ui = f"{path}/ui_output_agent_1_dispatch_2"
    os.makedirs(ui, exist_ok=True)
    code = [row[:3] + [row[3].replace("axpy.hip", source)] + row[4:] for row in ATT_CODE]
    write_csv(f"{path}/stats_ui_output_agent_1_dispatch_2.csv",
              [["CodeObj", "Vaddr", "Instruction", "Hitcount", "Latency", "Stall", "Idle", "Source"]]
              + [[r[4], r[5], r[0], r[6], r[7], r[8], r[9], r[3]] for r in code])
    write_json(f"{ui}/code.json", {"code": code})
    steps = [[100 + 50 * i, 1 + i % 5, 10, 40, 1 + i % 7] for i in range(21)]
    write_json(f"{ui}/se0_sm0_sl0_wv0.json", {
        "name": "SE0", "duration": 2000, "wave": {"id": 0, "cu": 1, "simd": 0, "slot": 0,
                                                  "begin": 100, "end": 2100, "instructions": steps,
                                                  "timeline": [[1, 400], [2, 600], [3, 1000]]}})
    write_json(f"{ui}/filenames.json", {
        "gfxv": "vega", "gfxip": 9, "global_begin_time": 0,
        "wave_filenames": {"0": {"0": {"0": {"0": ["se0_sm0_sl0_wv0.json", 100, 2100]}}}}})
    write_json(f"{ui}/occupancy.json", {"0": [[100, 1, 0, 0, 1, 2], [2100, 1, 0, 0, 0, 2]],
                                        "dispatches": {"2": "axpy"}})
    write_json(f"{ui}/realtime.json", {"SE0": [[100, 5000], [90000, 9000]],
                                       "metadata": {"frequency": 100000000}})
    write_json(f"{ui}/wstates2.json", {"name": "x", "data": [[0, 1], [5, 2]]})
    write_json(f"{ui}/snapshots.json", {"/": {"src": {source: "source_0_x.cpp"}}})
    write_text(f"{ui}/source_0_x.cpp", "".join(f"line {i};\n" for i in range(1, 40)))
    return path


DESCRIPTION = """# a small program
param n = 3
gpu MI300X
stream work
kernel axpy vgpr=16 wg=256 blocks=1216 dur=40us~5%
process count=2 host="node{rank}" {
    copy h2d size=1MiB
    loop n as i { marker range "round {i}" { launch axpy stream=work } sync stream=work }
}
"""


def description(path):
    return write_text(path, DESCRIPTION)


def source_tree(path):
    os.makedirs(path, exist_ok=True)
    write_text(f"{path}/a.cpp", "void f(){ for(int i=0;i<9;i++){ hipMemcpy(a,b,n,"
               "hipMemcpyHostToDevice); k<<<1,1>>>(a); hipDeviceSynchronize(); } }\n")
    write_text(f"{path}/b.f90", "do i=1,9\n  call k<<<1,1>>>(a)\nend do\n")
    write_text(f"{path}/c.py", "for x in y:\n    z = x.cuda()\n    z.item()\n")
    return path
