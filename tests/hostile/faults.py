#!/usr/bin/env python3
"""Commands that write, on a system that fails: at each call to write, sync, rename, close, open or read.

    faults.py PROGRAM FAULTS.so                  some calls of each kind for each command, for the suite
    faults.py PROGRAM FAULTS.so --points 0       each call of each kind
    faults.py PROGRAM FAULTS.so --only TEXT      only commands with this in them
    faults.py PROGRAM FAULTS.so --kinds kill     only these kinds: write,sync,name,close,open,read,size,
                                                 folder,kill,short,eintr,clock,threads,full

faults.c makes a call fail (ENOSPC from there on, or EIO once), ends the process there by SIGKILL, cuts what
is read and written in pieces, interrupts calls, and sets the clock wrong. Whatever happens: the right answer,
to the byte, or one clear line with the exit code of failing files; outputs are complete or not there, what
stood there before stays; nothing is left in the folder for temporary files or beside the input.
After SIGKILL a file may be left that says that it is unfinished; the next command removes it.
"""
import argparse
import concurrent.futures
import errno
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import sandbox
import seeds

KINDS = ["write", "sync", "name", "close", "open", "read", "size", "folder"]
ERRORS = {"write": [("+", errno.ENOSPC), ("", errno.EIO)], "sync": [("", errno.EIO)], "name": [("", errno.EIO)],
          "close": [("", errno.EIO)], "open": [("", errno.EMFILE), ("", errno.EACCES)], "read": [("", errno.EIO)],
          "size": [("+", errno.ENOSPC)], "folder": [("", errno.ENOSPC)]}
NOT_BEGUN = 97  # libc was loaded where faults.c cannot tell its calls; another start puts it elsewhere
UNFINISHED = re.compile(r"\.\d+\.tmp(-wal|-shm|-journal|/.*)?$")
INTERRUPTED = ("read", "write", "open", "sync", "size")
THREADS = (1, 2, 3, 7, 64, 256)

LINES = [
    "analyze {db} -o {out}/x.txt", "analyze {db} --json -o {out}/x.json", "analyze {db} -o {out}/x.html",
    "analyze {db} -o {out}/x.pdf", "analyze {job} -o {out}/x.md --charts {out}/charts",
    "analyze {gzdb} --json -o {out}/x.json", "analyze {nsys} --json -d {out}/named",
    "report {db} -o {out}/x.xlsx", "report {kineto} --csv-dir {out}/csv --kernel-details",
    "plot {db} --chart timeline -o {out}/x.png", "plot {db} --chart all -o {out}/charts",
    "compare {db} {nsys} --format html -o {out}/x.html --junit {out}/x.xml",
    "compare {db} {nsys} --format xlsx -o {out}/x.xlsx",
    "compare {db} {db} --save-baseline b --baseline-dir {out}/b", "history {db} {db} -o {out}/x.html",
    "summary {db} --by-domain --format csv -d {out}/sums", "plan {db} --format shell -o {out}/x.sh -- ./app",
    "whatif {db} --remove sync --json -o {out}/x.json", "ask {db} --question idle -o {out}/x.md",
    "verify {report} {db} --json -o {out}/x.json", "summary {job} --json",
    "query {db} select~*~from~kernels --format csv -o {out}/x.csv", "query {db} select~*~from~kernels -o {out}/x.html",
    "query {db} select~a.*~from~kernels~a,kernels~b,kernels~c~limit~6000 --json -o {out}/long.json",
    "query {db} select~a.*~from~kernels~a,kernels~b,kernels~c~limit~6000 --json",
    "convert {db} -f pftrace -o {out}/x", "convert {db} -f chrome,speedscope,folded -d {out} -o x",
    "convert {db} -f csv -d {out} -o x", "convert {kineto} -f rocpd -o {out}/x.db", "convert {db} -f otf2 -o {out}/x",
    "convert {job} -f pftrace --compress --per-rank -d {out} -o x",
    "trim {db} --window 10%..60% -o {out}/x.db", "trim {db} --window 10%..60% -o {out}/x.pftrace",
    "merge {job} -o {out}/x.db", "package {job} --copy -o {out}/p", "package {job} -o {out}/p",
    "anonymise {db} -o {out}/x.db --key {out}/key", "repair {damaged} -o {out}/x",
    "dump {db} --csv", "synth demo --set n=1 -o {out}/t.db --truth {out}/t.json",
    "synth demo --set n=1 --format kineto -o {out}/t.json", "synth demo --set n=1 --format nsys -o {out}/t.sqlite",
    "synth demo --set n=1 --format rocprofv3-json -o {out}/t_results.json", "synth mpi_job --set ranks=2 -o {out}/job/",
    "session export {session}/session.json -o {out}/x.html", "session show {session}/session.json --json",
    "session new --dry-run --source {source} --trace {db} --auto", "mcp {folder}", "run -d {out}/r --quiet-app -- {app}",
    "run -d {out}/r --json --repeat 2 --quiet-app -- {app}"]

