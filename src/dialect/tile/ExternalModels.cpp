// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operations of other dialects answer about their lanes.
#include "dialect/tile/ExternalModels.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::tile {
namespace {

/// The operations of arith and math, and constants.
struct ElementwiseModel : LaneOpInterface::FallbackModel<ElementwiseModel> {
  Need getNeed(Operation *, OpOperand &operand) const {
    return needOfType(operand.get().getType());
  }
  bool isLanewise(Operation *) const { return true; }
  LaneMap getLaneMap(Operation *, OpOperand &operand) const {
    return identityMap(operand.get().getType());
  }
  bool movesLanes(Operation *) const { return false; }
  bool isCheap(Operation *op) const {
    return llvm::isa<arith::ConstantOp, arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
                     arith::OrIOp, arith::XOrIOp, arith::CmpIOp, arith::ExtSIOp, arith::ExtUIOp,
                     arith::TruncIOp>(op);
  }
  Value getPointerSource(Operation *) const { return {}; }
  bool isCheck(Operation *) const { return false; }
};

/// Loops, branches and their ends: tiles go in and out lane for lane, each at its place in time.
struct ControlFlowModel : LaneOpInterface::FallbackModel<ControlFlowModel> {
  Need getNeed(Operation *, OpOperand &operand) const {
    return needOfType(operand.get().getType());
  }
  bool isLanewise(Operation *) const { return false; }
  LaneMap getLaneMap(Operation *, OpOperand &operand) const {
    return identityMap(operand.get().getType());
  }
  bool movesLanes(Operation *) const { return false; }
  bool isCheap(Operation *) const { return false; }
  Value getPointerSource(Operation *) const { return {}; }
  bool isCheck(Operation *) const { return false; }
};

} // namespace

template <typename Dialect>
struct ArithmeticExtension : DialectExtension<ArithmeticExtension<Dialect>, Dialect> {
  void apply(MLIRContext *context, Dialect *dialect) const override {
    // LLVM 22's search for the operations of one dialect misses all but the first dialect's.
    for (RegisteredOperationName name : context->getRegisteredOperations())
      if (name.getDialectNamespace() == dialect->getNamespace() &&
          (name.hasTrait<OpTrait::Elementwise>() || name.hasTrait<OpTrait::ConstantLike>()))
        name.attachInterface<ElementwiseModel>();
  }
};

template <typename Dialect, typename... Operations>
struct ControlFlowExtension
    : DialectExtension<ControlFlowExtension<Dialect, Operations...>, Dialect> {
  void apply(MLIRContext *context, Dialect *) const override {
    (RegisteredOperationName::lookup(TypeID::get<Operations>(), context)
         ->template attachInterface<ControlFlowModel>(),
     ...);
  }
};

void registerExternalModels(DialectRegistry &registry) {
  registry.addExtensions<ArithmeticExtension<arith::ArithDialect>,
                         ArithmeticExtension<math::MathDialect>,
                         ControlFlowExtension<scf::SCFDialect, scf::ForOp, scf::IfOp, scf::WhileOp,
                                              scf::YieldOp, scf::ConditionOp>,
                         ControlFlowExtension<func::FuncDialect, func::ReturnOp>>();
}

} // namespace nereid::tile
