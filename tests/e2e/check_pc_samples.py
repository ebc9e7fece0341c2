#!/usr/bin/env python3
"""PC samples that are written here, as CSV and as JSON, against counts made here.

    check_pc_samples.py --gpusight PROGRAM [--seed N]

Both files hold the same samples of the same dispatches. Counts, shares and Wilson intervals of every
table are computed again; the rows of `dump` must be the samples; every form of the report shows them.
"""
import argparse
import collections
import csv
import io
import json
import math
import os
import random
import subprocess
import sys
import tempfile

TYPE, REASON = "ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_", "ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_"
TYPES = ["VALU", "MATRIX", "SCALAR", "LDS", "TEX"]
REASONS = ["WAITCNT", "ALU_DEPENDENCY", "BARRIER_WAIT", "ARBITER_NOT_WIN", "ARBITER_WIN_EX_STALL"]
PIPES = ["valu", "matrix", "lds", "lds_direct", "scalar", "vmem_tex", "flat", "exp", "misc", "brmsg"]
KERNELS = ["alpha", "beta", "gamma"]


class Tester:
    def __init__(self, program):
        self.program, self.failures, self.checks = program, 0, 0

    def equal(self, got, want, text):
        self.checks += 1
        if got != want:
            self.failures += 1
            print(f"FAILED: {text}: {got!r} instead of {want!r}")

    def near(self, got, want, text):
        self.checks += 1
        if got is None or abs(got - want) > 1e-9 * (1 + abs(want)):
            self.failures += 1
            print(f"FAILED: {text}: {got!r} instead of {want!r}")

    def run(self, *args):
        r = subprocess.run([self.program, *args], capture_output=True, timeout=120, check=False)
        self.equal(r.returncode, 0, f"exit code of {args} ({r.stderr.decode()[:200]})")
        return r.stdout


def made(rng, stochastic):
    """Instructions, and samples as dicts."""
    code = [{"kernel": k, "offset": 0x100 * (n + 1) + 8 * i, "text": f"{rng.choice(['v_add', 's_waitcnt', 'ds_read'])} {k}{i}",
             "source": f"src/{k}.hip:{10 + i // 3}" if i % 4 else ""} for n, k in enumerate(KERNELS) for i in range(12)]
    weights = [rng.random() ** 4 for _ in code]
    samples = []
    for i in range(3000):
        c = rng.choices(range(len(code)), weights)[0]
        s = {"time": 1000 + i, "code": c, "mask": rng.getrandbits(64), "dispatch": KERNELS.index(code[c]["kernel"]) + 1}
        if stochastic:
            s |= {"issued": rng.random() < 0.3, "type": rng.choice(TYPES), "reason": rng.choice(REASONS),
                  "waves": rng.randint(1, 8), "pipes": [rng.random() < 0.2 for _ in range(2 * len(PIPES))]}
        samples.append(s)
    return code, samples


def write_json(path, code, samples, stochastic):
    records = []
    for s in samples:
        c = code[s["code"]]
        r = {"pc": {"code_object_id": 2, "code_object_offset": c["offset"]}, "exec_mask": s["mask"], "timestamp": s["time"],
             "dispatch_id": s["dispatch"]}
        if stochastic:
            arb = {f"arb_state_{w}_{p}": int(s["pipes"][i + len(PIPES) * n]) for n, w in enumerate(("issue", "stall"))
                   for i, p in enumerate(PIPES)}
            r |= {"wave_issued": int(s["issued"]), "inst_type": TYPE + s["type"], "wave_cnt": s["waves"],
                  "snapshot": {"stall_reason": REASON + s["reason"], "dual_issue_valu": 0, **arb}}
        records.append({"record": r, "inst_index": s["code"]})
    invalid = {"record": {"pc": {"code_object_id": 0, "code_object_offset": 0}, "exec_mask": 0, "timestamp": 1500, "dispatch_id": 1},
               "inst_index": -1}
    dispatches = [{"size": 1, "kind": 1, "operation": 1, "thread_id": 7, "correlation_id": {"internal": n + 1, "external": 0},
                   "start_timestamp": 1000 + 1000 * n, "end_timestamp": 2000 + 1000 * n,
                   "dispatch_info": {"size": 1, "agent_id": {"handle": 5}, "queue_id": {"handle": 9}, "kernel_id": n + 1,
                                     "dispatch_id": n + 1, "private_segment_size": 0, "group_segment_size": 0,
                                     "workgroup_size": {"x": 64, "y": 1, "z": 1}, "grid_size": {"x": 64, "y": 1, "z": 1}}}
                  for n in range(len(KERNELS))]
    symbols = [{"kernel_id": n + 1, "kernel_name": k, "formatted_kernel_name": k, "demangled_kernel_name": k}
               for n, k in enumerate(KERNELS)]
    tool = {"metadata": {"pid": 7, "init_time": 900, "fini_time": 9000},
            "strings": {"pc_sample_instructions": [c["text"] for c in code], "pc_sample_comments": [c["source"] for c in code]},
            "kernel_symbols": symbols,
            "buffer_records": {"kernel_dispatch": dispatches,
                               "pc_sample_stochastic" if stochastic else "pc_sample_host_trap": records + [invalid] * 5}}
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"rocprofiler-sdk-tool": [tool]}, f)


