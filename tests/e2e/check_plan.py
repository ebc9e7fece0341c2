#!/usr/bin/env python3
"""Capture plans: every command is one the tool takes, and nothing is asked for twice.

    check_plan.py --gpusight PROGRAM

Walks every goal on every architecture of src/model/hardware.def with every kind of launcher, and the
findings of every built-in scenario. Commands are taken apart with tests/rules/profilers.py, which
reads the tables of options, counters and blocks on its own; passes are counted again here. Commands
are also run by a shell, with stand-ins for the profilers that write down their arguments.
"""
import argparse
import json
import math
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "rules"))
sys.path.insert(0, os.path.join(ROOT, "tests", "tools"))
import profilers  # noqa: E402
import schema  # noqa: E402

NASTY = ["a b", "it's", "$HOME", "`id`", "$(id)", "\"q\"", "*", "~", "-x", "--", "", "back\\slash", "two\nlines", "é;&|<>", "!!", "#"]
LAUNCHERS = {"none": [], "srun": ["srun", "-n", "4", "--gpus-per-task=1"], "mpirun": ["mpirun", "-np", "4", "-x", "A=1"]}
TRACES = os.environ.get("GPUSIGHT_TRACES") or os.path.join(ROOT, "..", "shared", "traces")
GOALS = re.findall(r"^GOAL\((\w+)", open(os.path.join(ROOT, "src/plan/goals.def"), encoding="utf-8").read(), re.M)
RECORDER = """#!/usr/bin/env python3
import json, os, sys
with open(os.environ["RECORD"], "a") as f:
    f.write(json.dumps([os.path.basename(sys.argv[0])] + sys.argv[1:]) + "\\n")
"""
# Two ranks, one after the other; options as this test uses them.
FAKE_SRUN = """#!/bin/sh
while :; do case $1 in -n) shift 2;; -*) shift;; *) break;; esac; done
for SLURM_PROCID in 0 1; do export SLURM_PROCID; "$@" || exit; done
"""
SCHEMA = schema.load(os.path.join(ROOT, "schema", "plan.schema.json"))
faults = []


def check(ok, text):
    if not ok:
        faults.append(text)


class Gpusight:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, *args):
        done = subprocess.run([self.program, *args], cwd=self.folder, capture_output=True)
        if done.returncode:
            raise SystemExit(f"gpusight {args}: {done.stderr.decode()}")
        return done.stdout

    def plan(self, *args, whole=True):
        plan = json.loads(self.run("plan", "--json", *args))
        for problem in schema.problems(plan, SCHEMA) if whole else ():
            check(False, f"{args}: {problem}")
        return plan

    def synth(self, scenario, *args):
        path = os.path.join(self.folder, os.path.basename(scenario).split(".")[0] + ".db")
        if not os.path.exists(path):
            self.run("synth", "-o", path, *args, scenario)
        return path


def inner(capture, launcher, rank):
    """The profiler's own command line, without launcher and the shell that picks a rank."""
    argv = capture["argv"]
    check(argv[:len(launcher)] == launcher, f"launcher of {argv}")
    argv = argv[len(launcher):]
    if rank is None and argv[0] != "sh":
        return argv
    check(argv[:2] == ["sh", "-c"] and argv[3] == "sh", f"rank form of {argv}")
    script = re.fullmatch(r'\[ "(.*)" = (\d+) \] \|\| exec "\$@"; exec (.*) "\$@"', argv[2], re.S)
    check(script and int(script[2]) == (rank or 0), f"rank form of {argv}")
    return shlex.split(script[3]) + argv[4:]


def least_passes(counters, arch):
    used = {}
    for c in counters:
        block, slots = profilers.COUNTERS[arch, c]
        used[block] = used.get(block, 0) + slots
    return max((math.ceil(n / profilers.BLOCK_LIMITS[arch, b]) for b, n in used.items()), default=0)


def own_name(options, tool, kind, rank):
    """Ranks must not write over one another."""
    if kind == "none" or rank is not None or tool in ("rocprof-compute", "rocprof-sys-run", "rocprof-sys-sample"):
        return True
    name = dict((o, v[-1]) for o, v in options if v).get({"rocprofv3": "--output-file", "nsys": "--output", "ncu": "--export"}[tool])
    return "%" in name


