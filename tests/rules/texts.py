#!/usr/bin/env python3
"""Every number in the text and in the Markdown report is the one in the JSON.

    texts.py --gpusight build/src/cli/gpusight

The lines a report must have are written here from the JSON, and looked for in both, in order.
"""
import argparse
import html
import json
import os
import re
import subprocess
import sys
import tempfile

import imitations

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TOP = 10
SCENARIOS = ["demo", "healthy", "unbalanced_gpus", "exposed_comm", "transfer_bound", "many_names",
             "many_streams", "odd_durations", "hostile_names", "markers_only", "api_only"]


# ---- numbers for people


def digits(v, unit):
    return f"{v:.{2 if v < 9.995 else 1 if v < 99.95 else 0}f} {unit}"


def time(ns):
    u, sign = abs(ns), "-" if ns < 0 else ""
    if u < 1000:
        return f"{sign}{u} ns"
    for limit, by, unit in ((999.5e3, 1e3, "µs"), (999.5e6, 1e6, "ms"), (120e9, 1e9, "s")):
        if u < limit:
            return sign + digits(u / by, unit)
    s = u // 10**9
    return f"{sign}{s // 60} min {s % 60:02} s" if s < 7200 else f"{sign}{s // 3600} h {s // 60 % 60:02} min"


def size(n):
    if n < 1024:
        return f"{n} B"
    v, units = n / 1024, ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    while v >= 999.5 and len(units) > 1:
        v, units = v / 1024, units[1:]
    return digits(v, units[0])


def pct(v):
    return "-" if v is None else "<0.1 %" if 0 < v < 0.05 else f"{v:.1f} %"


# ---- what must be there, section by section: (heading, lines in order)


def ledger(doc):
    causes = [c for c in doc["ledger"]["causes"] if c["ns"]]
    if doc["ledger"]["gpu_count"]:
        yield "Where the GPU time went", [f"{c['label']} {pct(c['pct'])} {time(c['ns'])}" for c in causes]


def gpus(doc):
    rows = doc["analyses"]["gpus"]
    if rows:
        yield "GPUs", [f"{time(g['compute_ns'])} {time(g['idle_ns'])} {pct(g['busy_pct'])} {g['kernels']:,} "
                       f"{g['copies']:,}" for g in rows]


def speedup(f):
    low, high = f["estimated_speedup_pct_lower"], f["estimated_speedup_pct_upper"]
    return f"{low:.0f} % or more" if high is None else f"{low:.0f} to {high:.0f} %"


def findings(doc):
    lines = []
    for f in doc["recommendations"]:
        if f["priority"] == "INFO":
            lines.append(f["issue"])
            continue
        lines.append(f"[{f['priority']}] {f['title']}")
        if f["claimed_ns"]:
            lines.append(f"costs {time(f['claimed_ns'])}, {pct(f['runtime_fraction_pct'])} of the GPU time")
            if f["predicted_by"] != "replay":
                lines.append(f"faster by {speedup(f)} when")
        if f["predicted_by"] == "replay":
            lines.append(f"then {time(f['predicted_ns'])} instead of {time(f['recorded_ns'])}, "
                         f"{f['predicted_speedup']:.2f} times as fast")
        lines.append(f"sure {100 * f['confidence']:.0f} %:")
    yield "Findings", lines


def plain_number(v):
    if v is None:
        return "-"
    return f"{round(v):,}" if abs(v) >= 999.5 else f"{v:.3g}" if abs(v) >= 1 else f"{v:.2g}"


def hotspots(doc):
    rows = doc["hotspots"][:TOP]
    if rows:
        yield "Kernels #", [
            f"{h['calls']:,} {time(h['total_duration_ns'])} {time(int(h['avg_duration_ns']))} "
            f"{time(h['p95_ns'])} {plain_number(h['cv'])} {pct(h['pct_of_total'])}"
            for h in rows]


