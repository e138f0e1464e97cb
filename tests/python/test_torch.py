# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's tensors as arguments, and kernels inside PyTorch's own machinery."""

import unittest

from running import main, require, run_program

require("numpy", "torch")
import torch

import nereid
import nereid.language as tl


@nereid.jit
def multiply(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    product = tl.load(x + offsets, mask=mask).to(tl.float32) * tl.load(y + offsets, mask=mask).to(tl.float32)
    tl.store(out + offsets, product.to(out.dtype.element_ty), mask=mask)


def product_of(x, y):
    out = torch.empty_like(x)
    multiply[lambda meta: (nereid.cdiv(x.numel(), meta["BLOCK"]),)](x, y, out, x.numel(), BLOCK=128)
    return out


class Tensors(unittest.TestCase):

    def test_dtypes(self):
        torch.manual_seed(3)
        for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.float8_e5m2,
                      torch.float8_e4m3fn):
            x, y = (torch.randn(333).to(dtype) for _ in range(2))
            want = (x.float() * y.float()).to(dtype)
            self.assertTrue(torch.equal(product_of(x, y).float(), want.float()), dtype)
        x, y = torch.randint(-9, 9, (2, 77), dtype=torch.int8)
        self.assertTrue(torch.equal(product_of(x, y), x * y))

    def test_bools(self):

        @nereid.jit
        def invert(x, N: tl.constexpr):
            places = tl.arange(0, N)
            tl.store(x + places, ~tl.load(x + places))

        x = torch.tensor([True, False, False, True])
        invert[(1,)](x, 4)
        self.assertEqual(x.tolist(), [False, True, True, False])

    def test_views_and_gradients(self):
        base = torch.randn(4, 100)
        x, y = base[1], base[2]
        want = x * y
        multiply[(1,)](x, y, x, 100, BLOCK=128)
        torch.testing.assert_close(base[1], want)
        leaf = torch.randn(10, requires_grad=True)
        torch.testing.assert_close(product_of(leaf, leaf), (leaf * leaf).detach())

    def test_reinterpret(self):
        bits = torch.full((64,), 0x3C00, dtype=torch.int16)
        x = nereid.reinterpret(bits, tl.float16)
        out = torch.empty(64)
        multiply[(1,)](x, x, out, 64, BLOCK=64)
        self.assertTrue((out == 1).all())

    def test_parameter_and_dtype_constants(self):

        @nereid.jit
        def cast(x, out, TYPE: tl.constexpr):
            tl.store(out, tl.load(x).to(TYPE))

        out = torch.zeros(1)
        cast[(1,)](torch.nn.Parameter(torch.tensor([2.7])), out, tl.int32)
        self.assertEqual(out.item(), 2)

    def test_autograd_function(self):

        class Product(torch.autograd.Function):

            @staticmethod
            def forward(context, x, y):
                context.save_for_backward(x, y)
                return product_of(x, y)

            @staticmethod
            def backward(context, gradient):
                x, y = context.saved_tensors
                return product_of(gradient, y), product_of(gradient, x)

        x, y = (torch.randn(50, requires_grad=True) for _ in range(2))
        Product.apply(x, y).backward(torch.ones(50))  # of sum() it would be one number, expanded
        torch.testing.assert_close(x.grad, y.detach())
        torch.testing.assert_close(y.grad, x.detach())

    def test_compile_around_a_launch(self):
        """Under Triton's name, so that PyTorch's compiler meets Nereid where it looks for Triton."""
        out, errors, code = run_program(
            "import torch, triton, triton.language as tl\n"
            "@triton.jit\n"
            "def scale(x, out, factor, n, B: tl.constexpr):\n"
            "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
            "    tl.store(out + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)\n"
            "def scaled(x):\n"
            "    out = torch.empty_like(x)\n"
            "    scale[(triton.cdiv(x.numel(), 128),)](x, out, 3.0, x.numel(), B=128)\n"
            "    return out\n"
            "class Scaled(torch.autograd.Function):\n"
            "    forward = staticmethod(lambda context, x: scaled(x))\n"
            "    backward = staticmethod(lambda context, g: scaled(g.contiguous()))\n"
            "x = torch.randn(300, requires_grad=True)\n"
            "y = torch.compile(lambda x: Scaled.apply(torch.relu(x)) + 1, backend='aot_eager')(x)\n"
            "torch.testing.assert_close(y, torch.relu(x) * 3 + 1)\n"
            "y.sum().backward()\n"
            "torch.testing.assert_close(x.grad, 3.0 * (x > 0))\n"
            "import torch._inductor.runtime.triton_heuristics\n"
            "print('right')\n")
        self.assertEqual((out.strip(), code), ("right", 0), errors)

    def test_warmup_with_dtypes(self):
        compiled = multiply.warmup(torch.float32, torch.float32, torch.float16, 10, BLOCK=64, grid=(1,))
        self.assertEqual(compiled.signature["out"], "*fp16:16")


if __name__ == "__main__":
    main()
