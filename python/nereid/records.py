# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classes of tuples with names, and their objects, between Python and the compiler: named tuples and aggregates."""

import types
import weakref

from . import _native
from .reads import Read, Reader, explaining, frozen, looking
from .texts import FunctionText

_readers: dict = {}  # of classes
_record_classes: weakref.WeakValueDictionary = weakref.WeakValueDictionary()


def is_record_class(value):
    """Whether it is a class of tuples with names: a named tuple, or an aggregate."""
    return isinstance(value, type) and ((issubclass(value, tuple) and hasattr(value, "_fields"))
                                        or "__triton_aggregate__" in value.__dict__)


class _ClassReader(Reader):
    """A class of tuples with names for the compiler."""

    def __init__(self, cls):
        super().__init__()
        self.cls, self.record = cls, _native.Record(cls.__name__)

    def _forget(self):
        _readers.pop(self.cls, None)


def record_of(cls, to_native):
    """A class of tuples with names for the compiler; one object for one class."""
    with explaining:
        reader = _readers.get(cls)
        if reader is not None and looking.callees is None:
            reader._require_current()
            reader = _readers.get(cls)
        if reader is None:
            reader = _readers[cls] = _ClassReader(cls)  # first, since its methods may name it
            try:
                _explain(reader, to_native)
            except BaseException:
                del _readers[cls]
                raise
        reader._note()
        return reader.record


def reader_of(value):
    """What is known of the class that a value is, or is an object of; None for other values."""
    return _readers.get(value if isinstance(value, type) else type(value))


def _explain(reader, to_native):
    cls, callers = reader.cls, looking.callees
    _record_classes[reader.record.identity] = cls
    looking.callees = reader._callees
    try:
        bases = [base for base in cls.__bases__ if is_record_class(base)]
        defaults = {name: to_native(value) for name, value in _own_defaults(cls).items()}
        own = {name: getattr(value, "traced", value) for name, value in vars(cls).items()}  # as the class had them
        methods = {name: _method(name, value) for name, value in own.items() if _is_method(cls, name, value)}
        reader.record.explain(record_fields(cls), defaults, methods, [record_of(base, to_native) for base in bases])
    finally:
        looking.callees = callers
    where = [(vars(cls), name, vars(cls)[name]) for name in methods]
    where += [(_defaults_of(cls), name, value) for name, value in _own_defaults(cls).items()]
    reader._reads = [Read(container, (name,), frozen(value), f"{cls.__qualname__}.{name}")
                     for container, name, value in where]


def record_fields(cls):
    """The names of the fields, those of the bases first."""
    if issubclass(cls, tuple):
        return list(cls._fields)
    lists = [vars(base).get("__annotations__", {}) for base in reversed(cls.__mro__) if is_record_class(base)]
    return list(dict.fromkeys(name for names in lists for name in names))


def field_defaults(cls):
    """Those of an aggregate's fields, of its bases too."""
    lists = [_own_defaults(base) for base in reversed(cls.__mro__) if is_record_class(base)]
    return {name: value for own in lists for name, value in own.items()}


def _defaults_of(cls):
    """Where the defaults of fields lie."""
    return getattr(cls, "_field_defaults", {}) if issubclass(cls, tuple) else vars(cls)


def _own_defaults(cls):
    names = getattr(cls, "_field_defaults", {}) if issubclass(cls, tuple) else vars(cls).get("__annotations__", {})
    return {name: _defaults_of(cls)[name] for name in names if name in _defaults_of(cls)}


def _is_method(cls, name, value):
    """Whether kernels can call it: of a named tuple's functions those that are made for kernels."""
    value = getattr(value, "__func__", value)  # of a static method
    is_plain = isinstance(value, types.FunctionType) and not issubclass(cls, tuple)
    return is_plain or hasattr(type(value), "_native_value") and name not in record_fields(cls)


def _method(name, value):
    value = getattr(value, "__func__", value)
    if name == "__init__" and isinstance(value, FunctionText.makers["constant"]):
        value = value.fn  # what it gives the fields need not be constants
    return (FunctionText.makers["method"](value) if isinstance(value, types.FunctionType) else value)._native_value()


def object_of(value, to_native):
    """An object of such a class for the compiler."""
    elements = value if isinstance(value, tuple) else [getattr(value, name) for name in record_fields(type(value))]
    return _native.RecordObject(record_of(type(value), to_native), tuple(map(to_native, elements)))


def object_from_native(value, from_native):
    """What a function of Python's gets for one."""
    cls = _record_classes[value.record.identity]
    elements = map(from_native, value.elements)
    if issubclass(cls, tuple):
        return cls._make(elements)
    made = object.__new__(cls)
    made.__dict__.update(zip(record_fields(cls), elements))
    return made
