// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver's compiler does one thing at a time in a process, so that others do part of the work.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <sys/types.h>

namespace nereid::runtime::cuda {

/// The program that has code assembled for this one: what the environment variable NEREID_HELPER
/// names, or this program itself if it is the command line. Empty: there is none.
std::string assemblyHelperProgram();

/// A process of that program, which has the driver to itself.
class AssemblyHelper {
public:
  /// Starts it for a GPU, which it opens at once; that takes it half a second. Null if it cannot.
  static std::unique_ptr<AssemblyHelper> start(const std::string &program, unsigned ordinal);
  ~AssemblyHelper();
  AssemblyHelper(const AssemblyHelper &) = delete;
  AssemblyHelper &operator=(const AssemblyHelper &) = delete;

  static constexpr std::chrono::minutes mostPatience{10}; // the largest kernels take minutes
  /// Made: the driver's cache has it. Refused: the driver takes no such text, and the process waits
  /// for the next one. Gone: the process is, or it did not answer in time; it is of no more use.
  enum class Answer { Made, Refused, Gone };
  /// Of PTX, a zero at its end.
  Answer assemble(std::span<const uint8_t> ptx, std::chrono::milliseconds patience = mostPatience);

private:
  AssemblyHelper(pid_t process, int socket) : process(process), socket(socket) {}
  pid_t process;
  int socket;
};

/// What a helper does: answers what comes through `socket` until it is closed. Returns the exit
/// code.
int serveAssembly(unsigned ordinal, int socket);

} // namespace nereid::runtime::cuda
