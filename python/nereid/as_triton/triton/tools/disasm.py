# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine's instructions of a kernel, as CUDA's own tool prints them"""

import os
import subprocess
import tempfile

from nereid import knobs
from nereid.errors import NotSupported


def path_to_cuobjdump():
    tool = knobs.nvidia.cuobjdump
    if tool is None:
        raise NotSupported("triton.tools.disasm: CUDA's cuobjdump is not on the search path (TRITON_CUOBJDUMP_PATH "
                           "names one), and Nereid has no disassembler of its own; compiled.asm has the PTX")
    return tool.path


def extract(file_path, fun=None):
    """Of all kernels of a file, or of one."""
    command = [path_to_cuobjdump(), "-sass", *(["-fun", fun] if fun else []), file_path]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def get_sass(cubin_asm, fun=None):
    """The same of code in memory: compiled.asm["cubin"]."""
    path_to_cuobjdump()
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "kernel.cubin")
        with open(path, "wb") as file:
            file.write(cubin_asm)
        return extract(path, fun)
