#!/usr/bin/env python3
"""Databases that mean harm: each function writes one to `path`.

    make_db.py NAME PATH

None may crash gpusight, keep it for long, or make it take memory out of proportion to the file.
"""
import os
import shutil
import sqlite3
import struct
import sys

ENDLESS = "WITH RECURSIVE q(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM q)"
SCHEMA = """
CREATE TABLE rocpd_metadata(id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
INSERT INTO rocpd_metadata(tag, value) VALUES('schema_version', '3');
CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY, guid, string TEXT);
CREATE TABLE rocpd_info_node(id INTEGER PRIMARY KEY, hostname TEXT);
CREATE TABLE rocpd_info_process(id INTEGER PRIMARY KEY, nid, pid, ppid, start, "end", command,
    environment);
CREATE TABLE rocpd_info_agent(id INTEGER PRIMARY KEY, nid, pid, type, absolute_index, type_index,
    name, extdata);
CREATE TABLE rocpd_info_kernel_symbol(id INTEGER PRIMARY KEY, pid, kernel_name, display_name);
CREATE TABLE rocpd_event(id INTEGER PRIMARY KEY, category_id, stack_id, extdata);
CREATE TABLE rocpd_kernel_dispatch(id INTEGER PRIMARY KEY, nid, pid, tid, agent_id, kernel_id,
    dispatch_id, queue_id, stream_id, start, "end", event_id);
INSERT INTO rocpd_info_node VALUES(1, 'n');
INSERT INTO rocpd_info_process VALUES(1, 1, 1, 0, 0, 100, 'a', '{}');
INSERT INTO rocpd_info_agent VALUES(1, 1, 1, 'GPU', 0, 0, 'gfx942', '{}');
INSERT INTO rocpd_info_kernel_symbol VALUES(1, 1, 'k', 'k');
INSERT INTO rocpd_string VALUES(1, 'g', 'KERNEL_DISPATCH');
"""
NSYS = """
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES(1, 'k');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, "end", deviceId, contextId, streamId, correlationId,
    globalPid, demangledName, shortName, gridX, gridY, gridZ, blockX, blockY, blockZ);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1, 2, 0, 1, 7, 1, 16777216, 1, 1, 1, 1, 1, 1, 1, 1);
"""
RPD = """
CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY, string TEXT);
INSERT INTO rocpd_string VALUES(1, 'k'), (2, 'KernelExecution');
CREATE TABLE rocpd_api(id INTEGER PRIMARY KEY, pid, tid, start, "end", apiName_id, args_id);
CREATE TABLE rocpd_op(id INTEGER PRIMARY KEY, gpuId, queueId, sequenceId, completionSignal, start,
    "end", description_id, opType_id);
CREATE TABLE rocpd_api_ops(id INTEGER PRIMARY KEY, api_id, op_id);
CREATE TABLE rocpd_monitor(id INTEGER PRIMARY KEY, deviceType, deviceId, monitorType, start, "end",
    value);
INSERT INTO rocpd_op VALUES(1, 0, 0, 0, '', 1, 2, 1, 2);
"""


def database(path, sql, page=4096):
    if os.path.exists(path):
        os.unlink(path)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(f"PRAGMA page_size={page}")
    db.execute("PRAGMA synchronous=OFF")
    db.execute("PRAGMA journal_mode=MEMORY")
    db.executescript(sql)
    return db


def rocpd(path, rows=200, page=4096):
    db = database(path, SCHEMA, page)
    db.executemany("INSERT INTO rocpd_event VALUES(?, 1, ?, '{}')",
                   ((i, i) for i in range(1, rows + 1)))
    db.executemany("INSERT INTO rocpd_kernel_dispatch VALUES(?, 1, 1, 1, 1, 1, ?, 1, 1, ?, ?, ?)",
                   ((i, i, i * 10, i * 10 + 5, i) for i in range(1, rows + 1)))
    return db


def lie(db, name, sql, root=3):
    """Puts a row into the schema that SQLite would not have written."""
    db.execute("PRAGMA writable_schema=ON")
    db.execute("DELETE FROM sqlite_master WHERE name=?", (name,))
    db.execute("INSERT INTO sqlite_master VALUES('table', ?, ?, ?, ?)", (name, name, root, sql))
    db.close()


def load(path):
    data = bytearray(open(path, "rb").read())
    page = struct.unpack_from(">H", data, 16)[0]
    return data, 65536 if page == 1 else page


