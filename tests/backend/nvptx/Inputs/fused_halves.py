import triton
import triton.language as tl


@triton.jit
def fused(x, y, z, out, N: tl.constexpr):
    offs = tl.arange(0, N)
    # The first sum lies a little below the middle of two numbers: as float32 it is that middle.
    a = tl.where(offs == 0, 0.0004887580871582031, tl.load(x + offs)).to(tl.float16)
    b = tl.where(offs == 0, 0.9990234375, tl.load(y + offs)).to(tl.float16)
    c = tl.where(offs == 0, 1.0009765625, tl.load(z + offs)).to(tl.float16)
    tl.store(out + offs, tl.fma(a, b, c))


@triton.jit
def fused_pairs(x, y, z, out, N: tl.constexpr):
    offs = tl.arange(0, N)
    # Of any bits, but for those of infinities and NaNs.
    u = tl.load(x + offs) * 1640531527 & 0x3BFF3BFF
    v = tl.load(y + offs) * 1640531527 & 0x3BFF3BFF
    w = tl.load(z + offs) * 1640531527 & 0x3BFF3BFF
    tl.store(out + offs, tl.inline_asm_elementwise("fma.rn.f16x2 $0, $1, $2, $3;", "=r,r,r,r", [u, v, w],
                                                   dtype=tl.int32, is_pure=True, pack=1))


@triton.jit
def turned(x, y, c, s, out, N: tl.constexpr):
    """Pairs by a cosine and a sine."""
    offs = tl.arange(0, N)
    a, b = tl.load(x + offs).to(tl.bfloat16), tl.load(y + offs).to(tl.bfloat16)
    cosine, sine = tl.load(c + offs).to(tl.bfloat16), tl.load(s + offs).to(tl.bfloat16)
    tl.store(out + offs, a * cosine - b * sine)
    tl.store(out + N + offs, b * cosine + a * sine)


@triton.jit
def rounded_once(x, y, out, N: tl.constexpr):
    """Products and sums alone: each bit is that of what float32 computes and rounds."""
    offs = tl.arange(0, N)
    a, b = tl.load(x + offs).to(tl.bfloat16), tl.load(y + offs).to(tl.bfloat16)
    large = tl.where(offs % 5 == 0, 1e30, 1.0).to(tl.bfloat16)
    tl.store(out + offs, a * b)
    tl.store(out + N + offs, a + b)
    tl.store(out + 2 * N + offs, a - 1.2e-38 * large)
    tl.store(out + 3 * N + offs, tl.exp(a.to(tl.float32)).to(tl.bfloat16) - b)
    tl.store(out + 4 * N + offs, (a * 1e-36) * 1e-4)
    tl.store(out + 5 * N + offs, (b * large) * large)


@triton.jit
def widened_products(x, y, out, N: tl.constexpr):
    """What is rounded to bf16 on its way to float32 alone."""
    offs = tl.arange(0, N)
    tl.store(out + offs, (tl.load(x + offs).to(tl.bfloat16) * tl.load(y + offs).to(tl.bfloat16)).to(tl.float32))


@triton.jit
def same_nan(x):
    return tl.where(x != x, 0x7FFF, x.to(tl.int16, bitcast=True))


@triton.jit
def of_any_bits(x, y, out, N: tl.constexpr):
    """Infinities, numbers that are none, zeros of either sign and the smallest there are among them."""
    offs = tl.arange(0, N)
    a = (tl.load(x + offs) * 40503).to(tl.int16).to(tl.bfloat16, bitcast=True)
    b = (tl.load(y + offs) * 30011 + offs * 77).to(tl.int16).to(tl.bfloat16, bitcast=True)
    small = (tl.load(y + offs) * 40503 & 0x80FF).to(tl.int16).to(tl.bfloat16, bitcast=True)
    half = (tl.load(x + offs) * 30011 & 0x83FF | 0x1F00).to(tl.int16).to(tl.bfloat16, bitcast=True)
    other = (tl.load(y + offs) * 30011 & 0x83FF | 0x2000).to(tl.int16).to(tl.bfloat16, bitcast=True)
    tl.store(out + offs, same_nan(a + b))
    tl.store(out + N + offs, same_nan(a - b))
    tl.store(out + 2 * N + offs, same_nan(a * b))
    tl.store(out + 3 * N + offs, same_nan((a * b + a) * (b - a) - 0.5))
    tl.store(out + 4 * N + offs, same_nan(-(a * b) + (a + b).to(tl.float32).to(tl.bfloat16)))
    tl.store(out + 5 * N + offs, same_nan(small - b))
    tl.store(out + 6 * N + offs, same_nan(small + small * half))
    tl.store(out + 7 * N + offs, same_nan(half * other))


@triton.jit
def larger_or_nan(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def smaller_or_nan(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def extremes(x, out, whole, KIND: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """Of floats of any bits, along rows, and the largest magnitude of all."""
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    bits = ((tl.load(x + at) + at * 100) * 1640531527 >> 11).to(tl.int16)
    if KIND == 0:
        narrow = bits.to(tl.float16, bitcast=True)
    else:
        narrow = bits.to(tl.bfloat16, bitcast=True)
    v = narrow.to(tl.float32)
    row = out + tl.arange(0, M)
    tl.store(row, tl.max(v, 1))
    tl.store(row + M, tl.min(v, 1))
    tl.store(row + 2 * M, tl.max(tl.abs(v), 1))
    tl.store(row + 3 * M, tl.min(tl.abs(narrow).to(tl.float32), 1))
    tl.store(row + 4 * M, tl.reduce(v, 1, larger_or_nan))
    tl.store(row + 5 * M, tl.reduce(v, 1, smaller_or_nan))
    tl.store(row + 6 * M, tl.reduce(tl.abs(v), 1, larger_or_nan))
    tl.store(row + 7 * M, tl.reduce(tl.abs(v), 1, smaller_or_nan))
    tl.store(row + 8 * M, tl.max(narrow, 1).to(tl.float32))
    tl.store(whole, tl.max(tl.abs(v)))


@triton.jit
def scaled_by_largest(x, scales, out, M: tl.constexpr, N: tl.constexpr):
    """What is held while the largest of a row is looked for is not yet widened."""
    row = tl.arange(0, M)
    at = row[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(v), 1), 1e-4) / 127
    tl.store(scales + row, scale)
    tl.store(out + at, (v / scale[:, None]).to(tl.int8))
