# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch asks of Triton's own IR: which tensors a kernel of the program's writes. torch.compile copies all that
may be written, and back, so that a wrong answer makes wrong results where arguments share memory. And that it is not
to trace this package, as it does not trace Triton's."""

import importlib.machinery
import sys
import types

from nereid import _native, gpu, knobs
from nereid.accesses import Accesses, UnknownAccess
from nereid.capture import to_native
from nereid.compiled import compiling_ahead
from nereid.errors import TritonError
from nereid.jit import JITFunction
from nereid.texts import kernel_of
from nereid.parameters import specification
from nereid.tensor_descriptor import TensorDescriptor
from nereid.tensors import MockTensor


class _Probe:
    """Owns a dispatcher that tells how a kernel would take arguments, and has nothing compiled."""

    _constant = staticmethod(to_native)

    def __init__(self, kernel):
        self.arguments = None
        self.dispatcher = _native.Dispatcher(self, [specification(parameter) for parameter in kernel.params])

    def _default_device(self):
        return -1

    def _compile(self, arguments, *rest):
        self.arguments = arguments
        return types.SimpleNamespace(native=_native.Kernel())


def _is_tensor(value):
    import torch

    inductor = sys.modules.get("torch._inductor.ir")
    return isinstance(value, torch.Tensor) or (inductor is not None and isinstance(value, inductor.TensorBox))


def _stand_in(value, description):
    """Of the same type, without memory: PyTorch's own may have none."""
    import sympy
    import torch

    if description is not None:
        kind, facts = description
        if kind != "stable":
            raise UnknownAccess(f"a descriptor of kind {kind}")
        shape = [16] * len(facts[0])
        return TensorDescriptor(_Block(value.dtype, shape), shape, [16**i for i in reversed(range(len(shape)))],
                                list(facts[0]))
    if _is_tensor(value):
        return MockTensor(value.dtype)
    if isinstance(value, torch.SymBool):
        return True
    if isinstance(value, torch.SymFloat):
        return 2.0
    return 2 if isinstance(value, (torch.SymInt, sympy.Basic)) else value


class _Block(MockTensor):

    def element_size(self):
        return self.dtype.itemsize


def accesses_of(kernel, arguments, descriptions):
    """Of a kernel for the arguments by name, of which some are no tensors."""
    configs = getattr(kernel, "configs", None)
    arguments = {**arguments, **(configs[0].kwargs if configs else {})}
    kernel = kernel_of(kernel)
    probe = _Probe(kernel)
    stand_ins = {name: _stand_in(arguments[name], descriptions.get(name))
                 for name in kernel.arg_names if name in arguments}
    with compiling_ahead():
        probe.dispatcher.prepare(**stand_ins)
    devices = [_device_of(value) for value in arguments.values() if _is_tensor(value)]
    numbers = [device.index or 0 for device in devices if device is not None and device.type == "cuda"]
    target = gpu.info(numbers[0]).target if numbers else "cpu"
    return Accesses(kernel._native_value(), probe.arguments, target).require_all()


def _device_of(value):
    return value.device if hasattr(value, "data_ptr") else value.get_device()


def _names(kernel, arguments, descriptions):
    """(read, written): all tensors if it cannot be told."""
    tensors = [name for name, value in arguments.items() if _is_tensor(value)]
    try:
        found = accesses_of(kernel, arguments, descriptions or {})
    except (UnknownAccess, TritonError, TypeError, ValueError, KeyError, RuntimeError):
        return tensors, tensors  # what is wrong with the kernel is said where it is launched
    return [[name for name in names if name in tensors] for names in (found.read, found.written)]


def _answer(module):
    """Puts the answer in the place of PyTorch's analysis of Triton's IR, in versions 2.3 and newer."""
    ask_accesses = getattr(module, "identify_accessed_tensors", None)
    ask_writes = getattr(module, "identify_mutated_tensors", None)

    def identify_accessed_tensors(kernel, kwargs, tma_descriptor_metadata=None):
        if not isinstance(kernel_of(kernel), JITFunction):
            return ask_accesses(kernel, kwargs, tma_descriptor_metadata)
        from torch._inductor.dependencies import ReadWrites, StarDep
        from torch.utils._ordered_set import OrderedSet

        read, written = (OrderedSet(map(StarDep, names)) for names in _names(kernel, kwargs, tma_descriptor_metadata))
        return module.TensorAccesses(ReadWrites(reads=read, writes=written, index_exprs=OrderedSet()),
                                     can_fuse_epilogue=False)

    def identify_mutated_tensors(kernel, kwargs, *descriptions):
        if not isinstance(kernel_of(kernel), JITFunction):
            return ask_writes(kernel, kwargs, *descriptions)
        return _names(kernel, kwargs, *(descriptions or ({},)))[1]

    if ask_accesses is not None:
        module.identify_accessed_tensors = identify_accessed_tensors
    if ask_writes is not None:
        module.identify_mutated_tensors = identify_mutated_tensors


def _leave_out(module):
    """Launches of checked kernels come through PyTorch's tracer; others it takes for its own."""
    if hasattr(module, "add") and knobs.runtime.interpret:
        module.add("nereid")


_ANSWERS = {"torch._higher_order_ops.triton_kernel_wrap": _answer, "torch._dynamo.trace_rules": _leave_out}


class _Finder:
    """Finds modules of PyTorch's as others do, and answers for each when it has been executed."""

    wanted = set()

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name not in cls.wanted:
            return None
        cls.wanted.remove(name)
        if not cls.wanted:
            sys.meta_path.remove(cls)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_answer(module):
                execute(module)
                _ANSWERS[name](module)

            spec.loader.exec_module = execute_and_answer
        return spec


def answer_pytorch():
    for name, answer in _ANSWERS.items():
        module = sys.modules.get(name)
        if module is not None:
            answer(module)
        else:
            _Finder.wanted.add(name)
    if _Finder.wanted and _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
