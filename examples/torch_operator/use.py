# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""use.py LIBRARY: the operator beside PyTorch's own."""

import sys

import torch

torch.ops.load_library(sys.argv[1])
gelu = torch.ops.nereid_example.gelu
for shape in ((), (0,), (5,), (3, 1000), (64, 64)):
    x = torch.randn(shape)
    torch.testing.assert_close(gelu(x), torch.nn.functional.gelu(x))
x = torch.randn(100, 30)
torch.testing.assert_close(gelu(x.T), torch.nn.functional.gelu(x.T))
try:
    gelu(x.double())
    sys.exit("float64 was taken")
except RuntimeError as error:
    print(str(error).splitlines()[0])