def save(path, data, page):
    struct.pack_into(">I", data, 28, len(data) // page)
    open(path, "wb").write(data)


def root_of(path, table):
    db = sqlite3.connect(path)
    root, = db.execute("SELECT rootpage FROM sqlite_master WHERE name=?", (table,)).fetchone()
    db.close()
    return root


def varint(v):
    out = [v & 0x7f]
    while v >> 7:
        v >>= 7
        out.append(v & 0x7f | 0x80)
    return bytes(reversed(out))


def interior(page, kind, children, cell):
    """A page above others: `cell` is what follows the number of a child."""
    out, at = bytearray(page), page
    out[0] = kind
    for i, child in enumerate(children[:-1]):
        text = struct.pack(">I", child) + cell(i)
        at -= len(text)
        out[at:at + len(text)] = text
        struct.pack_into(">H", out, 12 + 2 * i, at)
    struct.pack_into(">HHHBI", out, 1, 0, len(children) - 1, at, 0, children[-1])
    return out


def bomb(path, table, depth, fan, kind=5, cell=lambda i: varint(10**9 + i)):
    """The root leads to one page `fan` times, that one to the next, `depth` times."""
    root = root_of(path, table)
    data, page = load(path)
    data += data[(root - 1) * page:root * page]
    for level in range(depth):
        above = interior(page, kind, [len(data) // page] * fan, cell)
        if level == depth - 1:
            data[(root - 1) * page:root * page] = above
        else:
            data += above
    save(path, data, page)


def virtual_table_over_endless_view(path):
    """A virtual table with a page of its own, whose content is a view without end."""
    db = rocpd(path)
    db.execute("DROP TABLE rocpd_string")
    db.execute(f"CREATE VIEW evil AS {ENDLESS} SELECT x AS rowid, x AS docid, x AS id, 'g' AS guid,"
               " x AS string FROM q")
    lie(db, "rocpd_string", 'CREATE VIRTUAL TABLE rocpd_string USING fts4(content="evil", "id", '
        '"guid", "string")')


def virtual_table_in_odd_spelling(path):
    """The same with another module, comments and cases in the statement."""
    db = rocpd(path)
    db.execute("DROP TABLE rocpd_event")
    db.execute(f"CREATE VIEW evil AS {ENDLESS} SELECT x AS rowid, x AS id, 1 AS category_id, "
               "x AS stack_id, '' AS extdata FROM q")
    lie(db, "rocpd_event", 'create /*TABLE*/ VirTual/**/table rocpd_event using '
        'fts5("id","category_id","stack_id","extdata", content="evil")')


def nsys_views(path):
    """Tables of an Nsight Systems export that are views without end."""
    db = database(path, NSYS)
    for name, columns in (("META_DATA_CAPTURE", "x AS name, x AS value"),
                          ("TARGET_INFO_SYSTEM_ENV", "'Hostname' AS name, x AS value"),
                          ("DIAGNOSTIC_EVENT", "1 AS severity, x AS text"),
                          ("TARGET_INFO_SESSION_START_TIME", "x AS utcEpochNs"),
                          ("META_DATA_EXPORT", "x AS name, x AS value"),
                          ("ProcessStreams", "x AS globalPid"),
                          ("NVTX_EVENTS", 'x AS start, x AS "end", x AS text'),
                          ("GPU_METRICS", "x AS timestamp, x AS metricId, x AS value"),
                          ("ENUM_CUDA_MEMCPY_OPER", "-x AS id, x AS name")):
        db.execute(f"CREATE VIEW {name} AS {ENDLESS} SELECT {columns} FROM q")
    db.close()


def rpd_view(path):
    """The monitor table of an rpd file is a view without end."""
    db = database(path, RPD)
    db.execute("DROP TABLE rocpd_monitor")
    db.execute(f"CREATE VIEW rocpd_monitor AS {ENDLESS} SELECT 'gpu' AS deviceType, 0 AS deviceId, "
               "x AS monitorType, x AS start, x AS value FROM q")
    db.close()


def computed_columns(path):
    """A column that is computed when it is read, 100 MB for each row."""
    db = rocpd(path)
    db.executescript("DROP TABLE rocpd_string; CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY, guid);")
    db.executemany("INSERT INTO rocpd_string(id) VALUES(?)", ((i,) for i in range(1, 200)))
    db.execute("PRAGMA writable_schema=ON")  # SQLite would compute it for every row that is added
    db.execute("UPDATE sqlite_master SET sql=? WHERE name='rocpd_string'",
               ("CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY, guid, "
                "string TEXT AS (printf('%.*c', 100000000, 'x') || id) VIRTUAL)",))
    db.close()


def long_default(path):
    """Short rows whose missing column is a text of 400 kB by default."""
    db = rocpd(path)
    db.execute("DROP TABLE rocpd_string")
    db.execute("CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY)")
    db.execute("BEGIN")
    db.executemany("INSERT INTO rocpd_string VALUES(?)", ((i,) for i in range(1, 30000)))
    db.execute("COMMIT")
    db.execute(f"ALTER TABLE rocpd_string ADD COLUMN string TEXT DEFAULT '{'y' * 400000}'")
    db.close()


def pages_used_for_ever(path):
    """A tree of 40^8 leaves in ten pages."""
    rocpd(path).close()
    bomb(path, "rocpd_kernel_dispatch", 8, 40)


def pages_used_often(path):
    """A tree that has 2 million rows and room for some hundred, of a table that is read by query."""
    rocpd(path).close()
    bomb(path, "rocpd_info_kernel_symbol", 4, 40)


def pages_used_often_and_half_a_page(path):
    """The same in a file that does not end with a whole page."""
    pages_used_for_ever(path)
    with open(path, "ab") as f:
        f.write(b"x")


def page_that_is_its_own_child(path):
    """A root that leads to itself."""
    rocpd(path).close()
    root = root_of(path, "rocpd_event")
    data, page = load(path)
    data[(root - 1) * page:root * page] = interior(page, 5, [root] * 30, lambda i: varint(i + 1))
    save(path, data, page)


def schema_that_is_a_bomb(path):
    """The tree of the schema itself leads to one page again and again."""
    rocpd(path).close()
    data, page = load(path)
    copy = bytearray(page)
    body = bytes(data[100:page])
    n, start = struct.unpack_from(">HH", body, 3)
    copy[0:8] = body[0:8]
    for i in range(n):
        at, = struct.unpack_from(">H", body, 8 + 2 * i)
        struct.pack_into(">H", copy, 8 + 2 * i, at)
    copy[start or 65536:page] = data[start or 65536:page]
    child = len(data) // page + 1
    above = interior(page - 100, 5, [child] * 30, lambda i: varint(i + 1))
    for i in range(29):
        at, = struct.unpack_from(">H", above, 12 + 2 * i)
        struct.pack_into(">H", above, 12 + 2 * i, at + 100)
    data[100:page] = above
    data += copy
    save(path, data, page)


def keyed_table_that_is_a_bomb(path):
    """A table without rowids, whose pages are those of an index."""
    db = rocpd(path)
    db.executescript("""DROP TABLE rocpd_event;
        CREATE TABLE rocpd_event(id INTEGER PRIMARY KEY, category_id, stack_id, extdata)
            WITHOUT ROWID;
        INSERT INTO rocpd_event VALUES(1, 1, 1, '{}'), (2, 1, 1, '{}');""")
    db.close()
    bomb(path, "rocpd_event", 8, 40, 2, lambda i: b"\x05\x02\x01" + bytes([i]) + b"\0\0")


def tables_that_share_pages(path):
    """Two hundred sets of tables with one root."""
    db = rocpd(path)
    root, = db.execute("SELECT rootpage FROM sqlite_master WHERE name='rocpd_event'").fetchone()
    db.execute("PRAGMA writable_schema=ON")
    for i in range(200):
        name = f"rocpd_event_{i}"
        db.execute("INSERT INTO sqlite_master VALUES('table', ?, ?, ?, ?)",
                   (name, name, root, f"CREATE TABLE {name}(id INTEGER PRIMARY KEY, category_id)"))
    db.close()


def tables_that_share_children(path):
    """Two tables with roots of their own and the same leaves."""
    rocpd(path, 5000).close()
    one, two = root_of(path, "rocpd_event"), root_of(path, "rocpd_kernel_dispatch")
    data, page = load(path)
    data[(two - 1) * page:two * page] = data[(one - 1) * page:one * page]
    save(path, data, page)


def _one_cell(path, length, rows):
    """A text of that length that all of so many rows of a page point to."""
    db = rocpd(path, page=65536)
    db.execute("INSERT INTO rocpd_string VALUES(2, 'g', ?)", ("z" * length,))
    db.close()
    root = root_of(path, "rocpd_string")
    data, page = load(path)
    at = (root - 1) * page
    start, = struct.unpack_from(">H", data, at + 8 + 2)
    for i in range(2, rows):
        struct.pack_into(">H", data, at + 8 + 2 * i, start)
    struct.pack_into(">H", data, at + 3, rows)
    save(path, data, page)


def shared_overflow(path):
    """Thousands of texts that go on in one and the same chain of pages."""
    _one_cell(path, 400000, 2000)


def cells_that_overlap(path):
    """One text of 40 kB that ten thousand rows of one page point to."""
    _one_cell(path, 40000, 10000)


def many_sets(path):
    """Two thousand sets of tables, each empty."""
    db = database(path, SCHEMA, 512)
    db.execute("BEGIN")
    for i in range(2000):
        db.execute(f"CREATE TABLE rocpd_event_{i}(id INTEGER PRIMARY KEY, category_id)")
    db.execute("COMMIT")
    db.close()


def many_categories(path):
    """200,000 categories, each of one event."""
    db = database(path, SCHEMA)
    db.execute("BEGIN")
    db.executemany("INSERT INTO rocpd_string VALUES(?, 'g', ?)",
                   ((i, f"c{i}") for i in range(2, 200000)))
    db.executemany("INSERT INTO rocpd_event VALUES(?, ?, 0, '{}')",
                   ((i, i) for i in range(2, 200000)))
    db.execute("COMMIT")
    db.close()


def many_processes_of_nsys(path):
    """100,000 kernels, each of a process and a device of its own."""
    db = database(path, NSYS)
    db.execute("BEGIN")
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?, ?, 0, 1, 7, ?, ?, 1, 1, 1, 1, "
                   "1, 1, 1, 1)", ((i, i + 1, i, i << 24) for i in range(1, 100000)))
    db.execute("COMMIT")
    db.close()


def many_monitors_of_rpd(path):
    """200,000 series of telemetry."""
    db = database(path, RPD)
    db.execute("BEGIN")
    db.executemany("INSERT INTO rocpd_monitor VALUES(?, 'gpu', ?, ?, ?, 0, 1)",
                   ((i, i % 1000, f"m{i}", i) for i in range(200000)))
    db.execute("COMMIT")
    db.close()


def _sums(data, s):
    """The checksum of a log, continued."""
    s0, s1 = s
    words = struct.unpack(f">{len(data) // 4}I", data)
    for a, b in zip(words[::2], words[1::2]):
        s0 = (s0 + a + s1) & 0xffffffff
        s1 = (s1 + b + s0) & 0xffffffff
    return s0, s1


def write_log(path, new, page):
    """Writes a log that replaces every page."""
    salt = struct.pack(">II", 1, 2)
    head = struct.pack(">IIII", 0x377f0683, 3007000, page, 0) + salt
    s = _sums(head, (0, 0))
    out = head + struct.pack(">II", *s)
    n = len(new) // page
    for i in range(n):
        frame = struct.pack(">II", i + 1, n if i == n - 1 else 0)
        body = bytes(new[i * page:(i + 1) * page])
        s = _sums(body, _sums(frame, s))
        out += frame + salt + struct.pack(">II", *s) + body
    with open(path + "-wal", "wb") as f:
        f.write(out)


def log_with_a_bomb(path):
    """A write-ahead log beside the database that makes a tree without end of a table."""
    rocpd(path).close()
    shutil.copy(path, path + ".bomb")
    bomb(path + ".bomb", "rocpd_kernel_dispatch", 8, 40)
    old, page = load(path)
    new, _ = load(path + ".bomb")
    os.unlink(path + ".bomb")
    old[18] = old[19] = new[18] = new[19] = 2
    save(path, old, page)
    write_log(path, new, page)


def all_in_the_log(path):
    """Nothing is wrong with it: the writer was killed before any row left the log."""
    rocpd(path + ".first").close()
    of, to = sqlite3.connect(path + ".first"), sqlite3.connect(path, isolation_level=None)
    to.execute("PRAGMA journal_mode=wal")
    to.execute("PRAGMA wal_autocheckpoint=0")
    to.executescript("".join(of.iterdump()))
    for end in ("", "-wal"):
        shutil.copy(path + end, path + ".copy" + end)
    of.close()
    to.close()
    for end in ("", "-wal"):
        os.replace(path + ".copy" + end, path + end)
    os.unlink(path + ".first")


log_with_a_bomb.hostile = {"damaged": True}
all_in_the_log.hostile = {"sound": True}
many_sets.hostile = many_categories.hostile = many_processes_of_nsys.hostile = {"heavy": True}
many_monitors_of_rpd.hostile = {"heavy": True}

KINDS = [f for name, f in list(globals().items())
         if callable(f) and getattr(f, "__doc__", None) and f.__code__.co_varnames[:1] == ("path",)
         and f.__code__.co_argcount == 1]

if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2])
