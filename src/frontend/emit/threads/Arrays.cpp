// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/threads/Arrays.h"

#include "frontend/emit/Subscripts.h"
#include "frontend/emit/threads/Complex.h"
#include "frontend/emit/threads/Structures.h"
#include "frontend/emit/threads/Texts.h"
#include "frontend/emit/threads/Times.h"
#include "frontend/emit/threads/WholeArrays.h"

namespace nereid::emit::threads {

using namespace mlir;

namespace {

bool isNotNegativeWithin(const Emitter &emitter, mlir::Value value, unsigned depth) {
  if (depth == 0)
    return false;
  auto isGood = [&](mlir::Value operand) {
    return isNotNegativeWithin(emitter, operand, depth - 1);
  };
  Operation *op = value.getDefiningOp();
  if (!op)
    return emitter.risingCounters.contains(value);
  llvm::APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return !constant.isNegative();
  if (llvm::isa<tile::ThreadIdOp, tile::ProgramIdOp, tile::NumProgramsOp, arith::ExtUIOp>(op))
    return true;
  if (llvm::isa<arith::ExtSIOp, arith::TruncIOp>(op))
    return isGood(op->getOperand(0));
  // What wraps is no index of an array either way.
  if (llvm::isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::DivSIOp, arith::RemSIOp>(op))
    return isGood(op->getOperand(0)) && isGood(op->getOperand(1));
  if (llvm::isa<arith::MaxSIOp>(op))
    return isGood(op->getOperand(0)) || isGood(op->getOperand(1));
  if (auto choice = llvm::dyn_cast<arith::SelectOp>(op))
    return isGood(choice.getTrueValue()) && isGood(choice.getFalseValue());
  return false;
}

[[noreturn]] void failIndex(const ArrayView &array, SourceRange range, const std::string &reason) {
  failWithNote(range, {{}, reason}, DiagnosticId::cannot_index, describe(Value(array)));
}

/// An integer as an int64 from the array's start.
Tensor position(Emitter &emitter, const ArrayView &array, size_t dim, const Value &index,
                SourceRange range) {
  auto constant = asConstant(index);
  bool isInteger = constant ? sema::asInteger(*constant).has_value()
                            : index.is<Tensor>() && !index.as<Tensor>()->isPointer() &&
                                  nereid::isInteger(index.as<Tensor>()->dtype());
  if (!isInteger)
    failIndex(array, range, "an index is an integer, not " + describe(index));
  Tensor at = emitter.toTensor(index, range);
  bool mayBeNegative = isSigned(at.dtype()) && !isNotNegative(emitter, at.value);
  at = emitter.cast(at, {DType::Int64}, range);
  if (!mayBeNegative)
    return at;
  Tensor zero = emitter.integer(0, DType::Int64, range);
  mlir::Value isBehind =
      emitter.make<arith::CmpIOp>(range, arith::CmpIPredicate::slt, at.value, zero.value);
  Tensor wrapped = emitter.like<arith::AddIOp>(range, at, array.shape[dim]);
  return {emitter.make<arith::SelectOp>(range, isBehind, wrapped.value, at.value), at.type};
}

Tensor moved(Emitter &emitter, const Tensor &base, const Tensor &at, const Tensor &stride,
             SourceRange range) {
  return emitter.offset(base, emitter.like<arith::MulIOp>(range, at, stride), false, range);
}

/// start:stop:step of one dimension: where it begins, how many and how far apart.
struct Cut {
  Tensor start, count, step;
};

/// Slices of one dimension. Which way a step goes that only the run knows is chosen there.
class Cutter {
public:
  Cutter(Emitter &emitter, const ArrayView &array, size_t dim, SourceRange range)
      : emitter(emitter), array(array), extent(array.shape[dim]), range(range) {}

