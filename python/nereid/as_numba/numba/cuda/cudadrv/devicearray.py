# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from nereid.threads.arrays import DeviceNDArray, auto_device, device_array_like as from_array_like, is_cuda_array as is_cuda_ndarray
