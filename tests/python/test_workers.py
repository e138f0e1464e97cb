# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that compile for a GPU and have none: workers that were forked where the driver was in use already, and
such as were started where there is no driver. Those of PyTorch's Inductor are of both kinds."""

import multiprocessing
import os
import sys
import unittest
from concurrent.futures import ProcessPoolExecutor
from unittest import mock

from running import main, require

FAKE = os.environ.get("NEREID_TEST_FAKE_CUDA", "")
if not FAKE:
    print("skipped: NEREID_TEST_FAKE_CUDA names no driver to test with")
    sys.exit(77)
os.environ.setdefault("NEREID_LIBCUDA", FAKE)
os.environ["FAKE_CUDA"] = "devices=2 kernel=kernel_add:8,8,4"
require("numpy", "torch")
import torch

import nereid

nereid.install_as_triton()
import triton
import triton.language as tl
from nereid import _native, driver, gpu
from triton.backends.compiler import GPUTarget
from triton.language.target_info import is_cuda


@triton.jit
def add(x, y, n, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + places, tl.load(x + places, mask=places < n) + tl.load(y + places, mask=places < n), mask=places < n)


@triton.jit
def which(x):
    if is_cuda():
        tl.store(x, 4321)
    else:
        tl.store(x, 1234)


def _refuse(*_):
    raise AssertionError("a worker asked the driver")


def become_worker(finds_torch_a_gpu):
    """From here on the driver must not be asked for anything."""
    for name in ("devices", "gpu_info", "Device"):
        setattr(_native, name, _refuse)
    torch.cuda.is_available = lambda: finds_torch_a_gpu


def work(_):
    """What Inductor's workers do: they look for the back end that is active, make its driver the active one, compile
    for the target that they are given and send the kernel back."""
    names = [name for name, backend in triton.backends.backends.items() if backend.driver.is_active()]
    if not isinstance(triton.runtime.driver.active, triton.backends.backends["nvidia"].driver):
        triton.runtime.driver.set_active(triton.backends.backends["nvidia"].driver())
    source = triton.compiler.ASTSource(add, {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"},
                                       {"BLOCK": 64})
    kernel = triton.compile(source, GPUTarget("cuda", 90, 32), {"num_warps": 2})
    asked = triton.compile(triton.compiler.ASTSource(which, {"x": "*i32"}), GPUTarget("cuda", 90, 32))
    return names, kernel.asm["ptx"], asked.asm["ptx"], kernel.hash, triton.runtime.cache.triton_key()


class Workers(unittest.TestCase):

    def check(self, method, finds_torch_a_gpu):
        with ProcessPoolExecutor(2, multiprocessing.get_context(method), become_worker, (finds_torch_a_gpu,)) as pool:
            for names, ptx, asked, *_ in pool.map(work, range(2)):
                self.assertIn("nvidia", names)
                self.assertIn(".reqntid 64", ptx)
                self.assertIn("4321", asked)
                self.assertNotIn("1234", asked)

    def test_forked_after_the_driver_was_in_use(self):
        """PyTorch's own answer is of its process's first question, which may come after the fork."""
        with mock.patch.object(torch.cuda, "is_available", lambda: True), mock.patch.object(gpu, "_found", False):
            self.assertTrue(gpu.is_available())
            self.assertEqual(gpu.info(0).sm_major, 9)
            self.check("fork", finds_torch_a_gpu=False)

    def test_forked_before_anybody_asked(self):
        with mock.patch.object(gpu, "_found", False):
            self.check("fork", finds_torch_a_gpu=True)

    def test_started_where_there_is_no_driver(self):
        with mock.patch.dict(os.environ, {"NEREID_LIBCUDA": "/nonexistent/libcuda.so"}):
            self.check("spawn", finds_torch_a_gpu=True)


class Targets(unittest.TestCase):

    def test_kernels_are_told_what_they_are_compiled_for(self):
        source = triton.compiler.ASTSource(which, {"x": "*i32"})
        for target, number in ((GPUTarget("cpu", 0, 32), 1234), (GPUTarget("cuda", 90, 32), 4321)):
            self.assertIn(str(number), triton.compile(source, target).asm["llir"])

    def test_pytorch_for_cpus(self):
        """Its arrays do not lie on the GPU that there is."""
        self.assertFalse(gpu.CudaDriver.is_active())
        self.assertIsInstance(driver.DriverConfig().active, driver.CpuDriver)


if __name__ == "__main__":
    main()
