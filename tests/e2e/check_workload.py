#!/usr/bin/env python3
"""rocprof-compute workloads: what gpusight says equals formulas written down here once more.

real   the workloads of MI100, MI200 and MI300X: every value of the speed-of-light, the memory
       chart's and the panels' most used ones, the roofline, kernels and filters, from the CSV
made   workloads written by this test: missing, double and unknown columns, other units, thousands
       of columns, empty and half copied files, values that cannot be, unknown GPUs
"""

import argparse
import csv
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True  # leave no files in the tree
sys.path.insert(0, os.path.join(ROOT, "tests", "tools"))
import schema  # noqa: E402

SCHEMA = schema.load(os.path.join(ROOT, "schema", "workload.schema.json"))
NAN = float("nan")
failures = []


def check(condition, text):
    if not condition:
        failures.append(text)
        print("FAILED:", text)


def run(gpusight, *args, code=0):
    p = subprocess.run([gpusight, *args], capture_output=True, text=True)
    check(p.returncode == code, f"{' '.join(map(str, args))}: exit {p.returncode}, not {code}: {p.stderr}")
    check("Sanitizer" not in p.stderr and p.returncode >= 0, f"{args}: {p.stderr}")
    return p


def analyze(gpusight, folder, *args):
    document = json.loads(run(gpusight, "analyze", "--format", "json", folder, *args).stdout or "{}")
    for problem in list(schema.check(document, SCHEMA, SCHEMA))[:5]:
        check(False, f"{folder}: {problem}")
    return document


# ---------------------------------------------------------------- the formulas, independently


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return NAN


class Row:
    """A dispatch: counters by name; what is missing raises KeyError."""

    def __init__(self, cells):
        self.cells = cells

    def __getitem__(self, name):
        if name not in self.cells:
            raise KeyError(name)
        return self.cells[name]

    def has(self, name):
        return name in self.cells


def read_rows(path):
    """Rows with columns of accumulated levels named after the level before them."""
    rows = []
    with open(path, newline="") as f:
        reader = csv.reader(f)
        header = next(reader)
        names = []
        for i, name in enumerate(header):
            if name.startswith("SQ_ACCUM_PREV_HIRES"):
                level = header[i - 1]
                name = level + "_ACCUM" if "LEVEL" in level else name
            names.append(name)
        for cells in reader:
            row = {}
            for name, cell in zip(names, cells):
                if name in ("Kernel_Name",):
                    row[name] = cell
                else:
                    row.setdefault(name, number(cell))
            rows.append(Row(row))
    return rows


ARCHS = {  # L1 line, bytes of an L2 request, bytes a clock of an L2 channel; FLOP a clock and CU
    "gfx908": (64, 64, 64, dict(v16=256, v32=128, v64=64, BF16=512, F16=1024, F32=256, I8=1024)),
    "gfx90a": (64, 128, 128, dict(v16=256, v32=256, v64=128, BF16=1024, F16=1024, F32=256, F64=256,
                                  I8=1024)),
    "gfx942": (128, 128, 128, dict(v16=256, v32=256, v64=128, F8=4096, BF16=2048, F16=2048, F32=256,
                                   F64=256, I8=4096)),
}


def divide(a, b):
    return a / b if b else NAN


def mean(values):
    values = [v for v in values if not math.isnan(v)]
    return sum(values) / len(values) if values else NAN


