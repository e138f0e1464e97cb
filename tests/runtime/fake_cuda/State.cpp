// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "State.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

namespace nereid::fake_cuda {
namespace {

std::atomic<bool> ignoresLaunches = false;

KernelConfig doesNothing(const std::string &parameterBytes) {
  KernelConfig kernel;
  std::istringstream list(parameterBytes);
  for (std::string bytes; std::getline(list, bytes, ',');)
    kernel.parameterBytes.push_back(std::stoul(bytes));
  kernel.run = [](const KernelRun &) { return 0; };
  return kernel;
}

} // namespace

State::State() {
  const char *environment = std::getenv("FAKE_CUDA");
  std::istringstream words(environment ? environment : "");
  for (std::string word; words >> word;) {
    size_t equals = word.find('=');
    std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    if (key == "version")
      config.version = std::stoi(value);
    else if (key == "devices")
      config.devices.resize(std::stoul(value));
    else if (key == "alone")
      config.devices.at(std::stoul(value)).hasPeers = false;
    else if (key == "fail")
      failures[value.substr(0, value.find(':'))] = {std::stoi(value.substr(value.find(':') + 1)),
                                                    -1};
    else if (key == "kernel")
      kernels[value.substr(0, value.find(':'))] = doesNothing(value.substr(value.find(':') + 1));
    else
      std::abort();
  }
}

State &state() {
  static auto *only = new State; // outlives every handle
  return *only;
}

bool areLaunchesIgnored() { return ignoresLaunches; }

const std::pair<const uint64_t, Block> *State::find(uint64_t address, size_t bytes) const {
  auto next = blocks.upper_bound(address);
  if (next == blocks.begin())
    return nullptr;
  const auto &found = *std::prev(next);
  uint64_t offset = address - found.first;
  return offset < found.second.size && bytes <= found.second.size - offset ? &found : nullptr;
}

CUresult enter(const char *symbol, bool needsContext) {
  State &all = state();
  all.calls.emplace_back(symbol);
  if (auto failure = all.failures.find(symbol); failure != all.failures.end()) {
    State::Failure &plan = failure->second;
    if (plan.after < 0)
      return plan.result;
    if (plan.after-- == 0) {
      CUresult result = plan.result;
      all.failures.erase(failure);
      return result;
    }
  }
  if (!all.isInitialized && std::string_view(symbol) != "cuInit")
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!needsContext)
    return 0;
  CUcontext context = currentContext();
  return context ? context->fault : CUDA_ERROR_INVALID_CONTEXT;
}

std::shared_ptr<CUstream_st> findStream(CUstream stream) {
  if (!stream) {
    auto &standard = state().defaultStreams[currentContext()];
    if (!standard) {
      standard = std::make_shared<CUstream_st>();
      standard->context = currentContext();
      standard->isDefault = true;
    }
    return standard;
  }
  auto found = state().streams.find(stream);
  return found == state().streams.end() ? nullptr : found->second;
}

CUresult runUpTo(const std::shared_ptr<CUstream_st> &stream, uint64_t position) {
  while (stream->done < position) {
    auto work = std::move(stream->work.front());
    stream->work.pop_front();
    ++stream->done;
    CUresult result = stream->context->fault ? stream->context->fault : work();
    if (result)
      stream->context->fault = result;
  }
  return stream->context->fault;
}

} // namespace nereid::fake_cuda

void nereid::runtime::cuda::CUstream_st::add(std::function<CUresult()> piece) {
  using namespace nereid::fake_cuda;
  if (capture != Capture::None)
    return captured.push_back(std::move(piece));
  std::vector<std::pair<std::shared_ptr<CUstream_st>, uint64_t>> others;
  auto waitFor = [&](bool isWanted, const std::shared_ptr<CUstream_st> &other) {
    if (isWanted && other->context == context && other->done < other->queued)
      others.emplace_back(other, other->queued);
  };
  for (const auto &[of, other] : state().defaultStreams)
    waitFor(isOrdered, other);
  for (const auto &[handle, other] : state().streams)
    waitFor(isDefault && other->isOrdered, other);
  work.push_back([others = std::move(others), piece = std::move(piece)] {
    for (const auto &[other, position] : others)
      runUpTo(other, position);
    return piece();
  });
  ++queued;
}

