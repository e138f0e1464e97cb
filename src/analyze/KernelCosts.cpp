// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/KernelCosts.h"

#include "analyze/Units.h"
#include "backend/AuthorPlace.h"
#include "backend/nvptx/Configuration.h"
#include "dialect/nv/Nv.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace nereid::analyzer {
namespace {

/// A product of m x k by k x n.
struct Sizes {
  double m, n, k;
  Type factor, sum;
  double flops() const { return 2 * m * n * k; }
};

std::pair<llvm::ArrayRef<int64_t>, Type> shapeOf(Type type) {
  if (auto room = llvm::dyn_cast<nv::SharedType>(type))
    return {room.getShape(), room.getElementType()};
  return {tile::shapeOf(type), tile::elementOf(type)};
}

Sizes sizesOf(Type lhs, Type rhs, Type result) {
  auto [shape, factor] = shapeOf(lhs);
  auto out = tile::shapeOf(result);
  double batch = 1;
  for (int64_t size : out.drop_back(2))
    batch *= double(size);
  return {batch * double(out[out.size() - 2]), double(out.back()), double(shape.back()),
          shapeOf(rhs).second, tile::elementOf(result)};
}

/// Of tensor cores, how much faster than factors of 16 bits.
double speedOf(Type factor) {
  unsigned bits = factor.getIntOrFloatBitWidth();
  return bits <= 8 ? 2 : bits == 16 ? 1 : 0.5;
}

enum class Unit { None, Fma, Integer, Special, Double, Other };

/// What computes one element, and with how many instructions. Estimates for what is a sequence.
std::pair<Unit, double> unitOf(Operation *op) {
  if (op->getNumResults() != 1)
    return {Unit::None, 0};
  Type element = tile::elementOf(op->getResult(0).getType());
  Type source = op->getNumOperands() ? tile::elementOf(op->getOperand(0).getType()) : element;
  bool isDouble = element.isF64() || source.isF64();
  using Answer = std::pair<Unit, double>;
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<arith::ConstantOp>([](auto) { return Answer{Unit::None, 0}; })
      .Case<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp>(
          [&](auto) { return Answer{isDouble ? Unit::Double : Unit::Fma, 1}; })
      .Case<arith::DivFOp>([&](auto) { return Answer{isDouble ? Unit::Double : Unit::Fma, 8}; })
      .Case<arith::MulIOp>([](auto) { return Answer{Unit::Fma, 1}; })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
          [](auto) { return Answer{Unit::Integer, 16}; })
      .Case<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::SqrtOp, math::RsqrtOp,
            math::SinOp, math::CosOp, math::TanhOp>(
          [&](auto) { return Answer{isDouble ? Unit::Double : Unit::Special, isDouble ? 20 : 1}; })
      .Case<arith::TruncFOp, arith::ExtFOp, arith::SIToFPOp, arith::FPToSIOp, arith::UIToFPOp,
            arith::FPToUIOp>([&](auto) {
        // Those of 16 and 32 bits go two at a time through the ALU.
        return Answer{isDouble ? Unit::Double : Unit::Integer, isDouble ? 1 : 0.5};
      })
      .Default([&](Operation *other) {
        llvm::StringRef dialect = other->getName().getDialectNamespace();
        if (dialect == arith::ArithDialect::getDialectNamespace())
          return Answer{Unit::Integer, 1};
        if (dialect == math::MathDialect::getDialectNamespace())
          return Answer{Unit::Fma, 10};
        if (llvm::isa<tile::OffsetOp>(other))
          return Answer{Unit::Integer, 2};
        return Answer{Unit::None, 0};
      });
}

bool isAlike(const Analysis::Shared &a, const Analysis::Shared &b) { return a.kind == b.kind; }
bool isAlike(const Analysis::Product &a, const Analysis::Product &b) {
  return a.instruction == b.instruction;
}

/// Passes copy operations: what stands at one place and is of one kind is one entry.
template <typename T, typename F> void addAlike(std::vector<T> &list, const T &entry, F add) {
  for (T &other : list)
    if (other.place.line == entry.place.line && other.place.column == entry.place.column &&
        other.place.file == entry.place.file && isAlike(other, entry))
      return add(other);
  list.push_back(entry);
}

