# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs use besides launches, on a GPU: the active driver, facts about compiled kernels, timing, tuning,
PyTorch's own machinery, and the real Triton in the same process."""

import importlib.util
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from running import main, require_gpu, run_program

torch = require_gpu()

import nereid
import nereid.language as tl
from nereid import driver, testing


@nereid.jit
def scale(x, out, factor, n, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    tl.store(out + places, tl.load(x + places, mask=mask) * factor, mask=mask)


def scaled(x, factor):
    out = torch.empty_like(x)
    scale[(nereid.cdiv(x.numel(), 512),)](x, out, factor, x.numel(), BLOCK=512)
    return out


class Driver(unittest.TestCase):

    def test_target(self):
        active = driver.config.active
        major, minor = torch.cuda.get_device_capability()
        self.assertEqual(active.get_current_target(), nereid.GPUTarget("cuda", major * 10 + minor, 32))
        self.assertEqual(active.get_current_device(), torch.cuda.current_device())
        self.assertEqual(active.get_active_torch_device(), torch.device("cuda", 0))
        self.assertIs(active.get_device_interface(), torch.cuda)
        facts, theirs = active.utils.get_device_properties(0), torch.cuda.get_device_properties(0)
        self.assertEqual(facts["multiprocessor_count"], theirs.multi_processor_count)
        self.assertEqual(facts["max_shared_mem"], theirs.shared_memory_per_block_optin)

    def test_compiled_kernel(self):
        x = torch.ones(512, device="cuda")
        compiled = scale[(1,)](x, x, 2.0, 512, BLOCK=512, num_warps=8)
        self.assertEqual(compiled.metadata.num_warps, 8)
        self.assertGreater(compiled.n_regs, 4)
        self.assertEqual(compiled.n_spills, 0)
        self.assertIn(".visible .entry", compiled.asm["ptx"])
        self.assertEqual(compiled.asm["cubin"][:4], b"\x7fELF")

    def test_warmup_of_dtypes_compiles_for_the_gpu(self):
        compiled = scale.warmup(torch.float32, torch.float32, 1.5, 99, BLOCK=128, grid=(1,))
        self.assertEqual(compiled.cuda_device, torch.cuda.current_device())


class Timing(unittest.TestCase):

    def test_both_timers_agree_with_a_copy(self):
        x = torch.randn(1 << 26, device="cuda")
        out = torch.empty_like(x)
        call = lambda: scale[(nereid.cdiv(x.numel(), 1024),)](x, out, 2.0, x.numel(), BLOCK=1024)
        rates = [2 * x.numel() * 4 / milliseconds * 1e-6
                 for milliseconds in (testing.do_bench(call), testing.do_bench_cudagraph(call),
                                      testing.do_bench(lambda: out.copy_(x)))]
        print("GB/s by events, by a graph, and of a copy:", *(f"{rate:.0f}" for rate in rates), file=sys.stderr)
        self.assertGreater(min(rates), 0.5 * max(rates))

    def test_quantiles(self):
        low, middle, high = testing.do_bench(lambda: None, quantiles=(0.2, 0.5, 0.8))
        self.assertLessEqual(low, middle)
        self.assertLessEqual(middle, high)

    def test_autotune(self):
        configs = [nereid.Config({"BLOCK": 128}, num_warps=1), nereid.Config({"BLOCK": 1024}, num_warps=8)]

        @nereid.autotune(configs, key=["n"])
        @nereid.jit
        def tuned(x, out, n, BLOCK: tl.constexpr):
            places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(out + places, tl.load(x + places, mask=places < n) + 1, mask=places < n)

        x = torch.zeros(10007, device="cuda")
        out = torch.empty_like(x)
        tuned[lambda meta: (nereid.cdiv(10007, meta["BLOCK"]),)](x, out, 10007)
        self.assertTrue((out == 1).all())
        self.assertEqual(len(tuned.configs_timings), 2)


class PyTorch(unittest.TestCase):

    def test_autograd(self):

        class Scaled(torch.autograd.Function):

            @staticmethod
            def forward(context, x):
                return scaled(x, 3.0)

            @staticmethod
            def backward(context, gradient):
                return scaled(gradient.contiguous(), 3.0)

        x = torch.randn(1000, device="cuda", requires_grad=True)
        Scaled.apply(x).sum().backward()
        self.assertTrue((x.grad == 3).all())

    def test_custom_operator(self):

        @torch.library.custom_op("nereid_test::scaled", mutates_args=())
        def operator(x: torch.Tensor, factor: float) -> torch.Tensor:
            return scaled(x, factor)

        @operator.register_fake
        def _(x, factor):
            return torch.empty_like(x)

        x = torch.randn(300, device="cuda")
        self.assertTrue(torch.equal(operator(x, 2.0), x * 2))
        torch.library.opcheck(operator, (x, 2.0))

    def test_compile_around_a_launch(self):

        def model(x):
            return scaled(torch.relu(x), 2.0) + 1

        x = torch.randn(300, device="cuda")
        torch.testing.assert_close(torch.compile(model)(x), torch.relu(x) * 2 + 1)


class RealTriton(unittest.TestCase):

    @unittest.skipIf(importlib.util.find_spec("triton") is None, "the real Triton is not installed")
    def test_both_in_one_process(self):
        import triton

        self.assertNotIn("nereid", triton.__file__)
        text = ("import torch, triton as theirs, triton.language as tl\n"
                "import nereid\n"
                "def kernel(x, n, B: tl.constexpr):\n"
                "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
                "    tl.store(x + i, tl.exp(tl.load(x + i, mask=i < n)), mask=i < n)\n"
                "a = torch.randn(1000, device='cuda'); b = a.clone()\n"
                "theirs.jit(kernel)[(4,)](a, 1000, B=256)\n"
                "tl = nereid.language\n"
                "nereid.jit(kernel)[(4,)](b, 1000, B=256)\n"
                "torch.testing.assert_close(a, b)\n"
                "print('both')\n")
        out, errors, code = run_program(text, launcher=())
        self.assertEqual((out.strip(), code), ("both", 0), errors)


if __name__ == "__main__":
    main()
