#!/usr/bin/env python3
"""Reads real rocprofv3 files and compares every row with what the files themselves say.

    check_rocprofv3.py --gpusight build/src/cli/gpusight

Exit code 77 (skipped) where the folder of real traces is absent; see GPUSIGHT_TRACES.
"""
import argparse
import csv
import gzip
import io
import json
import os
import shutil
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
# Of the JSON trace, known beforehand: nanoseconds.
SPAN, UNION = 15_122_023_494, 4_233_112_334
COMPUTATION, EXPOSED_COMMUNICATION, EXPOSED_COPY = 271_636_292, 3_954_440_680, 7_035_362
KERNEL_HEADER = ("Kind Agent_Id Queue_Id Stream_Id Thread_Id Dispatch_Id Kernel_Id Kernel_Name "
                 "Correlation_Id Start_Timestamp End_Timestamp LDS_Block_Size Scratch_Size VGPR_Count "
                 "Accum_VGPR_Count SGPR_Count Workgroup_Size_X Workgroup_Size_Y Workgroup_Size_Z "
                 "Grid_Size_X Grid_Size_Y Grid_Size_Z").split()

gpusight = None


def run(*arguments):
    return subprocess.run([gpusight, *arguments], capture_output=True)


def rows_of(table, path):
    done = run("dump", "--csv", "-t", table, path)
    if done.returncode:
        sys.exit(f"{path}: {done.stderr.decode()}")
    return list(csv.DictReader(io.StringIO(done.stdout.decode(), newline="")))


# ---- intervals


def union(spans):
    joined = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    return joined


def length(spans):
    return sum(end - start for start, end in spans)


def without(spans, others):
    """The length of spans that no other one covers; both are unions."""
    return length(union(spans + others)) - length(others)


# ---- JSON


def bare(name):
    return name.removesuffix(" [clone .kd]").removesuffix(".kd")


def expected_kernels(process):
    symbols = {s["kernel_id"]: s for s in process["kernel_symbols"]}
    gpus = {a["id"]["handle"]: a["logical_node_type_id"] for a in process["agents"] if a["type"] == 2}
    for record in process["buffer_records"]["kernel_dispatch"]:
        info = record["dispatch_info"]
        symbol = symbols[info["kernel_id"]]
        yield dict(start_ns=record["start_timestamp"], end_ns=record["end_timestamp"],
                   id=info["dispatch_id"], name=bare(symbol["demangled_kernel_name"]),
                   mangled=symbol["kernel_name"], pid=process["metadata"]["pid"],
                   gpu=gpus[info["agent_id"]["handle"]], tid=record["thread_id"],
                   grid_x=info["grid_size"]["x"], grid_y=info["grid_size"]["y"],
                   grid_z=info["grid_size"]["z"], group_x=info["workgroup_size"]["x"],
                   group_y=info["workgroup_size"]["y"], group_z=info["workgroup_size"]["z"],
                   lds_bytes=info["group_segment_size"],
                   scratch_bytes=info["private_segment_size"], vgprs=symbol["arch_vgpr_count"],
                   accum_vgprs=symbol["accum_vgpr_count"], sgprs=symbol["sgpr_count"])


def check_json(path, document):
    process = document["rocprofiler-sdk-tool"][0]
    want = [{k: str(v) for k, v in row.items()} for row in expected_kernels(process)]
    got = rows_of("kernels", path)
    same("json: every column of every kernel", want, [{k: row[k] for k in want[0]} for row in got])
    spans = [(int(r["start_ns"]), int(r["end_ns"])) for r in got]
    same("json: GPU span", SPAN, max(e for _, e in spans) - min(s for s, _ in spans))
    same("json: kernel union", UNION, length(union(spans)))
    parts = {"comm": [], "copy": [], "compute": []}
    for row, span in zip(got, spans):
        name = row["name"].lower()
        parts["comm" if "nccl" in name else "copy" if "rocclr_copybuffer" in name
              else "compute"].append(span)
    compute, comm, copy = (union(parts[k]) for k in ("compute", "comm", "copy"))
    same("json: computation", COMPUTATION, length(compute))
    same("json: exposed communication", EXPOSED_COMMUNICATION, without(comm, compute))
    same("json: exposed copy kernels", EXPOSED_COPY, without(copy, union(compute + comm)))
    return want


