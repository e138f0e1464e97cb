# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""launch.py FILE.npz SEED: launches every case with whatever `import triton` means, and writes what the arrays hold
then, as "case/number of the argument"."""

import sys

import numpy as np
import torch
import kernels

if hasattr(sys.modules["triton"], "set_allocator"):
    sys.modules["triton"].set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8))


def tensor(array):
    """PyTorch's for CPUs lacks some operators of uint32, but has it as bits."""
    return torch.from_numpy(array.copy())


def main(path, seed):
    results = {}
    for number, (name, make) in enumerate(kernels.CASES.items()):
        kernel, grid, arguments, named = make(np.random.default_rng([int(seed), number]))
        arguments = [tensor(value) if isinstance(value, np.ndarray) else value for value in arguments]
        kernel[grid](*arguments, **named)
        for place, value in enumerate(arguments):
            if isinstance(value, torch.Tensor):
                results[f"{name}/{place}"] = value.numpy()
    np.savez(path, **results)
    print(sys.modules["triton"].__file__)


if __name__ == "__main__":
    main(*sys.argv[1:])
