# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that are written around a function."""

import ast
import inspect
import linecache

from .function import ThreadFunction
from .names import of_cuda

THREADS = 128  # of a block


def _made(name, text, file, scope):
    """The function of a text that tracebacks and the compiler find under the name of a file."""
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    exec(compile(text, file, "exec"), scope)
    return scope[name]


def _lambda_of(function):
    """The part of a text that a lambda is made of: that around the places that its instructions have. None if the lines
    from its first on are no whole statement."""
    try:
        lines, first = inspect.getsourcelines(function)
        text, shift = "".join(lines), first - 1
        if text[:1].isspace():
            text, shift = "if True:\n" + text, first - 2
        tree = ast.parse(text)
    except (OSError, SyntaxError):
        return None
    places = [place for place in function.__code__.co_positions() if None not in place and place[3] > place[2]]
    begin, end = min((place[0], place[2]) for place in places), max((place[1], place[3]) for place in places)
    around = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)
              and (node.lineno + shift, node.col_offset) <= begin
              and end <= (node.end_lineno + shift, node.end_col_offset)]
    return max(around, key=lambda node: (node.lineno, node.col_offset), default=None)


def device_function(function):
    """As kernels call it; a lambda by a name that it is given."""
    if function.__name__ != "<lambda>":
        return ThreadFunction(function, device=True)
    node = _lambda_of(function)
    if node is None:
        raise ValueError("which text this lambda has is not clear; a function that `def` makes has one")
    text = f"def function({ast.unparse(node.args)}):\n    return {ast.unparse(node.body)}\n"
    scope = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    return ThreadFunction(_made("function", text, f"<lambda at {id(function):x}>", scope), device=True)


def kernel_around(function, name, parameters, statement):
    """A kernel that runs a statement for each `i` below `count`, its first parameter."""
    name = "of_lambda" if name == "<lambda>" else name
    text = (f"def {name}(count, {', '.join(parameters)}):\n"
            f"    for i in range(grid(1), count, gridsize(1)):\n"
            f"        {statement}\n")
    file = f"<around {name} at {id(function):x}: {statement}>"
    cuda = of_cuda()
    scope = {"function": function, "grid": cuda["grid"], "gridsize": cuda["gridsize"]}
    return ThreadFunction(_made(name, text, file, scope))
