"""Runs and comparisons."""
import builtins
import ctypes
import html
import json
import sys

from . import _errors, _lib
from ._lib import Task, bytes_of, lib, options, pairs_of, rendered
from ._table import Table


def _bar(what, done, total):
    """A bar on the terminal, wiped when it is full."""
    if total:
        cells = min(30, done * 30 // total)
        sys.stderr.write(f"\r{what} [{'#' * cells}{'-' * (30 - cells)}] {done * 100 // total:3} %")
        sys.stderr.flush()
    return False


def _in_notebook():
    return "ipykernel" in sys.modules


class _NotebookBar:
    def __init__(self):
        from IPython.display import HTML, display
        self._html = HTML
        self._shown = display(HTML("<progress max=1 value=0></progress>"), display_id=True)

    def __call__(self, what, done, total):
        if total:
            self._shown.update(self._html(f"{html.escape(what)} <progress max={total} "
                                          f"value={done}></progress>"))
        return False

    def done(self):
        self._shown.update(self._html(""))


def _progress(asked):
    """None: a bar where somebody looks; False: nothing; a function: that one."""
    if asked is False or callable(asked):
        return asked or None
    if _in_notebook():
        return _NotebookBar()
    return _bar if asked or sys.stderr.isatty() else None


def open(*paths, progress=None, **keywords):
    """Reads traces, or folders of them; several are the ranks of a job.

    The recorded events are there at once; they are analyzed when a result is first asked for.
    Keywords are the options of `gpusight analyze` with underscores: window, phase, iteration, gpu,
    process, rank, max_phases, reader, threads, cache, source_dir, att_dir, by, replay, findings,
    analyze (True: now; False: never, events are all there is).
    `progress` is called as progress(what, done, total); what it returns ends the work when true.
    """
    if len(paths) == 1 and isinstance(paths[0], (list, tuple)):
        paths = paths[0]
    names = (ctypes.c_char_p * (len(paths) + 1))(*[bytes_of(p) for p in paths], None)
    parts = keywords.get("phase") or keywords.get("iteration")  # whether there are such shows in the analysis
    keywords.setdefault("analyze", True if parts else "later")
    handle, warnings = _told(progress, lib.gs_open, names, len(paths), options(pairs_of(keywords)))
    return Run(handle, warnings, progress, keywords["analyze"] == "later")


def _told(progress, function, *arguments):
    """A call with a bar that goes when it is done: what it returns, and its warnings."""
    tell = _progress(progress)
    task = Task(tell)
    try:
        return task.call(function, *arguments), task.warnings
    finally:
        if tell is _bar:
            sys.stderr.write("\r\033[K")
        elif isinstance(tell, _NotebookBar):
            tell.done()


class Run:
    """A trace and what was found out. Each table is an attribute: run.ledger, run.findings, run.kernels ..."""

    def __init__(self, handle, warnings=(), progress=None, analyzes=False):
        self._handle = handle
        self._tables = {}
        self._progress = progress
        self._analyzes = analyzes
        self.warnings = list(warnings)
        self._names = self._names_now()

    def _names_now(self):
        return [lib.gs_run_table_name(self._handle, i).decode() for i in range(lib.gs_run_tables(self._handle))]

    def analyze(self):
        """The analysis, where it was left for later. Whatever needs it makes it, too."""
        if self._analyzes:
            _, warnings = _told(self._progress, lib.gs_analyze, self._handle)
            self.warnings += warnings
            self._names = self._names_now()
            self._analyzes = False
        return self

    @property
    def tables(self):
        """The names of all tables."""
        return self.analyze()._names

    def __del__(self):
        if getattr(self, "_handle", None):
            lib.gs_close(self._handle)
            self._handle = None

    def _has(self, name):
        return name in self._names or name in self.tables

    def __getitem__(self, name):
        if name not in self._tables:
            self._has(name)  # with a bar, and an end by Ctrl-C
            self._tables[name] = Table(self, name)
        return self._tables[name]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if self._has(name):
            return self[name]
        raise AttributeError(f"{name!r}; tables are {', '.join(self._names)}")

    def __dir__(self):
        return list(super().__dir__()) + self.tables

    def __repr__(self):
        no_trace = ("workload", "stat", "prof", "thread_trace_k", "source_k")
        other = [f"{len(self[n])} rows of {n}" for n in self._names[8:] if n.startswith(no_trace)]
        if other and not len(self.kernels):
            return f"<run without a trace: {', '.join(other)}>"
        findings = f", {len(self.findings)} findings" if "findings" in self._names else ""
        return f"<run with {len(self.kernels)} kernels{findings}>"

    def render(self, format="text", **keywords):
        """The report: text, markdown, html and json as str, pdf as bytes."""
        data = rendered(lib.gs_render, self.analyze()._handle, format, pairs_of(keywords))
        return data if format == "pdf" else data.decode()

    def to_dict(self):
        """The document of `gpusight analyze --format json`."""
        return json.loads(self.render("json"))

    def whatif(self, **changes):
        """The run again, with changes: whatif(remove="sync", kernel="gemm=0.5x", graph=True)."""
        return json.loads(rendered(lib.gs_whatif, self.analyze()._handle, None, pairs_of(changes)))

    def query(self, sql, **limits):
        """Rows of one read-only SQL statement: run.query("select name, count(*) from kernels ...")."""
        return Table(self, "query", Task().call(lib.gs_query, self._handle, bytes_of(sql.encode()),
                                                options(pairs_of(limits))))

    def convert(self, format, path, **keywords):
        """The trace as pftrace, chrome, csv, rocpd, otf2, speedscope or folded."""
        Task().call(lib.gs_convert, self._handle, bytes_of(format.encode()), bytes_of(path),
                    options(pairs_of(keywords)))

    def plot(self, chart="ledger", **keywords):
        """One chart, shown in notebooks; format="png", width, height, theme="dark", top."""
        data = rendered(lib.gs_plot, self.analyze()._handle, chart, pairs_of(keywords))
        return Picture(data, keywords.get("format", "svg"))

    def _repr_html_(self):
        page = html.escape(self.render("html"), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:800px;border:0"></iframe>'


class Picture:
    """A chart as SVG or PNG: `data` holds its bytes."""

    def __init__(self, data, format):
        self.data = data
        self.format = format

    def save(self, path):
        with builtins.open(path, "wb") as f:
            f.write(self.data)

    def __repr__(self):
        return f"<picture: {self.format}, {len(self.data)} bytes>"

    def _repr_svg_(self):
        """Without its XML declaration: it stands inside of a page, and nbconvert refuses one there."""
        return self.data[self.data.index(b"<svg"):].decode() if self.format == "svg" else None

    def _repr_png_(self):
        return self.data if self.format == "png" else None


def charts():
    """The names that Run.plot() takes."""
    found = []
    while True:
        name = lib.gs_chart_name(len(found))
        if not name:
            return found
        found.append(name.decode())


def scan_source(folder, format="json", **keywords):
    """What source code says without a trace: a dict, or the report as text, markdown or html."""
    data = rendered(lib.gs_scan_source, bytes_of(folder), format, pairs_of(keywords))
    return json.loads(data) if format == "json" else data.decode()


def _handles(runs):
    runs = list(runs) if isinstance(runs, (list, tuple)) else [runs]
    runs = [r if isinstance(r, Run) else open(r) for r in runs]
    return runs, (ctypes.c_void_p * (len(runs) + 1))(*[r.analyze()._handle for r in runs], None)


def compare(before, after):
    """Did the change help? Runs or paths; lists of them are repeated runs."""
    a, of_a = _handles(before)
    b, of_b = _handles(after)
    return Comparison(Task().call(lib.gs_compare, of_a, len(a), of_b, len(b)))


class Comparison:
    """Two runs, or two sets of repeated runs."""

    def __init__(self, handle):
        self._handle = handle
        self.verdict = lib.gs_comparison_verdict(handle).decode()
        self.headline = lib.gs_comparison_headline(handle).decode()
        self.change_pct = lib.gs_comparison_change_pct(handle)

    def __del__(self):
        if getattr(self, "_handle", None):
            lib.gs_comparison_close(self._handle)
            self._handle = None

    def __repr__(self):
        return f"<comparison: {self.headline}>"

    def render(self, format="text", **keywords):
        data = rendered(lib.gs_comparison_render, self._handle, format, pairs_of(keywords))
        return data if format == "pdf" else data.decode()

    def to_dict(self):
        return json.loads(self.render("json"))

    def _repr_html_(self):
        page = html.escape(self.render("html"), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:800px;border:0"></iframe>'


__all__ = ["Comparison", "Picture", "Run", "charts", "compare", "open", "scan_source", "_errors", "_lib"]
