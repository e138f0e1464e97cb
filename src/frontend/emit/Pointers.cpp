// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/Pointers.h"

#include "frontend/emit/Advice.h"

namespace nereid::emit {

using sema::ConstantValue;

Tensor pointerOf(Emitter &emitter, const Arguments &arguments, std::string_view name) {
  const auto *tensor = arguments[name].as<Tensor>();
  if (tensor && tensor->isPointer())
    return *tensor;
  std::string function(arguments.function());
  if (const ast::Parameter *parameter =
          numberUsedAsPointer(emitter, arguments[name], arguments.range(name)))
    failWithNote(
        parameter->range, {arguments.range(name), "tl." + function + " needs a pointer here"},
        DiagnosticId::argument_type, parameter->name, "the kernel", "an array", "a number");
  bool areSwapped = function == "store" && isPointer(arguments["value"]);
  std::string advice =
      areSwapped ? "the pointer comes first: tl.store(pointer, value)"
                 : "a pointer is an array's parameter, with offsets added: x_ptr + offsets";
  failWithNote(arguments.range(name), {{}, advice}, DiagnosticId::not_a_pointer, function,
               describe(arguments[name]));
}

void refuseConst(const Arguments &arguments, const Tensor &pointer) {
  if (pointer.type.scalar.isConst)
    failWithNote(arguments.range("pointer"), {{}, "it comes from a parameter declared tl.const"},
                 DiagnosticId::argument_type, "pointer", arguments.function(),
                 "a pointer to write through", describe(pointer));
}

std::optional<Tensor> maskOf(Emitter &emitter, const Arguments &arguments) {
  if (arguments.isNone("mask"))
    return std::nullopt;
  Tensor mask = arguments.tensor("mask");
  if (mask.isPointer() || isFloat(mask.dtype()))
    arguments.failType("mask", "int1");
  return emitter.notZero(mask, arguments.range("mask"));
}

static Tensor besideScalar(Emitter &emitter, const Arguments &arguments, const Tensor &value,
                           std::string_view name) {
  if (!value.isTile())
    return value;
  if (value.type.elements() != 1)
    failWithNote(
        arguments.range(name), {{}, "the pointer is a scalar: add the elements' offsets to it"},
        DiagnosticId::argument_type, name, arguments.function(), "a scalar", describe(value));
  return emitter.reshape(value, {}, arguments.range(name));
}

Tensor besidePointer(Emitter &emitter, const Arguments &arguments, const Tensor &pointer,
                     const Tensor &value, std::string_view name) {
  return pointer.isTile() ? emitter.broadcastTo(value, pointer.shape(), arguments.range(name))
                          : besideScalar(emitter, arguments, value, name);
}

std::vector<Tensor> extents(Emitter &emitter, const Arguments &arguments, std::string_view name,
                            size_t rank) {
  std::vector<Value> elements = arguments.elements(name);
  if (elements.size() != rank)
    arguments.failValue(name, rank == 1 ? "an integer scalar, or a tuple of one"
                                        : "a tuple of " + std::to_string(rank) + " integers");
  std::vector<Tensor> result;
  for (const Value &element : elements) {
    const auto *constant = element.as<ConstantValue>();
    const auto *tensor = element.as<Tensor>();
    bool isInteger =
        (constant && sema::asInteger(*constant)) ||
        (tensor && !tensor->isTile() && !tensor->isPointer() && nereid::isInteger(tensor->dtype()));
    if (!isInteger)
      fail(arguments.range(name), DiagnosticId::argument_type, name, arguments.function(),
           "a tuple of integer scalars", describe(element));
    Tensor scalar = emitter.toTensor(element, arguments.range(name));
    result.push_back(emitter.cast(scalar, {DType::Int64}, arguments.range(name)));
  }
  return result;
}

} // namespace nereid::emit
