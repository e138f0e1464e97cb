# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Where kernels wait for the launches before theirs.
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@triton.jit
def few(out, n):
    if tl.program_id(0) >= n:
        return
    tl.store(out + tl.program_id(0), n)


@triton.jit
def nothing(n):
    tl.program_id(0) + n


@triton.jit
def numbers(out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.rand(7, i))


@triton.jit
def loaded_by_author(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    read = tl.inline_asm_elementwise("ld.global.nc.b32 $0, [$1];", "=r,l", [x + i], tl.int32, is_pure=True, pack=1)
    tl.store(out + i, read)


@triton.jit
def loaded_in_rounds(x, out, rounds, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = i
    for k in range(rounds):
        total += tl.inline_asm_elementwise("ld.global.nc.b32 $0, [$1];", "=r,l", [x + i + k], tl.int32, is_pure=True, pack=1)
    tl.store(out + i, total)


@triton.jit
def awaited_by_author(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    read = tl.load(x + i)
    tl.extra.cuda.gdc_wait()
    tl.store(out + i, read)
    tl.extra.cuda.gdc_launch_dependents()


@triton.jit
def product(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for at in range(0, K, BK):
        total = tl.dot(tl.load(a + i[:, None] * K + (at + k)[None, :]), tl.load(b + (at + k)[:, None] * BN + j[None, :]), total)
    tl.store(c + i[:, None] * BN + j[None, :], total)
