"""Runs one command line under limits and says what is wrong with what came of it."""
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import threading

CPU_S, WALL_S = 15, 120    # processor time is judged, since machines are busy; the wall for hangs
MEMORY_MB = 1000
ADDRESS_KB = 4000000
FILE_BLOCKS = 4000000      # of 512 bytes: nobody's disk is filled
CODES = (0, 1, 2, 3, 4, 5)

CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xaa-\xae]"
                     rb"|\xe2\x81[\xa6-\xa9]|\xd8\x9c")
INJECTED = re.compile(rb"<(?:img|svg|iframe|script)\b[^>]{0,200}(?:onerror|onload|__pwned)"
                      rb"|<script>\s*window\.__pwned|<!--<script", re.I)
MARKUP = (".html", ".htm", ".svg", ".xml")


def snapshot(folder):
    """Everything in a folder: kind, identity, size and time of change."""
    found = {}
    for at, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(at, name)
            s = os.lstat(path)
            link = os.readlink(path) if stat.S_ISLNK(s.st_mode) else ""
            size = 0 if stat.S_ISDIR(s.st_mode) else s.st_size
            found[path] = (stat.S_IFMT(s.st_mode), s.st_ino, size, s.st_mtime_ns, link)
    return found


def contents(folder):
    """The bytes of all files, as one number each."""
    import zlib
    found = {}
    for path, facts in snapshot(folder).items():
        if facts[0] == stat.S_IFREG:
            with open(path, "rb") as f:
                found[path] = zlib.crc32(f.read())
    return found


class Outcome:
    pass


def run(argv, cwd, tmp, sanitized=False, wall_s=WALL_S, address_kb=ADDRESS_KB, **more):
    """Runs argv to its end or its limit. Standard output and error go through files."""
    o = Outcome()
    limits = f"ulimit -t {2 * CPU_S * (6 if sanitized else 1)}; ulimit -f {FILE_BLOCKS}; " + ("" if sanitized else f"ulimit -v {address_kb}; ")
    env = dict(os.environ, TMPDIR=tmp, LC_ALL="C.UTF-8", **more.pop("env", {}))
    env.pop("MALLOC_PERTURB_", None)  # touches what nobody else does: memory is measured here
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        p = subprocess.Popen(["sh", "-c", limits + 'exec "$0" "$@"', *argv], cwd=cwd, stdout=out,
                             stderr=err, stdin=more.pop("stdin", subprocess.DEVNULL), env=env, **more)
        late = []
        timer = threading.Timer(wall_s, lambda: (late.append(1), p.kill()))
        timer.start()
        _, status, usage = os.wait4(p.pid, 0)
        timer.cancel()
        p.returncode = os.waitstatus_to_exitcode(status)
        o.code, o.late = p.returncode, bool(late)
        o.cpu_s, o.peak_mb = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
        out.seek(0)
        err.seek(0)
        o.out, o.err = out.read(1 << 28), err.read(1 << 24)
    return o


class Server:
    """A program that was started once and runs command lines (serve.c)."""

    def __init__(self, program):
        env = dict(os.environ, LC_ALL="C.UTF-8")
        self.process = subprocess.Popen([program, "--serve"], stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.PIPE, env=env)

    def run(self, argv, cwd, tmp):
        """The same as run() below limits for sanitizers."""
        o = Outcome()
        words = [cwd, tmp, str(12 * CPU_S), "--threads", "2", *argv]  # the cores have other servers
        self.process.stdin.write("\x1f".join(words) + "\n")
        self.process.stdin.flush()
        status, cpu_ms, peak_kb = map(int, self.process.stdout.readline().split())
        o.code, o.late = os.waitstatus_to_exitcode(status), False
        o.cpu_s, o.peak_mb = cpu_ms / 1000, peak_kb / 1024
        o.out, o.err = (open(tmp + end, "rb").read(1 << 28) for end in (".stdout", ".stderr"))
        return o

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def written(folder):
    """(path, bytes) of the files that a command wrote."""
    for at, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(at, name)
            if stat.S_ISREG(os.lstat(path).st_mode):
                with open(path, "rb") as f:
                    yield path, f.read(1 << 28)


def faults(o, line, item, out, sanitized=False):
    """What is wrong with an outcome, as texts."""
    wrong = []
    if o.late:
        wrong.append(f"does not end within {WALL_S} s")
    elif o.code < 0:
        wrong.append(f"ends by {signal.Signals(-o.code).name}")
    elif o.code not in CODES and not (o.code == 6 and "--llm" in line.words):
        wrong.append(f"exit code {o.code}: {o.err[-300:]!r}")
    elif item.sound and o.code and not line.refused:
        wrong.append(f"exit code {o.code} for a sound input: {o.err[-300:]!r}")
    elif item.damaged and not o.code and not line.refused:
        wrong.append("takes a damaged input for a sound one")
    if o.cpu_s > CPU_S * (6 if sanitized else 1):
        wrong.append(f"{o.cpu_s:.1f} s of processor time")
    if o.peak_mb > MEMORY_MB and not sanitized:
        wrong.append(f"{o.peak_mb:.0f} MB of memory")
    if re.search(rb"Sanitizer|runtime error:", o.err):
        wrong.append("sanitizer: " + o.err[-1500:].decode(errors="replace"))
    if o.code > 1 and not o.err:
        wrong.append(f"exit code {o.code} without a message")
    for name, text in (("output", b"" if line.raw else o.out), ("errors", o.err)):
        found = CONTROL.search(text)
        if found:
            at = found.start()
            wrong.append(f"control characters in its {name}: {text[max(0, at - 30):at + 30]!r}")
    return wrong + faults_of_files(o, line, item, out)


def faults_of_files(o, line, item, out):
    wrong = []
    if item.forbidden and item.forbidden in o.out + o.err:
        wrong.append(f"prints {item.forbidden!r}")
    for path, data in written(out):
        if path.lower().endswith(MARKUP) or data[:200].lstrip()[:9].lower() in (b"<!doctype", b"<svg xmln"):
            found = INJECTED.search(data)
            if found:
                wrong.append(f"markup of the input in {os.path.basename(path)}: {found.group(0)[:80]!r}")
        if item.forbidden and item.forbidden in data and item.secret not in line.copies:
            wrong.append(f"writes {item.forbidden!r} to {os.path.basename(path)}")
        if path.endswith(".tmp"):
            wrong.append(f"leaves {os.path.basename(path)}")
    return wrong


def attempt(program, item, paths, line, scratch, sanitized=False, server=None):
    """One command line on one input; (outcome, what is wrong)."""
    place = tempfile.mkdtemp(dir=scratch)
    out, tmp = os.path.join(place, "room", "out"), os.path.join(place, "tmp")
    os.makedirs(out)
    os.makedirs(tmp)
    try:
        room, argv = os.path.join(place, "room"), line.argv(paths, out)
        o = server.run(argv, room, tmp) if server else run([program, *argv], room, tmp, sanitized)
        wrong = faults(o, line, item, os.path.join(place, "room"), sanitized)
        if os.listdir(tmp):
            wrong.append(f"leaves {os.listdir(tmp)} in the folder for temporary files")
        others = set(os.listdir(place)) - {"room", "tmp", "tmp.stdout", "tmp.stderr"}
        if others:
            wrong.append(f"writes outside of its folder: {sorted(others)}")
        return o, wrong
    finally:
        shutil.rmtree(place, ignore_errors=True)
