#!/usr/bin/env python3
"""Checks the JSON documents of `gpusight analyze`, `summary` and `info` on whole traces.

    documents.py --gpusight PROGRAM synthetic|real

Every document must fit its schema, the ledger must add up, no nanosecond may be claimed twice, no
share of a whole may be above 100 %, and the number of threads must not change a byte.
Exit 77: there are no real traces.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TRACES = os.environ.get("GPUSIGHT_TRACES") or os.path.join(ROOT, "..", "shared", "traces")
sys.dont_write_bytecode = True  # leave no files in the tree
sys.path.insert(0, os.path.join(ROOT, "tests", "tools"))
import schema  # noqa: E402

REAL = [
    "rocpd/trace_20251121_0800/15_results.db", "nsys/h100_2gpu_1s.sqlite", "nsys/cloverleaf_a100.sqlite",
    "nsys/heat_t4_before.sqlite", "nsys/tiny_rtx3080.sqlite", "rocprofv3_json/908_results.json.gz",
    "kineto/mi300x_qwen.json.gz",
]
# What cannot be analyzed has no document: exit code 5.
EMPTY = 5
SUMMARY_KEYS = """profile_path profile_span_s gpu_kernel_s gpu_busy_s kernel_concurrency_factor
gpu_memcpy_s gpu_sync_s gpu_utilization_pct total_gpu_idle_s gap_histogram top_kernels memcpy_by_kind
streams marker_ranges device_info peak_memory_bandwidth_GBs cpu_sync_blocked_s cpu_sync_blocked_pct
mpi_ops mpi_present phases""".split()


def run(program, *args):
    done = subprocess.run([program, *args], capture_output=True, timeout=300)
    if done.returncode not in (0, EMPTY):
        raise SystemExit(f"{' '.join(args)}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout if done.returncode == 0 else None


def refuse(word):
    raise ValueError(f"{word} is no JSON")


def read(text):
    return json.loads(text, parse_constant=refuse)


def check_ledger(d):
    ledger = d["ledger"]
    whole = ledger["window_ns"] * ledger["gpu_count"]
    causes = {c["cause"]: c["ns"] for c in ledger["causes"]}
    if sum(causes.values()) != whole:
        yield f"the causes add up to {sum(causes.values())}, not {whole}"
    if whole and abs(sum(c["pct"] for c in ledger["causes"]) - 100) > 1e-6:
        yield "the shares of the causes do not add up to 100"
    for gpu in ledger["gpus"]:
        if sum(c["ns"] for c in gpu["causes"]) != ledger["window_ns"]:
            yield f"the causes of GPU {gpu['gpu']} do not add up"
    claimed = dict.fromkeys(causes, 0)
    for r in d["recommendations"]:
        if sum(c["ns"] for c in r["claims"]) != r["claimed_ns"]:
            yield f"{r['id']}: claims do not add up"
        for c in r["claims"]:
            claimed[c["cause"]] += c["ns"]
    for cause, ns in claimed.items():
        if ns > causes[cause]:
            yield f"{cause}: {ns} ns are claimed and {causes[cause]} exist"


def check_breakdown(d):
    e, t = d["execution_breakdown"], d["interval_timeline"]
    for key, value in list(e.items()) + list(t.items()):
        if key.endswith("_pct") and not 0 <= value <= 100 + 1e-9:
            yield f"{key} is {value}"
    if t["true_compute_ns"] + t["exposed_memcpy_ns"] + t["idle_ns"] != t["total_wall_ns"] * t["gpu_count"]:
        yield "the timeline does not add up"
    if e["api_overhead_ns"] + e["idle_time_ns"] != t["idle_ns"]:
        yield "API overhead and other idle time are not the idle time"
    b = d["analyses"]["breakdown"]
    if b["busy_ns"] + b["idle_ns"] != b["gpu_time_ns"]:
        yield "busy and idle time are not the GPU time"


def check_summary(program, trace):
    text = run(program, "summary", "--json", trace)
    if text is None:
        return
    d = read(text)
    if list(d)[:len(SUMMARY_KEYS)] != SUMMARY_KEYS:
        yield f"summary: keys are {list(d)}"
    for g in d["gpus"]:
        if not 0 <= g["gpu_utilization_pct"] <= 100 + 1e-9:
            yield f"summary: utilization {g['gpu_utilization_pct']}"


def check_trace(program, trace, schemas):
    one = run(program, "analyze", "--json", "--threads=1", trace)
    if one is None:
        return
    if one != run(program, "analyze", "--json", "--threads=3", trace):
        yield "the number of threads changes the document"
    d = read(one)
    yield from schema.problems(d, schemas["analysis"])
    yield from check_ledger(d)
    yield from check_breakdown(d)
    profile = run(program, "analyze", "--json", "--json-profile", "rocinsight", trace)
    for name in ("rocinsight-0.4.0", "rocinsight promises"):
        yield from (f"{name}: " + p for p in schema.problems(read(profile), schemas[name]))
    yield from check_summary(program, trace)
    for command in ("summary", "info", "whatif"):
        text = run(program, command, "--json", trace)
        if text is not None:
            yield from (f"{command}: " + p for p in schema.problems(read(text), schemas[command]))


def check_terms(program):
    """Every term, in one document; each of them is found again by its name."""
    terms = schema.load(os.path.join(ROOT, "schema", "explain.schema.json"))
    d = read(run(program, "explain", "--json"))
    yield from schema.problems(d, terms)
    rule = next(t for t in d["terms"] if t["kind"] == "rule")
    one = read(run(program, "explain", "--json", rule["alias"]))
    if one["terms"] != [rule]:
        yield f"explain {rule['alias']}: {one}"


def synthetic(program, scratch):
    listed = run(program, "synth", "--list").decode()
    for name in (line.split()[0] for line in listed.splitlines() if not line.startswith(" ")):
        if name == "bench":
            continue
        target = os.path.join(scratch, name)
        os.mkdir(target)
        flavor = "rocprof-sys" if name in ("telemetry", "mpi_job") else "rocprofv3"
        run(program, "synth", name, "-o", target + "/" if name == "mpi_job" else target + "/t.db",
            "--flavor", flavor)
        yield name, target


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", required=True)
    args.add_argument("which", choices=["synthetic", "real"])
    args = args.parse_args()
    schemas = {n: schema.load(os.path.join(ROOT, "schema", n + ".schema.json"))
               for n in ("analysis", "info", "rocinsight-0.4.0", "summary", "whatif")}
    schemas["rocinsight promises"] = schema.load(os.path.join(ROOT, "tests/tools/rocinsight-0.4.0.json"))
    bad = count = 0
    with tempfile.TemporaryDirectory(prefix="documents-") as scratch:
        if args.which == "real":
            traces = [(n, os.path.join(TRACES, n)) for n in REAL]
            traces = [t for t in traces if os.path.exists(t[1])]
            if not traces:
                print("skipped: no real traces, see GPUSIGHT_TRACES")
                return 77
        else:
            traces = synthetic(args.gpusight, scratch)
            bad += len([print("explain:", text) for text in check_terms(args.gpusight)])
        for name, path in traces:
            count += 1
            for text in list(check_trace(args.gpusight, path, schemas))[:10]:
                print(f"{name}: {text}")
                bad += 1
    print(f"{count} traces, {bad} problems")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
