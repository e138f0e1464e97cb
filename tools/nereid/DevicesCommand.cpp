// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "jit/DeviceTable.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

namespace nereid::command {

static void listDevices() {
  llvm::outs() << llvm::formatv("{0,-8}{1,-11}{2}\n", "name", "available", "description");
  for (const jit::DeviceEntry &device : jit::deviceTable()) {
    std::string reason = device.unavailableBecause();
    llvm::outs() << llvm::formatv("{0,-8}{1,-11}{2}{3}\n", device.name,
                                  reason.empty() ? "yes" : "no", device.description,
                                  reason.empty() ? "" : " (" + reason + ")");
  }
}

void addDevicesCommand(CLI::App &app) {
  app.add_subcommand("devices", "List the devices that kernels can run on")->callback(listDevices);
}

} // namespace nereid::command
