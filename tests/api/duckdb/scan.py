#!/usr/bin/env python3
"""Our tables as DuckDB sees them, through Arrow's C data interface.

    scan.py --gpusight PROGRAM --library LIBRARY --duckdb LIBDUCKDB [--all] [TRACE...]

Every table is scanned by the real library: as the stream that Python hands on, as a stream and as an
array of the C interface. Every value that comes back must be ours. All columns are taken: through its C
interface DuckDB mixes up those of `select a from ...` (its issue 17012), whoever made the stream.
"""
import argparse
import ctypes
import glob
import os
import sqlite3
import subprocess
import sys
import tempfile
from ctypes import byref, c_char_p, c_uint64, c_void_p

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "tools"))
import tell  # noqa: E402
from tell import check, ROOT, TRACES  # noqa: E402


class Result(ctypes.Structure):  # duckdb_result
    _fields_ = [("members", c_uint64 * 3), ("pointers", c_void_p * 3)]


class DuckDB:
    def __init__(self, path):
        lib = self.lib = ctypes.CDLL(path)
        for name, result, *arguments in (
                ("duckdb_library_version", c_char_p), ("duckdb_result_error", c_char_p, c_void_p),
                ("duckdb_value_varchar", c_void_p, c_void_p, c_uint64, c_uint64),
                ("duckdb_row_count", c_uint64, c_void_p), ("duckdb_column_count", c_uint64, c_void_p),
                ("duckdb_free", None, c_void_p), ("duckdb_destroy_arrow_stream", None, c_void_p),
                ("duckdb_arrow_scan", ctypes.c_int, c_void_p, c_char_p, c_void_p),
                ("duckdb_arrow_array_scan", ctypes.c_int, c_void_p, c_char_p, c_void_p, c_void_p, c_void_p)):
            getattr(lib, name).restype, getattr(lib, name).argtypes = result, list(arguments)
        self.db, self.connection = c_void_p(), c_void_p()
        assert lib.duckdb_open(None, byref(self.db)) == 0
        assert lib.duckdb_connect(self.db, byref(self.connection)) == 0
        self.version = lib.duckdb_library_version().decode()
        self.views = 0

    def rows(self, sql):
        r, lib = Result(), self.lib
        if lib.duckdb_query(self.connection, sql.encode(), byref(r)):
            raise RuntimeError(lib.duckdb_result_error(byref(r)).decode(errors="replace"))
        rows = [[self._value(r, column, row) for column in range(lib.duckdb_column_count(byref(r)))]
                for row in range(lib.duckdb_row_count(byref(r)))]
        lib.duckdb_destroy_result(byref(r))
        return rows

    def _value(self, r, column, row):
        at = self.lib.duckdb_value_varchar(byref(r), column, row)
        text = ctypes.string_at(at).decode() if at else None  # must be UTF-8
        self.lib.duckdb_free(at)
        return text

    def view(self):
        self.views += 1
        return f"v{self.views}"

    def scan_stream(self, address):
        name = self.view()
        if self.lib.duckdb_arrow_scan(self.connection, name.encode(), address):
            raise RuntimeError("the stream is refused")
        return name

    def scan_array(self, schema, array):
        name, stream = self.view(), c_void_p()
        if self.lib.duckdb_arrow_array_scan(self.connection, name.encode(), schema,
                                            array, byref(stream)):
            raise RuntimeError("the array is refused")
        return name, stream


def same(ours, theirs):
    """A value of ours, and what DuckDB prints of it."""
    if ours is None or ours != ours or theirs is None:  # not known: NULL, as in the JSON
        return theirs is None and (ours is None or ours != ours)
    if isinstance(ours, bool):
        return theirs == str(ours).lower()
    if isinstance(ours, int):
        return theirs == str(ours)
    if isinstance(ours, float):
        return float(theirs) == ours
    return theirs == ours.split("\0")[0]


def compare(table, rows, what):
    if len(rows) != len(table):
        check(f"{what}: rows", False, (len(rows), len(table)))
        return 0
    for k, column in enumerate(table.columns.values()):
        for i, ours in enumerate(column):
            if not same(ours, rows[i][k]):
                check(f"{what}.{column.name}, row {i}", False, (ours, rows[i][k]))
                break
    return len(rows) * len(table.columns)


def pointer(capsule, name):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    return get(capsule, name)


def release(struct, at):
    """release() of a struct of Arrow's, if nobody has called it."""
    function = c_void_p.from_address(ctypes.addressof(struct) + at).value
    if function:
        ctypes.CFUNCTYPE(None, c_void_p)(function)(ctypes.addressof(struct))


