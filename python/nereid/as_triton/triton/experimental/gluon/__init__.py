# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gluon, a lower language on Triton's own IR, whose layouts and memories are the programmer's. Nereid chooses those
itself and compiles no Gluon: programs that have such kernels besides others can be imported."""

from nereid import constexpr_function
from nereid import language as _language
from nereid.jit import must_use_result
from nereid.refusals import Refused as _Refused
from nereid.refusals import refused_module as _refused_module

_WHY = "Nereid compiles no Gluon"


class GluonJITFunction(_Refused):
    """A kernel that is written in Gluon, as a name: launching it is refused."""

    def __init__(self, fn):
        super().__init__(fn.__name__, f"the kernel is written in Gluon, and {_WHY}")
        self.fn = fn

    def __repr__(self):
        return f"GluonJITFunction({self.fn.__module__}:{self.fn.__qualname__})"


def jit(fn=None, **options):
    return GluonJITFunction(fn) if fn is not None else GluonJITFunction


# The modules of all versions; of their names each has any, since versions differ and none has a meaning.
_OF_LANGUAGE = """amd amd.cdna3 amd.cdna4 amd.cdna4.async_copy amd.gfx1250 amd.gfx1250.tdm amd.rdna3 amd.rdna4
amd.warp_pipeline extra nvidia nvidia.ampere nvidia.ampere.async_copy nvidia.ampere.mbarrier nvidia.blackwell
nvidia.blackwell.float2 nvidia.blackwell.tma nvidia.hopper nvidia.hopper.mbarrier nvidia.hopper.tma""".split()
_OF_HOST = "amd amd.gfx1250 nvidia nvidia.blackwell nvidia.hopper".split()


def _module(name, doc, given=()):
    _refused_module(name, _WHY, doc, given)


_types_and_constants = {name: value for name, value in vars(_language).items()
                        if name in ("constexpr", "tensor", "tuple", "dtype", "PropagateNan")
                        or isinstance(value, _language.dtype)}
_module(f"{__name__}.language", "Gluon's language: types and constants are Triton's", _types_and_constants)
for _name in _OF_LANGUAGE:
    _module(f"{__name__}.language.{_name}", "Gluon for one machine")
for _name in _OF_HOST:
    _module(f"{__name__}.{_name}", "Descriptors that the host makes for Gluon's kernels")
_module(f"{__name__}._runtime", "Gluon's kernels, and sources of them for a compilation ahead",
        {"GluonJITFunction": GluonJITFunction, "jit": jit})
