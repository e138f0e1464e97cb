# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the compiler declined a better form of a kernel, and why (docs/remarks.md)."""

import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Remark:
    """One kind of remark of one line, `count` operations of it. `str()` is what the command line prints."""

    id: str
    text: str
    accepted: str
    file: str
    line: int  # 0: of the kernel as a whole
    column: int
    count: int
    report: str

    def __str__(self):
        return self.report


def show(remarks):
    for remark in remarks:
        print(remark, end="", file=sys.stderr)
