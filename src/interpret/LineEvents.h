// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells who debugs a kernel of each line that a program comes to, and of what its variables hold.
#pragma once

#include "interpret/Instrument.h"

#include <map>

namespace nereid::interpret {

/// What a name of the kernel was given last.
struct VariableView {
  llvm::StringRef name;
  mlir::Type type;
  std::span<const std::byte> elements; // as they lie in memory
};

class LineListener {
public:
  virtual ~LineListener() = default;
  /// Before anything that stands in the line of `location` is done.
  virtual void reaches(mlir::Location location, ProgramId program,
                       llvm::ArrayRef<VariableView> variables) = 0;
};

class LineEvents final : public Instrument {
public:
  /// The listener must outlive the plan.
  explicit LineEvents(LineListener &listener) : listener(listener) {}

  Step before(Planner &planner, mlir::Operation &op) override;
  Step after(Planner &planner, mlir::Operation &op) override;
  /// To be called when the plan is made.
  void begin(Planner &planner, mlir::func::FuncOp kernel);

private:
  Step keepArguments(Planner &planner, mlir::Block &block);
  Step keepAfterLoop(Planner &planner, llvm::ArrayRef<mlir::BlockArgument> arguments,
                     mlir::ValueRange results);
  Step keepResults(Planner &planner, mlir::Operation &op, llvm::StringRef names);
  Step keepValue(Planner &planner, llvm::StringRef name, mlir::Value value);
  Step reachLine(mlir::Operation &op);
  struct Variable {
    mlir::Type type;
    std::vector<std::byte> elements;
  };
  void keep(const Execution &execution, const std::string &name, mlir::Type type, Slot slot);
  void reach(const Execution &execution, mlir::Location location);

  LineListener &listener;
  /// Where the operation before stands, and the calls that led there, the outermost first.
  llvm::SmallVector<mlir::Location, 4> lastPlanned;
  std::map<std::string, Variable> variables; // of the program
  struct Parameter {
    std::string name;
    mlir::Type type;
    Slot slot;
  };
  std::vector<Parameter> parameters;
  std::optional<ProgramId> program;
};

} // namespace nereid::interpret
