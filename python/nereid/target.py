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


def cpp_type(type_text):
    """What C calls the type of a signature."""
    names = {"i1": "int8_t", "u1": "uint8_t", "fp16": "double", "bf16": "double", "fp32": "double", "fp64": "double"}
    if type_text.startswith("*"):
        return "void*"
    width = type_text[1:]
    return names.get(type_text) or ("" if type_text[0] == "i" else "u") + f"int{width}_t"
