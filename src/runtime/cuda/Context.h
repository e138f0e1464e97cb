// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/cuda/DeviceProperties.h"
#include "runtime/cuda/Driver.h"
#include "runtime/cuda/LaunchLog.h"
#include "runtime/cuda/Peers.h"

#include <atomic>
#include <memory>
#include <string>

namespace nereid::runtime::cuda {

/// Makes a context current for this thread, and what was current before it afterwards: the host
/// program may have contexts of its own.
class CurrentContext {
public:
  CurrentContext(const Driver &driver, CUcontext context) : driver(driver) {
    CUcontext current = nullptr;
    if (driver.ctxGetCurrent.address(&current) || current != context)
      isPushed = !(result = driver.ctxPushCurrent.address(context));
  }
  ~CurrentContext() {
    CUcontext popped;
    if (isPushed)
      driver.ctxPopCurrent.address(&popped);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

  /// Of making it current.
  CUresult result = 0;

private:
  const Driver &driver;
  bool isPushed = false;
};

/// This process's primary context on one GPU, the one that other libraries use as well. Every
/// handle of this directory keeps its context alive.
///
/// An error in a kernel loses the context: the call that notices it says why, and from then on
/// every call here, and opening the GPU again, refuses with the same cause. Other GPUs are not
/// affected.
class Context {
public:
  /// Opening a GPU again while it is open gives the same context. Throws Error.
  static std::shared_ptr<Context> open(unsigned ordinal);
  /// For questions that any GPU answers: one that is open, or else the first that can be opened; no
  /// lost one. Throws Error.
  static std::shared_ptr<Context> openAny();
  Context(const Driver &driver, unsigned ordinal);
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  const Driver &driver() const { return driver_; }
  const DeviceProperties &properties() const { return properties_; }
  CUdevice device() const { return device_; }
  CUcontext handle() const { return handle_; }
  LaunchLog &launches() { return launches_; }
  Peers &peers() { return peers_; }

  /// Calls, with this context current. Throws Error(Environment) if the context is lost already.
  template <typename... P, typename... A>
  CUresult attempt(const DriverFunction<P...> &function, A... arguments) {
    requireUsable();
    CurrentContext current(driver_, handle_);
    if (current.result) [[unlikely]]
      fail(driver_.ctxPushCurrent.symbol, current.result);
    return function.address(arguments...);
  }
  /// The same, and a failure is an Error.
  template <typename... P, typename... A>
  void call(const DriverFunction<P...> &function, A... arguments) {
    if (CUresult result = attempt(function, arguments...))
      fail(function.symbol, result);
  }
  /// For destructors, on any context. What a lost one or an ending process cannot give back is gone
  /// anyhow.
  template <typename... P, typename... A>
  void release(const DriverFunction<P...> &function, A... arguments) noexcept {
    CurrentContext current(driver_, handle_);
    if (!current.result)
      function.address(arguments...);
  }

  /// Throws Error(Environment) for a call that failed, and notes if that means that the context is
  /// lost. `what` was to be done: "cannot copy 12 bytes to cuda:0"; `detail` would help.
  [[noreturn]] void fail(const char *symbol, CUresult result, const std::string &what = {},
                         const std::string &detail = {});
  bool isUsable() const { return !isLost.load(std::memory_order_acquire); }
  void requireUsable() const {
    if (!isUsable()) [[unlikely]]
      failLost();
  }

private:
  [[noreturn]] void failLost() const;
  std::string describeLoss(const char *symbol, CUresult result) const;

  const Driver &driver_;
  DeviceProperties properties_;
  CUdevice device_ = 0;
  CUcontext handle_ = nullptr;
  LaunchLog launches_;
  Peers peers_;
  std::atomic<bool> isLost = false;
};

/// While this lives, this thread may do what a capture forbids that somebody has begun (to allocate
/// and free, to load code, to ask for events), since it is no part of the capture.
class OutsideCapture {
public:
  explicit OutsideCapture(Context &context) : context(context) { exchange(); }
  ~OutsideCapture() { exchange(); }
  OutsideCapture(const OutsideCapture &) = delete;
  OutsideCapture &operator=(const OutsideCapture &) = delete;

private:
  void exchange() { context.release(context.driver().threadExchangeStreamCaptureMode, &mode); }

  Context &context;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED; // or what the thread had before
};

/// A handle of the driver's that is given back when this goes, whoever captures what meanwhile.
template <typename T, DriverFunction<T> Driver::*function> class Handle {
public:
  Handle(std::shared_ptr<Context> context, T value) : context_(std::move(context)), value(value) {}
  ~Handle() {
    if (!context_)
      return;
    OutsideCapture outside(*context_);
    context_->release(context_->driver().*function, value);
  }
  Handle(Handle &&) = default;
  Handle &operator=(Handle &&) = delete;

  T get() const { return value; }
  Context &context() const { return *context_; }
  const std::shared_ptr<Context> &sharedContext() const { return context_; }

private:
  std::shared_ptr<Context> context_;
  T value;
};

} // namespace nereid::runtime::cuda
