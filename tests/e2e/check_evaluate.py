#!/usr/bin/env python3
"""gpusight evaluate: measures against the same measures computed here, for the rules, recorded
answers, PerfAdvisor's layout, and a model behind a fake server, with a judge.

    check_evaluate.py --gpusight build/src/cli/gpusight
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True  # leave no files in the tree
sys.path[:0] = [os.path.join(ROOT, "tests", "llm"), os.path.join(ROOT, "tests", "tools")]
import schema  # noqa: E402
import tell  # noqa: E402
from fake_server import Server  # noqa: E402
from tell import expect as check  # noqa: E402

SCHEMA = schema.load(os.path.join(ROOT, "schema", "evaluation.schema.json"))

G = None


def gpusight(*argv):
    env = {k: v for k, v in os.environ.items() if not k.endswith(("_API_KEY", "_BASE_URL", "proxy"))}
    env.update(OPENAI_API_KEY="sk-nothing", LC_ALL="C.UTF-8")
    return subprocess.run([G, *argv], env=env, capture_output=True, text=True, timeout=120)


def evaluate(*argv, code=0):
    r = gpusight("evaluate", "--json", *argv)
    check(r.returncode == code, f"exit code of evaluate {' '.join(argv)}", r.returncode, r.stderr)
    d = json.loads(r.stdout) if r.stdout else {}
    wrong = list(schema.problems(d, SCHEMA)) if d else []
    check(not wrong, f"the document of evaluate {' '.join(argv)} fits its schema", wrong[:3])
    return d


def near(a, b):
    return (a is None) == (b is None) and (a is None or abs(a - b) < 1e-9)


LAUNCH = {"bottleneck_type": "cpu_launch_overhead", "description": "many tiny kernels", "evidence": "3 us",
          "suggestion": "use a HIP graph", "phase": "whole_profile", "runtime_fraction_pct": 50}
SYNC = {"bottleneck_type": "synchronization", "description": "hipStreamSynchronize after each launch",
        "evidence": "", "suggestion": "events"}
NOISE = {"bottleneck_type": "compute_bound", "description": "nothing in particular", "evidence": "", "suggestion": ""}
# of the right kind, but without a word of what it is about
EMPTY = {"bottleneck_type": "synchronization", "description": "something waits", "evidence": "", "suggestion": ""}


def rules(bench):
    d = evaluate("--scenarios", bench)
    s = d["summary"]
    check(s["runs"] == 15 and s["scored"] == 14 and s["healthy"] == 1 and s["failed"] == 0, "all scenarios ran", s)
    check(s["detection_at_1_pct"] == 100 and s["mean_reciprocal_rank"] == 1, "the rules find what is planted", s)
    check(s["false_positive_count"] == 0 and s["healthy_false_positive_count"] == 0, "and nothing else", s)
    check(0 <= s["claimed_time_error_points"] < 5, "claims are near the truth", s)
    check(d["floor"]["detection_at_1_pct"] < 50 and d["floor"]["healthy_false_positive_count"] > 0,
          "guessing is worse", d["floor"])
    for r in d["runs"]:
        truth = json.load(open(os.path.join(bench, r["run_id"] + ".truth.json")))
        check(truth["expected_bottleneck"] == r["expected_bottleneck"], "truth of " + r["run_id"])
    saved = os.path.join(os.path.dirname(bench), "saved.json")
    with open(saved, "w") as f:
        json.dump(d, f)
    again = evaluate(bench, "--cached", saved)
    check(again["summary"] == s, "a saved evaluation scores the same", again["summary"], s)
    check(gpusight("evaluate", bench, "--at-least", "90").returncode == 0, "a gate that holds")


def recorded(bench, folder):
    answers = os.path.join(folder, "answers")
    os.mkdir(answers)
    kept = {"tiny_kernels": [NOISE, LAUNCH, SYNC], "sync_stall": [EMPTY, NOISE, NOISE, SYNC], "healthy": [NOISE]}
    for name, hypotheses in kept.items():
        form = {"profile_path": "x", "hypotheses": hypotheses} if name == "sync_stall" else hypotheses
        with open(os.path.join(answers, name + ".hypotheses.json"), "w") as f:
            json.dump(form, f)
    d = evaluate(bench, "--answers", answers)
    s = d["summary"]
    runs = {r["run_id"]: r for r in d["runs"]}
    check(s["failed"] == 12 and s["scored"] == 2, "traces without an answer have failed", s)
    check(s["detection_at_1_pct"] == 0 and s["detection_at_3_pct"] == 50, "detection@1 and @3", s)
    check(near(s["mean_reciprocal_rank"], (1 / 2 + 1 / 4) / 2), "mean reciprocal rank", s)
    check(runs["tiny_kernels"]["matched_hypothesis_idx"] == 1, "the second has it", runs["tiny_kernels"])
    # NOISE and SYNC there; EMPTY and twice NOISE; NOISE
    check(s["false_positive_count"] == 2 + 3 + 1 and s["healthy_false_positive_count"] == 1, "false alarms", s)
    truth = json.load(open(os.path.join(bench, "tiny_kernels.truth.json")))
    check(near(runs["tiny_kernels"]["claimed_time_error_points"], 50 - truth["share_pct"]), "error of the claimed time")
    r = gpusight("evaluate", bench, "--answers", answers, "--at-least", "90")
    check(r.returncode == 1 and "detection@1" in r.stderr, "a gate that fails", r.returncode, r.stderr)


def perfadvisor(bench, folder):
    home = os.path.join(folder, "theirs")
    os.makedirs(os.path.join(home, "profiles", "1gpu"))
    one = os.path.join(home, "profiles", "1gpu")
    shutil.copy(os.path.join(bench, "tiny_kernels.db"), os.path.join(one, "test_01.db"))
    with open(os.path.join(one, "test_01.json"), "w") as f:
        json.dump({"scenario": "tiny_kernels", "expected_bottleneck": "kernel_launch_overhead", "mpi_ranks": 1}, f)
    with open(os.path.join(one, "test_02.json"), "w") as f:
        json.dump({"scenario": "x", "expected_bottleneck": "cpu_sync_stall"}, f)
    with open(os.path.join(home, "ground_truth_meta.json"), "w") as f:
        json.dump({"kernel_launch_overhead": {"also_true": ["cpu_sync_stall"],
                                              "suggestions": [{"action": "graphs", "mechanism": "m", "rationale": "r"}]}}, f)
    d = evaluate(os.path.join(home, "profiles"))
    check(len(d["runs"]) == 1 and d["runs"][0]["run_id"] == "1gpu/test_01", "its layout; runs without a trace are left out", d)
    check(d["runs"][0]["bottleneck_detected"], "detected", d["runs"])


def model(bench, folder):
    few = os.path.join(folder, "few")
    os.mkdir(few)
    for name in ("tiny_kernels.db", "tiny_kernels.truth.json"):
        shutil.copy(os.path.join(bench, name), few)
    saved = os.path.join(folder, "model.json")
    turns = [{"text": [json.dumps([LAUNCH, NOISE])]}, {"text": [json.dumps([NOISE, LAUNCH])]}]
    for more in ([], ["--llm-no-tools"]):
        with Server("openai", turns) as s:
            d = evaluate(few, "--llm", "openai", "--llm-model", "m1", "--llm-url", s.url, "--repeats", "2", *more)
            check([r["matched_hypothesis_idx"] for r in d["runs"]] == [0, 1], "a model, twice", d.get("runs"))
            check(d["summary"]["detection_at_1_pct"] == 50 and near(d["summary"]["detection_at_1_sd_pct"], 5000 ** 0.5),
                  "mean and deviation over repeats", d["summary"])
            check(d["stability"] == [{"run_id": "tiny_kernels", "repeats": 2, "detected_at_1": 1}], "stability", d["stability"])
            body = json.loads(s.requests[0][2])
            check(bool(body.get("tools")) == (not more), "with tools, and without", list(body))
            check(not any(b"tiny_kernel(" in r[2] for r in s.requests), "names of kernels stay here")
    with open(saved, "w") as f:
        json.dump(d, f)
    grades = [{"text": ['{"score": 2, "explanation": "yes"}']}, {"text": ['{"score": 1, "explanation": "partly"}']},
              {"text": ["I would rather not"]}, {"text": ['{"score": 0, "explanation": "no"}']}]
    with Server("openai", grades) as s:
        d = evaluate(few, "--cached", saved, "--judge-model", "openai:m2", "--llm-url", s.url)
        scores = [x["score"] for r in d["runs"] for x in r["suggestion_scores"]]
        check(scores == [2, 1, -1, 0, 0, 0], "grades; what makes no sense is left out", scores)
        check(near(d["runs"][0]["coverage_pct"], 75) and near(d["runs"][1]["coverage_pct"], 0), "coverage", d["runs"])
        check(len(s.requests) == 6, "one question for each piece of advice", len(s.requests))
    with Server("openai", ["500"]) as s:
        d = evaluate(few, "--llm", "openai", "--llm-model", "m1", "--llm-url", s.url, "--llm-retries", "0")
        check(d["summary"]["failed"] == 1, "a server that fails is a failed run", d.get("summary"))


def mistakes(bench, folder):
    for what, argv, code, text in (
            ("no folder", [], 2, "--scenarios"), ("an empty one", [folder + "/nothing"], 5, "truth.json"),
            ("one that is not there", [folder + "/nowhere"], 3, "nowhere"),
            ("two sources", [bench, "--answers", "x", "--cached", "y"], 2, "exclude")):
        os.makedirs(folder + "/nothing", exist_ok=True)
        r = gpusight("evaluate", *argv)
        check(r.returncode == code and text in r.stderr, what, r.returncode, r.stderr)
    odd = os.path.join(folder, "odd")
    os.mkdir(odd)
    shutil.copy(os.path.join(bench, "tiny_kernels.db"), os.path.join(odd, "a.db"))
    for text in ('{"expected_bottleneck": "no_such"}', "{}", "[", '{"expected_bottleneck": 7}',
                 '{"also_true": "cut', '{"suggestions": ["cut', '{"scenario": "cut'):
        with open(os.path.join(odd, "a.truth.json"), "w") as f:
            f.write(text)
        r = gpusight("evaluate", odd)
        check(r.returncode == 4 and "a.truth.json" in r.stderr, "a truth that is none: " + text, r.returncode, r.stderr)
    with open(os.path.join(odd, "a.truth.json"), "w") as f:
        f.write('{"expected_bottleneck": "small_grid"}')
    with open(os.path.join(odd, "a.db"), "w") as f:
        f.write("no trace")
    d = evaluate(odd)
    check(d["summary"]["failed"] == 1 and d["runs"][0]["error"], "a trace that cannot be read is a failed run", d)


def main():
    global G
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    o = p.parse_args()
    G = os.path.abspath(o.gpusight)
    with tempfile.TemporaryDirectory() as folder:
        bench = os.path.join(folder, "bench")
        rules(bench)
        recorded(bench, folder)
        perfadvisor(bench, folder)
        mistakes(bench, folder)
        if " libcurl" in gpusight("--version").stdout or shutil.which("curl"):
            model(bench, folder)
        else:
            print("neither libcurl nor curl: no model is asked")
    print(f"{tell.checks} checks, {tell.failures} failed")
    return 1 if tell.failures else 0


if __name__ == "__main__":
    sys.exit(main())
