#!/usr/bin/env python3
"""A column has one name: the same in text, Markdown, the page, PDF, the workbook and CSV, and in all tables.

    labels.py --gpusight PROGRAM

The page says which column is which (data-key); everything else is compared with it. Reports of all
commands are made until each of their sections has been there.
"""
import argparse
import csv
import html.parser
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # leave no files in the tree
import check_att
import check_pc_samples
import check_workload

SCENARIOS = ["demo", "roofline", "phases", "mpi_job", "multi_gpu", "warm_up", "two_queues"]
NO_SECTIONS = {"info"}
NEEDS_A_MODEL = {"explanation"}  # sentences of a language model, no table
# Keys that say nothing of their own: what they count, name or add up is in the label.
PLAIN_KEYS = {"cause", "count", "description", "instruction", "key", "label", "metric", "name", "pct", "rank", "stall", "title", "value"}
# One key, measured against or for different things, which is what the labels say.
TOLD_APART = {
    "change_pct": {"of A", "of all", "change"},                   # of A's time, of all that changed, since the run before
    "clock_mhz": {"GPU clock", "highest clock"},                  # as it ran; as it could
    "copy_ns": {"copy time", "exposed copies"},                   # all of it; the part that costs a rank time
    "duration_ns": {"duration", "total"},                         # of one; of all copies of a size
    "host_ns": {"host time", "on the host"},                      # of a rank; of the critical path
    "noise_pct": {"noise", "noise of A"},
    "occupancy_pct": {"occupancy", "occupancy limit"},            # achieved; what the launch allows
    "pct_of_window": {"of window", "of host", "of its threads"},  # the window of a GPU, of a thread, of several
    "stall_pct": {"stall share", "held up share"},                # of instructions; of a pipe
}
# Labels of numbers that have the unit of their row, or of the column before.
ANY_UNIT = {"A", "B", "change", "max", "mean", "min", "noise", "peak", "total"}
# What rocprofv3 counts for waves in cycles has the name it gives it.
WAVES_TOO = {"idle"}
UNITS = ("ns", "us", "pct", "bytes", "gbps", "gflops", "mhz", "address")
WIDE = dict(os.environ, COLUMNS="400", NO_COLOR="1")


class Tables(html.parser.HTMLParser):
    """Tables of a page: {name: [(key, label, what it means, shown)]}"""

    def __init__(self):
        super().__init__()
        self.tables, self.columns, self.cell = {}, None, None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "table":
            self.columns = self.tables.setdefault(attrs["id"][len("table-"):], [])
        elif tag == "th" and attrs.get("scope") == "col":
            self.cell = [attrs.get("data-key"), "", attrs.get("data-tip"), "hidden" not in attrs]

    def handle_data(self, data):
        if self.cell:
            self.cell[1] += data

    def handle_endtag(self, tag):
        if tag == "th" and self.cell:
            self.columns.append(tuple(self.cell))
            self.cell = None


def ask(program, command, *options):
    """A command, with more options before its operands."""
    return run(program, "-q", command[0], *options, *command[1:])


def run(*command):
    return subprocess.run(command, env=WIDE, check=True, capture_output=True).stdout.decode()


def plain(line):
    return " ".join(re.sub(r"\\(.)", r"\1", line).replace("|", " ").split())


def without_unit(title):
    return re.sub(r" \([^()]*\)$", "", title)


def is_in_order(some, everything):
    rest = iter(everything)
    return all(x in rest for x in some)


def unit_of(key):
    """Keys end in their unit (docs/outputs.md)."""
    return "pct" if key.startswith("pct_of_") else next((u for u in UNITS if key == u or key.endswith("_" + u)), "")


