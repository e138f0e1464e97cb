// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/rings/SendStores.h"

#include "analysis/Aliasing.h"
#include "analysis/Slice.h"
#include "backend/gpu/products/Products.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/rings/LoopOverPrograms.h"
#include "dialect/nv/LaneSources.h"
#include "layout/Fragment.h"
#include "layout/OperandImage.h"
#include "support/Check.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_SENDSTORES
#include "backend/nvptx/Passes.h.inc"

static constexpr unsigned roomStages = 2;

static Value valueOf(Operation *store) {
  if (auto atomic = llvm::dyn_cast<tile::AtomicRmwOp>(store))
    return atomic.getValue();
  return llvm::cast<tile::StoreOp>(store).getValue();
}

unsigned Send::stages() const {
  if (!adds())
    return roomStages;
  llvm::ArrayRef<int64_t> part = nv::SharedType(piece).getShape();
  return tile::elementCount(valueOf(store).getType()) / (part[0] * part[1]);
}

uint64_t Send::roomBytes() const { return stages() * nv::SharedType(piece).getSlotBytes(); }

bool Send::sharesRoom(const Send &other) const {
  Attribute whole = store->getAttr(nv::partOfAttr);
  return whole && whole == other.store->getAttr(nv::partOfAttr) && piece == other.piece;
}

uint64_t bytesOfRooms(llvm::ArrayRef<const Send *> sends) {
  uint64_t bytes = 0;
  for (auto [number, send] : llvm::enumerate(sends))
    if (llvm::none_of(sends.take_front(number),
                      [&](const Send *before) { return send->sharesRoom(*before); }))
      bytes += send->roomBytes();
  return bytes;
}

/// An atomic that the copy engine does as well: its adds are relaxed, and of the GPU's scope.
static bool isAdd(tile::AtomicRmwOp atomic) {
  return atomic.getKind() == tile::AtomicKind::FAdd && atomic->use_empty() &&
         tile::elementOf(atomic.getType()).isF32() && !tile::accessOf(atomic).isOrdered() &&
         atomic.getScope() != tile::MemoryScope::System;
}

