# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong, as exceptions. The native module asks `from_native` which one it is."""

import weakref

from .wording import cause_of, lacking, printable

MOST_LINES = 12  # of a kernel's text in a message


class TritonError(Exception):
    """The root of all that compiling and launching kernels raises."""


class CompilationError(TritonError):
    """A mistake in a kernel's text. `src` is the text of the function, `lineno` and `col_offset` count
    its lines from 1 and its columns from 0; 0 lines stand for no place."""

    source_line_count_max_in_message = MOST_LINES

    def __init__(self, src, node, error_message=None):
        self.src = src
        self.node = node
        self.error_message = error_message
        self.message = self._format_message()
        super().__init__(self.message)

    def _format_message(self):
        line, column = getattr(self.node, "lineno", 0), getattr(self.node, "col_offset", 0)
        if not line or self.src is None:
            return printable(self.error_message or "")
        lines = self.src.split("\n")[:line][-self.source_line_count_max_in_message:]
        before = len(printable(lines[-1][:column])) if lines else column
        message = "\n".join([f"at {line}:{column}:", *map(printable, lines), " " * max(before, column) + "^"])
        return message + ("\n" + printable(self.error_message) if self.error_message else "")

    def __str__(self):
        return self.message

    def __reduce__(self):
        return type(self), (self.src, Location(self.node), self.error_message)


class Location:
    """A place in a kernel's text that outlives what it was taken from."""

    def __init__(self, node=None, lineno=0, col_offset=0):
        self.lineno = getattr(node, "lineno", lineno)
        self.col_offset = getattr(node, "col_offset", col_offset)


class CompileTimeAssertionFailure(CompilationError):
    """A tl.static_assert that does not hold."""


class UnsupportedLanguageConstruct(CompilationError):
    """Python that no kernel can be written in."""


class InterpreterError(TritonError):
    """What the checked executor found a kernel doing wrong."""

    def __init__(self, error_message=None):
        self.error_message = error_message
        super().__init__(error_message)

    def __str__(self):
        return self.error_message or ""


class OutOfResources(TritonError):
    """The device has too little of something that the kernel needs."""

    def __init__(self, required, limit, name):
        self.required, self.limit, self.name = required, limit, name
        super().__init__(required, limit, name)

    def __str__(self):
        return (f"out of resource: {self.name}, Required: {self.required}, Hardware limit: {self.limit}. "
                "Reducing block sizes or `num_stages` may help.")


class PTXASError(TritonError):
    """The assembler refused what the compiler made."""

    def __init__(self, error_message=None):
        self.error_message = error_message
        super().__init__(error_message)

    def __str__(self):
        return f"PTXAS error: {self.error_message or ''}"


class AutotunerError(TritonError):
    """No configuration could be tuned."""

    def __init__(self, error_message=None):
        self.error_message = error_message
        super().__init__(error_message)

    def __str__(self):
        return f"Autotuner error: {printable(self.error_message or '')}"


class NereidError(TritonError, RuntimeError):
    """What is no matter of a kernel's text: the message says what failed."""


class NotSupported(TritonError, NotImplementedError):
    """What Triton has and Nereid has not, where a program uses it."""


# The texts of functions that were handed to the compiler, to show places in.
_texts: weakref.WeakSet = weakref.WeakSet()


def remember(text):
    """`text` has `file`, `first_line` and `src`, whose first line that is."""
    _texts.add(text)


def _text_at(file, line):
    for text in _texts:
        if text.file == file and 0 <= line - text.first_line < text.src.count("\n") + 1:
            return text
    return None


_CLASSES = {
    "static_assert_failed": CompileTimeAssertionFailure,
    "unsupported_syntax": UnsupportedLanguageConstruct,
}


def _at(place, message, kind=CompilationError):
    file, line, column = place
    text = _text_at(file, line)
    if text is None:
        where = f"{file}:{line}:{column}: " if file else ""
        return kind(None, None, where + message)
    return kind(text.src, Location(lineno=line - text.first_line + 1, col_offset=column - 1), message)


def from_native(kind, message, findings):
    """The exception for an error of the library: its kind, its whole report and its findings, each a tuple
    (id, text, place, notes, calls) with places (file, line, column)."""
    if kind == "checked" and findings:
        return InterpreterError(message)
    is_of_device = kind == "environment" or any(identity == "block_too_large" for identity, *_ in findings)
    if is_of_device and (lack := lacking(message)):
        return OutOfResources(*lack)
    if kind != "source" or not findings:
        return NereidError(message)
    identity, text, place, notes, calls = findings[0]
    for note, at in notes:
        text += f"\nnote: {note}" + (f" ({at[0]}:{at[1]})" if at[0] else "")
    cause = cause_of(identity, findings[0][1])
    if cause is not None:
        text += f"\n{cause}" if isinstance(cause, str) else f"\n{cause!r}"
    error = _at(place, text, _CLASSES.get(identity, CompilationError))
    error.__cause__ = cause if isinstance(cause, Exception) else None
    for call in calls:  # each caller's place, with what it led to as the cause
        outer = _at(call, text if not isinstance(error, CompileTimeAssertionFailure) else "", type(error))
        outer.__cause__ = error
        error = outer
    return error