def check_words(seen):
    """One key has one label, one label has one unit, wherever they stand. seen: {(key, label): tables}"""
    keys, labels = {}, {}
    for (key, label), tables in sorted(seen.items()):
        keys.setdefault(key, {})[label] = tables
        labels.setdefault(label, {}).setdefault(unit_of(key), set()).add(key)
    for key, found in keys.items():
        wrong = set(found) - TOLD_APART.get(key, set())
        if key not in PLAIN_KEYS and len(found) > 1 and wrong:
            yield f"'{key}' has several labels: " + ", ".join(f"'{x}' ({', '.join(sorted(t))})" for x, t in found.items())
    for label, found in labels.items():
        if label not in ANY_UNIT | WAVES_TOO and len(found) > 1 and not set().union(*found.values()) <= PLAIN_KEYS:
            yield f"'{label}' has several units: " + ", ".join(sorted(k for keys in found.values() for k in keys))
    for what, known in (("keys", PLAIN_KEYS | set(TOLD_APART)), ("labels", ANY_UNIT | WAVES_TOO)):
        unused = known - set(keys if what == "keys" else labels)
        if unused:
            yield f"no table has the {what} {sorted(unused)}, which are excused"


def check_form(name, form, text, tables):
    lines = {plain(line) for line in text.split("\n")}
    for table, columns in tables.items():
        shown = plain(" ".join(label for _, label, _, is_shown in columns if is_shown))
        if shown not in lines:
            yield f"{name}: {form} has no table '{shown}' ({table})"


def check_sheets(name, form, sheets, tables):
    for table, columns in tables.items():
        if table not in sheets:
            continue
        titles = [without_unit(t) for t in sheets[table]]
        labels = [label for _, label, _, _ in columns]
        if not is_in_order(labels, titles):
            yield f"{name}: {form} calls the columns of {table} {titles}, the page {labels}"


def check_page(name, tables):
    for table, columns in tables.items():
        labels = [label for _, label, _, _ in columns]
        twice = {x for x in labels if labels.count(x) > 1}
        if twice:
            yield f"{name}: two columns of {table} are called {', '.join(sorted(twice))}"
        if not any(shown for _, _, _, shown in columns):
            yield f"{name}: {table} shows nothing"


def read_workbook(path):
    try:
        import openpyxl
    except ImportError:
        return {}
    book = openpyxl.load_workbook(path, read_only=True)
    return {s.title: [str(c.value) for c in next(s.iter_rows(max_row=1))] for s in book if s.max_row}


def sheets_of(program, folder, trace):
    out = os.path.join(folder, "csv")
    shutil.rmtree(out, ignore_errors=True)
    run(program, "-q", "report", "--csv-dir", out, trace)
    sheets = {}
    for name in os.listdir(out):
        with open(os.path.join(out, name), encoding="utf-8-sig", newline="") as f:
            sheets[name[:-len(".csv")]] = next(csv.reader(f), [])
    return sheets


def forms(program, folder, command):
    """(form, text) of all that can be read as text."""
    yield "text", ask(program, command)
    yield "Markdown", ask(program, command, "--format", "markdown")
    pdf = os.path.join(folder, "r.pdf")
    done = subprocess.run([program, "-q", command[0], "--format", "pdf", "-o", pdf, *command[1:]], capture_output=True, check=False)
    if done.returncode == 0 and shutil.which("pdftotext"):
        yield "PDF", run("pdftotext", "-layout", pdf, "-")


def check_all_columns(program, folder, name, command, tables):
    """What the page offers, every medium can show, under the same names."""
    tables = {t: [(k, label, doc, True) for k, label, doc, _ in c] for t, c in tables.items() if all(k for k, *_ in c)}
    asked = ["--columns", ",".join(f"{t}.{k}" for t, c in tables.items() for k, *_ in c)]
    yield from check_form(name, "text of all columns", ask(program, command, *asked), tables)
    yield from check_form(name, "Markdown of all columns", ask(program, command, *asked, "--format", "markdown"), tables)
    page = Tables()
    page.feed(ask(program, command, *asked, "--format", "html"))
    hidden = [f"{t}.{k}" for t, c in page.tables.items() if t in tables for k, _, _, shown in c if not shown]
    if hidden:
        yield f"{name}: the page hides {hidden}, which were asked for"
    pdf = os.path.join(folder, "all.pdf")
    if name != "demo":
        return
    done = subprocess.run([program, "-q", command[0], *asked, "--format", "pdf", "-o", pdf, *command[1:]], capture_output=True, check=False)
    if done.returncode == 0 and shutil.which("pdftotext"):
        words = set(run("pdftotext", "-layout", pdf, "-").split())
        lost = {w for c in tables.values() for _, label, _, _ in c for w in label.split() if w not in words}
        if lost:
            yield f"{name}: the PDF of all columns does not have {sorted(lost)}"


