# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""@vectorize and @guvectorize with target="cuda": a function of elements, or of parts of arrays, as one of whole
ones. A kernel is written around it, whose threads take one element, or one part, after the other."""

import inspect
import re
import warnings

import numpy

from . import arrays, devices
from .kernel_text import THREADS, device_function, kernel_around
from .reduction import Reduce
from .signatures import Kind, signatures_of


def _is_untyped(value):
    return not hasattr(value, "dtype") and numpy.ndim(value) == 0


def _type_of(value):
    """The name of an element's type; None for a plain number, which has none."""
    if _is_untyped(value):
        return None
    return str(value.dtype if hasattr(value, "dtype") else numpy.asarray(value).dtype)


def _on_host(array):
    return array.copy_to_host() if arrays.is_cuda_array(array) else numpy.asarray(array)


def _there(array, stream):
    """Where kernels run: an array of the host's is copied for a GPU."""
    return arrays.to_device(array, stream) if devices.uses_gpu() else array


def _lies_together(array):
    return array.is_c_contiguous() if arrays.is_cuda_array(array) else array.flags.c_contiguous


def _without_ones(shape):
    """The shape as a result may have it, too: what lies before it may be one part, or nothing."""
    leading = next((axis for axis, extent in enumerate(shape) if extent != 1), len(shape))
    return tuple(shape[leading:])


class _OfArrays:
    """What both have: signatures, and the kernels that were made so far."""

    def __init__(self, func, identity, cache, targetoptions):
        if unknown := set(targetoptions or {}) - {"nopython", "fastmath"}:
            raise TypeError(f"{func.__name__}: no options {sorted(unknown)} of functions of arrays for target \"cuda\"")
        self.py_func, self.__name__, self.__doc__ = func, func.__name__, func.__doc__
        self.identity, self._signatures, self._kernels = identity, [], {}
        self._function = device_function(func)

    def add(self, signature):
        self._signatures += signatures_of(signature)

    def disable_compile(self):
        pass

    def build_ufunc(self):
        return self

    def _kernel(self, parameters, statement):
        if statement not in self._kernels:
            self._kernels[statement] = kernel_around(self._function, self.__name__, parameters, statement)
        return self._kernels[statement]

    def _fitting(self, given):
        return [signature for signature in self._signatures
                if all(name in (None, kind.name) for name, kind in zip(given, signature[1]))]

    def _chosen(self, inputs):
        """The signature for inputs of these types: of arrays they are its own, and plain numbers fit any. So do NumPy's
        numbers where no signature has their types."""
        given = list(map(_type_of, inputs))
        loosely = [None if isinstance(value, numpy.generic) else name for name, value in zip(given, inputs)]
        fitting = self._fitting(given) or self._fitting(loosely)
        shown = ", ".join(name or "a number" for name in given)
        if not fitting:
            known = "; ".join(", ".join(kind.name for kind in kinds[:len(inputs)]) for _, kinds in self._signatures)
            raise TypeError(f"{self.__name__} is not compiled for ({shown}): it is for ({known}), and arrays have exactly "
                            "such types")
        if len(fitting) > 1 and all(name is None for name in given):
            fitting = self._fitting([str(numpy.asarray(value).dtype) for value in inputs]) or fitting
        if len(fitting) > 1 and all(name is None for name in given):
            raise TypeError(f"{self.__name__} is ambiguous for plain numbers, which fit {len(fitting)} signatures: "
                            "give one of a NumPy type")
        return fitting[0]

    def _require_count(self, args, *allowed):
        if len(args) not in allowed:
            raise TypeError(f"{self.__name__} takes {' or '.join(map(str, allowed))} arguments, not {len(args)}")


