// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python's own functions that ask what an object is, or put sequences together.
#include "frontend/emit/Arguments.h"

namespace nereid::emit {

using sema::ConstantValue;

static bool isPointerType(const ConstantValue &constant) {
  const auto *type = std::get_if<sema::ScalarType>(&constant);
  return type && type->isPointer;
}

static bool isInstance(const Value &object, const Value &type, const Arguments &arguments) {
  if (const auto *either = type.as<Tuple>())
    return llvm::any_of(either->elements,
                        [&](const Value &one) { return isInstance(object, one, arguments); });
  const auto *constant = object.as<ConstantValue>();
  if (const auto *record = type.as<RecordReference>())
    return object.is<Tuple>() && object.as<Tuple>()->record &&
           object.as<Tuple>()->record->isOrDerivesFrom(*record->type);
  if (const auto *reference = type.as<ClassReference>()) {
    if (reference->name == "tensor")
      return object.is<Tensor>();
    if (reference->name == "constexpr")
      return constant != nullptr;
    if (reference->name == "dtype")
      return constant && std::holds_alternative<sema::ScalarType>(*constant);
    if (reference->name == "pointer_type")
      return constant && isPointerType(*constant);
    if (reference->name == "block_type")
      return object.is<TypeReference>() && object.as<TypeReference>()->type.isTile();
    if (reference->name == "tensor_descriptor")
      return object.is<TensorDescriptor>();
    if (reference->name == "tuple")
      return object.is<Tuple>();
    const auto *ofTuple = object.as<TupleType>();
    if (reference->name == "constexpr_type")
      return object.is<ConstantType>() || (ofTuple && ofTuple->constant);
    if (reference->name == "tuple_type")
      return ofTuple != nullptr;
    return false;
  }
  if (const auto *builtin = type.as<const sema::Builtin *>()) { // int, float, bool, str, tuple
    std::string_view name = (*builtin)->name;
    if (name == "tuple" || name == "list")
      return object.is<Tuple>();
    bool isBoolAsInt = name == "int" && constant && std::holds_alternative<bool>(*constant);
    return constant && (sema::typeName(*constant) == name || isBoolAsInt);
  }
  arguments.failType("type", "a class, a type of Python's or a tuple of them");
}

Value isinstanceBuiltin(Emitter &, const Arguments &arguments) {
  return boolValue(isInstance(arguments["object"], arguments["type"], arguments));
}

/// Nothing where there is no such attribute; mistakes in computing it stay mistakes.
static std::optional<Value> findAttribute(Emitter &emitter, const Arguments &arguments) {
  try {
    return emitter.attribute(arguments["object"], arguments.text("name"), arguments.range("name"));
  } catch (const SourceError &error) {
    DiagnosticId id = error.diagnostic.id;
    if (id != DiagnosticId::unknown_attribute && id != DiagnosticId::not_supported_yet)
      throw;
    return std::nullopt;
  }
}

Value hasattrBuiltin(Emitter &emitter, const Arguments &arguments) {
  return boolValue(findAttribute(emitter, arguments).has_value());
}

Value getattrBuiltin(Emitter &emitter, const Arguments &arguments) {
  const auto &defaults = arguments["default"].as<Tuple>()->elements;
  if (defaults.size() > 1)
    fail(arguments.callRange(), DiagnosticId::too_many_arguments, "getattr", 3,
         2 + defaults.size());
  if (defaults.empty())
    return emitter.attribute(arguments["object"], arguments.text("name"), arguments.range("name"));
  return findAttribute(emitter, arguments).value_or(defaults.front());
}

static std::vector<Value> elementsOf(Emitter &emitter, const Value &sequence,
                                     const Arguments &arguments, std::string_view name) {
  if (const auto *tuple = sequence.as<Tuple>())
    return tuple->elements;
  if (const auto *range = sequence.as<RangeValue>())
    return emitter.staticElements(*range, arguments.range(name));
  fail(arguments.range(name), DiagnosticId::argument_type, name, arguments.function(),
       "a tuple or a range", describe(sequence));
}

Value zipBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tuple rows;
  bool isFirst = true;
  for (const Value &sequence : arguments["iterables"].as<Tuple>()->elements) {
    std::vector<Value> elements = elementsOf(emitter, sequence, arguments, "iterables");
    rows.elements.resize(
        isFirst ? elements.size() : std::min(rows.elements.size(), elements.size()), Tuple{});
    isFirst = false;
    for (auto [row, element] : llvm::zip(rows.elements, elements))
      row.as<Tuple>()->elements.push_back(element);
  }
  return emitter.checkedTuple(std::move(rows), arguments.callRange());
}

Value enumerateBuiltin(Emitter &emitter, const Arguments &arguments) {
  sema::Integer count = arguments.integer("start");
  Tuple pairs;
  for (const Value &element : elementsOf(emitter, arguments["iterable"], arguments, "iterable"))
    pairs.elements.emplace_back(Tuple{{integerValue(count++), element}});
  return emitter.checkedTuple(std::move(pairs), arguments.callRange());
}

} // namespace nereid::emit
