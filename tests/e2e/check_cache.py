#!/usr/bin/env python3
"""The cache of loaded traces: same results with it, and nothing wrong in it is ever believed.

    check_cache.py --gpusight build/src/cli/gpusight [--all] [--traces DIR]

--all cuts and flips the small entry at every byte instead of at some; --traces takes every trace
below a folder through the cache as well.
"""
import argparse
import glob
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
from sqlite_log import write_log  # noqa: E402

HEADER = struct.Struct("<16sQQQQQQ")
MASK = (1 << 64) - 1
FACTOR = 0x9FB21C651E98DF25
PIECE = 1 << 20

failures = 0
args = None


def check(what, good, detail=""):
    global failures
    failures += not good
    if not good or args.verbose:
        print(f"{'ok' if good else 'not ok'} - {what}{': ' + str(detail) if detail and not good else ''}", flush=True)


def run(*words, fails=False, **more):
    done = subprocess.run([args.gpusight, "-v", *words], capture_output=True, timeout=300, **more)
    if not fails and done.returncode:
        sys.exit(f"{' '.join(words)}: exit {done.returncode}: {done.stderr.decode()}")
    return done


def hit(done):
    return b"taken from the cache" in done.stderr


def kept(done):
    return b"kept in the cache: '" in done.stderr and b"not kept" not in done.stderr


def entries(cache):
    return sorted(glob.glob(os.path.join(cache, "*.columns")))


# ---- the checksums, as sum.c has them


def mix(x):
    x ^= x >> 32
    x = x * 0xD6E8FEB86659FD93 & MASK
    x ^= x >> 32
    x = x * 0xD6E8FEB86659FD93 & MASK
    return x ^ x >> 32


