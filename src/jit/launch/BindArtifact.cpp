// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/launch/BindArtifact.h"

#include "frontend/sema/Promotion.h"
#include "jit/State.h"
#include "jit/Suggest.h"
#include "jit/launch/Binding.h"
#include "jit/launch/Specialize.h"
#include "nereid/specialize.h"

#include "llvm/ADT/StringExtras.h"

namespace nereid::jit {
namespace {

using Constant = runtime::ArtifactParameter::Constant;

struct ConstantReader {
  sema::ConstantValue operator()(int64_t integer) const { return sema::Integer(integer); }
  sema::ConstantValue operator()(uint64_t integer) const { return sema::Integer(integer); }
  sema::ConstantValue operator()(const runtime::DTypeConstant &type) const {
    return sema::ScalarType{type.dtype, type.isPointer};
  }
  sema::ConstantValue operator()(const auto &value) const { return value; }
};

class ArtifactBinder {
public:
  ArtifactBinder(const runtime::Artifact &artifact, const Arguments &arguments)
      : artifact(artifact), arguments(arguments) {}

  BoundArguments run() {
    refuseUnknown();
    for (const ArtifactParameter &parameter : artifact.parameters) {
      const Argument::Value *value = find(parameter.argumentName());
      if (parameter.part == Part::Value)
        bindValue(parameter, value);
      else
        bindPart(parameter, value);
    }
    if (artifact.isNoAlias && !areDisjoint(ranges))
      fail("was compiled for arrays that do not overlap; compile it with --may-overlap "
           "(CompileOptions::mayOverlap)");
    return std::move(bound);
  }

private:
  using ArtifactParameter = runtime::ArtifactParameter;
  using Part = ArtifactParameter::Part;

  [[noreturn]] void fail(const std::string &what) const {
    throw Error(Error::Kind::Usage, "kernel '" + artifact.kernel + "' " + what);
  }

  void refuseUnknown() const {
    std::vector<std::string> names;
    for (const ArtifactParameter &parameter : artifact.parameters)
      if (parameter.part == Part::Value)
        names.push_back(parameter.argumentName());
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!llvm::is_contained(names, arguments[i].name))
        fail("has no parameter '" + arguments[i].name + "'; " +
             suggest(arguments[i].name, names, "parameters", "parameter"));
      for (size_t j = 0; j < i; ++j)
        if (arguments[i].name == arguments[j].name)
          fail("is given '" + arguments[i].name + "' twice");
    }
  }

  const Argument::Value *find(const std::string &name) const {
    for (const NamedArgument &argument : arguments)
      if (argument.name == name)
        return &argument.value.get();
    return nullptr;
  }

  /// Whether the parameter has such a part beside its value.
  bool hasPart(const ArtifactParameter &parameter, Part part) const {
    return llvm::any_of(artifact.parameters, [&](const ArtifactParameter &other) {
      return other.part == part && other.name == parameter.name && other.path == parameter.path;
    });
  }

  void bindValue(const ArtifactParameter &parameter, const Argument::Value *value) {
    const std::string name = parameter.argumentName();
    const bool isDescriptor = value && std::holds_alternative<TensorDescriptor>(*value);
    if (hasPart(parameter, Part::BlockShape)) {
      bound.slots.push_back(
          descriptorSlot(name, std::get<runtime::ScalarSlot>(parameter.value), value));
      return;
    }
    if (isDescriptor)
      fail("was compiled for '" + name + "' as something else than a tensor descriptor");
    const auto *slot = std::get_if<runtime::ScalarSlot>(&parameter.value);
    if (!slot)
      return checkConstant(name, std::get<Constant>(parameter.value), value);
    bound.slots.push_back(slotOf(name, *slot, value));
    const bool hasShape = hasPart(parameter, Part::Shape);
    const auto *array = hasShape ? std::get_if<Array>(value) : nullptr;
    if (array && !hasPart(parameter, Part::Stride) &&
        !detail::ArrayState::of(*array).isContiguous())
      fail("was compiled for '" + name + "' with elements that lie next to one another");
  }

  /// The pointer of a descriptor; its parts stand behind it (sema::RuntimeParameter).
  ArgumentSlot descriptorSlot(const std::string &name, const runtime::ScalarSlot &slot,
                              const Argument::Value *value) {
    const auto *descriptor = value ? std::get_if<TensorDescriptor>(value) : nullptr;
    if (!descriptor)
      fail("needs '" + name + "': a tensor descriptor");
    const auto &array = detail::ArrayState::of(descriptor->array);
    if (array.strides.empty() || array.strides.back() != 1 ||
        array.shape.size() != descriptor->blockShape.size())
      fail("needs '" + name +
           "' to describe an array whose last stride is 1, in blocks of its "
           "dimensions");
    if (auto mistake = mistakeOfExtents(array.shape, {}, name, "kernel '" + artifact.kernel + "'"))
      throw Error(Error::Kind::Usage, mistake->text);
    Argument::Value whole = descriptor->array;
    ArgumentSlot pointer = slotOf(name, slot, &whole);
    auto given = specialize::specializeDescriptor(array.dtype, pointer.bits, array.strideBytes(),
                                                  {}, descriptor->padsWithNan);
    if (slot.isDivisibleBy16 && !given.isMultipleOf16)
      fail("was compiled for '" + name + "' with strides of multiples of 16 bytes");
    return pointer;
  }

