# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions that kernels raise under `debug`: the library tells of an assertion with the exception's text, and Python has
the class (src/frontend/emit/threads/Functions.cpp)."""

import builtins
import re

from ..capture import scope_of
from ..errors import InterpreterError, NereidError
from .streams import synchronize

_TEXT = re.compile(r"(?:(?P<file>[^\n]*):(?P<line>\d+):\d+: )?(?:error: )?assertion failed"
                   r"(?: in thread \((?P<thread>[^)]*)\) of block \((?P<block>[^)]*)\))?: "
                   r"raises (?P<name>[\w.]+)(?:: (?P<text>.*?))?"
                   r"(?:, in program \((?P<program>[^)]*)\) of kernel '[^']*'(?: \([^)\n]*\))? on a grid of \([^)]*\)| \[assertion_failed\]|$)",
                   re.M)


def _class_named(name, function):
    """The exception that a kernel, or a function that it calls, knows by this name."""
    first, *rest = name.split(".")
    found = scope_of(function).get(first, getattr(builtins, first, None))
    for part in rest:
        found = getattr(found, part, None)
    return found if isinstance(found, type) and issubclass(found, Exception) else None


def exception_of(error, function, block):
    """What the kernel raised, with its place as Numba writes it; the error itself if it is another. The thread is known
    where it is the only one of its block, or the checked device tells it."""
    found = _TEXT.search(str(error))
    kind = found and _class_named(found["name"], function)
    if not kind:
        return error
    code = function.__code__
    file, line = (found["file"].strip(), found["line"]) if found["file"] else (code.co_filename, code.co_firstlineno)
    thread = found["thread"] or ("0, 0, 0" if block == (1, 1, 1) else "?")
    place = (f"In function {function.__name__!r}, file {file}, line {line}\n"
             f"tid=[{thread}] ctaid=[{found['block'] or found['program']}]")
    return kind(f"{place}: {found['text']}" if found["text"] else place)


class DebugLauncher:
    """Launches and waits, so that an exception comes to who launched."""

    def __init__(self, launcher, function, block):
        self._launcher, self._function, self._block = launcher, function, block

    def __call__(self, *args, **kwargs):
        raised = None
        try:
            self._launcher(*args, **kwargs)
            synchronize()
        except (NereidError, InterpreterError) as error:
            raised = exception_of(error, self._function, self._block)
            if raised is error:
                raise
        if raised is not None:
            raise raised
