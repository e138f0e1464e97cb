# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Pointers that go round: a branch says by how much they move, so that a loop carries the tile of them.
import triton
import triton.language as tl


@triton.jit
def go_round(x_ptr, w_ptr, y_ptr, stride_m, stride_n, wide, N, M: tl.constexpr, B: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, B)
    x = tl.load(x_ptr + rows[:, None] * B + columns[None, :])
    w_at = w_ptr + columns[:, None] * wide + columns[None, :]
    y_at = y_ptr + rows[:, None] * stride_m + columns[None, :] * stride_n
    at = tl.program_id(0) % tl.cdiv(N, B)
    w_at += at * B
    y_at += at * B * stride_n
    for _ in range(tl.cdiv(N, B)):
        tl.atomic_add(y_at, tl.dot(x, tl.load(w_at)).to(tl.float16), sem="relaxed")
        at += 1
        if at >= tl.cdiv(N, B):
            at = 0
            w_at -= B * (tl.cdiv(N, B) - 1)
            y_at -= B * stride_n * (tl.cdiv(N, B) - 1)
        else:
            w_at += B
            y_at += B * stride_n
