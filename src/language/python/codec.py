# What the program's side and the tests' side share: values as data, and frames on the channel.
#
# A value travels as an atom and a flat table of nodes, so that depth costs nothing and shared or cyclic structures
# keep their shape. Only exact builtin types are written as themselves. An instance of a subclass is written as the
# value that its builtin base holds, read with the base type's own methods, so that an object can't lie about itself.
# Everything else stays where it is and the other side gets a stand-in for it.

import builtins
import sys

# The program may patch builtins; this copy keeps the driver at work when it does.
globals().update({name: value for name, value in vars(builtins).items() if name[0] != "_"})

from binascii import a2b_base64, b2a_base64
from json import JSONDecoder
from json.encoder import c_make_encoder, encode_basestring_ascii

# Straight to the parts written in C: those in Python use builtins, which the program may have replaced.
_ENCODE_JSON = c_make_encoder(None, None, encode_basestring_ascii, None, ":", ",", False, False, True)
_DECODE_JSON = JSONDecoder().scan_once
_LARGE = 1 << 53
_MISSING = object()
_FUNCTION_TYPES = {
    type(len),
    type([].append),
    type(object.__init__),
    type(object().__str__),
    type(str.join),
    type(lambda: 0),
    type("".__class__.mro),
    type(JSONDecoder().decode),
}
_MODULE_TYPE = type(sys)


class Broken(Exception):
    """The other side sent what can't be a value."""


def base64(data):
    return b2a_base64(data, newline=False).decode("ascii")


def atom(value):
    """Writes what has no parts, or gives `_MISSING`."""
    kind = type(value)
    if kind is str:
        if value.isascii():
            return value
        try:
            value.encode()
        except UnicodeEncodeError:
            return {"s": base64(value.encode("utf-8", "surrogatepass"))}
        return value
    if kind is int:
        return value if -_LARGE < value < _LARGE else {"i": hex(value)}
    if value is None or kind is bool:
        return value
    if kind is float:
        if value - value == 0:
            return value
        return {"f": "nan" if value != value else "inf" if value > 0 else "-inf"}
    if kind is bytes:
        return {"b": base64(value)}
    if kind is complex:
        return {"c": [atom(value.real), atom(value.imag)]}
    if value is Ellipsis or value is NotImplemented:
        return {"k": "Ellipsis" if value is Ellipsis else "NotImplemented"}
    return _MISSING


def plain_base(value):
    """The value that an instance of a subclass of a builtin holds, as an instance of that builtin."""
    if isinstance_of(value, int):
        return int.__index__(value)
    if isinstance_of(value, str):
        return str.__str__(value)
    if isinstance_of(value, float):
        return float.__float__(value)
    if isinstance_of(value, complex):
        return complex(float(complex.real.__get__(value)), float(complex.imag.__get__(value)))
    if isinstance_of(value, bytes):
        return bytes.__getitem__(value, slice(None))
    return _MISSING


def isinstance_of(value, kind):
    """`isinstance` by the real type, whatever `__class__` says."""
    return kind in type.__dict__["__mro__"].__get__(type(value))


def defined_by(value, name):
    return any(name in vars(kind) for kind in type.__dict__["__mro__"].__get__(type(value)))


