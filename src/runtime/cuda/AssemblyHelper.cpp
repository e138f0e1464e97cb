// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/AssemblyHelper.h"

#include "files/TransferAll.h"
#include "nereid/error.h"
#include "runtime/cuda/Module.h"
#include "support/EnvironmentVariables.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace nereid::runtime::cuda {
namespace {

/// Beyond this, a length is no length.
constexpr uint64_t longest = uint64_t(1) << 32;

/// Whether to go on waiting for the other end. Asked now and then, where the socket has a limit.
using MayWait = std::function<bool()>;

template <typename Step> bool moveAll(size_t bytes, const MayWait &mayWait, Step step) {
  return files::transferAll(bytes, [&](size_t done) {
    ssize_t count = 0;
    do
      count = step(done);
    while (count < 0 && errno == EAGAIN && mayWait && mayWait());
    return count;
  });
}

bool sendAll(int socket, const void *data, size_t bytes, const MayWait &mayWait) {
  return moveAll(bytes, mayWait, [&](size_t done) {
    return send(socket, static_cast<const char *>(data) + done, bytes - done, MSG_NOSIGNAL);
  });
}

bool receiveAll(int socket, void *data, size_t bytes, const MayWait &mayWait) {
  return moveAll(bytes, mayWait, [&](size_t done) {
    return recv(socket, static_cast<char *>(data) + done, bytes - done, 0);
  });
}

/// A message is its length and its bytes.
template <typename Bytes>
bool sendMessage(int socket, const Bytes &bytes, const MayWait &mayWait = {}) {
  uint64_t size = bytes.size();
  return sendAll(socket, &size, sizeof size, mayWait) &&
         sendAll(socket, bytes.data(), bytes.size(), mayWait);
}

template <typename Bytes>
std::optional<Bytes> receiveMessage(int socket, const MayWait &mayWait = {}) {
  uint64_t size = 0;
  if (!receiveAll(socket, &size, sizeof size, mayWait) || size > longest)
    return std::nullopt;
  Bytes bytes(size, 0);
  if (!receiveAll(socket, bytes.data(), bytes.size(), mayWait))
    return std::nullopt;
  return bytes;
}

/// Makes a call that waits for the other end give up after a tenth of a second (EAGAIN).
void limitWaiting(int socket) {
  const timeval tenth{0, 100000};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &tenth, sizeof tenth);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &tenth, sizeof tenth);
}

/// This process's environment, but the GPUs are those that its driver was opened with: an ordinal
/// is one of them.
std::vector<std::string> helperEnvironment() {
  const auto &choices = Driver::get().deviceChoices();
  std::vector<std::string> words;
  for (char **word = environ; word && *word; ++word)
    if (std::ranges::none_of(choices, [&](const DeviceChoice &choice) {
          return std::string_view(*word).starts_with(std::string(choice.name) + "=");
        }))
      words.emplace_back(*word);
  for (const DeviceChoice &choice : choices)
    if (choice.value)
      words.push_back(std::string(choice.name) + "=" + *choice.value);
  return words;
}

/// For posix_spawn.
std::vector<char *> pointersTo(std::vector<std::string> &words) {
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Whether a child has not ended; false as well if it is none of ours any more, since the host
/// waits for every child.
bool isRunning(pid_t process) {
  siginfo_t ended{};
  return !waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT) &&
         !ended.si_pid;
}

} // namespace

std::string assemblyHelperProgram() {
  if (const char *chosen = readVariable(KnownVariable::NEREID_HELPER))
    return chosen;
  char path[4096];
  ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  std::string_view self(path, size > 0 ? static_cast<size_t>(size) : 0);
  return self.ends_with("/nereid") ? std::string(self) : "";
}

std::unique_ptr<AssemblyHelper> AssemblyHelper::start(const std::string &program,
                                                      unsigned ordinal) {
  std::vector<std::string> words = {program, "serve-assembly", std::to_string(ordinal)},
                           environment = helperEnvironment();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
    return nullptr;
  limitWaiting(ends[0]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  pid_t process = 0;
  int result = posix_spawn(&process, program.c_str(), &actions, nullptr, pointersTo(words).data(),
                           pointersTo(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (!result)
    return std::unique_ptr<AssemblyHelper>(new AssemblyHelper(process, ends[0]));
  close(ends[0]);
  return nullptr;
}

AssemblyHelper::~AssemblyHelper() {
  // This ends the process; to close would not, if a forked child of this one has the socket, too.
  shutdown(socket, SHUT_RDWR);
  close(socket);
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
}

AssemblyHelper::Answer AssemblyHelper::assemble(std::span<const uint8_t> ptx,
                                                std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  auto mayWait = [&, end = Clock::now() + patience] {
    return Clock::now() < end && isRunning(process);
  };
  std::optional<std::string> answer;
  if (sendMessage(socket, ptx, mayWait))
    answer = receiveMessage<std::string>(socket, mayWait);
  if (!answer && isRunning(process))
    kill(process, SIGKILL); // stuck in the driver, it would not notice the socket's end
  if (!answer)
    return Answer::Gone;
  return answer->empty() ? Answer::Refused : Answer::Made;
}

int serveAssembly(unsigned ordinal, int socket) {
  try {
    std::shared_ptr<Context> context = Context::open(ordinal);
    while (auto ptx = receiveMessage<std::vector<uint8_t>>(socket)) {
      std::string answer; // nothing: refused
      try {
        Module::assemble(context, *ptx, "a kernel");
        answer = "made";
      } catch (const Error &) {
        // Whoever asked tries by itself, and says what is wrong.
      }
      if (!sendMessage(socket, answer))
        break;
    }
    return 0;
  } catch (const Error &) {
    return 1;
  }
}

} // namespace nereid::runtime::cuda
