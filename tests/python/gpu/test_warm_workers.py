# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forty compilations by Inductor with its default settings, most of them by workers that are warm: those are processes
that began without a GPU of their own (test_workers.py has them without one)."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from running import main, require_gpu, run_program

torch = require_gpu()
from torch._inductor.async_compile import get_compile_threads

PROGRAM = """
import sys
import torch
from torch._inductor.async_compile import AsyncCompile
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

FORMS = ("torch.sin(x * {0}) + x", "torch.softmax(x * {0}, -1)", "torch.nn.functional.layer_norm(x + {0}, (96,))",
         "(x + {0}).cumsum(-1) / {0}", "(x - {0}).abs().amax(0)", "torch.where(x > 1 / {0}, x, {0}).sum(-1)", "(x + {0}).T.exp() / {0}")
device = sys.argv[1]
x = torch.linspace(-1, 1, 80 * 96, device=device).reshape(80, 96)
sent = 0


def counted(submit):
    def call(*arguments, **options):
        global sent
        sent += 1
        return submit(*arguments, **options)
    return call


def check_function(number):
    torch._dynamo.reset()  # or it would compile eight at most of functions whose text is in no file
    scope = {"torch": torch}
    exec(f"def function(x): return {FORMS[number % len(FORMS)].format(number + 2)}", scope)
    torch.testing.assert_close(torch.compile(scope["function"])(x), scope["function"](x), rtol=1e-3, atol=1e-3)


def check_window():
    q, k, v = torch.randn(3, 1, 2, 256, 64, device=device, dtype=torch.float16, generator=torch.Generator(device).manual_seed(1))
    near = create_block_mask(lambda b, h, i, j: (i >= j) & (i - j < 100), None, None, 256, 256, device=device)
    far = torch.arange(256, device=device)[:, None] - torch.arange(256, device=device)
    wanted = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=(far >= 0) & (far < 100))
    torch.testing.assert_close(torch.compile(flex_attention)(q, k, v, block_mask=near), wanted, rtol=1e-2, atol=1e-2)


for number in range(40):
    if number == 2:  # flex_attention, as third and by the first worker, was where it ended
        AsyncCompile.wait_pool_ready()
        pool = AsyncCompile.process_pool()
        pool.submit = counted(pool.submit)
        check_window()
    else:
        check_function(number)
print("workers", sent >= 38)
"""


@unittest.skipIf(get_compile_threads() <= 1, "one compiling thread: Inductor has no workers")
class WarmWorkers(unittest.TestCase):

    def test_forty_compilations(self):
        with tempfile.TemporaryDirectory() as directory:
            out, errors, code = run_program(PROGRAM, "cuda", environment={"TORCHINDUCTOR_CACHE_DIR": directory}, timeout=900)
        self.assertEqual((out.strip(), code), ("workers True", 0), errors[-4000:])


if __name__ == "__main__":
    main()
