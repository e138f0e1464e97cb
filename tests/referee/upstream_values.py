# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels run by upstream's interpreter. TRITON_INTERPRET is set before this is imported."""

import contextlib
import io

import numpy as np
import torch

from answer import Arrays, Refused
from expressions import numel
from inputs import NUMPY_TYPES, make_input
from upstream import load_text, reason
from value_cases import PRELUDE, Output, ValueCase


class UpstreamValues:
    def __init__(self) -> None:
        torch.set_num_threads(1)
        self.module = load_text("prelude", PRELUDE, {})

    def answer(self, case: ValueCase) -> Arrays | Refused:
        outputs = {output.name: empty(output, case.programs) for output in case.outputs}
        inputs = [tensor(make_input(name, case.variant), name) for name in case.inputs()]
        try:
            kernel = load_text("case", case.source(), vars(self.module)).kernel
            with np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
                kernel[(case.programs,)](*inputs, *outputs.values(), case.count)
        except Exception as error:
            return Refused(reason(error))
        return Arrays({name: array(output) for name, output in outputs.items()})


def tensor(values: np.ndarray, name: str) -> torch.Tensor:
    result = torch.from_numpy(values.copy())
    return result.to(torch.bfloat16) if name == "bf16" else result


def empty(output: Output, programs: int) -> torch.Tensor:
    count = numel(output.shape) * programs
    return tensor(np.zeros(count, NUMPY_TYPES[output.dtype]), output.dtype)


def array(result: torch.Tensor) -> np.ndarray:
    return (result.float() if result.dtype == torch.bfloat16 else result).numpy().copy()
