// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the handles of the public interface share.
#pragma once

#include "driver/Compiler.h"
#include "jit/devices/DeviceTable.h"
#include "jit/launch/Declaration.h"
#include "jit/launch/KernelCache.h"
#include "nereid/compile.h"
#include "nereid/nereid.h"
#include "runtime/Memory.h"

#include <memory>
#include <string>
#include <vector>

namespace nereid::detail {

struct DeviceState {
  std::string name;
  std::unique_ptr<jit::OpenDevice> device;
  /// Tells devices apart in the keys of kernels, also after one is gone.
  uint64_t id = 0;

  static const std::shared_ptr<DeviceState> &of(const Device &device) { return device.state; }
};

struct ArrayState {
  DType dtype;
  std::vector<int64_t> shape, strides;
  int64_t size;
  /// From the first element to the end of the last.
  size_t extentBytes;
  std::shared_ptr<runtime::Memory> memory;
  std::string_view memoryName;

  /// Whether the elements lie next to each other in row-major order.
  bool isContiguous() const;
  std::vector<int64_t> strideBytes() const;

  static const ArrayState &of(const Array &array) { return *array.state; }
  static Array wrap(ArrayState state) {
    return Array(std::make_shared<ArrayState>(std::move(state)));
  }
};

struct StreamState {
  std::shared_ptr<DeviceState> device;
  std::unique_ptr<runtime::Stream> stream;

  static const StreamState &of(const Stream &stream) { return *stream.state; }
  static Stream wrap(StreamState state) {
    return Stream(std::make_shared<StreamState>(std::move(state)));
  }
};

struct EventState {
  std::shared_ptr<DeviceState> device;
  std::shared_ptr<const runtime::Event> event;

  static const EventState &of(const Event &event) { return *event.state; }
  static Event wrap(EventState state) {
    return Event(std::make_shared<EventState>(std::move(state)));
  }
};

/// A source text, or a kernel that was compiled before.
struct ModuleState {
  ModuleState() = default;
  ModuleState(const ModuleState &) = delete;
  ModuleState &operator=(const ModuleState &) = delete;
  ~ModuleState() { jit::KernelCache::ofProcess().forget(this); }

  std::shared_ptr<const driver::SourceModule> source;
  std::shared_ptr<const runtime::Artifact> artifact;

  static Module wrap(std::shared_ptr<ModuleState> state) { return Module(std::move(state)); }
  static Artifact wrap(std::shared_ptr<const runtime::Artifact> artifact);
  static const runtime::Artifact &of(const Artifact &artifact) { return *artifact.state->artifact; }
};

struct KernelState {
  std::shared_ptr<ModuleState> module;
  std::shared_ptr<const jit::Declaration> declaration; // null if the module is compiled
  std::string name;
  std::vector<Parameter> parameters;

  static const KernelState &of(const Kernel &kernel) { return *kernel.state; }
  static Kernel wrap(KernelState state) {
    return Kernel(std::make_shared<KernelState>(std::move(state)));
  }
};

struct LaunchState {
  std::shared_ptr<jit::CompiledKernel> kernel;
  /// This launch was the first to need it.
  bool isNew;
  std::vector<ArgumentSlot> slots;
  /// Keeps the arrays alive that the slots point into.
  std::vector<Array> arrays;
  /// The run-time parameters that the kernel was compiled for by value.
  std::vector<std::string> byValue;

  /// Throws if it was prepared for another one: "cannot run on a stream".
  void requireDevice(const std::shared_ptr<DeviceState> &device, std::string_view cannot) const;

  static const LaunchState &of(const Launch &launch) { return *launch.state; }
  static Launch wrap(LaunchState state) {
    return Launch(std::make_shared<LaunchState>(std::move(state)));
  }
};

} // namespace nereid::detail