def write_csv(folder, code, samples, stochastic):
    os.makedirs(folder)
    with open(os.path.join(folder, "7_kernel_trace.csv"), "w", newline="", encoding="utf-8") as f:
        w = csv.writer(f, quoting=csv.QUOTE_NONNUMERIC)
        w.writerow(["Kind", "Agent_Id", "Queue_Id", "Thread_Id", "Dispatch_Id", "Kernel_Id", "Kernel_Name", "Correlation_Id",
                    "Start_Timestamp", "End_Timestamp", "Workgroup_Size_X", "Workgroup_Size_Y", "Workgroup_Size_Z",
                    "Grid_Size_X", "Grid_Size_Y", "Grid_Size_Z"])
        for n, k in enumerate(KERNELS):
            w.writerow(["KERNEL_DISPATCH", "Agent 4", 1, 7, n + 1, n + 1, k, n + 1, 1000 + 1000 * n, 2000 + 1000 * n,
                        64, 1, 1, 64, 1, 1])
    name = "7_pc_sampling_stochastic.csv" if stochastic else "7_pc_sampling_host_trap.csv"
    with open(os.path.join(folder, name), "w", newline="", encoding="utf-8") as f:
        w = csv.writer(f, quoting=csv.QUOTE_NONNUMERIC)
        more = ["Wave_Issued_Instruction", "Instruction_Type", "Stall_Reason", "Wave_Count"] if stochastic else []
        w.writerow(["Sample_Timestamp", "Exec_Mask", "Dispatch_Id", "Instruction", "Instruction_Comment", "Correlation_Id"] + more)
        for s in samples:
            c = code[s["code"]]
            row = [s["time"], s["mask"], s["dispatch"], c["text"], c["source"], s["dispatch"]]
            w.writerow(row + ([int(s["issued"]), TYPE + s["type"], REASON + s["reason"], s["waves"]] if stochastic else []))


def wilson(k, n):
    z = 1.959963984540054
    p, d = k / n, 1 + z * z / n
    m, h = (p + z * z / (2 * n)) / d, z / d * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return 100 * (m - h), 100 * (m + h)


def check_share(t, row, k, n, where):
    t.equal(row["samples"], k, f"{where}: samples")
    t.near(row["pct"], 100 * k / n, f"{where}: share")
    low, high = wilson(k, n)
    if 0 < k < n:
        t.near(row["low_pct"], low, f"{where}: low")
        t.near(row["high_pct"], high, f"{where}: high")
    t.equal(row["enough"], k >= 30, f"{where}: enough")


