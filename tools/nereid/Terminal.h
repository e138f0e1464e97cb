// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace nereid::command {

enum class Color { Red, Green, Yellow };
/// If `stream` is a terminal and NO_COLOR is not set.
bool isColored(std::FILE *stream);
/// In colour if isColored().
std::string colored(std::FILE *stream, Color color, const std::string &text);

/// While it lives, says on stderr what takes so long, from two seconds on and only on a terminal.
class Progress {
public:
  explicit Progress(std::string activity);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  /// It takes long because of something else now.
  void say(std::string activity);

private:
  void show();

  std::string activity;
  std::mutex mutex;
  std::condition_variable ended;
  bool hasEnded = false;
  std::thread thread;
};

} // namespace nereid::command
