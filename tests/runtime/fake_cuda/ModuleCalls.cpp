// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of the fake driver: PTX to "machine code", modules and functions.
#include "State.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

using namespace nereid::fake_cuda;

static constexpr std::string_view magic = "\x7f"
                                          "FAKE ";
/// Between an entry's name and the limit of its registers.
static constexpr char limitMark = '/';

std::vector<uint8_t> nereid::fake_cuda::makeCubin(int sm, const std::vector<std::string> &entries) {
  std::string text = std::string(magic) + std::to_string(sm);
  for (const std::string &entry : entries)
    text += " " + entry;
  text.push_back('\0');
  return {text.begin(), text.end()};
}

static std::atomic<int> assemblyDelay = 0;
void nereid::fake_cuda::delayAssembly(int milliseconds) { assemblyDelay = milliseconds; }

namespace nereid::runtime::cuda {

// Linking. What is understood of PTX: .version, .target, .entry and .maxnreg; and the word
// `mistake`.

static int smOf(CUcontext context) {
  const DeviceConfig &device = state().deviceOf(context);
  return device.smMajor * 10 + device.smMinor;
}

/// Of the driver's options of an assembly.
struct Logs {
  char *errors = nullptr, *infos = nullptr;
  size_t errorBytes = 0;

  Logs() = default;
  Logs(unsigned count, CUjit_option *options, void **values) {
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
        errors = static_cast<char *>(values[i]);
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
        errorBytes = reinterpret_cast<size_t>(values[i]);
      if (options[i] == CU_JIT_INFO_LOG_BUFFER)
        infos = static_cast<char *>(values[i]);
    }
  }
};

FAKE_CUDA_FUNCTION cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values,
                                   CUlinkState *result) {
  ENTER(cuLinkCreate_v2);
  auto *link = new CUlinkState_st;
  link->context = currentContext();
  Logs logs(count, options, values);
  link->errorLog = logs.errors;
  link->errorLogBytes = logs.errorBytes;
  link->infoLog = logs.infos;
  state().links.insert(link);
  *result = link;
  return 0;
}

static CUresult reject(const Logs &logs, int line, const std::string &why, CUresult result) {
  if (logs.errors)
    std::snprintf(logs.errors, logs.errorBytes,
                  "ptxas application ptx input, line %d; error   : %s\n", line, why.c_str());
  return result;
}

/// Adds the entries of PTX, each with the limit of its registers.
static CUresult readPtx(const std::string &text, int sm, const Logs &logs,
                        std::vector<std::string> &entries) {
  std::istringstream lines(text);
  int number = 0, target = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    for (std::string word, value; words >> word;) {
      if (word == ".version" && words >> value && std::stod(value) * 1000 > 9000)
        return reject(logs, number, "Unsupported .version " + value,
                      CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
      if (word == ".target" && words >> value)
        target = std::stoi(value.substr(3));
      if (word == ".entry" && words >> value)
        entries.push_back(value.substr(0, value.find('(')));
      if (word == ".maxnreg" && words >> value && !entries.empty()) {
        if (state().kernels[entries.back()].leastRegisters == KernelConfig::any)
          return reject(logs, number, "Insufficient registers", CUDA_ERROR_INVALID_PTX);
        entries.back() += limitMark + value;
      }
      if (word == "mistake")
        return reject(logs, number, "Unknown symbol 'mistake'", CUDA_ERROR_INVALID_PTX);
    }
  }
  return target && target <= sm ? 0 : CUDA_ERROR_INVALID_PTX;
}

FAKE_CUDA_FUNCTION cuLinkAddData_v2(CUlinkState link, CUjitInputType type, void *data, size_t bytes,
                                    const char *, unsigned, CUjit_option *, void **) {
  ENTER(cuLinkAddData_v2);
  std::string_view text(static_cast<const char *>(data), bytes);
  if (type != CU_JIT_INPUT_PTX || text.find('\0') != bytes - 1)
    return CUDA_ERROR_INVALID_VALUE;
  Logs logs;
  logs.errors = link->errorLog;
  logs.errorBytes = link->errorLogBytes;
  return readPtx(std::string(text), smOf(link->context), logs, link->entries);
}

FAKE_CUDA_FUNCTION cuLinkComplete(CUlinkState link, void **cubin, size_t *bytes) {
  ENTER(cuLinkComplete);
  link->cubin = makeCubin(smOf(link->context), link->entries);
  if (link->infoLog)
    std::strcpy(link->infoLog, "ptxas info    : Used 32 registers\n");
  *cubin = link->cubin.data();
  *bytes = link->cubin.size();
  return 0;
}

FAKE_CUDA_FUNCTION cuLinkDestroy(CUlinkState link) {
  std::lock_guard lock(state().mutex);
  CUresult entered = enter("cuLinkDestroy");
  if (!state().links.erase(link))
    return CUDA_ERROR_INVALID_HANDLE;
  if (link->errorLog) // a real driver writes there until now
    link->errorLog[link->errorLogBytes - 1] = '\0';
  delete link;
  return entered;
}

// Modules

// The driver's cache: a file for each text, where CUDA_CACHE_PATH names a directory.

static std::string placeInCache(const std::string &ptx) {
  const char *directory = std::getenv("CUDA_CACHE_PATH");
  return directory ? std::string(directory) + "/" + std::to_string(std::hash<std::string>()(ptx))
                   : "";
}