def check_plan(plan, arch, launcher=(), kind="none", rank=None, app=("./app",)):
    counters = []
    for c in plan["captures"]:
        check(shlex.split(c["command"]) == c["argv"], f"text and words of {c['command']}")
        try:
            tool, options, program = profilers.parse(inner(c, list(launcher), rank))
        except ValueError as fault:
            check(False, f"{arch}: {fault}: {c['command']}")
            continue
        check(tool == c["tool"] and program == list(app), f"program of {c['command']}")
        check(own_name(options, tool, kind, rank), f"ranks write over one another: {c['command']}")
        check(c["goal"] and c["answers"] and c["runs"] >= 1, f"reasons of {c['command']}")
        pmc = [v for o, v in options if o == "--pmc"]
        check(pmc == [p["counters"] for p in c["passes"]], f"passes of {c['command']}")
        for p in pmc:
            counters.append(p)
            for fault in profilers.pass_faults(p, arch):
                check(False, f"{fault}: {c['command']}")
    check(len(counters) == least_passes(set(sum(counters, [])), arch), f"{arch}: {len(counters)} passes are not the fewest")
    check(plan["runs"] == sum(c["runs"] for c in plan["captures"]), "sum of runs")


def walk(g):
    check(SCHEMA["properties"]["goals"]["items"]["enum"] == GOALS, "goals of schema/plan.schema.json")
    with open(os.path.join(ROOT, "src/model/hardware.def"), encoding="utf-8") as f:
        archs = sorted(set(re.findall(r'\.arch = "(\w+)"', f.read())))
    check(len(archs) > 25, f"architectures {archs}")
    for arch in archs:
        for goal in GOALS:
            plan = g.plan("--gpu", arch, "--goal", goal, "--kernel", "x|y", "--", "./app", whole=arch == "gfx942")
            check_plan(plan, arch)
        for kind, launcher in LAUNCHERS.items():
            plan = g.plan("--gpu", arch, "--goal", "all", "--", *launcher, "./app", *NASTY, whole=kind == "none")
            check_plan(plan, arch, launcher, kind, app=["./app"] + NASTY)
        plan = g.plan("--gpu", arch, "--goal", "all", "--rank", "3", "--", *LAUNCHERS["srun"], "./app", whole=False)
        check_plan(plan, arch, LAUNCHERS["srun"], "srun", 3)
        if arch.startswith("gfx"):
            plan = g.plan("--gpu", arch, "--goal", "memory", "--tool", "rocprof-compute", "--launcher", "srun -n 2", "--", "./app")
            check_plan(plan, arch, ["srun", "-n", "2"], "srun")
    return len(archs)


