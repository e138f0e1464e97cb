// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/DataFlow.h"

#include "analyze/KernelCosts.h"
#include "analyze/TileExchanges.h"
#include "dialect/nv/Nv.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace mlir;

namespace nereid::analyzer {
namespace {

constexpr const char *memory = "memory", *shared = "shared memory", *registers = "registers";

bool isProduct(Operation *op) {
  return llvm::isa<tile::DotOp, nv::MultiplyOp, nv::MultiplyAddOp>(op);
}
bool isWait(Operation *op) {
  return llvm::isa<nv::AwaitSlotOp, nv::AwaitCopiesOp, nv::AwaitProductsOp, nv::FinishOp,
                   nv::SyncOp, tile::BarrierOp>(op);
}
/// Whose results come from elsewhere than from what it is given.
bool isSource(Operation *op) {
  return llvm::isa<tile::LoadOp, tile::AtomicRmwOp, tile::AtomicCasOp, nv::ReadOp, nv::ReadRowOp,
                   nv::ReadKeptOp, nv::AwaitSlotOp>(op) ||
         isProduct(op);
}

/// The room that a view or slot is of.
Value roomOf(Value value) {
  for (;;) {
    if (auto slot = value.getDefiningOp<nv::SlotOp>())
      value = slot.getRoom();
    else if (auto view = value.getDefiningOp<nv::ViewOp>())
      value = view.getSource();
    else
      return value;
  }
}

/// The room that it writes to; null if none.
Value writtenBy(Operation *op) {
  if (auto write = llvm::dyn_cast<nv::WriteOp>(op))
    return roomOf(write.getTarget());
  if (auto turn = llvm::dyn_cast<nv::TurnOp>(op))
    return roomOf(turn.getTarget());
  if (auto copy = llvm::dyn_cast<nv::CopyOp>(op))
    return roomOf(copy.getTarget());
  if (auto fetch = llvm::dyn_cast<nv::FetchOp>(op))
    return roomOf(fetch.getTurned() ? fetch.getTurned() : fetch.getRing());
  if (auto row = llvm::dyn_cast<nv::FetchRowOp>(op))
    return roomOf(row.getRing());
  if (auto row = llvm::dyn_cast<nv::KeepRowOp>(op))
    return row.getRoom();
  return {};
}

bool isRoom(Value value) { return llvm::isa<nv::SharedType>(value.getType()); }

class Tracer {
public:
  Tracer(const backend::nvptx::EmittedKernel &kernel, const LaunchCounts &counts)
      : kernel(kernel), counts(counts), function(kernel.function) {}

  Analysis::Flow trace() {
    findData();
    function.walk<WalkOrder::PreOrder>([&](Operation *op) { addStep(op); });
    for (Operation *op : included)
      addEdges(op);
    addArrays();
    for (auto [from, to, through] : edges)
      flow.edges.push_back({from, to, through});
    return std::move(flow);
  }

private:
  bool carries(Value value) const { return data.contains(value); }

  /// Which values depend on what arrays hold.
  void findData() {
    size_t before;
    do {
      before = data.size();
      function.walk([&](Operation *op) { spread(op); });
    } while (data.size() != before);
  }
  void spread(Operation *op) {
    if (auto loop = llvm::dyn_cast<scf::ForOp>(op)) {
      for (auto [argument, init, yielded, result] :
           llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(), loop.getYieldedValues(),
                     loop.getResults()))
        if (carries(init) || carries(yielded))
          data.insert_range(llvm::ArrayRef<Value>{argument, result});
      return;
    }
    if (auto branch = llvm::dyn_cast<scf::IfOp>(op)) {
      for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
        if (!region->empty())
          for (auto [result, yielded] :
               llvm::zip(op->getResults(), region->front().getTerminator()->getOperands()))
            if (carries(yielded))
              data.insert(result);
      return;
    }
    if (!isSource(op) && llvm::none_of(op->getOperands(), [&](Value v) { return carries(v); }))
      return;
    for (Value result : op->getResults())
      if (!isRoom(result))
        data.insert(result);
  }

