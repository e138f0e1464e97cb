// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ConfigurationSource.h"

#include "FormatText.h"
#include "LaunchScope.h"

#include <cstdio>

namespace nereid::command {

ConfigurationSource::ConfigurationSource(const Kernel &kernel,
                                         const std::vector<std::string> &texts)
    : written(writtenTuning(kernel)), list(texts) {
  if (!texts.empty()) // the file's need not be readable then
    return;
  if (!written.failure.empty())
    throw Error(Error::Kind::Usage, written.failure);
  for (const std::string &place : written.unread)
    say(stderr, "note: %s: only Python could say what this leaves out, so all is tried\n",
        place.c_str());
}

bool ConfigurationSource::isEmpty() const {
  return list.isEmpty() && written.configurations.empty();
}

std::vector<Configuration> ConfigurationSource::evaluate(const Scope &scope) const {
  std::vector<Configuration> all = !list.isEmpty() ? list.evaluate(scope) : written.configurations;
  if (all.empty())
    all.emplace_back();
  for (Configuration &configuration : all)
    for (const auto &[name, expression] : written.heuristics) {
      LaunchScope known(configuration.values, scope);
      if (known.find(name))
        continue;
      std::string label = "@triton.heuristics " + name;
      if (expression.empty())
        throw Error(Error::Kind::Usage, label + ": only Python could compute this; give " + name +
                                            "=VALUE among the arguments");
      configuration.values.push_back({name, Expression(expression, label).evaluate(known)});
    }
  return all;
}

} // namespace nereid::command
