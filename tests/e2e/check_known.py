#!/usr/bin/env python3
"""Planted cases that were once answered wrongly, in every form a trace comes in.

    check_known.py --gpusight build/src/cli/gpusight [CASE...]
"""
import argparse
import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import tempfile

FORMS = {"rocpd": ([], ".db"), "nsys": (["--format", "nsys"], ".sqlite"), "kineto": (["--format", "kineto"], ".json")}
CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


class Tool:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, *args, **env):
        done = subprocess.run([self.program, *args], capture_output=True, text=True, timeout=120,
                              env={**os.environ, **env})
        if done.returncode:
            raise RuntimeError(f"gpusight {' '.join(args)}: {done.stderr}")
        self.stderr = done.stderr
        return done.stdout

    def make(self, name, text, *options):
        """The path of a trace, or of a folder of them, made of a description."""
        source = os.path.join(self.folder, "planted.trace")
        with open(source, "w", encoding="utf-8") as f:
            f.write(text)
        out = os.path.join(self.folder, name)
        self.run("synth", source, "-o", out, *options)
        return out

    def forms(self, name, text):
        for form, (options, extension) in FORMS.items():
            yield form, self.make(f"{name}-{form}{extension}", text, *options)

    def analyze(self, *args, **env):
        return json.loads(self.run("analyze", "--json", *args, **env))

    def rocinsight(self, *args, **env):
        return self.analyze("--json-profile", "rocinsight", *args, **env)


def ids(doc):
    return [f["id"] for f in doc["recommendations"]]


# ---- like with like ----

@case
def two_grids_in_turn_are_no_warmup(tool):
    turns = """gpu MI300X
kernel step blocks=4864
loop 40 { launch step blocks=48640 dur=900us; launch step blocks=1216 dur=90us }
sync
"""
    slow_first = turns.replace("loop 40", "launch step blocks=48640 dur=9ms\nloop 40")
    for form, path in tool.forms("turns", turns):
        doc = tool.analyze(path)
        if doc["analyses"]["warmup"] or "ROCPD-WARMUP-001" in ids(doc):
            yield f"{form}: {doc['analyses']['warmup']}"
    for form, path in tool.forms("first", slow_first):
        rows = tool.analyze(path)["analyses"]["warmup"]
        if len(rows) != 1 or rows[0]["median_ns"] != 900000 or rows[0]["excess_ns"] != 8100000:
            yield f"{form}: the slow first call is told as {rows}"


# ---- bases ----

TWO_GPUS = """gpu MI300X count=2
kernel gemm_step blocks=4864
kernel reduce_step blocks=4864
host 20ms
device 0
copy h2d size=64MiB dur=2ms
launch gemm_step dur=10ms
device 1
launch gemm_step dur=10ms
launch reduce_step dur=4ms
sync
device 0
sync
host 30ms
"""


@case
def shares_are_of_span_and_gpus(tool):
    for form, path in tool.forms("two", TWO_GPUS):
        doc, strict = tool.analyze(path), tool.rocinsight(path)
        b = doc["analyses"]["breakdown"]
        for what, d in (("ours", doc), ("rocinsight's", strict)):
            e, t = d["execution_breakdown"], d["interval_timeline"]
            whole = t["total_wall_ns"] * b["gpu_count"]
            if t["total_wall_ns"] != b["gpu_span_ns"] or e["total_runtime_ns"] != b["gpu_span_ns"]:
                yield f"{form}, {what}: wall {t['total_wall_ns']} of a span of {b['gpu_span_ns']}"
            parts = [e[k] for k in ("kernel_time", "memcpy_time", "api_overhead", "idle_time") for k in (k + "_ns",)]
            if sum(parts) != whole:
                yield f"{form}, {what}: parts {parts} do not add up to {whole}"
            shares = [e[k] for k in e if k.endswith("_pct")]
            if not 99.9 < sum(shares) < 100.1:
                yield f"{form}, {what}: shares {shares}"
            for c in d["kernel_categories"]:
                if abs(c["pct_of_total_time"] - 100 * c["total_ns"] / whole) > 0.01:
                    yield f"{form}, {what}: {c}"