def check(t, path, code, samples, stochastic, is_json):
    tables = json.loads(t.run("analyze", "--json", "--no-att", path))["analyses"]
    where, n, stats = os.path.basename(path), len(samples), tables["pc_sampling"]
    t.equal((stats["samples"], stats["invalid"], stats["unattributed"], stats["method"]),
            (n, 5 if is_json else 0, 0, "stochastic" if stochastic else "host trap"), f"{where}: stats")
    hits = collections.Counter(s["code"] for s in samples)
    rows = {r["instruction"]: r for r in tables["pc_instructions"]}
    t.equal(set(rows), {code[c]["text"] for c in hits}, f"{where}: instructions")
    t.equal([r["samples"] for r in tables["pc_instructions"]], sorted(hits.values(), reverse=True), f"{where}: order")
    of_kernel = collections.Counter(code[s["code"]]["kernel"] for s in samples)
    for c, k in hits.items():
        r, mine = rows[code[c]["text"]], [s for s in samples if s["code"] == c]
        check_share(t, r, k, n, f"{where} {code[c]['text']}")
        t.equal((r["kernel"], r["offset"], r["source"] or ""),
                (code[c]["kernel"], code[c]["offset"] if is_json else 0, code[c]["source"]), f"{where}: place")
        t.near(r["pct_of_kernel"], 100 * k / of_kernel[code[c]["kernel"]], f"{where}: of kernel")
        t.near(r["mean_lanes"], sum(bin(s["mask"]).count("1") for s in mine) / k, f"{where}: lanes")
        if stochastic:
            t.near(r["issued_pct"], 100 * sum(s["issued"] for s in mine) / k, f"{where}: issued")
            stalls = collections.Counter(s["reason"] for s in mine if not s["issued"])
            if stalls:
                t.equal(stalls[r["top_stall"]], max(stalls.values()), f"{where}: top stall")
        else:
            t.equal(r["issued_pct"], None, f"{where}: host trap knows nothing of issue")
    for r in tables["pc_kernels"]:
        check_share(t, r, of_kernel[r["kernel"]], n, f"{where} {r['kernel']}")
    lines = collections.Counter(code[s["code"]]["source"] for s in samples if code[s["code"]]["source"])
    t.equal({r["source"]: r["samples"] for r in tables["pc_lines"]}, dict(lines), f"{where}: lines")
    want = collections.Counter((("issued", s["type"]) if s["issued"] else ("not issued", s["reason"]))
                               for s in samples) if stochastic else {}
    t.equal({(r["state"], r["what"]): r["samples"] for r in tables["pc_reasons"]}, dict(want), f"{where}: reasons")
    if stochastic and is_json:
        for i, p in enumerate(PIPES):
            r = next(r for r in tables["pc_pipes"] if r["pipe"] == p)
            t.equal((r["issue"], r["stall"]), (sum(s["pipes"][i] for s in samples), sum(s["pipes"][i + len(PIPES)] for s in samples)),
                    f"{where}: pipe {p}")
    dumped = list(csv.DictReader(io.StringIO(t.run("dump", "--csv", "-t", "pc_samples", path).decode())))
    dumped = [d for d in dumped if d["instruction"]]
    t.equal([(int(d["time_ns"]), d["kernel"], int(d["exec_mask"]), d["instruction"]) for d in dumped],
            [(s["time"], code[s["code"]]["kernel"], s["mask"], code[s["code"]]["text"]) for s in samples], f"{where}: dump")


def check_forms(t, path, code, samples):
    hottest = code[collections.Counter(s["code"] for s in samples).most_common(1)[0][0]]["text"]
    text = t.run("analyze", path).decode()
    for word in ("PC samples", "WAITCNT", "Pipelines", hottest.split()[0]):
        t.equal(word in text, True, f"text has {word}")
    t.equal(hottest.replace("_", r"\_") in t.run("analyze", "--format", "markdown", path).decode(), True, "markdown")
    page = t.run("analyze", "--format", "html", path).decode()
    t.equal('id="pc-samples"' in page and hottest in page, True, "html")
    one = json.loads(t.run("analyze", "--json", "--window", "1000..1499", path))["analyses"]["pc_sampling"]
    t.equal((one["samples"], one["outside"]), (500, 2505), "a window")


def check_finding(t, temp, code, samples):
    """The finding 'pc-stalls': not for reasons that are all alike, but where most wait for one."""
    for name, one in (("mixed", False), ("waits", True)):
        path = os.path.join(temp, name + ".json")
        write_json(path, code, [s | {"reason": "WAITCNT"} if one and i % 10 else s for i, s in enumerate(samples)], True)
        found = {r["rule"]: r for r in json.loads(t.run("analyze", "--json", "--no-att", path))["recommendations"]}
        t.equal("pc-stalls" in found, one, f"{name}: the finding")
        if one:
            t.equal("takes 1.00 µs" in found["pc-stalls"]["issue"], True, f"{name}: the kernel's time")
            t.equal([c["cause"] for c in found["pc-stalls"]["claims"]], ["compute"], f"{name}: claims")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    p.add_argument("--seed", type=int, default=7)
    a = p.parse_args()
    t = Tester(os.path.abspath(a.gpusight))
    with tempfile.TemporaryDirectory() as temp:
        for stochastic in (True, False):
            code, samples = made(random.Random(a.seed + stochastic), stochastic)
            name = os.path.join(temp, "stochastic" if stochastic else "trap")
            write_json(name + ".json", code, samples, stochastic)
            write_csv(name, code, samples, stochastic)
            check(t, name + ".json", code, samples, stochastic, True)
            check(t, name, code, samples, stochastic, False)
            t.run("convert", name + ".json", "-o", name + ".pftrace")
            t.equal(t.run("dump", "--table", "pc_samples", name + ".pftrace"),
                    t.run("dump", "--table", "pc_samples", name + ".json"), "samples in Perfetto, read back")
            if stochastic:
                check_forms(t, name + ".json", code, samples)
                check_finding(t, temp, code, samples)
    print(f"{t.checks} checks, {t.failures} failed")
    sys.exit(t.failures > 0)


if __name__ == "__main__":
    main()
