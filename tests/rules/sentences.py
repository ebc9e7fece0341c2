#!/usr/bin/env python3
"""What a report must and must not say, sentence by sentence, of programs whose truth is known.

    sentences.py --gpusight build/src/cli/gpusight [NAME...]

Programs are written by three_forms.py as rocpd, Nsight Systems and Kineto file. Every case has the
sentence it stands for, and must hold in all forms; ledger and findings must be the same in them.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import judge
from three_forms import FORMS, MIB, MS, US, Program

CASES = {}


def case(sentence, forms=tuple(FORMS)):
    def add(build):
        CASES[build.__name__] = (sentence, build, forms)
        return build
    return add


class Report:
    def __init__(self, gpusight, path):
        self.gpusight, self.path = gpusight, path
        self.doc = doc = analyze(gpusight, path)
        self.ns = {c["cause"]: c["ns"] for c in doc["ledger"]["causes"]}
        self.rules = [f["rule"] for f in doc["recommendations"] if f["priority"] != "INFO"]
        self.first = doc["recommendations"][0] if doc["recommendations"] else None

    def whatif(self, *change):
        done = subprocess.run([self.gpusight, "whatif", "--json", *change, self.path], capture_output=True, timeout=60, check=True)
        return json.loads(done.stdout)["result"]

    def finding(self, rule):
        return next((f for f in self.doc["recommendations"] if f["rule"] == rule), None)

    def words(self, rule):
        f = self.finding(rule)
        return " | ".join([f["title"], f["issue"], f["suggestion"], *(e["text"] for e in f["evidence"])]) if f else ""


def near(what, value, truth, within=0):
    if value is None or abs(value - truth) > within:
        yield f"{what} is {value}, not {truth}"


def has(what, text, *parts):
    for p in parts:
        if p not in text:
            yield f"{what} does not say '{p}': {text}"


def silent(r, *rules):
    for rule in rules:
        if rule in r.rules:
            yield f"{rule}: {r.finding(rule)['issue']}"


def no_promise(r, limit=1.02):
    for f in r.doc["recommendations"]:
        if (f["predicted_speedup"] or 1) > limit:
            yield f"{f['rule']} promises {f['predicted_speedup']}"


def program(gpus=1):
    p = Program(seed=5, gpus=gpus)
    return p, p.thread(), p.stream()


# ---- what was wrong once ----

@case("a kernel launched in 5 us that starts 463 ms later after a stream wait is not 'kernels too small'")
def waits_for_an_event():
    p, main, a = program(gpus=2)
    b = p.stream(1)
    main.launch("small", b, 500 * US)
    for _ in range(3):
        main.launch("big", a, 463 * MS)
        main.record("ready", a)
        main.wait_event("ready", b)
        main.launch("small", b, 500 * US)
        main.sync(b)

    def check(r):
        yield from silent(r, "tiny-kernels", "sync-stall", "host-idle")
        yield from near("launch", r.ns["launch"], 0, MS)
        yield from has("unexplained-idle", r.words("unexplained-idle"), "big on GPU 0")
        yield from near("recorded waits", r.doc["analyses"]["critical_path"]["waits_recorded"], 3)
    return p, check


@case("time after the launching call returned, with nothing recorded that says why, is unknown")
def starts_late_for_no_reason():
    p, main, s = program()
    for i in range(20):
        start = main.now + 300 * MS
        main.launch("late", s, 2 * MS, at=start)
        main.sync(s)

    def check(r):
        yield from silent(r, "tiny-kernels", "sync-stall")
        yield from near("unknown", r.ns["unknown"], 19 * 300 * MS, 19 * 60 * US)
    return p, check


@case("the blamed host call is that of the launching thread, in the gaps: no poll of a helper, no MPI_Init")
def the_blamed_call():
    p, main, s = program()
    helper = p.thread()
    main.mpi("MPI_Init", 500 * MS)
    for _ in range(60):
        helper.os("poll", 15 * MS)
    for _ in range(60):
        main.launch("work", s, 2 * MS)
        main.sync(s)
        main.mpi("MPI_Waitall", 3 * MS)

    def check(r):
        yield from near("host_io", r.ns["host_io"], 59 * 3 * MS, MS)
        yield from has("host-io", r.words("host-io"), "MPI_Waitall")
        for name in ("poll", "MPI_Init"):
            if name in r.words("host-io"):
                yield f"{name} is blamed"
    return p, check


def slow_call(name, cause, rule, *said):
    p, main, s = program()
    for _ in range(40):
        main.launch("work", s, 2 * MS)
        main.sync(s)
        main.call(name, 3 * MS)
        main.host(20 * US)

    def check(r):
        yield from near(cause, r.ns[cause], 39 * 3 * MS, MS)
        yield from silent(r, "sync-stall")
        if r.first["rule"] != rule or r.doc["verdict"]["status"] != "problem":
            yield f"{r.first['rule']} comes first: {r.doc['verdict']['headline']}"
        yield from has(rule, r.words(rule), *said)
        yield from near("speed-up", r.first["predicted_speedup"], 2.44, 0.1)
    return p, check


@case("a slow allocation of pinned memory is no wait")
def pinned_allocation():
    return slow_call("HostMalloc", "allocation", "allocation-churn", "allocat")


@case("slow creation of streams is no wait, and no allocation of memory either")
def stream_creation():
    return slow_call("StreamCreateWithFlags", "allocation", "allocation-churn", "streams", "StreamCreateWithFlags", "39 slow calls")


@case("200 graph launches of 2.6 ms are no one-time cost, and no graph is advised for graphs")
def slow_graph_launches():
    p, main, s = program()
    for _ in range(200):
        main.launch("node", s, 300 * US, cost=2600 * US, api="GraphLaunch")
    main.sync()

    def check(r):
        yield from near("startup", r.ns["startup"], 2600 * US, 10 * US)
        yield from near("launch", r.ns["launch"], 199 * 2300 * US, MS)
        yield from has("tiny-kernels", r.words("tiny-kernels"), "200 launches of graphs take 2.60 ms each")
        yield from no_promise(r)
    return p, check


@case("not healthy: one kernel")
def one_kernel():
    p, main, s = program()
    main.launch("only", s, 50 * MS)
    main.sync()

    def check(r):
        yield from has("the verdict", r.doc["verdict"]["headline"], "too little GPU work")
    return p, check


@case("not healthy: 25 % bare copies at the end; what cannot be won back is not promised")
def copies_at_the_end():
    p, main, s = program()
    for _ in range(75):
        main.launch("work", s, MS)
    main.sync()
    for _ in range(5):
        main.copy("d2h", s, 128 * MIB, 5 * MS)

    def check(r):
        if r.doc["verdict"]["status"] == "healthy":
            yield "healthy"
        yield from has("the verdict", r.doc["verdict"]["headline"], "25.0 %", "after all compute")
        yield from near("recoverable", r.doc["verdict"]["recoverable_pct"], 0, 0.1)
        yield from no_promise(r)
    return p, check


@case("not healthy: kernels 70 % slower at the end")
def slower_at_the_end():
    p, main, s = program()
    for i in range(180):
        main.launch("work", s, MS if i < 100 else min(1.7 * MS, MS * (1 + 0.7 * (i - 100) / 50)))
    main.sync()

    def check(r):
        yield from has("slow-down", r.words("slow-down"), "1.70 times as long at the end")
        if r.first["rule"] != "slow-down":
            yield f"{r.first['rule']} comes first"
    return p, check


@case("'healthy' never stands beside what a replay says can be won")
def healthy_and_fusable():
    p, main, s = program()
    for _ in range(60):
        main.launch("gemm_f16", s, 200 * US)
        for n in ("add", "mul", "relu", "scale"):
            main.launch("elementwise_" + n, s, 60 * US, blocks=16384)
    main.sync()

    def check(r):
        f = r.finding("fusable-chain")
        if r.doc["verdict"]["status"] == "healthy" or not f:
            yield r.doc["verdict"]["headline"]
        # 440 us a round become 260
        yield from near("speed-up", f and f["predicted_speedup"], 440 / 260, 0.1)
    return p, check


@case("streams that depend are promised nothing")
def dependent_streams():
    p, main, a = program()
    b = p.stream()
    for _ in range(60):
        main.launch("first", a, MS, blocks=300)
        main.record("x", a)
        main.wait_event("x", b)
        main.launch("second", b, MS, blocks=300)
        main.record("y", b)
        main.wait_event("y", a)
    main.sync()

    def check(r):
        yield from near("recorded waits", r.doc["analyses"]["critical_path"]["waits_recorded"], 119)
        f = r.finding("stream-serialisation")
        if f and (f["predicted_speedup"] or f["estimated_speedup_pct_upper"]):
            yield f"promised {f['predicted_speedup']}, {f['estimated_speedup_pct_upper']} %"
        yield from near("recoverable", r.doc["verdict"]["recoverable_pct"], 0, 1)
    return p, check


@case("streams that each fill the device are promised nothing")
def full_streams():
    p, main, a = program()
    b = p.stream()
    for _ in range(60):
        main.launch("first", a, MS)
        main.sync(a)
        main.launch("second", b, MS)
        main.sync(b)

    def check(r):
        yield from silent(r, "stream-serialisation", "small-grid")
        yield from no_promise(r)
    return p, check


@case("small grids of kernels at the floor of about 1 us are not promised away")
def kernels_at_the_floor():
    p, main, s = program()
    for _ in range(3000):
        main.launch("tiny", s, 1200, blocks=1)
    main.sync()

    def check(r):
        yield from silent(r, "small-grid")
        # kernels still need 1.2 us each, and a graph 0.7 to 1.5 us between them
        if (r.first["predicted_speedup"] or 0) > 15.0 / (3000 * 1.9e-3):
            yield f"{r.first['rule']} promises {r.first['predicted_speedup']}"
    return p, check


@case("copies in turn, both ways: overlap of the two directions is advised, and no more than it wins")
def both_directions_in_turn():
    p, main, s = program()
    for _ in range(30):
        main.copy("h2d", s, 128 * MIB, 6 * MS)
        main.launch("work", s, MS)
        main.copy("d2h", s, 128 * MIB, 6 * MS)

    def check(r):
        f = r.first
        if f["rule"] != "transfer-bound":
            yield f"{f['rule']} comes first"
        yield from has("transfer-bound", r.words("transfer-bound"), "both directions take turns", "overlap the two directions")
        # 13 ms a round become 6 and a bit
        yield from near("speed-up", f["predicted_speedup"], 13 / 6.5, 0.2)
    return p, check


@case("a link that is busy all the time is not promised to hide behind compute that hides it already")
def a_full_link():
    p, main, a = program()
    b = p.stream()
    for _ in range(20):
        main.launch("work", a, 2 * MS)
        main.copy("h2d", b, 64 * MIB, 3 * MS, blocking=False)
        main.record("in", b)
        main.wait_event("in", a)
    main.sync()

    def check(r):
        yield from silent(r, "overlap-missing")
        yield from has("transfer-bound", r.words("transfer-bound"), "20.0 ms while nothing computes")
    return p, check


@case("peer copies belong to the GPU they arrive at, in every format")
def peer_copies():
    p, main, s = program(gpus=2)
    other = p.stream(1)
    main.launch("work", other, MS)
    for _ in range(20):
        main.launch("work", s, MS)
        main.copy("p2p", s, 64 * MIB, 2 * MS, blocking=False, peer=1)
    main.sync()

    def check(r):
        copies = {g["gpu"]: g["copies"] for g in r.doc["analyses"]["gpus"]}
        if copies != {0: 0, 1: 20}:
            yield f"copies per GPU: {copies}"
    return p, check


@case("two grids that alternate are no slow first calls")
def two_grids_in_turn():
    p, main, s = program()
    for _ in range(40):
        main.launch("work", s, 900 * US, blocks=48640)
        main.launch("work", s, 90 * US, blocks=4864)
    main.sync()

    def check(r):
        if r.doc["analyses"]["warmup"] or r.finding("warmup"):
            yield f"{r.doc['analyses']['warmup']}"
    return p, check


# ---- findings that were new ----

@case("first use, in the middle of the run, told apart from steady starvation")
def first_use_in_the_middle():
    p, main, s = program()
    for _ in range(60):
        main.launch("a", s, MS)
    main.sync()
    main.host(80 * MS)
    for _ in range(60):
        main.launch("b", s, MS)
        main.launch("a", s, MS)
    main.sync()

    def check(r):
        yield from has("first-use", r.words("first-use"), "80.0 ms", "before b")
        yield from has("the verdict", r.doc["verdict"]["headline"], "first use", "30.8 %", "once")
        if r.finding("host-idle"):
            yield "the same 80 ms are starvation, too"
    return p, check


@case("steady starvation is no first use")
def steady_starvation():
    p, main, s = program()
    for i in range(60):
        main.launch("ab"[i % 2], s, MS)
        main.sync()
        main.host(1500 * US)

    def check(r):
        yield from silent(r, "first-use")
        if r.first["rule"] != "host-idle":
            yield f"{r.first['rule']} comes first"
        yield from near("host", r.ns["host"], 59 * 1500 * US, MS)
    return p, check


@case("code that is loaded in the middle is named as that")
def loading_in_the_middle():
    p, main, s = program()
    for _ in range(60):
        main.launch("a", s, MS)
    main.sync()
    main.call("ModuleLoadData", 80 * MS)
    for _ in range(60):
        main.launch("b", s, MS)
    main.sync()

    def check(r):
        yield from near("startup", r.ns["startup"], 80 * MS, 20 * US)
        yield from silent(r, "host-idle", "sync-stall", "tiny-kernels")
    return p, check


@case("recorded pauses are 'not recorded', outside the accounts")
def paused():
    p, main, s = program()
    for part in range(3):
        for _ in range(60):
            main.launch("work", s, MS)
        main.sync()
        if part < 2:
            main.call("ProfilerStop", 20 * US)
            main.host(900 * MS)
            main.call("ProfilerStart", 20 * US)

    def check(r):
        b = r.doc["analyses"]["breakdown"]
        yield from near("not recorded", b["not_recorded_ns"], 1800 * MS)
        yield from near("window", b["window_ns"], 180 * MS, MS)
        yield from near("span", b["gpu_span_ns"], 180 * MS, MS)
        yield from near("sum of the ledger", sum(r.ns.values()), b["window_ns"])
        yield from near("idle", b["idle_ns"], 0, MS)
        yield from near("path", r.doc["analyses"]["critical_path"]["length_ns"], 180 * MS, MS)
        yield from has("recording-paused", r.words("recording-paused"), "1.80 s were not recorded")
        if r.doc["verdict"]["status"] != "healthy" or b["busy_pct"] < 99:
            yield r.doc["verdict"]["headline"]
    return p, check


@case("a profiler that goes on recording was not paused")
def a_pause_that_nobody_heard():
    p, main, s = program()
    for i in range(60):
        main.launch("work", s, MS)
        main.sync()
        if i == 30:
            main.call("ProfilerStop", 20 * US)
        if i == 50:
            main.call("ProfilerStart", 20 * US)

    def check(r):
        yield from near("not recorded", r.doc["analyses"]["breakdown"]["not_recorded_ns"], 0)
        if r.finding("recording-paused"):
            yield r.words("recording-paused")
    return p, check


@case("page faults of managed memory", forms=("nsys",))  # the others do not record them
def page_faults():
    p, main, s = program()
    for _ in range(30):
        k = main.launch("work", s, 4 * MS)
        for j in range(10):
            p.faults.append((k["start"] + j * 200 * US, k["start"] + j * 200 * US + 100 * US, 0, 12))
        main.sync()

    def check(r):
        if r.first["rule"] != "unified-memory":
            yield f"{r.first['rule']} comes first"
        yield from has("unified-memory", r.words("unified-memory"), "30.0 ms", "300 page faults")
        yield from near("speed-up", r.first["predicted_speedup"], 1.25, 0.05)
    return p, check


@case("migrations of managed memory", forms=("nsys", "kineto"))  # rocpd does not name the memory
def migrations():
    p, main, s = program()
    for _ in range(30):
        for _ in range(8):
            main.copy("h2d", s, 2 * MIB, 300 * US, memory="managed", blocking=False)
        main.launch("work", s, 2 * MS)
        main.sync()

    def check(r):
        yield from has("unified-memory", r.words("unified-memory"), "72.0 ms", "240 migrations", "480 MiB")
        yield from silent(r, "slow-copies", "overlap-missing", "tiny-copies")
    return p, check


@case("tail waves, with the part of the device left empty", forms=("nsys", "kineto"))  # 108 SMs
def tail_wave():
    p, main, s = program()
    for _ in range(60):
        main.launch("wave", s, MS, blocks=108 * 9)
    main.sync()

    def check(r):
        yield from has("small-grid", r.words("small-grid"), "972 thread blocks", "1.1 times", "88 % of it empty")
    return p, check


@case("chains of short memory-bound kernels that could be fused, with the bytes saved", forms=("nsys", "kineto"))
def chains():
    return healthy_and_fusable()[0], lambda r: has("fusable-chain", r.words("fusable-chain"), "240 ", "chains of 4", "GiB")


@case("tiny copies")
def tiny_copies():
    p, main, s = program()
    for _ in range(40):
        for _ in range(25):
            main.copy("h2d", s, 1024, 3 * US)
        main.launch("work", s, 300 * US)
        main.sync()

    def check(r):
        if r.first["rule"] != "tiny-copies":
            yield f"{r.first['rule']} comes first"
        yield from has("tiny-copies", r.words("tiny-copies"), "1,000 copies of 1.00 KiB")
        # 25 calls of 16 us become one
        yield from near("speed-up", r.first["predicted_speedup"], 717 / 331, 0.15)
    return p, check


@case("matrix work on plain FP32 units", forms=("nsys", "kineto"))  # AMD's names tell otherwise
def plain_matrix():
    p, main, s = program()
    for _ in range(40):
        main.launch("ampere_sgemm_128x64_nn", s, 2 * MS)
        main.launch("bias", s, 100 * US)
    main.sync()

    def check(r):
        yield from has("plain-matrix", r.words("plain-matrix"), "80.0 ms", "TF32", "8.0 times")
        if r.first["rule"] != "plain-matrix":
            yield f"{r.first['rule']} comes first"
    return p, check


@case("a grid that leaves a tenth of the device empty does not leave most of it empty", forms=("nsys", "kineto"))
def nearly_full():
    p, main, s = program()
    for _ in range(100):
        main.launch("narrow", s, MS, blocks=97)
    main.sync()

    def check(r):
        yield from has("small-grid", r.words("small-grid"), "97 thread blocks on 108 SMs", "10 % of the device is empty")
    return p, check


@case("host time is named by what is recorded, also when no range has most of it")
def many_ranges():
    p, main, s = program()
    for _ in range(30):
        for n in range(5):
            main.launch("work", s, 500 * US)
            main.sync()
            main.range(f"stage_{n}", lambda n=n: main.host((300 + 40 * n) * US))

    def check(r):
        yield from has("host-idle", r.words("host-idle"), "5 things that the trace names, most in the range stage_4 (24 %)",
                       "22 % of it", "in the range stage_3")
    return p, check


@case("what counts for another finding is said")
def shared_claims():
    p, main, s = program()
    for _ in range(40):
        for _ in range(25):
            main.copy("h2d", s, 1024, 3 * US)
        main.launch("work", s, 300 * US)
        main.sync()

    def check(r):
        f = r.finding("sync-stall")
        if f:
            yield from has("sync-stall", r.words("sync-stall"), "count here, the rest for findings that know more")
    return p, check


@case("host time is named by another thread's allocation")
def an_allocation_elsewhere():
    p, main, s = program()
    helper = p.thread()
    for _ in range(40):
        main.launch("work", s, 2 * MS)
        main.sync(s)
        helper.now = main.now + 10 * US
        helper.call("Malloc", 2900 * US)
        main.host(3 * MS)

    def check(r):
        yield from near("host", r.ns["host"], 39 * 3 * MS, MS)
        yield from has("host-idle", r.words("host-idle"), "while another thread is in", "Malloc", "100 % of it")
    return p, check


@case("host time is named by calls of the operating system", forms=("rocpd", "nsys"))  # Kineto has none
def calls_of_the_system():
    p, main, s = program()
    for _ in range(40):
        main.launch("work", s, 2 * MS)
        main.sync(s)
        main.os("read", 3 * MS)

    def check(r):
        yield from near("host_io", r.ns["host_io"], 39 * 3 * MS, MS)
        yield from has("host-io", r.words("host-io"), "operating system", "most in read")
    return p, check


@case("a slow-down of all kernels by one factor is told as that")
def clocks_go_down():
    p, main, s = program()
    for i in range(300):
        for n, us in (("a", 200), ("b", 300), ("c", 400)):
            main.launch("kernel_" + n, s, us * US * (1 if i < 150 else 1.3))
    main.sync()

    def check(r):
        yield from has("slow-down", r.words("slow-down"), "nearly all kernels take 1.30 times as long", "40.5 ms")
        yield from near("speed-up", r.first["predicted_speedup"], 310.5 / 270, 0.03)
    return p, check


def default_stream(seed, blocking, factor=1):
    """Work on the default stream and two others, at random; the first one's takes `factor` of its time."""
    p = Program(seed=seed)
    r, main = p.random, p.thread()
    streams = [p.null[0], p.stream(blocking=blocking), p.stream(blocking=blocking)]
    for _ in range(80):
        s = r.choice(streams)
        s.free = p.before(s) + 2 * US
        ns = r.randrange(50, 400) * US
        main.launch(f"kernel_{s.number}", s, ns * factor if s.number == 0 else ns, blocks=30)
    main.sync()
    return p


