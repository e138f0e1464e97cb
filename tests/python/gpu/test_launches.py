# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches on PyTorch's tensors on a GPU: values, streams, graphs, refusals. Needs a GPU and a PyTorch for it."""

import os
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from running import main, require_gpu, run_program

torch = require_gpu()

import nereid
import nereid.language as tl


@nereid.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    tl.store(out + places, tl.load(x + places, mask=mask) + tl.load(y + places, mask=mask), mask=mask)


@nereid.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + (k + depth)[None, :],
                       mask=(rows[:, None] < M) & ((k + depth)[None, :] < K), other=0)
        right = tl.load(b + (k + depth)[:, None] * N + columns[None, :],
                        mask=((k + depth)[:, None] < K) & (columns[None, :] < N), other=0)
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))


@nereid.jit
def says(x):
    tl.device_print("here", tl.load(x))


def sum_of(x, y, **options):
    out = torch.empty_like(x)
    add[lambda meta: (nereid.cdiv(x.numel(), meta["BLOCK"]),)](x, y, out, x.numel(), BLOCK=256, **options)
    return out


class Values(unittest.TestCase):

    def test_sizes_and_dtypes(self):
        torch.manual_seed(1)
        for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.int64, torch.int8):
            for size in (0, 1, 255, 256, 1023, 98432):
                x, y = (torch.randn(size, device="cuda").mul(9).to(dtype) for _ in range(2))
                self.assertTrue(torch.equal(sum_of(x, y), x + y), (dtype, size))

    def test_unaligned_views(self):
        base = torch.randn(1001, device="cuda")
        x, y = base[1:500], base[501:1000]
        self.assertTrue(torch.equal(sum_of(x, y), x + y))

    def test_products_whatever_the_warps_and_stages(self):
        torch.manual_seed(2)
        a, b = torch.randn(123, 77, device="cuda").half(), torch.randn(77, 201, device="cuda").half()
        want = a.double() @ b.double()
        for options in ({}, {"num_warps": 2}, {"num_warps": 4, "num_stages": 1}, {"num_warps": 8, "num_stages": 4}):
            c = torch.empty(123, 201, device="cuda")
            compiled = matmul[(2, 4)](a, b, c, 123, 201, 77, BM=64, BN=64, BK=32, **options)
            torch.testing.assert_close(c.double(), want, atol=1e-3, rtol=1e-3)
            if "num_warps" in options:
                self.assertEqual(compiled.metadata.num_warps, options["num_warps"])

    def test_checked_executor_takes_copies(self):
        out, errors, code = run_program(
            "import torch, triton, triton.language as tl\n"
            "@triton.jit\n"
            "def twice(x, n, B: tl.constexpr):\n"
            "    places = tl.arange(0, B)\n"
            "    tl.store(x + places, tl.load(x + places, mask=places < n) * 2, mask=places < n)\n"
            "base = torch.arange(20., device='cuda')\n"
            "view = base[3:13]\n"
            "twice[(1,)](view, 10, 16)\n"
            "assert view.is_cuda and base.tolist() == [v * 2 if 3 <= v < 13 else v for v in range(20)], base\n"
            "print('right')\n", environment={"TRITON_INTERPRET": "1"})
        self.assertEqual((out.strip(), code), ("right", 0), errors)


