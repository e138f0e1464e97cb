# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures: what is computed, on which sizes, by which kernels in which configurations, and what PyTorch does."""

import dataclasses
import typing

import torch


@dataclasses.dataclass
class Variant:
    """One way to launch a kernel; `warps`, `stages` and `registers` (maxnreg; 0: no limit) are for both sides."""
    constants: dict
    grid: tuple
    warps: int = 4
    stages: int = 3
    registers: int = 0
    instead: "Launch" = None  # another kernel than the case's, with arguments of its own
    before: "Launch" = None  # another kernel in front of it, a part of what is timed
    then: "Launch" = None  # or behind it


@dataclasses.dataclass
class Launch:
    kernel: str
    arguments: dict
    variant: Variant


@dataclasses.dataclass
class Case:
    name: str
    kernel: str
    arguments: dict  # tensors and numbers, in the order of the kernel's parameters
    variants: list
    out: torch.Tensor
    peer: typing.Callable  # PyTorch's way; what it or `wanted` gives is what `out` must hold, give or take `tolerance`
    work: float  # bytes or operations
    unit: str
    tolerance: float = 1e-4
    clears_out: bool = False  # the kernel adds to it
    only_reads: bool = False  # next to nothing is written: what flushed the cache is written back before the clock begins
    wanted: typing.Callable = None


