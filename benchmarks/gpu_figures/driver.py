# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nereid's kernels of the texts that Triton gets (kernels.py), launched by the Python package as in any program."""

import time

import torch

from nereid import capture
from nereid.compare import meaning


class Kernel:
    """One kernel for its arguments. Calling it launches it on the stream that PyTorch uses."""

    def __init__(self, function, grid, arguments, constants, options):
        self._launch = meaning.ours(function)[grid]
        self._given = {name: meaning.argument(value) for name, value in (arguments | constants).items()} | options
        self()  # what does not compile, or does not fit, says so here

    def __call__(self):
        with capture.reading(meaning):  # names of the text are Triton's own
            self._launch(**self._given)


def cold(function, grid, arguments, constants, options):
    """Milliseconds of the first launch of a kernel that nothing is kept of (NEREID_CACHE=off)."""
    meaning.ours(function).device_caches.clear()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    Kernel(function, grid, arguments, constants, options)
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) * 1e3
