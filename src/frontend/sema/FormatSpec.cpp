// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// [[fill]align][sign][#][0][width][,|_][.precision][type], as Python documents it.
#include "frontend/sema/FormatSpec.h"

#include <charconv>
#include <cmath>

namespace nereid::sema {
namespace {

struct Spec {
  std::string fill = " ";
  char align = 0, sign = '-', group = 0, type = 0;
  bool isAlternate = false;
  size_t width = 0;
  std::optional<int> precision;
};

constexpr size_t widest = 4096;

class SpecReader {
public:
  explicit SpecReader(std::string_view text) : text(text) {}

  /// Nothing where the text is no specification.
  std::optional<Spec> read() {
    readFill();
    if (isAtOneOf("+- "))
      spec.sign = take();
    spec.isAlternate = accept('#');
    if (accept('0') && !spec.align) {
      spec.fill = "0";
      spec.align = '=';
    }
    spec.width = readNumber().value_or(0);
    if (isAtOneOf(",_"))
      spec.group = take();
    if (accept('.')) {
      auto digits = readNumber();
      if (!digits)
        return std::nullopt;
      spec.precision = static_cast<int>(*digits);
    }
    if (!text.empty())
      spec.type = take();
    return text.empty() && spec.width <= widest && spec.precision.value_or(0) <= int(widest)
               ? std::optional(spec)
               : std::nullopt;
  }

private:
  bool isAtOneOf(std::string_view letters) const {
    return !text.empty() && letters.find(text[0]) != std::string_view::npos;
  }
  char take() {
    char letter = text[0];
    text.remove_prefix(1);
    return letter;
  }
  bool accept(char letter) {
    bool isThere = text.starts_with(letter);
    text.remove_prefix(isThere);
    return isThere;
  }

  /// The fill is one character, which may take several bytes.
  void readFill() {
    size_t length = 1;
    while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
      ++length;
    constexpr std::string_view aligns = "<>=^";
    if (length < text.size() && aligns.find(text[length]) != std::string_view::npos) {
      spec.fill = text.substr(0, length);
      text.remove_prefix(length);
    }
    if (isAtOneOf(aligns))
      spec.align = take();
  }

  std::optional<size_t> readNumber() {
    size_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc())
      return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return number;
  }

