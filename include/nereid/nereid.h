// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nereid's C++ interface: open a device, make arrays, load kernels written in Triton's syntax,
// launch them over a grid, read the results.
//
//   nereid::Device device = nereid::Device::open("cpu");
//   nereid::Kernel add = nereid::Module::load("add.py").kernel("add_kernel");
//   nereid::Array x = device.array<float>(values);
//   nereid::Array out = device.empty(nereid::DType::Float32, {n});
//   add.launch(device, {nereid::cdiv(n, 1024)},
//              {{"x", x}, {"out", out}, {"n", n}, {"BLOCK", 1024}});
//   std::vector<float> result = out.toVector<float>();
//
// Every failure is a nereid::Error, but for std::bad_alloc where the process has no memory left,
// and whatever a grid function throws. All classes are cheap handles to shared state; any of them
// may be used from several threads at once, except that two threads must not write one array
// together.
#pragma once

#include "nereid/DType.h"
#include "nereid/Export.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace nereid {

/// A place in a kernel's text. Lines and columns count from 1, columns in bytes; 0 means none.
struct Place {
  std::string file;
  unsigned line = 0, column = 0;
};

/// One thing that is wrong with a kernel.
struct Finding {
  struct Note {
    std::string text;
    Place place; // may be none
  };
  std::string id; ///< "out_of_bounds": which kind of mistake it is
  std::string text;
  Place place;
  std::vector<Note> notes;
  /// The calls that led there, the innermost first.
  std::vector<Place> calls;

  // What a checked run adds. The first occurrence is the one described.
  /// A warning alone fails no run.
  bool isWarning = false;
  /// How often it happened.
  uint64_t count = 1;
  struct Program {
    uint32_t x, y, z;
  };
  std::optional<Program> program = {};
  /// Of the tile, row-major; -1: it is about no lane.
  int64_t lane = -1;
  /// The kernel's parameter and the element, which may lie outside; empty: it is about none.
  std::string array = {};
  int64_t index = 0;
};

/// What went wrong, and who can mend it. what() is the whole report, as the command line prints it.
class NEREID_API Error : public std::runtime_error {
public:
  enum class Kind {
    Source,      ///< the kernel's text: the message has file, line, column and caret
    Usage,       ///< how the kernel was launched, or arguments to this library
    Environment, ///< a file, the operating system or a driver: the message names the failing call
    Checked,     ///< the checked device found the kernel doing something wrong while it ran
    Internal,    ///< a bug in Nereid: the message names a file that makes it happen again
  };
  Error(Kind kind, const std::string &message, std::vector<Finding> findings = {})
      : std::runtime_error(message), kind_(kind), findings_(std::move(findings)) {}
  Kind kind() const { return kind_; }
  /// Of Source and Checked, what the message says, as data.
  const std::vector<Finding> &findings() const { return findings_; }

private:
  Kind kind_;
  std::vector<Finding> findings_;
};

/// Quotient rounded up, of a non-negative by a positive integer.
constexpr int64_t cdiv(int64_t value, int64_t divisor) {
  if (value < 0 || divisor <= 0)
    throw Error(Error::Kind::Usage, "cdiv(" + std::to_string(value) + ", " +
                                        std::to_string(divisor) +
                                        "): a value from 0 up and a divisor from 1 up is accepted");
  return value / divisor + (value % divisor != 0);
}
/// The smallest power of two that is at least `value`, which is at most 2^62; 1 for values below 1.
constexpr int64_t nextPowerOf2(int64_t value) {
  if (value > int64_t(1) << 62)
    throw Error(Error::Kind::Usage,
                "nextPowerOf2(" + std::to_string(value) + "): a value up to 2^62 is accepted");
  return value <= 1 ? 1 : static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(value)));
}

/// How many programs run along each axis. Every extent is at least 1, x less than 2^31, y and z at
/// most 65535, and all programs together at most 2^40.
struct Grid {
  int64_t x = 1, y = 1, z = 1;
};

