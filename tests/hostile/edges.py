#!/usr/bin/env python3
"""Where commands end: what is too much is refused with advice, at once; what must go along goes along.

    edges.py PROGRAM [FOLDER]    FOLDER is for what is written, outside of the folders for temporary
                                 files, so that the box is tried, too; by default this one
"""
import csv
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import seeds

PROGRAM = None
SMALL_TMP = 256  # KiB


def run(*words, timeout=300, **more):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=timeout, check=False, **more)


def expect(what, condition, done=None):
    if not condition:
        text = f": exit code {done.returncode}: {done.stdout[-200:]}{done.stderr[-300:]}" if done else ""
        raise AssertionError(what + text)


def count(path):
    done = run("query", path, "select count(*) from kernels", "--format", "csv")
    expect("kernels can be counted", done.returncode == 0, done)
    return int(done.stdout.split()[-1])


def left(folder):
    """Everything in the folder, below it too."""
    return sorted(os.path.relpath(os.path.join(at, f), folder) for at, dirs, files in os.walk(folder)
                  for f in files + dirs)


def cpu_of(*words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run(*words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    expect("it succeeds", done.returncode == 0, done)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def package_takes_logs_along(d):
    """The last rows of a database may be in its log only."""
    source = seeds.rocpd_log(f"{d}/in") + "/a.db"
    rows = count(source)
    for way in ("--copy", "--consolidate"):
        os.makedirs(f"{d}/to")
        done = run("package", source, way, "-o", f"{d}/to/p")
        expect(f"package {way}", done.returncode == 0, done)
        expect(f"all rows are there after {way}", count(f"{d}/to/p.rpdb/index.yaml") == rows)
        if way == "--consolidate":
            expect("it was moved", not os.path.exists(source))
        shutil.rmtree(f"{d}/to")


def package_tells_names_apart(d):
    """Files of one name, and one that has the name which another would get."""
    n = 30
    for i in range(n):
        os.makedirs(f"{d}/{i}")
        seeds.rocpd(f"{d}/{i}/a.db" if i else f"{d}/{i}/2-a.db")
    done = run("package", *(f"{d}/{i}/" for i in range(n)), "--copy", "-o", f"{d}/p")
    expect("package", done.returncode == 0, done)
    expect("each is there", len([f for f in left(f"{d}/p.rpdb") if f.endswith(".db")]) == n)


def package_refuses_sets(d):
    """Captures of several files are not taken apart, and nothing is left of the try."""
    os.makedirs(f"{d}/out")
    done = run("package", seeds.rocprofv3_csv(f"{d}/csv"), "--copy", "-o", f"{d}/out/p")
    expect("refused with advice", done.returncode == 2 and "convert" in done.stderr, done)
    expect("nothing is left", left(f"{d}/out") == [])


def keys_go_elsewhere(d):
    """The key is for its owner alone, even over a file that all could read, in a folder of its own."""
    for name in ("out", "mine"):
        os.makedirs(f"{d}/{name}")
    seeds.write_text(f"{d}/mine/key", "old")
    os.chmod(f"{d}/mine/key", 0o644)
    done = run("anonymise", seeds.rocpd(f"{d}/a.db"), "-o", f"{d}/out/x.db", "--key", f"{d}/mine/key")
    expect("anonymise", done.returncode == 0, done)
    expect("the key is private", os.stat(f"{d}/mine/key").st_mode & 0o777 == 0o600)


def many_names_take_linear_time(d):
    """Names that begin alike were compared with each other."""
    def trace(n):
        return seeds.events(f"{d}/{n}.json", *(seeds.kernel_event(f"kernel_of_the_same_kind_{i}", ts=9 * i)
                                               for i in range(n)))
    few, many = trace(10000), trace(40000)
    a, b = (cpu_of("anonymise", t, "-o", f"{d}/x.db") for t in (few, many))
    expect(f"4 times the names take 4 times the time, not {b / a:.1f}", b < 9 * a + 0.2)


def processes(path, n):
    """One call and one kernel each; kernels share names, streams and a device."""
    return seeds.events(path, *(e for i in range(n) for e in (
        seeds.kernel_event("cudaLaunchKernel", ts=9 * i, dur=1, pid=i + 1, tid=i % 9 + 1, cat="cuda_runtime",
                           args={"correlation": i + 1}),
        seeds.kernel_event(f"k{i % 7}", ts=9 * i + 2, pid=0, args={"correlation": i + 1}))))


def sound(path, views="%"):
    """SQLite finds no fault in a database, nor rows that lead nowhere; how many sets it has."""
    db = sqlite3.connect(path)
    expect("it is sound", db.execute("PRAGMA integrity_check").fetchone() == ("ok",))
    lost = {row[0].split("_")[1] for row in db.execute("PRAGMA foreign_key_check")} - {"kernel"}
    expect(f"all rows that are referred to are there: {lost}", not lost)  # kernels: of devices nobody listed
    for view, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'view' AND name LIKE ?", (views,)).fetchall():
        db.execute(f"SELECT * FROM {view} LIMIT 1").fetchall()
    sets = db.execute("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'rocpd_metadata_%'").fetchone()[0]
    db.close()
    return sets


def rows(path, *more):
    done = run("query", path, "select p.pid, k.name, k.stream_id, k.start, k.end, r.name as call from kernels k "
               "join processes p using (pid) left join regions r on r.stack_id = k.stack_id and r.pid = k.pid "
               "order by k.start, p.pid", "--format", "csv", *more)
    expect("its rows can be asked for", done.returncode == 0, done)
    return done.stdout


def many_processes_in_rocpd(d):
    """A set of tables each, made at once; more than 500 share sets. The same rows, in linear time."""
    for n, sets in ((40, 40), (501, 1)):
        trace = processes(f"{d}/{n}.json", n)
        done = run("convert", trace, "-f", "rocpd", "-o", f"{d}/{n}.db")
        expect("written", done.returncode == 0, done)
        expect(f"{sets} sets", sound(f"{d}/{n}.db") == sets)
        expect("the same rows", rows(trace) == rows(f"{d}/{n}.db"))
    few, many = processes(f"{d}/few.json", 3000), processes(f"{d}/many.json", 12000)
    a, b = (cpu_of("convert", t, "-f", "rocpd", "-o", f"{d}/x.db") for t in (few, many))
    expect(f"4 times the processes take 4 times the time, not {b / a:.1f}", b < 9 * a + 0.2)


def ledger(text):
    whole = json.loads(text)
    return whole["ledger"], whole["hotspots"], whole["analyses"]


def ids_of_shared_sets(d):
    """Ranks with one pid, one host and ids of their own each, in one set: nothing gets another number."""
    os.makedirs(f"{d}/job")
    seeds.rocpd(f"{d}/a.db")
    for i in range(501):
        shutil.copyfile(f"{d}/a.db", f"{d}/job/{i}.db")
    done = run("merge", f"{d}/job", "--rename", "-o", f"{d}/all.db")
    expect("merged", done.returncode == 0, done)
    expect("a set each", sound(f"{d}/all.db", "rocpd_event") == 501)
    done = run("convert", f"{d}/all.db", "-f", "rocpd", "-o", f"{d}/one.db")
    expect("converted", done.returncode == 0, done)
    expect("one set", sound(f"{d}/one.db") == 1)
    a, b = (run("analyze", f"{d}/{x}.db", "--json").stdout.replace("all.db", "one.db") for x in ("all", "one"))
    expect("the same ledger", ledger(a) == ledger(b))
    for table in ("kernels", "copies", "regions", "markers", "allocations"):
        a, b = (run("dump", f"{d}/{x}.db", "--table", table, "--csv") for x in ("all", "one"))
        expect(f"{table} are there", a.returncode == 0 and len(a.stdout) > 500, a)
        expect(f"the same {table}", without_ids(table, a.stdout) == without_ids(table, b.stdout))


def without_ids(table, text):
    """Calls and marks are numbered anew: their numbers are of a process, those of rows of a set."""
    got = list(csv.DictReader(text.splitlines()))
    left_out = {"kernels": (), "markers": ("id", "row")}.get(table, ("id",))  # instants are in a table of their own
    return sorted([v for k, v in row.items() if k not in left_out] for row in got)


def too_many_sets(d):
    """What would take minutes is refused at once, with the way out."""
    db = sqlite3.connect(f"{d}/a.db")
    db.execute("PRAGMA page_size=512")
    db.execute("BEGIN")
    for i in range(1025):
        db.execute(f'CREATE TABLE "rocpd_metadata_{i:x}"(id, tag, value)')
    db.execute("CREATE TABLE rocpd_event_0(id)")
    db.execute("COMMIT")
    db.close()
    done = run("merge", f"{d}/a.db", "-o", f"{d}/x.db")
    expect("refused with advice", done.returncode == 2 and "convert" in done.stderr, done)
    trace = processes(f"{d}/a.json", 2001)
    done = run("convert", trace, "-f", "rocpd", "--per-rank", "-d", f"{d}/out")
    expect("so are outputs", done.returncode == 2 and "--rank" in done.stderr, done)
    expect("nothing is left", left(d) == ["a.db", "a.json"])


def reports_that_are_too_much(d):
    """Texts of figures, lines, cells and keys: checked in seconds, or refused with a line, in bounded memory."""
    trace, mb = seeds.rocpd(f"{d}/a.db"), 8 << 20
    texts = {"figures.txt": "the gpu is idle 12 ms, busy 3 % " * 30000, "lines.txt": "\n" * 2 * mb,
             "row.md": "|" + "1 ms|" * 5000000, "ruler.txt": "-- " * 64 + "\n" + "a\n" * mb,
             "heading.md": "# " + "gpu idle " * 20000 + "\n\n" + "busy 12 %\n\n" * 20000,
             "keys.json": '{"' + "k" * 900 + '":[' + "1," * mb + "1]}", "cells.html": "<table>" + "<tr><td>idle<td>1 ms" * 900000}
    for name, text in texts.items():
        seeds.write_text(f"{d}/{name}", text)
        done = run("verify", "--by-words", f"{d}/{name}", trace, preexec_fn=limits)
        expect(f"'{name}' is checked or refused", done.returncode in (0, 1, 2), done)
        if done.returncode == 2:
            expect(f"'{name}' is refused with advice", "too many" in done.stderr and done.stderr.count("\n") == 1, done)
    few = seeds.write_text(f"{d}/few.txt", "the gpu is idle 12 ms\n" * 1000)
    expect("what is not too much is checked", "1000" in run("verify", "--by-words", few, trace).stdout)


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (15, 15))
    resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))


