"""rocpd's Python interface on top of gpusight: connections with SQL, converters, summaries.

    from gpusight import rocpd
    data = rocpd.connect(["rank0.db", "rank1.db"])
    data.execute("select name, count(*) from kernels group by name").fetchall()
    rocpd.apply_time_window(data, start="10%", end="90%")
    rocpd.write_pftrace(data, output_path="out", output_file="run")

Traces of other formats have the same tables. What is opened is never changed: a window is a property
of the connection, not of the file.
"""
import csv as _csv
import json as _json
import os

from . import _errors, _run

__all__ = ["Cursor", "RocpdImportData", "apply_time_window", "connect", "execute", "export_query",
           "export_sqlite_query", "generate_all_summaries", "generate_summaries", "write_csv",
           "write_otf2", "write_pftrace"]

_WINDOW = ("start", "end", "start_marker", "end_marker", "inclusive", "window")


class Cursor:
    """Rows as tuples, as sqlite3 has them; `description` holds the names of the columns."""

    def __init__(self, table):
        self.table = table
        self.description = [(name, None, None, None, None, None, None) for name in table.columns]
        self._rows = iter(zip(*[list(c) for c in table.columns.values()]))

    def __iter__(self):
        return self._rows

    def fetchone(self):
        return next(self._rows, None)

    def fetchall(self):
        return list(self._rows)

    def fetchmany(self, size=1):
        return [row for _, row in zip(range(size), self._rows)]


class RocpdImportData:
    """Traces that are open together. `run` is the gpusight.Run below it."""

    def __init__(self, input, **keywords):
        self.filenames = [os.fspath(p) for p in
                          (input if isinstance(input, (list, tuple)) else [input])]
        self._keywords = keywords
        self._open()

    def _open(self):
        self.run = _run.open(*self.filenames, **dict({"progress": False, "analyze": False},
                                                     **self._keywords))
        self._analyzed = None

    def execute(self, sql, parameters=()):
        """One read-only statement; `?` stands for the parameters, in their order."""
        return Cursor(_asking(self, _bound(sql, parameters)))

    def cursor(self):
        return self

    def close(self):
        self.run = self._analyzed = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, (bool, int, float)):
        return repr(int(value) if isinstance(value, bool) else value)
    return "'" + str(value).replace("'", "''") + "'"


def _bound(sql, parameters):
    """`?` outside of quotes, in SQL's own way of writing values."""
    if not parameters:
        return sql
    left, out, quote = list(parameters), [], None
    for c in sql:
        if quote:
            quote = None if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c == "?":
            if not left:
                raise _errors.UsageError("more '?' than parameters")
            c = _literal(left.pop(0))
        out.append(c)
    if left:
        raise _errors.UsageError("more parameters than '?'")
    return "".join(out)


def _asking(data, sql):
    """From the rows; from the analysis where the tables asked for are its results."""
    try:
        return (data._analyzed or data.run).query(sql, limit=0)
    except _errors.UsageError as e:
        if data._analyzed or "without an analysis" not in str(e):
            raise
    data._analyzed = _run.open(*data.filenames, progress=False,
                               **{k: v for k, v in data._keywords.items() if k in _WINDOW})
    return data._analyzed.query(sql, limit=0)


def connect(input, **keywords):
    """Opens traces; keywords are the filters of gpusight.open()."""
    return input if isinstance(input, RocpdImportData) else RocpdImportData(input, **keywords)


def execute(data, sql, parameters=()):
    return connect(data).execute(sql, parameters)


def apply_time_window(connection, start=None, end=None, start_marker=None, end_marker=None,
                      inclusive=None, **_):
    """From now on only what lies there: ns, "2.5s" or "10%", or the names of markers.

    Returns the first and the last moment of what is left, in ns. Times win over markers, as in rocpd;
    inclusive=True takes rows that begin or end in it, False those that do both.
    """
    asked = {"start": start, "end": end, "inclusive": None if inclusive is None else
             "true" if inclusive in (True, "true", "True") else "false"}
    if start is None and end is None:
        asked.update(start_marker=start_marker, end_marker=end_marker)
    connection._keywords = {k: v for k, v in connection._keywords.items() if k not in _WINDOW}
    if any(v is not None for k, v in asked.items() if k != "inclusive"):
        connection._keywords.update({k: v for k, v in asked.items() if v is not None})
    connection._open()
    bounds = [connection.execute(f"select min(start), max(end) from {t}").fetchone()
              for t in ("kernels", "memory_copies", "regions", "memory_allocations")]
    bounds = [b for b in bounds if b[0] is not None]
    return (min(b[0] for b in bounds), max(b[1] for b in bounds)) if bounds else (0, 0)


