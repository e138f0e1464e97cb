# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays on a GPU, where there is none: the driver is a library that runs nothing and says what it was given."""

import ctypes
import os
import sys
import types
import unittest
import unittest.mock

from running import main, require, run_program

FAKE = os.environ.get("NEREID_TEST_FAKE_CUDA", "")
if not FAKE:
    print("skipped: NEREID_TEST_FAKE_CUDA names no driver to test with")
    sys.exit(77)
os.environ["NEREID_LIBCUDA"] = FAKE
os.environ.setdefault("FAKE_CUDA", "devices=2 kernel=kernel_add:8,8,4 kernel=kernel_hungry:8 kernel=kernel_alone:4 kernel=kernel_checked:4,8 "
                      "kernel=kernel_wait:4")
require("numpy")
import numpy as np

import nereid
import nereid.language as tl
from nereid import driver, gpu
from nereid.ahead import ASTSource, compile


@nereid.jit
def add(x, y, n, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + places, tl.load(x + places, mask=places < n) + tl.load(y + places, mask=places < n), mask=places < n)


@nereid.jit
def alone(n):
    tl.device_assert(n > 0)


@nereid.jit
def checked(n):
    tl.device_assert(n > 0, "there are some")


class Fake:
    """The driver's own functions, for what another library would do."""

    def __init__(self):
        self.library = ctypes.CDLL(FAKE)
        self.library.fakeCudaTakeLaunches.restype = ctypes.c_char_p
        self.check(self.library.cuInit(0))
        self.contexts = []
        for device in range(2):
            context = ctypes.c_void_p()
            self.check(self.library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
            self.contexts.append(context)

    @staticmethod
    def check(result):
        if result:
            raise OSError(f"result {result}")

    def within(self, device, call):
        self.check(self.library.cuCtxPushCurrent_v2(self.contexts[device]))
        self.check(call())
        self.check(self.library.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p())))

    def allocate(self, size, device=0):
        address = ctypes.c_uint64()
        self.within(device, lambda: self.library.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)))
        return address.value

    def pinned(self, size):
        address = ctypes.c_void_p()
        self.within(0, lambda: self.library.cuMemHostAlloc(ctypes.byref(address), ctypes.c_size_t(size), 0))
        return address.value

    def stream(self, device=0):
        handle = ctypes.c_void_p()
        self.within(device, lambda: self.library.cuStreamCreate(ctypes.byref(handle), 0))
        return handle.value

    def launches(self):
        """Of each launch (name, grid, threads, stream, values)."""
        lines = self.library.fakeCudaTakeLaunches().decode().splitlines()
        words = [line.split() for line in lines]
        return [(word[0], tuple(map(int, word[2:5])), int(word[6]), int(word[8]),
                 [int(value) for value in word[10].split(",")]) for word in words]


fake = Fake()


class Array:
    """As CuPy and Numba describe theirs."""

    def __init__(self, size, device=0, stream=None, address=None):
        self.address = fake.allocate(4 * size, device) if address is None else address
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "<f4", "data": (self.address, False),
                                         "version": 3, "stream": stream}


class Tensor:
    """As PyTorch's are read where it has no interface for types."""

    def __init__(self, size, device="cuda:0"):
        self.address = fake.allocate(4 * size, int(device[-1]))
        self.dtype, self.shape, self.device = "torch.float32", (size,), device

    def data_ptr(self):
        return self.address

    def stride(self):
        return (1,)


def launch_of(*args, **kwargs):
    """The one launch that the driver gets."""
    add[(3,)](*args, **kwargs)
    only, = fake.launches()
    return only