@case
def phases_idle_the_same_everywhere(tool):
    path = tool.make("phases.db", """gpu MI300X
kernel first blocks=4864
kernel second blocks=4864
loop 60 { launch first dur=2ms; sync; host 300us }
gap 50ms
loop 60 { launch second dur=1ms; sync; host 900us }
""")
    rows = tool.analyze(path)["analyses"]["phases"]
    phases = json.loads(tool.run("summary", "--json", path))["phases"]
    if len(rows) < 2 or len(rows) != len(phases):
        yield f"{len(rows)} and {len(phases)} phases"
    for r, p in zip(rows, phases):
        if abs(p["total_gpu_idle_s"] - r["idle_ns"] / 1e9) > 1e-12:
            yield f"{p['name']}: {p['total_gpu_idle_s']} s and {r['idle_ns']} ns"


# ---- captures that answer ----

PLAIN = "gpu MI300X\nkernel step blocks=4864 dur=500us\nloop 20 { launch step }\nsync\n"


def commands(doc):
    """Those of warnings, of what is missing, and of findings."""
    yield from (w["recommendation"] for w in doc["warnings"] if w["recommendation"])
    yield from (m["command"] for m in doc["missing"])
    yield from (c["full_command"] for f in doc["recommendations"] for c in f["commands"])


@case
def commands_can_answer(tool):
    bare = PLAIN.replace("loop 20 { launch step }\nsync", "loop 20 as i { launch step at=i*1ms }")
    for name, text in (("plain", PLAIN), ("bare", bare)):
        for form, path in tool.forms(name, text):
            doc = tool.analyze(path)
            for c in commands(doc):
                words = shlex.split(c)
                if "--hip-trace" in words and "--kernel-trace" not in words:
                    yield f"{form}: {c}"
                if form == "kineto" and words[-1] != "./app":
                    yield f"{form}: a name is no program: {c}"
            missing = {m["capability"] for m in doc["missing"]}
            if missing & {"mpi", "collectives"}:
                yield f"{form}, {name}: {missing}: the program uses neither"
            if name == "plain" and missing & {"kernels", "api", "launch_links", "copies", "copy_sizes"}:
                yield f"{form}: {missing} are there, or nothing of the kind was done"
            if name == "bare" and "api" not in missing:
                yield f"{form}: calls are missing and not asked for"
            text = tool.run("info", path)
            for key in ("MPI", "collective"):
                if key in text.partition("It cannot tell")[2]:
                    yield f"{form}: info asks for {key}"


@case
def mpi_is_asked_of_programs_that_use_it(tool):
    path = tool.make("ranks", "gpu MI300X\nkernel step blocks=4864 dur=500us\n"
                     "process count=2 { loop 20 { launch step }\nsync }\n")
    if "mpi" not in {m["capability"] for m in tool.analyze(path)["missing"]}:
        yield "ranks of MPI, and its calls are not asked for"


@case
def everything_captured_is_said(tool):
    path = tool.make("all.db", """gpu MI300X
kernel step blocks=4864 dur=500us
telemetry clock every 1ms idle=100 peak=2100
counter SQ_WAVES = 4864
malloc size=1MiB
copy h2d size=1MiB
marker range "all" { loop 20 { launch step } }
sync
""", "--flavor", "rocprof-sys")
    doc = tool.analyze(path)
    if doc["missing"] or "nothing more to capture" not in tool.run("info", path):
        yield f"missing: {doc['missing']}"


