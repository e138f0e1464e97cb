# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The notebook "Programming on GPUs" as one program: kernels of threads in Numba's syntax, then kernels of tiles in
Triton's, in one process.

    python -m nereid --numba examples/notebook.py [--plot DIRECTORY] [--epochs N]

On the CPU without a GPU; with TRITON_INTERPRET=1 on the checked device. Needs NumPy and PyTorch, for the plot Matplotlib.
Ends with 1 if any result is not what NumPy or PyTorch says."""

import argparse
import os
import sys

import numpy as np
import torch
import triton

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kernels"))
import notebook as tiles
import notebook_grid_1
import notebook_grid_2
import notebook_grid_3
import notebook_threads as threads
from numba import cuda

DEVICE = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
wrong = []


def report(name, result, expected, **tolerance):
    result, expected = (x.detach().cpu().numpy() if isinstance(x, torch.Tensor) else np.asarray(x)
                        for x in (result, expected))
    is_right = result.shape == expected.shape and np.allclose(result, expected, **tolerance)
    print(f"{name:32} Correct:  {is_right}")
    if not is_right:
        wrong.append(name)


# Puzzles 1 to 6, and vectors of 1000: what threads do


def launch(kernel, grid, block, out, inputs, *more, out_is_last=False):
    """Copies the arrays to the device, runs the kernel there and copies the result back."""
    out_device = cuda.to_device(out)
    arrays = [cuda.to_device(array) for array in inputs]
    arrays = [*arrays, out_device] if out_is_last else [out_device, *arrays]
    kernel[grid, block](*arrays, *more)
    return out_device.copy_to_host()


def pool_spec(a):
    out = np.zeros(a.shape)
    for i in range(a.shape[0]):
        out[i] = a[max(i - 2, 0):i + 1].sum()
    return out


def puzzles():
    size = 4
    a = np.arange(size, dtype=np.float32)
    report("map", launch(threads.map_kernel, 1, size, np.zeros_like(a), [a]), a + 10)
    a, b = np.arange(size), np.arange(size)
    report("zip", launch(threads.zip_kernel, 1, size, np.zeros(size), [a, b]), a + b)
    report("zip with a guard", launch(threads.zip_guard_kernel, 1, 2 * size, np.zeros(size), [a, b], size), a + b)
    a = np.arange(size * size).reshape((size, size))
    report("map of a matrix", launch(threads.map_2d_kernel, 1, (size, size), np.zeros_like(a), [a], size), a + 10)
    a, b = np.arange(size).reshape(size, 1), np.arange(size).reshape(1, size)
    half = (size // 2, size // 2)
    for name, kernel, grid, block in (
        ("broadcast in a block", threads.broadcast_kernel, 1, (2 * size, 3 * size)),
        ("broadcast over a grid", notebook_grid_1.broadcast_grid_kernel, (size, size), 1),
        ("broadcast along one axis", notebook_grid_2.broadcast_grid_kernel, size, size),
        ("broadcast along two axes", notebook_grid_3.broadcast_grid_kernel, half, half),
    ):
        report(name, launch(kernel, grid, block, np.zeros_like(a + b), [a, b], size), a + b)
    size = 8
    a = np.arange(size)
    report("pool", launch(threads.pool_kernel, (2, 1), size // 2, np.zeros(size), [a], size), pool_spec(a))
    report("pool in shared memory", launch(threads.pool_kernel_shared, (size // threads.TPB, 1), threads.TPB,
                                           np.zeros(size), [a], size), pool_spec(a))
    size = 800
    a, b = np.arange(size, dtype=np.float32), np.arange(size, dtype=np.float32)
    out = launch(threads.dot_kernel_numba, triton.cdiv(size, 256), 256, np.zeros(1, np.float32), [a, b], size,
                 out_is_last=True)
    report("dot product of threads", out[0], np.dot(a, b))


# The same as tiles, and what PyTorch asks of them


def zip_triton(a, b):
    out = torch.empty_like(a)
    tiles.zip_guard_triton[(triton.cdiv(a.numel(), 256),)](a, b, out, a.numel(), BLOCK_SIZE=256)
    return out


def dot_triton(a, b):
    out = torch.zeros(1, device=a.device, dtype=a.dtype)
    tiles.dot_kernel[(triton.cdiv(a.shape[0], 256),)](a, b, out, a.shape[0], BLOCK_SIZE=256)
    return out[0]


def softmax_triton(x):
    x = x.contiguous()
    y = torch.empty_like(x)
    rows, columns = x.shape
    tiles.triton_softmax_kernel[(rows,)](x_ptr=x, y_ptr=y, x_row_stride=x.stride(0), y_row_stride=y.stride(0),
                                         num_cols=columns, BLOCK_SIZE=triton.next_power_of_2(columns))
    return y


class WeightedSumFunc(torch.autograd.Function):
    """(weight * x).sum(-1), forward and backward by kernels."""

    @staticmethod
    def forward(ctx, x, weight):
        flat = x.reshape(-1, x.shape[-1])
        ctx.save_for_backward(flat, weight)
        ctx.shape = x.shape
        rows, columns = flat.shape
        y = torch.empty(rows, device=x.device)
        tiles.weighted_sum_fwd[(triton.cdiv(rows, 16),)](
            flat, weight, y, flat.stride(0), flat.stride(1), weight.stride(0), y.stride(0), ROWS=rows, D=columns,
            ROWS_TILE_SIZE=16, D_TILE_SIZE=max(triton.next_power_of_2(columns) // 16, 1))
        return y.view(x.shape[:-1])

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        rows, columns = x.shape
        grad = grad_output.reshape(-1).contiguous()
        grad_x, grad_weight = torch.empty_like(x), torch.empty_like(weight)
        tile = max(triton.next_power_of_2(columns) // 16, 1)
        tiles.weighted_sum_bwd[(triton.cdiv(columns, tile),)](
            x, weight, grad, grad_x, grad_weight, x.stride(0), x.stride(1), weight.stride(0), grad.stride(0),
            grad_x.stride(0), grad_x.stride(1), grad_weight.stride(0), ROWS=rows, D=columns, ROWS_TILE_SIZE=16,
            D_TILE_SIZE=tile)
        return grad_x.view(ctx.shape), grad_weight


def tile_kernels():
    torch.manual_seed(0)
    a, b = torch.randn(1000, device=DEVICE), torch.randn(1000, device=DEVICE)
    report("zip of tiles", zip_triton(a, b), a + b)
    a = torch.arange(10, dtype=torch.float32, device=DEVICE)
    report("dot product of tiles", dot_triton(a, a), torch.dot(a, a))
    x = torch.randn(182, 781, device=DEVICE)
    report("softmax", softmax_triton(x), torch.softmax(x, dim=1))
    report("softmax of the transpose", softmax_triton(x.t()), torch.softmax(x.t(), dim=1))
    x = torch.randn(8, 16, 300, device=DEVICE, requires_grad=True)
    weight = torch.randn(300, device=DEVICE, requires_grad=True)
    y = WeightedSumFunc.apply(x, weight)
    report("weighted sum", y, (weight * x).sum(-1), atol=1e-4)
    direction = torch.randn_like(y)
    wanted = torch.autograd.grad((weight * x).sum(-1), (x, weight), direction)
    for name, mine, reference in zip(("x", "weight"), torch.autograd.grad(y, (x, weight), direction), wanted):
        report(f"its gradient by {name}", mine, reference, atol=1e-4)


class LinearRegressionTriton(torch.nn.Module):
    """y = w^T x + b"""

    def __init__(self, input_dim):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(input_dim, device=DEVICE) * 0.01)
        self.bias = torch.nn.Parameter(torch.zeros(1, device=DEVICE))

    def forward(self, x):
        return WeightedSumFunc.apply(x, self.weight) + self.bias


def train(epochs, samples=800, input_dim=128, batch=64):
    torch.manual_seed(42)
    x, true_weight = torch.randn(samples, input_dim, device=DEVICE), torch.randn(input_dim, device=DEVICE)
    true_bias = torch.randn(1, device=DEVICE)
    y = x @ true_weight + true_bias + torch.randn(samples, device=DEVICE) * 0.1
    model = LinearRegressionTriton(input_dim)
    compiled = torch.compile(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(epochs):
        total = 0.0
        for rows in torch.randperm(samples, device=DEVICE).split(batch):
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(compiled(x[rows]), y[rows])
            loss.backward()
            optimizer.step()
            total += loss.item()
        if epoch % 10 == 9:
            print(f"Epoch {epoch + 1}/{epochs}: Train Loss = {total * batch / samples:.4f}")
    report("what the regression has learned", model.weight, true_weight, atol=0.05)


def plot(directory):
    """The notebook's benchmark of softmax, of fewer rows."""

    @triton.testing.perf_report(
        triton.testing.Benchmark(x_names=["N"], x_vals=[128 * i for i in range(2, 34, 8)], line_arg="provider",
                                 line_vals=["triton", "torch"], line_names=["Triton", "Torch"],
                                 styles=[("blue", "-"), ("green", "-")], ylabel="GB/s",
                                 plot_name="softmax-performance", args={"M": 256}))
    def benchmark(M, N, provider):
        x = torch.randn(M, N, device=DEVICE)
        softmax = softmax_triton if provider == "triton" else lambda x: torch.softmax(x, dim=-1)
        ms = triton.testing.do_bench(lambda: softmax(x))
        return 2 * x.numel() * x.element_size() * 1e-9 / (ms * 1e-3)

    benchmark.run(save_path=directory, print_data=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plot", metavar="DIRECTORY", help="where the benchmark of softmax goes; none without it")
    parser.add_argument("--epochs", type=int, default=60, help="of the linear regression; 0: none is trained")
    options = parser.parse_args()
    puzzles()
    tile_kernels()
    if options.epochs:
        train(options.epochs)
    if options.plot:
        plot(options.plot)
    print(f"{len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
