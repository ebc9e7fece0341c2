#!/usr/bin/env python3
"""Several processes under a launcher of MPI print what one process prints, once.

    check_mpi.py --gpusight build/src/cli/gpusight [--ranks 9] [--processes 1,2,3,7]

With every launcher that is there and that the build has a module for (Open MPI, MPICH). Skipped
where there is none. --ranks 64 --processes 2,16 is a larger version for by hand.
"""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from tell import expect as check  # noqa: E402

LAUNCHERS = {
    "openmpi": (["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root"], "OMPI_COMM_WORLD_RANK"),
    "mpich": (["mpirun.mpich"], "PMI_RANK"),
}


class Tester:
    def __init__(self, gpusight, name, folder):
        self.gpusight, self.name, self.folder = gpusight, name, folder
        self.launcher, self.rank_variable = LAUNCHERS[name]

    def one(self, *words, **more):
        return subprocess.run([self.gpusight, *words], cwd=self.folder, capture_output=True, timeout=120, **more)

    def start(self, n, *words, shell=None, env=None):
        program = ["sh", "-c", shell] if shell else [self.gpusight, *words]
        return subprocess.Popen([*self.launcher, "-n", str(n), *program], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                env=dict(os.environ, **(env or {})))

    def many(self, n, *words, **more):
        p = self.start(n, *words, **more)
        out, err = p.communicate(timeout=120)
        return subprocess.CompletedProcess(words, p.returncode, out, err)

    def same(self, n, *words):
        a, b = self.one(*words), self.many(n, *words)
        check(a.returncode == b.returncode and a.stdout == b.stdout,
              f"{self.name}: {n} processes differ: {' '.join(words)}: {a.returncode} {b.returncode} "
              f"{b.stderr.decode(errors='replace')[:300]}")


def same_bytes(t, processes):
    for n in processes:
        t.same(n, "analyze", "--json", "--rank", "3", "job")  # spread over the processes
    n = processes[-1]
    t.same(n, "analyze", "--json", "job")  # small: one process loads all
    t.same(n, "analyze", "--json", "large")  # spread as well, and one rank is looked at in detail
    for words in (["analyze", "job"], ["summary", "--rank", "2", "job"], ["info", "job"],
                  ["compare", "--json", "job", "other"], ["history", "--json", "job", "other"]):
        t.same(min(n, 3), *words)
    t.same(2, "analyze", "--json", "--rank", "1", "--sandbox", "on", "job")
    t.same(2, "analyze", "--json", "--rank", "1", "nsys")


def own_files(t, ranks):
    """Each process is given other files, as on machines with disks of their own."""
    names = sorted(os.listdir(os.path.join(t.folder, "job")))
    for i, name in enumerate(names):
        node = os.path.join(t.folder, f"node{i * 3 // len(names)}")
        os.makedirs(node, exist_ok=True)
        shutil.copy2(os.path.join(t.folder, "job", name), node)
    for words in ("", f"--rank {ranks - 1}"):
        a = t.one("analyze", "--json", *words.split(), "node0", "node1", "node2")
        b = t.many(3, shell=f"exec {t.gpusight} analyze --json {words} node${t.rank_variable}")
        check(a.returncode == 0 and a.stdout == b.stdout, f"{t.name}: own files {words}: {b.stderr.decode()[:300]}")
    b = t.many(4, shell=f"exec {t.gpusight} analyze --json node${t.rank_variable}")
    check(b.returncode == 0 and b"cannot open 'node3'" in b.stderr and b"process 4 on" in b.stderr,
          f"{t.name}: nobody says that node3 is not there: {b.returncode} {b.stderr[:300]}")
    left = [f for f in os.listdir(t.tmp)]
    check(not left, f"{t.name}: copies are left: {left}")