def names_of_journals_are_kept(d):
    """What stands beside a database under these names is taken for a part of it."""
    seeds.rocpd(f"{d}/a.db")
    before = open(f"{d}/a.db", "rb").read()
    os.link(f"{d}/a.db", f"{d}/hard.db")
    os.symlink("a.db", f"{d}/soft.db")
    there = left(d)
    outs = [f"{d}/a.db{end}" for end in ("", "-wal", "-shm", "-journal")] + [f"{d}/hard.db", f"{d}/soft.db"]
    lines = ["merge {0} -o {1}", "trim {0} --window 10%..60% -o {1}", "anonymise {0} -o {1}", "repair {0} -o {1}",
             "collect {0} --db {1}", "collect {2} --db {1}", "anonymise {0} -o {2}/x.db --key {1}", "analyze {0} --json -o {1}"]
    for line in lines:
        for out in outs:
            done = run(*line.format(f"{d}/a.db", out, d).split())
            expect(f"'{line}' to '{out}' is refused", done.returncode in (2, 4), done)
            expect(f"'{line}' to '{out}' changes nothing", left(d) == there and open(f"{d}/a.db", "rb").read() == before)


def fleets_of_strangers(d):
    """A database of runs with views for tables, triggers, values of any size and signs for terminals."""
    os.makedirs(f"{d}/runs")
    for i in range(2):
        seeds.synth(f"{d}/runs/{i}.db", "demo", "--set", f"n={i + 2}")
    done = run("collect", f"{d}/runs", "--db", f"{d}/seed")
    expect("collected", done.returncode == 0, done)
    endless = "WITH RECURSIVE q(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM q) SELECT {} FROM q"
    columns = [row[1] for row in sqlite3.connect(f"{d}/seed").execute("PRAGMA table_info(gpusight_run)")]
    every = "UPDATE OR IGNORE gpusight_run SET " + "{} = {}"
    changes = {"a view": ["DROP TABLE gpusight_run", f"CREATE VIEW gpusight_run({','.join(columns)}) AS " +
                          endless.format(",".join("x" for _ in columns))],
               "a trigger": ["CREATE TRIGGER t AFTER INSERT ON gpusight_hotspot BEGIN INSERT INTO gpusight_hotspot SELECT * FROM "
                             "gpusight_hotspot; END"],
               "200 MB": [every.format(columns[-1], "zeroblob(200000000)")],
               "numbers": [every.format(c, "9223372036854775807") for c in columns], "no number": [every.format(c, "9e999") for c in columns],
               "nothing": [every.format(c, "NULL") for c in columns],
               "signs": [every.format(c, "char(27)||']0;T'||char(7)||char(8238)||'<script>'") for c in columns]}
    for what, statements in changes.items():
        shutil.copyfile(f"{d}/seed", f"{d}/x")
        db = sqlite3.connect(f"{d}/x")
        for sql in statements:
            db.execute(sql)
        db.commit()
        db.close()
        for line in ("history --db {0}/x", "compare --db {0}/x latest~1 latest", "collect {0}/runs --db {0}/x"):
            done = run(*line.format(d).split(), preexec_fn=limits)
            expect(f"{what}: '{line}' ends", done.returncode in (0, 1, 2, 3, 4, 5), done)
            expect(f"{what}: '{line}' shows no signs", "\x1b" not in done.stdout + done.stderr and "\u202e" not in done.stdout + done.stderr)


