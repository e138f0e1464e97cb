# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs of the panel have in common: cases by name, each run forward and backward, a failure being a line."""

import argparse
import sys

import torch


def tensor(*shape, dtype=torch.bfloat16, grad=True, scale=1.0):
    return (torch.randn(*shape, device="cuda") * scale).to(dtype).requires_grad_(grad)


def labels(count, classes):
    return torch.randint(0, classes, (count,), device="cuda")


def backward(result):
    """Runs backward from whatever of a result has a gradient."""
    results = result if isinstance(result, (tuple, list)) else [result]
    results = [each for each in results if isinstance(each, torch.Tensor) and each.requires_grad]
    if results:
        torch.autograd.backward(results, [torch.randn_like(each) if each.dim() else torch.ones_like(each)
                                          for each in results])


def run(cases):
    """`cases`: name -> function without parameters. Takes [--part I/N] [TEXT...], texts that names must hold."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", default="0/1", help="I/N: every Nth case from the Ith on")
    parser.add_argument("texts", nargs="*")
    parsed = parser.parse_args()
    first, step = map(int, parsed.part.split("/"))
    torch.manual_seed(0)
    for name in list(cases)[first::step]:
        if parsed.texts and not any(text in name for text in parsed.texts):
            continue
        try:
            backward(cases[name]())
            torch.cuda.synchronize()
        except Exception as error:  # the others are still of interest
            print(f"{name}: {type(error).__name__}: {str(error).strip().splitlines()[:1]}", file=sys.stderr)
