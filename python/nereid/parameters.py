# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parameters of a kernel, and the types of arguments."""

import inspect

from . import _native, errors
from .language.dtypes import dtype, dtype_of


class KernelParam:
    """One parameter of a kernel."""

    def __init__(self, num, param, do_not_specialize, do_not_specialize_on_alignment):
        self.num, self._param = num, param
        self.do_not_specialize = do_not_specialize
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment

    @property
    def name(self):
        return self._param.name

    @property
    def annotation(self):
        given = self._param.annotation
        return "" if given is inspect.Parameter.empty else annotation_text(given)

    @property
    def annotation_type(self):
        text = self.annotation
        name = text[1:] if text.startswith("*") else text
        found = _native.dtype_of(name) if name else None
        return ("*" if text.startswith("*") else "") + dtype(found).mangle() if found else ""

    @property
    def is_constexpr(self):
        return "constexpr" in self.annotation

    @property
    def is_const(self):
        return not self.is_constexpr and "const" in self.annotation

    @property
    def default(self):
        return self._param.default

    @property
    def has_default(self):
        return self._param.default is not inspect.Parameter.empty

    @property
    def is_variadic(self):
        return self._param.kind is inspect.Parameter.VAR_POSITIONAL


def annotation_text(given):
    if isinstance(given, str):
        return given.strip()
    if isinstance(given, dtype):
        return given._name
    return getattr(given, "__name__", str(given))


def declaration_error(param):
    if not param.is_constexpr or not (param.do_not_specialize or param.do_not_specialize_on_alignment):
        return None
    option = "do_not_specialize" + ("" if param.do_not_specialize else "_on_alignment")
    return errors.CompilationError(None, None, f"{param.name} marked as constexpr and listed in {option}. "
                                   "Remove constexpr designation to skip specialization.")


# The options of a launch that say how a kernel is to be compiled, and not what its text means. Who passes a parameter of
# such a name by its name passes the option as well.
COMPILATION_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


def specification(param):
    knows_alignment = not (param.do_not_specialize or param.do_not_specialize_on_alignment)
    type_text = None if param.is_constexpr or param.is_const else param.annotation
    found = _native.dtype_of(type_text.lstrip("*")) if type_text else None
    type_text = ("*" if type_text.startswith("*") else "") + found if found else None
    default = [param.default] if param.has_default else []
    return (param.name, default, param.is_constexpr, param.is_variadic, not param.do_not_specialize, knows_alignment,
            type_text, param.name in COMPILATION_OPTIONS)


# The names of dtypes in signatures.
type_canonicalisation_dict = {row[0]: row[2] for row in _native.dtypes()}
type_canonicalisation_dict.update({name: name for name in list(type_canonicalisation_dict.values())})
type_canonicalisation_dict.update({"bool": "i1", "int1": "i1", "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5",
                                   "half": "fp16", "float": "fp32", "double": "fp64", "short": "i16", "int": "i32",
                                   "long": "i64", "void": "void"})


def mangle_type(arg, specialize=False):
    """The type of an argument as signatures write it."""
    if arg is None:
        return "constexpr"
    if isinstance(arg, (bool, int, float)):
        return _native.number_type(arg)
    return "*" + type_canonicalisation_dict[dtype_of(arg.dtype)._name]
