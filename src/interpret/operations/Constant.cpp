// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that are the same in every program: filled in once, while planning.
#include "interpret/operations/OperationTable.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace nereid::interpret {

static uint64_t bitsOf(const llvm::APInt &value) { return value.getZExtValue(); }
static uint64_t bitsOf(const llvm::APFloat &value) { return bitsOf(value.bitcastToAPInt()); }

template <typename T> static void fill(Slot slot, Attribute value) {
  T *to = slot.as<T>();
  if (auto integer = llvm::dyn_cast<IntegerAttr>(value))
    return (void)std::fill_n(to, slot.capacity, T(bitsOf(integer.getValue())));
  if (auto number = llvm::dyn_cast<FloatAttr>(value))
    return (void)std::fill_n(to, slot.capacity, T(bitsOf(number.getValue())));
  auto elements = llvm::dyn_cast<DenseElementsAttr>(value);
  NEREID_CHECK(elements, "a constant that is neither a number nor dense");
  auto convert = [](const auto &element) { return T(bitsOf(element)); };
  if (isFloat(slot.kind))
    llvm::transform(elements.getValues<llvm::APFloat>(), to, convert);
  else
    llvm::transform(elements.getValues<llvm::APInt>(), to, convert);
}

static Step planConstant(Planner &planner, Operation &op) {
  Slot out = planner.defineConstant(op.getResult(0));
  visitBits(out.kind, [&](auto bits) {
    fill<decltype(bits)>(out, llvm::cast<arith::ConstantOp>(op).getValue());
  });
  return {};
}

static Step planRange(Planner &planner, tile::RangeOp op) {
  Slot out = planner.defineConstant(op.getResult());
  std::iota(out.as<uint32_t>(), out.as<uint32_t>() + out.capacity, uint32_t(op.getStart()));
  return {};
}

void addConstantOperations(OperationTable &table) {
  table.add<arith::ConstantOp>(planConstant);
  table.add<tile::RangeOp>(planRange);
}

} // namespace nereid::interpret
