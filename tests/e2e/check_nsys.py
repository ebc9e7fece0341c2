#!/usr/bin/env python3
"""Compares gpusight with what SQL says about real Nsight Systems exports, row by row.

    check_nsys.py --gpusight build/src/cli/gpusight

Every .sqlite below nsys/ in the traces is read twice (--reader=check) and dumped; the rows must be
those a plain query gives. One of them is also compared with the listing NVIDIA's own tool made.
Skipped (exit code 77) where there are no traces; GPUSIGHT_TRACES says where they are.
"""
import argparse
import collections
import csv
import glob
import io
import json
import os
import re
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TRACES = os.environ.get("GPUSIGHT_TRACES") or os.path.join(ROOT, "..", "shared", "traces")
SKIP = 77

KINDS = {0: "unknown", 1: "host to device", 2: "device to host", 3: "host to device",
         4: "device to host", 5: "device to device", 6: "device to device", 7: "device to device",
         8: "device to device", 9: "host to host", 10: "peer to peer", 11: "host to device",
         12: "device to host", 13: "device to device"}
MEMORY = {0: "pageable", 1: "pinned", 2: "device", 3: "device", 4: "managed", 5: "device",
          6: "managed", 7: ""}
REGION_TABLES = [("CUPTI_ACTIVITY_KIND_RUNTIME", "nameId"), ("MPI_P2P_EVENTS", "textId"),
                 ("MPI_COLLECTIVES_EVENTS", "textId"), ("MPI_START_WAIT_EVENTS", "textId"),
                 ("MPI_OTHER_EVENTS", "textId"), ("OSRT_API", "nameId")]
LINK = """(SELECT r.{what} FROM CUPTI_ACTIVITY_KIND_RUNTIME r WHERE r.correlationId=x.correlationId
          AND r.globalTid>>24=x.globalPid>>24)"""


class Gpusight:
    def __init__(self, program):
        self.program = program

    def run(self, *args):
        done = subprocess.run([self.program, *args], capture_output=True, timeout=300)
        if done.returncode:
            sys.exit(f"gpusight {' '.join(args)}: {done.stderr.decode()}")
        return done.stdout.decode("utf-8", "surrogateescape")

    def dump(self, path, table, *args):
        text = self.run("dump", "--csv", "--table", table, *args, path)
        return list(csv.DictReader(io.StringIO(text, newline="")))

    def info(self, path):
        return json.loads(self.run("info", "--json", "--reader=check", path))


class Database:
    def __init__(self, path):
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.db.text_factory = lambda b: b.decode("utf-8", "surrogateescape")
        self.tables = {r[0] for r in self.db.execute(
            "SELECT name FROM sqlite_master WHERE type='table'")}

    def rows(self, sql):
        return self.db.execute(sql).fetchall()

    def count(self, table, where="1"):
        return self.rows(f'SELECT count(*) FROM "{table}" WHERE {where}')[0][0] \
            if table in self.tables else 0


def clean(name):
    return re.sub(r"(_ptsz|_ptds)?(_v\d+)?$", "", name) if re.match(r"cuda|cu[A-Z]", name) else name


def text(value):
    return "" if value is None else str(value)


def same(what, expected, actual):
    """Row by row; says which row differs first."""
    for i, (e, a) in enumerate(zip(expected, actual)):
        if list(map(text, e)) != list(map(text, a)):
            sys.exit(f"{what}, row {i}: expected {e}, got {a}")
    if len(expected) != len(actual):
        sys.exit(f"{what}: expected {len(expected)} rows, got {len(actual)}")


def link(db, what):
    return LINK.format(what=what) if "CUPTI_ACTIVITY_KIND_RUNTIME" in db.tables else "NULL"


def check_kernels(db, gpusight, path):
    if "CUPTI_ACTIVITY_KIND_KERNEL" not in db.tables:
        return same("kernels", [], gpusight.dump(path, "kernels"))
    expected = db.rows(f"""SELECT start, end, end-start, correlationId,
        (SELECT value FROM StringIds WHERE id=demangledName),
        (SELECT value FROM StringIds WHERE id=mangledName), globalPid>>24&0xffffff, streamId,
        {link(db, 'globalTid&0xffffff')}, gridX*blockX, gridY*blockY, gridZ*blockZ, blockX, blockY,
        blockZ, staticSharedMemory+dynamicSharedMemory, localMemoryPerThread, registersPerThread
        FROM CUPTI_ACTIVITY_KIND_KERNEL x ORDER BY x.rowid""")
    keys = ("start_ns end_ns duration_ns id name mangled pid stream tid grid_x grid_y grid_z group_x "
            "group_y group_z lds_bytes scratch_bytes vgprs").split()
    rows = gpusight.dump(path, "kernels")
    same("kernels", expected, [[r[k] for k in keys] for r in rows])
    calls = gpusight.dump(path, "regions")
    for r in rows:
        if r["call_row"] and calls[int(r["call_row"])]["id"] != r["id"]:
            sys.exit(f"kernel {r['row']} is linked to a call with another correlation id")
        if r["call_row"] and calls[int(r["call_row"])]["pid"] != r["pid"]:
            sys.exit(f"kernel {r['row']} is linked to a call of another process")