@case
def source_advice_stands_by_priority(tool):
    folder = os.path.join(tool.folder, "src")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "train.py"), "w", encoding="utf-8") as f:
        f.write("import torch\nimport torch.distributed as dist\n"
                "x = torch.zeros(8, device='cuda')\nfor i in range(10):\n    dist.all_reduce(x)\n"
                "    torch.cuda.synchronize()\n    y = x.cpu()\n")
    with open(os.path.join(folder, "a.cu"), "w", encoding="utf-8") as f:
        f.write("__global__ void k() {}\nvoid f() { for (int i = 0; i < 9; i++) { k<<<1, 1>>>(); cudaFree(p); } }\n")
    doc = json.loads(tool.run("analyze", "--json", "--source-dir", folder))
    order = ["HIGH", "MEDIUM", "LOW", "INFO"]
    places = [order.index(r["priority"]) for r in doc["tier0"]["recommendations"]]
    if places != sorted(places) or len(set(places)) < 2:
        yield f"priorities {places}"


# ---- rocinsight's document ----

STATS = """CodeObj,Vaddr,Instruction,Hitcount,Latency,Stall,Idle,Source
1,4096,s_load_dwordx2 s[0:1],6400,20000,10000,0,step.cpp:3
1,4104,global_load_dword v1,6400,100000,90000,0,step.cpp:4
1,4112,s_endpgm,6400,100,0,0,step.cpp:5
"""


@case
def rocinsight_says_when(tool):
    path = tool.make("when.db", PLAIN)
    fixed = tool.rocinsight(path, SOURCE_DATE_EPOCH="1700000000")["metadata"]
    if fixed["analysis_timestamp"] != "2023-11-14T22:13:20+00:00" or fixed["analysis_duration_ms"] != 0:
        yield f"SOURCE_DATE_EPOCH: {fixed}"
    env = {k: v for k, v in os.environ.items() if k != "SOURCE_DATE_EPOCH"}
    done = subprocess.run([tool.program, "analyze", "--json", "--json-profile", "rocinsight", path],
                          capture_output=True, env=env, check=True)
    real = json.loads(done.stdout)["metadata"]
    if real["analysis_timestamp"] < "2024" or real["analysis_duration_ms"] < 1:
        yield f"the clock: {real}"


@case
def the_first_key_finding_is_the_first_finding(tool):
    path = tool.make("waits.db", "gpu MI300X\nkernel step blocks=4864 dur=500us\n"
                     "loop 50 { launch step; sync; host 400us }\n")
    doc = tool.rocinsight(path)
    said = doc["summary"]["key_findings"][0]
    title = tool.analyze(path)["recommendations"][0]["title"]
    if not said.startswith(title):
        yield f"{said!r}, and the first finding is {title!r}"


@case
def a_thread_trace_makes_it_0_4_0(tool):
    path = tool.make("att.db", PLAIN)
    folder, empty = (os.path.join(tool.folder, n) for n in ("att", "empty"))
    os.makedirs(folder, exist_ok=True)
    os.makedirs(empty, exist_ok=True)
    with open(os.path.join(folder, "stats_ui_output_agent_1_dispatch_1.csv"), "w", encoding="utf-8") as f:
        f.write(STATS)
    plain, doc = tool.rocinsight(path), tool.rocinsight("--att-dir", folder, path)
    if plain["schema_version"] != "0.3.0" or "att_trace" in plain:
        yield f"without a thread trace: {plain['schema_version']}"
    if doc["schema_version"] != "0.4.0" or doc["metadata"]["analysis_version"] != "0.4.0":
        yield f"version {doc['schema_version']}"
    if doc["profiling_info"]["analysis_tier"] != 3 or doc["profiling_info"]["profiling_mode"] != "thread_trace":
        yield f"{doc['profiling_info']}"
    att = doc["att_trace"]
    if not att["has_att_data"] or att["summary"] != {"kernel_count": 1, "high_stall_kernels": 1}:
        yield f"{att}"
    k = att["kernels"][0]
    if k["stall_category"] != "att_vmem_latency" or k["total_weighted_stall"] != 100000:
        yield f"{k}"
    top = k["top_stalling_instructions"][0]
    if top["stall_cycles"] != 90000 or top["stall_ratio"] != 0.9 or top["source_line"] != "step.cpp:4":
        yield f"{top}"
    without = tool.analyze("--att-dir", empty, path)
    if "thread trace" not in tool.stderr or not without["hotspots"]:
        yield f"a folder without a thread trace: {tool.stderr!r}"


