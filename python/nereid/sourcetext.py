# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The texts that kernels are made of."""

import inspect
import re
import textwrap

_DEF = re.compile(r"^(?:async\s+)?def\s+\w+\s*[\[(]", re.MULTILINE)


class SourceText:
    """The text of a function, from its `def` on and not indented, and where it lies."""

    def __init__(self, fn):
        try:
            self.lines, self.starting_line = inspect.getsourcelines(fn)
        except OSError as error:
            raise ValueError("@jit functions should be defined in a Python file") from error
        text = textwrap.dedent("".join(self.lines))
        start = _DEF.search(text)
        if start is None:
            raise ValueError(f"no 'def' is found in the source of '{fn.__qualname__}'")
        self.src = text[start.start():]
        self.first_line = self.starting_line + text[:start.start()].count("\n")
        self.file = inspect.getsourcefile(fn) or fn.__code__.co_filename

    def replaced(self, text):
        other = object.__new__(SourceText)
        other.__dict__.update(self.__dict__)
        other.src = text
        return other
