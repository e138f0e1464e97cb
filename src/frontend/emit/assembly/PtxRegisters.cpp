// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers: their parts, and values of other types in them.
#include "frontend/emit/assembly/PtxMachine.h"

namespace nereid::emit::ptx {

using sema::ConstantValue;

namespace {

unsigned widthOf(const Tensor &bits) { return static_cast<unsigned>(bitWidth(bits.dtype())); }

} // namespace

void Machine::refuse() const {
  failWithNote(range, {{}, "in '" + current->text + "'"}, DiagnosticId::not_supported_yet,
               "the instruction " + current->words.front() + " of PTX in this form");
}

/// The words between the name and the types.
void Machine::allow(const Words &modifiers) const {
  for (const std::string &word : llvm::drop_begin(current->words))
    if (!llvm::is_contained(modifiers, word) && !llvm::isDigit(word.back()) && word != "pred")
      refuse();
}

std::optional<Tensor> Machine::get(unsigned index) const {
  auto found = placeholders.find(index);
  return found == placeholders.end() ? std::nullopt : std::optional(found->second);
}

OperandType Machine::typeOf(std::string_view word) const {
  OperandType type{DType::Int32};
  llvm::StringRef name = word;
  type.isPair = name.consume_back("x2");
  if (name == "e4m3" || name == "e5m2")
    return {name == "e4m3" ? DType::Float8E4M3FN : DType::Float8E5M2, type.isPair};
  if (name == "bf16")
    return {DType::BFloat16, type.isPair};
  if (name == "pred")
    return {DType::Int1};
  unsigned width = 0;
  if (name.size() < 2 || name.drop_front().getAsInteger(10, width))
    refuse();
  bool isInteger = width == 8 || width == 16 || width == 32 || width == 64;
  switch (name.front()) {
  case 'f':
    if (width == 16 || width == 32 || width == 64)
      return {width == 16   ? DType::Float16
              : width == 32 ? DType::Float32
                            : DType::Float64,
              type.isPair};
    refuse();
  case 's':
    if (!isInteger || type.isPair)
      refuse();
    return {width == 64   ? DType::Int64
            : width == 32 ? DType::Int32
            : width == 16 ? DType::Int16
                          : DType::Int8};
  case 'u':
  case 'b':
    if (!isInteger || type.isPair)
      refuse();
    return {unsignedOf(width), false, name.front() == 'b'};
  default:
    refuse();
  }
}

Tensor Machine::constantBits(uint64_t bits, unsigned width) {
  Tensor scalar = emitter.integer(static_cast<int64_t>(bits), unsignedOf(width), range);
  return emitter.splat(scalar, shape, range);
}

Tensor Machine::resize(const Tensor &bits, unsigned width) {
  return emitter.cast(bits, {unsignedOf(width)}, range);
}

Tensor Machine::lowerHalf(const Tensor &bits) { return resize(bits, widthOf(bits) / 2); }

Tensor Machine::upperHalf(const Tensor &bits) {
  unsigned half = widthOf(bits) / 2;
  return resize(emitter.like<mlir::arith::ShRUIOp>(range, bits, constantBits(half, widthOf(bits))),
                half);
}

Tensor Machine::joined(const Tensor &lower, const Tensor &upper) {
  unsigned width = 2 * widthOf(lower);
  Tensor high = emitter.like<mlir::arith::ShLIOp>(range, resize(upper, width),
                                                  constantBits(width / 2, width));
  return emitter.like<mlir::arith::OrIOp>(range, resize(lower, width), high);
}

Tensor Machine::toBits(const Tensor &value) {
  return emitter.bitcast(value, {unsignedOf(widthOf(value))}, range);
}

Tensor Machine::asType(const Tensor &bits, DType type) {
  return emitter.bitcast(resize(bits, static_cast<unsigned>(bitWidth(type))), {type}, range);
}

Tensor *Machine::slotOf(const Operand &target) {
  if (target.kind == Operand::Kind::Placeholder)
    return &placeholders[target.index];
  if (target.kind == Operand::Kind::Register)
    return &registers[target.name];
  refuse();
}

Tensor Machine::readBits(const Operand &operand, unsigned width) {
  if (operand.kind == Operand::Kind::Several) {
    auto count = static_cast<unsigned>(operand.parts.size());
    if (count != 2 && count != 4)
      refuse();
    std::vector<Tensor> parts;
    for (const Operand &part : operand.parts)
      parts.push_back(readBits(part, width / count));
    Tensor lower = joined(parts[0], parts[1]);
    return count == 2 ? lower : joined(lower, joined(parts[2], parts[3]));
  }
  if (operand.kind == Operand::Kind::Number) {
    uint64_t bits = operand.bits;
    if (operand.isReal && width == 32)
      bits = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    else if (operand.isReal && width != 64)
      refuse();
    return constantBits(bits, width);
  }
  const Tensor *slot = slotOf(operand);
  if (!slot->value) // what nothing has written
    refuse();
  if (isBool(slot->dtype()))
    refuse();
  return resize(*slot, width);
}

Tensor Machine::readPredicate(const Operand &operand) {
  const Tensor *slot = slotOf(operand);
  if (!slot->value || !isBool(slot->dtype()))
    refuse();
  return *slot;
}

Tensor Machine::read(size_t index, OperandType type) {
  if (index >= current->operands.size())
    refuse();
  return readBits(current->operands[index], type.width());
}

/// To the first operand, where the guard lets it.
void Machine::write(Tensor bits) { assign(current->operands.front(), bits); }

void Machine::assign(const Operand &target, const Tensor &bits) {
  if (target.kind == Operand::Kind::Several) {
    if (target.parts.size() != 2 && target.parts.size() != 4)
      refuse();
    Tensor halves[] = {lowerHalf(bits), upperHalf(bits)};
    for (size_t i = 0; i < target.parts.size(); ++i) {
      const Tensor &half = halves[i * 2 / target.parts.size()];
      bool isWhole = target.parts.size() == 2;
      assign(target.parts[i], isWhole ? half : i % 2 == 0 ? lowerHalf(half) : upperHalf(half));
    }
    return;
  }
  Tensor *slot = slotOf(target);
  if (!current->guard) {
    *slot = bits;
    return;
  }
  if (!slot->value) // keeps what is undefined: zero is as good as anything
    *slot = emitter.splat(
        emitter.constant(ConstantValue(sema::Integer(0)), bits.type.scalar, range), shape, range);
  Tensor guard = readPredicate(*current->guard);
  const Tensor &taken = current->isGuardNegated ? *slot : bits;
  const Tensor &other = current->isGuardNegated ? bits : *slot;
  bool isAlike = other.type == taken.type;
  Tensor otherwise = isAlike ? other : resize(other, widthOf(taken));
  *slot = {emitter.make<mlir::arith::SelectOp>(range, guard.value, taken.value, otherwise.value),
           taken.type};
}

} // namespace nereid::emit::ptx