def check_divided(program, trace):
    """Where a width is asked for, no line of a table is longer, and no column is lost."""
    command = [program, "-q", "analyze", "--columns", "all", "--sections", "kernels,copies,host,findings", trace]
    for columns in (60, 100):
        done = subprocess.run(command, env=dict(WIDE, COLUMNS=str(columns)), check=True, capture_output=True).stdout.decode()
        for line in done.split("\n"):
            if len(line) > columns and not line.startswith("      "):  # commands are never divided
                yield f"with COLUMNS={columns} a line has {len(line)}: {line}"
        words = set(done.split())
        for line in run(*command).split("\n"):
            lost = [w for w in line.split() if w not in words] if re.match(r" +# +kernel| +direction| +call ", line) else []
            if lost:
                yield f"with COLUMNS={columns} the columns {lost} are lost"
    piped = subprocess.run(command, env={k: v for k, v in WIDE.items() if k != "COLUMNS"}, check=True, capture_output=True).stdout.decode()
    if not any(re.match(r" +# +kernel .* of GPU time$", line) for line in piped.split("\n")):
        yield "a table is divided that goes into a pipe"


def check_chosen_columns(program, trace):
    """--columns: all, some in the order asked for, one more; names that nothing has."""
    def heads(columns, *options):
        text = run(program, "-q", "analyze", "--sections", "copies", "--columns", columns, *options, trace)
        return [" ".join(line.split()) for line in text.split("\n")]

    for columns, head in (("of link,direction", "of link direction"), ("copies.link_gbps", "link"),
                          ("+link_gbps", "direction copies bytes total bandwidth of link exposed link"),
                          ("all", "direction copies bytes total bandwidth of link exposed mean size mean link")):
        if head not in heads(columns):
            yield f"'--columns {columns}' has no table '{head}'"
    listed = run(program, "-q", "analyze", "--sections", "copies", "--list-columns", trace)
    if not re.search(r"copies +link_gbps +link +no +peak of the link", listed):
        yield "'--list-columns' does not say what 'link_gbps' is"
    for columns, said in (("linkgbps", "did you mean 'link_gbps'?"), ("mars", "columns are direction, count, "),
                          ("copies.total", None), ("copies.start_ns", "'copies.start_ns'; columns are direction, count, "),
                          (",", "no column is named")):
        done = subprocess.run([program, "analyze", "--sections", "copies", "--columns", columns, trace],
                              capture_output=True, check=False)
        if done.returncode != (2 if said else 0) or (said and said not in done.stderr.decode()):
            yield f"'--columns {columns}' says {done.stderr.decode()!r} ({done.returncode})"


def check(program, folder, words, name, command, trace=None):
    page = Tables()
    page.feed(ask(program, command, "--format", "html"))
    tables = {t: c for t, c in page.tables.items() if c}
    for table, columns in tables.items():
        for key, label, _, _ in columns:
            if key:  # others are a table of their own: metrics of channels, one a column
                words.setdefault((key, label), set()).add(table)
    if not tables:
        yield f"{name}: the page has no table"
    yield from check_page(name, tables)
    for form, text in forms(program, folder, command):
        # The PDF wraps what is wide; its titles are those of the same list.
        if form == "PDF":
            words = set(text.split())
            for table, columns in tables.items():
                lost = [w for _, label, _, shown in columns if shown for w in label.split() if w not in words]
                if lost:
                    yield f"{name}: the PDF does not have {lost} of {table}"
        else:
            yield from check_form(name, form, text, tables)
    yield from check_all_columns(program, folder, name, command, tables)
    if not trace:
        return
    yield from check_sheets(name, "CSV", sheets_of(program, folder, trace), tables)
    book = os.path.join(folder, "r.xlsx")
    done = subprocess.run([program, "-q", "report", "-o", book, trace], capture_output=True, check=False)
    if done.returncode == 0:
        yield from check_sheets(name, "the workbook", read_workbook(book), tables)


