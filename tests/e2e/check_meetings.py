#!/usr/bin/env python3
"""Processes and GPUs that wait for each other: what a change does to all of them.

    check_meetings.py --gpusight GPUSIGHT [--seeds N]

A program is simulated twice, with a kernel as it is and with the same kernel faster. From the first
trace alone, `whatif` must say how long the second one takes: the simulation is the oracle. Random
numbers are drawn alike in both.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

# name: description with the time of kernel "work" as {work}, how near the prediction must be
CASES = {
    "MPI": ("""
kernel work blocks=4864
kernel rest blocks=4864 dur=300us~40%
process count=4 {
    loop 40 {
        launch work dur={work}*(2+rank)/3~30%
        launch rest
        sync
        host 200us~50%
        mpi MPI_Allreduce dur=40us bytes=1024
    }
}
""", 0.004),
    "several kinds": ("""
kernel work blocks=4864
process count=3 {
    loop 30 {
        launch work dur={work}*(3-rank)~40%
        sync
        mpi MPI_Barrier dur=5us
        launch work dur={work}~40%
        sync
        mpi MPI_Alltoall dur=300us bytes=65536
        host 100us
    }
}
""", 0.004),
    "RCCL, a GPU each": ("""
gpu MI300X
stream side
kernel work blocks=4864
process count=4 {
    stream comm
    loop 40 {
        launch work dur={work}*(2+rank)/3~30%
        sync
        collective AllReduce size=1MiB dur=150us stream=comm
        sync
    }
}
""", 0.004),
}


def run(gpusight, *args):
    done = subprocess.run([gpusight, *args], capture_output=True, text=True, timeout=120)
    if done.returncode:
        sys.exit(f"gpusight {' '.join(args)}: {done.stderr}")
    return done.stdout


def make(gpusight, folder, name, text, work_us, seed, merged):
    source = os.path.join(folder, "planted.trace")
    with open(source, "w", encoding="utf-8") as f:
        f.write(text.replace("{work}", f"{work_us}us"))
    path = os.path.join(folder, f"{name}{'.db' if merged else ''}")
    if not merged:
        os.makedirs(path, exist_ok=True)
        path += "/"
    run(gpusight, "synth", source, "--seed", str(seed), "-o", path, *(["--merge"] if merged else []))
    return path


def check(gpusight, folder, name, seed, factor):
    text, near = CASES[name]
    merged = seed % 2 == 0
    before = make(gpusight, folder, f"before{seed}", text, 1200, seed, merged)
    after = make(gpusight, folder, f"after{seed}", text, int(1200 * factor), seed, merged)
    doc = json.loads(run(gpusight, "whatif", "--kernel", f"work={factor}x", "--json", before))["result"]
    truth = json.loads(run(gpusight, "whatif", "--kernel", "work=1x", "--json", after))["result"]["recorded_ns"]
    off = abs(doc["predicted_ns"] / truth - 1)
    print(f"{'ok' if off < near else 'not ok'} - {name}, seed {seed}: {factor} x work gives {doc['predicted_ns'] / 1e6:.2f} ms, "
          f"simulated {truth / 1e6:.2f} ms instead of {doc['recorded_ns'] / 1e6:.2f} ms")
    return off < near


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gpusight", required=True)
    parser.add_argument("--seeds", type=int, default=2)
    args = parser.parse_args()
    good = True
    for name in CASES:
        for seed in range(args.seeds):
            with tempfile.TemporaryDirectory() as folder:
                good &= check(args.gpusight, folder, name, seed, (0.5, 0.1, 0.8, 1.5)[seed % 4])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
