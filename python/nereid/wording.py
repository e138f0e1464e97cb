# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Triton says of mistakes that programs look for in its words: for a diagnostic's id and text, the exception
that is the cause of the CompilationError. Each row is (id, pattern of our text, exception, Triton's words)."""

import math
import re

from . import _native


def printable(text):
    """`text`, or what its str() is, as a terminal shows it and does not obey it: the library's rule, of which escapes
    stand for control characters and marks that turn the direction of writing."""
    return _native.printable(str(text).encode("utf-8", "surrogatepass"))


_TYPE = r"((?:pointer to )?\w+)(?: tile of shape \([^)]*\))?"


def _of_types(text):
    """A TypeError that names types as Triton shows them, pointers among them."""
    names = {row[0]: row[2] if row[4] == "float" else row[0] for row in _native.dtypes()}
    return TypeError(re.sub(r"triton\.language\.pointer to (\w+)",
                            lambda found: f"pointer<{names.get(found[1], found[1])}>", text))


_ROWS = [
    ("mixed_signedness", rf"'(.+)' of {_TYPE} and {_TYPE} mixes", TypeError,
     "Cannot use {0} with {1} and {2} because they have different signedness; this is unlikely to result in a useful "
     "answer. Cast them to the same signedness."),
    ("operand_types", rf"is not defined for (?!a ){_TYPE} and {_TYPE}", _of_types,
     "invalid operands of type triton.language.{0} and triton.language.{1}"),
    ("operand_type", rf"is not defined for (?!a ){_TYPE}", _of_types, "unexpected type triton.language.{0}"),
    ("constant_out_of_range", r"constant (\S+) does not fit (\w+)", ValueError,
     "Scalar {0} is out of range for type {1}"),
    ("axis_out_of_range", r"axis (-?\d+) is out of range for a tile of rank (\d+)", ValueError,
     "invalid axis {0}. Expected -{1} <= axis < {1}"),
    ("argument_value", r"'axis' of (program_id|num_programs) must be .* not int (-?\d+)", ValueError,
     "{0} axis must be 0, 1, or 2 but got {1}"),
    ("cannot_index", r"", ValueError, "unsupported tensor index"),
    ("unknown_name", r"unknown name '(\w+)'", NameError, "{0} is not defined"),
    ("unknown_attribute", r"(.+) has no attribute '(\w+)'", AttributeError, "{0} has no attribute '{1}'"),
    ("shape_mismatch", r"cannot broadcast shapes (\(.*\)) and (\(.*\)) together", ValueError,
     "Cannot make_shape_compatible: incompatible dimensions of {0} and {1}"),
    ("cannot_broadcast_to", r"cannot broadcast shape \((.*)\) to \((.*)\)", ValueError,
     "Cannot broadcast, the expanded size of the tensor must match the existing size: [{0}], [{1}]"),
    ("reshape_count", r"", ValueError, "reshape() cannot change total number of elements in tensor"),
    ("carried_type_changed", r"'(\w+)' is (.+) before the loop but (.+) after", AssertionError,
     "Loop-carried variable {0} has initial type {1} but is re-assigned to {2} in loop! Please make sure that the "
     "type stays consistent."),
    ("branch_types_differ", r"'(\w+)' is (.+) in one branch but (.+) in the other", TypeError,
     "Mismatched type for {0} between then block ({1}) and else block ({2})"),
    ("argument_value", r"'max_num_imprecise_acc' of dot must be at most (\d+), .*, not int (\d+)", ValueError,
     "max_num_imprecise_acc ({1}) must be <= K ({0})"),
    ("static_assert_failed", r"dot_scaled: (\w+) must have the shape \((.*)\), not \((.*)\)",
     lambda text: AssertionError(re.sub(r"(\w+)(?=[^[]*\]$)", r"'\1'", text)),  # Triton quotes the sizes that are there
     "{0} must be a tensor of shape [{1}]. Got [{2}]"),
    # Said by the error itself.
    ("result_not_used", r"the result of '(.+?)' is not used(?:: (.*))?$", str,
     "The result of {0} is not being used. {1}"),
]


def cause_of(identity, text):
    """The exception that Triton would have had, its words if they are the error's own, or None."""
    for row, pattern, kind, words in _ROWS:
        found = re.search(pattern, text) if row == identity else None
        if found:
            return kind(words.format(*found.groups("")).strip())
    return None


# What a kernel asks of a GPU in vain, as the runtime says it, and what Triton calls it.
_LACKS = [(r"needs (\d+) bytes of shared memory per block; .* has (\d+)", "shared memory"),
          (r"needs blocks of (\d+) threads; .* has (\d+)", "threads"),
          (r"needs (\d+) registers in each of (\d+) threads; .* has (\d+) per block", "registers")]


def lacking(text):
    """(required, limit, name) of what the device has too little of; None if that is not what is wrong."""
    for pattern, name in _LACKS:
        if found := re.search(pattern, text):
            *required, limit = map(int, found.groups())
            return math.prod(required), limit, name
    return None