  bool isStep(Operation *op) const {
    if (counts.accesses.contains(op) || isProduct(op) || isWait(op) ||
        llvm::isa<nv::ReadOp, nv::WriteOp, nv::TurnOp, nv::ReadRowOp, nv::ReadKeptOp,
                  nv::ReleaseOp>(op))
      return true;
    if (op->getNumRegions() && !llvm::isa<tile::ReduceOp, tile::ScanOp>(op))
      return false;
    if (kernel.costs.contains(op))
      return !op->getNumRegions() || op->getNumResults();
    // Threads exchange tiles by shuffles, too.
    if (auto convert = llvm::dyn_cast<nv::ConvertOp>(op))
      return carries(convert.getResult());
    return op->getNumResults() && !tile::movesLanes(op) && !llvm::isa<nv::SlotOp, nv::ViewOp>(op) &&
           llvm::any_of(op->getResults(), [&](Value v) { return carries(v); }) &&
           !isInsideCombination(op);
  }
  static bool isInsideCombination(Operation *op) {
    return llvm::isa<tile::ReduceOp, tile::ScanOp>(op->getParentOp());
  }

  void addStep(Operation *op) {
    if (isInsideCombination(op) || !isStep(op))
      return;
    Analysis::Step step = describe(op);
    step.place = placeOf(op);
    step.loop = loopOf(op);
    step.isOfProducer = bool(op->getParentOfType<nv::ProduceOp>());
    if (auto found = counts.blocks.find(op->getBlock()); found != counts.blocks.end())
      step.times = found->second / double(counts.programs);
    if (auto found = kernel.costs.find(op); found != kernel.costs.end())
      step.barriers = found->second.barriers;
    included.push_back(op);
    if (!joins(op, step)) {
      steps[op] = unsigned(flow.steps.size());
      flow.steps.push_back(std::move(step));
    }
    addRooms(op, flow.steps[steps[op]]);
  }

  void addRooms(Operation *op, Analysis::Step &step) {
    const Value written = writtenBy(op);
    if (written)
      step.fills.push_back(numberOf(written));
    for (Value operand : op->getOperands()) {
      const Value room = isRoom(operand) ? roomOf(operand) : Value();
      if (!room || room == written)
        continue;
      auto &list = llvm::isa<nv::ReleaseOp>(op)     ? step.releases
                   : llvm::isa<nv::AwaitSlotOp>(op) ? step.awaits
                                                    : step.reads;
      list.push_back(numberOf(room));
    }
    if (auto release = llvm::dyn_cast<nv::ReleaseOp>(op))
      step.pending = release.getPending();
    if (auto wait = llvm::dyn_cast<nv::AwaitProductsOp>(op))
      step.pending = wait.getPending();
    if (auto wait = llvm::dyn_cast<nv::FinishOp>(op))
      step.pending = wait.getPending();
  }

  unsigned numberOf(Value room) {
    auto [found, isNew] = rooms.try_emplace(room, unsigned(flow.rooms.size()));
    if (!isNew)
      return found->second;
    auto type = llvm::cast<nv::SharedType>(room.getType());
    Analysis::Flow::Room entry;
    entry.bytes = tile::byteSizeOf(type.getElementType());
    for (int64_t size : type.getShape()) {
      entry.what += (entry.what.empty() ? "" : "x") + std::to_string(size);
      entry.bytes *= uint64_t(size);
    }
    llvm::raw_string_ostream(entry.what) << ' ' << type.getElementType();
    entry.shape.assign(type.getShape().begin(), type.getShape().end());
    entry.elementBytes = unsigned(tile::byteSizeOf(type.getElementType()));
    entry.offsets = coordinatesOf(type.getLayout(), layout::Offset);
    Operation *maker = room.getDefiningOp();
    if (maker)
      entry.place = placeOf(maker);
    if (auto ring = llvm::dyn_cast_if_present<nv::RingOp>(maker))
      entry.slots = ring.getStages();
    if (auto alloc = llvm::dyn_cast_if_present<nv::AllocOp>(maker))
      entry.slots = alloc.getStages();
    flow.rooms.push_back(std::move(entry));
    return found->second;
  }

