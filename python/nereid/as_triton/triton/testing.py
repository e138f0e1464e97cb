# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""triton.testing"""

from nereid.testing import (Benchmark, Mark, assert_close, cuda_memcheck, do_bench, do_bench_cudagraph, get_dram_gbps,
                            get_max_simd_tflops, get_max_tensorcore_tflops, nvsmi, perf_report, set_gpu_clock)
from nereid.timing import summarize as _summarize_statistics

from . import language as tl
from . import runtime