def own_views(t):
    """One name, on each machine another folder: processes with mounts of their own, where that is allowed."""
    os.makedirs(os.path.join(t.folder, "view"), exist_ok=True)
    if subprocess.run(["unshare", "-m", "mount", "--bind", "node0", "view"], cwd=t.folder,
                      capture_output=True).returncode != 0:
        print("mounts cannot be made here: views of machines are left out")
        return
    a = t.one("analyze", "--json", "--rank", "1", "node0", "node1", "node2").stdout
    for i in range(3):
        a = a.replace(f"node{i}/".encode(), b"view/")
    mine = f"unshare -m sh -c 'mount --bind node${t.rank_variable} view && exec {t.gpusight} analyze --json --rank 1 view'"
    b = t.many(3, shell=f"exec {mine}")
    check(a == b.stdout, f"{t.name}: views differ: {b.stderr.decode()[:300]}")
    # The same bytes on several machines are one trace, other bytes under the same name another one.
    twins = os.path.join(t.folder, "twins")
    first = sorted(os.listdir(os.path.join(t.folder, "node0")))[0]
    for i, source in enumerate(("node0", "node0", "node1")):
        os.makedirs(f"{twins}{i}", exist_ok=True)
        shutil.copy(os.path.join(t.folder, source, sorted(os.listdir(os.path.join(t.folder, source)))[0]),
                    f"{twins}{i}/{first}")
    mine = f"unshare -m sh -c 'mount --bind twins${t.rank_variable} view && exec {t.gpusight} info --json view'"
    b = t.many(3, shell=f"exec {mine}").stdout.decode()
    check(b.count(f'view/{first}"') == 2 and f':view/{first}"' in b, f"{t.name}: twins are not told apart: {b[:400]}")


def errors(t):
    for words in (["analyze", "nothing-here"], ["analyze", "--no-such-option", "job"], ["analyze", "cut"],
                  ["analyze", "--rank", "1", "cut"], ["analyze", "--rank", "77", "job"]):
        a, b = t.one(*words), t.many(3, *words)
        line = a.stderr.strip()
        check(a.returncode == b.returncode != 0 and b.stderr.count(line) == 1 and not b.stdout,
              f"{t.name}: {' '.join(words)}: {a.returncode} {b.returncode} {b.stderr.decode()[:300]}")
    p = t.many(2, "explain", "--mpi", "no", "ledger")
    check(p.returncode == t.one("explain", "ledger").returncode, f"{t.name}: explain")
    other = "mpich" if t.name == "openmpi" else "openmpi"
    p = t.many(2, "info", "--mpi", other, "job")
    check(p.stdout in (b"", t.one("info", "job").stdout), f"{t.name}: another MPI prints more than once")


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [int(word) for word in f.read().split()]


def workers(t, pid):
    """Pids of the couriers, and of the processes behind them that do the work."""
    couriers, found, todo = [], [], [(pid, False)]
    while todo:
        p, parent_is_ours = todo.pop()
        try:
            below = children(p)
            is_ours = os.path.realpath(f"/proc/{p}/exe") == os.path.realpath(t.gpusight)
        except OSError:
            continue
        if is_ours:
            (found if parent_is_ours else couriers).append(p)
        todo += [(b, is_ours) for b in below]
    return couriers, found


def rank_of(t, pid):
    with open(f"/proc/{pid}/environ", "rb") as f:
        words = dict(w.split(b"=", 1) for w in f.read().split(b"\0") if b"=" in w)
    return int(words[t.rank_variable.encode()])


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def lost(t, kinds):
    """A process that is killed ends all with one line and a code, and nothing stays behind."""
    expected = {("worker", 1): b"process 2 of 3 on '", ("worker", 0): b"the first process was ended by signal 9",
                ("courier", 1): None}  # what the launcher itself has started: it says so, in its own words
    for (kind, which), line in list(expected.items())[:kinds]:
        p = t.start(3, "analyze", "--rank", "1", "slow")
        until = time.monotonic() + 30
        found = []
        while time.monotonic() < until and len(found) < 3 and p.poll() is None:
            couriers, found = workers(t, p.pid)
        try:
            victim = next(w for w in (found if kind == "worker" else couriers) if rank_of(t, w) == which)
            os.kill(victim, signal.SIGSTOP)  # so that no machine is fast enough to be done before it is lost
            time.sleep(0.3)
            os.kill(victim, signal.SIGKILL)
        except (StopIteration, OSError, ValueError, KeyError) as e:
            check(False, f"{t.name}: no process to kill: {found} {e}")
        out, err = p.communicate(timeout=60)
        said = err.count(line) == 1 if line else b"signal 9" in (out + err).lower()
        check(p.returncode != 0 and said, f"{t.name}: lost {kind} {which}: {p.returncode} {err.decode()[:600]}")
        until = time.monotonic() + 5
        while (left := [f for f in couriers + found if alive(f)]) and time.monotonic() < until:
            time.sleep(0.1)
        check(not left, f"{t.name}: processes are left: {left}")


