#!/usr/bin/env python3
"""Runs commands of gpusight on hostile inputs and looks at everything that comes of it.

    run.py PROGRAM                 each input with some commands, some inputs with each: for the suite
    run.py PROGRAM --all           every input with every command
    run.py PROGRAM --only TEXT     inputs whose name holds TEXT, with every command; --without leaves out
    run.py PROGRAM --each N        each input with N commands
    run.py PROGRAM --times         says which inputs took most processor time
    run.py PROGRAM --sanitized     the program is built with sanitizers: memory is not judged
    run.py PROGRAM --every N --from I  every N-th input from the I-th on: a share of the whole
    run.py PROGRAM --extra FOLDER  inputs that lie in a folder too, one an entry; may be repeated

Whatever the input: an exit code that is documented, within seconds, below a gigabyte, without a
signal, a control character, markup or a secret in what is printed and written; no input changes and
nothing appears beside it. commands.py has the commands, hostile.py the inputs.
"""
import argparse
import concurrent.futures
import os
import shutil
import sys
import tarfile
import tempfile

import commands
import hostile
import sandbox
import seeds

ROTATE = 7    # commands an input in the short form
CORE = ["sound_rocpd", "sound_nsys", "sound_kineto", "escapes_kineto", "far_times_rocpd"]
WORKERS = 2


class Extra:
    """An input that lies in a folder."""
    kind, forbidden, secret, heavy, doc = "trace", None, None, True, ""
    sound = damaged = apart = False

    def __init__(self, path):
        self.name, self.path = os.path.basename(path), path
        if self.name.endswith(".trace"):
            self.kind = "description"

    def make(self, folder):
        os.makedirs(folder)
        if self.name.endswith(".tar.gz"):
            with tarfile.open(self.path) as t:
                t.extractall(folder)
            self.kind = "att"
            return [os.path.join(folder, sorted(os.listdir(folder))[0])]
        copy = os.path.join(folder, self.name)
        (shutil.copytree if os.path.isdir(self.path) else shutil.copyfile)(self.path, copy)
        return [copy]


def extras(folder):
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name == "ubsan":
            yield from extras(path)
        elif not name.endswith((".py", ".md")):
            yield Extra(path)


# What once went wrong, by input: beginnings of command lines.
ALWAYS = {
    "db_computed_columns": ["repair"],
    "zst_frames": ["repair"],
    "perfetto_sequences": ["analyze {in} --json"],
    "xplane_long_name": ["report {in} -o {out}/x.xlsx --kernel-details", "query {in} select * from gaps"],
    "cost_many_streams": ["verify {one} {in} --kind csv --json"],
    "escapes_path": ["session new"],
    "secrets": ["merge"],
    "many_names": ["verify {one} {in} --kind markdown"],
    "flood_correlations": ["verify {one} {in} --kind json", "verify {one} {in} --kind csv"],
    "long_spans": ["convert {in} -f folded", "analyze {in} --json"],
    "bomb_allowed": ["analyze {in} --json"],
    "db_many_processes_of_nsys": ["verify {one} {in} --kind markdown"],
    "rocpd_marker_names": ["analyze {in} --json", "dump {in}", "convert {in} -f otf2"],
}


def lines_for(item, made):
    """The command lines that an input can be given to."""
    lines = [] if item.kind in commands.ONLY_KIND else [
        line for name, of in made.items() if not name.startswith("(") for line in of]
    return lines + made.get(f"({item.kind})", [])


