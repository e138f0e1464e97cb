# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What code is compiled for."""

import contextlib
import os
import threading
from dataclasses import dataclass
from typing import Union


@dataclass(frozen=True)
class GPUTarget:
    """GPUTarget("cuda", 90, 32); on a CPU, GPUTarget("cpu", "haswell", 32), where the last
    number is only what programs that count in warps divide by."""

    backend: str
    arch: Union[int, str]
    warp_size: int


def native_target(target):
    """What the library calls a GPUTarget."""
    if target.backend == "cpu":
        return "cpu"
    if target.backend != "cuda":
        raise ValueError(f"no kernel can be compiled for {target}: the back ends are cpu and cuda")
    return f"sm_{target.arch}{'a' if target.arch in (90, 100) else ''}"


_changing = threading.Condition()
_compiled_for: list = []  # the target of each compilation that goes on


def _forget_other_threads():
    """In a process that is forked their compilations do not go on."""
    global _changing
    _changing = threading.Condition()
    _compiled_for.clear()


os.register_at_fork(after_in_child=_forget_other_threads)


@contextlib.contextmanager
def compiling_for(target):
    """What constexpr functions that ask for the target are told meanwhile. It need not be here, nor any device. The
    compiler calls them from threads of its own, which do not know for whom: compilations for another target wait."""
    with _changing:
        _changing.wait_for(lambda: not _compiled_for or _compiled_for[-1] == target)
        _compiled_for.append(target)
    try:
        yield
    finally:
        with _changing:
            _compiled_for.pop()
            _changing.notify_all()


def current_compilation():
    """The target that is being compiled for; None where nothing is."""
    return _compiled_for[-1] if _compiled_for else None


def cpp_type(type_text):
    """What C calls the type of a signature."""
    names = {"i1": "int8_t", "u1": "uint8_t", "fp16": "double", "bf16": "double", "fp32": "double", "fp64": "double"}
    if type_text.startswith("*"):
        return "void*"
    width = type_text[1:]
    return names.get(type_text) or ("" if type_text[0] == "i" else "u") + f"int{width}_t"
