"""Tables and columns: views of the library's memory, and what other packages make of them."""
import codecs
import ctypes
from collections.abc import Sequence

from . import _errors
from ._lib import GsError, GsTable, bytes_of, lib

# By gs_type: letter of the struct module, NumPy's type, size.
_TYPES = ["q", "Q", "i", "I", "H", "B", "d", "?", None, "I"]
_NUMPY = ["i8", "u8", "i4", "u4", "u2", "u1", "f8", "?", "u8", "u4"]
_CTYPES = [ctypes.c_int64, ctypes.c_uint64, ctypes.c_int32, ctypes.c_uint32, ctypes.c_uint16,
           ctypes.c_uint8, ctypes.c_double, ctypes.c_bool, ctypes.c_char_p, ctypes.c_uint32]
TEXT, CODE = 8, 9
NONE = 0xffffffff


def _replace(error):
    return "\ufffd" * (error.end - error.start), error.end


codecs.register_error("gpusight", _replace)  # a sign for each byte, as in the JSON and in Arrow


def _text(value):
    return None if value is None else value.decode(errors="gpusight")


class Column(Sequence):
    """One column: a sequence of Python values; `numpy()` is a view without a copy."""

    def __init__(self, table, raw):
        self._table = table
        self._raw = raw
        self.name = raw.name.decode()
        self.label = raw.label.decode()
        self.unit = raw.unit.decode()
        self.doc = raw.doc.decode()
        self._texts = None

    @property
    def categories(self):
        """The texts that a column of codes refers to; None for others."""
        if self._raw.type == CODE and self._texts is None:
            self._texts = [_text(self._raw.texts[i]) for i in range(self._raw.n_texts)]
        return self._texts

    def __len__(self):
        return len(self._table)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        n = len(self)
        if not -n <= i < n:
            raise IndexError(i)
        i %= n
        raw = self._raw
        if raw.valid and not ctypes.c_uint8.from_address(raw.valid + i).value:
            return None
        value = _CTYPES[raw.type].from_address(raw.data + i * raw.stride).value
        if raw.type == TEXT:
            return _text(value)
        if raw.type == CODE:
            return self.categories[value] if value < raw.n_texts else None
        return value

    def __repr__(self):
        return f"<column {self.name!r} of {self._table.name!r}, {len(self)} rows>"

    def numpy(self):
        """Numbers and codes: a view that keeps the run alive. Texts: an array of objects."""
        import numpy
        raw = self._raw
        n = len(self)
        if raw.type == TEXT:
            return numpy.array(list(self), dtype=object)
        kind = numpy.dtype(_NUMPY[raw.type])
        if not n:
            return numpy.empty(0, kind)
        memory = (ctypes.c_char * ((n - 1) * raw.stride + kind.itemsize)).from_address(raw.data)
        memory._table = self._table  # the run lives as long as the view
        view = numpy.ndarray((n,), kind, memory, strides=(raw.stride,))
        view.flags.writeable = False
        return view

    def valid(self):
        """None where all rows have a value, else a NumPy array of bools."""
        import numpy
        if not self._raw.valid:
            return None
        memory = (ctypes.c_uint8 * len(self)).from_address(self._raw.valid)
        memory._table = self._table
        return numpy.frombuffer(memory, numpy.bool_)

    __array_priority__ = 1

    def __array__(self, dtype=None, copy=None):
        a = self.numpy()
        return a.astype(dtype) if dtype is not None else a


class Table(Sequence):
    """Rows of one struct. `t[3]` is a dict, `t["calls"]` a column."""

    def __init__(self, run, name, result=None):
        """A table of the run, or the one of a query, which then belongs to this object."""
        error = GsError()
        self._run = run
        self._result = result
        self._raw = lib.gs_result_table(result) if result else \
            lib.gs_run_table(run._handle, bytes_of(name.encode()), ctypes.byref(error))
        if not self._raw:
            raise _errors.make(error.code, error.text.decode(errors="replace"))
        raw = self._raw.contents
        self.name = name
        self.doc = raw.doc.decode()
        self._rows = raw.rows
        self.columns = {}
        for i in range(raw.columns):
            c = Column(self, raw.column[i])
            self.columns[c.name] = c

    def __del__(self):
        if getattr(self, "_result", None):
            lib.gs_result_close(self._result)
            self._result = None

    def __len__(self):
        return self._rows

    def __getitem__(self, key):
        if isinstance(key, str):
            if key not in self.columns:
                raise _errors.UsageError(f"no column of '{self.name}' is called '{key}'")
            return self.columns[key]
        if isinstance(key, slice):
            return [self[i] for i in range(*key.indices(len(self)))]
        if not -len(self) <= key < len(self):
            raise IndexError(key)
        return {name: c[key] for name, c in self.columns.items()}

    def __getattr__(self, name):
        if not name.startswith("_") and name in self.__dict__.get("columns", {}):
            return self.columns[name]
        raise AttributeError(name)

    def __repr__(self):
        return f"<table {self.name!r}: {len(self)} rows, columns {', '.join(self.columns)}>"

    def numpy(self):
        """A structured array. Numbers are copied only where they do not lie side by side."""
        import numpy
        parts = [(c.name, c.numpy()) for c in self.columns.values()]
        out = numpy.empty(len(self), [(name, a.dtype) for name, a in parts])
        for name, a in parts:
            out[name] = a
        return out

    def to_pandas(self):
        """A DataFrame; codes are categories, what has no value is missing."""
        import numpy
        import pandas
        data = {}
        for name, c in self.columns.items():
            if c.categories is not None:
                codes = c.numpy().astype("i4")  # NONE becomes -1, which is pandas' word for it
                data[name] = pandas.Categorical.from_codes(codes, _unique(c.categories))
                continue
            a = c.numpy()
            valid = c.valid()
            if valid is not None:
                a = pandas.arrays.IntegerArray(numpy.array(a), ~valid)
            data[name] = a
        return pandas.DataFrame(data, copy=False)

    def to_dict(self):
        return {name: list(c) for name, c in self.columns.items()}

    def _repr_html_(self):
        from html import escape
        head = "".join(f"<th title='{escape(c.doc, True)}'>{escape(c.label)}</th>"
                       for c in self.columns.values())
        rows = "".join("<tr>" + "".join(f"<td>{escape(str(v))}</td>" for v in row.values()) +
                       "</tr>" for row in self[:20])
        more = f"<p>{len(self)} rows</p>" if len(self) > 20 else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"

    # ---- Arrow

    def __arrow_c_stream__(self, requested_schema=None):
        from ._arrow import stream_capsule
        return stream_capsule(self)

    def __arrow_c_array__(self, requested_schema=None):
        from ._arrow import array_capsules
        return array_capsules(self)


def _unique(texts):
    """pandas wants categories to differ; two strings of a trace always do, decoded ones may not."""
    seen, out = {}, []
    for t in texts:
        n = seen[t] = seen.get(t, 0) + 1
        out.append(t if n == 1 else f"{t} ({n})")
    return out


assert ctypes.sizeof(GsTable) == 48 or ctypes.sizeof(ctypes.c_void_p) != 8
