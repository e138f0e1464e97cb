// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a value to what a kernel is compiled for: the one ladder of rules. C++, C, Python and the
// command line map the values that they have to what stands here, and what comes out is the key
// under which compiled kernels are kept.
#pragma once

#include "nereid/ArgumentType.h"
#include "nereid/DType.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nereid::specialize {

inline bool isKnownMultiple(uint64_t bits) { return bits % knownMultiple == 0; }

/// What a declaration says of how a parameter takes its arguments. One that is a constexpr takes
/// constants, which stay as they are.
struct ParameterRules {
  /// Whether an integer equal to 1 is a constant (not: do_not_specialize), and whether multiples of
  /// 16 are told apart (not: do_not_specialize_on_alignment).
  bool knowsOne = true, knowsMultiples = true;
  /// Of a kernel of threads: numbers have Python's sizes, and none is a constant or known to be a
  /// multiple.
  bool isOfThreads = false;
  /// From the annotation: numbers become this type, or the elements of arrays are of this one.
  std::optional<DType> number = {}, element = {};
};

struct Number {
  enum class Kind : uint8_t { Boolean, Integer, Float };
  Kind kind = Kind::Integer;
  /// An integer of 2^63 or more: its bits are no two's complement.
  bool isLarge = false;
  /// Of a boolean 0 or 1.
  uint64_t integer = 0;
  double real = 0; ///< of a float

  static Number of(bool value) { return {Kind::Boolean, false, value}; }
  static Number of(int64_t value) { return {Kind::Integer, false, static_cast<uint64_t>(value)}; }
  static Number of(uint64_t value) { return {Kind::Integer, value >> 63 != 0, value}; }
  static Number of(double value) { return {Kind::Float, false, 0, value}; }

  bool isNegative() const {
    return kind == Kind::Integer && !isLarge && static_cast<int64_t>(integer) < 0;
  }
  double asDouble() const {
    if (kind == Kind::Float)
      return real;
    return isNegative() ? static_cast<double>(static_cast<int64_t>(integer))
                        : static_cast<double>(integer);
  }
};

/// What a number is compiled for, and what the launch gives for it.
struct SpecializedNumber {
  /// Constant: the number itself. The last two are mistakes, both of numbers whose type an
  /// annotation says.
  enum class Outcome : uint8_t { Runtime, Constant, NeedsInteger, OutOfRange };
  Outcome outcome = Outcome::Runtime;
  DType type = DType::Int32;
  bool isMultipleOf16 = false;
  uint64_t bits = 0; ///< zero-extended
  ArgumentType argumentType() const { return {type, false, isMultipleOf16}; }
};

inline bool fits(const Number &integer, DType type) {
  const unsigned width = bitWidth(type);
  const bool isNegative = integer.isNegative();
  if (isSigned(type)) {
    if (width == 64)
      return !integer.isLarge;
    const auto value = static_cast<int64_t>(integer.integer);
    return !integer.isLarge && value >= -(int64_t(1) << (width - 1)) &&
           value < int64_t(1) << (width - 1);
  }
  return !isNegative && (width == 64 || integer.integer >> width == 0);
}

/// Rounded once, to nearest even.
inline uint64_t floatBits(DType type, double value) {
  if (type == DType::Float32)
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  uint64_t bits = 0;
  convertElements(DType::Float64, &value, type, &bits, 1);
  return bits;
}

/// The number as one of `type`: integers that do not fit and floats for integers are mistakes, or
/// are converted as C does it, as numbers of kernels of threads are.
inline SpecializedNumber convertNumber(const Number &number, DType type, bool converts = false) {
  using Outcome = SpecializedNumber::Outcome;
  if (isFloat(type))
    return {Outcome::Runtime, type, false, floatBits(type, number.asDouble())};
  if (converts && isBool(type))
    return {Outcome::Runtime, type, false, number.asDouble() != 0};
  uint64_t bits = number.integer;
  if (number.kind == Number::Kind::Float) {
    if (!converts)
      return {Outcome::NeedsInteger, type};
    bits = static_cast<uint64_t>(static_cast<int64_t>(number.real));
  } else if (!converts && !fits(number, type)) {
    return {Outcome::OutOfRange, type};
  }
  const unsigned width = bitWidth(type);
  return {Outcome::Runtime, type, false, width == 64 ? bits : bits & ((uint64_t(1) << width) - 1)};
}

