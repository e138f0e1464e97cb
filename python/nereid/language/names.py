# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of the language as values of Python: kernels name them, Python cannot call them. Their table
is the library's."""

from .. import _native


class Builtin:
    """A function of the language, by its path: "triton.language.load"."""

    __triton_builtin__ = True

    def __init__(self, path, signature="", meaning=""):
        self.path = path
        self.__name__ = path.rpartition(".")[2]
        self.__qualname__ = self.__name__
        self.__module__ = path.rpartition(".")[0]
        self.__doc__ = f"{self.__name__}({signature}): {meaning}" if meaning else None

    def __call__(self, *args, **kwargs):
        raise ValueError("Did you forget to add @triton.jit ? (`_semantic` argument must be provided outside of JIT "
                         f"functions.) {self.path} is a part of kernels; Python cannot call it")

    def __repr__(self):
        return f"<function {self.path}>"

    def __reduce__(self):
        return _by_path, (self.path,)

    def _native_value(self):
        return _native.LanguagePart(self.path)


class LanguageClass:
    """A class of the language that kernels name in annotations and isinstance: tl.tensor."""


def _by_path(path):
    return BUILTINS[path]


class Missing(Builtin):
    """What Triton's language has and this one lacks: programs may name it, and kernels that use it are refused."""


BUILTINS = {row[0]: Builtin(*row) for row in _native.language_names()}


BUILTINS.update({path: Missing(path) for path in _native.missing_names() if path not in BUILTINS})


def builtins_of(module):
    """The functions that a module of the language holds, by name."""
    return {
        path.rpartition(".")[2]: value
        for path, value in BUILTINS.items() if path.rpartition(".")[0] == module
    }


def builtin(fn):
    """Marks what upstream's own parts are made of. Such a function cannot be made here."""
    fn.__triton_builtin__ = True
    return fn
