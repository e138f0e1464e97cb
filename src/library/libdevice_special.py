# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The gamma and Bessel functions of libdevice, in float64 whatever the type of the argument. The
# formulas are those of the Digital Library of Mathematical Functions (DLMF), the coefficients are
# computed from them.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _polynomial(x, coefficients):
    # The highest first.
    value = tl.zeros_like(x)
    for coefficient in coefficients:
        value = value * x + coefficient
    return value


# Gamma


@triton.jit
def _log_gamma_near_two(z):
    # log(gamma(2 + z)) for |z| up to 1/2: the powers of -z by (zeta(k) - 1) / k (DLMF 5.7.3).
    return z * _polynomial(z, (
        -1.5021384080754142e-11, 3.1044247747322276e-11, -6.4229645638381e-11,
        1.330476437424449e-10, -2.7595228851242334e-10, 5.731367241678862e-10,
        -1.1921401405860912e-09, 2.4836745438024785e-09, -5.183475041970047e-09,
        1.0838659214896955e-08, -2.2711094608943164e-08, 4.7698101693639804e-08,
        -1.0043224823968099e-07, 2.1207184805554665e-07, -4.492469198764566e-07,
        9.55141213040742e-07, -2.039215753801366e-06, 4.374866789907488e-06,
        -9.439488275268397e-06, 2.050721277567069e-05, -4.492623673813314e-05,
        9.945751278180853e-05, -0.00022315475845357939, 0.0005096695247430425,
        -0.001192753911703261, 0.0028905103307415234, -0.007385551028673986,
        0.020580808427784546, -0.0673523010531981, 0.3224670334241132, 0.42278433509846713))


@triton.jit
def _stirling(x):
    # What Stirling's formula lacks of log(gamma(x)), from 8 on (DLMF 5.11.1).
    return _polynomial(1.0 / (x * x), (
        -1.3924322169059011, 0.17964437236883057, -0.029550653594771242, 0.00641025641025641,
        -0.0019175269175269176, 0.0008417508417508417, -0.0005952380952380953,
        0.0007936507936507937, -0.002777777777777778, 0.08333333333333333)) / x


@triton.jit
def _near_two(x):
    # gamma(x) is `factor` times gamma(2 + z), for x from 0 to 8.
    z, factor = x, tl.zeros_like(x) + 1.0
    for _ in tl.static_range(6):
        is_above = z > 2.5
        z = tl.where(is_above, z - 1.0, z)
        factor = tl.where(is_above, factor * z, factor)
    for _ in tl.static_range(2):
        is_below = z < 1.5
        factor = tl.where(is_below, factor / z, factor)
        z = tl.where(is_below, z + 1.0, z)
    return z - 2.0, factor


@triton.jit
def _log_gamma_of_positive(x):
    small = tl.where(x < 8.0, x, 2.0)
    z, factor = _near_two(tl.where(small < 1.5, 2.0, small))
    near = _log_gamma_near_two(z) + tl.log(factor)
    # Below 3/2 the logarithm of what was divided by is more exact than that of the quotient.
    one = tl.where((small >= 0.5) & (small < 1.5), small - 1.0, 0.0)
    near = tl.where((small >= 0.5) & (small < 1.5),
                    _log_gamma_near_two(one) - libdevice.log1p(one), near)
    zero = tl.where(small < 0.5, small, 0.25)
    near = tl.where(small < 0.5,
                    _log_gamma_near_two(zero) - libdevice.log1p(zero) - tl.log(zero), near)
    large = tl.where(x < 8.0, 8.0, x)
    far = (large - 0.5) * (tl.log(large) - 1.0) + (0.4189385332046727 + _stirling(large))
    return tl.where(x < 8.0, near, tl.where(libdevice.isinf(x), x, far))


