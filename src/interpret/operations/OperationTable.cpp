// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/operations/OperationTable.h"

namespace nereid::interpret {

OperationTable::OperationTable() {
#define NEREID_ADD_FAMILY(name) add##name##Operations(*this);
  NEREID_OPERATION_FAMILIES(NEREID_ADD_FAMILY)
#undef NEREID_ADD_FAMILY
}

const OperationTable &OperationTable::get() {
  static const OperationTable table;
  return table;
}

const Plan *OperationTable::find(mlir::OperationName name) const {
  auto found = plans.find(name.getStringRef());
  return found == plans.end() ? nullptr : &found->second;
}

} // namespace nereid::interpret
