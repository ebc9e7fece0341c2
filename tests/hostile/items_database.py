"""Databases that are programs: SQL inside the file, pages that point at each other."""
import shutil
import sqlite3
import struct

import seeds

ENDLESS = "WITH RECURSIVE q(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM q)"
BIG = "WITH RECURSIVE q(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM q LIMIT 60)"


def _table(db, like):
    return db.execute("SELECT name FROM sqlite_master WHERE type='table' AND name LIKE ?",
                      (like,)).fetchone()[0]


def _as_virtual(path, like, query, text=None, module="fts4"):
    """The table becomes a virtual one over a view of that query, with the root page of a real one."""
    db = sqlite3.connect(path, isolation_level=None)
    name = _table(db, like)
    columns = [r[1] for r in db.execute(f'PRAGMA table_info("{name}")')]
    db.execute(f'DROP TABLE "{name}"')
    chosen = ["x AS rowid", "x AS docid"] + [
        f'{text if text and c in ("string", "name", "command", "value") else "x"} AS "{c}"'
        for c in columns]
    db.execute(f"CREATE VIEW evil AS {query} SELECT {','.join(chosen)} FROM q")
    sql = f'CREATE VIRTUAL TABLE "{name}" USING {module}(content="evil", ' + ", ".join(
        f'"{c}"' for c in columns) + ")"
    db.execute("PRAGMA writable_schema=ON")
    db.execute("INSERT INTO sqlite_master(type,name,tbl_name,rootpage,sql) VALUES('table',?,?,3,?)",
               (name, name, sql))
    db.close()
    return path


def _as_view(path, names, query):
    """The tables become views that never end."""
    db = sqlite3.connect(path, isolation_level=None)
    for name in names:
        columns = [r[1] for r in db.execute(f'PRAGMA table_info("{name}")')] or ["id", "name", "value"]
        db.execute(f'DROP TABLE IF EXISTS "{name}"')
        db.execute(f'CREATE VIEW "{name}" AS {query} SELECT '
                   + ",".join(f'x AS "{c}"' for c in columns) + " FROM q")
    db.close()
    return path


def virtual_endless(folder):
    """The table of strings is a full-text index over a view without end."""
    return _as_virtual(seeds.rocpd(f"{folder}/a.db"), "rocpd_string%", ENDLESS)


def virtual_large(folder):
    """The same over 60 texts of 100 MB."""
    return _as_virtual(seeds.rocpd(f"{folder}/a.db"), "rocpd_string%", BIG,
                       "printf('%.*c',100000000+x,'A')||x")


def virtual_kernels(folder):
    """The same for the table of dispatches."""
    return _as_virtual(seeds.rocpd(f"{folder}/a.db"), "rocpd_kernel_dispatch%", ENDLESS)


def virtual_fts5(folder):
    """The same with another module."""
    return _as_virtual(seeds.rocpd(f"{folder}/a.db"), "rocpd_info_process%", ENDLESS, module="fts5")


def virtual_rpd(folder):
    """The same in an RPD file."""
    return _as_virtual(seeds.rpd(f"{folder}/a.rpd"), "rocpd_op", ENDLESS)


def views_nsys(folder):
    """Tables of facts that are views without end."""
    return _as_view(seeds.nsys(f"{folder}/a.sqlite"), [
        "META_DATA_CAPTURE", "TARGET_INFO_SYSTEM_ENV", "DIAGNOSTIC_EVENT", "ENUM_CUDA_MEMCPY_OPER",
        "ENUM_CUDA_MEM_KIND"], ENDLESS)


