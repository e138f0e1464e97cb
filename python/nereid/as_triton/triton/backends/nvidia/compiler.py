# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs ask of the compiler for NVIDIA's GPUs"""

from nereid import knobs
from nereid.ahead import BaseBackend as CUDABackend
from nereid.compiled import Options as CUDAOptions
from nereid.errors import NotSupported


def min_dot_size(target):
    """A function that gives, for two element types, the least (M, N, K) of a product that tensor cores compute."""
    return lambda left, right: (1, 1, 32 if left.scalar.primitive_bitwidth == 8 else 16)


def get_ptxas(arch=None):
    """CUDA's assembler. Nereid calls none, the driver assembles; programs ask for its version."""
    tool = knobs.nvidia.ptxas_blackwell if arch is not None and arch >= 100 else None
    tool = tool or knobs.nvidia.ptxas
    if tool is None:
        raise NotSupported("triton.backends.nvidia.compiler.get_ptxas: Nereid brings no ptxas, and there is none on "
                           "the search path (TRITON_PTXAS_PATH names one)")
    return tool


def sm_arch_from_capability(capability):
    return f"sm_{capability}" + ("a" if capability >= 90 else "")
