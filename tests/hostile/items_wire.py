"""Files that cost more than they weigh: texts that stand once and are used by every event, packets in
packets, lists that are searched for each of their members, columns that are there again and again."""
import os
import sqlite3
import struct
import zlib

import seeds
from hostile import item

LONG = 1000000
MANY = 40000


def _varint(n):
    n &= 2**64 - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def _f(number, value):
    """A field: a number, or bytes."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    if isinstance(value, float):
        return _varint(number << 3 | 1) + struct.pack("<d", value)
    value = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _write(folder, name, *parts):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(b"".join(parts))
    return path


# ---- XPlane

def _plane(name, kinds, stats, events, *more):
    lines = _f(3, _f(1, 7) + _f(2, "Stream #7(Compute)") + _f(3, 1000) + b"".join(_f(4, e) for e in events))
    return _f(1, _f(2, name) + b"".join(_f(4, _f(1, k) + _f(2, v)) for k, v in kinds.items())
              + b"".join(_f(5, _f(1, k) + _f(2, _f(2, v))) for k, v in stats.items()) + lines + b"".join(more))


def xplane_long_name(folder):
    """A name of a megabyte that every event has."""
    events = [_f(1, 1) + _f(2, i * 10**6) + _f(3, 5 * 10**5) for i in range(MANY)]
    return _write(folder, "a.xplane.pb", _plane("/device:GPU:0", {1: _f(1, 1) + _f(2, "k" * LONG)}, {}, events))


def xplane_many_values(folder):
    """A kind of event with a hundred thousand values, which belong to each event of it."""
    values = b"".join(_f(5, _f(1, 9) + _f(4, i)) for i in range(100000))
    events = [_f(1, 1) + _f(2, i * 10**6) + _f(3, 5 * 10**5) for i in range(MANY)]
    return _write(folder, "a.xplane.pb", _plane("/device:GPU:0", {1: _f(1, 1) + _f(2, "k") + values},
                                                {9: "correlation_id"}, events))


def xplane_long_details(folder):
    """Details of a kernel that take a megabyte, by reference."""
    events = [_f(1, 1) + _f(2, i * 10**6) + _f(3, 5 * 10**5) + _f(4, _f(1, 9) + _f(7, 8)) for i in range(MANY)]
    return _write(folder, "a.xplane.pb", _plane("/device:GPU:0", {1: _f(1, 1) + _f(2, "k")}, {
        9: "kernel_details", 8: "grid:" + "1" * LONG + ",1,1 block:64,1,1"}, events))


# ---- Perfetto

def _packet(ts, *fields, sequence=1):
    return _f(1, _f(8, ts) + _f(10, sequence) + b"".join(fields))


def _track(uuid, name, *more):
    return _f(1, _f(10, 1) + _f(60, _f(1, uuid) + _f(2, name) + b"".join(more)))


def _texts(**lists):
    """Interned: categories (1), names (2), keys (3), texts (29)."""
    numbers = {"categories": 1, "names": 2, "keys": 3, "texts": 29}
    return _packet(1, _f(12, b"".join(_f(numbers[k], _f(1, i + 1) + _f(2, v)) for k, all_ in lists.items()
                                      for i, v in enumerate(all_))))


def _slice(ts, name=1, category=1, track=5, *notes):
    begin = _f(9, 1) + _f(3, category) + _f(10, name) + _f(11, track) + b"".join(notes)
    return _packet(ts, _f(11, begin)) + _packet(ts + 500, _f(11, _f(9, 2) + _f(11, track)))


def perfetto_long_track(folder):
    """Kernels on a track with a name of a megabyte."""
    return _write(folder, "a.pftrace", _texts(categories=["kernel_dispatch"], names=["k"]), _track(5, "t" * LONG),
                  *(_slice(i * 1000) for i in range(MANY)))


def perfetto_long_copies(folder):
    """Copies whose operation is a text of a megabyte."""
    return _write(folder, "a.pftrace", _texts(categories=["memory_copy"], names=["c" * LONG], keys=["operation"],
                                              texts=["o" * LONG]), _track(5, "t"),
                  *(_slice(i * 1000, 1, 1, 5, _f(4, _f(1, 1) + _f(17, 1))) for i in range(MANY)))


def perfetto_long_numbers(folder):
    """Numbers that are texts, of a million digits."""
    keys = ["grid_size", "workgroup_size", "corr_id", "stream_id", "queue", "tid", "kernel_id", "bytes", "agent"]
    notes = [_f(4, _f(1, i + 1) + _f(17, 1)) for i in range(len(keys))]
    return _write(folder, "a.pftrace", _texts(categories=["kernel_dispatch"], names=["k"], keys=keys,
                                              texts=["0" * LONG]), _track(5, "t"),
                  *(_slice(i * 1000, 1, 1, 5, *notes) for i in range(MANY)))


def perfetto_many_devices(folder):
    """As many GPUs as there are numbers for, described again and again."""
    at = _texts(categories=["device"], names=["d"], keys=["gpu"])
    note = lambda i: _packet(i, _f(11, _f(9, 3) + _f(3, 1) + _f(10, 1) + _f(11, 5) + _f(4, _f(1, 1) + _f(4, i % 65536))))
    return _write(folder, "a.pftrace", at, _track(5, "t"), *(note(i) for i in range(200000)))


def perfetto_long_parent(folder):
    """Tracks below one with a name of a megabyte."""
    return _write(folder, "a.pftrace", _texts(categories=["hip_api"], names=["k"]), _track(5, "t" * LONG),
                  *(_track(6 + i, "x", _f(5, 5)) for i in range(MANY)), _slice(1000, 1, 1, 6))


def perfetto_long_counter(folder):
    """Counters of kernels, on a track with a name of a megabyte."""
    points = (_packet(i * 1000, _f(11, _f(9, 4) + _f(11, 6) + _f(30, i))) for i in range(MANY))
    return _write(folder, "a.pftrace", _texts(categories=["kernel_dispatch"], names=["k"]), _track(5, "t"),
                  _track(6, "Agent [0] PMC " + "C" * LONG, _f(8, b"")), *(_slice(i * 1000) for i in range(MANY)), *points)


def perfetto_counters_alone(folder):
    """Counters of GPUs of which nothing else is told, each of another one: lists grow while they are looked at."""
    points = (_packet(i * 1000, _f(11, _f(9, 4) + _f(11, 6 + i) + _f(30, 2**63 - i))) for i in range(300))
    return _write(folder, "a.pftrace", _texts(categories=["user"], names=["k"]), _track(5, "t"), _slice(1000),
                  *(_track(6 + i, f"GPU [{i}] temperature", _f(8, b"")) for i in range(300)), *points)


def otf2_counters_alone(folder):
    """The same as an archive, where the program makes one."""
    path = perfetto_counters_alone(folder)
    return seeds.converted_or_not(path, "otf2", f"{folder}/a.otf2")


def perfetto_sequences(folder):
    """A writer of its own for every packet."""
    return _write(folder, "a.pftrace", *(_packet(i, _f(11, _f(9, 3) + _f(23, "x")), sequence=i + 1)
                                         for i in range(200000)))


@item(damaged=True)
def perfetto_packed_bomb(folder):
    """Packets in packets: 400 kB that are 400 MB."""
    inner = zlib.compress(_packet(5, _f(11, _f(9, 3) + _f(23, "x") + _f(11, 5))) * 700000, 9)
    return _write(folder, "a.pftrace", _packet(1, _f(11, _f(9, 3) + _f(23, "x"))), *[_f(1, _f(50, inner))] * 30)


# ---- the same in tables

@item(damaged=True)
def sums_many_columns(folder):
    """A column 253 times: each row of bars is 253 lines."""
    head = " | ".join(["LABEL", "COUNT"] + ["METRIC"] * 253)
    return _write(folder, "wall_clock.txt", f"|{head}|\n".encode(), ("|" * 256 + "\n").encode() * 8000)


@item(damaged=True)
def sums_many_values(folder):
    """Lines with 64 values each, of two bytes a value."""
    one = '{"prefix":"","entry":{"repr_data":[' + ",".join("0" * 64) + "]}}"
    return _write(folder, "wall_clock.json", ('{"timemory":{"m":{"ranks":[{"graph":[' + ",".join([one] * 13000)
                                              + "]}]}}}").encode())


@item(damaged=True)
def sums_long_names(folder):
    """Names of a megabyte that all rows of a database of rocprof-compute refer to."""
    path = seeds.compute_db(os.path.join(folder, "c.db"))
    db = sqlite3.connect(path)
    db.execute("UPDATE compute_metric_definition SET name=?", ("n" * LONG,))
    db.execute("UPDATE compute_kernel SET kernel_name=?", ("k" * LONG,))
    db.executemany("INSERT INTO compute_kernel_metric_value VALUES(7,1,'Avg',1.5)", [()] * 20000)
    db.executemany("INSERT INTO compute_dispatch VALUES(1,?,0,5,6)", [(i,) for i in range(20000)])
    db.commit()
    db.close()
    return path


def rocpd_long_names(folder):
    """Texts of a megabyte that all kernels, calls and markers refer to."""
    path = seeds.synth(os.path.join(folder, "a.db"), "tiny_kernels", "--set", "n=4000")
    db = sqlite3.connect(path)
    table = next(n for n, in db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_string%' AND type='table'"))
    db.execute(f'UPDATE "{table}" SET string = string || ? WHERE length(string) > 3', ("x" * 20000,))
    table = next(n for n, in db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_info_kernel_symbol%' "
                                        "AND type='table'"))
    db.execute(f'UPDATE "{table}" SET kernel_name = kernel_name || ?1, display_name = display_name || ?1', ("x" * LONG,))
    db.commit()
    db.close()
    return path


@item(heavy=True)
def rocpd_marker_names(folder):
    """Markers, all of them calls of one function with a name of a megabyte."""
    path = os.path.join(folder, "a.db")
    seeds.rocpd(path)
    db = sqlite3.connect(path)
    table = {n.rsplit("_", 5)[0]: n for n, in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
    region, string = table["rocpd_region"], table["rocpd_string"]
    names = [r[1] for r in db.execute(f'PRAGMA table_info("{region}")')]
    first, = db.execute(f'SELECT min(id) FROM "{region}"').fetchone()
    db.execute(f'UPDATE "{string}" SET string = ? WHERE id = (SELECT name_id FROM "{region}" WHERE id = ?)', ("r" * LONG, first))
    rows = ", ".join("1000000 + i" if n == "id" else f"{n} + 10 * i" if n in ("start", "end") else f'"{n}"' for n in names)
    db.execute(f'WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) '
               f'INSERT INTO "{region}" SELECT {rows} FROM n, "{region}" WHERE id = ?', (first,))
    db.commit()
    db.close()
    return path


@item(damaged=True)
def fleet_shared_pages(folder):
    """A database of `collect` whose runs are reached in 60 to the power of 14 ways."""
    path, size = os.path.join(folder, "f.db"), 1024
    seeds.fleet(path)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(f"PRAGMA page_size={size}")
    db.execute("VACUUM")
    db.execute("CREATE TABLE zz(a)")
    db.executemany("INSERT INTO zz VALUES(?)", [("q" * 900,)] * 60)
    root, = db.execute("SELECT rootpage FROM sqlite_master WHERE name='gpusight_run'").fetchone()
    db.close()
    data = bytearray(open(path, "rb").read())
    page = lambda i: slice((i - 1) * size, i * size)
    spare = [i for i in range(2, len(data) // size + 1) if data[page(i)][200:210] == b"q" * 10][:14]

    def interior(child, cells=60):
        made = bytearray(size)
        struct.pack_into(">BHHHB", made, 0, 5, 0, cells, size - cells * 5, 0)
        struct.pack_into(">I", made, 8, child)
        for c in range(cells):
            struct.pack_into(">H", made, 12 + 2 * c, size - (c + 1) * 5)
            struct.pack_into(">IB", made, size - (c + 1) * 5, child, 1)
        return made
    data[page(spare[-1])] = data[page(root)]
    for at, below in zip([root] + spare[:-1], spare):
        data[page(at)] = interior(below)
    return _write(folder, "f.db", bytes(data))


def otf2_many_locations(folder):
    """An archive that claims half a million locations, each of which takes a reader."""
    path = seeds.otf2(os.path.join(folder, "otf2"))
    anchors = [f for f in os.listdir(path) if f.endswith(".otf2")]
    for name in anchors:  # none in a build without libotf2
        with open(os.path.join(path, name), "r+b") as f:
            f.seek(30)
            f.write(struct.pack("<Q", 500000))
    return path