class Workload:
    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "sysinfo.csv"), newline="") as f:
            self.s = next(csv.DictReader(f))
        self.arch = self.s["gpu_arch"]
        self.cu = float(self.s["cu_per_gpu"])
        self.sclk = float(self.s["max_sclk"])
        self.xcd = float(self.s["num_xcd"])
        self.rows = read_rows(os.path.join(folder, "pmc_perf.csv"))
        self.levels = {}
        for level in ("SQ_LEVEL_WAVES", "SQ_IFETCH_LEVEL", "SQ_INST_LEVEL_LDS",
                      "SQ_INST_LEVEL_SMEM", "SQ_INST_LEVEL_VMEM"):
            path = os.path.join(folder, level + ".csv")
            self.levels[level] = read_rows(path) if os.path.exists(path) else self.rows
        self.line, self.l2_request, self.l2_clock, self.k = ARCHS[self.arch]

    def dt(self, r):
        d = r["End_Timestamp"] - r["Start_Timestamp"]
        return d if d > 0 else NAN

    def g(self, r):
        return r["GRBM_GUI_ACTIVE"] / self.xcd

    def ea(self, r, name):
        """TCC_EA0_ on MI300, TCC_EA_ before."""
        return r[f"TCC_EA0_{name}" if r.has(f"TCC_EA0_{name}") else f"TCC_EA_{name}"]

    def read_bytes(self, r):
        if r.has("TCC_EA0_RDREQ_sum"):
            bubble = r["TCC_BUBBLE_sum"]
            r32 = r["TCC_EA0_RDREQ_32B_sum"]
            return 128 * bubble + 64 * (r["TCC_EA0_RDREQ_sum"] - bubble - r32) + 32 * r32
        r32 = r["TCC_EA_RDREQ_32B_sum"]
        return 32 * r32 + 64 * (r["TCC_EA_RDREQ_sum"] - r32)

    def write_bytes(self, r):
        w64 = self.ea(r, "WRREQ_64B_sum")
        return 64 * w64 + 32 * (self.ea(r, "WRREQ_sum") - w64)

    def valu(self, r, t):
        p = "SQ_INSTS_VALU_"
        return 64 * (r[p + "ADD_" + t] + r[p + "MUL_" + t] + r[p + "TRANS_" + t]
                     + 2 * r[p + "FMA_" + t])

    def active_cus(self, rows):
        return mean([divide(r["SQ_BUSY_CU_CYCLES"], self.g(r)) for r in rows])

    def speed_of_light(self, rows, levels):
        """key -> (value, peak); a value of None cannot be computed."""
        s, cu, dt, g = self.s, self.cu, self.dt, self.g
        banks = float(s["lds_banks_per_cu"])
        hbm = float(s["max_mclk"]) / 1000 * 32 * float(s["num_hbm_channels"])
        sqc = float(s["sqc_per_gpu"])

        def peak(k):
            return self.sclk * cu * self.k[k] / 1000 if k in self.k else None

        def requests(r):
            return sum(r[f"TCP_TCC_{x}_REQ_sum"] for x in
                       ("READ", "WRITE", "ATOMIC_WITH_RET", "ATOMIC_WITHOUT_RET"))

        def useful(r):
            return r["SQ_LDS_IDX_ACTIVE"] - r["SQ_LDS_BANK_CONFLICT"]

        def hit(a, b):
            return lambda r: 100 * divide(r[a], r[a] + r[b])

        def share(f, factor=1):
            return lambda r: divide(100 * f(r), g(r) * cu * factor)

        def rate(f):
            return lambda r: divide(f(r), dt(r)) if not math.isnan(dt(r)) else NAN

        def mops(t):
            return rate(lambda r: 512 * r["SQ_INSTS_VALU_MFMA_MOPS_" + t])

        formulas = {
            "valu_flops": (rate(lambda r: sum(self.valu(r, t) for t in ("F16", "F32", "F64"))),
                           peak("v32")),
            "valu_flops_f16": (rate(lambda r: self.valu(r, "F16")), peak("v16")),
            "valu_flops_f32": (rate(lambda r: self.valu(r, "F32")), peak("v32")),
            "valu_flops_f64": (rate(lambda r: self.valu(r, "F64")), peak("v64")),
            "valu_iops": (rate(lambda r: 64 * (r["SQ_INSTS_VALU_INT32"]
                                               + r["SQ_INSTS_VALU_INT64"])),
                          self.sclk * cu * 128 / 1000),
            "mfma_flops_f6f4": (mops("F6F4"), peak("F6F4")),
            "mfma_flops_f8": (mops("F8"), peak("F8")),
            "mfma_flops_bf16": (mops("BF16"), peak("BF16")),
            "mfma_flops_f16": (mops("F16"), peak("F16")),
            "mfma_flops_f32": (mops("F32"), peak("F32")),
            "mfma_flops_f64": (mops("F64"), peak("F64")),
            "mfma_iops_i8": (mops("I8"), peak("I8")),
            "salu_util": (share(lambda r: r["SQ_ACTIVE_INST_SCA"]), 100),
            "valu_util": (share(lambda r: r["SQ_ACTIVE_INST_VALU"]), 100),
            "mfma_util": (share(lambda r: r["SQ_VALU_MFMA_BUSY_CYCLES"], 4), 100),
            "vmem_util": (share(lambda r: r["SQ_ACTIVE_INST_FLAT"] + r["SQ_ACTIVE_INST_VMEM"]), 100),
            "branch_util": (share(lambda r: r["SQ_ACTIVE_INST_MISC"]), 100),
            "valu_threads": (lambda r: divide(r["SQ_THREAD_CYCLES_VALU"], r["SQ_ACTIVE_INST_VALU"]),
                             64),
            "ipc": (lambda r: divide(r["SQ_INSTS"], r["SQ_BUSY_CU_CYCLES"]), 5),
            "lds_bw": (rate(lambda r: useful(r) * 4 * banks), self.sclk * cu * 0.128),
            "lds_conflicts": (lambda r: divide(r["SQ_LDS_BANK_CONFLICT"], useful(r)), 32),
            "l1_hit": (lambda r: 100 - 100 * divide(requests(r), r["TCP_TOTAL_CACHE_ACCESSES_sum"]),
                       100),
            "l1_bw": (rate(lambda r: r["TCP_TOTAL_CACHE_ACCESSES_sum"] * self.line),
                      self.sclk / 1000 * self.line * cu),
            "l2_hit": (hit("TCC_HIT_sum", "TCC_MISS_sum"), 100),
            "l2_bw": (rate(lambda r: r["TCC_REQ_sum"] * self.l2_request),
                      self.sclk / 1000 * self.l2_clock * float(s["total_l2_chan"])),
            "fabric_read_bw": (rate(self.read_bytes), hbm),
            "fabric_write_bw": (rate(self.write_bytes), hbm),
            "fabric_read_lat": (lambda r: divide(self.ea(r, "RDREQ_LEVEL_sum"),
                                                 self.ea(r, "RDREQ_sum")), None),
            "fabric_write_lat": (lambda r: divide(self.ea(r, "WRREQ_LEVEL_sum"),
                                                  self.ea(r, "WRREQ_sum")), None),
            "sl1d_hit": (hit("SQC_DCACHE_HITS", "SQC_DCACHE_MISSES"), 100),
            "sl1d_bw": (rate(lambda r: r["SQC_DCACHE_REQ"] * 64), self.sclk / 1000 * 64 * sqc),
            "l1i_hit": (hit("SQC_ICACHE_HITS", "SQC_ICACHE_MISSES"), 100),
            "l1i_bw": (rate(lambda r: r["SQC_ICACHE_REQ"] * 64), self.sclk / 1000 * 64 * sqc),
        }
        out = {}
        for key, (f, top) in formulas.items():
            try:
                v = mean([f(r) for r in rows])
            except KeyError:
                v = NAN
            out[key] = (None if math.isnan(v) else v, top)
        waves = mean([divide(r["SQ_LEVEL_WAVES_ACCUM"], g(r)) for r in levels["SQ_LEVEL_WAVES"]])
        fetch = mean([divide(r["SQ_IFETCH_LEVEL_ACCUM"], r["SQ_IFETCH"])
                      for r in levels["SQ_IFETCH_LEVEL"]])
        out["wave_occupancy"] = (waves, float(s["max_waves_per_cu"]) * cu)
        out["l1i_lat"] = (fetch, None)
        out["active_cus"] = (self.active_cus(rows), cu)
        return out

    def chart(self, rows, levels):
        """Some of the memory chart, per wave."""
        def per_wave(name):
            return mean([divide(r[name], r["SQ_WAVES"]) for r in rows])

        active = self.active_cus(rows)
        out = {
            "wave_life": mean([4 * divide(r["SQ_WAVE_CYCLES"], r["SQ_WAVES"]) for r in rows]),
            "wave_occupancy": mean([divide(r["SQ_LEVEL_WAVES_ACCUM"], self.g(r)) / active
                                    for r in levels["SQ_LEVEL_WAVES"]]),
            "valu": per_wave("SQ_INSTS_VALU"), "salu": per_wave("SQ_INSTS_SALU"),
            "smem": per_wave("SQ_INSTS_SMEM"), "vmem": per_wave("SQ_INSTS_VMEM"),
            "branch": per_wave("SQ_INSTS_BRANCH"), "vl1_rd": per_wave("TCP_TOTAL_READ_sum"),
            "vl1_wr": per_wave("TCP_TOTAL_WRITE_sum"), "l2_rd": per_wave("TCC_READ_sum"),
            "il1_fetch": per_wave("SQC_ICACHE_REQ"),
            "lds_util": mean([divide(100 * r["SQ_LDS_IDX_ACTIVE"], self.g(r) * self.cu)
                              for r in rows]),
            "vl1_coalesce": mean([divide(1600 * r["TA_TOTAL_WAVEFRONTS_sum"],
                                         r["TCP_TOTAL_ACCESSES_sum"]) for r in rows]),
            "fabric_rd": mean([divide(self.ea(r, "RDREQ_sum"), r["SQ_WAVES"]) for r in rows]),
            "hbm_wr": mean([divide(self.ea(r, "WRREQ_DRAM_sum"), r["SQ_WAVES"]) for r in rows]),
            "vgpr": mean([r["Arch_VGPR"] for r in rows]),
        }
        if rows[0].has("SQC_DCACHE_INFLIGHT_LEVEL_ACCUM"):
            # without the factor of 100 that rocprof-compute has here
            out["sl1d_lat"] = mean([divide(r["SQC_DCACHE_INFLIGHT_LEVEL_ACCUM"],
                                           r["SQC_DCACHE_REQ"]) for r in rows])
        return out


