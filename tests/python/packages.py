# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages of PyTorch (torch._inductor.aoti_compile_and_package) whose kernels Nereid compiled: made under `python -m
nereid`, and loaded without it, in Python and in C++. For test_packages.py and gpu/test_packages.py."""

import os
import pathlib
import shutil
import subprocess
import unittest

from running import run_program

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = """
import sys
import torch

class Model(torch.nn.Module):

    def __init__(self, kernel):
        super().__init__()
        torch.manual_seed(3)
        self.linear, self.kernel = torch.nn.Linear(32, 64), kernel

    def forward(self, x):
        a = self.linear(x)
        b = torch.nn.functional.gelu(a).sum(-1, keepdim=True) + a
        return self.kernel(a, b).softmax(-1) + 1

def inputs(rows, device):
    return torch.arange(rows * 32, dtype=torch.float32).reshape(rows, 32).sin().to(device)

def plain(a, b):
    return a * 1.5 + torch.exp(b / 64)
"""
MAKE = MODEL + """
import triton, triton.language as tl

@triton.jit
def scaled(x, y, out, n, factor, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    tl.store(out + places, tl.load(x + places, mask=mask) * factor + tl.exp(tl.load(y + places, mask=mask) / 64),
             mask=mask)

@triton.jit
def product(x, y, out, M, B: tl.constexpr, W: tl.constexpr):
    '''out = x * 1.5 + exp(y / 64), by way of a product with the unit matrix.'''
    rows = tl.program_id(0) * B + tl.arange(0, B)
    columns = tl.arange(0, W)
    places = rows[:, None] * W + columns[None, :]
    mask = (rows < M)[:, None] & (columns < W)[None, :]
    unit = tl.where(columns[:, None] == columns[None, :], 1.5, 0.0).to(tl.float32)
    total = tl.dot(tl.load(x + places, mask=mask, other=0), unit, input_precision="ieee")
    tl.store(out + places, total + tl.exp(tl.load(y + places, mask=mask, other=0) / 64), mask=mask)

def by_user(a, b):
    first, second = torch.empty_like(a), torch.empty_like(a)
    scaled[(triton.cdiv(a.numel(), 256),)](a, b, first, a.numel(), 1.5, BLOCK=256)
    product[(triton.cdiv(a.shape[0], 16),)](a, b, second, a.shape[0], B=16, W=64)
    return 0.25 * first + 0.75 * second

kind, device, path = sys.argv[1:]
model = Model({"own": plain, "user": by_user}[kind]).to(device)
batch = torch.export.Dim("batch", min=2, max=4096)
exported = torch.export.export(model, (inputs(20, device),), dynamic_shapes={"x": {0: batch}}, strict=True)
torch._inductor.aoti_compile_and_package(exported, package_path=path)
"""
USE = MODEL + """
kind, device, path, directory, *every = sys.argv[1:]
assert "nereid" not in sys.modules
loaded = torch._inductor.aoti_load_package(path)
for rows in every:
    torch.save(loaded(inputs(int(rows), device)).cpu(), f"{directory}/{rows}.pt")
"""
ROWS = (20, 7, 300)


def loader_in(directory):
    """tests/python/load_package.cpp, compiled against the PyTorch that is here."""
    import torch
    from torch.utils import cpp_extension

    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        raise unittest.SkipTest("there is no C++ compiler")
    libraries = cpp_extension.library_paths()
    includes = cpp_extension.include_paths()
    program = os.path.join(directory, "load_package")
    # What a GPU's package needs is registered by libraries that the program names nowhere.
    names = ["torch", "torch_cpu", "c10"] + (["torch_cuda", "c10_cuda"] if torch.version.cuda else [])
    subprocess.run([compiler, "-std=c++20", f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}",
                    *(f"-I{path}" for path in includes), os.path.join(HERE, "load_package.cpp"), "-o", program,
                    "-Wl,--no-as-needed", *(f"-L{path}" for path in libraries),
                    *(f"-Wl,-rpath,{path}" for path in libraries), *(f"-l{name}" for name in names)], check=True)
    return program


def make(test, kind, device, directory):
    """The path of a package."""
    path = os.path.join(directory, f"{kind}.pt2")
    # Whether g++ makes code for this machine's vectors is no question; PyTorch asks by six compilations.
    environment = {"TORCHINDUCTOR_CACHE_DIR": os.path.join(directory, "cache"), "TORCHINDUCTOR_VEC_ISA_OK": "1"}
    _, errors, code = run_program(MAKE, kind, device, path, environment=environment, timeout=600)
    test.assertEqual(code, 0, errors[-4000:])
    return path


def require_equal(directory, rows):
    """What was saved is what PyTorch itself computes."""
    import torch

    scope = {}
    exec(MODEL, scope)
    with torch.no_grad():
        wanted = scope["Model"](scope["plain"])(scope["inputs"](rows, "cpu"))
    torch.testing.assert_close(torch.load(f"{directory}/{rows}.pt"), wanted, rtol=1e-5, atol=1e-5)


def check_in_python(test, kind, device, path, directory):
    """In a process that has no Nereid."""
    _, errors, code = run_program(USE, kind, device, path, directory, *map(str, ROWS), launcher=(), timeout=300)
    test.assertEqual(code, 0, errors[-4000:])
    for rows in ROWS:
        require_equal(directory, rows)


def check_in_cpp(test, loader, device, path, directory):
    for rows in ROWS:
        output = os.path.join(directory, f"{rows}.pt")
        pathlib.Path(output).unlink(missing_ok=True)  # of the check before
        done = subprocess.run([loader, path, device, str(rows), output], capture_output=True, text=True, timeout=300)
        test.assertEqual(done.returncode, 0, done.stderr[-4000:])
        require_equal(directory, rows)