  /// What a line computes in one block is one step, and so are accesses that passes copied.
  bool joins(Operation *op, const Analysis::Step &step) {
    auto key = std::tuple(op->getBlock(), step.kind, step.place.line,
                          step.kind == "compute" ? std::string() : step.what);
    auto [found, isNew] = joined.try_emplace(key, unsigned(flow.steps.size()));
    if (isNew)
      return false;
    Analysis::Step &other = flow.steps[found->second];
    steps[op] = found->second;
    other.barriers += step.barriers;
    if (step.kind == "compute" && !llvm::StringRef(other.what).contains(step.what))
      other.what += other.what.size() < 48 ? ", " + step.what : std::string();
    return true;
  }

  Analysis::Step describe(Operation *op) const {
    Analysis::Step step;
    const std::string name = op->getName().stripDialect().str();
    if (auto found = counts.accesses.find(op); found != counts.accesses.end()) {
      auto array = counts.arrays.find(found->second.array);
      step.kind = nameOf(found->second.plan.mover);
      step.what = array == counts.arrays.end() ? std::string() : array->second.name;
      step.where = memory;
      return step;
    }
    step.where = registers;
    Type type = op->getNumResults() ? op->getResult(0).getType() : Type();
    if (isProduct(op)) {
      step.kind = "product";
      step.what = tileText(type);
    } else if (isWait(op) || isBarrier(op)) {
      step.kind = "wait";
      step.what = waitText(op);
      step.where = llvm::isa<nv::AwaitSlotOp, nv::AwaitCopiesOp>(op) ? shared : registers;
    } else if (llvm::isa<nv::ReadOp, nv::WriteOp, nv::TurnOp, nv::ReadRowOp, nv::ReadKeptOp,
                         nv::ReleaseOp>(op)) {
      step.kind = name == "read_row" || name == "read_kept" ? "read" : name;
      step.what = tileText(type ? type : op->getOperand(0).getType());
      step.where = shared;
    } else if (auto found = kernel.costs.find(op); found != kernel.costs.end()) {
      step.kind = name;
      step.what = tileText(llvm::isa<tile::ReduceOp>(op) ? op->getOperand(0).getType() : type);
      step.where = found->second.sharedRequests ? shared : registers;
    } else {
      bool isAlone = llvm::isa<tile::ReduceOp, tile::ScanOp, nv::ConvertOp>(op);
      step.kind = isAlone ? name : "compute";
      step.what = isAlone ? tileText(op->getOperand(0).getType()) : name;
    }
    return step;
  }

  /// All that it does for data is to make threads wait: where blocks begin to use what others used.
  bool isBarrier(Operation *op) const {
    auto found = kernel.costs.find(op);
    return found != kernel.costs.end() && !found->second.sharedRequests && found->second.barriers &&
           llvm::none_of(op->getResults(),
                         [&](Value v) { return carries(v) || tile::isTile(v.getType()); });
  }

  static std::string waitText(Operation *op) {
    if (llvm::isa<nv::AwaitSlotOp>(op))
      return "for the next tile";
    if (llvm::isa<nv::AwaitCopiesOp>(op))
      return "for copies";
    if (llvm::isa<nv::AwaitProductsOp, nv::FinishOp>(op))
      return "for products";
    return "for all threads";
  }

  int loopOf(Operation *op) {
    auto loop = op->getParentOp();
    while (loop && !llvm::isa<scf::ForOp, scf::WhileOp>(loop))
      loop = loop->getParentOp();
    if (!loop)
      return -1;
    if (auto found = loops.find(loop); found != loops.end())
      return found->second;
    const int outer = loopOf(loop);
    double inside = 0, entered = 0;
    mlir::Block *body = &loop->getRegions().back().front();
    if (auto found = counts.blocks.find(body); found != counts.blocks.end())
      inside = found->second;
    if (auto found = counts.blocks.find(loop->getBlock()); found != counts.blocks.end())
      entered = found->second;
    const int number = int(flow.loops.size());
    flow.loops.push_back({placeOf(loop), outer, entered > 0 ? inside / entered : 0});
    return loops[loop] = number;
  }

