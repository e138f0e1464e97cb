// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/WatchChanges.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"

#include <optional>

namespace nereid::passes {
namespace {

mlir::Operation *moduleOf(mlir::Operation *operation) {
  auto module = operation->getParentOfType<mlir::ModuleOp>();
  return module ? module : operation;
}

/// Passes run one after the other (tile::createContext), so one memory serves for all.
class WatchChanges final : public mlir::PassInstrumentation {
public:
  explicit WatchChanges(Dump &dump) : dump(dump) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *operation) override {
    if (isNamed(pass))
      show("before " + pass->getArgument().str(), Dump::Duration(0), operation);
    before.emplace(operation);
    began = std::chrono::steady_clock::now();
  }

  void runAfterPass(mlir::Pass *pass, mlir::Operation *operation) override {
    Dump::Duration time = std::chrono::steady_clock::now() - began;
    bool isChanged = mlir::OperationFingerPrint(operation) != *before;
    // Adaptors, which have no name, only bring passes to nested operations.
    if (isNamed(pass) && !isChanged)
      dump.show(
          Stage::Passes, time, [](llvm::raw_ostream &out) { out << "// nothing is changed\n"; },
          pass->getArgument());
    else if (isNamed(pass) ||
             (dump.namedPasses().empty() && isChanged && !pass->getArgument().empty()))
      show(pass->getArgument().str(), time, operation);
  }

private:
  bool isNamed(mlir::Pass *pass) const {
    return llvm::is_contained(dump.namedPasses(), pass->getArgument());
  }
  void show(const std::string &detail, Dump::Duration time, mlir::Operation *operation) {
    auto print = [&](llvm::raw_ostream &out) { moduleOf(operation)->print(out); };
    dump.show(Stage::Passes, time, print, detail);
  }

  Dump &dump;
  std::optional<mlir::OperationFingerPrint> before;
  std::chrono::steady_clock::time_point began;
};

} // namespace

std::unique_ptr<mlir::PassInstrumentation> createWatchChanges(Dump &dump) {
  return std::make_unique<WatchChanges>(dump);
}

} // namespace nereid::passes
