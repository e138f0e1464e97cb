# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels in memory: those of all functions together up to the limit that the library has for its own
(docs/cache.md). Beyond it, what was launched least recently goes, and is compiled or taken from the disk when it is
launched again."""

import sys
import threading
import weakref

from . import _native

_all: "weakref.WeakValueDictionary" = weakref.WeakValueDictionary()  # of each function, by what it is
_lock = threading.RLock()  # of all of them: what one keeps may drop what another has; a finalizer may launch


class Kernels(dict):
    """A function's compiled kernels by key. Who empties it empties what the dispatcher remembers."""

    def __init__(self, dispatcher):
        self._dispatcher, self._sizes, self.bytes = dispatcher, {}, 0
        _all[id(self)] = self

    def __delitem__(self, key):
        with _lock:
            super().__delitem__(key)
            self.bytes -= self._sizes.pop(key, 0)

    def pop(self, key, *otherwise):
        with _lock:
            self.bytes -= self._sizes.pop(key, 0)
            return super().pop(key, *otherwise)

    def clear(self):
        with _lock:
            super().clear()
            self._sizes.clear()
            self.bytes = 0
            self._dispatcher.clear()

    def keep(self, key, compiled):
        with _lock:
            self.pop(key, None)
            self[key] = compiled
            # None of those on GPUs: their code is the driver's, and stays, since graphs launch it without asking anybody.
            if compiled.cuda_device == -1:
                self._sizes[key] = compiled.native.bytes
                self.bytes += compiled.native.bytes
                _shrink(_native.most_kernel_bytes())

    def drop(self, key):
        self._dispatcher.forget(self.pop(key))


def held_bytes():
    """About what all kept kernels hold of the host's memory."""
    return sum(kernels.bytes for kernels in list(_all.values()))


def _references(kernels, key):
    return sys.getrefcount(kernels[key])


_OWN_REFERENCES = _references({None: object()}, None)


def _shrink(most):
    excess = held_bytes() - most
    if excess <= 0:
        return
    launched = []
    for kernels in list(_all.values()):
        last, entries = {}, {}
        for compiled, use in kernels._dispatcher.uses():
            last[id(compiled)] = max(use, last.get(id(compiled), 0))
            entries[id(compiled)] = entries.get(id(compiled), 0) + 1
        for key, size in kernels._sizes.items():
            it = id(kernels[key])
            launched.append((last.get(it, 0), size, kernels, key, entries.get(it, 0)))
    compiled = None  # a reference of ours
    for _, size, kernels, key, entries in sorted(launched, key=lambda row: row[0]):
        # What somebody holds would stay in memory, and be there twice once it is launched again.
        if key in kernels and _references(kernels, key) <= _OWN_REFERENCES + entries:
            kernels.drop(key)
            excess -= size
        if excess <= 0:
            return
