# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types, as values of Python. Their table is the library's."""

from .. import _native


class dtype:
    """An element type. Equal by name; `repr` is what Python would evaluate to it."""

    _rows = {row[0]: row for row in _native.dtypes()}
    SINT_TYPES = [name for name, row in _rows.items() if row[4] == "signed"]
    UINT_TYPES = [name for name, row in _rows.items() if row[4] in ("bool", "unsigned")]
    FP_TYPES = [name for name, row in _rows.items() if row[4] == "float"]
    STANDARD_FP_TYPES = [name for name in FP_TYPES if not name.startswith("float8")]
    OTHER_TYPES = ["void"]

    class SIGNEDNESS:
        SIGNED, UNSIGNED = 0, 1

    class KIND:
        BOOLEAN, INTEGRAL, FLOATING = 0, 1, 2

    def __init__(self, name):
        name = getattr(name, "value", name)
        name = {row[1]: row[0] for row in self._rows.values()}.get(name, name)
        name = {row[2]: row[0] for row in self._rows.values()}.get(name, name)
        if name not in self._rows and name != "void":
            raise AssertionError(name)
        self._row = self._rows.get(name, (name, name, name, 0, "void", "", 0, 0))
        self.name = self._row[2] if self._row[4] == "float" else name
        self.primitive_bitwidth = self._row[3]
        self.itemsize = self.primitive_bitwidth // 8
        if self.is_int():
            self.int_bitwidth = self.primitive_bitwidth
            self.int_signedness = (self.SIGNEDNESS.SIGNED if self._row[4] == "signed" else self.SIGNEDNESS.UNSIGNED)
        if self.is_floating():
            self.fp_mantissa_width, self.exponent_bias = self._row[6:8]

    @property
    def _name(self):
        return self._row[0]

    def is_fp8(self):
        return self._name.startswith("float8")

    def is_fp8e4nv(self):
        return self.name == "fp8e4nv"

    def is_fp8e5(self):
        return self.name == "fp8e5"

    def is_fp8e4b15(self):
        return self.name == "fp8e4b15"

    def is_fp16(self):
        return self._name == "float16"

    def is_bf16(self):
        return self._name == "bfloat16"

    def is_fp32(self):
        return self._name == "float32"

    def is_fp64(self):
        return self._name == "float64"

    def is_int1(self):
        return self._name == "int1"

    is_bool = is_int1

    def is_int8(self):
        return self._name == "int8"

    def is_int16(self):
        return self._name == "int16"

    def is_int32(self):
        return self._name == "int32"

    def is_int64(self):
        return self._name == "int64"

    def is_uint8(self):
        return self._name == "uint8"

    def is_uint16(self):
        return self._name == "uint16"

    def is_uint32(self):
        return self._name == "uint32"

    def is_uint64(self):
        return self._name == "uint64"

    def is_floating(self):
        return self._row[4] == "float"

    def is_standard_floating(self):
        return self._name in self.STANDARD_FP_TYPES

    def is_int_signed(self):
        return self._row[4] == "signed"

    def is_int_unsigned(self):
        return self._row[4] in ("bool", "unsigned")

    def is_int(self):
        return self._row[4] in ("bool", "signed", "unsigned")

    def kind(self):
        return {"bool": self.KIND.BOOLEAN, "float": self.KIND.FLOATING}.get(self._row[4], self.KIND.INTEGRAL)

    def get_int_max_value(self):
        if self.is_int_signed():
            return 2**(self.int_bitwidth - 1) - 1
        return 2**self.int_bitwidth - 1

    def get_int_min_value(self):
        return -2**(self.int_bitwidth - 1) if self.is_int_signed() else 0

    @staticmethod
    def is_dtype(type_str):
        return type_str in dtype._rows or type_str in dtype.OTHER_TYPES

    def is_void(self):
        return self._name == "void"

    @staticmethod
    def is_block():
        return False

    @staticmethod
    def is_ptr():
        return False

    @staticmethod
    def is_const():
        return False

    @property
    def scalar(self):
        return self

    def __eq__(self, other):
        return isinstance(other, dtype) and type(self) is type(other) and self.name == other.name

    def __hash__(self):
        return hash((self.name,))

    def codegen_name(self):
        return {"float16": "fp16", "float32": "fp32", "float64": "fp64", "bfloat16": "bf16"}.get(self._name, self._name)

    @property
    def cache_key_part(self):
        return self.name

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"triton.language.{self.codegen_python_name()}"

    def codegen_python_name(self):
        return self._name

    def mangle(self):
        if self.is_int():
            return ("i" if self.is_int_signed() else "u") + str(self.int_bitwidth)
        return self.name

    def _native_value(self):
        return _native.ElementType(self._name)


