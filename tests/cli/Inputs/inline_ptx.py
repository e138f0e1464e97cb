# Instructions of PTX that are not understood: text for a GPU's own assembler.
import triton
import triton.language as tl


@triton.jit
def threads(o):
    i = tl.arange(0, 128)
    tl.store(o + i, tl.inline_asm_elementwise("mov.u32 $0, %tid.x;", "=r,r", [i], tl.int32, True, 1))


@triton.jit
def branches(x, o):
    i = tl.arange(0, 128)
    text: tl.constexpr = """
    {
        .reg .pred p;
        setp.gt.f32 p, $1, 0f00000000;
        @p bra POSITIVE;
        neg.f32 $0, $1;
        bra END;
    POSITIVE:
        mov.f32 $0, $1;
    END:
    }
    """
    y = tl.inline_asm_elementwise(text, "=f,f", [tl.load(x + i)], tl.float32, True, 1)
    tl.store(o + i, y)


@triton.jit
def narrow(x, o):
    # Two numbers of four bits in a byte, eight in a register.
    i = tl.arange(0, 1024)
    text: tl.constexpr = """
    {
        .reg .b8 low, high;
        .reg .b16 both;
        cvt.rn.satfinite.e2m1x2.f32 low, $2, $1;
        cvt.rn.satfinite.e2m1x2.f32 high, $4, $3;
        mov.b16 both, {low, high};
        cvt.u32.u16 $0, both;
    }
    """
    y = tl.inline_asm_elementwise(text, "=r,f,f,f,f", [tl.load(x + i)], tl.int8, True, 4)
    tl.store(o + i, y)


@triton.jit
def writes(o):
    i = tl.arange(0, 128)
    text: tl.constexpr = "mov.u32 $0, %laneid; st.global.u32 [$1], $0;"
    tl.inline_asm_elementwise(text, "=r,l", [o + i], tl.int32, False, 1)


@triton.jit
def names(o):
    i = tl.arange(0, 128)
    tl.store(o + i, tl.inline_asm_elementwise("mov.u32 $0, %tid.x, $7;", "=r,r", [i], tl.int32, True, 1))


@triton.jit
def amd(o):
    i = tl.arange(0, 128)
    tl.store(o + i, tl.inline_asm_elementwise("v_add_u32 $0, $1, $1", "=v,v", [i], tl.int32, True, 1))


@triton.jit
def constants(o):
    # The second operand is written into the text, and the third is what `$2` becomes.
    i = tl.arange(0, 128)
    text: tl.constexpr = "shfl.sync.bfly.b32 $0, $2, $1, 0x1f, 0xffffffff;"
    tl.store(o + i, tl.inline_asm_elementwise(text, "=r,n,r", [1, i], tl.int32, True, 1))


@triton.jit
def four_bits(o, first, step):
    # To four bits and back: the value of each.
    i = tl.arange(0, 4)
    text: tl.constexpr = """
    {
        .reg .b8 both;
        cvt.rn.satfinite.e2m1x2.f32 both, $2, $1;
        cvt.rn.f16x2.e2m1x2 $0, both;
    }
    """
    y = tl.inline_asm_elementwise(text, "=r,f,f", [first + i * step], tl.float16, True, 2)
    tl.store(o + i, y.to(tl.float32))
