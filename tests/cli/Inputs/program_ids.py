import triton
import triton.language as tl


@triton.jit
def none(out):
    tl.atomic_add(out, 1)


@triton.jit
def first(out):
    tl.atomic_add(out + tl.program_id(0), 1)


@triton.jit
def second(out):
    tl.atomic_add(out + tl.program_id(1), 1)


@triton.jit
def third(out):
    tl.atomic_add(out + tl.program_id(2), 1)


@triton.jit
def printed(out):
    tl.atomic_add(out, 1)
    tl.device_print("here")
