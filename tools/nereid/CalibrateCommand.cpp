// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "FormatText.h"
#include "Terminal.h"
#include "files/PendingFile.h"
#include "nereid/calibrate.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

namespace nereid::command {

void defineCalibrateCommand(CLI::App &command) {
  struct Settings {
    std::string device = "cuda", output;
  };
  auto settings = std::make_shared<Settings>();
  command.add_option("-d,--device", settings->device, "Which GPU: cuda, cuda:1, ...")
      ->capture_default_str();
  command.add_option("-o,--output", settings->output,
                     "FILE: write the figures, for nereid analyze --card FILE");
  command.callback([settings] {
    if (!settings->output.empty())
      files::requireWritable(settings->output);
    Device device = Device::open(settings->device);
    Calibration calibration = [&] {
      Progress progress("calibrating " + device.name());
      return calibrate(device);
    }();
    if (!settings->output.empty())
      files::writeWhole(settings->output, toCard(calibration));
    sayText(stdout, toText(calibration));
  });
}

} // namespace nereid::command
