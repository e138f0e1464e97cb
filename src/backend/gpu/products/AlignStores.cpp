// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AffineTiles.h"
#include "analysis/AxisInfo.h"
#include "analysis/AxisRules.h"
#include "backend/gpu/Passes.h"
#include "backend/gpu/products/Products.h"
#include "backend/gpu/tiles/RowEnds.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;

namespace nereid::backend::gpu {
namespace {

using analysis::AffineTile;
using analysis::AffineTiles;
using analysis::Polynomial;

constexpr int64_t accessBytes = 16;

/// A store whose rows are neighbours in memory, of which nobody knows where they begin.
struct Unaligned {
  tile::StoreOp store;
  unsigned dimension; // along which they are
  AffineTile address;
};

class StoreAligner {
public:
  StoreAligner(func::FuncOp kernel, int64_t spared)
      : kernel(kernel), spared(spared), axes(kernel) {}

  void run() {
    llvm::SmallVector<Unaligned> found;
    kernel.walk([&](tile::StoreOp store) {
      if (std::optional<Unaligned> unaligned = find(store))
        found.push_back(std::move(*unaligned));
    });
    for (const Unaligned &unaligned : found)
      align(unaligned);
  }

private:
  std::optional<Unaligned> find(tile::StoreOp store) {
    Value pointer = store.getPointer();
    if (!tile::isTile(pointer.getType()) || !productBehind(store.getValue()))
      return std::nullopt;
    const int64_t bytes = bytesOf(store), run = accessBytes / bytes;
    for (auto [dimension, axis] : llvm::enumerate(axes.of(pointer).axes)) {
      const int64_t beside = std::gcd(analysis::axis::powerOfTwoIn(axis.contiguity),
                                      tile::shapeOf(pointer.getType())[dimension]);
      const int64_t known = std::max<int64_t>(1, axis.divisibility / bytes); // together
      if (beside < run || run < spared * known)
        continue;
      if (store.getMask() && !endsRows(store.getMask(), dimension, run, axes))
        return std::nullopt;
      std::optional<AffineTile> address = tiles.of(pointer);
      if (!address || !address->base || !(address->strides[dimension] == Polynomial(1)) ||
          !restsOnMemory(*address))
        return std::nullopt;
      return Unaligned{store, unsigned(dimension), std::move(*address)};
    }
    return std::nullopt;
  }

  static int64_t bytesOf(tile::StoreOp store) {
    return tile::byteSizeOf(tile::elementOf(store.getValue().getType()));
  }

  /// Whether no launch could say where rows begin: of parameters it does, in its specialization or
  /// for nvptx-assume-multiples.
  bool restsOnMemory(const AffineTile &address) const {
    bool rests = !tile::isParameter(address.base);
    auto look = [&](const Polynomial &polynomial) {
      for (const auto &[symbols, coefficient] : polynomial.terms())
        for (analysis::Symbol symbol : symbols)
          rests |= isLoaded(tiles[symbol].value);
    };
    look(address.start);
    for (const Polynomial &stride : address.strides)
      look(stride);
    return rests;
  }

  static bool isLoaded(Value value) {
    while (value && llvm::isa_and_present<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(
                        value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
    return value && value.getDefiningOp<tile::LoadOp>();
  }

  /// Two texts of the store, of which one may take for granted that rows begin at multiples of an
  /// access.
  void align(const Unaligned &unaligned) {
    tile::StoreOp store = unaligned.store;
    OpBuilder builder(store);
    Location loc = store.getLoc();
    auto branch = scf::IfOp::create(builder, loc, isAligned(unaligned, builder, loc),
                                    /*withElseRegion=*/true);
    OpBuilder aligned = branch.getThenBodyBuilder(), other = branch.getElseBodyBuilder();
    other.clone(*store);
    llvm::SmallVector<int64_t> amounts(tile::shapeOf(store.getPointer().getType()).size(), 1);
    amounts[unaligned.dimension] = accessBytes;
    IRMapping map;
    map.map(store.getPointer(),
            tile::HintOp::create(aligned, loc, tile::HintKind::Divisibility, store.getPointer(),
                                 aligned.getDenseI64ArrayAttr(amounts))
                .getResult());
    aligned.clone(*store, map);
    store.erase();
  }

  Value isAligned(const Unaligned &unaligned, OpBuilder &builder, Location loc) {
    Type i64 = builder.getI64Type();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
    };
    Value bytes = constant(bytesOf(unaligned.store));
    auto distance = [&](const Polynomial &elements) -> Value {
      Value number = tiles.materialize(elements, builder, loc, i64);
      return arith::MulIOp::create(builder, loc, number, bytes);
    };
    Value all = tile::PointerToIntOp::create(builder, loc, i64, unaligned.address.base);
    all = arith::AddIOp::create(builder, loc, all, distance(unaligned.address.start));
    // What is or-ed of numbers is a multiple of a power of two if all of them are.
    tile::StoreOp store = unaligned.store;
    auto shape = tile::shapeOf(store.getPointer().getType());
    for (auto [dimension, stride] : llvm::enumerate(unaligned.address.strides))
      if (dimension != unaligned.dimension && shape[dimension] > 1)
        all = arith::OrIOp::create(builder, loc, all, distance(stride));
    Value rest = arith::AndIOp::create(builder, loc, all, constant(accessBytes - 1));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest, constant(0));
  }

  func::FuncOp kernel;
  int64_t spared;
  analysis::AxisAnalysis axes;
  AffineTiles tiles{AffineTiles::Remainders::AreUnknown};
};

} // namespace

void alignStores(func::FuncOp kernel, const Configuration &configuration) {
  if (!tile::blockOf(kernel))
    StoreAligner(kernel, configuration.policy.spared_stores).run();
}

} // namespace nereid::backend::gpu
