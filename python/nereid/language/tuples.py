# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuples of kernels."""

import builtins

from .names import LanguageClass


class tuple(builtins.tuple, LanguageClass):
    """A tuple of a kernel. `named` is the class of a named tuple whose elements it has."""

    __module__ = "nereid.language"  # where programs find it

    def __new__(cls, elements=(), named=None):
        made = super().__new__(cls, elements)
        made.named = named
        return made

    def __getattr__(self, name):
        fields = self.named._fields if self.named else ()
        if name not in fields:
            raise AttributeError(f"'tuple' object has no attribute {name}")
        return self[fields.index(name)]
