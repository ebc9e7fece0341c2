#!/usr/bin/env python3
"""Pictures, pages and workbooks, read back by other programs.

    outputs.py --gpusight GPUSIGHT svg|png|pdf|xlsx|csv

Exit code 77 when what is needed to check is not installed or not built in.
"""
import csv
import glob
import importlib.util
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402

SCENARIOS = ["demo", "hostile_names", "unbalanced_gpus", "many_streams", "one_kernel", "api_only"]
SVG = "{http://www.w3.org/2000/svg}"


class Skip(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Skip(what)


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def gpusight(*arguments):
    done = run(GPUSIGHT, *arguments)
    need(b"built without" not in done.stderr, done.stderr.decode().strip())
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def make(scenario):
    gpusight("synth", scenario, "-o", scenario + ".db")
    return scenario + ".db"


def analysis(trace):
    return json.loads(gpusight("analyze", "--format", "json", trace))


# ---- pictures ----

def check_svg():
    for scenario in SCENARIOS:
        trace = make(scenario)
        for theme in ("light", "dark"):
            gpusight("plot", trace, "--chart", "all", "--theme", theme, "-o", "svg")
            for path in glob.glob("svg/*.svg"):
                root = ET.parse(path).getroot()
                tags = {e.tag.replace(SVG, "") for e in root.iter()}
                assert tags <= {"svg", "title", "desc", "rect", "line", "text", "polygon"}, tags
                assert not any(k.startswith("on") or "href" in k for e in root.iter() for k in e.keys())
                assert len(list(root.iter(SVG + "text"))) >= 2, path
            shutil.rmtree("svg")
    ledger = gpusight("plot", "demo.db", "--chart", "ledger").decode()
    for cause in analysis("demo.db")["ledger"]["causes"]:
        if cause["ns"]:
            assert re.search(re.escape(cause["label"]) + ": .*" + f"{cause['pct']:.1f} %", ledger), cause


def read_png(path):
    """Width, height, and the set of pixel values of an 8-bit RGB image."""
    with open(path, "rb") as f:
        data = f.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, body = 8, b""
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + n]
        assert struct.unpack(">I", data[at + 8 + n:at + 12 + n])[0] == zlib.crc32(kind + chunk)
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", chunk[:10])
            assert (depth, color) == (8, 2)
        elif kind == b"IDAT":
            body += chunk
        at += 12 + n
    raw, stride = zlib.decompress(body), 3 * width + 1
    assert len(raw) == stride * height
    rows = {raw[y * stride:(y + 1) * stride] for y in range(height)}
    return width, height, len(rows)


def check_png():
    for scenario in SCENARIOS[:4]:
        trace = make(scenario)
        gpusight("plot", trace, "--chart", "all", "--format", "png", "-o", "png")
        for path in glob.glob("png/*.png"):
            width, _, different = read_png(path)
            assert width == 800 and different > 20, (path, width, different)
    gpusight("plot", "demo.db", "--chart", "timeline", "--width", "1234", "--height", "321", "-o", "t.png")
    assert read_png("t.png")[:2] == (1234, 321)


# ---- pages ----

def words_of(pdf):
    """Pages, each a list of (x0, y0, x1, y1, word)."""
    text = run("pdftotext", "-bbox", pdf, "-").stdout.decode()
    for page in text.split("<page ")[1:]:
        yield [(*map(float, w[:4]), w[4]) for w in
               re.findall(r'<word xMin="(.*?)" yMin="(.*?)" xMax="(.*?)" yMax="(.*?)">(.*?)</word>', page)]


def overlaps(words):
    """Pairs of words that cover each other by more than a sliver."""
    words = sorted(words, key=lambda w: w[1])
    for i, a in enumerate(words):
        for b in words[i + 1:]:
            if b[1] >= a[3]:
                break
            wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
            if wide > 1.5 and high > 0.45 * min(a[3] - a[1], b[3] - b[1]):
                yield a, b


