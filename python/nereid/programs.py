# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that run as Python would run them, and find their own files, arguments and modules."""

import os
import runpy
import sys


def is_program(path):
    """Whether it is there, and if a directory, then one that Python runs."""
    return os.path.exists(os.path.join(path, "__main__.py") if os.path.isdir(path) else path)


def run_program(program, arguments, is_module=False):
    """A file's, or a module's by its name."""
    sys.argv = [program, *arguments]
    if is_module:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
        runpy.run_path(program, run_name="__main__")
