#!/usr/bin/env python3
"""The same description written as rocpd and as an Nsight Systems export reads back the same.

    parity_nsys.py --gpusight build/src/cli/gpusight [SCENARIO...]

Every scenario of `gpusight synth` (a few of them smaller than usual) is made in both formats and
dumped; the rows must agree in everything both formats can hold. What they cannot is listed in
docs/formats.md, "Nsight Systems", and taken out here, place by place.
"""
import argparse
import collections
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SMALLER = {"bench": ["n=2000"], "sys_trace": ["n=200"], "many_names": ["names=500", "n=1500"]}
MANY = {"exposed_comm", "hidden_comm", "mpi_job"}  # several processes
# Where CUDA's function is not "cuda" and the rest of HIP's name.
FUNCTIONS = {"hipExtLaunchKernel": "cudaLaunchKernelExC", "hipModuleLaunchKernel": "cuLaunchKernel",
             "hipHostMalloc": "cudaHostAlloc", "hipHostFree": "cudaFreeHost", "hipInit": "cuInit",
             "hipModuleLoad": "cuModuleLoad"}


def cuda(name):
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    return re.sub(r"^(_*)hip", r"\1cuda", name)


class Trace:
    """One description in one format, as gpusight reads it back."""

    def __init__(self, program, scenario, where, form):
        self.program, self.form = program, form
        self.path = os.path.join(where, form)
        args = ["synth", scenario, "--format", form, "-o", self.path + ("/" if scenario in MANY else "")]
        for value in SMALLER.get(scenario, []):
            args += ["--set", value]
        self.run(*args)
        self.info = json.loads(self.run("info", "--json", "--reader=check", self.path))

    def run(self, *args):
        done = subprocess.run([self.program, *args], capture_output=True, timeout=600)
        if done.returncode:
            sys.exit(f"gpusight {' '.join(args)}: {done.stderr.decode()}")
        return done.stdout.decode("utf-8", "surrogateescape")

    def dump(self, table):
        text = self.run("dump", "--csv", "-t", table, self.path)
        return list(csv.DictReader(io.StringIO(text, newline="")))


def is_fill(name):
    return "fillBuffer" in name


def gpu_work(trace, origin):
    """Kernels and copies, and how they are spread over streams, whose numbers differ.

    A fill is a kernel on AMD and a kind of copy on NVIDIA. Only a call knows its thread there."""
    out, streams = collections.Counter(), collections.defaultdict(set)
    rows = [dict(r, table="k") for r in trace.dump("kernels")]
    for r in rows + [dict(r, table="c") for r in trace.dump("copies")]:
        when = (int(r["start_ns"]) - origin, int(r["end_ns"]) - origin, r["pid"], r["gpu"])
        call = (cuda(r["call"]), r["tid"] if r["call"] else "")
        streams[r["pid"], r["gpu"], r["stream"]].add(when)
        if r.get("kind") == "memset" or (r["table"] == "k" and is_fill(r["name"])):
            out[("fill", *when, *call)] += 1
        elif r["table"] == "k":
            sizes = [r[f"{k}_{d}"] for k in ("grid", "group") for d in "xyz"]
            out[("kernel", *when, *call, r["name"], r["short_name"], *sizes, r["lds_bytes"],
                 r["scratch_bytes"], r["vgprs"])] += 1
        else:
            out[("copy", *when, *call, r["kind"], r["bytes"], r["src"], r["dst"])] += 1
    for members in streams.values():
        out["stream", tuple(sorted(members))] += 1
    return out


def host_work(trace, origin):
    """Calls and markers together: rocprofv3 shows MPI as markers, Nsight Systems as calls.

    A call that takes no time at all is a nameless sample in rocpd."""
    out = collections.Counter()
    for r in trace.dump("regions") + trace.dump("markers"):
        if r["duration_ns"] == "0" and r["kind"] != "instant":
            continue
        out[int(r["start_ns"]) - origin, int(r["end_ns"]) - origin, r["pid"], r["tid"],
            cuda(r["name"])] += 1
    return out


def memory(trace):
    """Without times: a moment here, a call there. A free on AMD says neither size nor device."""
    out = collections.Counter()
    for r in trace.dump("allocations"):
        if r["op"] in ("alloc", "free") and r["level"] != "scratch":
            size = (r["bytes"], r["agent"]) if r["op"] == "alloc" else ()
            out[(r["op"], r["address"], *size)] += 1
    return out


def origin_of(trace):
    starts = [int(r["start_ns"]) for t in ("kernels", "copies", "regions", "markers")
              for r in trace.dump(t)]
    return min(starts, default=0)


def difference(a, b):
    return f"{list((a - b).items())[:2]} only in rocpd, {list((b - a).items())[:2]} only in nsys"


def compare(scenario, amd, nvidia):
    fills = sum(is_fill(r["name"]) for r in amd.dump("kernels"))
    a, b = dict(amd.info["counts"]), dict(nvidia.info["counts"])
    a["kernels"] -= fills
    a["copies"] += fills
    a["regions"] += len(amd.dump("samples"))
    for key in ("kernels", "copies", "regions"):
        if a[key] != b[key]:
            sys.exit(f"{scenario}: {a[key]} {key} as rocpd, {b[key]} as nsys")
    zero_a, zero_b = origin_of(amd), origin_of(nvidia)
    for what, x, y in (("GPU work", gpu_work(amd, zero_a), gpu_work(nvidia, zero_b)),
                       ("host work", host_work(amd, zero_a), host_work(nvidia, zero_b)),
                       ("memory", memory(amd), memory(nvidia))):
        if x != y:
            sys.exit(f"{scenario}: {what} differs: {difference(x, y)}")


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", default=os.path.join(ROOT, "build/src/cli/gpusight"))
    args.add_argument("scenarios", nargs="*")
    args = args.parse_args()
    listed = subprocess.run([args.gpusight, "synth", "--list"], capture_output=True, text=True,
                            check=True).stdout
    names = args.scenarios or [line.split()[0] for line in listed.split("\n") if line[:1].strip()]
    for scenario in names:
        with tempfile.TemporaryDirectory(prefix="parity-") as where:
            compare(scenario, *(Trace(args.gpusight, scenario, where, f) for f in ("rocpd", "nsys")))
        print(f"ok - {scenario}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
