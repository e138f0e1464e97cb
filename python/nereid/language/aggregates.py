# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""@triton.aggregate: classes of objects with fields and methods, which kernels make and Python too."""

import builtins

from .. import _native
from ..versions import language
from .constants import constexpr
from .names import LanguageClass
from .tuples import tuple


def aggregate(cls):
    """Marks a class that kernels call to make its objects. Its annotations are the fields; its functions, `__init__`
    among them, are traced. Where no class of its line has an `__init__`, it takes the fields, those of its bases first.
    """
    if language.aggregates_are_strict:
        _require_aggregates(cls.__mro__[1:-1])
    cls.__triton_aggregate__ = True
    if cls.__init__ is object.__init__:
        cls.__init__ = _take_fields
    if language.aggregates_are_strict:
        _freeze(cls)
    return cls


def _require_aggregates(bases):
    for base in bases:
        if "__triton_aggregate__" not in vars(base):
            raise TypeError(f"Aggregates can only inherit from other aggregates, but got non-aggregate base: {base}")


def _take_fields(self, *args, **kwargs):
    """What Python calls where a class says nothing; kernels have their own."""
    from ..records import field_defaults, record_fields

    cls, names = type(self), record_fields(type(self))
    if len(args) > len(names):
        raise TypeError(f"{cls.__name__} has {len(names)} fields, but {len(args)} values were given")
    given = dict(zip(names, args))
    if twice := given.keys() & kwargs.keys():
        raise TypeError(f"{cls.__name__} got field '{min(twice)}' twice")
    if unknown := kwargs.keys() - set(names):
        raise TypeError(f"{cls.__name__} has no field '{min(unknown)}'")
    values = {**field_defaults(cls), **given, **kwargs}
    for name in names:
        if name not in values:
            raise TypeError(f"{cls.__name__} needs a value for its field '{name}'")
        setattr(self, name, _wrapped(values[name]))


vars(_take_fields)["traced"] = None  # kernels make the object themselves


def _freeze(cls):
    """Fields are given where an object is made, and stay."""
    initialize = cls.__init__

    def call(self, *args, **kwargs):
        initialize.__get__(self, cls)(*args, **kwargs)
        if type(self).__init__ is call:  # else it is the constructor of a class that derives from this one
            self.__dict__["_is_made"] = True

    def set_field(self, name, value):
        if self.__dict__.get("_is_made"):
            raise AttributeError(f"cannot assign to field '{name}' on immutable aggregate {cls.__name__}; "
                                 "use aggregate_replace() to construct a modified copy")
        object.__setattr__(self, name, value)

    call.traced = vars(cls).get("__init__") if initialize is not _take_fields else None
    set_field.traced = None
    cls.__init__, cls.__setattr__ = call, set_field


def _wrapped(value):
    """A field's value as Triton has it: numbers and texts are constexprs, tuples are the language's."""
    from ..records import is_record_class

    if isinstance(value, builtins.tuple) and not isinstance(value, tuple):
        named = type(value) if hasattr(value, "_fields") else None
        return tuple(map(_wrapped, value), named)
    is_one = isinstance(value, LanguageClass) or is_record_class(type(value)) or hasattr(value, "_native_value")
    return value if is_one or isinstance(value, constexpr) else constexpr(value)


class AggregateReplace:
    """tl.aggregate_replace(object, field=value, ...): another object with some fields of its own, in kernels and in
    Python."""

    __name__ = __qualname__ = "aggregate_replace"
    __module__ = "triton.language"

    def __call__(self, instance, **changes):
        from ..records import is_record_class, record_fields

        cls = type(instance)
        if not is_record_class(cls) or isinstance(instance, builtins.tuple):
            raise TypeError(f"aggregate_replace() expects an aggregate instance, got {cls}")
        names = record_fields(cls)
        for name in changes:
            if name not in names:
                raise TypeError(f"{cls.__name__} has no field '{name}'")
        return cls(**{**{name: getattr(instance, name) for name in names}, **changes})

    def _native_value(self):
        return _native.LanguagePart("triton.language.aggregate_replace")


aggregate_replace = AggregateReplace()
