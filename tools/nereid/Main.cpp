// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CommandLine.h"

int main(int argc, char **argv) { return nereid::command::runCommandLine(argc, argv); }