@triton.jit
def lgamma(x):
    wide = x.to(tl.float64)
    size = tl.abs(wide)
    positive = _log_gamma_of_positive(size)
    # Reflected (DLMF 5.5.3).
    sine = tl.abs(libdevice.sinpi(wide))
    reflected = tl.log(3.141592653589793 / (size * sine)) - positive
    reflected = tl.where(size < 1e-30, positive, reflected)
    is_pole = (wide <= 0.0) & (tl.floor(wide) == wide)
    result = tl.where(wide > 0.0, positive, tl.where(is_pole, float("inf"), reflected))
    return tl.where(x != x, wide, result).to(x.dtype)


@triton.jit
def tgamma(x):
    wide = x.to(tl.float64)
    size = tl.abs(wide)
    z, factor = _near_two(tl.where(size < 8.0, size, 2.0))
    near = tl.exp(_log_gamma_near_two(z)) * factor
    # x^(x - 1/2) overflows before the product does, and so is taken in two halves.
    large = tl.where(size < 8.0, 8.0, tl.minimum(size, 200.0))
    half = libdevice.pow(large, 0.5 * large - 0.25)
    rest = tl.exp(-large) * (2.5066282746310002 * tl.exp(_stirling(large)))
    is_near = size < 8.0
    positive = tl.where(is_near, near, half * rest * half)
    positive = tl.where(size > 171.7, float("inf"), positive)
    # Reflected (DLMF 5.5.3).
    quotient = 3.141592653589793 / (size * libdevice.sinpi(wide))
    reflected = tl.where(is_near, quotient / near, quotient / half / rest / half)
    reflected = tl.where(size > 190.0, 0.0 * quotient, reflected)
    is_pole = (tl.floor(wide) == wide) & (wide < 0.0)
    result = tl.where(wide > 0.0, positive, tl.where(is_pole, float("nan"), reflected))
    result = tl.where(size < 1e-30, 1.0 / wide, result)
    return tl.where(x != x, wide, result).to(x.dtype)


# Bessel functions of the first and second kind: their series below 1, Miller's recurrence from an
# order far beyond the argument up to 25, Hankel's expansion above.


@triton.jit
def _series(x):
    # J0, J1, Y0 and Y1 for x up to 1 (DLMF 10.2.2 and 10.8.1).
    q = -0.25 * x * x
    term0, term1 = tl.zeros_like(x) + 1.0, tl.zeros_like(x) + 1.0
    j0, j1, y0, y1 = term0, term1, tl.zeros_like(x), term1
    harmonic = tl.zeros_like(x)
    for k in tl.static_range(1, 13):
        term0 *= q / (k * k * 1.0)
        term1 *= q / (k * (k + 1) * 1.0)
        harmonic += 1.0 / k
        j0 += term0
        j1 += term1
        y0 += harmonic * term0
        y1 += (2.0 * harmonic + 1.0 / (k + 1)) * term1
    logarithm = tl.log(0.5 * x) + 0.5772156649015329
    j1 *= 0.5 * x
    return (j0, j1, 0.6366197723675814 * (logarithm * j0 - y0),
            0.6366197723675814 * (logarithm * j1 - 1.0 / x - 0.25 * x * y1))


@triton.jit
def _miller(x):
    # J0, J1, Y0 and Y1 for x from 1 to 25. Y0 is Neumann's series of those of even order, and Y1
    # what its derivative gives (DLMF 10.12.4 and 10.23.17).
    above, here = tl.zeros_like(x), tl.zeros_like(x) + 1e-280
    even, sum0, sum1 = tl.zeros_like(x), tl.zeros_like(x), tl.zeros_like(x)
    for i in range(36):
        j = (36 - i).to(tl.float64)
        sign = 1.0 - 2.0 * (i % 2 == 0).to(tl.float64)
        even += 2.0 * here
        sum0 += sign * here / j
        above, here = here, 4.0 * j / x * here - above
        weight = (2.0 * j - 1.0) / tl.maximum(j * (j - 1.0), 1.0)
        sum1 += tl.where(j > 1.0, sign * here * weight, 0.0)
        above, here = here, (4.0 * j - 2.0) / x * here - above
    scale = 1.0 / (here + even)
    j0, j1, sum0, sum1 = here * scale, above * scale, sum0 * scale, sum1 * scale
    logarithm = tl.log(0.5 * x) + 0.5772156649015329
    return (j0, j1, 0.6366197723675814 * (logarithm * j0 + 2.0 * sum0),
            0.6366197723675814 * ((logarithm - 1.0) * j1 - j0 / x - sum1))


