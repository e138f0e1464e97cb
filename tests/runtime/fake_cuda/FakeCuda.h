// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library with the CUDA driver's symbols and no GPU: device memory is host memory under addresses
// that the host cannot use, kernels are C++ functions found by name, and streams do nothing before
// somebody waits for them, so that a missing wait is seen. It is the runtime's driver in a process
// whose NEREID_LIBCUDA names it; a test links with it as well, and says here what it shall be like.
//
// Processes that cannot call it say so in the environment: FAKE_CUDA="version=11000 devices=0
// fail=cuInit:999 alone=1 kernel=kernel_add:8,8,4", where device 1 has no peers, and a kernel has
// the bytes of its parameters, does nothing, and is heard of by fakeCudaTakeLaunches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace nereid::fake_cuda {

#pragma GCC visibility push(default) // tests call what is here

struct DeviceConfig {
  std::string name = "Fake H200";
  size_t memory = size_t(64) << 20;
  int smMajor = 9, smMinor = 0;
  int threadsPerBlock = 1024, registersPerBlock = 65536, sharedPerBlock = 227 << 10;
  int grid[3] = {2147483647, 65535, 65535};
  int largestCluster = 8; // 0: none at all
  bool hasPeers = true;   // kernels may reach others that have
};
struct Config {
  int version = 12080;
  std::vector<DeviceConfig> devices = {{}};
};
/// As if the machine had other hardware. Nothing may be live. A device with a fault keeps it, as
/// long as the process lives.
void reset(const Config &config = {});

/// What a kernel sees of a launch.
struct KernelRun {
  unsigned grid[3], threads, sharedBytes, cluster[3];
  bool overlapsPrevious;
  std::vector<std::vector<char>> values; // of the parameters

  template <typename T> T value(size_t parameter) const {
    T result;
    std::memcpy(&result, values.at(parameter).data(), sizeof(T));
    return result;
  }
};
struct KernelConfig {
  std::vector<size_t> parameterBytes;
  int registers = 32, sharedBytes = 0, localBytes = 0;
  /// Runs the whole grid; gives a CUresult, 0 or the fault it made.
  std::function<int(const KernelRun &run)> run;
  /// A limit below this (.maxnreg) makes it spill; with `any` it cannot be assembled.
  int leastRegisters = 0;
  static constexpr int any = -1;
  /// Unless there is a limit the assembler gives up: 32 registers, and so many bytes in memory.
  int localWithoutLimit = 0;
};
/// The code of every module's entry of that name.
void setKernel(const std::string &name, KernelConfig kernel);
/// Where an address of a device lies in the host's memory. Of a kernel that asks for memory that
/// its device may not access this is the end: it fails with CUDA_ERROR_ILLEGAL_ADDRESS.
void *hostAddress(uint64_t deviceAddress);
/// Machine code, as far as this library knows any.
std::vector<uint8_t> makeCubin(int sm, const std::vector<std::string> &entries);

/// The `nth` call from now of that symbol gives `result` and does nothing else; 0: each one.
void fail(const std::string &symbol, int result, int nth = 1);

/// What has been made and not given back, but on a device with a fault.
struct Live {
  int contexts = 0, allocations = 0, pinned = 0, streams = 0, events = 0, modules = 0, links = 0,
      graphs = 0;
  size_t bytes = 0;
  bool operator==(const Live &) const = default;
};
Live live();
/// The symbols called since the last reset(), or since the last call of this.
std::vector<std::string> takeCalls();
/// The stream is captured from now on (in the mode "global"): what it gets is not done. Anything
/// that must not be done meanwhile is refused, and makes the capture invalid.
void beginCapture(void *stream);
/// What it got, to be done each time that this is called; nothing if the capture became invalid.
std::function<void()> endCapture(void *stream);

/// Launches do nothing at all, as long as this is set: what remains is the caller's cost.
void ignoreLaunches(bool ignore);

/// Among the calls: that machine code was made of PTX. What the directory CUDA_CACHE_PATH keeps is
/// made once.
constexpr const char *assembly = "assembly";
/// From now on each takes so long.
void delayAssembly(int milliseconds);

/// The allocation at an address is from now on one that its owner mapped, for the devices that are
/// named alone.
void mapFor(uint64_t deviceAddress, const std::vector<int> &devices);

#pragma GCC visibility pop

} // namespace nereid::fake_cuda

/// A line for each launch since the last call, as it was given to the driver: "kernel_add grid 4 1
/// 1 threads 128 stream 93824994 values 1152921504606846976,12". For other languages than C++.
extern "C" __attribute__((visibility("default"))) const char *fakeCudaTakeLaunches();
