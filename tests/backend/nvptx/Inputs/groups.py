# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Products of which each has a size of its own, which stands in memory, like its strides and where its factors begin.
import triton
import triton.language as tl


@triton.jit
def by_descriptors(a, b, c, sizes, ones, groups, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr,
                   FOUND: tl.constexpr):
    """Sizes from 0 to 99. FOUND: the arrays' addresses are numbers."""
    tile = tl.program_id(0)
    end = 0
    for g in range(groups):
        m = tl.load(sizes + g * 3)
        n = tl.load(sizes + g * 3 + 1)
        k = tl.load(sizes + g * 3 + 2)
        tiles_along = tl.cdiv(n, N)
        tiles = tl.cdiv(m, M) * tiles_along
        if tile >= end and tile < end + tiles:
            stride = tl.load(ones + g) * 104
            first = tl.load(ones + g) * g * 10400
            left, right, sums = a + first, b + first, c + first
            if FOUND:
                left = left.to(tl.int64).to(tl.pointer_type(tl.float16))
                right = right.to(tl.int64).to(tl.pointer_type(tl.float16))
                sums = sums.to(tl.int64).to(tl.pointer_type(tl.float16))
            lefts = tl.make_tensor_descriptor(left, shape=[m, k], strides=[stride, 1], block_shape=[M, D])
            rights = tl.make_tensor_descriptor(right, shape=[n, k], strides=[stride, 1], block_shape=[N, D])
            results = tl.make_tensor_descriptor(sums, shape=[m, n], strides=[stride, 1], block_shape=[M, N])
            while tile >= end and tile < end + tiles:
                row = (tile - end) // tiles_along * M
                column = (tile - end) % tiles_along * N
                sum = tl.zeros((M, N), tl.float32)
                for d in range(0, tl.cdiv(k, D)):
                    x = lefts.load([row, d * D])
                    y = rights.load([column, d * D])
                    sum += tl.dot(x, y.T)
                results.store([row, column], sum.to(tl.float16))
                tile += tl.num_programs(0)
        end += tiles


@triton.jit
def by_pointers(a, b, c, sizes, ones, groups, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """The same, whose rows end anywhere; the right factors lie by columns."""
    tile = tl.program_id(0)
    end = 0
    for g in range(groups):
        m = tl.load(sizes + g * 3)
        n = tl.load(sizes + g * 3 + 1)
        k = tl.load(sizes + g * 3 + 2)
        tiles_along = tl.cdiv(n, N)
        tiles = tl.cdiv(m, M) * tiles_along
        while tile >= end and tile < end + tiles:
            stride = tl.load(ones + g) * 104
            first = tl.load(ones + g) * g * 10400
            rows = (tile - end) // tiles_along * M + tl.arange(0, M)
            columns = (tile - end) % tiles_along * N + tl.arange(0, N)
            depth = tl.arange(0, D)
            left = a + first + rows[:, None] * stride + depth[None, :]
            right = b + first + depth[:, None] * stride + columns[None, :]
            sum = tl.zeros((M, N), tl.float32)
            for d in range(0, tl.cdiv(k, D)):
                ends = depth < k - d * D
                x = tl.load(left, mask=(rows < m)[:, None] & ends[None, :], other=0.0)
                y = tl.load(right, mask=ends[:, None] & (columns <= n - 1)[None, :], other=0.0)
                sum += tl.dot(x, y)
                left += D
                right += D * stride
            inside = (rows < m)[:, None] & (columns < n)[None, :]
            tl.store(c + first + rows[:, None] * stride + columns[None, :], sum.to(tl.float16), mask=inside)
            tile += tl.num_programs(0)
        end += tiles


@triton.jit
def heads(a, b, c, K, HEADS, N: tl.constexpr, M: tl.constexpr, D: tl.constexpr):
    """A head's 20 columns begin at multiples of 8 bytes, and the first one's of 16."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    total = tl.zeros((M, N), tl.float32)
    for head in range(0, HEADS):
        left = tl.load(a + m[:, None] * 80 + head * 20 + k[None, :], mask=k[None, :] < K, other=0.0)
        right = tl.load(b + (head * 20 + k)[:, None] * N + n[None, :], mask=k[:, None] < K, other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + m[:, None] * N + n[None, :], total)


@triton.jit
def between(a, b, c, K, first, N: tl.constexpr, M: tl.constexpr, D: tl.constexpr):
    """Columns from `first` on, as one comparison of numbers without sign: it is false, and then true."""
    m, n = tl.arange(0, M), tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, K, D):
        k = start + tl.arange(0, D)
        inside = (k - first).to(tl.uint32) < (K - first).to(tl.uint32)
        left = tl.load(a + m[:, None] * 80 + k[None, :], mask=inside[None, :], other=0.0)
        right = tl.load(b + k[:, None] * N + n[None, :], mask=k[:, None] < K, other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + m[:, None] * N + n[None, :], total)


@triton.jit
def from_anywhere(a, b, c, places, ones, STRIDE: tl.constexpr, MASKED: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
                  D: tl.constexpr):
    """Where results begin, how far apart their rows are and where these end stands in memory."""
    m, n, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    first = tl.load(places + tl.program_id(0))
    sum = tl.dot(tl.load(a + m[:, None] * D + d[None, :]), tl.load(b + d[:, None] * N + n[None, :]))
    stride = tl.load(ones) * STRIDE
    at = (c + first).to(tl.int64).to(tl.pointer_type(tl.float16)) + m[:, None] * stride + n[None, :]
    if MASKED:
        tl.store(at, sum.to(tl.float16), mask=(m < first)[:, None] & (n < first)[None, :])
    else:
        tl.store(at, sum.to(tl.float16))
