// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace nereid::passes {

#define GEN_PASS_DEF_CARRYSTEPSASSCALARS
#include "passes/Passes.h.inc"

namespace {

using namespace mlir;

/// The scalar that a tile holds everywhere, made at the builder's place if it is a constant.
Value uniformScalar(Value value, OpBuilder &builder) {
  if (auto splat = value.getDefiningOp<tile::SplatOp>())
    return splat.getValue();
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat())
    return {};
  auto attribute = llvm::dyn_cast<TypedAttr>(constant.getSplatValue<Attribute>());
  return arith::ConstantOp::create(builder, value.getLoc(), attribute);
}

/// What a carried tile grows by each round: the uniform tiles added on the way from the block
/// argument to the yielded value.
std::optional<llvm::SmallVector<Value, 2>> stepsOf(BlockArgument argument, Value yielded) {
  llvm::SmallVector<Value, 2> steps;
  while (yielded != argument) {
    Operation *op = yielded.getDefiningOp();
    if (auto hint = llvm::dyn_cast_if_present<tile::HintOp>(op)) { // a promise moves nothing
      yielded = hint.getOperand();
      continue;
    }
    if (!llvm::isa_and_present<tile::OffsetOp, arith::AddIOp>(op))
      return std::nullopt;
    auto isUniform = [](Value value) {
      DenseElementsAttr constant;
      return value.getDefiningOp<tile::SplatOp>() ||
             (matchPattern(value, m_Constant(&constant)) && constant.isSplat());
    };
    unsigned side = isUniform(op->getOperand(1)) ? 1 : 0;
    if (!isUniform(op->getOperand(side)) || (llvm::isa<tile::OffsetOp>(op) && side == 0))
      return std::nullopt;
    steps.push_back(op->getOperand(side));
    yielded = op->getOperand(1 - side);
  }
  return steps.empty() ? std::nullopt : std::optional(steps);
}

/// Offsets are added up in 64 bits, as tile.offset reads them; integers in their own width.
Type counterType(Type tileType) {
  Type element = tile::elementOf(tileType);
  return llvm::isa<tile::PointerType>(element) ? IntegerType::get(element.getContext(), 64)
                                               : element;
}

Value moved(OpBuilder &builder, Location loc, Value tile, Value by) {
  Value spread =
      tile::SplatOp::create(builder, loc, tile::withElement(tile.getType(), by.getType()), by);
  if (llvm::isa<tile::PointerType>(tile::elementOf(tile.getType())))
    return tile::OffsetOp::create(builder, loc, tile.getType(), tile, spread);
  return arith::AddIOp::create(builder, loc, tile, spread);
}

struct Carried {
  unsigned position;
  llvm::SmallVector<Value, 2> steps;
};

class LoopRewriter {
public:
  explicit LoopRewriter(scf::ForOp loop) : loop(loop), builder(loop) {}

  void run() {
    for (BlockArgument argument : loop.getRegionIterArgs()) {
      if (!tile::isTile(argument.getType()))
        continue;
      unsigned position = argument.getArgNumber() - loop.getNumInductionVars();
      if (auto steps = stepsOf(argument, loop.getYieldedValues()[position]))
        carried.push_back({position, std::move(*steps)});
    }
    if (!carried.empty())
      rewrite();
  }

private:
  void rewrite() {
    llvm::SmallVector<Value> inits(loop.getInitArgs());
    for (const Carried &c : carried) {
      Type type = counterType(inits[c.position].getType());
      inits[c.position] =
          arith::ConstantOp::create(builder, loop.getLoc(), builder.getIntegerAttr(type, 0));
    }
    auto replacement = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                                          loop.getUpperBound(), loop.getStep(), inits);
    replacement->setAttrs(loop->getAttrs());
    moveBody(replacement);
    replaceResults(replacement);
    loop->erase();
  }

  void moveBody(scf::ForOp replacement) {
    Block &from = *loop.getBody(), &to = *replacement.getBody();
    llvm::SmallVector<Value> arguments(to.getArguments());
    builder.setInsertionPointToStart(&to);
    for (const Carried &c : carried) {
      Value &argument = arguments[c.position + loop.getNumInductionVars()];
      argument = moved(builder, loop.getLoc(), loop.getInitArgs()[c.position], argument);
    }
    if (!to.empty() && to.back().hasTrait<OpTrait::IsTerminator>())
      to.back().erase();
    for (auto [old, value] : llvm::zip(from.getArguments(), arguments))
      old.replaceAllUsesWith(value);
    to.getOperations().splice(to.end(), from.getOperations());
    Operation *yield = to.getTerminator();
    builder.setInsertionPoint(yield);
    for (const Carried &c : carried)
      yield->setOperand(c.position, advance(replacement.getRegionIterArg(c.position), c.steps));
  }

  Value advance(Value counter, llvm::ArrayRef<Value> steps) {
    for (Value step : steps) {
      Value scalar = uniformScalar(step, builder);
      if (scalar.getType() != counter.getType())
        scalar = arith::ExtSIOp::create(builder, step.getLoc(), counter.getType(), scalar);
      counter = arith::AddIOp::create(builder, step.getLoc(), counter, scalar);
    }
    return counter;
  }

  void replaceResults(scf::ForOp replacement) {
    builder.setInsertionPointAfter(replacement);
    for (auto [position, old] : llvm::enumerate(loop.getResults())) {
      bool isRewritten =
          llvm::any_of(carried, [&, p = position](auto &c) { return c.position == p; });
      Value value = replacement.getResult(position);
      if (isRewritten && !old.use_empty())
        value = moved(builder, loop.getLoc(), loop.getInitArgs()[position], value);
      if (value.getType() == old.getType())
        old.replaceAllUsesWith(value);
    }
  }

  scf::ForOp loop;
  OpBuilder builder;
  llvm::SmallVector<Carried> carried;
};

struct CarryStepsAsScalars final : impl::CarryStepsAsScalarsBase<CarryStepsAsScalars> {
  void runOnOperation() override {
    // Inner loops first: an outer loop then sees their results as sums.
    llvm::SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      LoopRewriter(loop).run();
  }
};

} // namespace
} // namespace nereid::passes
