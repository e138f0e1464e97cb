// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a host says, from the public interface to the front end and back.
#pragma once

#include "driver/Compiler.h"
#include "frontend/sema/HostScope.h"
#include "nereid/host.h"

#include <span>
#include <string>
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

/// What a function of the host answered while a kernel was traced.
struct HostAnswer {
  std::string call;  ///< its key
  std::string asked; ///< keyOfAsked()
  sema::HostValue answer;
};
/// Equal for arguments that mean the same, as hexadecimal digits.
std::string keyOfAsked(std::span<const sema::HostCall::Named> arguments);

/// While it lives, what functions of the host answer is noted, to whichever thread. One at a time:
/// the next waits.
class HostAnswers {
public:
  HostAnswers();
  ~HostAnswers();
  HostAnswers(const HostAnswers &) = delete;
  HostAnswers &operator=(const HostAnswers &) = delete;
  std::vector<HostAnswer> take();
};

} // namespace nereid::jit
