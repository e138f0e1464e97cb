# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What objects of the installed Triton mean in a kernel that Nereid compiles: its modules and functions are the
language's, its @triton.jit functions are compiled from their texts, its constants are their values."""

import functools
import inspect
import sys
import types

from .. import _native
from ..jit import ConstexprFunction, JITFunction
from ..language.aggregates import aggregate
from ..language.dtypes import DTYPES, dtype, pointer_type
from ..tensor_descriptor import TensorDescriptor
from .. import capture


def _kind(value):
    """(module, name) of a value's class, if Triton has it."""
    kind = type(value)
    return (kind.__module__, kind.__name__) if kind.__module__.partition(".")[0] == "triton" else (None, None)


def ours(function):
    """Nereid's kernel of the same text as a @triton.jit function; one for each."""
    made = function.__dict__.get("_nereid_kernel")
    if made is None:
        made = JITFunction(function.fn, do_not_specialize=function.do_not_specialize,
                           do_not_specialize_on_alignment=function.do_not_specialize_on_alignment,
                           debug=function.debug, noinline=function.noinline)
        function._nereid_kernel = made
    return made


def texts(function):
    """The texts of a @triton.jit function and of those of its own module that it calls."""
    found, pending = {}, [function]
    while pending:
        each = pending.pop()
        if each.fn.__qualname__ in found:
            continue
        found[each.fn.__qualname__] = each.src
        scope = capture.scope_of(each.fn)
        pending += [value for value in map(scope.get, each.fn.__code__.co_names)
                    if _kind(value)[1] == "JITFunction" and value.fn.__module__ == function.fn.__module__]
    return list(reversed(found.values()))


def argument(value):
    """An argument of a launch as Nereid takes it; a tensor as it is."""
    module, name = _kind(value)
    if name == "JITFunction":
        return ours(value)
    if name == "constexpr":
        return argument(value.value)
    if name in ("dtype", "pointer_type"):
        return _dtype(value)
    if name == "TensorDescriptor":
        return TensorDescriptor(value.base, list(value.shape), list(value.strides), list(value.block_shape),
                                value.padding)
    if isinstance(value, tuple):
        parts = map(argument, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def _dtype(value):
    if hasattr(value, "element_ty"):
        return pointer_type(_dtype(value.element_ty))
    return DTYPES[_native.dtype_of(value.name)]


@functools.cache
def _constant_function(function):
    return ConstexprFunction(function)


def _member(value):
    """A member of a class as Nereid's classes have it."""
    if isinstance(value, staticmethod):
        return staticmethod(_member(value.__func__))
    kind = _kind(value)[1]
    return ours(value) if kind == "JITFunction" else _constant_function(value.fn) if kind == "ConstexprFunction" else value


# What capture.reading() takes.

@functools.cache
def record_class(cls):
    """Nereid's class for an aggregate of Triton's, which keeps what was written only where its `__new__` finds it; other
    classes as they are."""
    written = "__triton_aggregate__" in vars(cls) and inspect.getclosurevars(cls.__new__).nonlocals.get("cls")
    if not isinstance(written, type):
        return cls
    members = {name: _member(value) for name, value in vars(written).items() if name not in ("__dict__", "__weakref__")}
    return aggregate(type(written)(written.__name__, tuple(map(record_class, written.__bases__)), members))


def language_path(value):
    """The path under which the compiler knows a module, a function or a class of Triton's language."""
    if isinstance(value, types.ModuleType):
        name = value.__name__
        return name if name == "triton" or name.startswith("triton.language") else None
    module = getattr(value, "__module__", None) or ""
    if isinstance(value, (type, types.FunctionType)) and module.startswith("triton.language"):
        has_own_names = ".extra." in module or module == "triton.language.math"
        return f"{module if has_own_names else 'triton.language'}.{value.__name__}"
    return None


def own(value):
    """What a function of Python's gets while a kernel is traced: Triton's dtypes, which are equal to no others."""
    core = sys.modules.get("triton.language.core")
    if core is None:
        return value
    if isinstance(value, pointer_type):
        return core.pointer_type(own(value.element_ty))
    if isinstance(value, dtype):
        return core.dtype(value.name)
    return tuple(map(own, value)) if type(value) is tuple else value


def meaning_of(value):
    """The compiler's value, or None for what is not Triton's."""
    module, name = _kind(value)
    if name == "JITFunction":
        if value.fn.__module__.startswith("triton.language") and not value.fn.__name__.startswith("_"):
            return _native.LanguagePart("triton.language." + value.fn.__name__)
        return ours(value)._native_value()
    if name == "ConstexprFunction":
        return _constant_function(value.fn)._native_value()
    if name == "constexpr" and isinstance(value.value, types.FunctionType):
        return _constant_function(value.value)._native_value()
    if name in ("constexpr", "dtype", "pointer_type"):
        return capture.to_native(argument(value))
    if isinstance(value, types.FunctionType) and (path := language_path(value)):
        return _native.LanguagePart(path)
    return None
