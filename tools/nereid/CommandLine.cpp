// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CommandLine.h"

#include "About.h"
#include "Commands.h"
#include "FormatText.h"
#include "nereid/environment.h"
#include "nereid/host.h"
#include "nereid/nereid.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>

namespace {

enum ExitCode { Success = 0, UsersMistake = 1, OurMistake = 2 };

struct Command {
  const char *name, *purpose; // without a purpose it is for Nereid's own processes
  void (*define)(CLI::App &command);
};

constexpr Command commands[] = {
    {"run", "Compile a kernel and run it over a grid", nereid::command::defineRunCommand},
    {"compile", "Compile a kernel, show or keep what it becomes",
     nereid::command::defineCompileCommand},
    {"analyze", "Say why a kernel is slow on a GPU, without one",
     nereid::command::defineAnalyzeCommand},
    {"profile", "Measure on a GPU where a kernel's time goes, without counters",
     nereid::command::defineProfileCommand},
    {"replay", "Run and time the launches that a program made, without the program",
     nereid::command::defineReplayCommand},
    {"calibrate", "Measure how fast a GPU is, for analyze",
     nereid::command::defineCalibrateCommand},
    {"tune", "Find the fastest configuration of a kernel", nereid::command::defineTuneCommand},
    {"bench", "Time a kernel over a range of sizes, with a plot",
     nereid::command::defineBenchCommand},
    {"kernels", "List the kernels of a file, as FILE::KERNEL names them",
     nereid::command::defineKernelsCommand},
    {"records", "Show, merge and carry what tuning found", nereid::command::defineRecordsCommand},
    {"cache", "Show or clear the compiled kernels kept on disk",
     nereid::command::defineCacheCommand},
    {"devices", "List the devices that kernels can run on", nereid::command::defineDevicesCommand},
    {"doctor", "Say what this machine has and lacks", nereid::command::defineDoctorCommand},
    {"explain", "Say what a diagnostic means, with an example",
     nereid::command::defineExplainCommand},
    {"completion", "Print a script that completes command lines: for bash, zsh or fish",
     nereid::command::defineCompletionCommand},
    {"serve-assembly", "", nereid::command::defineServeAssemblyCommand},
};

int report(const std::string &message) {
  // What a kernel printed comes first, as it did in time.
  std::fflush(stdout);
  // Diagnostics carry their own severity; everything else gets it here.
  std::string first = message.substr(0, message.find('\n'));
  bool isDiagnostic =
      first.find("error: ") != std::string::npos || first.find(": warning: ") != std::string::npos;
  nereid::command::say(stderr, "%s%s\n", isDiagnostic ? "" : "error: ", message.c_str());
  return UsersMistake;
}

/// What a variable of the environment cannot mean would otherwise be taken for the default in
/// silence. A version of the language that is none is an error.
void checkEnvironment() {
  nereid::host::languageVersion();
  for (const std::string &mistake : nereid::environmentMistakes())
    nereid::command::say(stderr, "warning: %s\n", mistake.c_str());
}

/// Whether all that was printed has reached its place.
bool isOutputWritten() {
  return std::cout.flush() && std::fflush(stdout) == 0 && !std::ferror(stdout);
}

int exitCode() {
  return isOutputWritten() ? Success : report("cannot write to the standard output");
}

std::string commandNames(const CLI::App &app) {
  std::string names;
  auto isShown = [](const CLI::App *command) { return !command->get_group().empty(); };
  for (const CLI::App *command : app.get_subcommands(isShown))
    names += (names.empty() ? "" : ", ") + command->get_name();
  return names;
}

/// What of a command line nobody has read, or the command that it names.
std::string besides(const CLI::App &app) {
  return app.remaining().empty() ? app.get_subcommands().front()->get_name()
                                 : app.remaining().front();
}

/// Nereid's own options are few, and begin differently: "-v" and "--license" are as good as told.
std::string noSuchOption(const CLI::App &app, const std::string &word) {
  std::string names, meant;
  std::string wanted = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames()) {
      names += (names.empty() ? "--" : ", --") + name;
      if (!wanted.empty() && name.front() == wanted.front())
        meant = "; did you mean --" + name + '?';
    }
  return "no option '" + word + "'" + (meant.empty() ? "; there are: " + names : meant);
}

int reportUsage(const CLI::App &app, const CLI::ParseError &error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    app.exit(error); // prints the help or the version
    return exitCode();
  }
  std::fflush(stdout);
  std::string message = error.what();
  // "A subcommand is required", says the library, whatever stands in its place.
  if (app.get_subcommands().empty() && !app.remaining().empty()) {
    const std::string word = app.remaining().front();
    message = word.starts_with("-") ? noSuchOption(app, word)
                                    : "no command '" + word + "'; there are: " + commandNames(app);
  }
  nereid::command::say(stderr, "error: %s\nnote: see nereid --help, or --help after a command\n",
                       message.c_str());
  return UsersMistake;
}

} // namespace

int nereid::command::runCommandLine(int argc, char **argv) {
  CLI::App app("Nereid runs kernels in Triton's syntax as native code, with no Python and no GPU.",
               "nereid");
  app.set_version_flag("--version", fullVersion());
  app.add_flag_callback(
      "--licences",
      [&app] {
        // A command's own options are read before this, its action and what nobody reads are not.
        if (!app.remaining().empty() || !app.get_subcommands().empty())
          throw nereid::Error(nereid::Error::Kind::Usage,
                              "--licences stands alone; '" + besides(app) + "' is too much");
        std::fputs(licences().c_str(), stdout);
        std::_Exit(exitCode());
      },
      "Say what this program carries of other projects, with their licences");
  app.require_subcommand(1);
  app.footer(R"help(
Examples
    nereid run add.py --grid "cdiv(n,1024)" x=rand:f32[1000] out=empty:f32[1000] n=1000 BLOCK=1024
    nereid run add.py::add --device check ...     find what a kernel does wrong
    nereid compile add.py::add --dump=asm ...     read the machine code
    nereid tune add.py --configs "BLOCK=256,512" ...      find the fastest configuration
    nereid bench add.py --sweep "n=2**10..2**24" -o add.png ...    how fast, at which sizes
    nereid run --help                             every form of argument, and more examples

Exit codes: 0 success, 1 a mistake in the kernel or its use, 2 a bug in Nereid.)help");
  try {
    for (const Command &command : commands) {
      auto *subcommand = app.add_subcommand(command.name, command.purpose);
      command.define(*subcommand);
      if (*command.purpose)
        subcommand->preparse_callback([](size_t) { checkEnvironment(); });
      else
        subcommand->group(""); // not shown
    }
    app.parse(argc, argv);
    // The system takes memory back faster than the compiler's destructors would.
    std::_Exit(exitCode());
  } catch (const CLI::ParseError &error) {
    return reportUsage(app, error);
  } catch (const nereid::Error &error) {
    report(error.what());
    return error.kind() == nereid::Error::Kind::Internal ? OurMistake : UsersMistake;
  } catch (const std::bad_alloc &) {
    return report("out of memory");
  } catch (const std::exception &error) {
    say(stderr, "nereid: internal error: %s\n  This is a bug in Nereid; please report it.\n",
        error.what());
    return OurMistake;
  }
}
