// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Fields.h"

#include <algorithm>

namespace nereid::tuning {

const Json &field(const Json &object, const std::string &key) {
  if (!object.is_object())
    throw FieldMistake(object, std::string("is no object: ") + object.type_name());
  auto found = object.find(key);
  if (found == object.end())
    throw FieldMistake(object, "has no '" + key + "'");
  return *found;
}

const Json &arrayField(const Json &object, const std::string &key, size_t least) {
  const Json &array = field(object, key);
  if (!array.is_array())
    throw FieldMistake(array, std::string("is no array: ") + array.type_name());
  if (array.size() < least)
    throw FieldMistake(array, "has fewer than " + std::to_string(least) + " elements");
  return array;
}

std::string pointerTo(const Json &root, const Json &wanted) {
  if (!root.is_structured())
    return {};
  for (const auto &[key, value] : root.items()) {
    if (&value == &wanted)
      return '/' + key;
    if (std::string inner = pointerTo(value, wanted); !inner.empty())
      return '/' + key + inner;
  }
  return {};
}

std::string describe(const Json &root, const FieldMistake &mistake) {
  std::string pointer = &root == mistake.where ? "" : pointerTo(root, *mistake.where);
  bool isElsewhere = pointer.empty() && &root != mistake.where;
  return (isElsewhere ? "a part of it" : pointer.empty() ? "it" : pointer) + ' ' + mistake.what();
}

std::string describe(const Json::exception &mistake) {
  std::string_view text = mistake.what();
  size_t begin = text.find("line "), end = text.find(':', begin);
  if (begin == std::string_view::npos || end == std::string_view::npos)
    return "it is no JSON";
  return std::string(text.substr(begin, end - begin)) + " is no JSON";
}

size_t lineOfElement(std::string_view text, std::string_view key, size_t wanted) {
  std::string_view last; // string of the outermost object
  size_t line = 1, depth = 0, count = 0;
  bool isInArray = false, isBefore = false; // an element
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    bool isBlank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (isBefore && !isBlank && c != ']' && count++ == wanted)
      return line;
    isBefore = isBefore && isBlank;
    line += c == '\n';
    if (c == '"') {
      size_t begin = at + 1;
      for (++at; at < text.size() && text[at] != '"'; ++at)
        at += text[at] == '\\';
      if (depth == 1)
        last = text.substr(begin, std::min(at, text.size()) - begin);
    } else if (c == '[' || c == '{') {
      ++depth;
      isInArray = isInArray || (depth == 2 && c == '[' && last == key);
      isBefore = isInArray && depth == 2;
    } else if (c == ']' || c == '}') {
      isInArray = isInArray && depth != 2;
      depth -= depth > 0;
    } else if (c == ',') {
      isBefore = isInArray && depth == 2;
    }
  }
  return 0;
}

} // namespace nereid::tuning