def otf2_of_many_streams(d):
    """Each stream is two files: too many are refused, and few descriptors are told."""
    if " otf2" not in run("--version").stdout:
        return
    trace = seeds.events(f"{d}/a.json", *(seeds.kernel_event(ts=9 * i, stream=i) for i in range(10500)))
    done = run("convert", trace, "-f", "otf2", "-o", f"{d}/x")
    expect("refused with advice", done.returncode == 2 and "10000" in done.stderr, done)
    expect("nothing is left", left(d) == ["a.json"])
    trace = seeds.events(f"{d}/a.json", *(seeds.kernel_event(ts=9 * i, stream=i) for i in range(200)))
    words = ["convert", trace, "-f", "otf2", "-o", f"{d}/x"]
    done = run(*words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128)))
    expect("few descriptors are told", done.returncode == 3 and "open files" in done.stderr, done)
    expect("nothing is left", left(d) == ["a.json"])
    done = run(*words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (128, 4096)))
    expect("more are taken where they may be", done.returncode == 0, done)


def files_that_may_not_grow(d):
    """Where a file becomes too large in the middle, that is told, also by libraries that keep it for themselves."""
    trace = seeds.synth(f"{d}/a.db", "demo", "--set", "n=40")
    forms = [f for f in ("otf2", "pftrace", "chrome", "csv", "rocpd", "folded") if f != "otf2" or " otf2" in run("--version").stdout]
    for form in forms:
        for kilobytes in (1, 30):
            def limit():
                resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes << 10, kilobytes << 10))
            done = run("convert", trace, "-f", form, "-o", f"{d}/x", preexec_fn=limit)
            expect(f"{form} of {kilobytes} kB is told", done.returncode == 3 and done.stderr.startswith("gpusight: cannot write") and
                   done.stderr.count("\n") == 1, done)
            expect("nothing is left", left(d) == ["a.db"])
        expect(f"{form} is written without", run("convert", trace, "-f", form, "-d", f"{d}/{form}", "-o", "x").returncode == 0)
        shutil.rmtree(f"{d}/{form}")


