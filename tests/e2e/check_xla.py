#!/usr/bin/env python3
"""Traces of JAX, as Chrome JSON and as XPlane: what was written is what is read, and both say the same.

    check_xla.py --gpusight build/src/cli/gpusight [--real FOLDER]

--real: HOST.trace.json.gz and HOST.xplane.pb of one run, held against sums made here.
"""
import argparse
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import xla_files

failures = 0


def check(what, got, want):
    global failures
    good = got == want
    failures += not good
    print(f"{'ok' if good else 'not ok'} - {what}{'' if good else f': {got!r}, not {want!r}'}", flush=True)


def run(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=60)


def query(program, path, sql):
    done = run(program, "query", path, sql, "--json")
    return [list(r.values()) for r in json.loads(done.stdout)] if done.returncode == 0 else done.stderr


def rows_of(program, path):
    """What the trace holds, with times since the first kernel."""
    return {
        "kernels": query(program, path, "select name, start - (select min(start) from kernels), duration, grid_x, "
                                        "workgroup_x, stream_id from kernels order by start"),
        "copies": query(program, path, "select duration, size from memory_copies order by start"),
        "linked": query(program, path, "select call, count(*) from kernels group by call order by call"),
        "steps": query(program, path, "select name, count(*) from marker_rows group by name order by name"),
    }


def made(o, folder):
    steps = 4
    planes = xla_files.example(steps)
    forms = {"JSON": xla_files.write_json(f"{folder}/host.trace.json.gz", planes),
             "XPlane": xla_files.write_xplane(f"{folder}/host.xplane.pb", planes)}
    seen = {}
    for form, path in forms.items():
        a = json.loads(run(o.gpusight, "analyze", path, "--json").stdout)
        # By hand: a step has kernels of 200,000 and 50,500 ns, a copy of 20,250, a fill of 800.
        b = a["execution_breakdown"]
        check(f"{form}: kernel time", b["kernel_time_ns"], steps * 250_500)
        check(f"{form}: copy time", b["memcpy_time_ns"], steps * 21_050)
        # From the first kernel, at 1,040,000, to the end of the last, at 16,700,500.
        check(f"{form}: window of the GPU", a["profiling_info"]["total_duration_ns"], 15_660_500)
        check(f"{form}: kernels, not modules", {h["name"]: h["calls"] for h in a["hotspots"]},
              {"gemm_fusion_dot": steps, "loop_fusion": steps})
        check(f"{form}: the writer", a["metadata"]["files"][0]["writer"], "the profiler of JAX (XLA)")
        check(f"{form}: nothing is doubtful", a["quality"]["grade"], "A")
        seen[form] = rows_of(o.gpusight, path)
        # A group of 128 x 512 x 2 threads; streams by their numbers, the copy's size, all with a call.
        check(f"{form}: first kernel", seen[form]["kernels"][0], ["gemm_fusion_dot", 0, 200_000, 65536, 128, 14])
        check(f"{form}: second kernel", seen[form]["kernels"][1], ["loop_fusion", 610_000, 50_500, 16384, 256, 14])
        check(f"{form}: sizes", sorted({r[1] for r in seen[form]["copies"]}), [4096, 1048576])
        check(f"{form}: calls of kernels", seen[form]["linked"], [["LaunchKernel", steps], ["cuGraphLaunch", steps]])
        check(f"{form}: steps are markers", seen[form]["steps"], [["PjitFunction(step)", steps], ["train", steps]])
    check("both say the same", seen["JSON"], seen["XPlane"])
    gpus = json.loads(run(o.gpusight, "info", forms["XPlane"], "--json").stdout)["gpus"]
    check("XPlane: the GPU", [(g["name"], g["cu_count"]) for g in gpus], [("NVIDIA H200", 132)])
    fleet = run(o.gpusight, "collect", folder, "--db", f"{folder}/../fleet.db")
    check("and collected once", fleet.stdout.splitlines()[-1], "1 run added, 0 there already, 0 left out")
    both = run(o.gpusight, "info", folder, "--json")
    check("a folder with both forms is read once", (both.stdout.count("host.xplane.pb") > 0,
                                                    "trace.json.gz" in both.stdout), (True, False))


def broken(o, folder):
    """Cut anywhere, an XPlane is refused with one line or read up to there; never more than there is."""
    whole = open(xla_files.write_xplane(f"{folder}/whole.pb", xla_files.example(2)), "rb").read()
    codes = set()
    for n in range(40, len(whole), max(1, len(whole) // 60)):
        with open(f"{folder}/cut.pb", "wb") as f:
            f.write(whole[:n])
        done = run(o.gpusight, "info", f"{folder}/cut.pb")
        codes.add(done.returncode)
        if done.returncode not in (0, 4, 5) or done.stderr.count("\n") > 1:
            check(f"cut at {n}", (done.returncode, done.stderr), "one line")
    check("cut files are refused, or end between planes", (4 in codes, codes <= {0, 4}), (True, True))


def real(o):
    for path in glob.glob(os.path.join(o.real, "*.trace.json.gz")):
        twin = path.replace(".trace.json.gz", ".xplane.pb")
        with gzip.open(path) as f:
            events = json.load(f)["traceEvents"]
        gpu = {e["pid"] for e in events if e.get("name") == "process_name" and "GPU" in e["args"]["name"]}
        streams = {(e["pid"], e["tid"]) for e in events if e.get("name") == "thread_name" and
                   e["args"]["name"].startswith("Stream #")}
        work = [e for e in events if e.get("ph") == "X" and e["pid"] in gpu and (e["pid"], e["tid"]) in streams]
        copies = [e for e in work if e["name"].startswith(("Memcpy", "Memset"))]
        want = [[len(work) - len(copies), sum(round(e["dur"] * 1000) for e in work if e not in copies)]]
        for p in (path, twin):
            if os.path.exists(p):
                check(f"{os.path.basename(p)}: kernels and their time",
                      query(o.gpusight, p, "select count(*), sum(duration) from kernels"), want)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--gpusight", required=True)
    args.add_argument("--real", default="")
    o = args.parse_args()
    with tempfile.TemporaryDirectory(prefix="gpusight-xla-") as folder:
        os.mkdir(f"{folder}/made")
        made(o, f"{folder}/made")
        broken(o, folder)
    if o.real and os.path.isdir(o.real):
        real(o)
    elif o.real:
        print(f"# skipped: no folder {o.real}")
    return 1 if failures else 0


sys.exit(main())
