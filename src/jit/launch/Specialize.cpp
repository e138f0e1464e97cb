// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/launch/Specialize.h"

#include "frontend/sema/Promotion.h"
#include "jit/State.h"
#include "jit/launch/Binding.h"
#include "jit/launch/Signature.h"
#include "nereid/specialize.h"
#include "support/Check.h"
#include "support/Diagnostics.h"

#include <array>

namespace nereid::jit {
namespace {

using sema::Annotation;
using sema::ConstantValue;
using sema::fits;
using sema::Integer;
using sema::ScalarType;
using specialize::Number;
using specialize::SpecializedNumber;

class Specializer {
public:
  Specializer(const Declaration &declaration, llvm::ArrayRef<std::string> byValue)
      : declaration(declaration), function(declaration.function()), byValue(byValue) {}

  SpecializedArguments run(const Arguments &arguments) {
    llvm::SmallVector<llvm::StringRef, 16> names;
    for (const NamedArgument &argument : arguments)
      names.push_back(argument.name);
    result.specialization.parameters.reserve(function.parameters.size());
    result.slots.reserve(function.parameters.size());
    if (llvm::any_of(names, [](llvm::StringRef name) { return name.contains('.'); })) {
      auto bound = bindParts(function, names);
      for (size_t i = 0; i < bound.size(); ++i)
        addGiven(i, bound[i] ? *bound[i] : Given(), arguments);
    } else {
      auto bound = bindNames(function, names);
      for (size_t i = 0; i < bound.size(); ++i)
        addParameter(i, bound[i] ? &arguments[*bound[i]].value.get() : nullptr);
    }
    result.specialization.isNoAlias = areDisjoint(ranges);
    return std::move(result);
  }

private:
  void addGiven(size_t index, const Given &given, const Arguments &arguments) {
    if (given.elements.empty())
      return addParameter(index, given.index ? &arguments[*given.index].value.get() : nullptr);
    auto &parameters = result.specialization.parameters;
    auto before = std::exchange(parameters, {});
    for (const Given &element : given.elements)
      addGiven(index, element, arguments);
    sema::CompoundParameter tuple{sema::CompoundParameter::Tuple{std::move(parameters)}};
    parameters = std::move(before);
    parameters.push_back(std::make_shared<const sema::CompoundParameter>(std::move(tuple)));
  }

  void addParameter(size_t index, const Argument::Value *value) {
    const ast::Parameter &parameter = function.parameters[index];
    const Annotation &annotation = declaration.annotation(index);
    if (!value)
      return addValue(parameter, annotation, declaration.defaultOf(index));
    if (auto *descriptor = std::get_if<TensorDescriptor>(value))
      return addDescriptor(parameter, annotation, *descriptor);
    if (auto *array = std::get_if<Array>(value))
      return addArray(parameter, annotation, detail::ArrayState::of(*array));
    addValue(parameter, annotation, toConstant(*value));
  }

  /// What the declaration says, as the ladder of rules takes it.
  specialize::ParameterRules rulesOf(const ast::Parameter &parameter,
                                     const Annotation &annotation) const {
    specialize::ParameterRules rules{parameter.isSpecialized, parameter.knowsAlignment,
                                     function.isOfThreads};
    if (annotation.type && !function.isOfThreads)
      (annotation.type->isPointer ? rules.element : rules.number) = annotation.type->dtype;
    return rules;
  }

  void requireArrayFor(const ast::Parameter &parameter, const Annotation &annotation) const {
    if (annotation.isConstexpr)
      fail(parameter.range, DiagnosticId::constexpr_not_constant, parameter.name, function.name);
    if (annotation.type && !annotation.type->isPointer)
      failType(parameter, "a number", "an array");
  }

  void addArray(const ast::Parameter &parameter, const Annotation &annotation,
                const detail::ArrayState &array) {
    requireArrayFor(parameter, annotation);
    const uint64_t address = addressOf(array);
    if (function.isOfThreads)
      return addArrayOfThreads(array, address);
    addType(specialize::specializeArray(rulesOf(parameter, annotation), array.dtype, address),
            {address, array.extentBytes});
  }

