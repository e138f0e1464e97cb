// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nereid-opt: tile IR in, passes, tile IR out. For tests, and for reading what a pass does.
#include "PrintPlans.h"
#include "backend/nvptx/PassPipeline.h"
#include "dialect/nv/Nv.h"
#include "dialect/tile/ExternalModels.h"
#include "dialect/tile/Tile.h"
#include "passes/Pipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<nereid::tile::TileDialect, nereid::nv::NvDialect, mlir::arith::ArithDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect, mlir::func::FuncDialect>();
  nereid::tile::registerExternalModels(registry);
  nereid::passes::registerPipelines();
  nereid::backend::nvptx::registerPipeline();
  nereid::registerPrintPlans();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Nereid's tile optimizer\n", registry));
}
