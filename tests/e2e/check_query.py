#!/usr/bin/env python3
"""Compares 'gpusight query', 'summary --by-domain' and the filters with what Python says.

    check_query.py --gpusight build/src/cli/gpusight [totals|formats|filters|domains|attacks|real]...

totals:  every table and view of synthetic rocpd databases against SQL on their base tables.
formats: one text on rocpd, rocprofv3's JSON, Nsight and Kineto gives the same rows.
filters: rows that filters leave against Python over all rows.
domains: sums by domain against Python's statistics.
attacks: SQL that writes, reaches files or never ends is refused, in time and without a trace.
real:    totals of real traces, where there are any (GPUSIGHT_TRACES says where).
"""
import argparse
import collections
import csv
import glob
import gzip
import io
import json
import math
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TRACES = os.environ.get("GPUSIGHT_TRACES") or os.path.join(ROOT, "..", "shared", "traces")


class Gpusight:
    def __init__(self, program):
        self.program = program

    def try_run(self, *args, timeout=120):
        done = subprocess.run([self.program, *args], capture_output=True, timeout=timeout,
                              stdin=subprocess.DEVNULL)
        return (done.returncode, done.stdout.decode("utf-8", "surrogateescape"),
                done.stderr.decode("utf-8", "surrogateescape"))

    def run(self, *args):
        code, out, err = self.try_run(*args)
        if code:
            sys.exit(f"gpusight {' '.join(args)}: exit code {code}, {err}")
        return out

    def query(self, path, sql, *args):
        code, out, err = self.try_run("query", "--json", path, sql, *args)
        if code not in (0, 5):
            sys.exit(f"gpusight query {path} '{sql}': exit code {code}, {err}")
        return [tuple(row.values()) for row in json.loads(out)]

    def dump(self, path, table, *args):
        text = self.run("dump", "--csv", "--table", table, path, *args)
        return list(csv.DictReader(io.StringIO(text, newline="")))


