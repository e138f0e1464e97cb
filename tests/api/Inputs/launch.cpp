// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every way to give a grid. Compiled, not run.
#include "nereid/nereid.h"

using namespace nereid;

/// Names and texts of every kind.
void open(const std::string &text, std::string_view view, const char *pointer) {
  for (const Device &device : {Device::open(), Device::open("cpu"), Device::open(text),
                               Device::open(view), Device::open(pointer, {2})})
    (void)device;
  for (const Module &module : {Module::load("add.py"), Module::load(text), Module::load(pointer),
                               Module::fromText("x = 1"), Module::fromText(text, text)})
    for (const Kernel &kernel : {module.kernel("k"), module.kernel(text), module.kernel(view)})
      (void)kernel;
}

Grid gridOf(const Constants &constants) { return {cdiv(1000, constants["BLOCK"])}; }

void launchAll(const Kernel &kernel, const Device &device, const Array &x) {
  Arguments arguments = {{"x", x}, {"n", 0}, {"none", nullptr}, {"flag", true}, {"name", "text"}};
  kernel.launch(device, {0}, arguments);
  kernel.launch(device, {}, arguments);
  kernel.launch(device, {4, 2}, {{"x", x}});
  kernel.launch(device, Grid{1}, arguments);
  kernel.launch(device, gridOf, arguments);
  kernel.launch(device, [](const Constants &) { return Grid{2}; }, arguments);
  const GridFunction function = gridOf;
  kernel.launch(device, function, arguments);
  Launch launch = kernel.prepare(device, arguments);
  launch.run({0});
  launch.run({});
  launch.run(function);
  launch.run([count = 0](const Constants &) mutable { return Grid{++count}; });
}
