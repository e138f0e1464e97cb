// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "Completion.h"
#include "nereid/explain.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

namespace nereid::command {
namespace {

void show(const char *title, const std::string &text) {
  if (!text.empty())
    std::printf("\n%s\n\n%s", title, text.c_str());
}

void explainOne(const std::string &id) {
  Explanation found = explain(id);
  std::printf("%s: %s\n\n%s\n", found.id.c_str(), found.message.c_str(), found.meaning.c_str());
  show("# With the mistake:", found.mistake);
  show("# Mended:", found.mended);
}

void listAll() {
  for (const Explanation &each : explanations())
    std::printf("%-32s%s\n", each.id.c_str(), each.message.c_str());
}

} // namespace

void defineExplainCommand(CLI::App &command) {
  auto id = std::make_shared<std::string>();
  offer(command.add_option("id", *id,
                           "What stands in brackets after a message or remark; none lists all"),
        [] {
          std::vector<std::string> ids;
          for (const Explanation &each : explanations())
            ids.push_back(each.id);
          return ids;
        });
  command.callback([id] { id->empty() ? listAll() : explainOne(*id); });
}

} // namespace nereid::command
