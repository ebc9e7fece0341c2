#!/usr/bin/env python3
"""gpusight verify on reports of gpusight: as they are, every figure is confirmed; with one figure
altered, that one is found and nothing else is.

The figures that are altered are chosen here, by regular expressions over the bytes of the report,
not by the program. Each alteration is one of: another digit, twice as much, half, another unit,
another sign, or the figure of another place (as when rows were mixed up).

    verify_reports.py --gpusight build/src/cli/gpusight              small traces of synth
    verify_reports.py --gpusight ... --real --alter 200              all real traces, see real_traces.py
    verify_reports.py --gpusight ... --real --commands --alter 2     the same for whatif, plan, ask, summary, info
"""
import argparse
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TRACES = os.environ.get("GPUSIGHT_TRACES") or os.path.join(ROOT, "..", "shared", "traces")
FORMS = {"text": "txt", "markdown": "md", "html": "html", "json": "json"}
# Commands that are asked something, which their reports say.
QUESTIONS = (
    ["whatif", "--remove", "sync"],
    ["whatif", "--kernel", "*=0.7x", "--graph-range", "20%..60%"],
    ["whatif", "--link", "3x", "--host", "0.5x", "--pinned", "--overlap", "copies"],
    ["whatif", "--merge", "copies", "--fuse", "chains", "--stay", "--streams", "3"],
    ["whatif", "--gpu", "H200", "--prefetch", "--remove", "launch", "--remove", "allocation", "--remove", "copy"],
    ["whatif", "--fuse", "optimizer", "--graph", "--remove", "communication", "--remove", "first-use"],
    ["whatif"],
    ["plan"],
    ["plan", "--goal", "all", "--", "srun", "-n", "4", "./app", "--steps", "100"],
    ["plan", "--goal", "roofline,memory", "--kernel", "gemm.*"],
    ["plan", "--goal", "timeline,occupancy", "--gpu", "MI300X", "--tool", "rocprofv3"],
    ["ask", "why is the GPU idle?"],
    ["ask", "which kernels are hot, and how much time is in copies?"],
    ["ask", "why is it slow?"],
    ["summary", "--by-domain"],
    ["summary", "--summary-by-rank", "--truncate-kernels"],
    ["summary", "--region-categories", "HIP"],
)
# What such reports say of the question: figures of these are part of it.
ASKED = ("of their time", "become one graph, from", "times as fast\n", "of its time", " at once", "program  ",
         "the link is ", "**program**", "argv", "kernel-iteration-range", '"command"', '"app"')

UNITS = {"ns": "µs", "µs": "ms", "ms": "s", "s": "ms", "KiB": "MiB", "MiB": "GiB", "GiB": "MiB", "GB/s": "MB/s", "MB/s": "GB/s"}
NUMBER = re.compile(r"(?<![\w.,#&/-])(-?\d+(?:,\d{3})*(?:\.\d+)?)(?![\w.,]*\w)( (?:ns|µs|ms|s|KiB|MiB|GiB|GB/s|MB/s|%)(?![A-Za-z]))?")


def run(program, *args):
    return subprocess.run([program, *args], capture_output=True, text=True, timeout=120)


def verify(program, report, traces):
    r = run(program, "verify", "--json", report, *traces)
    if r.returncode not in (0, 1):
        raise SystemExit(f"verify {report}: exit {r.returncode}: {r.stderr}")
    doc = json.loads(r.stdout)
    assert (r.returncode == 1) == (doc["contradicted"] > 0), "exit code and counts disagree"
    return doc


def visible(form, text):
    """Ranges of the report in which figures are looked for."""
    if form != "html":
        return [(0, len(text))]
    at = text.index("<body")
    # text nodes: what lies between tags
    ranges = []
    last = at
    for m in re.finditer(r"<script.*?</script>|<style.*?</style>|<[^>]*>", text[at:], re.S):
        start = m.start() + at
        if start > last:
            ranges.append((last, start))
        if m.group(0).startswith('<script type="application/json"'):
            open_end = text.index(">", start) + 1
            ranges.append((open_end, m.end() + at))
        last = m.end() + at
    return ranges


