# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a launch does to the arrays that it was given: kept, put back, and compared between two compilers."""

import math

import torch

# Largest difference of two right results, of the largest magnitude in the array: sums may be taken in any order, and
# products of float32 in parts.
_TOLERANCE = {torch.float64: 1e-9, torch.float32: 4e-3, torch.float16: 2e-2, torch.bfloat16: 4e-2}
_TOLERANCE_OF_EIGHT_BITS = 0.15


def tensors_in(values):
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif hasattr(value, "block_shape"):
            yield value.base
        elif isinstance(value, (tuple, list)):
            yield from tensors_in(value)


class Arrays:
    """The memory behind the tensors of a launch, each storage once, as it was before."""

    def __init__(self, values):
        self.tensors = [tensor for tensor in tensors_in(values) if tensor.is_cuda and tensor.numel()]
        self._storages = {tensor.untyped_storage().data_ptr(): tensor for tensor in self.tensors}
        self.bytes = sum(_span(tensor).numel() for tensor in self._storages.values())
        self._before, self._untouched, self._written = {}, {}, None

    def fit(self):
        """Whether there is room for the copies that comparing takes."""
        free = torch.cuda.mem_get_info()[0] + torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
        return 4 * self.bytes < free

    def keep(self):
        self._before = {key: _span(tensor).clone() for key, tensor in self._storages.items()}

    def find_written(self):
        """After a launch: what it changed is all that is put back and compared from now on, but for `strayed_by`.
        Returns what it left."""
        changed = {key for key, before in self._before.items() if not torch.equal(before, _span(self._storages[key]))}
        self._untouched = {key: before for key, before in self._before.items() if key not in changed}
        self._before = {key: before for key, before in self._before.items() if key in changed}
        self._written = [tensor for tensor in self.tensors if tensor.untyped_storage().data_ptr() in self._before]
        return self.results()

    def strayed_by(self):
        """The difference that a launch since has made where that one changed nothing, which is put back; asked once. That
        one may have stored what an earlier launch of it had left there, so equal bytes are not asked for."""
        strays = {key for key, before in self._untouched.items() if not torch.equal(before, _span(self._storages[key]))}
        tensors = [tensor for tensor in self.tensors if tensor.untyped_storage().data_ptr() in strays]
        ours = [tensor.clone() for tensor in tensors]
        for key in strays:
            _span(self._storages[key]).copy_(self._untouched[key])
        self._untouched = {}
        return difference(tensors, ours)

    def put_back(self):
        for key, before in self._before.items():
            _span(self._storages[key]).copy_(before)

    def results(self):
        return [tensor.clone() for tensor in self._written]

    @property
    def bytes_written(self):
        return sum(before.numel() for before in self._before.values())


def _span(tensor):
    """All of the storage, as bytes."""
    return torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(tensor.untyped_storage())


def difference(theirs, ours):
    """The largest difference of two results of a launch, of what may be; infinite where whole numbers are not the same, or
    where one has a NaN or an infinity and the other has not."""
    return max((_difference(a, b) for a, b in zip(theirs, ours)), default=0.0)


def _difference(a, b):
    if torch.equal(_bytes(a), _bytes(b)):
        return 0.0
    if not a.is_floating_point():
        return math.inf
    tolerance = _TOLERANCE.get(a.dtype, _TOLERANCE_OF_EIGHT_BITS)
    a, b = a.double(), b.double()
    if not torch.equal(a.isnan(), b.isnan()):
        return math.inf
    if not torch.equal(a.isposinf(), b.isposinf()) or not torch.equal(a.isneginf(), b.isneginf()):
        return math.inf
    a, b = (torch.where(each.isfinite(), each, 0.0) for each in (a, b))
    scale = max(a.abs().max().item(), b.abs().max().item(), 1e-30)
    return (a - b).abs().max().item() / scale / tolerance


def unequal_integers(theirs, ours):
    """Of the whole numbers in two results of a launch: how many are not the same, and how many there are. One of a million is
    another finding than all."""
    pairs = [(a, b) for a, b in zip(theirs, ours) if not a.is_floating_point()]
    return sum((a != b).sum().item() for a, b in pairs), sum(a.numel() for a, _ in pairs)


def _bytes(tensor):
    return tensor.contiguous().view(torch.uint8) if tensor.dim() else tensor.reshape(1).view(torch.uint8)
