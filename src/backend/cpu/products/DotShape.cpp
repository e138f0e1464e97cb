// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/products/DotShape.h"

#include "dialect/tile/Elements.h"
#include "support/FloatFormat.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// Whether bf16 holds all values of the type, as normal numbers where the type is not bf16 itself.
static bool fitsBFloat16(Type element) {
  if (!llvm::isa<FloatType>(element) || element.isBF16())
    return element.isBF16();
  FloatFormat format = formatOf(*tile::dtypeOf(element)), wide = formatOf(DType::BFloat16);
  int leastExponent = 1 - format.bias - static_cast<int>(format.mantissaBits);
  return format.mantissaBits <= wide.mantissaBits && leastExponent >= 1 - wide.bias;
}

DotShape::DotShape(tile::DotOp op, const target::CpuTarget &cpu) {
  llvm::ArrayRef<int64_t> lhs = tile::shapeOf(op.getLhs().getType());
  llvm::ArrayRef<int64_t> result = tile::shapeOf(op.getType());
  batch = result.size() == 3 ? result[0] : 1;
  m = result[result.size() - 2];
  n = result.back();
  k = lhs.back();
  Type left = tile::elementOf(op.getLhs().getType()), total = tile::elementOf(op.getType());
  bool isSmallFloat = llvm::isa<FloatType>(total) && !left.isF64() && !total.isF64();
  sum = isSmallFloat ? Float32Type::get(op.getContext()) : left.isF64() ? left : total;
  choose(op, cpu);

  bool isTiles = form == DotForm::Tiles;
  paddedRows = isTiles ? llvm::alignTo(m, tileRows) : m;
  paddedDepth = llvm::alignTo(k, isTiles ? tileDepthBytes / factorBytes() : group);
  // Two registers, so that each element of the left factor, once broadcast, is used twice; or two
  // tiles.
  panelWidth = isTiles ? 2 * tileColumns : 2 * cpu.vectorBytes / sumBytes();
  paddedColumns = llvm::alignTo(n, panelWidth);
}

/// vpdpbusd on the widest registers.
static bool hasByteProducts(const target::CpuTarget &cpu) {
  return (cpu.vectorBytes == 64 && cpu.has("avx512vnni")) ||
         (cpu.vectorBytes == 32 && cpu.has("avxvnni"));
}

void DotShape::choose(tile::DotOp op, const target::CpuTarget &cpu) {
  MLIRContext *context = op.getContext();
  Type lhs = tile::elementOf(op.getLhs().getType()), rhs = tile::elementOf(op.getRhs().getType());
  factor = sum;
  auto use = [&](DotForm chosen, Type type) {
    form = chosen;
    factor = type;
    group = 4 / factorBytes();
  };
  // The instructions take bf16 numbers below 2^-126 for zero; floats of 8 bits have none.
  bool keepsSmall = op.getPrecision() == tile::DotPrecision::Ieee && (lhs.isBF16() || rhs.isBF16());
  if (sum.isF32() && fitsBFloat16(lhs) && fitsBFloat16(rhs) && !keepsSmall) {
    if (cpu.has("amx-bf16"))
      use(DotForm::Tiles, BFloat16Type::get(context));
    else if (cpu.has("avx512bf16") && cpu.vectorBytes == 64)
      use(DotForm::Groups, BFloat16Type::get(context));
  }
  if (sum.isInteger(32) && lhs == rhs) {
    if (lhs.isInteger(8) && cpu.has("amx-int8"))
      use(DotForm::Tiles, lhs);
    else if (lhs.isInteger(8) && hasByteProducts(cpu)) {
      use(DotForm::Groups, lhs);
      isLhsUnsigned = true;
    } else if (lhs.isInteger(8))
      use(DotForm::Groups, IntegerType::get(context, 16));
  }
}

} // namespace nereid::backend::cpu
