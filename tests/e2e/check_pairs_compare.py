#!/usr/bin/env python3
"""gpusight compare on pairs of runs whose true change is known.

    check_pairs_compare.py --gpusight PATH real|planted

real: the same work with a fault and repaired, timed while it was profiled. planted: made pairs, each as
rocpd, Nsight and Kineto files, which must all come out alike. Exit code 77: skipped, with a line that says why.
"""
import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TRACES = os.environ.get("GPUSIGHT_TRACES") or os.path.join(ROOT, "..", "shared", "traces")
PAIRS = os.path.join(TRACES, "h200", "pairs")
FORMATS = {"rocpd": ".db", "nsys": ".sqlite", "kineto": ".json"}

# Names and times of kernels, of the host and of start-up are parameters of the made program.
PROGRAM = """
param n = 100
param clock = 1000
param host = 300
param init = 5
gpu MI300X
{declare}
api hipModuleLoad dur=init*1ms
loop n as i {{
{body}
}}
sync
"""
THREE = [("assemble_cells", 120), ("solve_pressure", 80), ("project_velocity", 40)]


def program(kernels=THREE, host="host host*1us~5%", inside="", level="", marker=None):
    declare = "\n".join(f'kernel "{name}" wg=256 blocks=2432' for name, _ in kernels)
    body = [level] + [f'launch "{name}" dur={us}*clock*1ns~3%' if not level else
                      f'launch "{name}" dur={us}*clock*f/100*1ns~1%' for name, us in kernels]
    body += ["sync", inside, host]
    text = "\n".join("    " + line for line in body if line)
    if marker:
        text = f'marker range "{marker}" {{\n{text}\n}}'
    return PROGRAM.format(declare=declare, body=text)


class Checks:
    def __init__(self, gpusight, folder):
        self.gpusight, self.folder, self.failed, self.count, self.made = gpusight, folder, 0, 0, 0

    def run(self, *args, codes=(0,)):
        done = subprocess.run([self.gpusight, *args], capture_output=True, text=True, cwd=self.folder)
        if done.returncode not in codes:
            sys.exit(f"{' '.join(args)}: exit code {done.returncode}: {done.stderr}")
        return done

    def compare(self, *runs):
        return json.loads(self.run("compare", "--json", *runs).stdout)

    def that(self, good, what, found):
        self.count += 1
        if not good:
            self.failed += 1
            print(f"not ok - {what}: {found.get('headline')}; {found.get('comparability')}; {found.get('notes')}")

    def make(self, text, form, seed=1, **params):
        """The profile of a made run."""
        self.made += 1
        name = f"r{self.made}"
        with open(os.path.join(self.folder, name + ".trace"), "w", encoding="utf-8") as f:
            f.write(text)
        sets = [x for key, value in params.items() for x in ("--set", f"{key}={value}")]
        self.run("synth", name + ".trace", "--seed", str(seed), "--format", form, *sets, "-o", name + FORMATS[form])
        self.run("compare", "--save-baseline", "of_" + name, "--baseline-dir", ".", name + FORMATS[form])
        os.remove(os.path.join(self.folder, name + FORMATS[form]))
        return f"of_{name}.json"


def real(c):
    with open(os.path.join(PAIRS, "pairs.json"), encoding="utf-8") as f:
        pairs = {k: v for k, v in json.load(f).items() if not k.startswith("_")}
    for name, truth in pairs.items():
        before, after = (os.path.join(PAIRS, f"{name}.{x}.json.gz") for x in ("before", "after"))
        found = c.compare(before, after)
        gain = found["wall_a_ns"] / found["wall_b_ns"]
        want = truth["speedup_profiled"]
        print(f"# {name}: {found['verdict']}, {gain:.2f} times as fast; measured {want:.2f}")
        c.that(found["verdict"] == "faster" and found["by_wall"], f"{name} is faster on the clock", found)
        c.that(abs(gain / want - 1) < 0.25, f"{name}: {gain:.2f} is near {want:.2f}", found)
        back = c.compare(after, before)
        c.that(back["verdict"] == "slower", f"{name} the other way round is slower", back)
        gate = c.run("compare", "--fail-on", "wall>5%", after, before, codes=(0, 1))
        c.that(gate.returncode == 1, f"{name}: the gate fails", back)


def near(found, want, tolerance=0.03):
    return abs(found["wall_b_ns"] / found["wall_a_ns"] - want) <= tolerance * want


def planted(c, form):
    base = c.make(program(), form)
    # An iteration: 240 us of kernels and 300 us of host; a hundred of them.
    for what, text, params, verdict, ratio in (
            ("another seed", program(), {}, "same", 1),
            ("host time nine times as long", program(), {"host": 2700}, "slower", None),
            ("one pause of half a second", program(inside="if i == 50 { host 500ms }"), {}, "slower", None),
            ("start-up of 40 ms more", program(), {"init": 45}, "slower", None),
            ("all kernels by one factor", program(), {"clock": 1200, "host": 3}, "slower", None)):
        a = base if "factor" not in what else c.make(program(), form, host=3)
        found = c.compare(a, c.make(text, form, seed=2, **params))
        c.that(found["verdict"] == verdict, f"{form}: {what}: {verdict}", found)
        c.that(ratio is None or near(found, ratio), f"{form}: {what}: {ratio}", found)
        c.that("factor" not in what or "clocks, not code" in found["headline"], f"{form}: {what} is said", found)
    nine = c.make(program(host="host 2700us~90%"), form, seed=2)
    found = c.compare(c.make(program(host="host 300us~90%"), form), nine)
    c.that(found["verdict"] == "slower", f"{form}: irregular host time nine times as long", found)
    double = c.compare(c.make(program(), form, init=60), c.make(program(), form, seed=2, init=120))
    c.that(double["verdict"] == "slower" and "start-up" in double["headline"], f"{form}: start-up doubled", double)


