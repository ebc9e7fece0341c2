#!/usr/bin/env python3
"""Thread traces: what gpusight says against plain sums over the files, and against hand inspection.

    check_att.py --gpusight PROGRAM real|made

real: the six runs of one kernel's tuning history (GPUSIGHT_TRACES says where they are; exit code 77
without them). made: folders written here, broken in every way that copying breaks folders.
"""
import argparse
import collections
import csv
import glob
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
from tell import breaches, TRACES  # noqa: E402

# By hand, from the files: the row with most Latency of the kernel that matters, what it is, and for a
# wait the load that decides it. Counted in the listing: for vmcnt(n) the n loads just before the wait
# may stay outstanding, the one before them must be back; its register is read right behind the wait.
#   trace_20251121: the first of eight 2-byte loads of a loop; 3594 of 3599 cycles a hit are stall.
#   trace_20251211: eight loads 10720..10776, then vmcnt(6): 10728 (v110, read by v_perm at 10904).
#   bmm_20251215:   loads 17136 17144 17152 | 17188 17204 17228, then vmcnt(4): 17144 (v113).
#   bmmIGLP:        vmcnt(1) at 12136 behind global_load_dwordx4 v[80:83] at 12044 and one more load.
#   ck_bmm:         unrolled: no instruction stands out, the barrier behind the first tile is largest.
#   bmm_20251230:   only the fill kernel was traced: lgkmcnt(0) behind s_load_dwordx4 at 18868.
BY_HAND = {
    "trace_20251121_0800": (10268, "global_load_ushort v21, v[28:29], off", "vmem", None, "vmem"),
    "trace_20251211_0701": (10900, "s_waitcnt vmcnt(6)", "wait_vmem", 10728, "instruction_fetch"),
    "bmm_20251215_0933": (17276, "s_waitcnt vmcnt(4)", "wait_vmem", 17144, "wait_vmem"),
    "bmmIGLP_20251215_0933": (12136, "s_waitcnt vmcnt(1)", "wait_vmem", 12044, "instruction_fetch"),
    "ck_bmm": (17924, "s_barrier", "barrier", None, "mfma"),
    "bmm_20251230_0600": (18896, "s_waitcnt lgkmcnt(0)", "wait_smem", 18868, "wait_smem"),
}
# Mean duration of the kernel falls with its share of stall: 66.3, 22.4 (a regression), 19.4, 18.8, 17.2 µs.
HISTORY = ["trace_20251121_0800", "bmmIGLP_20251215_0933", "trace_20251211_0701", "bmm_20251215_0933", "ck_bmm"]
SHARES = [96.07, 86.12, 85.50, 84.17, 75.01]


class Tester:
    def __init__(self, program):
        self.program, self.failures, self.checks = program, 0, 0

    def check(self, ok, text):
        self.checks += 1
        if not ok:
            self.failures += 1
            print("FAILED:", text)

    def equal(self, got, want, text):
        self.check(got == want, f"{text}: {got!r} instead of {want!r}")

    def run(self, *args, code=0):
        r = subprocess.run([self.program, "analyze", *args], capture_output=True, timeout=60, check=False,
                           env={**os.environ, "COLUMNS": "150"})
        self.equal(r.returncode, code, f"exit code of {args} ({r.stderr.decode(errors='replace')[:300]})")
        return r

    def json(self, *args):
        return json.loads(self.run("--json", *args).stdout)


