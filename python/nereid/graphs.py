# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timing by CUDA graphs, through PyTorch: what the host does between two calls does not count."""

REPLAYS = 10


def _milliseconds(call):
    """How long the current stream takes for what `call` gives it."""
    import torch

    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    call()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end)


def time_graph(fn, rep, grad_to_none):
    """The times of a call in milliseconds, each the mean over a graph of about `rep` ms of calls."""
    import torch

    def forget_gradients():
        for tensor in grad_to_none or ():
            tensor.detach_()
            tensor.requires_grad_(True)
            tensor.grad = None

    def calls(count):
        for _ in range(count):
            for tensor in grad_to_none or ():
                tensor.grad = None
            fn()

    with torch.cuda.stream(torch.cuda.Stream()):
        fn()  # compiles, which a graph cannot hold
        forget_gradients()
        torch.cuda.synchronize()
        estimate = _milliseconds(lambda: calls(5)) / 5
        count = max(1, int(rep / max(estimate, 1e-3)))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            calls(count)
        torch.cuda.synchronize()
        return [_milliseconds(graph.replay) / count for _ in range(REPLAYS)]