  /// Notes where the array lies.
  uint64_t addressOf(const detail::ArrayState &array) {
    auto address = reinterpret_cast<uintptr_t>(array.memory->data());
    if (array.extentBytes)
      ranges.emplace_back(address, address + array.extentBytes);
    return address;
  }

  /// With its extents, and its strides where its elements do not lie next to one another.
  void addArrayOfThreads(const detail::ArrayState &array, uint64_t address) {
    const bool isContiguous = array.isContiguous();
    addType(specialize::specializeArrayOfThreads(
                array.dtype, address, static_cast<unsigned>(array.shape.size()), isContiguous),
            {address, array.extentBytes});
    for (int64_t extent : array.shape)
      result.slots.push_back({static_cast<uint64_t>(extent), 0});
    for (size_t i = 0; !isContiguous && i < array.strides.size(); ++i)
      result.slots.push_back({static_cast<uint64_t>(array.strides[i]), 0});
  }

  void addDescriptor(const ast::Parameter &parameter, const Annotation &annotation,
                     const TensorDescriptor &descriptor) {
    checkDescriptor(parameter, descriptor);
    const auto &array = detail::ArrayState::of(descriptor.array);
    requireArrayFor(parameter, annotation);
    const uint64_t address = addressOf(array);
    addType(specialize::specializeDescriptor(array.dtype, address, array.strideBytes(),
                                             descriptor.blockShape, descriptor.padsWithNan),
            {address, array.extentBytes});
    for (int64_t extent : array.shape)
      result.slots.push_back({static_cast<uint32_t>(extent), 0});
    for (size_t i = 0; i + 1 < array.strides.size(); ++i)
      result.slots.push_back({static_cast<uint64_t>(array.strides[i]), 0});
  }

  void checkDescriptor(const ast::Parameter &parameter, const TensorDescriptor &descriptor) {
    const auto &array = detail::ArrayState::of(descriptor.array);
    auto refuse = [&](const std::string &expected, const std::string &given) {
      fail(parameter.range, DiagnosticId::argument_value, parameter.name, describe(function),
           expected, given);
    };
    size_t rank = array.shape.size();
    if (rank < 1 || rank > 5)
      refuse("a descriptor of an array of 1 to 5 dimensions", std::to_string(rank));
    if (descriptor.blockShape.size() != rank)
      refuse("a descriptor with blocks of as many dimensions as the array, " + std::to_string(rank),
             std::to_string(descriptor.blockShape.size()));
    for (int64_t extent : descriptor.blockShape)
      if (extent < 1)
        refuse("a descriptor with blocks of one element or more",
               sema::toString(llvm::ArrayRef<int64_t>(descriptor.blockShape)));
    if (auto mistake =
            mistakeOfExtents(array.shape, parameter.range, parameter.name, describe(function)))
      throw SourceError(std::move(*mistake));
    if (array.strides.back() != 1)
      refuse("a descriptor of an array whose last stride is 1",
             std::to_string(array.strides.back()));
    if (auto mistake = mistakeOfPadding(array.dtype, descriptor.padsWithNan, parameter.range,
                                        parameter.name, describe(function)))
      throw SourceError(std::move(*mistake));
  }