namespace detail {
struct DeviceState;
struct ArrayState;
struct ModuleState;
struct KernelState;
struct LaunchState;
struct StreamState;
struct EventState;
template <typename T> constexpr DType dtypeOf();

/// What getenv did not find is an Error, and not undefined.
inline std::string requireText(const char *text) {
  if (!text)
    throw Error(Error::Kind::Usage, "a null pointer is no string");
  return text;
}
} // namespace detail

class Stream;

/// A typed n-dimensional array in a device's memory. Copies of the handle share the memory.
class NEREID_API Array {
public:
  DType dtype() const;
  /// Elements along each dimension; empty for a single element.
  const std::vector<int64_t> &shape() const;
  /// Elements to step over to reach the next index of each dimension.
  const std::vector<int64_t> &strides() const;
  int64_t size() const;
  size_t bytes() const;
  /// The first element, in the device's address space. On the cpu and check devices the host may
  /// use it; the check device then takes all elements to be written.
  void *data() const;
  /// Whether both handles are of the same memory, from the first element on.
  bool sharesMemoryWith(const Array &other) const;
  /// Says that nobody has written what the array holds, as of one that is empty: on the check
  /// device, a kernel that reads an element before one is written is reported.
  void countAsUnwritten() const;

  /// Copies `bytes()` bytes from or to the host, in row-major order. The array must be contiguous.
  /// (const: the handle stays what it is, the elements change.)
  void copyFrom(const void *host) const;
  void copyTo(void *host) const;
  /// The same in the order of a stream's work: returns at once, and the host's bytes must stay
  /// until the copy is done.
  void copyFrom(const void *host, const Stream &stream) const;
  void copyTo(void *host, const Stream &stream) const;
  /// The elements in row-major order; T must match the element type exactly.
  template <typename T> std::vector<T> toVector() const {
    requireElements(detail::dtypeOf<T>());
    auto count = static_cast<size_t>(size());
    if constexpr (std::is_same_v<T, bool>) { // a std::vector<bool> holds no bools to copy to
      auto values = std::make_unique<bool[]>(count);
      copyTo(values.get());
      return std::vector<bool>(values.get(), values.get() + count);
    } else {
      std::vector<T> values(count);
      copyTo(values.data());
      return values;
    }
  }
  /// The elements in row-major order, whatever their type, as double.
  std::vector<double> toDoubles() const;

private:
  friend struct detail::ArrayState;
  explicit Array(std::shared_ptr<detail::ArrayState> state) : state(std::move(state)) {}
  void requireElements(DType type) const;

  std::shared_ptr<detail::ArrayState> state;
};

/// Where a program of a checked run has stopped, before what stands there is done.
struct Stop {
  /// A name of the function that has stopped, and what it was given last. Pointers are shown as
  /// addresses.
  struct Variable {
    std::string name;
    DType type = {};
    std::vector<int64_t> shape = {}; // empty: a scalar
    std::vector<std::byte> elements = {};
    /// What is known while compiling, as the language writes it: 64, 'text', (16, 4), tl.float32.
    /// Then type, shape and elements say nothing.
    std::string constant = {};
  };
  Place place;
  Finding::Program program;
  std::vector<Variable> variables;
};
/// What a stopped program is to do: go on to the next breakpoint, to its next line, or to its end
/// and that of all others without a stop.
enum class Resume { Continue, Step, Finish };

