// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/LinkHelper.h"

#include "files/TransferAll.h"
#include "nereid/error.h"
#include "runtime/cuda/Module.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace nereid::runtime::cuda {
namespace {

/// Beyond this, a length is no length.
constexpr uint64_t longest = uint64_t(1) << 32;

bool sendAll(int socket, const void *data, size_t bytes) {
  return files::transferAll(bytes, [&](size_t done) {
    return send(socket, static_cast<const char *>(data) + done, bytes - done, MSG_NOSIGNAL);
  });
}

bool receiveAll(int socket, void *data, size_t bytes) {
  return files::transferAll(bytes, [&](size_t done) {
    return recv(socket, static_cast<char *>(data) + done, bytes - done, 0);
  });
}

/// A message is its length and its bytes; an empty one is no answer.
template <typename Bytes> bool sendMessage(int socket, const Bytes &bytes) {
  uint64_t size = bytes.size();
  return sendAll(socket, &size, sizeof size) && sendAll(socket, bytes.data(), bytes.size());
}

template <typename Bytes> std::optional<Bytes> receiveMessage(int socket) {
  uint64_t size = 0;
  if (!receiveAll(socket, &size, sizeof size) || size > longest)
    return std::nullopt;
  Bytes bytes(size, 0);
  if (!receiveAll(socket, bytes.data(), bytes.size()))
    return std::nullopt;
  return bytes;
}

} // namespace

std::string linkHelperProgram() {
  if (const char *chosen = std::getenv("NEREID_HELPER"))
    return chosen;
  char path[4096];
  ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  std::string_view self(path, size > 0 ? static_cast<size_t>(size) : 0);
  return self.ends_with("/nereid") ? std::string(self) : "";
}

std::unique_ptr<LinkHelper> LinkHelper::start(const std::string &program, unsigned ordinal) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
    return nullptr;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  std::string number = std::to_string(ordinal);
  std::string words[] = {program, "serve-links", number};
  char *arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t process = 0;
  int result = posix_spawn(&process, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (!result)
    return std::unique_ptr<LinkHelper>(new LinkHelper(process, ends[0]));
  close(ends[0]);
  return nullptr;
}

LinkHelper::~LinkHelper() {
  close(socket); // which ends the process
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<std::vector<uint8_t>> LinkHelper::link(std::string_view ptx) {
  if (!sendMessage(socket, ptx))
    return std::nullopt;
  auto cubin = receiveMessage<std::vector<uint8_t>>(socket);
  return cubin && !cubin->empty() ? std::move(cubin) : std::nullopt;
}

int serveLinks(unsigned ordinal, int socket) {
  try {
    std::shared_ptr<Context> context = Context::open(ordinal);
    while (auto ptx = receiveMessage<std::string>(socket)) {
      std::vector<uint8_t> cubin;
      try {
        cubin = cuda::link(*context, *ptx, "a kernel").cubin;
      } catch (const Error &) {
        // Whoever asked tries by itself, and says what is wrong.
      }
      if (!sendMessage(socket, cubin))
        break;
    }
    return 0;
  } catch (const Error &) {
    return 1;
  }
}

} // namespace nereid::runtime::cuda