static bool findsInCache(const std::string &ptx) { return std::ifstream(placeInCache(ptx)).good(); }

static void keepInCache(const std::string &ptx) {
  if (std::string place = placeInCache(ptx); !place.empty())
    std::ofstream(place) << "made";
}

static CUresult loadEntries(CUmodule *result, const std::vector<std::string> &entries) {
  auto *module = new CUmod_st{currentContext(), {}, {}, {}};
  for (const std::string &entry : entries) {
    size_t mark = entry.find(limitMark);
    module->entries.push_back(entry.substr(0, mark));
    if (mark != entry.npos)
      module->registerLimits[module->entries.back()] = std::stoi(entry.substr(mark + 1));
  }
  state().modules.insert(module);
  *result = module;
  return 0;
}

FAKE_CUDA_FUNCTION cuModuleLoadDataEx(CUmodule *result, const void *image, unsigned count,
                                      CUjit_option *options, void **values) {
  std::string text(static_cast<const char *>(image));
  const bool isPtx = text.find(".version") != text.npos;
  const bool isMade = isPtx && findsInCache(text);
  if (isPtx && !isMade)
    std::this_thread::sleep_for(std::chrono::milliseconds(assemblyDelay));
  ENTER(cuModuleLoadDataEx);
  if (CUresult refused = refuseInCapture())
    return refused;
  const int device = smOf(currentContext());
  std::vector<std::string> entries;
  if (isPtx) {
    if (!isMade)
      enter(assembly);
    if (CUresult refused = readPtx(text, device, Logs(count, options, values), entries))
      return refused;
    keepInCache(text);
    return loadEntries(result, entries);
  }
  if (!text.starts_with(magic))
    return CUDA_ERROR_INVALID_IMAGE;
  std::istringstream words(text.substr(magic.size()));
  int sm = 0;
  words >> sm;
  if (sm / 10 != device / 10 || sm > device)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  for (std::string entry; words >> entry;)
    entries.push_back(entry);
  return loadEntries(result, entries);
}

FAKE_CUDA_FUNCTION cuModuleUnload(CUmodule module) {
  std::lock_guard lock(state().mutex);
  CUresult entered = enter("cuModuleUnload");
  if (!state().modules.erase(module))
    return CUDA_ERROR_INVALID_HANDLE;
  delete module;
  return entered;
}

FAKE_CUDA_FUNCTION cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  ENTER(cuModuleGetFunction);
  if (!std::ranges::count(module->entries, name) || !state().kernels.contains(name))
    return CUDA_ERROR_NOT_FOUND;
  fake_cuda::KernelConfig kernel = state().kernels.at(name);
  if (auto limit = module->registerLimits.find(name); limit != module->registerLimits.end()) {
    kernel.registers = std::min(kernel.registers, limit->second);
    kernel.localBytes += 4 * std::max(kernel.leastRegisters - kernel.registers, 0);
  } else if (kernel.localWithoutLimit) {
    kernel.registers = 32;
    kernel.localBytes = kernel.localWithoutLimit;
  }
  *function = &module->functions.try_emplace(name, CUfunc_st{module, name, kernel}).first->second;
  return 0;
}

// Functions

static int mostThreads(const CUfunc_st &function) {
  const DeviceConfig &device = state().deviceOf(function.module->context);
  int byRegisters = device.registersPerBlock / std::max(function.kernel.registers, 1) / 32 * 32;
  return std::min(device.threadsPerBlock, byRegisters);
}

FAKE_CUDA_FUNCTION cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                                      CUfunction function) {
  ENTER(cuFuncGetAttribute);
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = mostThreads(*function);
    return 0;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = function->kernel.sharedBytes;
    return 0;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = function->kernel.localBytes;
    return 0;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = function->kernel.registers;
    return 0;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = smOf(function->module->context);
    return 0;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

FAKE_CUDA_FUNCTION cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                                      int value) {
  ENTER(cuFuncSetAttribute);
  int room =
      state().deviceOf(function->module->context).sharedPerBlock - function->kernel.sharedBytes;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES && value <= room)
    function->dynamicShared = value;
  else if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
    function->isClusterFree = value;
  else
    return CUDA_ERROR_INVALID_VALUE;
  return 0;
}

FAKE_CUDA_FUNCTION cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                               int threads, size_t) {
  ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessor);
  *blocks = 65536 / (threads * function->kernel.registers);
  return 0;
}

FAKE_CUDA_FUNCTION cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function,
                                                      const CUlaunchConfig *) {
  ENTER(cuOccupancyMaxPotentialClusterSize);
  *size = state().deviceOf(function->module->context).largestCluster;
  return 0;
}

FAKE_CUDA_FUNCTION cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, uint32_t rank,
                                          void *address, const uint64_t *extents, const uint64_t *,
                                          const uint32_t *, const uint32_t *, int, int swizzle, int,
                                          int) {
  ENTER(cuTensorMapEncodeTiled); // writes nothing but the map, and wants a context all the same
  *map = {
      {reinterpret_cast<uint64_t>(address), uint64_t(type), rank, extents[0], uint64_t(swizzle)}};
  return 0;
}

} // namespace nereid::runtime::cuda
