# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which core's code the peers run, as their libraries say themselves in a process of its own.

A library that does not know a core falls back to code for any, and beating that means nothing."""

import ctypes
import os
import pathlib
import subprocess
import sys

import numpy as np
import torch

ASK = """
import torch
torch.mm(torch.ones(256, 256), torch.ones(256, 256))
for dtype in (torch.float16, torch.bfloat16):
    torch.mm(torch.ones(256, 256, dtype=dtype), torch.ones(256, 256, dtype=dtype))
"""


def said():
    """What MKL and oneDNN print of their calls."""
    environment = dict(os.environ, ONEDNN_VERBOSE="1", MKL_VERBOSE="1")
    asked = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, env=environment)
    return (asked.stdout + asked.stderr).splitlines()


# Of OpenBLAS, those that it has code with AVX for.
OPENBLAS_CORES = ("Sandybridge", "Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids")


def openblas(threads):
    """The core whose code NumPy's OpenBLAS runs, now on so many threads; or None, and why it is no peer."""
    libraries = sorted(pathlib.Path(np.__file__).parent.with_name("numpy.libs").glob("libscipy_openblas64_*.so"))
    if not libraries:
        return None, "this NumPy does not come from PyPI"
    library = ctypes.CDLL(str(libraries[0]))
    library.scipy_openblas_get_corename64_.restype = ctypes.c_char_p
    library.scipy_openblas_set_num_threads64_(threads)
    core, on = library.scipy_openblas_get_corename64_().decode(), library.scipy_openblas_get_num_threads64_()
    if core not in OPENBLAS_CORES:
        return None, f"OpenBLAS runs code for {core} here"
    return (core, "") if on == threads else (None, f"OpenBLAS has {on} threads")


class Peers:
    """`capability`, `mkl` and `onednn` are texts; `products` has, by type, the code that multiplies two matrices of it, None
    where that is a loop of PyTorch's own; `openblas` is a core's name, or None for the reason in `why_no_openblas`."""

    def __init__(self, threads):
        self.openblas, self.why_no_openblas = openblas(threads)
        lines = said()
        self.capability = torch.backends.cpu.get_cpu_capability()
        self.mkl = next((line.split("architecture ", 1)[-1].split(", ", 1)[0] for line in lines
                         if line.startswith("MKL_VERBOSE") and "architecture" in line), "not called")
        self.onednn = next((line.split("isa:", 1)[1] for line in lines if ",isa:" in line), "not called")
        self.products = {"f32": "MKL" if any("SGEMM" in line for line in lines) else None}
        for name in ("f16", "bf16"):
            calls = [line.split(",exec,cpu,matmul,")[1].split(",")[0] for line in lines
                     if ",exec,cpu,matmul," in line and (f"src:{name}:" in line or f"src_{name}:" in line)]
            self.products[name] = f"oneDNN {calls[0]}" if calls else None

    def describe(self):
        yield f"PyTorch {torch.__version__} runs its own code for {self.capability}, MKL its for {self.mkl},"
        yield f"oneDNN its for {self.onednn}, NumPy {np.__version__} OpenBLAS's for {self.openblas or 'nobody: ' + self.why_no_openblas}"
        for name, code in self.products.items():
            yield f"  products of {name}: {code or 'a loop of PyTorch, no peer'}"

    def generic(self):
        """Those that run code for any x86-64, as a sentence; empty if none does."""
        named = ("AVX2", "AVX512", "AVX-512", "AVX10", "VECTOR EXTENSIONS", "NOT CALLED")
        slow = [name for name, code in (("PyTorch", self.capability), ("MKL", self.mkl), ("oneDNN", self.onednn))
                if not any(word in code.upper() for word in named)]
        return f"{' and '.join(slow)} run{'s' if len(slow) == 1 else ''} code for any x86-64 here" if slow else ""
