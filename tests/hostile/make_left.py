"""Databases that look sound, with a write-ahead log or a rollback journal beside them that makes
each of the databases of make_db.py of them: what is checked in the file holds for what is read."""
import os
import struct

import make_db


def _sums(data, s):
    """The checksum of a log, continued."""
    s0, s1 = s
    words = struct.unpack(f">{len(data) // 4}I", data)
    for a, b in zip(words[::2], words[1::2]):
        s0 = (s0 + a + s1) & 0xffffffff
        s1 = (s1 + b + s0) & 0xffffffff
    return s0, s1


def _log(path, new, page):
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


def _journal(path, new, page):
    """Writes a journal that a crash seems to have left: every page as it was before."""
    n = len(new) // page
    out = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + struct.pack(">IIIII", n, 7, n, 512, page)
    out += bytes(512 - len(out))
    for i in range(n):
        body = bytes(new[i * page:(i + 1) * page])
        out += struct.pack(">I", i + 1) + body
        out += struct.pack(">I", (7 + sum(body[page - 200:0:-200])) & 0xffffffff)
    with open(path + "-journal", "wb") as f:
        f.write(out)


def _beside(path, maker, write, mode):
    hostile = path + ".hostile"
    maker(hostile)
    new, page = make_db.load(hostile)
    os.unlink(hostile)
    make_db.rocpd(path, page=page).close()
    old, _ = make_db.load(path)
    old += bytes(max(0, len(new) - len(old)))
    old[18] = old[19] = new[18] = new[19] = mode
    make_db.save(path, old, page)
    write(path, new[:len(new) // page * page], page)


def _add(maker):
    def in_log(path):
        _beside(path, maker, _log, 2)

    def in_journal(path):
        _beside(path, maker, _journal, 1)

    for how, f in (("log", in_log), ("journal", in_journal)):
        f.__name__ = f"{how}_{maker.__name__}"
        f.__doc__ = f"{maker.__doc__.strip()} By a {how}."
        f.ending = ".db"
        if "page" in maker.__name__ or "bomb" in maker.__name__:
            f.hostile = {"damaged": True}
        globals()[f.__name__] = f


for _maker in make_db.KINDS:
    if not _maker.__name__.startswith(("many_", "log_", "all_in_the_log")):
        _add(_maker)
