"""Logs that a writer of a database leaves beside it."""
import contextlib
import sqlite3


def write_log(path):
    """A log as a writer leaves it that is still at work: half of the kernels are deleted in it."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode=wal")
        db.execute("PRAGMA wal_autocheckpoint=0")
        table = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'rocpd_kernel_dispatch%'").fetchone()[0]
        with open(path, "rb") as f:
            before = f.read()
        db.execute(f'DELETE FROM "{table}" WHERE id % 2 = 0')
        db.commit()
        with open(path + "-wal", "rb") as f:
            log = f.read()
    with open(path, "wb") as f:  # closing has put the log into it
        f.write(before)
    return log
