// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels inside a running host language (Python): functions whose text the host has and whose
// names the host explains, instead of files (docs/modules.md), and launches from bare slots, which
// a binding fills without an allocation.
//
//   host::Function add({.text = "def add(x, n):\n ...", .name = "model.py", .firstLine = 120});
//   add.explain({{"tl", host::Value{host::LanguagePart{"triton.language"}}}, ...}, {});
//   host::Kernel kernel = host::compile(device, add, {pointer, number}, {});
//   kernel.launch({64}, slots);
#pragma once

#include "nereid/DType.h"
#include "nereid/Export.h"
#include "nereid/analyze.h"
#include "nereid/compile.h"
#include "nereid/devices.h"
#include "nereid/nereid.h"
#include "nereid/profile.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace nereid::host {

struct Value;
using Names = std::vector<std::pair<std::string, Value>>;

struct FunctionText {
  std::string text;      ///< from its first decorator or from "def" on, not indented
  std::string path = {}; ///< where it lies; may be empty
  std::string name;      ///< what messages call the file
  unsigned firstLine = 1;
};

/// One function that is a kernel, or that kernels call. A mistake in its text is an Error when the
/// function is compiled.
class NEREID_API Function {
public:
  explicit Function(const FunctionText &text);
  /// What the free names of the text stand for, and the values of the parameters' defaults. Comes
  /// before the function, or one that names it, is compiled; names that are not here are mistakes.
  void explain(const Names &globals, const Names &defaults) const;

  const std::string &name() const;
  /// In order. Empty if there is a mistake in the text.
  const std::vector<Parameter> &parameters() const;
  /// A name for the text and all that its names stand for, in hexadecimal digits.
  std::string digest() const;

  struct State;
  const State &get() const { return *state; }

private:
  std::shared_ptr<State> state;
};

/// A part of the language by its path: "triton.language.load".
struct LanguagePart {
  std::string path;
};
/// A dtype, or the type of a pointer to one.
struct ElementType {
  DType dtype;
  bool isPointer = false;
};
/// A class of tuples with names: kernels make its objects by calling it, and get them as arguments.
/// Copies are one class.
class NEREID_API Record {
public:
  explicit Record(std::string name);
  /// `fields` in order, those of the bases first; `defaults` of those that have one; `methods` are
  /// Functions and Calls by name. Its own of both: those of the bases stand there. Comes before a
  /// function that names it is compiled.
  void explain(const std::vector<std::string> &fields, const Names &defaults, const Names &methods,
               const std::vector<Record> &bases) const;
  /// As Function::digest.
  std::string digest() const;

  struct State;
  explicit Record(std::shared_ptr<State> state) : state(std::move(state)) {}
  const std::shared_ptr<State> &get() const { return state; }

private:
  std::shared_ptr<State> state;
};

/// A module or an object, with those of its attributes that a kernel mentions.
struct Namespace {
  std::string name;
  Names members;
};
/// A scalar (no dimensions) or tile of a running program, row-major; booleans are bytes, pointers
/// addresses.
struct TileView {
  DType dtype;
  bool isPointer;
  std::span<const int64_t> shape;
  const void *elements;
};
/// A function that the host runs while a kernel is traced, with constants for arguments ("" names a
/// positional one). What it throws leaves compile().
struct Call {
  std::string name;
  std::string key; ///< what its results depend on, as text
  std::function<Value(std::span<const std::pair<std::string, Value>> arguments)> call;

  /// A constant, or what the program has.
  struct Given {
    std::string name;
    const Value *constant; ///< null: the tile
    TileView tile;
  };
  /// If there is one, it takes the place of `call`: each program runs it where it calls, on the
  /// check device alone, and gets None. An f-string is a text by then. What it throws leaves the
  /// launch.
  std::function<void(std::span<const Given> arguments)> run = {};
  /// Why a call whose result is not used is a mistake ("": it is one); nothing if it is none.
  std::optional<std::string> resultMatters = {};
};
/// An array that is part of a kernel of threads, as it is when the kernel is compiled; the last
/// index goes fastest.
struct ConstantArray {
  DType dtype;
  std::vector<int64_t> shape;
  std::string bytes;
};
/// Something that no kernel can use; a mistake only where a kernel does.
struct Foreign {
  std::string description;
};
struct Tuple {
  std::vector<Value> elements;
  std::optional<Record> record = {}; ///< whose object it is
};

