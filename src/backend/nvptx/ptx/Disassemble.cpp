// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/Disassemble.h"

#include "backend/nvptx/ptx/OutsideProgram.h"
#include "nereid/error.h"

#include "llvm/ADT/StringExtras.h"

namespace nereid::backend::nvptx {
namespace {

[[noreturn]] void refuse(const std::string &reason) {
  throw Error(Error::Kind::Environment, "cannot show stage 'sass': " + reason);
}

std::string asComments(llvm::StringRef text) {
  std::string result;
  for (llvm::StringRef line : llvm::split(text.rtrim(), '\n'))
    result += "// " + line.str() + "\n";
  return result;
}

} // namespace

std::string disassemble(const std::string &ptx, const target::NvidiaTarget &target) {
  std::string assembler = findProgram("ptxas"), disassembler = findProgram("nvdisasm"),
              other = findProgram("cuobjdump");
  if (assembler.empty() || (disassembler.empty() && other.empty()))
    refuse("it needs NVIDIA's ptxas, and nvdisasm or cuobjdump, in PATH, which has no " +
           std::string(assembler.empty() ? "ptxas" : "nvdisasm") +
           " (they are in the CUDA toolkit, and on PyPI as nvidia-cuda-nvcc and "
           "nvidia-cuda-nvdisasm)");
  try {
    TemporaryFile source("ptx", ptx), cubin("cubin");
    std::string arch = "-arch=" + target.sm;
    std::string report = runProgram(assembler, {arch, "-v", source.path(), "-o", cubin.path()});
    std::string code = disassembler.empty() ? runProgram(other, {"-sass", cubin.path()})
                                            : runProgram(disassembler, {"-c", cubin.path()});
    return asComments(report) + code;
  } catch (const OutsideFailure &failure) {
    refuse(failure.what());
  }
}

} // namespace nereid::backend::nvptx