def recorded(folder, script, env=None):
    record = os.path.join(folder, "record")
    if os.path.exists(record):
        os.remove(record)
    path = os.path.join(folder, "tools") + ":/usr/bin:/bin"
    done = subprocess.run(["sh", "-c", script], cwd=os.path.join(folder, "empty"), capture_output=True,
                          env=dict(env or {}, PATH=path, RECORD=record))
    check(done.returncode == 0 and not done.stderr and not done.stdout, f"{script[:200]}: {done.stderr!r}")
    left = os.listdir(os.path.join(folder, "empty"))
    check(left in ([], ["gpusight-plan"]), f"{script[:200]} leaves {left}")
    with open(record, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def shells(g):
    """What a shell makes of a plan is what the plan says."""
    tools = os.path.join(g.folder, "tools")
    os.makedirs(tools)
    os.makedirs(os.path.join(g.folder, "empty"))
    for name in [*profilers.TOOLS, "app", "srun"]:
        with open(os.path.join(tools, name), "w", encoding="utf-8") as f:
            f.write(FAKE_SRUN if name == "srun" else RECORDER)
        os.chmod(os.path.join(tools, name), 0o755)
    for gpu in ("MI300X", "H100"):
        args = ["--gpu", gpu, "--goal", "all", "--kernel", "a b'c$(id)", "--", "app", *NASTY]
        plan = g.plan(*args)
        words = [c["argv"][next(i for i, w in enumerate(c["argv"]) if w in profilers.TOOLS):] for c in plan["captures"]]
        for c, w in zip(plan["captures"], words):
            check(recorded(g.folder, c["command"]) == [w], f"a shell reads {c['command']} otherwise")
        script = g.run("plan", "--format", "shell", *args).decode()
        check(script.startswith("#!/bin/sh\n") and "\nset -eu\n" in script, "head of the script")
        check(recorded(g.folder, script) == words, "the script does something else")
    # One rank of two under the profiler, the other bare.
    args = ["--gpu", "MI300X", "--goal", "timeline", "--rank", "1", "--format", "shell", "--", "srun", "-n", "2", "app", *NASTY]
    got = recorded(g.folder, g.run("plan", *args).decode())
    check(got[0] == ["app"] + NASTY, f"rank 0 runs {got[0]}")
    check(got[1][0] == "rocprofv3" and got[1][-len(NASTY):] == NASTY, f"rank 1 runs {got[1]}")


def filters(g):
    """Regular expressions meet the kernels they were made of."""
    for scenario in ("hostile_names", "demo", "dominant_kernel", "warm_up"):
        trace = g.synth(scenario)
        analysis = json.loads(g.run("analyze", "--json", trace))
        plan = g.plan("--goal", "all", trace, "--", "./app")
        check_plan(plan, "gfx942")
        for c in plan["captures"]:
            for option, values in profilers.parse(c["argv"])[1]:
                if option == "--kernel-include-regex":
                    names = [h["name"] for h in analysis["hotspots"][:4]]
                    check(any(re.search(values[0], n) for n in names), f"{values[0]} meets none of {names}")
                    check(len(values[0]) < 400 and values[0].isprintable(), f"{values[0]!r}")
                if option == "--kernel-iteration-range" and values[0][0] == "[":
                    first, last = map(int, values[0][1:-1].split("-"))
                    check(1 <= first <= last, f"range {values}")
    warm = g.plan("--goal", "latency", g.synth("warm_up"), "--", "./app")
    truth = json.loads(g.run("analyze", "--json", g.synth("warm_up")))["analyses"]["iterations"]
    first = re.search(r"\[(\d+)-", warm["captures"][0]["command"])
    check(int(first[1]) > truth["warmup"] > 0, f"range begins in the warm-up: {warm['captures'][0]['command']}")


def nothing_twice(g):
    """What a trace holds is named, and asked for by no command."""
    plan = g.plan("--goal", "compute,memory", g.synth("counters"), "--", "./app")
    have = {h["what"].split()[1] for h in plan["have"] if h["what"].startswith("counter ")}
    asked = {c for k in plan["captures"] for p in k["passes"] for c in p["counters"]}
    check(have == {"GRBM_GUI_ACTIVE", "GRBM_COUNT", "SQ_BUSY_CYCLES", "SQ_INSTS_VALU", "TCC_HIT_sum", "TCC_MISS_sum"}, f"have {have}")
    check(asked and not have & asked, f"asked again: {have & asked}")
    # A trace with all that was asked for leaves nothing to capture.
    text = "gpu MI300X\nkernel k vgpr=16 wg=256 blocks=64 dur=10us\n"
    text += "".join(f"counter {c} = 5 block=X\n" for c in sorted(asked | have)) + "loop 5 {\n launch k\n}\nsync\n"
    with open(os.path.join(g.folder, "full.trace"), "w", encoding="utf-8") as f:
        f.write(text)
    plan = g.plan("--goal", "compute,memory,timeline", g.synth("full.trace"), "--", "./app")
    check(not plan["captures"] and plan["runs"] == 0, f"still asked: {[c['command'] for c in plan['captures']]}")
    # Databases list all counters a GPU has; only those with values are there. Several traces are taken together.
    listed = os.path.join(g.folder, "listed.db")
    shutil.copy(g.synth("counters"), listed)
    db = sqlite3.connect(listed)
    table = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'rocpd_info_pmc%'").fetchone()[0]
    columns = [c[1] for c in db.execute(f"PRAGMA table_info('{table}')") if c[1] not in ("id", "name")]
    db.execute(f"INSERT INTO '{table}' (name, {','.join(columns)}) SELECT 'SQ_WAVE_CYCLES', {','.join(columns)} FROM '{table}' LIMIT 1")
    db.commit()
    db.close()
    names = lambda plan: {c for k in plan["captures"] for p in k["passes"] for c in p["counters"]}  # noqa: E731
    check("SQ_WAVE_CYCLES" in names(g.plan("--goal", "occupancy", listed, "--", "./app")), "listed is taken for collected")
    with open(os.path.join(g.folder, "second.trace"), "w", encoding="utf-8") as f:
        f.write("gpu MI300X\nkernel k vgpr=16 wg=256 blocks=64 dur=10us\ncounter SQ_WAVE_CYCLES = 5 block=SQ\nlaunch k\nsync\n")
    both = names(g.plan("--goal", "occupancy", listed, g.synth("second.trace"), "--", "./app"))
    check(both and not both & {"SQ_WAVE_CYCLES", "GRBM_GUI_ACTIVE"}, f"asked again of two traces: {both}")
    # A name that the profiler works out itself serves as well.
    with open(os.path.join(g.folder, "fetch.trace"), "w", encoding="utf-8") as f:
        f.write("gpu MI300X\nkernel k vgpr=16 wg=256 blocks=64 dur=10us\ncounter FETCH_SIZE = 5 block=TCC\nlaunch k\nsync\n")
    asked = {c for k in g.plan("--goal", "memory", g.synth("fetch.trace"), "--", "./app")["captures"] for p in k["passes"] for c in p["counters"]}
    check("TCC_EA0_WRREQ_sum" in asked and "TCC_EA0_RDREQ_sum" not in asked, "FETCH_SIZE does not serve")


def enough(g):
    """A trace with what the plan asks for answers the question: planner and metrics mean the same counters."""
    for gpu in ("MI100", "MI210", "MI300X", "MI350X"):
        plan = g.plan("--goal", "memory,latency,compute", "--gpu", gpu, "--", "./app")
        asked = sorted({c for k in plan["captures"] for p in k["passes"] for c in p["counters"]})
        with open(os.path.join(g.folder, f"enough{gpu}.trace"), "w", encoding="utf-8") as f:
            f.write(f"gpu {gpu}\nkernel k vgpr=16 wg=256 blocks=64 dur=10us\n")
            f.write("".join(f"counter {c} = 500 block=X\n" for c in asked) + "launch k\nsync\n")
        doc = json.loads(g.run("analyze", "--json", g.synth(f"enough{gpu}.trace")))["analyses"]
        known = {m["metric"] for m in doc["counter_metrics"]}
        for metric in ("fabric_gbps", "l2_hit_pct", "valu_busy_pct", "read_latency_cycles"):
            check(metric in known, f"{gpu}: {metric} cannot be said from {asked}")
        check(doc["counter_kernels"][0]["bound"] != "unknown", f"{gpu}: {doc['counter_kernels'][0]['why']}")


def estimates(g):
    """Overhead and size by the formulas of docs/planner.md, from the numbers of the analysis."""
    trace = g.synth("demo")
    doc = json.loads(g.run("analyze", "--json", trace))
    span = json.loads(g.run("info", "--json", trace))["span_ns"]
    plan = g.plan("--goal", "compute", trace, "--", "./app")
    b = doc["analyses"]["breakdown"]
    for c in plan["captures"]:
        n = int(re.match(r"([\d,]+) dispatches", c["basis"])[1].replace(",", ""))
        first, last = map(int, re.search(r"\[(\d+)-(\d+)\]", c["command"]).groups())
        regex = re.search(r"--kernel-include-regex '?([^' ]+)", c["command"])[1]
        calls = [h["calls"] for h in doc["hotspots"] if re.search(regex, h["name"])]
        check(n == sum(min(x, last) - first + 1 for x in calls), f"{n} kernels of {calls}")
        values = sum(8 if x.startswith("GRBM") else 1 if x.endswith("_sum") else 32 for x in c["passes"][0]["counters"])
        check(abs(c["size_bytes"] - (2 ** 20 + n * (values * 150 + 250))) < 1, f"size {c['size_bytes']}")
        cost = n * 50e3 + b["kernel_sum_ns"] - b["kernel_ns"]
        check(abs(c["overhead_pct"] - 100 * cost / span) < 1e-6, f"overhead {c['overhead_pct']}")
    for c in g.plan("--gpu", "gfx90a", "--goal", "all", "--kernel", "k", "--", "./app")["captures"]:
        check(c["overhead_pct"] is None and c["size_bytes"] is None and c["basis"].startswith("not known"), f"estimate {c}")


def findings(g):
    """Commands of findings, of what is missing and of the source scan are held against the same tables."""
    n = 0
    scenarios = [line.split()[0] for line in g.run("synth", "--list").decode().splitlines() if re.match(r"[a-z_0-9]+\s", line)]
    for scenario in scenarios:
        if scenario in ("empty", "bench", "many_names", "sys_trace"):
            continue
        doc = json.loads(g.run("analyze", "--json", g.synth(scenario)))
        commands = [c["full_command"] for f in doc["recommendations"] for c in f["commands"]]
        for text in commands + [m["command"] for m in doc["missing"] if m["command"]]:
            n += 1
            try:
                profilers.parse(shlex.split(text))
            except ValueError as fault:
                check(False, f"{scenario}: {fault}: {text}")
    for model in "MI100 MI210 MI250X MI300A MI300X MI350X RX7900XTX A100 H100".split():
        with open(os.path.join(g.folder, model + ".trace"), "w", encoding="utf-8") as f:
            f.write(f"gpu {model}\nkernel gemm vgpr=200 lds=60KiB wg=64 blocks=40 dur=900us\nloop 40 {{\n launch gemm\n}}\nsync\n")
        form = ["--format", "nsys"] if model in ("A100", "H100") else []
        doc = json.loads(g.run("analyze", "--json", g.synth(model + ".trace", *form)))
        arch = doc["profiling_info"]["gpus"][0]["architecture"]
        commands = [c["full_command"] for f in doc["recommendations"] for c in f["commands"]]
        check(commands, f"no command for {model}")
        for text in commands:
            n += 1
            tool, options, _ = profilers.parse(shlex.split(text))
            check(tool != "rocprof-compute" or arch in profilers.FAMILIES["CDNA"], f"{model}: {text}")
            for counters in (v for o, v in options if o == "--pmc"):
                for fault in profilers.pass_faults(counters, arch):
                    check(False, f"{model}: {fault}: {text}")
    for name, text in {"hip.cpp": "#include <hip/hip_runtime.h>\n#include <rocblas/rocblas.h>\n__global__ void k(){}\nvoid f(){ for(int i=0;i<9;i++){ k<<<1,64>>>(); hipDeviceSynchronize(); rocblas_sgemm(); hipMemcpy(0,0,4,hipMemcpyHostToDevice);} }\n",
                       "cuda.cu": "#include <cuda_runtime.h>\n#include <cublas_v2.h>\n__global__ void k(){}\nvoid f(){ for(int i=0;i<9;i++){ k<<<1,64>>>(); cudaDeviceSynchronize(); cublasSgemm(); cudaMemcpy(0,0,4,cudaMemcpyHostToDevice);} }\n"}.items():
        folder = os.path.join(g.folder, "src_" + name.split(".")[0])
        os.makedirs(folder)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)
        for text in sorted(set(re.findall(r'"full_command": ("(?:[^"\\]|\\.)*")', g.run("analyze", "--json", "--source-dir", folder).decode()))):
            n += 1
            try:
                for counters in (v for o, v in profilers.parse(shlex.split(json.loads(text)))[1] if o == "--pmc"):
                    for arch in profilers.FAMILIES["CDNA"]:
                        for fault in profilers.pass_faults(counters, arch):
                            check(False, f"source: {fault}: {text}")
            except ValueError as fault:
                check(False, f"source: {fault}: {text}")
    return n


def real(g):
    """All goals for every real trace, where they are."""
    n = 0
    for folder, _, names in sorted(os.walk(TRACES)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if not re.search(r"\.(db|sqlite|rpd)$", name) or os.path.getsize(path) > 1e8 or name == "cpu_only.sqlite":
                continue
            n += 1
            plan = g.plan("--goal", "all", path, "--", "./app")
            check_plan(plan, plan["gpu"]["arch"].split(":")[0])
            check(plan["captures"], f"no capture for {path}")
            g.run("plan", path)
    if not n:
        print(f"no real traces below '{TRACES}': left out, see GPUSIGHT_TRACES")
    return n


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    with tempfile.TemporaryDirectory() as folder:
        g = Gpusight(os.path.abspath(p.parse_args().gpusight), folder)
        archs = walk(g)
        shells(g)
        filters(g)
        nothing_twice(g)
        enough(g)
        estimates(g)
        commands = findings(g)
        traces = real(g)
    for f in faults[:20]:
        print(f)
    print(f"{archs} architectures x {len(GOALS)} goals, {commands} commands of findings, {traces} real traces, {len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
