# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What code is compiled for."""

from dataclasses import dataclass
from typing import Union


@dataclass(frozen=True)
class GPUTarget:
    """GPUTarget("cuda", 90, 32); on a CPU, GPUTarget("cpu", "haswell", 32), where the last
    number is only what programs that count in warps divide by."""

    backend: str
    arch: Union[int, str]
    warp_size: int
