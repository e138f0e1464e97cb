# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that kernels read. A case names its arrays by a variant; all cases share them."""

import numpy as np

LENGTH = 1024
VARIANTS = 4

NUMPY_TYPES = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "f16": np.float16, "bf16": np.float32, "f32": np.float32, "f64": np.float64,
}  # fmt: skip


def make_input(name: str, variant: int) -> np.ndarray:
    """Small numbers, all of a type's numbers and its extremes. bf16 is held in f32."""
    rng = np.random.default_rng([variant, *name.encode()])
    dtype = np.dtype(NUMPY_TYPES[name])
    kind = rng.integers(0, 3, LENGTH)
    if dtype.kind == "b":
        return rng.integers(0, 2, LENGTH).astype(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        small = rng.integers(max(info.min, -10), 10, LENGTH)
        wide = rng.integers(info.min, info.max, LENGTH, dtype, endpoint=True)
        edges = [info.min, info.max, 0, 1, info.max // 2, info.min // 2, max(info.min, -1)]
        extreme = rng.choice(np.array(edges, dtype), LENGTH)
        return np.select([kind == 0, kind == 1], [small.astype(dtype), wide], extreme)
    small = rng.integers(-40, 40, LENGTH) / 8
    edges = [0.0, 1.0, -1.0, 0.5, 2.0, 100.0, -1000.0, 0.1, 3.0, 60000.0, -7e4, 1e-5, 1e-7]
    values = np.select(
        [kind == 0, kind == 1], [small, rng.standard_normal(LENGTH)], rng.choice(edges, LENGTH)
    )
    with np.errstate(over="ignore"):
        values = values.astype(dtype)
    if name == "bf16":
        values = (values.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    return values
