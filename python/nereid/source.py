# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel for a signature, which need not be launched."""

import hashlib

from . import _native
from .capture import to_native
from .language.constants import unwrap


class ASTSource:
    """A kernel with the types of its arguments ("*fp32", "i32", "constexpr"), the values of its constants, by name
    or by path, and what is known of arguments: {(0,): [["tt.divisibility", 16]]}."""

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        self.fn, self.ext, self.name = fn, "ttir", fn.__name__
        if not isinstance(signature, dict):
            raise TypeError("the signature is a dictionary")
        self.signature = {self._name(key): value for key, value in signature.items()}
        self.constants = {}
        for key, value in (constexprs or {}).items():
            path = (fn.arg_names.index(key),) if isinstance(key, str) else (key,) if isinstance(key, int) else key
            self.constants[path] = value
        self.attrs = attrs or {}

    def _name(self, key):
        if isinstance(key, int):
            return self.fn.arg_names[key]
        if not isinstance(key, str):
            raise TypeError("Signature keys must be string")
        return key

    def hash(self):
        text = f"{self.fn.cache_key}-{sorted(self.attrs.items())}-{sorted(self.signature.items())}-{self.constants}"
        return hashlib.sha256(text.encode()).hexdigest()

    def arguments(self):
        """For each parameter what the compiler takes."""
        result = []
        for index, parameter in enumerate(self.fn.params):
            kind = self.signature.get(parameter.name, "constexpr")
            is_known = (index,) in self.constants or parameter.has_default
            if kind == "constexpr" and not is_known:
                what = "type" if parameter.name not in self.signature else "value"
                raise ValueError(f"the source of kernel {self.name} gives no {what} for parameter '{parameter.name}'")
            if (index,) in self.constants or kind == "constexpr":
                default = parameter.default if parameter.has_default else None
                value = self.constants.get((index,), default)
                result.append(_native.Argument.constant(to_native(unwrap(value))))
                continue
            facts = self.attrs.get((index,), [])
            is_multiple = any(name == "tt.divisibility" and value % _native.KNOWN_MULTIPLE == 0 for name, value in facts)
            result.append(_native.Argument(kind.replace("*k", "*") + (":16" if is_multiple else "")))
        return result

    def parse_options(self):
        return {}
