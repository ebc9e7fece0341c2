"""Extreme values in every numeric field of every format, by turns: a row has them all at once, the
next rows have others, so that differences and sums run over every end of the range."""
import csv
import json
import os
import re
import sqlite3

import seeds

WHOLE = [0, -1, 2**63 - 1, -2**63, 2**62, -2**62, 2**61, 1, 2**32, 10**18, -10**18, 2**53]
REAL = ["1e308", "-1e308", "1e19", "-1e19", "0.5", "1e-320", "9e18", "-9.3e18"]
NUMBER = re.compile(r'(?<=[:\[, ])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?=[,}\]\s])')


def _database(path, keep=("id", "guid", "schema")):
    """Every integer or real that is no key, in one row of three; the others stay sound."""
    db = sqlite3.connect(path)
    tables = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
    for table in tables:
        columns = [(r[1], (r[2] or "").lower()) for r in db.execute(f'PRAGMA table_info("{table}")')]
        for at, (column, kind) in enumerate(columns):
            name = column.lower()
            if name in keep or name.endswith("_id") or ("int" not in kind and "real" not in kind
                                                        and "double" not in kind and kind):
                continue
            values = " ".join(f"WHEN {i} THEN {v}" for i, v in enumerate(WHOLE + REAL[:4])
                              if v != -2**63) # no literal of SQL
            turn = f"(rowid / 3 + {at}) % {len(WHOLE) + 4}"
            db.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = CASE {turn} {values} '
                       f'WHEN {WHOLE.index(-2**63)} THEN -9223372036854775807 - 1 END '
                       f'WHERE rowid % 3 = 0 AND typeof("{column}") IN (\'integer\', \'real\')')
    db.commit()
    db.close()
    return path


def _text(path, every=5):
    """Every fifth number of a JSON file."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    values, count = [str(v) for v in WHOLE] + REAL, [0]

    def other(found):
        count[0] += 1
        turn, rest = divmod(count[0], every)
        return found.group() if rest else values[turn % len(values)]
    return seeds.write_text(path, NUMBER.sub(other, text))


def _cells(path, every=4):
    """Every fourth number of a CSV file, the head left alone."""
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.reader(f))
    values, count = [str(v) for v in WHOLE] + REAL + ["nan", "inf", "-inf"], 0
    for row in rows[1:]:
        for i, cell in enumerate(row):
            if re.fullmatch(r"-?\d+(\.\d+)?", cell):
                count += 1
                if count % every == 0:
                    row[i] = values[count // every % len(values)]
    return seeds.write_csv(path, rows)


def _folder(path):
    for at, _, files in os.walk(path):
        for name in sorted(files):
            if name.endswith(".csv"):
                _cells(os.path.join(at, name))
            elif name.endswith(".json"):
                _text(os.path.join(at, name))
    return path


def rocpd(path):
    """All numbers of a rocpd database at the ends of their range, by turns."""
    return _database(seeds.rocpd(path))


def nsys(path):
    """The same in an Nsight Systems export."""
    return _database(seeds.nsys(path))


def rpd(path):
    """The same in an RPD file."""
    return _database(seeds.rpd(path))


def job(path):
    """The same in the ranks of a job, each from another row on."""
    seeds.job(path)
    for name in sorted(os.listdir(path)):
        _database(os.path.join(path, name))
    return path


def kineto(path):
    """The same in a PyTorch trace."""
    return _text(seeds.kineto(path))


def rocprofv3_json(path):
    """The same in the JSON of rocprofv3."""
    return _text(seeds.rocprofv3_json(path))


def rocprofv3_csv(path):
    """The same in the tables of rocprofv3."""
    return _folder(seeds.rocprofv3_csv(path, rows=60))


def workload(path):
    """The same in a workload of rocprof-compute, with numbers that are none."""
    return _folder(seeds.workload(path))


def att(path):
    """The same in a thread trace."""
    return _folder(seeds.att(path))


def profile(path):
    """The same in a saved baseline."""
    text = json.load(open(seeds.profile(path), encoding="utf-8"))
    kept = {k: text[k] for k in ("version", "schema_version", "schema", "format") if k in text}
    _text(path)
    changed = json.load(open(path, encoding="utf-8"))
    changed.update(kept)
    return seeds.write_json(path, changed)


kineto.ending = rocprofv3_json.ending = profile.ending = ".json"
rocpd.ending, nsys.ending, rpd.ending = ".db", ".sqlite", ".rpd"
att.hostile, profile.hostile = {"kind": "att"}, {"kind": "baseline"}
