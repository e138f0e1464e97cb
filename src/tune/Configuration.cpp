// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/tune.h"
#include "tune/ValueText.h"

#include <algorithm>
#include <charconv>

namespace nereid {
namespace {

struct ToText {
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(uint64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    char digits[32]; // the shortest that read back as the same number
    std::string text(digits, std::to_chars(digits, std::end(digits), value).ptr);
    bool isPlain = text.find_first_not_of("-0123456789") == std::string::npos;
    return isPlain ? text + ".0" : text; // 1.0 is another constant than 1
  }
  std::string operator()(const std::string &value) const {
    std::string text = "\"";
    for (char c : value)
      text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return text + '"';
  }
  std::string operator()(DType value) const { return std::string(name(value)); }
  std::string operator()(const Array &) const {
    throw Error(Error::Kind::Usage, "a configuration holds constants, not arrays");
  }
  std::string operator()(const TensorDescriptor &) const {
    throw Error(Error::Kind::Usage, "a configuration holds constants, not tensor descriptors");
  }
};

} // namespace

std::string tuning::valueText(const Argument &value) { return std::visit(ToText(), value.get()); }

std::string Configuration::text() const {
  std::vector<std::string> parts;
  for (const NamedArgument &value : values)
    parts.push_back(value.name + '=' + tuning::valueText(value.value));
  std::sort(parts.begin(), parts.end());
  if (tuning.warps)
    parts.push_back("num_warps=" + std::to_string(tuning.warps));
  if (tuning.pipelineStages)
    parts.push_back("num_stages=" + std::to_string(tuning.pipelineStages));
  if (const Block &block = tuning.block; block.x) {
    std::string extents = std::to_string(block.x);
    if (block.y > 1 || block.z > 1)
      extents += 'x' + std::to_string(block.y);
    if (block.z > 1)
      extents += 'x' + std::to_string(block.z);
    parts.push_back("block=" + extents);
    if (block.sharedBytes)
      parts.push_back("shared=" + std::to_string(block.sharedBytes));
  }
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : " ") + part;
  return text.empty() ? "default" : text;
}

Arguments Configuration::appliedTo(Arguments arguments) const {
  for (const NamedArgument &value : values) {
    bool isGiven = std::any_of(arguments.begin(), arguments.end(), [&](const NamedArgument &other) {
      return other.name == value.name;
    });
    if (isGiven)
      throw Error(Error::Kind::Usage, "'" + value.name +
                                          "' is both an argument and part of a configuration; "
                                          "leave it out of the arguments");
    arguments.push_back(value);
  }
  return arguments;
}

} // namespace nereid
