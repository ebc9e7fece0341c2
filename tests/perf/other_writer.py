#!/usr/bin/env python3
"""Writes rocpd files of a shape that `gpusight synth` does not: for measuring.

    other_writer.py GPUSIGHT OUT.db [--kernels N] [--gpus G] [--streams S] [--threads T] [--names M]
                    [--api A] [--depth D] [--unsorted]

Several GPUs and queues take turns row by row, the ids of calls, kernels and markers stand in blocks
of their own with holes between them, stack ids of markers begin at 2^40, kernels overlap. --streams
is for each GPU, --api calls beside each launch, --depth of markers inside each other. --unsorted
stores the events as a table that somebody copied: ids in any order. Only the empty tables come from
`gpusight synth empty`.
"""
import argparse
import os
import random
import sqlite3
import subprocess

BATCH = 5000
MARKERS_FROM = 1 << 40
COPY_EVERY = 5


def tables(db):
    """The name of each table, by its name without the suffix of the process."""
    out = {}
    for (name,) in db.execute("select name from sqlite_master where type = 'table' and name like 'rocpd~_%' escape '~'"):
        base = name[len("rocpd_"):]
        out[base[:base.rindex("_0")] if "_0" in base else base] = name
    return {k.split("_0")[0]: v for k, v in out.items()}


