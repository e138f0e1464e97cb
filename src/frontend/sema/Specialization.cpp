// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/Specialization.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"

#include <algorithm>
#include <bit>

namespace nereid::sema {
namespace {

std::string key(const RuntimeParameter &parameter) {
  std::string text = parameter.type.isPointer ? "*" : "";
  text += shortName(parameter.type.dtype);
  if (parameter.isDescriptor())
    text += toString(parameter.block) + (parameter.padsWithNan ? "nan" : "");
  if (parameter.array)
    text += std::to_string(parameter.array->rank) + "CFA"[static_cast<int>(parameter.array->order)];
  return parameter.isDivisibleBy16 ? text + ":16" : text;
}

/// Floats by their bits; strings with their length.
std::string key(const ConstantValue &value) {
  if (const double *number = std::get_if<double>(&value))
    return "f" + std::to_string(std::bit_cast<uint64_t>(*number));
  if (const std::string *text = std::get_if<std::string>(&value))
    return "s" + std::to_string(text->size()) + "'" + *text;
  if (const ScalarType *type = std::get_if<ScalarType>(&value))
    return "d" + toString(*type);
  return toString(value);
}

std::string key(const SpecializedParameter &parameter) {
  if (const auto *runtime = std::get_if<RuntimeParameter>(&parameter))
    return key(*runtime);
  if (const auto *constant = std::get_if<ConstantValue>(&parameter))
    return "=" + key(*constant);
  return std::get<std::shared_ptr<const CompoundParameter>>(parameter)->key();
}

bool isSame(const SpecializedParameter &left, const SpecializedParameter &right) {
  if (left.index() != right.index())
    return false;
  if (const auto *runtime = std::get_if<RuntimeParameter>(&left))
    return *runtime == std::get<RuntimeParameter>(right);
  const auto *a = std::get_if<ConstantValue>(&left), *b = std::get_if<ConstantValue>(&right);
  if (!a || !b)
    return key(left) == key(right);
  const auto *x = std::get_if<double>(a), *y = std::get_if<double>(b);
  return x && y ? std::bit_cast<uint64_t>(*x) == std::bit_cast<uint64_t>(*y) : *a == *b;
}

llvm::hash_code hashOf(ScalarType type) { return llvm::hash_combine(type.dtype, type.isPointer); }

struct ConstantHasher {
  llvm::hash_code operator()(std::monostate) const { return 0; }
  llvm::hash_code operator()(bool boolean) const { return boolean; }
  llvm::hash_code operator()(Integer integer) const {
    return llvm::hash_value(static_cast<uint64_t>(integer)); // of 64 bits, signed or not
  }
  llvm::hash_code operator()(double number) const {
    return llvm::hash_value(std::bit_cast<uint64_t>(number));
  }
  llvm::hash_code operator()(const std::string &text) const { return llvm::hash_value(text); }
  llvm::hash_code operator()(ScalarType type) const { return hashOf(type); }
};

} // namespace

std::string CompoundParameter::key() const {
  if (const auto *hosted = std::get_if<Hosted>(&part))
    return "h" + keyOf(hosted->value);
  const Tuple &tuple = std::get<Tuple>(part);
  std::string text = tuple.record ? keyOf(tuple.record) + "(" : "(";
  for (const SpecializedParameter &element : tuple.elements)
    text += sema::key(element) + ',';
  return text + ')';
}

std::vector<RuntimeParameter::Part> RuntimeParameter::parts() const {
  std::vector<Part> all{{Part::Kind::Value, 0, type}};
  auto add = [&](Part::Kind kind, size_t count, DType dtype) {
    for (size_t i = 0; i < count; ++i)
      all.push_back({kind, static_cast<unsigned>(i), {dtype}});
  };
  if (isDescriptor()) {
    add(Part::Kind::Shape, block.size(), DType::Int32);
    add(Part::Kind::Stride, block.size() - 1, DType::Int64);
  }
  if (array) {
    add(Part::Kind::Shape, array->rank, DType::Int64);
    add(Part::Kind::Stride, array->order == ArrayForm::Order::Any ? array->rank : 0, DType::Int64);
  }
  return all;
}

std::vector<std::pair<std::string, ScalarType>>
RuntimeParameter::arguments(const std::string &name) const {
  std::vector<std::pair<std::string, ScalarType>> named;
  for (const Part &part : parts()) {
    std::string list = part.kind == Part::Kind::Shape ? ".shape[" : ".strides[";
    named.emplace_back(
        part.kind == Part::Kind::Value ? name : name + list + std::to_string(part.dimension) + "]",
        part.type);
  }
  return named;
}

int64_t RuntimeParameter::strideDivisor() const {
  return std::max<int64_t>(1, knownMultiple / byteSize(type.dtype));
}

std::string Specialization::key() const {
  std::string text;
  for (const SpecializedParameter &parameter : parameters)
    text += sema::key(parameter) + ',';
  text += "warps " + std::to_string(tuning.warps) + " stages " +
          std::to_string(tuning.pipelineStages) + " registers " +
          std::to_string(tuning.maxRegisters);
  const ThreadBlock &block = tuning.block;
  if (block.x)
    text += " block " + toString(llvm::ArrayRef<int64_t>{block.x, block.y, block.z});
  if (block.sharedBytes)
    text += " shared " + std::to_string(block.sharedBytes);
  if (tuning.isBrief)
    text += " brief";
  if (checksAsserts)
    text += " asserts";
  return isNoAlias ? text + " noalias" : text;
}

bool Specialization::operator==(const Specialization &other) const {
  return isNoAlias == other.isNoAlias && tuning == other.tuning &&
         checksAsserts == other.checksAsserts &&
         std::equal(parameters.begin(), parameters.end(), other.parameters.begin(),
                    other.parameters.end(), isSame);
}

size_t Specialization::hash() const {
  const ThreadBlock &block = tuning.block;
  llvm::hash_code code = llvm::hash_combine(isNoAlias, tuning.warps, tuning.pipelineStages,
                                            tuning.maxRegisters, tuning.isBrief, checksAsserts,
                                            block.x, block.y, block.z, block.sharedBytes);
  for (const auto &parameter : parameters) {
    if (const auto *runtime = std::get_if<RuntimeParameter>(&parameter))
      code = llvm::hash_combine(
          code, hashOf(runtime->type), runtime->isDivisibleBy16, runtime->padsWithNan,
          llvm::hash_combine_range(runtime->block.begin(), runtime->block.end()),
          runtime->array ? 1 + 4 * runtime->array->rank + unsigned(runtime->array->order) : 0);
    else if (const auto *constant = std::get_if<ConstantValue>(&parameter))
      code = llvm::hash_combine(code, std::visit(ConstantHasher(), *constant));
    else
      code = llvm::hash_combine(code, sema::key(parameter));
  }
  return code;
}

} // namespace nereid::sema