/// What a name or a constant argument stands for. Without content: None.
struct Value {
  using Content = std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string,
                               ElementType, LanguagePart, Function, std::shared_ptr<const Tuple>,
                               std::shared_ptr<const Namespace>, std::shared_ptr<const Call>,
                               Record, std::shared_ptr<const ConstantArray>, Foreign>;
  Content content;
};

struct Argument;
/// A tuple whose elements are arguments of their own.
struct TupleArgument {
  std::vector<Argument> elements;
  std::optional<Record> record = {}; ///< whose object it is
};
/// What one parameter is compiled for: what each launch gives, a constant, or what has several. The
/// slots of a tensor descriptor are its pointer, then each extent, then each stride in elements but
/// the last, which is 1.
struct Argument {
  std::variant<ArgumentType, Value, TupleArgument> content;
};

/// Of each slot that an argument has, in order, whether it is an address. Arrays of kernels of
/// threads, whose extents and strides are slots as well, are not taken apart.
NEREID_API void appendAddressSlots(const Argument &argument, std::vector<bool> &isAddress);

/// Equal for arguments under which a kernel has the same code, whatever its text, and for no
/// others. The texts of functions among them are part of it.
NEREID_API std::string keyOf(const std::vector<Argument> &arguments);

/// A run-time argument as kernels get it.
struct Slot {
  /// A number, little-endian and zero-extended, or an address.
  uint64_t bits = 0;
  /// Bytes that the pointer may reach; 0 for numbers.
  uint64_t extentBytes = 0;
  /// Bytes before it that it may reach as well: views may go backwards.
  uint64_t bytesBelow = 0;
};

/// Throws Error(Usage) unless a descriptor's array may have such an extent: kernels count in int32.
NEREID_API void requireExtent(std::string_view argument, int64_t extent);

struct Options {
  /// Arrays of one launch may overlap; the code for arrays that do not is faster.
  bool mayOverlap = false;
  Tuning tuning = {};
  /// A launch in which an assertion does not hold is an Error(Checked). Also where TRITON_DEBUG=1.
  bool checksAsserts = false;
};

/// A function compiled for its arguments, on a device. Any thread may launch it.
class NEREID_API Kernel {
public:
  /// Runs all programs and returns when they are done. A slot for each run-time argument, in order.
  void launch(Grid grid, std::span<const Slot> slots) const;
  /// The same, until `shouldEnd` says so. It is called on this thread, between programs and some
  /// thirty times a second, and must not throw. What has run stays done.
  void launch(Grid grid, std::span<const Slot> slots, const std::function<bool()> &shouldEnd) const;
  /// On a GPU: the same on a stream of another library (Device::borrowStream), and returns at once,
  /// but of kernels that print or check assertions. Allocates nothing and waits for nothing, so
  /// that a stream that is being captured takes it; of such a one, a kernel that prints is an
  /// Error(Usage). Where an assertion `mayTrap`, and on a stream that is being captured, launches
  /// that check them are not waited for, either: one that fails is CUDA_ERROR_ASSERT for whoever
  /// uses the device next, as with CUDA's own assertions, and the driver writes its text.
  void launchOn(void *stream, Grid grid, std::span<const Slot> slots, bool mayTrap = false) const;
  double compileMilliseconds() const;
  /// Its code was in the cache on disk; nothing was compiled.
  bool wasKept() const;
  /// About what it holds of the host's memory; a GPU's code is its driver's.
  size_t bytes() const;
  /// Of one on a GPU.
  std::optional<KernelResources> resources() const;
  /// Not of one that was made by default, which is none.
  explicit operator bool() const { return state != nullptr; }

  struct State;

private:
  friend NEREID_API Kernel compile(const Device &device, const Function &function,
                                   const std::vector<Argument> &arguments, const Options &options);
  friend NEREID_API Kernel load(const Device &device, const Artifact &artifact);
  std::shared_ptr<const State> state;
};

