// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/layouts/HomeLayouts.h"

#include "analysis/Aliasing.h"
#include "analysis/Distances.h"
#include "backend/gpu/layouts/AccessWidth.h"
#include "backend/gpu/layouts/ColumnsOfProducts.h"
#include "backend/gpu/layouts/EvenAccesses.h"
#include "backend/gpu/layouts/RootLayouts.h"
#include "backend/gpu/products/DotLayouts.h"
#include "dialect/nv/LaneSources.h"
#include "layout/Blocked.h"
#include "support/Check.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::backend::gpu {

using layout::LinearLayout;

HomeLayouts::HomeLayouts(func::FuncOp kernel, const Configuration &configuration)
    : warps(configuration.warps), laneBits(configuration.laneBits()),
      mostWork(configuration.policy.repeated_work), rowAccesses(configuration.policy.row_accesses),
      axes(kernel) {
  countCopies(kernel);
  auto isSettled = [&](Value tile) { return settlingOf(tile) != Settling::Free; };
  const Policy &policy = configuration.policy;
  even = evenAccesses(
      kernel, {policy.least_access_bytes, policy.spanned_bytes, policy.loaded_bytes}, isSettled,
      [&](Value pointer, Value mask) { return widestAccess(pointer, mask); });
  crossed =
      crossedAccesses(kernel, configuration.instructions->matrixInstructions(), isSettled,
                      [&](Value pointer, Value mask) { return accessLayoutOf(pointer, mask); });
  settleRepeatedScans(kernel);
  visit(kernel.getBody().front());
}

const LinearLayout &HomeLayouts::of(Value tile) const {
  auto found = homes.find(tile);
  NEREID_CHECK(found != homes.end(), "a tile has no home");
  return found->second;
}

void HomeLayouts::set(Value value, const LinearLayout &layout) { homes.try_emplace(value, layout); }

/// The work of one element, in multiplications. What addresses are made of does not count: accesses
/// choose their layout by what memory is like, and addresses follow.
static unsigned workOfElement(Operation *op) {
  if (llvm::isa<arith::MulUIExtendedOp, arith::MulSIExtendedOp, arith::DivFOp>(op))
    return 4;
  return llvm::isa_and_present<math::MathDialect>(op->getDialect()) ? 8 : 0;
}

/// What it takes to make a tile anew out of ranges, at most a little more than is allowed. What
/// lies in memory is read where it is wanted.
unsigned HomeLayouts::workOf(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op || !tile::isTile(tile.getType()) || llvm::isa<nv::ReadOp, tile::LoadOp>(op))
    return 0;
  if (auto found = works.find(tile); found != works.end())
    return found->second;
  unsigned work = workOfElement(op);
  for (Value operand : op->getOperands())
    work += workOf(operand);
  return works[tile] = std::min(work, mostWork + 1);
}

Settling HomeLayouts::settlingOf(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (llvm::isa_and_present<nv::ReadOp>(op))
    return Settling::Free;
  if (auto found = settlings.find(tile); found != settlings.end())
    return found->second;
  if (!op || !nv::hasSourceElements(op) || unpacksRoom(op, warps << laneBits) ||
      (tile::accessOf(op).touchesMemory() && !isShortRow(op)))
    return settlings[tile] = Settling::Settled;
  const unsigned copies = copiesInFactors.contains(tile) ? copiesInFactors.lookup(tile) : 1;
  bool isFree =
      workOf(tile) * copies <= mostWork && llvm::all_of(op->getOperands(), [&](Value operand) {
        return !tile::isTile(operand.getType()) || settlingOf(operand) == Settling::Free;
      });
  Settling settling = isFree                 ? Settling::Free
                      : tile::movesLanes(op) ? Settling::Moved
                                             : Settling::Settled;
  return settlings[tile] = settling;
}

LinearLayout HomeLayouts::defaultLayout(Type tile) const {
  layout::Shape shape = nv::paddedShape(tile);
  return layout::blockedLayout({shape, 1, warps, layout::rowMajor(shape.size()), {}, laneBits});
}

