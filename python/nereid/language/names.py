# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of the language as values of Python: kernels name them, Python cannot call them. Their table
is the library's."""

import ast
import inspect

from .. import _native

# What upstream's modules for one machine have besides. Where the library has one, its row stands for it.
_OF_MACHINES = {
    "triton.language.extra.cuda": "gdc_wait gdc_launch_dependents globaltimer smid num_threads num_warps "
                                  "convert_custom_float8_sm70 convert_custom_float8_sm80",
    "triton.language.extra.hip": "memrealtime num_threads num_warps smid",
    "triton.language.core": "dispatch",
    "triton.profiler.language": "enter_scope exit_scope record",
}


def signature_of(text):
    """Of a row of the library's table, whose defaults may be names of the language. Triton's functions take the
    compiler by the name _semantic; programs that ask for a signature tell Triton's versions apart by it."""
    arguments = ast.parse(f"def function({text}): pass").body[0].args
    kinds = inspect.Parameter
    given = [*arguments.posonlyargs, *arguments.args]
    defaults = [kinds.empty] * (len(given) - len(arguments.defaults)) + list(map(_default, arguments.defaults))
    parameters = [kinds(each.arg, kinds.POSITIONAL_OR_KEYWORD, default=value) for each, value in zip(given, defaults)]
    if arguments.vararg:
        parameters.append(kinds(arguments.vararg.arg, kinds.VAR_POSITIONAL))
    parameters += [kinds(each.arg, kinds.KEYWORD_ONLY, default=kinds.empty if value is None else _default(value))
                   for each, value in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return inspect.Signature([*parameters, kinds("_semantic", kinds.KEYWORD_ONLY, default=None)])


def _default(node):
    try:
        return ast.literal_eval(node)
    except ValueError:
        from . import dtypes

        return dtypes.DTYPES.get(ast.unparse(node), ast.unparse(node))


class Builtin:
    """A function of the language, by its path: "triton.language.load"."""

    __triton_builtin__ = True

    def __init__(self, path, signature="", meaning=""):
        self.path, self._signature = path, signature
        self.__name__ = path.rpartition(".")[2]
        self.__qualname__ = self.__name__
        self.__module__ = path.rpartition(".")[0]
        self.__doc__ = f"{self.__name__}({signature}): {meaning}" if meaning else None

    def __getattr__(self, name):
        """Made when it is asked for, which most programs never do."""
        if name != "__signature__" or not self._signature:
            raise AttributeError(name)
        self.__signature__ = signature_of(self._signature)
        return self.__signature__

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


_missing = [*_native.missing_names(), *(f"{module}.{name}" for module, names in _OF_MACHINES.items()
                                        for name in names.split())]
BUILTINS.update({path: Missing(path) for path in _missing if path not in BUILTINS})


def builtins_of(module):
    """The functions that a module of the language holds, by name."""
    return {
        path.rpartition(".")[2]: value
        for path, value in BUILTINS.items() if path.rpartition(".")[0] == module
    }


def builtin(fn):
    """Marks what upstream's own parts are made of: kernels may call such a function if it hands on what upstream's
    compiler gives it as _semantic, and asks nothing of that itself."""
    fn.__triton_builtin__ = True
    return fn


extern = builtin  # the same of functions of libraries