@case
def bound_kernels_have_rocinsights_ids(tool):
    rules = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "rules")
    for name in ("COMPUTE", "MEMORY"):
        out = os.path.join(tool.folder, "bound.db")
        tool.run("synth", os.path.join(rules, f"{name.lower()}_bound.fires.trace"), "-o", out)
        if f"ROCPD-{name}-BOUND-001" not in ids(tool.rocinsight(out)):
            yield f"{name}: {ids(tool.rocinsight(out))}"


@case
def waves_are_those_launched(tool):
    path = tool.make("waves.db", PLAIN.replace("loop", "counter SQ_WAVES = 19456\nloop"))
    doc = tool.rocinsight(path)
    said = " ".join(w["message"] for w in doc["warnings"])
    if doc["hardware_counters"]["metrics"]["avg_waves"] != 19456 or "not occupancy" not in said:
        yield f"{doc['hardware_counters']['metrics']}: {said}"


# ---- jobs ----

NODES = """gpu MI300X
kernel work blocks=4864 dur=5ms
process count=2 host=alpha {
    loop 40 { launch work dur=(3+rank)*1ms; sync; mpi MPI_Allreduce dur=50us bytes=1024 }
}
process count=2 host=beta ahead=3280000s {
    loop 40 { launch work dur=3ms; sync; mpi MPI_Allreduce dur=50us bytes=1024 }
}
"""


def without_paths(x):
    if isinstance(x, dict):
        return {k: without_paths(v) for k, v in x.items() if k not in ("file", "path", "database_file")}
    return [without_paths(v) for v in x] if isinstance(x, list) else x


@case
def a_merged_file_is_its_parts(tool):
    for flavor in ("rocprofv3", "rocprofv3-3.0.5", "rocprof-sys"):
        parts = tool.analyze(tool.make(f"parts-{flavor}/", NODES, "--flavor", flavor))
        whole = tool.analyze(tool.make(f"whole-{flavor}.db", NODES, "--flavor", flavor, "--merge"))
        for key in parts:
            if without_paths(parts[key]) != without_paths(whole[key]):
                yield f"{flavor}: {key} differs"
        if whole["job"]["window_ns"] > 10**9 or whole["job"]["hosts"] != 2 or not whole["job"]["wait_ns"]:
            yield f"{flavor}: {whole['job']}"


APART = "gpu MI300X\nkernel k blocks=4864 dur=10ms\nprocess pid=7 { loop 5 { launch k }\nsync }\n"


@case
def time_between_captures_is_not_accounted(tool):
    later = "set base=1300000s\n" + APART.replace("pid=7", "pid=8")
    for form, (options, extension) in FORMS.items():
        first = tool.make(f"monday-{form}{extension}", APART, *options)
        second = tool.make(f"thursday-{form}{extension}", later, *options)
        doc = tool.analyze(first, second)
        codes = [r["code"] for r in doc["quality"]["reasons"]]
        b = doc["analyses"]["breakdown"]
        if not 100_000_000 <= b["window_ns"] < 101_000_000 or b["kernel_ns"] != 100_000_000:
            yield f"{form}: a window of {b['window_ns']} ns with {b['kernel_ns']} ns of kernels"
        if "captures-apart" not in codes or "captures-apart" not in json.dumps(
                json.loads(tool.run("info", "--json", first, second))["quality"]):
            yield f"{form}: {codes}"
        if json.loads(tool.run("summary", "--json", first, second))["profile_span_s"] > 1:
            yield f"{form}: summary"


