# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages that the panel's packages import and whose work no case of the panel asks for: `become(NAME)` makes a module of
that name, with whatever is looked for in it and below it. fetch_packages writes one file for each, which calls it."""

import importlib.abc
import importlib.machinery
import sys
import types


class _Nothing(type):
    """What such a module holds: a class to inherit from, a function to call, a decorator, a mapping, an exception."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return anything(name)

    def __call__(cls, *arguments, **options):
        if cls is not cls.__dict__.get("_itself"):
            return super().__call__(*arguments, **options)  # of a class that inherits from it
        if len(arguments) == 1 and not options and callable(arguments[0]) and not isinstance(arguments[0], _Nothing):
            return arguments[0]  # a decorator
        return cls

    def __getitem__(cls, item):
        return cls

    def __iter__(cls):
        return iter(())

    def __or__(cls, other):
        return cls

    __ror__ = __or__

    def __enter__(cls):
        return cls

    def __exit__(cls, *_):
        return False

    def __bool__(cls):
        return False

    def __get_pydantic_core_schema__(cls, source, handler):
        """Such a class may be the kind of a field: whatever lies there is right."""
        from pydantic_core import core_schema

        return core_schema.any_schema()


def anything(name):
    found = _Nothing(name, (Exception,), {"__init__": lambda self, *_, **__: None})
    found._itself = found
    return found


class _Module(types.ModuleType):
    __path__: list[str] = []

    def __getattr__(self, name):
        if name.startswith("__") and name != "__version__":
            raise AttributeError(name)
        found = "0.0.0" if name == "__version__" else anything(name)
        setattr(self, name, found)
        return found


class _Below(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules below those that stand in."""

    def __init__(self):
        self.names = set()

    def find_spec(self, name, path=None, target=None):
        is_below = any(name.startswith(each + ".") for each in self.names)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if is_below else None

    def create_module(self, spec):
        return _Module(spec.name)

    def exec_module(self, module):
        pass


_BELOW = _Below()


def become(name):
    if _BELOW not in sys.meta_path:
        sys.meta_path.insert(0, _BELOW)
    _BELOW.names.add(name)
    module = sys.modules[name]
    module.__class__ = _Module
    module.__path__ = []
