// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operations the interpreter knows, and how each is planned.
#pragma once

#include "interpret/Planner.h"

#include <functional>

namespace nereid::interpret {

using Plan = std::function<Step(Planner &, mlir::Operation &)>;

class OperationTable {
public:
  static const OperationTable &get();

  /// Null for an operation that no family has.
  const Plan *find(mlir::OperationName name) const;

  template <typename Op> void add(Step (*plan)(Planner &, Op)) {
    add<Op>([plan](Planner &planner, mlir::Operation &op) {
      return plan(planner, llvm::cast<Op>(op));
    });
  }
  template <typename Op> void add(Plan plan) { plans[Op::getOperationName()] = std::move(plan); }

private:
  OperationTable();
  llvm::StringMap<Plan> plans;
};

// One function for each family of operations; each adds its rows.
#define NEREID_OPERATION_FAMILIES(family)                                                          \
  family(Integer) family(Float) family(Compare) family(Cast) family(Math) family(Constant)         \
      family(Program) family(Shape) family(Pointer) family(Memory) family(Atomic) family(Dot)      \
          family(Reduce) family(Scan) family(ControlFlow) family(Check) family(Print)              \
              family(Thread)
#define NEREID_DECLARE_FAMILY(name) void add##name##Operations(OperationTable &table);
NEREID_OPERATION_FAMILIES(NEREID_DECLARE_FAMILY)
#undef NEREID_DECLARE_FAMILY

} // namespace nereid::interpret
