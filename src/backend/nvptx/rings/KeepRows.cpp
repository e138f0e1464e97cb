// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that passes over their pieces share come to shared memory by the copy engine, all at once.
#include "backend/gpu/Passes.h"
#include "backend/gpu/rings/ProductLoads.h"
#include "backend/gpu/tiles/RowKeeper.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/rings/ResidentBlocks.h"
#include "backend/nvptx/rings/RowLoads.h"
#include "backend/nvptx/rings/SharedBudget.h"
#include "dialect/nv/Nv.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_LOOPOVERPIECES
#include "backend/nvptx/Passes.h.inc"

namespace {

constexpr unsigned wordBytes = 4; // of a register

class SharedRows final : public gpu::RowKeeper {
public:
  SharedRows(func::FuncOp kernel, const Configuration &configuration)
      : kernel(kernel), configuration(configuration) {}

  bool mayKeep(tile::LoadOp row) override {
    return isPossible() && findRow(row) &&
           (!row.getOther() || otherOf(row, /*builder=*/nullptr).has_value());
  }

  /// What shared memory holds of a row leaves registers to more blocks, which compute beside it.
  bool isRatherKept(tile::LoadOp row) override {
    return isPossible() && kernel->hasAttr(nv::clusterAttr) &&
           tile::shapeOf(row.getType()).size() == 1 &&
           registerBytesOf(row.getType()) / wordBytes >= configuration.policy.kept_registers &&
           mayKeep(row);
  }

  /// As many as leave room for another block, if the registers of two hold the others.
  int64_t roomFor(llvm::ArrayRef<tile::LoadOp> rows, int64_t length) override {
    const target::NvidiaTarget &target = configuration.target;
    const int64_t all = tile::elementCount(tile::LoadOp(rows.front()).getType()) / length;
    uint64_t bytes = 0, registers = 0;
    for (tile::LoadOp row : rows) {
      bytes += rowSlotType(tile::elementOf(row.getType()), length).getSlotBytes() + barrierBytes;
      registers += llvm::divideCeil(length * registerBytesOf(row.getType()) /
                                        tile::elementCount(row.getType()) / wordBytes,
                                    configuration.threads());
    }
    for (unsigned blocks = configuration.policy.kept_rows; blocks > 0; --blocks) {
      const uint64_t most =
          std::min<uint64_t>(target.sharedPerSm / blocks - blockOverhead, target.sharedPerBlock);
      const uint64_t beside = besideRows(rows);
      const int64_t kept = most < beside ? 0 : std::min<int64_t>(all, (most - beside) / bytes);
      if (kept > 0 &&
          (all - kept) * registers * 2 <= registersOfThread(target, configuration.warps * blocks)) {
        reserved = most;
        return kept;
      }
    }
    return 0;
  }

  Value keep(tile::LoadOp row, int64_t length, int64_t pieces) override {
    OpBuilder builder(row);
    auto [first, count] = loads->build(*findRow(row), builder);
    Value other = row.getOther() ? *otherOf(row, &builder) : Value();
    return nv::KeepRowOp::create(
        builder, row.getLoc(), rowSlotType(tile::elementOf(row.getType()), length), first, count,
        other, builder.getI32IntegerAttr(pieces), builder.getI64IntegerAttr(reserved));
  }

  Value read(OpBuilder &builder, Location loc, Value room, Value number) override {
    auto slot = llvm::cast<nv::SharedType>(room.getType());
    return nv::ReadKeptOp::create(
        builder, loc, RankedTensorType::get(slot.getShape(), slot.getElementType()), room, number);
  }

private:
  bool isPossible() const {
    return configuration.policy.kept_rows && configuration.target.hasCopyEngine;
  }

  const RowLoad *findRow(tile::LoadOp row) {
    if (!loads)
      loads.emplace(kernel, configuration);
    auto found =
        llvm::find_if(loads->rows(), [&](const RowLoad &each) { return each.load == row; });
    return found == loads->rows().end() ? nullptr : &*found;
  }

  /// What elements have that are not loaded, as a number; nothing if they have several. It is made
  /// if there is a builder.
  static std::optional<Value> otherOf(tile::LoadOp row, OpBuilder *builder) {
    if (auto splat = row.getOther().getDefiningOp<tile::SplatOp>())
      return splat.getValue();
    SplatElementsAttr all;
    if (!matchPattern(row.getOther(), m_Constant(&all)))
      return std::nullopt;
    if (!builder)
      return Value();
    return arith::ConstantOp::create(*builder, row.getLoc(),
                                     llvm::cast<TypedAttr>(all.getSplatValue<Attribute>()));
  }

  /// What blocks tell one another, what reductions bring together, and tiles whose accesses want
  /// different layouts.
  uint64_t besideRows(llvm::ArrayRef<tile::LoadOp> rows) const {
    llvm::SmallDenseSet<unsigned> widths;
    kernel.walk([&](Operation *op) {
      if (auto load = llvm::dyn_cast<tile::LoadOp>(op); load && tile::isTile(load.getType()))
        widths.insert(tile::byteSizeOf(tile::elementOf(load.getType())));
      if (auto store = llvm::dyn_cast<tile::StoreOp>(op);
          store && tile::isTile(store.getValue().getType()))
        widths.insert(tile::byteSizeOf(tile::elementOf(store.getValue().getType())));
    });
    const uint64_t small = 3 * nv::roomAlignment; // rooms of a cluster, of barriers, and scratch
    return small + (rows.size() - 1) * nv::roomAlignment +
           (widths.size() > 1 ? configuration.policy.exchange_bytes : 0) +
           configuration.policy.found_bytes;
  }

  mutable func::FuncOp kernel;
  const Configuration &configuration;
  std::optional<RowLoads> loads;
  uint64_t reserved = 0;
};

struct LoopOverPieces final
    : ConfiguredPass<impl::LoopOverPiecesBase<LoopOverPieces>, LoopOverPieces> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    SharedRows keeper(kernel, configuration);
    gpu::loopOverPieces(kernel, configuration, keeper);
  }
};

} // namespace

} // namespace nereid::backend::nvptx