class Choices(unittest.TestCase):

    def test_those_that_are_set_when_a_kernel_is_compiled(self):
        """benchmarks/gpu_figures/ablation.py launches two codes of one text in turns."""

        def compiled(choices):
            kernel = nereid.jit(add.fn)
            with unittest.mock.patch.dict(os.environ, NEREID_POLICY=choices):
                return kernel, threads_of(kernel), kernel[(3,)](Array(9), Array(9), 9, BLOCK=1024).asm["ptx"]

        def threads_of(kernel):
            fake.launches()
            kernel[(3,)](Array(9), Array(9), 9, BLOCK=1024)
            return fake.launches()[0][2]

        usual, usual_threads, usual_ptx = compiled("")
        other, other_threads, other_ptx = compiled("elements_of_thread=16")
        self.assertEqual((usual_threads, other_threads), (128, 64))
        self.assertIn(".reqntid 128", usual_ptx)
        self.assertIn(".reqntid 64", other_ptx)
        self.assertEqual((threads_of(usual), threads_of(other)), (128, 64))


class Recorded(unittest.TestCase):

    def test_launches_are_timed_on_the_stream_that_they_run_on(self):
        from nereid.profiling.recorder import Recorder

        others = fake.stream()
        recorder = Recorder(analysis_seconds=0)
        recorder.start()
        try:
            for stream in (others, None):
                add[(3,)](Array(9, stream=stream), Array(9), 9, BLOCK=64)
            add[(2,)](Array(9, 1), Array(9, 1), 9, BLOCK=64)
        finally:
            recorder.stop()
        streams = [launch[3] for launch in fake.launches() if launch[0] == "kernel_add"]
        self.assertEqual(streams, [others, 0, 0])
        self.assertEqual([(launch.kernel, launch.grid, launch.device) for launch in recorder.launches],
                         [("add", (3, 1, 1), "cuda:0"), ("add", (3, 1, 1), "cuda:0"), ("add", (2, 1, 1), "cuda:1")])
        self.assertEqual(recorder.untimed, 0)
        for launch in recorder.launches:
            self.assertGreaterEqual(launch.seconds, 0)
            self.assertGreaterEqual(launch.begin, 0)


