# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuples of kernels, and their types."""

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


class tuple_type(LanguageClass):
    """The type of a tuple: those of its elements, and the names of a named one."""

    __module__ = "nereid.language"

    def __init__(self, types, fields=None):
        self.types, self.fields = types, fields

    @property
    def name(self):
        types = self.types if self.fields is None else map("{}:{}".format, self.fields, self.types)
        return f"[{','.join(map(str, types))}]"

    def __str__(self):
        return self.name

    def __iter__(self):
        return iter(self.types)

    def __getitem__(self, index):
        return self.types[index]

    def __eq__(self, other):
        return type(self) is type(other) and self.types == other.types and self.fields == other.fields

    def mangle(self):
        return f"T{'_'.join(each.mangle() for each in self.types)}T"
