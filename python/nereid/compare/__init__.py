# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m nereid compare PROGRAM ...: a program for Triton runs with the Triton that is installed, and each of its
launches is timed under both on the same arrays (docs/compare.md)."""
