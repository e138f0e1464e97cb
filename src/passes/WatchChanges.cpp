// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/WatchChanges.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"

#include <optional>

namespace nereid::passes {
namespace {

/// Passes run one after the other (tile::createContext), so one memory serves for all.
class WatchChanges final : public mlir::PassInstrumentation {
public:
  explicit WatchChanges(OnChange onChange) : onChange(std::move(onChange)) {}

  void runBeforePass(mlir::Pass *, mlir::Operation *operation) override {
    before.emplace(operation);
    began = std::chrono::steady_clock::now();
  }

  void runAfterPass(mlir::Pass *pass, mlir::Operation *operation) override {
    auto time = std::chrono::steady_clock::now() - began;
    // Adaptors, which have no name, only bring passes to nested operations.
    if (!pass->getArgument().empty() && mlir::OperationFingerPrint(operation) != *before)
      onChange(pass->getArgument(), time, operation);
  }

private:
  OnChange onChange;
  std::optional<mlir::OperationFingerPrint> before;
  std::chrono::steady_clock::time_point began;
};

} // namespace

std::unique_ptr<mlir::PassInstrumentation> createWatchChanges(OnChange onChange) {
  return std::make_unique<WatchChanges>(std::move(onChange));
}

} // namespace nereid::passes