  Cut cut(const SliceValue &slice) {
    step = given(slice.step) ? number(*slice.step) : integer(1);
    auto known = asConstant(step);
    if (known && *sema::asInteger(*known) == 0)
      failIndex(array, range, "the step of a slice is a number other than 0");
    if (known)
      isKnownUp = *sema::asInteger(*known) > 0;
    else
      goesUp = {emitter.make<arith::CmpIOp>(range, arith::CmpIPredicate::sgt, step.value,
                                            integer(0).value),
                {{DType::Int1}, {}}};
    // Going down, positions are from the one before the first to the last.
    least = choose(integer(0), integer(-1));
    most = choose(extent, emitter.like<arith::SubIOp>(range, extent, integer(1)));
    Tensor start = given(slice.lower) ? clamped(*slice.lower) : choose(least, most);
    Tensor stop = given(slice.upper) ? clamped(*slice.upper) : choose(most, least);
    Tensor span = choose(emitter.like<arith::SubIOp>(range, stop, start),
                         emitter.like<arith::SubIOp>(range, start, stop));
    span = emitter.like<arith::MaxSIOp>(range, span, integer(0));
    Tensor size = choose(step, emitter.like<arith::SubIOp>(range, integer(0), step));
    Tensor rounded = emitter.like<arith::AddIOp>(
        range, span, emitter.like<arith::SubIOp>(range, size, integer(1)));
    return {start, emitter.like<arith::DivSIOp>(range, rounded, size), step};
  }

private:
  static bool given(const std::shared_ptr<const Value> &part) { return part && !part->isNone(); }
  Tensor integer(int64_t value) { return emitter.integer(value, DType::Int64, range); }
  Tensor number(const Value &value) {
    return emitter.cast(emitter.toTensor(value, range), {DType::Int64}, range);
  }
  Tensor choose(const Tensor &up, const Tensor &down) {
    if (isKnownUp)
      return *isKnownUp ? up : down;
    return {emitter.make<arith::SelectOp>(range, goesUp.value, up.value, down.value), up.type};
  }
  Tensor clamped(const Value &value) {
    Tensor at = number(value);
    if (!isNotNegative(emitter, at.value)) {
      mlir::Value isBehind =
          emitter.make<arith::CmpIOp>(range, arith::CmpIPredicate::slt, at.value, integer(0).value);
      Tensor wrapped = emitter.like<arith::AddIOp>(range, at, extent);
      at.value = emitter.make<arith::SelectOp>(range, isBehind, wrapped.value, at.value);
      at = emitter.like<arith::MaxSIOp>(range, at, least);
    }
    return emitter.like<arith::MinSIOp>(range, at, most);
  }

