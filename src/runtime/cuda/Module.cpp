// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Module.h"

#include "runtime/cuda/AssemblerLog.h"
#include "runtime/cuda/Results.h"
#include "support/Check.h"

#include <algorithm>

namespace nereid::runtime::cuda {
namespace {

/// The driver's logs of one act of its assembler.
class JitLog {
public:
  explicit JitLog(LinkLog log) {
    add(CU_JIT_ERROR_LOG_BUFFER, errors.data());
    add(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, asValue(errors.size()));
    if (log == LinkLog::ErrorsOnly)
      return;
    infos.resize(size_t(64) << 10);
    add(CU_JIT_INFO_LOG_BUFFER, infos.data());
    add(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, asValue(infos.size()));
    add(CU_JIT_LOG_VERBOSE, asValue(1));
  }
  unsigned count() const { return count_; }
  CUjit_option *options() { return options_.data(); }
  void **values() { return values_.data(); }

  std::string errorText() const { return errors.c_str(); }
  std::string infoText() const { return infos.c_str(); }

private:
  static void *asValue(size_t number) { return reinterpret_cast<void *>(number); }
  void add(CUjit_option option, void *value) {
    options_[count_] = option;
    values_[count_++] = value;
  }

  std::string errors = std::string(size_t(8) << 10, '\0'), infos;
  std::array<CUjit_option, 5> options_ = {};
  std::array<void *, 5> values_ = {};
  unsigned count_ = 0;
};

using LinkState = Handle<CUlinkState, &Driver::linkDestroy>;

CUlinkState createLink(Context &context, JitLog &log) {
  CUlinkState state = nullptr;
  context.call(context.driver().linkCreate, log.count(), log.options(), log.values(), &state);
  return state;
}

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(" \n") + 1);
  return text;
}

} // namespace

LinkedCode link(Context &context, std::string_view ptx, const std::string &what, LinkLog level) {
  const Driver &driver = context.driver();
  JitLog log(level);
  // Not a Handle: the log's buffers are the link's until it is destroyed, and this function's.
  struct Link {
    Context &context;
    CUlinkState state;
    ~Link() { context.release(context.driver().linkDestroy, state); }
  } linking{context, createLink(context, log)};
  auto check = [&](const auto &function, auto... arguments) {
    if (CUresult result = context.attempt(function, linking.state, arguments...))
      context.fail(function.symbol, result,
                   "cannot compile " + what + " for " + context.properties().fullName(),
                   withPlaces(trimmed(log.errorText()), ptx));
  };
  std::string text(ptx); // the driver wants the zero at its end
  check(driver.linkAddData, CU_JIT_INPUT_PTX, static_cast<void *>(text.data()), text.size() + 1,
        "ptx", 0u, static_cast<CUjit_option *>(nullptr), static_cast<void **>(nullptr));
  void *cubin = nullptr;
  size_t bytes = 0;
  check(driver.linkComplete, &cubin, &bytes);
  auto *first = static_cast<const uint8_t *>(cubin);
  return {{first, first + bytes}, trimmed(log.infoText())};
}

/// Whether a driver says that of code, not of the machine's state.
static bool isRefusalOfCode(CUresult result) {
  return result == CUDA_ERROR_INVALID_IMAGE || result == CUDA_ERROR_NO_BINARY_FOR_GPU ||
         result == CUDA_ERROR_INVALID_PTX;
}

static CUresult loadImage(Context &context, std::span<const uint8_t> image, JitLog &log,
                          CUmodule &module) {
  return context.attempt(context.driver().moduleLoadDataEx, &module,
                         static_cast<const void *>(image.data()), log.count(), log.options(),
                         log.values());
}

std::shared_ptr<const Module> Module::load(const std::shared_ptr<Context> &context,
                                           std::span<const uint8_t> image, const std::string &what,
                                           Refusal refusal) {
  JitLog log(LinkLog::ErrorsOnly);
  CUmodule handle = nullptr;
  if (CUresult result = loadImage(*context, image, log, handle)) {
    if (refusal == Refusal::IsNull && isRefusalOfCode(result))
      return nullptr;
    context->fail(context->driver().moduleLoadDataEx.symbol, result,
                  "cannot load " + what + " on " + context->properties().fullName(),
                  trimmed(log.errorText()));
  }
  return std::shared_ptr<const Module>(new Module(context, handle));
}

std::shared_ptr<const Module> Module::assemble(const std::shared_ptr<Context> &context,
                                               std::span<const uint8_t> ptx,
                                               const std::string &what) {
  NEREID_CHECK(!ptx.empty() && !ptx.back(), "the driver wants a zero at the end of PTX");
  JitLog log(LinkLog::ErrorsOnly);
  CUmodule handle = nullptr;
  if (CUresult result = loadImage(*context, ptx, log, handle))
    context->fail(context->driver().moduleLoadDataEx.symbol, result,
                  "cannot compile " + what + " for " + context->properties().fullName(),
                  withPlaces(trimmed(log.errorText()),
                             {reinterpret_cast<const char *>(ptx.data()), ptx.size() - 1}));
  return std::shared_ptr<const Module>(new Module(context, handle));
}

Function Module::function(const std::string &name) const {
  return Function(shared_from_this(), name);
}

} // namespace nereid::runtime::cuda
