#!/usr/bin/env python3
"""Events that streams wait for, in the words of three profilers: one program, one graph.

    check_waits.py --gpusight GPUSIGHT

A kernel on one stream, an event behind it, a second stream that waits for the event and runs another
kernel: written as rocpd (arguments of calls), Nsight Systems (its tables of events and waits) and
Kineto ('cuda_sync'). In each form the graph must have every wait, the path must go through the
streams, and a faster first kernel must win the same.

And which record of an event a wait of Nsight Systems is for, where the event was recorded twice.
"""
import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "rules"))
import rocpd_writer  # noqa: E402

ROUNDS = 12
FIRST, SECOND, GAP = 100_000, 50_000, 2_000
US = 1000


def program():
    """Calls (name, start, end, what) and kernels (name, stream, start, end, call) of the program."""
    calls, kernels, at, free = [], [], 10 * US, 0
    for _ in range(ROUNDS):
        calls.append(("Launch", at, at + 5 * US, None))
        start = max(at + 8 * US, free + GAP)
        kernels.append(("produce", 1, start, start + FIRST, len(calls) - 1))
        calls.append(("Record", at + 6 * US, at + 7 * US, 1))
        calls.append(("Wait", at + 8 * US, at + 9 * US, len(calls) - 1))
        calls.append(("Launch", at + 10 * US, at + 15 * US, None))
        start += FIRST + GAP
        kernels.append(("consume", 2, start, start + SECOND, len(calls) - 1))
        free = start + SECOND
        # the next producer waits for the consumer, by its event
        calls.append(("Record", at + 16 * US, at + 17 * US, 2))
        calls.append(("Wait", at + 18 * US, at + 19 * US, len(calls) - 1))
        at += 20 * US
    calls.append(("Sync", at, free + 5 * US, None))
    return calls, kernels


def waits(calls):
    """(call, stream that waits, stream of the event, call that recorded it)."""
    for i, (name, _, _, record) in enumerate(calls):
        if name == "Wait":
            source = calls[record][3]
            yield i, 3 - source, source, record


NAMES = {"hip": {"Launch": "hipLaunchKernel", "Record": "hipEventRecord", "Wait": "hipStreamWaitEvent",
                 "Sync": "hipDeviceSynchronize"},
         "cuda": {"Launch": "cudaLaunchKernel", "Record": "cudaEventRecord", "Wait": "cudaStreamWaitEvent",
                  "Sync": "cudaDeviceSynchronize"}}


def write_rocpd(path, calls, kernels):
    job = rocpd_writer.Job(seed=1)
    app = job.process()
    gpu = app.gpu("MI300X")
    main = app.thread()
    streams = {1: gpu.stream(), 2: gpu.stream()}
    handle = {1: "0x7f10", 2: "0x7f20"}
    waiting = {i: (to, source) for i, to, source, _ in waits(calls)}
    launched = {kernel[4]: kernel for kernel in kernels}
    stack = {}
    for i, (name, start, end, what) in enumerate(calls):
        stack[i] = main.region(NAMES["hip"][name], job.base + start, job.base + end)
        event = len(app.rows["event"])
        to = {"Launch": lambda: launched[i][1], "Record": lambda: what, "Wait": lambda: waiting[i][0]}
        if name in to:
            app.add("arg", event, 0, "ihipStream_t*", "stream", handle[to[name]()])
        if name in ("Record", "Wait"):
            app.add("arg", event, 1, "ihipEvent_t*", "event", f"0xe{what if name == 'Record' else waiting[i][1]}")
    for n, (name, stream, start, end, call) in enumerate(kernels):
        app.add("kernel_dispatch", rocpd_writer.NODE, app.pid, main.tid, gpu.agent, app.symbol(name, {}), n + 1, 1,
                streams[stream].ident, job.base + start, job.base + end, 0, 0, 256, 1, 1, 4864 * 256, 1, 1, 1,
                app.event("KERNEL_DISPATCH", stack[call]))
    job.write(path)


def write_nsys(path, calls, kernels):
    db = sqlite3.connect(path)
    pid, tid = 1 << 24 << 12, (1 << 24 << 12) + 7
    names = sorted({NAMES["cuda"][c[0]] for c in calls} | {"produce", "consume"})
    ids = {n: i + 1 for i, n in enumerate(names)}
    db.execute("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT)")
    db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(i, n) for n, i in ids.items()])
    db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, end INT, eventClass INT, globalTid INT, "
               "correlationId INT, nameId INT, returnValue INT)")
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,0,?,?,?,0)",
                   [(c[1], c[2], tid, i + 1, ids[NAMES["cuda"][c[0]]]) for i, c in enumerate(calls)])
    db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT, streamId INT, "
               "correlationId INT, globalPid INT, demangledName INT, shortName INT, gridX INT, gridY INT, gridZ INT, "
               "blockX INT, blockY INT, blockZ INT, registersPerThread INT)")
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,0,1,?,?,?,?,?,1024,1,1,128,1,1,32)",
                   [(k[2], k[3], k[1], k[4] + 1, pid, ids[k[0]], ids[k[0]]) for k in kernels])
    db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start INT, end INT, deviceId INT, contextId INT, "
               "streamId INT, correlationId INT, globalPid INT, syncType INT, eventId INT)")
    db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT(deviceId INT, contextId INT, streamId INT, "
               "correlationId INT, globalPid INT, eventId INT)")
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (?,?,0,1,?,?,?,2,?)",
                   [(calls[i][1], calls[i][2], to, i + 1, pid, source) for i, to, source, _ in waits(calls)])
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0,1,?,?,?,?)",
                   [(c[3], i + 1, pid, c[3]) for i, c in enumerate(calls) if c[0] == "Record"])
    db.commit()
    db.close()