class Streams(unittest.TestCase):

    def test_a_launch_is_in_the_order_of_the_current_stream(self):
        stream = torch.cuda.Stream()
        x, y = torch.zeros(1 << 20, device="cuda"), torch.ones(1 << 20, device="cuda")
        sum_of(x, y)
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(100_000_000)
            x += 1  # would come too late for a launch on another stream
            out = sum_of(x, y)
            out += 1
        stream.synchronize()
        self.assertTrue((out == 3).all())

    def test_a_launch_does_not_wait(self):
        x = torch.ones(256, device="cuda")
        sum_of(x, x)
        torch.cuda.synchronize()
        torch.cuda._sleep(1_000_000_000)  # about half a second
        start = time.perf_counter()
        for _ in range(100):
            sum_of(x, x)
        spent, is_done = time.perf_counter() - start, torch.cuda.current_stream().query()
        torch.cuda.synchronize()
        self.assertFalse(is_done)
        self.assertLess(spent, 0.2)

    def test_a_given_stream(self):
        stream = torch.cuda.Stream()
        x = torch.ones(256, device="cuda")
        out = torch.empty_like(x)
        compiled = add[(1,)](x, x, out, 256, BLOCK=256)
        torch.cuda.synchronize()
        out.zero_()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(50_000_000)
        compiled[(1,)](x, x, out, 256, 256, stream=stream.cuda_stream)
        self.assertFalse(stream.query())
        stream.synchronize()
        self.assertTrue((out == 2).all())


class Graphs(unittest.TestCase):

    def capture(self, call):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            call()
        return graph

    def test_replay(self):
        x, y = torch.ones(1000, device="cuda"), torch.ones(1000, device="cuda")
        out = torch.zeros(1000, device="cuda")
        call = lambda: add[(4,)](x, y, out, 1000, BLOCK=256)
        call()
        out.zero_()
        graph = self.capture(lambda: [call() for _ in range(3)])
        torch.cuda.synchronize()
        self.assertTrue((out == 0).all())
        for value in (5, 7):
            x.fill_(value)
            graph.replay()
            torch.cuda.synchronize()
            self.assertTrue((out == value + 1).all())

    def test_the_first_launch_may_be_captured(self):

        @nereid.jit
        def never_launched_before(x, N: tl.constexpr):
            places = tl.arange(0, N)
            tl.store(x + places, tl.load(x + places) + 1)

        x = torch.zeros(64, device="cuda")
        graph = self.capture(lambda: never_launched_before[(1,)](x, 64))
        for _ in range(3):
            graph.replay()
        torch.cuda.synchronize()
        self.assertTrue((x == 3).all())

    def test_prints_are_refused(self):
        x = torch.zeros(1, device="cuda")
        says[(1,)](x)
        graph = torch.cuda.CUDAGraph()
        with self.assertRaisesRegex(RuntimeError, "prints, and cannot be launched on a stream that is being captured"):
            with torch.cuda.graph(graph):
                says[(1,)](x)


class Refusals(unittest.TestCase):

    def test_mixture(self):
        x = torch.ones(64, device="cuda")
        with self.assertRaisesRegex(ValueError, "'x' lies on cuda:0, and 'y' lies in the host's memory"):
            add[(1,)](x, torch.ones(64), x, 64, BLOCK=64)

    def test_pinned_memory_is_the_gpus_too(self):
        x, y, out = torch.ones(64, device="cuda"), torch.ones(64).pin_memory(), torch.zeros(64).pin_memory()
        add[(1,)](x, y, out, 64, BLOCK=64)
        torch.cuda.synchronize()
        self.assertTrue((out == 2).all())

    def test_too_much_shared_memory(self):

        @nereid.jit
        def hungry(x, N: tl.constexpr):
            places = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
            tile = tl.load(x + places)
            tl.store(x + places, tl.dot(tile, tile) + tl.dot(tl.trans(tile), tile))

        with self.assertRaises(nereid.errors.OutOfResources):
            hungry[(1,)](torch.ones(256 * 256, device="cuda"), N=256)

    @unittest.skipIf(torch.cuda.device_count() < 2, "one GPU")
    def test_two_gpus(self):
        x, y = torch.ones(64, device="cuda:1"), torch.ones(64, device="cuda:1")
        self.assertTrue((sum_of(x, y) == 2).all())
        if not torch.cuda.can_device_access_peer(0, 1):
            with self.assertRaisesRegex(ValueError, "'x' lies on cuda:1, and the launch is on cuda:0"):
                add[(1,)](x, torch.ones(64, device="cuda:0"), x, 64, BLOCK=64)
            return
        near, out = torch.full((64,), 3.0, device="cuda:0"), torch.zeros(64, device="cuda:1")
        torch.cuda.synchronize(1)
        compiled = add[(1,)](x, near, out, 64, BLOCK=64)
        self.assertEqual(compiled.cuda_device, torch.cuda.current_device())
        torch.cuda.synchronize()
        self.assertTrue((out == 4).all())


