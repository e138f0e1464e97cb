# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs ask of the driver of NVIDIA's GPUs"""

import functools

from nereid.gpu import CudaDriver, CudaUtils
from nereid.refusals import refused as _refused
from nereid.target import cpp_type as ty_to_cpp


@functools.lru_cache
def libcuda_dirs():
    """Where the driver's library lies, by the loader's list; what TRITON_LIBCUDA_PATH names, if it is set."""
    import os
    import subprocess

    from nereid import knobs

    if knobs.nvidia.libcuda_path:
        return [knobs.nvidia.libcuda_path]
    for program in ("/sbin/ldconfig", "ldconfig"):
        try:
            said = subprocess.run([program, "-p"], capture_output=True, text=True).stdout
        except OSError:
            continue
        return [os.path.dirname(line.split()[-1]) for line in said.splitlines() if "libcuda.so.1" in line]
    return []


globals().update(_refused("triton.backends.nvidia.driver", "CudaLauncher make_launcher wrap_handle_tensordesc",
                          "Nereid launches kernels itself and makes no launchers in C"))
