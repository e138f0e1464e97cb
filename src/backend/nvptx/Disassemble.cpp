// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/Disassemble.h"

#include "nereid/error.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

namespace nereid::backend::nvptx {
namespace {

constexpr unsigned longestSeconds = 300;

[[noreturn]] void refuse(const std::string &reason) {
  throw Error(Error::Kind::Environment, "cannot show stage 'sass': " + reason);
}

/// A file of its own, gone with this.
class TemporaryFile {
public:
  explicit TemporaryFile(llvm::StringRef suffix, llvm::StringRef text = "") {
    int file = -1;
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("nereid", suffix, file, path_))
      refuse("no temporary file: " + error.message());
    remover.setFile(path_);
    llvm::raw_fd_ostream(file, /*shouldClose=*/true) << text;
  }
  llvm::StringRef path() const { return path_; }
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path_);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

private:
  llvm::SmallString<128> path_;
  llvm::FileRemover remover;
};

/// Runs a program to its end; gives what it printed.
std::string run(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> arguments) {
  TemporaryFile output("txt");
  llvm::SmallVector<llvm::StringRef, 8> all = {program};
  all.append(arguments.begin(), arguments.end());
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), output.path(), output.path()};
  std::string problem;
  if (llvm::sys::ExecuteAndWait(program, all, std::nullopt, redirects, longestSeconds,
                                /*MemoryLimit=*/0, &problem))
    refuse(program.str() + " failed: " + (problem.empty() ? output.read() : problem));
  return output.read();
}

std::string find(llvm::StringRef name) {
  llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name);
  return found ? *found : "";
}

std::string asComments(llvm::StringRef text) {
  std::string result;
  for (llvm::StringRef line : llvm::split(text.rtrim(), '\n'))
    result += "// " + line.str() + "\n";
  return result;
}

} // namespace

std::string disassemble(const std::string &ptx, const target::NvidiaTarget &target) {
  std::string assembler = find("ptxas"), disassembler = find("nvdisasm"), other = find("cuobjdump");
  if (assembler.empty() || (disassembler.empty() && other.empty()))
    refuse("it needs NVIDIA's ptxas, and nvdisasm or cuobjdump, in PATH, which has no " +
           std::string(assembler.empty() ? "ptxas" : "nvdisasm") +
           " (they are in the CUDA toolkit, and on PyPI as nvidia-cuda-nvcc and "
           "nvidia-cuda-nvdisasm)");
  TemporaryFile source("ptx", ptx), cubin("cubin");
  std::string arch = "-arch=" + target.sm;
  std::string report = run(assembler, {arch, "-v", source.path(), "-o", cubin.path()});
  std::string code = disassembler.empty() ? run(other, {"-sass", cubin.path()})
                                          : run(disassembler, {"-c", cubin.path()});
  return asComments(report) + code;
}

} // namespace nereid::backend::nvptx
