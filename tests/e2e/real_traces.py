#!/usr/bin/env python3
"""Reads real traces with trace_sums and computes the same sums from the files themselves.

    real_traces.py --sums build/tests/e2e/trace_sums kineto|rpd

Exit code 77 (skipped) where the folder of real traces is absent; see GPUSIGHT_TRACES.
"""
import argparse
import collections
import decimal
import gzip
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from tell import same, TRACES  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SKIPPED = 77
# Names are compared as they stand in the file: demangled by the profiler, or not mangled at all.
DIRECTIONS = {"HtoD": "host to device", "DtoH": "device to host", "DtoD": "device to device"}


def sums_of(program, path):
    done = subprocess.run([program, path], capture_output=True)
    if done.returncode:
        sys.exit(f"{path}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def add(table, key, n=1, ns=0, size=0):
    row = table.setdefault(key, {"n": 0, "ns": 0, "bytes": 0})
    row["n"] += n
    row["ns"] += ns
    row["bytes"] += size


# ---- Kineto


def ns(value):
    scaled = value * 1000
    assert scaled == int(scaled)
    return int(scaled)


def volume(dims):
    return dims[0] * dims[1] * dims[2]


def kineto_expected(path):
    with gzip.open(path) as f:
        doc = json.load(f, parse_float=decimal.Decimal)
    events = doc["traceEvents"]
    want = collections.defaultdict(dict)
    facts = dict(linked=0, grid_items=0, group_items=0, lds_bytes=0, registers=0, first_ns=None)
    calls = {e["args"]["correlation"]: e["name"] for e in events
             if e.get("cat") in ("cuda_runtime", "cuda_driver")}
    for e in events:
        cat, args = e.get("cat"), e.get("args", {})
        dur = ns(e["dur"]) if "dur" in e else 0
        if e["ph"] == "i" and e["name"] == "[memory]":
            add(want, "allocations", size=abs(args["Bytes"]))
        if e["ph"] != "X":
            continue
        if cat == "kernel":
            add(want, "kernels", ns=dur)
            add(want["kernel_names"], e["name"], ns=dur)
            start = ns(e["ts"]) + doc.get("baseTimeNanoseconds", 0)
            facts["first_ns"] = min(start, facts["first_ns"] or start)
            call = calls.get(args["correlation"])
            facts["linked"] += call is not None
            grid, block = args.get("grid", [0, 0, 0]), args.get("block", [0, 0, 0])
            items = 1 if call and call.startswith("hipExtModule") else volume(block)
            facts["grid_items"] += volume(grid) * items
            facts["group_items"] += volume(block)
            facts["lds_bytes"] += args.get("shared memory", 0)
            facts["registers"] += args.get("registers per thread", 0)
        elif cat in ("gpu_memcpy", "gpu_memset"):
            word = e["name"].split()[1]
            add(want["copies"], DIRECTIONS.get(word, "memset"), ns=dur, size=args["bytes"])
        elif cat in ("cuda_runtime", "cuda_driver", "python_function"):
            kind = {"cuda_runtime": "runtime API", "cuda_driver": "driver API",
                    "python_function": "Python"}[cat]
            add(want["regions"], kind, ns=dur)
            add(want["region_names"], e["name"], ns=dur)
        elif cat in ("cpu_op", "user_annotation", "gpu_user_annotation"):
            add(want["markers"], cat, ns=dur)
            add(want["marker_names"], e["name"], ns=dur)
    want["kernel_facts"] = facts
    want["processes"] = 1
    return dict(want)


# ---- RPD


def rpd_expected(path):
    with tempfile.NamedTemporaryFile(suffix=".rpd") as copy:
        with (gzip.open(path) if path.endswith(".gz") else open(path, "rb")) as f:
            shutil.copyfileobj(f, copy)
        copy.flush()
        db = sqlite3.connect(f"file:{copy.name}?immutable=1", uri=True)
        return rpd_sums(db)


def rpd_sums(db):
    want = collections.defaultdict(dict)
    kernels = "(opType not like 'Copy%' and opType not like 'Fill%')"
    names = db.execute(f"select description, count(*), sum(end-start) from op where {kernels} "
                       "group by 1")
    for name, n, total in names:
        add(want, "kernels", n, total)
        if not name.startswith("_Z"):
            add(want["kernel_names"], name, n, total)
    copies = db.execute(
        "select opType, count(*), sum(p.end-p.start), coalesce(sum(size), 0), count(size) "
        "from op p join rocpd_api_ops l on l.op_id=p.id left join rocpd_copyapi c on "
        f"c.api_ptr_id=l.api_id where not {kernels} group by 1")
    sized = 0
    for kind, n, total, size, with_size in copies:
        word = {"CopyHostToDevice": "host to device", "CopyDeviceToHost": "device to host",
                "CopyDeviceToDevice": "device to device", "FillBuffer": "memset"}[kind]
        add(want["copies"], word, n, total, size)
        sized += with_size
    want["copies_sized"] = sized
    for name, args, n, total in db.execute("select apiName, args, count(*), sum(end-start) from "
                                           "api group by 1, 2"):
        if name == "UserMarker":
            add(want["marker_names"], args, n, total)
        else:
            add(want["region_names"], name, n, total)
    grid = ("case when apiName like 'hipExtModule%' then gridX*gridY*gridZ else "
            "gridX*gridY*gridZ*workgroupX*workgroupY*workgroupZ end")
    items, = db.execute(f"select sum({grid}) from rocpd_api_ops l join op p on p.id=l.op_id join "
                        "rocpd_kernelapi k on k.api_ptr_id=l.api_id join api a on a.id=l.api_id "
                        f"where {kernels}").fetchone()
    want["grid_items"] = items
    want["telemetry"], want["telemetry_values"] = db.execute(
        "select count(*), sum(cast(value as real)) from rocpd_monitor").fetchone()
    return dict(want)


# ---- all


def check(program, path, expected):
    name = os.path.basename(path)
    actual = sums_of(program, path)
    want = expected(path)
    actual["grid_items"] = actual["kernel_facts"]["grid_items"]
    if name.endswith((".rpd", ".rpd.gz")): # those that are not mangled in the file
        known = want["kernel_names"]
        actual["kernel_names"] = {k: v for k, v in actual["kernel_names"].items() if k in known}
    for key, value in sorted(want.items()):
        same(f"{name}: {key}", value, actual[key])
    same(f"{name}: nothing to note", [], actual["notes"])


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--sums", required=True, help="the program trace_sums")
    args.add_argument("format", choices=["kineto", "rpd"])
    args = args.parse_args()
    folder = os.path.join(TRACES, args.format)
    if not os.path.isdir(folder):
        print(f"# SKIP no traces in '{folder}', see GPUSIGHT_TRACES")
        return SKIPPED
    expected = kineto_expected if args.format == "kineto" else rpd_expected
    for name in sorted(os.listdir(folder)):
        check(args.sums, os.path.join(folder, name), expected)
    return 1 if tell.failures else 0


if __name__ == "__main__":
    sys.exit(main())