def merge_names_what_it_cannot_read(d):
    """What is no database, or becomes none in the middle: with its name."""
    path = seeds.write_text(f"{d}/a.json", "{}" * 500)
    whole = seeds.rocpd(f"{d}/a.db")
    data = bytearray(open(whole, "rb").read())
    data[len(data) // 2:] = b"\xff" * (len(data) - len(data) // 2)
    for path in (path, seeds.write_text(f"{d}/cut.db", bytes(data))):
        done = run("merge", path, "-o", f"{d}/x.db")
        expect("named", done.returncode == 4 and f"'{path}'" in done.stderr, done)


def pipes_in_folders_for_output(d):
    """A folder from elsewhere has pipes and links to devices under the names that we would write: nobody waits, nothing gets into them."""
    trace, out = seeds.rocpd(f"{d}/a.db"), f"{d}/out"
    os.makedirs(out)
    lines = {"a.json": "analyze {0} --json -d {1}", "ledger.csv": "report {0} --csv-dir {1}", "ledger.svg": "plot {0} --chart all -o {1}/",
             "b.json": "compare {0} {0} --save-baseline b --baseline-dir {1}", "a_results.pftrace": "convert {0} -f pftrace -d {1} -o a",
             "a_kernel_trace.csv": "convert {0} -f csv -o {1}/a"}
    for special in (os.mkfifo, lambda path: os.symlink("/dev/null", path)):
        for name, line in lines.items():
            special(f"{out}/{name}")
            done = run(*line.format(trace, out).split(), timeout=60)
            expect(f"'{line}' is refused", done.returncode == 3 and "pipe or a device" in done.stderr and name in done.stderr, done)
            expect("nothing else is written", left(out) == [name])
            os.unlink(f"{out}/{name}")
            expect(f"'{line}' works without", run(*line.format(trace, out).split()).returncode == 0)
            shutil.rmtree(out)
            os.makedirs(out)
    run("info", trace, "--cache", out)
    entry, = left(out)
    os.unlink(f"{out}/{entry}")
    os.mkfifo(f"{out}/{entry}")
    done = run("info", trace, "--cache", out, timeout=60)
    expect("a trace is read without its entry", done.returncode == 0 and "not kept" in done.stderr, done)


def many_names_of_one_file(d):
    """A database that is no trace, with a long schema, under 1,500 names in a folder: it is looked into once."""
    trace = seeds.rocpd(f"{d}/z.db")
    os.makedirs(f"{d}/job")
    db = sqlite3.connect(f"{d}/job/a.db", isolation_level=None)
    db.execute("PRAGMA page_size=512")
    db.execute("BEGIN")
    for i in range(1500):
        db.execute(f"CREATE TABLE t{i}(a, b, c, d)")
    db.execute("COMMIT")
    db.close()
    for i in range(1500):
        os.link(f"{d}/job/a.db", f"{d}/job/{i}.db")
    os.link(trace, f"{d}/job/z.db")
    expect("in no time", cpu_of("info", f"{d}/job") < 1.5)
    done = run("info", f"{d}/job/a.db")
    expect("and refused by name", done.returncode == 4 and "not of a GPU profiler" in done.stderr, done)
    done = run("info", f"{d}/job", f"{d}/job/7.db")
    expect("also behind its folder", done.returncode == 4, done)


def full_folder_for_temporary_files(d):
    """A database is unpacked there: where it does not fit, that is said, and it stays empty."""
    import gzip
    data = open(seeds.rocpd(f"{d}/a.db"), "rb").read()
    db = sqlite3.connect(f"{d}/a.db")
    db.execute("CREATE TABLE more AS SELECT randomblob(1000000) AS x")
    db.commit()
    db.close()
    data = open(f"{d}/a.db", "rb").read()
    seeds.write_text(f"{d}/a.db.gz", gzip.compress(data, 1, mtime=0))
    os.makedirs(f"{d}/tmp")
    script = (f'mount -t tmpfs -o size={SMALL_TMP}k none "$1/tmp" || exit 77; export TMPDIR="$1/tmp"; '
              f'"$0" analyze "$1/a.db.gz" --json -o "$1/x.json"; code=$?; ls -A "$1/tmp" >&2; exit $code')
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, PROGRAM, d], capture_output=True, text=True, check=False)
    if done.returncode in (1, 77) and "gpusight" not in done.stderr:
        return  # not allowed to mount anything
    expect("told", done.returncode == 3 and done.stderr.count("\n") == 1 and "TMPDIR" in done.stderr, done)
    expect("no output", not os.path.exists(f"{d}/x.json"))