std::string kindOf(Operation *op) { return op->getName().stripDialect().str(); }

} // namespace

Place placeOf(Location location) {
  const runtime::CodePlace place = backend::authorPlaceOf(location);
  return {place.file, place.line, place.column};
}

Place placeOf(Operation *op) { return placeOf(op->getLoc()); }

KernelCosts::KernelCosts(const backend::nvptx::EmittedKernel &kernel, const LaunchCounts &counts,
                         uint64_t blocks)
    : kernel(kernel), counts(counts), axes(kernel.function),
      blocksOfProgram(double(blocks) / double(counts.programs)),
      warps(backend::nvptx::configurationOf(kernel.function)->warps) {
  addShared();
  func::FuncOp(kernel.function).walk([&](Operation *op) {
    addMbarriers(op);
    addProduct(op);
    addArithmetic(op);
  });
}

double KernelCosts::executions(Operation *op) const {
  // What stands outside of nv.programs is done once by a block.
  const double share = op->getParentOfType<nv::ProgramsOp>() ? 1 : blocksOfProgram;
  // A combine region is emitted with the operation that has it.
  for (; op; op = op->getParentOp())
    if (auto found = counts.blocks.find(op->getBlock()); found != counts.blocks.end())
      return found->second * share;
  return 0;
}

void KernelCosts::addShared() {
  for (const auto &[op, costs] : kernel.costs) {
    const double times = executions(op);
    Analysis::Shared entry;
    entry.place = placeOf(op);
    // One that is emitted before an operation that has nothing to do with it is a barrier alone.
    entry.kind = costs.sharedRequests || costs.warpBarriers ? kindOf(op) : "barrier";
    entry.barriers = rounded(times * costs.barriers);
    entry.warpBarriers = rounded(times * double(costs.warpBarriers));
    entry.requests = rounded(times * double(costs.sharedRequests));
    entry.wavefronts = rounded(times * double(costs.sharedWavefronts));
    entry.leastWavefronts = rounded(times * double(costs.leastWavefronts));
    sharedWavefronts += double(entry.wavefronts);
    shared.push_back(std::move(entry));
  }
}

/// Of a block that executes it once; of a box one thread says what bytes to expect.
unsigned KernelCosts::mbarriersOf(Operation *op) {
  return llvm::isa<nv::AwaitSlotOp, nv::ReleaseOp, nv::FetchOp, nv::FetchRowOp, nv::ReadRowOp,
                   nv::KeepRowOp, nv::ReadKeptOp>(op);
}

void KernelCosts::addMbarriers(Operation *op) {
  if (!mbarriersOf(op))
    return;
  Analysis::Shared entry;
  entry.place = placeOf(op);
  entry.kind = kindOf(op);
  entry.mbarriers = rounded(executions(op) * mbarriersOf(op));
  shared.push_back(std::move(entry));
}

