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


class Threads(unittest.TestCase):
    """Launches run on the threads that PyTorch's own operators run on: others would share each core with them."""

    LAUNCHES = """
import pathlib
import torch, triton, triton.language as tl

@triton.jit
def slow(out, ROUNDS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = at * 1e-6
    for _ in range(ROUNDS):
        x = tl.sin(x) + 0.5
    tl.store(out + at, x)

def names():
    found = []
    for each in pathlib.Path("/proc/self/task").glob("*/comm"):
        try:
            found.append(each.read_text().strip())
        except OSError:  # a thread that has ended meanwhile
            pass
    return found

torch.set_num_threads(3)
torch.randn(1 << 22).add(1)  # PyTorch's threads are there
before = len(names())
whole = torch.empty(64, 4096)
slow[(64,)](whole, 300, 4096)
print(len(names()) - before, names().count("nereid-worker"))
torch.set_num_threads(1)
alone = torch.empty_like(whole)
slow[(64,)](alone, 300, 4096)
print(bool((alone == whole).all()), names().count("nereid-worker"))
"""

    FORKED = """
import os, torch
torch.randn(1 << 22).add(1)  # a team, in the parent
child = os.fork()
if child:
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os._exit(0)
import nereid, nereid.language as tl  # which has seen no fork

@nereid.jit
def fill(out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.sin(at * 1e-6))

out = torch.empty(512 * 4096)
fill[(512,)](out, 4096)
os._exit(not (out[:99].isfinite().all() and out[-99:].isfinite().all()))
"""

    def test_in_a_child_of_a_process_that_had_a_team(self):
        out, errors, status = run_program(self.FORKED, environment={"NEREID_THREADS": ""}, launcher=())
        self.assertEqual((out, status), ("0\n", 0), errors)

    def test_launches_borrow_them(self):
        out, errors, status = run_program(self.LAUNCHES, environment={"NEREID_THREADS": ""})
        self.assertEqual((out, status), ("0 0\nTrue 0\n", 0), errors)


class Profiled(unittest.TestCase):

    def test_launches_on_a_cpu_are_ranges_of_the_profiler(self):
        x = torch.randn(1000)
        product_of(x, x)  # not profiled
        activities = [torch.profiler.ProfilerActivity.CPU]
        with torch.profiler.profile(activities=activities) as profile:
            for _ in range(3):
                compiled = multiply[(8,)](x, x, torch.empty_like(x), 1000, BLOCK=128)
            compiled[(8, 1, 1)](x, x, torch.empty_like(x), 1000, 128)
            with self.assertRaises(Exception):
                multiply[(8,)](x, "nothing", x, 1000, BLOCK=128)
        product_of(x, x)
        counts = {event.key: event.count for event in profile.key_averages()}
        self.assertEqual(counts.get("kernel_multiply"), 4, counts)


