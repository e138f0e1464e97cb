// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The subcommands (Main.cpp has their names). Each gives its options to the command line and acts
// when it is chosen. None makes a CLI::App: whoever does compiles most of that library anew.
#pragma once

namespace CLI {
class App;
}

namespace nereid::command {

void defineRunCommand(CLI::App &command);
void defineCompileCommand(CLI::App &command);
void defineAnalyzeCommand(CLI::App &command);
void defineProfileCommand(CLI::App &command);
void defineReplayCommand(CLI::App &command);
void defineCalibrateCommand(CLI::App &command);
void defineTuneCommand(CLI::App &command);
void defineBenchCommand(CLI::App &command);
void defineRecordsCommand(CLI::App &command);
void defineCacheCommand(CLI::App &command);
void defineDevicesCommand(CLI::App &command);
void defineDoctorCommand(CLI::App &command);
void defineExplainCommand(CLI::App &command);
void defineKernelsCommand(CLI::App &command);
void defineCompletionCommand(CLI::App &command);
void defineServeAssemblyCommand(CLI::App &command);

} // namespace nereid::command
