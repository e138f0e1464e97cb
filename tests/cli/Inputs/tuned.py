# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
import triton
import triton.language as tl

SIZES = [64, 128]

configs = [
    triton.Config({"BLOCK": size}, num_warps=warps)
    for size in SIZES if size > 64
    for warps in (2, 4)
]


def more_configs():
    """One more."""
    return [triton.Config(dict(BLOCK=2 * SIZES[1]), num_stages=2)]


def chosen():
    if torch.cuda.is_available():
        return configs
    return more_configs()


@triton.autotune(configs=[triton.Config({"BLOCK": 32}), triton.Config(kwargs={'BLOCK': 64, }, num_warps=8)], key=["n"])
@triton.heuristics({
    "IS_WHOLE": lambda args: args["n"] % args['BLOCK'] == 0,
    "WIDTH": lambda meta: min(meta["x"].shape[0], 7),
})
@triton.jit
def scale(x, out, n, BLOCK: tl.constexpr, IS_WHOLE: tl.constexpr, WIDTH: tl.constexpr):
    tl.static_assert(WIDTH == 7)
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    if IS_WHOLE:
        tl.static_print("whole", BLOCK)
        mask = None
    tl.store(out + offsets, tl.load(x + offsets, mask=mask) * 2, mask=mask)


@triton.autotune(
    configs + more_configs(),
    key=[],
    prune_configs_by={"early_config_prune": lambda configs, args, **kwargs: configs[:1], "top_k": 3},
    restore_value=["out"],
    warmup=3,
)
@triton.jit
def double(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.load(x + offsets, mask=offsets < n) * 2, mask=offsets < n)


@triton.autotune(configs=chosen(), key=["n"])
@triton.jit
def unknown(x, out, n, BLOCK: tl.constexpr):
    tl.store(out, BLOCK)


@triton.autotune(configs=[triton.Config({"BLOCK": 32}, pre_hook=lambda args: None)], key=["n"])
@triton.jit
def hooked(x, out, n, BLOCK: tl.constexpr):
    tl.store(out, BLOCK)


@triton.autotune(configs=[triton.Config({"BLOCK": [1, 2]})], key=["n"])
@triton.jit
def listed(x, out, n, BLOCK: tl.constexpr):
    tl.store(out, BLOCK)


@triton.autotune(configs=[triton.Config({"BLOCK": 32, **{}})], key=["n"])
@triton.jit
def spread(x, out, n, BLOCK: tl.constexpr):
    tl.store(out, BLOCK)


@triton.heuristics({"BLOCK": chosen})
@triton.jit
def computed(x, out, n, BLOCK: tl.constexpr):
    tl.store(out, BLOCK)


@triton.heuristics(values={"BLOCK": lambda args: 1 << args["missing"]})
@triton.jit
def mistaken(x, out, n, BLOCK: tl.constexpr):
    tl.store(out, BLOCK)


@triton.jit
def plain(x, out, n, BLOCK: tl.constexpr):
    tl.store(out, BLOCK)
