// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a file of launches holds, read as far as no launch needs all of it.
#pragma once

#include "nereid/replay.h"

#include <nlohmann/json.hpp>

#include <optional>

namespace nereid {

namespace tuning {

/// One piece of memory that arrays of a launch lie in.
struct RecordedMemory {
  std::string name;
  DType dtype;
  /// Its address modulo `memoryAlignment`.
  uint64_t misalignment;
  size_t content;
};
constexpr uint64_t memoryAlignment = 512;

/// An argument as the kernel gets it: a number, or a place in a piece of memory.
struct RecordedSlot {
  uint64_t bits = 0;
  std::optional<size_t> memory = {};
  uint64_t offset = 0, extentBytes = 0, bytesBelow = 0;
};

struct RecordedArguments {
  size_t description;
  std::vector<RecordedMemory> memories;
  std::vector<RecordedSlot> slots;
};

/// The bytes of `content`, an entry of the file's "contents". Throws Error(Environment) if they are
/// damaged.
std::vector<uint8_t> bytesOf(const nlohmann::ordered_json &content);
uint64_t sizeOf(const nlohmann::ordered_json &content);

} // namespace tuning

struct Recording::State {
  std::string name, machine;
  nlohmann::ordered_json kernels, contents;
  std::vector<RecordedLaunch> launches;
  std::vector<tuning::RecordedArguments> arguments; // of each launch
};

} // namespace nereid
