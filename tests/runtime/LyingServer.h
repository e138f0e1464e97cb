// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace nereid::test {

/// A server on a port of this machine that answers whatever `answer` writes, for each connection
/// anew. It has read something first.
class LyingServer {
public:
  /// `answer` gets the connection's file descriptor, which is closed when it returns.
  explicit LyingServer(std::function<void(int connection)> answer);
  ~LyingServer();
  LyingServer(const LyingServer &) = delete;
  LyingServer &operator=(const LyingServer &) = delete;

  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port); }

  /// Whether it went to somebody.
  static bool write(int connection, const std::string &text);

private:
  int listener, port = 0;
  std::jthread thread;
};

} // namespace nereid::test
