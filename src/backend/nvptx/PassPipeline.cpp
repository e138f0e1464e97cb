// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/PassPipeline.h"

#include "support/Check.h"

#include "mlir/Pass/PassRegistry.h"

namespace nereid::backend::nvptx {
namespace {

enum class Place {
#define PASS(Name, Kind) Name,
#include "backend/nvptx/pipeline.def"
};
#define BEFORE(First, Second, why)                                                                 \
  static_assert(Place::First < Place::Second, #First " comes before " #Second ": " why);
#include "backend/nvptx/pipeline.def"

enum class Kind { Needed, Gain };

struct Row {
  Kind kind;
  std::unique_ptr<mlir::Pass> (*create)();
};
constexpr Row rows[] = {
#define PASS(Name, kind) {Kind::kind, create##Name},
#include "backend/nvptx/pipeline.def"
};

struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<std::string> sm{*this, "sm", llvm::cl::init("sm_90a"), llvm::cl::desc("which GPU")};
  Option<unsigned> warps{*this, "warps", llvm::cl::init(0), llvm::cl::desc("0: as tiles ask for")};
  ListOption<std::string> without{*this, "without", llvm::cl::desc("passes to leave out")};
};

} // namespace

std::vector<std::string_view> dispensablePasses() {
  std::vector<std::string_view> names;
  for (const Row &row : rows)
    if (row.kind == Kind::Gain)
      names.push_back(row.create()->getArgument());
  return names;
}

void buildPipeline(mlir::OpPassManager &manager, const ConfigureOptions &configuration,
                   llvm::ArrayRef<std::string> without) {
  mlir::OpPassManager &kernels = manager.nest<mlir::func::FuncOp>();
  kernels.addPass(createConfigure(configuration));
  for (const Row &row : llvm::drop_begin(rows)) {
    std::unique_ptr<mlir::Pass> pass = row.create();
    if (row.kind == Kind::Needed || !llvm::is_contained(without, pass->getArgument()))
      kernels.addPass(std::move(pass));
  }
}

void giveToThreads(mlir::ModuleOp module, const ConfigureOptions &configuration,
                   llvm::ArrayRef<std::string> without, passes::OnChange onChange) {
  mlir::PassManager manager(module.getContext(), mlir::ModuleOp::getOperationName());
  buildPipeline(manager, configuration, without);
  passes::run(manager, module, std::move(onChange));
}

void registerPipeline() {
  registerNvptxPasses();
  mlir::PassPipelineRegistration<PipelineOptions>(
      "nvptx-pipeline", "all passes of the NVIDIA back end, in order",
      [](mlir::OpPassManager &manager, const PipelineOptions &options) {
        ConfigureOptions configuration;
        configuration.sm = options.sm;
        configuration.warps = options.warps;
        buildPipeline(manager, configuration, llvm::to_vector(options.without));
      });
}

} // namespace nereid::backend::nvptx
