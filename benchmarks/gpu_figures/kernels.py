# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What both compilers get: one text.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def copy(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@triton.jit
def silu(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    value = tl.load(x + i, mask=mask)
    tl.store(out + i, value / (1 + tl.exp(-value)), mask=mask)


# Eight values of a function for each element, so that it is what takes the time. The order is cases.FUNCTIONS'.
@triton.jit
def functions(x, out, n, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=1.0)
    total = value * 0
    for step in tl.static_range(8):
        argument = value * (1 + step * 0.125)
        if FUNCTION == 0:
            total += tl.erf(argument)
        elif FUNCTION == 1:
            total += libdevice.tanh(argument)
        elif FUNCTION == 2:
            total += tl.sin(argument)
        elif FUNCTION == 3:
            total += tl.cos(argument)
        elif FUNCTION == 4:
            total += tl.log(argument)
        elif FUNCTION == 5:
            total += tl.exp(argument)
        elif FUNCTION == 6:
            total += libdevice.erfc(argument)
        elif FUNCTION == 7:
            total += libdevice.log1p(argument)
        elif FUNCTION == 8:
            total += libdevice.expm1(argument)
        elif FUNCTION == 9:
            total += libdevice.atan(argument)
        else:
            total += libdevice.pow(argument, value)
    tl.store(out + i, total, mask=i < n)


@triton.jit
def dot(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    products = tl.load(x + i, mask=mask, other=0.0) * tl.load(y + i, mask=mask, other=0.0)
    tl.atomic_add(out, tl.sum(products))


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    i = tl.arange(0, BLOCK)
    value = tl.load(x + row + i, mask=i < columns, other=-float("inf"))
    power = tl.exp(value - tl.max(value, 0))
    tl.store(out + row + i, power / tl.sum(power, 0), mask=i < columns)


@triton.jit
def layer_norm(x, weight, bias, out, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    i = tl.arange(0, BLOCK)
    mask = i < columns
    value = tl.load(x + row + i, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(value, 0) / columns
    centred = tl.where(mask, value - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, 0) / columns + epsilon)
    result = centred * scale * tl.load(weight + i, mask=mask) + tl.load(bias + i, mask=mask)
    tl.store(out + row + i, result.to(tl.float16), mask=mask)


@triton.jit
def rms_norm(x, weight, out, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    i = tl.arange(0, BLOCK)
    mask = i < columns
    value = tl.load(x + row + i, mask=mask, other=0.0).to(tl.float32)
    scale = 1 / tl.sqrt(tl.sum(value * value, 0) / columns + epsilon)
    tl.store(out + row + i, (value * scale * tl.load(weight + i, mask=mask)).to(tl.float16), mask=mask)


@triton.jit
def transpose(x, out, rows, columns, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = (i[:, None] < rows) & (j[None, :] < columns)
    tile = tl.load(x + i[:, None] * columns + j[None, :], mask=mask)
    tl.store(out + j[:, None] * rows + i[None, :], tl.trans(tile), mask=tl.trans(mask))


@triton.jit
def cross_entropy(logits, targets, losses, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    first = logits + row.to(tl.int64) * columns
    i = tl.arange(0, BLOCK)
    value = tl.load(first + i, mask=i < columns, other=-float("inf"))
    most = tl.max(value, 0)
    total = tl.log(tl.sum(tl.exp(value - most), 0))
    tl.store(losses + row, total + most - tl.load(first + tl.load(targets + row)))


@triton.jit
def gather(table, index, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    source = tl.load(index + row).to(tl.int64)
    i = tl.arange(0, BLOCK)
    value = tl.load(table + source * columns + i, mask=i < columns)
    tl.store(out + row.to(tl.int64) * columns + i, value, mask=i < columns)


@triton.jit
def matmul(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn, BLOCK_M: tl.constexpr,
           BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr, SUM: tl.constexpr, OUT: tl.constexpr,
           GELU: tl.constexpr = False):
    # Programs that run together share rows of one factor and columns of the other: GROUP tiles of rows at a time.
    rows, columns = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    group = tl.program_id(0) // (GROUP * columns)
    height = min(rows - group * GROUP, GROUP)
    inside = tl.program_id(0) % (GROUP * columns)
    i = ((group * GROUP + inside % height) * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    j = (inside // height * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    k = tl.arange(0, BLOCK_K)
    a_tile = a + i[:, None] * stride_am + k[None, :] * stride_ak
    b_tile = b + k[:, None] * stride_bk + j[None, :] * stride_bn
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=SUM)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        left = tl.load(a_tile, mask=k[None, :] < K - step * BLOCK_K, other=0.0)
        right = tl.load(b_tile, mask=k[:, None] < K - step * BLOCK_K, other=0.0)
        total = tl.dot(left.to(right.dtype), right, total, out_dtype=SUM)
        a_tile += BLOCK_K * stride_ak
        b_tile += BLOCK_K * stride_bk
    i = (group * GROUP + inside % height) * BLOCK_M + tl.arange(0, BLOCK_M)
    j = inside // height * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (i[:, None] < M) & (j[None, :] < N)
    if GELU:
        total = 0.5 * total * (1 + tl.erf(total * 0.7071067811865476))
    tl.store(c + i[:, None] * stride_cm + j[None, :] * stride_cn, total.to(OUT), mask=mask)


@triton.jit
def matmul_scaled(a, b, c, a_scales, b_scales, experts, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  BLOCK_K: tl.constexpr, GROUP: tl.constexpr, BY_BLOCKS: tl.constexpr):
    """Eight-bit floats: `a` (M, K) times each of `b` (experts, N, K) turned, with `a_scales` (M) and `b_scales` (N), or BY_BLOCKS with
    `a_scales` (K / 128, M) and `b_scales` (experts, N / 128, K / 128), BLOCK_N at most 256 and BLOCK_K 128. `experts`
    (M / 128) says whose the rows are, in blocks of 128, and BLOCK_M is no more; without it there is one."""
    rows, columns = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    group = tl.program_id(0) // (GROUP * columns)
    height = min(rows - group * GROUP, GROUP)
    inside = tl.program_id(0) % (GROUP * columns)
    first_row = (group * GROUP + inside % height) * BLOCK_M
    first_column = inside // height * BLOCK_N
    if experts is not None:
        expert = tl.load(experts + first_row // 128)
        b += expert.to(tl.int64) * N * K
        b_scales += expert * (N // 128) * (K // 128)
    i, j, k = first_row + tl.arange(0, BLOCK_M), first_column + tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    a_tile = a + (i % M)[:, None] * K + k[None, :]
    b_tile = b + k[:, None] + (j % N)[None, :] * K
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        left = tl.load(a_tile, mask=k[None, :] < K - step * BLOCK_K, other=0.0)
        right = tl.load(b_tile, mask=k[:, None] < K - step * BLOCK_K, other=0.0)
        if BY_BLOCKS:
            left_scale = tl.load(a_scales + step * M + i % M)
            right_scale = tl.load(b_scales + first_column // 128 * (K // 128) + step)
            if BLOCK_N == 256:  # a scale for either half of the columns
                other_scale = tl.load(b_scales + (first_column // 128 + 1) * (K // 128) + step)
                right_scale = tl.where(tl.arange(0, BLOCK_N) < 128, right_scale, other_scale)[None, :]
            total += tl.dot(left, right) * (left_scale[:, None] * right_scale)
        else:
            total = tl.dot(left, right, total)
        a_tile += BLOCK_K
        b_tile += BLOCK_K
    mask = (i[:, None] < M) & (j[None, :] < N)
    if not BY_BLOCKS:
        total *= tl.load(a_scales + i % M)[:, None] * tl.load(b_scales + j % N)[None, :]
    tl.store(c + i[:, None].to(tl.int64) * N + j[None, :], total.to(c.dtype.element_ty), mask=mask)


@triton.jit
def batch_matmul(a, b, c, M, N, K, stride_az, stride_am, stride_ak, stride_bz, stride_bk, stride_bn, stride_cz, stride_cm,
                 stride_cn, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
                 SUM: tl.constexpr, OUT: tl.constexpr):
    z = tl.program_id(1).to(tl.int64)
    matmul(a + z * stride_az, b + z * stride_bz, c + z * stride_cz, M, N, K, stride_am, stride_ak, stride_bk, stride_bn,
           stride_cm, stride_cn, BLOCK_M, BLOCK_N, BLOCK_K, GROUP, SUM, OUT)


# Products of several pairs of matrices, whose places, sizes (M, N, K) and lengths of rows stand in memory, by as many programs as there are
# multiprocessors. The left factors' rows lie along K, the right ones' along N; by descriptors along K.
@triton.jit
def three_of(table, product):
    at = table + 3 * product
    return tl.load(at), tl.load(at + 1), tl.load(at + 2)


@triton.jit
def matrices_of(places, product):
    a, b, c = three_of(places, product)
    return a.to(tl.pointer_type(tl.float16)), b.to(tl.pointer_type(tl.float16)), c.to(tl.pointer_type(tl.float16))


@triton.jit
def grouped_by_pointers(places, sizes, strides, COUNT: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                        BLOCK_K: tl.constexpr):
    tile = tl.program_id(0)
    begin = 0
    for product in range(COUNT):
        M, N, K = three_of(sizes, product)
        columns = tl.cdiv(N, BLOCK_N)
        end = begin + tl.cdiv(M, BLOCK_M) * columns
        while tile >= begin and tile < end:
            a, b, c = matrices_of(places, product)
            i = (tile - begin) // columns * BLOCK_M + tl.arange(0, BLOCK_M)
            j = (tile - begin) % columns * BLOCK_N + tl.arange(0, BLOCK_N)
            k = tl.arange(0, BLOCK_K)
            stride_b = tl.load(strides + 3 * product + 1)
            left = a + i[:, None] * tl.load(strides + 3 * product) + k[None, :]
            right = b + k[:, None] * stride_b + j[None, :]
            total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
            for step in range(0, tl.cdiv(K, BLOCK_K)):
                tl.multiple_of(left, [16, 16])
                tl.multiple_of(right, [16, 16])
                total += tl.dot(tl.load(left), tl.load(right))
                left += BLOCK_K
                right += BLOCK_K * stride_b
            tl.store(c + i[:, None] * tl.load(strides + 3 * product + 2) + j[None, :], total.to(tl.float16))
            tile += tl.num_programs(0)
        begin = end


@triton.jit
def grouped_by_descriptors(places, sizes, strides, COUNT: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                           BLOCK_K: tl.constexpr):
    tile = tl.program_id(0)
    begin = 0
    for product in range(COUNT):
        M, N, K = three_of(sizes, product)
        columns = tl.cdiv(N, BLOCK_N)
        end = begin + tl.cdiv(M, BLOCK_M) * columns
        if tile >= begin and tile < end:
            a, b, c = matrices_of(places, product)
            left = tl.make_tensor_descriptor(a, [M, K], [tl.load(strides + 3 * product), 1], [BLOCK_M, BLOCK_K])
            right = tl.make_tensor_descriptor(b, [N, K], [tl.load(strides + 3 * product + 1), 1], [BLOCK_N, BLOCK_K])
            out = tl.make_tensor_descriptor(c, [M, N], [tl.load(strides + 3 * product + 2), 1], [BLOCK_M, BLOCK_N])
            while tile >= begin and tile < end:
                i = (tile - begin) // columns * BLOCK_M
                j = (tile - begin) % columns * BLOCK_N
                total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
                for step in range(0, tl.cdiv(K, BLOCK_K)):
                    total += tl.dot(left.load([i, step * BLOCK_K]), right.load([j, step * BLOCK_K]).T)
                out.store([i, j], total.to(tl.float16))
                tile += tl.num_programs(0)
        begin = end


@triton.jit
def attention(q, k, v, out, stride_head, N, scale, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, D: tl.constexpr,
              CAUSAL: tl.constexpr):
    first = tl.program_id(0) * BLOCK_M
    base = tl.program_id(1).to(tl.int64) * stride_head
    i = first + tl.arange(0, BLOCK_M)
    j = tl.arange(0, BLOCK_N)
    d = tl.arange(0, D)
    queries = tl.load(q + base + i[:, None] * D + d[None, :])
    k_tile = k + base + j[:, None] * D + d[None, :]
    v_tile = v + base + j[:, None] * D + d[None, :]
    most = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    weight = tl.zeros([BLOCK_M], dtype=tl.float32)
    total = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    scale = scale * 1.4426950408889634
    end = N
    if CAUSAL:
        end = first + BLOCK_M
    for start in range(0, end, BLOCK_N):
        scores = tl.dot(queries, tl.trans(tl.load(k_tile)))
        if CAUSAL:
            scores = tl.where(i[:, None] >= (start + j)[None, :], scores, -1.0e6)
        now = tl.maximum(most, tl.max(scores, 1) * scale)
        power = tl.math.exp2(scores * scale - now[:, None])
        fade = tl.math.exp2(most - now)
        weight = weight * fade + tl.sum(power, 1)
        total = tl.dot(power.to(tl.float16), tl.load(v_tile), total * fade[:, None])
        most = now
        k_tile += BLOCK_N * D
        v_tile += BLOCK_N * D
    tl.store(out + base + i[:, None] * D + d[None, :], (total / weight[:, None]).to(tl.float16))


@triton.jit
def attention_backward(q, k, v, out_grad, logs, deltas, grads, stride_head, stride_grads, N, scale, BLOCK: tl.constexpr,
                       STEP: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr):
    # Gradients of BLOCK keys and values, from the queries that saw them; then of BLOCK queries, from the keys they saw.
    # logs: of each query, the logarithm to base 2 of its weights' sum; deltas: of each, the sum of out * out_grad.
    first = tl.program_id(0) * BLOCK
    head = tl.program_id(1).to(tl.int64)
    base, rows = head * stride_head, head * N
    own = first + tl.arange(0, BLOCK)
    step = tl.arange(0, STEP)
    d = tl.arange(0, D)
    own_at = base + own[:, None] * D + d[None, :]
    scale_2 = scale * 1.4426950408889634

    own_keys, own_values = tl.load(k + own_at), tl.load(v + own_at)
    key_grad = tl.zeros([BLOCK, D], dtype=tl.float32)
    value_grad = tl.zeros([BLOCK, D], dtype=tl.float32)
    begin = 0
    if CAUSAL:
        begin = first
    for start in range(begin, N, STEP):
        i = start + step
        at = base + i[:, None] * D + d[None, :]
        queries, grad = tl.load(q + at), tl.load(out_grad + at)
        power = tl.math.exp2(tl.dot(own_keys, tl.trans(queries)) * scale_2 - tl.load(logs + rows + i)[None, :])
        if CAUSAL:
            power = tl.where(i[None, :] >= own[:, None], power, 0.0)
        value_grad = tl.dot(power.to(tl.float16), grad, value_grad)
        change = power * (tl.dot(own_values, tl.trans(grad)) - tl.load(deltas + rows + i)[None, :])
        key_grad = tl.dot(change.to(tl.float16), queries, key_grad)
    tl.store(grads + stride_grads + own_at, (key_grad * scale).to(tl.float16))
    tl.store(grads + 2 * stride_grads + own_at, value_grad.to(tl.float16))

    own_queries, own_grad = tl.load(q + own_at), tl.load(out_grad + own_at)
    log, delta = tl.load(logs + rows + own), tl.load(deltas + rows + own)
    query_grad = tl.zeros([BLOCK, D], dtype=tl.float32)
    end = N
    if CAUSAL:
        end = first + BLOCK
    for start in range(0, end, STEP):
        j = start + step
        at = base + j[:, None] * D + d[None, :]
        keys, values = tl.load(k + at), tl.load(v + at)
        power = tl.math.exp2(tl.dot(own_queries, tl.trans(keys)) * scale_2 - log[:, None])
        if CAUSAL:
            power = tl.where(own[:, None] >= j[None, :], power, 0.0)
        change = power * (tl.dot(own_grad, tl.trans(values)) - delta[:, None])
        query_grad = tl.dot(change.to(tl.float16), keys, query_grad)
    tl.store(grads + own_at, (query_grad * scale).to(tl.float16))


@triton.jit
def attention_backward_joined(q, k, v, out_grad, logs, deltas, query_sums, grads, stride_head, stride_grads, N, scale,
                              BLOCK: tl.constexpr, STEP: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr):
    # The same in one loop, with five products for seven: each program adds its keys' part of the queries' gradients to
    # query_sums, which begin at zero, and of which another kernel makes grads.
    first = tl.program_id(0) * BLOCK
    head = tl.program_id(1).to(tl.int64)
    base, rows = head * stride_head, head * N
    own = first + tl.arange(0, BLOCK)
    step = tl.arange(0, STEP)
    d = tl.arange(0, D)
    own_at = base + own[:, None] * D + d[None, :]
    scale_2 = scale * 1.4426950408889634

    own_keys, own_values = tl.load(k + own_at), tl.load(v + own_at)
    key_grad = tl.zeros([BLOCK, D], dtype=tl.float32)
    value_grad = tl.zeros([BLOCK, D], dtype=tl.float32)
    begin = 0
    if CAUSAL:
        begin = first
    for start in range(begin, N, STEP):
        i = start + step
        at = base + i[:, None] * D + d[None, :]
        queries, grad = tl.load(q + at), tl.load(out_grad + at)
        power = tl.math.exp2(tl.dot(own_keys, tl.trans(queries)) * scale_2 - tl.load(logs + rows + i)[None, :])
        if CAUSAL:
            power = tl.where(i[None, :] >= own[:, None], power, 0.0)
        value_grad = tl.dot(power.to(grad.dtype), grad, value_grad)
        change = power * (tl.dot(own_values, tl.trans(grad)) - tl.load(deltas + rows + i)[None, :])
        change = change.to(queries.dtype)
        query_grad = tl.dot(tl.trans(change), own_keys)
        key_grad = tl.dot(change, queries, key_grad)
        tl.atomic_add(query_sums + at, query_grad, sem="relaxed")
    tl.store(grads + stride_grads + own_at, (key_grad * scale).to(grads.dtype.element_ty))
    tl.store(grads + 2 * stride_grads + own_at, value_grad.to(grads.dtype.element_ty))


@triton.jit
def zero(out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.zeros([BLOCK], dtype=out.dtype.element_ty), mask=i < n)


@triton.jit
def scaled(x, out, n, scale, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, (tl.load(x + i, mask=i < n) * scale).to(out.dtype.element_ty), mask=i < n)


@triton.jit
def decode_single(q, keys, values, table, lengths, parts, logs, scale, PAGES, SPLITS: tl.constexpr, PAGE: tl.constexpr,
                  BLOCK: tl.constexpr, D: tl.constexpr):
    # One query of each head over a part of its request's pages. The parts are brought together by decode_joined.
    request, head, split = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    heads = tl.num_programs(1)
    d = tl.arange(0, D)
    length = tl.load(lengths + request)
    query = tl.load(q + (request * heads + head) * D + d).to(tl.float32)
    share = tl.cdiv(length, SPLITS)
    first = share * split
    last = tl.minimum(first + share, length)
    most = -float("inf")
    weight = 0.0
    total = tl.zeros([D], dtype=tl.float32)
    row = (request * heads + head) * SPLITS + split
    if last > first:
        for start in range(first, last, BLOCK):
            n = start + tl.arange(0, BLOCK)
            page = tl.load(table + request * PAGES + n // PAGE, mask=n < last, other=0)
            at = ((page.to(tl.int64) * PAGE + n % PAGE) * heads + head) * D
            k = tl.load(keys + at[:, None] + d[None, :], mask=(n < last)[:, None], other=0.0).to(tl.float32)
            scores = tl.where(n < last, tl.sum(query[None, :] * k, 1) * scale, -float("inf"))
            v = tl.load(values + at[:, None] + d[None, :], mask=(n < last)[:, None], other=0.0).to(tl.float32)
            now = tl.maximum(most, tl.max(scores, 0))
            fade = tl.exp(most - now)
            power = tl.exp(scores - now)
            total = total * fade + tl.sum(power[:, None] * v, 0)
            weight = weight * fade + tl.sum(power, 0)
            most = now
        tl.store(parts + row * D + d, total / weight)
        tl.store(logs + row, most + tl.log(weight))


@triton.jit
def decode_grouped(q, keys, values, table, lengths, parts, logs, scale, PAGES, SPLITS: tl.constexpr, PAGE: tl.constexpr,
                   BLOCK: tl.constexpr, GROUP: tl.constexpr, D: tl.constexpr):
    # GROUP queries that share a head's keys and values.
    request, head, split = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    heads = tl.num_programs(1)
    d = tl.arange(0, D)
    g = tl.arange(0, GROUP)
    length = tl.load(lengths + request)
    query = tl.load(q + ((request * heads + head) * GROUP + g)[:, None] * D + d[None, :])
    share = tl.cdiv(length, SPLITS)
    first = share * split
    last = tl.minimum(first + share, length)
    most = tl.zeros([GROUP], dtype=tl.float32) - float("inf")
    weight = tl.zeros([GROUP], dtype=tl.float32)
    total = tl.zeros([GROUP, D], dtype=tl.float32)
    row = ((request * heads + head) * GROUP + g) * SPLITS + split
    if last > first:
        for start in range(first, last, BLOCK):
            n = start + tl.arange(0, BLOCK)
            page = tl.load(table + request * PAGES + n // PAGE, mask=n < last, other=0)
            at = ((page.to(tl.int64) * PAGE + n % PAGE) * heads + head) * D
            k = tl.load(keys + at[None, :] + d[:, None], mask=(n < last)[None, :], other=0.0)
            scores = tl.dot(query, k.to(query.dtype)) * scale
            scores = tl.where((n < last)[None, :], scores, -float("inf"))
            v = tl.load(values + at[:, None] + d[None, :], mask=(n < last)[:, None], other=0.0)
            now = tl.maximum(most, tl.max(scores, 1))
            fade = tl.exp(most - now)
            power = tl.exp(scores - now[:, None])
            total = total * fade[:, None] + tl.dot(power.to(query.dtype), v.to(query.dtype))
            weight = weight * fade + tl.sum(power, 1)
            most = now
        tl.store(parts + row[:, None] * D + d[None, :], total / weight[:, None])
        tl.store(logs + row, most + tl.log(weight))


@triton.jit
def decode_joined(parts, logs, lengths, out, heads, SPLITS: tl.constexpr, D: tl.constexpr):
    request, head = tl.program_id(0), tl.program_id(1)
    row = request * heads + head
    d = tl.arange(0, D)
    length = tl.load(lengths + request)
    share = tl.cdiv(length, SPLITS)
    most = -float("inf")
    weight = 0.0
    total = tl.zeros([D], dtype=tl.float32)
    for split in range(0, SPLITS):
        if share * split < length:
            log = tl.load(logs + row * SPLITS + split)
            part = tl.load(parts + (row * SPLITS + split) * D + d)
            now = tl.maximum(most, log)
            fade = tl.exp(most - now)
            power = tl.exp(log - now)
            total = total * fade + power * part
            weight = weight * fade + power
            most = now
    tl.store(out + row * D + d, (total / weight).to(out.dtype.element_ty))
