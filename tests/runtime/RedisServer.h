// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace nereid::test {

/// A redis-server of the test's own, behind a Unix socket; it ends with this.
class RedisServer {
public:
  /// Nothing if there is no such program on this machine.
  static std::optional<RedisServer> start(const std::string &directory,
                                          const std::vector<std::string> &options = {});
  RedisServer(RedisServer &&other) noexcept;
  RedisServer &operator=(RedisServer &&) = delete;
  ~RedisServer();

  std::string url() const { return "unix://" + socket; }
  void stop();
  /// Lets it go on as if it were very slow: it answers nobody until resume().
  void pause();
  void resume();

private:
  RedisServer(pid_t process, std::string socket) : process(process), socket(std::move(socket)) {}
  pid_t process;
  std::string socket;
};

} // namespace nereid::test
