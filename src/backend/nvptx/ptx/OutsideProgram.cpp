// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/OutsideProgram.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

namespace nereid::backend::nvptx {

static constexpr unsigned longestSeconds = 300;

TemporaryFile::TemporaryFile(llvm::StringRef suffix, llvm::StringRef text) {
  int file = -1;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("nereid", suffix, file, path_))
    throw OutsideFailure("no temporary file: " + error.message());
  remover.setFile(path_);
  llvm::raw_fd_ostream(file, /*shouldClose=*/true) << text;
}

std::string TemporaryFile::read() const {
  auto buffer = llvm::MemoryBuffer::getFile(path_);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

std::string findProgram(llvm::StringRef name) {
  llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name);
  return found ? *found : "";
}

std::string runProgram(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> arguments) {
  TemporaryFile output("txt");
  llvm::SmallVector<llvm::StringRef, 8> all = {program};
  all.append(arguments.begin(), arguments.end());
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), output.path(), output.path()};
  std::string problem;
  if (llvm::sys::ExecuteAndWait(program, all, std::nullopt, redirects, longestSeconds,
                                /*MemoryLimit=*/0, &problem))
    throw OutsideFailure(program.str() + " failed: " + (problem.empty() ? output.read() : problem));
  return output.read();
}

} // namespace nereid::backend::nvptx