  std::string_view text;
  Spec spec;
};

std::string repeated(const std::string &fill, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += fill;
  return text;
}

size_t lengthOf(std::string_view text) {
  size_t count = 0;
  for (char c : text)
    count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

/// `sign` stays in front of what fills up with '='.
std::string padded(const Spec &spec, const std::string &sign, const std::string &body,
                   char otherwise) {
  size_t length = lengthOf(sign) + lengthOf(body);
  size_t missing = length < spec.width ? spec.width - length : 0;
  switch (spec.align ? spec.align : otherwise) {
  case '<':
    return sign + body + repeated(spec.fill, missing);
  case '^':
    return repeated(spec.fill, missing / 2) + sign + body +
           repeated(spec.fill, missing - missing / 2);
  case '=':
    return sign + repeated(spec.fill, missing) + body;
  default:
    return repeated(spec.fill, missing) + sign + body;
  }
}

/// The digits before the point with a separator between every `size`; zeros that fill up to the
/// width are grouped like the rest.
std::string grouped(const Spec &spec, std::string digits, const std::string &rest, size_t size,
                    size_t signLength) {
  if (!spec.group)
    return digits + rest;
  auto lengthWith = [&](size_t count) { return count + (count - 1) / size; };
  if (spec.align == '=' && spec.fill == "0")
    while (signLength + lengthWith(digits.size()) + rest.size() < spec.width)
      digits.insert(digits.begin(), '0');
  for (size_t at = digits.size(); at > size; at -= size)
    digits.insert(at - size, 1, spec.group);
  return digits + rest;
}

std::string signOf(const Spec &spec, bool isNegative) {
  return isNegative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
}

std::optional<std::string> formatInteger(Integer value, const Spec &spec) {
  char type = spec.type ? spec.type : 'd';
  int base = type == 'd' || type == 'n' ? 10 : type == 'b' ? 2 : type == 'o' ? 8 : 16;
  bool isKnown = std::string_view("dnboxX").find(type) != std::string_view::npos;
  if (!isKnown || spec.precision || (spec.group == ',' && base != 10))
    return std::nullopt;
  bool isNegative = value < 0;
  auto rest = static_cast<unsigned __int128>(isNegative ? -value : value);
  std::string digits;
  do {
    auto digit = static_cast<unsigned>(rest % static_cast<unsigned>(base));
    digits.insert(digits.begin(), (type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef")[digit]);
    rest /= static_cast<unsigned>(base);
  } while (rest != 0);
  std::string sign = signOf(spec, isNegative);
  if (spec.isAlternate && base != 10)
    sign += std::string("0") + type;
  return padded(spec, sign, grouped(spec, digits, "", base == 10 ? 3 : 4, sign.size()), '>');
}

std::string printed(double size, char type, int precision, bool isAlternate) {
  std::string pattern = std::string("%") + (isAlternate ? "#" : "") + ".*" + type, text(512, '\0');
  auto length = std::snprintf(text.data(), text.size(), pattern.c_str(), precision, size);
  text.resize(static_cast<size_t>(length) + 1);
  std::snprintf(text.data(), text.size(), pattern.c_str(), precision, size);
  text.pop_back();
  return text;
}

std::optional<std::string> formatFloat(double value, const Spec &spec) {
  char type = spec.type == 'n' || !spec.type ? 'g' : spec.type;
  bool isPercent = type == '%';
  if (std::string_view("eEfFgG%").find(type) == std::string_view::npos)
    return std::nullopt;
  bool isNegative = std::signbit(value) && !std::isnan(value);
  double size = std::fabs(isPercent ? value * 100 : value);
  std::string body;
  if (!spec.type && !spec.precision)
    body = toString(ConstantValue(size)); // the shortest that reads back
  else
    body = printed(size, isPercent ? 'f' : type, spec.precision.value_or(6), spec.isAlternate);
  size_t digits = std::min(body.find_first_not_of("0123456789"), body.size());
  std::string sign = signOf(spec, isNegative), rest = body.substr(digits);
  if (!spec.type && spec.precision && rest.empty()) { // keeps the look of a float
    if (digits < static_cast<size_t>(*spec.precision)) {
      rest = ".0";
    } else {
      body = printed(size, 'e', std::max(*spec.precision - 1, 0), spec.isAlternate);
      digits = body.find_first_not_of("0123456789");
      size_t end = body.find('e'), kept = body.find_last_not_of("0", end - 1) + 1;
      if (digits < end) // trailing zeros, and a point that nothing follows
        body.erase(kept - 1 == digits ? digits : kept, end - (kept - 1 == digits ? digits : kept));
      rest = body.substr(digits);
    }
  }
  rest += isPercent ? "%" : "";
  if (digits == 0) // inf, nan
    return padded(spec, sign, rest, '>');
  return padded(spec, sign, grouped(spec, body.substr(0, digits), rest, 3, sign.size()), '>');
}

std::optional<std::string> formatText(std::string text, const Spec &spec) {
  if ((spec.type && spec.type != 's') || spec.sign != '-' || spec.group || spec.isAlternate ||
      (spec.align == '=' && spec.fill != "0"))
    return std::nullopt;
  if (spec.precision && lengthOf(text) > static_cast<size_t>(*spec.precision)) {
    size_t end = 0;
    for (int count = 0; end < text.size(); ++end)
      if ((static_cast<unsigned char>(text[end]) & 0xC0) != 0x80 && count++ == *spec.precision)
        break;
    text.resize(end);
  }
  Spec aligned = spec;
  if (aligned.align == '=')
    aligned.align = '<';
  return padded(aligned, "", text, '<');
}

} // namespace

std::optional<std::string> format(const ConstantValue &value, std::string_view text) {
  const auto *string = std::get_if<std::string>(&value);
  if (text.empty())
    return str(value);
  auto spec = SpecReader(text).read();
  if (!spec)
    return std::nullopt;
  if (string)
    return formatText(*string, *spec);
  bool asFloat =
      std::string_view("eEfFgG%").find(spec->type) != std::string_view::npos && spec->type;
  if (std::holds_alternative<double>(value) || (asFloat && asNumber(value)))
    return formatFloat(*asNumber(value), *spec);
  if (auto integer = asInteger(value))
    return formatInteger(*integer, *spec);
  return std::nullopt;
}

} // namespace nereid::sema
