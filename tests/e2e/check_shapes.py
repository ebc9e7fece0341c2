#!/usr/bin/env python3
"""The numbering of a trace is no part of its meaning.

    check_shapes.py --gpusight build/src/cli/gpusight

Rewrites the ids of one trace in every way writers have: with holes, in blocks, far apart, all over
the 64 bits, rows in any order; and lays out a JSON so that records look alike, or not. The analysis
must be the same, byte for byte, also for any number of threads.
"""
import argparse
import itertools
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

REFERENCES = ("region", "kernel_dispatch", "memory_copy", "memory_allocate", "sample", "pmc_event", "arg")
failures = 0


def same(what, expected, actual):
    global failures
    good = expected == actual
    failures += not good
    print(f"{'ok' if good else 'not ok'} - {what}")


def holes(i):
    return i * 3 + (i // 50) * 1000


def blocks(i):
    return ((i % 3) << 40) + i


def far_apart(i):
    return i * 5_000_011


def all_over(i):
    return (i * 0x9E3779B97F4A7C15) % (1 << 63)


SHAPES = {"with holes": holes, "in blocks": blocks, "far apart": far_apart, "all over": all_over}


def table(db, base):
    rows = db.execute("select name from sqlite_master where type = 'table' and name like ?", (f"rocpd_{base}_%",)).fetchall()
    return rows[0][0] if rows else None


def columns(db, name):
    return [row[1] for row in db.execute(f'pragma table_info("{name}")')]


def renumber_events(db, to):
    """New ids for the events, and for what refers to them; the table keeps its order of ids."""
    db.create_function("renumbered", 1, lambda i: None if i is None else to(i))
    name = table(db, "event")
    for base in REFERENCES:
        other = table(db, base)
        if other and "event_id" in columns(db, other):
            db.execute(f'update "{other}" set event_id = renumbered(event_id)')
    db.execute(f'create temp table moved as select * from "{name}"')
    db.execute(f'delete from "{name}"')
    db.execute("update moved set id = renumbered(id)")
    db.execute(f'insert into "{name}" select * from moved order by id')


def renumber_stacks(db, to):
    db.create_function("stacked", 1, lambda i: i if not i else to(i))
    name = table(db, "event")
    db.execute(f'update "{name}" set stack_id = stacked(stack_id), parent_stack_id = stacked(parent_stack_id)')


def shuffle_events(db):
    """A table that somebody copied: ids are no longer the rowid and come in any order."""
    name = table(db, "event")
    names = ", ".join(f'"{c}"' for c in columns(db, name))
    rows = db.execute(f'select {names} from "{name}"').fetchall()
    db.execute(f'drop table "{name}"')
    db.execute(f'create table "{name}" ({names})')
    random.Random(1).shuffle(rows)
    db.executemany(f'insert into "{name}" values ({", ".join("?" * len(rows[0]))})', rows)


def many_agents_and_streams(db):
    """70,000 of each in front of those that are used, as thousands of processes have: 32 bits do not count their pairs."""
    for base in ("info_agent", "info_stream"):
        name = table(db, base)
        names = [c for c in columns(db, name) if c != "id"]
        where = "where type = 'GPU'" if base == "info_agent" else ""
        row = db.execute(f'select {", ".join(names)} from "{name}" {where} limit 1').fetchone()
        db.executemany(f'insert into "{name}" (id, {", ".join(names)}) values (?{", ?" * len(names)})',
                       ((-1 - i, *row) for i in range(70_000)))


def many_gpus_and_streams(db):
    """The same, but each agent is a GPU of its own: what runs on the last of them has a stream that no number tells."""
    many_agents_and_streams(db)
    db.execute(f'update "{table(db, "info_agent")}" set absolute_index = 100 - id, type_index = 100 - id where id < 0')


def analysis(gpusight, path, threads="2", reader="auto"):
    done = subprocess.run([gpusight, "--threads", threads, "analyze", f"--reader={reader}", "--format", "json",
                           os.path.basename(path)], cwd=os.path.dirname(path), capture_output=True)
    return done.returncode, done.stdout, done.stderr


def without_agent(document):
    """Which agent a GPU is, which several are now."""
    return re.sub(rb'"agent_id": [^,]*,', b"", document)


def variant(gpusight, plain, folder, change):
    """The trace with a change, under the same name, in a folder of its own."""
    os.makedirs(folder)
    path = shutil.copy(plain, folder)
    db = sqlite3.connect(path)
    db.execute("pragma foreign_keys = off")
    change(db)
    db.commit()
    db.close()
    return analysis(gpusight, path)


def holes_in_front(i):
    """In so many that the first rows look unlike the rest, for some of the threads."""
    return 2 * i if i < 17_000 else 17_000 + i


def check_second_looks(gpusight, folder):
    """Ids that do well as ranges, in a table that is read a second time for the sake of its stack ids."""
    plain = os.path.join(folder, "many.db")
    subprocess.run([gpusight, "synth", "tiny_kernels", "--set", "n=40000", "-o", plain], check=True, capture_output=True)
    expected = analysis(gpusight, plain)[:2]
    same("many events are analyzed", 0, expected[0])
    where = os.path.join(folder, "holes in front")
    same("ids with holes in front", expected, variant(
        gpusight, plain, where, lambda db: (renumber_events(db, holes_in_front), renumber_stacks(db, far_apart)))[:2])
    for threads, reader in (("1", "fast"), ("1", "sqlite"), ("2", "fast"), ("2", "fast"), ("3", "fast"), ("7", "fast"), ("7", "fast")):
        same(f"the same, {reader} reader, {threads} threads", expected,
             analysis(gpusight, os.path.join(where, "many.db"), threads, reader)[:2])


ODD = {5: {"thread_id": "17"}, 9: {"start_timestamp": -5}, 11: {"timestamp": 77}, 13: {"bytes": 5, "allocation_size": 9},
       17: {"dispatch_info": None}, 19: {"start_timestamp": 2**63 + 5}, 23: {"kind": 1.0}, 29: {"correlation_id": 3},
       31: {"operation": 12345678901234567890}}


def json_trace(gpusight, plain, folder, spaces):
    """A rocprofv3 JSON with odd records in between; no two look alike where each has its own spaces."""
    os.makedirs(folder)
    with open(plain, encoding="utf-8") as f:
        document = json.load(f)
    for process in document["rocprofiler-sdk-tool"]:
        for name, records in process["buffer_records"].items():
            for i, record in enumerate(records):
                record.update(ODD.get(i % 37, {}))
    text = json.dumps(document, separators=(",", ":"))
    if spaces:
        count = itertools.count()
        text = re.sub(r'\{"size":', lambda m: "{" + " " * (next(count) % 50) + '"size":', text)
        same("records were told apart", True, next(count) > 1000)
    path = os.path.join(folder, "trace_results.json")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return analysis(gpusight, path)


def check_json(gpusight, folder):
    plain = os.path.join(folder, "plain_results.json")
    subprocess.run([gpusight, "synth", "demo", "-o", plain, "--format", "rocprofv3-json"], check=True, capture_output=True)
    code, expected, _ = json_trace(gpusight, plain, os.path.join(folder, "apart"), True)
    same("a JSON with odd records is analyzed", 0, code)
    same("records that look alike", expected, json_trace(gpusight, plain, os.path.join(folder, "alike"), False)[1])


TWO_STREAMS = """
gpu H100 count=1
kernel a vgpr=32 wg=256 blocks=132
process {
  stream s1
  stream s2
  loop 5000 {
    launch a dur=8us~10% stream=s1; record e stream=s1; wait e stream=s2
    launch a dur=6us~10% stream=s2; record f stream=s2; wait f stream=s1
  }
  sync device
}
"""


def say_more(db):
    """Each record of an event is said to be on the first stream, behind all other arguments: the last one counts."""
    arg, region, strings, event = (table(db, base) for base in ("arg", "region", "string", "event"))
    db.execute(f'insert into "{arg}" (guid, event_id, position, type, name, value) '
               f"""select a.guid, a.event_id, 9, a.type, 'hStream', '0x1' from "{arg}" a join "{region}" r on r.event_id = a.event_id """
               f"""join "{strings}" s on s.id = r.name_id where s.string = 'hipEventRecord' and a.name = 'stream'""")


def check_arguments(gpusight, folder):
    """What calls say of streams and events, read by several threads."""
    with open(os.path.join(folder, "two.trace"), "w", encoding="utf-8") as f:
        f.write(TWO_STREAMS)
    plain = os.path.join(folder, "two.db")
    subprocess.run([gpusight, "synth", os.path.join(folder, "two.trace"), "-o", plain], check=True, capture_output=True)
    code, expected, _ = analysis(gpusight, plain)
    same("every wait but the last is in the graph", (0, 9999), (code, json.loads(expected)["analyses"]["critical_path"]["waits_recorded"]))
    where = os.path.join(folder, "says more")
    code, other, _ = variant(gpusight, plain, where, say_more)
    same("what is said last of a call counts", (0, 5000), (code, json.loads(other)["analyses"]["critical_path"]["waits_recorded"]))
    for threads, reader in (("1", "sqlite"), ("1", "fast"), ("7", "fast"), ("7", "fast")):
        same(f"waits, {reader} reader, {threads} threads", expected, analysis(gpusight, plain, threads, reader)[1])
        same(f"the last one, {reader} reader, {threads} threads", other,
             analysis(gpusight, os.path.join(where, "two.db"), threads, reader)[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    gpusight = os.path.abspath(parser.parse_args().gpusight)
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "trace.db")
        subprocess.run([gpusight, "synth", "demo", "-o", plain], check=True, capture_output=True)
        code, expected, err = analysis(gpusight, plain)
        same("the plain trace is analyzed", 0, code)
        for threads in ("1", "3", "7"):
            same(f"{threads} threads", expected, analysis(gpusight, plain, threads)[1])
        for name, to in SHAPES.items():
            for what, change in (("events", renumber_events), ("stacks", renumber_stacks)):
                where = os.path.join(folder, f"{what} {name}")
                same(f"ids of {what} {name}", (0, expected), variant(gpusight, plain, where, lambda db: change(db, to))[:2])
        where = os.path.join(folder, "shuffled")
        same("events in any order", (0, expected), variant(gpusight, plain, where, shuffle_events)[:2])
        where = os.path.join(folder, "agents")
        code, actual, _ = variant(gpusight, plain, where, many_agents_and_streams)
        same("many agents and streams that nobody uses", (0, without_agent(expected)), (code, without_agent(actual)))
        where = os.path.join(folder, "gpus")
        code, actual, _ = variant(gpusight, plain, where, many_gpus_and_streams)
        told = [r for r in json.loads(actual)["quality"]["reasons"] if "rows without a stream: GPUs times" in r["text"]]
        db = sqlite3.connect(plain)
        rows = sum(db.execute(f'select count(*) from "{table(db, base)}"').fetchone()[0]
                   for base in ("kernel_dispatch", "memory_copy"))
        same("more GPUs times streams than numbers", (0, [rows]), (code, [r["count"] for r in told]))
        where = os.path.join(folder, "shuffled far")
        same("events in any order, all over", (0, expected), variant(
            gpusight, plain, where, lambda db: (renumber_events(db, all_over), renumber_stacks(db, all_over), shuffle_events(db)))[:2])
        check_second_looks(gpusight, folder)
        check_arguments(gpusight, folder)
        check_json(gpusight, folder)
    print(f"{failures} failed" if failures else "all as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