@triton.jit
def _hankel(x, order: tl.constexpr):
    # J and Y of order 0 or 1 for x from 25 on (DLMF 10.17.3 and 10.17.4).
    term, p, q = tl.zeros_like(x) + 1.0, tl.zeros_like(x) + 1.0, tl.zeros_like(x)
    for k in tl.static_range(1, 25):
        term *= ((4.0 * order - (2 * k - 1) * (2 * k - 1)) / (8.0 * k)) / x
        if k % 2 == 1:
            q += term if k % 4 == 1 else -term
        else:
            p += term if k % 4 == 0 else -term
    sine, cosine = tl.sin(x), tl.cos(x)
    if order == 0:
        phase_cosine, phase_sine = cosine + sine, sine - cosine
    else:
        phase_cosine, phase_sine = sine - cosine, -(sine + cosine)
    amplitude = 0.5641895835477563 / tl.sqrt(x)
    return (amplitude * (p * phase_cosine - q * phase_sine),
            amplitude * (p * phase_sine + q * phase_cosine))


@triton.jit
def _bessel(x, order: tl.constexpr):
    # J and Y of order 0 or 1, of a number that is not negative.
    small = _series(tl.where(x < 1.0, x, 0.5))
    middle = _miller(tl.where((x >= 1.0) & (x < 25.0), x, 2.0))
    is_far = (x >= 25.0) & (x < float("inf"))
    far_j, far_y = _hankel(tl.where(is_far, x, 25.0), order)
    j = tl.where(x < 1.0, small[order], tl.where(x < 25.0, middle[order], far_j))
    y = tl.where(x < 1.0, small[order + 2], tl.where(x < 25.0, middle[order + 2], far_y))
    is_infinite = x == float("inf")
    return tl.where(is_infinite, 0.0, j), tl.where(is_infinite, 0.0, y)


@triton.jit
def _first_kind(x, order: tl.constexpr):
    wide = x.to(tl.float64)
    j, _ = _bessel(tl.abs(wide), order)
    if order == 1:
        j = libdevice.copysign(1.0, wide) * j
    return tl.where(x != x, wide, j).to(x.dtype)


@triton.jit
def _second_kind(x, order: tl.constexpr):
    wide = x.to(tl.float64)
    _, y = _bessel(tl.abs(wide), order)
    y = tl.where(wide < 0.0, float("nan"), tl.where(wide == 0.0, -float("inf"), y))
    return tl.where(x != x, wide, y).to(x.dtype)


@triton.jit
def j0(x):
    return _first_kind(x, 0)


@triton.jit
def j1(x):
    return _first_kind(x, 1)


@triton.jit
def y0(x):
    return _second_kind(x, 0)


@triton.jit
def y1(x):
    return _second_kind(x, 1)


# Bessel functions of any order, by the recurrence of neighbouring orders (DLMF 10.6.1), which takes as
# many rounds as the order says


@triton.jit
def _upwards(order, x, first, second):
    # What the functions of order 0 and 1 become. Exact for Y, and for J up to the order x.
    below, here = first, second
    for k in range(1, order):
        below, here = here, 2.0 * k.to(tl.float64) / x * here - below
        if not (tl.abs(here) < float("inf")):
            break
    return tl.where(order == 0, first, here)


@triton.jit
def _power(order, x):
    # J for x near 0: the first term of its series (DLMF 10.2.2).
    term = tl.zeros_like(x) + 1.0
    for k in range(order):
        term *= 0.5 * x / (k + 1).to(tl.float64)
        if term == 0.0:
            break
    return term


