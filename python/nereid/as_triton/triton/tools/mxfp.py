# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of the microscaling formats, as tensors of bytes: E2M1 (four bits) and E8M0 (powers of two)."""

import torch

_E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)  # by the three lower bits
_NAN = 255  # of E8M0


class _Bytes:
    """Numbers of a format, one in a byte: those of a tensor of floats, or of a size, for random()."""

    def __init__(self, data=None, size=None, device=None):
        if data is None and size is None:
            raise ValueError("Either parameter data or size must be provided")
        if data is not None:
            assert isinstance(data, torch.Tensor), "Parameter data must be a torch tensor"
        self.device = data.device if data is not None else device
        self.size = tuple(data.shape) if data is not None else size if isinstance(size, tuple) else (size,)
        self.data = self._from_float(data) if data is not None else None


class MXFP4Tensor(_Bytes):
    """Numbers of E2M1, one in a byte: `data` holds the bits."""

    def random(self):
        self.data = torch.randint(0, 16, self.size, dtype=torch.uint8, device=self.device)
        return self

    def to(self, dtype):
        assert dtype == torch.float32, "Currently only float32 is supported for fp4e2m1 to float conversion"
        table = torch.tensor(_E2M1 + tuple(-value for value in _E2M1), dtype=torch.float32, device=self.device)
        return table[self.data.long()]

    def _from_float(self, values):
        """Rounded to nearest, ties to the even mantissa, beyond the largest to the largest."""
        table = torch.tensor(_E2M1, dtype=torch.float32, device=values.device)
        size = values.to(torch.float32).abs().nan_to_num(nan=_E2M1[-1], posinf=_E2M1[-1]).clamp(max=_E2M1[-1])
        upper = torch.searchsorted(table, size).clamp(max=7)
        lower = (upper - 1).clamp(min=0)
        up, down = table[upper] - size, size - table[lower]
        takes_upper = (up < down) | ((up == down) & (upper % 2 == 0))
        bits = torch.where(takes_upper, upper, lower).to(torch.uint8)
        return bits | (torch.signbit(values).to(torch.uint8) << 3)

    def to_packed_tensor(self, dim):
        """Two numbers in a byte, those of even places along `dim` in the lower half; an odd end is filled with 0."""
        data = self.data
        assert 0 <= dim < data.ndim, "The dimension to pack along is not within the range of tensor dimensions"
        if data.shape[dim] % 2:
            shape = list(data.shape)
            shape[dim] = 1
            data = torch.cat([data, torch.zeros(shape, dtype=torch.uint8, device=data.device)], dim)
        low, high = data.movedim(dim, -1)[..., 0::2], data.movedim(dim, -1)[..., 1::2]
        return ((high << 4) | low).movedim(-1, dim).contiguous()

    def unpack_packed_tensor(self, packed_tensor, dim, original_shape):
        moved = packed_tensor.movedim(dim, -1)
        both = torch.stack([moved & 15, moved >> 4], -1).flatten(-2)
        return both[..., :original_shape[dim]].movedim(-1, dim).contiguous().type(torch.uint8)


class MXScaleTensor(_Bytes):
    """Scales of E8M0: a byte is the exponent of a power of two with the bias 127; 255 is NaN."""

    def random(self, low=None, high=None):
        """Powers of two between two numbers, the whole range without them."""
        import math

        first = 0 if low is None else max(0, int(math.log2(low)) + 127)
        last = 254 if high is None else min(254, max(0, int(math.log2(high)) + 127))
        assert first <= last, "Low must be less than or equal to high"
        self.data = torch.randint(first, last + 1, self.size, dtype=torch.uint8, device=self.device)
        return self

    def to(self, dtype):
        assert dtype == torch.float32, "Currently only float32 is supported for f8e8m0 to float conversion"
        powers = torch.exp2(self.data.to(torch.float64) - 127).to(torch.float32)
        return torch.where(self.data == _NAN, torch.full_like(powers, float("nan")), powers)

    def _from_float(self, values):
        """The power of two at or below; what is not above 0, or not finite, is NaN."""
        values = values.to(torch.float64)
        is_number = torch.isfinite(values) & (values > 0)
        exponent = torch.floor(torch.log2(torch.where(is_number, values, torch.ones_like(values)))).clamp(-127, 127)
        return torch.where(is_number, exponent + 127, torch.full_like(exponent, _NAN)).to(torch.uint8)
