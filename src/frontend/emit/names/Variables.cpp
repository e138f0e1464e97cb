// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What debuggers are told of names. They see what an execution comes to, as they would in Python:
// loops and branches that hand a value on under its name have nothing to add.
#include "frontend/emit/Emitter.h"

#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace nereid::emit {

static std::optional<std::string> literal(const sema::ConstantValue &constant) {
  if (const auto *type = std::get_if<sema::ScalarType>(&constant))
    return type->isPointer ? std::nullopt : std::optional("tl." + sema::toString(constant));
  if (const auto *number = std::get_if<double>(&constant); number && !std::isfinite(*number))
    return "float('" + sema::toString(constant) + "')";
  if (const auto *text = std::get_if<std::string>(&constant)) {
    std::string escaped;
    llvm::raw_string_ostream(escaped).write_escaped(*text, /*UseHexEscapes=*/true);
    return '"' + escaped + '"';
  }
  return sema::toString(constant);
}

/// As the language writes it; nothing for what it cannot, functions and run-time values among it.
static std::optional<std::string> literal(const Value &value) {
  if (auto constant = asConstant(value))
    return literal(*constant);
  const auto *tuple = value.as<Tuple>();
  if (!tuple || tuple->record)
    return std::nullopt;
  std::string text = "(";
  for (const Value &element : tuple->elements) {
    std::optional<std::string> part = literal(element);
    if (!part)
      return std::nullopt;
    text += *part + (tuple->elements.size() == 1           ? ","
                     : &element == &tuple->elements.back() ? ""
                                                           : ", ");
  }
  return text + ")";
}

void Emitter::keepVariable(const std::string &name, const Value &value, SourceRange range) {
  makeVariable(name, value, range, /*isStatement=*/true);
}

void Emitter::makeVariable(const std::string &name, const Value &value, SourceRange range,
                           bool isStatement) {
  if (!keepsVariables || frame->isLibrary || frame->isHost)
    return;
  const auto *tensor = value.as<Tensor>();
  std::optional<std::string> constant = tensor ? std::nullopt : literal(value);
  tile::VariableOp::create(builder, locate(range), builder.getStringAttr(name),
                           tensor ? tensor->value : nullptr,
                           constant ? builder.getStringAttr(*constant) : nullptr,
                           isStatement ? builder.getUnitAttr() : nullptr);
}

/// What a call begins with.
void Emitter::keepParameters(const ast::Function &function, Frame &inner) {
  if (!keepsVariables)
    return;
  llvm::SaveAndRestore within(frame, &inner);
  for (const ast::Parameter &parameter : function.parameters)
    makeVariable(parameter.name, inner.scope.values[parameter.name], parameter.range,
                 /*isStatement=*/false);
}

} // namespace nereid::emit
