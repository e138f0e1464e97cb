# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels of threads name, as values of Python: the compiler knows them by their paths."""

from .. import _native


class Name:
    """Something that has a meaning in kernels alone."""

    def __init__(self, path):
        self._path = path

    def _native_value(self):
        return _native.LanguagePart(self._path)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Name(f"{self._path}.{name}")

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{self._path} has a meaning in kernels alone")

    def __repr__(self):
        return self._path


class ElementType:
    """numba.float32 and its kin: the type of an element, or, with brackets, of an array."""

    def __init__(self, name):
        self.name = name

    def _native_value(self):
        if self.name in _COMPLEX:
            return _native.LanguagePart("numba." + self.name)
        return _native.ElementType(_native.dtype_of(self.name) or self.name)

    @property
    def dtype(self):
        import numpy

        return numpy.dtype("bool" if self.name == "boolean" else self.name)

    def __getitem__(self, dimensions):
        return ArrayType(self, dimensions)

    def __call__(self, *args):
        if len(args) == 1 and not isinstance(args[0], (ElementType, ArrayType)):
            return self.dtype.type(args[0])
        return Signature(self, args)

    def __eq__(self, other):
        return getattr(other, "name", None) == self.name

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return self.name


class ArrayType:
    """float32[:, ::1]: as far as signatures need it."""

    def __init__(self, element, dimensions):
        dimensions = dimensions if isinstance(dimensions, tuple) else (dimensions, )
        self.element = self.dtype = element
        self.ndim = len(dimensions)
        self.layout = "C" if dimensions[-1].step == 1 else "F" if dimensions[0].step == 1 else "A"

    def __eq__(self, other):
        return isinstance(other, ArrayType) and (self.dtype, self.ndim, self.layout) == (other.dtype, other.ndim,
                                                                                         other.layout)

    def __hash__(self):
        return hash((self.dtype, self.ndim, self.layout))

    def __repr__(self):
        return f"array({self.dtype}, {self.ndim}d, {self.layout})"


class Signature:
    """void(float32[:], int32): of a kernel."""

    def __init__(self, result, args):
        self.return_type, self.args = result, args


class Void(ElementType):

    def __init__(self):
        super().__init__("none")

    def __call__(self, *args):
        return Signature(self, args)


def _typed(name):
    return ElementType("boolean" if name == "int1" else name)


TYPES = {name: _typed(dtype) for name, dtype in _native.thread_types()}
TYPES.update(void=Void(), none=Void(), complex64=ElementType("complex64"), complex128=ElementType("complex128"),
             c8=ElementType("complex64"), c16=ElementType("complex128"))


def of_cuda():
    """What numba.cuda has for kernels, by name."""
    names = {path.partition(".")[0] for path in _native.thread_names()}
    return {name: Name(f"numba.cuda.{name}") for name in names}


def element_type(value):
    """The element type that a value of Numba, of NumPy or of ours stands for, as the compiler takes it; None for all
    else."""
    if isinstance(value, ElementType):
        name = value.name
    elif type(value).__module__.startswith("numba.") and hasattr(value, "name"):
        name = value.name
    elif type(value).__module__ == "numpy" and type(value).__name__.endswith("DType"):
        name = str(value)
    elif isinstance(value, type) and value.__module__ == "numpy":
        name = value.__name__
    else:
        return None
    name = {"boolean": "bool", "bool_": "bool"}.get(name, name)
    found = _native.dtype_of(name)
    return _native.ElementType(found) if found else None


_MODULES = {"numba", "numba.types", "numba.core.types", "numba.cuda", "numpy", "math", "cmath"}
_COMPLEX = {"complex64", "complex128"}


def language_path(value):
    """The path under which the compiler knows a module, or a function of one; None for others."""
    name = getattr(value, "__name__", None)
    if type(value).__name__ == "module" and name in _MODULES:
        return name.replace("core.", "")
    if type(value).__name__ == "builtin_function_or_method" and value.__module__ in ("math", "cmath"):
        return f"{value.__module__}.{name}"
    if value is complex:
        return "python.complex"
    if isinstance(value, type) and value.__module__ == "numpy" and name in _COMPLEX:
        return "numba." + name
    if getattr(value, "name", None) in _COMPLEX and (isinstance(value, ElementType)
                                                     or type(value).__module__.startswith("numba.")):
        return "numba." + value.name
    if type(value).__name__ == "ufunc":
        return "numpy." + name
    return None
