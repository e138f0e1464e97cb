// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text that host::describe() writes and host::readDescription() reads (nereid/replay.h). Its
// keys, which both sides share:
//
//   {"functions": [{"text", "path", "name", "line", "globals": NAMES, "defaults": NAMES}],
//    "records": [{"name", "fields", "defaults": NAMES, "methods": NAMES, "bases": [RECORD]}],
//    "calls": [{"name", "key", "matters", "answers": {ASKED: VALUE}}],
//    "function": FUNCTION, "arguments": [ARGUMENT]}
//
// NAMES is an object of VALUEs; FUNCTION, RECORD and CALL are places in these lists. A VALUE is
// null, a boolean, or an object whose first key says what it is (describedKinds).
#pragma once

#include <nlohmann/json.hpp>

namespace nereid::jit {

using Json = nlohmann::ordered_json;

/// Of a VALUE or an ARGUMENT.
namespace described {
constexpr const char *integer = "int";       // as text: up to 64 bits, with or without a sign
constexpr const char *number = "float";      // the bits of a double, as text
constexpr const char *text = "text";         //
constexpr const char *dtype = "dtype";       // and "pointer"
constexpr const char *part = "part";         // a path of the language
constexpr const char *function = "function"; //
constexpr const char *tuple = "tuple";       // and "record", if it is an object of one
constexpr const char *space = "namespace";   // its name, and "members"
constexpr const char *call = "call";         //
constexpr const char *record = "record";     //
constexpr const char *array = "array";       // its dtype, "shape" and "bytes" in base 64
constexpr const char *foreign = "foreign";   // its description
constexpr const char *slot = "slot";         // ARGUMENT: a type, see writeType
constexpr const char *constant = "constant"; // ARGUMENT: a VALUE
constexpr const char *block = "block";       // ARGUMENT of earlier versions: a tensor descriptor's
} // namespace described

} // namespace nereid::jit