LinearLayout HomeLayouts::neighboursLayout(Type tile, nv::SharedType room) const {
  constexpr unsigned access = 16; // bytes
  unsigned bytes = tile::byteSizeOf(room.getElementType());
  layout::Coordinates first = layout::unpack(room.getLayout().outputs(), room.getLayout()(1));
  layout::Order order = layout::rowMajor(first.size());
  auto along = llvm::find_if(order, [&](unsigned dimension) { return first[dimension] != 0; });
  if (along != order.end())
    std::rotate(order.begin(), along, along + 1);
  return layout::accessLayout(nv::paddedShape(tile), order, access / bytes, bytes, warps);
}

LinearLayout HomeLayouts::layoutToReduce(tile::ReduceOp reduce) const {
  const Type type = reduce.getSources()[0].getType();
  if (nv::SharedType room = roomBehind(reduce.getSources()[0])) {
    const layout::LinearLayout &own = room.getLayout();
    if (layout::unpack(own.outputs(), own(1))[reduce.getAxis()] != 0)
      return neighboursLayout(type, room);
  }
  return defaultLayout(type);
}

std::optional<LinearLayout> HomeLayouts::naturalLayout(Value tile) {
  if (settlingOf(tile) == Settling::Free)
    return std::nullopt;
  if (auto found = homes.find(tile); found != homes.end())
    return found->second;
  if (settlingOf(tile) == Settling::Settled)
    return std::nullopt; // in a loop, before its end was seen
  Operation *op = tile.getDefiningOp();
  std::optional<LinearLayout> source = naturalLayout(op->getOperand(0));
  return source ? nv::resultLayout(op, *source) : std::nullopt;
}

void HomeLayouts::adopt(Value value, Value from) {
  if (!tile::isTile(value.getType()) || homes.contains(value))
    return;
  if (std::optional<LinearLayout> layout = naturalLayout(from))
    set(value, *layout);
}

/// Where a product wants it that adds to it, or has it as left factor in registers, directly or in
/// the rounds of a loop.
void HomeLayouts::adoptFromProducts(Value tile) {
  for (OpOperand &use : tile.getUses()) {
    Operation *user = use.getOwner();
    if (auto multiply = llvm::dyn_cast<nv::MultiplyOp>(user))
      set(tile, multiply.getAccumulator() == tile ? multiply.resultLayout() : multiply.lhsLayout());
    if (auto sum = llvm::dyn_cast<nv::MultiplyAddOp>(user))
      set(tile, sum.resultLayout());
    if (auto dot = llvm::dyn_cast<tile::DotOp>(user); dot && dot.getAccumulator() == tile)
      set(tile, dotLayouts(dot, warps).result);
    if (auto loop = llvm::dyn_cast<scf::ForOp>(user))
      if (BlockArgument argument = loop.getTiedLoopRegionIterArg(&use)) {
        adoptFromProducts(argument);
        adopt(tile, argument);
      }
  }
}

/// What a tile is made of lane by lane, of its own shape, besides what is made anew anywhere: it
/// will lie where that does.
Value HomeLayouts::madeLanewiseOf(Value tile) {
  while (Operation *op = tile.getDefiningOp()) {
    if (homes.contains(tile) || !nv::hasSourceElements(op) || tile::movesLanes(op) ||
        op->getNumRegions() > 0 || tile::accessOf(op).touchesMemory())
      return tile;
    auto settled = llvm::find_if(op->getOperands(), [&](Value operand) {
      return tile::isTile(operand.getType()) &&
             tile::shapeOf(operand.getType()) == tile::shapeOf(tile.getType()) &&
             settlingOf(operand) == Settling::Settled;
    });
    if (settled == op->operand_end())
      return tile;
    tile = *settled;
  }
  return tile;
}

static constexpr size_t mostConsumers = 1024; // that are looked at

/// In which layout a product leaves its sums, which is known before it is visited.
static std::optional<LinearLayout> productLayout(Value tile, unsigned warps) {
  return llvm::TypeSwitch<Operation *, std::optional<LinearLayout>>(tile.getDefiningOp())
      .Case<nv::MultiplyOp, nv::MultiplyAddOp>(
          [](auto multiply) { return multiply.resultLayout(); })
      .Case([&](tile::DotOp dot) { return dotLayouts(dot, warps).result; })
      .Default([](Operation *) { return std::nullopt; });
}

