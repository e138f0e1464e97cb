// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells who debugs a kernel of each line that a program comes to, and of what its variables hold.
#pragma once

#include "interpret/events/Instrument.h"

#include <map>

namespace nereid::interpret {

/// What a name of the function that has stopped was given last.
struct VariableView {
  llvm::StringRef name;
  mlir::Type type;                     // null for a constant
  std::span<const std::byte> elements; // as they lie in memory
  llvm::StringRef constant;            // as the language writes it
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
  /// A line of a function, and the call that it is in: the location of what called, which holds all
  /// other calls; null in the kernel itself.
  struct Line {
    mlir::Location place;
    mlir::LocationAttr call;
  };
  static void appendLines(mlir::Location location, llvm::SmallVectorImpl<Line> &lines);
  static bool isSame(const Line &a, const Line &b);

  struct Variable {
    mlir::Type type;
    std::vector<std::byte> elements;
    std::string constant;
  };
  using Variables = std::map<std::string, Variable>;
  Variables &variablesOf(const Execution &execution, mlir::LocationAttr call);
  void keep(const Execution &execution, Variable &variable, mlir::Type type, Slot slot);
  void reach(const Execution &execution, const Line &line);
  void forgetCallsBut(mlir::LocationAttr call);

  LineListener &listener;
  /// Where the operation before stands, and the calls that led there, the outermost first.
  llvm::SmallVector<Line, 4> lastPlanned;
  /// Of the program, by the call that they are in.
  std::map<const void *, Variables> calls;
  struct Parameter {
    std::string name;
    mlir::Type type;
    Slot slot;
  };
  std::vector<Parameter> parameters;
  std::optional<ProgramId> program;
};

} // namespace nereid::interpret
