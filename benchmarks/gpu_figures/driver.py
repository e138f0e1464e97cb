# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nereid's code in PyTorch's context: PTX from the command line, launched through the driver on the stream that PyTorch
uses, so that both sides are measured by the same events."""

import ctypes
import functools
import pathlib
import re
import subprocess
import time

import torch

KERNELS = pathlib.Path(__file__).with_name("kernels.py")
TYPES = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.int8: "i8", torch.int32: "i32",
         torch.int64: "i64", torch.float64: "f64", torch.float8_e4m3fn: "f8e4nv", torch.float8_e5m2: "f8e5"}
MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

driver = ctypes.CDLL("libcuda.so.1")


def check(result, call):
    if result:
        text = ctypes.c_char_p()
        driver.cuGetErrorString(result, ctypes.byref(text))
        raise RuntimeError(f"{call}: {(text.value or b'?').decode()}")


def target():
    major, minor = torch.cuda.get_device_capability()
    return f"sm_{major}{minor}" + ("a" if major in (9, 10) else "")


class Compiler:
    """`nereid compile` for this machine's GPU."""

    def __init__(self, nereid):
        self.nereid = nereid

    def run(self, kernel, signature, options, what):
        command = [self.nereid, "compile", f"{KERNELS}::{kernel}", f"--target={target()}", what, "-s", signature, *options]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout

    @functools.lru_cache(None)
    def ptx(self, kernel, signature, options):
        return self.run(kernel, signature, options, "--emit=ptx")

    def stage_times(self, kernel, signature, options):
        """Milliseconds: ours, LLVM's. What stands before the llvm stage is ours; LLVM is optimisation and code."""
        text = self.run(kernel, signature, options, "--dump=tokens,ast,types,passes,layouts,llvm,ptx")
        stages = re.findall(r"(?m)^// ---- (\w+)(?:: .*)?, ([\d.]+) ms ----$", text)
        ours = [float(ms) for name, ms in stages if name not in ("llvm", "ptx")]
        return sum(ours), sum(float(ms) for _, ms in stages) - sum(ours)


def describe(name, value):
    """An entry of the signature and the argument of the launch, if there is one: as a launch would compile it."""
    if isinstance(value, torch.Tensor):
        multiple = ":16" if value.data_ptr() % 16 == 0 else ""
        return f"{name}=*{TYPES[value.dtype]}{multiple}", ctypes.c_void_p(value.data_ptr())
    if isinstance(value, float):
        return f"{name}=f32", ctypes.c_float(value)
    if value == 1:
        return f"{name}=1", None
    wide = not -2 ** 31 <= value < 2 ** 31
    multiple = ":16" if value % 16 == 0 else ""
    return f"{name}={'i64' if wide else 'i32'}{multiple}", (ctypes.c_int64 if wide else ctypes.c_int32)(value)


class Map(ctypes.Structure):
    """CUtensorMap."""
    _fields_ = [("opaque", ctypes.c_ubyte * 128)]


class DoesNotFit(ValueError):
    """What was compiled is not for these arguments. (Nereid itself compiles once more, without boxes.)"""


MAP_LINE = re.compile(r"// map: array p(\d+) (\w+) offset (.*) extents (.*) strides (.*) copied (.*) swizzle (\d+)")
MAP_TYPES = {"u8": (0, 1), "f16": (6, 2), "f32": (7, 4)}  # CUtensorMapDataType, bytes
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}


def tensor_maps(ptx, given):
    """What the entry takes behind its parameters, as the PTX's comments describe it."""
    values = {f"p{i}": value.value or 0 for i, value in enumerate(given)}

    def numbers(text):
        return [eval(term, {"__builtins__": {}}, values) for term in text.split(",") if term.strip()]

    for parameter, divisor in re.findall(r"// only if (p\d+) is a multiple of (\d+)", ptx):
        if values[parameter] % int(divisor):
            raise DoesNotFit(f"boxes ask for multiples of {divisor}, not {values[parameter]}")
    maps = []
    for array, kind, offset, extents, strides, copied, swizzle in MAP_LINE.findall(ptx):
        number, size = MAP_TYPES[kind]
        extents, strides, copied = numbers(extents), numbers(strides), numbers(copied)
        room = (ctypes.c_ubyte * 192)()
        start = -ctypes.addressof(room) % 64  # the driver wants it aligned
        rank = len(extents)
        check(driver.cuTensorMapEncodeTiled(
            ctypes.byref(room, start), number, rank,
            ctypes.c_void_p(values[f"p{array}"] + numbers(offset)[0] * size),
            (ctypes.c_uint64 * rank)(*[min(extent, 2**32 - 1) for extent in extents]),
            (ctypes.c_uint64 * max(rank - 1, 1))(*[stride * size for stride in strides]),
            (ctypes.c_uint32 * rank)(*copied), (ctypes.c_uint32 * rank)(*[1] * rank), 0, SWIZZLES[int(swizzle)], 2, 0),
            "cuTensorMapEncodeTiled")
        maps.append(Map.from_buffer_copy(bytes(room)[start:start + 128]))
    return maps


def looping_blocks(programs, alike):
    """As many as CudaKernel::loopingBlocks says."""
    multiprocessors = torch.cuda.get_device_properties(0).multi_processor_count
    blocks = min(programs, multiprocessors)
    even = -(-programs // -(-programs // blocks)) if alike else blocks
    return even if (blocks - even) * 8 <= multiprocessors else blocks


class Kernel:
    """One kernel for its arguments, loaded. Calling it launches it."""

    def __init__(self, compiler, kernel, grid, arguments, constants, options=()):
        entries = [describe(name, value) for name, value in arguments.items()]
        entries += [(f"{name}={value}", None) for name, value in constants.items()]
        self.signature = ",".join(text for text, _ in entries)
        self.given = [value for _, value in entries if value is not None]
        self.keep = arguments
        ptx = compiler.ptx(kernel, self.signature, tuple(options))
        maps = tensor_maps(ptx, self.given)
        grid = (list(grid) + [1, 1])[:3]
        if "// blocks loop over programs" in ptx:
            self.given += [ctypes.c_int32(number) for number in grid]
            alike = "// blocks loop over programs of one length" in ptx
            grid = [looping_blocks(grid[0] * grid[1] * grid[2], alike), 1, 1]
        self.given += maps
        warps, shared = map(int, re.search(r"// (\d+) warps, (\d+) bytes", ptx).groups())
        begin = time.perf_counter()
        module = ctypes.c_void_p()
        check(driver.cuModuleLoadData(ctypes.byref(module), ptx.encode() + b"\0"), "cuModuleLoadData")
        self.driver_ms = (time.perf_counter() - begin) * 1e3
        self.function = ctypes.c_void_p()
        check(driver.cuModuleGetFunction(ctypes.byref(self.function), module, f"kernel_{kernel}".encode()),
              "cuModuleGetFunction")
        if shared > 48 << 10:
            check(driver.cuFuncSetAttribute(self.function, MAX_DYNAMIC_SHARED, shared), "cuFuncSetAttribute")
        self.shape = (*grid, warps * 32, 1, 1, shared)
        self.pointers = (ctypes.c_void_p * max(len(self.given), 1))(
            *[ctypes.cast(ctypes.byref(value), ctypes.c_void_p) for value in self.given])

    def __call__(self):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        check(driver.cuLaunchKernel(self.function, *self.shape, stream, self.pointers, None), "cuLaunchKernel")
