#!/usr/bin/env python3
"""Every command on every format, out of memory at one allocation after the other.

    shortage.py GPUSIGHT SHORTAGE [--points N] [--formats A,B] [--lines WORD] [--threads N] [--jobs N]

The command lines are those of commands.py, the inputs those of seeds.py. SHORTAGE (shortage.c) runs a line
in one process, with each time another allocation that fails, and tells what leaked. --points 0 tries
every allocation; otherwise that many of a line, and of the formats but rocpd one line of each command.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import commands  # noqa: E402
import seeds  # noqa: E402

FORMATS = {
    "rocpd": lambda d: seeds.rocpd(f"{d}/a.db"),
    "nsys": lambda d: seeds.nsys(f"{d}/a.sqlite"),
    "kineto": lambda d: seeds.kineto(f"{d}/a.json"),
    "rocprofv3_json": lambda d: seeds.rocprofv3_json(f"{d}/a_results.json"),
    "rocprofv3_csv": lambda d: seeds.rocprofv3_csv(f"{d}/csv"),
    "rpd": lambda d: seeds.rpd(f"{d}/a.rpd"),
    "job": lambda d: seeds.job(f"{d}/job"),
    "workload": lambda d: seeds.workload(f"{d}/workload"),
    "baseline": lambda d: seeds.profile(f"{d}/a.json"),
    "att": lambda d: seeds.att(f"{d}/att"),
    "source": lambda d: seeds.source_tree(f"{d}/source"),
    "description": lambda d: seeds.description(f"{d}/a.trace"),
}
OF_ITS_KIND = ("baseline", "att", "source", "description")
WORDS = {"explain": ["compute"], "help": ["analyze"]}  # what they explain is no file


def lines_of(program, name, thorough):
    """The lines for a format; of those but the first only one of each command, if not thorough."""
    by_command = commands.by_command(program)
    if name in OF_ITS_KIND:
        return by_command[f"({name})"]
    chosen = {k: v for k, v in by_command.items() if not k.startswith("(") and k != "synth"}
    if not thorough and name != "rocpd":
        return [lines[zlib.crc32(f"{name}{command}".encode()) % len(lines)]
                for command, lines in chosen.items() if command not in WORDS]
    return [line for lines in chosen.values() for line in lines]


def try_line(options, line, path):
    with tempfile.TemporaryDirectory() as out:
        words = line.argv(WORDS.get(line.words[0], [path]), out)
        words[1:1] = ["--sandbox", "off", "-q", "--threads", str(options.threads)]
        skip = zlib.crc32(str(line).encode()) % 997  # so that lines try different ones
        done = subprocess.run([options.shortage, str(options.points), str(skip), *words],
                              capture_output=True, text=True, cwd=out, timeout=3000, check=False)
        left = [f for _, _, files in os.walk(out) for f in files if f.startswith(".")]
        return done, left


def judge(name, line, done, left):
    """(problem or None, allocations tried)"""
    text = done.stderr.strip()
    if done.returncode == 1 and text.startswith("without a shortage"):
        if line.refused or "built without" in text or "workload of rocprof-compute, not a trace" in text:
            return None, 0
    if done.returncode or left:
        return f"{name}: {line}: exit {done.returncode} {left}\n{text[-3000:]}", 0
    return None, int(re.findall(r"(\d+) allocations", text)[-1])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("gpusight")
    p.add_argument("shortage")
    p.add_argument("--points", type=int, default=0)
    p.add_argument("--formats", default=",".join(FORMATS))
    p.add_argument("--lines", default="", help="only lines with this in them")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--jobs", type=int, default=2)
    options = p.parse_args()
    options.shortage = os.path.abspath(options.shortage)
    seeds.set_program(options.gpusight)
    problems, tried, allocations = [], 0, 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = []
        for name in options.formats.split(","):
            os.makedirs(f"{folder}/{name}")
            path = FORMATS[name](f"{folder}/{name}")
            for line in lines_of(options.gpusight, name, options.points == 0):
                if options.lines in str(line):
                    work.append((name, line, pool.submit(try_line, options, line, path)))
        for name, line, future in work:
            problem, n = judge(name, line, *future.result())
            tried += n > 0
            allocations += n
            if problem:
                problems.append(problem)
                print("FAILED:", problem, flush=True)
    print(f"{tried} command lines with {allocations} allocations, {len(problems)} problems")
    if not tried:
        sys.exit("no line was tried")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
