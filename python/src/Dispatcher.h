// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launches of one kernel: arguments -> key -> compiled kernel -> run.
#pragma once

#include "LaunchKey.h"
#include "Passed.h"
#include "Reused.h"
#include "Watched.h"

#include <nanobind/nanobind.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace nereid::python {

/// Finds the compiled kernel of a launch and runs it. What is not there yet, the owner makes: a
/// Python object with
///   _compile(arguments, bound, options, may_overlap, cuda_device, key) -> a compiled kernel, whose
///       `native` is a Kernel, and whose require_unwritten(names) raises if it stores through one
///       of these parameters,
///   _stream(cuda_device) -> the CUstream that programs work on there at present, as an integer,
///   _default_device() -> the CUDA device of launches without arrays, or -1,
///   _run_on_host(grid, args, kwargs), which launches on copies in the host's memory; of threads,
///       (grid, block, args, kwargs),
///   _constant(object) -> what toValue() takes,
///   _reads_of_arguments(arguments), which watch() takes, of what constants among them read,
///   _before_run(args, kwargs), _launch_hooked(grid, compiled, bound, run, stream).
class Dispatcher {
public:
  Dispatcher(nb::object owner, nb::list parameters);

  /// Launches over `grid`, a sequence of up to three integers or a function of the arguments that
  /// gives one; without a grid, only compiles. Gives the compiled kernel.
  /// On a CUDA device `stream`, a CUstream as an integer, comes before the one that _stream gives.
  /// `block`, of a kernel of threads, is its extents along x, y and z and its dynamic shared memory
  /// in bytes; part of the key, and the option of that name. None for others.
  nb::object call(nb::handle grid, nb::handle stream, nb::handle block, const Passed &passed);

  /// The same arguments for who launches later, elsewhere: what compile() takes for each parameter;
  /// of each slot the bits, whether it is an address, and whether the code relies on its being a
  /// multiple of 16; the arguments by name; the options. Arrays may be stand-ins.
  nb::tuple describe(nb::args args, nb::kwargs kwargs) const;

  /// Of a launch with these arguments each slot: its bits, and, of an address, how many bytes it
  /// reaches from there on and below; None for both of a number. Then whether arrays may overlap.
  nb::tuple slots(nb::args args, nb::kwargs kwargs) const;

  /// What a launch with these arguments, in the host's memory, would ask of a GPU: `function` is
  /// the kernel's, and what stands between `grid` and `args` is as AnalyzeOptions has it. Gives the
  /// predicted seconds, then the report as text, as JSON and as a page.
  nb::tuple analyze(const host::Function &function, nb::handle grid, const std::string &target,
                    const std::string &card, uint64_t programs, uint64_t mostAccesses,
                    bool isL2Dirty, nb::args args, nb::kwargs kwargs);

  /// Where the time of a launch with these arguments, in a GPU's memory, goes there: `device` gives
  /// the Device of a number, `detail` and `turns` are as ProfileOptions has them. Gives seconds
  /// without clocks and with, then the report as text, as JSON and as a trace.
  nb::tuple profile(const host::Function &function, nb::handle device, nb::handle grid,
                    const std::string &detail, unsigned turns, nb::args args, nb::kwargs kwargs);

  /// What the kernel reads of Python and must stay as it is. Each launch compares; see Watched.
  void watch(const nb::list &reads) { watched = Watched::listOf(reads); }
  /// The texts of some functions have changed: keys that hold them by identity no longer tell
  /// kernels apart, so that all dispatchers ask anew.
  static void forgetFunctions() { ++functionGeneration; }
  void clear() { kernels.clear(); }
  size_t size() const { return kernels.size(); }
  /// What is kept, each with a number that is higher the later it was launched, by any dispatcher.
  nb::list uses() const;
  /// Asks anew where this was launched.
  void forget(nb::handle compiled);

  /// Calls the owner's _before_run first.
  bool hasPreRun = false;
  /// Its kernels run in the host's memory alone.
  bool isHostOnly = false;

  int traverse(visitproc visit, void *arg) const;
  void drop();

private:
  struct Bound {
    Reused<std::vector<nb::handle>> arguments; // of each parameter
    nb::object rest;                           // keeps the tuple of a variadic one
    Reused<std::vector<std::pair<nb::handle, nb::handle>>> options;
  };
  struct Entry {
    host::Kernel kernel;
    nb::object compiled;
    std::vector<nb::object> identities;
    WatchedList watched; ///< of functions and classes among the arguments
    uint64_t lastUse = ++useCount;
  };

  void bind(const Passed &passed, Bound &bound) const;
  void bindNamed(nb::handle name, nb::handle value, Bound &bound) const;
  nb::dict asDictionary(const Bound &bound) const;
  /// What the arguments are, of which launches have a kernel; without options and device.
  LaunchKey keyOf(const Bound &bound) const;
  nb::list argumentsOf(LaunchKey &key, const Bound &bound) const;
  static nb::dict optionsOf(const Bound &bound);
  Entry compile(LaunchKey &key, const Bound &bound);
  /// Forgets all kernels if they are no longer told apart.
  void requireGeneration();
  void *streamOf(const LaunchKey &key, nb::handle given) const;

  nb::object owner;
  std::vector<ParameterSpec> parameters;
  std::unordered_map<std::string, Entry> kernels;
  static inline uint64_t functionGeneration = 0, useCount = 0;
  uint64_t generation = functionGeneration;
  WatchedList watched;
};

/// In the host's memory, until all is done or a signal's handler raises; on a GPU's stream, at
/// once. `launched` has the name, for profilers (ProfilerRange).
void run(const host::Kernel &kernel, Grid grid, const std::vector<host::Slot> &slots,
         nb::handle launched);
/// What the key owns lives until the launch is done.
void runOn(void *stream, const host::Kernel &kernel, Grid grid, const LaunchKey &key,
           bool mayTrap = false);

/// Whether launches go through the owner's _launch_hooked.
void setHasLaunchHooks(bool hasHooks);
/// The dictionary in which a program's `debug` counts for more than TRITON_DEBUG does.
void setSettings(nb::dict dictionary);

void addDispatcherClass(nb::module_ &module);

} // namespace nereid::python