@case("the default stream waits for blocking streams and they for it: a replay with the rules is the simulation",
      forms=("rocpd", "nsys"))  # Kineto does not say how streams were made
def rules_of_the_default_stream():
    simulated = default_stream(11, True, 0.5)

    def check(r):
        path = r.doc["analyses"]["critical_path"]
        if path["waits_default"] < 20 or path["waits_inferred"]:
            yield f"{path}"
        truth = simulated.end() - simulated.kernels[0]["start"]
        said = r.whatif("--kernel", "kernel_0=0.5x")
        yield from near("what is left", said["predicted_ns"], truth, 30 * US)
    return default_stream(11, True), check


@case("streams that were made not to block do not wait for the default stream", forms=("rocpd", "nsys"))
def streams_that_do_not_block():
    def check(r):
        yield from near("waits", r.doc["analyses"]["critical_path"]["waits_default"], 0)
    return default_stream(12, False), check


@case("no finding where nothing is wrong")
def nothing_wrong():
    p, main, s = program()
    for _ in range(200):
        main.launch("work", s, MS)
    main.sync()

    def check(r):
        if r.doc["verdict"]["status"] != "healthy":
            yield r.doc["verdict"]["headline"]
        yield from no_promise(r, 1.005)
        yield from near("recoverable", r.doc["verdict"]["recoverable_pct"], 0, 0.1)
    return p, check


# ---- running them ----

def analyze(gpusight, path):
    done = subprocess.run([gpusight, "analyze", "--json", "--threads", "1", path], capture_output=True, timeout=60)
    if done.returncode:
        raise RuntimeError(done.stderr.decode())
    return json.loads(done.stdout)


def problems(gpusight, folder, name):
    _, build, forms = CASES[name]
    first = None
    for form in forms:
        p, check = build()
        r = Report(gpusight, p.write(folder, form, name))
        for wrong in [*judge.document(r.doc), *check(r)]:
            yield f"{form}: {wrong}"
        first = first or r
        if r.ns != first.ns:
            yield f"{form} has another ledger: {r.ns}, not {first.ns}"
        if r.rules != first.rules:
            yield f"{form} finds {r.rules}, not {first.rules}"


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", required=True)
    args.add_argument("--keep", help="a folder for the traces")
    args.add_argument("names", nargs="*")
    args = args.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory(prefix="sentences-") as folder:
        for name in args.names or CASES:
            wrong = list(problems(os.path.abspath(args.gpusight), args.keep or folder, name))
            bad += bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} - {CASES[name][0]}")
            for line in wrong:
                print(f"    {line[:600]}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
