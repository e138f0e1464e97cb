# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of kernels that nobody chose, with odd sizes, beside PyTorch's single best call or a short composition."""

import torch
import triton
import unchosen_kernels as elements
import unchosen_row_kernels as rows
from table import compared

F = torch.nn.functional
TOLERANCES = {torch.float16: 2e-3, torch.bfloat16: 1e-2, torch.float64: 1e-13}


def normal(*shape, dtype=torch.float32):
    return torch.randn(shape).to(dtype)


def whole(most, *shape, dtype=torch.int32, least=0):
    return torch.randint(least, most, shape, dtype=dtype)


def numbers(*arrays):
    """The same numbers in float64, where they are no whole ones."""
    return [array.double() if array.is_floating_point() else array for array in arrays]


class Unchosen:
    """`row` launches a kernel on arrays, a result and `rest`; the peer computes on the arrays, and in float64 what is right."""

    def __init__(self, table):
        self.table = table

    def row(self, name, kernel, grid, arrays, out, rest, peer, tolerance=None, adds=False):
        name = "unchosen: " + name
        if not self.table.wants(name):
            return
        arrays = arrays()
        out = out(*arrays) if callable(out) else torch.empty(out)

        def launch():
            if adds:
                out.zero_()
            kernel[grid](*arrays, out, *rest)

        def is_right():
            launch()
            exact = peer(*numbers(*arrays))
            return exact.shape == out.shape and compared(out, exact, TOLERANCES.get(out.dtype, 1e-5) if tolerance is None else tolerance)[1]

        self.table.compare(name, launch, lambda: peer(*arrays), out, sum(array.nbytes for array in (*arrays, out)), "B", is_right)


