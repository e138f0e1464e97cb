# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The differences that are known, each with its reason. Patterns are regular expressions."""

from contest import Explanation

REFUSED = r"^refused, "
ACCEPTED = r"^(?!refused, )"

TYPES = [
    Explanation(
        "a constexpr annotation over a run-time value is the author's mistake",
        source=r"\bv: tl\.constexpr = ",
        nereid=REFUSED + r"'v' must be a constexpr, but depends on a run-time value",
    ),
    Explanation(
        "a constexpr integer is between -2**63 and 2**64 - 1",
        source=r"\d{19}|\*\*|<<|\*",
        upstream=ACCEPTED,
        nereid=REFUSED + r"constant expression does not fit 64 bits",
    ),
    Explanation(
        "newer than 3.6: to_tensor",
        upstream=r"has no attribute 'to_tensor'",
        nereid=ACCEPTED,
    ),
    Explanation(
        "newer than 3.6: flip without a dimension",
        source=r"tl\.flip\([^,]*\)",
        upstream=r"'<=' not supported between instances of 'int' and 'NoneType'",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: `not` of any number, which compares it with zero",
        source=r"\bnot ",
        upstream=r"Cannot bitcast data-type of size \d+ to data-type of size 1",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: a mask of integers, which are compared with zero",
        source=r"mask=",
        upstream=r"Mask must have boolean scalar type|error encountered during parsing",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: argmin and argmax of all elements",
        source=r"arg(min|max)\(.*None",
        upstream=r"AssertionError",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: a literal has the methods of a value",
        upstream=r"'(float|int|bool)' object has no attribute",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: full converts its value as a cast does",
        source=r"tl\.full\(",
        upstream=r"TypeError: Invoked with: .*builder",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: a scalar has the shape functions of a tile",
        upstream=r"'dtype' object has no attribute '(numel|shape)'",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: a literal broadcasts as a scalar does",
        source=r"tl\.broadcast(_to)?\(",
        upstream=r"'constexpr_type' object has no attribute 'is_block'",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: + of any number",
        upstream=r"'tensor' object has no attribute '__pos__'",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: dot of tiles of any size",
        source=r"tl\.dot\(",
        upstream=r"Input shapes should have M >= 1, N >= 1 and K >= 32",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: broadcast_to a shape of more dimensions",
        source=r"tl\.broadcast_to\(",
        upstream=r"Cannot broadcast, rank mismatch",
        nereid=ACCEPTED,
    ),
    Explanation(
        "upstream ignores an out_dtype that no dot can have",
        source=r"out_dtype=tl\.u?int|p_f16\b.*out_dtype=tl\.float64",
        nereid=REFUSED + r"argument 'out_dtype' of dot must be float32 or float16",
    ),
    Explanation(
        "a constexpr annotation makes a plain number of a scalar whose value is known",
        source=r"\bv: tl\.constexpr = ",
        upstream=r"^0: (int|uint|float|bfloat)",
        nereid=r"^0: constexpr|^refused, constant \S+ does not fit",
    ),
    Explanation(
        "extension: min and max of constexpr floats",
        source=r"\b(min|max)\(",
        upstream=r"AssertionError",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: full of a tile with one element",
        source=r"tl\.full\(",
        upstream=r"Cannot splat a block tensor",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: a literal has the shape functions of a scalar",
        upstream=r"'constexpr' object has no attribute 'shape'",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: a condition may be any value known while compiling",
        upstream=r"conditionals can only accept values of type .*, not objects of type (float|dtype)",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: dot of float64 with an accumulator",
        source=r"tl\.dot\(.*acc=",
        upstream=r"AssertionError",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: dtypes as values of variables and in tuples",
        source=r"\.dtype|\.type",
        upstream=r"'dtype' object has no attribute 'type'|of type <class '[\w.]*dtype'> to tensor"
        r"|^refused, CompilationError: AssertionError\(\)$",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: chained comparisons",
        upstream=r"simultaneous multiple comparison is not supported",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: zeros_like of a pointer",
        source=r"tl\.zeros_like\(",
        upstream=r"RuntimeError: Not implemented",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: the type of a pointer has a width",
        source=r"\.primitive_bitwidth",
        upstream=r"'pointer_type' object has no attribute 'primitive_bitwidth'",
        nereid=ACCEPTED,
    ),
    Explanation(
        "extension: what a combine function gives is cast to the type of its elements",
        source=r"tl\.(reduce|associative_scan)\(",
        upstream=r"AssertionError",
        nereid=ACCEPTED,
    ),
    Explanation(
        "upstream cannot compute with a constexpr that it made of a run-time value",
        source=r"\bv: tl\.constexpr = ",
        upstream=r"`_semantic` argument must be provided",
        nereid=ACCEPTED,
    ),
    Explanation(
        "an index with more dimensions than the value is a mistake, of which upstream drops a part",
        source=r"\[(None, :|:, None)\]",
        nereid=REFUSED + r".* cannot be indexed here",
    ),
    Explanation(
        "a pointer is no truth value: a load was forgotten",
        source=r"\b(or|and)\b",
        nereid=REFUSED + r"'(or|and)' is not defined for .*pointer",
    ),
    Explanation(
        "upstream wants a float32 accumulator for the float64 it computes",
        source=r"tl\.dot\(.*p_f64.*acc=",
        nereid=REFUSED + r"argument 'acc' of dot must be a float64 tile",
    ),
    Explanation(
        "the bits of a pointer are 64",
        source=r"bitcast=True",
        nereid=REFUSED + r"cannot cast pointer to \w+ to ",
    ),
    Explanation(
        "upstream negates a negative step before it asks for its type",
        source=r"\brange\(",
        upstream=r"^0: uint64",
        nereid=r"^0: int64",
    ),
    Explanation(
        "a loop whose condition is known to be false is left out",
        # The 52nd literal is NaN, below which nothing is; so is a quotient of infinity by // or cdiv.
        source=r"\bwhile v < [^\n]*(nan|c_52|inf)",
        upstream=REFUSED,
        nereid=ACCEPTED,
    ),
    Explanation(
        "a loop whose step is 0 does not end",
        source=r"\brange\(",
        nereid=REFUSED + r"argument 'step' of range must be a number other than 0",
    ),
    Explanation(
        "a condition of known scalars picks its branch while compiling",
        source=r"\bif ",
        upstream=r"^0: (.*); 1: \1$",
        nereid=r"^[01]: [^;]*$",
    ),
]

VALUES = [
    Explanation(
        "upstream's interpreter sums 32-bit integers in 64 bits and then refuses what does not fit",
        source=r"tl\.sum\(",
        upstream=REFUSED + r"OverflowError: Python integer -?\d+ out of bounds for u?int32",
        nereid=r"^results",
    ),
    Explanation(
        "upstream's interpreter forgets that a comparison gives int1 when it repeats a scalar",
        upstream=REFUSED + r"TypeError: ufunc 'bitwise_\w+' not supported for the input types",
        nereid=r"^results",
    ),
]
