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
@triton.jit
def both(o):
    # Two results of one text that has an effect: it runs once for both.
    i = tl.arange(0, 128)
    old, lane = tl.inline_asm_elementwise("atom.global.add.u32 $0, [$2], 1; mov.u32 $1, %laneid;", "=r,=r,l",
                                          [o + i], (tl.int32, tl.int32), False, 1)
    tl.store(o + 128 + i, old + lane)


@triton.jit
def signal(o, x):
    # Where not all threads come by, nothing may wait for all of them.
    tl.store(o + tl.arange(0, 128), 1)
    if tl.inline_asm_elementwise("mov.u32 $0, %tid.x;", "=r", [], tl.int32, True, 1) < 8:
        tl.inline_asm_elementwise("red.release.gpu.global.add.u32 [$1], 1; // $0", "=r,l", [x], tl.int32, False, 1)
        tl.inline_asm_elementwise("{ wait: ld.acquire.gpu.global.u32 $0, [$1]; .reg .pred p; setp.lt.u32 p, $0, 8; "
                                  "@p bra wait; }", "=r,l", [x], tl.int32, False, 1)
    tl.store(o + 128, tl.load(x))


@triton.jit
def mistaken(o):
    i = tl.arange(0, 128)
    tl.store(o + i, i)
    tl.inline_asm_elementwise("mov.u32 $0, $1; mistake $0, $1;", "=r,r", [i], tl.int32, False, 1)


@triton.jit
def machine(o):
    i = tl.arange(0, tl.extra.cuda.num_threads())
    tl.store(o + i, tl.extra.cuda.smid() + tl.extra.cuda.num_warps())
    tl.store(o.to(tl.pointer_type(tl.int64)), tl.extra.cuda.globaltimer())


@triton.jit
def pointer(o):
    # A result that nobody wants has some type, and may be narrower than that.
    at = o + tl.arange(0, 128)
    tl.inline_asm_elementwise("red.global.add.u32 [$1], 1; // $0", "=r,l", [at], at.dtype, False, 1)


@triton.jit
def evil(o):
    i = tl.arange(0, 128)
    text: tl.constexpr = "mov.u32 $0, $1; ret;\n}\n.visible .entry evil() { ret;"
    tl.store(o + i, tl.inline_asm_elementwise(text, "=r,r", [i], tl.int32, True, 1))


@triton.jit
def cut(o):
    i = tl.arange(0, 128)
    tl.store(o + i, tl.inline_asm_elementwise("mov.u32 $0, $1; \x00 bra NOWHERE;", "=r,r", [i], tl.int32, True, 1))
