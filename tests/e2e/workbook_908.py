#!/usr/bin/env python3
"""The workbook of a real rocprofv3 trace against an independent computation.

    workbook_908.py --gpusight GPUSIGHT

Every cell of TraceLens' six sheets is computed here from the JSON alone, with TraceLens' formulas
in correct units, and compared with the CSV files and, where openpyxl is installed, with the workbook.
Exit code 77 when the trace is not there.
"""
import argparse
import csv
import gzip
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TRACES = os.environ.get("GPUSIGHT_TRACES") or os.path.join(ROOT, "..", "shared", "traces")
TRACE = os.path.join(TRACES, "rocprofv3_json", "908_results.json.gz")
THRESHOLD_US, BINS = 10, 100

# Known totals of this trace, in nanoseconds.
UNION_NS, SUM_NS = 4_233_112_334, 4_441_741_378

CATEGORIES = [("GEMM", "gemm matmul cijk"), ("Elementwise", "elementwise"),
              ("Reduction", "reduce sum"), ("Convolution", "conv"), ("Normalization", "norm"),
              ("Attention", "flash attn fmha"), ("Memory", "copy memcpy"),
              ("COMM", "rccl nccl cross_device_reduce")]


def category(name):
    low = name.lower()
    for label, parts in CATEGORIES:
        if any(p in low for p in parts.split()):
            return label
    return "Other"


def union(intervals):
    total, end = 0, None
    for a, b in sorted(intervals):
        if end is None or a > end:
            total, end = total + b - a, b
        elif b > end:
            total, end = total + b - end, b
    return total


def load():
    with gzip.open(TRACE, "rb") as f:
        process = json.load(f)["rocprofiler-sdk-tool"][0]
    names = {s["kernel_id"]: s["truncated_kernel_name"] or s["formatted_kernel_name"]
             for s in process["kernel_symbols"]}
    rows = []
    for d in process["buffer_records"]["kernel_dispatch"]:
        i = d["dispatch_info"]
        rows.append({"name": names[i["kernel_id"]], "start": d["start_timestamp"],
                     "end": d["end_timestamp"], "ns": d["end_timestamp"] - d["start_timestamp"],
                     "stream": d["stream_id"]["handle"], "dispatch_id": i["dispatch_id"],
                     **{f"grid_{x}": i["grid_size"][x] for x in "xyz"},
                     **{f"block_{x}": i["workgroup_size"][x] for x in "xyz"},
                     "agent_id": i["agent_id"]["handle"], "thread_id": d["thread_id"]})
    meta = process["metadata"]
    return rows, meta["fini_time"] - meta["init_time"]


def cumulative(rows, key):
    run = 0
    for r in rows:
        run += r[key]
        r["Cumulative Percentage (%)"] = run
    return rows


def expected_timeline(rows, total):
    busy = union((r["start"], r["end"]) for r in rows)
    assert busy == UNION_NS
    values = [("total_time", total), ("kernel", busy), ("memory", 0), ("busy_time", busy),
              ("idle", total - busy)]
    return [{"type": t, "time ms": v / 1e6, "percent": 100 * v / total} for t, v in values]


def groups_of(rows):
    groups = {}
    for r in rows:
        groups.setdefault(r["name"], []).append(r["ns"])
    return groups


def expected_summary(rows):
    whole = sum(r["ns"] for r in rows)
    assert whole == SUM_NS
    out = []
    for name, ns in groups_of(rows).items():
        out.append({"name": name, "Count": len(ns), "Mean Kernel Time (µs)": statistics.fmean(ns) / 1e3,
                    "Median Kernel Time (µs)": statistics.median(ns) / 1e3,
                    "Std Kernel Time (µs)": statistics.stdev(ns) / 1e3 if len(ns) > 1 else None,
                    "Min Kernel Time (µs)": min(ns) / 1e3, "Max Kernel Time (µs)": max(ns) / 1e3,
                    "Percentage (%)": 100 * sum(ns) / whole, "Cumulative Percentage (%)": None,
                    "Total Kernel Time (ms)": sum(ns) / 1e6, "Category": category(name)})
    out.sort(key=lambda r: (-r["Total Kernel Time (ms)"], r["name"]))
    return cumulative(out, "Percentage (%)")


def expected_categories(rows):
    whole, sums = sum(r["ns"] for r in rows), {}
    for r in rows:
        s = sums.setdefault(category(r["name"]), [0, 0])
        s[0] += 1
        s[1] += r["ns"]
    out = [{"op category": c, "Count": n, "total_direct_kernel_time_ms": ns / 1e6,
            "Percentage (%)": 100 * ns / whole} for c, (n, ns) in sums.items()]
    out.sort(key=lambda r: -r["total_direct_kernel_time_ms"])
    return cumulative(out, "Percentage (%)")