class Prints(unittest.TestCase):

    def test_lines(self):
        out, errors, code = run_program("import torch, triton, triton.language as tl\n"
                                        "@triton.jit\n"
                                        "def says(x):\n"
                                        "    tl.device_print('value', tl.load(x))\n"
                                        "says[(2,)](torch.full((1,), 7, device='cuda'))\n")
        self.assertEqual((out.count("value"), code), (2, 0), out + errors)


class Faults(unittest.TestCase):

    def test_an_illegal_address_names_the_kernel(self):
        program = ("import torch, triton, triton.language as tl\n"
                   "@triton.jit\n"
                   "def strays(x):\n"
                   "    tl.store(x + (tl.program_id(0).to(tl.int64) + 1) * (1 << 40), 1)\n"
                   "x = torch.zeros(1, dtype=torch.int32, device='cuda')\n"
                   "strays[(3,)](x)\n"
                   "try:\n"
                   "    torch.cuda.synchronize()\n"
                   "except RuntimeError:\n"
                   "    pass\n"
                   "strays[(3,)](x)\n")
        done = run_program(program)
        self.assertNotEqual(done[2], 0)
        self.assertIn("strays", done[1])

    def test_a_compiled_model_does_not_wait_for_its_assertions(self):
        """A gather whose index is out of range, in code of Inductor's behind work that takes long: its launch returns
        before, and PyTorch has the failure where it next asks."""
        program = ("import time, torch\n"
                   "@torch.compile\n"
                   "def rows_of(table, rows):\n"
                   "    return table[rows] * 2\n"
                   "table = torch.ones(100, 64, device='cuda')\n"
                   "good = torch.arange(32, device='cuda')\n"
                   "bad = good + 80\n"
                   "rows_of(table, good)\n"
                   "torch.cuda.synchronize()\n"
                   "torch.cuda._sleep(1_000_000_000)\n"
                   "begin = time.perf_counter()\n"
                   "rows_of(table, bad)\n"
                   "print('waited' if time.perf_counter() - begin > 0.3 else 'returned', flush=True)\n"
                   "try:\n"
                   "    torch.cuda.synchronize()\n"
                   "except RuntimeError as error:\n"
                   "    print(error)\n")
        out, errors, _ = run_program(program)
        self.assertTrue(out.startswith("returned"), out + errors)
        self.assertIn("device-side assert", out)
        self.assertIn("Assertion `index out of bounds", errors)

    def test_assertions_in_graphs(self):
        program = ("import torch, triton, triton.language as tl\n"
                   "@triton.jit\n"
                   "def checked(x):\n"
                   "    value = tl.load(x)\n"
                   "    tl.device_assert(value > 0, 'is positive')\n"
                   "    tl.store(x, value - 1)\n"
                   "x = torch.full((1,), 4, device='cuda')\n"
                   "checked[(1,)](x, debug=True)\n"
                   "graph = torch.cuda.CUDAGraph()\n"
                   "with torch.cuda.graph(graph):\n"
                   "    checked[(1,)](x, debug=True)\n"
                   "graph.replay(); graph.replay()\n"
                   "print(x.item())\n"
                   "graph.replay(); graph.replay()\n"
                   "torch.cuda.synchronize()\n")
        out, errors, code = run_program(program)
        self.assertEqual(out.split(), ["1"], out + errors)
        self.assertNotEqual(code, 0)
        self.assertIn("Assertion `is positive", errors)


if __name__ == "__main__":
    main()
