import triton
import triton.language as tl


@triton.jit
def show(x_ptr, n, B: tl.constexpr):
    tl.static_print("B is", B)
    tl.static_print(B > 4, None, 1.5, sep="-")
    offsets = tl.arange(0, B)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.static_print("x: ", x, "|n: ", n, sep="", end="!\n")
    tl.store(x_ptr + offsets, x + 1, mask=offsets < n)
