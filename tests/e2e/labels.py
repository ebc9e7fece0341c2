#!/usr/bin/env python3
"""A column has one name: the same in text, Markdown, the page, PDF, the workbook and CSV.

    labels.py --gpusight PROGRAM

The page says which column is which (data-key); everything else is compared with it.
"""
import argparse
import csv
import html.parser
import os
import re
import shutil
import subprocess
import sys
import tempfile

SCENARIOS = ["demo", "roofline", "phases", "mpi_job", "telemetry", "multi_gpu", "warm_up"]
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
        elif tag == "th" and attrs.get("scope") == "col" and "data-tip" in attrs:
            self.cell = [attrs["data-key"], "", attrs["data-tip"], "hidden" not in attrs]

    def handle_data(self, data):
        if self.cell:
            self.cell[1] += data

    def handle_endtag(self, tag):
        if tag == "th" and self.cell:
            self.columns.append(tuple(self.cell))
            self.cell = None


def run(*command):
    return subprocess.run(command, env=WIDE, check=True, capture_output=True).stdout.decode()


def plain(line):
    return " ".join(re.sub(r"\\(.)", r"\1", line).replace("|", " ").split())


def without_unit(title):
    return re.sub(r" \([^()]*\)$", "", title)


def is_in_order(some, everything):
    rest = iter(everything)
    return all(x in rest for x in some)


def check_form(name, form, text, tables):
    lines = {plain(line) for line in text.split("\n")}
    for table, columns in tables.items():
        shown = " ".join(label for _, label, _, is_shown in columns if is_shown)
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
    yield "text", run(program, "-q", *command)
    yield "Markdown", run(program, "-q", *command, "--format", "markdown")
    pdf = os.path.join(folder, "r.pdf")
    done = subprocess.run([program, "-q", *command, "--format", "pdf", "-o", pdf], capture_output=True, check=False)
    if done.returncode == 0 and shutil.which("pdftotext"):
        yield "PDF", run("pdftotext", "-layout", pdf, "-")


def check(program, folder, name, command, trace=None):
    page = Tables()
    page.feed(run(program, "-q", *command, "--format", "html"))
    tables = {t: c for t, c in page.tables.items() if c}
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
            said = plain(run(program, "explain", f"{table}.{key}"))
            if plain(doc) not in said:
                yield f"'explain {table}.{key}' does not say '{doc}'"


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", required=True)
    program = os.path.abspath(args.parse_args().gpusight)
    wrong = []
    with tempfile.TemporaryDirectory(prefix="labels-") as folder:
        for name in SCENARIOS:
            trace = os.path.join(folder, name + ".db")
            run(program, "-q", "synth", name, "--merge", "-o", trace)
            wrong += check(program, folder, name, ["analyze", "--top-kernels", "1000", trace], trace)
        wrong += check_explained(program, os.path.join(folder, "demo.db"))
        other = os.path.join(folder, "other.db")
        run(program, "-q", "synth", "demo", "--seed", "2", "-o", other)
        wrong += check(program, folder, "compare", ["compare", "--top", "1000", os.path.join(folder, "demo.db"), other])
        wrong += check(program, folder, "summary", ["summary", os.path.join(folder, "demo.db")])
    for w in wrong:
        print(w)
    print(f"{len(wrong)} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