# What they write has the time in it, or comes from programs that they start.
LOOSE = ("run ", "session new")
OWN_FOLDER = ("package", "run ")  # they write into no folder that has something in it


def inputs(folder):
    """The inputs of the lines, each in a folder of its own."""
    def at(name):
        os.makedirs(os.path.join(folder, "in"), exist_ok=True)
        return os.path.join(folder, "in", name)
    made = {"db": seeds.rocpd(at("a.db")), "nsys": seeds.nsys(at("b.sqlite")), "kineto": seeds.kineto(at("c.json")),
            "job": seeds.job(at("job")), "gzdb": at("d.db.gz"), "damaged": at("e.db"), "report": at("report.txt")}
    import gzip
    with open(made["db"], "rb") as f:
        data = f.read()
    seeds.write_text(made["gzdb"], gzip.compress(data, mtime=0))
    seeds.write_text(made["damaged"], data[:len(data) * 3 // 4])
    seeds.write_text(made["report"], "The GPU is busy 12.3 % of the time; 1,800 kernels.\n")
    made.update(session=seeds.session(at("session")), source=seeds.source_tree(at("source")), app=at("app"), folder=at("."))
    program_of(made["app"], "exit 0")
    os.makedirs(os.path.join(folder, "tools"))
    os.symlink(PROFILER, os.path.join(folder, "tools", "rocprofv3"))  # it goes by its name
    program_of(os.path.join(folder, "bin", "rocprofv3"), f'exec env -u LD_PRELOAD -u FAULTS -u FAULTS_COUNT STANDIN_GPUSIGHT='
               f'"{seeds._program}" {sys.executable} {folder}/tools/rocprofv3 "$@"')
    made["requests"] = at("requests.jsonl")
    calls = [("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}),
             ("tools/list", {}), ("tools/call", {"name": "hotspots", "arguments": {"trace": "a.db"}}),
             ("tools/call", {"name": "info", "arguments": {"trace": "b.sqlite"}})]
    seeds.write_text(made["requests"], "".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": m, "params": p}) + "\n"
                                               for i, (m, p) in enumerate(calls)))
    return made


PROFILER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch", "profiler.py")


def program_of(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    seeds.write_text(path, f"#!/bin/sh\n{text}\n")
    os.chmod(path, 0o755)


class Case:
    """One command line, run in a fresh place each time."""

    def __init__(self, options, line, paths, scratch):
        self.o, self.line, self.paths, self.scratch = options, line, paths, scratch
        self.whole = None

    def run(self, faults="any:0:0", before=None, words=(), **env):
        """before: {name: bytes} that stand in the place already."""
        place = tempfile.mkdtemp(dir=self.scratch)
        tmp = os.path.join(place, "tmp")
        os.makedirs(tmp)
        os.makedirs(os.path.join(place, "out"))
        for name, data in (before or {}).items():
            os.makedirs(os.path.dirname(os.path.join(place, name)), exist_ok=True)
            seeds.write_text(os.path.join(place, name), data)
        argv = [w.format(out="out", **self.paths).replace("~", " ") for w in self.line.split()]
        env = {"LD_PRELOAD": self.o.library, "FAULTS": faults, "FAULTS_COUNT": os.path.join(place, "counts"),
               "HOME": place, "XDG_STATE_HOME": place, "PATH": os.path.join(self.scratch, "bin") + ":" + os.environ["PATH"], **env}
        o = self.limited([argv[0], *words, *argv[1:]], place, tmp, env)
        with open(os.path.join(place, "counts"), "rb") as f:
            o.counts = dict(zip(KINDS + ["any"], struct.unpack("<9Q", f.read())))
        os.remove(os.path.join(place, "counts"))
        o.left = os.listdir(tmp)
        o.files, o.place = self.files_in(place), place
        return o

    def files_in(self, place):
        """{name: bytes}; of archives of OTF2, whose anchor has a random number, only that it is there."""
        return {os.path.relpath(p, place): b"anchor" if p.endswith(".otf2") and data[:4] != b"old " else data
                for p, data in sandbox.written(place) if not p.startswith(os.path.join(place, "tmp"))}

    def limited(self, words, place, tmp, env):
        argv = ["env", *(f"{k}={v}" for k, v in env.items()), self.o.program, "--threads", "2", *words]
        for _ in range(5):
            with open(self.paths["requests"] if self.line.startswith("mcp") else os.devnull, "rb") as given:
                o = sandbox.run(argv, place, tmp, wall_s=60, stdin=given)
            if o.code != NOT_BEGUN:
                break
        return o

    def clear(self, o):
        shutil.rmtree(o.place)
        return o

    def usual(self):
        self.whole = self.clear(self.run())
        return self.whole

    def same(self, o):
        if self.line.startswith(LOOSE):
            return o.code == self.whole.code and o.files.keys() == self.whole.files.keys()
        if self.line.startswith("mcp"):  # answers come when they are ready; a trace that cannot be read is an answer
            return o.code == 0 and o.out.count(b"\n") == self.whole.out.count(b"\n")
        return o.code == self.whole.code and o.out == self.whole.out and o.files == self.whole.files

    def told(self, o, codes=(3,)):
        """What is wrong with how a failure was told."""
        lines = o.err.decode(errors="replace").strip().split("\n")
        if o.late or o.code < 0:
            return [f"ends by signal {-o.code}"]
        if o.code not in codes:
            return [f"exit code {o.code}: {lines[-1][-200:]!r}"]
        said = [line for line in lines if line.startswith("gpusight: ") and not line.startswith("gpusight: warning")]
        return [] if len(said) == 1 and lines[-1] == said[0] else [f"says {lines[-3:]!r}"]

    def fault(self, kind, n, after, code):
        """One call fails."""
        again = n % 2 and not self.line.startswith(OWN_FOLDER)
        old = {name: b"old " + name.encode() for name in self.whole.files} if again else {}
        o = self.clear(self.run(f"{kind}:{n}{after}:{code}", old))
        wrong = [f"leaves {o.left[:3]} in the folder for temporary files"] if o.left else []
        if self.same(o) or (kind == "read" and o.code == 0 and b"missing or damaged" in o.err):
            return wrong  # repair saves what can be read, and says what could not
        wrong += self.told(o, (3, 4) if self.line.startswith("repair") else (3,))  # which takes what it can read
        if o.files != old and not self.line.startswith("run"):  # what was recorded stays
            changed = sorted(f for f in o.files.keys() | old.keys() if o.files.get(f) != old.get(f))
            whole = all(o.files.get(f) == self.whole.files.get(f) for f in changed)
            wrong.append(f"leaves {changed[:4]} of {len(self.whole.files)}" + ("" if whole else ", not whole"))
        return wrong

    def kill(self, n):
        o = self.run(f"any:{n}:kill")
        wrong = [f"leaves {o.left[:3]} in the folder for temporary files"] if o.left else []
        for name, data in o.files.items():
            if not UNFINISHED.search(name) and data != self.whole.files.get(name) and not self.line.startswith(LOOSE):
                wrong.append(f"leaves {name}, which is not whole")
        return wrong + self.again(o)

    def again(self, killed):
        """The same command in the same place: as if nothing had been."""
        argv = [w.format(out="out", **self.paths).replace("~", " ") for w in self.line.split()]
        env = {"HOME": killed.place, "XDG_STATE_HOME": killed.place,
               "PATH": os.path.join(self.scratch, "bin") + ":" + os.environ["PATH"]}
        o = self.limited(argv, killed.place, os.path.join(killed.place, "tmp"), env)
        files = self.files_in(killed.place)
        shutil.rmtree(killed.place)
        if self.line.startswith(OWN_FOLDER) and o.code == 2:
            return []  # there is something; twice is refused
        if o.code != self.whole.code:
            return [f"and once more: exit code {o.code}: {o.err[-200:]!r}"]
        if self.line.startswith(LOOSE):
            return []
        different = sorted(f for f in files.keys() | self.whole.files.keys() if files.get(f) != self.whole.files.get(f))
        return [f"and once more: {different[:3]} differ"] if different else []

    def equal(self, **how):
        o = self.clear(self.run(**how))
        if self.same(o):
            return []
        different = sorted(f for f in o.files.keys() | self.whole.files.keys() if o.files.get(f) != self.whole.files.get(f))
        return [f"exit code {o.code}, {different[:3]} differ: {o.err.decode(errors='replace')[-200:]!r}"]

    def points(self, count):
        """Which calls: all, or some spread over them, the last among them."""
        most = self.o.points
        return range(1, count + 1) if not most or count <= most else sorted(
            {1 + (count - 1) * (i + 1) // most for i in range(most)})

    def check(self):
        whole, wrong, done = self.usual(), [], 0
        if whole.code not in (0, 1) or whole.left:
            return 1, [f"gpusight {self.line}: exit code {whole.code}: {whole.err[-300:]!r} {whole.left}"]
        for what, faults in self.tries():
            done += 1
            wrong += [f"gpusight {self.line}: {what}: {f}" for f in faults]
        return done, wrong

    def interruptible(self):
        """Other libraries than SQLite give up when a signal interrupts them."""
        if self.line.startswith("run"):  # so are the programs that it starts
            return ()
        theirs = any(end in self.line for end in (".pdf", ".png", "otf2", "kineto -o", "rocprofv3-json"))
        return ("sync", "size") if theirs else INTERRUPTED

    def tries(self):
        kinds, counts = self.o.kinds, self.whole.counts
        for kind in KINDS:
            for n in self.points(counts[kind]) if kind in kinds else ():
                for after, code in ERRORS[kind]:
                    yield f"{kind} {n} of {counts[kind]}: {errno.errorcode[code]}", self.fault(kind, n, after, code)
        for n in self.points(counts["any"]) if "kill" in kinds else ():
            yield f"killed at call {n} of {counts['any']}", self.kill(n)
        if "short" in kinds:
            yield "all read and written in parts", self.equal(faults="any:0:short")
        for kind in self.interruptible() if "eintr" in kinds else ():
            yield f"every second {kind} interrupted", self.equal(faults=f"{kind}:0:eintr")
        for off in (-10**10, 10**9, 10**11) if "clock" in kinds else ():
            yield f"clock {off} s off", self.equal(FAULTS_CLOCK=str(off))
        for n in THREADS if "threads" in kinds else ():
            yield f"{n} threads", self.equal(words=["--threads", str(n)])


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("program")
    args.add_argument("library")
    args.add_argument("--points", type=int, default=1, help="calls of a kind; 0: all")
    args.add_argument("--only", default="")
    args.add_argument("--kinds", default=",".join(KINDS + ["kill", "short", "eintr", "clock", "threads"]))
    args.add_argument("--every", type=int, default=1, help="only every so many-th command, for the suite")
    args.add_argument("--jobs", type=int, default=2)
    options = args.parse_args()
    options.program, options.library = map(os.path.abspath, (options.program, options.library))
    options.kinds = options.kinds.split(",")
    seeds.set_program(options.program)
    scratch = tempfile.mkdtemp(prefix="faults-")
    paths = inputs(scratch)
    inside = os.path.join(scratch, "in")
    before = sandbox.snapshot(inside), sandbox.contents(inside)
    cases = [Case(options, line, paths, scratch) for line in LINES[::options.every] if options.only in line]
    done = failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for n, texts in pool.map(Case.check, cases):
            done += n
            for text in texts:
                failed += 1
                print("not ok -", text, flush=True)
    if (sandbox.snapshot(inside), sandbox.contents(inside)) != before:
        failed += 1
        print("not ok - an input was changed, or something stands beside it")
    shutil.rmtree(scratch, ignore_errors=True)
    print(f"# {done} faults in {len(cases)} commands, {failed} of them not borne")
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main())
