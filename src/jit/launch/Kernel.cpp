// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Boundary.h"
#include "jit/State.h"
#include "jit/launch/BindArtifact.h"
#include "jit/launch/Specialize.h"
#include "jit/launch/Tuning.h"

#include <chrono>

namespace nereid {
namespace {

using KernelPtr = jit::KernelCache::KernelPtr;

KernelPtr build(const std::shared_ptr<detail::DeviceState> &device, const std::string &name,
                Constants constants,
                llvm::function_ref<std::unique_ptr<runtime::Executable>(jit::OpenDevice &)> make) {
  auto start = std::chrono::steady_clock::now();
  auto kernel = std::make_shared<jit::CompiledKernel>();
  kernel->device = device;
  kernel->name = name;
  kernel->constants = std::move(constants);
  kernel->executable = make(*device->device);
  kernel->compileMilliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return kernel;
}

std::vector<Array> arraysOf(const Arguments &arguments, const detail::DeviceState &device) {
  std::vector<Array> arrays;
  for (const NamedArgument &argument : arguments) {
    const Array *array = argument.value.array();
    if (!array)
      continue;
    std::string_view memory = detail::ArrayState::of(*array).memoryName;
    std::string why;
    if (memory != device.device->memoryName())
      why = device.device->whyUnusable(memory, *detail::ArrayState::of(*array).memory);
    if (!why.empty())
      throw Error(Error::Kind::Usage, "argument '" + argument.name + "' lies in " +
                                          std::string(memory) + " memory, which device '" +
                                          device.name + "' cannot use" + why);
    if (std::string gone = detail::ArrayState::of(*array).memory->whyGone(); !gone.empty())
      throw Error(Error::Kind::Usage, "argument '" + argument.name + "' cannot be used: " + gone);
    arrays.push_back(*array);
  }
  return arrays;
}

} // namespace

const std::string &Kernel::name() const { return state->name; }
const std::vector<Parameter> &Kernel::parameters() const { return state->parameters; }

/// Compiles for the arguments; `wanted` gets the parameters that would have to be constants.
static detail::LaunchState specialized(const detail::KernelState &kernel,
                                       const std::shared_ptr<detail::DeviceState> &on,
                                       const Arguments &arguments, const Tuning &tuning,
                                       std::vector<std::string> &wanted) {
  const jit::Declaration &declaration = *kernel.declaration;
  std::vector<std::string> byValue = declaration.byValue();
  auto [specialization, slots] = jit::specialize(declaration, arguments, byValue);
  specialization.tuning = jit::tuningFor(declaration.function(), tuning);
  on->device->keepRelevant(specialization);
  auto compile = [&](const jit::KernelKey &key) {
    Constants constants = jit::constexprIntegers(declaration, key.specialization);
    return build(on, kernel.name, std::move(constants), [&](jit::OpenDevice &device) {
      return device.build(
          {declaration.source(), &declaration.function(), key.specialization, &wanted});
    });
  };
  auto [compiled, isNew] = jit::KernelCache::ofProcess().get(
      {kernel.module.get(), &declaration.function(), on->id, std::move(specialization)}, compile);
  return {std::move(compiled), isNew, std::move(slots), {}, std::move(byValue)};
}

/// A kernel that needs an ordinary integer as a constant (as the size of a tile) is compiled for
/// its value, and so are its launches from then on.
static Launch prepareSource(const detail::KernelState &kernel,
                            const std::shared_ptr<detail::DeviceState> &on,
                            const Arguments &arguments, std::vector<Array> arrays,
                            const Tuning &tuning) {
  for (;;) {
    std::vector<std::string> wanted;
    try {
      detail::LaunchState launch = specialized(kernel, on, arguments, tuning, wanted);
      launch.arrays = std::move(arrays);
      return detail::LaunchState::wrap(std::move(launch));
    } catch (const SourceError &) {
      if (!kernel.declaration->addByValue(wanted))
        throw;
    }
  }
}

static Launch prepareCompiled(const detail::KernelState &kernel,
                              const std::shared_ptr<detail::DeviceState> &on,
                              const Arguments &arguments, std::vector<Array> arrays) {
  const runtime::Artifact &artifact = *kernel.module->artifact;
  jit::BoundArguments bound = jit::bindArtifact(artifact, arguments);
  auto load = [&](const jit::KernelKey &) {
    return build(on, kernel.name, Constants(std::move(bound.constants)),
                 [&](jit::OpenDevice &device) { return device.load(artifact); });
  };
  KernelPtr loaded =
      jit::KernelCache::ofProcess().get({kernel.module.get(), nullptr, on->id, {}}, load).kernel;
  return detail::LaunchState::wrap(
      {std::move(loaded), false, std::move(bound.slots), std::move(arrays), {}});
}

Launch Kernel::prepare(const Device &device, const Arguments &arguments,
                       const Tuning &tuning) const {
  const std::shared_ptr<detail::DeviceState> &on = detail::DeviceState::of(device);
  std::vector<Array> arrays = arraysOf(arguments, *on);
  if (state->module->artifact)
    return prepareCompiled(*state, on, arguments, std::move(arrays));
  return jit::atBoundary(
      [&] { return prepareSource(*state, on, arguments, std::move(arrays), tuning); });
}

void Kernel::launch(const Device &device, Grid grid, const Arguments &arguments,
                    const LaunchOptions &options) const {
  prepare(device, arguments, options.tuning).run(grid, options);
}

} // namespace nereid