/// What the check device looks for beside what it always does (docs/checking.md).
struct CheckOptions {
  /// A multiple_of or max_contiguous that does not hold fails the run.
  bool refusesBrokenPromises = false;
  /// Says where an infinity or NaN began that ends up in memory.
  bool findsNonFinite = false;
  /// Runs each launch twice, the second time with programs in another order, and compares what the
  /// arrays hold.
  bool comparesOrders = false;
  /// Which other order.
  uint64_t seed = 0;
  /// Findings that are listed; others are counted. 0 means 100.
  unsigned mostFindings = 0;
  /// Gets the findings of a launch that are but warnings. Empty: they are printed to standard
  /// error.
  std::function<void(const Finding &)> warn = {};
  /// Ids of findings ("division_by_zero") that nobody is to hear of.
  std::vector<std::string> ignored = {};
  /// Lines at which each program stops, by file and line, and who is asked then. Files are called
  /// as the module was.
  std::vector<Place> breakpoints = {};
  std::function<Resume(const Stop &)> stopped = {};

  bool isDefault() const {
    return !refusesBrokenPromises && !findsNonFinite && !comparesOrders && !seed && !mostFindings &&
           !warn && ignored.empty() && breakpoints.empty();
  }
};

struct DeviceOptions {
  /// Threads that run programs; 0 means one per core.
  unsigned threads = 0;
  /// The cpu device: the CPU to compile for, by LLVM's name ("x86-64", "haswell"), or "host". This
  /// machine must have what that one has. Empty means what the environment variable NEREID_CPU
  /// says, or else "host".
  std::string cpu = {};
  /// Compiled kernels are kept on disk for the next process (docs/cache.md).
  bool usesDiskCache = true;
  /// The check device. A device that is opened with such options is nobody else's.
  CheckOptions check = {};
};

/// Something that runs kernels: "cpu" compiles them and looks at no bounds, "check" interprets them
/// and reports mistakes (docs/checking.md), "cuda" (the first) or "cuda:1" is an NVIDIA GPU. The
/// library installs no signal handlers: a kernel's fault on the cpu is the process's. A fault on a
/// GPU is an Error that names the kernel; this process cannot use that GPU any more, and nothing
/// else is lost.
class NEREID_API Device {
public:
  static Device open(std::string_view name = "cpu", DeviceOptions options = {});
  static Device open(const char *name, DeviceOptions options = {}) {
    return open(std::string_view(detail::requireText(name)), std::move(options));
  }
  /// "cpu", "cuda:0"
  const std::string &name() const;
  /// How many programs run at once; of a GPU, on how many multiprocessors.
  unsigned threads() const;

  /// Elements with any value; write before you read.
  Array empty(DType type, std::vector<int64_t> shape) const;
  Array zeros(DType type, std::vector<int64_t> shape) const;
  /// A copy of `values`, whose number must be that of the shape's elements (default: one
  /// dimension).
  template <typename T>
  Array array(std::span<const T> values, std::vector<int64_t> shape = {}) const {
    return copyOf(values.data(), values.size(), detail::dtypeOf<T>(), std::move(shape));
  }
  template <typename T>
  Array array(const std::vector<T> &values, std::vector<int64_t> shape = {}) const {
    if constexpr (std::is_same_v<T, bool>) {
      auto copy = std::make_unique<bool[]>(values.size());
      std::copy(values.begin(), values.end(), copy.get());
      return array(std::span<const bool>(copy.get(), values.size()), std::move(shape));
    } else {
      return array(std::span<const T>(values), std::move(shape));
    }
  }
  /// An array of `type` holding `values` rounded to it.
  Array arrayFromDoubles(DType type, std::span<const double> values,
                         std::vector<int64_t> shape = {}) const;
  /// An array over memory that the caller owns and keeps alive, aligned to its element type. On a
  /// GPU that is its own memory, managed or pinned memory. Strides, which may not be negative,
  /// default to row-major.
  Array borrow(void *data, DType type, std::vector<int64_t> shape,
               std::vector<int64_t> strides = {}) const;
  /// A new stream, without work. Streams are few: on the cpu and check devices each has a thread.
  Stream stream() const;
  /// A stream that another library made on this GPU (a CUstream or cudaStream_t), as one of ours;
  /// null is the GPU's default stream. It must stay until the last handle is gone. If it is being
  /// captured, launches become part of the graph, and what they use must stay as long as that.
  Stream borrowStream(void *handle) const;

private:
  friend struct detail::DeviceState;
  explicit Device(std::shared_ptr<detail::DeviceState> state) : state(std::move(state)) {}
  Array copyOf(const void *values, size_t count, DType type, std::vector<int64_t> shape) const;

