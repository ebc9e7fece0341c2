#!/usr/bin/env python3
"""gpusight run, from a program to its verdict, with stand-ins for profilers and launchers.

    run.py --gpusight PROGRAM
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from tell import check  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


class Place:
    """A folder with a PATH of stand-ins and a program."""

    def __init__(self, gpusight, names):
        self.folder = tempfile.mkdtemp(prefix="gpusight-launch-")
        self.bin = os.path.join(self.folder, "bin")
        self.gpusight = os.path.abspath(gpusight)
        os.mkdir(self.bin)
        for name in names:
            os.symlink(os.path.join(HERE, "profiler.py"), os.path.join(self.bin, name))
        self.write("app", "#!/bin/sh\necho \"hello $1 $GREETING\"\nexit ${CODE:-0}\n")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, 0o755)

    def run(self, *words, env=None, timeout=120):
        env = dict(os.environ, PATH=self.bin + ":" + os.environ["PATH"], STANDIN_GPUSIGHT=self.gpusight,
                   **(env or {}))
        return subprocess.run([self.gpusight, "run", *words], cwd=self.folder, env=env, text=True,
                              capture_output=True, timeout=timeout)

    def files(self, folder):
        return sorted(f for _, _, names in os.walk(os.path.join(self.folder, folder)) for f in names)


def one_command(o):
    for tool in ("rocprofv3", "nsys"):
        p = Place(o.gpusight, [tool])
        done = p.run("--", "./app", "world")
        check(f"{tool}: a verdict", done.returncode == 0 and "GPU busy" in done.stdout, done.stderr)
        check(f"{tool}: the program's output is on standard error and kept",
              "hello world" in done.stderr and "hello" not in done.stdout and
              "output.log" in p.files("gpusight-run-1"), done.stderr)
        done = p.run("--json", "-d", "mine", "--", "GREETING=hi", "./app", "you")
        check(f"{tool}: variables reach the program, JSON is clean", "hello you hi" in done.stderr and
              json.loads(done.stdout)["recommendations"], done.stderr)
        check(f"{tool}: a folder in use is refused", p.run("-d", "mine", "--", "./app").returncode == 2)
        done = p.run("--repeat", "3", "--quiet-app", "--", "./app")
        check(f"{tool}: repeats are told", "3 runs: median" in done.stderr and "hello" not in done.stderr
              and len([f for f in p.files("gpusight-run-2") if f.endswith((".db", ".sqlite"))]) == 3,
              done.stderr)


def failing(o):
    p = Place(o.gpusight, ["rocprofv3"])
    done = p.run("--", "./app", env={"CODE": "7"})
    check("a program that fails is told, with what was recorded", done.returncode == 3 and
          "GPU busy" in done.stdout and "ended with exit code 7" in done.stderr, done.stderr)
    done = p.run("--", "./nothing")
    check("a program that is not there", done.returncode == 3, done.stderr)
    done = p.run()
    check("no program", done.returncode == 2 and "no program given" in done.stderr, done.stderr)
    bare = Place(o.gpusight, [])
    done = bare.run("--", "./app")
    check("no profiler", done.returncode == 2 and "no profiler found" in done.stderr, done.stderr)
    check("nothing is left behind", not bare.files("gpusight-run-1"))
    kernels = Place(o.gpusight, ["ncu"])
    done = kernels.run("--", "./app")
    check("no profiler for a timeline", done.returncode == 2 and "nsys, which is not installed" in done.stderr
          and not os.path.exists(os.path.join(kernels.folder, "gpusight-run-1")), done.stderr)
    done = kernels.run("--goal", "roofline", "--", "./app")
    check("reports that only ncu reads", done.returncode == 0 and "ncu --import" in done.stderr, done.stderr)


def launchers(o):
    p = Place(o.gpusight, ["rocprofv3", "mpirun", "srun", "torchrun"])
    for line in (["mpirun", "-n", "3", "./app"], ["srun", "-n", "3", "./app"]):
        done = p.run("-d", line[0], "--", *line)
        databases = [f for f in p.files(line[0]) if f.endswith(".db")]
        check(f"{line[0]}: a file a rank", done.returncode == 0 and len(databases) == 3 and
              all(f"rank{i}" in " ".join(databases) for i in range(3)), (databases, done.stderr))
    # One write each: print() may write word by word, and the workers share a terminal.
    p.write("train.py", "import os\nos.write(1, b'worker %d\\n' % int(os.environ['RANK']))\n")
    done = p.run("-d", "workers", "--", "torchrun", "--nproc_per_node", "2", "train.py")
    check("torchrun: workers run", "worker 0" in done.stderr and "worker 1" in done.stderr, done.stderr)
    done = p.run("--dry-run", "-d", "dry", "--", "mpirun", "-n", "2", "./app")
    check("a dry run shows and does nothing", "would run mpirun -n 2 rocprofv3" in done.stderr and
          not os.path.exists(os.path.join(p.folder, "dry")), done.stderr)


FAKE_TORCH = '''
import json, os, sys
class ProfilerActivity: CPU, CUDA = 1, 2
class profile:
    def __init__(self, activities): self.activities = activities
    def start(self): pass
    def stop(self): pass
    def export_chrome_trace(self, path):
        import subprocess
        subprocess.run([os.environ["STANDIN_GPUSIGHT"], "synth", "demo", "--format", "kineto", "-o", path],
                       check=True)
'''


def wrapped(o):
    """A framework that brings its profiler; here one of four lines."""
    p = Place(o.gpusight, ["torchrun"])
    for folder in ("torch", "torch/profiler"):
        os.mkdir(os.path.join(p.folder, folder))
    p.write("torch/__init__.py", "class cuda:\n    is_available = staticmethod(lambda: True)\n"
                                 "    synchronize = staticmethod(lambda: None)\n")
    p.write("torch/profiler/__init__.py", FAKE_TORCH)
    p.write("train.py", "import sys, torch\nassert __name__ == '__main__'\nprint('args', sys.argv)\n"
                        "sys.exit(int(sys.argv[1]) if len(sys.argv) > 1 else 0)\n")
    env = {"PYTHONPATH": p.folder}
    done = p.run("--", sys.executable, "train.py", env=env)
    check("PyTorch's own profiler is used where there is no other", done.returncode == 0 and
          "GPU busy" in done.stdout and "args ['train.py']" in done.stderr, done.stderr)
    os.symlink(os.path.join(HERE, "profiler.py"), os.path.join(p.bin, "ncu"))
    done = p.run("-d", "kernels", "--", sys.executable, "train.py", env=env)
    check("a profiler of kernels alone records no timeline: PyTorch's does", done.returncode == 0 and
          "GPU busy" in done.stdout and "that records a timeline" in done.stderr, done.stderr)
    done = p.run("-d", "all", "--all-passes", "--gpu", "H100", "--goal", "timeline", "--goal", "roofline", "--",
                 sys.executable, "train.py", env=env)
    check("and that of kernels comes after it", done.returncode == 0 and "GPU busy" in done.stdout and
          "running ncu" in done.stderr, done.stderr)
    os.unlink(os.path.join(p.bin, "ncu"))
    done = p.run("--", sys.executable, "train.py", "5", env=env)
    check("the script's exit code is kept", done.returncode == 3 and "exit code 5" in done.stderr,
          done.stderr)
    done = p.run("-d", "two", "--", "torchrun", "--nproc_per_node", "2", "train.py", env=env)
    check("a trace a worker", done.returncode == 0 and
          len([f for f in p.files("two") if f.endswith(".json") and f.startswith("rank")]) == 2,
          (p.files("two"), done.stderr))


def ending(o):
    p = Place(o.gpusight, ["rocprofv3"])
    p.write("slow", "#!/bin/sh\nsetsid sleep 300 &\necho started\nsleep 300\n")
    begin = time.time()
    done = p.run("--timeout", "1", "--", "./slow")
    check("a time limit ends it", time.time() - begin < 30 and "time limit" in done.stderr, done.stderr)
    env = dict(os.environ, PATH=p.bin + ":" + os.environ["PATH"], STANDIN_GPUSIGHT=p.gpusight)
    child = subprocess.Popen([p.gpusight, "run", "--", "./slow"], cwd=p.folder, env=env, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for line in child.stderr:
        if "started" in line:
            break
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=60)
    check("Ctrl-C ends it", child.returncode == 130, child.returncode)
    time.sleep(0.2)
    left = subprocess.run(["pgrep", "-f", "sleep 300"], capture_output=True, text=True).stdout.split()
    mine = [pid for pid in left if os.path.exists(f"/proc/{pid}/cwd") and
            os.path.realpath(f"/proc/{pid}/cwd") == os.path.realpath(p.folder)]
    check("with everything that it had started", not mine, mine)


def batches(o):
    p = Place(o.gpusight, ["rocprofv3", "sbatch"])
    done = p.run("--batch", "slurm", "--batch-option", "--account=x", "--submit", "-d", "job", "--",
                 "srun", "-n", "8", "./app")
    with open(os.path.join(p.folder, "job", "job.sh"), encoding="utf-8") as f:
        script = f.read()
    check("a script for SLURM, handed in", done.returncode == 0 and "Submitted batch job 17" in done.stderr
          and "#SBATCH --ntasks=8\n#SBATCH --account=x\n" in script and "srun -n 8 rocprofv3" in script,
          (done.stderr, script))
    for system, mark in (("pbs", "#PBS -N"), ("lsf", "#BSUB -J"), ("flux", "#flux: --job-name")):
        done = p.run("--batch", system, "--dry-run", "--", "mpirun", "-n", "8", "./app")
        check(f"a script for {system}", mark in done.stdout, done.stdout)
    check("it is a shell script", subprocess.run(["sh", "-n", os.path.join(p.folder, "job", "job.sh")])
          .returncode == 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    o = parser.parse_args()
    for part in (one_command, failing, launchers, wrapped, ending, batches):
        part(o)
    sys.exit(tell.failures > 0)


main()
