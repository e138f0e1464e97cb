// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Specialize.h"

#include "frontend/sema/Promotion.h"
#include "jit/Binding.h"
#include "jit/Convert.h"
#include "jit/State.h"
#include "support/Check.h"
#include "support/Diagnostics.h"

#include <cstring>
#include <limits>

namespace nereid::jit {
namespace {

using sema::Annotation;
using sema::ConstantValue;
using sema::fits;
using sema::Integer;
using sema::RuntimeParameter;
using sema::ScalarType;

constexpr unsigned alignment = 16;

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

  void addArray(const ast::Parameter &parameter, const Annotation &annotation,
                const detail::ArrayState &array) {
    if (annotation.isConstexpr)
      fail(parameter.range, DiagnosticId::constexpr_not_constant, parameter.name, function.name);
    if (annotation.type && !annotation.type->isPointer)
      failType(parameter, "a number", "an array");
    auto address = reinterpret_cast<uintptr_t>(array.memory->data());
    if (array.extentBytes)
      ranges.emplace_back(address, address + array.extentBytes);
    if (function.isOfThreads)
      return addArrayOfThreads(array, address);
    ScalarType type = annotation.type.value_or(ScalarType{array.dtype, true});
    addRuntime({type, parameter.knowsAlignment && address % alignment == 0},
               {address, array.extentBytes});
  }

  /// With its extents, and its strides where its elements do not lie next to one another.
  void addArrayOfThreads(const detail::ArrayState &array, uintptr_t address) {
    using Order = sema::ArrayForm::Order;
    RuntimeParameter parameter{{array.dtype, true}, address % alignment == 0};
    Order order = array.isContiguous() ? Order::C : Order::Any;
    parameter.array = {static_cast<unsigned>(array.shape.size()), order};
    addRuntime(parameter, {address, array.extentBytes});
    for (int64_t extent : array.shape)
      result.slots.push_back({static_cast<uint64_t>(extent), 0});
    for (size_t i = 0; order == Order::Any && i < array.strides.size(); ++i)
      result.slots.push_back({static_cast<uint64_t>(array.strides[i]), 0});
  }

  void addDescriptor(const ast::Parameter &parameter, const Annotation &annotation,
                     const TensorDescriptor &descriptor) {
    checkDescriptor(parameter, descriptor);
    const auto &array = detail::ArrayState::of(descriptor.array);
    addArray(parameter, annotation, array);
    auto &runtime = std::get<RuntimeParameter>(result.specialization.parameters.back());
    runtime.block.assign(descriptor.blockShape.begin(), descriptor.blockShape.end());
    runtime.padsWithNan = descriptor.padsWithNan;
    runtime.isDivisibleBy16 &= array.hasRowsAtMultiplesOf(alignment);
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
    if (function.isOfThreads)
      return addValueOfThreads(parameter, std::move(value));
    bool isByValue = llvm::is_contained(byValue, parameter.name) && sema::asInteger(value);
    if (annotation.isConstexpr || isByValue)
      return addConstant(std::move(value));
    if (annotation.type && !std::holds_alternative<std::monostate>(value))
      return addTyped(parameter, *annotation.type, value);
    if (auto *boolean = std::get_if<bool>(&value))
      return addRuntime({{DType::Int1, false}, false}, {*boolean, 0});
    if (auto *integer = std::get_if<Integer>(&value);
        integer && (*integer != 1 || !parameter.isSpecialized))
      return addInteger(parameter, integerType(parameter, *integer), *integer);
    if (auto *number = std::get_if<double>(&value))
      return addFloat(DType::Float32, *number);
    addConstant(std::move(value));
  }

  /// Numbers have Python's sizes there, and none is a constant.
  void addValueOfThreads(const ast::Parameter &parameter, ConstantValue value) {
    if (auto *boolean = std::get_if<bool>(&value))
      return addRuntime({{DType::Int1, false}, false}, {*boolean, 0});
    if (auto *integer = std::get_if<Integer>(&value))
      return addInteger(parameter, fits(*integer, DType::Int64) ? DType::Int64 : DType::UInt64,
                        *integer);
    if (auto *number = std::get_if<double>(&value))
      return addFloat(DType::Float64, *number);
    addConstant(std::move(value));
  }

  /// A number for a parameter whose annotation names its type.
  void addTyped(const ast::Parameter &parameter, ScalarType type, const ConstantValue &value) {
    if (type.isPointer)
      failType(parameter, "an array", sema::typeName(value));
    if (isFloat(type.dtype)) {
      std::optional<double> number = sema::asNumber(value);
      return number ? addFloat(type.dtype, *number)
                    : failType(parameter, "a number", sema::typeName(value));
    }
    std::optional<Integer> integer = sema::asInteger(value);
    if (!integer)
      failType(parameter, "an integer", sema::typeName(value));
    if (!fits(*integer, type.dtype))
      fail(parameter.range, DiagnosticId::argument_value, parameter.name, describe(function),
           "in the range of " + std::string(name(type.dtype)), sema::toString(value));
    addInteger(parameter, type.dtype, *integer);
  }

  DType integerType(const ast::Parameter &parameter, Integer value) {
    for (DType type : {DType::Int32, DType::Int64, DType::UInt64})
      if (fits(value, type))
        return type;
    fail(parameter.range, DiagnosticId::argument_value, parameter.name, describe(function),
         "an integer of up to 64 bits", sema::toString(ConstantValue(value)));
  }

  void addInteger(const ast::Parameter &parameter, DType type, Integer value) {
    auto mask = bitWidth(type) == 64 ? ~uint64_t(0) : (uint64_t(1) << bitWidth(type)) - 1;
    addRuntime({{type, false}, parameter.knowsAlignment && value % alignment == 0},
               {static_cast<uint64_t>(value) & mask, 0});
  }

  void addFloat(DType type, double value) {
    ArgumentSlot slot;
    storeElement(type, &slot.bits, value);
    addRuntime({{type, false}, false}, slot);
  }

  void addRuntime(RuntimeParameter parameter, ArgumentSlot slot) {
    result.specialization.parameters.push_back(parameter);
    result.slots.push_back(slot);
  }

  void addConstant(ConstantValue value) {
    result.specialization.parameters.push_back(std::move(value));
  }

  [[noreturn]] void failType(const ast::Parameter &parameter, const std::string &expected,
                             const std::string &given) {
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
  if (declaration.function().isOfThreads)
    for (auto [name, extent] : llvm::zip(blockExtentNames, specialization.block))
      values.emplace_back(name, extent);
  return Constants(std::move(values));
}

} // namespace nereid::jit
