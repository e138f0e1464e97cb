# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from nereid.threads.arrays import DeviceNDArray, auto_device, is_cuda_array as is_cuda_ndarray
