// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a host says, from the public interface to the front end and back.
#pragma once

#include "driver/Compiler.h"
#include "frontend/sema/HostScope.h"
#include "nereid/host.h"

#include <vector>

namespace nereid::host {

struct Function::State {
  std::shared_ptr<driver::SourceModule> source;
  const ast::Function *function;
  std::vector<Parameter> parameters;
};

struct Record::State : sema::HostRecord {};

} // namespace nereid::host

namespace nereid::jit {

sema::HostValue toSema(const host::Value &value);
host::Value toHost(const sema::HostValue &value);
sema::HostScope::Names toSema(const host::Names &names);

} // namespace nereid::jit