def check_pdf():
    need(shutil.which("pdftotext") and shutil.which("pdftoppm"), "poppler-utils is not installed")
    for scenario in SCENARIOS + ["phases"]:
        trace = make(scenario)
        gpusight("analyze", "--format", "pdf", "-o", "r.pdf", trace)
        gpusight("analyze", "--format", "pdf", "-o", "again.pdf", trace)
        assert open("r.pdf", "rb").read() == open("again.pdf", "rb").read(), "not the same bytes"
        info = run("pdfinfo", "r.pdf").stdout.decode()
        pages = int(re.search(r"Pages: +(\d+)", info)[1])
        text = run("pdftotext", "-layout", "r.pdf", "-").stdout.decode()
        assert f"page {pages} of {pages}" in text and scenario + ".db" in text
        for number, words in enumerate(words_of("r.pdf"), 1):
            assert all(0 <= w[0] and w[2] <= 595.5 and w[3] <= 842 for w in words), "off the page"
            bad = list(overlaps(words))
            assert not bad, f"{scenario}, page {number}: {bad[:3]}"
        done = run("pdftoppm", "-r", "40", "-png", "r.pdf", "page")
        assert done.returncode == 0 and not done.stderr, done.stderr
        assert len(glob.glob("page*.png")) == pages
        for path in glob.glob("page*.png"):
            os.unlink(path)
    gpusight("analyze", "--format", "pdf", "-o", "r.pdf", "demo.db")
    text = run("pdftotext", "-layout", "r.pdf", "-").stdout.decode()
    headline = analysis("demo.db")["summary"]["overall_assessment"].split()[:4]
    assert " ".join(headline)[:10].lower() in text.lower()
    for heading in ("Contents", "Where the GPU time went", "Kernels that take longest", "Copies"):
        assert heading in text, heading
    assert b"/Outlines" in open("r.pdf", "rb").read()


# ---- workbooks ----

def read_csv(path):
    with open(path, encoding="utf-8", newline="") as f:
        text = f.read()
    rows = list(csv.reader(text.splitlines(keepends=True), strict=True))
    assert text.endswith("\r\n") and text.count("\n") == len(rows)
    assert all(len(r) == len(rows[0]) for r in rows), path
    return rows


def is_number(cell):
    return re.fullmatch(r"-?[0-9.]+(e[-+]?[0-9]+)?", cell)


def check_csv():
    for scenario in SCENARIOS:
        gpusight("report", make(scenario), "--csv-dir", "t", "--kernel-details", "--short-kernel-study",
                 "--full-names")
        for path in glob.glob("t/*.csv"):
            for row in read_csv(path):
                for cell in row:
                    assert is_number(cell) or not cell.startswith(("=", "+", "-", "@", "\t", "\r")), cell
                    assert not re.search("[\x00-\x1f\x7f\u202a-\u202e\u2066-\u2069]", cell), ascii(cell)
        shutil.rmtree("t")
    gpusight("report", "hostile_names.db", "--csv-dir", "t", "--full-names")
    names = [r[0] for r in read_csv("t/kernel_summary.csv")]
    assert "'=cmd|'/c calc'!A1" in names and "</script><script>alert(1)</script>" in names
    demo = analysis("demo.db")
    gpusight("report", "demo.db", "--csv-dir", "t")
    ledger = [r for r in read_csv("t/ledger.csv") if r[0] == "all"]
    assert [int(r[4]) for r in ledger] == [c["ns"] for c in demo["ledger"]["causes"]]


def check_xlsx():
    need(importlib.util.find_spec("openpyxl"), "openpyxl is not installed")
    import warnings
    import openpyxl
    warnings.simplefilter("ignore")
    for scenario in SCENARIOS:
        trace = make(scenario)
        options = ["--kernel-details", "--short-kernel-study"]
        gpusight("report", trace, "-o", "x.xlsx", *options)
        gpusight("report", trace, "-o", "y.xlsx", "--csv-dir", "t", *options)
        assert open("x.xlsx", "rb").read() == open("y.xlsx", "rb").read(), "not the same bytes"
        check_package("x.xlsx")
        book = openpyxl.load_workbook("x.xlsx")
        assert book.sheetnames[0] == "gpu_timeline" and book.sheetnames[-1] == "about"
        assert scenario != "demo" or sum(len(sheet._charts) for sheet in book) > 5
        for sheet in book:
            rows = read_csv(f"t/{sheet.title}.csv")
            assert sheet.max_row == len(rows), (sheet.title, sheet.max_row, len(rows))
            assert sheet.freeze_panes and sheet.auto_filter.ref
            for got, want in zip(sheet.iter_rows(max_col=len(rows[0])), rows):
                for cell, text in zip(got, want):
                    assert cell.data_type != "f", cell.value
                    same_cell(cell.value, text)
    check_compared(openpyxl)
    check_libreoffice()