/// The type that a number has where no annotation says it: int32, int64 or uint64, whichever holds
/// it first, and float32; in a kernel of threads int64 or uint64, and float64.
inline DType typeOfNumber(const Number &number, bool isOfThreads) {
  if (number.kind == Number::Kind::Boolean)
    return DType::Int1;
  if (number.kind == Number::Kind::Float)
    return isOfThreads ? DType::Float64 : DType::Float32;
  if (number.isLarge)
    return DType::UInt64;
  const auto value = static_cast<int64_t>(number.integer);
  return !isOfThreads && value == static_cast<int32_t>(value) ? DType::Int32 : DType::Int64;
}

/// The number as one of the type that typeOfNumber() gives.
inline SpecializedNumber naturalNumber(const Number &number, DType type) {
  using Outcome = SpecializedNumber::Outcome;
  if (number.kind == Number::Kind::Float)
    return {Outcome::Runtime, type, false, floatBits(type, number.real)};
  return {Outcome::Runtime, type, false,
          type == DType::Int32 ? static_cast<uint32_t>(number.integer) : number.integer};
}

inline SpecializedNumber specializeNumber(const ParameterRules &rules, const Number &number) {
  const bool isTyped = rules.number.has_value();
  if (!isTyped && !rules.isOfThreads && rules.knowsOne && number.kind == Number::Kind::Integer &&
      number.integer == 1)
    return {SpecializedNumber::Outcome::Constant};
  SpecializedNumber result;
  if (isTyped)
    result = convertNumber(number, *rules.number, rules.isOfThreads);
  else // it fits
    result = naturalNumber(number, typeOfNumber(number, rules.isOfThreads));
  if (result.outcome != SpecializedNumber::Outcome::Runtime || rules.isOfThreads)
    return result;
  const bool isCounted = isTyped ? isInteger(result.type) : number.kind == Number::Kind::Integer;
  result.isMultipleOf16 = isCounted && rules.knowsMultiples && isKnownMultiple(result.bits);
  return result;
}

/// Of an array in a kernel of tiles: a pointer.
inline ArgumentType specializeArray(const ParameterRules &rules, DType dtype, uint64_t address) {
  return {rules.element.value_or(dtype), true, rules.knowsMultiples && isKnownMultiple(address)};
}

/// Of an array in a kernel of threads, which knows its extents.
inline ArgumentType specializeArrayOfThreads(DType dtype, uint64_t address, unsigned dimensions,
                                             bool isContiguous) {
  return {dtype, true, isKnownMultiple(address), {}, false, dimensions, isContiguous};
}

/// Of a tensor descriptor. `strideBytes` are those of all dimensions; the last is an element's
/// size.
inline ArgumentType specializeDescriptor(DType dtype, uint64_t address,
                                         std::span<const int64_t> strideBytes,
                                         std::vector<int64_t> block, bool padsWithNan) {
  bool isMultiple = isKnownMultiple(address);
  for (size_t i = 0; i + 1 < strideBytes.size(); ++i)
    isMultiple &= isKnownMultiple(static_cast<uint64_t>(strideBytes[i]));
  return {dtype, true, isMultiple, std::move(block), padsWithNan};
}

/// Appends bytes that are equal for equal types and begin no others. Byte by byte, which is in line
/// where append() is a call: 3 ns instead of 6 for each argument of a launch.
inline void appendKey(std::string &key, const ArgumentType &type) {
  const bool isPlain = type.dimensions == 0 && type.blockShape.empty();
  key.push_back(isPlain ? 'r' : 'R');
  key.push_back(static_cast<char>(type.dtype));
  key.push_back(static_cast<char>(type.isPointer | type.isMultipleOf16 << 1 |
                                  type.padsWithNan << 2 | type.isContiguous << 3));
  if (isPlain) // numbers and pointers
    return;
  key.push_back(static_cast<char>(type.dimensions));
  key.push_back(static_cast<char>(type.blockShape.size()));
  for (int64_t extent : type.blockShape)
    key.append(reinterpret_cast<const char *>(&extent), sizeof extent);
}

} // namespace nereid::specialize
