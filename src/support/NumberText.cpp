// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/NumberText.h"

#include "support/NarrowFloat.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace nereid {

template <typename T> static T elementAt(const PrintedOperand &operand, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(operand.elements) + index * sizeof(T), sizeof(T));
  return value;
}

static size_t countOf(const PrintedOperand &operand) {
  size_t count = 1;
  for (int64_t size : operand.shape)
    count *= size;
  return count;
}

static std::string hexText(uint64_t value, unsigned bytes) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true, /*Width=*/2 * bytes);
}

/// The element's bits in the low end of a word.
static uint64_t bitsAt(const PrintedOperand &operand, size_t index) {
  uint64_t bits = 0;
  unsigned bytes = operand.isPointer ? 8 : byteSize(operand.dtype);
  std::memcpy(&bits, static_cast<const char *>(operand.elements) + index * bytes, bytes);
  return bits;
}

static std::string integerText(const PrintedOperand &operand, size_t index, bool isHex) {
  uint64_t bits = bitsAt(operand, index);
  if (isHex)
    return hexText(bits, byteSize(operand.dtype));
  if (isBool(operand.dtype))
    return bits ? "True" : "False";
  unsigned unused = 64 - bitWidth(operand.dtype);
  return isSigned(operand.dtype) ? std::to_string(int64_t(bits << unused) >> unused)
                                 : std::to_string(bits);
}

template <typename T> static std::string charsOf(T value, std::chars_format format) {
  char buffer[512];
  return {buffer, std::to_chars(buffer, std::end(buffer), value, format).ptr};
}

template <typename T> static std::string charsOf(T value, std::chars_format format, int digits) {
  char buffer[512];
  return {buffer, std::to_chars(buffer, std::end(buffer), value, format, digits).ptr};
}

/// The shortest text that reads back as the same element.
template <typename E>
static std::string shortest(E element, decltype(E::load({})) value, std::chars_format format) {
  if constexpr (sizeof(typename E::Storage) > 2)
    return charsOf(value, format);
  // A narrow element needs fewer digits than the float that it is held in.
  for (int digits = 0; digits < 9; ++digits) {
    std::string text = charsOf(value, std::chars_format::scientific, digits);
    double read = std::stod(text);
    if (element.round(read) == element.round(double(value)))
      return charsOf(read, format);
  }
  return charsOf(value, format);
}

/// A float in pieces: the digits before and after the point, and the exponent, if any.
struct FloatText {
  std::string whole, fraction, exponent;
  bool isFinite = true;
};

static constexpr int maxFraction = 8;

static FloatText split(const std::string &text) {
  size_t exponent = std::min(text.find('e'), text.size());
  size_t point = std::min(text.find('.'), exponent);
  FloatText pieces{text.substr(0, point), "", text.substr(exponent)};
  if (point < exponent)
    pieces.fraction = text.substr(point + 1, exponent - point - 1);
  return pieces;
}

static FloatText floatText(const PrintedOperand &operand, size_t index, std::chars_format format) {
  return visitFloat(operand.dtype, [&](auto element) -> FloatText {
    auto value = element.load(elementAt<typename decltype(element)::Storage>(operand, index));
    if (!std::isfinite(value))
      return {std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf", "", "", false};
    FloatText pieces = split(shortest(element, value, format));
    if (pieces.fraction.size() <= maxFraction)
      return pieces;
    pieces = split(charsOf(value, format, maxFraction));
    pieces.fraction.erase(pieces.fraction.find_last_not_of('0') + 1);
    return pieces;
  });
}

static double magnitudeAt(const PrintedOperand &operand, size_t index) {
  return visitFloat(operand.dtype, [&](auto element) {
    using Storage = typename decltype(element)::Storage;
    return double(std::fabs(element.load(elementAt<Storage>(operand, index))));
  });
}

/// numpy's rule: powers of ten when numbers are very large, very small or far apart.
static std::chars_format notationOf(const PrintedOperand &operand) {
  double least = INFINITY, most = 0;
  for (size_t i = 0; i < countOf(operand); ++i)
    if (double magnitude = magnitudeAt(operand, i); magnitude != 0 && std::isfinite(magnitude)) {
      least = std::min(least, magnitude);
      most = std::max(most, magnitude);
    }
  bool isFarApart = most >= 1e8 || (most != 0 && (least < 1e-4 || most / least > 1000));
  return isFarApart ? std::chars_format::scientific : std::chars_format::fixed;
}

static std::vector<std::string> alignedFloats(const PrintedOperand &operand) {
  std::chars_format notation = notationOf(operand);
  std::vector<FloatText> pieces;
  size_t fraction = 0;
  for (size_t i = 0; i < countOf(operand); ++i) {
    pieces.push_back(floatText(operand, i, notation));
    fraction = std::max(fraction, pieces.back().fraction.size());
  }
  char filler = notation == std::chars_format::scientific ? '0' : ' ';
  std::vector<std::string> texts;
  for (FloatText &piece : pieces) {
    if (piece.isFinite)
      piece.fraction.insert(piece.fraction.size(), fraction - piece.fraction.size(), filler);
    texts.push_back(piece.isFinite ? piece.whole + "." + piece.fraction + piece.exponent
                                   : piece.whole);
  }
  return texts;
}

/// As printf's %f has it, or its %a.
static std::string floatText(const PrintedOperand &operand, size_t index, bool isHex) {
  return visitFloat(operand.dtype, [&](auto element) -> std::string {
    auto value = element.load(elementAt<typename decltype(element)::Storage>(operand, index));
    if (!std::isfinite(value))
      return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
    if (isHex)
      return (std::signbit(value) ? "-0x" : "0x") +
             charsOf(std::abs(double(value)), std::chars_format::hex);
    return charsOf(double(value), std::chars_format::fixed, 6);
  });
}

static std::string pointerOrInteger(const PrintedOperand &operand, size_t index, bool isHex) {
  return operand.isPointer ? hexText(bitsAt(operand, index), 8)
                           : integerText(operand, index, isHex);
}

static bool isNumberWithPoint(const PrintedOperand &operand) {
  return !operand.isPointer && isFloat(operand.dtype);
}

std::vector<std::string> plainTextsOf(const PrintedOperand &operand, bool isHex) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < countOf(operand); ++i)
    if (!operand.isPointer && isBool(operand.dtype))
      texts.push_back(bitsAt(operand, i) ? "1" : "0");
    else
      texts.push_back(isNumberWithPoint(operand) ? floatText(operand, i, isHex)
                                                 : pointerOrInteger(operand, i, isHex));
  return texts;
}

static std::vector<std::string> integerTexts(const PrintedOperand &operand, bool isHex) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < countOf(operand); ++i)
    texts.push_back(pointerOrInteger(operand, i, isHex));
  return texts;
}

std::vector<std::string> alignedTextsOf(const PrintedOperand &operand, bool isHex) {
  std::vector<std::string> texts =
      isNumberWithPoint(operand) ? alignedFloats(operand) : integerTexts(operand, isHex);
  // numpy leaves room for "False" even where there is none.
  size_t width = !operand.isPointer && isBool(operand.dtype) && !operand.shape.empty() ? 5 : 0;
  for (const std::string &text : texts)
    width = std::max(width, text.size());
  for (std::string &text : texts)
    text.insert(0, width - text.size(), ' ');
  return texts;
}

} // namespace nereid
