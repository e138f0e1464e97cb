// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types as values of a kernel: `x.type`, and what tl.tuple_type and tl.block_type make.
#include "frontend/emit/Emitter.h"

#include <array>

namespace nereid::emit {

using sema::ConstantValue;

static std::optional<Value> typeValue(const Tuple &tuple) {
  TupleType result;
  for (const Value &element : tuple.elements) {
    auto type = typeValue(element);
    if (!type)
      return std::nullopt;
    result.types.push_back(std::move(*type));
  }
  if (tuple.record)
    result.fields = tuple.record->fields;
  if (auto known = constexprForm(tuple))
    result.constant = share(std::move(*known));
  return Value(std::move(result));
}

std::optional<Value> typeValue(const Value &value) {
  if (const auto *tensor = value.as<Tensor>())
    return Value(TypeReference{tensor->type});
  if (const auto *block = value.as<BlockPointer>())
    return Value(TypeReference{{{block->base.dtype()}, block->block}, /*isBlockPointer=*/true});
  if (value.is<ConstantValue>())
    return Value(ConstantType{share(value)});
  const auto *tuple = value.as<Tuple>();
  return tuple ? typeValue(*tuple) : std::nullopt;
}

std::optional<sema::ScalarType> scalarTypeOf(const Value &value) {
  if (const auto *type = value.as<TypeReference>(); type && !type->isBlockPointer)
    return type->type.isTile() ? std::nullopt : std::optional(type->type.scalar);
  const auto *constant = value.as<ConstantValue>();
  const auto *type = constant ? std::get_if<sema::ScalarType>(constant) : nullptr;
  return type ? std::optional(*type) : std::nullopt;
}

bool isType(const Value &value) {
  return scalarTypeOf(value) || value.is<TypeReference>() || value.is<ConstantType>() ||
         value.is<TupleType>();
}

namespace {

/// What stands for the two parameters of a class that makes types; the second may be missing.
struct TypeArguments {
  Emitter &emitter;
  std::string type; // "tl.tuple_type"
  std::array<std::string, 2> names;
  std::array<const Emitter::CallArgument *, 2> given = {};

  bool has(size_t place) const { return given[place] && !given[place]->value.isNone(); }

  /// The elements of a tuple; nothing for all else.
  std::optional<std::vector<Value>> elements(size_t place) const {
    auto tuple = asTuple(emitter, given[place]->value, given[place]->range);
    return tuple ? std::optional(tuple->as<Tuple>()->elements) : std::nullopt;
  }

  [[noreturn]] void refuse(size_t place, std::string_view wanted) const {
    fail(given[place]->range, DiagnosticId::argument_type, names[place], type, wanted,
         describe(given[place]->value));
  }
};

TypeArguments bindTypes(Emitter &emitter, const ClassReference &type,
                        std::array<std::string, 2> names,
                        const std::vector<Emitter::CallArgument> &arguments, SourceRange range) {
  TypeArguments bound{emitter, "tl." + type.name, std::move(names)};
  if (arguments.size() > bound.given.size())
    fail(arguments[2].range, DiagnosticId::too_many_arguments, bound.type, bound.given.size(),
         arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &name = arguments[i].name;
    const auto *place = name.empty() ? &bound.names[i] : llvm::find(bound.names, name);
    if (place == bound.names.end())
      fail(arguments[i].nameRange, DiagnosticId::unknown_argument, bound.type, name);
    bound.given[static_cast<size_t>(place - bound.names.begin())] = &arguments[i];
  }
  if (!bound.given[0])
    fail(range, DiagnosticId::missing_argument, bound.names[0], bound.type);
  return bound;
}

Value tupleType(const TypeArguments &arguments) {
  TupleType result;
  auto types = arguments.elements(0);
  if (!types || !llvm::all_of(*types, isType))
    arguments.refuse(0, "a tuple of types");
  result.types = std::move(*types);
  if (!arguments.has(1))
    return result;
  auto fields = arguments.elements(1).value_or(std::vector<Value>());
  for (const Value &field : fields) {
    const auto *constant = field.as<ConstantValue>();
    if (const auto *name = constant ? std::get_if<std::string>(constant) : nullptr)
      result.fields.push_back(*name);
  }
  if (result.fields.size() != fields.size() || fields.size() != result.types.size())
    arguments.refuse(1, "None or as many names as there are types");
  return result;
}

Value blockType(const TypeArguments &arguments, SourceRange range) {
  auto element = scalarTypeOf(arguments.given[0]->value);
  if (!element)
    arguments.refuse(0, "a dtype");
  if (!arguments.given[1])
    fail(range, DiagnosticId::missing_argument, arguments.names[1], arguments.type);
  sema::ValueType tile{*element, {}};
  for (const Value &size : arguments.elements(1).value_or(std::vector<Value>())) {
    auto constant = asConstant(size);
    auto integer = constant ? sema::asInteger(*constant) : std::nullopt;
    tile.shape.push_back(integer && *integer <= Emitter::mostElements ? int64_t(*integer) : 0);
  }
  if (tile.shape.empty() || llvm::any_of(tile.shape, [](int64_t size) { return size <= 0; }))
    arguments.refuse(1, "a tuple of sizes");
  return TypeReference{tile};
}

} // namespace

Value constructType(Emitter &emitter, const ClassReference &type,
                    const std::vector<Emitter::CallArgument> &arguments, SourceRange range) {
  if (type.name == "tuple_type")
    return tupleType(bindTypes(emitter, type, {"types", "fields"}, arguments, range));
  return blockType(bindTypes(emitter, type, {"element_ty", "shape"}, arguments, range), range);
}

} // namespace nereid::emit
