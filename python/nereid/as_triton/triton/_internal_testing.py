# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What upstream's tests, and those of others, ask of the machine, and how they make arrays."""

import contextlib
import multiprocessing
import os
import sys
import tempfile
from dataclasses import dataclass

import numpy
import pytest
import torch

import triton
import triton.language as tl
from triton import knobs
from triton._compile_warmup_state import is_compile_warmup
from triton.runtime.jit import TensorWrapper, reinterpret, type_canonicalisation_dict

int_dtypes = ["int8", "int16", "int32", "int64"]
uint_dtypes = ["u" + name for name in int_dtypes]
integral_dtypes = int_dtypes + uint_dtypes
float_dtypes = ["float16", "float32", "float64"]
float_dtypes_with_bfloat16 = float_dtypes + ["bfloat16"]
dtypes = integral_dtypes + float_dtypes
dtypes_with_bfloat16 = dtypes + ["bfloat16"]
torch_float8_dtypes = ["float8_e4m3fn", "float8_e5m2"]
torch_dtypes = ["bool"] + int_dtypes + ["uint8"] + float_dtypes + ["bfloat16"]
tma_dtypes = sorted(set(dtypes_with_bfloat16) - {"int64", "uint64", "float64"})


def is_interpreter():
    return os.environ.get("TRITON_INTERPRET", "0") == "1"


def get_current_target():
    return None if is_interpreter() else triton.runtime.driver.active.get_current_target()


def _is_backend(name):
    target = get_current_target()
    return target is not None and target.backend == name


def _capability():
    return torch.cuda.get_device_capability()[0] if is_cuda() else 0


def is_cuda():
    return _is_backend("cuda")


def is_ampere_or_newer():
    return _capability() >= 8


def is_blackwell():
    return _capability() == 10


def is_blackwell_ultra():
    return is_cuda() and torch.cuda.get_device_capability()[0:2] == (10, 3)


def is_rubin():
    return is_cuda() and torch.cuda.get_device_capability()[0:2] == (10, 7)


def is_hopper_or_newer():
    return _capability() >= 9


def is_hopper():
    return _capability() == 9


def is_sm12x():
    return _capability() == 12


def is_hip():
    return _is_backend("hip")


def is_xpu():
    return _is_backend("xpu")


is_hip_cdna = is_hip_cdna2 = is_hip_cdna3 = is_hip_cdna4 = is_hip_cdna3_or_newer = is_hip
is_hip_rdna = is_hip_rdna3 = is_hip_rdna4 = is_hip_rdna4m = is_hip
is_hip_gfx11 = is_hip_gfx12 = is_hip_gfx1250 = is_hip


def get_hip_lds_size():
    return 65536


def get_arch():
    target = get_current_target()
    return "" if target is None else str(target.arch)


def numpy_random(shape, dtype_str, rs=None, low=None, high=None):
    """Random elements of a dtype: whole ranges of integers without 0, normal floats, bytes that are float8
    numbers of a middling size."""
    shape = (shape,) if isinstance(shape, int) else shape
    generator = numpy.random.RandomState(seed=17) if rs is None else rs
    if dtype_str in integral_dtypes:
        limits = numpy.iinfo(dtype_str)
        first = limits.min if low is None else max(low, limits.min)
        last = limits.max if high is None else min(high, limits.max)
        values = generator.randint(first, last, shape, dtype=dtype_str)
        values[values == 0] = 1
        return values
    if dtype_str and "float8" in dtype_str:
        return generator.randint(20, 40, shape, dtype=numpy.int8)
    normal = generator.normal(0, 1, shape)
    if dtype_str in float_dtypes:
        return normal.astype(dtype_str)
    if dtype_str == "bfloat16":  # float32 numbers whose low bits are zero
        return (normal.astype("float32").view("uint32") & numpy.uint32(0xFFFF0000)).view("float32")
    if dtype_str in ("bool", "int1", "bool_"):
        return normal > 0
    raise RuntimeError(f"no random numbers of type {dtype_str}")


def to_triton(x, device, dst_type=None):
    """An array as a tensor. What PyTorch lacks becomes a wrapper round its bits; float32 with
    dst_type="bfloat16" is rounded to that."""
    name = x.dtype.name
    if name in uint_dtypes:
        return reinterpret(torch.tensor(x.view(name[1:]), device=device), getattr(tl, name))
    tensor = torch.tensor(x, device=device)
    if dst_type and "float8" in dst_type:
        return reinterpret(tensor, getattr(tl, dst_type))
    return tensor.bfloat16() if name == "float32" and dst_type == "bfloat16" else tensor