  /// An extent or a stride; or what a descriptor was compiled for besides.
  void bindPart(const ArtifactParameter &parameter, const Argument::Value *value) {
    const auto *descriptor = value ? std::get_if<TensorDescriptor>(value) : nullptr;
    const auto *given = descriptor ? &descriptor->array
                        : value    ? std::get_if<Array>(value)
                                   : nullptr;
    const bool isExtent = parameter.part == Part::Shape || parameter.part == Part::Stride;
    if (!given || (!descriptor && !isExtent)) // in a file that no compiler wrote
      fail("needs '" + parameter.argumentName() +
           "': " + (isExtent ? "an array" : "a tensor descriptor"));
    if (parameter.part == Part::BlockShape)
      return checkBlock(parameter, *descriptor);
    if (parameter.part == Part::PadsWithNan) {
      if (bool compiled = std::get<bool>(std::get<Constant>(parameter.value));
          descriptor->padsWithNan != compiled)
        fail("was compiled for " + parameter.argumentName() +
             ".padding = " + (compiled ? "nan, not zero" : "zero, not nan"));
      return;
    }
    const auto &array = detail::ArrayState::of(*given);
    const std::vector<int64_t> &list = parameter.part == Part::Shape ? array.shape : array.strides;
    auto isOfShape = [&](const ArtifactParameter &other) {
      return other.part == Part::Shape && other.name == parameter.name &&
             other.path == parameter.path;
    };
    auto compiled = static_cast<size_t>(llvm::count_if(artifact.parameters, isOfShape));
    if (array.shape.size() != compiled || parameter.dimension >= list.size())
      fail("was compiled for '" + parameter.argumentName() + "' of another number of dimensions");
    const auto &slot = std::get<runtime::ScalarSlot>(parameter.value);
    auto bits = static_cast<uint64_t>(list[parameter.dimension]);
    bound.slots.push_back({slot.dtype == DType::Int32 ? static_cast<uint32_t>(bits) : bits, 0});
  }

  void checkBlock(const ArtifactParameter &parameter, const TensorDescriptor &descriptor) const {
    std::vector<int64_t> compiled;
    for (const ArtifactParameter &other : artifact.parameters)
      if (other.part == Part::BlockShape && other.name == parameter.name &&
          other.path == parameter.path)
        compiled.push_back(std::get<int64_t>(std::get<Constant>(other.value)));
    auto text = [](const std::vector<int64_t> &extents) {
      return sema::toString(llvm::ArrayRef<int64_t>(extents));
    };
    if (compiled != descriptor.blockShape)
      fail("was compiled for " + parameter.argumentName() + ".block_shape = " + text(compiled) +
           ", not " + text(descriptor.blockShape));
  }

  ArgumentSlot slotOf(const std::string &name, const runtime::ScalarSlot &slot,
                      const Argument::Value *value) {
    std::string expected = std::string(slot.isPointer ? "an array of " : "") +
                           std::string(nereid::name(slot.dtype)) +
                           (slot.isDivisibleBy16 && !slot.isPointer ? ", a multiple of 16" : "");
    if (!value)
      fail("needs '" + name + "': " + expected);
    if (const auto *array = std::get_if<Array>(value)) {
      const detail::ArrayState &state = detail::ArrayState::of(*array);
      if (!slot.isPointer || state.dtype != slot.dtype)
        fail("was compiled for '" + name + "' as " + expected + ", not an array of " +
             std::string(nereid::name(state.dtype)));
      return arraySlot(name, slot, state);
    }
    std::optional<ArgumentSlot> number;
    if (!slot.isPointer)
      number = numberSlot(slot, toConstant(*value));
    if (!number)
      fail("was compiled for '" + name + "' as " + expected + ", not " +
           sema::toString(toConstant(*value)));
    return *number;
  }

  ArgumentSlot arraySlot(const std::string &name, const runtime::ScalarSlot &slot,
                         const detail::ArrayState &array) {
    auto address = reinterpret_cast<uintptr_t>(array.memory->data());
    if (slot.isDivisibleBy16 && !specialize::isKnownMultiple(address))
      fail("was compiled for '" + name + "' at a multiple of 16 bytes");
    if (array.extentBytes)
      ranges.emplace_back(address, address + array.extentBytes);
    return {address, array.extentBytes};
  }

  /// Nothing if the number is not what the kernel was compiled for.
  static std::optional<ArgumentSlot> numberSlot(const runtime::ScalarSlot &slot,
                                                const sema::ConstantValue &value) {
    std::optional<specialize::Number> number = toNumber(value);
    if (!number)
      return std::nullopt;
    specialize::SpecializedNumber given = specialize::convertNumber(*number, slot.dtype);
    if (given.outcome != specialize::SpecializedNumber::Outcome::Runtime ||
        (slot.isDivisibleBy16 && !specialize::isKnownMultiple(given.bits)))
      return std::nullopt;
    return ArgumentSlot{given.bits, 0};
  }

  void checkConstant(const std::string &name, const Constant &constant,
                     const Argument::Value *value) {
    sema::ConstantValue compiled = constantOf(constant);
    if (value && std::holds_alternative<Array>(*value))
      fail("was compiled for " + name + " = " + sema::toString(compiled) + ", not an array");
    if (value && !sema::isEqual(toConstant(*value), compiled))
      fail("was compiled for " + name + " = " + sema::toString(compiled) + ", not " +
           sema::toString(toConstant(*value)));
    if (std::optional<sema::Integer> integer = sema::asInteger(compiled);
        integer && sema::fits(*integer, DType::Int64))
      bound.constants.emplace_back(name, static_cast<int64_t>(*integer));
  }

  static sema::ConstantValue constantOf(const Constant &constant) {
    return std::visit(ConstantReader(), constant);
  }

  const runtime::Artifact &artifact;
  const Arguments &arguments;
  BoundArguments bound;
  std::vector<AddressRange> ranges;
};

} // namespace

BoundArguments bindArtifact(const runtime::Artifact &artifact, const Arguments &arguments) {
  return ArtifactBinder(artifact, arguments).run();
}

} // namespace nereid::jit
