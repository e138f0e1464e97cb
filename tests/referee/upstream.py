# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What both ways of asking upstream need."""

import linecache
import types

import triton
import triton.language as tl


def load_text(name: str, text: str, names: dict[str, object]) -> types.ModuleType:
    """A module made of text; upstream looks for a function's source in its file."""
    path = f"<{name}>"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    module = types.ModuleType(name)
    vars(module).update(triton=triton, tl=tl)
    vars(module).update({key: value for key, value in names.items() if key[0] != "_"})
    exec(compile(text, path, "exec"), vars(module))
    return module


def reason(error: BaseException) -> str:
    """The innermost message, without the excerpt of source text above it."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[-1].strip() if lines else ''}"
