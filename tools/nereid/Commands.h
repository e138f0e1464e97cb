// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The subcommands. Each adds itself to the command line and acts when it was chosen.
#pragma once

namespace CLI {
class App;
}

namespace nereid::command {

void addRunCommand(CLI::App &app);
void addBenchCommand(CLI::App &app);
void addServeLinksCommand(CLI::App &app);
void addCompileCommand(CLI::App &app);
void addCacheCommand(CLI::App &app);
void addDevicesCommand(CLI::App &app);
void addDoctorCommand(CLI::App &app);
void addExplainCommand(CLI::App &app);
void addRecordsCommand(CLI::App &app);
void addTuneCommand(CLI::App &app);

} // namespace nereid::command