/// Where a tile that is made of ranges or rows meets one that is loaded or multiplied, or is
/// stored, if that comes before anything that changes its shape; of users that count.
std::optional<LinearLayout>
HomeLayouts::layoutOfConsumers(Value tile, llvm::function_ref<bool(Operation *)> counts) {
  llvm::SetVector<Value> consumed;
  consumed.insert(tile);
  for (size_t i = 0; i < consumed.size() && i < mostConsumers; ++i)
    for (OpOperand &use : consumed[i].getUses()) {
      Operation *user = use.getOwner();
      auto store = llvm::dyn_cast<tile::StoreOp>(user);
      if (store && store.getValue() == use.get() && counts(user))
        return accessLayoutOf(store.getPointer(), store.getMask());
      if (!nv::hasSourceElements(user) || tile::movesLanes(user) || user->getNumRegions() > 0)
        continue;
      for (Value operand : counts(user) ? user->getOperands() : ValueRange()) {
        Value other = consumed.contains(operand) ? operand : madeLanewiseOf(operand);
        if (consumed.contains(other))
          continue;
        if (auto found = homes.find(other); found != homes.end())
          return found->second;
        auto load = other.getDefiningOp<tile::LoadOp>();
        if (load && tile::isTile(other.getType()) &&
            settlingOf(load.getPointer()) == Settling::Free)
          return accessLayoutOf(load.getPointer(), load.getMask());
        if (other.getDefiningOp())
          if (std::optional<LinearLayout> product = productLayout(other, warps))
            return product;
      }
      for (Value result : user->getResults())
        if (tile::isTile(result.getType()) &&
            tile::shapeOf(result.getType()) == tile::shapeOf(tile.getType()))
          consumed.insert(result);
    }
  return std::nullopt;
}

void HomeLayouts::adoptFromConsumers(Value tile) {
  if (auto layout = layoutOfConsumers(tile, [](Operation *) { return true; }))
    set(tile, *layout);
}

/// Along which axes a tile of pointers has one element for all places.
llvm::SmallBitVector HomeLayouts::repeatedAxes(Value pointer) const {
  auto shape = tile::shapeOf(pointer.getType());
  analysis::AxisInfo info = axes.of(pointer);
  llvm::SmallBitVector repeated(shape.size());
  for (auto [axis, size] : llvm::enumerate(shape))
    repeated[axis] = size > 1 && info.axes[axis].constancy >= size;
  return repeated;
}

/// Whether neighbouring lanes touch whole sectors, though each may touch less than it could. Steps
/// along axes that repeat one element lead nowhere.
bool HomeLayouts::fillsSectors(const LinearLayout &layout, tile::LoadOp load) const {
  constexpr int64_t sector = 32; // bytes
  LinearLayout inOrder = accessLayoutOf(load.getPointer(), load.getMask());
  const llvm::SmallBitVector repeated = repeatedAxes(load.getPointer());
  auto isStep = [&](layout::Vector basis) {
    layout::Coordinates at = layout::unpack(inOrder.outputs(), basis);
    return llvm::any_of(llvm::seq<size_t>(0, at.size()),
                        [&](size_t axis) { return at[axis] != 0 && !repeated[axis]; });
  };
  auto stepsOf = [&](const LinearLayout &of, const char *space) {
    return llvm::make_filter_range(of.bases(space), isStep);
  };
  layout::Vector next = 0;
  for (const char *space : {layout::Lane, layout::Register})
    for (layout::Vector basis : stepsOf(inOrder, space)) {
      next = basis;
      break;
    }
  int64_t bytes = tile::byteSizeOf(tile::elementOf(load.getType()));
  for (const char *space : {layout::Register, layout::Lane})
    for (layout::Vector basis : stepsOf(layout, space)) {
      if (basis != next)
        break;
      next *= 2;
      bytes *= 2;
    }
  return bytes >= sector;
}

/// Whether its elements are so few that the SM's own cache has them after the first access.
bool HomeLayouts::isShort(tile::LoadOp load) const {
  constexpr int64_t few = 1024; // bytes
  int64_t bytes = tile::byteSizeOf(tile::elementOf(load.getType()));
  const llvm::SmallBitVector repeated = repeatedAxes(load.getPointer());
  for (auto [axis, size] : llvm::enumerate(tile::shapeOf(load.getType())))
    bytes *= repeated[axis] ? 1 : size;
  return bytes <= few;
}