def candidates(form, text):
    found = []
    for lo, hi in visible(form, text):
        for m in NUMBER.finditer(text, lo, hi):
            line_start = text.rfind("\n", 0, m.start()) + 1
            line_end = text.find("\n", m.end())
            line = text[line_start:line_end if line_end >= 0 else len(text)]
            if " -- " in line:
                continue  # a command to copy: its numbers are options
            word = re.fullmatch(r'\s*"\d+",?', line)  # of a launcher or a program
            if any(says in line for says in ASKED) or "question" in line or word:
                continue  # what was asked: another question has other answers
            if form == "json" or (form == "html" and '"' in text[lo:hi][:2]):
                before = text[max(0, m.start() - 2):m.start()]
                if before not in (": ", "[ ", ", ") and before[-1:] not in (" ", "[", "(", '"'):
                    continue
            found.append(m)
    return found


def alter(rng, m, others):
    """Another figure for this one, which must not mean the same."""
    number, unit = m.group(1), m.group(2) or ""
    plain = number.replace(",", "")
    for _ in range(20):
        how = rng.choice(["digit", "double", "half", "unit", "sign", "swap"])
        new_number, new_unit = number, unit
        if how == "digit":
            at = rng.choice([i for i, c in enumerate(number) if c.isdigit()])
            d = rng.choice([c for c in "0123456789" if c != number[at]])
            new_number = number[:at] + d + number[at + 1:]
            if re.match(r"-?0\d", new_number):
                continue
        elif how in ("double", "half"):
            decimals = len(plain.split(".")[1]) if "." in plain else 0
            value = float(plain) * (2 if how == "double" else 0.5)
            new_number = f"{value:,.{decimals}f}" if "," in number else f"{value:.{decimals}f}"
        elif how == "unit":
            if unit.strip() not in UNITS:
                continue
            new_unit = " " + UNITS[unit.strip()]
        elif how == "sign":
            new_number = number[1:] if number.startswith("-") else "-" + number
        else:
            other = rng.choice(others)
            if (other.group(2) or "") != unit:
                continue
            new_number = other.group(1) if "," in number else other.group(1).replace(",", "")
        if float(new_number.replace(",", "")) != float(plain) or (new_unit != unit and float(plain) != 0):
            return how, new_number + new_unit
    return None, None


def write(program, words, form, *traces):
    """A report of a command; what stands behind '--' is the program of a plan."""
    at = words.index("--") if "--" in words else len(words)
    return run(program, words[0], *traces, *words[1:at], "--format", form, *words[at:])


def check(program, words, traces, form, folder, rng, count, failures, quiet):
    name = f"{' '.join(words)} {os.path.basename(traces[0].rstrip('/'))}"
    report = os.path.join(folder, "report." + FORMS[form])
    r = write(program, words, form, *traces)
    if r.returncode == 5 or (r.returncode and ("no GPU" in r.stderr or "rocprof-compute" in r.stderr)):
        return None
    if r.returncode:
        failures.append(f"{name}: exit {r.returncode}: {r.stderr.strip()}")
        return None
    text = r.stdout
    with open(report, "w", newline="") as f:
        f.write(text)
    doc = verify(program, report, traces)
    bad = [f for f in doc["figures"] if f["verdict"] != "confirmed"]
    if not bad and not doc["figure_count"] and words[0] != "analyze":
        return None  # nothing was found: an answer without figures
    if bad or not doc["figure_count"]:
        failures.append(f"{name} {form}: {len(bad)} of {doc['figure_count']} not confirmed: {bad[:3]}")
        return None
    all_of_them = candidates(form, text)
    if not all_of_them:
        return None
    missed, alarms, done = [], 0, 0
    for m in rng.sample(all_of_them, min(count, len(all_of_them))):
        how, new = alter(rng, m, all_of_them)
        if not how:
            continue
        changed = text[:m.start()] + new + text[m.end():]
        with open(report, "w", newline="") as f:
            f.write(changed)
        doc = verify(program, report, traces)
        lo = len(changed[:m.start()].encode())
        hi = lo + len(new.encode())
        wrong = [f for f in doc["figures"] if f["verdict"] != "confirmed"]
        mine = [f for f in wrong if f["offset"] < hi and f["offset"] + f["length"] > lo]
        done += 1
        alarms += len(wrong) - len(mine)
        if len(wrong) > len(mine):
            print(f"  false alarm: {name} {form}: {m.group(0)!r} to {new!r} ({how}): "
                  f"{[f for f in wrong if f not in mine][:2]}")
        if not mine:
            missed.append((how, m.group(0), new, text[max(0, m.start() - 60):m.end() + 20]))
    for how, old, new, where in [] if quiet else missed:
        print(f"  missed: {name} {form}: {old!r} to {new!r} ({how}) in {where!r}")
    return done, len(missed), alarms