def sections(path):
    """Rows of a stats file by kernel: {name: [row...]}, with numbers as integers."""
    out, name = collections.OrderedDict(), None
    with open(path, newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            for key in ("Vaddr", "Hitcount", "Latency", "Stall", "Idle"):
                row[key] = int(row[key])
            if row["Instruction"].startswith(";"):
                name = row["Instruction"][1:].strip()
                out[name] = []
            else:
                out[name].append(row)
    return out


def kernel_of(document, rows):
    for k in document["thread_trace"]["kernels"]:
        if [i["address"] for i in k["instructions"]] == [r["Vaddr"] for r in rows]:
            return k
    return None


def check_sums(t, where, k, rows):
    for key, column in (("hits", "Hitcount"), ("latency", "Latency"), ("stall", "Stall"), ("idle", "Idle")):
        total = sum(r[column] for r in rows)
        t.equal(k[key], total, f"{where}: {key}")
        t.equal([i[key] for i in k["instructions"]], [r[column] for r in rows], f"{where}: {key} by instruction")
        if key != "hits":
            t.equal(sum(b[key] for b in k["blocks"]), total, f"{where}: {key} over blocks")
            t.equal(sum(c[key] for c in k["stall_classes"]), total, f"{where}: {key} over classes")
    latency, stall, idle = (sum(r[c] for r in rows) for c in ("Latency", "Stall", "Idle"))
    t.check(abs(k["stall_pct"] - 100 * stall / latency) < 1e-9, f"{where}: stall share")
    t.check(abs(k["idle_pct"] - 100 * idle / (latency + idle)) < 1e-9, f"{where}: idle share")
    t.check(abs(sum(c["pct_of_time"] for c in k["stall_classes"]) - 100) < 1e-6, f"{where}: classes make 100 %")
    t.equal(sum(b["instructions"] for b in k["blocks"]), len(rows), f"{where}: every instruction in one block")


COUNTED = {"vmcnt": re.compile(r"(global|buffer|flat|scratch)_"), "lgkmcnt": re.compile(r"(ds_|s_load|s_buffer_load|flat_)")}


def simulate(rows):
    """Runs the code forwards, loops twice more, and keeps queues of what is outstanding: which wait
    took which operations out. Returns {address of wait: set of addresses}; None: a branch is a guess."""
    index = {r["Vaddr"]: n for n, r in enumerate(rows)}
    ran = lambda n: n < len(rows) and rows[n]["Hitcount"] > 0
    n = next(i for i in range(len(rows)) if ran(i))
    queues, fed, taken, steps = {"vmcnt": [], "lgkmcnt": []}, collections.defaultdict(set), collections.Counter(), 0
    while n < len(rows) and steps < 100000:
        row, text, steps = rows[n], rows[n]["Instruction"], steps + 1
        for counter, pattern in COUNTED.items():
            if pattern.match(text):
                queues[counter].append(row["Vaddr"])
            m = re.search(counter + r"\((\d+)\)", text) if text.startswith("s_waitcnt") else None
            if m:
                left = int(m.group(1))
                done = queues[counter][:len(queues[counter]) - left]
                fed[row["Vaddr"]] |= set(done)
                del queues[counter][:len(done)]
        if text.startswith("s_endpgm"):
            return fed
        m = re.match(r"s_c?branch\w* (\d+)", text)
        if not m:
            n += 1
            continue
        words = int(m.group(1))
        to = index.get(row["Vaddr"] + 4 + 4 * (words - 65536 if words > 32767 else words), len(rows))
        if text.startswith("s_branch"):
            n = to
        elif to <= n and ran(to) and taken[n] < 3:
            taken[n] += 1
            n = to
        elif to > n and ran(to) and ran(n + 1):
            if rows[n + 1]["Hitcount"] != row["Hitcount"]:
                return None
            n += 1
        else:
            n = to if to > n and not ran(n + 1) else n + 1
    return None


def check_causes(t, run, k, rows):
    fed = simulate(rows)
    if fed is None:
        return 0
    compared = 0
    for i in k["instructions"]:
        if i["hits"] and i["address"] in fed:
            got = {int(a, 16) for a in (i["feeders"] or "").split()}
            want = fed[i["address"]]
            t.check(got == want or (len(got) == 16 and got <= want),
                    f"{run}: {i['text']} at {i['address']} is fed by {sorted(got)} instead of {sorted(want)}")
            compared += 1
    return compared


def check_real(t):
    compared, shares = 0, {}
    for run, (address, text, cls, feeder, top_class) in BY_HAND.items():
        folder = os.path.join(TRACES, "rocpd", run)
        document = t.json(folder)
        att = document["thread_trace"]
        t.check(att["detected"] and not att["notes"], f"{run}: found beside the database, {att['notes']}")
        files = sorted(glob.glob(os.path.join(folder, "stats_*.csv")))
        t.equal(len(att["dispatches"]), len(files), f"{run}: dispatches")
        main = None
        for path in files:
            for name, rows in sections(path).items():
                k = kernel_of(document, rows)
                t.check(k, f"{run}: {name} is there")
                check_sums(t, f"{run} {name[:30]}", k, rows)
                compared += check_causes(t, run, k, rows)
                if not name.startswith("__amd") or not main:
                    main = k
        hottest = max(main["instructions"], key=lambda i: i["latency"])
        t.equal((hottest["address"], hottest["text"], hottest["stall_class"]), (address, text, cls), f"{run}: hottest")
        if feeder:
            t.equal(int(hottest["feeders"].split()[0], 16), feeder, f"{run}: what it waits for")
        t.equal(main["top_class"], top_class, f"{run}: top class")
        spot = next(h for h in document["hotspots"] if h["rank"] == main["rank"])
        t.equal((main["calls"], main["total_ns"]), (spot["calls"], spot["total_duration_ns"]), f"{run}: joined")
        if spot["rank"] == 1 and spot["pct_of_total"] > 50:
            finding = next(r for r in document["recommendations"] if r["id"] == "ROCPD-HOTSPOT-001")
            t.check("thread trace:" in json.dumps(finding["evidence"]), f"{run}: the finding cites the instruction")
        shares[run] = (main["stall_pct"], spot["avg_duration_ns"])
    for run, share in zip(HISTORY, SHARES):
        t.check(abs(shares[run][0] - share) < 0.005, f"{run}: {shares[run][0]} % stall instead of {share}")
    for slow, fast in zip(HISTORY, HISTORY[1:]):
        t.check(shares[slow] > shares[fast] and shares[slow][1] > shares[fast][1], f"{slow} stalls more than {fast}")
    t.check(compared > 100, f"only {compared} waits were compared")
    check_decoded(t)
    check_forms(t, os.path.join(TRACES, "rocpd", "bmm_20251215_0933"))
    print(f"{compared} waits compared with a forward simulation")


def check_decoded(t):
    folder = glob.glob(os.path.join(TRACES, "rocpd", "bmm_20251215_0933", "ui_output*"))[0]
    with tempfile.TemporaryDirectory() as temp:
        alone = os.path.join(temp, os.path.basename(folder))
        shutil.copytree(folder, alone)
        for root, _, names in os.walk(temp):
            for name in [root, *(os.path.join(root, n) for n in names)]:
                os.chmod(name, 0o700)
        k = t.json("--att-dir", alone)["thread_trace"]["kernels"][0]
        states, recorded = collections.Counter(), set()
        for path in glob.glob(os.path.join(alone, "se*_wv*.json")):
            with open(path, encoding="utf-8") as f:
                wave = json.load(f)["wave"]
            for state, cycles in wave["timeline"]:
                states[state] += cycles
            recorded |= {(w, f[0]) for w, fs in wave["waitcnt"] for f in fs}
            os.remove(path)
        names = {1: "idle", 2: "execute", 3: "wait", 4: "stall"}
        t.equal({s["state"]: s["cycles"] for s in k["wave_states"]}, {names[s]: c for s, c in states.items()}, "states")
        t.check(abs(k["clock_mhz"] - 100 * (77184 - 8084) / (25876337140212 - 25876337136912)) < 1e-6, "clock")
        t.equal((k["most_waves"], k["decoded_waves"], k["hidden_stall_pct"]), (36, 4, 0), "one wave a SIMD hides nothing")
        with open(os.path.join(alone, "code.json"), encoding="utf-8") as f:
            address = {row[2]: row[5] for row in json.load(f)["code"][1:]}
        recorded = {(address[w], address[f]) for w, f in recorded}
        guess = t.json("--att-dir", alone)["thread_trace"]["kernels"][0]
        for kernel, source in ((k, "decoded"), (guess, "inferred")):
            got = {(i["address"], int(f, 16)) for i in kernel["instructions"] if i["stall_class"].startswith("wait")
                   for f in (i["feeders"] or "").split() if i["feeders_from"] == source}
            t.check(recorded <= got, f"{source}: {got} instead of {recorded}")
        t.check(any("wave files are missing" in n for n in t.json("--att-dir", alone)["thread_trace"]["notes"]), "said")


def check_forms(t, folder):
    text = " ".join(t.run(folder).stdout.decode().split())
    kernel = t.json(folder)["thread_trace"]["kernels"][0]
    causes = [f"0x{i['address']:x} {i['cause']}" for i in kernel["instructions"] if i["cause"]]
    t.check("found beside the trace" in text and any(c in text for c in causes), "text has the cause")
    t.check("Thread trace" not in t.run("--no-att", folder).stdout.decode(), "--no-att leaves it out")
    t.check("Annotated code" not in t.run("--att-listing", "none", folder).stdout.decode(), "no listing")
    whole = t.run("--att-listing", "all", "--att-dir", folder).stdout.decode()
    t.check("0x5368" in whole and "0x3f00" in whole, "the whole code is listed")
    t.check("0x437c" in t.run("--format", "markdown", folder).stdout.decode(), "markdown")
    page = t.run("--format", "html", folder).stdout.decode()
    t.check('id="thread-trace"' in page and "global_load_ushort v113" in page, "html")
    page = t.run("--format", "html", "--att-dir", folder).stdout.decode()
    t.check(any(html.escape(c) in page for c in causes), "html of the thread trace alone")
    with tempfile.TemporaryDirectory() as temp:
        pdf = os.path.join(temp, "r.pdf")
        r = subprocess.run([t.program, "analyze", "--format", "pdf", "-o", pdf, "--att-dir", folder], capture_output=True,
                           check=False)
        if r.returncode == 0 and shutil.which("pdftotext"):
            text = subprocess.run(["pdftotext", pdf, "-"], capture_output=True, check=True).stdout.decode()
            t.check("waiting for vector memory" in text, "pdf")


HEADER = "CodeObj,Vaddr,Instruction,Hitcount,Latency,Stall,Idle,Source\n"
GOOD = HEADER + '1,16,"; <script>alert(1)</script>",0,0,0,0,""\n1,16,"s_barrier",4,80,64,0,"a<b>.hip:3"\n1,20,s_endpgm,4,16,0,0,\n'


def check_finding(t, temp, put):
    """The finding 'thread-trace' has the kernel's time behind it, and needs the kernel in the trace."""
    for name, kernel in (("beside", "waits_at_a_barrier"), ("stranger", "another_one")):
        folder = put(f"{name}/stats_ui_output_agent_1_dispatch_2.csv",
                     GOOD.replace("<script>alert(1)</script>", "waits_at_a_barrier"))
        source = os.path.join(temp, name + ".trace")
        with open(source, "w", encoding="utf-8") as f:
            f.write(f"gpu MI300X\nkernel {kernel} wg=256 blocks=4096 dur=1ms\nloop 30 {{ launch {kernel} }}\nsync\n")
        subprocess.run([t.program, "synth", source, "-o", os.path.join(folder, "run.db")], check=True, capture_output=True)
        found = {r["rule"]: r for r in t.json(folder)["recommendations"]}
        t.equal("thread-trace" in found, name == "beside", f"{name}: the finding 'thread-trace'")
        if name == "beside":
            t.check("takes 30.0 ms" in found["thread-trace"]["issue"], found["thread-trace"]["issue"])


def check_made(t):
    with tempfile.TemporaryDirectory() as temp:
        def put(name, data):
            path = os.path.join(temp, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(data if isinstance(data, bytes) else data.encode())
            return os.path.dirname(path)
        good = put("good/stats_ui_output_agent_1_dispatch_2.csv", GOOD)
        alone = t.json(good)  # a folder with nothing else
        t.equal(breaches(alone, "schema/analysis.schema.json"), "", "schema of a thread trace alone")
        k = alone["thread_trace"]["kernels"][0]
        t.equal((k["hits"], k["latency"], k["stall"], k["name"]), (8, 96, 64, "<script>alert(1)</script>"), "made")
        for form in ("html", "markdown"):
            out = t.run("--format", form, good).stdout.decode()
            t.check("<script>alert" not in out and "a<b>" not in out, f"{form} escapes names")
        check_finding(t, temp, put)
        garbage = bytes(range(256)) * 50
        put("mixed/stats_ui_output_agent_1_dispatch_2.csv", GOOD)
        put("mixed/stats_ui_output_agent_1_dispatch_3.csv", garbage)
        put("mixed/stats_ui_output_agent_1_dispatch_4.csv", "")
        for name in ("code.json", "filenames.json", "occupancy.json", "realtime.json", "wstates1.json",
                     "se0_sm0_sl0_wv0.json"):
            put("mixed/ui_output_agent_1_dispatch_2/" + name, garbage)
            put("mixed/ui_output_agent_1_dispatch_5/" + name, b'{"code":[[' + b"[" * 5000)
        mixed = put("mixed/ui_output_agent_1_dispatch_6/other.txt", "x") + "/.."
        r = t.run("--json", "--att-dir", mixed)
        d = json.loads(r.stdout)["thread_trace"]
        t.equal(d["kernels"][0]["latency"], 96, "the good half is used")
        t.check(len(d["notes"]) > 8 and b"thread trace:" in r.stderr, f"the rest is said: {d['notes']}")
        bad = put("bad/stats_ui_output_agent_1_dispatch_3.csv", garbage)
        r = t.run("--att-dir", bad, code=4)
        t.equal(r.stderr.count(b"\n"), 1, "one line")
        t.run("--att-dir", os.path.join(temp, "nowhere"), code=3)
        t.run("--att-dir", put("empty/readme.txt", "x"), code=5)
        t.run(os.path.join(temp, "empty"), code=5)
        huge = HEADER + "".join(f"1,{16 + 4 * i},s_waitcnt vmcnt(0),1,{2**63},{2**63},{2**63},\n" for i in range(3000))
        d = t.json("--att-dir", put("huge/stats_x.csv", huge))["thread_trace"]
        t.equal(d["kernels"][0]["latency"], 2**62 - 1, "sums stop at the largest number")
        jumps = HEADER + "".join(f"1,{4 * i},s_cbranch_scc0 {(-i - 1) % 65536 if i < 30000 else 0},1,4,0,0,\n"
                                 for i in range(60000))
        t.run("--json", "--att-dir", put("jumps/stats_x.csv", jumps))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    p.add_argument("what", choices=["real", "made"])
    a = p.parse_args()
    t = Tester(os.path.abspath(a.gpusight))
    if a.what == "real" and not os.path.isdir(os.path.join(TRACES, "rocpd", "ck_bmm")):
        print(f"skipped: no traces below '{TRACES}', see GPUSIGHT_TRACES")
        sys.exit(77)
    (check_real if a.what == "real" else check_made)(t)
    print(f"{t.checks} checks, {t.failures} failed")
    sys.exit(t.failures > 0)


if __name__ == "__main__":
    main()