def checksum(data):
    n = len(data)
    lanes = [(i + 1) * FACTOR & MASK for i in range(8)]
    total = mix(n ^ FACTOR)
    for at in range(0, n // 64 * 64 + 64, 64):
        block = data[at:at + 64]
        for i in range(0, len(block), 8):
            w = int.from_bytes(block[i:i + 8], "little")
            h = (lanes[i // 8] ^ w) * FACTOR & MASK
            lanes[i // 8] = h ^ h >> 31
    for i, h in enumerate(lanes):
        total = (mix(total ^ h) + i) & MASK
    return total


class Entry:
    """A small entry (every column in one piece), to be changed and signed again."""

    def __init__(self, data):
        self.data = bytearray(data)
        (self.magic, self.fingerprint, self.bytes, self.small, self.small_sum, self.columns_at,
         self.own) = HEADER.unpack_from(data)

    def columns(self, sizes):
        """Where columns of these sizes lie, for tables of as many rows as the entry says."""
        at, piece, found = 0, 0, []
        end = HEADER.size + self.small
        pieces = sum(len(s) for s in sizes if s)
        numbers_at = end - 8 * pieces - 8 - 8 * len(sizes)
        rows = struct.unpack_from(f"<{len(sizes)}Q", self.data, numbers_at)
        # tables without rows have no pieces: look for the place where it all fits
        for skip in range(pieces + 1):
            numbers_at = end - 8 * (pieces - skip) - 8 - 8 * len(sizes)
            rows = struct.unpack_from(f"<{len(sizes)}Q", self.data, numbers_at)
            n = struct.unpack_from("<Q", self.data, numbers_at + 8 * len(sizes))[0] / 8
            if n == pieces - skip and sum(len(s) for s, r in zip(sizes, rows) if r) == n:
                break
        else:
            sys.exit("the entry is not laid out as this test thinks")
        for table, (columns, n) in enumerate(zip(sizes, rows)):
            for column, size in enumerate(columns):
                if not n:
                    continue
                at = (at + 63) // 64 * 64
                found.append((table, column, self.columns_at + at, n, size, piece))
                at += n * size
                piece += 1
        self.sums_at = end - 8 * piece
        return found

    def sign(self, column=None):
        if column:
            _, _, at, n, size, piece = column
            struct.pack_into("<Q", self.data, self.sums_at + 8 * piece,
                             checksum(bytes(self.data[at:at + n * size])))
        small = bytes(self.data[HEADER.size:HEADER.size + self.small])
        struct.pack_into("<16sQQQQQ", self.data, 0, self.magic, self.fingerprint, self.bytes,
                         self.small, checksum(small), self.columns_at)
        struct.pack_into("<Q", self.data, HEADER.size - 8, checksum(bytes(self.data[:HEADER.size - 8])))
        return bytes(self.data)


# sizes of the columns, as in model/trace.h; False: any value is fine, None: it is an index
TABLES = [
    ("kernels", [8, 8, 8, 4, 4, 4, 4, 4, 4]),
    ("copies", [8, 8, 8, 8, 4, 4, 4, 4, 4, 1, 1, 1]),
    ("allocations", [8, 8, 8, 8, 8, 4, 4, 4, 1, 1]),
    ("regions", [8, 8, 8, 4, 4, 1]),
    ("markers", [8, 8, 8, 4, 4, 4, 1]),
    ("counters", [8, 4, 4, 4]),
    ("samples", [8, 4, 4]),
    ("telemetry", [8, 8, 4]),
    ("pc_samples", [8, 8, 8, 8, 4, 4, 4, 4, 4, 4, 2, 2, 2, 1]),
    ("messages", [8, 4, 4]),
    ("syncs", [8, 4, 4, 4, 4, 1]),
]
ANY_VALUE = {("counters", 3), ("pc_samples", 4), ("messages", 2)}


# ---- same results


def same_results(folder):
    cache = os.path.join(folder, "same")
    traces = []
    for scenario in ("demo", "counters", "telemetry", "mpi_job", "hostile_names"):
        path = os.path.join(folder, scenario + ".db")
        run("synth", scenario, "-o", path)
        traces.append([path])
    for form, name in (("pftrace", "x.pftrace"), ("chrome", "x.json"), ("csv", "csv/x"), ("otf2", "otf2/x.otf2")):
        target = os.path.join(folder, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        done = run("convert", traces[0][0], "-f", form, "-o", target, fails=True)
        if done.returncode and form == "otf2" and b"libotf2" in done.stderr:
            continue
        check(f"convert to {form}", done.returncode == 0, done.stderr)
        made = target if os.path.isfile(target) else os.path.dirname(target)
        traces.append([made])
    traces.append([traces[0][0], traces[1][0]])
    for trace in traces:
        for number, words in enumerate((["analyze", "--json"], ["info", "--json"], ["dump", "--table", "kernels"],
                      ["summary"],
                      ["query", "--format", "csv", "select name, count(*), sum(duration) from kernels group by 1"],
                      ["analyze", "--json", "--memory", "128M"], ["analyze", "--json", "--window", "10%..50%"])):
            if number and trace is not traces[0] and not args.all:
                continue
            if words[0] == "dump" and len(trace) > 1:
                continue
            line = [*words, *trace] if words[0] != "query" else [*words[:-1], *trace, words[-1]]
            plain = run(*line, fails=True)
            check(f"{words} can be asked", plain.returncode in (0, 5), plain.stderr[-300:])
            for turn in range(2):
                done = run(*line[:1], "--cache", cache, *line[1:], fails=True)
                check(f"{words} of {[os.path.basename(t) for t in trace]}, time {turn}",
                      (plain.returncode, plain.stdout) == (done.returncode, done.stdout), done.stderr[-300:])
            if plain.returncode == 0:
                check(f"{words} of {trace} is taken from the cache", hit(done), done.stderr[-300:])
    whole = ["query", "--format", "csv", traces[0][0], "select * from rocpd_string"]
    texts = run(*whole).stdout
    check("texts", texts == run(*whole, "--cache", cache).stdout and b"hipMalloc" in texts and
          b"hunter2" not in texts)
    for entry in entries(cache):
        check("no secret is kept", b"hunter2" not in open(entry, "rb").read(), entry)
    for words in (["anonymise", "--key", "k"], ["trim", "--window", "10%..50%"], ["convert", "-f", "chrome"]):
        made = []
        for more in ([], ["--cache", cache]):
            target = os.path.join(folder, f"made-{len(made)}" + (".json" if words[0] == "convert" else ".db"))
            done = run(*words, *more, traces[0][0], "-o", target, fails=True)
            made.append((done.returncode, open(target, "rb").read() if os.path.isfile(target) else done.stderr))
        check(f"{words} writes the same", made[0] == made[1], [m[0] for m in made])
    once = run("compare", "--json", traces[0][0], traces[1][0], fails=True)
    again = run("compare", "--json", "--cache", cache, traces[0][0], traces[1][0], fails=True)
    check("compare", once.stdout == again.stdout and hit(again), again.stderr)
    env = dict(os.environ, GPUSIGHT_CACHE=cache)
    check("GPUSIGHT_CACHE", hit(run("info", traces[0][0], env=env)))
    check("reader of its own", not hit(run("info", "--reader=sqlite", "--cache", cache, traces[0][0])))
    boxed = run("info", "--sandbox=on", "--cache", os.path.join(folder, "box"), traces[0][0], fails=True)
    if boxed.returncode == 0:
        check("in the box it is kept", kept(boxed), boxed.stderr)
    for path in glob.glob(os.path.join(cache, "*")):
        check("only entries, for their owner", path.endswith(".columns") and
              os.stat(path).st_mode & 0o777 == 0o600, path)
    check("the folder is for its owner", os.stat(cache).st_mode & 0o777 == 0o700)


# ---- what has changed is noticed


def stale(folder):
    cache, path = os.path.join(folder, "stale"), os.path.join(folder, "s.db")
    run("synth", "one_kernel", "-o", path)

    def both(what, wanted_hit):
        done = run("info", "--json", "--cache", cache, path)
        check(what, hit(done) == wanted_hit, done.stderr)
        check(what + ": result", done.stdout == run("info", "--json", path).stdout)

    both("first", False)
    both("second", True)
    st = os.stat(path)
    os.utime(path, ns=(st.st_atime_ns, st.st_mtime_ns + 1000))
    both("touched", False)
    both("and again", True)
    at = os.path.getsize(path) - 10  # same size and times, another content
    st = os.stat(path)
    with open(path, "r+b") as f:
        f.seek(at)
        byte = f.read(1)
        f.seek(at)
        f.write(bytes([byte[0] ^ 1]))
    os.utime(path, ns=(st.st_atime_ns, st.st_mtime_ns))
    both("changed in place, times put back", False)
    with open(path, "r+b") as f:
        f.seek(at)
        f.write(byte)
    both("changed back", False)
    run("synth", "demo", "-o", path)
    both("another trace by that name", False)
    both("and again", True)
    shutil.copy2(path, path + ".new")
    os.replace(path + ".new", path)
    both("a copy by that name", False)
    with open(path + "-wal", "wb"):
        pass
    both("a log beside it", False)
    both("and again", True)
    os.unlink(path + "-wal")
    both("no log any more", False)
    csv = os.path.join(folder, "parts")
    os.makedirs(csv)
    run("convert", path, "-f", "csv", "-o", os.path.join(csv, "p"))
    parts = sorted(glob.glob(os.path.join(csv, "**", "*.csv"), recursive=True))
    shutil.move(parts[-1], os.path.join(folder, "away.csv"))
    run("info", "--cache", cache, csv)
    check("parts", hit(run("info", "--cache", cache, csv)))
    shutil.move(os.path.join(folder, "away.csv"), parts[-1])
    done = run("info", "--json", "--cache", cache, csv)
    check("a part more", not hit(done) and done.stdout == run("info", "--json", csv).stdout)


# ---- what is damaged is noticed


def linked(folder):
    """Logs lie beside what a link leads to."""
    target, link, cache = (os.path.join(folder, name) for name in ("target/t.db", "link.db", "cache-linked"))
    os.makedirs(os.path.dirname(target))
    run("synth", "demo", "-o", target)
    log = write_log(target)
    os.symlink("target/t.db", link)
    alone = run("dump", link).stdout
    run("dump", "--cache", cache, link)
    with open(target + "-wal", "wb") as f:
        f.write(log)
    if not os.geteuid():
        os.chown(target + "-wal", 1000, 1000)
    before = os.stat(target + "-wal")
    with_log = run("dump", link).stdout
    check("a log takes rows away", alone != with_log)
    check("a log beside what a link leads to", run("dump", "--cache", cache, link).stdout == with_log)
    check("and again", hit(run("dump", "--cache", cache, link)))
    after = os.stat(target + "-wal")
    check("the log stays as it is", (before.st_uid, before.st_ctime_ns) == (after.st_uid, after.st_ctime_ns))


def damaged(folder):
    cache, path = os.path.join(folder, "damaged"), os.path.join(folder, "d.db")
    run("synth", "one_kernel", "-o", path)
    time.sleep(0.05)
    right = run("info", "--json", path).stdout
    run("info", "--cache", cache, path)
    (entry,) = entries(cache)
    good = open(entry, "rb").read()

    def put(data):
        with open(entry, "wb") as f:
            f.write(data)

    def rebuilt(what):
        done = run("info", "--json", "--cache", cache, path, fails=True)
        check(what, done.returncode == 0 and not hit(done) and done.stdout == right, (done.returncode, done.stderr))
        now = open(entry, "rb").read()
        check(what + ": written anew", now == good)
        if now != good:
            put(good)

    rng = random.Random(18)
    some = range(len(good)) if args.all else sorted(set(
        [0, 1, 15, 16, 40, HEADER.size - 1, HEADER.size, len(good) - 1] +
        [rng.randrange(len(good)) for _ in range(25)]))
    for at in some:
        put(good[:at])
        rebuilt(f"cut at {at}")
    small = struct.unpack_from("<Q", good, 32)[0]
    columns_at = struct.unpack_from("<Q", good, 48)[0]
    unused = range(HEADER.size + small, columns_at)  # between the parts: nobody reads it
    for at in some:
        if at in unused or is_padding(good, at):
            continue
        put(good[:at] + bytes([good[at] ^ 1 << rng.randrange(8)]) + good[at + 1:])
        rebuilt(f"bit flipped at {at}")
    put(good + b"\0")
    rebuilt("one byte more")
    put(b"")
    rebuilt("empty")
    e = Entry(good)
    e.fingerprint ^= 1
    put(e.sign())
    rebuilt("of another version")
    put(good)
    os.chmod(entry, 0o666)
    done = run("info", "--json", "--cache", cache, path)
    check("that others can write", not hit(done) and done.stdout == right)
    os.unlink(entry)
    run("info", "--cache", cache, path)
    os.rename(entry, entry + "x")
    os.symlink(entry + "x", entry)
    done = run("info", "--json", "--cache", cache, path)
    check("a link", not hit(done) and done.stdout == right)
    other = os.path.join(folder, "d2.db")
    run("synth", "demo", "-o", other)
    run("info", "--cache", cache, other)
    mine = [x for x in entries(cache) if x != entry][0]
    os.unlink(entry)
    shutil.copy(mine, entry)
    os.chmod(entry, 0o600)
    done = run("info", "--json", "--cache", cache, path)
    check("of another trace", not hit(done) and done.stdout == right)


def is_padding(data, at):
    """Between columns: known by the columns' own places."""
    e = Entry(data)
    if at < e.columns_at:
        return False
    return not any(a <= at < a + n * size for _, _, a, n, size, _ in e.columns([s for _, s in TABLES]))


# ---- what is forged does no harm


def forged(folder):
    cache = os.path.join(folder, "forged")
    for scenario in ("demo",) + (("counters", "telemetry", "mpi_job") if args.all else ()):
        path = os.path.join(folder, f"forged_{scenario}.db")
        text = scenario if scenario != "demo" else os.path.join(folder, "small.trace")
        if scenario == "demo":
            with open(text, "w") as f:
                f.write("gpu MI300X\nkernel k dur=5us\nmalloc size=1MiB name=a\nmarker range \"m\" {\nloop 3 {\nlaunch k\n"
                        "copy h2d size=1MiB\n}\n}\nsync\n")
        done = run("synth", text, "-o", path, fails=True)
        if done.returncode:
            sys.exit(done.stderr.decode())
        shutil.rmtree(cache, ignore_errors=True)
        time.sleep(0.05)
        right = run("info", "--json", path).stdout
        run("info", "--cache", cache, path)
        (entry,) = entries(cache)
        good = open(entry, "rb").read()
        same = Entry(good)
        columns = same.columns([s for _, s in TABLES])
        check("signing is understood", same.sign(columns[0]) == good)
        for column in columns:
            table, number, at, n, size, _ = column
            name = TABLES[table][0]
            if n * size > PIECE or size == 2:
                continue
            for value, must_see in ((b"\xff" * size, size == 1), (b"\xfe\xff\xff\x7f"[:size] if size <= 4 else b"\xff" * 7 + b"\x7f", True)):
                e = Entry(good)
                e.columns([s for _, s in TABLES])
                e.data[at:at + size] = value
                with open(entry, "wb") as f:
                    f.write(e.sign(column))
                for words in (["analyze", "--json"], ["info", "--json"]):
                    done = run(*words, "--cache", cache, path, fails=True)
                    check(f"forged {name} column {number}: {words[0]}", done.returncode in (0, 5), (done.returncode, done.stderr[-200:]))
                    if must_see and size < 8 and (name, number) not in ANY_VALUE and words[0] == "analyze":
                        check(f"forged {name} column {number} is seen", not hit(done))
        del right


# ---- folders, disks, company


def folders(folder):
    path = os.path.join(folder, "o.db")
    run("synth", "one_kernel", "-o", path)
    open_to_all = os.path.join(folder, "open")
    os.mkdir(open_to_all)
    os.chmod(open_to_all, 0o777)
    done = run("info", "--cache", open_to_all, path, fails=True)
    check("a folder for all is refused", done.returncode == 3 and b"others can write" in done.stderr, done.stderr)
    done = run("info", "--cache", path, path, fails=True)
    check("a file is no folder", done.returncode == 3, done.stderr)
    deep = os.path.join(folder, "a", "b", "c")
    run("info", "--cache", deep, path)
    check("folders are made", len(entries(deep)) == 1)
    full = os.path.join(folder, "full")
    os.mkdir(full, 0o700)
    done = run("info", "--json", "--cache", full, path,
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    check("a full disk is a warning", b"not kept in the cache" in done.stderr and
          done.stdout == run("info", "--json", path).stdout, done.stderr)
    check("and leaves nothing", os.listdir(full) == [])
    if os.geteuid() != 0:
        os.chmod(full, 0o500)
        done = run("info", "--json", "--cache", full, path)
        check("a folder to read only is a warning", b"not kept in the cache" in done.stderr, done.stderr)
        os.chmod(full, 0o700)
    else:
        foreign = os.path.join(folder, "foreign")
        os.mkdir(foreign)
        os.chown(foreign, 12345, 12345)
        done = run("info", "--cache", foreign, path, fails=True)
        check("a folder of another user is refused", done.returncode == 3, done.stderr)
    shared = os.path.join(folder, "shared")
    many = [subprocess.Popen([args.gpusight, "info", "--json", "--cache", shared, path], stdout=subprocess.PIPE)
            for _ in range(8)]
    out = {p.communicate()[0] for p in many}
    check("eight at once", len(out) == 1 and not any(p.returncode for p in many))
    check("leave one entry", os.listdir(shared) == [os.path.basename(e) for e in entries(shared)] and
          len(entries(shared)) == 1, os.listdir(shared))
    check("which holds", hit(run("info", "--cache", shared, path)))
    check("the list names it", path.encode() in run("cache", shared).stdout)
    keep = os.path.join(shared, "mine.txt")
    open(keep, "w").close()
    run("cache", "--clear", shared)
    check("cleared, but for what is not ours", os.listdir(shared) == ["mine.txt"])
    run("info", "--cache", shared, path)
    run("cache", "--keep", "1K", shared)
    check("pruned", entries(shared) == [])


def cut_in_use(folder):
    """An entry that is cut while a command has it mapped: one line, and the exit code of files."""
    cache, path = os.path.join(folder, "cut"), os.path.join(folder, "c.db")
    run("synth", "bench", "--set", "n=20000", "-o", path)
    run("info", "--cache", cache, path)
    (entry,) = entries(cache)
    done = subprocess.Popen([args.gpusight, "dump", "--table", "regions", "--cache", cache, path],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    done.stdout.read(1000)  # it has begun, and waits for us
    os.truncate(entry, 5000)
    out, err = done.communicate()
    check("an entry that is cut in use", done.returncode == 3 and err.count(b"\n") == 1, (done.returncode, len(out), err))
    check("is noticed", not hit(run("info", "--cache", cache, path)))


def real(folder):
    cache, n = os.path.join(folder, "real"), 0
    for at, _, names in sorted(os.walk(args.traces)):
        for name in sorted(names):
            path = os.path.join(at, name)
            plain = run("analyze", "--json", path, fails=True)
            if plain.returncode:
                continue
            for turn in range(2):
                done = run("analyze", "--json", "--cache", cache, path, fails=True)
                check(f"{path}, time {turn}", done.stdout == plain.stdout, done.stderr[-300:])
            n += hit(done)
    print(f"{n} traces of '{args.traces}'")


def main():
    global args
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--traces")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    os.environ.pop("GPUSIGHT_CACHE", None)
    os.umask(0o022)
    with tempfile.TemporaryDirectory() as folder:
        for part in (same_results, stale, linked, damaged, forged, folders, cut_in_use):
            part(folder)
        if args.traces:
            real(folder)
    print(f"{failures} failures")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
