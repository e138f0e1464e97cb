# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes of kernels of threads as programs for Numba catch them: by the classes of Numba's half for CPUs, where that is
installed and was imported."""

import contextlib
import functools
import sys

from ..errors import CompilationError


@functools.cache
def _both(ours, theirs):
    return type(theirs.__name__, (ours, theirs), {"__module__": theirs.__module__, "__str__": ours.__str__})


@contextlib.contextmanager
def named_as_numba_has_them():
    """A mistake of a text that leaves this is a TypingError, too, and stays what it is."""
    try:
        yield
    except CompilationError as error:
        theirs = getattr(sys.modules.get("numba.core.errors"), "TypingError", None)
        if isinstance(theirs, type) and not isinstance(error, theirs):
            error.__class__ = _both(type(error), theirs)
        raise
