// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/NumberText.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace nereid::interpret {

static std::string hexText(uint64_t value, unsigned bytes) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true, /*Width=*/2 * bytes);
}

static std::string integerText(Slot slot, int64_t index, NumberStyle style) {
  return visitInteger(slot.kind, [=](auto element) -> std::string {
    using E = decltype(element);
    auto value = slot.as<typename E::Storage>()[index];
    if (style.isHex)
      return hexText(value, sizeof(value));
    if (E::width == 1)
      return value ? "True" : "False";
    return style.isSigned ? std::to_string(element.signExtend(value))
                          : std::to_string(element.zeroExtend(value));
  });
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
static std::string shortest(E element, typename E::Compute value, std::chars_format format) {
  if constexpr (sizeof(typename E::Storage) > 2)
    return charsOf(value, format);
  // A 16-bit element needs fewer digits than the float that it is held in.
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

static FloatText floatText(Slot slot, int64_t index, std::chars_format format) {
  return visitFloat(slot.kind, [=](auto element) -> FloatText {
    auto value = element.load(slot.as<typename decltype(element)::Storage>()[index]);
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

static double magnitudeAt(Slot slot, int64_t index) {
  return visitFloat(slot.kind, [=](auto element) {
    return double(std::fabs(element.load(slot.as<typename decltype(element)::Storage>()[index])));
  });
}

/// numpy's rule: powers of ten when numbers are very large, very small or far apart.
static std::chars_format notationOf(Slot slot) {
  double least = INFINITY, most = 0;
  for (int64_t i = 0; i < slot.capacity; ++i)
    if (double magnitude = magnitudeAt(slot, i); magnitude != 0 && std::isfinite(magnitude)) {
      least = std::min(least, magnitude);
      most = std::max(most, magnitude);
    }
  bool isFarApart = most >= 1e8 || (most != 0 && (least < 1e-4 || most / least > 1000));
  return isFarApart ? std::chars_format::scientific : std::chars_format::fixed;
}

static std::vector<std::string> alignedFloats(Slot slot) {
  std::chars_format notation = notationOf(slot);
  std::vector<FloatText> pieces;
  size_t fraction = 0;
  for (int64_t i = 0; i < slot.capacity; ++i) {
    pieces.push_back(floatText(slot, i, notation));
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

/// A float alone, as Python writes it.
static std::string loneFloat(Slot slot, int64_t index) {
  double magnitude = magnitudeAt(slot, index);
  bool isPlain = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  FloatText pieces =
      floatText(slot, index, isPlain ? std::chars_format::fixed : std::chars_format::scientific);
  if (!pieces.isFinite)
    return pieces.whole;
  std::string point = pieces.fraction.empty() ? (isPlain ? ".0" : "") : "." + pieces.fraction;
  return pieces.whole + point + pieces.exponent;
}

std::vector<std::string> textsOf(Slot slot, const AddressSpace &memory, NumberStyle style) {
  std::vector<std::string> texts;
  for (int64_t i = 0; i < slot.capacity; ++i)
    if (slot.kind == ElementKind::Pointer)
      texts.push_back(hexText(memory.toAddress(slot.as<uint64_t>()[i]), 8));
    else
      texts.push_back(isFloat(slot.kind) ? loneFloat(slot, i) : integerText(slot, i, style));
  return texts;
}

std::vector<std::string> alignedTextsOf(Slot slot, const AddressSpace &memory, NumberStyle style) {
  std::vector<std::string> texts =
      isFloat(slot.kind) ? alignedFloats(slot) : textsOf(slot, memory, style);
  size_t width = 0;
  for (const std::string &text : texts)
    width = std::max(width, text.size());
  for (std::string &text : texts)
    text.insert(0, width - text.size(), ' ');
  return texts;
}

} // namespace nereid::interpret
