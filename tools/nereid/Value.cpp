// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Value.h"

#include <cctype>

namespace nereid::command {
namespace {

[[noreturn]] void fail(const std::string &name, const std::string &text,
                       const std::string &reason) {
  throw Error(Error::Kind::Usage, name + "=" + text + ": " + reason);
}

bool isIdentifier(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])))
    return false;
  for (char c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_')
      return false;
  return true;
}

FileValue parseFile(const std::string &name, const std::string &text) {
  std::string path = text.substr(1);
  size_t colon = path.rfind(':');
  if (colon == std::string::npos)
    return {path, std::nullopt};
  std::string typeName = path.substr(colon + 1);
  if (std::optional<DType> type = parseDType(typeName))
    return {path.substr(0, colon), type};
  // A colon may also belong to the path.
  if (path.substr(0, colon).ends_with(".npy"))
    fail(name, text, "no dtype '" + typeName + "'; there are: " + acceptedDTypes());
  return {path, std::nullopt};
}

FilledValue parseFilled(const std::string &name, const std::string &text, size_t colon) {
  std::string word = text.substr(0, colon);
  std::optional<Fill> fill = parseFill(word);
  if (!fill)
    fail(name, text, "unknown fill '" + word + "'; the fills are " + fillNames());
  size_t bracket = text.find('[', colon);
  if (bracket == std::string::npos || text.back() != ']')
    fail(name, text, "an array needs a shape, as in " + word + ":f32[1823,781]");
  std::string typeName = text.substr(colon + 1, bracket - colon - 1);
  std::optional<DType> type = parseDType(typeName);
  if (!type)
    fail(name, text, "no dtype '" + typeName + "'; there are: " + acceptedDTypes());
  return {*fill, *type, Expression(text.substr(bracket), "shape of " + name)};
}

BlocksValue parseBlocks(const std::string &name, const std::string &text) {
  size_t end = text.find("]:");
  if (end == std::string::npos)
    fail(name, text, "a descriptor is blocks[64,64]:VALUE, where VALUE is an array");
  Expression shape(text.substr(std::string("blocks").size(), end + 1 - 6), "blocks of " + name);
  Value array = parseValue(name, text.substr(end + 2));
  return std::visit(
      [&](auto &value) -> BlocksValue {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, BlocksValue>)
          fail(name, text, "a descriptor is of an array");
        else
          return {std::move(shape), std::move(value)};
      },
      array);
}

} // namespace

/// "x", or "pair.0" of an element of a tuple.
static bool isParameter(const std::string &text) {
  size_t point = std::min(text.find('.'), text.size());
  return isIdentifier(text.substr(0, point)) && text.back() != '.' &&
         text.find_first_not_of("0123456789.", point) == std::string::npos;
}

Value parseValue(const std::string &name, const std::string &text) {
  if (text.empty())
    fail(name, text, "a value is missing");
  if (text.starts_with("blocks["))
    return parseBlocks(name, text);
  if (text[0] == '@')
    return parseFile(name, text);
  size_t colon = text.find(':');
  if (colon != std::string::npos && isIdentifier(text.substr(0, colon)))
    return parseFilled(name, text, colon);
  return Expression(text, "value of " + name);
}

Assignment parseAssignment(const std::string &argument, const char *what) {
  size_t equals = argument.find('=');
  if (equals == std::string::npos || !isParameter(argument.substr(0, equals)))
    throw Error(Error::Kind::Usage, "'" + argument + "' is not of the form " + what);
  return {argument.substr(0, equals), argument.substr(equals + 1)};
}

std::string acceptedDTypes() {
  std::string list;
  for (DType type : allDTypes())
    list += (list.empty() ? "" : " ") + std::string(shortName(type));
  return list;
}

} // namespace nereid::command
