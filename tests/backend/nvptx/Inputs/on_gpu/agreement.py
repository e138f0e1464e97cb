# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""agreement.py EMULATOR: what emulate.py takes for the same."""
import math
import sys

sys.path.insert(0, sys.argv[1])
import emulate  # noqa: E402

for a, b in ((600, 600.5), (600, 602)):
    print(f"{a} and {b} of 16 bits: {emulate.agree('e', a, b)}")
for a, b in ((1, 1.05), (math.inf, 1), (math.inf, math.inf), (math.nan, math.nan), (1, math.nan)):
    print(f"{a} and {b} within 0.1: {emulate.agree('f', a, b, 0.1)}")
print(f"1 and 2 of whole numbers within 5: {emulate.agree('i', 1, 2, 5)}")
print(emulate.differences("f", [1.0, 2.0, 3.0], [1.0, 2.5, math.inf]))
