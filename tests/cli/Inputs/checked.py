import triton
import triton.language as tl


@triton.jit
def promise(x, out, start):
    i = tl.arange(0, 16)

    at = tl.multiple_of(start + i, 16)
    tl.store(out + i, tl.load(x + at))


@triton.jit
def put(out, i):
    tl.store(out + i, i * tl.program_id(0))

@triton.jit
def race(out):
    first = tl.program_id(0) * 32 + tl.arange(0, 64)
    put(out, first)


@triton.jit
def commands(out):
    c = tl.load(out).to(tl.int32) + 7
    tl.store(out, c)


@triton.jit
def both(x, out, start):
    i = tl.arange(0, 16)
    at = tl.multiple_of(start + i, 16)
    tl.store(out + i + 1, tl.load(x + at))