def write_kineto(path, calls, kernels):
    events = []
    for i, (name, start, end, _) in enumerate(calls):
        events.append({"ph": "X", "cat": "cuda_runtime", "name": NAMES["cuda"][name], "pid": 9, "tid": 9,
                       "ts": start / US, "dur": (end - start) / US, "args": {"correlation": i + 1}})
    for name, stream, start, end, call in kernels:
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": start / US,
                       "dur": (end - start) / US,
                       "args": {"correlation": call + 1, "device": 0, "stream": stream, "grid": [1024, 1, 1],
                                "block": [128, 1, 1]}})
    for i, to, source, record in waits(calls):
        events.append({"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "pid": 0, "tid": to,
                       "ts": calls[i][1] / US, "dur": 1,
                       "args": {"correlation": i + 1, "device": 0, "stream": to, "wait_on_stream": source,
                                "wait_on_cuda_event_record_corr_id": record + 1}})
    with open(path, "w") as f:
        json.dump({"schemaVersion": 1, "traceEvents": events}, f)


def write_recorded_twice(path, ids, odd):
    """
    Each process records event 5 on stream 1 and on stream 2, then stream 3 waits for it; `ids` are those
    that the two records and the wait have for that purpose (None: there is no such column). One more wait
    has no time: it is none. `odd`: another event has two records with one id.
    """
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT)")
    db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(1, "k"), (2, "cudaLaunchKernel"), (3, "cudaEventRecord"),
                                                         (4, "cudaStreamWaitEvent")])
    db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, end INT, eventClass INT, globalTid INT, "
               "correlationId INT, nameId INT, returnValue INT)")
    db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT, streamId INT, "
               "correlationId INT, globalPid INT, demangledName INT, shortName INT, gridX INT, gridY INT, gridZ INT, "
               "blockX INT, blockY INT, blockZ INT, registersPerThread INT)")
    sync_id = "" if ids is None else ", eventSyncId INT"
    db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start INT, end INT, deviceId INT, contextId INT, "
               f"streamId INT, correlationId INT, globalPid INT, syncType INT, eventId INT{sync_id})")
    db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT(deviceId INT, contextId INT, streamId INT, "
               f"correlationId INT, globalPid INT, eventId INT{sync_id})")
    own = [(), (), ()] if ids is None else [(i,) for i in ids]
    mark = "" if ids is None else ",?"
    for process in (1, 2):
        pid, at = process << 24, process * US
        calls = [2, 2, 2, 3, 3, 4]
        db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,0,?,?,?,0)",
                       [(at + 10 * i, at + 10 * i + 5, pid + 7, i + 1, name) for i, name in enumerate(calls)])
        db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,0,1,?,?,?,1,1,1,1,1,1,1,1,1)",
                       [(at + 100 + i, at + 110 + i, i + 1, i + 1, pid) for i in range(3)])
        db.executemany(f"INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0,1,?,?,?,5{mark})",
                       [(1, 4, pid, *own[0]), (2, 5, pid, *own[1])])
        db.executemany(f"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (?,?,0,1,3,6,?,2,5{mark})",
                       [(None, None, pid, *own[2]), (at + 50, at + 55, pid, *own[2])])
    if odd:
        db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0,1,1,4,?,9,0)", [(1 << 24,)] * 2)
    db.commit()
    db.close()


def recorded_twice(gpusight, folder):
    wrong = 0
    for what, ids, odd, stream in (("the record of the same id", (100, 101, 100), False, 1),
                                   ("... in falling order", (101, 100, 101), False, 1), ("the other one", (100, 101, 101), False, 2),
                                   ("... where another event's ids repeat", (100, 101, 100), True, 1),
                                   ("the last record without ids", None, False, 2), ("... with ids that repeat", (0, 0, 0), False, 2),
                                   ("... with an id of no record", (100, 101, 99), False, 2),
                                   ("... with ids out of range", (1 << 41, -5, 1 << 41), False, 2)):
        path = os.path.join(folder, f"twice{wrong}.sqlite")
        if os.path.exists(path):
            os.unlink(path)
        write_recorded_twice(path, ids, odd)
        rows = subprocess.run([gpusight, "query", "--format", "csv", path,
                               "select kind, stream_id, source_stream_id from syncs"],
                              stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[1:]
        good = rows == [f"stream wait,3,{stream}"] * 2
        wrong += not good
        print(f"{'ok' if good else 'not ok'} - a wait is for {what}: {rows}")
    return wrong


def run(gpusight, *args):
    return json.loads(subprocess.run([gpusight, *args], stdout=subprocess.PIPE, check=True).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    gpusight = parser.parse_args().gpusight
    calls, kernels = program()
    # The wait behind the last kernel has nothing to hold up.
    expected = len(list(waits(calls))) - 1
    after = kernels[-1][3] - kernels[0][2] - ROUNDS * FIRST // 2
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, write in (("waits.db", write_rocpd), ("waits.sqlite", write_nsys), ("waits.json", write_kineto)):
            path = os.path.join(folder, name)
            write(path, calls, kernels)
            doc = run(gpusight, "analyze", "--json", path)["analyses"]["critical_path"]
            half = run(gpusight, "whatif", "--kernel", "produce=0.5x", "--json", path)["result"]
            got = half["predicted_ns"] - (half["recorded_ns"] - (kernels[-1][3] - kernels[0][2]))
            good = doc["waits_recorded"] == expected and not doc["waits_inferred"] and abs(got - after) < 10 * US
            wrong += not good
            print(f"{'ok' if good else 'not ok'} - {name}: {doc['waits_recorded']} of {expected} waits, "
                  f"{doc['waits_inferred']} inferred, {got} ns instead of {after}")
        wrong += recorded_twice(gpusight, folder)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
