#!/usr/bin/env python3
"""The static program (`make static`), alone in an empty root: the same bytes as the ordinary one.

    static.py --gpusight PROGRAM [--static FILE] [--build]

Skipped where nobody has made one (build-static/gpusight); --build makes it. The root holds the
program and two traces, no /proc, no /dev, no libraries; entering it needs root or user namespaces.
"""
import argparse
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from tell import check, ROOT  # noqa: E402

COMMANDS = [["analyze", "t.db", "--format", "json"], ["analyze", "t.db"], ["info", "t.db"],
            ["analyze", "t.db", "--format", "html"], ["compare", "t.db", "u.db"],
            ["query", "t.db", "select count(*) from kernels"], ["whatif", "t.db", "--remove", "sync"],
            ["analyze", "no.db"], ["explain", "MFU"], ["plan", "--gpu", "MI300X", "--", "./app"],
            ["plot", "t.db", "--chart", "ledger"]]


def program_headers(path):
    """(type, bytes) of each segment of an ELF file of 64 bits."""
    with open(path, "rb") as f:
        data = f.read()
    at, = struct.unpack_from("<Q", data, 32)
    size, n = struct.unpack_from("<HH", data, 54)
    for i in range(n):
        kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", data, at + i * size)
        yield kind, data[offset:offset + length]


def check_file(path):
    kinds = dict(program_headers(path))
    check("it asks for no loader", 3 not in kinds)
    entries = [struct.unpack_from("<QQ", kinds.get(2, b""), i)
               for i in range(0, len(kinds.get(2, b"")) - 15, 16)]
    check("it asks for no library", all(tag != 1 for tag, _ in entries))
    with open(path, "rb") as f:
        data = f.read()
    at = data.find(struct.pack("<III", 4, 16, 1) + b"GNU\0")  # .note.ABI-tag
    wanted = struct.unpack_from("<4I", data, at + 16)
    check("any kernel of the last ten years will do", at > 0 and wanted[1:] <= (3, 10, 0), wanted)


def entering(root):
    for way in (["chroot", root], ["unshare", "-r", "chroot", root]):
        if shutil.which(way[0]) and not subprocess.run(way + ["/gpusight", "--version"],
                                                       capture_output=True).returncode:
            return way
    return None


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL,
                          env={"COLUMNS": "80", "LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"],
                               "SOURCE_DATE_EPOCH": "0"})
    return done.returncode, done.stdout, done.stderr


def check_outputs(o, root, way):
    books = []
    for command in COMMANDS:
        ours = run(way + ["/gpusight"] + command, root)
        theirs = run([os.path.abspath(o.gpusight)] + command, root)
        check(" ".join(command), ours == theirs, (ours[0], theirs[0], ours[2][-300:]))
    code, _, why = run(way + ["/gpusight", "analyze", "t.db", "-o", "r.html"], root)
    check("it writes files there", code == 0 and os.path.getsize(os.path.join(root, "r.html")) > 1000,
          why)
    for program in (way + ["/gpusight"], [os.path.abspath(o.gpusight)]):
        run(program + ["report", "t.db", "--kernel-details", "-o", "r.xlsx"], root)
        with open(os.path.join(root, "r.xlsx"), "rb") as f:
            books.append(f.read())
    check("its workbook is the same", len(books[0]) > 10000 and books[0] == books[1])
    code, out, why = run(way + ["/gpusight", "analyze", "t.db", "-o", "r.pdf"], root)
    check("it says what was not built in", code == 2 and b"cairo" in why, (code, why))
    code, _, why = run(way + ["/gpusight", "ask", "--llm", "local:m", "t.db", "why?"], root)
    check("it says that it needs curl to ask a model", code == 6 and b"no program 'curl' on PATH" in why, (code, why))
    for address, says in (("postgresql://u@127.0.0.1:1/d", b"Connection refused"),
                          ("postgresql://127.0.0.1:1/d", b"no user"),
                          ("postgresql://u@db.site/d", b"no address is known"),
                          ("postgresql://u@h/d?sslmode=require", b"needs libpq")):
        code, _, why = run(way + ["/gpusight", "history", "--db", address], root)
        check(f"{address}: it says what is wrong", code in (2, 6) and says in why and why.count(b"\n") == 1, (code, why))
    code, out, _ = run(way + ["/gpusight", "analyze", "t.db", "--format", "json"], root)
    check("its document is whole", code == 0 and "ledger" in json.loads(out))


def check_models(o):
    """Through the curl of this machine, against a server of the tests."""
    for what in ("wires", "keys", "network"):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tests", "llm", "check_llm.py"), "--gpusight",
                               o.static, "--transport", "curl", what], capture_output=True, text=True)
        check(f"language models: {what}", done.returncode in (0, 77), done.stdout[-1500:])


def check_servers(o):
    """PostgreSQL by its protocol: a real server, where one is installed, and faults of one that is none."""
    for script in ("check_wire.py", "check_fleet.py"):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tests", "e2e", script), "--gpusight", o.static],
                              capture_output=True, text=True)
        check(f"PostgreSQL: {script}", done.returncode == 0, done.stdout[-1500:])


def check_launcher(o, root):
    """MPI is not to be had: one process works, once, and says why."""
    if not shutil.which("mpirun"):
        print("skipped - several processes: no mpirun")
        return
    alone = subprocess.run([o.static, "info", os.path.join(root, "t.db")], capture_output=True)
    done = subprocess.run(["mpirun", "-n", "3", "--oversubscribe", o.static, "info", os.path.join(root, "t.db")],
                          capture_output=True, env=dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", NO_COLOR="1",
                                                        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"))
    check("under mpirun the first process does all, and says so", done.returncode == 0 and
          done.stdout.count(b"t.db") == alone.stdout.count(b"t.db") and
          done.stderr.count(b"a static program cannot load MPI") == 1, (done.stdout[:500], done.stderr))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    p.add_argument("--static", default=os.path.join(ROOT, "build-static", "gpusight"))
    p.add_argument("--build", action="store_true")
    o = p.parse_args()
    if o.build:
        subprocess.run(["make", "static"], cwd=ROOT, check=True)
    if not os.path.exists(o.static):
        print("skipped: no static program here; make static")
        return 77
    check_file(o.static)
    with tempfile.TemporaryDirectory() as root:
        shutil.copy(o.static, os.path.join(root, "gpusight"))
        for scenario, name in (("demo", "t.db"), ("demo", "u.db")):
            subprocess.run([o.gpusight, "synth", scenario, "-o", os.path.join(root, name)], check=True,
                           capture_output=True)
        way = entering(root)
        if not way:
            print("skipped: an empty root needs root, or user namespaces")
            return 1 if tell.failures else 77
        check_outputs(o, root, way)
        check_launcher(o, root)
    check_servers(o)
    check_models(o)
    return tell.failures > 0


if __name__ == "__main__":
    sys.exit(main())
