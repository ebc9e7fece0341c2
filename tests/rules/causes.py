#!/usr/bin/env python3
"""Traces whose idle time has a known cause: each must say the same as rocpd, Nsight and Kineto file.

    causes.py --gpusight build/src/cli/gpusight [NAME...]

A case is a description for `gpusight synth` and a function that gets the document and yields what
is wrong with it. What is said of the ledger and which findings there are must be equal in all forms.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import judge

FORMS = {"rocpd": [".db", "--flavor", "rocprof-sys"], "nsys": [".sqlite"], "kineto": [".json"]}
MS = 1000000

CASES = {}


def case(text, forms=tuple(FORMS)):
    def add(check):
        CASES[check.__name__] = (text, check, forms)
        return check
    return add


def ledger(doc):
    return {c["cause"]: c["ns"] for c in doc["ledger"]["causes"]}


def finding(doc, rule):
    return next((x for x in doc["recommendations"] if x["rule"] == rule), None)


def words(x):
    return " | ".join([x["issue"], *(e["text"] for e in x["evidence"])]) if x else ""


def between(what, value, low, high):
    if not low <= value <= high:
        yield f"{what} is {value}, not {low} to {high}"


def without(doc, rule):
    x = finding(doc, rule)
    if x and x["priority"] != "INFO":
        yield f"{rule}: {x['issue']}"


def not_healthy(doc):
    if doc["verdict"]["status"] == "healthy":
        yield doc["verdict"]["headline"]


# ---- what a kernel waited for


@case("""# a kernel of GPU 1 waits for one of GPU 0
gpu MI300X count=2
kernel big wg=256 blocks=4096 dur=46300us
kernel small wg=256 blocks=4096 dur=500us
device 0
stream a
device 1
stream b gpu=1
loop 10 {
    device 0
    launch big stream=a
    record ready stream=a
    device 1
    launch small stream=b
    wait ready stream=b
    launch small stream=b
    sync stream=b
}
""")
def waits_for_another_gpu(doc):
    ns = ledger(doc)
    yield from between("launch", ns["launch"], 0, 2 * MS)
    yield from between("unknown", ns["unknown"], 450 * MS, 465 * MS)
    yield from without(doc, "tiny-kernels")
    if "big on GPU 0" not in words(finding(doc, "unexplained-idle")):
        yield f"the awaited kernel is not named: {words(finding(doc, 'unexplained-idle'))}"


@case("""# two GPUs that wait for each other's events, recorded as each profiler does
gpu A100 count=2
kernel produce wg=256 blocks=4096 dur=300us
kernel consume wg=256 blocks=4096 dur=100us
stream a
device 1
stream b gpu=1
loop 20 {
    device 0
    launch produce stream=a
    record x stream=a
    device 1
    wait x stream=b
    launch consume stream=b
    record y stream=b
    device 0
    wait y stream=a
}
sync event=y
""")
def events_are_recorded(doc):
    path = doc["analyses"]["critical_path"]
    yield from between("recorded waits", path["waits_recorded"], 39, 39)
    yield from between("inferred waits", path["waits_inferred"], 0, 0)


# ---- what the host did


HELPER = """# {what}
gpu MI300X
kernel work wg=256 blocks=4096 dur=1ms
mpi MPI_Init dur=400ms
thread helper {{ loop 20 {{ mpi MPI_Probe dur=9ms }} }}
loop 20 {{
    launch work
    sync device
    {host}
}}
"""


@case(HELPER.format(what="the launching thread is in MPI_Wait; another one probes, longer",
                    host="mpi MPI_Wait dur=3ms"))
def calls_of_the_launching_thread(doc):
    x = finding(doc, "host-io")
    if not x or "MPI_Wait" not in x["issue"]:
        yield f"MPI_Wait is not blamed: {words(x)}"
    if "MPI_Init" in words(x) or "MPI_Probe" in words(x):
        yield f"calls outside of the gaps are blamed: {words(x)}"
    yield from between("host_io", ledger(doc)["host_io"], 56 * MS, 58 * MS)


@case(HELPER.format(what="the host computes between launches; another thread is in MPI",
                    host="marker range \"load batch\" { host 2ms }\nhost 1ms"))
def host_work_is_named(doc):
    x = finding(doc, "host-idle")
    if "load batch" not in words(x) or "in the range load batch" not in words(x):
        yield f"the range is not named: {words(x)}"
    if "has no name" not in words(x):
        yield f"a third of it has no name: {words(x)}"
    yield from without(doc, "host-io")


@case("""# nothing says what the host does
gpu MI300X
kernel work wg=256 blocks=4096 dur=1ms
loop 20 {
    launch work
    sync device
    host 3ms
}
""")
def unnamed_stays_unnamed(doc):
    x = finding(doc, "host-idle")
    if not x or "makes no call" not in x["issue"]:
        yield f"the host's work got a name: {words(x)}"


# ---- slow calls


SLOW = """# slow calls that are no waits
gpu MI300X
kernel work wg=256 blocks=4096 dur=1ms
launch work
sync device
loop 20 {{
    launch work
    sync device
    api {name} dur=3ms
}}
launch work
"""


@case(SLOW.format(name="cuMemHostAlloc"))
def pinned_allocation(doc):
    yield from between("allocation", ledger(doc)["allocation"], 60 * MS, 61 * MS)
    yield from without(doc, "sync-stall")


@case(SLOW.format(name="hipStreamCreateWithFlags"))
def stream_creation(doc):
    yield from between("allocation", ledger(doc)["allocation"], 60 * MS, 61 * MS)
    yield from without(doc, "sync-stall")


@case(SLOW.format(name="hipMemGetInfo"))
def questions_to_the_runtime(doc):
    yield from between("host", ledger(doc)["host"], 60 * MS, 61 * MS)
    if "MemGetInfo" not in words(finding(doc, "host-idle")):
        yield f"the call is not named: {words(finding(doc, 'host-idle'))}"


@case(SLOW.format(name="hipGetDeviceProperties"))
def start_up_calls_again_and_again(doc):
    yield from between("startup", ledger(doc)["startup"], 3 * MS, 4 * MS)
    yield from between("host", ledger(doc)["host"], 57 * MS, 58 * MS)


@case("""# 200 launches of one graph, each 2.6 ms on the host
gpu MI300X
set launch_cost=2600us
kernel work wg=256 blocks=4096 dur=100us
loop 200 { graph step { launch work; launch work; launch work } }
""")
def slow_graph_launches(doc):
    ns = ledger(doc)
    yield from between("startup", ns["startup"], 2 * MS, 3 * MS)
    yield from between("launch", ns["launch"], 400 * MS, 600 * MS)


@case("""# every kernel is loaded by its first launch, wherever that is
gpu MI300X
kernel a wg=256 blocks=4096 dur=1ms
kernel b wg=256 blocks=4096 dur=1ms
loop 20 { launch a }
sync device
set launch_cost=30ms
launch b
set launch_cost=4us
loop 20 { launch b }
""")
def loading_in_the_middle(doc):
    yield from between("startup", ledger(doc)["startup"], 30 * MS, 31 * MS)

# ---- verdicts


@case("""# one kernel says nothing
gpu MI300X
kernel work wg=256 blocks=4096 dur=10ms
launch work
sync device
""")
def one_kernel(doc):
    yield from not_healthy(doc)


@case("""# a quarter of the time is bare copies at the end
gpu MI300X
kernel work wg=256 blocks=40960 dur=1ms
loop 75 { launch work }
sync device
copy d2h size=1GiB dur=25ms sync pinned
""")
def copies_at_the_end(doc):
    yield from not_healthy(doc)


# ---- what cannot be won


@case("""# two streams, each kernel fills the device
gpu MI300X
stream a
stream b
kernel full wg=256 blocks=4096 dur=1ms
loop 50 { launch full stream=a; sync stream=a; launch full stream=b; sync stream=b }
""")
def streams_that_fill_the_device(doc):
    yield from without(doc, "stream-serialisation")


@case("""# two streams that wait for each other by events
gpu MI300X
stream a
stream b
kernel narrow wg=256 blocks=64 dur=1ms
loop 50 {
    launch narrow stream=a; record x stream=a; wait x stream=b
    launch narrow stream=b; record y stream=b; wait y stream=a
}
""")
def streams_that_depend(doc):
    x = finding(doc, "stream-serialisation")
    if x and x["estimated_speedup_pct_lower"] > 0:
        yield f"promised at least {x['estimated_speedup_pct_lower']} %, though they may depend"


@case("""# two processes take turns on one GPU
gpu MI300X
kernel narrow wg=256 blocks=64 dur=1ms
process count=2 {
    stream s
    if rank { host 1ms }
    loop 50 { launch narrow stream=s; sync stream=s; host 1ms }
}
""", forms=("rocpd", "nsys"))  # Kineto does not say that two processes have the same GPU
def processes_that_take_turns(doc):
    yield from without(doc, "stream-serialisation")


@case("""# small grids at the floor of the hardware
gpu MI300X
kernel small wg=64 blocks=1 dur=1400
loop 2000 { launch small }
""")
def grids_at_the_floor(doc):
    yield from without(doc, "small-grid")


@case("""# copies in and out take turns, with next to no compute
gpu MI300X
kernel work wg=256 blocks=4096 dur=1ms
loop 30 {
    copy h2d size=512MiB dur=10ms sync pinned
    launch work
    copy d2h size=512MiB dur=10ms sync pinned
}
""")
def copies_in_both_directions(doc):
    x = finding(doc, "transfer-bound")
    if not x or x["priority"] != "HIGH" or "both directions" not in x["issue"] or "overlap" not in x["suggestion"]:
        yield f"overlap of both directions is not advised: {words(x)}"


@case("""# copies to a peer count for the GPU they arrive at
gpu MI300X count=2
kernel work wg=256 blocks=4096 dur=1ms
device 0
stream a
loop 20 { launch work stream=a; copy p2p peer=1 size=64MiB dur=2ms stream=a }
sync stream=a
""")
def peer_copies(doc):
    gpus = {g["gpu"]: g for g in doc["analyses"]["gpus"]}
    if [gpus[i]["copies"] for i in (0, 1)] != [0, 20]:
        yield f"copies per GPU: {[g['copies'] for g in gpus.values()]}"


@case("""# the profiler is stopped in the middle
gpu MI300X
kernel work wg=256 blocks=4096 dur=1ms
loop 100 { launch work }
sync device
api hipProfilerStop dur=2us
host 1s
api hipProfilerStart dur=2us
loop 100 { launch work }
sync device
""")
def a_pause_is_not_idle(doc):
    yield from between("unknown", ledger(doc)["unknown"], 0, 0)
    b = doc["analyses"]["breakdown"]
    yield from between("not recorded", b["not_recorded_ns"], 1000 * MS, 1000 * MS)
    yield from between("the window", b["window_ns"], 200 * MS, 201 * MS)
    yield from between("the span", b["gpu_span_ns"], 200 * MS, 201 * MS)
    yield from between("the path", doc["analyses"]["critical_path"]["length_ns"], 200 * MS, 201 * MS)
    if doc["verdict"]["status"] != "healthy" or not finding(doc, "recording-paused"):
        yield doc["verdict"]["headline"]


@case("""# all kernels become slower
gpu MI300X
kernel a wg=256 blocks=4096 dur=1ms~2%
kernel b wg=256 blocks=2048 dur=500us~2%
loop 60 { launch a; launch b }
loop 60 as i { launch a dur=(1000us+i*12us)~2%; launch b dur=(500us+i*6us)~2% }
sync device
""")
def slower_at_the_end(doc):
    yield from not_healthy(doc)
    x = finding(doc, "slow-down")
    if not x or "nearly all kernels" not in x["issue"]:
        yield f"not told: {words(x)}"


@case("""# one kernel is compiled in the middle; a host that is slow before every step is another matter
gpu MI300X
kernel a wg=256 blocks=4096 dur=1ms
kernel b wg=256 blocks=4096 dur=1ms
loop 50 { launch a }
sync device
host 40ms
loop 50 { launch b; launch a }
sync device
""")
def compiled_in_the_middle(doc):
    x = finding(doc, "first-use")
    if not x or "before b" not in x["issue"]:
        yield f"not told: {words(x)}"
    yield from without(doc, "host-idle")


@case("""# 400 copies of 1 KiB
gpu MI300X
kernel work wg=256 blocks=4096 dur=200us
loop 20 {
    loop 20 { copy h2d size=1KiB dur=6us sync pinned }
    launch work
    sync device
}
""")
def many_tiny_copies(doc):
    if not finding(doc, "tiny-copies"):
        yield "not told"


@case("""# pages of managed memory move before every kernel
gpu A100
kernel work wg=256 blocks=4096 dur=2ms
loop 30 {
    loop 10 { copy h2d size=2MiB dur=300us sync managed }
    launch work
    sync device
}
""", forms=("nsys", "kineto"))  # rocpd does not say what kind of memory a copy is from
def managed_memory(doc):
    x = finding(doc, "unified-memory")
    if not x or x["priority"] != "HIGH":
        yield f"not told: {words(x)}"


@case("""# the driver moves pages: its own events say so
gpu MI300X
kernel work wg=256 blocks=4096 dur=2ms
loop 30 { launch work; sync device; api KFD_PAGE_MIGRATE dur=1ms category=driver }
""", forms=("rocpd",))  # events of AMD's driver
def page_events(doc):
    if "page faults and migrations" not in words(finding(doc, "unified-memory")):
        yield "not told"


@case("""# an optimizer with seven kernels for each of 40 tensors
gpu A100
kernel gemm_f16 wg=256 blocks=4096 dur=200us
kernel mul_ wg=256 blocks=1024 dur=3us
kernel lerp_ wg=256 blocks=1024 dur=3us
kernel addcmul_ wg=256 blocks=1024 dur=3us
kernel sqrt_ wg=256 blocks=1024 dur=3us
kernel div_ wg=256 blocks=1024 dur=3us
kernel addcdiv_ wg=256 blocks=1024 dur=3us
set launch_cost=12us
loop 12 {
    loop 5 { launch gemm_f16 }
    marker range "Optimizer.step#AdamW.step" {
        loop 40 { launch mul_; launch lerp_; launch mul_; launch addcmul_; launch sqrt_; launch div_; launch addcdiv_ }
    }
}
sync device
""")
def an_optimizer_of_one_tensor_at_a_time(doc):
    x = doc["recommendations"][0]
    if x["rule"] != "optimizer-loop":
        yield f"{x['rule']} comes first"
    else:
        # 285 launches of 12 us become 29; then 1 ms of products and 0.4 ms of fused kernels limit
        yield from between("speed-up", x["predicted_speedup"], 2.0, 2.6)


@case("""# results go through the host and back
gpu A100
kernel work wg=256 blocks=4096 dur=500us
loop 40 {
    launch work
    copy d2h size=16MiB dur=2ms sync pageable
    copy h2d size=16MiB dur=2ms sync pageable
}
sync device
""")
def a_round_trip_through_the_host(doc):
    x = doc["recommendations"][0]
    if x["rule"] != "round-trip":
        yield f"{x['rule']} comes first"
    else:
        yield from between("speed-up", x["predicted_speedup"], 8, 9.5)


@case("""# data streams through the device: no round trip
gpu A100
kernel work wg=256 blocks=4096 dur=500us
loop 40 {
    copy h2d size=64MiB dur=2600us sync pageable
    launch work
    copy d2h size=64MiB dur=2600us sync pageable
}
sync device
""")
def in_and_out_is_no_round_trip(doc):
    yield from without(doc, "round-trip")


@case("""# chains of four elementwise kernels on one grid
gpu A100
kernel elementwise_add wg=256 blocks=16384 dur=60us
kernel elementwise_mul wg=256 blocks=16384 dur=60us
kernel gemm_f16 wg=256 blocks=4096 dur=200us
loop 100 {
    launch gemm_f16
    launch elementwise_add; launch elementwise_mul; launch elementwise_add; launch elementwise_mul
}
sync device
""")
def chains_that_could_be_one(doc):
    x = finding(doc, "fusable-chain")
    if not x:
        yield "not told"
    else:
        # 440 us a round become 260
        yield from between("speed-up", x["predicted_speedup"], 1.6, 1.75)


@case("""# one kernel writes many tensors: nothing to fuse
gpu A100
kernel elementwise_fill wg=256 blocks=16384 dur=60us
loop 400 { launch elementwise_fill }
sync device
""")
def one_kernel_again_and_again_is_no_chain(doc):
    yield from without(doc, "fusable-chain")


@case("""# matrix products by kernels that do not use matrix units
gpu H100
kernel ampere_sgemm_128x128_tn blocks=1024 dur=900us
kernel scale blocks=1024 dur=100us
loop 40 { launch ampere_sgemm_128x128_tn; launch scale }
sync
""")
def products_on_plain_units(doc):
    x = doc["recommendations"][0]
    if x["rule"] != "plain-matrix":
        yield f"{x['rule']} comes first"


@case("""# 20 blocks on over a hundred units
gpu A100
kernel narrow blocks=20 wg=256 dur=500us
loop 100 { launch narrow }
sync
""")
def grids_that_leave_the_device_empty(doc):
    x = doc["recommendations"][0]
    if x["rule"] != "small-grid" or "20 " not in x["issue"]:
        yield f"{x['rule']}: {x['issue']}"


@case("""# one kernel, nothing to win: no promise
gpu A100
kernel gemm_f16 wg=256 blocks=4096 dur=2ms
loop 60 { launch gemm_f16 }
sync device
""")
def a_healthy_run_gets_no_promise(doc):
    if doc["verdict"]["status"] != "healthy":
        yield doc["verdict"]["headline"]
    for x in doc["recommendations"]:
        if (x["predicted_speedup"] or 1) > 1.005:
            yield f"{x['rule']} promises {x['predicted_speedup']}"


def analyze(gpusight, folder, name, form):
    path = os.path.join(folder, name + "." + form)
    how = FORMS[form]
    with open(path + ".trace", "w", encoding="utf-8") as f:
        f.write(CASES[name][0])
    for command in (["synth", path + ".trace", "--merge", "--format", form, *how[1:], "-o", path + how[0]],
                    ["analyze", "--format", "json", path + how[0]]):
        done = subprocess.run([gpusight, *command], capture_output=True, timeout=120)
        if done.returncode:
            sys.exit(f"gpusight {' '.join(command)}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def check(gpusight, folder, name):
    docs = {form: analyze(gpusight, folder, name, form) for form in CASES[name][2]}
    for form, doc in docs.items():
        for wrong in [*judge.document(doc), *CASES[name][1](doc)]:
            yield f"{form}: {wrong}"
    first = next(iter(docs.values()))
    for form, doc in docs.items():
        if ledger(doc) != ledger(first):
            yield f"{form} has another ledger: {ledger(doc)}, not {ledger(first)}"
        status = [d["verdict"]["status"] for d in (doc, first)]  # what launches cost differs by vendor
        if (status[0] == "healthy") != (status[1] == "healthy"):
            yield f"{form} is {status[0]}, not {status[1]}"
        told = [[x["rule"] for x in d["recommendations"] if x["priority"] != "INFO"] for d in (doc, first)]
        if told[0] != told[1]:
            yield f"{form} finds {told[0]}, not {told[1]}"


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", required=True)
    args.add_argument("names", nargs="*")
    args = args.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory(prefix="causes-") as folder:
        for name in args.names or CASES:
            wrong = list(check(args.gpusight, folder, name))
            bad += bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} - {name.replace('_', ' ')}")
            for line in wrong:
                print(f"    {line}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