def check_package(path):
    """Every part is XML, has a kind, and is led to by exactly one link."""
    with zipfile.ZipFile(path) as z:
        assert z.testzip() is None
        names = z.namelist()
        assert names[0] == "[Content_Types].xml" and len(set(names)) == len(names)
        parts = {name: ET.fromstring(z.read(name)) for name in names}
    kinds = [e.get("PartName")[1:] for e in parts[names[0]] if e.tag.endswith("Override")]
    content = {n for n in names[1:] if not n.endswith(".rels")}
    assert sorted(kinds) == sorted(content), (set(kinds) ^ content)
    linked = []
    for name in names:
        if name.endswith(".rels"):
            base = os.path.dirname(os.path.dirname(name))
            linked += [os.path.normpath(os.path.join(base, e.get("Target"))) for e in parts[name]]
    assert sorted(linked) == sorted(content), (set(linked) ^ content)
    for name in content:
        for e in parts[name].iter():
            assert not e.tag.endswith("}f") or "sheet" not in name or e.text in ("0", "100"), (name, e.text)


def check_compared(openpyxl):
    """The workbook of a comparison holds the rows of its JSON."""
    gpusight("synth", "hostile_names", "--seed", "2", "-o", "hostile_2.db")
    gpusight("synth", "demo", "--seed", "2", "-o", "demo_2.db")
    for a, b in (("demo.db", "demo_2.db"), ("hostile_names.db", "hostile_2.db"), ("demo.db", "one_kernel.db")):
        gpusight("compare", a, b, "--fail-on", "launches>1000000000", "-o", "c.xlsx")
        gpusight("compare", a, b, "--fail-on", "launches>1000000000", "--format", "xlsx", "-o", "d.xlsx")
        assert open("c.xlsx", "rb").read() == open("d.xlsx", "rb").read(), "not the same bytes"
        document = json.loads(gpusight("compare", "--json", a, b))
        book = openpyxl.load_workbook("c.xlsx")
        sheets = ["verdict", "causes", "ledger", "phases", "kernels", "copies", "api", "durations", "gate"]
        assert book.sheetnames == sheets, book.sheetnames
        assert all(c.data_type != "f" for sheet in book for row in sheet.iter_rows() for c in row)
        assert book["verdict"]["B2"].value == document["verdict"]
        for sheet, key, value in (("causes", "causes", "change_ns"), ("ledger", "ledger", "change"),
                                  ("phases", "phases", "change_ns"), ("kernels", "kernels", "change_ns")):
            rows = list(book[sheet].iter_rows(values_only=True))[1:]
            rows = [r for r in rows if any(c is not None for c in r)]
            assert len(rows) == len(document[key]), (sheet, len(rows), len(document[key]))
            for row, want in zip(rows, document[key]):
                assert want[value] in row, (sheet, row, want)
        calls = {k["title"]: [k["calls_a"], k["calls_b"]] for k in document["kernels"]}
        sums = {}
        for title, _, _, in_a, in_b in list(book["durations"].iter_rows(values_only=True, max_col=5))[1:]:
            sums.setdefault(title, [0, 0])
            sums[title][0] += in_a or 0
            sums[title][1] += in_b or 0
        for title, counted in sums.items():
            assert title not in calls or calls[title] == counted, (title, counted)


def same_cell(value, text):
    if value is None:
        assert text == "", text
    elif isinstance(value, bool):
        assert text == str(value).lower()
    elif isinstance(value, (int, float)):
        assert abs(float(text) - value) <= 1e-9 * abs(value), (value, text)
    else:
        value = value.replace("_x005F_x", "_x")  # openpyxl leaves it in inline strings
        assert value in (text, text[1:]) or value.endswith("…"), (value, text)


def check_libreoffice():
    office = shutil.which("soffice") or shutil.which("libreoffice")
    if not office:
        print("libreoffice is not installed: not tried")
        return
    gpusight("report", "demo.db", "-o", "demo.xlsx")
    run(office, "--headless", "--convert-to", "csv", "demo.xlsx", env={**os.environ, "HOME": os.getcwd()},
        timeout=240)
    with open("demo.csv", encoding="utf-8") as f:
        rows = list(csv.reader(f))
    assert rows[0][:3] == ["type", "time ms", "percent"] and rows[1][0] == "total_time", rows[:2]


CHECKS = {"svg": check_svg, "png": check_png, "pdf": check_pdf, "csv": check_csv, "xlsx": check_xlsx}


def start(program):
    global GPUSIGHT
    GPUSIGHT = program


if __name__ == "__main__":
    sys.exit(tell.run_one(CHECKS, __doc__.split("\n")[0], start, Skip))
