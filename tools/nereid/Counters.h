// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the hardware and the operating system count of this process.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nereid::command {

/// One row of counters.def.
struct Count {
  std::string key, title;
  std::optional<double> value;
  std::string whyNot; ///< why there is no value
};

/// Counts this process and the threads that it starts from now on, in its own code: what the
/// kernel of the operating system does for it is left out. Whoever wants a device's threads counted
/// makes this before the device is opened.
class Counters {
public:
  Counters();
  ~Counters();
  Counters(const Counters &) = delete;
  Counters &operator=(const Counters &) = delete;

  void start();
  /// Since start(). What shared a hardware counter with others was counted part of the time, and is
  /// scaled.
  std::vector<Count> read() const;

private:
  struct Counter {
    const char *key, *title;
    int file; ///< negative: -errno
  };
  std::vector<Counter> counters;
};

} // namespace nereid::command