def of_elements(table):
    k, row, cdiv = elements, Unchosen(table).row, triton.cdiv
    n, like = 1 << 20, torch.empty_like
    row("bias, ReLU 1000x777", k.bias_relu, (cdiv(777000, 1024),), lambda: (normal(1000, 777), normal(777)), lambda x, b: like(x), (777000, 777, 1024), lambda x, b: F.relu(x + b))
    row("channels scaled 8x30x3000", k.channel_scale, (704,), lambda: (normal(8, 30, 3000), normal(30, 1)), lambda x, s: like(x), (720000, 3000, 30, 1024), lambda x, s: x * s)
    row("outer product and sum 1000x777", k.outer_add, (32, 13), lambda: (normal(1000), normal(777), normal(1000, 777)), lambda a, b, c: like(c), (1000, 777, 32, 64), lambda a, b, c: torch.addr(c, a, b))
    row("leaky ReLU f16 1M", k.leaky_relu, (1025,), lambda: (normal(n + 3, dtype=torch.half),), like, (n + 3, 0.01, 1024), lambda x: F.leaky_relu(x, 0.01))
    row("lerp f64 262147", k.lerp, (257,), lambda: [normal(262147, dtype=torch.double) for _ in range(3)], lambda x, y, w: like(x), (262147, 1024), torch.lerp)
    row("sin f32 100003", k.sine, (98,), lambda: (normal(100003) * 10,), like, (100003, 1024), torch.sin)
    row("sin f64 65537", k.sine, (65,), lambda: (normal(65537, dtype=torch.double) * 10,), like, (65537, 1024), torch.sin)
    row("f32 to bf16 1M", k.convert, (1025,), lambda: (normal(n + 1),), lambda x: like(x, dtype=torch.bfloat16), (n + 1, 1024), lambda x: x.to(torch.bfloat16))
    row("f16 to f32 1M", k.convert, (1025,), lambda: (normal(n + 1, dtype=torch.half),), lambda x: like(x, dtype=torch.float32), (n + 1, 1024), lambda x: x.to(torch.float32))
    row("int8 rows to f32 512x1000", k.dequantize, (512,), lambda: (whole(128, 512, 1000, dtype=torch.int8, least=-128), normal(512, 1)), lambda q, s: like(q, dtype=torch.float32), (1000, 1024), lambda q, s: q * s)
    row("f32 to int8 300007", k.quantize, (293,), lambda: (normal(300007),), lambda x: like(x, dtype=torch.int8), (300007, 50.0, 1024), lambda x: (x * 50.0 + 0.5).floor_().clamp_(-128, 127).to(torch.int8), 0.01)
    row("buckets int32 200003", k.buckets, (196,), lambda: (whole(1 << 30, 200003),), like, (200003, 1000, 1024), lambda x: ((x * 40503) & 0x7fffffff) % 1000, 0)
    row("masked fill 500x999", k.masked_fill, (488,), lambda: (normal(500, 999), normal(500, 999) > 0), lambda x, m: like(x), (499500, -1.0, 1024), lambda x, m: x.masked_fill(m, -1.0))
    row("complex product 100001", k.complex_product, (98,), lambda: (normal(100001, 2), normal(100001, 2)), lambda x, y: like(x), (100001, 1024), lambda x, y: torch.view_as_real(torch.view_as_complex(x) * torch.view_as_complex(y)))
    row("rotary 2000x96", k.rotary, (2000,), lambda: (normal(2000, 96), normal(2000, 48), normal(2000, 48)), lambda x, c, s: like(x), (48, 64), lambda x, c, s: torch.cat((x[:, :48] * c - x[:, 48:] * s, x[:, 48:] * c + x[:, :48] * s), 1))
    row("softplus 500009", k.softplus, (489,), lambda: (normal(500009) * 3,), like, (500009, 1024), F.softplus)
    row("swiglu bf16 500x1100", k.swiglu, (500, 2), lambda: (normal(500, 2200, dtype=torch.bfloat16),), lambda x: x.new_empty(500, 1100), (1100, 1024), lambda x: F.silu(x[:, :1100]) * x[:, 1100:])
    row("every third 333333", k.every_third, (326,), lambda: (normal(1000000),), (333333,), (333333, 1024), lambda x: x[1::3].contiguous())
    row("gather 1M of 65536", k.gather, (1024,), lambda: (normal(65536), whole(65536, n, dtype=torch.int64)), (n,), (n, 1024), torch.take)
    row("scatter 300007", k.scatter, (293,), lambda: (normal(300007), torch.randperm(300007)), lambda x, i: like(x), (300007, 1024), lambda x, i: like(x).scatter_(0, i, x))
    row("flip 1M", k.flip, (1025,), lambda: (normal(n + 5),), like, (n + 5, 1024), lambda x: x.flip(0))
    row("embedding 5000 of 20000x100", k.embedding, (5000,), lambda: (normal(20000, 100), whole(20000, 5000, dtype=torch.int64)), (5000, 100), (100, 128), lambda t, i: F.embedding(i, t))
    row("transpose f32 700x900", k.transpose, (22, 29), lambda: (normal(700, 900),), (900, 700), (700, 900, 32), lambda x: x.t().contiguous())
    row("transpose bf16 1001x999", k.transpose, (32, 32), lambda: (normal(1001, 999, dtype=torch.bfloat16),), lambda x: x.new_empty(999, 1001), (1001, 999, 32), lambda x: x.t().contiguous())
    row("upper triangle 777", k.upper, (25, 13), lambda: (normal(777, 777),), like, (777, 32, 64), torch.triu)
    row("channels first u8 300x400x3", k.channels_first, (352,), lambda: (whole(256, 120000, 3, dtype=torch.uint8),), lambda x: x.new_empty(3, 120000), (360000, 120000, 3, 1024), lambda x: x.t().contiguous())
    row("max pool 2x2 of 1000x1002", k.max_pool, (500, 1), lambda: (normal(1000, 1002),), (500, 501), (1002, 501, 512), lambda x: F.max_pool2d(x[None], 2)[0])
    row("upsample 2x of 300x333", k.upsample, (600, 1), lambda: (normal(300, 333),), (600, 666), (333, 1024), lambda x: F.interpolate(x[None, None], scale_factor=2)[0, 0])
    row("five points 500x501", k.five_points, (500, 1), lambda: (normal(500, 501),), like, (500, 501, 512), lambda x: F.conv2d(x[None], x.new_tensor([[0, 1, 0], [1, -4, 1], [0, 1, 0]])[None, None], padding=1)[0])
    row("filter of 7 on 200000", k.filter7, (196,), lambda: (normal(200006), normal(7)), (200000,), (200000, 1024), lambda x, w: F.conv1d(x[None, None], w[None, None])[0, 0])


