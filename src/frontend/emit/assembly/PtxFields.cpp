// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions on parts of registers: products longer than their factors, fields of bits, bytes,
// tf32, which is a float32 without its last bits, and e2m1, a float of four bits.
#include "frontend/emit/Capability.h"
#include "frontend/emit/assembly/PtxMachine.h"

namespace nereid::emit::ptx {

using namespace mlir;

DType Machine::doubled(DType type) const {
  switch (type) {
  case DType::Int16:
    return DType::Int32;
  case DType::UInt16:
    return DType::UInt32;
  case DType::Int32:
    return DType::Int64;
  case DType::UInt32:
    return DType::UInt64;
  default:
    refuse();
  }
}

/// Its lower half, its upper half (.hi) or all of it (.wide).
Tensor Machine::product(const Tensor &x, const Tensor &y) {
  int width = bitWidth(x.dtype());
  if (has("hi") && width >= 32)
    return device("mulhi", {x, y});
  if (!has("hi") && !has("wide"))
    return emitter.like<arith::MulIOp>(range, x, y);
  sema::ScalarType type{doubled(x.dtype())};
  Tensor whole = emitter.like<arith::MulIOp>(range, emitter.cast(x, type, range),
                                             emitter.cast(y, type, range));
  if (has("wide"))
    return whole;
  Tensor half = constantBits(static_cast<uint64_t>(width), 2 * static_cast<unsigned>(width));
  return emitter.cast(right(whole, half), x.type.scalar, range);
}

/// By the sign of what is shifted.
Tensor Machine::right(const Tensor &value, const Tensor &by) {
  return isSigned(value.dtype()) ? emitter.like<arith::ShRSIOp>(range, value, by)
                                 : emitter.like<arith::ShRUIOp>(range, value, by);
}

/// An operand of 32 bits, signed or not as `type`, in 64.
Tensor Machine::wide(size_t index, DType type) {
  return emitter.cast(asType(read(index, {DType::UInt32}), type), {doubled(type)}, range);
}

/// The lowest byte of an operand, or `most` if it is more, in 64 bits.
Tensor Machine::amount(size_t index, uint64_t most) {
  Tensor number = resize(resize(read(index, {DType::UInt32}), 8), 64);
  return emitter.like<arith::MinUIOp>(range, number, constantBits(most, 64));
}

/// bfe: moved to the top and back, so that the sign follows.
void Machine::runExtract() {
  allow({});
  DType type = typeOf(current->words.back()).dtype;
  if (current->words.size() != 2 || current->operands.size() != 4 || bitWidth(type) != 32)
    refuse();
  Tensor field = right(wide(1, type), amount(2, 63));
  Tensor above = emitter.like<arith::SubIOp>(range, constantBits(64, 64), amount(3, 64));
  field = right(emitter.like<arith::ShLIOp>(range, field, above), above);
  write(resize(toBits(field), 32));
}

/// bfi: what of the first operand goes into the second.
void Machine::runInsert() {
  allow({});
  if (current->words.size() != 2 || current->words.back() != "b32" || current->operands.size() != 5)
    refuse();
  Tensor first = amount(3, 32), one = constantBits(1, 64), ones = constantBits(~uint64_t(0), 64);
  Tensor mask = emitter.like<arith::ShLIOp>(range, one, amount(4, 32));
  mask = emitter.like<arith::ShLIOp>(range, emitter.like<arith::SubIOp>(range, mask, one), first);
  Tensor given = emitter.like<arith::ShLIOp>(range, wide(1, DType::UInt32), first);
  Tensor kept = emitter.like<arith::AndIOp>(range, wide(2, DType::UInt32),
                                            emitter.like<arith::XOrIOp>(range, mask, ones));
  Tensor both =
      emitter.like<arith::OrIOp>(range, kept, emitter.like<arith::AndIOp>(range, given, mask));
  write(resize(both, 32));
}

/// shf: two registers, the second above the first, shifted as one.
void Machine::runFunnel() {
  allow({"l", "r", "wrap", "clamp"});
  bool isKnown = current->words.size() == 4 && current->words.back() == "b32" &&
                 current->operands.size() == 4 && has("l") != has("r") &&
                 has("wrap") != has("clamp");
  if (!isKnown)
    refuse();
  Tensor both = joined(read(1, {DType::UInt32}), read(2, {DType::UInt32}));
  Tensor given = wide(3, DType::UInt32);
  Tensor count = has("wrap") ? emitter.like<arith::AndIOp>(range, given, constantBits(31, 64))
                             : emitter.like<arith::MinUIOp>(range, given, constantBits(32, 64));
  write(has("l") ? upperHalf(emitter.like<arith::ShLIOp>(range, both, count))
                 : lowerHalf(right(both, count)));
}

/// One of the four bytes of an operand, as the operand's type in the instruction has it.
Tensor Machine::byte(size_t index, unsigned number) {
  DType type = typeOf(current->words[index]).dtype;
  if (bitWidth(type) != 32)
    refuse();
  Tensor bits = right(read(index, {DType::UInt32}), constantBits(8 * number, 32));
  Tensor part = asType(resize(bits, 8), isSigned(type) ? DType::Int8 : DType::UInt8);
  return emitter.cast(part, {DType::Int32}, range);
}

void Machine::runBytes() {
  allow({});
  if (current->words.size() != 3 || current->operands.size() != 4)
    refuse();
  Tensor sum = asType(read(3, {DType::UInt32}), DType::Int32);
  for (unsigned i = 0; i < 4; ++i)
    sum = emitter.like<arith::AddIOp>(range, sum,
                                      emitter.like<arith::MulIOp>(range, byte(1, i), byte(2, i)));
  write(toBits(sum));
}

/// cvt to tf32: to the nearest, ties away from zero (.rna) or to even (.rn).
void Machine::runTensorFloat() {
  bool isKnown = current->words.size() == 4 && current->words[2] == "tf32" &&
                 current->words[3] == "f32" && current->operands.size() == 2 &&
                 (has("rna") || has("rn"));
  if (!isKnown)
    refuse();
  constexpr unsigned dropped = 13;
  constexpr uint64_t rest = (1 << dropped) - 1, nan = 0x7fffffff, infinity = 0x7f800000;
  auto number = [&](uint64_t bits) { return constantBits(bits, 32); };
  Tensor bits = read(1, {DType::UInt32});
  Tensor isOdd = emitter.like<arith::AndIOp>(range, right(bits, number(dropped)), number(1));
  Tensor half = has("rna") ? number((rest + 1) / 2)
                           : emitter.like<arith::AddIOp>(range, isOdd, number(rest / 2));
  Tensor rounded = emitter.like<arith::AndIOp>(
      range, emitter.like<arith::AddIOp>(range, bits, half), number(~rest & 0xffffffff));
  Tensor size = emitter.like<arith::AndIOp>(range, bits, number(nan));
  Tensor isNan = *emitter.compare(ast::CompareOp::Gt, size, number(infinity), range).as<Tensor>();
  write({emitter.make<arith::SelectOp>(range, isNan.value, number(nan).value, rounded.value),
         bits.type});
}

/// A float32 as e2m1, to the nearest and of two the even one; what is too large, and no number,
/// becomes the largest. Sizes of floats order as their bits do.
Tensor Machine::toFourBits(size_t index) {
  // Halfway between 0, 0.5, 1, 1.5, 2, 3, 4 and 6; where the upper neighbour is even, one bit less.
  constexpr uint64_t bounds[] = {0x3e800000, 0x3f3fffff, 0x3fa00000, 0x3fdfffff,
                                 0x40200000, 0x405fffff, 0x40a00000};
  auto number = [&](uint64_t value) { return constantBits(value, 32); };
  auto isAbove = [&](const Tensor &size, uint64_t bound) {
    return *emitter.compare(ast::CompareOp::Gt, size, number(bound), range).as<Tensor>();
  };
  Tensor bits = read(index, {DType::UInt32});
  Tensor size = emitter.like<arith::AndIOp>(range, bits, number(0x7fffffff));
  Tensor code = number(0);
  for (uint64_t bound : bounds)
    code = emitter.like<arith::AddIOp>(range, code, resize(isAbove(size, bound), 32));
  Tensor sign = emitter.like<arith::AndIOp>(range, right(bits, number(28)), number(8));
  Tensor isNan = isAbove(size, 0x7f800000);
  Tensor kept{emitter.make<arith::SelectOp>(range, isNan.value, number(0).value, sign.value),
              sign.type};
  return emitter.like<arith::OrIOp>(range, code, kept);
}

/// The e2m1 at `shift` in a register of 32 bits, as a float16 in one.
Tensor Machine::fromFourBits(const Tensor &bits, unsigned shift) {
  auto number = [&](uint64_t value) { return constantBits(value, 32); };
  auto masked = [&](const Tensor &from, uint64_t mask) {
    return emitter.like<arith::AndIOp>(range, from, number(mask));
  };
  auto left = [&](const Tensor &from, uint64_t by) {
    return emitter.like<arith::ShLIOp>(range, from, number(by));
  };
  Tensor code = masked(right(bits, number(shift)), 15), size = masked(code, 7);
  constexpr uint64_t bias = 14, half = 0x3800; // of the exponents; 0.5, which e2m1 writes as 1
  Tensor normal = emitter.like<arith::AddIOp>(range, left(size, 9), number(bias << 10));
  Tensor small = emitter.like<arith::MulIOp>(range, size, number(half));
  Tensor isNormal = *emitter.compare(ast::CompareOp::Gt, size, number(1), range).as<Tensor>();
  Tensor value{emitter.make<arith::SelectOp>(range, isNormal.value, normal.value, small.value),
               size.type};
  return emitter.like<arith::OrIOp>(range, value, left(masked(code, 8), 12));
}

/// cvt from two float32 to two e2m1 in a byte, and from these to two float16. GPUs that have the
/// instruction get it as it is written.
void Machine::runFourBits() {
  auto capability = capabilityOf(emitter);
  const std::vector<std::string> &words = current->words;
  bool isNarrowing = words.size() == 5 && words[1] == "rn" && words[2] == "satfinite" &&
                     words[3] == "e2m1x2" && words[4] == "f32" && current->operands.size() == 3;
  bool isWidening = words.size() == 4 && words[1] == "rn" && words[2] == "f16x2" &&
                    words[3] == "e2m1x2" && current->operands.size() == 2;
  if ((capability && *capability >= 100) || (!isNarrowing && !isWidening))
    refuse();
  if (isNarrowing) { // the first operand becomes the upper half
    Tensor upper = emitter.like<arith::ShLIOp>(range, toFourBits(1), constantBits(4, 32));
    return write(resize(emitter.like<arith::OrIOp>(range, toFourBits(2), upper), 8));
  }
  Tensor bits = resize(read(1, {DType::UInt8}), 32);
  write(joined(resize(fromFourBits(bits, 0), 16), resize(fromFourBits(bits, 4), 16)));
}

} // namespace nereid::emit::ptx
