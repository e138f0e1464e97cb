// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What runs kernels.
#pragma once

#include "nereid/array.h"
#include "nereid/check.h"
#include "nereid/stream.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace nereid {

namespace detail {
struct DeviceState;
} // namespace detail

struct DeviceOptions {
  /// Threads that run programs; 0 means one per core, or as many as OpenMP has here.
  unsigned threads = 0;
  /// The cpu device: the CPU to compile for, by LLVM's name ("x86-64", "haswell"), or "host". This
  /// machine must have what that one has. Empty means what the environment variable NEREID_CPU
  /// says, or else "host".
  std::string cpu = {};
  /// Compiled kernels are kept on disk for the next process (docs/cache.md).
  bool usesDiskCache = true;
  /// The check device. A device that is opened with such options is nobody else's.
  CheckOptions check = {};
  /// Launches of compiled kernels in which an assertion (tl.device_assert) does not hold are
  /// Errors(Checked). Also where TRITON_DEBUG=1 when the device is opened.
  bool checksAsserts = false;
};

/// Something that runs kernels: "cpu" compiles them and looks at no bounds, "check" interprets them
/// and reports mistakes (docs/checking.md), "cuda" (the first) or "cuda:1" is an NVIDIA GPU. The
/// library installs no signal handlers: a kernel's fault on the cpu is the process's. A fault on a
/// GPU is an Error that names the kernel; this process cannot use that GPU any more, and nothing
/// else is lost.
class NEREID_API Device {
public:
  /// Again with the same options while it is open: the same device.
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
  /// GPU that is its own memory, managed or pinned memory, or another GPU's that it reaches
  /// (LaunchOptions says what that means). Strides, which may not be negative,
  /// default to row-major.
  Array borrow(void *data, DType type, std::vector<int64_t> shape,
               std::vector<int64_t> strides = {}) const;
  /// A new stream, without work. Streams are few: on the cpu and check devices each has a thread.
  Stream stream() const;
  /// The same, but on a GPU its work and that of the default stream wait for each other, as other
  /// libraries' streams do unless they are asked not to.
  Stream streamInOrderWithDefault() const;
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

} // namespace nereid