/// An argument for each parameter; of a parameter `*rest`, a tuple.
NEREID_API Kernel compile(const Device &device, const Function &function,
                          const std::vector<Argument> &arguments, const Options &options);

/// How many bytes a process keeps of compiled kernels, as NEREID_KERNEL_MEMORY said when it was
/// first asked: what Module's kernels obey, and who keeps these ones should.
NEREID_API size_t mostKernelBytes();

/// Compiles for a target that need not be here (`options.target`), to keep, or to load in another
/// process; what is in the cache on disk is not compiled again.
NEREID_API Artifact compileAhead(const Function &function, const std::vector<Argument> &arguments,
                                 const CompileOptions &options);

/// To launch it there. Throws Error(Usage) if it is for another target.
NEREID_API Kernel load(const Device &device, const Artifact &artifact);

/// Compiles for a target that need not be here, and gives what `options.stages` ask for.
NEREID_API std::vector<StageOutput> dump(const Function &function,
                                         const std::vector<Argument> &arguments,
                                         const CompileOptions &options);

/// The same, for what the compiler remarks (nereid/remarks.h).
NEREID_API std::vector<Remark> remarks(const Function &function,
                                       const std::vector<Argument> &arguments,
                                       const CompileOptions &options);

/// The parameters through whose pointers a kernel reads and writes, in their order; of a tuple, the
/// elements: "pair.0".
struct Accesses {
  std::vector<std::string> read, written;
  /// Whether an address comes from elsewhere than a parameter, so that there may be more.
  bool mayBeMore = false;
};
/// Whatever control flow and functions stand between a parameter and an access. Instructions of the
/// author's own read what they are given, and write it if they have effects.
NEREID_API Accesses accesses(const Function &function, const std::vector<Argument> &arguments,
                             const CompileOptions &options);

/// Whether a variable of the environment says yes, as Triton reads them: 1, true, on, yes or y.
NEREID_API bool meansYes(std::string_view text);
/// The whole number that a variable gives; nothing of what environmentMistakes() warns of.
NEREID_API std::optional<uint64_t> numberIn(std::string_view text);
/// Whether the environment asks for device_assert to be checked by compiled kernels: TRITON_DEBUG.
NEREID_API bool checksAssertsByDefault();

/// What a launch would ask of a GPU, without one (nereid/analyze.h). The slots' arrays are the
/// host's.
NEREID_API Analysis analyze(const Function &function, const std::vector<Argument> &arguments,
                            Grid grid, std::span<const Slot> slots, bool mayOverlap,
                            const AnalyzeOptions &options);

/// Where a launch's time goes on this device (nereid/profile.h). The slots' arrays are the
/// device's.
NEREID_API Profile profile(const Device &device, const Function &function,
                           const std::vector<Argument> &arguments, Grid grid,
                           std::span<const Slot> slots, bool mayOverlap,
                           const ProfileOptions &options);

/// Machine code that the GPU's driver makes of PTX, as a file in ELF's format. Throws Error(Usage)
/// for devices that are none.
NEREID_API std::vector<uint8_t> assemble(const Device &device, std::string_view ptx);

/// Every function of the language: its path ("triton.language.load"; "builtins.print" for one that
/// kernels name without an import), the signature or nothing, and
/// one sentence; and the methods of values ("sum").
struct LanguageName {
  std::string path, signature, meaning;
};
NEREID_API std::vector<LanguageName> languageNames();
NEREID_API std::vector<LanguageName> methodNames();
/// Of kernels of threads: what numba.cuda has for them ("threadIdx", "atomic.add"), and the names
/// of element types in numba with what each is ("f4", "float32").
NEREID_API std::vector<std::string> threadNames();
NEREID_API std::vector<std::pair<std::string, DType>> threadTypes();
/// The paths of what Triton's language has and this one does not, for programs that only name them.
NEREID_API std::vector<std::string> missingNames();

/// The version of Triton whose language is meant, and what differs between versions: each row by
/// its name, with whether it holds in this one. Throws Error(Environment) if
/// NEREID_TRITON_VERSION names none that is known.
struct LanguageVersion {
  std::string release;
  std::vector<std::pair<std::string, bool>> differences;
};
NEREID_API LanguageVersion languageVersion();

} // namespace nereid::host
