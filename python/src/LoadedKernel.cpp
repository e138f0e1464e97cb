// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LoadedKernel.h"

#include "Dispatcher.h"
#include "Lock.h"

#include "nereid/compile.h"
#include "nereid/entry.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

namespace nereid::python {
namespace {

std::string placeName(int cudaDevice) {
  return cudaDevice < 0 ? "the host's memory" : "cuda:" + std::to_string(cudaDevice);
}

ParameterSpec parameterOf(nb::handle name, const std::string &type) {
  bool isConstant = type == "constexpr";
  nb::object typeName = isConstant ? nb::none() : nb::object(nb::str(type.c_str()));
  return readParameter(nb::make_tuple(name, nb::list(), isConstant, false, /*knows_one=*/false,
                                      /*knows_multiples=*/false, typeName));
}

/// A chain of hooks that holds none is not called.
void callHook(nb::handle hook, nb::handle metadata) {
  if (hook.is_none())
    return;
  static nb::object &chain =
      *new nb::object(nb::module_::import_("nereid.knobs").attr("HookChain"));
  if (!hook.type().is(chain) || nb::len(nb::object(hook.attr("calls"))) > 0)
    hook(metadata);
}

} // namespace

LoadedKernel::LoadedKernel(host::Kernel kernel, int cudaDevice, nb::list list, bool mayOverlap,
                           std::optional<host::Kernel> apart)
    : kernel(std::move(kernel)), apart(std::move(apart)), cudaDevice(cudaDevice),
      mayOverlap(mayOverlap) {
  for (nb::handle item : list) {
    std::string type = nb::cast<std::string>(item[1]);
    bool isMultiple = type.ends_with(":16");
    if (isMultiple)
      type.resize(type.size() - 3);
    parameters.push_back(parameterOf(item[0], type));
    if (parameters.back().isConstexpr)
      continue;
    const specialize::ParameterRules &rules = parameters.back().rules;
    if (!rules.number && !rules.element)
      throw nb::value_error(
          ("a parameter of type '" + type + "' is not launched by itself").c_str());
    if (isMultiple)
      multiples.push_back({slotCount, parameters.size() - 1});
    ++slotCount;
  }
}

bool LoadedKernel::launch(nb::handle binary, Grid grid, uint64_t stream,
                          const nb::args &arguments) const {
  if (nb::len(arguments) != parameters.size())
    throw nb::type_error(("takes " + std::to_string(parameters.size()) + " arguments but " +
                          std::to_string(nb::len(arguments)) + " were given")
                             .c_str());
  LaunchKey key;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!parameters[i].isConstexpr)
      key.add(parameters[i], arguments[i]);
  if (key.slots.size() != slotCount)
    throw nb::type_error("an argument that the kernel reads is None or a constant");
  key.findDevice([&] { return cudaDevice; });
  if (key.hasArrays() && key.cudaDevice != cudaDevice)
    throw nb::value_error(("the kernel was loaded for " + placeName(cudaDevice) +
                           ", and its arrays lie in " + placeName(key.cudaDevice))
                              .c_str());
  if (!key.readOnly.empty())
    binary.attr("require_unwritten")(key.readOnly);
  if (key.mayOverlap && !mayOverlap)
    return false;
  for (const Promise &promise : multiples)
    if (!specialize::isKnownMultiple(key.slots[promise.slot].bits))
      throw nb::value_error(("argument '" +
                             nb::cast<std::string>(parameters[promise.parameter].name) +
                             "' is not the multiple of 16 that the kernel was compiled for")
                                .c_str());
  const host::Kernel &chosen = apart && !key.mayOverlap ? *apart : kernel;
  if (cudaDevice < 0)
    run(chosen, grid, key.slots, binary);
  else
    // Compiled models launch so, and wait for nothing: a failed assertion is the next error of
    // CUDA that PyTorch sees.
    runOn(reinterpret_cast<void *>(stream), chosen, grid, key, /*mayTrap=*/true);
  return true;
}

void LoadedKernel::launchBetweenHooks(nb::handle binary, Grid grid, nb::handle stream,
                                      nb::handle metadata, nb::handle enter, nb::handle exit,
                                      const nb::args &arguments) const {
  callHook(enter, metadata);
  launch(binary, grid, stream.is_none() ? 0 : nb::cast<uint64_t>(stream), arguments);
  callHook(exit, metadata);
}

