// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a kernel given as text of the tile dialect on each executor, for tests that compare them.
#pragma once

#include "dialect/tile/Kernel.h"
#include "support/KernelArguments.h"
#include "target/CpuTarget.h"

#include <cstring>
#include <string>
#include <vector>

namespace nereid::test {

/// An array or scalar argument. Every run gets a fresh copy of an array.
struct TestArgument {
  std::vector<uint8_t> bytes; // of an array
  uint64_t bits = 0;          // of a scalar
  bool isArray = false;

  template <typename T> static TestArgument array(const std::vector<T> &values) {
    TestArgument argument;
    argument.isArray = true;
    argument.bytes.resize(values.size() * sizeof(T));
    std::memcpy(argument.bytes.data(), values.data(), argument.bytes.size());
    return argument;
  }
  template <typename T> static TestArgument scalar(T value) {
    TestArgument argument;
    std::memcpy(&argument.bits, &value, sizeof(T));
    return argument;
  }
  template <typename T> std::vector<T> as() const {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
};

enum class Executor { Interpreter, Cpu };

/// The arguments as the kernel left them. The kernel is optimised before the CPU runs it, and not
/// before the interpreter does. `report`, if given, gets what the interpreter found wrong.
std::vector<TestArgument> runTile(const std::string &text, std::vector<TestArgument> arguments,
                                  GridExtent grid, Executor executor,
                                  std::string *report = nullptr);

/// The same on this machine's CPU, compiled for `cpu`, which it must be able to run.
std::vector<TestArgument> runTileOn(const target::CpuTarget &cpu, const std::string &text,
                                    std::vector<TestArgument> arguments, GridExtent grid);

/// The same for a kernel that was emitted by the front end. Consumes it.
std::vector<TestArgument> runTile(tile::Kernel kernel, std::vector<TestArgument> arguments,
                                  GridExtent grid, Executor executor,
                                  std::string *report = nullptr);

} // namespace nereid::test
