# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checked executor"""

from nereid.errors import InterpreterError
from nereid.jit import JITFunction
from nereid.refusals import refused as _refused


class _Interpreted(type):
    """Programs ask by class how a kernel runs; here one class of kernels runs either way."""

    def __instancecheck__(cls, kernel):
        return isinstance(kernel, JITFunction) and kernel.is_interpreted

    def __call__(cls, fn, **options):
        kernel = JITFunction(fn, **options)
        kernel.is_interpreted = kernel._dispatcher.is_host_only = True
        return kernel


class InterpretedFunction(metaclass=_Interpreted):
    """A kernel that runs checked, whatever TRITON_INTERPRET says."""


class _Compiled(type):

    def __instancecheck__(cls, kernel):
        return isinstance(kernel, JITFunction) and not kernel.is_interpreted

    def __call__(cls, fn, **options):
        return JITFunction(fn, **options)


class CompiledFunction(metaclass=_Compiled):
    """What triton.runtime.jit.JITFunction is under TRITON_INTERPRET, where Triton's kernels are of another class:
    torch.compile does not trace launches of those, for which it has no arguments."""


globals().update(_refused("triton.runtime.interpreter", "_implicit_cvt GridExecutor InterpreterBuilder TensorHandle "
                          "interpreter_builder interpreter_semantic",
                          "kernels are checked by an executor of Nereid's own, not by Python"))