def clean(text):
    """Text that every JSON reader takes: lone surrogates are escaped."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def pairs(items):
    flat = []
    for key, value in items:
        flat.append(key)
        flat.append(value)
    return flat


def loaded(module, name):
    """A class of a module that only counts if it is imported already: no value of it exists otherwise."""
    found = sys.modules.get(module)
    return getattr(found, name, None) if found is not None else None


def is_exactly(value, module, name):
    kind = loaded(module, name)
    return kind is not None and type(value) is kind


def parts(value):
    """`(tag, can change, parts, extra)` of a value with parts, or `None` for what has to stay where it is."""
    kind = type(value)
    if kind is list:
        return "list", True, value[:], None
    if kind is dict:
        return "dict", True, pairs(dict.items(value)), None
    if kind is tuple:
        return "tuple", False, value, None
    if kind is set:
        return "set", True, list(value), None
    if kind is frozenset:
        return "frozenset", False, list(value), None
    if kind is bytearray:
        return "bytearray", True, (), base64(value)
    if kind is range:
        return "range", False, (value.start, value.stop, value.step), None
    if kind is slice:
        return "slice", False, (value.start, value.stop, value.step), None
    if kind is type({}.keys()):
        return "keys", False, list(value), None
    if kind is type({}.values()):
        return "values", False, list(value), None
    if kind is type({}.items()):
        return "items", False, pairs(value), None
    if kind is memoryview:
        return "bytes", False, (), base64(value.tobytes())
    return library_parts(value, kind) or subclass_parts(value)


def library_parts(value, kind):
    module = kind.__module__
    if module == "collections":
        if is_exactly(value, "collections", "deque"):
            return "deque", True, [value.maxlen, *value], None
        if is_exactly(value, "collections", "Counter"):
            return "counter", True, pairs(dict.items(value)), None
        if is_exactly(value, "collections", "defaultdict"):
            return "defaultdict", True, [value.default_factory, *pairs(dict.items(value))], None
        if is_exactly(value, "collections", "OrderedDict"):
            return "ordereddict", True, pairs(loaded("collections", "OrderedDict").items(value)), None
    elif module == "decimal" and is_exactly(value, "decimal", "Decimal"):
        return "decimal", False, (), str(value)
    elif module == "fractions" and is_exactly(value, "fractions", "Fraction"):
        return "fraction", False, (value.numerator, value.denominator), None
    elif module == "datetime":
        return moment_parts(value)
    elif module == "uuid" and is_exactly(value, "uuid", "UUID"):
        return "uuid", False, (), value.hex
    elif module.partition(".")[0] == "pathlib" and isinstance_of(value, loaded("pathlib", "PurePath")):
        return "path", False, (), str(value)
    elif module.partition(".")[0] == "numpy" and "numpy" in sys.modules:
        return array_parts(value)
    elif module.partition(".")[0] == "pandas" and "pandas" in sys.modules:
        return frame_parts(value, kind)
    return None


def moment_parts(value):
    if is_exactly(value, "datetime", "timedelta"):
        return "timedelta", False, (value.days, value.seconds, value.microseconds), None
    if is_exactly(value, "datetime", "date"):
        return "date", False, (value.year, value.month, value.day), None
    if is_exactly(value, "datetime", "timezone"):
        return "timezone", False, (value.utcoffset(None),), None
    clock = is_exactly(value, "datetime", "time")
    if not clock and not is_exactly(value, "datetime", "datetime"):
        return None
    if value.tzinfo is not None and not is_exactly(value.tzinfo, "datetime", "timezone"):
        return None
    day = () if clock else (value.year, value.month, value.day)
    fields = (value.hour, value.minute, value.second, value.microsecond, value.tzinfo, value.fold)
    return ("time" if clock else "datetime"), False, (*day, *fields), None


def array_parts(value):
    numpy = sys.modules["numpy"]
    kind = type(value)
    if kind is not numpy.ndarray and not isinstance_of(value, numpy.generic):
        return None
    dtype = value.dtype
    if dtype.kind not in "?biufcSUmM":
        return None
    tag = "ndarray" if kind is numpy.ndarray else "scalar"
    shape = list(value.shape)
    return tag, tag == "ndarray", shape, {"dtype": dtype.str, "data": base64(value.tobytes())}


def subclass_parts(value):
    if isinstance_of(value, tuple):
        items = tuple.__getitem__(value, slice(None))
        fields = getattr(type(value), "_fields", None)
        if type(fields) is tuple and len(fields) == len(items) and all(type(name) is str for name in fields):
            # Should it come back, it is of our own class again.
            _NAMED_TUPLES.setdefault((type(value).__name__, fields), type(value))
            return "namedtuple", False, items, {"name": type(value).__name__, "fields": fields}
        return "tuple", False, items, None
    if isinstance_of(value, list):
        return "list", True, list.__getitem__(value, slice(None)), None
    if isinstance_of(value, dict):
        return "dict", True, pairs(dict.items(value)), None
    if isinstance_of(value, set):
        return "set", True, list(set.__iter__(value)), None
    if isinstance_of(value, frozenset):
        return "frozenset", False, list(frozenset.__iter__(value)), None
    if isinstance_of(value, bytearray):
        return "bytearray", True, (), base64(bytearray.__getitem__(value, slice(None)))
    deque = loaded("collections", "deque")
    if deque is not None and isinstance_of(value, deque):
        return "deque", True, [None, *deque.__iter__(value)], None
    return None


class Encoder:
    """One message's table of nodes."""

    def __init__(self, export):
        self.export = export
        self.nodes = []
        self.index = {}
        self.alive = []
        self.waiting = []

    def encode(self, value):
        """The atom for `value`, with whatever nodes it takes."""
        result = self.reference(value)
        while self.waiting:
            # Parts of what can change are looked at last, which lets what can't change always come after its parts.
            at, tag, children, extra = self.waiting.pop()
            self.nodes[at] = self.node(tag, [self.reference(child) for child in children], extra)
        return result

    def reference(self, value):
        written = atom(value)
        if written is not _MISSING:
            return written
        at = self.index.get(id(value))
        if at is None:
            written = self.place(value)
            if written is not _MISSING:
                return written
            at = self.index[id(value)]
        return {"r": at}

    def place(self, value):
        """Puts `value` and those of its parts that can't change into the table, the parts first."""
        stack = [self.open(value)]
        if type(stack[0]) is not tuple:
            return stack[0]
        while stack:
            value, tag, children, extra, written = stack[-1]
            if len(written) == len(children):
                self.put(value, self.node(tag, written, extra))
                stack.pop()
                continue
            child = children[len(written)]
            reference = atom(child)
            if reference is _MISSING:
                at = self.index.get(id(child))
                if at is None:
                    opened = self.open(child)
                    if type(opened) is tuple:
                        stack.append(opened)
                        continue
                    if opened is not _MISSING:
                        written.append(opened)
                        continue
                    at = self.index[id(child)]
                reference = {"r": at}
            written.append(reference)
        return _MISSING

    def open(self, value):
        """An atom; or `_MISSING`, if it is in the table now; or what is needed to put it there after its parts."""
        base = plain_base(value)
        if base is not _MISSING and not self.export.keeps(value) and not library_parts(value, type(value)):
            return atom(base)
        found = None if self.export.keeps(value) else parts(value)
        if found is None:
            self.put(value, self.export(self, value))
            return _MISSING
        tag, can_change, children, extra = found
        if not can_change:
            return value, tag, children, extra, []
        self.waiting.append((len(self.nodes), tag, children, extra))
        self.put(value, None)
        return _MISSING

    def put(self, value, node):
        self.index[id(value)] = len(self.nodes)
        self.alive.append(value)
        self.nodes.append(node)

    @staticmethod
    def node(tag, written, extra):
        if extra is None:
            return {tag: written}
        return {tag: extra if type(extra) is str else {**extra, "parts": written}}


class Channel:
    """Frames over a socket: four bytes of length, then JSON."""

    def __init__(self, descriptor):
        from os import read, write

        self.descriptor = descriptor
        self.read = read
        self.write = write

    def send(self, frame):
        data = "".join(_ENCODE_JSON(frame, 0)).encode("ascii")
        data = memoryview(len(data).to_bytes(4, "big") + data)
        while data:
            data = data[self.write(self.descriptor, data) :]

    def receive(self):
        """The next frame, or `None` at the end."""
        head = self.take(4)
        if head is None:
            return None
        data = self.take(int.from_bytes(head, "big"))
        return None if data is None else _DECODE_JSON(data.decode("utf-8"), 0)[0]

    def take(self, count):
        chunks = []
        while count:
            chunk = self.read(self.descriptor, min(count, 1 << 20))
            if not chunk:
                return None
            chunks.append(chunk)
            count -= len(chunk)
        return b"".join(chunks)