  void addEdges(Operation *op) {
    const unsigned to = steps[op];
    for (Value operand : op->getOperands()) {
      if (isRoom(operand) && writtenBy(op) != roomOf(operand) && !llvm::isa<nv::ReleaseOp>(op))
        addRoom(operand, to);
      else if (carries(operand))
        addSources(operand, to, "registers");
    }
    if (llvm::isa<nv::AwaitCopiesOp>(op))
      for (Operation *other : included)
        if (llvm::isa<nv::CopyOp>(other) && other->getParentRegion() == op->getParentRegion()) {
          add(steps[other], to, "order");
          flow.steps[to].awaits.push_back(numberOf(writtenBy(other)));
        }
    if (llvm::isa<nv::AwaitProductsOp>(op))
      for (Operation *other : included)
        if (llvm::isa<nv::MultiplyOp>(other) && other->getBlock() == op->getBlock())
          add(steps[other], to, "order");
    if (auto release = llvm::dyn_cast<nv::ReleaseOp>(op))
      for (Operation *other : included)
        if (Value room = writtenBy(other); room && room == roomOf(release.getRing()))
          add(to, steps[other], "order");
  }

  /// What the program loads from an array that it has written before.
  void addArrays() {
    for (auto [i, op] : llvm::enumerate(included)) {
      auto load = counts.accesses.find(op);
      if (load == counts.accesses.end() || !reads(load->second.plan.mover))
        continue;
      for (Operation *before : llvm::ArrayRef(included).take_front(i)) {
        auto store = counts.accesses.find(before);
        if (store != counts.accesses.end() && writes(store->second.plan.mover) &&
            store->second.array && store->second.array == load->second.array)
          add(steps[before], steps[op], "arrays");
      }
    }
  }

  /// What reads shared memory has it from the one who waited for its slot, or who wrote it.
  void addRoom(Value operand, unsigned to) {
    for (Value at = operand; at;) {
      if (auto slot = at.getDefiningOp<nv::SlotOp>()) {
        if (auto wait = slot.getIndex().getDefiningOp<nv::AwaitSlotOp>())
          return add(steps[wait], to, shared);
        at = slot.getRoom();
      } else if (auto view = at.getDefiningOp<nv::ViewOp>()) {
        at = view.getSource();
      } else {
        break;
      }
    }
    for (Operation *other : included)
      if (writtenBy(other) == roomOf(operand))
        add(steps[other], to, shared);
  }

  void addSources(Value value, unsigned to, const char *through) {
    llvm::DenseSet<Value> seen;
    addSources(value, to, through, seen);
  }
  void addSources(Value value, unsigned to, const char *through, llvm::DenseSet<Value> &seen) {
    if (!carries(value) || !seen.insert(value).second)
      return;
    if (auto argument = llvm::dyn_cast<BlockArgument>(value)) {
      auto loop = llvm::dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop || argument.getArgNumber() == 0)
        return;
      const unsigned number = argument.getArgNumber() - 1;
      addSources(loop.getInitArgs()[number], to, through, seen);
      return addSources(loop.getYieldedValues()[number], to, "next round", seen);
    }
    Operation *op = value.getDefiningOp();
    if (auto found = steps.find(op); found != steps.end())
      return add(found->second, to, through);
    const unsigned number = llvm::cast<OpResult>(value).getResultNumber();
    if (auto loop = llvm::dyn_cast<scf::ForOp>(op))
      return addSources(loop.getYieldedValues()[number], to, through, seen);
    if (auto branch = llvm::dyn_cast<scf::IfOp>(op)) {
      for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
        if (!region->empty())
          addSources(region->front().getTerminator()->getOperand(number), to, through, seen);
      return;
    }
    for (Value operand : op->getOperands())
      addSources(operand, to, through, seen);
  }

  void add(unsigned from, unsigned to, const char *through) {
    if (from != to || llvm::StringRef(through) == "next round")
      edges.insert({from, to, through});
  }

  const backend::nvptx::EmittedKernel &kernel;
  const LaunchCounts &counts;
  func::FuncOp function;
  Analysis::Flow flow;
  llvm::DenseSet<Value> data;
  std::vector<Operation *> included;
  llvm::DenseMap<Operation *, unsigned> steps;
  llvm::DenseMap<Value, unsigned> rooms;
  llvm::DenseMap<Operation *, int> loops;
  std::map<std::tuple<mlir::Block *, std::string, unsigned, std::string>, unsigned> joined;
  std::set<std::tuple<unsigned, unsigned, std::string>> edges;
};

} // namespace

Analysis::Flow dataFlow(const backend::nvptx::EmittedKernel &kernel, const LaunchCounts &counts) {
  return Tracer(kernel, counts).trace();
}

} // namespace nereid::analyzer
