// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LaunchSettings.h"

#include "Completion.h"
#include "Fill.h"
#include "Value.h"
#include "nereid/devices.h"

#include <CLI/CLI.hpp>
#include <charconv>

namespace nereid::command {

/// The library would wrap what does not fit.
static std::string requireCount(const std::string &text) {
  uint64_t count;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  bool isCount = error == std::errc() && end == text.data() + text.size();
  return isCount ? "" : "'" + text + "' is not an integer from 0 to 2^64 - 1";
}

void LaunchSettings::addTo(CLI::App &command) {
  command.add_option("kernel", kernel, "FILE[::KERNEL]; the name may be left out if there is one")
      ->required();
  command.add_option("arguments", arguments, "NAME=VALUE for each of the kernel's parameters");
  command.add_option("-g,--grid", grid, "GRID: how many programs along each axis")->required();
  offer(command.add_option(
            "-d,--device", device,
            "cpu, a GPU (cuda, cuda:1), or check to find mistakes; nereid devices lists them"),
        deviceNames)
      ->capture_default_str();
  command.add_option("--threads", threads, "Threads that run programs (0: one per core)");
  offer(
      command.add_option(
          "--cpu", cpu, "The CPU to compile for: host, x86-64, haswell, ... (default: NEREID_CPU)"),
      cpuNames);
  command.add_option("--seed", seed, "Changes what rand: and randn: give")->check(requireCount);
  modules.addTo(command);
}

std::string describeValues() {
  return R"(
VALUE is one of
    1823  -0.5  True  None  an expression over other arguments: x.shape[0]*2
    '"text"'              a string for a constexpr
    @x.npy  @x.npy:bf16   an array from a file, converted if a dtype follows
    x                     the same array as argument x, as in y=x: no copy
    blocks[64,32]:VALUE   a tensor descriptor of an array, for blocks of that shape
    pair.0=VALUE pair.1=VALUE   a tuple, element by element
)" + describeFills() +
         "    DTYPE: " + acceptedDTypes() + R"(

GRID is up to three integer expressions with + - * // %, cdiv, next_power_of_2, min, max,
NAME, NAME.shape[i] and NAME.stride[i].

)";
}

std::string requireFileName(const std::string &text) {
  return text.empty() ? "is to be a file's name, and is empty" : "";
}

} // namespace nereid::command
