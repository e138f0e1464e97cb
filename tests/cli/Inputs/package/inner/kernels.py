import triton
import triton.language as tl

import aside_lib as lib
import package.inner.ops as ops
from package.missing import nothing
from .. import SCALE, constants
from ..circle import around
from .ops import double


@triton.jit
def scale(p, BLOCK: tl.constexpr = 2 + 6 if True else 1):
    i = tl.arange(0, BLOCK)
    tl.store(p + i, ops.exp(double(tl.load(p + i)) - 2) * SCALE)


@triton.jit
def aside(p):
    tl.store(p, lib.THREE)


@triton.jit
def fast(p):
    if constants.IS_FAST:
        tl.store(p, 5.0)
    else:
        tl.store(p, 6.0)


@triton.jit
def devices(p):
    tl.store(p, constants.DEVICES)


@triton.jit
def choose(p):
    tl.store(p, ops.chosen(p))


@triton.jit
def missing(p):
    tl.store(p, nothing)


@triton.jit
def circle(p):
    tl.store(p, around)


@triton.jit
def raising(p):
    tl.store(p, ops.raising(p))


@triton.jit
def inside(p):
    tl.store(p, 8.0 if torch.version.hip is None else 7.0)