def tables(program, trace, folder, failures):
    """Tables as CSV: all of them are confirmed, and one that was altered is not."""
    sums = os.path.join(folder, "sums.csv")
    with open(sums, "w") as f:
        f.write(run(program, "summary", "--by-domain", "--format", "csv", trace).stdout)
    out = os.path.join(folder, "tables")
    run(program, "report", "--csv-dir", out, trace)
    for path in [sums] + [os.path.join(out, f) for f in ("hotspots.csv", "ledger.csv", "gpu_timeline.csv", "metrics.csv")]:
        doc = verify(program, path, [trace])
        if doc["confirmed"] != doc["figure_count"] or not doc["figure_count"]:
            failures.append(f"{os.path.basename(path)}: {doc['confirmed']} of {doc['figure_count']} are confirmed")
    with open(sums, "r+") as f:
        text = f.read()
        f.seek(0)
        f.write(text.replace(",120,", ",121,", 1))
    doc = verify(program, sums, [trace])
    if doc["contradicted"] != 1:
        failures.append(f"an altered table: {doc['contradicted']} contradicted")


def others(program, traces, folder, failures):
    """Reports of other commands, and with options: as they are, all is confirmed."""
    a, b = traces[0][0], traces[1][0]
    for words, about, more in ((["summary", a], [a], []), (["info", a], [a], []), (["compare", a, b], [a, b], []),
                               (["analyze", a, "--sections", "kernels,copies"], [a], []),
                               (["analyze", a, "--top-kernels", "3"], [a], []),
                               (["analyze", a, "--columns", "all"], [a], []),
                               (["analyze", a, "--columns", "p95_ns,short_name,direction"], [a], []),
                               (["analyze", a, "--phase", "2"], [a], ["--phase", "2"]),
                               *(([*q[:1], a, *q[1:]], [a], []) for q in QUESTIONS)):
        for k, (form, end) in enumerate(FORMS.items()):
            if words[0] in ("whatif", "plan", "ask") and k % 2 == len(words) % 2:
                continue  # half of the forms each: --commands has all
            report = os.path.join(folder, "other." + end)
            with open(report, "w") as f:
                f.write(write(program, words, form).stdout)
            r = run(program, "verify", "--strict", *more, report, *about)
            if r.returncode:
                failures.append(f"{' '.join(words)} {form}: {r.stdout} {r.stderr}")
    path = os.path.join(folder, "color.txt")
    with open(path, "w") as f:
        f.write(run(program, "analyze", "--color", "always", a).stdout)
    if run(program, "verify", "--strict", path, a).returncode:
        failures.append("a report in colour")
    r = run(program, "verify", "--strict", os.path.join(folder, "other.json"), b)
    if r.returncode != 1:
        failures.append(f"a report of another trace: exit {r.returncode}")


def empty(program, folder, failures):
    """A trace without events: what can be said of it is confirmed, what cannot is not."""
    trace = os.path.join(folder, "empty.db")
    run(program, "synth", "empty", "-o", trace)
    for words in (["info"], ["plan"], ["plan", "--goal", "all", "--", "srun", "-n", "4", "./app"]):
        for form, end in FORMS.items():
            report = os.path.join(folder, "empty." + end)
            with open(report, "w") as f:
                f.write(write(program, words, form, trace).stdout)
            r = run(program, "verify", "--strict", report, trace)
            if r.returncode:
                failures.append(f"{' '.join(words)} {form} of nothing: exit {r.returncode}: {r.stdout}{r.stderr}")
    ticket = os.path.join(folder, "ticket.txt")
    with open(ticket, "w") as f:
        f.write("There are 7 kernels.\n")
    if run(program, "verify", ticket, trace).returncode != 1:
        failures.append("kernels of a trace without any")


