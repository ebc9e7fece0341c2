#!/usr/bin/env python3
"""Hardware counters: metrics, passes and verdicts against values computed here from the tables.

    check_counters.py --gpusight PROGRAM

The scenario `roofline` is written whole and in four passes, as rocpd and as JSON; from the
database this script writes the CSV that rocprofv3 would (instances added up). Reductions, derived
metrics, roofline and verdicts are worked out again with SQL and plain arithmetic. Then passes that
do not fit together, and values that make no sense.
"""
import argparse
import csv
import json
import math
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from tell import check  # noqa: E402

CUS, CLOCK, HBM = 104, 1.7, 1638.4  # an MI210


def near(a, b):
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def file(self, name):
        return os.path.join(self.folder, name)

    def run(self, *args):
        done = subprocess.run([self.path, *args], capture_output=True, timeout=120)
        if done.returncode:
            sys.exit(f"gpusight {' '.join(args)}: {done.stderr.decode()}")
        return done.stdout.decode()

    def synth(self, name, *args):
        self.run("synth", "roofline", "-o", self.file(name), *args)
        return self.file(name)

    def analyses(self, *paths):
        return json.loads(self.run("analyze", "--json", *paths))["analyses"]


def table(db, kind):
    name = db.execute("SELECT name FROM sqlite_master WHERE type='table' AND name LIKE ?", (f"rocpd_{kind}%",))
    return next(name)[0]


def dispatches(path):
    """(kernel name, duration, {counter: [instances]}, id) of each dispatch, from the tables."""
    db = sqlite3.connect(path)
    out = {}
    query = (f"SELECT K.id, S.display_name, K.end - K.start, I.name, V.value "
             f"FROM {table(db, 'pmc_event')} V JOIN {table(db, 'info_pmc')} I ON I.id = V.pmc_id "
             f"JOIN {table(db, 'kernel_dispatch')} K ON K.event_id = V.event_id "
             f"JOIN {table(db, 'info_kernel_symbol')} S ON S.id = K.kernel_id ORDER BY V.id")
    for row, name, duration, counter, value in db.execute(query):
        d = out.setdefault(row, (name.split("(")[0], duration, {}, row))
        d[2].setdefault(counter, []).append(value)
    return list(out.values())


def means(rows, kernel):
    """Counters of a mean dispatch: clocks by maximum over instances, all else added up."""
    of = [r for r in rows if r[0] == kernel]
    c = {}
    for _, _, counters, _ in of:
        for name, values in counters.items():
            c[name] = c.get(name, 0) + (max(values) if name.startswith("GRBM") else sum(values))
    return {k: v / len(of) for k, v in c.items()}, sum(r[1] for r in of) / len(of)


def expected(rows, kernel):
    c, dt = means(rows, kernel)
    cycles = c["GRBM_GUI_ACTIVE"] * CUS
    f64 = 64 * (c["SQ_INSTS_VALU_ADD_F64"] + c["SQ_INSTS_VALU_MUL_F64"] + c["SQ_INSTS_VALU_TRANS_F64"]
                + 2 * c["SQ_INSTS_VALU_FMA_F64"])
    f16 = 512 * c["SQ_INSTS_VALU_MFMA_MOPS_F16"]
    lds = (c["SQ_LDS_IDX_ACTIVE"] - c["SQ_LDS_BANK_CONFLICT"])
    read, write = 64 * c["TCC_EA_RDREQ_sum"], 64 * c["TCC_EA_WRREQ_64B_sum"]
    return {
        "gpu_busy_pct": 100 * c["GRBM_GUI_ACTIVE"] / c["GRBM_COUNT"],
        "occupancy_pct": 400 * c["SQ_WAVE_CYCLES"] / cycles / 32,
        "valu_busy_pct": 100 * c["SQ_ACTIVE_INST_VALU"] / cycles,
        "mfma_util_pct": 100 * c["SQ_VALU_MFMA_BUSY_CYCLES"] / cycles / 4,
        "wait_pct": 100 * c["SQ_WAIT_ANY"] / c["SQ_WAVE_CYCLES"],
        "valu_f64_gflops": f64 / dt,
        "mfma_f16_gflops": f16 / dt,
        "lds_gbps": lds * 128 / dt,
        "lds_conflict_pct": 100 * c["SQ_LDS_BANK_CONFLICT"] / cycles,
        "lds_conflicts_per_access": c["SQ_LDS_BANK_CONFLICT"] / lds if lds else None,
        "l1_gbps": 64 * c["TCP_TOTAL_CACHE_ACCESSES_sum"] / dt,
        "l2_hit_pct": 100 * c["TCC_HIT_sum"] / (c["TCC_HIT_sum"] + c["TCC_MISS_sum"]),
        "l2_gbps": 128 * c["TCC_REQ_sum"] / dt,
        "read_bytes": read,
        "write_bytes": write,
        "fabric_gbps": (read + write) / dt,
    }


