"""Changes to inputs, by their structure: values, keys, rows, columns and pages are swapped, dropped,
doubled and driven to extremes; and by their bytes. Every function takes a random.Random and data."""
import copy
import csv
import gzip
import io
import json
import re
import sqlite3
import struct

MOST = 2**63 - 1
NUMBERS = [0, 1, -1, 2, 127, 128, 255, 256, 32767, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53,
           2**62, MOST - 1, MOST, -MOST, -MOST - 1, MOST // 2, MOST // 1000, MOST // 1000 + 1,
           10**9, 10**12, 10**15, 10**18, -10**18]
TEXTS = ["", "x", "\x1b[31m", "<script>__pwned", "\u202e", "a" * 5000, "_Z1fIiEv" + "1aIRT_1bIiEE" * 200,
         "_Z" + "N1a" * 300, "../../x", "/dev/zero", "-1", "1e308", "nan", "\ufffd\x00", "%s%n", "=1+1",
         "{", "[[", "\"", "'; --", "Agent 99999999999", "GPU", "kernel", "MI300X", "gfx90a", "gfx"]
ODD = [None, True, False, [], {}, 1e308, -1e308, 5e-324, 0.1, -0.0, [[]], {"a": {}}]


def any_value(r):
    return r.choice([r.choice(NUMBERS), r.choice(NUMBERS), r.choice(TEXTS), r.choice(ODD),
                     r.randrange(-2**63, 2**63)])


# ---- bytes

def of_bytes(r, data):
    data = bytearray(data)
    for _ in range(r.choice([1, 1, 2, 5, 30])):
        if not data:
            break
        at, kind = r.randrange(len(data)), r.randrange(8)
        length = min(r.choice([1, 4, 50, 2000]), len(data) - at)
        if kind == 0:
            data[at] ^= 1 << r.randrange(8)
        elif kind == 1:
            data[at] = r.choice([0, 1, 0x7f, 0x80, 0xff, 0x22, 0x2c, 0x0a, 0x5c])
        elif kind == 2:
            del data[at:at + length]
        elif kind == 3:
            data[at:at] = data[at:at + length] * r.choice([1, 1, 20])
        elif kind == 4:
            other = r.randrange(len(data))
            data[at:at + length] = data[other:other + length]
        elif kind == 5:
            del data[at:]
        elif kind == 6:
            data[at:at + length] = bytes(r.randrange(256) for _ in range(length))
        else:
            found = list(re.finditer(rb"\d+", data[at:at + 500]))
            if found:
                f = r.choice(found)
                data[at + f.start():at + f.end()] = str(r.choice(NUMBERS)).encode()
    return bytes(data)


# ---- JSON: objects as lists of pairs, so that keys can stand twice

class Pairs(list):
    pass


def read_json(data):
    return json.loads(data, object_pairs_hook=lambda p: Pairs([list(x) for x in p]))


def write_json(v):
    if isinstance(v, Pairs):
        return "{" + ",".join(json.dumps(k) + ":" + write_json(x) for k, x in v) + "}"
    if isinstance(v, list):
        return "[" + ",".join(map(write_json, v)) + "]"
    return json.dumps(v)


def places(tree):
    """(container, index) of every value."""
    found, left = [], [tree]
    while left:
        v = left.pop()
        for i, x in enumerate(v):
            value = x[1] if isinstance(v, Pairs) else x
            found.append((v, i))
            if isinstance(value, list):
                left.append(value)
    return found


def get(place):
    v, i = place
    return v[i][1] if isinstance(v, Pairs) else v[i]


def put(place, value):
    v, i = place
    if isinstance(v, Pairs):
        v[i][1] = value
    else:
        v[i] = value


def leafy(value):
    """The value, or None where it holds much: copies of copies would grow without end."""
    return value if not isinstance(value, list) or len(places(value)) < 100 else None


def of_json(r, data):
    tree = read_json(data)
    found = places(tree)
    numbers = [p for p in found if isinstance(get(p), (int, float)) and not isinstance(get(p), bool)]
    for _ in range(r.choice([1, 2, 2, 4, 10, 40])):
        place = r.choice(numbers if numbers and r.random() < 0.5 else found)
        if place[1] >= len(place[0]):
            continue  # what stood there is gone
        v, i = place
        kind = r.randrange(8)
        if kind <= 2:
            put(place, any_value(r) if kind else r.choice(NUMBERS))
        elif kind == 3:
            other = r.choice(found)
            if other[1] < len(other[0]):
                put(place, copy.deepcopy(leafy(get(other))))
        elif kind == 4:
            del v[i]
        elif kind == 5:
            if leafy(get(place)) is get(place):
                v[i:i] = [copy.deepcopy(v[i]) for _ in range(r.choice([1, 2, 50]))]
        elif kind == 6:
            r.shuffle(v)
        elif isinstance(v, Pairs):
            v[i][0] = r.choice([r.choice(v)[0], r.choice(TEXTS)])
        else:
            put(place, "[" * 50 if r.random() < 0.1 else str(get(place))[:200])
    return write_json(tree).encode("utf-8", "surrogatepass")


def of_json_lines(r, data):
    lines = data.splitlines()
    i = r.randrange(len(lines))
    lines[i] = of_json(r, lines[i])
    return b"\n".join(lines)


