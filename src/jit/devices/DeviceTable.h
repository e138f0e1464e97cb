// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every device that Nereid knows, as data. Nothing else in this directory knows one by name.
#pragma once

#include "driver/Compiler.h"
#include "nereid/nereid.h"
#include "runtime/Executable.h"
#include "runtime/HostStream.h"
#include "runtime/Memory.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::jit {

/// A device, opened: memory for arrays, and kernels made ready to launch.
class OpenDevice {
public:
  virtual ~OpenDevice() = default;
  virtual unsigned threads() const = 0;
  /// What its times are the times of: the CPU or GPU that code is compiled for and runs on.
  virtual std::string targetName() const = 0;
  /// Devices whose memory has the same name can use each other's arrays, and compare the times of
  /// their events.
  virtual std::string_view memoryName() const = 0;
  /// Zeroed memory.
  virtual std::shared_ptr<runtime::Memory> allocate(size_t bytes) = 0;
  virtual std::shared_ptr<runtime::Memory> borrow(void *address, size_t bytes) = 0;
  /// A device without streams of its own gets a thread that does one piece after the other.
  virtual std::unique_ptr<runtime::Stream> openStream(runtime::DefaultStream) {
    return runtime::openHostStream();
  }
  /// One that another library made. Throws Error(Usage) if the device has none.
  virtual std::unique_ptr<runtime::Stream> borrowStream(void *handle);
  /// Machine code of a GPU's assembly text. Throws Error(Usage) if the device has none.
  virtual std::vector<uint8_t> assemble(std::string_view ptx);
  /// Why kernels here cannot use memory of a device whose memory has another name, and what would
  /// do, as the end of a sentence; empty if they can.
  virtual std::string whyUnusable(std::string_view memoryName, const runtime::Memory &memory) const;
  /// Takes out of a specialization what build() gives the same kernel for.
  virtual void keepRelevant(sema::Specialization &specialization) const = 0;
  /// From source. May be called from several threads at once.
  virtual std::unique_ptr<runtime::Executable> build(const driver::KernelRequest &request) = 0;
  /// Why kernels here cannot note when they do what; empty if they can.
  virtual std::string whyNoClocks() const;
  /// The same kernel with clocks, for Executable::prepareClocked. Of a device that has some.
  virtual std::unique_ptr<runtime::Executable> buildClocked(const driver::KernelRequest &request,
                                                            backend::Clocks clocks);
  /// Whether it can be seen where in a kernel threads stand.
  virtual bool samplesLines() const { return false; }
  /// The same kernel with its lines, for Executable::prepareSampled. Of a device that samples.
  virtual std::unique_ptr<runtime::Executable> buildSampled(const driver::KernelRequest &request);
  /// Compiled before. Throws Error if it is not for this device or machine.
  virtual std::unique_ptr<runtime::Executable> load(const runtime::Artifact &artifact) = 0;
};

struct DeviceEntry {
  std::string_view name, description;
  /// Why the device cannot be opened on this machine; empty if it can.
  std::string (*unavailableBecause)();
  /// What each of several is, which are called by number: "cuda:0", "cuda:1". Null where there is
  /// but one. Asked for only where the device is available.
  std::vector<std::string> (*describeEach)();
  std::unique_ptr<OpenDevice> (*open)(const DeviceOptions &options, unsigned number);
  /// Whether DeviceOptions::cpu matters to it.
  bool compilesForCpu = false;
};

std::span<const DeviceEntry> deviceTable();

struct FoundDevice {
  const DeviceEntry *entry;
  unsigned number = 0;

  /// "cpu", "cuda:0"
  std::string name() const;
};
/// Of several, the first is meant where no number is given. Throws Error: Usage lists what exists,
/// Environment says why it is not available.
FoundDevice findDevice(std::string_view name);

std::unique_ptr<OpenDevice> openCpuDevice(const DeviceOptions &options, unsigned number);
std::unique_ptr<OpenDevice> openCheckDevice(const DeviceOptions &options, unsigned number);

std::string whyNoCuda();
std::vector<std::string> describeCudaDevices();
std::unique_ptr<OpenDevice> openCudaDevice(const DeviceOptions &options, unsigned number);

} // namespace nereid::jit
