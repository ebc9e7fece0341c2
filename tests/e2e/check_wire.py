#!/usr/bin/env python3
"""Servers of PostgreSQL without libpq: logins of a real server, and every fault of one that is none.

    check_wire.py --gpusight build/src/cli/gpusight [--all]

The real server is started where one is installed, else that part is left out with a line. The other one is
a socket on loopback that says what a test wants. Whatever it says, the program ends with one line and code 6,
soon, in bounded memory, and without the password in it.
"""
import argparse
import base64
import hashlib
import hmac
import itertools
import os
import resource
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check_fleet import SECRET, PostgreSQL, Tester, check, tell  # noqa: E402

MEMORY = 600 << 20


def message(kind, body=b""):
    return kind + struct.pack("!I", len(body) + 4) + body


def auth(code, more=b""):
    return message(b"R", struct.pack("!I", code) + more)


def notice(text=b"careful"):
    return message(b"N", b"SNOTICE\0M" + text + b"\0\0")


def error(text):
    return message(b"E", b"SFATAL\0VFATAL\0C28P01\0M" + text + b"\0\0")


READY = message(b"Z", b"I")
START = auth(0) + message(b"S", b"client_encoding\0UTF8\0") + message(b"K", bytes(8)) + READY


def describe(n):
    return message(b"T", struct.pack("!H", n) + b"".join(b"c\0" + bytes(18) for _ in range(n)))


def row(*cells):
    return message(b"D", struct.pack("!H", len(cells)) + b"".join(
        struct.pack("!i", -1) if c is None else struct.pack("!I", len(c)) + c for c in cells))


# ---- the server that is none


def talker(*pieces, pause=0):
    """Says one thing after whatever it hears; None hangs up."""
    def serve(c):
        for piece in pieces:
            if piece is None:
                return
            c.recv(65536)
            c.sendall(piece)
            time.sleep(pause)
        c.recv(65536)
    return serve