void KernelCosts::addProduct(Operation *op) {
  std::string instruction;
  Sizes sizes{};
  double perInstruction = 1; // FLOP
  double unfilled = 1;       // what an instruction could compute by what it does
  if (auto dot = llvm::dyn_cast<tile::DotOp>(op)) {
    sizes = sizesOf(dot.getLhs().getType(), dot.getRhs().getType(), dot.getResult().getType());
    auto product = dot->getAttrOfType<nv::ProductAttr>(nv::productAttr);
    if (product && product.getBy() == nv::Multiplier::Warps) {
      instruction = llvm::formatv("mma.m16n8k{0}", product.getDepth());
      llvm::ArrayRef<int64_t> shape = tile::shapeOf(dot.getType()).take_back(2);
      unfilled = 16 / std::min(16.0, double(shape[0])) * 8 / std::min(8.0, double(shape[1]));
      perInstruction = 2.0 * 16 / unfilled * 8 * product.getDepth();
    }
  } else if (auto multiply = llvm::dyn_cast<nv::MultiplyOp>(op)) {
    sizes = sizesOf(multiply.getLhs().getType(), multiply.getRhs().getType(),
                    multiply.getResult().getType());
    unsigned depth = 32 / tile::byteSizeOf(sizes.factor);
    instruction = llvm::formatv("wgmma.m64n{0}k{1}", multiply.getColumns(), depth);
    perInstruction = 2.0 * 64 * multiply.getColumns() * depth;
  } else if (auto add = llvm::dyn_cast<nv::MultiplyAddOp>(op)) {
    sizes = sizesOf(add.getLhs().getType(), add.getRhs().getType(), add.getResult().getType());
  } else {
    return;
  }
  const double times = executions(op);
  const bool isOfTensorCores = !instruction.empty();
  if (!isOfTensorCores) {
    instruction = "fma";
    perInstruction = 2 * target::warpSize;
    (sizes.sum.isF64() ? doubleLanes : fmaLanes) += times * sizes.flops() / 2;
  } else {
    tensorFlops += times * unfilled * sizes.flops() / speedOf(sizes.factor);
  }
  products.push_back({placeOf(op), instruction, rounded(times * sizes.flops() / perInstruction),
                      times * sizes.flops(), 0});
}

/// How many registers of a thread are computed: of numbers that count up or are alike from one
/// register to the next one is, and the others are offsets from it.
double KernelCosts::registersOf(Value value) const {
  const layout::LinearLayout *layout = nv::findLayout(value.getType());
  if (!layout)
    return 1;
  const auto registers = double(uint64_t(1) << layout->bases(layout::Register).size());
  int64_t run = 1;
  Type element = tile::elementOf(value.getType());
  if (element.isInteger() || tile::pointeeOf(value.getType()))
    for (const analysis::Axis &axis : axes.of(value).axes)
      run = std::max({run, axis.contiguity, axis.constancy});
  return std::max(1.0, registers / double(run));
}

void KernelCosts::addArithmetic(Operation *op) {
  auto [unit, count] = unitOf(op);
  if (unit == Unit::None)
    return;
  Type type = op->getResult(0).getType();
  const double instructions = executions(op) * warps * count * registersOf(op->getResult(0));
  Place place = placeOf(op);
  Analysis::Arithmetic &line = arithmetic[{place.file, place.line}];
  line.place = place;
  auto add = [&](uint64_t &sum, double &lanes) {
    sum += rounded(instructions);
    lanes += instructions * target::warpSize;
  };
  double others = 0;
  if (llvm::isa<FloatType>(tile::elementOf(type)) &&
      (unit == Unit::Fma || unit == Unit::Special || unit == Unit::Double))
    elementFlops += instructions / count * target::warpSize;
  switch (unit) {
  case Unit::Fma:
    return add(line.fma, fmaLanes);
  case Unit::Integer:
    return add(line.integer, integerLanes);
  case Unit::Special:
    return add(line.special, specialLanes);
  case Unit::Double:
    return add(line.f64, doubleLanes);
  default:
    return add(line.other, others);
  }
}

void KernelCosts::addTo(Analysis &analysis) const {
  for (const Analysis::Shared &entry : shared)
    addAlike(analysis.shared, entry, [&](Analysis::Shared &sum) {
      sum.requests += entry.requests;
      sum.wavefronts += entry.wavefronts;
      sum.leastWavefronts += entry.leastWavefronts;
      sum.barriers += entry.barriers;
      sum.warpBarriers += entry.warpBarriers;
      sum.mbarriers += entry.mbarriers;
    });
  for (const Analysis::Product &entry : products)
    addAlike(analysis.products, entry, [&](Analysis::Product &sum) {
      sum.count += entry.count;
      sum.flops += entry.flops;
    });
  for (const auto &[line, entry] : arithmetic)
    analysis.arithmetic.push_back(entry);
  for (const Analysis::Shared &entry : shared)
    analysis.barriers += entry.barriers;
  for (const Analysis::Product &entry : products)
    analysis.flops += entry.flops;
}

} // namespace nereid::analyzer
