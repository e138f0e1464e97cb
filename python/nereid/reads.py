# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel reads of Python: where each value was found and what it was, so that a launch sees when it is another.
The dispatcher compares them at each launch; what is here decides where that finds a difference."""

import enum
import functools
import threading
import types

from . import _native
from .language.constants import unwrap
from .language.dtypes import dtype
from .wording import printable

# Held while names are looked up: functions and classes may name each other, so that they are known before they are
# explained, which no other thread must see.
explaining = threading.RLock()

_KINDS = (bool, int, float, str, dtype, enum.Enum)  # the first that a value is of counts


def is_constant(value, kinds=(tuple, list)):
    """Whether a value is part of a kernel by itself: functions and modules have their own ways. `kinds` may hold
    others."""
    value = unwrap(value)
    if isinstance(value, kinds):
        return all(is_constant(element, kinds) for element in value)
    return value is None or isinstance(value, _KINDS)


def frozen(value):
    """Stays as it is when lists change."""
    value = unwrap(value)
    if isinstance(value, (tuple, list)):
        elements = tuple(map(frozen, value))
        is_same = type(value) is tuple and all(map(lambda one, other: one is other, elements, value))
        return value if is_same else elements
    return value


class Missing:
    """Stands for a name that means nothing."""

    def __repr__(self):
        return "nothing"


MISSING = Missing()


class Read:
    """A value that was read: the entry `keys[0]` of a dictionary (or of what else has entries), or its attribute for
    any other container, and then attribute by attribute; without keys, the contents of the container itself."""

    __slots__ = ("container", "keys", "expected", "name", "is_refused", "is_of_text", "has_entries")

    def __init__(self, container, keys, expected, name, is_refused=False, is_of_text=False):
        self.container, self.keys, self.name, self.is_of_text = container, keys, name, is_of_text
        self.has_entries = isinstance(container, (dict, types.MappingProxyType)) and bool(keys)
        self.expected = expected
        # Whether a launch that finds another constant there is an error. Otherwise all is looked up again.
        self.is_refused = is_refused
        # `is_of_text`: read by the text of a kernel, for which all that no kernel can use is the same.

    def native(self, notice):
        """As the dispatcher takes it, which calls `notice` where something else is found."""
        return self.container, self.keys, self.has_entries, [] if self.expected is MISSING else [self.expected], notice

    @property
    def place(self):
        """Equal for reads of the same."""
        return id(self.container), self.keys

    def now(self):
        value, keys = self.container, self.keys
        if self.has_entries:
            if keys[0] not in value:
                return MISSING
            value, keys = value[keys[0]], keys[1:]
        for key in keys:
            try:
                value = getattr(value, key)
            except (AttributeError, ValueError):  # an empty cell has no contents
                return MISSING
        return value

    def is_as_before(self, now):
        return _is_same(now, self.expected) or self.is_of_text and _is_useless(now) and _is_useless(self.expected)


def _is_same(now, before):
    now, before = unwrap(now), unwrap(before)
    if now is before:
        return True
    if isinstance(before, (tuple, list)):
        return isinstance(now, (tuple, list)) and len(now) == len(before) and all(map(_is_same, now, before))
    for kind in _KINDS:
        if isinstance(before, kind) or isinstance(now, kind):
            return isinstance(before, kind) and isinstance(now, kind) and _is_equal(now, before)
    if isinstance(before, dict) and isinstance(now, dict):
        return now.keys() == before.keys() and all(_is_same(now[key], before[key]) for key in before)
    if isinstance(before, (set, frozenset)) and isinstance(now, (set, frozenset)):
        return now == before
    if isinstance(before, types.MethodType) and isinstance(now, types.MethodType):
        return now.__func__ is before.__func__ and now.__self__ is before.__self__
    return False


_meaning: list = []


def ask_for_meanings(to_native):
    """Says what values are to the compiler: capture.py, which is made of what is here."""
    _meaning[:] = [to_native]


def _is_useless(value):
    """Whether no kernel can use it, of which there may be a new one whenever an attribute is asked for."""
    return value is not MISSING and not hasattr(type(value), "_native_value") and isinstance(
        _meaning[0](value), _native.Foreign)


def _is_equal(now, before):
    if isinstance(before, float):
        return now.hex() == before.hex()  # zeros have signs, and NaN is no other
    if type(before).__module__ != "builtins" and isinstance(before, enum.Enum):
        return (now.name, now.value) == (before.name, before.value)
    return bool(now == before)


class _Looking(threading.local):
    callees = None  # of the function whose names are being looked up


looking = _Looking()


class Reader:
    """What is made of what names mean: a function's text, or a class of tuples with names. `_reads` is what it reads by
    itself, `_callees` the readers that it names."""

    def __init__(self):
        self._reads, self._callees = [], []

    def _note(self):
        """For the function whose names are being looked up."""
        if looking.callees is not None:
            looking.callees.append(self)

    def _forget(self):
        """What was made: it is made anew when it is needed."""

    def _reached(self):
        """It and all that it names, and so on."""
        seen, readers, reached = set(), [self], []
        while readers:
            reader = readers.pop()
            if id(reader) not in seen:
                seen.add(id(reader))
                reached.append(reader)
                readers += reader._callees
        return reached

    def _reached_reads(self):
        """All their reads: of each place one for each value that was found there."""
        found = {}
        for reader in self._reached():
            for read in reader._reads:
                found.setdefault((read.place, id(read.expected)), read)
        return list(found.values())

    def _watched(self):
        """As the dispatcher takes them, which calls back where one is not what it was."""
        return [read.native(functools.partial(self._changed, read)) for read in self._reached_reads()]

    def _require_current(self, *message):
        for read in self._reached_reads():
            self._changed(read, *message)

    def _changed(self, read, message="has changed since we compiled this kernel, from {before} to {now}"):
        """What was read may be another: of constants that is an error, on which programs count, and all else is looked
        up again."""
        now, before = read.now(), read.expected
        if read.is_as_before(now):
            return
        if read.is_refused and (now is MISSING or is_constant(now)):
            raise RuntimeError(printable(f"{read.name} {message.format(before=before, now=unwrap(now))}"))
        with explaining:
            for reader in self._reached():
                reader._forget()
            _native.forget_functions()