class pointer_type(dtype):
    """The type of a pointer to elements."""

    def __init__(self, element_ty, address_space=1, const=False):
        self.element_ty = getattr(element_ty, "value", element_ty)
        if not isinstance(self.element_ty, dtype):
            raise TypeError(f"element_ty has type `{type(element_ty).__name__}`; expected `dtype`.")
        self.address_space, self.const = address_space, const
        self._row = ("pointer", "", "", 64, "pointer", "", 0, 0)
        self.name = f"pointer<{self.element_ty}>" if not const else f"const_pointer<{self.element_ty}>"
        self.primitive_bitwidth, self.itemsize = 64, 8

    @staticmethod
    def is_ptr():
        return True

    def is_const(self):
        return self.const

    def __repr__(self):
        return f"triton.language.pointer_type({self.element_ty!r})"

    def __eq__(self, other):
        return (isinstance(other, pointer_type) and self.element_ty == other.element_ty
                and self.address_space == other.address_space and self.const == other.const)

    def __hash__(self):
        return hash((self.name, self.address_space))

    def mangle(self):
        return "P" + self.element_ty.mangle()

    def _native_value(self):
        return _native.ElementType(self.element_ty._name, True)


class block_type(dtype):
    """The type of a tile."""

    def __init__(self, element_ty, shape):
        self.element_ty = element_ty
        self.shape = tuple(getattr(size, "value", size) for size in shape)
        if not self.shape:
            raise TypeError("0d block_type is forbidden")
        self._row = ("block", "", "", element_ty.primitive_bitwidth, "block", "", 0, 0)
        self.primitive_bitwidth, self.itemsize = element_ty.primitive_bitwidth, element_ty.itemsize
        self.numel = 1
        for size in self.shape:
            self.numel *= size
        self.name = f"<{list(self.shape)}, {element_ty}>".replace("[", "['").replace("]", "']").replace(", ", "', '", 0)

    @staticmethod
    def is_block():
        return True

    def get_block_shapes(self):
        return self.shape

    @property
    def scalar(self):
        return self.element_ty

    def __eq__(self, other):
        return (isinstance(other, block_type) and self.element_ty == other.element_ty and self.shape == other.shape)

    def __hash__(self):
        return hash((self.element_ty, self.shape))

    def __repr__(self):
        return f"triton.language.block_type({self.element_ty!r}, {list(self.shape)})"

    def mangle(self):
        return self.scalar.mangle() + "S" + "_".join(map(str, self.shape)) + "S"


DTYPES = {row[0]: dtype(row[0]) for row in _native.dtypes()}
void = dtype("void")
pi32_t = pointer_type(DTYPES["int32"])


def dtype_of(value):
    """The dtype that another library's dtype, or a name of one, stands for; None if it stands for none."""
    if isinstance(value, dtype):
        return value
    name = _native.dtype_of(value)
    return DTYPES[name] if name else None


def get_int_dtype(bitwidth, signed):
    """The integer of so many bits."""
    name = f"{'' if signed or bitwidth == 1 else 'u'}int{bitwidth}"
    if name not in DTYPES:
        raise ValueError(f"Unsupported bitwidth {bitwidth} and signedness {signed}")
    return DTYPES[name]


def str_to_ty(name, c=None):
    """The type that a signature calls `name`: "*fp32", "i32"."""
    if name == "constexpr":
        return constexpr_type
    if name.startswith("*"):
        name = name[1:]
        const = name.startswith("k")
        return pointer_type(str_to_ty(name[1:] if const else name), const=const)
    found = dtype_of(name)
    if found is None:
        raise KeyError(name)
    return found


class constexpr_type(dtype):
    """The type of a constant."""

    def __init__(self, value):
        self.value = value
        self._row = ("constexpr", "", "", 0, "constexpr", "", 0, 0)
        self.name = f"constexpr_type[{value}]"

    def __eq__(self, other):
        return isinstance(other, constexpr_type) and self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return self.name