def of_gzip(r, data):
    """What is packed is changed, or the packing is: members, lengths, checks."""
    kind = r.randrange(6)
    if kind == 0:
        return of_bytes(r, data)
    if kind == 1:
        return data + data[:r.randrange(len(data))]
    if kind == 2:
        return data[:-8] + struct.pack("<II", r.randrange(2**32), r.choice(NUMBERS) % 2**32)
    text = gzip.decompress(data)
    text = of_json(r, text) if kind < 5 else of_bytes(r, text)
    return gzip.compress(text, compresslevel=r.choice([0, 1, 9]), mtime=0)


# ---- CSV

def of_csv(r, data):
    rows = list(csv.reader(io.StringIO(data.decode("utf-8", "replace"))))
    for _ in range(r.choice([1, 2, 4, 20])):
        if not rows or not any(rows):
            break
        row = r.choice([x for x in rows if x])
        i, kind = r.randrange(len(row)), r.randrange(8)
        if kind <= 2:
            row[i] = str(any_value(r))
        elif kind == 3:
            j = r.randrange(len(row))
            row[i], row[j] = row[j], row[i]
        elif kind == 4:
            rows.insert(r.randrange(len(rows) + 1), list(row))
        elif kind == 5:
            for x in rows:
                del x[i:i + 1]
        elif kind == 6:
            for x in rows:
                x[i:i] = x[i:i + 1]
        elif kind == 7 and len(rows) > 1:
            del rows[r.randrange(len(rows))]
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode("utf-8", "surrogatepass")


# ---- databases

def of_database(r, path):
    """Values, rows, columns and tables of the file at path, in place; then, sometimes, its pages."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA foreign_keys=OFF")
    db.execute("PRAGMA journal_mode=OFF")
    for _ in range(r.choice([1, 2, 4, 12])):
        try:
            change_table(r, db)
        except (sqlite3.Error, OverflowError):
            pass  # a constraint; another change will do
    db.close()
    if r.random() < 0.4:
        with open(path, "r+b") as f:
            data = of_pages(r, f.read())
            f.seek(0)
            f.truncate()
            f.write(data)


def change_table(r, db):
    tables = [t for t, in db.execute("SELECT name FROM sqlite_master WHERE type='table' AND "
                                     "name NOT LIKE 'sqlite%'") if db.execute(
                                         f'SELECT 1 FROM "{t}" LIMIT 1').fetchone()]
    if not tables:
        return  # changes before took all rows
    table = r.choice(tables)
    columns = [c[1] for c in db.execute(f'PRAGMA table_info("{table}")')]
    column, other, n = r.choice(columns), r.choice(columns), r.choice([1, 2, 3, 7])
    where = r.choice([f"rowid % {n} = 0", "1", f"rowid = (SELECT max(rowid) FROM \"{table}\")"])
    value = r.choice([r.choice(NUMBERS), r.choice(NUMBERS), r.choice(TEXTS), None, 1e300, b"\0\xff"])
    kind = r.randrange(9)
    if kind <= 3:
        db.execute(f'UPDATE OR REPLACE "{table}" SET "{column}"=? WHERE {where}', (value,))
    elif kind == 4:
        db.execute(f'UPDATE OR REPLACE "{table}" SET "{column}"="{other}" WHERE {where}')
    elif kind == 5:
        db.execute(f'DELETE FROM "{table}" WHERE {where}')
    elif kind == 6:
        rest = [c for c in columns if c != "id"]
        names = ",".join(f'"{c}"' for c in rest)
        db.execute(f'INSERT OR IGNORE INTO "{table}"({names}) SELECT {names} FROM "{table}" LIMIT 200')
    elif kind == 7:
        db.execute(f'ALTER TABLE "{table}" DROP COLUMN "{column}"')
    elif r.random() < 0.5:
        db.execute(f'DROP TABLE "{table}"')
    else:
        db.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "{other}x"')


def of_pages(r, data):
    data = bytearray(data)
    size = struct.unpack_from(">H", data, 16)[0] or 65536
    pages = max(1, len(data) // size)
    for _ in range(r.choice([1, 1, 2, 6])):
        page, other = r.randrange(pages) * size, r.randrange(pages) * size
        kind = r.randrange(7)
        if kind == 0:
            data[page:page + size] = data[other:other + size]
        elif kind == 1:
            data[page + r.randrange(12)] = r.choice([0, 1, 2, 5, 10, 13, 255])
        elif kind == 2:
            struct.pack_into(">I", data, page + 8, r.choice([0, 1, other // size + 1, 2**32 - 1]))
        elif kind == 3:
            struct.pack_into(">H", data, page + 8 + 2 * r.randrange(40), r.randrange(size))
        elif kind == 4:
            data[page + r.randrange(size)] ^= 1 << r.randrange(8)
        elif kind == 5:
            data[r.randrange(16, 100)] = r.randrange(256)
        else:
            del data[r.randrange(len(data)):]
            break
    return bytes(data)


# ---- texts for synth, and source code

def of_words(r, data):
    words = re.findall(r"\s+|\w+|[^\w\s]", data.decode("utf-8", "replace"))
    for _ in range(r.choice([1, 2, 4, 12])):
        if not words:
            break
        i, kind = r.randrange(len(words)), r.randrange(6)
        if kind == 0:
            words[i] = str(r.choice(NUMBERS))
        elif kind == 1:
            words[i] = r.choice(words)
        elif kind == 2:
            del words[i]
        elif kind == 3:
            words[i:i] = words[i:i + r.choice([1, 5, 20])] * r.choice([1, 3])
        elif kind == 4:
            words[i] = r.choice(["{", "}", "(", ")", "\"", "~", "=", "<<<", "'", "\\", "\n", "#"])
        else:
            words[i] = r.choice(TEXTS)[:300]
    return "".join(words).encode("utf-8", "surrogatepass")
