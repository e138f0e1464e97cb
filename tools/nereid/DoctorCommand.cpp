// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "Terminal.h"
#include "nereid/nereid.h"
#include "runtime/DiskCache.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TargetParser/Host.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

namespace nereid::command {
namespace {

enum class Verdict { Good, Absent, Bad };

void report(Verdict verdict, const std::string &what, const std::string &found) {
  static constexpr struct {
    const char *word;
    Color color;
  } rows[] = {{"ok", Color::Green}, {"--", Color::Yellow}, {"bad", Color::Red}};
  const auto &row = rows[static_cast<size_t>(verdict)];
  std::string word =
      colored(stdout, row.color, row.word) + std::string(5 - std::string(row.word).size(), ' ');
  std::printf("%s%-14s%s\n", word.c_str(), what.c_str(), found.c_str());
}

/// The value of the first line that begins with `key`, or "unknown".
std::string findLine(const char *path, llvm::StringRef key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (llvm::StringRef(line).starts_with(key))
      return llvm::StringRef(line).split(':').second.trim().str();
  return "unknown";
}

void reportProcessor() {
  report(Verdict::Good, "cpu",
         findLine("/proc/cpuinfo", "model name") + " (LLVM: " + llvm::sys::getHostCPUName().str() +
             ")");
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  static constexpr struct {
    const char *feature, *use;
  } rows[] = {{"avx2", "256-bit vectors"},         {"fma", "fused multiply-add"},
              {"f16c", "fast float16 conversion"}, {"avx512f", "512-bit vectors"},
              {"avx512bf16", "bfloat16 products"}, {"amx-bf16", "bfloat16 matrix unit"}};
  for (const auto &row : rows)
    report(features.lookup(row.feature) ? Verdict::Good : Verdict::Absent, row.feature,
           (features.lookup(row.feature) ? "present: " : "absent: ") + std::string(row.use));
}

void reportThreads() {
  unsigned usable = Device::open("cpu").threads();
  report(Verdict::Good, "threads",
         llvm::formatv("{0} usable of {1} in the machine", usable,
                       std::thread::hardware_concurrency()));
}

/// /proc/meminfo counts in kB.
std::string formatMemory(const std::string &kilobytes) {
  double number = std::strtod(kilobytes.c_str(), nullptr);
  return number > 0 ? llvm::formatv("{0:f1} GiB", number / (1 << 20)).str() : kilobytes;
}

void reportMemory() {
  report(Verdict::Good, "memory",
         formatMemory(findLine("/proc/meminfo", "MemTotal")) + " in total, " +
             formatMemory(findLine("/proc/meminfo", "MemAvailable")) + " available");
}

void reportCuda() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return report(Verdict::Absent, "cuda",
                  "no NVIDIA driver (libcuda.so.1); not needed for the cpu");
  auto *getVersion = reinterpret_cast<int (*)(int *)>(dlsym(library, "cuDriverGetVersion"));
  int version = 0;
  if (!getVersion || getVersion(&version) != 0)
    report(Verdict::Bad, "cuda", "libcuda.so.1 is there, but cuDriverGetVersion failed");
  else
    report(Verdict::Good, "cuda",
           llvm::formatv("driver for CUDA {0}.{1}; Nereid does not use it yet", version / 1000,
                         version % 1000 / 10));
  dlclose(library);
}

void reportTemporary() {
  std::error_code error;
  std::string path = std::filesystem::temp_directory_path(error);
  bool isWritable = access(path.c_str(), W_OK | X_OK) == 0;
  report(isWritable ? Verdict::Good : Verdict::Bad, "temporary",
         path + (isWritable ? " is writable" : " is not writable: failures leave no reproducer"));
}

void reportCache() {
  auto options = runtime::DiskCache::optionsFromEnvironment();
  if (!options)
    return report(Verdict::Absent, "kernel cache", "off: each process compiles afresh");
  runtime::DiskCache cache(*options);
  std::string problem = cache.problem();
  report(problem.empty() ? Verdict::Good : Verdict::Bad, "kernel cache",
         problem.empty() ? cache.directory() : cache.directory() + " is not used: " + problem);
}

void examine() {
  report(Verdict::Good, "nereid", std::string(version()));
  reportProcessor();
  reportThreads();
  reportMemory();
  reportCuda();
  reportCache();
  reportTemporary();
}

} // namespace

void addDoctorCommand(CLI::App &app) {
  app.add_subcommand("doctor", "Say what this machine has and lacks")->callback(examine);
}

} // namespace nereid::command