class Traced(unittest.TestCase):

    def test_arithmetic_of_hosts_on_sizes_that_are_not_known(self):

        @nereid.constexpr_function
        def half(n):
            return n // 2

        def function(x):
            return x.sum() + nereid.next_power_of_2(x.shape[1]) + nereid.cdiv(x.shape[0], 4) * half(x.shape[0])

        compiled = torch.compile(function, dynamic=True, fullgraph=True, backend="eager")
        for shape in (3, 5), (7, 9), (8, 33), (9, 64):
            x = torch.ones(shape)
            self.assertEqual(compiled(x), function(x))
        self.assertEqual([nereid.next_power_of_2(n) for n in (0, 1, 2, 3, 1000, 2**40 + 1)], [0, 1, 2, 4, 1024, 2**41])


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

    def test_without_memory(self):
        """Refused where the kernel is launched; where it is only compiled, they do."""
        from torch._subclasses.fake_tensor import FakeTensorMode

        with FakeTensorMode():
            fake = torch.empty(1000)
            part_of_fake = torch.empty(100_000)[50_000:]
        freed = torch.zeros(1000)
        freed.untyped_storage().resize_(0)
        real = torch.zeros(1000)
        meta = torch.empty(100_000, device="meta")
        functional = torch._to_functional_tensor(torch.rand(1000))
        for name, x in (("on meta", meta), ("on meta", meta[50_000:]), ("FakeTensor", fake),
                        ("FakeTensor", part_of_fake), ("Tensor of shape", freed), ("Tensor of shape", functional)):
            with self.assertRaisesRegex(ValueError, f"without memory.*{name}"):
                multiply[(1,)](x, real, real, 128, BLOCK=128)
        storage = torch.ones(20_000)
        part = storage[18_000:]  # which is known from a launch, and then no more
        for _ in range(2):
            multiply[(1,)](part, part, real, 128, BLOCK=128)
            storage.untyped_storage().resize_(0)
            with self.assertRaisesRegex(ValueError, "without memory.*Tensor of shape"):
                multiply[(1,)](part, part, real, 128, BLOCK=128)
            storage.untyped_storage().resize_(80_000)
        meta = torch.empty(10, device="meta", dtype=torch.float16)
        self.assertEqual(multiply.warmup(meta, real, real, 10, BLOCK=64, grid=(1,)).signature["x"], "*fp16:16")
        multiply[(1,)](torch.empty(0), real, real, 0, BLOCK=16)

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

    def test_autotuned_kernel_in_an_operator(self):
        """PyTorch asks whether a kernel is an interpreted one, which it would launch while it traces."""
        out, errors, code = run_program(
            "import torch, triton, triton.language as tl\n"
            "from torch._subclasses.fake_tensor import FakeTensorMode\n"
            "from torch.library import triton_op, wrap_triton\n"
            "from triton.runtime.interpreter import InterpretedFunction\n"
            "@triton.autotune([triton.Config({'B': b}) for b in (64, 128)], key=['n'])\n"
            "@triton.jit\n"
            "def double(x, out, n, B: tl.constexpr):\n"
            "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
            "    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)\n"
            "@triton_op('tests::doubled', mutates_args={})\n"
            "def doubled(x: torch.Tensor) -> torch.Tensor:\n"
            "    out = torch.empty_like(x)\n"
            "    wrap_triton(double)[lambda meta: (triton.cdiv(x.numel(), meta['B']),)](x, out, x.numel())\n"
            "    return out\n"
            "x = torch.rand(1000)\n"
            "assert torch.equal(torch.compile(doubled, backend='aot_eager')(x), x * 2)\n"
            "with FakeTensorMode():\n"
            "    assert doubled(torch.empty(1000)).shape == (1000,)\n"
            "assert not isinstance(double.fn, InterpretedFunction)\n"
            "assert isinstance(InterpretedFunction(double.fn.fn), InterpretedFunction)\n"
            "print('right')\n")
        self.assertEqual((out.strip(), code), ("right", 0), errors)

    def test_accesses(self):
        """Which parameters lead to what a kernel reads and writes; where an address was found in memory, none."""

        @nereid.jit
        def mixed(x, out, other, never, table, d, n, wild: tl.constexpr):
            p, q = x, out
            i = 0
            while i < n:
                if i > 3:
                    p, q = q, p
                p += 1
                i += 1
            total = tl.reduce(tl.load(tl.make_block_ptr(other, (n,), (1,), (0,), (16,), (0,))), 0, add)
            d.store([0], tl.full((16,), total, tl.float32))
            tl.store(p, total)
            if wild:
                tl.store(tl.load(table).to(tl.pointer_type(tl.float32)), total)

        @nereid.jit
        def add(a, b):
            return a + b

        from nereid.accesses import UnknownAccess

        def accesses(wild):
            x = torch.zeros(64)
            descriptor = nereid.TensorDescriptor.from_tensor(x, [16])
            compiled = mixed.warmup(x, x, x, x, torch.zeros(1, dtype=torch.int64), descriptor, 16, wild, grid=(1,))
            found = compiled.find_accesses().require_all()
            return found.written, found.read

        self.assertEqual(accesses(False), (["x", "out", "d"], ["other"]))
        self.assertRaises(UnknownAccess, accesses, True)

    def test_accesses_of_instructions(self):

        @nereid.jit
        def count(x, y, z, n):
            tl.inline_asm_elementwise("red.global.add.u32 [$1], $2; // $0", "=r,l,r", [x, n], tl.int32, False, 1)
            tl.store(z, tl.inline_asm_elementwise("ld.global.nc.u32 $0, [$1];", "=r,l", [y], tl.int32, True, 1))

        from nereid.ahead import ASTSource, compile
        from nereid.target import GPUTarget
        source = ASTSource(count, {"x": "*i32", "y": "*i32", "z": "*i32", "n": "i32"})
        found = compile(source, target=GPUTarget("cuda", 90, 32)).find_accesses()
        self.assertEqual((found.written, found.read), (["x", "z"], ["x", "y"]))

    def test_warmup_with_dtypes(self):
        compiled = multiply.warmup(torch.float32, torch.float32, torch.float16, 10, BLOCK=64, grid=(1,))
        self.assertEqual(compiled.signature["out"], "*fp16:16")


if __name__ == "__main__":
    main()
