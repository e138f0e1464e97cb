// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Aliasing.h"
#include "analysis/AxisInfo.h"
#include "backend/gpu/Passes.h"
#include "backend/gpu/tiles/PieceLoop.h"
#include "backend/gpu/tiles/Pieces.h"
#include "backend/gpu/tiles/RowKeeper.h"
#include "dialect/tile/EraseUnused.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <bit>

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

class Plan {
public:
  /// A keeper may want pieces of rows that registers would hold; null, there is none.
  Plan(func::FuncOp kernel, const Configuration &configuration, RowKeeper *keeper)
      : axes(kernel), aliasing(kernel), keeper(keeper), threads(configuration.threads()),
        registersOfBlock(configuration.machine.registersPerSm / threads),
        mostRegisters(configuration.policy.sum_registers),
        registersOfPiece(configuration.policy.piece_registers) {}

  llvm::SmallVector<Group> groupsOf(Block &block) {
    llvm::SmallVector<Group> groups;
    for (Operation &op : block) {
      std::optional<Sink> sink = sinkOf(&op);
      if (!sink)
        continue;
      if (!groups.empty() && mayJoin(groups.back(), *sink)) {
        sink->length = std::min(sink->length, groups.back().front().length);
        for (Sink &other : groups.back())
          other.length = sink->length;
        groups.back().push_back(std::move(*sink));
      } else {
        groups.emplace_back().push_back(std::move(*sink));
      }
    }
    llvm::erase_if(groups, [&](const Group &group) { return !isFreeOfWrites(group); });
    return groups;
  }
  bool tookWhatFits() const { return isRatherKept; }

private:
  /// Registers of a thread that a tile takes.
  int64_t registersFor(Type tile) const {
    int64_t words = std::max<int64_t>(tile::byteSizeOf(tile::elementOf(tile)) / 4, 1);
    return llvm::divideCeil(tile::elementCount(tile) * words, threads);
  }

  static int64_t bytesOf(Type tile) {
    return tile::elementCount(tile) * tile::byteSizeOf(tile::elementOf(tile));
  }

  std::optional<Sink> sinkOf(Operation *op) {
    Value tile;
    if (auto store = llvm::dyn_cast<tile::StoreOp>(op))
      tile = store.getValue();
    else if (auto reduce = llvm::dyn_cast<tile::ReduceOp>(op); reduce && combinesLanewise(reduce))
      tile = reduce.getSources()[0];
    else if (llvm::isa<tile::AtomicRmwOp>(op) && op->use_empty() && !tile::accessOf(op).isOrdered())
      tile = op->getOperand(1);
    if (!tile || !tile::isTile(tile.getType()))
      return std::nullopt;
    if (auto reduce = llvm::dyn_cast<tile::ReduceOp>(op);
        reduce && llvm::any_of(reduce.getSources(), [](Value source) {
          return llvm::isa<tile::PointerType>(tile::elementOf(source.getType()));
        }))
      return std::nullopt;
    for (unsigned dim : dimsOf(op, tile)) {
      Sink sink{op, dim, tile::shapeOf(tile.getType()) [dim], 0, tile::elementCount(tile.getType()),
                {}};
      llvm::DenseSet<std::pair<Value, unsigned>> seen;
      if (llvm::any_of(op->getOperands(), [&](Value operand) {
            return tile::isTile(operand.getType()) && !trace(operand, dim, sink, seen);
          }))
        continue;
      if (fits(registersTogether(sink, tile.getType()))) {
        if (!wantsKept(sink))
          return std::nullopt;
        isRatherKept = true;
      }
      uint64_t pieces = std::bit_ceil<uint64_t>(
          llvm::divideCeil(registersOnTheWay(sink, tile.getType()), registersOfPiece));
      sink.length = sink.size / pieces;
      if (sink.size % pieces == 0 && sink.length > 0)
        return sink;
    }
    return std::nullopt;
  }

  bool wantsKept(const Sink &sink) const {
    return keeper && llvm::any_of(sink.loads, [&](Operation *load) {
             return keeper->isRatherKept(llvm::cast<tile::LoadOp>(load));
           });
  }