  std::shared_ptr<detail::DeviceState> state;
};

/// A point in a stream's work.
class NEREID_API Event {
public:
  bool isDone() const;
  /// Returns when the work before it is done. Throws what failed of it, each time.
  void wait() const;
  /// How long after `earlier`, whose device must be of the same kind, this event came. Waits for
  /// both.
  double millisecondsSince(const Event &earlier) const;

private:
  friend struct detail::EventState;
  explicit Event(std::shared_ptr<const detail::EventState> state) : state(std::move(state)) {}
  std::shared_ptr<const detail::EventState> state;
};

/// Launches (LaunchOptions::stream) and copies that a device does in the order in which they were
/// given, while the host goes on. Arrays and kernels stay alive until the work that uses them is
/// done. What is given no stream is done at once and waits for none.
///
/// Streams go on side by side. On the cpu device a launch has all threads to itself, so launches of
/// several streams take turns, while copies and waits of one stream and the launches of another
/// overlap. An event can be waited for only once it is recorded, so streams never wait in a circle.
///
/// Once a launch fails (the checked device finds a mistake, a print sink throws), what follows it
/// in the stream is skipped, until synchronize() has thrown the Error, which names the launch. What
/// a sink threw is nested in it (std::rethrow_if_nested). A sink must not wait for its device.
///
/// On a GPU, a stream that is told to wait for an event of the host waits in that call, and so does
/// the launch of a kernel that prints, for its end.
///
/// Up to 1024 pieces of work wait; who gives another waits for room. The last handle waits for all
/// work when it goes, and what failed then is lost.
class NEREID_API Stream {
public:
  /// Waits for all work given so far. Throws what failed of it, once.
  void synchronize() const;
  bool isIdle() const;
  /// On a GPU the CUstream that it is, for other libraries; otherwise null.
  void *handle() const;
  /// The end of the work given so far.
  Event record() const;
  /// Work given from now on starts after the event, which may be of any device. What failed before
  /// the event has failed here, too.
  void wait(const Event &event) const;

private:
  friend struct detail::StreamState;
  explicit Stream(std::shared_ptr<detail::StreamState> state) : state(std::move(state)) {}
  std::shared_ptr<detail::StreamState> state;
};

/// An array whose blocks a kernel reads and writes by their offsets (Triton's TensorDescriptor).
/// The array's last stride must be 1.
struct TensorDescriptor {
  Array array;
  std::vector<int64_t> blockShape; ///< as many dimensions as the array
  /// What lies outside the array reads as NaN, not zero. Floats only.
  bool padsWithNan = false;
};

/// A value for a kernel's parameter: an array, a tensor descriptor, a number, a bool, a string or
/// dtype (both constexpr), or None. Whether it is a constexpr is the parameter's matter.
class Argument {
public:
  Argument(Array array) : value(std::move(array)) {}
  Argument(TensorDescriptor descriptor) : value(std::move(descriptor)) {}
  Argument(bool boolean) : value(boolean) {}
  template <typename T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  Argument(T integer)
      : value(std::is_signed_v<T> ? Number(int64_t(integer)) : Number(uint64_t(integer))) {}
  Argument(double number) : value(number) {}
  Argument(float number) : value(double(number)) {}
  Argument(const char *text) : value(detail::requireText(text)) {}
  Argument(std::string text) : value(std::move(text)) {}
  Argument(DType type) : value(type) {}
  Argument(std::nullptr_t) : value(std::monostate()) {}
  /// Memory becomes an array with Device::borrow. (As a bool it would pass for True.)
  Argument(const void *) = delete;

