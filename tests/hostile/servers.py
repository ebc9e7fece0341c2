#!/usr/bin/env python3
"""Servers that speak PostgreSQL's protocol and mean harm: endless, huge, or nonsense; for every client that the program has.

    servers.py PROGRAM          what ends soon
    servers.py PROGRAM --only TEXT
    servers.py PROGRAM --all    those, too, that are given up after seconds of waiting or computing

Whatever they do, a command ends by itself, says so in one line without control characters or the password, and has not grown.
"""
import os
import re
import socket
import struct
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import sandbox
import seeds

SECRET = b"pw77hidden"
ESCAPE = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae")
ENDS_S = 30


def message(kind, body=b""):
    return kind + struct.pack(">I", len(body) + 4) + body


def columns(n):
    return message(b"T", struct.pack(">H", n) + (b"x\0" + struct.pack(">IHIhiH", 0, 0, 25, -1, -1, 0)) * n)


def row(*cells):
    return message(b"D", struct.pack(">H", len(cells)) + b"".join(struct.pack(">i", len(c)) + c for c in cells))


def huge(size):
    return b"D" + struct.pack(">I", size) + struct.pack(">Hi", 1, size - 10)


LET_IN = message(b"R", struct.pack(">I", 0))
READY = LET_IN + message(b"S", b"server_version\x0015.0\0") + message(b"S", b"client_encoding\0UTF8\0") + message(b"Z", b"I")
HEAD = message(b"1") + message(b"2")
DONE = message(b"C", b"SELECT 1\0") + message(b"Z", b"I")
NOTICE = message(b"N", b"SNOTICE\0M\x1b[31m\xe2\x80\xaehi\0\0")
ODD = b"\x1b[31m<img src=x onerror=__pwned>\xe2\x80\xae"

# {name: (what it says at first, what to each question, and without end behind that)}
SERVERS = {
    "rows": (READY, HEAD + columns(1), row(b"A" * 1000) * 1000),
    "a row": (READY, HEAD + columns(1) + huge(0x3ffffff0), b"A" * 1000000),
    "a row of half a gigabyte": (READY, HEAD + columns(1) + huge(0x1ffffff0), b"A" * 1000000),
    "columns": (READY, HEAD + columns(60000), row(*[b""] * 60000)),
    "notifications": (READY, b"", message(b"A", struct.pack(">I", 1) + b"x\0y\0") * 1000),
    "copies": (READY, HEAD + message(b"H", b"\0\0\0"), message(b"d", b"A" * 1000)),
    "lies about columns": (READY, HEAD + message(b"T", struct.pack(">H", 65535) + b"x\0") + DONE, None),
    "lies about cells": (READY, HEAD + columns(2) + message(b"D", struct.pack(">H", 65535) + struct.pack(">i", -5) * 3) + DONE, None),
    "escapes": (LET_IN + NOTICE * 3 + READY[len(LET_IN):], NOTICE + HEAD + columns(20) + row(*[ODD] * 20) * 50 + DONE, None),
    "an error": (message(b"E", b"SFATAL\0C28000\0M" + ODD + SECRET + b"\0\0"), b"", None),
    "nonsense": (bytes(range(256)) * 100, b"", None),
}
LONG = {
    "notices": (LET_IN, b"", NOTICE * 1000),
    "settings": (LET_IN, b"", message(b"S", b"a\0b\0") * 1000),
    "silence": (b"", b"", None),
    "rounds": (message(b"R", struct.pack(">I", 10) + b"SCRAM-SHA-256\0\0"), "rounds", None),
}


class Server:
    def __init__(self, first, each, endless):
        self.first, self.each, self.endless = first, each, endless
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(8)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                to, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(to,), daemon=True).start()

    def begin(self, to):
        code = 80877103
        while code in (80877103, 80877104):  # asks for encryption first
            size, code = struct.unpack(">II", to.recv(8, socket.MSG_WAITALL))
            to.recv(size - 8, socket.MSG_WAITALL) if size > 8 else to.sendall(b"N")

    def talk(self, to):
        try:
            self.begin(to)
            to.sendall(self.first)
            asked = to.recv(65536) if self.each or not self.endless else b"x"
            while asked:
                if self.each == "rounds":
                    nonce = asked[asked.index(b"r=") + 2:]
                    to.sendall(message(b"R", struct.pack(">I", 11) + b"r=" + nonce + b"x,s=QUJD,i=2000000000"))
                else:
                    to.sendall(self.each)
                end = time.monotonic() + ENDS_S
                while self.endless and time.monotonic() < end:
                    to.sendall(self.endless)
                asked = to.recv(65536)
        except (OSError, ValueError, struct.error):
            pass
        finally:
            to.close()


def main():
    program, everything = os.path.abspath(sys.argv[1]), "--all" in sys.argv
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    seeds.set_program(program)
    failed = done = 0
    with tempfile.TemporaryDirectory(prefix="servers-") as folder:
        trace = seeds.rocpd(f"{folder}/a.db")
        os.makedirs(f"{folder}/tmp")
        for name, of in {**SERVERS, **(LONG if everything else {})}.items():
            if only not in name:
                continue
            server = Server(*of)
            place = f"postgresql://u:{SECRET.decode()}@127.0.0.1:{server.port}/d"
            for client in ("libpq", "wire"):  # where the first is not built in, the second is all there is
                for words in (["history", "--db", place], ["collect", trace, "--db", place]):
                    o = sandbox.run([program, *words], folder, f"{folder}/tmp", wall_s=ENDS_S + 30,
                                    env={"GPUSIGHT_POSTGRESQL": client, "PGCONNECT_TIMEOUT": "4"})
                    done += 1
                    for wrong, what in ((o.late, "does not end"), (not o.late and o.code not in (2, 4, 5, 6), f"exit code {o.code}"),
                                        (o.cpu_s > sandbox.CPU_S, f"{o.cpu_s:.1f} s of processor time"),
                                        (o.peak_mb > sandbox.MEMORY_MB, f"{o.peak_mb:.0f} MB of memory"),
                                        (ESCAPE.search(o.out + o.err), f"control characters: {o.err[-200:]!r}"),
                                        (SECRET in o.out + o.err, "shows the password"),
                                        (o.err.count(b"\n") != 1, f"not one line: {o.err[-300:]!r}")):
                        if wrong:
                            failed += 1
                            print(f"not ok - {name}, {client}: gpusight {words[0]}: {what}", flush=True)
            server.socket.close()
    print(f"# {done} commands, {failed} faults")
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main())