def check_copies(db, gpusight, path):
    expected = []
    if "CUPTI_ACTIVITY_KIND_MEMCPY" in db.tables:
        for r in db.rows("""SELECT start, end, correlationId, copyKind, bytes,
                globalPid>>24&0xffffff, streamId, srcKind, dstKind
                FROM CUPTI_ACTIVITY_KIND_MEMCPY ORDER BY rowid"""):
            expected.append((*r[:3], KINDS[r[3]], *r[4:7], MEMORY[r[7]], MEMORY[r[8]]))
    if "CUPTI_ACTIVITY_KIND_MEMSET" in db.tables:
        for r in db.rows("""SELECT start, end, correlationId, 'memset', bytes,
                globalPid>>24&0xffffff, streamId, '', memKind
                FROM CUPTI_ACTIVITY_KIND_MEMSET ORDER BY rowid"""):
            expected.append((*r[:8], MEMORY[r[8]]))
    keys = "start_ns end_ns id kind bytes pid stream src_memory dst_memory".split()
    same("copies", expected, [[r[k] for k in keys] for r in gpusight.dump(path, "copies")])


def check_regions(db, gpusight, path):
    expected = []
    for table, name in REGION_TABLES:
        if table in db.tables:
            expected += [(*r[:2], clean(r[2]), *r[3:]) for r in db.rows(
                f"""SELECT start, end, (SELECT value FROM StringIds WHERE id={name}),
                globalTid>>24&0xffffff, globalTid&0xffffff FROM {table} ORDER BY rowid""")]
    keys = "start_ns end_ns name pid tid".split()
    same("regions", expected, [[r[k] for k in keys] for r in gpusight.dump(path, "regions")])


def check_markers(db, gpusight, path):
    expected = []
    if "NVTX_EVENTS" in db.tables:
        expected = db.rows("""SELECT start, end, coalesce(text, (SELECT value FROM StringIds WHERE
            id=textId)), globalTid>>24&0xffffff, globalTid&0xffffff FROM NVTX_EVENTS WHERE eventType
            IN (34, 59, 60) ORDER BY rowid""")
    keys = "start_ns end_ns name pid tid".split()
    same("markers", expected, [[r[k] for k in keys] for r in gpusight.dump(path, "markers")])


def check_info(db, gpusight, path):
    info = gpusight.info(path)
    counts = info["counts"]
    regions = sum(db.count(t) for t, _ in REGION_TABLES)
    markers = db.count("NVTX_EVENTS", "eventType IN (34, 59, 60)")
    for key, expected in (
            ("kernels", db.count("CUPTI_ACTIVITY_KIND_KERNEL")),
            ("copies", db.count("CUPTI_ACTIVITY_KIND_MEMCPY") + db.count("CUPTI_ACTIVITY_KIND_MEMSET")),
            ("markers", markers), ("regions", regions + markers)):
        if counts[key] != expected:
            sys.exit(f"{path}: info counts {counts[key]} {key}, SQL {expected}")
    version = dict(db.rows("SELECT name, value FROM META_DATA_EXPORT"))["EXPORT_SCHEMA_VERSION"]
    if version not in json.dumps(info):
        sys.exit(f"{path}: info does not know schema {version}")


def read_listing(path):
    """Pairs of Enter and Leave rows, as (name, row of Enter, end)."""
    with open(path, newline="", encoding="utf-8") as f:
        return [(r["Name"], r, int(r["_matching_timestamp"]))
                for r in csv.DictReader(f) if r["Event Type"] == "Enter"]


def check_listing(gpusight, path):
    """NVIDIA's own listing of GPU work and API calls of the same run."""
    base = path[:-len(".sqlite")]
    if not os.path.exists(base + ".gpu_trace.csv"):
        return False
    kinds = {"CUDA_MEMCPY_KIND_HTOD": "host to device", "CUDA_MEMCPY_KIND_DTOH": "device to host"}
    listed = collections.Counter()
    for name, r, end in read_listing(base + ".gpu_trace.csv"):
        size = str(int(float(r["bytes"]))) if r["bytes"] else ""
        listed[kinds.get(name, name), r["streamId"], size, int(r["Timestamp (ns)"]), end] += 1
    ours = collections.Counter()
    for r in gpusight.dump(path, "kernels"):
        short = re.search(r"(\w+)<", r["name"])[1]
        ours[short, r["stream"], "", int(r["start_ns"]), int(r["end_ns"])] += 1
    for r in gpusight.dump(path, "copies"):
        ours[r["kind"], r["stream"], r["bytes"], int(r["start_ns"]), int(r["end_ns"])] += 1
    if listed != ours:
        sys.exit(f"{path}: GPU work differs from the listing: {list((listed - ours).items())[:3]} "
                 f"missing, {list((ours - listed).items())[:3]} too many")
    calls = collections.Counter(
        (clean(name), r["Process"], r["Thread"], int(r["Timestamp (ns)"]), end)
        for name, r, end in read_listing(base + ".api_trace.csv"))
    ours = collections.Counter(
        (r["name"], r["pid"], r["tid"], int(r["start_ns"]), int(r["end_ns"]))
        for r in gpusight.dump(path, "regions") if r["kind"] in ("runtime API", "driver API"))
    if calls != ours:
        sys.exit(f"{path}: calls differ from the listing: {list((calls - ours).items())[:3]} missing")
    return True


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", default=os.path.join(ROOT, "build/src/cli/gpusight"))
    gpusight = Gpusight(args.parse_args().gpusight)
    files = sorted(glob.glob(os.path.join(TRACES, "nsys", "*.sqlite")))
    if not files:
        print(f"skipped: no Nsight Systems files below '{TRACES}', see GPUSIGHT_TRACES")
        return SKIP
    for path in files:
        db = Database(path)
        for check in (check_info, check_kernels, check_copies, check_regions, check_markers):
            check(db, gpusight, path)
        listing = check_listing(gpusight, path)
        print(f"ok - {os.path.basename(path)}{', and the listing beside it' if listing else ''}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