def random(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda").to(dtype)


def power_of_two(n):
    return 1 << (n - 1).bit_length()


def cdiv(a, b):
    return -(-a // b)


def flat(name, kernel, n, inputs, peer, moved, tolerance=1e-5):
    x = [random(n) for _ in range(inputs)]
    out = torch.empty_like(x[0])
    variants = [Variant({"BLOCK": block}, (cdiv(n, block),), warps) for block, warps in ((1024, 4), (1024, 8), (2048, 4))]
    arguments = dict(zip("xy", x)) | {"out": out, "n": n}
    return Case(name, kernel, arguments, variants, out, lambda: peer(*x), moved * 4 * n, "GB/s", tolerance)


def memory_cases(scale):
    n = 2 ** 28 // scale
    yield flat(f"copy f32 {n}", "copy", n, 1, torch.clone, 2)
    yield flat(f"add f32 {n}", "add", n, 2, torch.add, 3)
    yield flat(f"silu f32 {n}", "silu", n, 1, torch.nn.functional.silu, 2)
    x, y, out = random(n), random(n), torch.zeros(1, device="cuda")
    variants = [Variant({"BLOCK": block}, (cdiv(n, block),), warps) for block, warps in ((4096, 8), (8192, 8), (16384, 8))]
    yield Case(f"dot f32 {n}", "dot", {"x": x, "y": y, "out": out, "n": n}, variants, out,
               lambda: torch.dot(x, y)[None], 8 * n, "GB/s", 2e-3 * n ** 0.5, clears_out=True)
    for size in (8192 // scale, 16384 // scale):
        yield transpose(size)
    for columns in (256, 781, 1024, 2048, 4096, 8192, 12672):
        yield rows("softmax", f"softmax f32 4096 x {columns}", random(4096, columns), {},
                   lambda x: torch.softmax(x, 1), 1e-6)
    for columns in (1024, 4096, 8192, 16384):
        weight, bias = random(columns, dtype=torch.float16), random(columns, dtype=torch.float16)
        yield rows("layer_norm", f"layer norm f16 4096 x {columns}", random(4096, columns, dtype=torch.float16),
                   {"weight": weight, "bias": bias},
                   lambda x, w=weight, b=bias: torch.nn.functional.layer_norm(x, w.shape, w, b), 3e-2, 1e-5)
        yield rows("rms_norm", f"RMS norm f16 4096 x {columns}", random(4096, columns, dtype=torch.float16),
                   {"weight": weight}, lambda x, w=weight: torch.nn.functional.rms_norm(x, w.shape, w, 1e-5), 3e-2, 1e-5)
    yield cross_entropy(4096, 32000 // scale)
    yield embedding(32000, 4096 // scale, 65536 // scale)


def transpose(size):
    x, out = random(size, size), torch.empty(size, size, device="cuda")
    variants = [Variant({"BLOCK": block}, (cdiv(size, block),) * 2, warps) for block, warps in ((32, 4), (64, 4), (64, 8))]
    return Case(f"transpose f32 {size} x {size}", "transpose", {"x": x, "out": out, "rows": size, "columns": size},
                variants, out, lambda: x.T.contiguous(), 8 * size * size, "GB/s", 0)


def rows(kernel, name, x, more, peer, tolerance, epsilon=None):
    out, (count, columns) = torch.empty_like(x), x.shape
    arguments = {"x": x} | more | {"out": out, "columns": columns}
    if epsilon is not None:
        arguments["epsilon"] = epsilon
    block = power_of_two(columns)
    variants = [Variant({"BLOCK": block}, (count,), warps) for warps in (1, 2, 4, 8, 16) if 256 <= block // warps <= 8192]
    return Case(name, kernel, arguments, variants, out, lambda: peer(x), 2 * x.nbytes, "GB/s", tolerance)


def cross_entropy(count, columns):
    logits, out = random(count, columns), torch.empty(count, device="cuda")
    targets = torch.randint(columns, (count,), device="cuda")
    variants = [Variant({"BLOCK": power_of_two(columns)}, (count,), warps) for warps in (8, 16, 32)]
    return Case(f"cross-entropy f32 {count} x {columns}", "cross_entropy",
                {"logits": logits, "targets": targets, "losses": out, "columns": columns}, variants, out,
                lambda: torch.nn.functional.cross_entropy(logits, targets, reduction="none"), logits.nbytes, "GB/s", 1e-3)


def embedding(words, columns, count):
    table, out = random(words, columns, dtype=torch.float16), torch.empty(count, columns, device="cuda", dtype=torch.float16)
    index = torch.randint(words, (count,), device="cuda")
    variants = [Variant({"BLOCK": power_of_two(columns)}, (count,), warps) for warps in (2, 4, 8)]
    return Case(f"embedding f16 {count} of {words} x {columns}", "gather",
                {"table": table, "index": index, "out": out, "columns": columns}, variants, out,
                lambda: torch.nn.functional.embedding(index, table), 2 * out.nbytes, "GB/s", 0)


# BLOCK_M, BLOCK_N, BLOCK_K, warps, stages
TILES_16 = ((128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (128, 128, 64, 8, 3), (128, 128, 64, 4, 4), (256, 128, 64, 8, 3),
            (64, 128, 64, 4, 4), (64, 128, 64, 4, 6), (128, 64, 64, 4, 6), (64, 64, 64, 4, 4), (64, 64, 128, 4, 3))
TILES_32 = ((128, 128, 32, 8, 3), (128, 256, 32, 8, 3), (256, 128, 32, 8, 3), (256, 128, 32, 8, 4), (64, 128, 32, 4, 4))
TILES_8 = ((128, 256, 128, 8, 3), (256, 128, 128, 8, 3), (128, 128, 128, 8, 3), (128, 128, 64, 4, 4))


def matmul(M, N, K, dtype=torch.float16, sums="float32", out_type=None, tiles=TILES_16, tolerance=6e-3, b_by_columns=False,
           a_by_bytes=False):
    """`tolerance` is for a depth of 1: a step of the result's type where it is largest, some 5.5 * sqrt(K)."""
    if a_by_bytes:
        a, b = torch.randint(-2, 3, (M, K), device="cuda", dtype=torch.int8), random(K, N, dtype=dtype)
    elif dtype == torch.int8:
        a, b = (torch.randint(-128, 128, shape, device="cuda", dtype=dtype) for shape in ((M, K), (K, N)))
    else:
        a, b = random(M, K, dtype=dtype), random(K, N, dtype=dtype)
    if b_by_columns:
        b = b.T.contiguous().T
    c = torch.empty(M, N, device="cuda", dtype=out_type or dtype)
    names = {torch.float16: "float16", torch.bfloat16: "bfloat16", torch.float32: "float32", torch.int32: "int32"}
    variants = [Variant({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP": 8, "SUM": sums, "OUT": names[c.dtype]},
                        (cdiv(M, m) * cdiv(N, n),), warps, stages) for m, n, k, warps, stages in tiles]
    # With a limit on registers our threads copy for themselves, which begins sooner: good for few rounds.
    variants += [dataclasses.replace(variant, registers=255) for variant in variants if variant.warps == 4 and K <= 1024]
    arguments = {"a": a, "b": b, "c": c, "M": M, "N": N, "K": K}
    for tensor, name in ((a, "am ak"), (b, "bk bn"), (c, "cm cn")):
        arguments |= {f"stride_{axis}": step for axis, step in zip(name.split(), tensor.stride())}
    kind = str(dtype).removeprefix("torch.") + " B by columns" * b_by_columns + ", A of int8," * a_by_bytes
    # Tensor cores add products of 8-bit floats up in fewer bits than PyTorch may choose to; half floats hold them exactly.
    is_8_bit = dtype in (torch.float8_e4m3fn, torch.float8_e5m2)
    b_of_peer = b.T.contiguous().T if is_8_bit else b  # the only way in which PyTorch takes it
    return Case(f"matmul {kind} {M} x {N} x {K}", "matmul", arguments, variants, c,
                lambda: peer_product(a.to(dtype), b_of_peer, c.dtype), 2 * M * N * K, "TFLOP/s", tolerance * K ** 0.5,
                wanted=(lambda: torch.matmul(a.half(), b.half())) if is_8_bit else None)


def matmul_gelu(size, dtype):
    """A product whose result goes through the exact GELU; PyTorch takes two kernels."""
    case = matmul(size, size, size, dtype, tolerance=6e-3 if dtype == torch.float16 else 5e-2)
    product = case.peer
    variants = [dataclasses.replace(variant, constants=variant.constants | {"GELU": True}) for variant in case.variants]
    return dataclasses.replace(case, name=case.name.replace("matmul", "matmul with GELU"), variants=variants,
                               peer=lambda: torch.nn.functional.gelu(product()))


def batch_matmul(count, M, N, K):
    a, b = random(count, M, K, dtype=torch.float16), random(count, K, N, dtype=torch.float16)
    c = torch.empty(count, M, N, device="cuda", dtype=torch.float16)
    variants = [Variant({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP": 8, "SUM": "float32", "OUT": "float16"},
                        (cdiv(M, m) * cdiv(N, n), count), warps, stages) for m, n, k, warps, stages in TILES_16]
    arguments = {"a": a, "b": b, "c": c, "M": M, "N": N, "K": K}
    for tensor, name in ((a, "az am ak"), (b, "bz bk bn"), (c, "cz cm cn")):
        arguments |= {f"stride_{axis}": step for axis, step in zip(name.split(), tensor.stride())}
    return Case(f"matmul float16 {count} of {M} x {N} x {K}", "batch_matmul", arguments, variants, c,
                lambda: torch.bmm(a, b), 2 * count * M * N * K, "TFLOP/s", 6e-3 * K ** 0.5)


def peer_product(a, b, out_type):
    if a.dtype == torch.int8:
        return torch._int_mm(a, b)
    if a.dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
        one = torch.ones((), device="cuda")
        return torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=out_type)
    return torch.matmul(a, b)


def matmul_cases(scale):
    for dtype in (torch.float16, torch.bfloat16):
        for size in (1024, 2048, 4096, 8192):
            yield matmul(*[size // scale] * 3, dtype, tolerance=6e-3 if dtype == torch.float16 else 5e-2)
    yield matmul_gelu(4096 // scale, torch.float16)
    yield matmul_gelu(4096 // scale, torch.bfloat16)
    yield matmul(4095 // scale, 4100 // scale, 4104 // scale)
    yield matmul(65536 // scale, 64, 1024)
    yield batch_matmul(64 // scale, 1024, 512, 768)
    yield matmul(*[8192 // scale] * 3, b_by_columns=True)
    yield matmul(*[4096 // scale] * 3, a_by_bytes=True)
    large = [8192 // scale] * 3
    yield matmul(*large, torch.float32, tiles=TILES_32, tolerance=8e-3)
    yield matmul(*large, torch.int8, "int32", torch.int32, TILES_8, 0, b_by_columns=True)
    for by_columns in (False, True):
        yield matmul(*large, torch.float8_e4m3fn, "float32", torch.float16, TILES_8, 8e-2, b_by_columns=by_columns)


TILES_OF_SCALES = ((128, 128, 128, 8, 3), (128, 128, 128, 8, 4), (128, 128, 128, 8, 5), (64, 128, 128, 4, 3), (128, 64, 128, 4, 4),
                   (128, 256, 128, 8, 3), (256, 128, 128, 8, 3))


def scaled_cases(scale):
    """Products of eight-bit floats with scales: of rows, of blocks of 128, and of experts whose rows lie one after the other. The peer
    is the library's product of as many numbers with one scale."""
    size = 8192 // scale
    yield scaled_product(size, size, size, by_blocks=False)
    yield scaled_product(size, size, size, by_blocks=True)
    for counts in ((13, 4, 9, 6, 16, 2, 11, 3), (70, 61, 66, 59)):  # rows of each expert, in blocks of 128
        yield scaled_product(128 * sum(counts) // scale, 4096 // scale, 7168 // scale, by_blocks=True,
                             experts=[count // scale for count in counts])


def scaled_product(M, N, K, by_blocks, experts=()):
    a = random(M, K, dtype=torch.float8_e4m3fn)
    b = random(*([len(experts)] if experts else []), N, K, dtype=torch.float8_e4m3fn)
    c = torch.empty(M, N, device="cuda", dtype=torch.bfloat16)

    def scales(*shape):
        return torch.rand(*shape, device="cuda") * 0.5 + 0.75
    a_scales = scales(K // 128, M) if by_blocks else scales(M)
    b_scales = scales(*b.shape[:-2], N // 128, K // 128) if by_blocks else scales(N)
    of_blocks = torch.repeat_interleave(torch.arange(len(experts)), torch.tensor(experts, dtype=torch.int64)).int().cuda()
    tiles = [tile for tile in TILES_OF_SCALES if not experts or tile[0] <= 128] if by_blocks else TILES_8[:3]
    variants = [Variant({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP": 8, "BY_BLOCKS": by_blocks},
                        (cdiv(M, m) * cdiv(N, n),), warps, stages) for m, n, k, warps, stages in tiles]
    arguments = {"a": a, "b": b, "c": c, "a_scales": a_scales, "b_scales": b_scales,
                 "experts": of_blocks if experts else None, "M": M, "N": N, "K": K}
    one = torch.ones((), device="cuda")
    ends = [128 * sum(experts[:count + 1]) for count in range(len(experts))] or [M]
    parts = [(slice(begin, end), expert) for expert, (begin, end) in enumerate(zip([0, *ends], ends))]
    factors = b if experts else b[None]

    unscaled = torch.empty_like(c)

    def peer():
        for rows, expert in parts:
            torch._scaled_mm(a[rows], factors[expert].T, scale_a=one, scale_b=one, out_dtype=c.dtype, out=unscaled[rows])

    def exact():
        if not by_blocks:
            return a.float() @ b.float().T * a_scales[:, None] * b_scales
        left = a.float() * a_scales.T.repeat_interleave(128, 1)
        right = factors.float() * b_scales.reshape(len(parts), N // 128, K // 128).repeat_interleave(128, 1).repeat_interleave(128, 2)
        return torch.cat([left[rows] @ right[expert].T for rows, expert in parts])
    kind = f"{len(experts)} experts by blocks" if experts else "by blocks" if by_blocks else "by rows"
    return Case(f"matmul e4m3, scales {kind} {M} x {N} x {K}", "matmul_scaled", arguments, variants, c, peer, 2 * M * N * K,
                "TFLOP/s", 8e-2 * K ** 0.5, wanted=exact)


def grouped_cases(scale):
    """Four products in one launch, whose factors' places, sizes and rows stand in memory (kernels.py)."""
    for size in (1024, 2048, 4096):
        for by_descriptors in (False, True):
            yield grouped_product(4, size // scale, by_descriptors)


def grouped_product(count, size, by_descriptors):
    a, b = ([random(size, size, dtype=torch.float16) for _ in range(count)] for _ in range(2))
    c, library = (torch.empty(count, size, size, device="cuda", dtype=torch.float16) for _ in range(2))
    places = torch.tensor([[each.data_ptr() for each in matrices] for matrices in zip(a, b, c)], device="cuda")
    sizes = torch.full((count, 3), size, device="cuda", dtype=torch.int32)
    programs = (torch.cuda.get_device_properties(0).multi_processor_count,)
    variants = [Variant({"COUNT": count, "BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k}, programs, warps, stages)
                for m, n, k, warps, stages in TILES_OF_GROUPS]
    how = "descriptors" if by_descriptors else "pointers"
    own, theirs = "grouped_by_" + how, [each.T if by_descriptors else each for each in b]

    def products():
        for left, right, out in zip(a, theirs, library):
            torch.mm(left, right, out=out)
    products()
    torch.cuda.synchronize()
    recorded = torch.cuda.CUDAGraph()
    with torch.cuda.graph(recorded):
        products()

    def peer():
        recorded.replay()
        return library
    return Case(f"grouped float16 {count} of {size} cubed, by {how}", own, {"places": places, "sizes": sizes, "strides": sizes},
                variants, c, peer, 2 * count * size ** 3, "TFLOP/s", 6e-3 * size ** 0.5)


TILES_OF_GROUPS = ((128, 256, 64, 8, 3), (128, 128, 64, 8, 3), (128, 128, 64, 4, 3), (128, 128, 32, 4, 4), (64, 128, 64, 4, 4))


# In the order of the kernel.
FUNCTIONS = {"erf": torch.erf, "tanh": torch.tanh, "sin": torch.sin, "cos": torch.cos, "log": torch.log, "exp": torch.exp,
             "erfc": torch.erfc, "log1p": torch.log1p, "expm1": torch.expm1, "atan": torch.atan, "pow": None}


def function_cases(scale):
    """Work is counted in values of the function, 10^12 in a second."""
    for dtype in (torch.float32, torch.float64):
        n = (2 ** 24 if dtype == torch.float32 else 2 ** 22) // scale
        x = torch.rand(n, device="cuda", dtype=dtype) * 3 + 0.01
        out = torch.empty_like(x)
        for number, (name, function) in enumerate(FUNCTIONS.items()):
            def peer(function=function):
                steps = (x * (1 + step * 0.125) for step in range(8))
                return sum(function(step) if function else step ** x for step in steps)
            variants = [Variant({"FUNCTION": number, "BLOCK": block}, (cdiv(n, block),), 4) for block in (256, 512, 1024)]
            yield Case(f"{name} {str(dtype).removeprefix('torch.')} 8 x {n}", "functions", {"x": x, "out": out, "n": n},
                       variants, out, peer, 8 * n, "TFLOP/s", 1e-3 if name in ("exp", "expm1", "pow") else 1e-4)


def attentions(scale):
    for heads, length, d in ((128, 4096, 64), (128, 4096, 128), (32, 16384, 64), (32, 16384, 128)):
        for causal in (False, True):
            yield heads // scale, length // scale, d, causal


def decoding_cases(scale):
    """Queries of one token over a cache in pages; a group of 16 shares keys and values, or each query has its own."""
    for group in (1, 16):
        for dtype in (torch.bfloat16, torch.float8_e4m3fn):
            for page, d, requests in ((16, 128, 4), (16, 128, 16), (32, 128, 16), (64, 128, 16), (128, 64, 32)):
                yield decoding(requests, 8, group, 4096 // scale, page, d, dtype)


def decoding(requests, heads, group, length, page, d, dtype):
    pages = requests * length // page
    keys, values = (random(pages, page, heads, d, dtype=dtype) for _ in range(2))
    table = torch.randperm(pages, device="cuda").to(torch.int32).view(requests, -1).contiguous()
    lengths = torch.full((requests,), length, device="cuda", dtype=torch.int32)
    q = random(requests, heads * group, d, dtype=torch.bfloat16)
    out, most_splits = torch.empty_like(q), 32
    parts = torch.empty(requests * heads * group * most_splits * d, device="cuda")
    logs = torch.empty(requests * heads * group * most_splits, device="cuda")
    arguments = {"q": q, "keys": keys, "values": values, "table": table, "lengths": lengths, "parts": parts, "logs": logs,
                 "scale": d ** -0.5, "PAGES": table.shape[1]}
    joined = {"parts": parts, "logs": logs, "lengths": lengths, "out": out, "heads": heads * group}

    def variant(splits, block, warps, stages):
        then = Variant({"SPLITS": splits, "D": d}, (requests, heads * group), 1)
        constants = {"SPLITS": splits, "PAGE": page, "BLOCK": block} | ({"GROUP": group} if group > 1 else {}) | {"D": d}
        return Variant(constants, (requests, heads, splits), warps, stages, then=Launch("decode_joined", joined, then))

    def peer():
        shape = requests, length, heads, d
        k, v = (x[table.long()].view(shape).transpose(1, 2).to(q.dtype) for x in (keys, values))
        of_heads = q.view(requests, heads, group, d)
        return torch.nn.functional.scaled_dot_product_attention(of_heads, k, v).reshape(q.shape)
    splits = [count for count in (2, 4, 8, 16, 32) if 256 <= count * requests * heads <= 2048]
    variants = [variant(count, block, warps, stages) for count in splits
                for block, warps, stages in ((64, 4, 3), (64, 4, 2), (32, 4, 3), (32, 4, 4))]
    kind = {torch.bfloat16: "bf16", torch.float8_e4m3fn: "e4m3"}[dtype]
    kernel = "decode_grouped" if group > 1 else "decode_single"
    return Case(f"decoding {kind} {requests} x {heads} x {group} of {length} x {d}, pages of {page}", kernel, arguments, variants,
                out, peer, 2 * keys.nbytes, "GB/s", 2e-2, only_reads=True)


def attention_cases(scale):
    for size in attentions(scale):
        yield attention(*size)


def attention(heads, length, d, causal):
    q, k, v = (random(heads, length, d, dtype=torch.float16) for _ in range(3))
    out = torch.empty_like(q)
    variants = [Variant({"BLOCK_M": m, "BLOCK_N": n, "D": d, "CAUSAL": causal}, (length // m, heads), warps, stages)
                for m, n, warps, stages in ((128, 128, 8, 2), (128, 64, 8, 3), (128, 64, 4, 3), (64, 128, 4, 2), (64, 64, 4, 3))]
    arguments = {"q": q, "k": k, "v": v, "out": out, "stride_head": length * d, "N": length, "scale": d ** -0.5}
    operations = 4 * heads * length * length * d * (0.5 if causal else 1)
    return Case(f"attention f16 {heads} x {length} x {d}" + (" causal" if causal else ""), "attention", arguments, variants,
                out, lambda: torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None],
                                                                              is_causal=causal)[0],
                operations, "TFLOP/s", 4e-3)


def backward_cases(scale):
    for size in attentions(scale):
        yield attention_backward(*size)


def attention_backward(heads, length, d, causal):
    q, k, v, out_grad = (random(heads, length, d, dtype=torch.float16) for _ in range(4))
    parameters = [x[None].requires_grad_() for x in (q, k, v)]
    out = torch.nn.functional.scaled_dot_product_attention(*parameters, is_causal=causal)
    grads = torch.empty(3, heads, length, d, device="cuda", dtype=torch.float16)
    variants = [Variant({"BLOCK": block, "STEP": step, "D": d, "CAUSAL": causal}, (length // block, heads), warps, stages)
                for block, step, warps, stages in ((128, 32, 4, 5), (128, 32, 4, 2), (128, 32, 8, 3), (128, 64, 8, 3), (128, 64, 8, 2),
                                                   (64, 64, 4, 3), (64, 32, 4, 3))]
    arguments = {"q": q, "k": k, "v": v, "out_grad": out_grad, "logs": log_weights(q, k, d ** -0.5, causal),
                 "deltas": (out[0].detach().float() * out_grad.float()).sum(-1), "grads": grads, "stride_head": length * d,
                 "stride_grads": heads * length * d, "N": length, "scale": d ** -0.5}
    variants += joined_backward([variant for variant in variants if variant.constants["STEP"] == 64], arguments, d)

    def peer():
        return torch.autograd.grad(out, parameters, out_grad[None], retain_graph=True)
    # Five products where forward has two. (The kernel of two loops computes two of them twice.)
    operations = 10 * heads * length * length * d * (0.5 if causal else 1)
    return Case(f"attention backward f16 {heads} x {length} x {d}" + (" causal" if causal else ""), "attention_backward",
                arguments, variants, grads, peer, operations, "TFLOP/s", 3e-2, wanted=lambda: torch.cat(peer()))


def joined_backward(variants, arguments, d):
    """Of such tiles, with the queries' gradients added up in memory, which is cleared before; they are scaled and rounded behind."""
    query_sums = torch.empty(arguments["q"].shape, device="cuda")
    n = query_sums.numel()
    own = {}
    for name, value in arguments.items():
        own |= ({"query_sums": query_sums} if name == "grads" else {}) | {name: value}
    flat = Variant({"BLOCK": 2048}, (cdiv(n, 2048),))
    before = Launch("zero", {"out": query_sums, "n": n}, flat)
    then = Launch("scaled", {"x": query_sums, "out": arguments["grads"], "n": n, "scale": d ** -0.5}, flat)
    if d == 64:
        tiles = variants[0].constants | {"BLOCK": 128, "STEP": 128}
        variants = variants + [dataclasses.replace(variants[0], constants=tiles, warps=8, stages=2)]
    return [dataclasses.replace(variant, instead=Launch("attention_backward_joined", own, None), before=before, then=then)
            for variant in variants]


def log_weights(q, k, scale, causal):
    """Of each query, the logarithm to base 2 of the sum of its keys' weights; head by head, as scores take room."""
    logs = torch.empty(q.shape[:2], device="cuda")
    hidden = torch.ones(q.shape[1], q.shape[1], device="cuda", dtype=torch.bool).triu(1) if causal else None
    for head in range(q.shape[0]):
        scores = q[head].float() @ k[head].float().T * scale
        logs[head] = torch.logsumexp(scores if hidden is None else scores.masked_fill_(hidden, float("-inf")), -1)
    return logs * 1.4426950408889634


GROUPS = {"memory": memory_cases, "functions": function_cases, "matmul": matmul_cases, "scaled": scaled_cases,
          "grouped": grouped_cases, "attention": attention_cases, "decoding": decoding_cases, "backward": backward_cases}
