// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call is prepared in Python, while the program that holds it is compiled; all that it needs
// stands in its attributes, so that a program which JAX keeps on disk runs in another process. What
// runs here asks for no lock of the interpreter and calls nothing of Python's.
#include "XlaCalls.h"

#include "nereid/compile.h"
#include "nereid/host.h"
#include "nereid/specialize.h"

#include <nanobind/stl/string.h>

#ifdef NEREID_HAS_XLA
#include <xla/ffi/api/ffi.h>
#endif

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nereid::python {
namespace {

#ifdef NEREID_HAS_XLA

namespace ffi = xla::ffi;

/// Kernels that are no code: the checked device runs what it was given in this process. Nobody
/// knows when the last program that calls one is gone.
class KeptKernels {
public:
  static std::string add(host::Kernel kernel) {
    std::lock_guard lock(mutex);
    // Programs on disk name kernels of processes that are gone, which this one must not find.
    static const auto start = std::chrono::system_clock::now().time_since_epoch().count();
    std::string name = std::to_string(start) + '-' + std::to_string(getpid()) + '-' +
                       std::to_string(kernels().size());
    kernels().emplace(name, std::move(kernel));
    return name;
  }
  static host::Kernel find(const std::string &name) {
    std::lock_guard lock(mutex);
    auto found = kernels().find(name);
    if (found == kernels().end())
      throw Error(Error::Kind::Usage, "the program was compiled in another process, for the "
                                      "checked device, and such a program is not kept");
    return found->second;
  }

private:
  static std::unordered_map<std::string, host::Kernel> &kernels() {
    static auto &all = *new std::unordered_map<std::string, host::Kernel>();
    return all;
  }
  static inline std::mutex mutex;
};

/// On which kernels run whose buffers are the host's.
std::optional<Device> &hostDevice() {
  static auto &device = *new std::optional<Device>();
  return device;
}

ffi::ErrorCode codeOf(Error::Kind kind) {
  switch (kind) {
  case Error::Kind::Source:
  case Error::Kind::Usage:
    return ffi::ErrorCode::kInvalidArgument;
  case Error::Kind::Environment:
    return ffi::ErrorCode::kUnavailable;
  case Error::Kind::Checked:
    return ffi::ErrorCode::kAborted;
  case Error::Kind::Internal:
    break;
  }
  return ffi::ErrorCode::kInternal;
}

/// An error's text names the kernel.
std::string textOf(const std::exception &error, std::string_view kernel) {
  std::string text = error.what(), name = "kernel '" + std::string(kernel) + '\'';
  return text.find(name) == std::string::npos ? name + ": " + text : text;
}

template <typename F> ffi::Error reported(std::string_view kernel, F &&act) {
  try {
    act();
    return ffi::Error::Success();
  } catch (const Error &error) {
    return {codeOf(error.kind()), textOf(error, kernel)};
  } catch (const std::exception &error) {
    return ffi::Error::Internal(textOf(error, kernel));
  }
}

using Integers = ffi::Span<const int64_t>;

/// One call of a program, for as long as XLA keeps the program.
class Call {
public:
  /// Of each slot `buffers` has the operand or, behind those, the result whose address it gets, or
  /// -1: it is the number of `bits`. `multiples` are not 0 for addresses that the code takes to be
  /// multiples of 16.
  Call(std::string_view name, Integers grid, Integers bits, Integers buffers, Integers multiples,
       bool mayOverlap)
      : name(name), grid(gridOf(grid)), mayOverlap(mayOverlap) {
    if (buffers.size() != bits.size() || multiples.size() != bits.size())
      failFormat();
    for (size_t i = 0; i < bits.size(); ++i) {
      slots.push_back({static_cast<uint64_t>(bits[i])});
      if (buffers[i] >= 0)
        places.push_back({i, static_cast<size_t>(buffers[i]), multiples[i] != 0});
    }
  }

  /// The slots of a launch on these buffers. Throws Error(Usage) if they are not what the code
  /// takes them to be.
  std::vector<host::Slot> slotsFor(ffi::RemainingArgs operands, ffi::RemainingRets results) const {
    std::vector<host::Slot> filled = slots;
    for (const Place &place : places) {
      if (place.buffer >= operands.size() + results.size())
        failFormat();
      ffi::AnyBuffer buffer = place.buffer < operands.size()
                                  ? *operands.get<ffi::AnyBuffer>(place.buffer)
                                  : **results.get<ffi::AnyBuffer>(place.buffer - operands.size());
      filled[place.slot] = {reinterpret_cast<uint64_t>(buffer.untyped_data()), buffer.size_bytes()};
      if (place.isMultipleOf16 && !nereid::specialize::isKnownMultiple(filled[place.slot].bits))
        throw Error(Error::Kind::Usage, "a buffer of XLA's does not lie at a multiple of 16, for "
                                        "which the kernel was compiled; do_not_specialize_on_"
                                        "alignment of @jit compiles it for any address");
    }
    if (!mayOverlap)
      requireApart(filled, operands.size());
    return filled;
  }

  const std::string name;
  const Grid grid;

private:
  struct Place {
    size_t slot, buffer;
    bool isMultipleOf16;
  };

  /// Programs may be older than this library: JAX keeps them.
  [[noreturn]] static void failFormat() {
    throw Error(Error::Kind::Usage,
                "the program was made by another version of nereid, whose calls "
                "are not understood; it has to be compiled again");
  }

  static Grid gridOf(Integers extents) {
    if (extents.size() != 3)
      failFormat();
    return {extents[0], extents[1], extents[2]};
  }

  /// The code takes what it writes to be memory of its own. It writes results alone.
  void requireApart(const std::vector<host::Slot> &filled, size_t operandCount) const {
    for (const Place &result : places) {
      const host::Slot &written = filled[result.slot];
      if (result.buffer < operandCount || !written.extentBytes)
        continue;
      for (const Place &place : places) {
        const host::Slot &other = filled[place.slot];
        if (place.slot != result.slot && other.extentBytes &&
            written.bits < other.bits + other.extentBytes &&
            other.bits < written.bits + written.extentBytes)
          throw Error(Error::Kind::Usage, "XLA gives a result memory that another argument has");
      }
    }
  }

  std::vector<host::Slot> slots;
  std::vector<Place> places;
  const bool mayOverlap;
};

struct HostCall : Call {
  using Call::Call;
  host::Kernel kernel;
  static inline ffi::TypeId id = XLA_FFI_UNKNOWN_TYPE_ID;
};

/// A program may run on several GPUs; each loads the code when it first runs there.
struct CudaCall : Call {
  CudaCall(const Call &call, Artifact artifact) : Call(call), artifact(std::move(artifact)) {}

  host::Kernel kernelOn(int number) {
    std::lock_guard lock(mutex);
    for (auto &[known, kernel] : kernels)
      if (known == number)
        return kernel;
    host::Kernel kernel = host::load(Device::open("cuda:" + std::to_string(number)), artifact);
    return kernels.emplace_back(number, kernel).second;
  }

  static inline ffi::TypeId id = XLA_FFI_UNKNOWN_TYPE_ID;

private:
  Artifact artifact;
  std::mutex mutex;
  std::vector<std::pair<int, host::Kernel>> kernels;
};

Artifact artifactOf(ffi::Span<const uint8_t> code) {
  return Artifact::fromBytes({code.begin(), code.size()}, "the code of the call");
}

template <typename MadeCall, typename F>
ffi::ErrorOr<std::unique_ptr<MadeCall>> made(std::string_view name, F &&make) {
  std::unique_ptr<MadeCall> call;
  ffi::Error error = reported(name, [&] { call = make(); });
  if (error.failure())
    return ffi::Unexpected(std::move(error));
  return call;
}

ffi::ErrorOr<std::unique_ptr<HostCall>> instantiateOnHost(std::string_view name,
                                                          ffi::Span<const uint8_t> code,
                                                          std::string_view kept, Integers grid,
                                                          Integers bits, Integers buffers,
                                                          Integers multiples, bool mayOverlap) {
  return made<HostCall>(name, [&] {
    auto call = std::make_unique<HostCall>(name, grid, bits, buffers, multiples, mayOverlap);
    call->kernel = kept.empty() ? host::load(hostDevice().value(), artifactOf(code))
                                : KeptKernels::find(std::string(kept));
    return call;
  });
}

ffi::ErrorOr<std::unique_ptr<CudaCall>> instantiateOnCuda(std::string_view name,
                                                          ffi::Span<const uint8_t> code,
                                                          std::string_view, Integers grid,
                                                          Integers bits, Integers buffers,
                                                          Integers multiples, bool mayOverlap) {
  return made<CudaCall>(name, [&] {
    return std::make_unique<CudaCall>(Call(name, grid, bits, buffers, multiples, mayOverlap),
                                      artifactOf(code));
  });
}

ffi::Error executeOnHost(HostCall *call, ffi::RemainingArgs operands, ffi::RemainingRets results,
                         ffi::Dictionary) {
  return reported(call->name,
                  [&] { call->kernel.launch(call->grid, call->slotsFor(operands, results)); });
}

ffi::Error executeOnCuda(CudaCall *call, void *stream, int32_t number, ffi::RemainingArgs operands,
                         ffi::RemainingRets results, ffi::Dictionary) {
  return reported(call->name, [&] {
    call->kernelOn(number).launchOn(stream, call->grid, call->slotsFor(operands, results));
  });
}

auto bindInstantiate() {
  return ffi::Ffi::BindInstantiate()
      .Attr<std::string_view>("name")
      .Attr<ffi::Span<const uint8_t>>("code")
      .Attr<std::string_view>("kept")
      .Attr<Integers>("grid")
      .Attr<Integers>("bits")
      .Attr<Integers>("buffers")
      .Attr<Integers>("multiples")
      .Attr<bool>("may_overlap");
}

XLA_FFI_DEFINE_HANDLER(hostInstantiate, instantiateOnHost, bindInstantiate());
XLA_FFI_DEFINE_HANDLER(cudaInstantiate, instantiateOnCuda, bindInstantiate());
XLA_FFI_DEFINE_HANDLER(
    hostExecute, executeOnHost,
    ffi::Ffi::Bind().Ctx<ffi::State<HostCall>>().RemainingArgs().RemainingRets().Attrs());
XLA_FFI_DEFINE_HANDLER(cudaExecute, executeOnCuda,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::State<CudaCall>>()
                           .Ctx<ffi::PlatformStream<void *>>()
                           .Ctx<ffi::DeviceOrdinal>()
                           .RemainingArgs()
                           .RemainingRets()
                           .Attrs());

template <typename MadeCall>
nb::dict handlersOf(XLA_FFI_Handler *instantiate, XLA_FFI_Handler *execute) {
  static XLA_FFI_TypeInfo info = ffi::MakeTypeInfo<MadeCall>();
  nb::dict type, stages, result;
  type["type_id"] = nb::capsule(&MadeCall::id);
  type["type_info"] = nb::capsule(&info);
  stages["instantiate"] = nb::capsule(reinterpret_cast<void *>(instantiate));
  stages["execute"] = nb::capsule(reinterpret_cast<void *>(execute));
  result["type"] = type;
  result["stages"] = stages;
  return result;
}

nb::dict handlers(const Device &host) {
  hostDevice() = host;
  nb::dict result;
  result["cpu"] = handlersOf<HostCall>(hostInstantiate, hostExecute);
  result["cuda"] = handlersOf<CudaCall>(cudaInstantiate, cudaExecute);
  return result;
}

std::string keep(const host::Kernel &kernel) { return KeptKernels::add(kernel); }

#else

[[noreturn]] void refuse() {
  throw nb::import_error("this build of nereid knows nothing of XLA: jaxlib, whose header says how "
                         "to be called, was not there when it was built");
}
nb::dict handlers(const Device &) { refuse(); }
std::string keep(const host::Kernel &) { refuse(); }

#endif

} // namespace

void addXlaCalls(nb::module_ &module) {
  module.def(
      "xla_handlers", handlers, nb::arg("host"),
      "What jax.ffi registers, by platform; kernels in the host's memory run on this device.");
  module.def("keep_for_xla", keep, nb::arg("kernel"),
             "A name for a kernel of this process, under which calls find it.");
}

} // namespace nereid::python
