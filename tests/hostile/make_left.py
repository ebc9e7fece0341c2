"""Databases that look sound, with a write-ahead log or a rollback journal beside them that makes
each of the databases of make_db.py of them: what is checked in the file holds for what is read."""
import os
import struct

import make_db


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
        _beside(path, maker, make_db.write_log, 2)

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
