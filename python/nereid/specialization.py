# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tells compiled kernels apart, in Triton's words: for programs that make keys of their own. Launches have the
dispatcher, which writes down the same facts as bytes."""

import json

from . import _native
from .jit import JITCallable
from .language.constants import constexpr
from .language.dtypes import dtype
from .parameters import mangle_type
from .tensor_descriptor import TensorDescriptor

ALIGNED = "D"  # a multiple of 16


def native_specialize_impl(backend, arg, is_const=False, specialize_value=True, align=True):
    """(the type in signatures, what else is known) of an argument; the value for a constant."""
    if arg is None or isinstance(arg, (constexpr, dtype)):
        return "constexpr", arg
    if isinstance(arg, JITCallable):
        return "constexpr", arg.cache_key
    if isinstance(arg, (tuple, list)):
        parts = [native_specialize_impl(backend, each, is_const, specialize_value, align) for each in arg]
        kinds, facts = (tuple(part[number] for part in parts) for number in range(2))
        return (type(arg)(*kinds), type(arg)(*facts)) if hasattr(arg, "_fields") else (kinds, facts)
    if isinstance(arg, TensorDescriptor):
        element = mangle_type(arg.base).lstrip("*")
        return f"tensordesc<{element}{list(arg.block_shape)}>", _facts_of_descriptor(arg)
    if isinstance(arg, bool):
        return "u1", None
    if isinstance(arg, int):
        if specialize_value and arg == 1:
            return "constexpr", 1
        return mangle_type(arg), ALIGNED if specialize_value and align and arg % _native.KNOWN_MULTIPLE == 0 else None
    if isinstance(arg, float):
        return "fp32", None
    kind = mangle_type(arg)
    is_aligned = specialize_value and align and arg.data_ptr() % _native.KNOWN_MULTIPLE == 0
    return ("*k" + kind[1:] if is_const else kind), ALIGNED if is_aligned else None


def _facts_of_descriptor(descriptor):
    """What the code of loads and stores depends on besides the type, as text."""
    size = descriptor.base.element_size() if hasattr(descriptor.base, "element_size") else descriptor.base.itemsize
    address = descriptor.base.data_ptr() if hasattr(descriptor.base, "data_ptr") else descriptor.base.ctypes.data
    steps = [step * size for step in descriptor.strides[:-1]]
    is_aligned = all(number % _native.KNOWN_MULTIPLE == 0 for number in (address, *steps))
    return (ALIGNED if is_aligned else "") + descriptor.padding


def compute_cache_key(kernel_key_cache, specialization, options):
    """A text for what is known of the arguments and the options, in which functions are their texts and names."""
    key = tuple(specialization), str(options)
    if key not in kernel_key_cache:
        kernel_key_cache[key] = str(_with_keys(specialization)) + str(options)
    return kernel_key_cache[key]


def _with_keys(value):
    if isinstance(value, JITCallable):
        return value.cache_key
    if isinstance(value, (tuple, list)):
        parts = map(_with_keys, value)
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def serialize_specialization_data(name, signature, constants, attrs, options, key):
    """The same as JSON, by which other processes know a kernel. Nereid's own preload() reads another text."""
    values = [str(value) if isinstance(value, dtype) else
              {"constexpr": value.value} if isinstance(value, constexpr) else value for value in constants.values()]
    return json.dumps({
        "name": name, "signature": signature, "constant_keys": list(map(list, constants)), "constant_vals": values,
        "attrs_keys": list(map(list, attrs)), "attrs_vals": list(attrs.values()), "options": vars(options), "key": key
    })


def find_paths_if(value, predicate):
    """The paths of the parts of nested tuples for which predicate(path, part) holds."""
    found = []

    def walk(path, part):
        if isinstance(part, (tuple, list)):
            for index, each in enumerate(part):
                walk((*path, index), each)
        elif predicate(path, part):
            found.append(path)

    walk((), value)
    return found


def get_iterable_path(value, path):
    for index in path:
        value = value[index]
    return value


def is_namedtuple(kind):
    """Whether a class is one of named tuples."""
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


def expand_signature(signature, tensordesc_meta, descriptor_type):
    """The types of a signature with those of descriptors taken apart, as Triton's launchers hand them over: where there
    is no metadata a pointer, extents, steps and two flags; where there is, the descriptor; then extents and steps."""
    expanded = []
    for kind in signature:
        if isinstance(kind, tuple):
            expanded.append(tuple(expand_signature(kind, tensordesc_meta, descriptor_type)))
        elif isinstance(kind, str) and kind.startswith("tensordesc"):
            element, rank = _descriptor(kind)
            expanded += [descriptor_type] if tensordesc_meta else [f"*{element}", *["i64"] * (2 * rank), "i1", "i1"]
            expanded += ["i32"] * rank + ["i64"] * rank
        else:
            expanded.append(kind)
    return expanded


def _descriptor(kind):
    """Element type and rank of "tensordesc<fp16[64, 32]>"."""
    element, _, rest = kind.partition("<")[2].partition("[")
    block, _, facts = rest.partition("]")
    rank = facts.partition("input_rank=")[2].rstrip(">").partition(",")[0]
    if not element or not block:
        raise ValueError(f"'{kind}' is not the type of a descriptor")
    return element, int(rank) if rank else block.count(",") + 1
