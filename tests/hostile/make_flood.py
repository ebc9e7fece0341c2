"""Inputs whose ids or names were chosen to meet in one place of a hash table. The functions are those
that once stood in the program; whatever it uses now, nobody may be able to choose such ids."""
import json
import sqlite3
import struct

import make_db

M64 = (1 << 64) - 1
FACTOR, WORD_FACTOR = 0xd6e8feb86659fd93, 0xff51afd7ed558ccd
BACK, WORD_BACK = pow(FACTOR, -1, 1 << 64), pow(WORD_FACTOR, -1, 1 << 64)
COUNT = 60000


def _unmix(h):
    """The number whose hash was h."""
    for factor in (BACK, BACK, 1):
        h ^= h >> 32
        h = h * factor & M64
    return h


def _word(h, before):
    """The eight bytes that took the state `before` to h."""
    h ^= h >> 32
    return struct.pack("<Q", (h * WORD_BACK & M64) ^ before)


def _ids(n=COUNT, bits=28):
    """Ids whose hashes agree in their lower bits, and that fit into 63 bits."""
    found, i = [], 0
    while len(found) < n:
        i += 1
        v = _unmix(i << bits)
        if v < 1 << 63:
            found.append(v)
    return found


def _write(path, events):
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"schemaVersion": 1, "traceEvents": events}, f)


def correlations(path):
    """60,000 calls and kernels whose correlation ids met in one slot: once 5 s, growing as the square"""
    events = []
    for n, i in enumerate(_ids()):
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                       "ts": 10 * n, "dur": 5, "args": {"correlation": i}})
        events.append({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 10 * n + 2,
                       "dur": 5, "args": {"device": 0, "stream": 7, "correlation": i}})
    _write(path, events)


def threads(path):
    """20,000 threads whose numbers met in one slot"""
    _write(path, [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 5,
                   "args": {"device": 0, "stream": 7}}] +
           [{"ph": "X", "cat": "cpu_op", "name": "f", "pid": 1, "tid": i, "ts": n, "dur": 1}
            for n, i in enumerate(_ids(20000))])


def names(path):
    """40,000 kernel names with one hash"""
    start = 0x9e3779b97f4a7c15 ^ 16
    db = make_db.rocpd(path, rows=2)
    made, i = [], 0
    while len(made) < 40000:
        i += 1
        head = struct.pack("<Q", 0x4141414141414141 + i * 0x0101)
        h = (start ^ struct.unpack("<Q", head)[0]) * WORD_FACTOR & M64
        text = head + _word(0x1234, h ^ h >> 32)
        if 0 not in text:
            made.append(text)
    db.execute("BEGIN")
    db.executemany("INSERT INTO rocpd_string VALUES(?, 'g', CAST(? AS TEXT))",
                   ((10 + n, sqlite3.Binary(t)) for n, t in enumerate(made)))
    db.execute("COMMIT")
    db.close()


correlations.ending = threads.ending = ".json"
names.ending = ".db"
correlations.hostile = threads.hostile = names.hostile = {"heavy": True}
