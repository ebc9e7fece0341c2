#!/usr/bin/env python3
"""Benchmark: how fast traces are read and analyzed, as ratios in one run.

    bench.py GPUSIGHT [FOLDER]

FOLDER keeps the generated traces (default: a temporary one, removed at the end). Every figure is
the best of several runs of whole commands: wall seconds, and CPU seconds of all threads. Ratios
against a bar print "ok" or "MISSED"; the exit code is 1 when one is missed, so that a noisy machine
shows. BENCH_SMALL=1 makes everything ten times smaller, to try the script itself.
"""
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import other_writer

SMALL = bool(os.environ.get("BENCH_SMALL"))
N = 100_000 if SMALL else 1_000_000
missed = []


def run(command, times=5):
    """Best wall and CPU seconds of a command, and what it wrote to stderr."""
    wall = cpu = float("inf")
    err = ""
    for _ in range(times):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
        wall = min(wall, time.monotonic() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = min(cpu, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        err = done.stderr.decode()
    return wall, cpu, err


def show(name, wall, cpu, note=""):
    print(f"  {name:<44} {wall:8.3f} s wall {cpu:8.3f} s cpu  {note}")
    sys.stdout.flush()


def bar(name, value, limit, at_least=True):
    good = value >= limit if at_least else value <= limit
    if not good:
        missed.append(name)
    print(f"    {'ok    ' if good else 'MISSED'} {name}: {value:.2f} (bar: {'>=' if at_least else '<='} {limit})")


def threads_option(threads):
    return [] if threads == "0" else ["--threads", threads]


def bytes_per_event(err):
    return float(re.search(r"([0-9.]+) bytes per event", err).group(1))


def peak_bytes(err):
    number, unit = re.search(r"peak ([0-9.]+) (\w+)", err).groups()
    return float(number) * {"B": 1, "bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[unit]


def make(gpusight, folder, name, scenario, *options):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        start = time.monotonic()
        subprocess.run([gpusight, "synth", scenario, "-o", path, *options], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        size = os.path.getsize(path)
        print(f"  wrote {name} ({size / 1e6:.0f} MB) in {time.monotonic() - start:.1f} s")
    with open(path, "rb") as f:  # warm the page cache
        while f.read(1 << 24):
            pass
    return path


def readers(gpusight, path, query_bar):
    """The readers against each other, against one SQL query and against cat."""
    result = {}
    for threads in ("1", "0"):
        label = "one thread" if threads == "1" else "all cores"
        for reader in ("fast", "sqlite"):
            wall, cpu, err = run([gpusight, *threads_option(threads), "info", "--stats", "--json",
                                  f"--reader={reader}", path], 5 if reader == "fast" else 2)
            result[reader, threads] = wall, cpu, err
            show(f"info, {reader} reader, {label}", wall, cpu,
                 f"{bytes_per_event(err):.1f} bytes per event")
    query = run(["sqlite3", "-readonly", path, "select count(*), sum(duration) from kernels"], 3)
    show("sqlite3 'select … from kernels'", *query[:2])
    cat = run(["cat", path], 3)
    show("cat", *cat[:2])
    bar("fast against sqlite reader, CPU, one thread", result["sqlite", "1"][1] / result["fast", "1"][1], 5)
    bar("fast against sqlite reader, wall, all cores", result["sqlite", "0"][0] / result["fast", "0"][0], 5)
    ratio = query[0] / result["fast", "0"][0]
    if query_bar:
        bar("info against that one query, wall", ratio, 3)
    else:
        print(f"           info against that one query, wall: {ratio:.2f} (few kernels in this shape)")
    bar("own memory, bytes per event", bytes_per_event(result["fast", "0"][2]), 64, at_least=False)
    return result["fast", "0"]


def analysis(gpusight, path, info):
    wall, cpu, err = run([gpusight, "analyze", "--stats", "--format", "json", path], 3)
    facts = run([gpusight, "analyze", "--no-replay", "--format", "json", path], 3)
    show("analyze --format json, all cores", wall, cpu, f"{bytes_per_event(err):.1f} bytes per event")
    bar("analyze --no-replay against info, CPU", facts[1] / info[1], 2, at_least=False)  # replays have a bar of their own
    bar("own memory, bytes per event", bytes_per_event(err), 64, at_least=False)
    return wall, cpu


def page(gpusight, path, analyzed):
    """The HTML page with all events in it, against the JSON without."""
    to = path + ".html"
    wall, cpu, _ = run([gpusight, "analyze", "--format", "html", "-o", to, path], 3)
    size = os.path.getsize(to) / 1e6
    os.unlink(to)
    show("analyze --format html, all cores", wall, cpu, f"{size:.1f} MB")
    bar("html against json, wall", wall / analyzed[0], 3, at_least=False)
    bar("size of the page, MB", size, 20, at_least=False)


def other(gpusight, folder, name, **options):
    """A trace of the other writer; see other_writer.py."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        start = time.monotonic()
        other_writer.write(gpusight, path, **options)
        print(f"  wrote {name} ({os.path.getsize(path) / 1e6:.0f} MB) in {time.monotonic() - start:.1f} s")
    return make(gpusight, folder, name, None)


def threads(gpusight, path):
    """What a second thread is worth, and what the graph and its replays cost."""
    one = run([gpusight, "--threads", "1", "analyze", "--format", "json", path], 3)
    two = run([gpusight, "--threads", "2", "analyze", "--format", "json", path], 3)
    less = run([gpusight, "--threads", "1", "analyze", "--no-replay", "--stats", "--format", "json", path], 3)
    show("analyze, one thread", *one[:2])
    show("analyze, two threads", *two[:2])
    show("analyze --no-replay, one thread", *less[:2], f"{bytes_per_event(less[2]):.1f} bytes per event")
    if len(os.sched_getaffinity(0)) > 1:
        bar("two threads against one, wall", one[0] / two[0], 1.6)
    bar("replay against none, CPU", one[1] / less[1], 1.6, at_least=False)


def against_query(path, analyzed):
    query = run(["sqlite3", "-readonly", path, "select count(*), sum(duration) from kernels"], 3)
    bar("analyze against one query over the kernels, wall", analyzed[0] / query[0], 2, at_least=False)


RIVALS = {"perf-advisor": ["perf-advisor", "summary", "{}", "--json"]}


def rivals(path, analyzed):
    """Other tools, where they are installed."""
    for name, command in RIVALS.items():
        if not shutil.which(name):
            print(f"           {name}: not installed")
            continue
        wall, cpu, _ = run([c.format(path) for c in command], 1)
        show(name, wall, cpu, f"{wall / analyzed[0]:.0f} times as long as analyze")


def event_cost(gpusight, path):
    """Microseconds of CPU and bytes for an event."""
    _, cpu, err = run([gpusight, "analyze", "--stats", "--format", "json", path], 2)
    events = int(re.search(r"([0-9,]+) events", err).group(1).replace(",", ""))
    return 1e6 * cpu / events, bytes_per_event(err)


def other_shapes(gpusight, folder, plain):
    path = other(gpusight, folder, "other.db", kernels=N)
    info = readers(gpusight, path, query_bar=False)
    analyzed = analysis(gpusight, path, info)
    against_query(path, analyzed)
    threads(gpusight, path)
    rivals(path, analyzed)
    wall, cpu, _ = run([gpusight, "analyze", "--format", "json", other(gpusight, folder, "other5.db", kernels=5 * N)], 2)
    show("analyze, five times as many dispatches", wall, cpu)
    bar("cost of five times the size, CPU", cpu / analyzed[1], 5.5, at_least=False)
    print("An event of other shapes, against one of synth's")
    base = event_cost(gpusight, plain)
    for name, options in (("events in any order", {"unsorted": True}), ("20 calls a launch", {"api": 20, "kernels": N // 10}),
                          ("10,000 streams", {"gpus": 1, "streams": 10_000}), ("1,000 GPUs", {"gpus": 1000, "streams": 1, "threads": 1000}),
                          ("1,000 GPUs of 2 threads", {"gpus": 1000, "streams": 1, "threads": 2}),
                          ("100,000 kernel names", {"names": N // 10}), ("markers 300 deep", {"depth": 300})):
        made = other(gpusight, folder, f"other_{name.replace(' ', '_').replace(',', '')}.db", **{"kernels": N, **options})
        us, held = event_cost(gpusight, made)
        print(f"  {name:<44} {us:8.3f} us  {us / base[0]:6.2f} times")
        bar("own memory, bytes per event", held, 64, at_least=False)


SHAPES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shapes")

# description, formats, bar: bytes an event; none where each of two threads holds a replay of nothing but waits
WAITING = (("launches_waited_for", ("nsys", "kineto"), 64), ("events_waited_for", ("nsys",), 64),
           ("streams_in_turns", ("nsys", "rocpd"), 64), ("allocations_around", ("kineto", "rocpd"), 64),
           ("copies_around", ("nsys",), None))
SUFFIX = {"nsys": ".sqlite", "kineto": ".json", "rocpd": ".db"}


def waiting(gpusight, folder, plain):
    """Programs that wait all the time, and one without its calls, against synth's bench."""
    base = event_cost(gpusight, plain)
    made = []
    for name, formats, limit in WAITING:
        options = ["--set", "n=40000"] if SMALL else []
        for form in formats:
            path = make(gpusight, folder, name + SUFFIX[form], os.path.join(SHAPES, name + ".trace"), "--format", form, *options)
            made.append((f"{name.replace('_', ' ')}, {form}", path, limit))
    path = make(gpusight, folder, "no_calls.sqlite", "bench", "--format", "nsys", "--set", f"n={N}",
                "--drop", "CUPTI_ACTIVITY_KIND_RUNTIME")
    made.append(("kernels and copies without calls, nsys", path, 64))
    for name, path, limit in made:
        us, held = event_cost(gpusight, path)
        print(f"  {name:<44} {us:8.3f} us  {us / base[0]:6.2f} times")
        if limit and not SMALL:
            bar("own memory, bytes per event", held, limit, at_least=False)
        else:
            print(f"           own memory, bytes per event: {held:.2f}")


def growth(gpusight, folder, info, analyzed):
    path = make(gpusight, folder, "bench5.db", "bench", "--set", f"n={5 * N}")
    wall, cpu, _ = run([gpusight, "info", "--json", path], 3)
    show("info, five times as many dispatches", wall, cpu)
    bar("cost of five times the size, CPU", cpu / info[1], 6, at_least=False)
    wall, cpu, _ = run([gpusight, "analyze", "--format", "json", path], 2)
    show("analyze, five times as many dispatches", wall, cpu)
    bar("cost of five times the size, CPU", cpu / analyzed[1], 6, at_least=False)


def json_reader(gpusight, folder):
    """rocprofv3 JSON: megabytes a second of one core, and against Python's parser."""
    path = make(gpusight, folder, "bench_results.json", "bench", "--format", "rocprofv3-json", "--set",
                f"n={3 * N // 4}")
    size = os.path.getsize(path) / 1e6
    wall, cpu, err = run([gpusight, "--threads", "1", "info", "--stats", "--json", path], 3)
    show(f"info, rocprofv3 JSON of {size:.0f} MB, one thread", wall, cpu,
         f"{bytes_per_event(err):.1f} bytes per event")
    bar("JSON, MB/s of one core", size / cpu, 600)
    bar("peak memory, share of the file", float(peak_bytes(err)) / 1e6 / size, 0.3, at_least=False)
    python = run(["python3", "-c", f"import json; json.load(open({path!r}))"], 1)
    show("python3 json.load", *python[:2])
    bar("JSON against python3 json.load, CPU", python[1] / cpu, 5)


def nsys_reader(gpusight, folder):
    path = make(gpusight, folder, "bench.sqlite", "bench", "--format", "nsys", "--set", f"n={N}")
    times = {}
    for threads, label in (("1", "one thread"), ("0", "all cores")):
        for reader in ("fast", "sqlite"):
            times[reader, threads] = run([gpusight, *threads_option(threads), "info", "--json",
                                          f"--reader={reader}", path], 3)
            show(f"info, Nsight Systems, {reader} reader, {label}", *times[reader, threads][:2])
    ratio = times["sqlite", "1"][1] / times["fast", "1"][1]
    print(f"           fast against sqlite reader, CPU, one thread: {ratio:.2f}")
    bar("fast against sqlite reader, wall, all cores", times["sqlite", "0"][0] / times["fast", "0"][0], 5)


def job(gpusight, folder):
    """16 ranks together, against each on its own; and 4 of them, for memory."""
    ranks = 4 if SMALL else 16
    out = os.path.join(folder, "job")
    if not os.path.isdir(out):
        text = os.path.join(os.path.dirname(os.path.abspath(__file__)), "job.trace")
        subprocess.run([gpusight, "synth", text, "-o", out + "/", "--set", f"ranks={ranks}", "--set",
                        f"n={N // 4}"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    files = sorted(os.path.join(out, f) for f in os.listdir(out))
    for path in files:
        with open(path, "rb") as f:
            while f.read(1 << 24):
                pass
    cores = len(os.sched_getaffinity(0))
    alone = [run([gpusight, "--threads", "1", "analyze", "--format", "json", path], 1)[0] for path in files]
    show(f"{ranks} ranks one by one, one thread", sum(alone), sum(alone), f"{sum(alone) / cores:.3f} s by {cores} cores")
    peak = {}
    for n in (ranks // 4, ranks):
        wall, cpu, err = run([gpusight, "analyze", "--stats", "--format", "json", *files[:n]], 2)
        peak[n] = re.search(r"peak ([0-9.]+ \w+)", err).group(1)
        show(f"{n} ranks together, all cores", wall, cpu, f"peak {peak[n]}")
    bar("job against its ranks one by one / cores, wall", wall / (sum(alone) / cores), 1.2, at_least=False)


SOURCE = '''
#include <hip/hip_runtime.h>
__global__ void step_{i}(float *a, const float *b, int n) {{ /* hipMalloc in a comment */
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) a[k] += b[k] * 0.5f; // "hipFree" here is none either
}}
void run_{i}(float *a, float *b, int n) {{
    const char *text = "hipDeviceSynchronize(); in a string";
    for (int s = 0; s < 100; s++) {{
        step_{i}<<<dim3((n + 255) / 256), dim3(256)>>>(a, b, n);
        hipDeviceSynchronize();
        puts(text);
    }}
}}
'''


def source_scan(gpusight, folder):
    """A tree of 100 MB of source code."""
    out = os.path.join(folder, "source")
    if not os.path.isdir(out):
        for i in range(100 if not SMALL else 10):
            os.makedirs(os.path.join(out, f"d{i}"))
            for k in range(10):
                with open(os.path.join(out, f"d{i}", f"f{k}.hip"), "w", encoding="utf-8") as f:
                    f.writelines(SOURCE.format(i=f"{i}_{k}_{n}") for n in range(175))
    size = sum(os.path.getsize(os.path.join(d, f)) for d, _, names in os.walk(out) for f in names) / 1e6
    wall, cpu, _ = run([gpusight, "analyze", "--source-dir", out], 3)
    show(f"analyze --source-dir, {size:.0f} MB of source", wall, cpu)
    bar("source scan, MB/s", size / wall, 100)


def main():
    gpusight = os.path.abspath(sys.argv[1])
    folder = sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="gpusight-bench-")
    os.makedirs(folder, exist_ok=True)
    try:
        print(f"{N:,} dispatches, 2 API regions each with arguments, 0.2 copies each")
        path = make(gpusight, folder, "bench.db", "bench", "--set", f"n={N}")
        info = readers(gpusight, path, query_bar=True)
        analyzed = analysis(gpusight, path, info)
        page(gpusight, path, analyzed)
        against_query(path, analyzed)
        threads(gpusight, path)
        rivals(path, analyzed)
        growth(gpusight, folder, info, analyzed)
        print(f"Another writer: {N:,} dispatches, 4 GPUs with 4 streams each in turns, ids in blocks with holes")
        other_shapes(gpusight, folder, path)
        print("Waits, of the same kind all the time")
        waiting(gpusight, folder, path)
        print("API-heavy: a tenth of a real --sys-trace rank (60 regions a dispatch)")
        options = ["--set", "n=4000"] if SMALL else []
        path = make(gpusight, folder, "sys_trace.db", "sys_trace", *options)
        info = readers(gpusight, path, query_bar=False)
        page(gpusight, path, analysis(gpusight, path, info))
        print(f"A job of ranks with {N // 4:,} dispatches each")
        job(gpusight, folder)
        print("Source")
        source_scan(gpusight, folder)
        print("Other formats")
        json_reader(gpusight, folder)
        nsys_reader(gpusight, folder)
    finally:
        if len(sys.argv) <= 2:
            shutil.rmtree(folder)
    print(f"{len(missed)} bars missed" + "".join(f"\n  {m}" for m in missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
