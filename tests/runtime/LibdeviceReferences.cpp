// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LibdeviceReferences.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace nereid::test {
namespace {

constexpr Real infinity = std::numeric_limits<Real>::infinity();
constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
constexpr Real pi = 3.14159265358979323846264338327950288L;

/// A function of long double.
template <typename F> Reference real(F f, Real steps32 = 4, Real steps64 = 4) {
  return {[f](const Reals &x) -> Real {
            if constexpr (std::is_invocable_v<F, Real, Real, Real, Real>)
              return f(x[0], x[1], x[2], x[3]);
            else if constexpr (std::is_invocable_v<F, Real, Real, Real>)
              return f(x[0], x[1], x[2]);
            else if constexpr (std::is_invocable_v<F, Real, Real>)
              return f(x[0], x[1]);
            else
              return f(x[0]);
          },
          steps32, steps64};
}
template <typename F> Reference exact(F f) { return real(f, 0, 0); }

using I = int64_t;
using U = uint64_t;

/// What has a float or a double in C, computed in that type and the rounding mode that is set.
template <typename T, typename F> Reference typed(F f) {
  return {[f](const Reals &x) -> Real {
    volatile T a = static_cast<T>(x[0]), b = static_cast<T>(x.size() > 1 ? x[1] : 0),
               c = static_cast<T>(x.size() > 2 ? x[2] : 0);
    volatile T result = f(a, b, c);
    return result;
  }};
}

/// The root of an increasing function.
template <typename F> Real solve(F f, Real low, Real high) {
  for (int i = 0; i < 200; ++i) {
    Real middle = (low + high) / 2;
    (f(middle) < 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

Real erfinv(Real x);

Real erfcinv(Real y) {
  if (!(y >= 0 && y <= 2))
    return nan;
  if (y == 0 || y == 2)
    return y == 0 ? infinity : -infinity;
  if (y > 1.5L)
    return -erfcinv(2 - y);
  if (y > 0.5L)
    return erfinv(1 - y);
  return solve([&](Real z) { return y - std::erfc(z); }, 0, 30);
}

Real erfinv(Real x) {
  if (std::fabs(x) > 0.5L)
    return std::copysign(erfcinv(1 - std::fabs(x)), x);
  // Bisected relative to x, so that small numbers keep their digits.
  return x == 0 ? x
                : x * solve([&](Real r) { return std::erf(std::fabs(x) * r) - std::fabs(x); }, 0.8L,
                            1);
}

Real erfcx(Real x) {
  if (x < 3)
    return std::exp(x * x) * std::erfc(x);
  Real fraction = x; // Laplace's continued fraction
  for (int n = 400; n > 0; --n)
    fraction = x + n / 2.0L / fraction;
  return 1 / (fraction * std::sqrt(pi));
}

/// The angle in half turns, brought to one turn exactly.
Real sinpi(Real x) {
  Real turn = std::fmod(x, 2.0L), size = std::fabs(turn);
  if (size == 0 || size == 1)
    return std::copysign(0.0L, x);
  Real folded = size > 1 ? size - 1 : size;
  Real sine = std::sin(pi * (folded > 0.5L ? 1 - folded : folded));
  return std::copysign(size > 1 ? -sine : sine, 1.0L) * (size > 1 ? -1 : 1) *
         (std::signbit(x) ? -1 : 1);
}

Real cospi(Real x) {
  Real size = std::fmod(std::fabs(x), 2.0L);
  if (size == 0.5L || size == 1.5L)
    return 0;
  size = size > 1 ? 2 - size : size;
  return size < 0.25L   ? std::cos(pi * size)
         : size < 0.75L ? std::sin(pi * (0.5L - size))
                        : -std::cos(pi * (1 - size));
}

Real norm(std::initializer_list<Real> all) {
  Real sum = 0; // squares of double do not overflow in long double
  for (Real x : all) {
    if (std::isinf(x))
      return infinity;
    sum += x * x;
  }
  return std::sqrt(sum);
}

/// A whole number in the range of an integer type; `ofNan` for a NaN.
Real saturated(Real x, Real low, Real high, Real ofNan) {
  return std::isnan(x) ? ofNan : std::fmin(std::fmax(x, low), high);
}

uint32_t bytePerm(uint32_t x, uint32_t y, uint32_t selector) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; ++i)
    bytes[i] = static_cast<uint8_t>((i < 4 ? x : y) >> (8 * (i % 4)));
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t digit = selector >> (4 * i) & 15;
    uint8_t byte = bytes[digit & 7];
    if (digit & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= static_cast<uint32_t>(byte) << (8 * i);
  }
  return result;
}

uint64_t reversed(uint64_t bits, int width) {
  uint64_t result = 0;
  for (int i = 0; i < width; ++i)
    result |= (bits >> i & 1) << (width - 1 - i);
  return result;
}

int32_t exponentOf(Real x) {
  if (std::isnan(x) || x == 0)
    return std::numeric_limits<int32_t>::min();
  return std::isinf(x) ? std::numeric_limits<int32_t>::max() : std::ilogb(x);
}

using References = std::map<std::string, Reference>;

void addIntegers(References &all) {
  auto bits32 = [](Real x) { return static_cast<uint32_t>(static_cast<I>(x)); };
  all["clz i:i"] = exact([=](Real x) { return std::countl_zero(bits32(x)); });
  all["clz l:i"] =
      exact([](Real x) { return std::countl_zero(static_cast<U>(static_cast<I>(x))); });
  all["popc i:i"] = exact([=](Real x) { return std::popcount(bits32(x)); });
  all["popc l:i"] = exact([](Real x) { return std::popcount(static_cast<U>(static_cast<I>(x))); });
  all["ffs"] = exact([](Real x) { return __builtin_ffsll(static_cast<I>(x)); });
  all["brev i:i"] = exact([=](Real x) { return static_cast<int32_t>(reversed(bits32(x), 32)); });
  all["brev l:l"] =
      exact([](Real x) { return static_cast<I>(reversed(static_cast<U>(static_cast<I>(x)), 64)); });
  all["byte_perm"] = exact([=](Real x, Real y, Real z) {
    return static_cast<int32_t>(bytePerm(bits32(x), bits32(y), bits32(z)));
  });
  all["mulhi ii:i"] =
      exact([](Real x, Real y) { return static_cast<I>(x) * static_cast<I>(y) >> 32; });
  all["mulhi uu:u"] =
      exact([](Real x, Real y) { return static_cast<U>(x) * static_cast<U>(y) >> 32; });
  all["mulhi ll:l"] = exact([](Real x, Real y) {
    return static_cast<I>(static_cast<__int128>(static_cast<I>(x)) * static_cast<I>(y) >> 64);
  });
  all["mulhi mm:m"] = exact([](Real x, Real y) {
    return static_cast<U>(static_cast<unsigned __int128>(static_cast<U>(x)) * static_cast<U>(y) >>
                          64);
  });
  all["mul24 ii:i"] = exact([=](Real x, Real y) {
    auto low = [&](Real v) { return static_cast<int32_t>(bits32(v) << 8) >> 8; };
    return static_cast<int32_t>(static_cast<I>(low(x)) * low(y));
  });
  all["mul24 uu:u"] = exact([=](Real x, Real y) {
    return static_cast<uint32_t>(static_cast<U>(bits32(x) & 0xffffff) * (bits32(y) & 0xffffff));
  });
  all["sad iiu:i"] = exact([=](Real x, Real y, Real z) {
    return static_cast<int32_t>(static_cast<I>(std::fabs(x - y)) + static_cast<I>(z));
  });
  all["sad uuu:u"] = exact([=](Real x, Real y, Real z) {
    return static_cast<uint32_t>(static_cast<I>(std::fabs(x - y)) + static_cast<I>(z));
  });
  all["hadd"] = exact([](Real x, Real y) { return std::floor((x + y) / 2); });
  all["rhadd"] = exact([](Real x, Real y) { return std::ceil((x + y) / 2); });
  all["hiloint2double"] = exact([=](Real x, Real y) {
    return std::bit_cast<double>(static_cast<U>(bits32(x)) << 32 | bits32(y));
  });
}

void addSigns(References &all) {
  all["abs"] = exact([](Real x) { return std::fabs(x); });
  all["abs i:i"] = exact([](Real x) { return static_cast<int32_t>(static_cast<I>(std::fabs(x))); });
  all["abs l:l"] =
      exact([](Real x) { return x < 0 ? static_cast<I>(-static_cast<U>(static_cast<I>(x))) : x; });
  all["max"] = exact([](Real x, Real y) {
    return std::isnan(x) || y > x ? y : std::isnan(y) || x > y ? x : std::signbit(x) ? y : x;
  });
  all["min"] = exact([](Real x, Real y) {
    return std::isnan(x) || y < x ? y : std::isnan(y) || x < y ? x : std::signbit(x) ? x : y;
  });
  all["copysign"] = exact([](Real x, Real y) { return std::copysign(x, y); });
  all["signbit"] = exact([](Real x) { return std::signbit(x); });
  all["isnan"] = exact([](Real x) { return std::isnan(x); });
  all["isinf"] = exact([](Real x) { return std::isinf(x); });
  all["finitef"] = all["isfinited"] = exact([](Real x) { return std::isfinite(x); });
  all["fdim ff:f"] = typed<float>([](float x, float y, float) { return std::fdim(x, y); });
  all["fdim dd:d"] = typed<double>([](double x, double y, double) { return std::fdim(x, y); });
  all["saturatef"] = exact([](Real x) { return x > 0 ? std::fmin(x, 1.0L) : 0; });
  all["nextafter ff:f"] =
      typed<float>([](float x, float y, float) { return std::nextafter(x, y); });
  all["nextafter dd:d"] =
      typed<double>([](double x, double y, double) { return std::nextafter(x, y); });
}

void addWholeNumbers(References &all) {
  all["floor"] = exact([](Real x) { return std::floor(x); });
  all["ceil"] = exact([](Real x) { return std::ceil(x); });
  all["trunc"] = exact([](Real x) { return std::trunc(x); });
  all["round"] = exact([](Real x) { return std::round(x); });
  all["rint"] = all["nearbyint"] = exact([](Real x) { return std::nearbyint(x); });
  constexpr Real low = -0x1p63L, high = 0x1p63L - 1;
  all["llrint"] = exact([](Real x) { return saturated(std::nearbyint(x), low, high, low); });
  all["llround"] = exact([](Real x) { return saturated(std::round(x), low, high, low); });
  all["fmod"] = exact([](Real x, Real y) { return std::fmod(x, y); });
  all["remainder"] = exact([](Real x, Real y) { return std::remainder(x, y); });
  all["ilogb"] = exact(exponentOf);
  all["logb"] = exact([](Real x) { return std::logb(x); });
  for (const char *name : {"ldexp", "scalbn"}) {
    all[name + std::string(" fi:f")] = exact(
        [](Real x, Real n) { return std::ldexp(static_cast<float>(x), static_cast<int>(n)); });
    all[name + std::string(" di:d")] = exact(
        [](Real x, Real n) { return std::ldexp(static_cast<double>(x), static_cast<int>(n)); });
  }
}

void addPowers(References &all) {
  all["sqrt"] = all["sqrt_rn"] = real([](Real x) { return std::sqrt(x); }, 0.5L, 0.5L);
  all["rsqrt"] = real([](Real x) { return 1 / std::sqrt(x); }, 1.5L, 1.5L);
  all["rsqrt_rn"] = real([](Real x) { return 1 / std::sqrt(x); }, 0.5L);
  all["cbrt"] = real([](Real x) { return std::cbrt(x); });
  all["rcbrt"] = real([](Real x) { return 1 / std::cbrt(x); }, 1, 6);
  all["pow"] = all["fast_powf"] = real([](Real x, Real y) {
    // Of infinities, glibc's long double has wrong powers: pow(-inf, -0x1p63) is not inf.
    return std::isinf(x) ? Real(std::pow(double(x), double(y))) : std::pow(x, y);
  });
  all["exp"] = all["fast_expf"] = real([](Real x) { return std::exp(x); });
  all["exp2"] = real([](Real x) { return std::exp2(x); });
  all["exp10"] = all["fast_exp10f"] = real([](Real x) { return std::pow(10.0L, x); }, 1, 6);
  all["expm1"] = real([](Real x) { return std::expm1(x); });
  all["log"] = all["fast_logf"] = real([](Real x) { return std::log(x); });
  all["log2"] = all["fast_log2f"] = real([](Real x) { return std::log2(x); });
  all["log10"] = all["fast_log10f"] = real([](Real x) { return std::log10(x); });
  all["log1p"] = real([](Real x) { return std::log1p(x); });
  all["hypot"] = real([](Real x, Real y) { return norm({x, y}); }, 1, 2);
  all["rhypot"] = real([](Real x, Real y) { return 1 / norm({x, y}); }, 1, 3);
  all["norm3d"] = real([](Real x, Real y, Real z) { return norm({x, y, z}); }, 1, 2);
  all["rnorm3d"] = real([](Real x, Real y, Real z) { return 1 / norm({x, y, z}); }, 1, 3);
  all["norm4d"] = real([](Real x, Real y, Real z, Real w) { return norm({x, y, z, w}); }, 1, 2);
  all["rnorm4d"] =
      real([](Real x, Real y, Real z, Real w) { return 1 / norm({x, y, z, w}); }, 1, 3);
}

void addAngles(References &all) {
  all["sin"] = all["fast_sinf"] = real([](Real x) { return std::sin(x); });
  all["cos"] = all["fast_cosf"] = real([](Real x) { return std::cos(x); });
  all["tan"] = all["fast_tanf"] = real([](Real x) { return std::tan(x); });
  all["sinpi"] = real(sinpi, 1, 6);
  all["cospi"] = real(cospi, 1, 6);
  all["asin"] = real([](Real x) { return std::asin(x); });
  all["acos"] = real([](Real x) { return std::acos(x); });
  all["atan"] = real([](Real x) { return std::atan(x); });
  all["atan2"] = real([](Real x, Real y) { return std::atan2(x, y); });
  all["sinh"] = real([](Real x) { return std::sinh(x); });
  all["cosh"] = real([](Real x) { return std::cosh(x); });
  all["tanh"] = all["fast_tanhf"] = real([](Real x) { return std::tanh(x); });
  all["asinh"] = real([](Real x) { return std::asinh(x); });
  all["acosh"] = real([](Real x) { return std::acosh(x); });
  all["atanh"] = real([](Real x) { return std::atanh(x); });
}

void addProbability(References &all) {
  all["erf"] = real([](Real x) { return std::erf(x); });
  all["erfc"] = real([](Real x) { return std::erfc(x); });
  all["erfcx"] = real(erfcx, 1, 12);
  all["erfinv"] = real(erfinv, 1, 12);
  all["erfcinv"] = real(erfcinv, 1, 12);
  all["normcdf"] = real([](Real x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; }, 1, 12);
  all["normcdfinv"] = real([](Real x) { return -std::sqrt(2.0L) * erfcinv(2 * x); }, 1, 12);
}

/// The size of waves of Bessel functions.
Real amplitude(Real x) { return x > 0.5L ? std::min(1.0L, 1 / std::sqrt(x)) : 0; }

Real besselI(Real order, Real x) {
  if (std::isnan(x))
    return x;
  Real size = std::fabs(x);
  Real value = size > 900 ? infinity : std::cyl_bessel_i(order, size);
  return order == 1 ? std::copysign(value, x) : value;
}

/// Of negative arguments long double's functions of glibc give infinities and errors in turn.
template <typename F> Reference secondKind(F f) {
  Reference reference =
      real([f](Real x) { return x < 0    ? nan
                                : x == 0 ? -infinity
                                         : f(x); }, 1, 16);
  reference.scale = [](const Reals &x) { return amplitude(x[0]); };
  return reference;
}

/// Bessel functions of an order. Beyond x there are no waves, and the promise is of the relative
/// error.
template <typename F> Reference ofOrder(F f) {
  Reference reference =
      real([f](Real order, Real x) { return order < 0 ? nan : f(int(order), x); }, 1, 128);
  reference.scale = [](const Reals &x) {
    Real size = std::fabs(x[1]);
    return size < x[0] ? 0 : amplitude(size);
  };
  reference.orders = 150;
  return reference;
}

void addGammaAndBessel(References &all) {
  all["lgamma"] = real([](Real x) { return std::lgamma(x); }, 1, 8);
  // Near the zeros between the poles the promise is one of the absolute error.
  all["lgamma"].scale = [](const Reals &x) -> Real { return x[0] < 0 ? 1 : 0; };
  all["tgamma"] = real([](Real x) { return std::tgamma(x); }, 1, 16);
  all["j0"] = real([](Real x) { return std::isinf(x) ? 0 : j0l(std::fabs(x)); }, 1, 16);
  all["j1"] = real([](Real x) { return std::isinf(x) ? std::copysign(0.0L, x) : j1l(x); }, 1, 16);
  all["j0"].scale = all["j1"].scale = [](const Reals &x) { return amplitude(std::fabs(x[0])); };
  all["y0"] = secondKind([](Real x) { return std::isinf(x) ? 0 : y0l(x); });
  all["y1"] = secondKind([](Real x) { return std::isinf(x) ? 0 : y1l(x); });
  all["jn"] = ofOrder([](int n, Real x) { return std::isinf(x) ? 0 : jnl(n, x); });
  all["yn"] = ofOrder([](int n, Real x) {
    return x < 0 ? nan : x == 0 ? -infinity : std::isinf(x) ? 0 : ynl(n, x);
  });
  all["cyl_bessel_i0"] = real([](Real x) { return besselI(0, x); }, 1, 16);
  all["cyl_bessel_i1"] = real([](Real x) { return besselI(1, x); }, 1, 16);
}

template <typename T> void addArithmetic(References &all, const std::string &letters) {
  auto typesOf = [&](size_t arity) { return " " + std::string(arity, letters[0]) + ":" + letters; };
  for (std::string mode : {"rn", "rz", "rd", "ru"}) {
    all["add_" + mode + typesOf(2)] = typed<T>([](T x, T y, T) { return x + y; });
    all["sub_" + mode + typesOf(2)] = typed<T>([](T x, T y, T) { return x - y; });
    all["mul_" + mode + typesOf(2)] = typed<T>([](T x, T y, T) { return x * y; });
    all["div_" + mode + typesOf(2)] = typed<T>([](T x, T y, T) { return x / y; });
    all["rcp_" + mode + typesOf(1)] = typed<T>([](T x, T, T) { return 1 / x; });
    all["sqrt_" + mode + typesOf(1)] = typed<T>([](T x, T, T) { return std::sqrt(x); });
    all["fma_" + mode + typesOf(3)] = typed<T>([](T x, T y, T z) { return std::fma(x, y, z); });
  }
  all["fma" + typesOf(3)] = typed<T>([](T x, T y, T z) { return std::fma(x, y, z); });
  all["fast_dividef" + typesOf(2)] = typed<T>([](T x, T y, T) { return x / y; });
}

void addConversions(References &all) {
  for (std::string mode : {"rn", "rz", "rd", "ru"}) {
    auto whole = [](Real low, Real high, Real ofNan, Real wrap) {
      return exact([=](Real x) {
        Real result = saturated(std::nearbyint(x), low, high, ofNan);
        return result > wrap ? result - (high + 1) : result; // the result's type has a sign
      });
    };
    for (std::string from : {"float", "double"}) {
      all[from + "2int_" + mode] = whole(-0x1p31L, 0x1p31L - 1, 0, 0x1p32L);
      all[from + "2uint_" + mode] = whole(0, 0x1p32L - 1, 0, 0x1p31L - 1);
      all[from + "2ll_" + mode] = whole(-0x1p63L, 0x1p63L - 1, -0x1p63L, 0x1p64L);
      all[from + "2ull_" + mode] = whole(0, 0x1p64L - 1, 0x1p63L, 0x1p63L - 1);
    }
    auto toFloat = exact([](Real x) {
      volatile Real wide = x;
      volatile float result = static_cast<float>(wide);
      return Real(result);
    });
    auto toDouble = exact([](Real x) {
      volatile Real wide = x;
      volatile double result = static_cast<double>(wide);
      return Real(result);
    });
    for (const char *from :
         {"double2float_", "int2float_", "uint2float_", "ll2float_", "ull2float_"})
      all[from + mode] = toFloat;
    for (const char *from : {"ll2double_", "ull2double_", "int2double_", "uint2double_"})
      all[from + mode] = toDouble;
  }
  auto bits = [](Real x) { return std::bit_cast<U>(static_cast<double>(x)); };
  all["double2loint"] = exact([=](Real x) { return static_cast<int32_t>(bits(x)); });
  all["double2hiint"] = exact([=](Real x) { return static_cast<int32_t>(bits(x) >> 32); });
  all["double_as_longlong"] = exact([=](Real x) { return static_cast<I>(bits(x)); });
  all["longlong_as_double"] =
      exact([](Real x) { return std::bit_cast<double>(static_cast<I>(x)); });
  all["float_as_int"] = all["float_as_uint"] =
      exact([](Real x) { return std::bit_cast<int32_t>(static_cast<float>(x)); });
  all["int_as_float"] = all["uint_as_float"] =
      exact([](Real x) { return std::bit_cast<float>(static_cast<uint32_t>(static_cast<I>(x))); });
}

} // namespace

const References &libdeviceReferences() {
  static const References all = [] {
    References made;
    addIntegers(made);
    addSigns(made);
    addWholeNumbers(made);
    addPowers(made);
    addAngles(made);
    addProbability(made);
    addGammaAndBessel(made);
    addArithmetic<float>(made, "f");
    addArithmetic<double>(made, "d");
    addConversions(made);
    return made;
  }();
  return all;
}

} // namespace nereid::test
