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