KERNELS = {"triad": ("memory", "HBM"), "gemm_f16": ("compute", None), "chase": ("latency", None),
           "transpose": ("latency", None)}


def check_whole(rows, doc, label):
    got = {(m["kernel"], m["metric"]): m for m in doc["counter_metrics"]}
    wrong = []
    for kernel in KERNELS:
        for metric, want in expected(rows, kernel).items():
            have = got.get((kernel, metric), {}).get("value")
            if not near(have, want):
                wrong.append((kernel, metric, have, want))
    check(f"{label}: metrics are those worked out from the tables", not wrong, wrong[:3])
    verdicts = {k["short_name"]: (k["bound"], k["level"]) for k in doc["counter_kernels"]}
    check(f"{label}: verdicts", verdicts == KERNELS, verdicts)
    hbm = {r["kernel"]: r for r in doc["roofline"] if r["level"] == "HBM"}
    triad = expected(rows, "triad")
    check(f"{label}: intensity of triad",
          near(hbm["triad"]["intensity"], triad["valu_f64_gflops"] / triad["fabric_gbps"]), hbm["triad"])
    check(f"{label}: share of the roof", near(hbm["triad"]["roof_pct"], 100 * triad["fabric_gbps"] / HBM), hbm["triad"])
    gemm = expected(rows, "gemm_f16")
    check(f"{label}: gemm is below its flat roof",
          near(hbm["gemm_f16"]["roof_pct"], 100 * gemm["mfma_f16_gflops"] / 181000), hbm["gemm_f16"])


def no_mark(doc):
    return not any(m["cross_pass"] for m in doc["counter_metrics"])


def check_passes(p, rows):
    paths = [p.synth(f"pass{k}.db", "--set", f"pass={k}") for k in (1, 2, 3, 4)]
    doc = p.analyses(*paths)
    check_whole(rows, doc, "four passes")
    check("four passes are found", [x["pass"] for x in doc["counter_passes"]] == [1, 2, 3, 4], doc["counter_passes"])
    check("metrics inside one pass carry no mark", all(
        m["cross_pass"] == ("+" in m["passes"]) for m in doc["counter_metrics"]), "")
    marked = {m["metric"] for m in doc["counter_metrics"] if m["cross_pass"]}
    check("only sums over passes are marked", marked == {"valu_gflops"}, marked)
    check("rooflines over passes are marked", all(r["cross_pass"] for r in doc["roofline"]), "")
    check("verdicts over passes are marked", all(k["cross_pass"] for k in doc["counter_kernels"]), "")
    text = p.run("analyze", *paths)
    check("the text says so, too", re.search(r"triad +memory +yes", text) and "4 passes were joined" in text)
    # The order of files does not change numbers; pass numbers follow the files.
    again = p.analyses(*reversed(paths))
    values = lambda d: {(m["kernel"], m["metric"]): m["value"] for m in d["counter_metrics"]}
    check("the order of files changes no number", all(near(v, values(again)[k]) for k, v in values(doc).items()))
    return paths