def _setting(config, keywords, name, default):
    if name in keywords:
        return keywords[name]
    if isinstance(config, dict):
        return config.get(name, default)
    return getattr(config, name, default) if config is not None else default


def _base(config, keywords):
    folder = _setting(config, keywords, "output_path", os.environ.get("ROCPD_OUTPUT_PATH")
                      or "./rocpd-output-data")
    name = _setting(config, keywords, "output_file", os.environ.get("ROCPD_OUTPUT_NAME") or "out")
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, name)


def _converted(data, format, ending, config, keywords, flags):
    path = _base(config, keywords) + ending
    options = {f: bool(_setting(config, keywords, f, False)) for f in flags}
    connect(data).run.convert(format, path, **{k: True for k, v in options.items() if v})
    return path


def write_csv(data, config=None, **keywords):
    """output_path/output_file_kernel_trace.csv and its siblings; returns what the names begin with."""
    return _converted(data, "csv", "", config, keywords, ["kernel_rename"])


def write_pftrace(data, config=None, **keywords):
    """output_path/output_file_results.pftrace, for Perfetto; returns its name."""
    return _converted(data, "pftrace", "_results.pftrace", config, keywords,
                      ["kernel_rename", "group_by_queue", "annotate_args", "annotate_pmc"])


def write_otf2(data, config=None, **keywords):
    """output_path/output_file_results.otf2 and its folder; returns its name."""
    return _converted(data, "otf2", "_results.otf2", config, keywords, ["kernel_rename"])


def _as_csv(cursor, f):
    writer = _csv.writer(f, quoting=_csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerow([d[0] for d in cursor.description])
    writer.writerows(cursor)


def _as_json(cursor, f):
    names = [d[0] for d in cursor.description]
    _json.dump([dict(zip(names, row)) for row in cursor], f, indent=2, ensure_ascii=False)
    f.write("\n")


def _as_md(cursor, f):
    def line(cells):
        return "| " + " | ".join(str(c).replace("|", "\\|").replace("\n", " ") for c in cells) + " |\n"
    names = [d[0] for d in cursor.description]
    f.write(line(names) + line(["---"] * len(names)))
    for row in cursor:
        f.write(line("" if c is None else c for c in row))


def _as_html(cursor, f):
    from html import escape
    f.write("<table>\n<tr>" + "".join(f"<th>{escape(d[0])}</th>" for d in cursor.description) +
            "</tr>\n")
    for row in cursor:
        f.write("<tr>" + "".join(f"<td>{escape('' if c is None else str(c))}</td>" for c in row) +
                "</tr>\n")
    f.write("</table>\n")


_FORMS = {"csv": _as_csv, "json": _as_json, "md": _as_md, "html": _as_html}


def export_query(connection, query, export_format="csv", export_path=None, **_):
    """Rows of a statement as csv, json, md or html: to a file, or as the text that is returned."""
    if export_format not in _FORMS:
        raise _errors.UsageError(f"no form is called '{export_format}'; forms are {', '.join(_FORMS)}")
    cursor = connect(connection).execute(query)
    if export_path is None:
        import io
        text = io.StringIO()
        _FORMS[export_format](cursor, text)
        return text.getvalue()
    if os.path.exists(export_path) and any(os.path.samefile(export_path, p)
                                           for p in connect(connection).filenames):
        raise _errors.UsageError(f"cannot write over the trace '{export_path}'")
    with open(export_path, "w", encoding="utf-8", newline="") as f:
        _FORMS[export_format](cursor, f)
    return os.fspath(export_path)


export_sqlite_query = export_query

_SUMMARIES = {"kernels_summary": "kernel_summary", "memory_copies_summary": "memory_copy_summary",
              "memory_allocations_summary": "memory_allocation_summary"}


def generate_summaries(connection, config=None, format=None, **keywords):
    """Sums of kernels, copies and allocations by name: {"kernels_summary": rows, ...}.

    With a form (csv, json, md, html) they are also written to output_path, as rocpd names them.
    """
    data = connect(connection)
    out = {}
    for name, view in _SUMMARIES.items():
        cursor = data.execute(f"select * from {view}")
        out[name] = [dict(zip([d[0] for d in cursor.description], row)) for row in cursor]
        if format:
            base = _base(config, dict({"output_file": ""}, **keywords))
            stem = base + "_" + name if os.path.basename(base) else base + name
            export_query(data, f"select * from {view}", format, f"{stem}.{format}")
    return out


generate_all_summaries = generate_summaries