/// One row for all columns, or the other way round, is loaded by all threads that want it: they
/// read as many sectors as one would who sends it to the others, or the row is short.
void HomeLayouts::adoptIfRepeated(tile::LoadOp load) {
  if (repeatedAxes(load.getPointer()).none())
    return;
  auto layout = layoutOfConsumers(load.getResult(), [](Operation *) { return true; });
  if (layout && (fillsSectors(*layout, load) || isShort(load)))
    set(load.getResult(), *layout);
}

/// What is loaded before a loop that meets another with it each round: one of them would be
/// exchanged between lanes in each.
void HomeLayouts::adoptFromLoops(tile::LoadOp load) {
  Region *outside = load->getParentRegion();
  auto layout = layoutOfConsumers(load.getResult(), [=](Operation *user) {
    auto loop = user->getParentOfType<LoopLikeOpInterface>();
    return loop && outside->isAncestor(loop->getParentRegion());
  });
  if (layout && layout->isInjective() && fillsSectors(*layout, load))
    set(load.getResult(), *layout);
}

/// Where memory is read or written through addresses that are made of it: of rows whose numbers are
/// loaded, it is those numbers that move, one for each row. `alsoMoved`: or of which addresses of
/// another shape are made.
void HomeLayouts::adoptFromAccesses(Value tile, bool alsoMoved) {
  llvm::SetVector<Value> addresses;
  llvm::DenseMap<Value, OpOperand *> madeOf; // the operand that led to it
  addresses.insert(tile);
  auto adoptAs = [&](Value address, LinearLayout layout) {
    for (; address != tile; address = madeOf[address]->get())
      layout = nv::sourceLayout(*madeOf[address], layout);
    set(tile, layout);
  };
  for (size_t i = 0; i < addresses.size() && i < mostConsumers; ++i)
    for (OpOperand &use : addresses[i].getUses()) {
      Operation *user = use.getOwner();
      auto load = llvm::dyn_cast<tile::LoadOp>(user);
      auto store = llvm::dyn_cast<tile::StoreOp>(user);
      auto copy = llvm::dyn_cast<nv::CopyOp>(user);
      if (copy && copy.getPointer() == use.get())
        return adoptAs(use.get(), copyLayoutOf(use.get(), copy.maskOfRuns()));
      if (load && load.getPointer() == use.get() && prefersAnOrder(axes, use.get()))
        return adoptAs(use.get(), accessLayoutOf(use.get(), load.getMask()));
      if (store && store.getPointer() == use.get() && prefersAnOrder(axes, use.get()))
        return adoptAs(use.get(), accessLayoutOf(use.get(), store.getMask()));
      if (user->getNumResults() == 1 && nv::hasSourceElements(user) &&
          (alsoMoved || !tile::movesLanes(user)) && user->getNumRegions() == 0 &&
          !tile::accessOf(user).touchesMemory() && addresses.insert(user->getResult(0)))
        madeOf[user->getResult(0)] = &use;
    }
}

void HomeLayouts::visit(Block &block) {
  for (Operation &op : block.without_terminator())
    visit(&op);
}

