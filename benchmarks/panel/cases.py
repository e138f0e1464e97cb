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


def on_device():
    return "cuda" if torch.cuda.is_available() else "cpu"


def few(size, smaller):
    """A size that people use; without a GPU one at which the host checks the case in a moment."""
    return size if torch.cuda.is_available() else smaller


def draw(*shape, dtype=torch.bfloat16, scale=1.0):
    return (torch.randn(*shape, device=on_device()) * scale).to(dtype)


def integers(below, *shape):
    return torch.randint(0, below, shape, dtype=torch.int32, device=on_device())


def checked(cases):
    """Cases that say what they should leave: functions that yield, after each launch, what it left, a function that computes
    by PyTorch what it should have, and perhaps how far off it may be (of the greatest number; of whole numbers: the share that
    may differ). With --check each is compared, on the host where there is no GPU, and what is wrong is a failure."""
    is_asked = "--check" in sys.argv
    sys.argv = [each for each in sys.argv if each != "--check"]
    return {name: lambda case=case: _check(case(), is_asked) for name, case in cases.items()}


def _check(launches, is_asked):
    for number, (left, wanted, *tolerance) in enumerate(launches):
        if not is_asked:
            continue
        wanted = wanted()
        if left.is_floating_point():
            off = ((left.double() - wanted.double()).abs().max() / wanted.double().abs().max()).item()
        else:
            off = (left != wanted).double().mean().item()
        may_be = tolerance[0] if tolerance else 0.02 * left.is_floating_point()
        if not off <= may_be:  # a NaN is wrong too
            raise AssertionError(f"launch {number} leaves other numbers: {off:.3g} for {may_be:.3g}")


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
            if torch.cuda.is_available():
                torch.cuda.synchronize()
        except Exception as error:  # the others are still of interest
            print(f"{name}: {type(error).__name__}: {str(error).strip().splitlines()[:1]}", file=sys.stderr)
