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

enum class Kind { Needed, Gain, Asked };

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
  ListOption<std::string> policy{*this, "policy", llvm::cl::desc("NAME=NUMBER of a choice")};
};

bool isLeftOut(llvm::StringRef pass, Choices choices) {
  return llvm::any_of(
      choices, [&](const auto &choice) { return choice.first == pass && choice.second == 0; });
}

} // namespace

std::vector<PolicyRow> policyRows() {
  std::vector<PolicyRow> all = Policy().rows();
  for (const Row &row : rows)
    if (row.kind == Kind::Gain)
      all.push_back({row.create()->getArgument(), 1, 0, 1, "pass", "0 leaves it out"});
  return all;
}

void buildPipeline(mlir::OpPassManager &manager, ConfigureOptions configuration, Choices choices,
                   Clocks clocks) {
  for (const auto &[name, value] : choices)
    if (Policy().set(name, value))
      configuration.policy.push_back(name + "=" + std::to_string(value));
  mlir::OpPassManager &kernels = manager.nest<mlir::func::FuncOp>();
  kernels.addPass(createConfigure(configuration));
  for (const Row &row : llvm::drop_begin(rows)) {
    std::unique_ptr<mlir::Pass> pass = row.create();
    if (row.kind == Kind::Needed ||
        (row.kind == Kind::Gain && !isLeftOut(pass->getArgument(), choices)))
      kernels.addPass(std::move(pass));
  }
  if (clocks != Clocks::None)
    kernels.addPass(createInsertClocks({.detail = std::string(toString(clocks))}));
}

void giveToThreads(mlir::ModuleOp module, const ConfigureOptions &configuration, Choices choices,
                   Clocks clocks, Dump &dump) {
  mlir::PassManager manager(module.getContext(), mlir::ModuleOp::getOperationName());
  buildPipeline(manager, configuration, choices, clocks);
  passes::run(manager, module, dump);
}

std::vector<std::string> passNames() {
  std::vector<std::string> names;
  for (const Row &row : rows)
    names.push_back(row.create()->getArgument().str());
  return names;
}

void registerPipeline() {
  registerNvptxPasses();
  mlir::PassPipelineRegistration<PipelineOptions>(
      "nvptx-pipeline", "all passes of the NVIDIA back end, in order",
      [](mlir::OpPassManager &manager, const PipelineOptions &options) {
        ConfigureOptions configuration;
        configuration.sm = options.sm;
        configuration.warps = options.warps;
        std::vector<std::pair<std::string, unsigned>> choices;
        for (llvm::StringRef each : options.policy) {
          auto [name, text] = each.split('=');
          unsigned number = 0;
          NEREID_CHECK(!text.getAsInteger(10, number), "policy takes NAME=NUMBER");
          choices.emplace_back(name.str(), number);
        }
        buildPipeline(manager, configuration, choices, Clocks::None);
      });
}

} // namespace nereid::backend::nvptx
