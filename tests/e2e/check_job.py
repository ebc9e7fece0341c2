#!/usr/bin/env python3
"""Generated jobs with known truth: the right rank and cause are named first.

    check_job.py --gpusight build/src/cli/gpusight [--seeds N]

Every job is written as rocpd of two profilers and as Nsight Systems, one file a rank. What the
analysis says of a rank is compared with the truth file and with SQL on the same database.
"""
import argparse
import contextlib
import glob
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "rules"))
import rocpd_writer  # noqa: E402

FORMS = {"rocprofv3": ["--flavor", "rocprofv3"], "rocprof-sys": ["--flavor", "rocprof-sys"],
         "nsys": ["--format", "nsys"]}

HEAD = """
gpu MI250X count=8
kernel stencil vgpr=64 wg=256 blocks=1760
kernel reduce vgpr=24 wg=256 blocks=110
kernel pack vgpr=16 wg=256 blocks=110
"""


def job(ranks, body, per_node=4, extra=""):
    return f"""{HEAD}
process count={ranks} host="node{{rank/{per_node}}}" command="./solver" {extra} {{
    device rank % gpus
{body}
}}
"""


def step(late, work="1ms", more=""):
    return f"launch stencil dur={work}~1%; launch reduce dur=100us~1%; sync; {more}"


# Each makes (text of the job, expectations) of a random number generator.
def kernel_time(r):
    n, k, pct = r.randint(3, 8), None, r.randint(8, 40)
    k = r.randrange(n)
    return job(n, f"""    loop 60 {{ launch stencil dur=(100+(rank=={k})*{pct})*10us~1%; launch reduce dur=100us~1%
        sync; mpi MPI_Allreduce dur=20us bytes=8 }}"""), dict(
            rank=k, cause="kernel_time", cost=60 * pct * 10_000)


def more_calls(r):
    n = r.randint(3, 6)
    k = r.randrange(n)
    return job(n, f"""    loop 60 {{ launch stencil dur=1ms~1%; if rank=={k} {{ launch stencil dur=300us~1% }}
        sync; mpi MPI_Allreduce dur=20us bytes=8 }}"""), dict(rank=k, cause="kernel_time", cost=60 * 300_000)


def slow_clocks(r):
    n, pct = r.randint(3, 8), r.randint(6, 30)
    k = r.randrange(n)
    return job(n, f"""    let pct = 100 + (rank == {k}) * {pct}
    loop 60 {{ launch stencil dur=pct*10us~1%; launch reduce dur=pct*3us~1%; launch pack dur=pct*2us~1%
        sync; mpi MPI_Barrier dur=20us }}"""), dict(rank=k, cause="slow_clocks", cost=60 * pct * 15_000)


def host(r):
    n, us = r.randint(3, 8), r.randint(150, 900)
    k = r.randrange(n)
    return job(n, f"""    loop 60 {{ launch stencil dur=1ms~1%; sync; if rank == {k} {{ host {us}us }}
        mpi MPI_Allreduce dur=20us bytes=8 }}"""), dict(rank=k, cause="host", cost=60 * us * 1000)


def barrier_stall(r):
    n = r.randint(4, 8)
    k, at = r.randrange(n), r.randint(5, 50)
    return job(n, f"""    loop 60 as i {{ launch stencil dur=1ms~1%; sync
        if rank == {k} {{ if i == {at} {{ host 40ms }} }}
        mpi MPI_Barrier dur=15us }}"""), dict(rank=k, cause="host", cost=40_000_000)


def copies(r):
    n = r.randint(3, 6)
    k = r.randrange(n)
    return job(n, f"""    loop 50 {{ launch stencil dur=1ms~1%; sync
        copy h2d size=8MiB bw=(20-(rank=={k})*15)*1GB/s; mpi MPI_Allreduce dur=20us bytes=8 }}"""), dict(
            rank=k, cause="copies", cost=50 * int((8 << 20) / 5 - (8 << 20) / 20))