namespace nereid::fake_cuda {

CUresult refuseIfCaptured(CUstream_st &stream) {
  if (stream.capture == CUstream_st::Capture::None)
    return 0;
  stream.capture = CUstream_st::Capture::Invalid;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

void beginCapture(void *stream) {
  std::lock_guard lock(state().mutex);
  findStream(static_cast<CUstream>(stream))->capture = CUstream_st::Capture::Active;
}

std::function<void()> endCapture(void *handle) {
  std::lock_guard lock(state().mutex);
  std::shared_ptr<CUstream_st> stream = findStream(static_cast<CUstream>(handle));
  auto pieces = std::exchange(stream->captured, {});
  auto how = std::exchange(stream->capture, CUstream_st::Capture::None);
  if (how == CUstream_st::Capture::Invalid)
    return {};
  return [pieces] {
    for (const auto &piece : pieces)
      piece();
  };
}

void reset(const Config &config) {
  State &all = state();
  std::lock_guard lock(all.mutex);
  if (live() != Live())
    std::abort();
  all.config = config;
  all.kernels.clear();
  all.failures.clear();
  all.defaultStreams.clear();
  all.calls.clear();
}

void setKernel(const std::string &name, KernelConfig kernel) {
  std::lock_guard lock(state().mutex);
  state().kernels[name] = std::move(kernel);
}

namespace {

struct IllegalAccess {};
thread_local CUcontext running = nullptr; // of the kernel

bool mayAccess(CUcontext context, const Block &block) {
  if (block.mappedFor)
    return std::ranges::count(*block.mappedFor, context->ordinal) != 0;
  return block.ordinal < 0 || block.context == context || context->peers.contains(block.context);
}

} // namespace

CUresult runKernel(CUcontext context, const std::function<int()> &code) {
  CUcontext outside = std::exchange(running, context);
  CUresult result;
  try {
    result = code();
  } catch (const IllegalAccess &) {
    result = CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  running = outside;
  return result;
}

void mapFor(uint64_t address, const std::vector<int> &devices) {
  std::lock_guard lock(state().mutex);
  state().blocks.at(address).mappedFor = devices;
}

void *hostAddress(uint64_t address) {
  std::lock_guard lock(state().mutex);
  const auto *found = state().find(address, 0);
  if (running && found && !mayAccess(running, found->second))
    throw IllegalAccess();
  return found ? found->second.bytes() + (address - found->first) : nullptr;
}

void fail(const std::string &symbol, int result, int nth) {
  std::lock_guard lock(state().mutex);
  state().failures[symbol] = {result, nth - 1};
}

Live live() {
  State &all = state();
  std::lock_guard lock(all.mutex);
  Live result;
  for (const auto &[ordinal, context] : all.contexts)
    result.contexts += context.retained > 0 && !context.fault;
  for (const auto &[address, block] : all.blocks) {
    if (block.context->fault)
      continue;
    ++(block.ordinal < 0 ? result.pinned : result.allocations);
    result.bytes += block.size;
  }
  for (const auto &[handle, stream] : all.streams)
    result.streams += !stream->context->fault;
  for (const auto &[handle, event] : all.events)
    result.events += !event->context->fault;
  for (CUmodule module : all.modules)
    result.modules += !module->context->fault;
  result.links = static_cast<int>(all.links.size());
  result.graphs = all.graphs;
  return result;
}

std::vector<std::string> takeCalls() {
  std::lock_guard lock(state().mutex);
  return std::exchange(state().calls, {});
}

void ignoreLaunches(bool ignore) { ignoresLaunches = ignore; }

} // namespace nereid::fake_cuda

const char *fakeCudaTakeLaunches() {
  static std::string taken;
  std::lock_guard lock(nereid::fake_cuda::state().mutex);
  taken = std::exchange(nereid::fake_cuda::state().launches, {});
  return taken.c_str();
}
