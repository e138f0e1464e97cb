// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's programs, which are no part of Nereid, as PATH has them.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileUtilities.h"

#include <stdexcept>
#include <string>

namespace nereid::backend::nvptx {

/// Why such a program gave nothing.
class OutsideFailure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A file of its own, gone with this. Throws OutsideFailure.
class TemporaryFile {
public:
  explicit TemporaryFile(llvm::StringRef suffix, llvm::StringRef text = "");
  llvm::StringRef path() const { return path_; }
  std::string read() const;

private:
  llvm::SmallString<128> path_;
  llvm::FileRemover remover;
};

/// Its path; empty if PATH has none.
std::string findProgram(llvm::StringRef name);
/// Runs a program to its end; gives what it printed. Throws OutsideFailure if it fails.
std::string runProgram(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> arguments);

} // namespace nereid::backend::nvptx
