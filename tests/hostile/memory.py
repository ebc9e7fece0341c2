#!/usr/bin/env python3
"""Runs commands with too little memory: the right answer, or one line that says so; never a signal.

    memory.py PROGRAM                 some limits for each command, for the suite
    memory.py PROGRAM --steps 100     as many limits for each

The limit is that of addresses (ulimit -v). For each command line the least with which it succeeds is
found first; limits are spread from what the program needs to start up to that. What is written under
a limit is the same, to the byte, as without.
"""
import argparse
import concurrent.futures
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
import sandbox
import seeds

MOST_KB = 1 << 20

LINES = [
    "analyze {db} -o {out}/x.txt", "analyze {db} --format html -o {out}/x.html",
    "analyze {db} --format pdf -o {out}/x.pdf", "analyze {db} --json -o {out}/x.json",
    "report {db} -o {out}/x.xlsx", "report {db} --csv-dir {out}/csv", "info {db} --reader check",
    "info {nsys}", "analyze {kineto}", "analyze {gz} --json", "info {rocprofv3_json}", "summary {rpd}",
    "analyze {rocprofv3_csv}", "analyze {job}", "analyze {workload}", "analyze --att-dir {att}",
    "analyze --source-dir {source_tree}", "compare {db} {nsys} --format html -o {out}/x.html",
    "history {db} {db} {db}", "plan {db}", "whatif {db} --remove sync --json",
    "plot {db} --chart timeline -o {out}/x.png", "plot {db} --chart all -o {out}/x",
    "dump {db} --csv", "synth demo --set n=2 -o {out}/t.db", "synth demo --set n=2 --format kineto -o {out}/t.json",
    "info {log}",
    "collect {job} --db {out}/fleet.db", "history --db {fleet}", "compare --db {fleet} latest~1 latest",
    "info {grown} --cache {out}/cache", "info {grown} --cache {cache}", "cache {cache}",
    "merge {job} -o {out}/x.db", "trim {grown} --window 10%..60% -o {out}/x.db", "package {job} --copy -o {out}/p",
    "anonymise {grown} -o {out}/x.db", "repair {damaged} -o {out}/x", "ask {grown} --question idle",
    "evaluate {answers}", "plan {grown} -- ./app", "whatif {grown} --graph --json", "verify {report} {grown}",
    "query {grown} select~name,count(*)~from~kernels~group~by~name --format csv", "summary {grown} --by-domain",
    "convert {grown} -f pftrace -o {out}/x", "convert {grown} -f chrome -o {out}/x", "convert {grown} -f csv -d {out} -o x",
    "convert {grown} -f rocpd -o {out}/x.db", "convert {many} -f rocpd -o {out}/x.db", "convert {grown} -f speedscope -o {out}/x",
    "convert {grown} -f folded -o {out}/x", "info {xplane}", "info {otf2}", "convert {grown} -f otf2 -o {out}/x",
    "session export {session}/session.json -o {out}/x.html", "session show {session}/session.json --json",
    "analyze {sums}", "analyze {compute_db} --json", "info {perfetto}"]


class Case:
    def __init__(self, program, line, paths, scratch):
        self.program, self.line, self.paths, self.scratch = program, line, paths, scratch

    def run(self, kb):
        place = tempfile.mkdtemp(dir=self.scratch)
        tmp = os.path.join(place, "tmp")
        os.makedirs(tmp)
        os.makedirs(os.path.join(place, "out"))
        words = [w.format(out="out", **self.paths).replace("~", " ") if "select" in w else
                 w.format(out="out", **self.paths) for w in self.line.split()]
        o = sandbox.run([self.program, "--threads", "2", *words], place, tmp, address_kb=kb)
        o.files = {os.path.relpath(p, place): b"anchor" if p.endswith(".otf2") else data  # it has a random number
                   for p, data in sandbox.written(place)}
        o.left = os.listdir(tmp)
        shutil.rmtree(place)
        return o

    def least(self):
        """The least limit with which it succeeds, to 2 %."""
        low, high = 1000, MOST_KB
        while high - low > high // 50:
            middle = (low + high) // 2
            if self.run(middle).code == 0:
                high = middle
            else:
                low = middle
        return high

    def dated(self):
        """Whether what it writes has the time in it."""
        return self.line.startswith("collect") or "--cache {out}" in self.line

    def faults(self, o, kb, whole):
        if o.late or o.code < 0:
            return [f"ends by signal {-o.code}"]
        if o.code == 0:
            same = o.out == whole.out and (o.files == whole.files or self.dated())
            return [] if same else ["succeeds with another result"]
        text, wrong = o.err.decode(errors="replace"), []
        if b"error while loading shared libraries" in o.err or o.code == 127:
            return []  # it did not start
        if o.code not in sandbox.CODES:
            wrong.append(f"exit code {o.code}")
        last = text.strip().split("\n")[-1]
        if not last.startswith("gpusight: ") or "memory" not in last.lower():
            wrong.append(f"says {last[-200:]!r}")
        if o.files and not self.dated():  # what was collected before stays
            wrong.append(f"leaves {sorted(o.files)[:3]}")
        if o.left:
            wrong.append(f"leaves {o.left[:3]} in the folder for temporary files")
        return wrong

    def check(self, steps, first):
        whole = self.run(MOST_KB)
        if whole.code:
            return 1, [f"gpusight {self.line}: exit code {whole.code}: {whole.err[-200:]!r}"]
        last, wrong = self.least(), []
        first = min(first, last)
        for i in range(steps):
            kb = first + (last - first) * i // max(1, steps)
            wrong += [f"gpusight {self.line}: with {kb} KB {f}" for f in self.faults(self.run(kb), kb, whole)]
        return steps, wrong