def check_bad_json(text, folder):
    path = os.path.join(folder, "bad.json")
    cuts = [len(text) * k // 40 for k in range(1, 40)] + [len(text) - 1, 30]
    bad = {f"cut at {n}": text[:n] for n in cuts}
    bad["nested"] = text[:25] + b"[" * 1_000_000
    bad["NaN"] = text[:-3] + b',"x":NaN}]}'
    bad["cut gzip"] = gzip.compress(text[:1_000_000])[:-2000]
    for what, data in bad.items():
        with open(path, "wb") as f:
            f.write(data)
        done = run("info", path)
        lines = done.stderr.decode().splitlines()
        same(f"bad json: {what}", (4, 1, True),
             (done.returncode, len(lines), "column" in lines[0] or "gzip" in what))
    with open(path, "wb") as f:
        f.write(gzip.compress(text) + b"behind it")
    same("json: garbage behind gzip is passed over", 0, run("info", path).returncode)


# ---- CSV


def write_csv(path, process):
    """As rocprofv3 writes it: quotes in names are not escaped."""
    symbols = {s["kernel_id"]: s for s in process["kernel_symbols"]}
    nodes = {a["id"]["handle"]: a["node_id"] for a in process["agents"]}
    with open(path, "w", encoding="utf-8") as f:
        f.write(",".join(f'"{c}"' for c in KERNEL_HEADER) + "\n")
        for r in process["buffer_records"]["kernel_dispatch"]:
            i = r["dispatch_info"]
            s = symbols[i["kernel_id"]]
            cells = ['"KERNEL_DISPATCH"', f'"Agent {nodes[i["agent_id"]["handle"]]}"',
                     i["queue_id"]["handle"], r["stream_id"]["handle"], r["thread_id"],
                     i["dispatch_id"], i["kernel_id"], f'"{s["formatted_kernel_name"]}"',
                     r["correlation_id"]["internal"], r["start_timestamp"], r["end_timestamp"],
                     i["group_segment_size"], i["private_segment_size"], s["arch_vgpr_count"],
                     s["accum_vgpr_count"], s["sgpr_count"], *i["workgroup_size"].values(),
                     *i["grid_size"].values()]
            f.write(",".join(map(str, cells)) + "\n")


def check_csv_of_json(document, want, folder):
    process = document["rocprofiler-sdk-tool"][0]
    host = os.path.join(folder, "host")
    os.mkdir(host)
    write_csv(os.path.join(host, "908_kernel_trace.csv"), process)
    columns = [c for c in want[0] if c not in ("mangled", "gpu")]
    got = rows_of("kernels", os.path.join(host, "908"))
    same("csv: the same kernels as the JSON", [{k: row[k] for k in columns} for row in want],
         [{k: row[k] for k in columns} for row in got])


def check_samples(samples):
    tables = {"kernels": ["kernel_trace_truncated"], "markers": ["python_bindings"],
              "regions": ["hip_runtime_trace", "hip_compile_trace", "hsa_core_api_trace",
                          "rocpd-to-csv"]}
    for table, names in tables.items():
        for name in names:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, name + ".csv")
                shutil.copy(os.path.join(samples, name + ".csv"), path)
                with open(path, newline="", encoding="utf-8") as f:
                    want = [(r["Start_Timestamp"], r["End_Timestamp"],
                             r["Kernel_Name"] if table == "kernels" else r["Function"])
                            for r in csv.DictReader(f)]
                got = [(r["start_ns"], r["end_ns"], r["name"]) for r in rows_of(table, path)]
                same(f"csv: {name}", want, got)
    same("csv: a folder of samples", 0, run("info", samples).returncode)
    same("csv: statistics are sums, and no trace to convert", [0, 4],
         [run(command, os.path.join(samples, "hip_api_stats.csv"), *more).returncode
          for command, more in (("info", []), ("dump", []))])


def main():
    global gpusight
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    gpusight = parser.parse_args().gpusight
    path = os.path.join(TRACES, "rocprofv3_json", "908_results.json.gz")
    if not os.path.exists(path):
        print("skipped: no traces, see GPUSIGHT_TRACES")
        sys.exit(SKIPPED)
    with gzip.open(path) as f:
        text = f.read()
    document = json.loads(text)
    with tempfile.TemporaryDirectory() as folder:
        want = check_json(path, document)
        check_bad_json(text, folder)
        check_csv_of_json(document, want, folder)
    check_samples(os.path.join(TRACES, "rocprofv3_csv", "sdk_samples"))
    sys.exit(tell.failures > 0)


if __name__ == "__main__":
    main()
