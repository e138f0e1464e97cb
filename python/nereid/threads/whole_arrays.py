# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels of threads compute of all elements of an array: functions and methods of NumPy's, as texts of kernels. A
thread goes through the elements by itself, in their order; types are what its sums and comparisons give."""

import math
import re

import numpy

# Each text takes what was found so far, and calls itself for the parts of an array of several dimensions.


def _added(a, total):
    if a.ndim == 0:
        return total + a[()]
    for part in a:
        if a.ndim == 1:
            total += part
        else:
            total = _added(part, total)
    return total


def _multiplied(a, total):
    if a.ndim == 0:
        return total * a[()]
    for part in a:
        if a.ndim == 1:
            total *= part
        else:
            total = _multiplied(part, total)
    return total


def _deviations(a, mean, total):
    if a.ndim == 0:
        return total + abs(a[()] - mean)**2
    for part in a:
        if a.ndim == 1:
            total += abs(part - mean)**2
        else:
            total = _deviations(part, mean, total)
    return total


def _nonzeros(a, count):
    if a.ndim == 0:
        return count + (a[()] != 0)
    for part in a:
        if a.ndim == 1:
            count += part != 0
        else:
            count = _nonzeros(part, count)
    return count


def _first(a):
    if a.ndim == 0:
        return a[()]
    if a.ndim == 1:
        return a[0]
    return _first(a[0])


def _least(a, found):  # NaN stays, once it was found
    if a.ndim == 0:
        return found
    for part in a:
        if a.ndim > 1:
            found = _least(part, found)
        elif part < found or part != part:
            found = part
    return found


def _greatest(a, found):
    if a.ndim == 0:
        return found
    for part in a:
        if a.ndim > 1:
            found = _greatest(part, found)
        elif part > found or part != part:
            found = part
    return found


def _least_number(a, found):  # NaN counts as nothing
    if a.ndim == 0:
        return found
    for part in a:
        if a.ndim > 1:
            found = _least_number(part, found)
        elif part < found or found != found:
            found = part
    return found


def _greatest_number(a, found):
    if a.ndim == 0:
        return found
    for part in a:
        if a.ndim > 1:
            found = _greatest_number(part, found)
        elif part > found or found != found:
            found = part
    return found


def _added_numbers(a, total):
    if a.ndim == 0:
        return total + a[()] if a[()] == a[()] else total
    for part in a:
        if a.ndim > 1:
            total = _added_numbers(part, total)
        elif part == part:
            total += part
    return total


def _multiplied_numbers(a, total):
    if a.ndim == 0:
        return total * a[()] if a[()] == a[()] else total
    for part in a:
        if a.ndim > 1:
            total = _multiplied_numbers(part, total)
        elif part == part:
            total *= part
    return total


def _numbers(a, count):
    if a.ndim == 0:
        return count + (a[()] == a[()])
    for part in a:
        if a.ndim > 1:
            count = _numbers(part, count)
        else:
            count += part == part
    return count


def _deviations_of_numbers(a, mean, total):
    if a.ndim == 0:
        return total + abs(a[()] - mean)**2 if a[()] == a[()] else total
    for part in a:
        if a.ndim > 1:
            total = _deviations_of_numbers(part, mean, total)
        elif part == part:
            total += abs(part - mean)**2
    return total


def _sum(a):
    return _added(a, a.dtype(0))


def _prod(a):
    return _multiplied(a, a.dtype(1))


def _mean(a):
    return _sum(a) / a.size


def _var(a):
    return _deviations(a, _mean(a), 0.0) / a.size


def _std(a):
    return math.sqrt(_var(a))


def _min(a):
    return _least(a, _first(a))


def _max(a):
    return _greatest(a, _first(a))


def _count_nonzero(a):
    return _nonzeros(a, 0)


def _all(a):
    return _nonzeros(a, 0) == a.size


def _any(a):
    return _nonzeros(a, 0) > 0


def _nanmin(a):
    return _least_number(a, _first(a))


def _nanmax(a):
    return _greatest_number(a, _first(a))


def _nansum(a):
    return _added_numbers(a, a.dtype(0))


def _nanprod(a):
    return _multiplied_numbers(a, a.dtype(1))


def _nanmean(a):
    return numpy.true_divide(_nansum(a), _numbers(a, 0))


def _nanvar(a):
    return numpy.true_divide(_deviations_of_numbers(a, _nanmean(a), 0.0), _numbers(a, 0))


def _nanstd(a):
    return math.sqrt(_nanvar(a))


_METHODS = {text.__name__[1:]: text for text in (_sum, _prod, _mean, _var, _std, _min, _max, _all, _any)}
_FUNCTIONS = {getattr(numpy, name): text for name, text in _METHODS.items()}
_FUNCTIONS.update({getattr(numpy, text.__name__[1:]): text for text in (
    _count_nonzero, _nanmin, _nanmax, _nansum, _nanprod, _nanmean, _nanvar, _nanstd)})
_TEXTS = {function: text for text in (
    _added, _multiplied, _deviations, _nonzeros, _first, _least, _greatest, _least_number, _greatest_number,
    _added_numbers, _multiplied_numbers, _numbers, _deviations_of_numbers, *_FUNCTIONS.values()) for function in [text]}


def text_of(value):
    """The text that a function of NumPy's, or one of those above, stands for; None for all else."""
    try:
        return _FUNCTIONS.get(value) or _TEXTS.get(value)
    except TypeError:  # which has no hash
        return None


def methods_in(text):
    """The methods of arrays that a kernel's text may call, by the names under which the compiler asks for them."""
    return {"numpy.ndarray." + name: _METHODS[name] for name in set(re.findall(r"\.\s*(\w+)", text)) & set(_METHODS)}