def check_table(duck, lib, table, what):
    """Through Python's capsule, and through both functions of the C interface."""
    capsule = table.__arrow_c_stream__()
    view = duck.scan_stream(pointer(capsule, b"arrow_array_stream"))
    n = compare(table, duck.rows(f"select * from {view}"), what)
    duck.rows(f"drop view {view}")
    stream, schema, array = (ctypes.create_string_buffer(size) for size in (40, 72, 80))
    assert lib.gs_table_arrow_stream(table._run._handle, table._raw, stream, None)
    view = duck.scan_stream(ctypes.addressof(stream))
    n += compare(table, duck.rows(f"select * from {view}"), what + ", C stream")
    duck.rows(f"drop view {view}")
    release(stream, 24)
    assert lib.gs_table_arrow(table._run._handle, table._raw, schema, array, None)
    view, made = duck.scan_array(ctypes.addressof(schema), ctypes.addressof(array))
    n += compare(table, duck.rows(f"select * from {view}"), what + ", C array")
    duck.rows(f"drop view {view}")
    duck.lib.duckdb_destroy_arrow_stream(byref(made))
    release(array, 64)
    release(schema, 56)
    return n


def check_run(duck, gpusight, path):
    run, what = gpusight.open(path, progress=False), os.path.basename(path)
    n = sum(check_table(duck, gpusight._lib.lib, run[name], f"{what}: {name}") for name in run.tables)
    check(f"{what}: {n} values of {len(run.tables)} tables", n > 0)


def check_questions(duck, gpusight, path):
    """What people ask; and a table of a query, whose run is gone."""
    run = gpusight.open(path, progress=False)
    capsule = run.kernels.__arrow_c_stream__()
    expected = {h["name"]: [str(h["calls"]), str(h["total_duration_ns"])] for h in run.hotspots}
    del run
    view = duck.scan_stream(pointer(capsule, b"arrow_array_stream"))
    duck.rows(f"create table kernels as select * from {view}")
    found = duck.rows("select name, count(*), sum(end_ns - start_ns) from kernels group by name")
    check("sums by name are the hotspots'", {r[0]: r[1:] for r in found} == expected, found)
    duck.rows(f"drop view {view}")
    run = gpusight.open(path, progress=False)
    asked = run.query("select 1 as a, null as b, 'x' as c, 1.5 as d union all select 2, 7, null, null")
    check_table(duck, gpusight._lib.lib, asked, "a result of SQL")
    capsule = asked.__arrow_c_stream__()
    del asked, run
    view = duck.scan_stream(pointer(capsule, b"arrow_array_stream"))
    check("a result outlives its run", duck.rows(f"select * from {view}") ==
          [["1", None, "x", "1.5"], ["2", "7", None, None]])


def make_malformed(path):
    """Names that are no UTF-8, in every way to be none."""
    db = sqlite3.connect(path)
    table = [r[0] for r in db.execute("select name from sqlite_master where type = 'table' and "
                                      "name like 'rocpd_info_kernel_symbol%'")][0]
    for i, name in enumerate(("66ff6f80c3", "c080", "eda080", "f09f98", "e282"), 1):
        db.execute(f"update {table} set display_name = cast(x'{name}' as text), "
                   f"kernel_name = cast(x'{name}' as text) where id = {i}")
    db.commit()
    db.close()


def main():
    p = argparse.ArgumentParser()
    for name in ("gpusight", "library", "duckdb"):
        p.add_argument("--" + name, required=True)
    p.add_argument("--all", action="store_true", help="every real trace")
    p.add_argument("traces", nargs="*")
    o = p.parse_args()
    os.environ["GPUSIGHT_LIBRARY"] = os.path.abspath(o.library)
    sys.path.insert(0, os.path.join(ROOT, "python"))
    sys.dont_write_bytecode = True
    import gpusight
    duck = DuckDB(o.duckdb)
    print(f"DuckDB {duck.version}")
    with tempfile.TemporaryDirectory() as folder:
        made = []
        for name, *more in (("demo",), ("demo", "--format", "nsys"), ("hostile_names",), ("counters", "--set", "n=40"),
                            ("telemetry",), ("odd_durations",), ("empty",)):
            made.append(os.path.join(folder, f"{name}{len(made)}"))
            subprocess.run([o.gpusight, "synth", name, "-o", made[-1], *more], check=True, capture_output=True)
        malformed = os.path.join(folder, "malformed.db")
        subprocess.run([o.gpusight, "synth", "demo", "-o", malformed], check=True, capture_output=True)
        make_malformed(malformed)
        real = [f for f in sorted(glob.glob(os.path.join(TRACES, "**", "*.*"), recursive=True))
                if o.all and f.endswith((".db", ".sqlite", ".json", ".json.gz", ".rpd")) and os.path.getsize(f) < 2000000]
        for path in o.traces or made + [malformed] + real:
            try:
                check_run(duck, gpusight, path)
            except (gpusight.NothingToAnalyzeError, gpusight.FormatError):
                check("only what is no trace is left out", path in real or "empty" in path, path)
        check_questions(duck, gpusight, made[0])
    sys.exit(tell.failures > 0)


main()