def rccl(r):
    n, pct = r.randint(3, 6), r.randint(15, 30)
    k = r.randrange(n)
    return job(n, f"""    loop 60 {{ launch stencil dur=(100+(rank=={k})*{pct})*10us~1%
        collective AllReduce size=4MiB dur=80us; sync }}"""), dict(
            rank=k, cause="kernel_time", cost=60 * pct * 10_000)


def staged_ring(r):
    n = r.choice([4, 5, 6])
    return job(n, f"""    loop 20 {{ launch stencil dur=1ms~1%; sync
        loop {n - 1} {{ copy d2h size=4MiB pinned; mpi MPI_Isend dur=5us bytes=4MiB peer=(rank+1)%{n}
            mpi MPI_Irecv dur=5us bytes=4MiB peer=(rank+{n - 1})%{n}; mpi MPI_Waitall dur=100us
            copy h2d size=4MiB pinned }}
        mpi MPI_Allreduce dur=20us bytes=8 }}"""), dict(
            rule="host-staging", staging=dict(kind="ring", chains=20 * n * (n - 1), bytes=20 * n * (n - 1) << 22))


def staged_allreduce(r):
    n = r.randint(3, 6)
    return job(n, """    loop 40 { launch stencil dur=1ms~1%; sync; copy d2h size=16MiB pinned
        mpi MPI_Allreduce dur=200us bytes=16MiB; copy h2d size=16MiB pinned }"""), dict(
            rule="host-staging", staging=dict(kind="collective", operation="MPI_Allreduce", chains=40 * n,
                                              bytes=40 * n << 24))


def halo(r):
    k = r.randrange(6)
    return job(6, f"""    loop 50 {{ launch stencil dur=(100+(rank=={k})*25)*10us~1%; launch pack dur=30us; sync
        copy d2h size=1MiB pinned
        if rank > 0 {{ mpi MPI_Isend dur=5us bytes=1MiB peer=rank-1 }}
        if rank < 5 {{ mpi MPI_Isend dur=5us bytes=1MiB peer=rank+1 }}
        mpi MPI_Waitall dur=60us; copy h2d size=1MiB pinned
        mpi MPI_Allreduce dur=20us bytes=8 }}""", per_node=3), dict(
            rank=k, cause="kernel_time", cost=50 * 250_000, hosts=2,
            staging=dict(kind="halo", between="both"), staging_in=["nsys"])


def clock_offsets(r):
    text, truth = kernel_time(r)
    ahead = r.choice([3, 17, -5])
    return text.replace('command="./solver"', f'command="./solver" ahead=(rank/2)*{ahead}s') \
        .replace("rank/4", "rank/2"), dict(truth, ahead=ahead * 10**9, per_node=2)


def clock_drift(r):
    text, truth = host(r)
    ppm = r.choice([15, 40, -30])
    return text.replace('command="./solver"', f'command="./solver" ahead=(rank/2)*1s drift=(rank/2)*{ppm}') \
        .replace("rank/4", "rank/2"), dict(truth, drift=ppm, per_node=2)


def missing_ranks(r):
    text, truth = kernel_time(r)
    return text, dict(truth, drop=True)


def phases_differ(r):
    k = r.randrange(4)
    return job(4, f"""    loop 80 {{ launch stencil dur=1ms~1%; sync; mpi MPI_Allreduce dur=20us bytes=8 }}
    if rank == 0 {{ loop 40 {{ launch pack dur=800us~1%; sync }} }}
    loop 80 {{ launch reduce dur=(100+(rank=={k})*30)*8us~1%; sync; mpi MPI_Allreduce dur=20us bytes=8 }}"""), \
        dict(rank_in=[0, k], cost=None, phases=True)


def balanced(r):
    n = r.randint(2, 8)
    return job(n, """    loop 60 { launch stencil dur=1ms~2%; launch reduce dur=100us~2%; sync
        mpi MPI_Allreduce dur=20us bytes=8 }"""), dict(none=True)


