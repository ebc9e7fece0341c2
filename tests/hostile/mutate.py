#!/usr/bin/env python3
"""Runs gpusight on changed inputs of every format and reports signals, reports of sanitizers, hangs
and exit codes that are not documented.

    mutate.py PROGRAM                         30 files a format, for the suite
    mutate.py PROGRAM --files 10000           as many as one has time for
    mutate.py PROGRAM --sanitized             PROGRAM is built with -fsanitize=address,undefined
    mutate.py SERVE --serve --files 10000     a hundred files a second: SERVE is tests/hostile/serve of a
                                              build with sanitizers (ninja -C build tests/hostile/serve)
    mutate.py ... --table                     and what came of each format
    mutate.py PROGRAM --format rocpd --from 123 --files 1 --keep DIR
                                              one of them again, kept to look at

A file depends on --seed, its format and its number only. Each goes through one of the commands, in
turn. Files that fail are kept in --keep (by default a folder that is named at the end).
"""
import argparse
import concurrent.futures
import os
import random
import shutil
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import commands
import hostile
import mutations
import sandbox
import seeds

TRACE_LINES = [
    "analyze {in} --format html -o {out}/x", "analyze {in} --format json -o {out}/x",
    "compare {one} {one}", "info {in} --reader check", "report {in} --csv-dir {out}/csv",
    "analyze {in} --by gpu --by process --by stream", "plan {in} --json", "summary {in}",
    "plot {in} --chart all -o {out}/x", "analyze {in} --format pdf -o {out}/x",
    "history {one} {one} {one}", "dump {in} --table copies", "compare {one} {one} --json",
    "analyze {in} --format markdown --phase 1", "report {in} -o {out}/x.xlsx --kernel-details",
    "plan {in} --format shell", "dump {in} --csv", "compare {one} {sound} --format html -o {out}/x.html",
    "analyze {in} {sound} --json", "info {in} --json", "whatif {in} --graph --remove sync --json",
    "convert {in} -f pftrace -f chrome -f csv -f rocpd -f otf2 -f folded -f speedscope -d {out} -o x",
    "convert {in} -f pftrace --compress --group-by-queue --annotate-pmc --per-rank -d {out} -o x",
    "whatif {in} --kernel *=0.5x --overlap copies --pinned --link 2x --streams 4 --prefetch"]
LINES = {
    "workload": ["analyze {in}", "analyze {in} --format html -o {out}/x", "compare {one} {one}",
                 "plot {in} --chart memory", "plot {in} --chart roofline", "info {in}",
                 "analyze {in} --json --per kernel", "compare {one} {one} --json",
                 "analyze {in} --format pdf -o {out}/x"],
    "sums": ["analyze {in}", "analyze {in} --json", "info {in}", "report {in} --csv-dir {out}/csv",
             "analyze {in} --format html -o {out}/x", "summary {in} --format markdown"],
    "att": ["analyze {in} --att-listing all", "analyze {in} --format html -o {out}/x",
            "analyze {in} --json", "analyze --att-dir {one} {sound} --json"],
    "profile": ["compare {one} {one}", "compare {one} {sound} --json",
                "compare {sound} {one} --format html -o {out}/x.html", "history {one} {sound} {one}",
                "compare {one} {one} --fail-on wall>5%,idle>1ms,kernel:k>1%"],
    "description": [f"synth {{one}} --max-events 20000 --format {f} -o {{out}}/t/"
                    for f in ("rocpd", "nsys", "kineto", "rocprofv3-json")],
    "source_tree": ["analyze --source-dir {one} --json", "analyze --source-dir {one} {sound}"],
    "fleet": ["history --db {one}", "compare --db {one} latest latest~1", "history --db {one} --json",
              "collect {sound} --db {one}", "compare --db {one} latest {sound} --format html -o {out}/x.html",
              "compare --db {one} latest~1 latest --json"],
    "session": ["session show {one}", "session show {one} --json", "session export {one} -o {out}/x.html",
                "session export {one} -o {out}/x.md", "session prune {one}", "session rollback {one} 0 --source /does/not/exist"],
    "dialogue": ["ask {sound} --question why --llm anthropic --yes --llm-replay {one}",
                 "ask {sound} --question why --llm anthropic --yes --llm-agent --llm-replay {one} --json",
                 "analyze {sound} --llm openai --yes --llm-replay {one}",
                 "ask {sound} --question why --llm anthropic --yes --llm-replay {one} --format html -o {out}/x.html"],
    "names_key": ["anonymise {sound} --undo {one} -o {out}/x.db"],
    "truth": ["evaluate {one}", "evaluate {one} --cached {one}/saved.json", "evaluate {one} --answers {one} --json"],
    "told": ["verify {one}/r.json {sound}", "verify {one}/r.html {sound} --json", "verify {one}/r.md {sound} --all",
             "verify {one}/r.txt {sound} --by-words", "evaluate {one} --answers {one}"],
}
LINES["compute_db"] = LINES["sums"]
# What a changed input of a format is called; folders have no ending.
FORMATS = {"rocpd": "a.db", "nsys": "a.sqlite", "nsys_old": "a.sqlite", "rocpd_log": "log", "rpd": "a.rpd",
           "kineto": "a.json", "chrome": "a.json", "kineto_gz": "a.json.gz", "kineto_zst": "a.json.zst",
           "rocprofv3_json": "a_results.json", "rocprofv3_csv": "csv", "perfetto": "a.pftrace",
           "xplane": "a.xplane.pb", "jax": "a.trace.json", "rocprof_v1": "a.csv", "otf2": "otf2",
           "rocprof_lines": "lines", "sums": "sums", "workload": "work", "att": "att", "profile": "p.json",
           "job": "job", "description": "a.trace", "source_tree": "src", "compute_db": "c.db", "fleet": "f.db",
           "session": "s", "dialogue": "d.jsonl", "names_key": "key.json", "truth": "truth", "told": "told"}
