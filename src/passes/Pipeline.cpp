// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline.h"

#include "passes/Passes.h"
#include "support/Check.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace nereid::passes {

/// MLIR's canonicalizer without what changes results: these two make one rounding of an integer
/// that was converted to float32 and then to 16 bits, where the program rounds twice. The names are
/// those that MLIR gives patterns for debugging; tests/passes/tile-pipeline.mlir notices if they
/// change.
static std::unique_ptr<mlir::Pass> createExactCanonicalizer() {
  static const std::string disabled[] = {"(anonymous namespace)::TruncFSIToFPToSIToFP",
                                         "(anonymous namespace)::TruncFUIToFPToUIToFP"};
  return mlir::createCanonicalizerPass({}, disabled);
}

/// Costs more than the passes themselves, so it is for builds that are tested.
#ifdef NEREID_VERIFY_PASSES
static constexpr bool verifiesBetweenPasses = true;
#else
static constexpr bool verifiesBetweenPasses = false;
#endif

void buildTilePipeline(mlir::OpPassManager &manager) {
  // First: tracing leaves constants and dead code everywhere, which hide the patterns below.
  manager.addPass(createExactCanonicalizer());
  manager.addPass(mlir::createCSEPass());
  // As soon as constants are folded; nothing else looks at functions.
  manager.addPass(createExpandPowers());
  // Before anything looks at shapes.
  manager.addPass(createDropUnitDimensions());
  // Behind the constants that make them so.
  manager.addPass(createDecideMasks());
  // Before anything looks at addresses in loops: afterwards they are sums that do not pass through
  // carried tiles.
  manager.addPass(createCarryStepsAsScalars());
  manager.addPass(createFoldAddIntoDot());
  manager.addPass(createDropBounds());
  manager.addPass(createRelaxAtomics());
  // Last: the initial tiles and zero accumulators that the two made superfluous.
  manager.addPass(createExactCanonicalizer());
  manager.addPass(mlir::createCSEPass());
}

std::vector<std::string> passNames() {
  mlir::OpPassManager manager(mlir::ModuleOp::getOperationName());
  buildTilePipeline(manager);
  std::vector<std::string> names;
  for (mlir::Pass &pass : manager.getPasses())
    if (!llvm::is_contained(names, pass.getArgument()))
      names.push_back(pass.getArgument().str());
  return names;
}

bool isVerifying() { return verifiesBetweenPasses; }

void run(mlir::PassManager &manager, mlir::ModuleOp module, Dump &dump) {
  manager.enableVerifier(verifiesBetweenPasses);
  if (dump.wants(Stage::Passes))
    manager.addInstrumentation(createWatchChanges(dump));
  NEREID_CHECK(mlir::succeeded(manager.run(module)), "a pass failed");
}

void runTilePipeline(mlir::ModuleOp module, Dump &dump) {
  mlir::PassManager manager(module.getContext(), mlir::ModuleOp::getOperationName());
  buildTilePipeline(manager);
  run(manager, module, dump);
}

void registerPipelines() {
  registerNereidPasses();
  mlir::registerTransformsPasses();
  mlir::PassPipelineRegistration<>("tile-pipeline", "the target-independent recipe",
                                   buildTilePipeline);
}

} // namespace nereid::passes
