# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one side says to a case."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Refused:
    """The side does not take the program. The reason is its own words."""

    reason: str


@dataclass(frozen=True)
class Types:
    """What was reported: for each report its index and a description of each value."""

    reports: dict[int, tuple[str, ...]]


def describe_constant(value: object) -> str:
    """One spelling of a constexpr for both sides; of floats, the bits matter and not the digits."""
    if isinstance(value, float):
        return f"constexpr {value.hex()}"
    return f"constexpr {value}"


@dataclass(frozen=True, eq=False)
class Arrays:
    """What a kernel left in its arrays. bf16 is held in f32."""

    values: dict[str, np.ndarray]