class UFunc(_OfArrays):
    """Of elements."""

    def __init__(self, func, identity=None, cache=False, targetoptions=None):
        super().__init__(func, identity, cache, targetoptions)
        if "nopython" in (targetoptions or {}):
            warnings.warn("nopython kwarg for cuda target is redundant", RuntimeWarning, stacklevel=3)
        self.nin = len(inspect.signature(func).parameters)

    def add(self, signature):
        super().add(signature)
        result, kinds = self._signatures[-1]
        if result is None and any(numpy.dtype(kind.name).kind in "mM" for kind in kinds):
            units = [numpy.asarray(1).astype(kind.name)[()] for kind in kinds]  # NumPy types times as Numba does
            self._signatures[-1] = Kind(str(numpy.asarray(self.py_func(*units)).dtype)), kinds
        if self._signatures[-1][0] is None:
            raise TypeError("a signature of @vectorize says what type the result has, as float32(float32)")

    def __call__(self, *args, out=None, stream=0):
        self._require_count(args, *((self.nin, ) if out is not None else (self.nin, self.nin + 1)))
        if len(args) > self.nin:
            args, out = args[:-1], args[-1]
        args = [arrays.as_cuda_array(value) if arrays.is_cuda_array(value) else value for value in args]
        result, kinds = self._chosen(args)
        inputs = [value if arrays.is_cuda_array(value) else numpy.asarray(value, kind.name)
                  for value, kind in zip(args, kinds)]
        shape = numpy.broadcast_shapes(*(value.shape for value in inputs))
        if out is not None and arrays.is_cuda_array(out):
            out = arrays.as_cuda_array(out)
        if out is not None and tuple(out.shape) != shape:
            raise ValueError(f"the result has shape {shape}, and `out` {tuple(out.shape)}")
        is_there = any(map(arrays.is_cuda_array, inputs)) or (out is not None and arrays.is_cuda_array(out))
        made = self._computed(inputs, shape, result.name, stream)
        if out is not None:
            if arrays.is_cuda_array(out):
                out.copy_to_device(made, stream)
            else:
                out[...] = _on_host(made)
            return out
        return made if is_there else _on_host(made)[()]

    def _computed(self, inputs, shape, dtype, stream):
        """An array of the device. An input of one element is that for all; another one of the result's shape."""
        made = arrays.device_array(shape, dtype, stream=stream)
        single = [value.size == 1 for value in inputs]
        flat = [_there(self._flat(value, shape, is_single), stream) for value, is_single in zip(inputs, single)]
        if made.size:
            names = [f"x{number}" for number in range(self.nin)]
            elements = ", ".join(f"{name}[{0 if is_single else 'i'}]" for name, is_single in zip(names, single))
            kernel = self._kernel(["out", *names], f"out[i] = function({elements})")
            kernel[-(-made.size // THREADS), THREADS, stream](made.size, made.reshape(-1), *flat)
        return made

    @staticmethod
    def _flat(value, shape, is_single):
        if is_single or (tuple(value.shape) == shape and _lies_together(value)):
            return value.reshape(-1)
        return numpy.ascontiguousarray(numpy.broadcast_to(_on_host(value), shape)).reshape(-1)

    def reduce(self, arg, stream=0):
        """Of all elements of an array of one dimension."""
        if self.nin != 2:
            raise TypeError(f"{self.__name__} takes {self.nin} arguments; what reduces takes 2")
        if arg.ndim != 1:
            raise TypeError("only arrays of one dimension are reduced")
        if not arg.size and self.identity is None:
            raise TypeError(f"{self.__name__} has no identity, which no elements come to")
        if not arg.size:
            return numpy.dtype(arg.dtype).type(self.identity)
        every = arrays.device_array_like(arg, stream)
        every.copy_to_device(arg, stream)
        Reduce(self.py_func).fold(every, stream)
        return every.copy_to_host()[0]


def _cores(layout):
    """Of "(m,n),(n)->(m)" the names of dimensions of each input, and of each output."""
    sides = layout.replace(" ", "").split("->")
    if len(sides) != 2 or not all(re.fullmatch(r"(\([\w,]*\),?)*", side) for side in sides):
        raise ValueError(f"{layout!r} is no layout of parts, as (m,n),(n)->(m) is")
    return [[[name for name in part.split(",") if name] for part in re.findall(r"\(([\w,]*)\)", side)]
            for side in sides]


class GUFunc(_OfArrays):
    """Of parts of arrays, along their last dimensions. The function writes its results to its last arguments."""

    def __init__(self, func, signature, identity=None, cache=False, targetoptions=None, writable_args=()):
        self.signature = signature
        self._inputs, self._outputs = _cores(signature)
        if not (targetoptions or {}).get("nopython", True):
            raise TypeError("nopython flag must be True")
        super().__init__(func, identity, cache, targetoptions)

    def add(self, signature):
        super().add(signature)
        if self._signatures and self._signatures[-1][0] is not None:
            raise TypeError(f"functions of parts return nothing: {signature} says they return "
                            f"{self._signatures[-1][0].name}")

    @property
    def nin(self):
        return len(self._inputs)

    @property
    def nout(self):
        return len(self._outputs)

    def __call__(self, *args, out=None, stream=0):
        self._require_count(args, self.nin, self.nin + self.nout)
        args = [arrays.as_cuda_array(value) if arrays.is_cuda_array(value) else value for value in args]
        args, outs = args[:self.nin], args[self.nin:]
        if out is not None and outs:
            raise ValueError(f"{self.__name__} got its results twice: behind the inputs, and as `out`")
        if out is not None:
            outs = list(out) if isinstance(out, tuple) else [out]
        outs = [arrays.as_cuda_array(each) if arrays.is_cuda_array(each) else each for each in outs]
        if not self._signatures and not outs:
            raise TypeError(f"{self.__name__} has no signature that says what its results are: give it arrays for them")
        kinds = self._chosen(args)[1] if self._signatures else [None] * (self.nin + self.nout)
        inputs = [value if arrays.is_cuda_array(value) or kind is None else numpy.asarray(value, kind.name)
                  for value, kind in zip(args, kinds)]
        inputs = [value if hasattr(value, "shape") else numpy.asarray(value) for value in inputs]
        extents, loop = self._extents(inputs)
        shapes = [(*loop, *(extents[name] for name in core)) for core in self._outputs]
        for given, shape in zip(outs, shapes):
            if _without_ones(given.shape) != _without_ones(shape):
                raise ValueError(f"a result of {self.__name__} has shape {shape}, and the array for it "
                                 f"{tuple(given.shape)}")
        types = [each.dtype for each in outs] or [kind.name for kind in kinds[self.nin:]]
        made = [arrays.device_array(shape, dtype, stream=stream) for shape, dtype in zip(shapes, types)]
        self._run(inputs, made, kinds, loop, stream)
        is_there = any(map(arrays.is_cuda_array, [*inputs, *outs]))
        for given, result in zip(outs, made):
            if arrays.is_cuda_array(given):
                given.copy_to_device(result.reshape(given.shape), stream)
            else:
                given[...] = _on_host(result).reshape(given.shape)
        results = outs or (made if is_there else [_on_host(result)[()] for result in made])
        return results[0] if len(results) == 1 else tuple(results)

    def _extents(self, inputs):
        """Of the dimensions that have names, and what lies before them, which all inputs have in common."""
        extents, loops = {}, []
        for value, core in zip(inputs, self._inputs):
            shape = tuple(value.shape)
            if len(shape) < len(core):
                raise ValueError(f"{self.__name__}: an array of {len(shape)} dimensions for ({','.join(core)})")
            loops.append(shape[:len(shape) - len(core)])
            for name, extent in zip(core, shape[len(shape) - len(core):]):
                wanted = extents.setdefault(name, int(name) if name.isdigit() else extent)
                if extent != wanted:
                    raise ValueError(f"{self.__name__}: dimension {name} is {wanted} in one array and {extent} in "
                                     "another")
        missing = {name for core in self._outputs for name in core if name not in extents and not name.isdigit()}
        if missing:
            raise ValueError(f"{self.__name__}: no input says how long {', '.join(sorted(missing))} is")
        extents.update((name, int(name)) for core in self._outputs for name in core if name.isdigit())
        return extents, numpy.broadcast_shapes(*loops)

    def _run(self, inputs, made, kinds, loop, stream):
        count = int(numpy.prod(loop, dtype=int))
        given, parts = [], []
        for number, (value, core) in enumerate(zip(inputs, self._inputs)):
            value, is_single = self._in_parts(value, core, loop, count)
            is_number = not core and (kinds[number] is None or kinds[number].ndim is None)
            given.append(_there(value, stream))
            at = "0" if is_single else "i"
            parts.append(f"x{number}[{at}]" if core or is_number else f"x{number}[{at}:{at} + 1]")
        for number, (value, core) in enumerate(zip(made, self._outputs)):
            given.append(value.reshape(count, *value.shape[len(loop):]))
            parts.append(f"y{number}[i]" if core else f"y{number}[i:i + 1]")
        names = [part.partition("[")[0] for part in parts]
        if count and all(value.size for value in made):
            kernel = self._kernel(names, f"function({', '.join(parts)})")
            kernel[-(-count // THREADS), THREADS, stream](count, *given)

    @staticmethod
    def _in_parts(value, core, loop, count):
        """An input as its parts in a row, and whether all take the first, which is the only one."""
        shape = tuple(value.shape)
        before, behind = shape[:len(shape) - len(core)], shape[len(shape) - len(core):]
        is_single = int(numpy.prod(before, dtype=int)) == 1
        if (is_single or before == tuple(loop)) and _lies_together(value):
            return value.reshape(1 if is_single else count, *behind), is_single
        wide = shape if is_single else (*loop, *behind)
        spread = numpy.ascontiguousarray(numpy.broadcast_to(_on_host(value), wide))
        return spread.reshape(1 if is_single else count, *behind), is_single


def vectorize(signatures=(), *, target="cuda", identity=None, **options):
    """A decorator: a function of elements as one of arrays, for the types that signatures say."""
    return _decorator(lambda function: UFunc(function, identity, **_known(options)), signatures)


def guvectorize(*signatures_and_layout, target="cuda", identity=None, writable_args=(), **options):
    """The same for a function of parts of arrays, behind signatures, which may be left out, a layout."""
    *signatures, layout = signatures_and_layout
    return _decorator(lambda function: GUFunc(function, layout, identity, **_known(options)),
                      signatures[0] if signatures else ())


def _known(options):
    return {"cache": options.pop("cache", False), "targetoptions": options}


def _decorator(make, signatures):

    def decorate(function):
        made = make(function)
        for signature in [signatures] if isinstance(signatures, str) else signatures:
            made.add(signature)
        return made

    return decorate
