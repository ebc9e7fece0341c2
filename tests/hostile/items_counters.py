"""Counters of kernels: values at the ends of what a number can be, many of them, long names."""
import sqlite3

import seeds
from items_wire import _f, _packet, _slice, _texts, _track, _write

MANY, LONG = 100000, 65536
VALUES = ["nan", "-nan", "inf", "-inf", "Infinity", "-0.0", "1e308", "-1e308", "1e309", "4.9e-324", "9223372036854775807",
          "9223372036854775808", "-9223372036854775808", "18446744073709551615", "1e19", "0x7fffffffffffffff", "", "x", "1,5",
          "1" * 400]
DESCRIPTION = """gpu MI300X
stream work
counter SQ_WAVES = 1000
counter GRBM_GUI_ACTIVE = 90000
counter TCC_HIT_sum = 5
counter SQ_INSTS_VALU = 7 instances=2
kernel axpy vgpr=16 wg=256 blocks=1216 dur=40us~5%
loop 40 as i { launch axpy stream=work }
sync stream=work
"""
HEAD = ("Correlation_Id Dispatch_Id Agent_Id Queue_Id Process_Id Thread_Id Grid_Size Kernel_Id Kernel_Name Workgroup_Size "
        "LDS_Block_Size Scratch_Size VGPR_Count Accum_VGPR_Count SGPR_Count Counter_Name Counter_Value Start_Timestamp "
        "End_Timestamp").split()


def _synth(folder, name, form):
    text = seeds.write_text(f"{folder}/x.trace", DESCRIPTION)
    return seeds.synth(f"{folder}/{name}", text, "--format", form)


def _table(db, like):
    return db.execute("SELECT name FROM sqlite_master WHERE type='table' AND name LIKE ?", (like,)).fetchone()[0]


def counters_rocpd(folder):
    """Infinite, tiny and far values, texts and NULL, of a rocpd database."""
    path = _synth(folder, "a.db", "rocpd")
    db = sqlite3.connect(path)
    table = _table(db, "rocpd_pmc_event%")
    values = [float("inf"), float("-inf"), -0.0, 1e308, -1e308, 5e-324, 2**63 - 1, -2**63, None, "nan", "1e999", b"\0\xff",
              float("nan"), 1e19]
    for i, v in enumerate(values):
        db.execute(f'UPDATE OR IGNORE "{table}" SET value = ? WHERE rowid % {len(values)} = {i}', (v,))
    db.commit()
    db.close()
    return path


def counters_rocpd_many(folder):
    """As many counters as rows, in a rocpd database."""
    path = _synth(folder, "a.db", "rocpd")
    db = sqlite3.connect(path)
    info, rows = _table(db, "rocpd_info_pmc%"), _table(db, "rocpd_pmc_event%")
    names = [r[1] for r in db.execute(f'PRAGMA table_info("{info}")')]
    others = ", ".join(f'"{n}"' for n in names if n not in ("id", "symbol", "name"))
    db.execute(f'''WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {MANY})
        INSERT INTO "{info}"(id, symbol, name, {others}) SELECT 1000 + i, 'C' || i, 'C' || i, {others} FROM n,
        (SELECT * FROM "{info}" LIMIT 1)''')
    names = [r[1] for r in db.execute(f'PRAGMA table_info("{rows}")')]
    others = ", ".join(f'"{n}"' for n in names if n not in ("id", "pmc_id"))
    db.execute(f'''WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {MANY})
        INSERT INTO "{rows}"(id, pmc_id, {others}) SELECT 1000000 + i, 1000 + i, {others} FROM n,
        (SELECT * FROM "{rows}" LIMIT 1)''')
    db.commit()
    db.close()
    return path


def counters_rocpd_names(folder):
    """Counters with names of 64 kB, one of them with escapes and markup."""
    path = _synth(folder, "a.db", "rocpd")
    db = sqlite3.connect(path)
    info = _table(db, "rocpd_info_pmc%")
    for i, (key,) in enumerate(db.execute(f'SELECT id FROM "{info}"').fetchall()):
        name = "\x1b[31m<img src=x onerror=__pwned>\u202e" if i == 1 else f"{i}" + "N" * LONG
        db.execute(f'UPDATE "{info}" SET symbol = ?, name = ?, description = ?, expression = ? WHERE id = ?',
                   (name, name, name, name, key))
    db.commit()
    db.close()
    return path


def counters_json(folder):
    """The same values in the JSON of rocprofv3, as numbers that JSON has and as words that it has not."""
    path = _synth(folder, "a.json", "rocprofv3-json")
    text, count = open(path, encoding="utf-8").read(), 0
    parts = text.split('"value":')
    for i in range(1, len(parts)):
        end = min(x for x in (parts[i].find(","), parts[i].find("}")) if x >= 0)
        value = VALUES[i % len(VALUES)]
        parts[i] = (value if value[-1:].isdigit() and "x" not in value and "," not in value else f'"{value}"') + parts[i][end:]
        count += 1
    assert count
    return seeds.write_text(path, '"value":'.join(parts))


def _collection(folder, rows):
    path = seeds.rocprofv3_csv(f"{folder}/csv", rows=40)
    seeds.write_csv(f"{path}/1_counter_collection.csv", [HEAD] + [
        [i % 40, i % 40, "Agent 4", 1, 70, 77, 1024, 10, seeds.KERNEL, 64, 0, 0, 8, 0, 16, name, value,
         10**9 + i % 40 * 9000, 10**9 + i % 40 * 9000 + 7000] for i, (name, value) in enumerate(rows)])
    return path


