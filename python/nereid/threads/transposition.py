# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numba.cuda.kernels.transpose: an array of the device with its two dimensions exchanged."""

from . import arrays
from .function import jit
from .names import of_cuda

_TILE = 16
_grid = of_cuda()["grid"]


@jit
def _turned(given, made):
    i, j = _grid(2)
    if i < made.shape[0] and j < made.shape[1]:
        made[i, j] = given[j, i]


def transpose(a, b=None):
    """In `b`, or else in a new array, which is given."""
    if a.ndim != 2:
        raise ValueError(f"an array of two dimensions is transposed, and this has {a.ndim}")
    made = arrays.device_array(a.shape[::-1], a.dtype) if b is None else b
    blocks = tuple(-(-extent // _TILE) for extent in made.shape)
    if all(blocks):
        _turned[blocks, (_TILE, _TILE)](a, made)
    return made