@triton.jit
def _downwards(order, x, first, second):
    # J beyond the order x: from an order where it is negligible beside that which is wanted, scaled by
    # the larger of the functions of order 0 and 1.
    count = order + tl.sqrt(160.0 * order.to(tl.float64)).to(tl.int32) + 1
    above, here, found = tl.zeros_like(x), tl.zeros_like(x) + 1e-300, tl.zeros_like(x)
    for i in range(count):
        k = count - i
        above, here = here, 2.0 * k.to(tl.float64) / x * here - above
        found = tl.where(k == order + 1, here, found)
        if tl.abs(here) > 1e200:
            above, here, found = above * 1e-200, here * 1e-200, found * 1e-200
    return found * tl.where(tl.abs(first) > tl.abs(second), first / here, second / above)


@triton.jit
def _first_kind_of_order(order, x, first, second):
    number = order.to(tl.float64)
    result = tl.zeros_like(x)
    if number <= x or order < 2:
        result = _upwards(order, x, first, second)
    elif number * (1.0 + tl.log(0.5 * x / number)) > -800.0:  # else it is less than any number
        if x < 1e-8:
            result = _power(order, x)
        else:
            result = _downwards(order, x, first, second)
    return result


@triton.jit
def _of_order(order, x, kind: tl.constexpr):
    # For each element x of its order; NaN where that is negative.
    wide = x.to(tl.float64)
    size = tl.abs(wide)
    j0, y0 = _bessel(size, 0)
    j1, y1 = _bessel(size, 1)
    is_plain = (order >= 0) & (size > 0.0) & (size < float("inf"))
    at, plain = tl.where(is_plain, order, 0), tl.where(is_plain, size, 1.0)
    if kind == 1:
        result = tl.map_elementwise(_first_kind_of_order, at, plain, j0, j1)
        result = tl.where(size == 0.0, (order == 0).to(tl.float64), result)
        result = tl.where((order % 2 == 1) & (wide < 0.0), -result, result)
        result = tl.where(size == float("inf"), 0.0, result)
    else:
        result = tl.map_elementwise(_upwards, at, plain, y0, y1)
        result = tl.where(wide < 0.0, float("nan"), tl.where(wide == 0.0, -float("inf"), result))
        result = tl.where(wide == float("inf"), 0.0, result)
    result = tl.where(order < 0, float("nan"), result)
    return tl.where(x != x, wide, result).to(x.dtype)


@triton.jit
def jn(order, x):
    return _of_order(order, x, 1)


@triton.jit
def yn(order, x):
    return _of_order(order, x, 2)


# Modified Bessel functions of the first kind


@triton.jit
def _modified(x, order: tl.constexpr):
    # The series, whose terms are all positive, and the expansion for large arguments (DLMF 10.25.2
    # and 10.40.1).
    wide = x.to(tl.float64)
    size = tl.abs(wide)
    small = tl.where(size < 20.0, size, 1.0)
    sum = tl.zeros_like(wide)
    for i in range(60):
        k = (60 - i).to(tl.float64)
        sum = (1.0 + sum) * (0.25 * small * small) / (k * (k + order))
    near = (1.0 + sum) * (0.5 * small if order == 1 else 1.0)
    large = tl.where(size < 20.0, 20.0, tl.minimum(size, 800.0))
    term, far = tl.zeros_like(wide) + 1.0, tl.zeros_like(wide) + 1.0
    for k in tl.static_range(1, 31):
        term *= (((2 * k - 1) * (2 * k - 1) - 4.0 * order) / (8.0 * k)) / large
        far += term
    half = tl.exp(0.5 * large)
    far = half * (0.3989422804014327 / tl.sqrt(large) * far) * half
    result = tl.where(size < 20.0, near, far)
    if order == 1:
        result = libdevice.copysign(1.0, wide) * result
    return tl.where(x != x, wide, result).to(x.dtype)


@triton.jit
def cyl_bessel_i0(x):
    return _modified(x, 0)


@triton.jit
def cyl_bessel_i1(x):
    return _modified(x, 1)