void HomeLayouts::visit(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<scf::ForOp>([&](Operation *loop) { visitFor(loop); })
      .Case<scf::WhileOp>([&](Operation *loop) { visitWhile(loop); })
      .Case<scf::IfOp>([&](Operation *branch) { visitIf(branch); })
      .Case<tile::DotOp>([&](Operation *dot) { visitDot(dot); })
      .Case<tile::ReduceOp>([&](Operation *reduce) { visitReduce(reduce); })
      .Case([&](tile::LoadOp load) {
        if (!tile::isTile(load.getType()) || settlingOf(load.getResult()) == Settling::Free)
          return;
        adopt(load.getResult(), load.getPointer());
        if (isAsGoodAnywhere(load.getPointer()))
          adoptFromConsumers(load.getResult());
        else if (settlingOf(load.getPointer()) == Settling::Free &&
                 !homes.contains(load.getResult()))
          adoptIfRepeated(load);
        if (homes.contains(load.getResult()))
          return;
        if (settlingOf(load.getPointer()) != Settling::Free)
          return;
        adoptFromLoops(load);
        set(load.getResult(), accessLayoutOf(load.getPointer(), load.getMask()));
      })
      .Case([&](tile::AtomicRmwOp atomic) {
        if (!tile::isTile(atomic.getType()))
          return;
        adopt(atomic.getResult(), atomic.getValue());
        adopt(atomic.getResult(), atomic.getPointer());
        set(atomic.getResult(), accessLayoutOf(atomic.getPointer(), atomic.getMask()));
      })
      .Case([&](tile::AtomicCasOp atomic) {
        if (!tile::isTile(atomic.getType()))
          return;
        for (Value operand : {atomic.getValue(), atomic.getExpected(), atomic.getPointer()})
          adopt(atomic.getResult(), operand);
        set(atomic.getResult(), accessLayoutOf(atomic.getPointer(), {}));
      })
      .Case<nv::ReadRowOp, nv::ReadKeptOp>(
          [&](auto row) { set(row.getResult(), rowLayout(row.getResult())); })
      .Case([&](nv::ProgramsOp programs) { visit(programs.getBody().front()); })
      .Case<nv::MultiplyOp, nv::MultiplyAddOp>(
          [&](auto multiply) { set(multiply.getResult(), multiply.resultLayout()); })
      .Case([&](nv::FinishOp finish) { adopt(finish.getResult(), finish.getProducts()); })
      .Default([&](Operation *other) {
        if (hasRootLayout(other))
          visitRoot(other);
        else if (nv::hasSourceElements(other) && other->getNumResults() > 0)
          visitLanewise(other);
      });
}

/// Where an operand is that is made somewhere; where none is, where one is that only stands at
/// another place. (In a loop, one that has no home yet may get it from the loop's end.)
void HomeLayouts::visitLanewise(Operation *op) {
  Value first = op->getResult(0);
  if (!tile::isTile(first.getType()) || settlingOf(first) != Settling::Settled)
    return;
  auto operands = [&](Settling settling) {
    return llvm::make_filter_range(op->getOperands(), [&, settling](Value operand) {
      return tile::isTile(operand.getType()) && settlingOf(operand) == settling;
    });
  };
  adoptFromOperands(first, op);
  if (operands(Settling::Settled).empty()) {
    adoptFromProducts(first);
    if (!operands(Settling::Moved).empty())
      adoptFromAccesses(first);
    if (llvm::all_of(operands(Settling::Moved), [&](Value row) { return repeats(row, first); }))
      adoptFromConsumers(first);
    for (Value operand : operands(Settling::Moved))
      adoptIfEachHasOne(first, operand);
    if (llvm::all_of(operands(Settling::Moved),
                     [&](Value operand) { return naturalLayout(operand).has_value(); }))
      settleRest(first);
  }
  for (Value result : op->getResults().drop_front())
    adopt(result, first);
}

void HomeLayouts::visitDot(Operation *op) {
  set(op->getResult(0), *productLayout(op->getResult(0), warps));
}

void HomeLayouts::visitRoot(Operation *op) {
  if (settlingOf(op->getResult(0)) != Settling::Settled)
    return;
  if (std::optional<LinearLayout> layout = rootLayout(op, *this))
    for (Value result : op->getResults())
      set(result, *layout);
}

void HomeLayouts::visitReduce(Operation *op) {
  auto reduce = llvm::cast<tile::ReduceOp>(op);
  std::optional<LinearLayout> source;
  for (Value value : reduce.getSources())
    if (!source)
      source = naturalLayout(value);
  bool isComplete = llvm::all_of(reduce.getSources(), [&](Value value) {
    return settlingOf(value) == Settling::Free || naturalLayout(value);
  });
  if (!source && !isComplete)
    return; // in a loop, before its end was seen
  LinearLayout layout = source ? *source : layoutToReduce(reduce);
  for (Value result : reduce.getResults())
    if (tile::isTile(result.getType()))
      set(result, layout::sliced(layout, reduce.getAxis()).layout);
}

} // namespace nereid::backend::gpu
