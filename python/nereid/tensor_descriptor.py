# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Descriptions of arrays that the host hands to kernels."""

from dataclasses import dataclass
from typing import Any, List


@dataclass
class TensorDescriptor:
    """An array in blocks: a kernel loads and stores `block_shape` at offsets. Strides count elements, and the last
    is 1; outside the array, loads give zero, or NaN with padding="nan"."""

    base: Any
    shape: List[int]
    strides: List[int]
    block_shape: List[int]
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    def __post_init__(self):
        rank = len(self.shape)
        assert len(self.strides) == rank, f"rank mismatch: {self}"
        assert len(self.block_shape) == rank, f"rank mismatch: {self}"
        assert rank > 0, "rank must not be zero"
        assert rank <= 5, "rank cannot be more than 5"
        size = self.base.element_size() if hasattr(self.base, "element_size") else self.base.itemsize
        address = self.base.data_ptr() if hasattr(self.base, "data_ptr") else self.base.ctypes.data
        assert address % 16 == 0, "base must be 16-byte aligned"
        for stride in self.strides[:-1]:
            assert stride * size % 16 == 0, "strides must be 16-byte aligned"
        assert self.strides[-1] == 1, "Last dimension must be contiguous"
        assert self.padding in ("zero", "nan"), "Illegal value for padding"

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero", round_f32_to_tf32=False):
        strides = tensor.stride() if callable(getattr(tensor, "stride", None)) else [
            step // tensor.itemsize for step in tensor.strides
        ]
        return TensorDescriptor(tensor, list(tensor.shape), list(strides), list(block_shape), padding,
                                round_f32_to_tf32)
