// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/threads/Structures.h"

#include "frontend/emit/Advice.h"
#include "frontend/emit/threads/Arrays.h"
#include "frontend/emit/threads/Complex.h"
#include "frontend/emit/threads/Texts.h"
#include "frontend/emit/threads/Times.h"
#include "frontend/emit/threads/WholeArrays.h"

#include "dialect/tile/NamedArrays.h"

namespace nereid::emit::threads {

using namespace mlir;

namespace {

int64_t integerOf(const Value &value) {
  return static_cast<int64_t>(*sema::asInteger(*value.as<sema::ConstantValue>()));
}

const std::string *textOf(const Value &value) {
  const auto *constant = value.as<sema::ConstantValue>();
  return constant ? std::get_if<std::string>(constant) : nullptr;
}

std::shared_ptr<const Structure> readStructure(const Value &type);

/// (name, offset, shape, type, bytes): the type is that of an element, or a text that names one of
/// Numba's, or is empty for what kernels have no type for.
Structure::Field readRow(const Value &row) {
  const std::vector<Value> &parts = row.as<Tuple>()->elements;
  Structure::Field field{.name = *textOf(parts[0]), .offset = integerOf(parts[1]), .shape = {}};
  for (const Value &extent : parts[2].as<Tuple>()->elements)
    field.shape.push_back(integerOf(extent));
  const std::string *name = textOf(parts[3]);
  if (!name) {
    field.structure = readStructure(parts[3]);
    field.type = DType::Int8;
    return field;
  }
  field.isComplex = *name == "complex64" || *name == "complex128";
  if (field.isComplex)
    field.type = *name == "complex64" ? DType::Float32 : DType::Float64;
  else if (auto type = sema::threadTypeNamed("numba", *name))
    field.type = *type;
  else if (isKindOfTime(*name) || lengthOfTexts(*name)) {
    field.kind = *name;
    field.type = isKindOfTime(*name) ? DType::Int64 : characterOf(*name);
  } else {
    field.isOpaque = true;
    field.shape.push_back(integerOf(parts[4]));
  }
  return field;
}

std::shared_ptr<const Structure> readStructure(const Value &type) {
  const std::vector<Value> &parts = type.as<Tuple>()->elements;
  auto structure = std::make_shared<Structure>();
  structure->size = integerOf(parts[0]);
  for (const Value &row : parts[1].as<Tuple>()->elements)
    structure->fields.push_back(readRow(row));
  structure->type = share(type);
  return structure;
}

/// Bytes as a count of elements of `unit` bytes each, which they are a multiple of.
Tensor inElements(Emitter &emitter, const Tensor &bytes, int64_t unit, SourceRange range) {
  if (unit == 1)
    return bytes;
  return emitter.like<arith::DivSIOp>(range, bytes, emitter.integer(unit, DType::Int64, range));
}

/// Where the field lies in all structures of an array.
ArrayView placeOf(Emitter &emitter, const ArrayView &array, const Structure::Field &field,
                  SourceRange range) {
  Tensor first =
      emitter.offset(array.base, emitter.integer(field.offset, DType::Int64, range), false, range);
  sema::ScalarType pointer{field.type, /*isPointer=*/true, array.base.type.scalar.isConst};
  int64_t unit = byteSize(field.type);
  ArrayView place{emitter.cast(first, pointer, range),
                  array.shape,
                  {},
                  field.isComplex,
                  field.structure,
                  /*isField=*/true,
                  field.kind};
  for (const Tensor &stride : array.strides)
    place.strides.push_back(inElements(emitter, stride, unit, range));
  int64_t stride = field.structure   ? field.structure->size
                   : field.isComplex ? 2
                                     : lengthOfTexts(field.kind).value_or(1);
  std::vector<Tensor> inside;
  for (int64_t extent : llvm::reverse(field.shape)) {
    inside.insert(inside.begin(), emitter.integer(stride, DType::Int64, range));
    stride *= extent;
  }
  for (size_t i = 0; i < field.shape.size(); ++i) {
    place.shape.push_back(emitter.integer(field.shape[i], DType::Int64, range));
    place.strides.push_back(inside[i]);
  }
  return place;
}

const Structure::Field &requireField(const ArrayView &array, const std::string &name,
                                     SourceRange range) {
  if (const Structure::Field *field = array.structure->find(name))
    return *field;
  std::vector<std::string> names;
  for (const Structure::Field &field : array.structure->fields)
    names.push_back(field.name);
  failWithNotes(suggestion(name, names),
                diagnose(range, DiagnosticId::unknown_attribute, describe(Value(array)), name));
}

const Structure::Field &requireNumbers(const ArrayView &array, const std::string &name,
                                       SourceRange range) {
  const Structure::Field &field = requireField(array, name, range);
  if (field.isOpaque)
    failWithNote(range,
                 {{},
                  "kernels have no values of the type of field '" + name +
                      "': it is copied with its structure, and nothing else"},
                 DiagnosticId::not_a_value, "field '" + name + "'");
  return field;
}

} // namespace

std::shared_ptr<const Structure> structureOf(const Value &type) {
  const auto *tuple = type.as<Tuple>();
  bool isStructure = tuple && tuple->record && tuple->record->name == "structured type";
  return isStructure ? readStructure(type) : nullptr;
}

ArrayView asStructures(Emitter &emitter, ArrayView bytes,
                       const std::shared_ptr<const Structure> &structure, SourceRange range) {
  size_t rank = bytes.shape.size() - 1;
  // One behind the other they are as far apart as the last extent says, which is known.
  bool isDense = rank > 0 && bytes.strides[rank - 1].value == bytes.shape[rank].value;
  bytes.shape.pop_back();
  bytes.strides.pop_back();
  Tensor stride = emitter.integer(structure->size, DType::Int64, range);
  for (size_t dim = rank; isDense && dim-- > 0;) {
    bytes.strides[dim] = stride;
    stride = emitter.like<arith::MulIOp>(range, stride, bytes.shape[dim]);
  }
  bytes.structure = structure;
  return bytes;
}

std::optional<Value> hostStructures(Emitter &emitter, const sema::HostRecord &record,
                                    const Tuple &parts, SourceRange range) {
  bool isOne = record.name == "structure";
  if (!isOne && record.name != "structured array")
    return std::nullopt;
  ArrayView array = asStructures(emitter, *parts.elements[0].as<ArrayView>(),
                                 structureOf(parts.elements[1]), range);
  if (isOne) {
    array.shape.clear();
    array.strides.clear();
  }
  return Value(array);
}

/// From the element that lies first to the one that lies last.
static tile::NamedArray memoryOf(const Tuple &parts, int64_t elementBytes) {
  const std::vector<Value> &extents = parts.elements[1].as<Tuple>()->elements;
  const std::vector<Value> &strides = parts.elements[2].as<Tuple>()->elements;
  int64_t first = 0, last = 0;
  for (auto [extent, stride] : llvm::zip_equal(extents, strides)) {
    int64_t count = integerOf(extent), reach = (count - 1) * integerOf(stride);
    if (count == 0)
      return {integerOf(parts.elements[0]), 0, elementBytes};
    (reach < 0 ? first : last) += reach;
  }
  return {integerOf(parts.elements[0]) + first * elementBytes, (last - first + 1) * elementBytes,
          elementBytes};
}

/// An array of the device's that a kernel names: where it lies, its extents and strides, in
/// elements, and their type, all known.
static std::optional<Value> arrayInPlace(Emitter &emitter, const Tuple &parts, SourceRange range) {
  auto integer = [&](const Value &value) {
    return emitter.integer(integerOf(value), DType::Int64, range);
  };
  auto scalars = [&](const Value &value) {
    std::vector<Tensor> all;
    for (const Value &element : value.as<Tuple>()->elements)
      all.push_back(integer(element));
    return all;
  };
  auto element = scalarTypeOf(parts.elements[3]);
  sema::ScalarType pointer{element->dtype, /*isPointer=*/true};
  tile::addNamedArray(emitter.kernelUnderWay(), memoryOf(parts, byteSize(element->dtype)));
  return Value(ArrayView{emitter.cast(integer(parts.elements[0]), pointer, range),
                         scalars(parts.elements[1]), scalars(parts.elements[2])});
}

/// What a host hands over as "time", "time array" and "text array", with the name of its type; of
/// texts with one more dimension, of their characters (python/nereid/threads/times_and_texts.py).
static std::optional<Value> hostTimesOrTexts(const sema::HostRecord &record, const Tuple &parts) {
  bool isOfTexts = record.name == "text array";
  if (!isOfTexts && record.name != "time array" && record.name != "time")
    return std::nullopt;
  const std::string &kind = *textOf(parts.elements[1]);
  if (record.name == "time")
    return timeValue(*parts.elements[0].as<Tensor>(), kind);
  ArrayView array = *parts.elements[0].as<ArrayView>();
  array.kind = kind;
  if (isOfTexts) {
    array.shape.pop_back();
    array.strides.pop_back();
  }
  return Value(array);
}

std::optional<Value> hostedArray(Emitter &emitter, const sema::HostRecord &record,
                                 const Tuple &parts, SourceRange range) {
  if (record.name == "device array")
    return arrayInPlace(emitter, parts, range);
  const Value *first = parts.elements.empty() ? nullptr : parts.elements.data();
  if (!first || !(first->is<ArrayView>() || first->is<Tensor>()))
    return std::nullopt;
  if (auto complex = hostComplex(record, parts))
    return complex;
  if (auto times = hostTimesOrTexts(record, parts))
    return times;
  return hostStructures(emitter, record, parts, range);
}

std::optional<std::string> fieldNamed(const ArrayView &array, const Value &index) {
  if (!array.structure)
    return std::nullopt;
  if (const std::string *name = textOf(index))
    return *name;
  const std::vector<Structure::Field> &fields = array.structure->fields;
  auto constant = asConstant(index);
  auto number = constant && array.shape.empty() ? sema::asInteger(*constant) : std::nullopt;
  bool isField = number && *number >= 0 && *number < static_cast<sema::Integer>(fields.size());
  return isField ? std::optional(fields[static_cast<size_t>(*number)].name) : std::nullopt;
}

Value readField(Emitter &emitter, const ArrayView &array, const std::string &name,
                SourceRange range) {
  ArrayView place = placeOf(emitter, array, requireNumbers(array, name, range), range);
  return place.shape.empty() ? readElement(emitter, place, Tuple(), range) : Value(place);
}

void writeField(Emitter &emitter, const ArrayView &record, const std::string &name,
                const Value &value, SourceRange range) {
  ArrayView place = placeOf(emitter, record, requireNumbers(record, name, range), range);
  writeElement(emitter, place, Tuple(), value, range);
}

void copyRecord(Emitter &emitter, const ArrayView &to, const Value &from, SourceRange range) {
  const auto *given = from.as<ArrayView>();
  if (!given || !given->shape.empty() || !isSameStructure(given->structure, to.structure))
    failWithNote(range, {{}, "a structure is assigned one with the same fields"},
                 DiagnosticId::not_a_value, describe(from));
  for (const Structure::Field &field : to.structure->fields) {
    ArrayView target = placeOf(emitter, to, field, range);
    ArrayView source = placeOf(emitter, *given, field, range);
    if (target.shape.empty())
      writeElement(emitter, target, Tuple(), readElement(emitter, source, Tuple(), range), range);
    else
      assignWhole(emitter, target, source, range);
  }
}

} // namespace nereid::emit::threads