def expected_details(rows):
    out = sorted(rows, key=lambda r: -r["ns"])
    return [{"name": r["name"], "Kernel duration (µs)": r["ns"] / 1e3,
             **{k: r[k] for k in ("stream", "dispatch_id", "grid_x", "grid_y", "grid_z", "block_x",
                                  "block_y", "block_z", "agent_id", "thread_id")}} for r in out]


def expected_short(rows):
    whole = sum(r["ns"] for r in rows)
    out = []
    for name, ns in groups_of([r for r in rows if r["ns"] < THRESHOLD_US * 1000]).items():
        out.append({"name": name, "Short Kernel count": len(ns),
                    "Short Kernel duration (µs) sum": sum(ns) / 1e3,
                    "Short Kernel duration (µs) mean": sum(ns) / 1e3 / len(ns),
                    "Short Kernel duration (µs) percent of total time": 100 * sum(ns) / whole})
    out.sort(key=lambda r: (-r["Short Kernel duration (µs) sum"], r["name"]))
    return out


def expected_histogram(rows):
    ns = sorted(r["ns"] for r in rows if r["ns"] < THRESHOLD_US * 1000)
    least, most = ns[0], ns[-1]
    edges = [least + (most - least) * i / BINS for i in range(BINS)] + [most]
    out = [{"bin_start": edges[i] / 1e3, "bin_end": edges[i + 1] / 1e3, "count": 0} for i in range(BINS)]
    for v in ns:
        i = min(int((v - least) * BINS / (most - least)), BINS - 1)
        while i and v < edges[i]:
            i -= 1
        while i + 1 < BINS and v >= edges[i + 1]:
            i += 1
        out[i]["count"] += 1
    return out


def same(got, want):
    if want is None:
        return got in (None, "")
    if isinstance(want, str):
        return got == want
    return got not in (None, "") and math.isclose(float(got), want, rel_tol=1e-9, abs_tol=1e-12)


def compare(sheet, got, want):
    """Rows of lists, the first are titles; returns the number of cells."""
    titles = list(want[0])
    assert got[0] == titles, f"{sheet}: columns {got[0]}, not {titles}"
    assert len(got) == len(want) + 1, f"{sheet}: {len(got) - 1} rows, not {len(want)}"
    for number, (g, w) in enumerate(zip(got[1:], want), 1):
        for title, cell in zip(titles, g):
            assert same(cell, w[title]), f"{sheet} row {number} '{title}': {cell!r}, not {w[title]!r}"
    return len(want) * len(titles)


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as f:
        return list(csv.reader(f, strict=True))


def check_rising(sheet, got):
    column = got[0].index("Cumulative Percentage (%)")
    values = [float(r[column]) for r in got[1:]]
    assert values == sorted(values) and values[-1] == 100, f"{sheet}: cumulative shares {values}"


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", required=True)
    gpusight = os.path.abspath(args.parse_args().gpusight)
    if not os.path.exists(TRACE):
        print("no trace 'rocprofv3_json/908_results.json.gz', see GPUSIGHT_TRACES")
        return 77
    rows, total = load()
    want = {"gpu_timeline": expected_timeline(rows, total), "kernel_summary": expected_summary(rows),
            "kernel_summary_by_category": expected_categories(rows),
            "kernel_details": expected_details(rows), "short_kernels_summary": expected_short(rows),
            "short_kernel_histogram": expected_histogram(rows)}
    study = ["--kernel-details", "--short-kernel-study", "--short-kernel-threshold-us", str(THRESHOLD_US),
             "--short-kernel-histogram-bins", str(BINS)]
    with tempfile.TemporaryDirectory() as scratch:
        command = [gpusight, "report", TRACE, "--csv-dir", scratch, *study]
        subprocess.run(command, check=True)
        for sheet, rows_wanted in want.items():
            got = read_csv(os.path.join(scratch, sheet + ".csv"))
            print(f"ok - csv {sheet}: {compare(sheet, got, rows_wanted)} cells")
            if sheet.startswith("kernel_summary"):
                check_rising(sheet, got)
        try:
            import openpyxl
        except ImportError:
            print("openpyxl is not installed: the workbook was not read")
            return 0
        path = os.path.join(scratch, "x.xlsx")
        done = subprocess.run([gpusight, "report", TRACE, "-o", path, *study], stderr=subprocess.PIPE)
        assert done.returncode == 0, done.stderr
        book = openpyxl.load_workbook(path, read_only=True)
        assert book.sheetnames[:6] == list(want), book.sheetnames
        for sheet, rows_wanted in want.items():
            got = [list(r) for r in book[sheet].iter_rows(values_only=True, max_col=len(rows_wanted[0]))]
            got = [r + [None] * (len(rows_wanted[0]) - len(r)) for r in got]
            print(f"ok - xlsx {sheet}: {compare(sheet, got, rows_wanted)} cells")
    return 0


if __name__ == "__main__":
    sys.exit(main())
