// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code on a GPU: PTX or machine code loaded, functions found in it.
#pragma once

#include "runtime/cuda/Stream.h"
#include "support/KernelArguments.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::runtime::cuda {

struct LinkedCode {
  std::vector<uint8_t> cubin;
  /// What the assembler remarked: registers, spills, "wgmma ... serialized". Only if asked for.
  std::string log;
};
enum class LinkLog { ErrorsOnly, Verbose };
/// Machine code for the context's device, for other launchers. It is code to be linked, for which
/// the assembler takes more registers than for whole programs (Module::assemble()). Takes tens of
/// milliseconds, one after the other in a process. `what` is compiled, for messages. Throws
/// Error(Environment) with the assembler's own messages.
LinkedCode link(Context &context, std::string_view ptx, const std::string &what,
                LinkLog log = LinkLog::ErrorsOnly);

/// How a kernel's blocks look.
struct LaunchShape {
  uint32_t threads = 32;    // of a block
  uint32_t sharedBytes = 0; // dynamic
  /// Blocks; the grid's extents are multiples of these.
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  /// The kernel may begin before its predecessor in the stream has ended; it waits on its own
  /// (griddepcontrol.wait). "Programmatic dependent launch".
  bool overlapsPrevious = false;
  /// Of the threads: rows along y, and planes along z.
  std::array<uint32_t, 2> rows = {1, 1};
  /// All blocks run at once, or the launch fails: "cooperative".
  bool meetsWholeGrid = false;

  bool hasAttributes() const { return blocksInCluster() > 1 || overlapsPrevious || meetsWholeGrid; }
  uint32_t threadsAlongX() const { return threads / (rows[0] * rows[1]); }
  uint32_t blocksInCluster() const { return cluster[0] * cluster[1] * cluster[2]; }
};

/// What the driver says of a function. Bytes are per block (shared) or per thread (local).
struct FunctionAttributes {
  int threadsPerBlock = 0; // the most its registers allow
  int registers = 0;       // of a thread
  int sharedBytes = 0;     // static
  int localBytes = 0;      // spilled registers, and a stack
  int binaryVersion = 0;   // 90: for sm_90
};

class Module;

/// A kernel in a loaded module, which it keeps loaded.
class Function {
public:
  CUfunction handle() const { return function; }
  const FunctionAttributes &attributes() const { return attributes_; }

  /// Lets launches of this shape use what they need: dynamic shared memory and clusters beyond
  /// what every device has.
  void prepare(const LaunchShape &shape) const;
  /// Blocks that one multiprocessor runs at once.
  int blocksPerMultiprocessor(const LaunchShape &shape) const;
  /// The largest number of blocks that a cluster of such blocks may have.
  int largestCluster(const LaunchShape &shape) const;

  /// Enqueues; `parameters` point to one value for each parameter of the kernel. Gives the
  /// driver's result, and the symbol that gave it.
  struct Launched {
    const char *symbol;
    CUresult result;
  };
  Launched launch(const Stream &stream, GridExtent grid, const LaunchShape &shape,
                  void **parameters) const;

private:
  friend class Module;
  Function(std::shared_ptr<const Module> module, const std::string &name);
  Context &context() const;

  std::shared_ptr<const Module> module;
  CUfunction function = nullptr;
  FunctionAttributes attributes_;
};

class Module : public std::enable_shared_from_this<Module> {
public:
  /// What comes of code that the driver refuses, as damaged or made for another GPU.
  enum class Refusal { Throws, IsNull };
  /// Loads machine code, or PTX with a zero at its end. Throws Error(Environment).
  static std::shared_ptr<const Module> load(const std::shared_ptr<Context> &context,
                                            std::span<const uint8_t> image, const std::string &what,
                                            Refusal refusal = Refusal::Throws);
  /// Loads PTX with a zero at its end, of which the driver makes machine code as one whole program,
  /// and keeps it in a cache of its own: tens of milliseconds, a third of one the next time. Throws
  /// Error(Environment) with the assembler's own messages.
  static std::shared_ptr<const Module> assemble(const std::shared_ptr<Context> &context,
                                                std::span<const uint8_t> ptx,
                                                const std::string &what);
  Function function(const std::string &name) const;

private:
  friend class Function;
  Module(const std::shared_ptr<Context> &context, CUmodule handle) : module(context, handle) {}

  Handle<CUmodule, &Driver::moduleUnload> module;
};

} // namespace nereid::runtime::cuda