namespace {

/// The sums of a product, and what moves their elements to other places of the tile, the last one
/// first.
struct Sums {
  tile::DotOp dot;
  llvm::SmallVector<Operation *> moves = {};
};

Sums findSums(Value tile) {
  if (tile::DotOp dot = productBehind(tile))
    return {dot};
  Operation *last = nullptr;
  auto isLink = [](Operation *op) { return tile::isLanewise(op) && !tile::movesLanes(op); };
  analysis::followSources(tile, isLink, [&](OpResult source) {
    const bool isMove = llvm::isa<tile::ReshapeOp, tile::PermuteOp>(source.getOwner()) &&
                        nv::hasSourceElements(source.getOwner());
    last = isMove ? source.getOwner() : nullptr;
    return last ? WalkResult::interrupt() : WalkResult::advance();
  });
  Sums sums;
  for (Operation *op = last; op && llvm::isa<tile::ReshapeOp, tile::PermuteOp>(op);
       op = op->getOperand(0).getDefiningOp()) {
    if (!nv::hasSourceElements(op))
      return {};
    sums.moves.push_back(op);
  }
  if (!sums.moves.empty())
    sums.dot = productBehind(sums.moves.back()->getOperand(0));
  return sums;
}

nv::SharedType pieceOfShape(Type tile, int64_t rows, int64_t columns) {
  const layout::Shape shape = {uint64_t(rows), uint64_t(columns)};
  const unsigned bytes = tile::byteSizeOf(tile::elementOf(tile));
  return nv::SharedType::get(tile.getContext(), {rows, columns}, tile::elementOf(tile),
                             layout::widestImage(shape, 1, bytes).layout);
}

/// Columns as wide as the widest pattern that the copy engine knows.
nv::SharedType pieceOf(Type tile) {
  unsigned bytes = tile::byteSizeOf(tile::elementOf(tile));
  layout::OperandImage whole = layout::widestImage(nv::paddedShape(tile), 1, bytes);
  return pieceOfShape(tile, tile::shapeOf(tile)[0], whole.rowGroupBytes / 8 / bytes);
}

/// The end of what the threads hold along that dimension at once.
int64_t endOfThreads(const layout::LinearLayout &lies, unsigned dimension) {
  int64_t end = 1;
  for (const char *space : {layout::Lane, layout::Warp})
    for (layout::Vector basis : lies.bases(space))
      end = std::max<int64_t>(end, 2 * layout::unpack(lies.outputs(), basis)[dimension]);
  return end;
}

/// What of a tile that lies so is sent at once, no thread beyond it writing: columns, or
/// as many rows as have together what a piece of columns has. Threads may write several pieces of
/// columns at once, if matrices can be stored.
nv::SharedType pieceOf(Type tile, const layout::LinearLayout &lies) {
  constexpr int64_t leastRows = 8; // of the engine's pattern
  constexpr unsigned matrixBytes = 2;
  nv::SharedType columns = pieceOf(tile);
  const unsigned together = tile::byteSizeOf(tile::elementOf(tile)) <= matrixBytes ? roomStages : 1;
  if (endOfThreads(lies, 1) <= columns.getShape()[1] * together)
    return columns;
  auto shape = tile::shapeOf(tile);
  const int64_t rows =
      std::max({leastRows, shape[0] * columns.getShape()[1] / shape[1], endOfThreads(lies, 0)});
  return pieceOfShape(tile, std::min(rows, shape[0]), shape[1]);
}

/// Where the threads have a tile that was moved from where the product left it.
nv::LayoutAttr layoutOf(Sums &sums, nv::ProductAttr product) {
  std::optional<layout::LinearLayout> lies =
      nv::sumsLayout(product.getTurned(), sums.dot.getResult().getType(), product.getColumns(),
                     {unsigned(product.getBelow()), unsigned(product.getBeside())});
  for (Operation *move : llvm::reverse(sums.moves))
    lies = lies ? nv::resultLayout(move, *lies) : lies;
  return lies ? nv::LayoutAttr::get(product.getContext(), *lies) : nv::LayoutAttr();
}

bool hasPieces(Type tile) {
  unsigned bytes = tile::byteSizeOf(tile::elementOf(tile));
  return tile::shapeOf(tile).size() == 2 && !nv::hasGhosts(tile) &&
         tile::elementOf(tile).isIntOrFloat() && !tile::elementOf(tile).isInteger(1) &&
         bytes <= 4 && tile::shapeOf(tile)[1] * bytes >= 32;
}

std::optional<Send> findSend(Operation *store, analysis::AffineTiles &tiles,
                             const analysis::AxisAnalysis &axes) {
  auto atomic = llvm::dyn_cast<tile::AtomicRmwOp>(store);
  if (atomic ? !isAdd(atomic) : !llvm::isa<tile::StoreOp>(store))
    return std::nullopt;
  Type tile = valueOf(store).getType();
  if (!tile::isTile(tile) || !hasPieces(tile))
    return std::nullopt;
  Sums sums = findSums(valueOf(store));
  if (!sums.dot || !isOfWarpgroups(sums.dot))
    return std::nullopt;
  Type made = sums.moves.empty() ? tile : sums.moves.back()->getOperand(0).getType();
  if (tile::shapeOf(sums.dot.getType()) != tile::shapeOf(made) || nv::hasGhosts(made) ||
      tile::elementCount(made) != tile::elementCount(tile))
    return std::nullopt;
  nv::ProductAttr product = productOf(sums.dot);
  const bool isTurned = product.getTurned() != nv::Turned::None;
  if (!atomic && product.getBeside() != 1 && product.getTurned() != nv::Turned::Right)
    return std::nullopt; // several warpgroups would write into one piece
  const tile::Access access = tile::accessOf(store);
  std::optional<Box> box = findBox(access.pointer, access.mask, tiles, axes);
  if (!box || box->contiguous != 1)
    return std::nullopt;
  if (sums.moves.empty() && !isTurned)
    return Send{store, std::move(*box), product, {}, pieceOf(tile)};
  nv::LayoutAttr lies = layoutOf(sums, product);
  if (!lies || !lies.getLayout().isInjective())
    return std::nullopt;
  return Send{store, std::move(*box), product, lies, pieceOf(tile, lies.getLayout())};
}

} // namespace

/// What else than these the kernel's accesses of memory lead to.
static llvm::SmallVector<Value> touchedByOthers(func::FuncOp kernel, llvm::ArrayRef<Send> sends) {
  llvm::SmallVector<Value> touched;
  kernel.walk([&](Operation *op) {
    tile::Access access = tile::accessOf(op);
    bool isSent = llvm::any_of(sends, [&](const Send &send) { return send.store == op; });
    if (op->getNumRegions() == 0 && access.pointer && !isSent)
      touched.push_back(access.pointer);
  });
  return touched;
}

