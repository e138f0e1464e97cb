// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver's compiler does one thing at a time in a process, so that others do part of the work.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace nereid::runtime::cuda {

/// The program that does links for this one: what the environment variable NEREID_HELPER names, or
/// this program itself if it is the command line. Empty: there is none.
std::string linkHelperProgram();

/// A process of that program, which has the driver to itself.
class LinkHelper {
public:
  /// Starts it for a GPU, which it opens at once; that takes it half a second. Null if it cannot.
  static std::unique_ptr<LinkHelper> start(const std::string &program, unsigned ordinal);
  ~LinkHelper();
  LinkHelper(const LinkHelper &) = delete;
  LinkHelper &operator=(const LinkHelper &) = delete;

  static constexpr std::chrono::minutes mostPatience{10}; // the largest kernels take minutes
  /// The machine code of the PTX; nothing if it has a mistake, or the process is gone or does not
  /// answer in time. Then the process is of no more use.
  std::optional<std::vector<uint8_t>> link(std::string_view ptx,
                                           std::chrono::milliseconds patience = mostPatience);

private:
  LinkHelper(pid_t process, int socket) : process(process), socket(socket) {}
  pid_t process;
  int socket;
};

/// What a helper does: answers what comes through `socket` until it is closed. Returns the exit
/// code.
int serveLinks(unsigned ordinal, int socket);

} // namespace nereid::runtime::cuda