MOST_EXTRA = 200000
BY_ENDING = {".json": mutations.of_json, ".gz": mutations.of_gzip, ".csv": mutations.of_csv, ".trace": mutations.of_words, ".txt": mutations.of_words,
             ".html": mutations.of_words, ".md": mutations.of_words, ".jsonl": mutations.of_json_lines, ".cpp": mutations.of_words, ".f90": mutations.of_words, ".py": mutations.of_words}


def make_seed(name, path):
    return getattr(seeds, name)(path)


def extra_seeds(folder):
    """Databases and JSON of a folder, those that are small."""
    found = sorted(os.path.join(at, f) for at, _, files in os.walk(folder) for f in files)
    return [p for p in found if p.endswith((".db", ".sqlite", ".json")) and os.path.getsize(p) < MOST_EXTRA]


def files_of(path):
    if os.path.isfile(path):
        return [path]
    return sorted(os.path.join(at, f) for at, _, files in os.walk(path) for f in files)


def change_file(r, path, sound):
    with open(path, "rb") as f:
        data = f.read()
    change = BY_ENDING.get(os.path.splitext(path)[1], mutations.of_bytes)
    if data.startswith(b"SQLite format 3") and not os.path.exists(path + "-wal"):
        if sound and r.random() < 0.8:
            mutations.of_database(r, path)
            return
        change = mutations.of_pages  # SQLite may never come back from one that is not sound
    if r.random() < 0.2:
        change = mutations.of_bytes
    try:
        data = change(r, data)
    except ValueError:  # it was no such document from the start
        data = mutations.of_bytes(r, data)
    with open(path, "wb") as f:
        f.write(data)


def mutant(r, seed, path, sound):
    """A changed copy of the seed at path."""
    (shutil.copytree if os.path.isdir(seed) else shutil.copyfile)(seed, path)
    files = files_of(path)
    for file in r.sample(files, min(len(files), r.choice([1, 1, 2]))):
        change_file(r, file, sound)
    return path