def near(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or abs(a - b) <= 1e-9 * max(abs(a), abs(b))
    return a == b


def same(what, expected, actual):
    if len(expected) != len(actual):
        sys.exit(f"{what}: {len(actual)} rows, expected {len(expected)}")
    for e, a in zip(expected, actual):
        if len(e) != len(a) or not all(near(x, y) for x, y in zip(e, a)):
            sys.exit(f"{what}: {a}, expected {e}")


# ---- rocpd ----

BASE = {
    "rocpd_kernel_dispatch": 'count(*), total("end" - start), total(grid_size_x), '
                             "total(workgroup_size_x), total(group_segment_size)",
    "rocpd_region": 'count(*), total("end" - start), min(start), max("end")',
    "rocpd_memory_copy": 'count(*), total("end" - start), total(size)',
    "rocpd_memory_allocate": 'count(*), total("end" - start), total(size)',
    "rocpd_sample": "count(*), min(timestamp), max(timestamp)",
    "rocpd_pmc_event": "count(*), total(value)",
    "rocpd_arg": "count(*), total(position), count(distinct type || name || value)",
    "rocpd_info_process": "count(*), total(pid)",
    "rocpd_info_thread": "count(*), total(tid)",
    "rocpd_info_agent": "count(*)",
    "rocpd_info_queue": "count(*)",
    "rocpd_info_kernel_symbol": "count(*), total(sgpr_count)",
    "rocpd_info_node": "count(distinct hostname)",
}

# What a view must hold, in SQL over the base tables of one set ({x} is its suffix).
VIEWS = [
    ("select name, count(*), sum(duration), min(duration), max(duration) from kernels group by 1",
     'select s.display_name, count(*), sum(k."end" - k.start), min(k."end" - k.start), '
     'max(k."end" - k.start) from "rocpd_kernel_dispatch{x}" k '
     'join "rocpd_info_kernel_symbol{x}" s on s.id = k.kernel_id group by 1'),
    ("select name, count(*), sum(duration), sum(size) from memory_copies group by 1",
     'select s.string, count(*), sum(c."end" - c.start), sum(c.size) from "rocpd_memory_copy{x}" c '
     'join "rocpd_string{x}" s on s.id = c.name_id group by 1'),
    ("select type, level, count(*), sum(size) from memory_allocations group by 1, 2",
     'select type, level, count(*), sum(size) from "rocpd_memory_allocate{x}" group by 1, 2'),
    ("select operation, count(*), sum(duration) from scratch_memory group by 1",
     'select type, count(*), sum("end" - start) from "rocpd_memory_allocate{x}" '
     "where level = 'SCRATCH' group by 1"),
    ("select name, count(*), sum(duration) from regions where category not like 'MARKER%' "
     "group by 1",
     'select s.string, count(*), sum(r."end" - r.start) from "rocpd_region{x}" r '
     'join "rocpd_string{x}" s on s.id = r.name_id join "rocpd_event{x}" e on e.id = r.event_id '
     'join "rocpd_string{x}" c on c.id = e.category_id '
     "where lower(c.string) not like '%marker%range%' and lower(c.string) not like "
     "'marker_core%' and lower(c.string) not like 'rocm_marker%' group by 1"),
    ("select dispatch_id, counter_name, value from counters_collection",
     'select k.dispatch_id, p.name, sum(v.value) from "rocpd_pmc_event{x}" v '
     'join "rocpd_info_pmc{x}" p on p.id = v.pmc_id '
     'join "rocpd_kernel_dispatch{x}" k on k.event_id = v.event_id group by 1, 2'),
    ("select name, calls, \"DURATION (nsec)\", \"MIN (nsec)\", \"MAX (nsec)\" from kernel_summary",
     'select s.display_name, count(*), sum(k."end" - k.start), min(k."end" - k.start), '
     'max(k."end" - k.start) from "rocpd_kernel_dispatch{x}" k '
     'join "rocpd_info_kernel_symbol{x}" s on s.id = k.kernel_id group by 1'),
    ("select name, calls, \"DURATION (nsec)\" from memory_allocation_summary",
     'select type, count(*), sum("end" - start) from "rocpd_memory_allocate{x}" '
     "where level <> 'SCRATCH' group by 1"),
    ("select id, name, value from region_args",
     'select r.id, a.name, a.value from "rocpd_arg{x}" a join "rocpd_region{x}" r '
     "on r.event_id = a.event_id"),
    ("select name, total_calls, round(total_duration * 1000) from top where kind = 'copy'",
     'select s.string, count(*), round(total(c."end" - c.start)) from "rocpd_memory_copy{x}" c '
     'join "rocpd_string{x}" s on s.id = c.name_id group by 1'),
]


def suffixes(db):
    names = [r[0] for r in db.execute(
        "select name from sqlite_master where type = 'table' and name like 'rocpd_metadata%'")]
    return [n[len("rocpd_metadata"):] for n in names]


def merged(rows):
    """Rows of several sets with one key, added up as SQL over all of them would have it."""
    return sorted(rows, key=repr)


def check_rocpd(g, path, what):
    db = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    sets = suffixes(db)
    for table, sums in BASE.items():
        union = " union all ".join(f'select * from "{table}{x}"' for x in sets)
        expected = db.execute(f"select {sums} from ({union})").fetchall()
        same(f"{what}: {table}", expected, g.query(path, f"select {sums} from {table}"))
    if len(sets) != 1:
        return
    for ours, theirs in VIEWS:
        expected = db.execute(theirs.replace("{x}", sets[0])).fetchall()
        same(f"{what}: {ours}", merged(expected), merged(g.query(path, ours)))
    spread = collections.defaultdict(list)
    for name, ns in db.execute(
            f'select s.display_name, k."end" - k.start from "rocpd_kernel_dispatch{sets[0]}" k '
            f'join "rocpd_info_kernel_symbol{sets[0]}" s on s.id = k.kernel_id'):
        spread[name].append(ns)
    expected = sorted((n, statistics.stdev(v) if len(v) > 1 else None, statistics.median(v))
                      for n, v in spread.items())
    actual = sorted(g.query(path, "select name, stddev(duration), median(duration) from kernels "
                                  "group by 1"))
    for e, a in zip(expected, actual):
        if e[0] != a[0] or (e[1] is None) != (a[1] is None) or \
                (e[1] is not None and abs(e[1] - a[1]) > 1e-6 * max(e[1], 1)) or e[2] != a[2]:
            sys.exit(f"{what}: deviation of {a}, expected {e}")
    check_busy(g, db, path, sets[0], what)


def check_busy(g, db, path, x, what):
    work = collections.defaultdict(list)
    for gpu, start, end in g.query(
            path, "select gpu, start, end from kernels where gpu is not null union all "
                  "select gpu, start, end from memory_copies where gpu is not null"):
        work[gpu].append((start, end))
    expected = []
    for gpu, spans in sorted(work.items()):
        busy, until = 0, -1 << 62
        for start, end in sorted(spans):
            busy += max(0, end - max(start, until))
            until = max(until, end)
        expected.append((gpu, busy, max(e for _, e in spans) - min(s for s, _ in spans)))
    same(f"{what}: busy", expected,
         g.query(path, "select gpu, GpuTime, WallTime from busy order by gpu"))


def totals(g, folder):
    cases = {"demo": [], "counters": [], "mpi_job": ["--merge"], "unbalanced_gpus": []}
    listed = g.run("synth", "--list")
    for flavor in ("rocprofv3", "rocprofv3-3.0.5", "rocprof-sys"):
        for name, more in cases.items():
            if not re.search(rf"^{name} ", listed, re.M) or (flavor != "rocprofv3" and
                                                             name != "demo"):
                continue
            path = os.path.join(folder, f"{name}-{flavor}.db")
            g.run("synth", name, "--flavor", flavor, "-o", path, *more)
            check_rocpd(g, path, f"{name}, {flavor}")


# ---- one text, many formats ----

def formats(g, folder):
    asked = ["select name, count(*), sum(duration) / 1000 from kernels group by 1 order by 1",
             "select count(*), sum(size) from memory_copies where direction like 'host to%'",
             "select name, count(*) from marker_rows group by 1 order by 1",
             "select total_calls from top_kernels order by name"]
    answers = {}
    for form, ext in (("rocpd", "db"), ("rocprofv3-json", "json"), ("nsys", "sqlite"),
                      ("kineto", "json")):
        path = os.path.join(folder, f"demo-{form}.{ext}")
        g.run("synth", "demo", "--set", "n=12", "--format", form, "-o", path)
        for sql in asked:
            rows = g.query(path, sql)
            if not rows:
                sys.exit(f"{form}: no rows for '{sql}'")
            if sql in answers:
                same(f"{form}: {sql}", answers[sql], rows)
            answers.setdefault(sql, rows)
    path = os.path.join(folder, "demo-rocpd.db")
    ledger = json.loads(g.run("analyze", "--json", path))["ledger"]["causes"]
    same("ledger", [(c["label"], c["ns"]) for c in ledger],
         g.query(path, "select cause, ns from ledger where gpu = 'all'"))
    hot = json.loads(g.run("analyze", "--json", path))["hotspots"]
    same("hotspots", [(h["name"], h["calls"], h["total_duration_ns"]) for h in hot],
         g.query(path, "select name, calls, total_duration_ns from hotspots limit %d" % len(hot)))
    # findings and the critical path are made when a statement asks for them, not before
    parts = ["select name, calls from hotspots", "select * from findings",
             "select * from critical_path", "select name, calls from hotspots"]
    alone = [g.query(path, sql) for sql in parts]
    together = json.loads(g.run("query", "--json", path, "; ".join(parts)))
    same("results one after another", alone, [[tuple(row.values()) for row in r["rows"]] for r in together])
    if not alone[1] or not alone[2][0][0]:
        sys.exit(f"no findings, or no path: {alone[1:3]}")
    tables = g.run("query", "--tables", path)
    for word in ("rocpd_arg", "counters_collection", "findings", "phases", "gaps", "iterations"):
        if word not in tables:
            sys.exit(f"no table '{word}'")
    listed = json.loads(g.run("query", "--tables", "--json"))
    if [r["table"] for r in listed] != [line.split()[0] for line in g.run("query", "--tables").splitlines()[1:] if line[2:3] != " "]:
        sys.exit("--tables lists others as JSON")
    forms = {"csv": "name", "md": "| name |", "html": "<!", "json": "[", "console": "name"}
    for form, begin in forms.items():
        out = g.run("query", "--format", form, path, "select name from kernels limit 1")
        if begin not in out[:20000]:
            sys.exit(f"--format {form} begins with {out[:40]!r}")
    code, out, err = g.try_run("query", "--format", "csv", path, "select 1 a where 0")
    if code != 5 or out != "a\n" or "no rows" not in err:
        sys.exit(f"an empty result: exit code {code}, {out!r}, {err!r}")
    code, out, err = g.try_run("query", "--limit", "3", path, "select id from kernels")
    if code or "first 3 rows" not in err:
        sys.exit(f"a limit of rows: exit code {code}, {err!r}")
    script = os.path.join(folder, "two.sql")
    with open(script, "w", encoding="utf-8") as f:
        f.write("select count(*) n from kernels;\n-- and\nselect ';' as semicolon;\n")
    rows = json.loads(g.run("query", "--json", "--script", script, path))
    if [len(r["rows"]) for r in rows] != [1, 1] or rows[1]["rows"][0]["semicolon"] != ";":
        sys.exit(f"a script: {rows}")


# ---- filters ----

def filters(g, folder):
    path = os.path.join(folder, "f.db")
    g.run("synth", "mpi_job", "--set", "n=6", "--merge", "-o", path)
    kernels, regions, markers = (g.dump(path, t) for t in ("kernels", "regions", "markers"))
    starts = [int(r["start_ns"]) for t in (kernels, regions, markers) for r in t]
    ends = [int(r["end_ns"]) for t in (kernels, regions, markers) for r in t]
    info = json.loads(g.run("info", "--json", path))
    first, last = min(starts), max(ends)
    lo, hi = first + (last - first) // 4, first + (last - first) // 2
    window = ["--window", f"{lo}..{hi}"]

    def touches(r):
        s, e = int(r["start_ns"]), int(r["end_ns"])
        return s <= hi and e >= lo

    def inside(r):
        return int(r["start_ns"]) >= lo and int(r["end_ns"]) <= hi

    def ends_in(r):
        return lo <= int(r["start_ns"]) <= hi or lo <= int(r["end_ns"]) <= hi
    name = kernels[0]["name"]
    part = name.split("(")[0].split("<")[0].split(" ")[-1]
    stream, pid, tid = kernels[0]["stream"], kernels[0]["pid"], kernels[0]["tid"]
    cases = [
        (window, touches),
        (window + ["--inclusive", "false"], inside),
        (window + ["--inclusive", "true"], ends_in),
        (["--start", str(lo), "--end", str(hi)], touches),
        (["--process", pid], lambda r: r["pid"] == pid),
        (["--thread", tid], lambda r: r["tid"] == tid),
    ]
    of_kernels = [
        (["--kernel", part], lambda r: part in r["name"]),
        (["--kernel", "!" + part], lambda r: part not in r["name"]),
        (["--kernel", f"*{part}*"], lambda r: part in r["name"]),
        (["--kernel", f"/{re.escape(part)}/"], lambda r: part in r["name"]),
        (["--stream", stream], lambda r: r["stream"] == stream),
        (["--gpu", kernels[0]["gpu"]], None),
    ]

    def keys(rows):
        return [(r["pid"], r["id"], r["start_ns"]) for r in rows]
    for args, keep in cases + of_kernels:
        if keep is None:
            continue
        want = [r for r in kernels if keep(r)]
        got = g.dump(path, "kernels", *args)
        if not want or keys(want) != keys(got):
            sys.exit(f"dump {args}: {len(got)} kernels, expected {len(want)}")
        n = g.query(path, "select count(*), sum(duration) from kernels", *args)[0]
        if n != (len(want), sum(int(r["duration_ns"]) for r in want)):
            sys.exit(f"query {args}: {n}, expected {len(want)}")
    for args, keep in cases:
        want, got = [r for r in regions if keep(r)], g.dump(path, "regions", *args)
        if keys(want) != keys(got):
            sys.exit(f"dump {args}: {len(got)} regions, expected {len(want)}")
    for args, keep in of_kernels[:4]:
        doc = json.loads(g.run("analyze", "--json", path, "--process", pid, *args))
        want = sum(int(r["duration_ns"]) for r in kernels if keep(r) and r["pid"] == pid)
        got = sum(h["total_duration_ns"] for h in doc["hotspots"])
        if want != got:
            sys.exit(f"analyze {args}: {got} ns of kernels, expected {want}")
        if sum(c["ns"] for c in doc["ledger"]["causes"]) != \
                doc["ledger"]["window_ns"] * doc["ledger"]["gpu_count"]:
            sys.exit(f"analyze {args}: the ledger does not add up")
        if part not in doc["ledger"].get("only", doc.get("only", "")):
            sys.exit(f"analyze {args} does not say what it left out")
    check_markers(g, folder)
    for rank in {str(p["rank"]) for p in info["processes"] if p.get("rank") is not None}:
        pids = {str(p["pid"]) for p in info["processes"] if str(p["rank"]) == rank}
        want = [r for r in kernels if r["pid"] in pids]
        if keys(want) != keys(g.dump(path, "kernels", "--rank", rank)):
            sys.exit(f"dump --rank {rank} differs")
    for args in (["--kernel", "no such kernel"], ["--stream", "99999"], ["--thread", "x"],
                 ["--category", "x"], ["--marker", "no such marker"], ["--window", "3s..2s"],
                 ["--inclusive", "true"], ["--kernel", "/(/"], ["--start", "1", "--start-marker",
                                                                "x"]):
        for command in ("dump", "analyze", "summary"):
            code, _, err = g.try_run(command, path, *args)
            if code != 2 or not err.startswith("gpusight: ") or err.count("\n") != 1:
                sys.exit(f"{command} {args}: exit code {code}, {err!r}")


def check_markers(g, folder):
    """What was launched by calls that start inside ranges of a name, on their thread."""
    path, name = os.path.join(folder, "m.db"), "forward"
    g.run("synth", "demo", "--set", "n=12", "-o", path)
    kernels, regions, markers = (g.dump(path, t) for t in ("kernels", "regions", "markers"))
    ranges = [(m["pid"], m["tid"], int(m["start_ns"]), int(m["end_ns"])) for m in markers
              if m["name"] == name]
    at = {r["row"]: r for r in regions}

    def within(pid, tid, time):
        return any(p == pid and t == tid and s <= time < e for p, t, s, e in ranges)
    want = [k for k in kernels
            if k["call_row"] in at and within(at[k["call_row"]]["pid"], at[k["call_row"]]["tid"],
                                              int(at[k["call_row"]]["start_ns"]))]
    got = g.dump(path, "kernels", "--marker", name)
    if not want or [(k["pid"], k["id"]) for k in want] != [(k["pid"], k["id"]) for k in got]:
        sys.exit(f"--marker '{name}': {len(got)} kernels, expected {len(want)}")
    want = [r for r in regions if within(r["pid"], r["tid"], int(r["start_ns"]))]
    got = g.dump(path, "regions", "--marker", name)
    if [(r["pid"], r["id"]) for r in want] != [(r["pid"], r["id"]) for r in got]:
        sys.exit(f"--marker '{name}': {len(got)} regions, expected {len(want)}")


# ---- sums by domain ----

def domains(g, folder):
    path = os.path.join(folder, "d.db")
    g.run("synth", "mpi_job", "--set", "n=8", "--merge", "-o", path)
    doc = json.loads(g.run("summary", "--by-domain", "--summary-by-rank", "--json", path))
    kernels, copies = g.dump(path, "kernels"), g.dump(path, "copies")
    ns = [int(r["duration_ns"]) for r in kernels]
    total = next(r for r in doc["domain_summary"] if r["name"] == "KERNELS")
    expected = (len(ns), sum(ns), statistics.fmean(ns), statistics.stdev(ns))
    actual = (total["calls"], total["duration_ns"], total["average_ns"], total["std_dev_ns"])
    if not all(math.isclose(e, a, rel_tol=1e-9) for e, a in zip(expected, actual)):
        sys.exit(f"domain of kernels: {actual}, expected {expected}")
    by = collections.defaultdict(list)
    for r in kernels:
        by[r["pid"], r["name"]].append(int(r["duration_ns"]))
    for r in doc["kernels_summary_by_rank"]:
        v = by.pop((str(r["pid"]), r["name"]))
        if (len(v), sum(v), min(v), max(v)) != (r["calls"], r["duration_ns"], r["min_ns"],
                                                r["max_ns"]) or \
                not math.isclose(statistics.stdev(v), r["std_dev_ns"], rel_tol=1e-9):
            sys.exit(f"kernels by rank: {r}, expected {len(v)} calls, {sum(v)} ns")
    if by:
        sys.exit(f"kernels by rank: {len(by)} are missing")
    for key, rows in doc.items():
        if key.endswith("_by_rank"):
            continue
        if not math.isclose(sum(r["percent"] for r in rows), 100, rel_tol=1e-9):
            sys.exit(f"{key}: shares do not add up to 100")
    if sum(r["calls"] for r in doc["memory_copies_summary"]) != len(copies):
        sys.exit("copies are missing")
    alone = g.run("summary", "--domain-summary", "--region-categories", "NONE", "--format", "csv",
                  path)
    names = {r["Name"] for r in csv.DictReader(io.StringIO(alone))}
    if names - {"KERNELS", "MEMORY_COPIES", "MEMORY_ALLOCATIONS", "SCRATCH_MEMORY"}:
        sys.exit(f"--region-categories NONE has {names}")


# ---- attacks ----

def attacks(g, folder):
    path = os.path.join(folder, "a.db")
    g.run("synth", "demo", "--set", "n=4", "-o", path)
    before = sorted(os.listdir(folder)), open(path, "rb").read()
    evil = os.path.join(folder, "evil")
    refused = [
        "insert into kernels(id) values (1)", "delete from rocpd_string", "drop view top_kernels",
        "update kernels set name = 'x'", "create table t(a)", "create temp table t(a)",
        "create trigger x after insert on t begin select 1; end", f"attach '{evil}' as e",
        f"vacuum into '{evil}'", "pragma writable_schema = 1", "pragma journal_mode = wal",
        "pragma temp_store_directory = '/tmp'", "select load_extension('x')", "begin", "savepoint s",
        "select fts3_tokenizer('simple')", "create virtual table t using fts5(a)",
        f"select writefile('{evil}', 'x')", "select readfile('/etc/passwd')", "detach main",
    ]
    for sql in refused:
        code, out, err = g.try_run("query", path, "--query", sql)
        if code != 2 or out or err.count("\n") != 1:
            sys.exit(f"'{sql}': exit code {code}, {out!r}, {err!r}")
    endless = [
        "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c",
        "select count(*) from kernels a, kernels b, kernels c, kernels d, kernels e",
    ]
    large = [
        "select zeroblob(2000000000)", "select printf('%.*c', 2000000000, 'x')",
        "select printf('%2000000000d', 1)", "select hex(zeroblob(900000))",
        "select group_concat(printf('%.*c', 900000, 'x')) from kernels",
        "select trim(printf('%.*c', 999999, 'a'), printf('%.*c', 999999, 'b') || 'a')",
        "select " + "(" * 3000 + "1" + ")" * 3000, "select " + "+".join(["1"] * 20000),
        " union all ".join(["select 1"] * 5000), "select abs(-9223372036854775808)",
    ]
    fast = [
        "select printf('%.*c', 900000, 'a') like '" + "%a" * 30 + "%b'",
        "select printf('%.*c', 900000, 'a') glob '" + "*a" * 30 + "*b'",
        "select instr(zeroblob(999999), zeroblob(499999) || x'01')",
        "select length(replace(printf('%.*c', 900000, 'a'), printf('%.*c', 400000, 'a') || 'b', ''))",
    ]
    for sql in endless + large + fast:
        begin = time.monotonic()
        code, out, err = g.try_run("query", "--timeout", "1", path, sql, timeout=20)
        seconds = time.monotonic() - begin
        if code != (0 if sql in fast else 2) or seconds > 10:
            sys.exit(f"'{sql[:80]}': exit code {code} after {seconds:.1f} s, {err!r}")
    code, _, err = g.try_run("query", "--sort-memory", "8M", path,
                             "select a.name || b.name || c.name from kernels a, kernels b, regions c "
                             "order by 1")
    if code != 2 or "memory" not in err:
        sys.exit(f"a limit of memory: exit code {code}, {err!r}")
    for sql, place in (("select nme from kernels", "column 8"), ("selec 1", "column 1"),
                       ("select 1\nfrom kernel", "kernels")):
        code, _, err = g.try_run("query", path, sql)
        if code != 2 or place not in err:
            sys.exit(f"'{sql}': {err!r} does not name '{place}'")
    if (sorted(os.listdir(folder)), open(path, "rb").read()) != before:
        sys.exit("something was written")


# ---- real traces ----

def check_nsys(g, path):
    db = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    tables = {r[0] for r in db.execute("select name from sqlite_master where type = 'table'")}
    if "CUPTI_ACTIVITY_KIND_KERNEL" in tables:
        same(f"{path}: kernels", sorted(db.execute(
            'select s.value, count(*), sum(k."end" - k.start) from CUPTI_ACTIVITY_KIND_KERNEL k '
            "join StringIds s on s.id = k.demangledName group by 1").fetchall()),
            sorted(g.query(path, "select name, count(*), sum(duration) from kernels group by 1")))
    if "CUPTI_ACTIVITY_KIND_MEMCPY" in tables:
        same(f"{path}: copies", db.execute(
            'select count(*), sum("end" - start), sum(bytes) from CUPTI_ACTIVITY_KIND_MEMCPY'
        ).fetchall(), g.query(path, "select count(*), sum(duration), sum(size) from memory_copies "
                                    "where name <> 'MEMORY_SET'"))


def check_kineto(g, path):
    with (gzip.open if path.endswith("gz") else open)(path, "rt", encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    by = collections.defaultdict(lambda: [0, 0.0])
    for e in events:
        if e.get("ph") == "X" and e.get("cat") == "kernel":
            by[e["name"]][0] += 1
            by[e["name"]][1] += e["dur"]
    actual = {n: (c, ns) for n, c, ns in g.query(
        path, "select name, count(*), sum(duration) from kernels group by 1")}
    # Names may be demangled by us: counts and times must be those of the file in any case.
    if sorted(c for c, _ in by.values()) != sorted(c for c, _ in actual.values()):
        sys.exit(f"{path}: kernels by name differ")
    if abs(sum(us for _, us in by.values()) * 1000 - sum(ns for _, ns in actual.values())) > \
            len(events):
        sys.exit(f"{path}: kernel time differs")


def real(g, folder):
    paths = sorted(glob.glob(os.path.join(TRACES, "rocpd", "**", "*.db"), recursive=True))
    for path in paths:
        check_rocpd(g, path, path)
    nsys = sorted(glob.glob(os.path.join(TRACES, "nsys", "*.sqlite")))
    for path in nsys:
        check_nsys(g, path)
    kineto = sorted(glob.glob(os.path.join(TRACES, "kineto", "*.json.gz")))
    for path in kineto:
        check_kineto(g, path)
    if not paths + nsys + kineto:
        print(f"no traces in {TRACES}: skipped")
        sys.exit(77)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    parser.add_argument("what", nargs="*")
    args = parser.parse_args()
    every = {"totals": totals, "formats": formats, "filters": filters, "domains": domains,
             "attacks": attacks, "real": real}
    for what in args.what or every:
        with tempfile.TemporaryDirectory() as folder:
            every[what](Gpusight(args.gpusight), folder)
        print(f"{what}: ok")


if __name__ == "__main__":
    main()
