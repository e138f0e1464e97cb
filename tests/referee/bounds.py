# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far two results may be apart that were computed from the same operands."""

from collections.abc import Callable

import numpy as np

# Each side's function is within this many units in the last place (libmvec promises 4, NumPy's
# vector code less).
FUNCTION_ULPS = 4


def spacing(values: np.ndarray) -> np.ndarray:
    """One unit in the last place; below the normal numbers, that of the smallest normal one."""
    tiny = np.finfo(values.dtype).tiny
    magnitude = np.maximum(np.abs(values), tiny)
    return np.spacing(np.where(np.isfinite(magnitude), magnitude, tiny))


def exactly(wanted: np.ndarray, *operands: np.ndarray) -> np.ndarray:
    return np.zeros(wanted.shape, wanted.dtype)


def function(wanted: np.ndarray, operand: np.ndarray) -> np.ndarray:
    return 2 * FUNCTION_ULPS * spacing(wanted)


def two_roundings(wanted: np.ndarray, operand: np.ndarray) -> np.ndarray:
    """1 / sqrt(x), each step rounded, or in one step."""
    return 2 * spacing(wanted)


def sigmoid(wanted: np.ndarray, operand: np.ndarray) -> np.ndarray:
    # 1 / (1 + e): the error of e counts in full where e is large.
    return 2 * (FUNCTION_ULPS + 2) * spacing(wanted)


def sum_of(wanted: np.ndarray, operand: np.ndarray) -> np.ndarray:
    """n - 1 additions on each side, in any order."""
    rows = operand.reshape(wanted.size, -1)
    eps = np.finfo(wanted.dtype).eps
    total = np.abs(rows).sum(axis=1, dtype=np.float64)
    return (rows.shape[1] * eps * total).reshape(wanted.shape)


def softmax(wanted: np.ndarray, operand: np.ndarray) -> np.ndarray:
    return 2 * (2 * FUNCTION_ULPS + operand.shape[-1] + 2) * spacing(wanted)


def dot(wanted: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """k products and k additions on each side, in any order."""
    wide = [np.abs(operand.astype(np.float64)) for operand in (a, b, c)]
    eps = np.finfo(wanted.dtype).eps
    return 2 * (a.shape[-1] + 1) * eps * (np.matmul(wide[0], wide[1]) + wide[2])


RULES: dict[str, Callable[..., np.ndarray]] = {
    "": exactly, "exact": exactly, "rsqrt": two_roundings, "sigmoid": sigmoid, "sum": sum_of,
    "softmax": softmax, "dot": dot,
} | {name: function for name in ("exp", "exp2", "log", "log2", "sin", "cos", "erf")}  # fmt: skip


def agree(wanted: np.ndarray, got: np.ndarray, rule: str, operands: list[np.ndarray]) -> np.ndarray:
    """For each element, whether the two may be results of the same operation."""
    if wanted.dtype.kind != "f":
        return wanted == got
    with np.errstate(all="ignore"):
        both_nan = np.isnan(wanted) & np.isnan(got)
        same = (wanted == got) & (np.signbit(wanted) == np.signbit(got))
        near = np.abs(wanted - got) <= RULES[rule](wanted, *operands)
    if rule in ("", "exact"):
        return both_nan | same
    return both_nan | (wanted == got) | near
