// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Terminal.h"

#include "nereid/environment.h"
#include "nereid/error.h"

#include <chrono>
#include <cstdlib>
#include <system_error>
#include <unistd.h>

namespace nereid::command {

bool isColored(std::FILE *stream) {
  return isatty(fileno(stream)) && !environmentVariable("NO_COLOR");
}

std::string colored(std::FILE *stream, Color color, const std::string &text) {
  static constexpr const char *codes[] = {"31", "32", "33", "1"};
  if (!isColored(stream))
    return text;
  return std::string("\x1b[") + codes[static_cast<size_t>(color)] + "m" + text + "\x1b[0m";
}

Progress::Progress(std::string activity) : activity(std::move(activity)) {
  try {
    if (isatty(fileno(stderr)))
      thread = std::thread([this] { show(); });
  } catch (const std::system_error &) {
    // Where there is no thread to be had nobody sees how far it is.
  }
}

Progress::~Progress() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard lock(mutex);
    hasEnded = true;
  }
  ended.notify_one();
  thread.join();
}

void Progress::say(std::string now) {
  std::lock_guard lock(mutex);
  activity = std::move(now);
}

void Progress::show() {
  std::unique_lock lock(mutex);
  bool isShown = false;
  for (int seconds = 2;; ++seconds) {
    auto patience = std::chrono::seconds(isShown ? 1 : 2);
    if (ended.wait_for(lock, patience, [this] { return hasEnded; }))
      break;
    std::fprintf(stderr, "\r\x1b[K%s ... %d s", printable(activity).c_str(), seconds);
    isShown = true;
  }
  if (isShown)
    std::fputs("\r\x1b[K", stderr);
}

} // namespace nereid::command
