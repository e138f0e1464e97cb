#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rehearse.py PROGRAM [--part I/N] [TEXT...]: runs a program of the panel on a machine without a GPU: what would lie there
lies nowhere, and kernels are named and not launched. Finds what the packages miss, before a GPU's time is spent on it.
Says how many kernels were seen; what follows from results that no kernel made (a shape, an index) may fail here and not
there.

Needs PyTorch (for CPUs will do), Triton and the packages (fetch_packages)."""

import os
import runpy
import sys
import types

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.overrides import TorchFunctionMode

LAUNCHED = set()


class Pretended(TorchFunctionMode):
    """Tensors that say that they lie on a GPU, and hold nothing: what is asked of their values is one."""

    def __torch_function__(self, function, kinds, arguments=(), named=None):
        named = dict(named or {})
        if function == torch.Tensor.is_cuda.__get__:  # another object each time
            return True
        if function == torch.Tensor.device.__get__:
            return torch.device("cuda", 0)
        if function in (torch.Tensor.cuda, torch.Tensor.cpu, torch.Tensor.pin_memory):
            return arguments[0]
        if function in (torch.Tensor.item, torch.Tensor.__int__, torch.Tensor.__index__, torch.Tensor.__bool__):
            return 1
        if function is torch.Tensor.tolist:
            return torch.ones(arguments[0].shape, device="meta").numel() * [1]
        if function is torch.Tensor.data_ptr:
            return 1 << 20
        if "device" in named:
            named["device"] = _host(named["device"])
        if function is torch.Tensor.to:
            arguments = tuple(map(_host, arguments))
        return function(*arguments, **named)


def _host(value):
    is_gpu = isinstance(value, int) and not isinstance(value, bool) or str(value).split(":")[0] == "cuda"
    return "cpu" if is_gpu and not isinstance(value, torch.dtype) else value


def pretend_gpu():
    import triton

    facts = types.SimpleNamespace(name="NVIDIA H200", major=9, minor=0, multi_processor_count=132, warp_size=32,
                                  total_memory=140 << 30, max_threads_per_multi_processor=2048, gcnArchName="",
                                  regs_per_multiprocessor=65536, shared_memory_per_block_optin=232448,
                                  shared_memory_per_multiprocessor=233472, L2_cache_size=60 << 20)
    answers = {"is_available": True, "device_count": 1, "current_device": 0, "synchronize": None,
               "get_device_name": facts.name, "get_device_capability": (9, 0), "get_device_properties": facts, "set_device": None, "init": None,
               "is_current_stream_capturing": False, "get_arch_list": ["sm_90"], "mem_get_info": (1 << 37, 1 << 37)}
    for name, answer in answers.items():
        setattr(torch.cuda, name, lambda *_, answer=answer, **__: answer)
    torch.version.cuda = "13.0"
    stream = types.SimpleNamespace(cuda_stream=0, wait_stream=lambda *_: None, synchronize=lambda: None)
    torch.cuda.current_stream = lambda *_: stream
    torch._C._cuda_getDevice = lambda: 0
    device = type("device", (), {"idx": 0, "__init__": lambda self, *_: None, "__enter__": lambda self: self,
                                 "__exit__": lambda self, *_: None})
    torch.cuda.device = torch.cuda.device_of = device
    torch.cuda._DeviceGuard = device
    target = types.SimpleNamespace(backend="cuda", arch=90, warp_size=32)
    properties = {"multiprocessor_count": 132, "max_shared_mem": 232448, "max_num_regs": 65536, "warpSize": 32,
                  "sm_clock_rate": 1980000, "mem_clock_rate": 3201000, "mem_bus_width": 6144}
    active = types.SimpleNamespace(
        get_current_target=lambda: target, get_current_device=lambda: 0, get_current_stream=lambda *_: 0,
        get_device_interface=lambda: torch.cuda, get_active_torch_device=lambda: torch.device("cpu"),
        get_benchmarker=lambda: None, utils=types.SimpleNamespace(get_device_properties=lambda _: properties))
    triton.runtime.driver.set_active(active)
    triton.runtime.jit.JITFunction.run = _launched
    triton.runtime.autotuner.Autotuner.run = _tuned


def _launched(self, *arguments, grid=None, **options):
    meta = dict(zip(self.arg_names, arguments)) | options
    if callable(grid):
        grid(meta)
    LAUNCHED.add(self.fn.__qualname__)
    return types.SimpleNamespace(n_regs=0, n_spills=0, metadata=types.SimpleNamespace(shared=0), asm={})


def _tuned(self, *arguments, **options):
    self.nargs = dict(zip(self.arg_names, arguments))
    best = self.configs[0]
    if best.pre_hook is not None:
        best.pre_hook(self.nargs | options | best.all_kwargs())
    return self.fn.run(*arguments, **(options | best.all_kwargs()))


def main(program, *arguments):
    pretend_gpu()
    sys.argv = [program, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
    with FakeTensorMode(allow_non_fake_inputs=True), Pretended():
        runpy.run_path(program, run_name="__main__")
    print(f"{len(LAUNCHED)} kernels: {', '.join(sorted(LAUNCHED))}")


if __name__ == "__main__":
    main(*sys.argv[1:])