  /// Along which dimensions pieces may be cut, the best first: where the others' elements are
  /// neighbours in memory, so that pieces follow one another there; else the longest.
  llvm::SmallVector<unsigned, 2> dimsOf(Operation *op, Value tile) const {
    if (auto reduce = llvm::dyn_cast<tile::ReduceOp>(op))
      return {reduce.getAxis()};
    llvm::ArrayRef<int64_t> shape = tile::shapeOf(tile.getType());
    const analysis::AxisInfo places = axes.of(tile::accessOf(op).pointer);
    llvm::SmallVector<unsigned, 2> dims;
    for (auto [dim, axis] : llvm::enumerate(places.axes))
      if (axis.contiguity == 1 && (dims.empty() || shape[dim] > shape[dims.front()]))
        dims.assign({unsigned(dim)});
    unsigned longest = llvm::max_element(shape) - shape.begin();
    if (!llvm::is_contained(dims, longest))
      dims.push_back(longest);
    return dims;
  }

  /// Registers of a thread that all pieces want together: of what is stored, the widest load's, as
  /// it comes; what it becomes is stored lane after lane. A reduction carries a piece of what it
  /// reduces.
  int64_t registersOnTheWay(const Sink &sink, Type tile) const {
    if (sink.loads.empty() || llvm::isa<tile::ReduceOp>(sink.op))
      return registersFor(tile);
    int64_t bytes = 0;
    for (Operation *load : sink.loads)
      bytes = std::max(bytes, bytesOf(load->getResult(0).getType()));
    return llvm::divideCeil(bytes, 4 * threads);
  }

  /// Whether a thread may hold so many, and half of an SM those of a block.
  bool fits(int64_t together) const {
    return together * 2 <= registersOfBlock && together <= mostRegisters;
  }

  /// Two loaded tiles are there at once; a row that is reduced is mostly alone. What several
  /// operations read would be loaded for each of them, so that it counts as what it takes at least
  /// (H200, softmax's backward of 32,768 columns of bf16 by 32 warps: 34.0 us in pieces, 31.1
  /// without).
  int64_t registersTogether(const Sink &sink, Type tile) const {
    if (sink.loads.size() < 2)
      return registersFor(tile);
    auto isReadOnce = [&](Operation *load) { return isForAlone(load, sink.op); };
    if (llvm::any_of(sink.loads, isReadOnce) || !llvm::all_of(sink.loads, staysNarrow))
      return registersFor(tile) * 2;
    int64_t bytes = 0;
    for (Operation *load : sink.loads)
      bytes += bytesOf(load->getResult(0).getType());
    return llvm::divideCeil(bytes, 4 * threads);
  }
  /// Whether what a load gives, and all that is made of it one by one, ends in one operation.
  static bool isForAlone(Operation *load, Operation *sink) {
    while (load != sink && load->hasOneUse())
      load = *load->user_begin();
    return load == sink;
  }
  /// Whether a loaded tile waits in registers as it came, several elements in each: nothing widens
  /// it, or what does has one reader, for which it is done element by element.
  static bool staysNarrow(Operation *load) {
    Type element = tile::elementOf(load->getResult(0).getType());
    return llvm::all_of(load->getUsers(), [&](Operation *user) {
      return llvm::all_of(user->getResults(), [&](Value result) {
        Type type = tile::elementOf(result.getType());
        return tile::byteSizeOf(type) <= tile::byteSizeOf(element) || result.hasOneUse();
      });
    });
  }

  /// Whether the tile can be computed in pieces at the sink, and which loads that takes.
  /// Whether what is loaded side by side along the dimension is stored far apart: pieces of whole
  /// rows of the one are columns of the other, and neither has full sectors.
  bool isTurnedOver(Operation *load, unsigned dim, const Sink &sink) const {
    if (!llvm::isa<tile::StoreOp>(sink.op) ||
        tile::shapeOf(load->getResult(0).getType()).size() < 2)
      return false;
    auto contiguity = [&](Operation *op, unsigned along) {
      return axes.of(tile::accessOf(op).pointer).axes[along].contiguity;
    };
    return contiguity(load, dim) > 1 && contiguity(sink.op, sink.dim) == 1;
  }

