# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""triton.compile: a kernel for a signature and a target, without a launch."""

import types
from collections import namedtuple

from . import _native
from .binary import Binary
from .compiled import DEFAULTS, Options
from .driver import config
from .source import ASTSource
from .target import GPUTarget


class IRSource:
    """Upstream's own IR as text, which Nereid does not read."""

    def __init__(self, path, context=None, backend=None):
        raise NotImplementedError(f"{path}: Nereid compiles kernels from their source, not from Triton's IR")


class BaseBackend:
    """What upstream asks of a back end: options as an object."""

    def __init__(self, target):
        self.target = target

    def parse_options(self, options):
        return types.SimpleNamespace(**{**DEFAULTS, **options})

    def hash(self):
        return f"{_native.version()}-{self.target}"


def make_backend(target):
    return BaseBackend(target)


def _metadata(source, target, options):
    facts = {**options.as_dict(), "name": source.name, "hash": source.hash(), "target": target, "shared": 0}
    return namedtuple("KernelMetadata", sorted(facts))(**facts)


def compile(src, target=None, options=None, _env_vars=None):
    """Compiles for a target, the active one if none is given; the machine need not have it. Options that a launch would
    refuse are passed over, as upstream's back ends do: programs give those of several targets."""
    target = target or config.active.get_current_target()
    if not isinstance(target, GPUTarget):
        raise TypeError("target must be of GPUTarget type")
    if not isinstance(src, ASTSource):
        return IRSource(src)
    if src.fn._declaration_error:
        raise src.fn._declaration_error
    known = {name: value for name, value in (options or {}).items() if name in DEFAULTS}
    options = Options.of(known, src.fn)
    return Binary(src, target, options, _metadata(src, target, options))
