# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda.In, Out and InOut: which way an array of the host's is copied for a kernel. Where the kernel runs in the host's
memory, it works on the array itself, or, of one that only goes in, on a copy."""

import numpy

from . import arrays


class ArgHint:
    """An argument of a launch that stands for the array inside."""

    goes_in = goes_out = True

    def __init__(self, value):
        self.value = value

    def __getattr__(self, name):
        if name == "value" or name.startswith("__"):  # how it is read is for the classes below to say
            raise AttributeError(name)
        return getattr(self.value, name)

    def to_device(self, retr, stream=0):
        """The array that the kernel gets. What is to be done behind the kernel is appended to `retr`."""
        if arrays.is_cuda_array(self.value):
            return self.value
        there = arrays.to_device(self.value, stream) if self.goes_in else arrays.device_array_like(self.value, stream)
        if self.goes_out:
            retr.append(lambda: there.copy_to_host(self.value, stream=stream))
        return there


class In(ArgHint):
    goes_out = False

    @property
    def __array_interface__(self):
        if arrays.is_cuda_array(self.value):
            return self.value.__array_interface__
        if "_copy" not in self.__dict__:  # one for all launches, which may still be reading it
            self._copy = numpy.empty_like(self.value)
        self._copy[...] = self.value
        return self._copy.__array_interface__


class _InPlace(ArgHint):

    @property
    def __array_interface__(self):
        return numpy.asarray(self.value).__array_interface__


class Out(_InPlace):
    goes_in = False


class InOut(_InPlace):
    pass


def wrap_arg(value, default=InOut):
    """An argument with a hint: its own, or else this one."""
    return value if isinstance(value, ArgHint) else default(value)