def check_explained(program, trace):
    """Every column can be looked up by its key, and means what the page says."""
    page = Tables()
    page.feed(run(program, "-q", "analyze", trace, "--format", "html"))
    for table, columns in page.tables.items():
        for key, _, doc, _ in columns:
            if not doc:  # a table of its own, whose columns are no fields
                continue
            said = plain(run(program, "explain", f"{table}.{key}"))
            if plain(doc) not in said:
                yield f"'explain {table}.{key}' does not say '{doc}'"


def sections_of(program, command):
    """{name: whether it is there}"""
    rows = ask(program, command, "--list-sections").split("\n")[1:]
    return {words[0]: words[-1] == "yes" for words in map(str.split, rows) if words}


def put(folder, name, text):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(text)
    return folder


def reports(program, folder):
    """(name, command, trace of which there are sheets as well)"""
    def made(name, scenario, *options):
        path = os.path.join(folder, name + ".db")
        run(program, "-q", "synth", scenario, *options, "-o", path)
        return path

    traces = {name: made(name, name, "--merge") for name in SCENARIOS}
    traces["telemetry"] = made("telemetry", "telemetry", "--flavor", "rocprof-sys")
    for name, trace in traces.items():
        yield name, ["analyze", "--top-kernels", "1000", trace], trace
    demo, phases, job = traces["demo"], traces["phases"], traces["mpi_job"]
    code = put(os.path.join(folder, "code"), "a.hip", "__global__ void k() {}\nvoid f() {\n  for (;;) { k<<<1, 1>>>();"
               " hipDeviceSynchronize(); }\n}\n")
    att = put(os.path.join(folder, "att"), "stats_ui_output_agent_1_dispatch_2.csv", check_att.GOOD)
    yield "source and thread trace", ["analyze", demo, "--source-dir", code, "--att-dir", att], None
    samples = os.path.join(folder, "samples.json")
    check_pc_samples.write_json(samples, *check_pc_samples.made(random.Random(7), True), True)
    yield "PC samples", ["analyze", samples], None
    again = made("again", "demo", "--seed", "2")
    yield "compare", ["compare", "--top", "1000", "--fail-on", "wall>1000%", demo, again], None
    yield "compare others", ["compare", "--top", "1000", demo, phases], None
    yield "compare jobs", ["compare", "--top", "1000", job, job], None
    yield "history", ["history", demo, again, phases], None
    yield "plan", ["plan", demo, "--", "./app"], None
    yield "info", ["info", demo], None
    yield "what if", ["whatif", "--remove", "sync", demo], None
    yield "summary", ["summary", demo], None
    yield "summary of a job", ["summary", job], None
    columns = ["SQ_WAVES", "SQ_BUSY_CU_CYCLES", "GRBM_GUI_ACTIVE", "SQ_INSTS_VALU", "TCC_HIT_sum", "TCC_MISS_sum", "SQ_OF_MARS"]
    work = [check_workload.make(os.path.join(folder, name), columns, [("k", [n + i for i in range(7)], 1000 * n) for n in range(1, 4)])
            for name in ("work_a", "work_b")]
    yield "workload", ["analyze", work[0]], None
    yield "workloads", ["compare", *work], None


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", required=True)
    program = os.path.abspath(args.parse_args().gpusight)
    wrong, seen, words = [], {}, {}
    with tempfile.TemporaryDirectory(prefix="labels-") as folder:
        for name, command, trace in reports(program, folder):
            wrong += check(program, folder, words, name, command, trace)
            there = {} if command[0] in NO_SECTIONS else sections_of(program, command)
            one = seen.setdefault((command[0], *there), set())
            one.update(s for s in there if there[s])
        wrong += check_words(words)
        wrong += check_chosen_columns(program, os.path.join(folder, "demo.db"))
        wrong += check_divided(program, os.path.join(folder, "demo.db"))
        wrong += check_explained(program, os.path.join(folder, "demo.db"))
    for (command, *names), there in seen.items():
        lost = set(names) - there - NEEDS_A_MODEL
        if lost:
            wrong.append(f"no report of '{command}' has shown {', '.join(sorted(lost))}")
    for w in wrong:
        print(w)
    print(f"{sum(map(len, seen.values()))} sections, {len(wrong)} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