  bool trace(Value tile, unsigned dim, Sink &sink,
             llvm::DenseSet<std::pair<Value, unsigned>> &seen) {
    if (!seen.insert({tile, dim}).second)
      return true;
    Operation *op = tile.getDefiningOp();
    if (!op || !hasPieces(op))
      return false;
    if (llvm::isa<tile::LoadOp>(op)) {
      if (op->getBlock() != sink.op->getBlock() || isTurnedOver(op, dim, sink))
        return false;
      if (!llvm::is_contained(sink.loads, op))
        sink.loads.push_back(op);
    }
    return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
      std::optional<unsigned> at = dimOfOperand(operand, dim);
      return !at || trace(operand.get(), *at, sink, seen);
    });
  }

  /// Whether each element of both accesses is touched in one piece alone.
  bool isPiecewise(Value pointer) {
    return tile::shapeOf(pointer.getType()).size() == 1 && analysis::isDistinct(axes, pointer);
  }
  bool mayMeetInPieces(Value loaded, Value stored) {
    return aliasing.mayMeet(loaded, stored) && !(loaded == stored && isPiecewise(loaded));
  }

  bool mayJoin(const Group &group, const Sink &next) {
    const Sink &first = group.front();
    if (first.op->getBlock() != next.op->getBlock() || first.size != next.size)
      return false;
    for (const Sink &sink : group)
      for (Operation *user : sink.op->getUsers()) {
        Operation *inBlock = next.op->getBlock()->findAncestorOpInBlock(*user);
        if (inBlock && !next.op->isBeforeInBlock(inBlock))
          return false;
      }
    // One store of a loop may not be what another piece loads or stores.
    llvm::SmallVector<const Sink *> all; // in the order of the text
    for (const Sink &sink : group)
      all.push_back(&sink);
    all.push_back(&next);
    for (auto [i, writer] : llvm::enumerate(all)) {
      tile::Access access = tile::accessOf(writer->op);
      if (!access.writes)
        continue;
      if (writer != &next && !mayBeLate(*writer, next, all))
        return false;
      for (auto [j, other] : llvm::enumerate(all)) {
        if (other != writer && tile::accessOf(other->op).writes &&
            aliasing.mayMeet(access.pointer, tile::accessOf(other->op).pointer))
          return false;
        for (Operation *load : other->loads)
          if (mayMeetInPieces(load->getOperand(0), access.pointer) ||
              (j > i && isLoadedTooLate(load, *writer, llvm::ArrayRef(all).take_front(i + 1))))
            return false;
      }
    }
    return true;
  }

  /// Whether the writing sink may stand where `next` does. What the loop's sinks load has its place
  /// in the loop's rounds, unless it may be what the sink writes: others may want the whole of it.
  bool mayBeLate(const Sink &writer, const Sink &next, llvm::ArrayRef<const Sink *> all) {
    Value written = tile::accessOf(writer.op).pointer;
    for (Operation *op = writer.op->getNextNode(); op != next.op; op = op->getNextNode()) {
      bool isOfLoop = llvm::any_of(all, [&](const Sink *sink) {
        return sink->op == op || (llvm::is_contained(sink->loads, op) &&
                                  !aliasing.mayMeet(written, op->getOperand(0)));
      });
      WalkResult found = op->walk([&](Operation *inner) {
        tile::Access access = tile::accessOf(inner);
        bool meets = (access.reads || access.writes) && aliasing.mayMeet(written, access.pointer);
        bool isBound = inner->getNumRegions() == 0 && (access.isOrdered() || meets);
        return isBound ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (!isOfLoop && found.wasInterrupted())
        return false;
    }
    return true;
  }

  /// A round loads a tile when the first sink that needs it does: behind the writer's part, if none
  /// up to it does.
  bool isLoadedTooLate(Operation *load, const Sink &writer,
                       llvm::ArrayRef<const Sink *> upToWriter) {
    bool isEarly = llvm::any_of(
        upToWriter, [&](const Sink *sink) { return llvm::is_contained(sink->loads, load); });
    return !isEarly && load->isBeforeInBlock(writer.op) &&
           aliasing.mayMeet(load->getOperand(0), tile::accessOf(writer.op).pointer);
  }

  /// Whether nothing writes what is loaded between the load and the end of the loop.
  bool isFreeOfWrites(const Group &group) {
    Operation *last = group.back().op;
    for (const Sink &sink : group)
      for (Operation *load : sink.loads)
        for (Operation *op = load->getNextNode();; op = op->getNextNode()) {
          WalkResult found =
              op->walk([&](Operation *inner) { return mayChange(inner, load, group); });
          if (found.wasInterrupted())
            return false;
          if (op == last)
            break;
        }
    return true;
  }
  WalkResult mayChange(Operation *op, Operation *load, const Group &group) {
    tile::Access access = tile::accessOf(op);
    bool isSink = llvm::any_of(group, [&](const Sink &sink) { return sink.op == op; });
    if (op->getNumRegions() > 0)
      return WalkResult::advance();
    if (access.isOrdered())
      return WalkResult::interrupt();
    Value loaded = load->getOperand(0);
    bool changes = access.writes && (isSink ? mayMeetInPieces(loaded, access.pointer)
                                            : aliasing.mayMeet(loaded, access.pointer));
    return changes ? WalkResult::interrupt() : WalkResult::advance();
  }

  analysis::AxisAnalysis axes;
  analysis::Aliasing aliasing;
  RowKeeper *keeper;
  bool isRatherKept = false; // something that registers would hold
  int64_t threads, registersOfBlock, mostRegisters, registersOfPiece;
};

/// Whether something else than these sinks wants the tile, which stays whole then.
bool staysWhole(Operation *load, const llvm::DenseSet<Operation *> &sinks) {
  llvm::SetVector<Operation *> users;
  users.insert(load->user_begin(), load->user_end());
  for (size_t i = 0; i < users.size(); ++i) {
    if (sinks.contains(users[i]))
      continue;
    if (!hasPieces(users[i]))
      return true;
    users.insert(users[i]->user_begin(), users[i]->user_end());
  }
  return false;
}

/// Loops that would load a whole tile once more that stays in registers all the same are none.
void dropLoopsOfWholeTiles(llvm::SmallVectorImpl<Group> &groups) {
  size_t had = 0;
  do {
    had = groups.size();
    llvm::DenseSet<Operation *> sinks;
    for (const Group &group : groups)
      for (const Sink &sink : group)
        sinks.insert(sink.op);
    llvm::erase_if(groups, [&](const Group &group) {
      return llvm::all_of(group, [&](const Sink &sink) {
        return llvm::any_of(sink.loads, [&](Operation *load) {
          return tile::elementCount(load->getResult(0).getType()) >= sink.elements &&
                 staysWhole(load, sinks);
        });
      });
    });
  } while (groups.size() < had);
}

/// The rows that several groups go over and that the keeper has room for; pieces of these groups
/// become as long as those that it keeps.
std::optional<KeptRows> keepRows(llvm::MutableArrayRef<Group> groups, RowKeeper &keeper,
                                 const Configuration &configuration) {
  llvm::DenseSet<Operation *> sinks;
  llvm::MapVector<Operation *, llvm::SmallVector<Group *>> groupsOf;
  for (Group &group : groups)
    for (const Sink &sink : group) {
      sinks.insert(sink.op);
      for (Operation *load : sink.loads)
        if (!llvm::is_contained(groupsOf[load], &group))
          groupsOf[load].push_back(&group);
    }
  KeptRows rows;
  llvm::SetVector<Group *> over;
  int64_t size = 0, length = 0;
  for (auto &[op, users] : groupsOf) {
    auto load = llvm::cast<tile::LoadOp>(op);
    const int64_t elements = tile::elementCount(load.getType());
    const bool isRow = llvm::all_of(users, [&](Group *group) {
      return llvm::all_of(*group, [&](const Sink &sink) {
        return sink.size == elements && sink.elements == elements;
      });
    });
    if (users.size() < 2 || !isRow || (size && size != elements) || staysWhole(op, sinks) ||
        !keeper.mayKeep(load))
      continue;
    size = elements;
    rows.rows.push_back({load, {}, {}});
    over.insert(users.begin(), users.end());
  }
  if (rows.rows.empty())
    return std::nullopt;
  length = std::bit_floor<uint64_t>(configuration.policy.kept_piece_registers *
                                    uint64_t(configuration.threads()));
  for (Group *group : over)
    length = std::min(length, group->front().length);
  rows.length = length;
  rows.pieces = keeper.roomFor(rows.loads(), length);
  if (!rows.pieces)
    return std::nullopt;
  for (Group *group : over)
    for (Sink &sink : *group)
      sink.length = length;
  return rows;
}

llvm::SmallVector<Group> planGroups(func::FuncOp kernel, Plan &plan) {
  llvm::SmallVector<Group> groups;
  kernel.walk([&](Block *block) {
    if (!llvm::isa<tile::ReduceOp, tile::ScanOp>(block->getParentOp()))
      groups.append(plan.groupsOf(*block));
  });
  dropLoopsOfWholeTiles(groups);
  return groups;
}

} // namespace

void loopOverPieces(func::FuncOp kernel, const Configuration &configuration, RowKeeper &keeper) {
  bool multiplies =
      kernel.walk([](tile::DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (multiplies)
    return;
  Plan plan(kernel, configuration, &keeper);
  llvm::SmallVector<Group> groups = planGroups(kernel, plan);
  std::optional<KeptRows> rows = keepRows(groups, keeper, configuration);
  if (!rows && plan.tookWhatFits()) {
    Plan without(kernel, configuration, nullptr);
    groups = planGroups(kernel, without);
  }
  if (rows)
    rows->begin(keeper);
  for (const Group &group : groups)
    makeLoop(group, rows ? &*rows : nullptr, keeper);
  if (!groups.empty())
    tile::eraseUnused(kernel);
}

} // namespace nereid::backend::gpu
