# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One process with several GPUs: launches whose arrays lie on another one, in the order of events. Prints as rank.py
does."""

import json

import torch
import triton

import kernels


def report(part, error, ms):
    print("RESULT", json.dumps({"part": part, "error": error, "allowed": 0, "ms": ms}), flush=True)


def median_time(call):
    times = []
    for _ in range(25):
        torch.cuda.synchronize(0)
        torch.cuda.synchronize(1)
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times[5:])[10]


def run(x, out, factor):
    n = x.numel()
    kernels.scaled_copy[(triton.cdiv(n, 1024),)](x, out, factor, n, BLOCK=1024)


def main():
    n = (8 << 20) // 4
    here, there = torch.randn(n, device="cuda:0"), torch.zeros(n, device="cuda:1")
    torch.cuda.synchronize(0)
    torch.cuda.synchronize(1)
    with torch.cuda.device(0):
        run(here, there, 2.0)
        torch.cuda.synchronize()
        error = (there.cpu() - here.cpu() * 2).abs().max().item()
        report("stores to a peer, 8 MB", error, median_time(lambda: run(here, there, 2.0)))
        back = torch.empty_like(here)
        run(there, back, 0.5)
        torch.cuda.synchronize()
        report("loads from a peer, 8 MB", (back - here).abs().max().item(), median_time(lambda: run(there, back, 0.5)))
    # Each GPU waits for the other's event, and the host for none of them.
    result = torch.empty_like(there)
    with torch.cuda.device(1):
        run(there, result, 1.0)  # compiled and loaded
        torch.cuda.synchronize()
    streams = [torch.cuda.Stream(device) for device in range(2)]
    events = [torch.cuda.Event() for _ in range(2)]
    with torch.cuda.device(0), torch.cuda.stream(streams[0]):
        torch.cuda._sleep(100_000_000)
        run(here, there, 4.0)
        events[0].record(streams[0])
    with torch.cuda.device(1), torch.cuda.stream(streams[1]):
        streams[1].wait_event(events[0])
        run(there, result, 2.0)
        events[1].record(streams[1])
    waited = not events[1].query()
    events[1].synchronize()
    assert waited, "the host waited"
    report("a kernel behind another GPU's event", (result.cpu() - here.cpu() * 8).abs().max().item(), 0.0)


if __name__ == "__main__":
    main()
