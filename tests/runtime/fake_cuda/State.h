// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the fake driver's functions share.
#pragma once

#include "FakeCuda.h"
#include "runtime/cuda/Abi.h"
#include "runtime/cuda/Results.h"

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

// The driver's opaque types. They are declared where its functions are.
namespace nereid::runtime::cuda {

struct CUctx_st {
  int ordinal;
  int retained = 0;
  CUresult fault = 0;              // "sticky": every later call gives it
  std::set<CUctx_st *> peers = {}; // whose memory its kernels may access
};

/// Work that waits until somebody waits for it.
struct CUstream_st {
  CUcontext context;
  std::deque<std::function<CUresult()>> work;
  uint64_t queued = 0, done = 0;
  enum class Capture { None, Active, Invalid } capture = Capture::None;
  bool isRelaxed = false; // the capture
  std::vector<std::function<CUresult()>> captured;
  /// Work of a context's default stream and of its ordered ones begins when what the other got
  /// before has ended.
  bool isDefault = false, isOrdered = false;

  void add(std::function<CUresult()> piece);
};

struct CUevent_st {
  CUcontext context;
  bool hasTiming;
  std::weak_ptr<CUstream_st> stream;
  uint64_t position = 0; // in the stream's work; 0: never recorded
  std::chrono::steady_clock::time_point time;
};

struct CUfunc_st {
  CUmodule module;
  std::string name;
  fake_cuda::KernelConfig kernel;
  int dynamicShared = 48 << 10;
  bool isClusterFree = false;
};

struct CUmod_st {
  CUcontext context;
  std::vector<std::string> entries;
  std::map<std::string, CUfunc_st> functions;
  std::map<std::string, int> registerLimits;
};

struct CUlinkState_st {
  CUcontext context;
  char *errorLog = nullptr;
  size_t errorLogBytes = 0;
  char *infoLog = nullptr;
  std::vector<std::string> entries;
  std::vector<uint8_t> cubin;
};

// So that a definition here cannot differ from the table.
#define REQUIRED(member, symbol, since, ...) extern "C" CUresult symbol(__VA_ARGS__);
#include "runtime/cuda/driver_functions.def"

} // namespace nereid::runtime::cuda

namespace nereid::fake_cuda {

using namespace nereid::runtime::cuda;

/// Aligned as the driver aligns memory.
struct alignas(256) Line {
  char bytes[256];
};
struct Block {
  CUcontext context;
  int ordinal; // -1: pinned host memory
  std::unique_ptr<Line[]> lines;
  size_t size;
  std::optional<std::vector<int>> mappedFor = {};
  char *bytes() const { return lines[0].bytes; }
};

struct State {
  State();
  std::recursive_mutex mutex;
  Config config;
  std::map<std::string, KernelConfig> kernels;
  struct Failure {
    CUresult result;
    int after; // calls that still work; negative: each one fails
  };
  std::map<std::string, Failure> failures;
  std::vector<std::string> calls;
  std::string launches; // lines, as fakeCudaTakeLaunches gives them
  bool isInitialized = false;

  std::map<int, CUctx_st> contexts;
  std::map<uint64_t, Block> blocks; // by address, device memory and pinned
  std::map<CUstream, std::shared_ptr<CUstream_st>> streams;
  /// Of each context; a null handle is that of the current one.
  std::map<CUcontext, std::shared_ptr<CUstream_st>> defaultStreams;
  std::map<CUevent, std::shared_ptr<CUevent_st>> events;
  std::set<CUmodule> modules;
  std::set<CUlinkState> links;
  int graphs = 0;

  const DeviceConfig &deviceOf(CUcontext context) const { return config.devices[context->ordinal]; }
  /// The block that holds all `bytes` bytes from there; null if there is none.
  const std::pair<const uint64_t, Block> *find(uint64_t address, size_t bytes) const;
};
State &state();
/// Set by ignoreLaunches.
bool areLaunchesIgnored();

CUcontext currentContext();

/// Runs a kernel's code in a context, and gives its result.
CUresult runKernel(CUcontext context, const std::function<int()> &code);

/// The beginning of each function: records the call, and gives the result that it must have
/// whatever it does. `needsContext`: one must be current, and whole.
CUresult enter(const char *symbol, bool needsContext = true);

/// Does the stream's work up to a position. A fault is its context's from then on.
CUresult runUpTo(const std::shared_ptr<CUstream_st> &stream, uint64_t position);
std::shared_ptr<CUstream_st> findStream(CUstream stream);

/// Of what no thread may do while a stream is captured, unless it has said that it is no part of
/// that. Not 0 makes every capture invalid.
CUresult refuseInCapture();
/// The same of what the stream itself cannot do.
CUresult refuseIfCaptured(CUstream_st &stream);

} // namespace nereid::fake_cuda

/// Begins a function of the driver.
#define ENTER(symbol, ...)                                                                         \
  std::lock_guard lock(nereid::fake_cuda::state().mutex);                                          \
  if (CUresult entered = nereid::fake_cuda::enter(#symbol __VA_OPT__(, ) __VA_ARGS__))             \
  return entered

#define FAKE_CUDA_FUNCTION extern "C" __attribute__((visibility("default"))) CUresult