def choose(items, made, everything, each=0):
    """{name of an input: its command lines}"""
    chosen, turn = {}, 0
    for item in items:
        lines = lines_for(item, made)
        if not everything and (each or item.name not in CORE):
            n = min(len(lines), each or (3 if item.heavy else ROTATE))
            step = max(1, len(lines) // n)
            known = [line for line in lines if any(str(line).startswith(w) for w in ALWAYS.get(item.name, []))]
            lines = [lines[(turn + i * step) % len(lines)] for i in range(n)]
            lines += [line for line in known if line not in lines]
            turn += 1
        chosen[item.name] = lines
    return chosen


class Runner:
    def __init__(self, program, sanitized):
        self.program, self.sanitized = program, sanitized
        self.scratch = tempfile.mkdtemp(prefix="hostile-")
        self.failed, self.done = 0, 0
        self.cpu_s, self.worst = {}, [(0, ""), (0, "")]  # by input; the longest, the largest

    def run_item(self, item, lines):
        """All lines on one input; texts of what is wrong."""
        folder = os.path.join(self.scratch, item.name)
        paths = item.make(folder)
        before, bytes_before = sandbox.snapshot(folder), sandbox.contents(folder)
        wrong = []
        groups = [[p] for p in paths] if item.apart else [paths]
        for line, given in ((line, given) for line in lines for given in groups):
            outcome, faults = sandbox.attempt(self.program, item, given, line, self.scratch,
                                              self.sanitized)
            self.cpu_s[item.name] = self.cpu_s.get(item.name, 0) + outcome.cpu_s
            self.worst[0] = max(self.worst[0], (outcome.cpu_s, f"{item.name}: {line}"))
            self.worst[1] = max(self.worst[1], (outcome.peak_mb, f"{item.name}: {line}"))
            after = sandbox.snapshot(folder)
            if after != before:
                changed = {p for p in before.keys() | after.keys() if before.get(p) != after.get(p)}
                faults.append(f"changes its input: {sorted(changed)[:3]}")
                before = after
            wrong += [f"{item.name}: gpusight {line}: {f}" for f in faults]
            self.done += 1
        if sandbox.contents(folder) != bytes_before:
            wrong.append(f"{item.name}: the bytes of the input have changed")
        shutil.rmtree(folder)
        return wrong

    def run(self, items, chosen):
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            jobs = [pool.submit(self.run_item, i, chosen[i.name]) for i in items]
            for job in concurrent.futures.as_completed(jobs):
                for text in job.result():
                    self.failed += 1
                    print("not ok -", text, flush=True)
        shutil.rmtree(self.scratch, ignore_errors=True)


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("program")
    args.add_argument("--all", action="store_true")
    args.add_argument("--only", default="")
    args.add_argument("--without", action="append", default=[])
    args.add_argument("--each", type=int, default=0)
    args.add_argument("--every", type=int, default=1, help="only every so many-th input, for the suite")
    args.add_argument("--from", type=int, default=0, dest="first", help="... beginning with this one")
    args.add_argument("--part", default="0/1", help="I/N: of an input's lines every N-th, beginning with line I")
    args.add_argument("--times", action="store_true")
    args.add_argument("--sanitized", action="store_true")
    args.add_argument("--extra", action="append", default=[])
    args = args.parse_args()
    program = os.path.abspath(args.program)
    seeds.set_program(program)
    items = [i for i in hostile.catalogue()]
    for folder in args.extra:
        items += list(extras(folder))
    items = [i for i in items if args.only in i.name and not any(w in i.name for w in args.without)]
    items = items[args.first::args.every]
    made = commands.by_command(program)
    chosen = choose(items, made, args.all or (args.only and not args.each), args.each)
    first, step = map(int, args.part.split("/"))
    chosen = {name: lines[first::step] for name, lines in chosen.items()}
    runner = Runner(program, args.sanitized)
    heavy_first = sorted(items, key=lambda i: not i.heavy)
    runner.run(heavy_first, chosen)
    if args.times:
        for name in sorted(runner.cpu_s, key=runner.cpu_s.get, reverse=True)[:20]:
            print(f"# {runner.cpu_s[name]:6.1f} s {name}")
    print("# longest {:.1f} s ({}), largest {:.0f} MB ({})".format(*runner.worst[0], *runner.worst[1]))
    print(f"# {runner.done} commands on {len(items)} inputs, {runner.failed} faults")
    return 1 if runner.failed or not runner.done else 0


if __name__ == "__main__":
    sys.exit(main())