def check_slower(p, paths):
    """Passes that ran the kernel for other times are not put into one ratio."""
    for percent, refused in ((10, False), (40, True)):
        slow = p.synth("slow.db", "--set", "pass=4", "--set", f"slower={percent}")
        doc = p.analyses(*paths[:3], slow)
        rows = [m for m in doc["counter_metrics"] if m["metric"] == "valu_gflops"]
        if refused:
            ok = rows and all(m["value"] is None and "differ by 40 %" in m["remark"] for m in rows)
        else:
            ok = rows and all(m["value"] is not None and m["cross_pass"] for m in rows)
        check(f"a pass that is {percent} % slower is {'refused' if refused else 'used'}", ok, rows[:1])
        intensity = [r["intensity"] for r in doc["roofline"] if r["level"] == "HBM"]
        check(f"and so is the intensity ({percent} %)", all((x is None) == refused for x in intensity), intensity)


def check_unmatched(p, paths):
    """A pass with fewer dispatches: only what all have is used."""
    short = p.synth("short.db", "--set", "pass=2", "--set", "n=5")
    doc = p.analyses(paths[0], short)
    kernel = doc["counter_kernels"][0]
    check("dispatches that a pass lacks are left out", (kernel["dispatches"], kernel["unmatched"]) == (10, 15), kernel)
    both = p.analyses(paths[0], paths[0])
    check("a file given twice counts once", both["counter_summary"]["dispatches"] == 80, both["counter_summary"])


def write_csv(folder, rows, gpu, keep=lambda counter: True):
    """What rocprofv3 writes: instances added up; agent_info tells the architecture."""
    os.makedirs(folder)
    with open(os.path.join(folder, "7_agent_info.csv"), "w", newline="", encoding="utf-8") as f:
        w = csv.writer(f, quoting=csv.QUOTE_NONNUMERIC)
        w.writerow(["Node_Id", "Logical_Node_Id", "Agent_Type", "Cu_Count", "Simd_Per_Cu", "Max_Waves_Per_Simd",
                    "Wave_Front_Size", "Lds_Size_In_Kb", "Num_Xcc", "Max_Engine_Clk_Fcompute", "Name", "Product_Name"])
        w.writerow([1, 1, "GPU", *gpu])
    with open(os.path.join(folder, "7_counter_collection.csv"), "w", newline="", encoding="utf-8") as f:
        w = csv.writer(f, quoting=csv.QUOTE_NONNUMERIC)
        w.writerow(["Correlation_Id", "Dispatch_Id", "Agent_Id", "Queue_Id", "Process_Id", "Thread_Id", "Grid_Size",
                    "Kernel_Id", "Kernel_Name", "Workgroup_Size", "LDS_Block_Size", "Scratch_Size", "VGPR_Count",
                    "Accum_VGPR_Count", "SGPR_Count", "Counter_Name", "Counter_Value", "Start_Timestamp",
                    "End_Timestamp"])
        start = 10**15
        for i, (name, duration, counters, _) in enumerate(rows):
            for counter, values in counters.items():
                if keep(counter):
                    w.writerow([i + 1, i + 1, "Agent 1", 1, 7, 7, 4096, 1, name, 256, 0, 0, 8, 0, 16, counter,
                                float(sum(values)), start, start + duration])
            start += duration + 1000
    return folder


def check_formats(p, rows):
    path = p.file("whole.json")
    p.run("synth", "roofline", "-o", path, "--format", "rocprofv3-json")
    check_whole(rows, p.analyses(path), "JSON")
    mi210 = [CUS, 4, 8, 64, 64, 1, 1700, "gfx90a", "AMD Instinct MI210"]
    check_whole(rows, p.analyses(write_csv(p.file("csv"), rows, mi210)), "CSV")
    blocks = [lambda c: not c.startswith("TC"), lambda c: c.startswith("TC")]
    for i, keep in enumerate(blocks):
        write_csv(p.file(f"passes/pass_{i + 1}"), rows, mi210, keep)
    doc = p.analyses(p.file("passes"))
    check("CSV: two passes in folders", len(doc["counter_passes"]) == 2, doc["counter_passes"])
    check_whole(rows, doc, "CSV in passes")


