// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Boundary.h"
#include "jit/Specialize.h"
#include "jit/State.h"
#include "support/DeepStack.h"

#include <chrono>

namespace nereid {
namespace {

using Clock = std::chrono::steady_clock;

std::shared_ptr<jit::CompiledKernel> compile(const detail::KernelState &kernel,
                                             const std::shared_ptr<detail::DeviceState> &device,
                                             const sema::Specialization &specialization) {
  auto start = Clock::now();
  std::shared_ptr<const driver::SourceModule> source = kernel.module->source;
  auto compiled = std::make_shared<jit::CompiledKernel>();
  compiled->device = device;
  compiled->executable = onDeepStack([&] {
    driver::Dump quiet;
    driver::TileKernel tile = driver::emitTile(*source, *kernel.function, specialization, quiet);
    return device->device->compile(std::move(tile), std::move(source));
  });
  compiled->compileMilliseconds =
      std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return compiled;
}

std::vector<Array> arraysOf(const Arguments &arguments, const detail::DeviceState &device) {
  std::vector<Array> arrays;
  for (const NamedArgument &argument : arguments) {
    auto *array = std::get_if<Array>(&argument.value.get());
    if (!array)
      continue;
    std::string_view memory = detail::ArrayState::of(*array).memoryName;
    if (memory != device.device->memoryName())
      throw Error(Error::Kind::Usage, "argument '" + argument.name + "' lies in " +
                                          std::string(memory) + " memory, which device '" +
                                          device.name + "' cannot use");
    arrays.push_back(*array);
  }
  return arrays;
}

} // namespace

const std::string &Kernel::name() const { return state->function->name; }
const std::vector<Parameter> &Kernel::parameters() const { return state->parameters; }

Launch Kernel::prepare(const Device &device, const Arguments &arguments) const {
  const std::shared_ptr<detail::DeviceState> &on = detail::DeviceState::of(device);
  std::vector<Array> arrays = arraysOf(arguments, *on);
  return jit::atBoundary([&] {
    jit::SpecializedArguments specialized =
        jit::specialize(*state->module->source, *state->function, arguments);
    std::string key = std::to_string(on->id) + ' ' + state->function->name + ' ' +
                      specialized.specialization.key();
    auto [kernel, isNew] = state->module->cache.get(
        key, [&] { return compile(*state, on, specialized.specialization); });
    double milliseconds = isNew ? kernel->compileMilliseconds : 0;
    return detail::LaunchState::wrap({std::move(kernel), std::move(specialized.slots),
                                      std::move(arrays),
                                      Constants(std::move(specialized.constants)), milliseconds});
  });
}

void Kernel::launch(const Device &device, Grid grid, const Arguments &arguments) const {
  prepare(device, arguments).run(grid);
}

} // namespace nereid
