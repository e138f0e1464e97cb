# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# </script><img src=x onerror=alert(1)><!-- ]]>
import triton
import triton.language as tl


@triton.jit
def copy(x, y):  # </script><img src=x onerror=alert(2)> @REPORT@ @SCRIPT@
    i = tl.arange(0, 64)
    tl.store(y + i, tl.load(x + i))