def a_writer_still_appends(d):
    """Rows come in by a log while we read: what is there, or one line; and the writer loses nothing."""
    trace = seeds.rocpd(f"{d}/a.db")
    db = sqlite3.connect(trace, isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("CREATE TABLE more(id INTEGER PRIMARY KEY, t TEXT)")
    end, done = threading.Event(), []

    def append():
        while not end.is_set():
            db.execute("INSERT INTO more(t) VALUES(?)", ("x" * 2000,))
            done.append(1)
    writer = threading.Thread(target=append)
    writer.start()
    while not done and writer.is_alive():
        time.sleep(0.001)
    codes, before = set(), len(done)
    try:
        for words in (["summary", trace], ["analyze", trace, "--json"], ["convert", trace, "-o", f"{d}/x.pftrace"]) * 3:
            o = run(*words)
            codes.add(o.returncode)
            expect("a right answer or one line", o.returncode == 0 or (
                o.returncode == 3 and o.stderr.startswith("gpusight: ") and o.stderr.count("\n") == 1), o)
    finally:
        end.set()
        writer.join()
    expect("the writer was at work", len(done) > before)
    expect("nothing is lost", db.execute("SELECT count(*) FROM more").fetchone() == (len(done),))
    expect("it is sound", db.execute("PRAGMA integrity_check").fetchone() == ("ok",))
    db.close()
    o = run("summary", trace)
    expect("and can be read afterwards", o.returncode == 0, o)


def peak_of(*words):
    """(exit code, errors, MB at most). A child begins with what this process holds: that must stay little."""
    env = {k: v for k, v in os.environ.items() if k != "MALLOC_PERTURB_"}  # touches what nobody else does
    with tempfile.TemporaryFile() as err:
        p = subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err, env=env)
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        return p.returncode, err.read(10000), usage.ru_maxrss / 1024