def real_traces(root):
    out = []
    for kind, ends in (("rocpd", (".db",)), ("nsys", (".sqlite",)), ("rpd", (".rpd", ".gz")), ("kineto", (".gz",)),
                       ("rocprofv3_json", ("results.json.gz",)), ("h200/pairs", ("before.json.gz", "after.json.gz")),
                       ("h200/frameworks", ("shapes.json.gz",))):
        for folder, _, files in sorted(os.walk(os.path.join(root, kind))):
            out += [[os.path.join(folder, f)] for f in sorted(files) if f.endswith(ends)]
    compute = os.path.join(root, "rocprof_compute")
    if os.path.isdir(compute):
        out += [[os.path.join(compute, d)] for d in sorted(os.listdir(compute)) if os.path.isdir(os.path.join(compute, d))]
    return out


def all_columns(program, folder, failures):
    """Tables of thread traces, one of a kind for each kernel, have other columns empty in each."""
    beside = [t[0] for t in real_traces(TRACES) if glob.glob(os.path.join(os.path.dirname(t[0]), "**", "*ui_output_*"),
                                                             recursive=True)]
    if not beside:
        print("no real thread traces beside the checkout: their columns are not looked at")
    for form in ("text", "markdown") if beside else ():
        report = os.path.join(folder, "all." + FORMS[form])
        with open(report, "w", newline="") as f:
            f.write(write(program, ["analyze", "--columns", "all"], form, beside[0]).stdout)
        doc = verify(program, report, [beside[0]])
        if doc["confirmed"] != doc["figure_count"] or not doc["figure_count"]:
            failures.append(f"all columns as {form}: {doc['confirmed']} of {doc['figure_count']} are confirmed")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    p.add_argument("--real", action="store_true", help="the traces of ../shared/traces instead of synth's")
    p.add_argument("--alter", type=int, default=12, help="alterations a report")
    p.add_argument("--only", default="", help="traces whose path has this in it")
    p.add_argument("--commands", action="store_true", help="reports of other commands instead of analyze's")
    p.add_argument("--forms", default=",".join(FORMS))
    p.add_argument("--seed", type=int, default=7)
    p.add_argument("--quiet", action="store_true")
    o = p.parse_args()
    program = os.path.abspath(o.gpusight)
    rng = random.Random(o.seed)
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        if o.real:
            traces = real_traces(TRACES)
            if not traces:
                print("no real traces beside the checkout: skipped")
                return 77
        else:
            traces = []
            for name, form in (("demo", "db"), ("multi_gpu", "sqlite")):
                path = os.path.join(folder, f"{name}.{form}")
                r = run(program, "synth", name, "-o", path)
                if r.returncode:
                    raise SystemExit(r.stderr)
                traces.append([path])
        done = missed = alarms = 0
        for t in traces:
            if o.only not in t[0]:
                continue
            for form in o.forms.split(","):
                for words in (QUESTIONS + (["summary"], ["info"]) if o.commands else (["analyze"],)):
                    result = check(program, words, t, form, folder, rng, o.alter, failures, o.quiet)
                    if result:
                        done, missed, alarms = done + result[0], missed + result[1], alarms + result[2]
                    if o.real:
                        print(t[0].split("traces/")[-1], form, *words, result, flush=True)
        if not o.real:
            others(program, traces, folder, failures)
            tables(program, traces[0][0], folder, failures)
            empty(program, folder, failures)
            all_columns(program, folder, failures)
        print(f"{done} alterations, {missed} missed, {alarms} false alarms")
        if missed > done * 0.05:
            failures.append("more than 5 % of the alterations were missed")
        if alarms:
            failures.append("figures that were not altered were not confirmed")
        if not done:
            failures.append("nothing was altered")
    for f in failures:
        print("FAILED:", f)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
