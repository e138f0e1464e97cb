// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields of files in JSON, whose mistakes are told by their place in the file: the library's own
// exceptions know it not, and speak of themselves.
#pragma once

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace nereid::tuning {

using Json = nlohmann::ordered_json;

/// "has no 'median_ms'", of the value `where`, which is still part of a document.
struct FieldMistake : std::runtime_error {
  FieldMistake(const Json &where, const std::string &what)
      : std::runtime_error(what), where(&where) {}
  const Json *where;
};

const Json &field(const Json &object, const std::string &key);
/// That is an array, of `least` elements or more.
const Json &arrayField(const Json &object, const std::string &key, size_t least = 0);

template <typename T> T valueOf(const Json &json) {
  try {
    return json.get<T>();
  } catch (const Json::exception &) {
    throw FieldMistake(json, std::string("is of the wrong kind: ") + json.type_name());
  }
}

template <typename T> T fieldOf(const Json &object, const std::string &key) {
  return valueOf<T>(field(object, key));
}

/// A JSON pointer: "/records/3". Nothing if `wanted` is no part of `root`, or all of it.
std::string pointerTo(const Json &root, const Json &wanted);
/// "/records/3 has no 'median_ms'".
std::string describe(const Json &root, const FieldMistake &mistake);
/// "line 3, column 9 is no JSON".
std::string describe(const Json::exception &mistake);
/// The line on which that element of the array begins that `key` of the outermost object names; 0
/// if there is none.
size_t lineOfElement(std::string_view text, std::string_view key, size_t wanted);

} // namespace nereid::tuning