def same(a, b, tolerance=1e-9):
    if a is None or b is None:
        return a is None and b is None
    return abs(a - b) <= tolerance * max(1e-12, abs(a), abs(b))


# ---------------------------------------------------------------- real workloads


def find_traces():
    for top in (os.environ.get("GPUSIGHT_TRACES"), os.path.join(ROOT, "..", "shared", "traces")):
        if top and os.path.isdir(os.path.join(top, "rocprof_compute")):
            return os.path.join(top, "rocprof_compute")
    return None


def compare_values(name, document, w, rows, levels):
    expected = w.speed_of_light(rows, levels)
    said = {m["key"]: m for m in document["speed_of_light"]}
    check(set(said) == set(expected), f"{name}: rows {set(said) ^ set(expected)}")
    known = 0
    for key, (value, peak) in expected.items():
        m = said[key]
        check(same(m["value"], value), f"{name} {key}: {m['value']}, not {value}")
        check(same(m["peak"], peak), f"{name} {key}: peak {m['peak']}, not {peak}")
        if value is None:
            check(m["missing"] or m["dispatches"] == 0, f"{name} {key}: says not what is missing")
        elif peak:
            check(same(m["pct_of_peak"], 100 * value / peak), f"{name} {key}: {m['pct_of_peak']}")
        known += value is not None
    for key, value in w.chart(rows, levels).items():
        v = document["memory_chart"][key]["value"]
        check(same(v, value), f"{name} chart {key}: {v}, not {value}")
    return known


