// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "nereid/devices.h"

#include <CLI/CLI.hpp>
#include <cstdio>

namespace nereid::command {

static void listDevices() {
  std::printf("%-8s%-11s%s\n", "name", "available", "description");
  for (const DeviceInfo &device : devices()) {
    bool isAvailable = device.unavailableBecause.empty();
    std::string reason = isAvailable ? "" : " (" + device.unavailableBecause + ")";
    std::printf("%-8s%-11s%s%s\n", device.name.c_str(), isAvailable ? "yes" : "no",
                device.description.c_str(), reason.c_str());
  }
}

void defineDevicesCommand(CLI::App &command) { command.callback(listDevices); }

} // namespace nereid::command
