# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What torch.compile generates for its Triton back end runs here: models, forward and backward, compiled in this
process and in its workers."""

import unittest

from running import main, require, run_program

require("numpy", "torch")
import torch._inductor.config

# Programs for which `import triton` means Nereid, since PyTorch imports it. `ran` counts launches.
BEGINNING = """
import torch
import torch._inductor.config as config
import torch._inductor.runtime.triton_heuristics as heuristics
import torch.nn as nn, torch.nn.functional as F

config.cpu_backend = "triton"
config.force_disable_caches = True
config.compile_threads = THREADS
ran = set()
run = heuristics.CachingAutotuner.run

def counted(self, *args, **kwargs):
    ran.add(self.fn.__name__)
    return run(self, *args, **kwargs)

heuristics.CachingAutotuner.run = counted
torch.manual_seed(7)

def error(got, want):
    return float((got.double() - want.double()).abs().max() / want.double().abs().max().clamp(min=1e-20))
"""

MODEL = """
class Model(nn.Module):

    def __init__(self):
        super().__init__()
        self.table, self.norm = nn.Embedding(53, 32), nn.LayerNorm(32)
        self.up, self.down, self.head = nn.Linear(32, 96), nn.Linear(96, 32), nn.Linear(32, 53)

    def forward(self, tokens, targets):
        x = self.table(tokens)
        scores = (x @ x.transpose(1, 2)).masked_fill(torch.ones(19, 19).triu(1).bool(), float("-inf"))
        x = x + torch.softmax(scores / 32**0.5, -1) @ x
        x = x + self.down(F.gelu(self.up(self.norm(x))))
        return F.cross_entropy(self.head(x).flatten(0, 1), targets.flatten())

model = Model()
tokens, targets = torch.randint(0, 53, (2, 3, 19))
model.double()(tokens, targets).backward()
want = {name: p.grad.clone() for name, p in model.named_parameters()}
model.zero_grad()
model.float()
torch.compile(model)(tokens, targets).backward()
print("worst", max(error(p.grad, want[name]) for name, p in model.named_parameters()) < 1e-4)
print("kernels", len(ran) > 5)
"""

OPERATIONS = """
x, places = torch.randn(37, 129), torch.randint(0, 37, (50,))
cases = [
    lambda: torch.sin(x) * torch.exp(-x * x) + torch.erf(x) + torch.tanh(x) / torch.rsqrt(x.abs() + 1),
    lambda: torch.cat([x.sum(0), x.var(0), x.amax(0), x.argmin(0).to(x.dtype), x.prod(0)]),
    lambda: torch.cat([x.cumsum(1), x.exp().cumprod(1), torch.logcumsumexp(x, 1)]),
    lambda: x.sort(1).values, lambda: x.sort(1).indices,
    lambda: torch.zeros_like(x).index_add(0, places, x[places]),
    lambda: torch.randn(3, 20001, generator=torch.manual_seed(1)).to(x.dtype).softmax(-1),
    lambda: torch.cat([x, x[:5] * 2]).t().contiguous().flip(0).roll(3),
    lambda: F.interpolate(x[None, None], scale_factor=2.0, mode="bilinear"),
    lambda: F.max_pool2d(x[None, None], 3), lambda: torch.bucketize(x, torch.linspace(-2, 2, 17, dtype=x.dtype)),
]
for number, case in enumerate(cases):
    x = x.float()
    got = torch.compile(case)()
    x = x.double()
    print(number, error(got, case()) < 1e-5)
print("kernels", len(ran) > 10)
"""

# A kernel of the program's own, which PyTorch takes apart and launches itself.
OWN_KERNEL = """
import triton
import triton.language as tl

@triton.jit
def double(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offsets, 2 * tl.load(x + offsets, mask=offsets < n), mask=offsets < n)

@torch.compile(fullgraph=True)
def f(x):
    y = torch.sin(x)
    out = torch.empty_like(y)
    double[(triton.cdiv(y.numel(), 64),)](y, out, y.numel(), BLOCK=64)
    return out + 1

x = torch.randn(777)
print("right", error(f(x), 2 * torch.sin(x.double()) + 1) < 1e-6)
"""

# Arguments that share memory: what PyTorch takes for written it copies, and back.
IN_PLACE = """
@triton.jit
def store(out, offsets, value, mask):
    tl.store(out + offsets, value, mask=mask)

@triton.jit
def relu(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    store(out, offsets, tl.maximum(tl.load(x + offsets, mask=offsets < n), 0.0), offsets < n)

def in_place(x):
    relu[(8,)](x, x, 1000, BLOCK=128)
    return x

def of_a_view(x):
    view = x[:1000]
    relu[(8,)](view, x, 1000, BLOCK=128)
    return x + 0

for function in in_place, of_a_view:
    torch._dynamo.reset()
    x = torch.full((1000,), -1.0)
    print(function.__name__, not torch.compile(function)(x).any() and not x.any())
"""


@unittest.skipUnless(hasattr(torch._inductor.config, "cpu_backend"), "this PyTorch generates no Triton for CPUs")
class Generated(unittest.TestCase):

    def run_here(self, text, threads=1):
        out, errors, code = run_program(BEGINNING.replace("THREADS", str(threads)) + text, timeout=400)
        self.assertEqual(code, 0, errors[-4000:])
        lines = out.splitlines()
        self.assertTrue(lines)
        for line in lines:
            self.assertTrue(line.endswith(" True"), out)
        self.assertNotIn("Traceback", errors)

    def test_model(self):
        self.run_here(MODEL)

    def test_workers(self):
        self.run_here(MODEL, threads=2)

    def test_operations(self):
        self.run_here(OPERATIONS)

    def test_own_kernels(self):
        self.run_here(OWN_KERNEL + IN_PLACE)


if __name__ == "__main__":
    main()