@case
def a_gpu_of_several_hosts_is_named_by_its_host(tool):
    path = tool.make("nodes.db", NODES, "--merge")
    done = subprocess.run([tool.program, "analyze", "--gpu", "0", path], capture_output=True, text=True)
    if done.returncode != 2 or "'alpha' and 'beta'" not in done.stderr or "HOST:0" not in done.stderr:
        yield f"{done.returncode}: {done.stderr}"
    for host, ns in (("alpha", 40 * 7_000_000), ("beta", 40 * 6_000_000)):
        doc = tool.analyze("--gpu", f"{host}:0", path)
        if doc["analyses"]["breakdown"]["kernel_sum_ns"] != ns or doc["analyses"]["breakdown"]["gpu_count"] != 1:
            yield f"{host}: {doc['analyses']['breakdown']}"


# ---- hand-over between threads ----

def two_threads(arrows):
    """Forward on thread 1, backward on thread 2, two launches each, in turn; a Kineto file."""
    events, at = [], 100
    for i in range(8):
        for thread in (1, 2):
            for n in (0, 1):
                call = 4 * i + 2 * thread + n
                events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": thread, "ts": at,
                               "dur": 8, "args": {"correlation": call}})
                events.append({"ph": "X", "cat": "kernel", "name": "work", "pid": 0, "tid": 7, "ts": at + 10, "dur": 5,
                               "args": {"device": 0, "stream": 7, "correlation": call, "grid": [64, 1, 1], "block": [64, 1, 1]}})
                at += 20
            at += 40
        if arrows:
            events += [{"ph": "s", "cat": "fwdbwd", "name": "fwdbwd", "id": i, "pid": 7, "tid": 1, "ts": at - 120},
                       {"ph": "f", "cat": "fwdbwd", "name": "fwdbwd", "id": i, "pid": 7, "tid": 2, "ts": at - 60, "bp": "e"}]
    return json.dumps({"schemaVersion": 1, "deviceProperties": [], "traceEvents": events})


@case
def forward_hands_over_to_backward(tool):
    """So short turns are no pattern of their own; the arrows say whose they are."""
    for arrows in (False, True):
        path = os.path.join(tool.folder, f"arrows-{arrows}.json")
        with open(path, "w", encoding="utf-8") as f:
            f.write(two_threads(arrows))
        n = tool.analyze(path)["analyses"]["critical_path"]["handovers"]
        if (n > 0) != arrows:
            yield f"{n} hand-overs with{'' if arrows else 'out'} arrows"


# ---- unified memory ----

@case
def pages_that_fault_are_told(tool):
    """Nsight's own tables of page faults: ten faults of 40 us in each kernel of 2 ms."""
    path = tool.make("faults.sqlite", "gpu A100\nkernel work wg=256 blocks=4096 dur=2ms\n"
                     "loop 30 { launch work; sync device }\n", "--format", "nsys")
    db = sqlite3.connect(path)
    rows = db.execute("SELECT start, end, globalPid, deviceId FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchall()
    db.execute("CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS (start INTEGER, end INTEGER, globalPid INTEGER,"
               " deviceId INTEGER, address INTEGER, numberOfPageFaults INTEGER, faultAccessType INTEGER)")
    db.execute("CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS (start INTEGER, globalPid INTEGER, address INTEGER)")
    for start, end, pid, device in rows:
        db.executemany("INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS VALUES (?, ?, ?, ?, 4096, 8, 1)",
                       [(start + k * 50000, start + k * 50000 + 40000, pid, device) for k in range(10)])
        db.execute("INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS VALUES (?, ?, 4096)", (end + 1000, pid))
    db.commit()
    db.close()
    doc = tool.analyze(path)
    first = doc["recommendations"][0]
    if first["rule"] != "unified-memory" or "330 page faults" not in first["issue"] or "12.0 ms" not in first["issue"]:
        yield f"{first['rule']}: {first['issue']}"


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", required=True)
    args.add_argument("cases", nargs="*")
    args = args.parse_args()
    bad = 0
    for name in args.cases or CASES:
        with tempfile.TemporaryDirectory() as folder:
            problems = list(CASES[name](Tool(os.path.abspath(args.gpusight), folder)))
        print("not ok" if problems else "ok", "-", name.replace("_", " "))
        for p in problems:
            print("  ", re.sub(r"\s+", " ", p)[:400])
        bad += bool(problems)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
