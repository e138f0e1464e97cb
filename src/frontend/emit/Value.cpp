// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/Value.h"

#include "frontend/emit/threads/Complex.h"
#include "frontend/emit/tiles/SoftwareFloat.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"

namespace nereid::emit {

using sema::ConstantValue;

Value::Value() noexcept = default;
Value::Value(const Value &) = default;
Value::Value(Value &&) noexcept = default;
Value &Value::operator=(const Value &) = default;
Value &Value::operator=(Value &&) noexcept = default;
Value::~Value() = default;

template <typename T>
  requires(!std::is_same_v<T, Value> && std::is_constructible_v<Value::Variant, T>)
Value::Value(T alternative) : variant(std::move(alternative)) {}

// An alternative that is missing here is a name that the linker misses.
template Value::Value(ConstantValue);
template Value::Value(Tensor);
template Value::Value(Tuple);
template Value::Value(BlockPointer);
template Value::Value(TensorDescriptor);
template Value::Value(ArrayView);
template Value::Value(ModuleReference);
template Value::Value(ClassReference);
template Value::Value(JitFunction);
template Value::Value(const sema::Builtin *);
template Value::Value(BoundMethod);
template Value::Value(KnownResult);
template Value::Value(TypeReference);
template Value::Value(FormattedText);
template Value::Value(SliceValue);
template Value::Value(RangeValue);
template Value::Value(const sema::HostFunction *);
template Value::Value(const sema::DeviceFunction *);
template Value::Value(EnvironmentLookup);
template Value::Value(sema::ArrayFacts);
template Value::Value(std::shared_ptr<const sema::HostNamespace>);
template Value::Value(std::shared_ptr<const sema::HostCall>);
template Value::Value(RecordReference);
template Value::Value(ConstantType);
template Value::Value(TupleType);
template Value::Value(Dictionary);
template Value::Value(ConstantMethod);

bool Value::isNone() const {
  const auto *constant = as<ConstantValue>();
  return constant && std::holds_alternative<std::monostate>(*constant);
}

Value integerValue(sema::Integer value) { return ConstantValue(value); }
Value boolValue(bool value) { return ConstantValue(value); }
Value stringValue(std::string value) { return ConstantValue(std::move(value)); }
Value dtypeValue(sema::ScalarType type) { return ConstantValue(type); }

Value tupleOf(llvm::ArrayRef<int64_t> integers) {
  Tuple tuple;
  for (int64_t integer : integers)
    tuple.elements.push_back(integerValue(integer));
  return tuple;
}

std::shared_ptr<const Value> share(Value value) {
  return std::make_shared<const Value>(std::move(value));
}

std::string describe(const Value &value) {
  if (const auto *constant = value.as<ConstantValue>()) {
    return value.isNone() ? sema::toString(*constant)
                          : sema::typeName(*constant) + " " + sema::toString(*constant);
  }
  if (const auto *tensor = value.as<Tensor>())
    return sema::toString(tensor->type);
  if (const auto *tuple = value.as<Tuple>(); tuple && tuple->record)
    return "a " + tuple->record->name;
  if (const auto *record = value.as<RecordReference>())
    return "class " + record->type->name;
  if (const auto *tuple = value.as<Tuple>())
    return "a tuple of " + std::to_string(tuple->elements.size());
  if (const auto *dictionary = value.as<Dictionary>())
    return "a dictionary of " + std::to_string(dictionary->keys.size());
  if (value.is<BlockPointer>())
    return "a block pointer";
  if (const auto *descriptor = value.as<TensorDescriptor>())
    return "a tensor descriptor of " + std::string(nereid::name(descriptor->base.dtype())) +
           " blocks of shape " + sema::toString(descriptor->block) +
           (descriptor->padsWithNan ? ", padded with NaN" : "");
  if (const auto *array = value.as<ArrayView>(); array && array->structure && array->shape.empty())
    return "a structure";
  if (const auto *array = value.as<ArrayView>();
      array && array->shape.empty() && !array->kind.empty())
    return "a text of type " + array->kind;
  if (const auto *array = value.as<ArrayView>())
    return std::string("a ") +
           (array->structure       ? "structured"
            : !array->kind.empty() ? array->kind
            : array->isComplex ? array->base.dtype() == DType::Float32 ? "complex64" : "complex128"
                               : std::string(nereid::name(array->base.dtype()))) +
           " array of " + std::to_string(array->shape.size()) +
           (array->shape.size() == 1 ? " dimension" : " dimensions");
  if (const auto *module = value.as<ModuleReference>())
    return "module " + module->path;
  if (const auto *type = value.as<ClassReference>())
    return "class " + type->name;
  if (const auto *function = value.as<JitFunction>())
    return "function " + function->function->name;
  if (const auto *builtin = value.as<const sema::Builtin *>())
    return "function " + std::string((*builtin)->name);
  if (const auto *function = value.as<const sema::HostFunction *>())
    return "function " + std::string((*function)->name);
  if (const auto *function = value.as<const sema::DeviceFunction *>())
    return "function " + std::string((*function)->name);
  if (value.is<EnvironmentLookup>())
    return "a function of os";
  if (value.is<sema::ArrayFacts>())
    return "an array";
  if (const auto *space = value.as<std::shared_ptr<const sema::HostNamespace>>())
    return (*space)->name;
  if (const auto *call = value.as<std::shared_ptr<const sema::HostCall>>())
    return "function " + (*call)->name;
  if (const auto *method = value.as<ConstantMethod>(); method && !method->object)
    return "function " + method->name;
  if (value.is<BoundMethod>() || value.is<KnownResult>() || value.is<ConstantMethod>())
    return "a method";
  if (value.is<TypeReference>())
    return "a type";
  if (const auto *type = value.as<ConstantType>())
    return "the type of " + describe(*type->value);
  if (value.is<TupleType>())
    return "the type of a tuple";
  if (value.is<FormattedText>())
    return "text with run-time values";
  return value.is<RangeValue>() ? "a range" : "a slice";
}

std::string toText(const Value &value) {
  if (const auto *constant = value.as<ConstantValue>())
    return sema::repr(*constant);
  const auto *tuple = value.as<Tuple>();
  if (!tuple || tuple->record || !constexprForm(value))
    return describe(value);
  std::string text;
  for (const Value &element : tuple->elements)
    text += (text.empty() ? "" : ", ") + toText(element);
  return "(" + text + (tuple->elements.size() == 1 ? ",)" : ")");
}

bool isNumber(const Value &value) {
  const auto *constant = value.as<ConstantValue>();
  return value.is<Tensor>() || (constant && sema::asNumber(*constant));
}

bool isPointer(const Value &value) {
  const auto *tensor = value.as<Tensor>();
  return tensor && tensor->isPointer();
}

bool isCallable(const Value &value) {
  return value.is<JitFunction>() || value.is<const sema::Builtin *>() || value.is<BoundMethod>() ||
         value.is<KnownResult>() || value.is<ConstantMethod>() ||
         value.is<const sema::HostFunction *>() || value.is<const sema::DeviceFunction *>() ||
         value.is<EnvironmentLookup>() || value.is<std::shared_ptr<const sema::HostCall>>() ||
         value.is<RecordReference>();
}

static ConstantValue constantOf(mlir::Attribute attribute, DType type) {
  if (auto number = llvm::dyn_cast<mlir::FloatAttr>(attribute))
    return number.getValueAsDouble();
  llvm::APInt bits = llvm::cast<mlir::IntegerAttr>(attribute).getValue();
  if (isSoftwareFloat(type))
    return softwareFloatValue(bits.getZExtValue(), type);
  if (isBool(type))
    return !bits.isZero();
  if (isSigned(type))
    return sema::Integer(bits.getSExtValue());
  return sema::Integer(bits.getZExtValue());
}

std::optional<ConstantValue> asConstant(const Value &value) {
  if (const auto *constant = value.as<ConstantValue>())
    return *constant;
  const auto *tensor = value.as<Tensor>();
  mlir::Attribute attribute;
  if (!tensor || tensor->isTile() || tensor->isPointer() ||
      !mlir::matchPattern(tensor->value, mlir::m_Constant(&attribute)))
    return std::nullopt;
  return constantOf(attribute, tensor->dtype());
}

std::optional<Value> constexprForm(const Value &value) {
  if (auto constant = asConstant(value))
    return Value(*constant);
  if (const auto *tuple = value.as<Tuple>()) {
    Tuple result{{}, tuple->record};
    for (const Value &element : tuple->elements) {
      auto constant = constexprForm(element);
      if (!constant)
        return std::nullopt;
      result.elements.push_back(std::move(*constant));
    }
    return Value(std::move(result));
  }
  bool isRuntime = value.is<Tensor>() || value.is<BlockPointer>() || value.is<TensorDescriptor>() ||
                   value.is<ArrayView>() || value.is<FormattedText>();
  return isRuntime ? std::nullopt : std::optional<Value>(value);
}

std::optional<bool> knownTruth(const Value &value) {
  if (const auto *constant = value.as<ConstantValue>())
    return sema::isTrue(*constant);
  if (threads::complexOf(value))
    return std::nullopt;
  if (const auto *tuple = value.as<Tuple>())
    return !tuple->elements.empty();
  if (const auto *dictionary = value.as<Dictionary>())
    return !dictionary->keys.empty();
  return std::nullopt;
}

static bool isSame(const std::vector<Tensor> &lhs, const std::vector<Tensor> &rhs) {
  return std::equal(lhs.begin(), lhs.end(), rhs.begin(), rhs.end(),
                    [](const Tensor &a, const Tensor &b) { return a.value == b.value; });
}

static bool isSame(const Dictionary &lhs, const Dictionary &rhs) {
  return isSame(Value(Tuple{lhs.keys}), Value(Tuple{rhs.keys})) &&
         isSame(Value(Tuple{lhs.values}), Value(Tuple{rhs.values}));
}

bool isSameArray(const BlockPointer &lhs, const BlockPointer &rhs) {
  return lhs.base.value == rhs.base.value && isSame(lhs.shape, rhs.shape) &&
         isSame(lhs.strides, rhs.strides) && lhs.block == rhs.block;
}

bool Structure::Field::operator==(const Field &other) const {
  return name == other.name && offset == other.offset && shape == other.shape &&
         type == other.type && isComplex == other.isComplex && isOpaque == other.isOpaque &&
         kind == other.kind && isSameStructure(structure, other.structure);
}

bool Structure::operator==(const Structure &other) const {
  return size == other.size && fields == other.fields;
}

const Structure::Field *Structure::find(std::string_view name) const {
  auto found = llvm::find_if(fields, [&](const Field &field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

bool isSameStructure(const std::shared_ptr<const Structure> &lhs,
                     const std::shared_ptr<const Structure> &rhs) {
  return lhs == rhs || (lhs && rhs && *lhs == *rhs);
}

bool isSameKind(const ArrayView &lhs, const ArrayView &rhs) {
  return lhs.base.type == rhs.base.type && lhs.shape.size() == rhs.shape.size() &&
         lhs.isComplex == rhs.isComplex && lhs.kind == rhs.kind &&
         isSameStructure(lhs.structure, rhs.structure);
}

bool isSameKind(const TensorDescriptor &lhs, const TensorDescriptor &rhs) {
  return lhs.base.type == rhs.base.type && lhs.block == rhs.block &&
         lhs.padsWithNan == rhs.padsWithNan;
}

static bool isSame(const TupleType &lhs, const TupleType &rhs) {
  return lhs.fields == rhs.fields &&
         std::equal(lhs.types.begin(), lhs.types.end(), rhs.types.begin(), rhs.types.end(),
                    [](const Value &a, const Value &b) { return isSame(a, b); });
}

/// Of types of which one may be written in two ways; nothing for all else.
static std::optional<bool> isSameType(const Value &lhs, const Value &rhs) {
  if (auto left = scalarTypeOf(lhs), right = scalarTypeOf(rhs); left && right)
    return *left == *right;
  if (lhs.is<ConstantType>() && rhs.is<TupleType>())
    return isSameType(rhs, lhs);
  const auto *tuple = lhs.as<TupleType>();
  const auto *constant = rhs.as<ConstantType>();
  if (tuple && constant)
    return tuple->constant && isSame(*tuple->constant, *constant->value);
  return std::nullopt;
}

bool isSame(const Value &lhs, const Value &rhs) {
  if (auto result = isSameType(lhs, rhs))
    return *result;
  if (lhs.variant.index() != rhs.variant.index())
    return false;
  if (const auto *constant = lhs.as<ConstantValue>()) {
    const auto &other = *rhs.as<ConstantValue>();
    return constant->index() == other.index() && sema::isEqual(*constant, other);
  }
  if (const auto *tensor = lhs.as<Tensor>())
    return tensor->value == rhs.as<Tensor>()->value && tensor->type == rhs.as<Tensor>()->type;
  if (const auto *record = lhs.as<RecordReference>())
    return record->type == rhs.as<RecordReference>()->type;
  if (const auto *tuple = lhs.as<Tuple>()) {
    const auto &other = rhs.as<Tuple>()->elements;
    return tuple->record == rhs.as<Tuple>()->record &&
           std::equal(tuple->elements.begin(), tuple->elements.end(), other.begin(), other.end(),
                      [](const Value &a, const Value &b) { return isSame(a, b); });
  }
  if (const auto *dictionary = lhs.as<Dictionary>())
    return isSame(*dictionary, *rhs.as<Dictionary>());
  if (const auto *block = lhs.as<BlockPointer>()) {
    const auto &other = *rhs.as<BlockPointer>();
    return isSameArray(*block, other) && isSame(block->offsets, other.offsets);
  }
  if (const auto *descriptor = lhs.as<TensorDescriptor>()) {
    const auto &other = *rhs.as<TensorDescriptor>();
    return isSameKind(*descriptor, other) && descriptor->base.value == other.base.value &&
           isSame(descriptor->shape, other.shape) && isSame(descriptor->strides, other.strides);
  }
  if (const auto *array = lhs.as<ArrayView>()) {
    const auto &other = *rhs.as<ArrayView>();
    return isSameKind(*array, other) && array->base.value == other.base.value &&
           isSame(array->shape, other.shape) && isSame(array->strides, other.strides);
  }
  if (const auto *function = lhs.as<JitFunction>())
    return function->function == rhs.as<JitFunction>()->function &&
           function->around == rhs.as<JitFunction>()->around;
  if (const auto *builtin = lhs.as<const sema::Builtin *>())
    return *builtin == *rhs.as<const sema::Builtin *>();
  if (const auto *builtin = lhs.as<const sema::HostFunction *>())
    return *builtin == *rhs.as<const sema::HostFunction *>();
  if (const auto *function = lhs.as<const sema::DeviceFunction *>())
    return *function == *rhs.as<const sema::DeviceFunction *>();
  if (const auto *module = lhs.as<ModuleReference>()) {
    const auto &other = *rhs.as<ModuleReference>();
    return module->module == other.module && (module->module || module->path == other.path);
  }
  if (const auto *type = lhs.as<TypeReference>())
    return *type == *rhs.as<TypeReference>();
  if (const auto *type = lhs.as<ConstantType>())
    return isSame(*type->value, *rhs.as<ConstantType>()->value);
  if (const auto *type = lhs.as<TupleType>())
    return isSame(*type, *rhs.as<TupleType>());
  if (const auto *type = lhs.as<ClassReference>())
    return type->name == rhs.as<ClassReference>()->name;
  if (const auto *method = lhs.as<BoundMethod>())
    return method->object == rhs.as<BoundMethod>()->object;
  if (const auto *method = lhs.as<KnownResult>())
    return method->result == rhs.as<KnownResult>()->result;
  if (const auto *range = lhs.as<RangeValue>())
    return range->upper == rhs.as<RangeValue>()->upper;
  if (const auto *space = lhs.as<std::shared_ptr<const sema::HostNamespace>>())
    return *space == *rhs.as<std::shared_ptr<const sema::HostNamespace>>();
  if (const auto *text = lhs.as<FormattedText>())
    return text->texts == rhs.as<FormattedText>()->texts &&
           isSame(text->values, rhs.as<FormattedText>()->values);
  return false;
}

void flatten(const Value &value, std::vector<Tensor> &parts) {
  if (const auto *tensor = value.as<Tensor>()) {
    parts.push_back(*tensor);
  } else if (const auto *tuple = value.as<Tuple>()) {
    for (const Value &element : tuple->elements)
      flatten(element, parts);
  } else if (const auto *block = value.as<BlockPointer>()) {
    parts.insert(parts.end(), block->offsets.begin(), block->offsets.end());
    if (block->isPinned)
      return;
    parts.push_back(block->base);
    for (const auto *list : {&block->shape, &block->strides})
      parts.insert(parts.end(), list->begin(), list->end());
  } else if (const auto *array = value.as<ArrayView>()) {
    parts.push_back(array->base);
    for (const auto *list : {&array->shape, &array->strides})
      parts.insert(parts.end(), list->begin(), list->end());
  } else if (const auto *descriptor = value.as<TensorDescriptor>()) {
    parts.push_back(descriptor->base);
    for (const auto *list : {&descriptor->shape, &descriptor->strides})
      parts.insert(parts.end(), list->begin(), list->end());
  }
}

Value rebuild(const Value &like, const mlir::Value *&next) {
  Value result = like;
  if (auto *tensor = result.as<Tensor>()) {
    tensor->value = *next++;
  } else if (auto *tuple = result.as<Tuple>()) {
    for (Value &element : tuple->elements)
      element = rebuild(element, next);
  } else if (auto *block = result.as<BlockPointer>()) {
    for (Tensor &part : block->offsets)
      part.value = *next++;
    if (block->isPinned)
      return result;
    block->base.value = *next++;
    for (auto *list : {&block->shape, &block->strides})
      for (Tensor &part : *list)
        part.value = *next++;
  } else if (auto *array = result.as<ArrayView>()) {
    array->base.value = *next++;
    for (auto *list : {&array->shape, &array->strides})
      for (Tensor &part : *list)
        part.value = *next++;
  } else if (auto *descriptor = result.as<TensorDescriptor>()) {
    descriptor->base.value = *next++;
    for (auto *list : {&descriptor->shape, &descriptor->strides})
      for (Tensor &part : *list)
        part.value = *next++;
  }
  return result;
}

} // namespace nereid::emit
