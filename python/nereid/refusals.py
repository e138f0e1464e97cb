# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of Triton that have no meaning here: programs import them, and are refused where they use them."""

import sys
import types

from .errors import NotSupported


class Refused:
    """A function or class that cannot be called."""

    def __init__(self, path, why):
        self.path, self.why = path, why
        self.__name__ = self.__qualname__ = path.rpartition(".")[2]

    def refuse(self, *_, **__):
        raise NotSupported(f"{self.path}: {self.why}")

    __call__ = __getitem__ = __enter__ = refuse

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Refused(f"{self.path}.{name}", self.why)

    def __repr__(self):
        return f"<{self.path}, which Nereid has not>"


def refused(module, names, why):
    """By name, for a module's own names."""
    return {name: Refused(f"{module}.{name}", why) for name in names.split()}


def refused_module(name, why, doc, given=()):
    """A module that has any name, `given` ones with a meaning, and the others refused where they are used. It can be
    imported from where it lies, and others may lie in it."""
    module = types.ModuleType(name, doc)
    module.__path__ = []

    def unknown(part):
        if part.startswith("_"):
            raise AttributeError(f"module '{name}' has no attribute '{part}'")
        return Refused(f"{name}.{part}", why)

    module.__getattr__ = unknown
    vars(module).update(given)
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    setattr(sys.modules[parent], last, module)