def of_rows(table):
    k, row = rows, Unchosen(table).row
    n, like = 1 << 20, torch.empty_like
    row("greatest of rows 1000x777", k.row_most, (1000,), lambda: (normal(1000, 777),), (1000,), (777, 1024), lambda x: torch.linalg.vector_norm(x, float("inf"), 1))
    row("sums of columns 2000x500", k.column_sums, (8,), lambda: (normal(2000, 500),), (500,), (2000, 500, 32, 64), lambda x: x.sum(0))
    row("variance 1000x777", k.variance, (1000,), lambda: (normal(1000, 777),), (1000,), (777, 1024), lambda x: x.var(1, unbiased=False))
    row("rows to length 1, 1000x300", k.normalize, (1000,), lambda: (normal(1000, 300),), like, (300, 512), lambda x: F.normalize(x))
    row("argmax 1000x999", k.row_argmax, (1000,), lambda: (normal(1000, 999),), lambda x: torch.empty(1000, dtype=torch.int64), (999, 1024), lambda x: x.argmax(1), 0)
    row("sums of rows 10000x17", k.short_sums, (157,), lambda: (normal(10000, 17),), (10000,), (10000, 17, 64, 32), lambda x: x.sum(1))
    row("sums of rows f64 500x1500", k.short_sums, (500,), lambda: (normal(500, 1500, dtype=torch.double),), lambda x: x.new_empty(500), (500, 1500, 1, 2048), lambda x: x.sum(1))
    row("logsumexp bf16 512x2049", k.logsumexp, (512,), lambda: (normal(512, 2049, dtype=torch.bfloat16),), (512,), (2049, 4096), lambda x: torch.logsumexp(x, 1), 1e-5)
    row("products of rows 300x5000", k.row_products, (300,), lambda: (normal(300, 5000), normal(300, 5000)), (300,), (5000, 1024), torch.linalg.vecdot)
    row("positives of rows 1000x1000", k.positives, (1000,), lambda: (normal(1000, 1000),), lambda x: torch.empty(1000, dtype=torch.int32), (1000, 1024), lambda x: torch.count_nonzero(x > 0, 1), 0)
    row("sum 1M by atomics", k.whole_sum, (1025,), lambda: (torch.rand(n + 7),), (), (n + 7, 1024), torch.sum, adds=True)
    row("running greatest 500x600", k.running_most, (500,), lambda: (normal(500, 600),), like, (600, 1024), lambda x: x.cummax(1).values)
    row("sums from the end 500x600", k.sums_from_end, (500,), lambda: (normal(500, 600),), like, (600, 1024), lambda x: x.flip(1).cumsum(1).flip(1))
    row("histogram u8 1M", k.histogram, (1024,), lambda: (whole(256, n, dtype=torch.uint8),), lambda x: torch.empty(256, dtype=torch.int32), (n, 1024), lambda x: torch.bincount(x, minlength=256), 0, adds=True)
    row("scatter add 100003 to 1000", k.scatter_add, (98,), lambda: (normal(100003), whole(1000, 100003, dtype=torch.int64)), (1000,), (100003, 1024), lambda x, i: x.new_zeros(1000).index_add_(0, i, x), adds=True)
    row("products 16x16x16, 1000", k.small_product, (1000,), lambda: (normal(1000, 16, 16), normal(1000, 16, 16)), (1000, 16, 16), (16, 16, 16, 16, 16, 16), torch.bmm)
    row("products 48x80x40, 200", k.small_product, (200,), lambda: (normal(200, 48, 40), normal(200, 40, 80)), (200, 48, 80), (48, 80, 40, 64, 128, 64), torch.bmm)
    row("products bf16 50x50x30, 200", k.small_product, (200,), lambda: (normal(200, 50, 30, dtype=torch.bfloat16), normal(200, 30, 50, dtype=torch.bfloat16)), lambda a, b: a.new_empty(200, 50, 50), (50, 50, 30, 64, 64, 32), torch.bmm)
    row("matrix by vector 1000x777", k.matrix_vector, (63,), lambda: (normal(1000, 777), normal(777)), (1000,), (1000, 777, 16, 128), torch.mv)
    row("causal softmax 8x300x300", k.causal_softmax, (2400,), lambda: (normal(8, 300, 300),), like, (300, 512), lambda x: x.masked_fill(torch.ones(300, 300, dtype=torch.bool).triu(1), -float("inf")).softmax(-1))
    row("log softmax f16 200x1500", k.log_softmax, (200,), lambda: (normal(200, 1500, dtype=torch.half),), like, (1500, 2048), lambda x: x.log_softmax(-1))
    row("softmax 4000x50", k.short_softmax, (250,), lambda: (normal(4000, 50),), like, (4000, 50, 0.7, 16, 64), lambda x: (x / 0.7).softmax(-1))
    row("mean of squares 300007", k.mean_square, (293,), lambda: (normal(300007), normal(300007)), (), (300007, 1024), F.mse_loss, adds=True)
    row("loss of logits 200003", k.logit_loss, (196,), lambda: (normal(200003), torch.rand(200003)), lambda x, y: like(x), (200003, 1024), lambda x, y: F.binary_cross_entropy_with_logits(x, y, reduction="none"))
    row("smooth L1 500009", k.smooth_l1, (489,), lambda: (normal(500009), normal(500009)), lambda x, y: like(x), (500009, 1024), lambda x, y: F.smooth_l1_loss(x, y, reduction="none"))
    row("cosines 2000x200", k.cosine, (2000,), lambda: (normal(2000, 200), normal(2000, 200)), (2000,), (200, 256), F.cosine_similarity)
    row("distances 200x300, 32", k.distances, (25, 38), lambda: (normal(200, 32), normal(300, 32)), (200, 300), (200, 300, 32, 8, 8), lambda a, b: torch.cdist(a, b, 1.0))
    row("sort 1000x64", k.sort_rows, (1000,), lambda: (normal(1000, 64),), like, (64,), lambda x: x.sort(1).values)
