# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tl.constexpr: a value that a kernel knows while it is compiled."""

import operator


class constexpr:
    """Wraps a value for kernels; arithmetic on it gives constexprs again."""

    def __init__(self, value):
        while isinstance(value, constexpr):
            value = value.value
        self.value = value

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __hash__(self):
        return hash((self.value, type(self.value)))

    def __index__(self):
        return self.value

    def __bool__(self):
        return bool(self.value)

    def __call__(self, *args, **kwargs):
        return self.value(*args, **kwargs)

    def __getitem__(self, *args):
        return self.value.__getitem__(*(_unwrap(arg) for arg in args))

    @classmethod
    def __class_getitem__(cls, item):  # tl.constexpr[int]
        return cls

    def logical_and(self, other):
        return constexpr(self.value and _unwrap(other))

    def logical_or(self, other):
        return constexpr(self.value or _unwrap(other))

    def __not__(self):
        return constexpr(not self.value)


def _unwrap(value):
    return value.value if isinstance(value, constexpr) else value


def unwrap(value):
    """What a constexpr holds, also inside tuples and lists; anything else as it is."""
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return type(value)(unwrap(element) for element in value)
    return _unwrap(value)


def _add_operators():
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor"):
        function = getattr(operator, name + "_" if name in ("and", "or") else name)
        setattr(constexpr, f"__{name}__", lambda self, other, f=function: constexpr(f(self.value, _unwrap(other))))
        setattr(constexpr, f"__r{name}__", lambda self, other, f=function: constexpr(f(_unwrap(other), self.value)))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        function = getattr(operator, name)
        setattr(constexpr, f"__{name}__", lambda self, other, f=function: constexpr(f(self.value, _unwrap(other))))
    for name in ("neg", "pos", "invert"):
        function = getattr(operator, name)
        setattr(constexpr, f"__{name}__", lambda self, f=function: constexpr(f(self.value)))


_add_operators()


class const:
    """The annotation of a pointer that nothing is stored through."""
