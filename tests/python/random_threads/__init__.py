# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels of threads in Numba's syntax: their text and arguments (maker.py), and what they mean, told by Python
itself (referee.py)."""