static nb::bytes compileAhead(const host::Function &function, const nb::list &given,
                              const std::string &target, bool mayOverlap, unsigned warps,
                              unsigned stages, unsigned registers, bool checksAsserts) {
  std::vector<host::Argument> arguments;
  for (nb::handle argument : given)
    arguments.push_back(nb::cast<host::Argument>(argument));
  CompileOptions options;
  options.target = target;
  options.tuning = {warps, stages, registers};
  options.checksAsserts = checksAsserts;
  options.mayOverlap = mayOverlap;
  std::vector<uint8_t> bytes;
  {
    Unlocked unlocked;
    bytes = host::compileAhead(function, arguments, options).bytes();
  }
  return nb::bytes(bytes.data(), bytes.size());
}

static host::Kernel load(const Device &device, const nb::bytes &code) {
  auto *first = static_cast<const uint8_t *>(code.data());
  std::span<const uint8_t> bytes(first, code.size());
  Unlocked unlocked;
  return host::load(device, Artifact::fromBytes(bytes));
}

static Artifact artifactOf(const nb::bytes &code) {
  return Artifact::fromBytes({static_cast<const uint8_t *>(code.data()), code.size()});
}

/// What nereid/entry.h says of a kernel's code, by name.
static nb::dict gpuEntryOf(const nb::bytes &code) {
  GpuEntry entry = gpuEntry(artifactOf(code));
  nb::dict facts;
  facts["symbol"] = entry.symbol;
  facts["ptx"] = entry.ptx;
  facts["threads"] = entry.threads;
  facts["shared_bytes"] = entry.sharedBytes;
  return facts;
}

static nb::dict cpuEntryOf(const nb::bytes &code) {
  CpuEntry entry = cpuEntry(artifactOf(code));
  nb::list addresses;
  for (const CpuEntry::Address &address : entry.addresses)
    addresses.append(nb::make_tuple(address.offset, address.symbol, address.addend));
  nb::dict facts;
  facts["image"] = nb::bytes(entry.bytes.data(), entry.bytes.size());
  facts["alignment"] = entry.alignment;
  facts["entry"] = entry.entry;
  facts["scratch_bytes"] = entry.scratchBytes;
  facts["addresses"] = addresses;
  facts["uses_amx"] = entry.usesAmx;
  return facts;
}

void addLoadedKernelClass(nb::module_ &module) {
  nb::class_<LoadedKernel>(module, "LoadedKernel")
      .def(nb::init<host::Kernel, int, nb::list, bool, std::optional<host::Kernel>>(),
           nb::arg("kernel"), nb::arg("cuda_device"), nb::arg("parameters"),
           nb::arg("may_overlap") = true, nb::arg("apart") = nb::none())
      .def("launch",
           [](const LoadedKernel &self, nb::object binary, int64_t x, int64_t y, int64_t z,
              uint64_t stream,
              nb::args arguments) { return self.launch(binary, {x, y, z}, stream, arguments); })
      .def(
          "run",
          [](const LoadedKernel &self, nb::handle binary, int64_t x, int64_t y, int64_t z,
             nb::handle stream, nb::handle, nb::handle, nb::handle metadata, nb::handle enter,
             nb::handle exit, nb::args arguments) {
            self.launchBetweenHooks(binary, {x, y, z}, stream, metadata, enter, exit, arguments);
          },
          nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(),
          nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
          nb::arg("arguments"))
      .def_prop_ro("resources", [](const LoadedKernel &self) { return self.get().resources(); });
  module.def("compile_ahead", compileAhead, nb::arg("function"), nb::arg("arguments"),
             nb::arg("target"), nb::arg("may_overlap") = true, nb::arg("warps") = 0,
             nb::arg("pipeline_stages") = 0, nb::arg("max_registers") = 0,
             nb::arg("checks_asserts") = false,
             "What the arrays are is not known yet, so that they may overlap unless it is said.");
  module.def("gpu_entry", gpuEntryOf, nb::arg("code"));
  module.def("cpu_entry", cpuEntryOf, nb::arg("code"));
  module.def("load", load, nb::arg("device"), nb::arg("code"));
}

} // namespace nereid::python