def str_to_triton_dtype(x):
    return tl.str_to_ty(type_canonicalisation_dict[x], None)


def torch_dtype_name(dtype):
    if isinstance(dtype, tl.dtype):
        return dtype.name
    if isinstance(dtype, torch.dtype):
        return str(dtype).removeprefix("torch.")
    raise TypeError(f"not a triton or torch dtype: {type(dtype)}")


def to_numpy(x):
    if isinstance(x, TensorWrapper):
        return x.base.cpu().numpy().astype(getattr(numpy, torch_dtype_name(x.dtype)))
    if isinstance(x, torch.Tensor):
        return (x.float() if x.dtype is torch.bfloat16 else x).cpu().numpy()
    raise ValueError(f"Not a triton-compatible tensor: {x}")


def unwrap_tensor(t):
    return t.base if isinstance(t, TensorWrapper) else t


def supports_tma(byval_only=False):
    """Tensor descriptors: everywhere but on GPUs before Hopper."""
    return not is_cuda() or is_hopper_or_newer()


def supports_ws():
    return not is_cuda() or is_hopper_or_newer()


def tma_skip_msg(byval_only=False):
    return "Requires tensor descriptors (on NVIDIA GPUs: Hopper or newer)"


def supports_clc():
    """Programs that ask for further work while they run (Blackwell)."""
    return _capability() >= 10


def skip_if_unsupported_cluster_size(num_ctas):
    if is_cuda() and num_ctas > 1:
        pytest.skip("kernels run on no clusters of blocks")


def random_int(low, high, *, warmup_value=None, **kwargs):
    return int(torch.randint(low, high, size=(), **kwargs).item())


def random_float(*, warmup_value=0.5, **kwargs):
    return float(torch.rand((), **kwargs).item())


requires_tma = pytest.mark.skipif(not supports_tma(), reason=tma_skip_msg())


def default_alloc_fn(size, align, _):
    return torch.empty(size, dtype=torch.int8, device="cuda" if torch.cuda.is_available() else "cpu")


@dataclass
class ProcessResult:
    """What a function raised, if it did, and what was written to the process's standard error meanwhile."""

    exc: BaseException | None
    driver_stderr_output: str


def _call_in_process(function, args, kwargs, variables, path, answer):
    os.environ.update(variables)
    raised, kept = None, os.dup(2)
    with open(path, "wb") as file:
        os.dup2(file.fileno(), 2)  # the driver writes there, too
        try:
            function(*args, **kwargs)
            if torch.cuda.is_available():
                torch.cuda.synchronize()
        except Exception as error:
            raised = error
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)
    answer.send(raised)


def run_in_process(client_fn, args=(), kwargs=None, env=None):
    """Calls a function in a process of its own, which a failed assertion on a GPU may spoil."""
    context = multiprocessing.get_context("forkserver")
    here, there = context.Pipe(duplex=False)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "stderr")
        process = context.Process(target=_call_in_process, args=(client_fn, args, kwargs or {}, env or {}, path, there))
        process.start()
        there.close()
        try:
            raised = here.recv()
        except EOFError:
            process.join()
            raise RuntimeError(f"the process ended with {process.exitcode} and said nothing") from None
        process.join()
        with open(path, errors="replace") as file:
            return ProcessResult(raised, file.read())


class ReplenishingProcessPool:
    """Upstream's keeps a process that has imported a module; here each call has one of its own."""

    run = staticmethod(run_in_process)

    def __init__(self, preload_module):
        pass

    def start(self):
        pass

    def close(self):
        pass


@contextlib.contextmanager
def use_process_pool(preload_module):
    yield ReplenishingProcessPool(preload_module)


def _fresh_knobs_impl(skipped_attr=None):
    """Two functions: one that clears all settings and their variables, one that brings them back."""
    groups = {
        name: group
        for name, group in vars(knobs).items()
        if isinstance(group, knobs.base_knobs) and name not in (skipped_attr or set())
    }
    variables = [each.key for group in groups.values() for each in group.knob_descriptors.values()]
    before, propagates = {}, knobs.propagate_env

    def fresh_function():
        before.update({key: os.environ.pop(key, None) for key in variables})
        for name, group in groups.items():
            setattr(knobs, name, group.copy().reset())
        knobs.propagate_env = True
        return knobs

    def reset_function():
        for name, group in groups.items():
            setattr(knobs, name, group)
        for key, value in before.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value
        knobs.propagate_env = propagates

    return fresh_function, reset_function
