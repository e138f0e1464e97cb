# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches that begin before the one before them has ended: each reads what the one before wrote, thousands of times. Needs
a GPU and a PyTorch for it."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from running import main, require_gpu

torch = require_gpu()

import nereid
import nereid.language as tl

BLOCK = 256


@nereid.jit
def passed_on(x, out, n, step, BLOCK: tl.constexpr):
    """Each element from anywhere, as another block wrote it."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + (i.to(tl.int64) * step + 7) % n) + 1)


@nereid.jit
def halves(x, n, half, step, BLOCK: tl.constexpr):
    """Half of each 32 bytes from the other halves: lines that a launch reads hold what the launch writes."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = (i.to(tl.int64) * step + 5) % n
    other = tl.load(x + j // 4 * 8 + (1 - half) * 4 + j % 4)
    tl.store(x + i // 4 * 8 + half * 4 + i % 4, other + 1)


@nereid.jit
def first_alone(x, out, n):
    """All programs but one end at once, and the next launch reads what was written before this one."""
    if tl.program_id(0) == 0:
        tl.store(out, tl.load(x + n - 1))


@nereid.jit
def product(a, b, out, N: tl.constexpr):
    i, j = tl.program_id(0) * 64 + tl.arange(0, 64), tl.program_id(1) * 64 + tl.arange(0, 64)
    total = tl.zeros((64, 64), tl.float32)
    for at in range(0, N, 64):
        k = at + tl.arange(0, 64)
        total = tl.dot(tl.load(a + i[:, None] * N + k[None, :]), tl.load(b + k[:, None] * N + j[None, :]), total)
    tl.store(out + i[:, None] * N + j[None, :], total.to(tl.float16))


def numbers(count):
    return torch.zeros(count, dtype=torch.int32, device="cuda")


class Chains(unittest.TestCase):
    BLOCKS = (1, 4, 131, 132, 133, 1000, 3000)

    def run_chain(self, launch, times):
        """`times` calls in a row behind something long, so that they are queued when it ends; and as many in a graph."""
        launch()
        torch.cuda.synchronize()
        torch.cuda._sleep(3_000_000)
        for _ in range(times):
            launch()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(100):
                launch()
        for _ in range(times // 100):
            graph.replay()
        torch.cuda.synchronize()
        return 1 + times + times // 100 * 100

    def test_what_the_launch_before_wrote(self):
        for blocks in self.BLOCKS:
            n = blocks * BLOCK
            x, y = numbers(n), numbers(n)

            def both():
                passed_on[(blocks,)](x, y, n, 1103, BLOCK)
                passed_on[(blocks,)](y, x, n, 1103, BLOCK)
            times = self.run_chain(both, 500)
            self.assertTrue((x == 2 * times).all(), blocks)

    def test_lines_that_are_read_and_written(self):
        for blocks in self.BLOCKS:
            n = blocks * BLOCK
            x = numbers(2 * n)

            def both():
                halves[(blocks,)](x, n, 0, 1103, BLOCK)
                halves[(blocks,)](x, n, 1, 1103, BLOCK)
            times = self.run_chain(both, 500)
            self.assertTrue((x.view(-1, 2, 4)[:, 1] == 2 * times).all(), blocks)

    def test_different_grids_behind_one_another(self):
        n = 3000 * BLOCK
        x, y, last = numbers(n), numbers(n), numbers(1)

        def several():
            passed_on[(3000,)](x, y, n, 1103, BLOCK)
            first_alone[(500,)](y, last, n)
            passed_on[(3000,)](y, x, n, 1103, BLOCK)
            first_alone[(1,)](x, last, n)
        times = self.run_chain(several, 200)
        self.assertTrue((x == 2 * times).all())
        self.assertEqual(last.item(), 2 * times)

    def test_between_kernels_of_pytorch(self):
        n = 1000 * BLOCK
        x, y = numbers(n), numbers(n)

        def several():
            passed_on[(1000,)](x, y, n, 1103, BLOCK)
            y.add_(1)
            passed_on[(1000,)](y, x, n, 1103, BLOCK)
            y.copy_(x)
            x.copy_(y)
        times = self.run_chain(several, 200)
        self.assertTrue((x == 3 * times).all())

    def test_between_streams(self):
        n = 1000 * BLOCK
        x, y = numbers(n), numbers(n)
        streams = torch.cuda.Stream(), torch.cuda.Stream()
        torch.cuda.synchronize()
        for turn in range(1000):
            on, other = streams[turn % 2], streams[1 - turn % 2]
            on.wait_stream(other)
            with torch.cuda.stream(on):
                passed_on[(1000,)](x, y, n, 1103, BLOCK)
                passed_on[(1000,)](y, x, n, 1103, BLOCK)
        torch.cuda.synchronize()
        self.assertTrue((x == 2000).all())

    def test_products_of_products(self):
        """A warp of its own fetches what the launch before wrote."""
        n = 512
        torch.manual_seed(0)
        turned = torch.eye(n, dtype=torch.float16, device="cuda")[torch.randperm(n, device="cuda")].contiguous()
        a = torch.randint(-8, 8, (n, n), device="cuda").half()
        x, y = a.clone(), torch.empty_like(a)

        def both():
            product[(n // 64, n // 64)](turned, x, y, n)
            product[(n // 64, n // 64)](turned, y, x, n)
        times = self.run_chain(both, 500)
        expected = a
        for _ in range(2 * times):
            expected = expected[turned.argmax(1)]
        self.assertTrue(torch.equal(x, expected))

    def test_memory_that_is_given_back(self):
        """PyTorch gives a stream's memory to the stream's next tensor at once."""
        n = 1000 * BLOCK
        x = numbers(n)
        torch.cuda.synchronize()
        torch.cuda._sleep(3_000_000)
        for _ in range(500):
            y = torch.empty_like(x)
            passed_on[(1000,)](x, y, n, 1103, BLOCK)
            x = torch.empty_like(y)
            passed_on[(1000,)](y, x, n, 1103, BLOCK)
            del y
        torch.cuda.synchronize()
        self.assertTrue((x == 1000).all())


if __name__ == "__main__":
    main()