def check_clocks(p):
    """Eight XCDs: clocks are the most of them, or an eighth of their sum where only that is left."""
    with open(p.file("xcd.trace"), "w", encoding="utf-8") as f:
        f.write("gpu MI300X\nkernel k vgpr=32 wg=256 blocks=9728 dur=1ms\n"
                "counter GRBM_GUI_ACTIVE = 2000000 instances=8\ncounter SQ_WAVE_CYCLES = 304000000 instances=8\n"
                "counter TA_TA_BUSY = 1000000 instances=16\nloop 3 { launch k }\nsync\n")
    p.run("synth", p.file("xcd.trace"), "-o", p.file("xcd.db"))
    rows = dispatches(p.file("xcd.db"))
    csv_folder = write_csv(p.file("xcd"), rows, [304, 4, 8, 64, 64, 8, 2100, "gfx942", "AMD Instinct MI300X"])
    want = 400 * 8 * 304e6 / (2e6 * 304) / 32  # 50 %
    for label, path in (("instances", p.file("xcd.db")), ("sums", csv_folder)):
        doc = p.analyses(path)
        got = {m["metric"]: m["value"] for m in doc["counter_metrics"]}
        check(f"clocks of XCDs from {label}", near(got.get("occupancy_pct"), want), got)
        # The busiest unit is not known from a sum over units.
        check(f"a maximum from {label}", near(got.get("mem_unit_busy_pct"), 50 if label == "instances" else None), got)


def check_times(p, rows):
    """Passes one after the other: the times of the report are of one run, the counters of all."""
    for k in (1, 2, 3, 4):
        with open(p.file("later.trace"), "w", encoding="utf-8") as f:
            f.write(p.run("synth", "--show", "roofline").replace("gpu MI210", f"set base={1000 + 100 * k}s\ngpu MI210", 1))
        p.run("synth", p.file("later.trace"), "-o", p.file(f"later{k}.db"), "--set", f"pass={k}")
    later = [p.file(f"later{k}.db") for k in (1, 2, 3, 4)]
    one, all_ = (json.loads(p.run("analyze", "--json", *x)) for x in (later[:1], later))
    check_whole(rows, all_["analyses"], "passes one after the other")
    check("the window is that of the first pass", all_["ledger"]["window_ns"] == one["ledger"]["window_ns"],
          all_["ledger"]["window_ns"])
    check("and so are the hotspots", [h["calls"] for h in all_["hotspots"]] == [20] * 4, all_["hotspots"])
    check("the text says whose times they are", "those of the first pass (later1.db)" in
          " ".join(p.run("analyze", *later).split()))
    with open(p.file("later.trace"), encoding="utf-8") as f:
        text = f.read().replace("base=1400s", "base=1900s")
    with open(p.file("plain.trace"), "w", encoding="utf-8") as f:
        f.write(text)
    p.run("synth", p.file("plain.trace"), "-o", p.file("plain.db"), "--set", "pass=9", "--set", "n=30")
    mixed = json.loads(p.run("analyze", "--json", *later, p.file("plain.db")))
    check("a run without counters gives the times", [h["calls"] for h in mixed["hotspots"]] == [30] * 4, mixed["hotspots"])
    check_whole(rows, mixed["analyses"], "passes and a run without counters")
    # A window that was asked for stays; captures made apart stand end to end.
    part = json.loads(p.run("analyze", "--json", "--window", "0%..50%", *later))
    check("a window that was asked for stays", part["ledger"]["window_ns"] > 1.5 * one["ledger"]["window_ns"], part["ledger"]["window_ns"])


def check_levels(p):
    """The accumulator belongs to the level counted with it; with two of them nobody knows whose it is."""
    for levels, want in ((["SQ_LEVEL_WAVES"], 16), (["SQ_LEVEL_WAVES", "SQ_INST_LEVEL_VMEM"], None)):
        with open(p.file("level.trace"), "w", encoding="utf-8") as f:
            f.write("gpu MI210\nkernel k vgpr=32 wg=256 blocks=960 dur=1ms\ncounter GRBM_GUI_ACTIVE = 1000\n"
                    "counter SQ_ACCUM_PREV_HIRES = 208000 instances=8\n"
                    + "".join(f"counter {x} = 5 instances=8\n" for x in levels) + "loop 3 { launch k }\nsync\n")
        p.run("synth", p.file("level.trace"), "-o", p.file("level.db"))
        got = {m["metric"]: m["value"] for m in p.analyses(p.file("level.db"))["counter_metrics"]}
        # 8 x 208000 / (1000 x 104)
        check(f"the accumulator with {' and '.join(levels)}", near(got.get("waves_per_cu"), want), got)


