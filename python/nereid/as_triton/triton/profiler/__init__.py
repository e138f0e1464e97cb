# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiling, of which there is none: scopes do nothing, as they do under Triton where no session was started, and
starting one says that there is none"""

import contextlib as _contextlib
import warnings as _warnings

DEFAULT_PROFILE_NAME = "proton"


def start(name=None, **options):
    _warnings.warn("triton.profiler: Nereid has no profiler; nothing is recorded and no file is written",
                   RuntimeWarning, stacklevel=2)


def _nothing(*_, **__):
    return None


activate = deactivate = finalize = enter_scope = exit_scope = enter_state = exit_state = _nothing


class _Scope(_contextlib.ContextDecorator):

    def __init__(self, name="", metrics=None):
        self.name, self.metrics = name, metrics

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


class scope(_Scope):
    """A named part of the program."""


class cpu_timed_scope(_Scope):
    """The same, with the host's time."""


class state(_Scope):
    """What the program is doing."""


def profile(function=None, **options):
    """Decorates a function whose calls would be a session."""
    if function is None:
        return lambda function: profile(function, **options)

    def call(*args, **kwargs):
        start()
        return function(*args, **kwargs)

    return call


from . import language