  Emitter &emitter;
  const ArrayView &array;
  const Tensor &extent;
  SourceRange range;
  Tensor step, goesUp, least, most;
  std::optional<bool> isKnownUp;
};

/// Whether what leaves the array leaves its memory, so that the access itself is seen to be wrong.
bool isAllOfItsMemory(const ArrayView &array) {
  return array.shape.size() == 1 && !array.isField &&
         !array.base.value.getDefiningOp<tile::OffsetOp>();
}

/// The indices, with whole dimensions for `...`.
std::vector<Value> writtenOut(const ArrayView &array, const Value &index) {
  std::vector<Value> given = indicesOf(index), all;
  for (const Value &one : given) {
    const auto *name = one.as<ClassReference>();
    if (!name || name->name != ellipsis) {
      all.push_back(one);
      continue;
    }
    size_t rank = array.shape.size(), others = given.size() - 1;
    all.insert(all.end(), rank > others ? rank - others : 0, SliceValue{});
  }
  return all;
}

/// What the indices leave: no dimensions where each has one.
ArrayView partOf(Emitter &emitter, const ArrayView &array, const Value &index, SourceRange range) {
  std::vector<Value> indices = writtenOut(array, index);
  if (indices.size() > array.shape.size())
    failIndex(array, range,
              "it has " + std::to_string(array.shape.size()) + " dimensions, and " +
                  std::to_string(indices.size()) + " indices are given");
  ArrayView part{array.base, {}, {}, array.isComplex, array.structure, array.isField, array.kind};
  std::vector<std::pair<size_t, Tensor>> checked;
  for (size_t dim = 0; dim < array.shape.size(); ++dim) {
    const Tensor &extent = array.shape[dim], &stride = array.strides[dim];
    const auto *slice = dim < indices.size() ? indices[dim].as<SliceValue>() : nullptr;
    if (dim >= indices.size() || (slice && isOpen(*slice))) {
      part.shape.push_back(extent);
      part.strides.push_back(stride);
    } else if (slice) {
      Cut cut = Cutter(emitter, array, dim, range).cut(*slice);
      part.base = moved(emitter, part.base, cut.start, stride, range);
      part.shape.push_back(cut.count);
      part.strides.push_back(emitter.like<arith::MulIOp>(range, stride, cut.step));
    } else {
      Tensor at = position(emitter, array, dim, indices[dim], range);
      part.base = moved(emitter, part.base, at, stride, range);
      checked.emplace_back(dim, at);
    }
  }
  if (!isAllOfItsMemory(array))
    for (const auto &[dim, at] : checked)
      tile::CheckIndexOp::create(emitter.builder, emitter.locate(range), at.value,
                                 array.shape[dim].value, dim, part.base.value);
  return part;
}

Tensor load(Emitter &emitter, const Tensor &pointer, SourceRange range) {
  return {emitter.make<tile::LoadOp>(range, pointer.value), {{pointer.dtype()}, {}}};
}

} // namespace

/// Where the imaginary part lies of the complex number that begins here.
static Tensor secondPart(Emitter &emitter, const Tensor &first, SourceRange range) {
  return emitter.offset(first, emitter.integer(1, DType::Int64, range), false, range);
}

static void writeComplex(Emitter &emitter, const Tensor &pointer, const Value &value,
                         SourceRange range) {
  if (!partFor(value))
    fail(range, DiagnosticId::not_a_value, describe(value));
  Complex number = toComplex(emitter, value, pointer.dtype(), range);
  Location place = emitter.locate(range);
  tile::StoreOp::create(emitter.builder, place, pointer.value, number.real.value);
  tile::StoreOp::create(emitter.builder, place, secondPart(emitter, pointer, range).value,
                        number.imag.value);
}

bool isNotNegative(const Emitter &emitter, mlir::Value value) {
  constexpr unsigned deepest = 8;
  return isNotNegativeWithin(emitter, value, deepest);
}

ArrayView contiguous(Emitter &emitter, Tensor base, llvm::ArrayRef<int64_t> extents,
                     SourceRange range) {
  ArrayView array{std::move(base), {}, {}};
  int64_t stride = 1;
  for (int64_t extent : llvm::reverse(extents)) {
    array.shape.insert(array.shape.begin(), emitter.integer(extent, DType::Int64, range));
    array.strides.insert(array.strides.begin(), emitter.integer(stride, DType::Int64, range));
    stride *= extent;
  }
  return array;
}

ArrayView constantArray(Emitter &emitter, const sema::HostArray &array, SourceRange range) {
  sema::ScalarType pointer{array.dtype, /*isPointer=*/true, /*isConst=*/true};
  mlir::Type held = emitter.irType(sema::ScalarType{array.dtype});
  if (held.isInteger(1))
    held = emitter.builder.getI8Type();
  std::string bytes = array.bytes.empty() ? std::string(byteSize(array.dtype), '\0') : array.bytes;
  auto count = static_cast<int64_t>(bytes.size() / byteSize(array.dtype));
  auto elements = DenseElementsAttr::getFromRawBuffer(RankedTensorType::get({count}, held),
                                                      {bytes.data(), bytes.size()});
  Tensor base{emitter.make<tile::TableOp>(range, emitter.irType(pointer), elements), {pointer, {}}};
  return contiguous(emitter, base, array.shape, range);
}

void nameMemory(Emitter &emitter, const ArrayView &array, llvm::StringRef name) {
  Operation *op = array.base.value.getDefiningOp();
  if (llvm::isa_and_nonnull<tile::SharedOp, tile::LocalOp, tile::TableOp>(op) &&
      !op->hasAttr(tile::nameAttr))
    op->setAttr(tile::nameAttr, emitter.builder.getStringAttr(name));
}

Tensor elementAddress(Emitter &emitter, const ArrayView &array, const Value &index,
                      SourceRange range) {
  ArrayView part = partOf(emitter, array, index, range);
  if (!part.shape.empty())
    failIndex(array, range,
              "an element has one index for each of its " + std::to_string(array.shape.size()) +
                  " dimensions");
  if (part.structure || !part.kind.empty())
    failIndex(array, range, "its elements are no numbers, and this is for such");
  return part.base;
}

Value readElement(Emitter &emitter, const ArrayView &array, const Value &index, SourceRange range) {
  if (auto field = fieldNamed(array, index))
    return readField(emitter, array, *field, range);
  ArrayView part = partOf(emitter, array, index, range);
  if (!part.shape.empty() || part.structure || lengthOfTexts(part.kind))
    return part;
  Tensor element = load(emitter, part.base, range);
  if (!part.kind.empty())
    return timeValue(element, part.kind);
  if (!array.isComplex)
    return element;
  return complexValue({element, load(emitter, secondPart(emitter, part.base, range), range)});
}

void writeElement(Emitter &emitter, const ArrayView &array, const Value &index, const Value &value,
                  SourceRange range) {
  if (auto field = fieldNamed(array, index))
    return writeField(emitter, array, *field, value, range);
  ArrayView part = partOf(emitter, array, index, range);
  if (part.base.type.scalar.isConst)
    failIndex(array, range,
              "it is read only: an array of the host's that a kernel names is part of the kernel, "
              "as it was when that was compiled. An argument can be written to");
  if (!part.shape.empty())
    return assignWhole(emitter, part, value, range);
  if (part.structure)
    return copyRecord(emitter, part, value, range);
  if (lengthOfTexts(part.kind))
    return writeText(emitter, part, value, range);
  const Tensor &pointer = part.base;
  if (!part.kind.empty()) {
    Tensor count = countOfTime(emitter, value, part.kind, range);
    tile::StoreOp::create(emitter.builder, emitter.locate(range), pointer.value, count.value);
    return;
  }
  if (array.isComplex)
    return writeComplex(emitter, pointer, value, range);
  if (complexOf(value))
    failWithNote(range,
                 {{}, "the array has real elements: its .real, .imag and abs() are accepted"},
                 DiagnosticId::not_a_value, describe(value));
  if (!isNumber(value) || isPointer(value))
    fail(range, DiagnosticId::not_a_value, describe(value));
  const auto *number = value.as<sema::ConstantValue>();
  sema::ScalarType element{pointer.dtype()};
  bool isExact = number && isFloat(element.dtype);
  Tensor stored = isExact ? emitter.constant(*number, element, range)
                          : emitter.cast(emitter.toTensor(value, range), element, range);
  tile::StoreOp::create(emitter.builder, emitter.locate(range), pointer.value, stored.value);
}

static Value scalars(const std::vector<Tensor> &all) {
  return Tuple{std::vector<Value>(all.begin(), all.end())};
}

std::vector<std::string> arrayAttributes() {
  return {"shape",    "strides", "ndim", "size", "dtype",
          "itemsize", "nbytes",  "T",    "view", "reshape"};
}

std::optional<Value> arrayAttribute(Emitter &emitter, const ArrayView &array,
                                    const std::string &name, SourceRange range) {
  auto size = [&] {
    Tensor product = emitter.integer(1, DType::Int64, range);
    for (const Tensor &extent : array.shape)
      product = emitter.like<arith::MulIOp>(range, product, extent);
    return product;
  };
  bool isRecord = array.structure && array.shape.empty();
  if (array.structure && (isRecord || array.structure->find(name)))
    return readField(emitter, array, name, range);
  Tensor bytes = emitter.integer(byteSize(array.base.dtype()), DType::Int64, range);
  if (array.isComplex && (name == "real" || name == "imag")) {
    ArrayView parts{array.base, array.shape, array.strides, false, nullptr, array.isField};
    if (name == "imag")
      parts.base = secondPart(emitter, array.base, range);
    return Value(parts);
  }
  if (array.isComplex && (name == "itemsize" || name == "nbytes"))
    bytes = emitter.integer(2 * byteSize(array.base.dtype()), DType::Int64, range);
  if (name == "shape")
    return scalars(array.shape);
  if (name == "strides") {
    std::vector<Tensor> inBytes;
    for (const Tensor &stride : array.strides)
      inBytes.push_back(emitter.like<arith::MulIOp>(range, stride, bytes));
    return scalars(inBytes);
  }
  if (array.structure && name == "dtype")
    return *array.structure->type;
  if (array.structure && (name == "itemsize" || name == "nbytes"))
    bytes = emitter.integer(array.structure->size, DType::Int64, range);
  if (name == "ndim")
    return integerValue(static_cast<sema::Integer>(array.shape.size()));
  if (name == "size")
    return Value(size());
  if (name == "dtype" && !array.kind.empty())
    return stringValue(array.kind);
  if (auto length = lengthOfTexts(array.kind); length && (name == "itemsize" || name == "nbytes"))
    bytes = emitter.integer(*length * byteSize(array.base.dtype()), DType::Int64, range);
  if (name == "dtype" && array.isComplex)
    return emitter.builtinOf("numba",
                             array.base.dtype() == DType::Float32 ? "complex64" : "complex128");
  if (name == "dtype")
    return dtypeValue({array.base.dtype()});
  if (name == "itemsize")
    return Value(bytes);
  if (name == "nbytes")
    return Value(emitter.like<arith::MulIOp>(range, size(), bytes));
  if (name == "view" || name == "reshape")
    return Value(BoundMethod{share(array), share(*emitter.builtinOf("numpy.ndarray", name))});
  if (name == "T") {
    ArrayView turned = array;
    std::reverse(turned.shape.begin(), turned.shape.end());
    std::reverse(turned.strides.begin(), turned.strides.end());
    return Value(turned);
  }
  // A method that is a text of kernels itself.
  auto method = emitter.hostedValue(emitter.frame->module, "numpy.ndarray." + name, range);
  return method ? std::optional(Value(BoundMethod{share(array), share(*method)})) : std::nullopt;
}

} // namespace nereid::emit::threads
