# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One rank of a job, with a GPU of its own (compare.py starts it). Prints a line of JSON for each part: how far its
result is from the reference, and what that may be, and the median time in ms. `import triton` is whichever it was
started with."""

import copy
import json
import os
import sys

import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symmetric

import kernels

RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
DEVICE = torch.device("cuda", RANK)
TURNS = 60


def median_time(call):
    """In ms, of a call that all ranks make."""
    times = []
    for _ in range(TURNS + 5):
        torch.cuda.synchronize()
        dist.barrier()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times[5:])[TURNS // 2]


def report(part, error, allowed, time):
    worst = torch.tensor([error, time], device=DEVICE, dtype=torch.float64)
    dist.all_reduce(worst, dist.ReduceOp.MAX)
    if RANK == 0:
        print("RESULT", json.dumps({"part": part, "error": worst[0].item(), "allowed": allowed, "ms": worst[1].item()}),
              flush=True)


def difference(found, wanted):
    return (found.double() - wanted.double()).abs().max().item()


def shared(shape, dtype):
    """A tensor that every rank has at the same place of its symmetric memory, and what reaches the others'."""
    tensor = symmetric.empty(shape, dtype=dtype, device=DEVICE)
    return tensor, symmetric.rendezvous(tensor, dist.group.WORLD.group_name)


def all_reduce(name, kernel, size):
    buffer, handle = shared((size,), torch.float32)
    mine = torch.randn(size, device=DEVICE, generator=torch.Generator(DEVICE).manual_seed(RANK))
    wanted = mine.double()
    dist.all_reduce(wanted)
    out = torch.empty_like(mine)
    blocks = min(32, (size + 1023) // 1024)

    def reduce():
        kernel[(blocks,)](handle.buffer_ptrs_dev, handle.signal_pad_ptrs_dev, out, size, RANK, WORLD=WORLD, BLOCK=1024,
                          num_warps=8)

    for _ in range(3):  # again: what one launch leaves behind must not disturb the next
        buffer.copy_(mine)
        out.zero_()
        reduce()
        error = difference(out, wanted)
    report(f"{name}, {size * 4 >> 10} KB", error, 1e-5, median_time(reduce))


def product():
    rows, N, K = 2048, 4096, 4096
    generator = torch.Generator(DEVICE).manual_seed(RANK)
    part, handle = shared((rows, K), torch.float16)
    part.copy_(torch.randn(rows, K, device=DEVICE, generator=generator))
    b = torch.randn(K, N, device=DEVICE, generator=generator).half() / K**0.5
    whole = torch.empty(WORLD * rows, K, device=DEVICE, dtype=torch.float16)
    c = torch.empty(WORLD * rows, N, device=DEVICE, dtype=torch.float16)
    arrived = torch.zeros(WORLD, device=DEVICE, dtype=torch.int32)
    copies = torch.cuda.Stream()
    theirs = [handle.get_buffer(peer, (rows, K), torch.float16) for peer in range(WORLD)]
    # Some multiprocessors stay free for the copies' flags.
    grid = (torch.cuda.get_device_properties(DEVICE).multi_processor_count - 8,)

    def multiply():
        arrived.zero_()
        copies.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(copies):
            for step in range(WORLD):
                peer = (RANK + step) % WORLD
                whole[peer * rows:(peer + 1) * rows].copy_(theirs[peer])
                arrived[peer:peer + 1].fill_(1)
        kernels.product_of_parts[grid](whole, b, c, arrived, WORLD * rows, N, K, RANK, PART=rows, BM=128, BN=128, BK=64,
                                       num_warps=8, num_stages=3)
        torch.cuda.current_stream().wait_stream(copies)

    torch.cuda.synchronize()
    dist.barrier()
    multiply()
    gathered = [torch.empty_like(part) for _ in range(WORLD)]
    dist.all_gather(gathered, part.clone())
    wanted = torch.cat(gathered).double() @ b.double()
    report(f"product of {WORLD * rows} x {N} x {K} as parts arrive", difference(c, wanted), 5e-3, median_time(multiply))


class Block(torch.nn.Module):

    def __init__(self, width):
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


def model_of(width, depth):
    torch.manual_seed(7)
    return torch.nn.Sequential(*(Block(width) for _ in range(depth))).to(DEVICE)


def training(name, spread, whole_of):
    """Steps of a model that `spread` makes the ranks' own, beside as many in double precision on all the data."""
    width, batch, steps = 512, 1024, 3
    plain = model_of(width, 4)
    reference = copy.deepcopy(plain).double()
    model = spread(plain)
    torch.manual_seed(8)
    data = torch.randn(WORLD * batch, width, device=DEVICE)
    mine = data[RANK * batch:(RANK + 1) * batch]
    optimizers = [torch.optim.SGD(each.parameters(), lr=5.0) for each in (model, reference)]

    def step(each, optimizer, inputs):
        optimizer.zero_grad()
        loss = each(inputs).square().mean()
        loss.backward()
        optimizer.step()

    for _ in range(steps):
        step(model, optimizers[0], mine)
        step(reference, optimizers[1], data.double())
    wanted = list(reference.parameters())
    error = max(difference(whole_of(found), each) for found, each in zip(model.parameters(), wanted))
    changed = max(difference(before, each) for before, each in zip(model_of(width, 4).parameters(), wanted))
    assert changed > 1e-3, "the steps changed nothing"
    report(f"{name}, {WORLD} x {batch} x {width}", error, 1e-5, median_time(lambda: step(model, optimizers[0], mine)))


def data_parallel(model):
    return torch.compile(torch.nn.parallel.DistributedDataParallel(model, device_ids=[RANK]))


def fully_sharded(model):
    from torch.distributed.fsdp import fully_shard

    for block in model:
        fully_shard(block)
    fully_shard(model)
    return torch.compile(model)


def main():
    torch.cuda.set_device(DEVICE)
    torch.backends.cuda.matmul.allow_tf32 = False
    dist.init_process_group("nccl", device_id=DEVICE)
    if hasattr(symmetric, "enable_symm_mem_for_group"):  # which later versions need no more
        symmetric.enable_symm_mem_for_group(dist.group.WORLD.group_name)
    parts = {
        "one-shot": lambda: [all_reduce("all-reduce in one shot", kernels.all_reduce_in_one_shot, size)
                             for size in (2048, 1 << 21)],
        "two-shot": lambda: [all_reduce("all-reduce in two shots", kernels.all_reduce_in_two_shots, size)
                             for size in (2048, 1 << 21)],
        "product": product,
        "ddp": lambda: training("data-parallel step", data_parallel, lambda parameter: parameter),
        "fsdp": lambda: training("fully sharded step", fully_sharded, lambda parameter: parameter.full_tensor()),
    }
    for name in sys.argv[1].split(","):
        parts[name]()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
