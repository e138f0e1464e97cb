# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small helpers that tests and kernels of others import"""

from nereid.parameters import type_canonicalisation_dict
from nereid.specialization import find_paths_if, get_iterable_path, is_namedtuple

TRITON_MAX_TENSOR_NUMEL = 1048576
BITWIDTH_DICT = {f"{kind}{width}": width for kind in "iu" for width in (1, 8, 16, 32, 64)}
BITWIDTH_DICT |= {"fp16": 16, "bf16": 16, "fp32": 32, "f32": 32, "fp64": 64, "fp8e5": 8, "fp8e4nv": 8}


def canonicalize_dtype(dtype):
    """The name in signatures of a dtype of any library: "fp32"."""
    text = str(dtype).split(".")[-1]
    return type_canonicalisation_dict[text]


def canonicalize_ptr_dtype(dtype, is_const):
    return ("*k" if is_const else "*") + canonicalize_dtype(dtype)


def get_primitive_bitwidth(dtype):
    return BITWIDTH_DICT[dtype]


def is_power_of_two(x):
    return x > 0 and x & (x - 1) == 0


def validate_block_shape(shape):
    """The number of elements; sizes that upstream refuses are a ValueError."""
    count = 1
    for index, size in enumerate(shape):
        if not isinstance(size, int):
            raise TypeError(f"Shape element {index} must have type `constexpr[int]`, got `constexpr[{type(size)}]")
        if not is_power_of_two(size):
            raise ValueError(f"Shape element {index} must be a power of 2")
        count *= size
    if count > TRITON_MAX_TENSOR_NUMEL:
        raise ValueError(f"numel ({count}) exceeds triton maximum tensor numel ({TRITON_MAX_TENSOR_NUMEL})")
    return count