def check_names(p):
    """Kernels that share a short name stay apart; two streams and copies between change nothing."""
    with open(p.file("names.trace"), "w", encoding="utf-8") as f:
        f.write('gpu MI210\nkernel "work(int)" vgpr=32 wg=256 blocks=960 dur=1ms\n'
                'kernel "work(float)" vgpr=32 wg=256 blocks=960 dur=2ms\nloop 5 {\n'
                '  counter TCC_HIT_sum = 90; counter TCC_MISS_sum = 10; launch "work(int)"\n'
                '  counter TCC_HIT_sum = 30; counter TCC_MISS_sum = 70; launch "work(float)"\n}\nsync\n')
    p.run("synth", p.file("names.trace"), "-o", p.file("names.db"))
    doc = p.analyses(p.file("names.db"))
    names = {k["rank"]: k["name"] for k in doc["counter_kernels"]}
    hits = {names[m["rank"]]: m["value"] for m in doc["counter_metrics"] if m["metric"] == "l2_hit_pct"}
    check("kernels with one short name stay apart", hits == {"work(int)": 90, "work(float)": 30}, hits)


def check_ranks(p):
    """Two ranks in each of two passes: rank 0 is joined with rank 0."""
    text = ("param pass = 1\ngpu MI210\nkernel k vgpr=32 wg=256 blocks=9728\nprocess count=2 {\n"
            "  if pass == 1 { counter TCC_HIT_sum = 100*(rank+1) }\n  if pass == 2 { counter TCC_MISS_sum = 100*(rank+1) }\n"
            "  loop 4 { launch k dur=1ms*(rank+1) }\n  sync\n}\n")
    with open(p.file("ranks.trace"), "w", encoding="utf-8") as f:
        f.write(text)
    for k in (1, 2):
        p.run("synth", p.file("ranks.trace"), "-o", p.file(f"ranks{k}") + "/", "--set", f"pass={k}")
    doc = p.analyses(p.file("ranks1"), p.file("ranks2"))
    check("ranks are no passes", [x["processes"] for x in doc["counter_passes"]] == [2, 2], doc["counter_passes"])
    check("each rank finds itself", doc["counter_kernels"][0]["unmatched"] == 0, doc["counter_kernels"])
    hit = [m for m in doc["counter_metrics"] if m["metric"] == "l2_hit_pct"]
    check("a ratio over ranks and passes", hit and near(hit[0]["value"], 50) and hit[0]["cross_pass"], hit)
    pairs = sorted(d["duration_ns"] for d in doc["counter_dispatches"])
    check("dispatches are joined within a rank", pairs == [1e6] * 4 + [2e6] * 4, pairs)


def broken(p, name, *statements):
    path = p.file(name)
    shutil.copy(p.file("whole.db"), path)
    db = sqlite3.connect(path)
    for s in statements:
        db.execute(s.replace("PMC", table(db, "pmc_event")).replace("INFO", table(db, "info_pmc"))
                   .replace("AGENT", table(db, "info_agent")))
    db.commit()
    db.close()
    return p.analyses(path), path


