// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Kernel.h"

#include "dialect/tile/ExternalModels.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::tile {

mlir::func::FuncOp Kernel::function() const {
  mlir::ModuleOp operation = *module;
  return *operation.getOps<mlir::func::FuncOp>().begin();
}

std::string Kernel::text() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  mlir::ModuleOp operation = *module;
  // The generic form asks nothing of the operations.
  operation->print(out, mlir::OpPrintingFlags().printGenericOpForm());
  return text;
}

std::unique_ptr<mlir::MLIRContext> createContext() {
  // One kernel is too little work to share among threads, and a pool costs more than it saves.
  mlir::DialectRegistry registry;
  registerExternalModels(registry);
  auto context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadDialect<TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                       mlir::scf::SCFDialect, mlir::func::FuncDialect>();
  return context;
}

} // namespace nereid::tile
