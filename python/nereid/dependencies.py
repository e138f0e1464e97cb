# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A key for what a function that Python runs while kernels are compiled depends on: its code and, as far as its code
shows, all that it reads, in whatever modules, classes and functions that lies."""

import collections
import dis
import enum
import functools
import hashlib
import importlib
import os
import sys
import types

from .capture import scope_of
from .language.constants import constexpr, unwrap
from .language.dtypes import dtype
from .language.names import Builtin
from .reads import MISSING, Read, is_constant
from .texts import FunctionText, kernel_of

_GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_GLOBALS",
           "LOAD_FROM_DICT_OR_DEREF")
_ATTRIBUTE = ("LOAD_ATTR", "LOAD_METHOD")
# What Python keeps in classes for itself, or has made of what is there besides.
_OF_CLASSES = ("__dict__", "__weakref__", "__module__", "__qualname__", "__doc__", "__annotations__", "__slots__",
               "__firstlineno__", "__static_attributes__", "__annotate_func__", "__annotations_cache__", "_abc_impl",
               "__abstractmethods__", "__dataclass_fields__", "__dataclass_params__")


def dependencies_of(function):
    """A key, equal in all processes in which all that the function depends on is equal; and the Reads of it, which tell
    whether this process still has the same."""
    walk = _Walk()
    walk.run(function)
    return hashlib.sha256("\n".join(walk.parts).encode(errors="surrogatepass")).hexdigest(), walk.reads


def dependency_key(function):
    return dependencies_of(function)[0]


def _mentions(code):
    """The names that code looks up outside it, with the chains of attributes that follow each; what of the environment
    it asks for, by name, or None for anything; what it imports."""
    chains, variables, imports = set(), set(), set()
    silent = ("PUSH_NULL", "NOP", "EXTENDED_ARG")
    instructions = [each for each in dis.get_instructions(code) if each.opname not in silent]
    at = 0
    while at < len(instructions):
        first, at = instructions[at], at + 1
        if first.opname == "IMPORT_NAME":
            imports.add(first.argval)
        if first.opname not in _GLOBAL:
            continue
        chain = [first.argval]
        while at < len(instructions) and instructions[at].opname in _ATTRIBUTE:
            chain.append(instructions[at].argval)
            at += 1
        chains.add(tuple(chain))
    for at, each in enumerate(instructions):
        if each.argval in ("environ", "getenv") and each.opname in (*_GLOBAL, *_ATTRIBUTE, "IMPORT_FROM"):
            variables.add(_variable_asked(instructions[at + 1:at + 5]))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            for all_of, inner in zip((chains, variables, imports), _mentions(constant)):
                all_of |= inner
    return chains, variables, imports


def _variable_asked(following):
    """The name, if a literal is what stands there for it."""
    if following and following[0].opname in _ATTRIBUTE and following[0].argval == "get":
        following = following[1:]
    names = [each.opname for each in following]
    is_literal = names[:1] == ["LOAD_CONST"] and isinstance(following[0].argval, str)
    after = names[2:3] if names[1:2] == ["LOAD_CONST"] else names[1:2]
    return following[0].argval if is_literal and after in (["PRECALL"], ["CALL"], ["BINARY_SUBSCR"]) else None


class _Walk:

    def __init__(self):
        self.parts, self.reads = [], []
        self._numbers, self._pending = {}, collections.deque()

    def run(self, function):
        self._refer(function, self._add_code_of)
        while self._pending:
            describe, value = self._pending.popleft()
            self.parts.append("next")
            describe(value)

    def _refer(self, value, describe):
        """Names it by a number, and has it described once, later: things may lie in each other, and as deep as they
        like."""
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self._numbers), value  # kept, so that no other gets its id
            self._pending.append((describe, value))
        self.parts.append(f"#{self._numbers[id(value)][0]}")

    def add(self, value, chains=frozenset({()})):
        """`chains`: the attributes that are asked for; () among them is for the value itself."""
        value = value.value if isinstance(value, constexpr) else value  # itself, whose contents may change
        value = kernel_of(value) or value
        if _is_environment(value):
            return  # the code that mentions it says for what
        if is_constant(value, kinds=tuple) and (type(value).__module__ == "builtins" or isinstance(value, dtype)):
            self.parts.append(f"{type(value).__name__} {value!r}")
        elif isinstance(value, types.ModuleType):
            self._add_module(value, chains)
        elif isinstance(value, type):
            self._add_class(value)
        elif isinstance(value, (tuple, list, set, frozenset, dict)):
            self._refer(value, self._add_collection)
        elif not self._add_callable(value):
            self._refer(value, self._add_object)
        for name in sorted({chain[0] for chain in chains if chain}):
            self._add_member(value, name, frozenset(chain[1:] for chain in chains if chain and chain[0] == name))

    def _add_member(self, value, name, chains):
        self.parts.append(f".{name}")
        try:
            member = getattr(value, name)
        except Exception as error:  # which the function would see, or not come so far
            self.parts.append(type(error).__name__)
        else:
            # What is made for each that asks: what it is made of is read.
            if not isinstance(member, types.MethodType) and not isinstance(getattr(type(value), name, None), property):
                self._read(value, name, member)
            self.add(member, chains)

    def _read(self, container, name, value):
        self.reads.append(Read(container, (name,), unwrap(value), name))

    def _add_callable(self, value):
        """Whether it is something that is made of functions."""
        if isinstance(value, FunctionText):
            self.parts.append(f"{type(value).__name__} {value.src}")
            if value.fn is not None:  # as where PyTorch's compiler took it out
                self._add_function(value.fn)
        elif isinstance(value, types.FunctionType):
            self._add_function(value)
        elif isinstance(value, types.MethodType):
            self.add((value.__func__, value.__self__))
        elif isinstance(value, functools.partial):
            self.add((value.func, value.args, value.keywords))
        elif isinstance(value, (staticmethod, classmethod)):
            self.add(value.__func__)
        elif isinstance(value, property):
            self.add(value.fget)
        elif isinstance(getattr(value, "__wrapped__", None), types.FunctionType):  # functools.cache
            self.add(value.__wrapped__)
        else:
            return False
        return True

    def _add_function(self, function):
        if not self._is_installed(function, function.__code__.co_filename):
            self._refer(function, self._add_code_of)

    def _add_code_of(self, function):
        self._add_code(function.__code__)
        self.add((function.__defaults__, function.__kwdefaults__))
        scope = scope_of(function)
        chains, variables, imports = _mentions(function.__code__)
        for name in sorted({chain[0] for chain in chains}):
            self._read(*scope.place_of(name), scope.get(name, MISSING))
            if name in scope:
                self.parts.append(f"{name} =")
                value = scope.get(name)
                if _is_environment(value) and name not in ("environ", "getenv"):
                    variables.add(None)
                self.add(value, frozenset(chain[1:] for chain in chains if chain[0] == name))
        for name in sorted(imports):
            self._add_import(name, function)
        if None in variables:
            self._read_contents(os.environ._data)
        for name in variables - {None}:
            key = os.environ.encodekey(name)
            self._read(os.environ._data, key, os.environ._data.get(key, MISSING))
        asked = os.environ if None in variables else variables
        self.parts += [f"{name} = {os.environ.get(name)!r}" for name in sorted(asked)]

    def _add_code(self, code):
        self.parts.append(repr((code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars,
                                code.co_argcount, code.co_kwonlyargcount, code.co_flags,
                                getattr(code, "co_exceptiontable", b""))))
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._add_code(constant)
            else:
                self.add(constant)

    def _add_import(self, name, function):
        """What the function has of it is not followed: all its constants, and what its code may name."""
        try:
            module = importlib.import_module(name)
        except Exception:  # nothing that is there, or relative to what it is in
            return
        names = function.__code__.co_names
        self.add(module, frozenset({(), *((each,) for each in names if each in vars(module))}))

    def _add_collection(self, value):
        self.parts.append(f"{len(value)}")
        self._add_class(type(value))
        if not isinstance(value, (tuple, frozenset)):
            self._read_contents(value)
        if isinstance(value, (set, frozenset)):
            value = sorted(value, key=repr)
        for element in value.items() if isinstance(value, dict) else value:
            self.add(element)

    def _read_contents(self, value):
        kind = next(kind for kind in (dict, list, set) if isinstance(value, kind))
        self.reads.append(Read(value, (), kind(value) if kind is not list else tuple(value), "contents"))

    def _add_module(self, module, chains):
        self.parts.append(f"module {module.__name__}")
        if () in chains and not _release_of(module.__name__, getattr(module, "__file__", None)):
            for name, value in sorted(vars(module).items()):  # of which the function may ask for any
                if is_constant(value, kinds=tuple) and not name.startswith("__"):
                    self._read(vars(module), name, value)
                    self.add((name, value))

    def _add_class(self, kind):
        if not self._is_installed(kind, getattr(sys.modules.get(kind.__module__), "__file__", None)):
            self._refer(kind, self._add_members)

    def _add_members(self, kind):
        self.parts.append(f"class {kind.__qualname__}")
        for base in kind.__bases__:
            self._add_class(base)
        for name, member in sorted(vars(kind).items()):
            if name not in _OF_CLASSES:
                self.parts.append(f"{name} =")
                self._read(vars(kind), name, member)
                self.add(member)

    def _add_object(self, value):
        kind = type(value)
        self._add_class(kind)
        if isinstance(value, Builtin):
            self.parts.append(value.path)
            return
        try:
            shown = repr(value)
        except Exception as error:
            shown = type(error).__name__
        if " at 0x" not in shown:  # which would be another in each process
            self.parts.append(shown)
        if isinstance(value, enum.Enum):
            self.add((value.name, value.value))
        elif kind.__module__.partition(".")[0] not in sys.stdlib_module_names:
            self.add(getattr(value, "__dict__", None))
            for name in _slots_of(kind):
                self._add_member(value, name, frozenset({()}))

    def _is_installed(self, value, file):
        """Whether it is a part of Python, of this library or of a package that has releases."""
        release = _release_of(value.__module__ or "", file)
        if release:
            self.parts.append(f"{release} {value.__module__}.{value.__qualname__}")
        return bool(release)


def _is_environment(value):
    return value is os.environ or value is os.getenv


def _release_of(module, file):
    """Nothing for a module of the program's own."""
    package = module.partition(".")[0]
    if package in ("nereid", "triton"):
        return package  # the build is in the key of each kernel
    if package in sys.stdlib_module_names:
        return f"Python {sys.version_info[:3]}"
    if file and ("site-packages" in file or "dist-packages" in file):
        version = getattr(sys.modules.get(package), "__version__", None)
        return f"{package} {version}" if version else None
    return None


def _slots_of(kind):
    slots = [vars(base).get("__slots__", ()) for base in kind.__mro__]
    names = {name for some in slots for name in ([some] if isinstance(some, str) else some)}
    return sorted(names - {"__dict__", "__weakref__"})