def check_bad(p):
    of = "pmc_id = (SELECT id FROM INFO WHERE name = '{}')"
    one = "id = (SELECT min(id) FROM PMC WHERE {})"
    for value in ("-5", "9e999", "-9e999", "'x'"):
        doc, _ = broken(p, "bad.db", f"UPDATE PMC SET value = {value} WHERE " + one.format(of.format("SQ_WAVE_CYCLES")))
        s = doc["counter_summary"]
        occupancy = [k["occupancy_pct"] for k in doc["counter_kernels"] if k["short_name"] == "triad"]
        check(f"a value of {value} is left out and said", s["bad_values"] == 1 and near(occupancy[0], 60),
              (s, occupancy))
    doc, _ = broken(p, "bad.db", "UPDATE PMC SET value = -1 WHERE " + of.format("SQ_WAVE_CYCLES"))
    check("a counter without any good value is missing",
          all(k["occupancy_pct"] is None for k in doc["counter_kernels"]), "")
    doc, _ = broken(p, "bad.db", "UPDATE PMC SET value = 1.7e308 WHERE " + of.format("SQ_WAVE_CYCLES"))
    check("overflow is not a number", all(k["occupancy_pct"] is None for k in doc["counter_kernels"]), "")
    doc, path = broken(p, "dup.db", "INSERT INTO PMC (guid, event_id, pmc_id, value) SELECT guid, event_id, pmc_id, value "
                       "FROM PMC WHERE event_id = (SELECT min(event_id) FROM PMC)")
    k = {k["short_name"]: k for k in doc["counter_kernels"]}
    check("a dispatch with every value twice is left out", doc["counter_summary"]["odd_dispatches"] == 1
          and near(k["triad"]["occupancy_pct"], 60) and near(k["triad"]["fabric_gbps"], 1344), k["triad"])
    check("and the text says so", "more or fewer instances" in p.run("analyze", path))
    doc, _ = broken(p, "orphan.db", "UPDATE PMC SET event_id = 99999999 WHERE id = (SELECT min(id) FROM PMC)")
    check("a value without a kernel is counted", doc["counter_summary"]["without_kernel"] == 1, doc["counter_summary"])
    doc, path = broken(p, "arch.db", "UPDATE AGENT SET name = 'gfx777', extdata = '{}' WHERE type = 'GPU'")
    check("an unknown architecture gets no verdict", all(k["bound"] == "unknown" for k in doc["counter_kernels"]),
          doc["counter_kernels"][:1])
    check("and it is named", doc["counter_summary"]["unknown_arch"] == "gfx777"
          and "architecture are not known (gfx777)" in " ".join(p.run("analyze", path).split()), doc["counter_summary"])
    doc, _ = broken(p, "zero.db", "UPDATE PMC SET value = 0 WHERE " + of.format("SQ_WAVE_CYCLES"))
    zero = [m for m in doc["counter_metrics"] if m["metric"] == "occupancy_pct"]
    check("an occupancy of zero is refused", zero and all(m["value"] is None and m["remark"] for m in zero), zero[:1])


def check_damaged(p):
    """The parts of a ratio are of the same dispatches, also where a value of one is lost."""
    gpu = (104, 4, 8, 64, 64, 1, 1700, "gfx90a", "MI210")
    hit, miss = "TCC_HIT_sum", "TCC_MISS_sum"
    for label, last in (("negative", {hit: [-75000], miss: [25000]}), ("lost", {miss: [25000]})):
        rows = [("k", 2000, {hit: [75], miss: [25]}, 0)] * 2 + [("k", 2000, last, 0)]
        k = p.analyses(write_csv(p.file("damaged " + label), rows, gpu))["counter_kernels"][0]
        check(f"a dispatch with a value that is {label} is left out whole",  # 0.9 with its misses
              near(k["l2_hit_pct"], 75) and k["dispatches"] == 2 and k["unmatched"] == 1, k)
    other = write_csv(p.file("damaged other"), [("k", 2000, {"TCC_REQ_sum": [n]}, 0) for n in (100, 100, 100000)], gpu)
    doc = p.analyses(p.file("damaged lost"), other)
    l2 = [m["value"] for m in doc["counter_metrics"] if m["metric"] == "l2_gbps"]
    check("and in the other passes too", near(l2[0], 100 * 128 / 2000), l2)
    rows = [("k", 2000, {hit: [75]}, 0), ("k", 2000, {miss: [25]}, 0)] * 2
    doc = p.analyses(write_csv(p.file("damaged turns"), rows, gpu))
    l2 = [(m["value"], m["cross_pass"]) for m in doc["counter_metrics"] if m["metric"] == "l2_hit_pct"]
    check("counters that take turns make a marked ratio", l2 == [(75, True)], l2)


