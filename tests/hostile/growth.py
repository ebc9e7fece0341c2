#!/usr/bin/env python3
"""Four times the events take four times the time, whatever belongs to whatever.

    growth.py PROGRAM [--shapes N] [--first SEED] [--events N] [--seconds S]

A shape is drawn from its seed: some kinds of events, and for each kind a law by which processes, threads,
devices, streams, names and links follow from an event's number (one of all, a few in turn, as many as
there are events, ...). It is written twice, with N and with 4 N events of each kind. What is done once for
each pair of things (each GPU and each call, each thread and each marker) shows in the second. Where it
does, 16 N must show it too: what has a limit (pauses, partners) grows until it is reached, and what else
the machine does can hide the first.
"""
import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

KINDS = {
    "kernel": ["k"],
    "gpu_memcpy": ["Memcpy HtoD (Pageable -> Device)", "Memcpy DtoH (Device -> Pinned)", "Memcpy PtoP (Device -> Device)"],
    "gpu_memset": ["Memset (Device)"],
    "cuda_runtime": ["cudaLaunchKernel", "cudaMemcpyAsync", "cudaMalloc", "cudaFree", "cudaStreamSynchronize", "cudaEventRecord",
                     "cudaDeviceSynchronize", "cudaStreamWaitEvent", "cudaModuleLoad", "cudaGraphLaunch", "cudaProfilerStop"],
    "user_annotation": ["m"],
    "gpu_user_annotation": ["g"],
    "cpu_op": ["aten::mm", "record_param_comms"],
    "python_function": ["f"],
}
TIMES = 4
MOST_DEVICES = 4000  # more are refused
MOST_TIME, LEAST_SECONDS = 7, 0.35  # times as much; below it nothing can be told
MOST_MEMORY = 1e9


def law(r, n):
    """How something follows from an event's number; drawn alike for every n."""
    kind, many = r.choice(["one", "one", "turns", "turns", "blocks", "each"]), r.choice([2, 7, 50, 4000, -50, -4])
    many = max(1, many if many > 0 else n // -many)
    chosen = r.randrange(3)
    return {"one": lambda i: chosen, "each": lambda i: i, "turns": lambda i: i % many, "blocks": lambda i: i // max(1, n // many)}[kind]


def events_of(kind, r, n):
    pid, tid, device, stream, name, link = (law(r, n) for _ in range(6))
    step, form, base = r.choice([1, 10, 100, 300]), r.choice(["row", "row", "nested", "overlapping", "at once", "long"]), r.choice(KINDS[kind])
    is_named, is_linked = r.random() < .5 and kind != "cuda_runtime", r.random() < .7
    for i in range(n):
        ts, dur = i * step, {"overlapping": step * 50, "long": step * n}.get(form, max(1, step * .7))
        if form == "nested":
            ts, dur = i, 4 * n - 2 * i
        args = {"correlation": link(i) if i % 97 == 96 else i + 1} if is_linked else {}
        if "gpu" in kind or kind == "kernel":
            args |= {"device": device(i) % MOST_DEVICES, "stream": stream(i), "bytes": 100 + i % 7}
        if kind in ("cpu_op", "python_function"):
            args |= {"External id": i + 1, "Python id": i + 1, "Python parent id": i}
        yield {"ph": "X", "cat": kind, "name": base + (str(name(i)) if is_named else ""), "pid": pid(i), "tid": tid(i),
               "ts": 5 if form == "at once" else ts, "dur": dur, "args": args}


def write(path, seed, n):
    r = random.Random(seed)
    kinds = [r.choice(list(KINDS)) for _ in range(r.randrange(2, 5))]
    kinds += [k for k in ("kernel", "cuda_runtime") if k not in kinds and (k == "kernel" or r.random() < .7)]
    events = [e for at, kind in enumerate(kinds) for e in events_of(kind, random.Random(seed * 100 + at), n)]
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"traceEvents": events}, f)
    return kinds


def cost(words):
    """CPU seconds, bytes of memory, and how it ended."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=lambda: (
            resource.setrlimit(resource.RLIMIT_CPU, (60, 60)))) as p:
        said = p.stderr.read()
        _, status, used = os.wait4(p.pid, 0)
        p.returncode = status
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, os.waitstatus_to_exitcode(status), said


def faults(program, folder, seed, n):
    few, many, more = f"{folder}/few.json", f"{folder}/many.json", f"{folder}/more.json"
    kinds = write(few, seed, n)
    write(many, seed, TIMES * n)
    has_more = False
    lines = [["analyze", "--format", "json"], ["analyze", "--format", "html"], ["convert", "-f", "perfetto", "-o", "/dev/null"], ["summary"],
             ["compare", few]]
    for line in (lines[0], lines[1 + seed % (len(lines) - 1)]):
        a, b = (cost([program, *line, path, "--threads", "1"]) for path in (few, many))
        size = os.path.getsize(many)
        what = f"shape {seed} ({', '.join(kinds)}), {' '.join(line[:3])}: {b[0]:.2f} s, {b[1] >> 20} MB for {size >> 20} MB"
        if b[2] not in (0, 1, 4):
            yield f"{what}: ended with {b[2]}: {b[3][-200:]!r}"
        elif b[0] > LEAST_SECONDS and b[0] > MOST_TIME * a[0]:
            has_more = has_more or write(more, seed, TIMES * TIMES * n)
            c = cost([program, *line, more, "--threads", "1"])
            if c[0] > MOST_TIME * TIMES * a[0]:
                yield f"{what}: {b[0] / a[0]:.1f} times the time for {TIMES} times the events, {c[0] / a[0]:.1f} for {TIMES ** 2} times"
        elif b[1] > min(MOST_MEMORY, 200 * size + 64e6):
            yield f"{what}: too much memory"


def main():
    args = argparse.ArgumentParser()
    args.add_argument("program")
    args.add_argument("--shapes", type=int, default=100)
    args.add_argument("--first", type=int, default=1)
    args.add_argument("--events", type=int, default=2500)
    args.add_argument("--seconds", type=float, default=1e9)
    o = args.parse_args()
    begun, wrong, n = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while n < o.shapes and time.monotonic() - begun < o.seconds:
            for fault in faults(os.path.abspath(o.program), folder, o.first + n, o.events):
                print("not ok -", fault, flush=True)
                wrong += 1
            n += 1
    print(f"# {n} shapes, {wrong} faults")
    return wrong > 0 or n == 0


if __name__ == "__main__":
    sys.exit(main())
