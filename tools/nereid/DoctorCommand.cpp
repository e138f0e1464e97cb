// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "FormatText.h"
#include "Terminal.h"
#include "nereid/cache.h"
#include "nereid/devices.h"
#include "nereid/environment.h"
#include "nereid/nereid.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
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
  std::printf("%s%-18s%s\n", word.c_str(), what.c_str(), printable(found).c_str());
}

/// The value of the first line that begins with `key`, or "unknown".
std::string findLine(const char *path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key))
      if (size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
          value != std::string::npos)
        return line.substr(value);
  return "unknown";
}

void reportProcessor() {
  CpuInfo cpu = cpuInfo();
  report(Verdict::Good, "cpu",
         findLine("/proc/cpuinfo", "model name") + " (LLVM: " + cpu.name + ")");
  static constexpr struct {
    const char *feature, *use;
  } rows[] = {{"avx2", "256-bit vectors"},         {"fma", "fused multiply-add"},
              {"f16c", "fast float16 conversion"}, {"avx512f", "512-bit vectors"},
              {"avx512bf16", "bfloat16 products"}, {"amx-bf16", "bfloat16 matrix unit"}};
  for (const auto &row : rows) {
    bool isPresent = std::ranges::find(cpu.features, row.feature) != cpu.features.end();
    report(isPresent ? Verdict::Good : Verdict::Absent, row.feature,
           (isPresent ? "present: " : "absent: ") + std::string(row.use));
  }
}

void reportThreads() {
  unsigned usable = Device::open("cpu").threads();
  report(Verdict::Good, "threads",
         formatText("%u usable of %u in the machine", usable, std::thread::hardware_concurrency()));
}

/// /proc/meminfo counts in kB.
std::string formatMemory(const std::string &kilobytes) {
  double number = std::strtod(kilobytes.c_str(), nullptr);
  return number > 0 ? formatText("%.1f GiB", number / (1 << 20)) : kilobytes;
}

void reportMemory() {
  report(Verdict::Good, "memory",
         formatMemory(findLine("/proc/meminfo", "MemTotal")) + " in total, " +
             formatMemory(findLine("/proc/meminfo", "MemAvailable")) + " available");
}

/// Each of the devices that a machine may have several of, or none.
void reportGpus() {
  for (const DeviceInfo &device : devices())
    if (device.isOptional && device.unavailableBecause.empty())
      report(Verdict::Good, device.name, device.description);
    else if (device.isOptional)
      report(Verdict::Absent, device.name, device.unavailableBecause + "; not needed for the cpu");
}

/// Where PATH has a program; empty if nowhere.
std::string findProgram(const std::string &name) {
  std::istringstream directories(environmentVariable("PATH").value_or(""));
  for (std::string directory; std::getline(directories, directory, ':');)
    if (std::string file = directory + "/" + name; access(file.c_str(), X_OK) == 0)
      return file;
  return "";
}

/// NVIDIA's programs, which nothing needs but what is said of each.
void reportPrograms() {
  static constexpr struct {
    const char *name, *use;
  } rows[] = {{"ptxas", "--dump=sass, and tests of code for GPUs"},
              {"nvdisasm", "--dump=sass"},
              {"cuobjdump", "--dump=sass, instead of nvdisasm"},
              {"compute-sanitizer", "`run sanitize` of the bundle"}};
  for (const auto &row : rows) {
    std::string file = findProgram(row.name);
    report(file.empty() ? Verdict::Absent : Verdict::Good, row.name,
           (file.empty() ? "not in PATH" : file) + ": for " + row.use);
  }
}

void reportTemporary() {
  std::error_code error;
  std::string path = std::filesystem::temp_directory_path(error);
  bool isWritable = access(path.c_str(), W_OK | X_OK) == 0;
  report(isWritable ? Verdict::Good : Verdict::Bad, "temporary",
         path + (isWritable ? " is writable" : " is not writable: failures leave no reproducer"));
}

void reportCache() {
  std::optional<DiskCache> cache = DiskCache::open();
  if (!cache)
    return report(Verdict::Absent, "kernel cache", "off: each process compiles afresh");
  std::string problem = cache->problem();
  report(problem.empty() ? Verdict::Good : Verdict::Bad, "kernel cache",
         problem.empty() ? cache->directory() : cache->directory() + " is not used: " + problem);
}

void examine() {
  report(Verdict::Good, "nereid", std::string(version()));
  reportProcessor();
  reportThreads();
  reportMemory();
  reportGpus();
  reportPrograms();
  reportCache();
  reportTemporary();
}

} // namespace

void defineDoctorCommand(CLI::App &command) { command.callback(examine); }

} // namespace nereid::command