def inputs(folder):
    made = {name: getattr(seeds, name)(os.path.join(folder, name)) for name in
            ("nsys", "kineto", "rocprofv3_json", "rpd", "rocprofv3_csv", "job", "workload", "att", "source_tree")}
    made["db"] = seeds.rocpd(os.path.join(folder, "a.db"))
    made["gz"] = seeds.kineto_gz(os.path.join(folder, "a.json.gz"))
    made["log"] = seeds.rocpd_log(os.path.join(folder, "log"))
    made["xplane"] = seeds.xplane(os.path.join(folder, "a.xplane.pb"))
    made["otf2"] = seeds.otf2(os.path.join(folder, "otf2"))
    made["perfetto"] = seeds.perfetto(os.path.join(folder, "a.pftrace"))
    for name in ("session", "sums", "compute_db"):
        made[name] = getattr(seeds, name)(os.path.join(folder, name))
    made["report"] = seeds.write_text(os.path.join(folder, "report.txt"), "It took 3,141.5926 ms per widget.\n" * 999)
    made["grown"] = seeds.synth(os.path.join(folder, "grown.db"), "demo", "--set", "n=100")  # what it takes shows
    with open(made["grown"], "rb") as f:
        made["damaged"] = seeds.write_text(os.path.join(folder, "damaged.db"), f.read(600000))
    made["many"] = seeds.events(os.path.join(folder, "many.json"), *(seeds.kernel_event(
        "cudaLaunchKernel" if k else f"k{i % 9}", ts=9 * i, dur=1, pid=i if k else 0, tid=i, cat="cuda_runtime" if k else "kernel",
        args={"correlation": i}) for i in range(1, 600) for k in (1, 0)))
    made["answers"] = os.path.join(folder, "answers")
    os.makedirs(made["answers"])
    seeds.synth(os.path.join(made["answers"], "t.db"), "tiny_kernels", "--set", "n=500")
    seeds.write_json(os.path.join(made["answers"], "t.truth.json"), {"expected_bottleneck": "kernel_launch_overhead"})
    made["fleet"], made["cache"] = os.path.join(folder, "fleet.db"), os.path.join(folder, "cache")
    for words in (["collect", made["job"], made["answers"], "--db", made["fleet"]], ["info", made["grown"], "--cache", made["cache"]]):
        done = sandbox.run([seeds._program, *words], folder, folder)
        assert done.code == 0, (words, done.err)
    return made


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("program")
    args.add_argument("--steps", type=int, default=4)
    args.add_argument("--only", default="")
    args.add_argument("--every", type=int, default=1, help="only every so many-th command, for the suite")
    args = args.parse_args()
    seeds.set_program(args.program)
    scratch = tempfile.mkdtemp(prefix="memory-")
    program = os.path.abspath(args.program)
    paths = inputs(os.path.join(scratch))
    start = Case(program, "--version", paths, scratch).least()
    cases = [Case(program, line, paths, scratch) for line in LINES[::args.every] if args.only in line]
    done = failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for n, texts in pool.map(lambda c: c.check(args.steps, start), cases):
            done += n
            for text in texts:
                failed += 1
                print("not ok -", text, flush=True)
    shutil.rmtree(scratch, ignore_errors=True)
    print(f"# {done} runs of {len(cases)} commands, {start} KB to start, {failed} faults")
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main())
