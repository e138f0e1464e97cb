// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text form of layouts.
#include "layout/LinearLayout.h"

#include <bit>
#include <cctype>
#include <charconv>
#include <stdexcept>

namespace nereid::layout {
namespace {

template <typename Range, typename Item>
std::string join(const Range &range, std::string_view open, std::string_view close, Item item) {
  std::string text(open);
  std::string_view separator = "";
  for (const auto &element : range) {
    text += separator;
    text += item(element);
    separator = ", ";
  }
  return text += close;
}

std::string toString(const Coordinates &vector) {
  if (vector.size() == 1)
    return std::to_string(vector[0]);
  return join(vector, "[", "]", [](uint64_t value) { return std::to_string(value); });
}

/// Recursive descent; what is wrong is thrown as a SyntaxError and caught in parseLayout().
class Parser {
public:
  struct SyntaxError : std::runtime_error {
    using runtime_error::runtime_error;
  };

  explicit Parser(std::string_view text) : text(text) {}

  LinearLayout layout() {
    std::vector<LinearLayout::Input> inputs;
    list('{', '}', [&] {
      inputs.push_back({name(), {}});
      expect(":");
      list('[', ']', [&] { inputs.back().bases.push_back(vector()); });
    });
    expect("->");
    Spaces outputs;
    list('{', '}', [&] {
      outputs.push_back({name(), 0});
      expect(":");
      const uint64_t size = number();
      if (!std::has_single_bit(size))
        fail("a size is a power of two");
      outputs.back().bits = unsigned(std::countr_zero(size));
    });
    skipSpace();
    if (!text.empty())
      fail("text after the layout");
    check(inputs, outputs);
    return LinearLayout(inputs, std::move(outputs));
  }

private:
  [[noreturn]] void fail(const std::string &message) const {
    throw SyntaxError(message + (text.empty() ? ", at the end"
                                              : ", at '" + std::string(text.substr(0, 20)) + "'"));
  }

  /// What the constructor would have to refuse.
  void check(const std::vector<LinearLayout::Input> &inputs, const Spaces &outputs) const {
    size_t bits = 0;
    for (const LinearLayout::Input &input : inputs) {
      bits += input.bases.size();
      for (const LinearLayout::Input &other : inputs)
        if (&other != &input && other.name == input.name)
          fail("input '" + input.name + "' is given twice");
      for (const Coordinates &basis : input.bases)
        checkVector(basis, outputs);
    }
    for (const Space &space : outputs)
      for (const Space &other : outputs)
        if (&other != &space && other.name == space.name)
          fail("output '" + space.name + "' is given twice");
    if (bits > 63 || totalBits(outputs) > 63)
      fail("a layout has at most 63 bits of inputs and of outputs");
  }

  void checkVector(const Coordinates &basis, const Spaces &outputs) const {
    if (basis.size() != outputs.size())
      fail("the vector " + toString(basis) + " does not have one coordinate for each output");
    for (size_t i = 0; i < basis.size(); ++i)
      if (basis[i] >= outputs[i].size())
        fail("the vector " + toString(basis) + " is outside the outputs");
  }

  void skipSpace() {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text[0])))
      text.remove_prefix(1);
  }

  bool take(std::string_view token) {
    skipSpace();
    if (!text.starts_with(token))
      return false;
    text.remove_prefix(token.size());
    return true;
  }

  void expect(std::string_view token) {
    if (!take(token))
      fail("expected '" + std::string(token) + "'");
  }

  template <typename Element> void list(char open, char close, Element element) {
    expect(std::string_view(&open, 1));
    if (take(std::string_view(&close, 1)))
      return;
    do
      element();
    while (take(","));
    expect(std::string_view(&close, 1));
  }

  std::string name() {
    skipSpace();
    size_t length = 0;
    while (length < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[length])) || text[length] == '_'))
      ++length;
    if (!length || std::isdigit(static_cast<unsigned char>(text[0])))
      fail("expected a name");
    std::string name(text.substr(0, length));
    text.remove_prefix(length);
    return name;
  }

  uint64_t number() {
    skipSpace();
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc())
      fail("expected a number");
    text.remove_prefix(size_t(end - text.data()));
    return value;
  }

  Coordinates vector() {
    skipSpace();
    if (!text.starts_with("["))
      return {number()};
    Coordinates coordinates;
    list('[', ']', [&] { coordinates.push_back(number()); });
    return coordinates;
  }

  std::string_view text;
};

} // namespace

std::string toString(const LinearLayout &layout) {
  std::vector<const Space *> inputs;
  for (auto space = layout.inputs().rbegin(); space != layout.inputs().rend(); ++space)
    inputs.push_back(&*space);
  std::string text = join(inputs, "{", "}", [&](const Space *space) {
    return space->name + join(layout.bases(space->name), ": [", "]", [&](Vector basis) {
             return toString(unpack(layout.outputs(), basis));
           });
  });
  return text += join(layout.outputs(), " -> {", "}", [](const Space &space) {
           return space.name + ": " + std::to_string(space.size());
         });
}

std::optional<LinearLayout> parseLayout(std::string_view text, std::string &error) {
  try {
    return Parser(text).layout();
  } catch (const Parser::SyntaxError &syntaxError) {
    error = syntaxError.what();
    return std::nullopt;
  }
}

} // namespace nereid::layout