def check_tables(p):
    """CSV files with cells that are no numbers, and with columns too few or too many."""
    gpu = (104, 4, 8, 64, 64, 1, 1700, "gfx90a", "MI210")
    rows = [("k", 2000, {"TCC_HIT_sum": [75], "TCC_MISS_sum": [25]}, 0)] * 3
    folder = write_csv(p.file("cells"), rows, gpu)
    path = os.path.join(folder, "7_counter_collection.csv")
    with open(path, newline="", encoding="utf-8") as f:
        cells = list(csv.reader(f))

    def put(table):
        with open(path, "w", newline="", encoding="utf-8") as f:
            csv.writer(f).writerows(table)
        return subprocess.run([p.path, "analyze", "--json", folder], capture_output=True, text=True, timeout=60)

    head = cells[0]
    for word in ("abc", "nan", "", "0x10", "1e999"):
        value = head.index("Counter_Value")
        doc = json.loads(put(cells[:-1] + [cells[-1][:value] + [word] + cells[-1][value + 1:]]).stdout)["analyses"]
        k, bad = doc["counter_kernels"][0], doc["counter_summary"]["bad_values"]
        check(f"a value of '{word}' is none, not zero", near(k["l2_hit_pct"], 75) and bad == 1, (k["l2_hit_pct"], bad))
    done = put([row + [row[head.index("Counter_Value")]] for row in cells])
    k = json.loads(done.stdout)["analyses"]["counter_kernels"][0]
    check("of two columns with one name the first is read, and it is said", near(k["l2_hit_pct"], 75)
          and "two columns are called 'Counter_Value'" in done.stderr, done.stderr)
    for column in ("Counter_Name", "Counter_Value", "Dispatch_Id"):
        at = head.index(column)
        done = put([row[:at] + row[at + 1:] for row in cells])
        check(f"a file without {column} is passed over, and it is said", done.returncode == 5
              and f"without a column '{column}'" in done.stderr, (done.returncode, done.stderr))


def check_missing(p, paths):
    doc = p.analyses(paths[0])  # no memory traffic
    ask = [m for m in doc["counter_missing"] if m["question"].startswith("whether")]
    check("the counters that are missing are named", ask and ask[0]["capture"].split("; ")[0].split() == [
        "TCC_EA_RDREQ_32B_sum", "TCC_EA_RDREQ_sum", "TCC_EA_WRREQ_64B_sum", "TCC_EA_WRREQ_sum"], ask)
    whole = p.analyses(p.file("whole.db"))
    check("what is known is not asked for", not [m for m in whole["counter_missing"]
                                                 if m["question"].startswith("whether")], whole["counter_missing"])
    for m in doc["counter_missing"]:
        for one in m["capture"].split("; "):
            blocks = {}
            for c in one.split():
                block = c.split("_")[0].replace("SQC", "SQ")
                blocks[block] = blocks.get(block, 0) + 1
            limits = {"SQ": 8, "TA": 2, "TD": 2, "TCP": 4, "TCC": 4, "GRBM": 2}
            check(f"a pass keeps to the limits ({m['question']})", all(n <= limits[b] for b, n in blocks.items()), blocks)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        p = Program(os.path.abspath(args.gpusight), folder)
        rows = dispatches(p.synth("whole.db"))
        doc = p.analyses(p.file("whole.db"))
        check_whole(rows, doc, "one pass")
        check("one pass needs no mark", no_mark(doc) and not any(k["cross_pass"] for k in doc["counter_kernels"]))
        paths = check_passes(p, rows)
        check_slower(p, paths)
        check_unmatched(p, paths)
        check_formats(p, rows)
        check_clocks(p)
        check_ranks(p)
        check_names(p)
        check_levels(p)
        check_times(p, rows)
        check_bad(p)
        check_damaged(p)
        check_tables(p)
        check_missing(p, paths)
    sys.exit(1 if tell.failures else 0)


if __name__ == "__main__":
    main()