def other_kernels(c, form):
    base = c.make(program(), form)
    fused = c.make(program([("megakernel", 150)]), form, seed=2)
    found = c.compare(base, fused)
    c.that(found["verdict"] == "faster" and near(found, (150 + 315) / (240 + 325), 0.1),
           f"{form}: three kernels fused into one", found)
    partly = c.make(program([("project_velocity", 40), ("assemble_and_solve", 110)]), form, seed=2)
    found = c.compare(base, partly)
    c.that(found["verdict"] == "faster", f"{form}: two kernels fused into one", found)
    renamed = [("k_first", 120), ("mg_second", 80), ("zz_third", 40)]
    found = c.compare(base, c.make(program(renamed), form, seed=2))
    c.that(found["verdict"] == "same" and near(found, 1), f"{form}: renamed kernels are the same", found)
    found = c.compare(base, c.make(program([(n, 2 * us) for n, us in renamed]), form, seed=2))
    c.that(found["verdict"] == "slower", f"{form}: renamed kernels that take twice as long", found)
    marked = [c.make(program(k, marker="timestep"), form, seed=s, n=n)
              for k, s, n in ((THREE, 1, 60), ([("megakernel", 150)], 2, 150))]
    found = c.compare(*marked)
    c.that(found["verdict"] == "faster" and abs(found["comparability"]["steps_ratio"] - 2.5) < 0.01,
           f"{form}: fused kernels and more steps, by the ranges", found)
    other = c.make(program([("sort_keys", 900), ("hash_join", 30)], host=""), form, seed=2, n=37)
    found = c.compare(base, other)
    c.that(found["verdict"] == "not_comparable", f"{form}: other work is not comparable", found)


def amounts(c, form):
    small = c.make(program(), form, n=60)
    found = c.compare(small, c.make(program(), form, seed=2, n=150))
    c.that(found["verdict"] == "same", f"{form}: more steps are the same per step", found)
    slow = [(n, us * 3 if n.startswith("solve") else us) for n, us in THREE]
    found = c.compare(small, c.make(program(slow), form, seed=2, n=150))
    c.that(found["verdict"] == "slower", f"{form}: more steps, each slower", found)
    # Captures of 60 ms: one gets through 106 steps, the other through 150.
    quick = [(n, us / 4) for n, us in THREE]
    a, b = c.make(program(), form, n=106), c.make(program([(n, int(u)) for n, u in quick]), form, seed=2, n=155)
    found = c.compare(a, b)
    c.that(found["verdict"] == "faster" and near(found, 106 / 155, 0.08), f"{form}: captures of one length", found)


def noise(c, form):
    # Kernels whose speed wanders by 6 % over tens of iterations: calls are not independent.
    level = "if i % 20 == 0 { let f = rand(94, 106) }"
    runs = [c.make(program(level=level, host=""), form, seed=s) for s in range(1, 7)]
    for a, b in itertools.permutations(runs, 2):
        found = c.compare(a, b)
        c.that(found["verdict"] == "same", f"{form}: drift is noise", found)
    # Twelve repeats: clocks within 1 %, the host within 8 %, start-up within 20 %.
    draw = random.Random(form)
    repeats = [c.make(program(host="host host*1us~30%"), form, seed=s, clock=round(1000 * draw.uniform(0.99, 1.01)),
                      host=round(300 * draw.uniform(0.92, 1.08)), init=round(20 * draw.uniform(0.8, 1.2)))
               for s in range(12)]
    for a, b in itertools.permutations(repeats, 2):
        found = c.compare(a, b)
        c.that(found["verdict"] == "same", f"{form}: repeats are the same", found)
    found = c.compare(*repeats[:6], "--", *repeats[6:])
    c.that(found["verdict"] == "same" and found["repeated"], f"{form}: six repeats and six", found)
    points = json.loads(c.run("history", "--json", *repeats).stdout)["runs"]
    c.that(not any(r["change_point"] for r in points), f"{form}: no change point among repeats", {})
    slower = [c.make(program(host="host host*1us~30%"), form, seed=s, host=420) for s in range(20, 24)]
    same = [c.make(program(host="host host*1us~30%"), form, seed=s, host=300) for s in range(30, 34)]
    found = c.compare(*same, "--", *slower)
    c.that(found["verdict"] == "slower" and found["repeated"], f"{form}: four and four tell 20 %", found)
    c.run("compare", "--save-baseline", "many", "--baseline-dir", ".", *same)
    kept = json.loads(c.run("compare", "--json", "--baseline", "many", "--baseline-dir", ".", *slower).stdout)
    c.that(kept["wall_a_ns"] == found["wall_a_ns"] and kept["verdict"] == "slower",
           f"{form}: a baseline of several runs", kept)


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", required=True)
    args.add_argument("which", choices=["real", "planted"])
    args = args.parse_args()
    if args.which == "real" and not os.path.isdir(PAIRS):
        print("skipped: no traces, see GPUSIGHT_TRACES")
        return 77
    with tempfile.TemporaryDirectory(prefix="pairs-") as folder:
        c = Checks(os.path.abspath(args.gpusight), folder)
        if args.which == "real":
            real(c)
        else:
            for form in FORMATS:
                planted(c, form)
                other_kernels(c, form)
                amounts(c, form)
                noise(c, form)
    print(f"# {c.count} checks, {c.failed} failed")
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