def endless(first, again):
    def serve(c):
        for piece in first:
            c.recv(65536)
            c.sendall(piece)
        block = again * max(1, 65536 // len(again))
        while True:
            c.sendall(block)
    return serve


def drip(text, seconds):
    def serve(c):
        c.recv(65536)
        for i in itertools.cycle(range(len(text))):
            c.sendall(text[i:i + 1])
            time.sleep(seconds)
    return serve


class Scram:
    """A server that knows a password, and one thing to do wrong."""

    def __init__(self, password=SECRET, wrong=None):
        self.password, self.wrong = password.encode(), wrong

    def __call__(self, c):
        c.recv(65536)
        c.sendall(auth(10, b"SCRAM-SHA-256\0\0"))
        bare = c.recv(65536)[5 + 14 + 4:][3:].decode()
        nonce = bare.split("r=")[1]
        salt, rounds = base64.b64encode(b"salt of the test").decode(), 4096
        first = {"nonce": f"r=AAAA,s={salt},i={rounds}", "same": f"r={nonce},s={salt},i={rounds}",
                 "salt": f"r={nonce}x,s=%%%%,i={rounds}", "rounds": f"r={nonce}x,s={salt},i=4294967295",
                 "zero": f"r={nonce}x,s={salt},i=0", "cut": f"r={nonce}x,s={salt}"}.get(
                     self.wrong, f"r={nonce}x,s={salt},i={rounds}")
        c.sendall(auth(11, first.encode()))
        last = c.recv(65536)[5:].decode()
        if not last:
            return
        key = hashlib.pbkdf2_hmac("sha256", self.password, b"salt of the test", rounds)
        every = f"{bare},{first},{last.split(',p=')[0]}".encode()
        sign = hmac.digest(hmac.digest(key, b"Server Key", "sha256"), every, "sha256")
        stored = hashlib.sha256(hmac.digest(key, b"Client Key", "sha256")).digest()
        proof = bytes(a ^ b for a, b in zip(base64.b64decode(last.split(",p=")[1]),
                                            hmac.digest(stored, every, "sha256")))
        if self.wrong == "early":
            c.sendall(START)
        elif self.wrong == "signature":
            c.sendall(auth(12, b"v=" + base64.b64encode(bytes(32))) + START)
        elif hashlib.sha256(proof).digest() != stored:
            c.sendall(error(b"wrong password"))
        else:
            c.sendall(auth(12, b"v=" + base64.b64encode(sign)) + START)
            c.recv(65536)
            c.sendall(error(b"that was the login") + READY)
            c.recv(65536)


FAULTS = [
    ("hangs up", talker(None), "hung up"),
    ("another protocol", talker(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "as PostgreSQL does"),
    ("no length", talker(b"R" + struct.pack("!I", 0)), "as PostgreSQL does"),
    ("too short a length", talker(b"R" + struct.pack("!I", 3)), "as PostgreSQL does"),
    ("too long a length", talker(b"R" + struct.pack("!I", 0x7fffffff)), "as PostgreSQL does"),
    ("the longest length", talker(b"D" + struct.pack("!I", 0xffffffff)), "as PostgreSQL does"),
    ("a cut message", talker(b"R" + struct.pack("!I", 400) + b"abc", None), "hung up"),
    ("ready before the login", talker(READY), "as PostgreSQL does"),
    ("rows before the login", talker(row(b"1")), "as PostgreSQL does"),
    ("an empty question", talker(message(b"R")), "garbles"),
    ("an error without words", talker(message(b"E")), "without a word"),
    ("an error that does not end", talker(message(b"E", b"Mabc")), "without a word"),
    ("an error with the password", talker(error(SECRET.encode() + b" is wrong")), "*** is wrong"),
    ("an error for terminals", talker(error(b"\x1b[31mred\x07\r\nline\xff")), "red"),
    ("an error of 8 MiB", talker(error(b"x" * (8 << 20))), "xxx"),
    ("Kerberos", talker(auth(7)), "only libpq knows"),
    ("another SASL", talker(auth(10, b"OAUTHBEARER\0\0")), "only libpq knows"),
    ("SASL without an end", talker(auth(10, b"SCRAM-SHA-256")), "only libpq knows"),
    ("SASL half-way", talker(auth(11, b"r=x,s=y,i=1")), "garbles"),
    ("SASL only its end", talker(auth(12, b"v=")), "garbles"),
    ("MD5 without salt", talker(auth(5)), "garbles"),
    ("the login again", talker(auth(0) + auth(0)), "as PostgreSQL does"),
    ("endless notices", endless([], notice()), "as PostgreSQL does"),
    ("endless settings", endless([], message(b"S", b"a\0b\0")), "as PostgreSQL does"),
    ("SCRAM: another nonce", Scram(wrong="nonce"), "garbles"),
    ("SCRAM: our nonce", Scram(wrong="same"), "garbles"),
    ("SCRAM: no salt", Scram(wrong="salt"), "garbles"),
    ("SCRAM: endless rounds", Scram(wrong="rounds"), "4294967295 times"),
    ("SCRAM: no rounds", Scram(wrong="zero"), "garbles"),
    ("SCRAM: cut", Scram(wrong="cut"), "garbles"),
    ("SCRAM: no proof of the server", Scram(wrong="early"), "garbles"),
    ("SCRAM: a wrong proof", Scram(wrong="signature"), "it is another one"),
    ("SCRAM: another password", Scram(password="another"), "wrong password"),
    ("SCRAM: right", Scram(), "that was the login"),
    ("silence", lambda c: time.sleep(8), "does not answer"),
    ("a drip", drip(notice(), 0.2), "does not"),
    ("hangs up at a statement", talker(START, None), "hung up"),
    ("garbage at a statement", talker(START, b"\xff" * 64), "as PostgreSQL does"),
    ("an unknown message", talker(START, message(b"W", b"abc")), "as PostgreSQL does"),
    ("more columns than described", talker(START, describe(1) + row(b"1", b"2") + READY), "as PostgreSQL does"),
    ("fewer columns", talker(START, describe(2) + row(b"1") + READY), "as PostgreSQL does"),
    ("rows not described", talker(START, row(b"1") + READY), "as PostgreSQL does"),
    ("a cell longer than its row", talker(START, describe(1) + message(
        b"D", struct.pack("!HI", 1, 1 << 30) + b"x") + READY), "as PostgreSQL does"),
    ("bytes behind a row", talker(START, describe(1) + message(
        b"D", struct.pack("!HI", 1, 1) + b"xyz") + READY), "as PostgreSQL does"),
    ("columns without number", talker(START, message(b"T")), "as PostgreSQL does"),
    ("a row that does not come", talker(START, describe(1) + b"D" + struct.pack("!I", 200 << 20) + b"ab", None), "hung up"),
    ("a row of a gigabyte", talker(START, describe(1) + b"D" + struct.pack("!I", (1 << 30) + 4) + b"ab", None), "as PostgreSQL does"),
    ("endless notices at a statement", endless([START], notice()), "as PostgreSQL does"),
    ("an error and the end", talker(START, error(b"the server shuts down"), None), "the server shuts down"),
    ("an error after rows", talker(START, describe(1) + row(b"1") + error(b"too late") + READY), "too late"),
    ("an error, and another", talker(START, error(b"first") + error(b"second") + READY), "first"),
]
LONG = [("endless rows", endless([START, describe(1)], row(b"")), "512 MiB"),
        ("endless long rows", endless([START, describe(1)], row(b"x" * 60000)), "512 MiB")]


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def against(t, serve, options="", limit=limited, env=None):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()

        def one():
            try:
                c, _ = s.accept()
                with c:
                    serve(c)
            except (OSError, IndexError):
                pass
        threading.Thread(target=one, daemon=True).start()
        address = f"postgresql://perf:{SECRET}@127.0.0.1:{s.getsockname()[1]}/d?connect_timeout=2{options}"
        begin = time.monotonic()
        p = subprocess.run([t.gpusight, "history", "--db", address], capture_output=True, timeout=120, preexec_fn=limit,
                           cwd=t.folder, env=dict(os.environ, GPUSIGHT_POSTGRESQL="wire", **(env or {})))
        return p, time.monotonic() - begin


def check_faults(t, more):
    for what, serve, says in FAULTS + (LONG if more else []):
        p, seconds = against(t, serve, limit=None if says == "1 GiB" else limited)
        shown = p.stdout + p.stderr
        check(p.returncode == 6 and says.encode() in p.stderr and p.stderr.count(b"\n") == 1,
              f"{what}: {p.returncode} {p.stderr[:300]}")
        check(SECRET.encode() not in shown and b"\x1b" not in shown, f"{what}: shows {shown[:300]}")
        check(seconds < 10 or says == "1 GiB", f"{what}: takes {seconds:.1f} s")


def check_addresses(t):
    for bad in ("postgresql://u@h:x/d", "postgresql://u@h:70000/d", "postgresql://u@h:0/d", "postgresql://u@[::1/d",
                "postgresql://u%zz@h/d", "postgresql://u%00@h/d", "postgresql://h/d?sslmode", "postgresql://h/d?x=1",
                "postgresql://h/d?port=1;2", "postgresql://h/d?port=%31%3"):
        t.fails(2, "makes no sense", "history", "--db", bad, env={"GPUSIGHT_POSTGRESQL": "wire"})
    for need in ("sslmode=require", "sslmode=verify-full", "gssencmode=require", "channel_binding=require", "service=x",
                 "ssl=true", "requirepeer=x", "target_session_attrs=read-write"):
        t.fails(6, "needs libpq", "history", "--db", f"postgresql://u@127.0.0.1:1/d?{need}",
                env={"GPUSIGHT_POSTGRESQL": "wire"})
    t.fails(6, "needs libpq", "history", "--db", "postgresql://127.0.0.1:1/d",
            env={"GPUSIGHT_POSTGRESQL": "wire", "PGSSLMODE": "verify-ca"})
    t.fails(2, "no way 'other'", "history", "--db", "postgresql://127.0.0.1:1/d", env={"GPUSIGHT_POSTGRESQL": "other"})
    t.fails(6, "no address is known", "history", "--db", "postgresql://u@-x.invalid/d",
            env={"GPUSIGHT_POSTGRESQL": "wire"})


# ---- a real one

ROLES = "CREATE ROLE {0} LOGIN SUPERUSER PASSWORD '{1}'"
HBA = """local all peered peer
local all all trust
host all trusted all trust
host all five all md5
host all open all password
host all all all scram-sha-256
"""


def check_logins(t, server):
    with open(os.path.join(server.folder, "data/pg_hba.conf"), "w", encoding="ascii") as f:
        f.write(HBA)
    server.sql("SET password_encryption = 'md5'; " + ROLES.format("five", "m:d\\5ü"))
    server.sql(ROLES.format("open", "klar") + "; " + ROLES.format("trusted", "x"))
    server.sql(ROLES.format('"odd %user"', "a@b/c:d%e?f"))
    server.sql("SELECT pg_reload_conf()")
    port, folder = server.port, server.folder.replace("/", "%2F")
    passfile = os.path.join(t.folder, "passes")
    with open(passfile, "w", encoding="utf-8") as f:
        f.write(f"# a comment\n*:1:*:*:no\n127.0.0.1:{port}:*:five:m\\:d\\\\5ü\nlocalhost:*:postgres:perf:{SECRET}\n*:*:*:*:klar\n")
    os.chmod(passfile, 0o600)
    wire = {"GPUSIGHT_POSTGRESQL": "wire", "PGPASSFILE": passfile}
    good = [(f"perf:{SECRET}@127.0.0.1:{port}/postgres", {}), (f"perf@localhost:{port}/postgres", {}),
            (f"five@127.0.0.1:{port}/postgres", {}), (f"open@127.0.0.1:{port}/postgres", {}),
            (f"trusted@127.0.0.1:{port}/postgres", {}), (f"perf@{folder}:{port}/postgres", {}),
            (f"/postgres?host={folder}&port={port}&user=perf", {}), (f"127.0.0.1:1,127.0.0.1:{port}/postgres?user=trusted", {}),
            (f"odd%20%25user:a%40b%2Fc%3Ad%25e%3Ff@127.0.0.1:{port}/postgres", {}),
            (f"perf:{SECRET}@127.0.0.1:{port}/postgres?sslmode=prefer&application_name=x&options=-c%20geqo%3Doff", {}),
            ("", {"PGHOST": "127.0.0.1", "PGPORT": str(port), "PGUSER": "perf", "PGDATABASE": "postgres", "PGPASSWORD": SECRET}),
            ("", {"PGHOST": server.folder, "PGPORT": str(port), "PGUSER": "perf", "PGDATABASE": "postgres"})]
    for address, env in good:
        t.ok("collect", "one.db", "--db", "postgresql://" + address, "--sandbox", "on", env=dict(wire, **env))
    check(len(server.rows("run")) == 1, "one run, however it was reached")
    for address, says in ((f"perf:x@127.0.0.1:{port}/postgres", "password authentication failed"),
                          (f"nobody:x@127.0.0.1:{port}/postgres", "password authentication failed"),
                          (f"peered@{folder}:{port}/postgres", "eer authentication failed"),
                          (f"trusted@127.0.0.1:{port}/nothing", "does not exist"),
                          (f"trusted@{folder}:1/postgres", "No such file")):
        t.fails(6, says, "history", "--db", "postgresql://" + address, env=wire)
    os.chmod(passfile, 0o640)
    p = t.run("history", "--db", f"postgresql://five@127.0.0.1:{port}/postgres", env=wire)
    check(p.returncode == 6 and b"chmod 0600" in p.stderr and b"wants a password" in p.stderr, f"an open file: {p.stderr}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    p.add_argument("--all", action="store_true", help="also what takes a gigabyte")
    o = p.parse_args()
    for name in [n for n in os.environ if n.startswith("PG")]:
        del os.environ[name]
    with tempfile.TemporaryDirectory() as folder:
        t = Tester(os.path.realpath(o.gpusight), folder)
        subprocess.run([t.gpusight, "synth", "-q", "one_kernel", "-o", "one.db"], cwd=folder, check=True)
        check_addresses(t)
        check_faults(t, o.all)
        server = PostgreSQL(folder)
        try:
            why = server.start()
            if why:
                print(f"a real server is left out: {why}")
            else:
                check_logins(t, server)
        finally:
            server.stop()
    print(f"{tell.failures} failures" if tell.failures else "ok")
    return 1 if tell.failures else 0


if __name__ == "__main__":
    sys.exit(main())
