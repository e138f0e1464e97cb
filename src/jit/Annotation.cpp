// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Annotation.h"

#include "support/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Casting.h"

namespace nereid::jit {
namespace {

/// The last part of a name, dotted or not; empty for other expressions.
std::string_view lastName(const ast::Expr &expr) {
  if (auto *name = llvm::dyn_cast<ast::Name>(&expr))
    return name->name;
  if (auto *attribute = llvm::dyn_cast<ast::Attribute>(&expr))
    return attribute->name;
  return {};
}

/// Names from the signatures of Triton's own tools.
std::optional<DType> parseSignatureType(std::string_view text) {
  return llvm::StringSwitch<std::optional<DType>>(llvm::StringRef(text))
      .Case("fp16", DType::Float16)
      .Case("fp32", DType::Float32)
      .Case("fp64", DType::Float64)
      .Case("u1", DType::Int1)
      .Default(parseDType(text));
}

} // namespace

std::optional<sema::ScalarType> parseTypeName(std::string_view text) {
  bool isPointer = text.starts_with('*');
  if (isPointer)
    text.remove_prefix(1);
  std::optional<DType> dtype = parseSignatureType(text);
  if (!dtype)
    return std::nullopt;
  return sema::ScalarType{*dtype, isPointer};
}

Annotation readAnnotation(const ast::Parameter &parameter) {
  if (!parameter.annotation)
    return {};
  const ast::Expr &annotation = *parameter.annotation;
  if (auto *constant = llvm::dyn_cast<ast::Constant>(&annotation))
    return {false, constant->valueKind == ast::Constant::Kind::String
                       ? parseTypeName(constant->stringValue)
                       : std::nullopt};
  std::string_view name = lastName(annotation);
  if (name == "constexpr")
    return {true, std::nullopt};
  if (std::optional<DType> dtype = parseDType(name))
    return {false, sema::ScalarType{*dtype, false}};
  return {};
}

std::string suggest(std::string_view name, const std::vector<std::string> &candidates,
                    std::string_view plural, std::string_view singular) {
  if (std::string closest = closestName(name, candidates); !closest.empty())
    return "did you mean '" + closest + "'?";
  if (candidates.empty())
    return "there are no " + std::string(plural);
  std::string_view noun = candidates.size() == 1 ? singular : plural;
  return "the " + std::string(noun) + (candidates.size() == 1 ? " is " : " are ") +
         llvm::join(candidates, ", ");
}

} // namespace nereid::jit
