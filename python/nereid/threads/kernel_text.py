# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that are written around a function."""

import linecache

from .function import ThreadFunction
from .names import of_cuda

THREADS = 128  # of a block


def kernel_around(function, name, parameters, statement):
    """A kernel that runs a statement for each `i` below `count`, its first parameter."""
    text = (f"def {name}(count, {', '.join(parameters)}):\n"
            f"    for i in range(grid(1), count, gridsize(1)):\n"
            f"        {statement}\n")
    file = f"<around {name} at {id(function):x}: {statement}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    cuda = of_cuda()
    scope = {"function": function, "grid": cuda["grid"], "gridsize": cuda["gridsize"]}
    exec(compile(text, file, "exec"), scope)
    return ThreadFunction(scope[name])