def alone(t):
    """The others never come: one line, not a wait without end."""
    p = t.many(2, shell=f"if [ ${t.rank_variable} = 0 ]; then exec {t.gpusight} analyze job; else sleep 6; fi",
               env={"GPUSIGHT_MPI_TIMEOUT": "1"})
    check(p.returncode != 0 and b"have not come" in p.stderr, f"{t.name}: alone: {p.returncode} {p.stderr[:300]}")


def make_jobs(gpusight, folder, ranks):
    def synth(*words):
        subprocess.run([gpusight, "synth", "-q", *words], cwd=folder, check=True, capture_output=True)
    synth("mpi_job", "--set", f"ranks={ranks}", "-o", "job/")
    synth("mpi_job", "--set", f"ranks={ranks}", "--seed", "5", "-o", "other/")
    synth("mpi_job", "--set", "ranks=3", "--format", "nsys", "-o", "nsys/")
    synth("bench", "--set", "n=60000", "-o", "slow0.db")
    shutil.copytree(os.path.join(folder, "job"), os.path.join(folder, "large"))
    for name in os.listdir(os.path.join(folder, "large")):  # a hole behind the last page: above 512 MiB together
        os.truncate(os.path.join(folder, "large", name), (600 << 20) // ranks)
    for name, files in (("slow", 12), ("cut", 2)):
        os.makedirs(os.path.join(folder, name))
        for i in range(files):
            os.link(os.path.join(folder, "slow0.db"), os.path.join(folder, name, f"rank{i}.db")) if name == "cut" \
                else shutil.copy(os.path.join(folder, "slow0.db"), os.path.join(folder, name, f"rank{i}.db"))
    os.unlink(os.path.join(folder, "cut", "rank1.db"))
    with open(os.path.join(folder, "slow0.db"), "rb") as f, open(os.path.join(folder, "cut", "rank1.db"), "wb") as g:
        g.write(f.read(100_000))


def has_module(gpusight, name):
    return os.path.exists(os.path.join(os.path.dirname(gpusight), "..", "team", f"gpusight-mpi-{name}.so"))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    p.add_argument("--ranks", type=int, default=9)
    p.add_argument("--processes", default="1,2,3,7")
    o = p.parse_args()
    gpusight = os.path.realpath(o.gpusight)
    names = [n for n, (words, _) in LAUNCHERS.items() if shutil.which(words[0]) and has_module(gpusight, n)]
    if not names:
        print("no launcher of MPI that this build has a module for: skipped")
        return 77
    processes = [int(n) for n in o.processes.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "tmp"))
        os.environ["TMPDIR"] = os.path.join(folder, "tmp")
        make_jobs(gpusight, folder, o.ranks)
        for i, name in enumerate(names):
            t = Tester(gpusight, name, folder)
            t.tmp = os.path.join(folder, "tmp", "ours")
            os.makedirs(t.tmp, exist_ok=True)
            # The second one runs the same code behind another module: less of it is enough.
            same_bytes(t, processes if not i else processes[-2:-1])
            os.environ["TMPDIR"] = t.tmp
            own_files(t, o.ranks)
            os.environ["TMPDIR"] = os.path.join(folder, "tmp")
            if not i:
                own_views(t)
                errors(t)
                alone(t)
            lost(t, 1 if i else 3)
            print(f"{name}: {'FAILED' if tell.failures else 'ok'}")
    return 1 if tell.failures else 0


if __name__ == "__main__":
    sys.exit(main())
