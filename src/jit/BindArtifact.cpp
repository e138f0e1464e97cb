// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/BindArtifact.h"

#include "frontend/sema/Promotion.h"
#include "jit/Binding.h"
#include "jit/Convert.h"
#include "jit/Specialize.h"
#include "jit/State.h"
#include "jit/Suggest.h"

#include "llvm/ADT/StringExtras.h"

namespace nereid::jit {
namespace {

using Constant = runtime::ArtifactParameter::Constant;

constexpr unsigned alignment = 16;

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
    for (const runtime::ArtifactParameter &parameter : artifact.parameters) {
      const Argument::Value *value = find(parameter.name);
      if (bindDescriptor(parameter, value))
        continue;
      if (const auto *slot = std::get_if<runtime::ScalarSlot>(&parameter.value))
        bound.slots.push_back(slotOf(parameter.name, *slot, value));
      else
        checkConstant(parameter.name, std::get<Constant>(parameter.value), value);
    }
    if (artifact.isNoAlias && !areDisjoint(ranges))
      fail("was compiled for arrays that do not overlap; compile it with --may-overlap "
           "(CompileOptions::mayOverlap)");
    return std::move(bound);
  }

private:
  [[noreturn]] void fail(const std::string &what) const {
    throw Error(Error::Kind::Usage, "kernel '" + artifact.kernel + "' " + what);
  }

  /// "x.shape[0]", and no element of a tuple, which is "x.0".
  static bool isPartOfDescriptor(llvm::StringRef name) {
    llvm::StringRef part = name.split('.').second;
    return !part.empty() &&
           !llvm::all_of(part, [](char c) { return llvm::isDigit(c) || c == '.'; });
  }

  void refuseUnknown() const {
    std::vector<std::string> names;
    for (const runtime::ArtifactParameter &parameter : artifact.parameters)
      if (!isPartOfDescriptor(parameter.name))
        names.push_back(parameter.name);
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

  /// A descriptor's parts stand after its pointer, under its name (sema::RuntimeParameter).
  bool isDescriptor(const std::string &name) const {
    return llvm::any_of(artifact.parameters, [&](const runtime::ArtifactParameter &other) {
      return other.name == name + ".block_shape";
    });
  }

  /// The pointer, or another part, of a descriptor; false if the parameter is none.
  bool bindDescriptor(const runtime::ArtifactParameter &parameter, const Argument::Value *value) {
    auto [name, part] = llvm::StringRef(parameter.name).split('.');
    if (!isDescriptor(name.str())) {
      if (value && std::holds_alternative<TensorDescriptor>(*value))
        fail("was compiled for '" + parameter.name +
             "' as something else than a tensor descriptor");
      return false;
    }
    const Argument::Value *given = part.empty() ? value : find(name.str());
    const auto *descriptor = given ? std::get_if<TensorDescriptor>(given) : nullptr;
    if (!descriptor)
      fail("needs '" + name.str() + "': a tensor descriptor");
    const auto &array = detail::ArrayState::of(descriptor->array);
    if (const auto *constant = std::get_if<Constant>(&parameter.value)) {
      checkDescriptor(name, part, std::get<std::string>(*constant), *descriptor);
      return true;
    }
    const auto &slot = std::get<runtime::ScalarSlot>(parameter.value);
    if (part.empty()) {
      if (slot.isDivisibleBy16 && !array.hasRowsAtMultiplesOf(alignment))
        fail("was compiled for '" + name.str() + "' with strides of multiples of 16 bytes");
      Argument::Value whole = descriptor->array;
      bound.slots.push_back(slotOf(parameter.name, slot, &whole));
      return true;
    }
    size_t index = 0;
    part.split('[').second.drop_back().getAsInteger(10, index);
    const std::vector<int64_t> &list = part.starts_with("shape") ? array.shape : array.strides;
    if (index >= list.size())
      fail("was compiled for '" + name.str() + "' of another number of dimensions");
    auto bits = static_cast<uint64_t>(list[index]);
    bound.slots.push_back({slot.dtype == DType::Int32 ? static_cast<uint32_t>(bits) : bits, 0});
    return true;
  }

  void checkDescriptor(llvm::StringRef name, llvm::StringRef part, const std::string &compiled,
                       const TensorDescriptor &descriptor) const {
    std::string given = descriptor.padsWithNan ? "nan" : "zero";
    if (part == "block_shape")
      given = sema::toString(llvm::ArrayRef<int64_t>(descriptor.blockShape));
    const auto &array = detail::ArrayState::of(descriptor.array);
    if (array.strides.empty() || array.strides.back() != 1 ||
        array.shape.size() != descriptor.blockShape.size())
      fail("needs '" + name.str() +
           "' to describe an array whose last stride is 1, in blocks of its "
           "dimensions");
    if (auto mistake = mistakeOfExtents(array.shape, {}, name, "kernel '" + artifact.kernel + "'"))
      throw Error(Error::Kind::Usage, mistake->text);
    if (given != compiled)
      fail("was compiled for " + (name + "." + part).str() + " = " + compiled + ", not " + given);
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
    if (slot.isDivisibleBy16 && address % alignment != 0)
      fail("was compiled for '" + name + "' at a multiple of 16 bytes");
    if (array.extentBytes)
      ranges.emplace_back(address, address + array.extentBytes);
    return {address, array.extentBytes};
  }

  /// Nothing if the number is not what the kernel was compiled for.
  static std::optional<ArgumentSlot> numberSlot(const runtime::ScalarSlot &slot,
                                                const sema::ConstantValue &value) {
    ArgumentSlot result;
    if (isFloat(slot.dtype)) {
      std::optional<double> number = sema::asNumber(value);
      if (!number)
        return std::nullopt;
      storeElement(slot.dtype, &result.bits, *number);
      return result;
    }
    std::optional<sema::Integer> integer = sema::asInteger(value);
    bool isAccepted = integer && sema::fits(*integer, slot.dtype) &&
                      (!slot.isDivisibleBy16 || *integer % alignment == 0);
    if (!isAccepted)
      return std::nullopt;
    unsigned bits = bitWidth(slot.dtype);
    uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
    result.bits = static_cast<uint64_t>(*integer) & mask;
    return result;
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