class Mutator:
    def __init__(self, args):
        self.args, self.program = args, os.path.abspath(args.program)
        self.scratch = tempfile.mkdtemp(prefix="mutate-")
        self.keep = args.keep or tempfile.mkdtemp(prefix="mutate-kept-")
        self.item = hostile.Input("mutant", make_seed, None)
        self.sound = seeds.rocpd(os.path.join(self.scratch, "sound.db"))
        self.seeds = {name: make_seed(name, os.path.join(self.scratch, f"seed-{name}-{ending}"))
                      for name, ending in FORMATS.items() if args.format in ("", name)}
        self.extra = extra_seeds(args.extra) if args.extra and args.format == "" else []
        if self.extra:
            self.seeds["extra"] = None
        self.stop = time.monotonic() + args.seconds if args.seconds else None
        self.codes = {}
        self.sums = {name: [0, 0, 0.0] for name in self.seeds}  # files, faults, worst seconds
        self.here = threading.local()  # each worker has a server of its own

    def server(self):
        if self.args.serve and not hasattr(self.here, "server"):
            self.here.server = sandbox.Server(self.program)
        return getattr(self.here, "server", None)

    def line(self, name, number):
        """Commands in turn; PDF and workbooks, which take ten times as long, in one of eight rounds."""
        lines = LINES.get(name, TRACE_LINES)
        line = lines[number % len(lines)]
        slow = "pdf" in line or "xlsx" in line
        return lines[0] if slow and self.args.serve and number // len(lines) % 8 else line

    def extra_seed(self, number):
        seed = self.extra[number % len(self.extra)]
        return seed, "a" + os.path.splitext(seed)[1]

    def one(self, name, number):
        """Makes and tries one file; what is wrong, as texts, or None when time is up."""
        if self.stop and time.monotonic() > self.stop:
            return None
        r = random.Random(f"{self.args.seed}/{name}/{number}")
        place = tempfile.mkdtemp(dir=self.scratch)
        seed, ending = (self.seeds[name], FORMATS[name]) if name != "extra" else self.extra_seed(number)
        path = mutant(r, seed, os.path.join(place, ending), name != "extra")
        words = [w.replace("{sound}", self.sound) for w in self.line(name, number).split()]
        line = commands.Line(words, raw="--csv" in words)
        try:
            o, wrong = sandbox.attempt(self.program, self.item, [path], line, self.scratch,
                                       self.args.sanitized, self.server())
        except (OSError, ValueError) as e:  # the server is gone
            o, wrong = sandbox.Outcome(), [f"the server ends: {e}"]
            o.code, o.cpu_s = None, 0
            del self.here.server
        if o.code == 1 and "--fail-on" not in words and words[0] != "verify":
            wrong.append("exit code 1 without a gate")
        self.codes[o.code] = self.codes.get(o.code, 0) + 1
        sums = self.sums[name]
        self.sums[name] = [sums[0] + 1, sums[1] + bool(wrong), max(sums[2], o.cpu_s)]
        if wrong or self.args.keep:
            kept = os.path.join(self.keep, f"{name}-{number}")
            shutil.rmtree(kept, ignore_errors=True)
            shutil.move(place, kept)
        shutil.rmtree(place, ignore_errors=True)
        return [f"{name} {number}: gpusight {line}: {w}" for w in wrong]

    def run(self):
        first, count = self.args.start, self.args.files
        todo = [(name, n) for n in range(first, first + count) for name in self.seeds]
        failed = done = 0
        with concurrent.futures.ThreadPoolExecutor(self.args.workers) as pool:
            for texts in pool.map(lambda x: self.one(*x), todo):
                done += texts is not None
                if texts is not None and done % 5000 == 0:
                    print(f"# {done} files, {failed} faults", flush=True)
                for text in texts or []:
                    failed += 1
                    print("not ok -", text, flush=True)
        shutil.rmtree(self.scratch, ignore_errors=True)
        if failed or self.args.keep:
            print(f"# kept in {self.keep}")
        else:
            os.rmdir(self.keep)
        for name, (files, faults, worst_s) in self.sums.items():
            if self.args.table:
                print(f"# {name}: {files} files, {faults} faults, {worst_s:.2f} s at most")
        print(f"# {done} files of {len(self.seeds)} formats, exit codes {dict(sorted(self.codes.items(), key=str))}"
              f", {failed} faults")
        return 1 if failed or not done else 0


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("program")
    args.add_argument("--files", type=int, default=30, help="how many a format")
    args.add_argument("--from", type=int, default=0, dest="start", help="the first number")
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--seconds", type=float, default=0, help="stop after as long")
    args.add_argument("--format", default="", choices=["", *FORMATS])
    args.add_argument("--sanitized", action="store_true")
    args.add_argument("--serve", action="store_true", help="PROGRAM is tests/hostile/serve")
    args.add_argument("--extra", default="", help="a folder with more to change")
    args.add_argument("--table", action="store_true", help="what came of each format")
    args.add_argument("--workers", type=int, default=2)
    args.add_argument("--keep", default="")
    args = args.parse_args()
    args.sanitized |= args.serve
    seeds.set_program(args.program)
    return Mutator(args).run()


if __name__ == "__main__":
    sys.exit(main())