class Launches(unittest.TestCase):

    def test_interface(self):
        x, y = Array(100), Array(100)
        name, grid, _, stream, values = launch_of(x, y, 100, BLOCK=64)
        self.assertEqual((name, grid, stream), ("kernel_add", (3, 1, 1), 0))
        self.assertEqual(values, [x.address, y.address, 100])

    def test_tensors(self):
        x, y = Tensor(100, "cuda:1"), Tensor(100, "cuda:1")
        self.assertEqual(launch_of(x, y, 100, BLOCK=64)[4], [x.address, y.address, 100])

    def test_device_of_an_address(self):
        add[(1,)](Array(64, 1), Array(64, 1), 64, BLOCK=64)
        self.assertEqual(add[(1,)](Array(64, 1), Array(64, 1), 64, BLOCK=64).cuda_device, 1)
        fake.launches()

    def test_streams(self):
        others = fake.stream()
        self.assertEqual(launch_of(Array(9, stream=others), Array(9), 9, BLOCK=64)[3], others)
        self.assertEqual(launch_of(Array(9, stream=1), Array(9), 9, BLOCK=64)[3], 0)
        compiled = add[(1,)](Array(9), Array(9), 9, BLOCK=64)
        fake.launches()
        compiled[(2, 2)](Array(9), Array(9), 9, 64, stream=others)
        _, grid, _, stream, _ = fake.launches()[0]
        self.assertEqual((grid, stream), ((2, 2, 1), others))

    def test_current_stream_of_torch(self):
        others = fake.stream()
        torch = types.SimpleNamespace(cuda=types.SimpleNamespace(
            is_available=lambda: True, current_device=lambda: 1,
            current_stream=lambda device: types.SimpleNamespace(cuda_stream=others if device == 0 else 0)))
        before = sys.modules.get("torch")
        sys.modules["torch"] = torch
        try:
            self.assertEqual(launch_of(Tensor(9), Tensor(9), 9, BLOCK=64)[3], others)
            self.assertEqual(gpu.current_device(), 1)
        finally:
            del sys.modules["torch"]
            if before is not None:
                sys.modules["torch"] = before

    def test_mixture(self):
        host, device = np.zeros(64, np.float32), Array(64)
        with self.assertRaisesRegex(ValueError, "'y' lies on cuda:0, and 'x' lies in the host's memory; the arrays of"):
            add[(1,)](host, device, 64, BLOCK=64)
        add[(1,)](np.zeros(0, np.float32), device, 0, BLOCK=64)  # lies nowhere
        pinned = (ctypes.c_float * 64).from_address(fake.pinned(256))
        add[(1,)](np.ctypeslib.as_array(pinned), device, 64, BLOCK=64)
        self.assertEqual(len(fake.launches()), 2)

    def test_several_gpus(self):
        """Of tensors on two, the launch is on the current GPU, or where the first one lies; streams are that GPU's."""
        of_first, of_second = fake.stream(), fake.stream(1)
        x, y = Array(100, 1, stream=of_second), Array(100, 0, stream=of_first)
        _, _, _, stream, values = launch_of(x, y, 100, BLOCK=64)
        self.assertEqual((stream, values), (of_second, [x.address, y.address, 100]))
        self.assertEqual(add[(1,)](x, y, 100, BLOCK=64).cuda_device, 1)
        fake.launches()
        before = driver.config.active
        driver.config.set_active(gpu.CudaDriver())
        try:  # the current one is 0
            self.assertEqual(launch_of(x, y, 100, BLOCK=64)[3], of_first)
            self.assertEqual(add[(1,)](x, y, 100, BLOCK=64).cuda_device, 0)
            self.assertEqual(add[(1,)](x, x, 100, BLOCK=64).cuda_device, 1)  # on one alone: there
        finally:
            driver.config.set_active(before)
        fake.launches()

    def test_a_gpu_that_cannot_be_reached(self):
        program = ("import ctypes, os, sys\n"
                   f"sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})\n"
                   "import test_cuda as t\n"
                   "try:\n"
                   "    t.add[(1,)](t.Array(64), t.Array(64, 1), 64, BLOCK=64)\n"
                   "except ValueError as error:\n"
                   "    print(error)\n"
                   "print(t.fake.launches())\n")
        out, errors, code = run_program(program, environment={"FAKE_CUDA": os.environ["FAKE_CUDA"] + " alone=1"})
        self.assertEqual(code, 0, errors)
        self.assertRegex(out, r"argument 'y' lies on cuda:1, and the launch is on cuda:0: 0x[0-9a-f]+ lies in memory of "
                         r"cuda:1, which cuda:0 cannot reach: the driver connects the two in no way")
        self.assertIn("[]", out)

    def test_options_reach_the_compiler(self):
        arrays = Array(64), Array(64)
        for warps in (1, 2, 8):
            self.assertEqual(launch_of(*arrays, 64, BLOCK=1024, num_warps=warps)[2], warps * 32)
        self.assertEqual(add[(1,)](*arrays, 64, BLOCK=1024, num_warps=8).metadata.num_warps, 8)
        fake.launches()

    def test_options_that_are_parameters_are_both(self):

        @nereid.jit
        def add(x, out, n, num_warps: tl.constexpr, num_stages: tl.constexpr = 2):  # as the fake driver knows one
            at = tl.arange(0, 64)
            tl.store(out + at, tl.load(x + at) * num_warps + num_stages, at < n)

        def metadata(*given, **named):
            kernel = add[(1,)](Array(64), Array(64), 64, *given, **named)
            fake.launches()
            return kernel.metadata.num_warps, kernel.metadata.num_stages

        self.assertEqual(metadata(num_warps=8), (8, 3))
        self.assertEqual(metadata(num_warps=2, num_stages=4), (2, 4))
        self.assertEqual(metadata(1), metadata(8))

    def test_host_arrays_stay_on_the_host(self):
        x, y = np.ones(8, np.float32), np.full(8, 2, np.float32)
        add[(1,)](x, y, 8, BLOCK=8)
        self.assertEqual(x.tolist(), [3] * 8)
        self.assertEqual(fake.launches(), [])

    def test_no_programs(self):
        add[(0,)](Array(64), Array(64), 64, BLOCK=64)
        self.assertEqual(fake.launches(), [])