def two_that_scatter(r):
    """Each is last in half of the meetings: chance, not a straggler."""
    return job(2, f"""    loop {r.choice([8, 60, 200])} {{ launch stencil dur=1ms~5%; launch reduce dur=100us~5%; sync
        mpi MPI_Allreduce dur=20us bytes=8 }}"""), dict(none=True)


JOBS = [kernel_time, more_calls, slow_clocks, host, barrier_stall, copies, rccl, staged_ring, staged_allreduce, halo,
        clock_offsets, clock_drift, missing_ranks, phases_differ, balanced, two_that_scatter]


class Failed(Exception):
    pass


def need(condition, text):
    if not condition:
        raise Failed(text)


def near(got, want, share, text):
    need(abs(got - want) <= share * abs(want), f"{text}: {got}, not about {want}")


class Case:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, *args):
        done = subprocess.run([self.program, *args], capture_output=True, text=True, timeout=120)
        need(done.returncode == 0, f"gpusight {' '.join(args)}: {done.stderr}")
        return done.stdout

    def analyze(self, text, seed, form):
        path = os.path.join(self.folder, "job.trace")
        out = os.path.join(self.folder, "job")
        shutil.rmtree(out, ignore_errors=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        truth = os.path.join(self.folder, "truth.json")
        self.run("synth", path, "--seed", str(seed), *FORMS[form], "-o", out + "/", "--truth", truth)
        with open(truth, encoding="utf-8") as f:
            return out, json.load(f)


def check_ranks(doc, truth, form, files):
    """Every rank against the truth of its process, and MPI against SQL."""
    by_pid = {p["pid"]: p for p in truth["processes"]}
    for rank in doc["ranks"]:
        want = by_pid[rank["pid"]]
        need(rank["rank"] == want["rank"], f"pid {rank['pid']} is rank {rank['rank']}, not {want['rank']}")
        need(rank["kernels"] == want["counts"]["kernels"], "kernels differ")
        busy = want["kernel_union_ns"] + want["exposed_copy_ns"]
        need(rank["gpu_busy_ns"] == busy, f"rank {rank['rank']} is busy {rank['gpu_busy_ns']}, not {busy}")
        need(rank["gpu_busy_ns"] + rank["gpu_idle_ns"] == rank["window_ns"] * rank["gpus"], "busy + idle != window")
        if form == "rocprof-sys":
            with contextlib.closing(sqlite3.connect(f"file:{rank['file']}?mode=ro", uri=True)) as db:
                total = db.execute("select coalesce(sum(end - start), 0) from regions where category = 'mpi'").fetchone()
            need(rank["mpi_ns"] == total[0], f"rank {rank['rank']}: {rank['mpi_ns']} ns in MPI, SQL has {total[0]}")
    need(len(doc["ranks"]) == len(files), "ranks are missing")


def check_clocks(doc, want):
    for rank in doc["ranks"]:
        node = rank["rank"] // want["per_node"]
        if "ahead" in want:
            need(abs(rank["clock_offset_ns"] - node * want["ahead"]) < 2000,
                 f"rank {rank['rank']}: clock {rank['clock_offset_ns']}")
        if "drift" in want:
            near(rank["clock_drift_ppm"], node * want["drift"], 0.02, f"drift of rank {rank['rank']}")
        need(rank["clock_residual_ns"] < 2000, f"residual {rank['clock_residual_ns']}")
    need(doc["job"]["window_ns"] < 2 * max(r["window_ns"] for r in doc["ranks"]), "clocks are not aligned")


def check(case, make, seed, form):
    r = random.Random(seed)
    text, want = make(r)
    out, truth = case.analyze(text, seed, form)
    files = sorted(f for f in glob.glob(out + "/**/*", recursive=True) if os.path.isfile(f))
    if want.get("drop"):
        keep = [f for f in files if str(truth["processes"][want["rank"]]["pid"]) in f]
        gone = next(f for f in files if f not in keep)
        os.remove(gone)
        files.remove(gone)
    doc = json.loads(case.run("analyze", "--format", "json", out))
    check_ranks(doc, truth, form, files)
    first = doc["recommendations"][0]["rule"] if doc["recommendations"] else None
    late = doc["straggler"]
    if "rank" in want:
        need(late is not None, "no straggler")
        need(late["rank"] == want["rank"], f"rank {late['rank']} instead of {want['rank']}")
        need(late["cause"] == want["cause"], f"cause {late['cause']} instead of {want['cause']}: {late['detail']}")
        near(late["cost_ns"], want["cost"], 0.15, "cost")
        need(first == "straggler", f"first finding is {first}")
    if "rank_in" in want:
        need(late and late["rank"] in want["rank_in"], "no rank, or a wrong one")
    if want.get("none"):
        need(late is None, f"a straggler in a balanced job: {late}")
    if want.get("drop"):
        need(any("not here" in n for n in doc["job"]["notes"]), "no word of the missing rank")
    if "rule" in want:
        need(any(f["rule"] == want["rule"] for f in doc["recommendations"][:2]),
             f"no {want['rule']} among {[f['rule'] for f in doc['recommendations']]}")
        need(late is None, f"a straggler: {late}")
    if "staging" in want and form in want.get("staging_in", FORMS):
        row = doc["analyses"]["staging"][0]
        for key, value in want["staging"].items():
            need(row[key] == value, f"staging {key} is {row[key]}, not {value}")
    if "hosts" in want:
        need(doc["job"]["hosts"] == want["hosts"], "hosts")
    if "per_node" in want:
        check_clocks(doc, want)
    if want.get("phases"):
        need(doc["job"]["phase_confidence"] > 0.5, "phases are not aligned")
        names = [p["ranks"] for p in doc["analyses"]["rank_phases"]]
        need(names and max(names) == 4, f"phases on {names} ranks")
    e = doc["efficiencies"]
    near(e["parallel"], e["load_balance"] * e["communication"], 1e-9, "parallel efficiency")
    useful = [x["useful_ns"] for x in doc["ranks"]]
    near(e["load_balance"], sum(useful) / len(useful) / max(useful), 1e-9, "load balance")


def recorded(ranks, steps, late, calls=("MPI_Allreduce",), before=None, pid=None):
    """A job of a writer that shares no code with synth: `late` computes a fifth longer."""
    made = rocpd_writer.Job(seed=ranks)
    for _ in range(ranks):
        p = made.process("./solver")
        p.pid = pid or p.pid
        p.stream, p.main = p.gpu("MI300X").stream(), p.thread()
    if before:
        before(made.processes)
    for _ in range(steps):
        for i, p in enumerate(made.processes):
            p.main.launch("stencil", p.stream, made.jitter(1e6 * (1 + 0.2 * (i == late)), 0.01))
            p.main.wait(p.stream)
        meet(made.processes, calls)
    return made


def meet(processes, calls):
    """The first call, with the others inside it, on all of these processes."""
    last = max(p.main.now for p in processes)
    for p in processes:
        end = last + p.job.jitter(20000)
        for depth, name in enumerate(calls):
            p.main.region(name, p.main.now + 100 * depth, end - 100 * depth, "mpi")
        p.main.now = end


def write_ranks(made, folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for i, p in enumerate(made.processes):
        with contextlib.closing(sqlite3.connect(os.path.join(folder, f"rank{i}.db"))) as db:
            p.write(db)
            db.commit()


def same_pids(case):
    """Containers: every process is pid 1; all in one file."""
    path = os.path.join(case.folder, "merged.db")
    recorded(4, 30, 2, pid=1).write(path)
    doc = json.loads(case.run("analyze", "--format", "json", path))
    need([r["kernels"] for r in doc["ranks"]] == [30] * 4, "kernels of the ranks are mixed up")
    need(doc["straggler"] and doc["straggler"]["rank"] == 2, f"straggler {doc['straggler']}")
    need(doc["straggler"]["cause"] == "kernel_time", f"cause {doc['straggler']['cause']}")
    one = json.loads(case.run("analyze", "--format", "json", "--rank", "2", path))
    need(one["hotspots"][0]["calls"] == 30, "--rank 2 shows others, too")


def named(case, made, rank, cost):
    """The rank is named with its cost, and nobody waits longer than it is in MPI."""
    out = os.path.join(case.folder, "recorded")
    write_ranks(made, out)
    doc = json.loads(case.run("analyze", "--format", "json", out))
    late = doc["straggler"]
    need(late and late["rank"] == rank, f"straggler {late}")
    near(late["cost_ns"], cost, 0.1, "cost")
    need(doc["recommendations"][0]["rule"] == "straggler", f"first is {doc['recommendations'][0]['rule']}")
    for r in doc["ranks"]:
        need(r["wait_ns"] <= r["mpi_ns"], f"rank {r['rank']} waits {r['wait_ns']} of {r['mpi_ns']} in MPI")
    path = {r["rank"]: r["path_ns"] for r in doc["ranks"]}  # each moment of the job is of one rank: mostly the late one
    near(sum(path.values()), doc["job"]["window_ns"], 0.01, "length of the path over ranks")
    need(max(path, key=path.get) == rank, f"the path is mostly in {path}")
    return doc


def calls_in_calls(case):
    """An allreduce that is made of other calls is one meeting."""
    doc = named(case, recorded(4, 30, 2, ("MPI_Allreduce", "MPI_Barrier", "MPI_Bcast")), 2, 30 * 200_000)
    need(doc["straggler"]["meetings"] == 30, f"{doc['straggler']['meetings']} meetings")


def one_call_more(case):
    """Only the late rank has an allreduce with itself before the others begin."""
    named(case, recorded(4, 30, 2, before=lambda all: meet(all[2:3], ["MPI_Allreduce"])), 2, 30 * 200_000)
    one = json.loads(case.run("analyze", "--format", "json", "--rank", "2", "--window", "10%:60%",
                              os.path.join(case.folder, "recorded")))
    need(one["recommendations"][0]["rule"] == "straggler", "the late rank is not told that it is late")
    need(any("whole runs" in n for n in one["job"]["notes"]), "no word that ranks are compared over whole runs")


def some_meet_more_often(case):
    """Ranks 0 to 2 have a communicator of their own; rank 4 holds all up."""
    def before(processes):
        for _ in range(7):
            meet(processes[:3], ["MPI_Allreduce"])
    named(case, recorded(6, 30, 4, before=before), 4, 30 * 200_000)


def late_start(case):
    """Rank 3 begins 200 ms after the others and then keeps pace."""
    def before(processes):
        processes[3].main.host(200e6)
    late = named(case, recorded(4, 30, -1, before=before), 3, 200_000_000)["straggler"]
    need(late["cause"] == "start_up" and "200 ms" in late["detail"], f"{late['cause']}: {late['detail']}")


def other_kernels(case):
    """Ranks run one collective with different kernels; rank 1 comes last to it."""
    made = recorded(4, 0, -1)
    for _ in range(30):
        for i, p in enumerate(made.processes):
            p.main.launch("stencil", p.stream, made.jitter(1e6 * (1 + 0.2 * (i == 1)), 0.01))
        end = max(p.stream.free_at for p in made.processes) + 100_000
        for i, p in enumerate(made.processes):
            name = f"ncclDevKernel_AllReduce_Sum_f32_{'RING' if i % 2 else 'TREE'}_LL(ncclDevKernelArgs)"
            p.main.launch(name, p.stream, end - max(p.stream.free_at, p.main.now + 9000))
            p.main.wait(p.stream)
    out = os.path.join(case.folder, "recorded")
    write_ranks(made, out)
    doc = json.loads(case.run("analyze", "--format", "json", out))
    late = doc["straggler"]
    need(late and late["rank"] == 1 and late["meetings"] == 30, f"straggler {late}")
    near(late["cost_ns"], 30 * 200_000, 0.1, "cost")
    need(doc["job"]["aligned"] == "AllReduce", f"clocks by {doc['job']['aligned']}")


def overlapping(case):
    """Kernels run during MPI: the others wait a whole step for rank 1, but lose only a fifth of it."""
    made = recorded(4, 0, -1)
    for _ in range(60):
        for i, p in enumerate(made.processes):
            p.main.launch("stencil", p.stream, made.jitter(1e6 * (1 + 0.2 * (i == 1)), 0.01))
        meet(made.processes, ["MPI_Allreduce"])
        for p in made.processes:
            p.main.wait(p.stream)
    named(case, made, 1, 60 * 200_000)


def no_communication(case):
    """MPI was not recorded: how well the ranks work together cannot be told."""
    made = recorded(3, 20, -1)
    for p in made.processes:
        p.rows["region"] = [r for r in p.rows["region"] if r[7] != p.strings["MPI_Allreduce"]]
    out = os.path.join(case.folder, "recorded")
    write_ranks(made, out)
    doc = json.loads(case.run("analyze", "--format", "json", out))
    need(len(doc["ranks"]) == 3 and doc["straggler"] is None, f"straggler {doc['straggler']}")
    e = doc["efficiencies"]
    need(e["parallel"] is None and e["communication"] is None, f"efficiencies without data: {e}")
    page = case.run("analyze", "--format", "html", out)
    need("cannot be told: no barrier" in page and "nothing to compare them by" in page, "the page says otherwise")
    need(0 < e["device"] <= 1, f"device efficiency {e['device']}")


def slow_copies(case):
    """Rank 0 copies at a fifth of the speed."""
    made = recorded(4, 0, -1)
    for _ in range(20):
        for i, p in enumerate(made.processes):
            p.main.launch("stencil", p.stream, made.jitter(1e6, 0.01))
            p.main.copy("h2d", p.stream, 32 << 20, 25 if i else 5, blocking=True)
        meet(made.processes, ["MPI_Allreduce"])
    late = named(case, made, 0, 20 * (32 << 20) * (1 / 5 - 1 / 25))["straggler"]
    need(late["cause"] == "copies", f"cause {late['cause']}")


def side_by_side(case):
    """Two communicators meet at the same time; rank 4 holds up only its own, and all every fifth step."""
    made = recorded(6, 0, -1)
    for step_number in range(50):
        for i, p in enumerate(made.processes):
            p.main.launch("stencil", p.stream, made.jitter(1e6 * (1 + 0.2 * (i == 4)), 0.01))
            p.main.wait(p.stream)
        meet(made.processes[:3], ["MPI_Allreduce"])
        meet(made.processes[3:], ["MPI_Allreduce"])
        if step_number % 5 == 0:
            meet(made.processes, ["MPI_Barrier"])
    out = os.path.join(case.folder, "recorded")
    write_ranks(made, out)
    late = json.loads(case.run("analyze", "--format", "json", out))["straggler"]
    need(late and late["rank"] == 4, f"straggler {late}")


RECORDED = [side_by_side, slow_copies, no_communication, overlapping, other_kernels, late_start, same_pids, calls_in_calls, one_call_more, some_meet_more_often]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    p.add_argument("--seeds", type=int, default=1)
    p.add_argument("--only")
    o = p.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        case = Case(os.path.abspath(o.gpusight), folder)
        for make in JOBS:
            if o.only and o.only != make.__name__:
                continue
            for i in range(o.seeds):
                for form in FORMS:
                    seed = 1000 * i + 7 * JOBS.index(make) + list(FORMS).index(form)
                    try:
                        check(case, make, seed, form)
                    except Failed as e:
                        bad += 1
                        print(f"not ok - {make.__name__}, {form}, seed {seed}: {e}")
                        continue
                    print(f"ok - {make.__name__}, {form}, seed {seed}")
        for test in RECORDED:
            if o.only and o.only != test.__name__:
                continue
            try:
                test(case)
            except Failed as e:
                bad += 1
                print(f"not ok - {test.__name__}: {e}")
                continue
            print(f"ok - {test.__name__}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