  using Value = std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, DType,
                             Array, TensorDescriptor>;
  const Value &get() const { return value; }
  /// The array that is given, by itself or in a descriptor; null if none is.
  const Array *array() const {
    if (const auto *descriptor = std::get_if<TensorDescriptor>(&value))
      return &descriptor->array;
    return std::get_if<Array>(&value);
  }

private:
  using Number = Value;
  Value value;
};

struct NamedArgument {
  std::string name;
  Argument value;
};
using Arguments = std::vector<NamedArgument>;

/// The constexpr integers of one launch, as a grid function sees them.
class NEREID_API Constants {
public:
  explicit Constants(std::vector<std::pair<std::string, int64_t>> values)
      : values(std::move(values)) {}
  /// Throws Error if there is no constexpr integer of that name.
  int64_t operator[](std::string_view name) const;
  int64_t operator[](const char *name) const {
    return (*this)[std::string_view(detail::requireText(name))];
  }

private:
  std::vector<std::pair<std::string, int64_t>> values;
};
using GridFunction = std::function<Grid(const Constants &)>;

/// What a grid may be computed by. A template takes these, since a braced list is no type that one
/// can deduce: `{0}` is a grid, and never a function that is null.
template <typename F>
concept GridCallable = std::is_invocable_r_v<Grid, F &, const Constants &>;

/// Gets what a kernel prints: the lines of one execution of a statement, each with its end. Called
/// from any thread that runs programs, one at a time. What it throws leaves the launch, once all
/// programs have ended.
using PrintSink = std::function<void(std::string_view lines)>;

/// How a GPU runs a kernel. Other devices take no notice.
struct Tuning {
  /// How many warps of 32 threads run a program, a power of two up to 32. 0: as many as its tiles
  /// ask for.
  unsigned warps = 0;
  /// For how many rounds of a loop that multiplies tiles there is room in shared memory, so that
  /// later rounds are loaded meanwhile; up to 16. 1: for the round that is computed. 0: as many as
  /// help.
  unsigned pipelineStages = 0;
  /// The most registers that a thread may take, 16 to 255 (Triton's maxnreg); what does not fit is
  /// spilled. 0: as the driver's compiler decides.
  unsigned maxRegisters = 0;
};

/// What a compiled kernel takes of a GPU.
struct KernelResources {
  /// Of one program.
  unsigned threads = 0;
  /// Of one thread, 32 bits each.
  unsigned registers = 0;
  /// Of one thread: registers that were spilled, and a stack.
  unsigned localBytes = 0;
  /// Of one program.
  unsigned sharedBytes = 0;
  /// How many run on a multiprocessor at once.
  unsigned programsPerMultiprocessor = 0;
  /// The share of a multiprocessor's threads that these are.
  double occupancy = 0;
};

struct LaunchOptions {
  /// Empty: to standard output.
  PrintSink print = {};
  /// Of the device of the launch. None: the launch is done when the call returns.
  std::optional<Stream> stream = {};
  /// Of a launch by name: the code depends on it. What is prepared has its own.
  Tuning tuning = {};
};

/// A kernel compiled for its arguments and ready to run: the cheap way to launch the same work
/// again. Keeps the arrays and the device alive.
class NEREID_API Launch {
public:
  /// Runs all programs and returns when they are done, or gives them to a stream and returns at
  /// once. Allocates no memory (but for what a copy of the sink needs) and looks nothing up.
  void run(Grid grid) const;
  void run(Grid grid, const LaunchOptions &options) const;
  template <GridCallable F> void run(F &&grid, const LaunchOptions &options = {}) const {
    runOver(GridFunction(std::forward<F>(grid)), options);
  }
  /// Milliseconds the compiler took; 0 if the kernel was compiled before.
  double compileMilliseconds() const;
  /// Of a GPU; nothing on other devices.
  std::optional<KernelResources> resources() const;
  /// The constexpr integers, for computing a grid.
  const Constants &constants() const;
  /// The ordinary integer parameters whose values the kernel needs while it is compiled (as the
  /// size of a tile): it is compiled again for each value.
  const std::vector<std::string> &parametersByValue() const;

private:
  friend struct detail::LaunchState;
  explicit Launch(std::shared_ptr<detail::LaunchState> state) : state(std::move(state)) {}
  void runOver(const GridFunction &grid, const LaunchOptions &options) const;

