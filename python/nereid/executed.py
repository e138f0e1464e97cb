# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in text that a program hands to exec() have a source: it is kept where inspect looks for files. Needed
where programs rewrite kernels for an executor that runs them as Python, or write them for Numba, which needs none."""

import __future__
import builtins
import functools
import itertools
import linecache
import operator
import sys

_numbers = itertools.count(1)
# What `from __future__ import` in a file has set for the texts that it executes, too.
_FUTURE = functools.reduce(operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))


def keep_text_of_command():
    """The text of `python -c text`, which Python itself keeps from 3.13 on only."""
    given = sys.orig_argv
    if sys.argv[:1] == ["-c"] and "-c" in given and given.index("-c") + 1 < len(given):
        keep_text("<string>", given[given.index("-c") + 1])


def keep_text(name, text):
    """Of what was compiled under this name."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)


def keep_executed_texts():
    """From now on exec() of a text that mentions a kernel leaves it in linecache."""
    execute = builtins.exec
    if getattr(execute, "keeps_texts", False):
        return

    def exec_and_keep(source, globals=None, locals=None, /, **kwargs):
        frame = sys._getframe(1)
        if globals is None:
            globals, locals = frame.f_globals, frame.f_locals
        if isinstance(source, str) and "def " in source:
            name = f"<executed text {next(_numbers)}>"
            keep_text(name, source)
            source = compile(source, name, "exec", frame.f_code.co_flags & _FUTURE, dont_inherit=True)
        if locals is None:
            return execute(source, globals, **kwargs)
        return execute(source, globals, locals, **kwargs)

    exec_and_keep.keeps_texts = True
    builtins.exec = exec_and_keep