def copies(doc):
    rows = doc["analyses"]["copies"]
    if rows:
        known = any(c["bandwidth_gbps"] is not None for c in rows)
        linked = any(c["efficiency_pct"] is not None for c in rows)

        def rate(c):
            v = c["bandwidth_gbps"]
            return "" if not known else " -" if v is None else f" {plain_number(v)} GB/s"
        yield "Copies direction", [
            f"{c['direction']} {c['count']:,} {size(c['total_bytes'])} {time(c['total_duration_ns'])}"
            f"{rate(c)}{' ' + pct(c['efficiency_pct']) if linked else ''} {time(c['exposed_ns'])}"
            for c in rows]


def gaps(doc):
    rows = doc["analyses"]["idle_gaps"]
    if any(g["count"] for g in rows):
        yield "Idle gaps between work", [f"{g['label']} {g['count']:,} {time(g['total_ns'])} {g['main_cause'] or '-'}"
                                         for g in rows]


def calls(doc):
    rows = doc["analyses"]["api_calls"][:TOP]
    if rows:
        yield "Host calls call", [
            f"{r['calls']:,} {time(r['exclusive_ns'])} {time(int(r['avg_ns']))} {time(r['max_ns'])} "
            f"{pct(r['pct_of_window'])}" for r in rows]


def blocked(doc):
    b = doc["analyses"]["breakdown"]
    yield "host blocked", [f"host blocked {pct(b['sync_blocked_pct'])}; {time(b['sync_blocked_ns'])} of"]


def streams(doc):
    rows = doc["analyses"]["streams"]
    if rows:
        yield "Streams GPU", [f"{s['kernels']:,} {s['copies']:,} {time(s['busy_ns'])} {pct(s['pct_of_gpu_busy'])}"
                              for s in rows[:TOP]]


SECTIONS = [blocked, ledger, findings, hotspots, copies, gaps, calls, gpus, streams]


def plain(text, markdown):
    """One line, without bars, marks and what Markdown adds."""
    if markdown:
        text = html.unescape(re.sub(r"\\(.)", r"\1", text))
        text = re.sub(r"^- (\*\*(.*?)\*\*)?", r"\2", text, flags=re.M)
        text = re.sub(r"^#+ |\|", " ", text, flags=re.M)
    text = re.sub("[\u2500-\u259f]", " ", text)
    return " ".join(text.replace(": ", " ").split())


def missing(doc, text):
    """Lines that are not where they should be."""
    if re.search(r"(?<![\w-])-?(nan|inf)(?![\w-])", text):
        yield "a number that is none: nan or inf"
    for section in SECTIONS:
        for heading, lines in section(doc):
            at = text.find(heading)
            if at < 0:
                yield f"no section '{heading}'"
                continue
            for line in lines:
                line = line.replace(": ", " ").rstrip(":")
                found = text.find(line, at)
                if found < 0:
                    yield f"{heading}: no '{line}'"
                    break
                at = found + len(line)


def traces(gpusight, folder):
    for name in SCENARIOS:
        path = os.path.join(folder, name + ".db")
        subprocess.run([gpusight, "synth", name, "--merge", "-o", path], check=True, capture_output=True)
        yield path
    for name in ("healthy", "pageable_copies", "unbalanced_gpus"):
        path = os.path.join(folder, "other_" + name + ".db")
        imitations.make(name, 3, path)
        yield path


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", default=os.path.join(ROOT, "build/src/cli/gpusight"))
    gpusight = args.parse_args().gpusight
    bad = 0
    with tempfile.TemporaryDirectory(prefix="texts-") as folder:
        for path in traces(gpusight, folder):
            out = {f: subprocess.run([gpusight, "analyze", "--format", f, path], check=True, capture_output=True)
                   .stdout.decode() for f in ("json", "text", "markdown")}
            doc = json.loads(out["json"])
            for form in ("text", "markdown"):
                wrong = list(missing(doc, plain(out[form], form == "markdown")))
                bad += bool(wrong)
                print(f"{'not ok' if wrong else 'ok'} - {os.path.basename(path)}, {form}")
                for w in wrong:
                    print(f"    {w}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