  std::shared_ptr<detail::LaunchState> state;
};

struct Parameter {
  std::string name;
  bool isConstexpr;
  bool hasDefault;
};

/// One @triton.jit function of a module.
class NEREID_API Kernel {
public:
  const std::string &name() const;
  const std::vector<Parameter> &parameters() const;
  /// Compiles for these arguments unless that was done before. Names may come in any order.
  /// The code depends on `tuning`; a compiled kernel has its own.
  Launch prepare(const Device &device, const Arguments &arguments, const Tuning &tuning = {}) const;
  void launch(const Device &device, Grid grid, const Arguments &arguments,
              const LaunchOptions &options = {}) const;
  template <GridCallable F>
  void launch(const Device &device, F &&grid, const Arguments &arguments,
              const LaunchOptions &options = {}) const {
    prepare(device, arguments, options.tuning).run(std::forward<F>(grid), options);
  }

private:
  friend struct detail::KernelState;
  explicit Kernel(std::shared_ptr<detail::KernelState> state) : state(std::move(state)) {}
  std::shared_ptr<detail::KernelState> state;
};

/// What the text of a module does not say (docs/modules.md).
struct ModuleOptions {
  /// Directories in which imports are looked for, after the module's own.
  std::vector<std::string> paths = {};
  /// Values for names of the modules, and for expressions that only a running Python could compute:
  /// {{"torch.cuda.is_available()", true}}. Arrays have no place here.
  std::vector<NamedArgument> definitions = {};
  /// fromText: the file that the text was taken from, beside which imports are looked for.
  std::string path = {};
  /// The number of the text's first line in messages.
  unsigned firstLine = 1;
};

/// The kernels of one source text, which may import other files. Those are read when a kernel needs
/// them, and nothing is executed.
class NEREID_API Module {
public:
  static Module load(const std::string &path, const ModuleOptions &options = {});
  static Module load(const char *path, const ModuleOptions &options = {}) {
    return load(detail::requireText(path), options);
  }
  /// `name` stands for the path in messages.
  static Module fromText(std::string text, std::string name = "<text>",
                         const ModuleOptions &options = {});
  static Module fromText(const char *text, std::string name = "<text>",
                         const ModuleOptions &options = {}) {
    return fromText(detail::requireText(text), std::move(name), options);
  }
  std::vector<std::string> kernelNames() const;
  /// The only one that there is; an Error lists them if there are several.
  Kernel kernel() const;
  Kernel kernel(std::string_view name) const;
  Kernel kernel(const char *name) const {
    return kernel(std::string_view(detail::requireText(name)));
  }

private:
  friend struct detail::ModuleState;
  explicit Module(std::shared_ptr<detail::ModuleState> state) : state(std::move(state)) {}
  std::shared_ptr<detail::ModuleState> state;
};

/// "0.1.0"
NEREID_API std::string_view version();

namespace detail {
template <typename T> constexpr DType dtypeOf() {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8,
                "array elements are bool, integers of up to 64 bits, float or double");
  if constexpr (std::is_same_v<T, bool>)
    return DType::Int1;
  else if constexpr (std::is_same_v<T, float>)
    return DType::Float32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::Float64;
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 1   ? DType::Int8
           : sizeof(T) == 2 ? DType::Int16
           : sizeof(T) == 4 ? DType::Int32
                            : DType::Int64;
  else
    return sizeof(T) == 1   ? DType::UInt8
           : sizeof(T) == 2 ? DType::UInt16
           : sizeof(T) == 4 ? DType::UInt32
                            : DType::UInt64;
}
} // namespace detail

} // namespace nereid
