// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/Specialization.h"

#include <bit>

namespace nereid::sema {
namespace {

std::string key(const RuntimeParameter &parameter) {
  std::string text = parameter.type.isPointer ? "*" : "";
  text += shortName(parameter.type.dtype);
  return parameter.isDivisibleBy16 ? text + ":16" : text;
}

/// Floats by their bits, so that -0.0 and 0.0, and any two NaNs, stay apart; strings with their
/// length.
std::string key(const ConstantValue &value) {
  if (const double *number = std::get_if<double>(&value))
    return "f" + std::to_string(std::bit_cast<uint64_t>(*number));
  if (const std::string *text = std::get_if<std::string>(&value))
    return "s" + std::to_string(text->size()) + "'" + *text;
  if (const ScalarType *type = std::get_if<ScalarType>(&value))
    return "d" + toString(*type);
  return toString(value);
}

} // namespace

std::string Specialization::key() const {
  std::string text;
  for (const auto &parameter : parameters) {
    if (const auto *runtime = std::get_if<RuntimeParameter>(&parameter))
      text += sema::key(*runtime);
    else
      text += "=" + sema::key(std::get<ConstantValue>(parameter));
    text += ',';
  }
  return isNoAlias ? text + "noalias" : text;
}

} // namespace nereid::sema