def views_nsys_kernels(folder):
    """The tables of events themselves are views without end."""
    return _as_view(seeds.nsys(f"{folder}/a.sqlite"), [
        "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "StringIds"], ENDLESS)


def views_rocpd(folder):
    """The same for rocpd."""
    path = seeds.rocpd(f"{folder}/a.db")
    db = sqlite3.connect(path)
    names = [_table(db, n + "%") for n in ("rocpd_string", "rocpd_kernel_dispatch", "rocpd_region")]
    db.close()
    return _as_view(path, names, ENDLESS)


def generated_columns(folder):
    """A column whose value is computed anew for each row, at a price."""
    path = seeds.nsys(f"{folder}/a.sqlite")
    db = sqlite3.connect(path)
    db.executescript("""CREATE TABLE t AS SELECT * FROM StringIds; DROP TABLE StringIds;
        CREATE TABLE StringIds(id INTEGER PRIMARY KEY, n, value AS (printf('%.*c', 30000000, 'A')));
        INSERT INTO StringIds(id) SELECT id FROM t;""")
    db.close()
    return path


def with_triggers(folder):
    """Triggers, indexes on expressions, checks and defaults that nobody should run."""
    path = seeds.rocpd(f"{folder}/a.db")
    db = sqlite3.connect(path)
    name = _table(db, "rocpd_string%")
    db.executescript(f"""CREATE INDEX i ON "{name}"(length(printf('%.*c', 1000, string)));
        CREATE TRIGGER t AFTER INSERT ON "{name}" BEGIN DELETE FROM "{name}"; END;""")
    db.close()
    return path


# ---- pages

def _varint(v):
    out = [v & 0x7f]
    v >>= 7
    while v:
        out.append((v & 0x7f) | 0x80)
        v >>= 7
    return bytes(reversed(out))


def _page(child, size, fan, first_key):
    page, at, cells = bytearray(size), size, []
    for i in range(fan):
        cell = struct.pack(">I", child) + _varint(first_key + i)
        at -= len(cell)
        page[at:at + len(cell)] = cell
        cells.append(at)
    struct.pack_into(">BHHHB", page, 0, 5, 0, fan, at, 0)
    struct.pack_into(">I", page, 8, child)
    for i, a in enumerate(cells):
        struct.pack_into(">H", page, 12 + 2 * i, a)
    return page


def _dag(path, like, depth, fan):
    """Pages above the leaves whose cells all lead to the same child, some levels deep."""
    db = sqlite3.connect(path)
    root = db.execute("SELECT rootpage FROM sqlite_master WHERE name=?",
                      (_table(db, like),)).fetchone()[0]
    db.close()
    data = bytearray(open(path, "rb").read())
    size = struct.unpack_from(">H", data, 16)[0]
    leaf = bytes(data[(root - 1) * size:root * size])
    while leaf[0] == 5:
        child = struct.unpack_from(">I", leaf, struct.unpack_from(">H", leaf, 12)[0])[0]
        leaf = bytes(data[(child - 1) * size:child * size])
    data += leaf
    for level in range(depth):
        page = _page(len(data) // size, size, fan, 10**9)
        if level == depth - 1:
            data[(root - 1) * size:root * size] = page
        else:
            data += page
    struct.pack_into(">I", data, 28, len(data) // size)
    return seeds.write_text(path, bytes(data))


def dag_endless(folder):
    """30^8 visits to one leaf of dispatches."""
    return _dag(seeds.rocpd(f"{folder}/a.db"), "rocpd_kernel_dispatch%", 8, 30)


def dag_millions(folder):
    """30^5 visits: invented kernels, gigabytes of them."""
    return _dag(seeds.rocpd(f"{folder}/a.db"), "rocpd_kernel_dispatch%", 5, 30)


def dag_strings(folder):
    """The same for the strings."""
    return _dag(seeds.rocpd(f"{folder}/a.db"), "rocpd_string%", 6, 30)


def dag_nsys(folder):
    """The same in an Nsight Systems export."""
    return _dag(seeds.nsys(f"{folder}/a.sqlite"), "CUPTI_ACTIVITY_KIND_KERNEL", 7, 30)


def dag_rpd(folder):
    """The same in an RPD file."""
    return _dag(seeds.rpd(f"{folder}/a.rpd"), "rocpd_op", 7, 30)


def _interior(size, children, last):
    """A page above others; children: (page, largest key)."""
    page, at, cells = bytearray(size), size, []
    for child, key in children:
        cell = struct.pack(">I", child) + _varint(key)
        at -= len(cell)
        page[at:at + len(cell)] = cell
        cells.append(at)
    struct.pack_into(">BHHHBI", page, 0, 5, 0, len(cells), at, 0, last)
    struct.pack_into(f">{len(cells)}H", page, 12, *cells)
    return page


def _leaf(size, cells):
    page, at, places = bytearray(size), size, []
    for cell in cells:
        at -= len(cell)
        page[at:at + len(cell)] = cell
        places.append(at)
    struct.pack_into(">BHHHB", page, 0, 13, 0, len(cells), at, 0)
    struct.pack_into(f">{len(cells)}H", page, 8, *places)
    return page


def _last_cell(data, root, size):
    """Where the last cell of a table begins, where its rowid 10^6 stands, and how long it is."""
    page = root
    while data[(page - 1) * size] == 5:
        page = struct.unpack_from(">I", data, (page - 1) * size + 8)[0]
    start = (page - 1) * size
    count = struct.unpack_from(">H", data, start + 3)[0]
    at = start + struct.unpack_from(">H", data, start + 8 + 2 * (count - 1))[0]
    key, total = data.index(_varint(10**6), at), 0
    for byte in data[at:key]:
        total = total << 7 | byte & 127
    return at, key, total


def _shared_text(path, like, insert, rows, length):
    """rows more rows of a table, all with the one long text that `insert` makes with id 10^6."""
    for _ in range(2):  # the second time so long that as little as possible lies in the cell itself
        db = sqlite3.connect(path)
        name = _table(db, like)
        db.execute(insert.format(name), (10**6, "Z" * length))
        db.commit()
        root = db.execute("SELECT rootpage FROM sqlite_master WHERE name=?", (name,)).fetchone()[0]
        db.close()
        data = bytearray(open(path, "rb").read())
        size = struct.unpack_from(">H", data, 16)[0]
        at, key, total = _last_cell(data, root, size)
        least = (size - 12) * 32 // 255 - 23
        length -= (total - least) % (size - 4)
    head, rest = bytes(data[at:key]), bytes(data[key + 3:key + 3 + least + 4])
    each = (size - 8) // (len(head) + 5 + len(rest))
    data += data[(root - 1) * size:root * size]
    old = len(data) // size
    uppers, row = [], 10**6 + 1
    while row < 10**6 + rows:
        leaves = []
        for _ in range(40):
            data += _leaf(size, [head + _varint(row + i) + rest for i in range(each)])
            row += each
            leaves.append((len(data) // size, row - 1))
        data += _interior(size, leaves[:-1], leaves[-1][0])
        uppers.append((len(data) // size, row - 1))
    data[(root - 1) * size:root * size] = _interior(size, [(old, 10**6)] + uppers[:-1], uppers[-1][0])
    struct.pack_into(">I", data, 28, len(data) // size)
    return seeds.write_text(path, bytes(data))


def overflow_chain(folder):
    """10,000 texts of half a megabyte, all with the same chain of overflow pages."""
    return _shared_text(seeds.rocpd(f"{folder}/a.db"), "rocpd_string%",
                        'INSERT OR REPLACE INTO "{}"(id, string) VALUES (?,?)', 10000, 500000)


def overflow_chain_nsys(folder):
    """The same in an Nsight Systems export."""
    return _shared_text(seeds.nsys(f"{folder}/a.sqlite"), "StringIds",
                        'INSERT OR REPLACE INTO "{}"(id, value) VALUES (?,?)', 10000, 500000)


def overflow_chain_rpd(folder):
    """The same in an RPD file."""
    return _shared_text(seeds.rpd(f"{folder}/a.rpd"), "rocpd_string",
                        'INSERT OR REPLACE INTO "{}"(id, string) VALUES (?,?)', 10000, 500000)


def cut_in_half(folder):
    """A database whose second half is missing, and one of a header alone."""
    data = open(seeds.rocpd(f"{folder}/a.db"), "rb").read()
    seeds.write_text(f"{folder}/b.db", data[:100])
    return [seeds.write_text(f"{folder}/a.db", data[:len(data) // 2]), f"{folder}/b.db"]


def schema_loops(folder):
    """The schema table is its own child."""
    path = seeds.rocpd(f"{folder}/a.db")
    data = bytearray(open(path, "rb").read())
    data[108:112] = struct.pack(">I", 1)
    return seeds.write_text(path, bytes(data))


def log_of_another(folder):
    """A write-ahead log and a journal that belong to other databases."""
    path = seeds.synth(f"{folder}/a.db", "demo", "--set", "n=2", "--journal", "wal-left")
    seeds.rpd(f"{folder}/x")
    shutil.copy(f"{folder}/x", f"{folder}/a.db-journal")
    seeds.write_text(f"{folder}/a.db-wal", struct.pack(">IIIIIIII", 0x377f0682, 3007000, 512, 0, 1, 2,
                                                       3, 4) + bytes(range(256)) * 40)
    return path
