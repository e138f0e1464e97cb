# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compilation that another process described is done again before it is needed."""

import dataclasses
import json

from . import _native, driver
from .compiled import CompiledKernel, Options, kinds_in
from .described import read_constant
from .gpu import target_of
from .wording import printable


def _argument(kernel, kind, value):
    if kind == "constexpr":
        return _native.Argument.constant(kernel._constant(value))
    if kind.startswith("(") and value is not None:
        return _native.Argument.tuple([_argument(kernel, *each) for each in zip(kinds_in(kind), value)])
    return _native.Argument(kind)


def preload(kernel, text):
    data = json.loads(text)
    if data["name"] != kernel._fn_name:
        raise RuntimeError(
            printable(f"Specialization data is for {data['name']} but trying to preload for {kernel._fn_name}"))
    target = dataclasses.asdict(target_of(data["cuda_device"]))
    if data["target"] != target:
        raise RuntimeError(printable(f"Specialization data is for {data['target']} but trying to preload for {target}"))
    constants = {name: read_constant(value) for name, value in data["constants"].items()}
    constants.update({name: read_constant(value) for name, value in data["tuples"].items()})
    bound = {name: constants.get(name) for name in data["signature"]}
    arguments = [_argument(kernel, kind, bound[name]) for name, kind in data["signature"].items()]
    options = Options.of(data["options"], kernel)
    key = kernel._kernel_key(arguments, bound, options.given, data["may_overlap"], data["cuda_device"])
    device = driver.device_of(data["cuda_device"], kernel.is_interpreted)
    compiled = CompiledKernel(kernel, arguments, bound, options, data["may_overlap"], device, key, is_ahead=True)
    kernel._keep(key, compiled)
    return compiled