def check_kernels(gpusight, name, folder, w):
    """Per kernel and by filter; the level files have the rows of pmc_perf.csv in its order."""
    document = analyze(gpusight, folder)
    names = list(dict.fromkeys(r["Kernel_Name"] for r in w.rows))
    check(len(document["kernels"]) == len(names), f"{name}: {len(document['kernels'])} kernels")
    for k in names:
        at = [i for i, r in enumerate(w.rows) if r["Kernel_Name"] == k]
        plain = re.sub(r"( \[clone \.kd\]| \(\.kd\))$", "", k)
        rows = [w.rows[i] for i in at]
        levels = {level: [all_rows[i] for i in at] for level, all_rows in w.levels.items()}
        part = analyze(gpusight, folder, "--kernel", plain)
        check(part["selection"]["dispatches"] == len(at), f"{name} {plain}: dispatches")
        compare_values(f"{name} --kernel {plain[:20]}", part, w, rows, levels)
        said = [x for x in document["kernels"] if x["name"] == plain]
        check(len(said) == 1, f"{name}: kernel {plain}")
        times = sorted(t for t in (w.dt(r) for r in rows) if not math.isnan(t))
        if times:
            check(same(said[0]["total_ns"], sum(times)), f"{name} {plain}: total")
            check(same(said[0]["median_ns"], (times[(len(times) - 1) // 2]
                                              + times[len(times) // 2]) / 2), f"{name}: median")
        else:
            check(said[0]["total_ns"] is None, f"{name} {plain}: a total without durations")


def check_real(gpusight):
    top = find_traces()
    if not top:
        print("skipped: no rocprof_compute workloads; set GPUSIGHT_TRACES")
        sys.exit(77)
    for name, least in (("vcopy_MI100", 22), ("vcopy_MI200", 33), ("vcopy_MI300X_A1", 15),
                        ("bmm1_MI300X", 35)):
        folder = os.path.join(top, name)
        w = Workload(folder)
        document = analyze(gpusight, folder)
        known = compare_values(name, document, w, w.rows, w.levels)
        check(known >= least, f"{name}: only {known} values")
        check_kernels(gpusight, name, folder, w)
        check("hostname" not in json.dumps(document) and w.s["hostname"] not in json.dumps(document),
              f"{name}: tells the host")
        first = int(w.rows[0]["Dispatch_ID"])
        one = analyze(gpusight, folder, "--dispatch", str(first), "--panel", "2")
        compare_values(f"{name} --dispatch", one, w, w.rows[:1],
                       {k: v[:1] for k, v in w.levels.items()})
        check([p["id"] for p in one["panels"]] == [2], f"{name}: --panel")
        check_channels(name, document, w)
    check_roofline(gpusight, top)
    check_formats(gpusight, top)
    check_compare(gpusight, top)


def check_channels(name, document, w):
    channels = [p for p in document["panels"] if p["id"] == 18][0]["channels"]
    check(len(channels) == int(w.s["total_l2_chan"]), f"{name}: {len(channels)} channels")
    for c in (0, len(channels) - 1):
        expected = mean([100 * divide(r[f"TCC_HIT[{c}]"], r[f"TCC_HIT[{c}]"] + r[f"TCC_MISS[{c}]"])
                         for r in w.rows])
        check(same(channels[c]["hit"], None if math.isnan(expected) else expected),
              f"{name} channel {c}: {channels[c]['hit']}, not {expected}")


def check_roofline(gpusight, top):
    folder = os.path.join(top, "bmm1_MI300X")
    w = Workload(folder)
    roof = analyze(gpusight, folder)["roofline"]
    with open(os.path.join(folder, "roofline.csv"), newline="") as f:
        device = next(csv.DictReader(f))
    for key, column in (("hbm", "HBMBw"), ("l2", "L2Bw"), ("l1", "L1Bw"), ("lds", "LDSBw"),
                        ("matrix_bf16", "MFMABF16Flops"), ("vector_fp32", "FP32Flops")):
        check(same(roof["peaks"][key], float(device[column])), f"roofline peak {key}")
    k = roof["kernels"][0]
    rows = [r for r in w.rows if "batched_matrix" in r["Kernel_Name"]]
    flops = mean([sum(w.valu(r, t) for t in ("F16", "F32", "F64"))
                  + 512 * sum(r["SQ_INSTS_VALU_MFMA_MOPS_" + t]
                              for t in ("F16", "BF16", "F32", "F64", "F8")) for r in rows])
    duration = mean([w.dt(r) for r in rows])
    check(same(k["gflops"], flops / duration, 1e-6), f"roofline: {k['gflops']} GFLOP/s")
    hbm = mean([w.read_bytes(r) + w.write_bytes(r) for r in rows])
    check(same(k["flop_per_byte"]["hbm"], flops / hbm, 1e-6), "roofline: intensity of HBM")
    l1 = mean([128 * r["TCP_TOTAL_CACHE_ACCESSES_sum"] for r in rows])  # not 64, as in the original
    check(same(k["flop_per_byte"]["l1"], flops / l1, 1e-6), "roofline: intensity of L1")
    check(k["pct_of_bandwidth"]["l1"] > 105 and k["level"] != "l1", "traffic above the peak decides")


def check_formats(gpusight, top):
    folder = os.path.join(top, "vcopy_MI200")
    text = run(gpusight, "analyze", folder).stdout
    check(max(len(line) for line in text.split("\n") if "channel" not in line) > 40, "text")
    for words in ("System speed-of-light", "Memory chart", "Roofline", "17. L2 cache", "──▶"):
        check(words in text, f"text: no '{words}'")
    markdown = run(gpusight, "analyze", "--format", "markdown", folder).stdout
    check("## Memory chart" in markdown and "| VALU IOPs |" in markdown, "markdown")
    page = run(gpusight, "analyze", "--format", "html", folder).stdout
    check("<svg" in page and "http://" not in page.replace("http://www.w3.org", "") and "Content-Security-Policy" in page, "html")
    info = run(gpusight, "info", folder).stdout
    check("rocprof-compute workload" in info and "vecCopy" in info, "info")
    for chart, at, word in (("memory", folder, "Vector L1"), ("roofline", folder, "no kernel with"),
                            ("roofline", os.path.join(top, "bmm1_MI300X"), "per byte")):
        svg = run(gpusight, "plot", at, "--chart", chart).stdout
        check(svg.startswith("<") and word in svg, f"plot {chart}")
    run(gpusight, "plot", folder, "--chart", "ledger", code=2)
    for args in (["--kernel", "nosuch"], ["--dispatch", "77"], ["--dispatch", "x"], ["--panel", "4"],
                 ["--panel", "x"], ["--charts", "x", "--format", "markdown"],
                 ["--window", "0%..50%"], ["--gpu", "0"], ["--json-profile", "rocinsight"]):
        p = run(gpusight, "analyze", folder, *args, code=2)
        check(p.stdout == "" and p.stderr.count("\n") == 1, f"{args}: {p.stderr}")
    for per in ("cycle", "second", "kernel"):
        document = analyze(gpusight, folder, "--per", per)
        check(document["memory_chart"]["valu"]["unit"] == "instr/" + per, f"--per {per}")
    rows = Workload(folder).rows
    check(same(document["memory_chart"]["valu"]["value"],
               mean([r["SQ_INSTS_VALU"] for r in rows])), "--per kernel")


def check_compare(gpusight, top):
    a, b = (os.path.join(top, x) for x in ("vcopy_MI100", "vcopy_MI200"))
    document = json.loads(run(gpusight, "compare", "--json", a, b).stdout)
    va = {m["key"]: m["value"] for m in analyze(gpusight, a)["speed_of_light"]}
    vb = {m["key"]: m["value"] for m in analyze(gpusight, b)["speed_of_light"]}
    check([k["name"][:7] for k in document["kernels"]] == ["all ker", "vecCopy"], "compare: kernels")
    for row in document["kernels"][0]["panels"][0]["rows"]:
        x, y = va[row["key"]], vb[row["key"]]
        check(same(row["a"], x) and same(row["b"], y), f"compare {row['key']}")
        change = None if x in (None, 0) or y is None else 100 * (y - x) / abs(x)
        check(same(row["change_pct"], change), f"compare {row['key']}: {row['change_pct']}")
    for form in ("text", "markdown"):
        out = run(gpusight, "compare", "--format", form, a, b).stdout
        check("gfx908" in out and "L2 Cache Hit Rate" in out, f"compare {form}")


# ---------------------------------------------------------------- made workloads

INFO = {
    "workload_name": "made", "command": "./app --token secret", "gpu_model": "MI210",
    "gpu_arch": "gfx90a", "cu_per_gpu": "104", "simd_per_cu": "4", "se_per_gpu": "8",
    "wave_size": "64", "max_waves_per_cu": "32", "max_sclk": "1700", "max_mclk": "1600",
    "total_l2_chan": "32", "lds_banks_per_cu": "32", "sqc_per_gpu": "56", "num_xcd": "1",
    "num_hbm_channels": "32", "hostname": "hidden-host",
}
HEAD = ["Dispatch_ID", "Kernel_Name", "GPU_ID", "Grid_Size"]
TIMES = ["Start_Timestamp", "End_Timestamp"]


def write_csv(path, rows):
    with open(path, "w", newline="") as f:
        csv.writer(f).writerows(rows)


def make(folder, columns, rows, info=INFO, times=True, head=HEAD):
    """rows: (kernel, values of the columns, duration)"""
    os.makedirs(folder, exist_ok=True)
    table = [head + columns + (TIMES if times else [])]
    for i, (kernel, values, ns) in enumerate(rows):
        start = 1000000 * (i + 1)
        table.append([i, kernel, 0, 64][:len(head)] + values
                     + ([start, start + ns] if times else []))
    write_csv(os.path.join(folder, "pmc_perf.csv"), table)
    if info is not None:
        write_csv(os.path.join(folder, "sysinfo.csv"), [list(info), list(info.values())])
    return folder


def value(document, key, table="speed_of_light"):
    return [m for m in document[table] if m["key"] == key][0]


def notes(document):
    return " | ".join(document["notes"])


def check_odd_columns(gpusight, top):
    hits = ["TCC_HIT_sum", "TCC_MISS_sum"]
    d = analyze(gpusight, make(f"{top}/plain", hits, [("k", [75, 25], 1000)]))
    check(value(d, "l2_hit")["value"] == 75, "hit rate")
    check(d["sysinfo"]["program"] == "app" and "secret" not in json.dumps(d)
          and "hidden-host" not in json.dumps(d), "secrets are shown")
    missing = value(d, "ipc")
    check(missing["value"] is None and missing["missing"] == ["SQ_INSTS", "SQ_BUSY_CU_CYCLES"],
          f"missing: {missing}")
    d = analyze(gpusight, make(f"{top}/twice", hits + ["TCC_HIT_sum"], [("k", [75, 25, 5], 1000)]))
    check(value(d, "l2_hit")["value"] == 75 and "twice" in notes(d), "a column twice")
    d = analyze(gpusight, make(f"{top}/unknown", ["FOO", "BAR[0]"] + hits,
                               [("k", [1, "x", 75, 25], 1000)]))
    check(value(d, "l2_hit")["value"] == 75 and d["selection"]["unused_columns"] == 2, "unknown")
    # a sum that is not there, made of its channels; one channel missing in the middle
    d = analyze(gpusight, make(f"{top}/channels", [f"TCC_{x}[{i}]" for x in ("HIT", "MISS")
                                                   for i in (0, 1, 3)],
                               [("k", [10, 20, 30, 10, 20, 10], 1000)]))
    check(value(d, "l2_hit")["value"] is None, "a channel is missing, and yet there is a sum")
    channels = [p for p in d["panels"] if p["id"] == 18][0]["channels"]
    check([c["hit"] for c in channels] == [50, 50, None, 75], f"channels: {channels}")
    d = analyze(gpusight, make(f"{top}/sum", [f"TCC_{x}[{i}]" for x in ("HIT", "MISS")
                                              for i in (0, 1)], [("k", [10, 20, 30, 40], 1000)]))
    check(value(d, "l2_hit")["value"] == 30, "a sum of channels")
    wide = [f"TCC_HIT[{i}]" for i in range(1000)] + [f"X{i}" for i in range(2000)] + hits
    d = analyze(gpusight, make(f"{top}/wide", wide,
                               [("k", [1] * 3000 + [75, 25], 1000) for _ in range(20)]))
    check(value(d, "l2_hit")["value"] == 75 and d["selection"]["columns"] == 3008, "3000 columns")
    head = ["Index", "KernelName", "gpu-id", "grd"]  # as older versions wrote it
    d = analyze(gpusight, make(f"{top}/old", hits + ["BeginNs", "EndNs", "TCC_REQ_sum"],
                               [("k.kd", [75, 25, 100, 200, 1000], 0)], times=False, head=head))
    check(value(d, "l2_hit")["value"] == 75 and d["kernels"][0]["name"] == "k"
          and value(d, "l2_bw")["value"] == 1280, "names of older versions")
    d = analyze(gpusight, make(f"{top}/nameless", hits, [("", [75, 25], 1)], head=[]))
    check(value(d, "l2_hit")["value"] == 75 and "Kernel_Name" in notes(d), "no kernel names")
    d = analyze(gpusight, make(f"{top}/markup", hits, [("<b>\x1b[31m,\"k\"", [75, 25], 9)]))
    check(value(d, "l2_hit")["value"] == 75, "a name with quotes and commas")
    for form in ("text", "html", "markdown"):
        out = run(gpusight, "analyze", "--format", form, f"{top}/markup").stdout
        check("\x1b" not in out and ("<b>" not in out or form != "html"), f"{form}: unsafe")


def check_odd_values(gpusight, top):
    hits = ["TCC_HIT_sum", "TCC_MISS_sum"]
    d = analyze(gpusight, make(f"{top}/values", hits, [
        ("k", [75, 25], 1000), ("k", [-5, 25], 1000), ("k", [2**64 - 1, 25], 1000),
        ("k", ["1e999", 25], 1000), ("k", ["N/A", 25], 1000), ("k", ["", 25], 1000)]))
    m = value(d, "l2_hit")
    check(m["value"] == 75 and m["dispatches"] == 1, f"odd values: {m}")
    for word in ("negative", "2^63", "not a number"):
        check(word in notes(d), f"odd values: no word of '{word}'")
    d = analyze(gpusight, make(f"{top}/zero", hits, [("k", [0, 0], 1000)]))
    m = value(d, "l2_hit")
    check(m["value"] is None and m["missing"] == [], "0 / 0")
    d = analyze(gpusight, make(f"{top}/times", hits + ["TCC_REQ_sum"],
                               [("k", [75, 25, 10], 0), ("k", [75, 25, 10], -5),
                                ("k", [75, 25, 10], 128)]))
    m = value(d, "l2_bw")
    check(m["value"] == 10 and m["dispatches"] == 1 and "2 of 3" in notes(d), f"durations: {m}")
    d = analyze(gpusight, make(f"{top}/untimed", hits + ["TCC_REQ_sum"], [("k", [75, 25, 10], 1)],
                               times=False))
    check(value(d, "l2_bw")["missing"] == ["durations of dispatches"]
          and d["kernels"][0]["total_ns"] is None, "no timestamps")
    write_csv(f"{top}/untimed/timestamps.csv", [HEAD + TIMES, [7, "k", 0, 64, 5, 1285]])
    d = analyze(gpusight, f"{top}/untimed")
    check(value(d, "l2_bw")["value"] == 1 and "timestamps.csv" in notes(d), f"timestamps: {notes(d)}")
    # mean of ratios against the ratio of sums: (50 + 100) / 2, and 1050 / 1100
    d = analyze(gpusight, make(f"{top}/weights", hits, [("k", [50, 50], 10), ("k", [1000, 0], 10)]))
    m = value(d, "l2_hit")
    check(m["value"] == 75 and same(m["weighted"], 100 * 1050 / 1100), f"weights: {m}")
    check(m["min"] == 50 and m["max"] == 100, "least and most")


def check_odd_systems(gpusight, top):
    columns = ["TCC_REQ_sum", "GRBM_GUI_ACTIVE", "SQ_ACTIVE_INST_VALU"]
    rows = [("k", [1000, 1000, 52000], 1000)]
    units = dict(INFO, max_sclk="1.7 GHz", max_mclk="1600MHz")
    d = analyze(gpusight, make(f"{top}/units", columns, rows, units))
    check(value(d, "l2_bw")["value"] == 128 and value(d, "l2_bw")["peak"] == 1.7 * 128 * 32
          and value(d, "valu_util")["value"] == 50 and d["sysinfo"]["hbm_bw_gbps"] == 1638.4,
          "other units")
    d = analyze(gpusight, make(f"{top}/gpu_MI210", columns, rows, None))
    check(d["arch"] == "gfx90a" and "no sysinfo.csv" in notes(d), "the folder's name says the GPU")
    d = analyze(gpusight, make(f"{top}/nothing", columns, rows, None))
    check(d["arch"] == "" and value(d, "l2_bw")["value"] is None
          and value(d, "valu_util")["missing"] == ["number of XCDs", "compute units"],
          f"no GPU at all: {value(d, 'valu_util')}")
    d = analyze(gpusight, make(f"{top}/alien", columns, rows, dict(INFO, gpu_arch="gfx1100")))
    check("gfx1100" in notes(d) and value(d, "valu_util")["value"] == 50
          and value(d, "l2_bw")["value"] is None, "unknown architecture")
    d = analyze(gpusight, make(f"{top}/odd", columns, rows,
                               dict(INFO, cu_per_gpu="-4", max_sclk="1e400", num_xcd="x")))
    check(value(d, "valu_util")["value"] == 50, f"odd sysinfo: {notes(d)}")
    # MI350: the matrix rate of FP6 and FP4 is 16384, not 16834
    info = dict(INFO, gpu_arch="gfx950", gpu_model="MI355X", cu_per_gpu="256", max_sclk="2400",
                num_xcd="8", total_l2_chan="128")
    d = analyze(gpusight, make(f"{top}/mi350", ["SQ_INSTS_VALU_MFMA_MOPS_F6F4"],
                               [("k", [1000], 512)], info))
    m = value(d, "mfma_flops_f6f4")
    check(m["value"] == 1000 and m["peak"] == 2400 * 256 * 16384 / 1000, f"MI350: {m}")
    # reads by size: 20 of 128, 70 of 64, 10 of 32 bytes are 7360 in 1000 ns; 46 pieces of 230 past the cache
    columns = ["TCC_EA0_RDREQ_128B_sum", "TCC_EA0_RDREQ_64B_sum", "TCC_EA0_RDREQ_32B_sum", "TCC_EA0_RD_UNCACHED_32B_sum",
               "SQ_WAVES"]
    d = analyze(gpusight, make(f"{top}/mi350_reads", columns, [("k", [20, 70, 10, 46, 10], 1000)], info))
    l2 = {m["key"]: m["value"] for p in d["panels"] if p["id"] == 17 for m in p["rows"]}
    check(same(l2["uncached_read"], 20) and same(l2["read_128"], 2) and "128 bytes" not in notes(d), f"MI350 reads: {l2}")
    d = analyze(gpusight, make(f"{top}/mi350_old", ["TCC_EA0_RDREQ_sum", "TCC_EA0_RDREQ_32B_sum", "TCC_BUBBLE_sum"],
                               [("k", [100, 0, 0], 1000)], info))
    check("reads of 128 bytes were not counted" in notes(d), "MI350 without reads by size: nothing is said")


def check_files(gpusight, top):
    def error(folder, code, word):
        p = run(gpusight, "analyze", folder, code=code)
        check(word in p.stderr and p.stdout == "" and p.stderr.count("\n") == 1,
              f"{folder}: {p.stderr}")

    os.makedirs(f"{top}/only_info")
    write_csv(f"{top}/only_info/sysinfo.csv", [list(INFO), list(INFO.values())])
    error(f"{top}/only_info", 5, "no pmc_perf.csv")
    os.makedirs(f"{top}/empty")
    open(f"{top}/empty/pmc_perf.csv", "w").close()
    error(f"{top}/empty", 5, "no dispatch")
    make(f"{top}/no_rows", ["SQ_WAVES"], [])
    error(f"{top}/no_rows", 5, "no dispatch")
    write_csv(f"{top}/empty/pmc_perf.csv", [["a", "b"], [1, 2]])
    error(f"{top}/empty", 4, "neither kernels nor counters")
    folder = make(f"{top}/half", ["TCC_HIT_sum", "TCC_MISS_sum"], [("k", [75, 25], 9)] * 3)
    with open(f"{folder}/pmc_perf.csv", "r+") as f:
        text = f.read()
        f.truncate(len(text) - 12)
    for name, text in (("sysinfo.csv", "gpu_arch,cu_per_gpu\n"), ("roofline.csv", "device,HBMBw\n0"),
                       ("SQ_LEVEL_WAVES.csv", ""), ("SQ_IFETCH_LEVEL.csv", "\x00\xff\n\x01")):
        with open(f"{folder}/{name}", "w", encoding="latin-1") as f:
            f.write(text)
    d = analyze(gpusight, folder)
    check(value(d, "l2_hit")["dispatches"] == 2 and "cut short" in notes(d), f"half: {notes(d)}")
    # levels: matched by kernel, occurrence and grid, whatever the order
    folder = make(f"{top}/levels", ["GRBM_GUI_ACTIVE"],
                  [("a", [100], 9), ("b", [100], 9), ("b", [100], 9)])
    write_csv(f"{folder}/SQ_LEVEL_WAVES.csv", [
        HEAD + ["GRBM_GUI_ACTIVE", "SQ_LEVEL_WAVES", "SQ_ACCUM_PREV_HIRES"],
        [0, "b", 0, 64, 10, 0, 20], [1, "a", 0, 64, 10, 0, 10], [2, "b", 0, 128, 10, 0, 90],
        [3, "c", 0, 64, 1, 1, 1]])
    d = analyze(gpusight, folder)
    m = value(d, "wave_occupancy")
    check(m["value"] == 1.5 and m["dispatches"] == 2 and "2 of 4 rows" in notes(d), f"levels: {m}")
    # parents of one workload, and of two
    make(f"{top}/workloads/w/MI210", ["TCC_HIT_sum", "TCC_MISS_sum"], [("k", [1, 3], 9)])
    check(value(analyze(gpusight, f"{top}/workloads"), "l2_hit")["value"] == 25, "a parent folder")
    make(f"{top}/workloads/v/MI210", ["TCC_HIT_sum", "TCC_MISS_sum"], [("k", [1, 3], 9)])
    for command in ("analyze", "info"):
        p = run(gpusight, command, f"{top}/workloads", code=2)
        check("holds 2 workloads" in p.stderr, f"two workloads in a folder: {p.stderr}")
    for args in (["summary", folder], ["analyze", folder, folder], ["dump", "--table", "kernels", folder]):
        p = run(gpusight, *args, code=2)
        check("not a trace" in p.stderr, f"{args}: {p.stderr}")
    # options of workloads, on something else
    p = run(gpusight, "analyze", "--panel", "2", "/dev/null", code=2)
    check("rocprof-compute" in p.stderr, "--panel on a trace")


def check_random(gpusight, top):
    """Every formula on random counters of every architecture, three kernels in turn."""
    source = open(os.path.abspath(__file__)).read()
    plain = sorted(set(re.findall(r'"((?:SQ|SQC|TCC|TCP|TA|GRBM|SPI)_[A-Z0-9_]+(?:_sum)?)"', source))
                   - {"SQ_LEVEL_WAVES", "SQ_IFETCH_LEVEL", "SQ_INST_LEVEL_LDS", "SQ_INST_LEVEL_SMEM",
                      "SQ_INST_LEVEL_VMEM", "SQ_ACCUM_PREV_HIRES"})
    plain = [c for c in plain if not c.endswith("_") and "_ACCUM" not in c and "TCC_EA" not in c]
    plain += [f"SQ_INSTS_VALU_{op}_{t}" for op in ("ADD", "MUL", "TRANS", "FMA")
              for t in ("F16", "F32", "F64")]
    plain += ["SQ_INSTS_VALU_MFMA_MOPS_" + t for t in ("F6F4", "F8", "BF16", "F16", "F32", "F64", "I8")]
    plain += [f"TCP_TCC_{x}_REQ_sum" for x in ("READ", "WRITE", "ATOMIC_WITH_RET",
                                               "ATOMIC_WITHOUT_RET")]
    rng = random.Random(7)
    for arch in ARCHS:
        ea = "TCC_EA0_" if arch == "gfx942" else "TCC_EA_"
        columns = sorted(set(plain) - ({"TCC_BUBBLE_sum"} if ea == "TCC_EA_" else set()))
        columns += [ea + x for x in ("RDREQ_sum", "RDREQ_32B_sum", "RDREQ_LEVEL_sum", "WRREQ_sum",
                                     "WRREQ_64B_sum", "WRREQ_LEVEL_sum", "WRREQ_DRAM_sum")]
        columns += ["Arch_VGPR", "SQ_LEVEL_WAVES", "SQ_ACCUM_PREV_HIRES", "SQ_IFETCH_LEVEL",
                    "SQ_ACCUM_PREV_HIRES_1"]
        columns = list(dict.fromkeys(columns))
        info = dict(INFO, gpu_arch=arch, cu_per_gpu="96", num_xcd="6", max_sclk="1234")
        rows = [("abc"[i % 3], [rng.choice((0, rng.randrange(10**6), rng.randrange(10**12)))
                                for _ in columns], rng.randrange(1, 10**6)) for i in range(30)]
        folder = make(f"{top}/random_{arch}", columns, rows, info)
        w = Workload(folder)
        known = compare_values(f"random {arch}", analyze(gpusight, folder), w, w.rows, w.levels)
        check(known >= 35, f"random {arch}: only {known} values")


def check_made(gpusight):
    with tempfile.TemporaryDirectory() as top:
        check_odd_columns(gpusight, top)
        check_odd_values(gpusight, top)
        check_odd_systems(gpusight, top)
        check_files(gpusight, top)
        check_random(gpusight, top)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpusight", required=True)
    parser.add_argument("what", choices=["real", "made"])
    options = parser.parse_args()
    {"real": check_real, "made": check_made}[options.what](options.gpusight)
    if failures:
        print(f"{len(failures)} failures")
        sys.exit(1)
    print("all as computed here")


if __name__ == "__main__":
    main()
