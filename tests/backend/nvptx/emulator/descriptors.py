# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Factors in shared memory, by the PTX ISA's "Matrix Descriptor Format" and "Strides"."""

import functools

from tensor_maps import swizzled

ROW_BYTES = {0: 16, 1: 128, 2: 64, 3: 32}  # by the descriptor's two highest bits
MASKS = {0: 0, 1: 7, 2: 3, 3: 1}  # of swizzled()


@functools.lru_cache(maxsize=None)
def chunks(descriptor, first, count, is_transposed):
    """Addresses of 16 bytes each. One behind the other they are `count` rows from `first`, of 32 bytes along the depth
    (columns, of a right factor); or, transposed, for each of 16 steps of the depth `count` elements of 2 bytes."""
    if descriptor & 0x3FFE_C000_C000_C000 or descriptor >> 46 & 7:
        raise RuntimeError(f"a descriptor has bits that nothing is known about: {descriptor:#x}")
    start, leading, stride = ((descriptor >> shift & 0x3FFF) * 16 for shift in (0, 16, 32))
    mode = descriptor >> 62
    row_bytes, mask = ROW_BYTES[mode], MASKS[mode]
    offsets = []
    if is_transposed:
        for k in range(16):
            for byte in range(first * 2, (first + count) * 2, 16):
                if mode:
                    group = byte // row_bytes * leading + byte % row_bytes + k // 8 * stride
                else:
                    group = byte // 16 * stride + k // 8 * leading
                offsets.append(group + k % 8 * row_bytes)
    else:
        for row in range(first, first + count):
            for half in range(2):
                offsets.append(row // 8 * stride + row % 8 * row_bytes + half * (16 if mode else leading))
    return [swizzled(start + offset, mask) for offset in offsets]