class Facts(unittest.TestCase):

    def test_compiled(self):
        compiled = add[(1,)](Array(64), Array(64), 64, BLOCK=64)
        fake.launches()
        self.assertEqual((compiled.n_regs, compiled.n_spills), (32, 0))
        self.assertEqual(str(compiled.metadata.target), str(nereid.GPUTarget("cuda", 90, 32)))
        self.assertIn(".target sm_90a", compiled.asm["ptx"])
        self.assertIn(b"kernel_add", compiled.asm["cubin"])
        self.assertEqual(list(compiled.asm.keys()), ["tile", "llir", "ptx", "cubin"])
        with self.assertRaises(KeyError):
            compiled.asm["amdgcn"]

    def test_compiled_ahead(self):
        signature = {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"}
        source = ASTSource(add, signature, {"BLOCK": 64}, {(0,): [["tt.divisibility", 16]]})
        compiled = compile(source, nereid.GPUTarget("cuda", 90, 32), {"num_warps": 2})
        self.assertIn(".reqntid 64", compiled.asm["ptx"])
        self.assertEqual((compiled.n_regs, compiled.n_spills), (32, 0))  # loads it
        x, y, stream = Array(64), Array(64), fake.stream()
        compiled[(2, 3)](x, y, 60, 64, stream=stream)
        (name, grid, threads, on, values), = fake.launches()
        self.assertEqual((name, grid, threads, on), ("kernel_add", (2, 3, 1), 64, stream))
        self.assertEqual(values, [x.address, y.address, 60])
        with self.assertRaisesRegex(ValueError, "'x' is not the multiple of 16"):
            compiled[(1,)](Array(64, address=x.address + 4), y, 60, 64)
        with self.assertRaisesRegex(ValueError, "was loaded for cuda:0, and its arrays lie in cuda:1"):
            compiled[(1,)](Array(64, 1), Array(64, 1), 60, 64)
        with self.assertRaisesRegex(ValueError, "arrays lie in the host's memory"):
            compiled[(1,)](np.zeros(64, np.float32), np.zeros(64, np.float32), 60, 64)
        self.assertEqual(fake.launches(), [])

    def test_assertions_of_code_that_others_launch(self):
        """No buffer for what failed, which nobody waits for: the driver is told, and knows the text."""
        source = ASTSource(checked, {"n": "i32"}, {}, {})
        compiled = compile(source, nereid.GPUTarget("cuda", 90, 32), {"debug": True})
        self.assertIn("__assertfail", compiled.asm["ptx"])
        self.assertIn(", ".join(str(letter) for letter in b"there are some"), compiled.asm["ptx"])
        stream = fake.stream()
        compiled[(2,)](5, stream=stream)
        (name, _, _, on, values), = fake.launches()
        self.assertEqual((name, on, values), ("kernel_checked", stream, [5, 0]))

    def test_code_for_other_launchers(self):
        """As PyTorch's packages launch it: the metadata is that of the machine code."""

        @nereid.jit
        def copy(x, out, n, one, B: tl.constexpr):
            row = tl.program_id(0).to(tl.int64) * n
            places = tl.arange(0, B)
            value = tl.load(x + row + places, mask=places < n, other=-float("inf"))
            value = tl.exp(value - tl.max(value, 0))
            tl.store(out + row + places, value / tl.sum(value, 0) * one, mask=places < n)

        signature = {"x": "*fp32", "out": "*fp32", "n": "i32", "one": "constexpr", "B": "constexpr"}
        attrs = {(place,): [["tt.divisibility", 16]] for place in range(3)}
        compiled = compile(ASTSource(copy, signature, {"one": 1, "B": 32768}, attrs), nereid.GPUTarget("cuda", 90, 32),
                           {"num_warps": 8})
        ptx, metadata = compiled.asm["ptx"], compiled.metadata
        self.assertEqual((metadata.name, metadata.num_warps), ("kernel_copy", 8))
        self.assertGreater(metadata.shared, 0)
        self.assertIn(".reqntid 256", ptx)
        self.assertEqual(ptx[ptx.index(".entry"):ptx.index("{", ptx.index(".entry"))].count(".param"), 3)
        self.assertIn("blocks loop over programs", compiled.dump("ptx"))  # what our own launches run
        with unittest.mock.patch.object(gpu, "is_available", lambda: True):  # which PyTorch's for CPUs denies
            self.assertIn(b"kernel_copy", compiled.asm["cubin"])
        self.assertNotIn("so", compiled.asm)

        @nereid.jit
        def says(x):
            tl.device_print("x", tl.load(x))

        @nereid.jit
        def descriptors(x):
            x.store([0], tl.zeros([64], tl.float32))

        compiled = compile(ASTSource(descriptors, {"x": "tensordesc<fp32[64]>"}), nereid.GPUTarget("cuda", 90, 32), {})
        with self.assertRaisesRegex(KeyError, "takes tensor descriptors"):
            compiled.asm["cubin"]
        compiled = compile(ASTSource(says, {"x": "*fp32"}), nereid.GPUTarget("cuda", 90, 32), {})
        with self.assertRaisesRegex(KeyError, "prints or asserts"):
            compiled.asm["cubin"]

    def test_properties(self):
        found = gpu.CudaUtils.get_device_properties(1)
        self.assertEqual((found["multiprocessor_count"], found["max_shared_mem"], found["warpSize"]), (132, 227 << 10, 32))
        self.assertEqual(found["max_num_regs"], 65536)

    def test_too_much_shared_memory(self):

        @nereid.jit
        def hungry(x, N: tl.constexpr):
            places = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
            tile = tl.load(x + places)
            tl.store(x + places, tl.dot(tile, tile) + tl.dot(tl.trans(tile), tile))

        with self.assertRaises(nereid.errors.OutOfResources) as caught:
            hungry[(1,)](Array(256 * 256), N=256, num_stages=4)
        self.assertEqual((caught.exception.limit, caught.exception.name), (227 << 10, "shared memory"))
        self.assertGreater(caught.exception.required, 227 << 10)

    def test_too_many_warps(self):

        @nereid.jit
        def first(x):
            tl.store(x, 1.0)

        with self.assertRaises(nereid.errors.OutOfResources) as caught:
            first[(1,)](Array(1), num_warps=128)
        found = caught.exception
        self.assertEqual((found.required, found.limit, found.name), (4096, 1024, "threads"))


class ActiveDriver(unittest.TestCase):

    def setUp(self):
        self.driver = gpu.CudaDriver()
        driver.config.set_active(self.driver)
        self.addCleanup(driver.config.reset_active)

    def test_target(self):
        self.assertEqual(self.driver.get_current_target(), nereid.GPUTarget("cuda", 90, 32))
        self.assertEqual(self.driver.get_device_capability(1), (9, 0))
        self.assertEqual(self.driver.get_current_stream(), 0)
        self.assertEqual(self.driver.map_python_to_cpp_type("*fp32"), "void*")

    def test_kernels_without_arrays_and_stand_ins(self):
        alone[(2,)](5)
        only, = fake.launches()
        self.assertEqual(only[0], "kernel_alone")
        compiled = add.warmup(nereid.MockTensor("float32"), nereid.MockTensor("float32"), 64, BLOCK=64, grid=(1,))
        self.assertEqual((compiled.cuda_device, compiled.n_regs), (0, 32))

    def test_ones_own_assertions_are_waited_for(self):
        checked[(2,)](5, debug=True)
        (name, _, _, _, values), = fake.launches()
        self.assertEqual((name, values[0]), ("kernel_checked", 5))
        self.assertNotEqual(values[1], 0)  # the buffer


if __name__ == "__main__":
    main()
