// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/Annotation.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"

namespace nereid::sema {
namespace {

Annotation named(std::string_view name) {
  if (name == "constexpr")
    return {true, false, std::nullopt};
  if (name == "const")
    return {false, true, std::nullopt};
  return {false, false, parseTypeName(name)};
}

} // namespace

std::optional<ScalarType> parseTypeName(std::string_view text) {
  bool isPointer = text.starts_with('*');
  if (isPointer)
    text.remove_prefix(1);
  std::optional<DType> dtype = parseDType(text);
  if (!dtype)
    return std::nullopt;
  return ScalarType{*dtype, isPointer};
}

Annotation readAnnotation(const ast::Expr *annotation) {
  if (auto *name = llvm::dyn_cast_or_null<ast::Name>(annotation))
    return named(name->name);
  if (auto *attribute = llvm::dyn_cast_or_null<ast::Attribute>(annotation))
    return named(attribute->name);
  if (auto *subscript = llvm::dyn_cast_or_null<ast::Subscript>(annotation))
    return readAnnotation(subscript->object.get());
  auto *text = llvm::dyn_cast_or_null<ast::Constant>(annotation);
  if (!text || text->valueKind != ast::Constant::Kind::String)
    return {};
  llvm::StringRef quoted = llvm::StringRef(text->stringValue).split('[').first.trim();
  return named(quoted.substr(quoted.rfind('.') + 1));
}

} // namespace nereid::sema