def counters_csv(folder):
    """The same values in the tables of rocprofv3."""
    return _collection(folder, [(f"SQ_WAVES{'' if i % 2 else i % 5}", VALUES[i % len(VALUES)]) for i in range(400)])


def counters_csv_many(folder):
    """As many counters as rows, there."""
    return _collection(folder, [(f"C{i}", i) for i in range(MANY)])


def counters_csv_names(folder):
    """Names of 64 kB, there."""
    return _collection(folder, [(f"{i % 20}" + "N" * LONG, i) for i in range(60)])


def counters_v1(folder):
    """The same values as columns of the older rocprof, and ten thousand columns."""
    rows = [line.split(",") for line in open(seeds.rocprof_v1(f"{folder}/results.csv"), encoding="utf-8").read().split()]
    at = rows[0].index("SQ_WAVES")
    names = [f"SQ_C{i}" for i in range(10000)]
    wide = [rows[0][:at] + names + rows[0][at:]]
    for i, row in enumerate(rows[1:]):
        wide.append(row[:at] + [VALUES[(i + k) % len(VALUES)] for k in range(len(names))] + row[at:])
    return seeds.write_csv(f"{folder}/results.csv", wide)


def counters_workload(folder):
    """The same values in a workload of rocprof-compute."""
    path = seeds.workload(f"{folder}/w")
    head, *rows = [line.split(",") for line in open(f"{path}/pmc_perf.csv", encoding="utf-8").read().split()]
    for i, row in enumerate(rows):
        for k in range(head.index("SQ_WAVES"), len(row)):
            row[k] = VALUES[(i * 5 + k) % len(VALUES)]
    seeds.write_csv(f"{path}/pmc_perf.csv", [head] + rows)
    return path


def counters_perfetto(folder):
    """A track for every counter, whole and real values of every size."""
    import struct
    reals = [float("nan"), float("inf"), float("-inf"), -0.0, 1e308, 5e-324]
    points = []
    for i in range(2000):
        value = _f(30, 2**64 - 1 - i) if i % 2 else b"\xe1\x02" + struct.pack("<d", reals[i // 2 % len(reals)])  # field 44
        points.append(_packet(i * 1000, _f(11, _f(9, 4) + _f(11, 6 + i) + value)))
    return _write(folder, "a.pftrace", _texts(categories=["kernel_dispatch"], names=["k"]), _track(5, "t"),
                  *(_track(6 + i, f"Agent [0] PMC C{i}", _f(8, b"")) for i in range(2000)),
                  *(_slice(i * 1000) for i in range(50)), *points)


def counters_chrome(folder):
    """Counter events with every value, many series in one event, a series for each event."""
    words = ["NaN", "Infinity", "-Infinity", "-0.0", "1e308", "1e999", "9223372036854775808", '"x"', "null", "[]", "{}"]
    points = [f'{{"ph":"C","name":"m{i % 3}","pid":1,"ts":{i},"args":{{"a":{w},"s{i}":1}}}}' for i in range(3000)
              for w in [words[i % len(words)]] if w not in ("NaN", "Infinity", "-Infinity") or not i % 7]
    wide = '{"ph":"C","name":"wide","pid":1,"ts":5,"args":{' + ",".join(f'"k{i}":{i}' for i in range(20000)) + "}}"
    kernel = '{"ph":"X","cat":"kernel","name":"k","pid":1,"tid":1,"ts":1,"dur":5000,"args":{"device":0,"stream":7}}'
    return seeds.write_text(f"{folder}/a.json", '{"traceEvents":[' + ",".join([kernel, wide] + points) + "]}")


def monitors_rpd(folder):
    """What RPD watched, as texts that are no numbers, and a kind of its own for each row."""
    path = seeds.rpd(f"{folder}/a.rpd")
    db = sqlite3.connect(path)
    db.executemany('INSERT INTO rocpd_monitor(deviceType,deviceId,monitorType,start,"end",value) VALUES (?,?,?,?,?,?)',
                   [("gpu", i % 3, f"k{i % 5000}", i * 100, i * 100 + 99, VALUES[i % len(VALUES)]) for i in range(20000)])
    db.commit()
    db.close()
    return path


def monitors_nsys(folder, names=5000, points=30000):
    """Metrics of GPUs, with a name for each and values at the ends."""
    path = seeds.nsys(f"{folder}/a.sqlite")
    db = sqlite3.connect(path)
    db.executescript("""
        DROP TABLE IF EXISTS GPU_METRICS; DROP TABLE IF EXISTS TARGET_INFO_GPU_METRICS;
        CREATE TABLE GPU_METRICS(rawTimestamp INTEGER, timestamp INTEGER, typeId INTEGER NOT NULL, metricId INTEGER NOT NULL, value INTEGER NOT NULL);
        CREATE TABLE TARGET_INFO_GPU_METRICS(typeId INTEGER NOT NULL, sourceId INTEGER, typeName TEXT, metricId INTEGER NOT NULL, metricName TEXT NOT NULL);""")
    values = [2**63 - 1, -2**63, 0, -1, 1e308, "x", 5]
    db.executemany("INSERT INTO TARGET_INFO_GPU_METRICS VALUES(?,0,'T',?,?)",
                   [(i % 7, i, f"m{i} [Throughput %]") for i in range(names)])
    db.executemany("INSERT INTO GPU_METRICS VALUES(?,?,?,?,?)",
                   [(i, i * 1000, i % 7, i % names, values[i % len(values)]) for i in range(points)])
    db.commit()
    db.close()
    return path