std::vector<Send> findSends(func::FuncOp kernel, analysis::AffineTiles &tiles,
                            const analysis::AxisAnalysis &axes) {
  std::vector<Send> sends;
  analysis::Aliasing aliasing(kernel);
  if (!aliasing.knowsArgumentsApart())
    return sends;
  kernel.walk([&](Operation *op) {
    if (std::optional<Send> send = findSend(op, tiles, axes))
      sends.push_back(std::move(*send));
  });
  llvm::SmallVector<Value> stored, added;
  for (const Send &send : sends)
    (send.adds() ? added : stored).push_back(tile::accessOf(send.store).pointer);
  const llvm::SmallVector<Value> touched = touchedByOthers(kernel, sends);
  auto meetsOne = [&](const Send &send, llvm::ArrayRef<Value> pointers) {
    return llvm::any_of(pointers, [&](Value pointer) {
      return aliasing.mayMeet(pointer, tile::accessOf(send.store).pointer);
    });
  };
  // What is added and what is stored goes to one array in their order, which sends do not keep.
  llvm::erase_if(sends, [&](const Send &send) {
    return meetsOne(send, touched) || meetsOne(send, send.adds() ? stored : added);
  });
  return sends;
}

namespace {

/// A room that lives as long as the operations of the kernel's body around these stores.
Value buildRoom(llvm::ArrayRef<const Send *> sends) {
  mlir::Block &body = sends[0]->store->getParentOfType<func::FuncOp>().getBody().front();
  OpBuilder outside(body.findAncestorOpInBlock(*sends.front()->store));
  const Location loc = sends.front()->store->getLoc();
  Value room =
      nv::AllocOp::create(outside, loc, sends[0]->piece, sends[0]->stages(), IntegerAttr());
  outside.setInsertionPointAfter(body.findAncestorOpInBlock(*sends.back()->store));
  nv::FreeOp::create(outside, loc, room);
  return room;
}

/// Replaces the store by nv.send, through the room. `builder` stands where the box may be
/// described.
void buildSend(const Send &send, Value room, const analysis::AffineTiles &tiles,
               OpBuilder &builder) {
  Operation *store = send.store;
  Location loc = store->getLoc();
  Value box = buildBox(send.box, send.piece, tiles, builder, loc);
  // A round's adds begin when what threads meet for before has seen to those of the last.
  if (send.adds() && llvm::isa<scf::ForOp>(store->getParentOp())) {
    OpBuilder atBegin = OpBuilder::atBlockBegin(store->getBlock());
    nv::AwaitSentOp::create(atBegin, loc, room);
  }
  OpBuilder inside(store);
  auto grid =
      inside.getDenseI32ArrayAttr({int(send.product.getBelow()), int(send.product.getBeside())});
  auto op = nv::SendOp::create(inside, loc, valueOf(store), room, box,
                               buildStarts(send.box, tiles, inside, loc), grid,
                               send.product.getColumns(), send.lies, send.adds());
  if (Attribute whole = store->getAttr(nv::partOfAttr))
    op->setAttr(nv::partOfAttr, whole);
  store->erase();
}

struct SendStores final : ConfiguredPass<impl::SendStoresBase<SendStores>, SendStores> {
  void run(func::FuncOp kernel, const Configuration &) {
    llvm::SmallVector<Operation *> marked;
    kernel.walk([&](Operation *op) {
      if (op->hasAttr(nv::sentAttr))
        marked.push_back(op);
    });
    if (marked.empty())
      return;
    analysis::AffineTiles tiles;
    analysis::AxisAnalysis axes(kernel);
    OpBuilder behindRings(kernel.getContext());
    behindRings.setInsertionPointAfter(lastOfAllPrograms(kernel));
    std::vector<Send> sends;
    for (Operation *store : marked) {
      std::optional<Send> send = findSend(store, tiles, axes);
      NEREID_CHECK(send, "a store was marked that cannot be sent");
      sends.push_back(std::move(*send));
    }
    std::vector<Value> rooms;
    for (const Send &send : sends) {
      auto before = llvm::find_if(sends, [&](const Send &each) { return send.sharesRoom(each); });
      llvm::SmallVector<const Send *> together = {&send};
      if (before < sends.begin() + rooms.size()) {
        rooms.push_back(rooms[before - sends.begin()]);
        continue;
      }
      for (const Send &other : llvm::drop_begin(sends, rooms.size() + 1))
        if (send.sharesRoom(other))
          together.push_back(&other);
      rooms.push_back(buildRoom(together));
    }
    for (auto [send, room] : llvm::zip(sends, rooms))
      buildSend(send, room, tiles, behindRings);
  }
};

} // namespace

} // namespace nereid::backend::nvptx
