# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's own operators as FlagGems (from PyPI) has them, forward alone, at sizes that fill a GPU."""

import torch
import torch.nn.functional as F

import flag_gems
from cases import labels, run, tensor

ROWS, WIDTH = 4096, 4096


def data(*shape, dtype=torch.float32):
    return tensor(*shape, dtype=dtype, grad=False)


def positive(*shape):
    return data(*shape).abs() + 0.1


def whole(*shape, most=1 << 20):
    return torch.randint(0, most, shape, device="cuda", dtype=torch.int32)


def halves(*shape):
    return data(*shape, dtype=torch.float16)


CASES = {
    "abs": lambda: torch.abs(data(ROWS, WIDTH)),
    "add of a row": lambda: data(ROWS, WIDTH) + data(WIDTH),
    "add of a column": lambda: halves(ROWS, WIDTH) + halves(ROWS, 1),
    "turned add": lambda: data(ROWS, WIDTH).t() + data(WIDTH, ROWS),
    "division of integers": lambda: torch.div(whole(ROWS, WIDTH), whole(ROWS, WIDTH, most=77) + 1, rounding_mode="floor"),
    "remainder": lambda: torch.remainder(data(ROWS, WIDTH), 3.5),
    "power": lambda: torch.pow(positive(ROWS, WIDTH), data(ROWS, WIDTH)),
    "exponential": lambda: torch.exp(halves(ROWS, WIDTH)),
    "tanh": lambda: torch.tanh(data(ROWS, WIDTH)),
    "erf": lambda: torch.erf(data(ROWS, WIDTH)),
    "gelu": lambda: F.gelu(halves(ROWS, WIDTH)),
    "gelu by tanh": lambda: F.gelu(halves(ROWS, WIDTH), approximate="tanh"),
    "silu": lambda: F.silu(halves(ROWS, WIDTH)),
    "where": lambda: torch.where(data(ROWS, WIDTH) > 0, data(ROWS, WIDTH), data(ROWS, 1)),
    "clamp": lambda: torch.clamp(data(ROWS, WIDTH), -0.5, 0.5),
    "is close": lambda: torch.isclose(data(ROWS, WIDTH), data(ROWS, WIDTH)),
    "bits": lambda: torch.bitwise_and(whole(ROWS, WIDTH), whole(ROWS, WIDTH)),
    "masked fill": lambda: data(ROWS, WIDTH).masked_fill(data(ROWS, WIDTH) > 1, 0.0),
    "sum": lambda: data(ROWS, WIDTH).sum(),
    "sum of rows": lambda: data(ROWS, WIDTH).sum(1),
    "sum of columns": lambda: data(ROWS, WIDTH).sum(0),
    "mean of rows": lambda: halves(ROWS, WIDTH).mean(-1),
    "largest of rows": lambda: torch.max(data(ROWS, WIDTH), 1),
    "largest of columns": lambda: torch.amax(data(ROWS, WIDTH), 0),
    "place of the largest": lambda: torch.argmax(data(ROWS, WIDTH), 1),
    "product": lambda: torch.prod(positive(ROWS, WIDTH), 1),
    "any": lambda: torch.any(data(ROWS, WIDTH) > 3, 1),
    "count": lambda: torch.count_nonzero(data(ROWS, WIDTH)),
    "variance": lambda: torch.var_mean(data(ROWS, WIDTH), 1),
    "norm": lambda: torch.linalg.vector_norm(data(ROWS, WIDTH), dim=1),
    "sums so far": lambda: torch.cumsum(data(ROWS, WIDTH), 1),
    "sums so far of columns": lambda: torch.cumsum(data(ROWS, 512), 0),
    "largest so far": lambda: torch.cummax(data(512, WIDTH), 1),
    "softmax": lambda: F.softmax(halves(ROWS, WIDTH), -1),
    "softmax of columns": lambda: F.softmax(data(64, 512, 128), 1),
    "log softmax": lambda: F.log_softmax(data(ROWS, WIDTH), -1),
    "layer norm": lambda: F.layer_norm(halves(ROWS, WIDTH), (WIDTH,), halves(WIDTH), halves(WIDTH)),
    "group norm": lambda: F.group_norm(halves(16, 256, 32, 32), 32, halves(256), halves(256)),
    "batch norm": lambda: F.batch_norm(data(64, 128, 32, 32), None, None, data(128), data(128), True),
    "cross entropy": lambda: F.nll_loss(F.log_softmax(data(ROWS, WIDTH), -1), labels(ROWS, WIDTH)),
    "mean square": lambda: F.mse_loss(data(ROWS, WIDTH), data(ROWS, WIDTH)),
    "embedding": lambda: F.embedding(labels(ROWS, 32000), halves(32000, 1024)),
    "gather": lambda: torch.gather(data(ROWS, WIDTH), 1, torch.randint(0, WIDTH, (ROWS, 1024), device="cuda")),
    "scatter": lambda: torch.scatter(data(ROWS, WIDTH), 1, torch.randint(0, WIDTH, (ROWS, 1024), device="cuda"),
                                     data(ROWS, 1024)),
    "rows by index": lambda: torch.index_select(data(ROWS, WIDTH), 0, labels(ROWS, ROWS)),
    "sort": lambda: torch.sort(data(256, 1024), 1),
    "top k": lambda: torch.topk(data(512, WIDTH), 16, 1),
    "flip": lambda: torch.flip(data(ROWS, WIDTH), (1,)),
    "repeated": lambda: data(512, WIDTH).repeat(4, 2),
    "put together": lambda: torch.cat([data(ROWS, 1024), data(ROWS, 3072)], 1),
    "padded": lambda: F.pad(data(64, 512, 512), (1, 2, 3, 4)),
    "triangle": lambda: torch.triu(data(ROWS, WIDTH)),
    "copy turned": lambda: data(ROWS, WIDTH).t().contiguous(),
    "product of matrices": lambda: torch.mm(halves(2048, 2048), halves(2048, 2048)),
    "product with a sum": lambda: torch.addmm(halves(2048), halves(2048, 1024), halves(1024, 2048)),
    "products": lambda: torch.bmm(halves(32, 512, 512), halves(32, 512, 512)),
    "product of a vector": lambda: torch.mv(halves(ROWS, WIDTH), halves(WIDTH)),
    "product in float32": lambda: torch.mm(data(1024, 1024), data(1024, 1024)),
    "small product": lambda: torch.mm(halves(16, WIDTH), halves(WIDTH, WIDTH)),
    "convolution": lambda: F.conv2d(halves(16, 64, 56, 56), halves(64, 64, 3, 3), padding=1),
    "convolution by channel": lambda: F.conv2d(halves(16, 64, 56, 56), halves(64, 1, 3, 3), padding=1, groups=64),
    "convolution of rows": lambda: F.conv1d(halves(16, 64, 4096), halves(64, 64, 3)),
    "maxima of a pool": lambda: F.max_pool2d(halves(16, 64, 112, 112), 3, 2),
    "larger picture": lambda: F.interpolate(data(4, 3, 256, 256), scale_factor=2, mode="bicubic"),
    "attention": lambda: F.scaled_dot_product_attention(halves(4, 16, 1024, 64), halves(4, 16, 1024, 64),
                                                        halves(4, 16, 1024, 64), is_causal=True),
}


def by_flag_gems(case):
    def called():
        with torch.no_grad(), flag_gems.use_gems():
            case()
    return called


run({name: by_flag_gems(case) for name, case in CASES.items()})
