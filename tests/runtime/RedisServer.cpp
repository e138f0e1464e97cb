// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RedisServer.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace nereid::test {

/// Whether somebody listens at a Unix socket. Its file alone is there a moment earlier.
static bool isListened(const std::string &path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path))
    throw std::runtime_error("the path of a Unix socket is too long: " + path);
  path.copy(address.sun_path, path.size());
  int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool isAnswered =
      connect(client, reinterpret_cast<const sockaddr *>(&address), sizeof(address)) == 0;
  close(client);
  return isAnswered;
}

std::optional<RedisServer> RedisServer::start(const std::string &directory,
                                              const std::vector<std::string> &options) {
  if (std::system("command -v redis-server > /dev/null") != 0)
    return std::nullopt;
  std::string socket = directory + "/redis.sock";
  std::vector<std::string> words = {"redis-server",
                                    "--port",
                                    "0",
                                    "--unixsocket",
                                    socket,
                                    "--dir",
                                    directory,
                                    "--save",
                                    "",
                                    "--appendonly",
                                    "no",
                                    "--logfile",
                                    directory + "/redis.log"};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t process;
  if (posix_spawnp(&process, "redis-server", nullptr, nullptr, arguments.data(), environ) != 0)
    throw std::runtime_error("cannot start redis-server");
  RedisServer server(process, socket);
  for (int tries = 0; !isListened(socket); ++tries) {
    if (tries > 600 || waitpid(process, nullptr, WNOHANG) != 0)
      throw std::runtime_error("redis-server does not come up");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return server;
}

RedisServer::RedisServer(RedisServer &&other) noexcept
    : process(std::exchange(other.process, 0)), socket(std::move(other.socket)) {}

RedisServer::~RedisServer() { stop(); }

void RedisServer::stop() {
  if (!process)
    return;
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
  std::filesystem::remove(socket);
  process = 0;
}

void RedisServer::pause() { kill(process, SIGSTOP); }
void RedisServer::resume() { kill(process, SIGCONT); }

} // namespace nereid::test
