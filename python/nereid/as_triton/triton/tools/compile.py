# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Upstream's tool for kernels in C programs"""

from nereid.refusals import refused as _refused

globals().update(_refused("triton.tools.compile", "CompileArgs compile_kernel main",
                          "the C sources that it makes launch Triton's machine code; `nereid compile` makes Nereid's"))

if __name__ == "__main__":
    main()  # noqa: F821
