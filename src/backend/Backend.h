// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every back end is: tile IR in, something that launches out (docs/decisions/0004).
#pragma once

#include "driver/Dump.h"
#include "driver/TileKernel.h"
#include "runtime/Executable.h"

#include <memory>
#include <string_view>

namespace nereid::backend {

class Backend {
public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  /// What compile() can show.
  virtual llvm::ArrayRef<driver::Stage> stages() const = 0;
  /// Runs this target's pipeline on an optimised kernel. Consumes it.
  virtual std::unique_ptr<runtime::Executable> compile(driver::TileKernel kernel,
                                                       driver::Dump &dump) = 0;
};

} // namespace nereid::backend
