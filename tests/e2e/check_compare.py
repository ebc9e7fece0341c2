#!/usr/bin/env python3
"""gpusight compare on whole files: real ones with a known history, and made ones with known truth.

    check_compare.py --gpusight PATH real|synthetic

Exit code 77: skipped, with a line that says why.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True  # leave no files in the tree
sys.path.insert(0, os.path.join(ROOT, "tests", "tools"))
import schema  # noqa: E402

SCHEMA = schema.load(os.path.join(ROOT, "schema", "compare.schema.json"))
TRACES = os.environ.get("GPUSIGHT_TRACES") or os.path.join(ROOT, "..", "shared", "traces")

# Small sizes: many scenarios and seeds say more than many events.
SCENARIOS = {
    "demo": {}, "healthy": {"n": 100}, "tiny_kernels": {"n": 1000}, "sync_stall": {"n": 300},
    "transfer_bound": {"n": 50}, "overlap_missing": {"n": 60}, "host_idle": {"n": 60},
    "pageable_copies": {"n": 40}, "allocation_churn": {"n": 100}, "unbalanced_gpus": {"n": 30},
    "warm_up": {"n": 100}, "stream_serialisation": {"n": 80}, "exposed_comm": {"n": 30},
    "hidden_comm": {"n": 30}, "small_grid": {"n": 100}, "dominant_kernel": {"n": 50},
    "two_queues": {"n": 100}, "phases": {"n": 10}, "mpi_job": {"n": 20}, "bench": {"n": 3000},
    "many_names": {"names": 500, "n": 1500}, "one_kernel": {},
}
SEVERAL = {"exposed_comm", "hidden_comm", "mpi_job"}

# Lines of a description to leave out, and what must be the first cause when they are.
REMOVALS = [
    ("sync_stall", r"\s*sync", "host blocked in sync"),
    ("allocation_churn", r"\s*(malloc|free)", "allocation"),
    ("transfer_bound", r"\s*copy d2h", "device to host copies"),
    ("pageable_copies", r"\s*copy h2d", "host to device copies"),
    ("host_idle", r"\s*(host|gap) ", "host busy elsewhere"),
]
PLANTED = [("sync_stall", 300), ("stream_serialisation", 80), ("healthy", 100), ("host_idle", 100)]


class Checks:
    def __init__(self, gpusight, folder):
        self.gpusight, self.folder, self.failed, self.count = gpusight, folder, 0, 0

    def run(self, *args):
        done = subprocess.run([self.gpusight, *args], capture_output=True, text=True, cwd=self.folder)
        if done.returncode:
            sys.exit(f"{' '.join(args)}: exit code {done.returncode}: {done.stderr}")
        return done.stdout

    def compare(self, a, b):
        found = json.loads(self.run("compare", "--json", a, b))
        for problem in schema.problems(found, SCHEMA):
            self.failed += 1
            print(f"not ok - compare {a} {b}: {problem}")
        return found

    def that(self, good, what, found):
        self.count += 1
        if not good:
            self.failed += 1
            print(f"not ok - {what}: {found['headline']}; {found['comparability']}")

    def profile(self, name, description, seed, params=None, several=False):
        """Makes a trace and keeps only its profile."""
        args = ["synth", description, "--seed", str(seed), "-o", name + ".db", "--args", "0"]
        args += ["--merge"] if several else []
        for key, value in (params or {}).items():
            args += ["--set", f"{key}={value}"]
        self.run(*args)
        self.run("compare", "--save-baseline", name, "--baseline-dir", ".", name + ".db")
        os.remove(os.path.join(self.folder, name + ".db"))
        return name + ".json"

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            f.write(text)
        return name


def real(c):
    rocpd = lambda name: os.path.join(TRACES, "rocpd", name)
    first, second, third = (rocpd(n) for n in
                            ("trace_20251121_0800", "trace_20251211_0701", "bmm_20251215_0933"))
    for a, b, verdict in ((first, second, "faster"), (second, third, "faster"), (first, third, "faster"),
                          (third, rocpd("bmmIGLP_20251215_0933"), "slower"),
                          (third, rocpd("bmm_20251230_0600"), "not_comparable"),
                          (rocpd("bmmIGLP_20251215_0933"), rocpd("bmm_20251230_0600"), "not_comparable"),
                          (third, second, "slower")):
        found = c.compare(a, b)
        c.that(found["verdict"] == verdict, f"{a} to {b} is {verdict}", found)
    c.that("a quarter of the work" in c.compare(third, rocpd("bmm_20251230_0600"))["headline"],
           "the smaller batch is named", c.compare(third, rocpd("bmm_20251230_0600")))
    nsys = lambda name: os.path.join(TRACES, "nsys", name)
    found = c.compare(nsys("heat_t4_before.sqlite"), nsys("heat_t4_after.sqlite"))
    c.that(found["verdict"] == "faster" and found["causes"][0]["kind"] == "copy",
           "the removed copies are the first cause", found)
    kineto = [os.path.join(TRACES, "kineto", n + "_qwen.json.gz") for n in ("mi300x", "h100")]
    found = c.compare(*kineto)
    c.that(found["comparable"] and found["comparability"]["by_role"] and
           any(k["role"] == "GEMM" for k in found["kernels"]), "vendors are compared by role", found)
    for path in (*kineto, first, nsys("heat_t4_before.sqlite"), nsys("h100_2gpu_1s.sqlite")):
        found = c.compare(path, path)
        c.that(found["verdict"] == "same" and found["change_ns"] == 0, f"{path} is itself", found)
    runs = json.loads(c.run("history", "--json", first, second, third, rocpd("bmm_20251230_0600")))
    c.that(runs["workloads"] == 2 and [r["change_point"] for r in runs["runs"][:3]] ==
           [False, True, True], "the history has its change points",
           {"headline": str(runs), "comparability": ""})


def same_program(c):
    for name, params in SCENARIOS.items():
        runs = [c.profile(f"{name}_{seed}", name, seed, params, name in SEVERAL) for seed in (1, 2, 3)]
        for a, b in ((0, 1), (1, 2), (2, 0), (0, 0)):
            found = c.compare(runs[a], runs[b])
            c.that(found["verdict"] == "same", f"{name} with seeds {a + 1} and {b + 1} is the same", found)


def other_steps(c):
    for name in ("demo", "sync_stall", "transfer_bound", "host_idle"):
        a, b = (c.profile(f"{name}_{n}", name, n, {"n": n}) for n in (40, 100))
        found = c.compare(a, b)
        c.that(found["verdict"] == "same" and abs(found["comparability"]["steps_ratio"] - 2.5) < 0.01,
               f"{name} with more steps is the same per step", found)


def removals(c):
    for name, pattern, cause in REMOVALS:
        text = c.run("synth", "--show", name)
        less = "\n".join(x for x in text.split("\n") if not re.match(pattern, x))
        a = c.profile("with", c.write("with.trace", text), 1, {"n": 50})
        b = c.profile("without", c.write("without.trace", less), 2, {"n": 50})
        for x, y, verdict in ((a, b, "faster"), (b, a, "slower")):
            found = c.compare(x, y)
            c.that(found["verdict"] == verdict and cause in found["causes"][0]["what"],
                   f"{name} without '{pattern}': {verdict}, {cause} first", found)


def planted(c):
    kernel = re.compile(r'^\s*kernel\s+(?:"[^"]*"|\S+).*?dur=([\d.]+)(us|ms)', re.M)
    for name, n in PLANTED:
        text = c.run("synth", "--show", name)
        base = c.profile("planted_a", c.write("a.trace", text), 1, {"n": n})
        for at in kernel.finditer(text):
            for factor in (0.97, 1.03, 1.1):
                ns = round(float(at[1]) * {"us": 1e3, "ms": 1e6}[at[2]] * factor)
                other = text[:at.start(1)] + f"{ns}ns" + text[at.end(2):]
                found = c.compare(base, c.profile("planted_b", c.write("b.trace", other), 1, {"n": n}))
                top = found["causes"][0]
                c.that(top["kind"] == "kernel" and top["significant"] and
                       (top["change_ns"] > 0) == (factor > 1),
                       f"{name}: a kernel by {factor} is found first", found)


def in_phases(c):
    """A run of 2 to 6 phases, one of which changes: that one moves, by as much, and no other."""
    for count in (2, 3, 4, 6):
        for changed in range(count):
            for factor in (0.8, 1.1, 3):
                text = ["gpu MI300X"] + [f'kernel "phase{p}" wg=256 blocks=2432' for p in range(count)]
                base = [200 + 150 * p for p in range(count)]
                other = list(base)
                other[changed] = round(base[changed] * factor)

                def trace(durations):
                    body = [line for p, us in enumerate(durations)
                            for line in (f'loop 60 {{ launch "phase{p}" dur={us}us~3% }}', "sync", "host 4ms")]
                    return "\n".join(text + body) + "\n"
                a = c.profile("phase_a", c.write("a.trace", trace(base)), 1, {})
                b = c.profile("phase_b", c.write("b.trace", trace(other)), 2, {})
                found = c.compare(a, b)
                what = f"phase {changed + 1} of {count} by {factor}"
                rows = found["phases"]
                top = max(rows, key=lambda r: abs(r["change_ns"]))
                want = 60e3 * (other[changed] - base[changed])
                rest = sum(abs(r["change_ns"]) for r in rows if r is not top)
                # Of six phases some are found as one; then that one moves.
                named = count > 4 or f"phase{changed}" in top["title"]
                c.that(named and abs(top["change_ns"] - want) < 0.1 * abs(want) + 4e5,
                       what + f" is found, {want} ns", {**found, "comparability": [(r["title"], r["change_ns"]) for r in rows]})
                c.that(rest < 0.1 * abs(want) + 4e5, what + ": the others stay",
                       {**found, "comparability": [(r["title"], r["change_ns"]) for r in rows]})
                c.that(count > 4 or (found["causes"][0]["phase"] or f"phase{changed}").startswith(f"phase{changed}"),
                       what + ": the cause names it", found)


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", required=True)
    args.add_argument("which", choices=["real", "synthetic"])
    args = args.parse_args()
    if args.which == "real" and not os.path.isdir(os.path.join(TRACES, "rocpd")):
        print("skipped: no traces, see GPUSIGHT_TRACES")
        return 77
    with tempfile.TemporaryDirectory(prefix="compare-") as folder:
        c = Checks(os.path.abspath(args.gpusight), folder)
        if args.which == "real":
            real(c)
        else:
            same_program(c)
            other_steps(c)
            removals(c)
            planted(c)
            in_phases(c)
    print(f"# {c.count} checks, {c.failed} failed")
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