def sorting_keeps_its_limit(d):
    """Small rows take twice what SQLite counts for them."""
    trace, limit_mb = seeds.rocpd(f"{d}/a.db"), 96
    numbers = "with recursive a(x) as (select 1 union all select x + 1 from a limit 9000000) "
    idle = peak_of("query", trace, "select 1")[2]
    for sql in ("select x from a order by x % 7", "select row_number() over (order by x % 7) from a"):
        code, err, mb = peak_of("query", trace, "--sort-memory", f"{limit_mb}M", numbers + sql)
        expect(f"'{sql}' is refused: {err[-200:]!r}", code == 2 and b"--sort-memory" in err)
        expect(f"'{sql}' takes {mb - idle:.0f} MB", mb - idle < 1.3 * limit_mb)


def telemetry_of_no_process(d):
    """A monitor of the node belongs to no process: it goes along all the same."""
    import items_counters
    trace = items_counters.monitors_nsys(d, 7, 70)
    db = sqlite3.connect(trace)
    db.execute("UPDATE GPU_METRICS SET value = 5")
    db.commit()
    db.close()
    def told(path):
        return [line for line in run("info", path).stdout.split("\n") if "telemetry points" in line]
    expect("there is some", told(trace)[0].split()[-1] == "70")
    for form, name in (("rocpd", f"{d}/x.db"), ("otf2", f"{d}/x")):
        if form == "otf2" and " otf2" not in run("--version").stdout:
            continue
        done = run("convert", trace, "-f", form, "-o", name)
        expect(f"it is written as {form}", done.returncode == 0, done)
        expect(f"all of it, as {form}", told((done.stdout + done.stderr).split()[-1]) == told(trace))


def folders_give_their_names(d):
    """The name of an output may be that of the folder that was read; "." has one, too."""
    os.makedirs(f"{d}/job")
    for i in range(2):
        seeds.rocpd(f"{d}/job/{i}.db")
    for form, made in (("pftrace", "job_results.pftrace"), ("csv", "job_kernel_trace.csv")):
        for operand, cwd in (("job", d), (".", f"{d}/job")):
            done = run("convert", operand, "-f", form, "-d", f"{d}/out-{form}-{len(cwd)}", cwd=cwd)
            expect(f"{operand} as {form}", done.returncode == 0 and made in left(f"{d}/out-{form}-{len(cwd)}"), done)


TESTS = [sorting_keeps_its_limit, a_writer_still_appends, package_takes_logs_along, package_tells_names_apart, package_refuses_sets, keys_go_elsewhere,
         many_names_take_linear_time, many_processes_in_rocpd, ids_of_shared_sets, too_many_sets, reports_that_are_too_much,
         names_of_journals_are_kept, fleets_of_strangers,
         many_names_of_one_file, otf2_of_many_streams, pipes_in_folders_for_output, files_that_may_not_grow, merge_names_what_it_cannot_read,
         full_folder_for_temporary_files, telemetry_of_no_process, folders_give_their_names]


def main():
    global PROGRAM
    PROGRAM = os.path.abspath(sys.argv[1])
    seeds.set_program(PROGRAM)
    failed = 0
    for test in TESTS:
        with tempfile.TemporaryDirectory(prefix="edges-", dir=sys.argv[2] if len(sys.argv) > 2 else ".") as d:
            try:
                test(os.path.abspath(d))
                print("ok -", test.__name__.replace("_", " "))
            except AssertionError as e:
                failed += 1
                print("not ok -", test.__name__.replace("_", " ") + ":", e)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
