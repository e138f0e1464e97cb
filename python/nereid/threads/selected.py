# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which device a thread of the program has chosen."""

import functools
import threading

from .. import _native, driver, knobs


@functools.cache
def _gpu_count():
    return sum(name.startswith("cuda:") and not reason for name, _, reason in _native.devices())


def uses_gpu():
    """Whether arrays are made on a GPU, and kernels run there."""
    return not knobs.runtime.interpret and _gpu_count() > 0


class _Selected(threading.local):
    number = 0


_selected = _Selected()


def current_number():
    """Of the GPU that this thread chose; -1 for the host."""
    return _selected.number if uses_gpu() else -1


def opened(number=None):
    """A GPU, or else the current one, for the library."""
    return driver.open_device(f"cuda:{_selected.number if number is None else number}")
