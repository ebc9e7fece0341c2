"""libgpusight through ctypes: types, functions, and calls that Ctrl-C can end."""
import ctypes
import ctypes.util
import os
import threading
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_double, c_int,
                    c_int64, c_size_t, c_uint64, c_void_p)

from . import _errors


class GsError(Structure):
    _fields_ = [("code", c_int), ("text", ctypes.c_char * 1024)]


class GsOption(Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class GsColumn(Structure):
    _fields_ = [("name", c_char_p), ("label", c_char_p), ("unit", c_char_p), ("doc", c_char_p),
                ("type", c_int), ("data", c_void_p), ("stride", c_size_t), ("valid", c_void_p),
                ("texts", POINTER(c_char_p)), ("n_texts", c_size_t)]


class GsTable(Structure):
    _fields_ = [("name", c_char_p), ("doc", c_char_p), ("rows", c_size_t), ("columns", c_size_t),
                ("column", POINTER(GsColumn)), ("is_object", c_bool)]


PROGRESS = CFUNCTYPE(c_bool, c_void_p, c_char_p, c_uint64, c_uint64)
WARNING = CFUNCTYPE(None, c_void_p, c_char_p)
SINK = CFUNCTYPE(c_bool, c_void_p, c_void_p, c_size_t)

_FUNCTIONS = {
    "gs_version": (c_char_p, []),
    "gs_task_new": (c_void_p, [PROGRESS, WARNING, c_void_p]),
    "gs_task_free": (None, [c_void_p]),
    "gs_task_cancel": (None, [c_void_p]),
    "gs_open": (c_void_p, [POINTER(c_char_p), c_size_t, POINTER(GsOption), c_void_p,
                           POINTER(GsError)]),
    "gs_analyze": (c_bool, [c_void_p, c_void_p, POINTER(GsError)]),
    "gs_retain": (c_void_p, [c_void_p]),
    "gs_close": (None, [c_void_p]),
    "gs_run_tables": (c_size_t, [c_void_p]),
    "gs_run_table_name": (c_char_p, [c_void_p, c_size_t]),
    "gs_run_table": (POINTER(GsTable), [c_void_p, c_char_p, POINTER(GsError)]),
    "gs_table_arrow": (c_bool, [c_void_p, POINTER(GsTable), c_void_p, c_void_p, POINTER(GsError)]),
    "gs_table_arrow_stream": (c_bool, [c_void_p, POINTER(GsTable), c_void_p, POINTER(GsError)]),
    "gs_render": (c_bool, [c_void_p, c_char_p, POINTER(GsOption), SINK, c_void_p, c_void_p,
                           POINTER(GsError)]),
    "gs_chart_name": (c_char_p, [c_size_t]),
    "gs_plot": (c_bool, [c_void_p, c_char_p, POINTER(GsOption), SINK, c_void_p, c_void_p,
                         POINTER(GsError)]),
    "gs_scan_source": (c_bool, [c_char_p, c_char_p, POINTER(GsOption), SINK, c_void_p, c_void_p,
                                POINTER(GsError)]),
    "gs_whatif": (c_bool, [c_void_p, POINTER(GsOption), SINK, c_void_p, c_void_p,
                           POINTER(GsError)]),
    "gs_query": (c_void_p, [c_void_p, c_char_p, POINTER(GsOption), c_void_p, POINTER(GsError)]),
    "gs_result_table": (POINTER(GsTable), [c_void_p]),
    "gs_result_close": (None, [c_void_p]),
    "gs_convert": (c_bool, [c_void_p, c_char_p, c_char_p, POINTER(GsOption), c_void_p,
                            POINTER(GsError)]),
    "gs_compare": (c_void_p, [POINTER(c_void_p), c_size_t, POINTER(c_void_p), c_size_t, c_void_p,
                              POINTER(GsError)]),
    "gs_comparison_close": (None, [c_void_p]),
    "gs_comparison_verdict": (c_char_p, [c_void_p]),
    "gs_comparison_headline": (c_char_p, [c_void_p]),
    "gs_comparison_change_pct": (c_double, [c_void_p]),
    "gs_comparison_render": (c_bool, [c_void_p, c_char_p, POINTER(GsOption), SINK, c_void_p,
                                      c_void_p, POINTER(GsError)]),
}


def _find():
    """The library beside this file (a wheel), the one named by GPUSIGHT_LIBRARY, the system's."""
    given = os.environ.get("GPUSIGHT_LIBRARY")
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libgpusight.so.0")
    tried = [given] if given else ([beside] if os.path.exists(beside) else []) + ["libgpusight.so.0"]
    reasons = []
    for path in tried:
        try:
            return ctypes.CDLL(path)
        except OSError as why:
            reasons.append(str(why))
    raise ImportError(f"cannot load libgpusight ({'; '.join(reasons)}); install it, or name it in "
                      "GPUSIGHT_LIBRARY")


lib = _find()
for _name, (_result, _arguments) in _FUNCTIONS.items():
    _f = getattr(lib, _name)
    _f.restype = _result
    _f.argtypes = _arguments


def version():
    return lib.gs_version().decode()


def bytes_of(text):
    """For C, which ends texts at the first NUL: one with a NUL inside would pass for another."""
    data = os.fsencode(text)
    if b"\0" in data:
        raise ValueError("embedded null byte")
    return data


def options(pairs):
    """[("window", "10%..20%")] as the library takes them."""
    array = (GsOption * (len(pairs) + 1))()
    for i, (name, value) in enumerate(pairs):
        if isinstance(value, bool):
            value = "yes" if value else "no"
        array[i] = GsOption(bytes_of(name.replace("_", "-").encode()), bytes_of(str(value)))
    return array


def pairs_of(keywords):
    """Keywords as pairs; None is left out, a list gives several."""
    return [(name, one) for name, value in keywords.items() if value is not None
            for one in (value if isinstance(value, (list, tuple)) else [value])]


class Task:
    """A call that is waited for in another thread, so that Ctrl-C reaches Python and ends it."""

    def __init__(self, progress=None):
        self.warnings = []
        self._progress = PROGRESS(self._tell if progress else 0)
        self._warning = WARNING(self._hear)
        self._told = progress
        self._wrong = None
        self.handle = lib.gs_task_new(self._progress, self._warning, None)
        if not self.handle:
            raise MemoryError

    def _tell(self, _, what, done, total):
        try:
            return bool(self._told(what.decode(), done, total))
        except BaseException as e:  # into the caller, not into the void
            self._wrong = e
            return True

    def _hear(self, _, text):
        self.warnings.append(text.decode(errors="replace"))

    def call(self, function, *arguments):
        """function(*arguments, task, error); raises what the library says."""
        error = GsError()
        result = []
        done = threading.Event()
        stopped = None

        def work():
            try:
                result.append(function(*arguments, self.handle, byref(error)))
            finally:
                done.set()

        threading.Thread(target=work).start()
        while not done.is_set():  # not join(): interrupted, it takes a running thread for an ended one
            try:
                done.wait(0.05)
            except BaseException as e:
                stopped = e
                lib.gs_task_cancel(self.handle)
        lib.gs_task_free(self.handle)
        if stopped:
            raise stopped
        if self._wrong:
            raise self._wrong
        if not result[0]:
            raise _errors.make(error.code, error.text.decode(errors="replace"))
        return result[0]


def rendered(function, handle, what, pairs, progress=None):
    """The bytes that a rendering function puts into its sink."""
    parts = []

    def take(_, data, n):
        parts.append(ctypes.string_at(data, n))
        return True

    arguments = [handle] + ([bytes_of(what.encode())] if what is not None else [])
    sink = SINK(take)
    Task(progress).call(function, *arguments, options(pairs), sink, None)
    return b"".join(parts)