class Writer:
    def __init__(self, db, options):
        self.db, self.o, self.random = db, options, random.Random(options.seed)
        self.tables = tables(db)
        self.strings = dict((s, i) for i, s in db.execute(f'select id, string from "{self.tables["string"]}"'))
        self.agent = self.some("info_agent", "where type = 'GPU'")
        self.host = self.some("info_agent", "where type = 'CPU'")
        self.process = self.some("info_process")
        self.thread = self.some("info_thread")
        self.rows = {k: [] for k in ("event", "marker_event", "region", "kernel_dispatch", "memory_copy")}
        self.event_id = self.kernel_id = self.region_id = 0
        self.stack = 0

    def some(self, base, where=""):
        cursor = self.db.execute(f'select * from "{self.tables[base]}" {where} limit 1')
        return dict(zip((c[0] for c in cursor.description), cursor.fetchone()))

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = max(self.strings.values(), default=0) + 1
            self.db.execute(f'insert into "{self.tables["string"]}" (id, string) values (?, ?)', (self.strings[text], text))
        return self.strings[text]

    def copies_of(self, base, row, n, change):
        """n rows like this one, which change(row, i) tells apart; their ids."""
        ids = []
        for i in range(n):
            new = dict(row)
            change(new, i)
            ids.append(new["id"])
            keys = [k for k in new if k != "guid"]
            marks = ", ".join("?" * len(keys))
            names = ", ".join(f'"{k}"' for k in keys)
            self.db.execute(f'insert or replace into "{self.tables[base]}" ({names}) values ({marks})', [new[k] for k in keys])
        return ids

    def entities(self):
        o = self.o
        where = {"nid": self.process["nid"], "pid": self.process["id"], "extdata": "{}"}
        self.gpus = self.copies_of("info_agent", self.agent, o.gpus, lambda r, i: r.update(
            id=self.agent["id"] if i == 0 else 1000 + i, absolute_index=1 + i, logical_index=1 + i, type_index=i,
            uuid=(self.agent["uuid"] or 0) + i))
        self.threads = self.copies_of("info_thread", self.thread, o.threads, lambda r, i: r.update(
            id=self.thread["id"] if i == 0 else 500 + 3 * i, tid=self.thread["tid"] + i))
        self.streams = self.copies_of("info_stream", dict(where, name=""), o.streams * o.gpus,
                                      lambda r, i: r.update(id=100 + 7 * i, name=f"stream {i}"))
        self.queues = self.copies_of("info_queue", dict(where, name=""), 4 * o.gpus,
                                     lambda r, i: r.update(id=100 + 5 * i, name=f"queue {i}"))
        code = self.some("info_code_object")["id"]
        symbol = dict(where, code_object_id=code, kernel_name="", display_name="", kernel_object=0, group_segment_size=0,
                      private_segment_size=0, sgpr_count=32, arch_vgpr_count=64, accum_vgpr_count=0)
        verbs = ("advance", "gather", "smooth", "project", "filter", "exchange", "limit", "gemm", "reduce")
        self.symbols = self.copies_of("info_kernel_symbol", symbol, o.names, lambda r, i: r.update(
            id=50 + 3 * i, kernel_name=f"void other::{verbs[i % len(verbs)]}_{i}<double, {i % 5}>(double*, int)",
            display_name=f"void other::{verbs[i % len(verbs)]}_{i}<double, {i % 5}>(double*, int)"))

    def names(self):
        self.nothing = self.string("")
        self.launch, self.sync = self.string("hipLaunchKernel"), self.string("hipStreamSynchronize")
        self.copy, self.calls = self.string("hipMemcpyAsync"), [self.string(f"hip{x}") for x in ("GetDevice", "GetLastError", "EventQuery")]
        self.c_hip, self.c_kernel = self.string("HIP_RUNTIME_API_EXT"), self.string("KERNEL_DISPATCH")
        self.c_copy, self.c_marker = self.string("MEMORY_COPY"), self.string("MARKER_CORE_API")
        self.h2d, self.range = self.string("MEMORY_COPY_HOST_TO_DEVICE"), self.string("roctxThreadRangeA")

    def event(self, category, stack, block):
        """The next event of a block: calls, device work and markers stand apart, with holes."""
        self.event_id += 1
        number = (block << 34) + self.event_id + self.event_id // 9
        self.rows["event"].append((number, category, stack))
        return number

    def call(self, thread, name, ns):
        at = self.now[thread]
        self.now[thread] = at + ns
        self.stack += 1 + self.stack % 3
        self.region_id += 2
        self.rows["region"].append((self.region_id, self.threads[thread], at, at + ns, name, self.event(self.c_hip, self.stack, 0)))
        return self.stack, at + ns

    def marker(self, thread, start, end, text):
        self.event_id += 1
        number = (2 << 34) + self.event_id
        self.rows["marker_event"].append((number, self.c_marker, MARKERS_FROM + self.event_id, '{"message":"%s"}' % text))
        self.region_id += 2
        self.rows["region"].append((self.region_id, self.threads[thread], start, end, self.range, number))

    def step(self, i):
        o, rnd = self.o, self.random
        thread, gpu = i % o.threads, i % o.gpus
        stream = gpu * o.streams + i // o.gpus % o.streams
        for k in range(o.api):
            self.call(thread, self.calls[k % 3], 150 + rnd.randrange(200))
        copies = i % COPY_EVERY == 0
        stack, over = self.call(thread, self.copy if copies else self.launch, 2000 + rnd.randrange(3000))
        start = max(self.free[stream], over + 1500 + rnd.randrange(2000))
        ns = 3000 + rnd.randrange(20000)
        if copies:
            self.rows["memory_copy"].append((3 * i + 1, self.threads[thread], start, start + ns, self.h2d, self.gpus[gpu], self.host["id"],
                                             65536 + 64 * (i % 100), self.streams[stream], self.event(self.c_copy, stack, 1)))
            self.free[stream] = start = start + ns + 500
            stack, over = self.call(thread, self.launch, 3000)
            start = max(start, over + 1500)
        self.kernel_id += 1
        self.rows["kernel_dispatch"].append((
            2 * self.kernel_id, self.threads[thread], self.gpus[gpu], self.symbols[i * 7919 % o.names], self.kernel_id,
            self.queues[gpu * 4 + i % 4], self.streams[stream], start, start + ns, 256, 1, 1, 256 * (64 + i % 8), 1, 1,
            self.event(self.c_kernel, stack, 1)))
        self.free[stream] = start + ns + rnd.randrange(800)
        if i % 200 == 199:
            stack, over = self.call(thread, self.sync, 1000)
            self.now[thread] = max(self.now[thread], self.free[stream])

    def flush(self):
        t, r = self.tables, self.rows
        where = f"{self.process['nid']}, {self.process['id']}"
        many = self.db.executemany
        many(f'insert into "{t["event"]}" (id, category_id, stack_id) values (?, ?, ?)', r["event"])
        many(f'insert into "{t["event"]}" (id, category_id, stack_id, extdata) values (?, ?, ?, ?)', r["marker_event"])
        many(f'insert into "{t["region"]}" (nid, pid, id, tid, start, "end", name_id, event_id) values ({where}, ?, ?, ?, ?, ?, ?)', r["region"])
        many(f'''insert into "{t["kernel_dispatch"]}" (nid, pid, id, tid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start,
             "end", workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, event_id, region_name_id)
             values ({where}, {", ".join("?" * 16)}, {self.nothing})''', r["kernel_dispatch"])
        many(f'''insert into "{t["memory_copy"]}" (nid, pid, id, tid, start, "end", name_id, dst_agent_id, src_agent_id, size, stream_id,
             event_id) values ({where}, {", ".join("?" * 10)})''', r["memory_copy"])
        for rows in r.values():
            rows.clear()

    def write(self):
        o = self.o
        self.entities()
        self.names()
        begin = 10**9 * 3600
        self.now = [begin + 50 * t for t in range(o.threads)]
        self.free = [0] * (o.streams * o.gpus)
        for first in range(0, o.kernels, BATCH):
            starts = list(self.now)
            for i in range(first, min(first + BATCH, o.kernels)):
                self.step(i)
            for thread in range(o.threads):
                for level in range(o.depth):
                    if self.now[thread] - level > starts[thread] + level:
                        self.marker(thread, starts[thread] + level, self.now[thread] - level, f"level {level}")
            self.flush()
        if o.unsorted:
            self.shuffle()

    def shuffle(self):
        name = self.tables["event"]
        self.db.execute(f'create temp table shuffled as select * from "{name}" order by random()')
        columns = ", ".join(f'"{row[1]}"' for row in self.db.execute(f'pragma table_info("{name}")'))
        self.db.execute(f'drop table "{name}"')
        self.db.execute(f'create table "{name}" ({columns})')
        self.db.execute(f'insert into "{name}" select * from shuffled')


def write(gpusight, path, **options):
    o = argparse.Namespace(kernels=100_000, gpus=4, streams=4, threads=2, names=50, api=1, depth=2, unsorted=False, seed=1)
    vars(o).update(options)
    subprocess.run([gpusight, "synth", "empty", "-o", path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    db = sqlite3.connect(path)
    db.execute("pragma journal_mode = off")
    db.execute("pragma synchronous = off")
    db.execute("pragma foreign_keys = off")
    Writer(db, o).write()
    db.commit()
    db.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gpusight")
    parser.add_argument("out")
    for name, default in (("kernels", 100_000), ("gpus", 4), ("streams", 4), ("threads", 2), ("names", 50), ("api", 1), ("depth", 2), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--unsorted", action="store_true")
    o = vars(parser.parse_args())
    if os.path.exists(o["out"]):
        parser.error(f"'{o['out']}' is there already")
    write(o.pop("gpusight"), o.pop("out"), **o)


if __name__ == "__main__":
    main()
