import triton
import triton.language as tl


@triton.jit
def columns(x, y, stride, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.static_print("compiling")
    tl.store(y + i, tl.load(x + i * stride))


@triton.jit
def threads(x, y):
    i = tl.arange(0, 128)
    v = tl.inline_asm_elementwise("bfind.u32 $0, $1;", "=r,r", [tl.load(x + i)], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(y + i, v)
