"""Arrow's PyCapsule interface: the library fills the structs, a capsule carries them."""
import ctypes
from ctypes import byref, c_char_p, c_int, c_void_p, py_object

from . import _errors
from ._lib import GsError, lib

# Bytes of the structs, and where release() is, in units of pointers and 64-bit numbers alike.
_SCHEMA, _ARRAY, _STREAM = (72, 56), (80, 64), (40, 24)

_python = ctypes.PyDLL(None)  # our own: types that others set on ctypes.pythonapi are theirs
_new = _python.PyCapsule_New
_new.restype = py_object
_new.argtypes = [c_void_p, c_char_p, c_void_p]
_pointer = _python.PyCapsule_GetPointer
_pointer.restype = c_void_p
_pointer.argtypes = [c_void_p, c_char_p]
_RELEASE = ctypes.CFUNCTYPE(None, c_void_p)
_DESTRUCTOR = ctypes.CFUNCTYPE(None, c_void_p)
_alive: dict = {}  # address -> memory of the structs; names must outlive their capsules, too


def _destructor(name, release_at):
    def destroy(capsule):
        address = _pointer(capsule, name)
        release = c_void_p.from_address(address + release_at).value
        if release:  # a consumer that took it over has set it to NULL
            _RELEASE(release)(address)
        _alive.pop(address, None)
    return _DESTRUCTOR(destroy)


_NAMES = {"schema": (b"arrow_schema", _SCHEMA), "array": (b"arrow_array", _ARRAY),
          "stream": (b"arrow_array_stream", _STREAM)}
_destructors = {kind: _destructor(name, at) for kind, (name, (_, at)) in _NAMES.items()}


def _memory(kind):
    memory = ctypes.create_string_buffer(_NAMES[kind][1][0])
    _alive[ctypes.addressof(memory)] = memory
    return memory


def _capsule(kind, memory):
    return _new(ctypes.addressof(memory), _NAMES[kind][0],
                ctypes.cast(_destructors[kind], c_void_p))


def _check(ok, error):
    if not ok:
        raise _errors.make(error.code, error.text.decode(errors="replace"))


def stream_capsule(table):
    error, stream = GsError(), _memory("stream")
    _check(lib.gs_table_arrow_stream(table._run._handle, table._raw, stream, byref(error)), error)
    return _capsule("stream", stream)


def array_capsules(table):
    error, schema, array = GsError(), _memory("schema"), _memory("array")
    _check(lib.gs_table_arrow(table._run._handle, table._raw, schema, array, byref(error)), error)
    return _capsule("schema", schema), _capsule("array", array)


assert ctypes.sizeof(c_int) == 4