  void addValue(const ast::Parameter &parameter, const Annotation &annotation,
                ConstantValue value) {
    bool isByValue = llvm::is_contained(byValue, parameter.name) && sema::asInteger(value);
    bool isConstant = !function.isOfThreads && (annotation.isConstexpr || isByValue);
    std::optional<Number> number = isConstant ? std::nullopt : numberOf(parameter, value);
    bool isTyped = annotation.type && !function.isOfThreads && !isConstant;
    if (isTyped && !std::holds_alternative<std::monostate>(value)) {
      if (annotation.type->isPointer)
        failType(parameter, "an array", sema::typeName(value));
      if (!number)
        failType(parameter, isFloat(annotation.type->dtype) ? "a number" : "an integer",
                 sema::typeName(value));
    }
    if (!number)
      return addConstant(std::move(value));
    using Outcome = SpecializedNumber::Outcome;
    SpecializedNumber specialized =
        specialize::specializeNumber(rulesOf(parameter, annotation), *number);
    switch (specialized.outcome) {
    case Outcome::Constant:
      return addConstant(std::move(value));
    case Outcome::Runtime:
      return addType(specialized.argumentType(), {specialized.bits, 0});
    case Outcome::NeedsInteger:
      failType(parameter, "an integer", sema::typeName(value));
    case Outcome::OutOfRange:
      fail(parameter.range, DiagnosticId::argument_value, parameter.name, describe(function),
           "in the range of " + std::string(name(specialized.type)), sema::toString(value));
    }
  }

  /// Nothing for what is no number.
  std::optional<Number> numberOf(const ast::Parameter &parameter, const ConstantValue &value) {
    std::optional<Number> number = toNumber(value);
    if (!number && sema::asInteger(value))
      fail(parameter.range, DiagnosticId::argument_value, parameter.name, describe(function),
           "an integer of up to 64 bits", sema::toString(value));
    return number;
  }

  void addType(const ArgumentType &type, ArgumentSlot slot) {
    result.specialization.parameters.push_back(toRuntimeParameter(type));
    result.slots.push_back(slot);
  }

  void addConstant(ConstantValue value) {
    result.specialization.parameters.push_back(std::move(value));
  }

  [[noreturn]] void failType(const ast::Parameter &parameter, const std::string &expected,
                             const std::string &given) const {
    fail(parameter.range, DiagnosticId::argument_type, parameter.name, describe(function), expected,
         given);
  }

  const Declaration &declaration;
  const ast::Function &function;
  llvm::ArrayRef<std::string> byValue;
  SpecializedArguments result;
  llvm::SmallVector<AddressRange, 8> ranges;
};

} // namespace

std::optional<Number> toNumber(const ConstantValue &value) {
  if (const auto *boolean = std::get_if<bool>(&value))
    return Number::of(*boolean);
  if (const auto *number = std::get_if<double>(&value))
    return Number::of(*number);
  const auto *integer = std::get_if<Integer>(&value);
  if (integer && fits(*integer, DType::Int64))
    return Number::of(static_cast<int64_t>(*integer));
  if (integer && fits(*integer, DType::UInt64))
    return Number::of(static_cast<uint64_t>(*integer));
  return std::nullopt;
}

bool areDisjoint(llvm::ArrayRef<AddressRange> ranges) {
  for (size_t i = 0; i < ranges.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (ranges[i].first < ranges[j].second && ranges[j].first < ranges[i].second)
        return false;
  return true;
}

SpecializedArguments specialize(const Declaration &declaration, const Arguments &arguments,
                                llvm::ArrayRef<std::string> byValue) {
  return Specializer(declaration, byValue).run(arguments);
}

Constants constexprIntegers(const Declaration &declaration,
                            const sema::Specialization &specialization) {
  std::vector<std::pair<std::string, int64_t>> values;
  for (size_t i = 0; i < specialization.parameters.size(); ++i) {
    const auto *constant = std::get_if<ConstantValue>(&specialization.parameters[i]);
    if (!constant || !declaration.annotation(i).isConstexpr)
      continue;
    if (std::optional<Integer> integer = sema::asInteger(*constant);
        integer && fits(*integer, DType::Int64))
      values.emplace_back(declaration.function().parameters[i].name,
                          static_cast<int64_t>(*integer));
  }
  if (declaration.function().isOfThreads) {
    const Block &block = specialization.tuning.block;
    for (auto [name, extent] : llvm::zip(blockExtentNames, std::array{block.x, block.y, block.z}))
      values.emplace_back(name, extent);
  }
  return Constants(std::move(values));
}

} // namespace nereid::jit
