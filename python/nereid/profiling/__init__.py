# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m nereid profile PROGRAM: what a program launches, and how long it takes (docs/profile.md)."""
