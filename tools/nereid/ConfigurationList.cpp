// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ConfigurationList.h"

#include "Value.h"

#include <set>

namespace nereid::command {
namespace {

constexpr const char *accepted =
    "--configs \"NAME=VALUE,VALUE ... [num_warps=N,N] [num_stages=N,N]\"";

unsigned toCount(const std::string &name, const Argument &value) {
  const auto *count = std::get_if<int64_t>(&value.get());
  if (!count || *count < 1 || *count > 1024)
    throw Error(Error::Kind::Usage, "--configs: " + name + " is a number of 1 or more");
  return static_cast<unsigned>(*count);
}

Configuration with(Configuration configuration, const std::string &name, const Argument &value) {
  if (name == "num_warps")
    configuration.tuning.warps = toCount(name, value);
  else if (name == "num_stages")
    configuration.tuning.pipelineStages = toCount(name, value);
  else
    configuration.values.push_back({name, value});
  return configuration;
}

} // namespace

std::vector<std::string> splitOutsideBrackets(const std::string &text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;
  for (char c : text) {
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '(' || c == '[')
      ++depth;
    else if (c == ')' || c == ']')
      --depth;
    if (c == separator && !quote && depth <= 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  std::erase(parts, "");
  return parts;
}

ConfigurationList::ConfigurationList(const std::vector<std::string> &texts) {
  for (const std::string &text : texts) {
    Product product;
    std::set<std::string> names;
    for (const std::string &part : splitOutsideBrackets(text, ' ')) {
      Assignment assignment = parseAssignment(part, accepted);
      if (!names.insert(assignment.name).second)
        throw Error(Error::Kind::Usage,
                    "--configs \"" + text + "\": " + assignment.name + " is given twice");
      Choice choice{assignment.name, {}};
      for (const std::string &value : splitOutsideBrackets(assignment.text, ','))
        choice.values.emplace_back(value, "--configs " + assignment.name);
      if (choice.values.empty())
        throw Error(Error::Kind::Usage, "--configs \"" + text + "\": " + assignment.name +
                                            " has no value; accepted is " + accepted);
      product.push_back(std::move(choice));
    }
    if (product.empty())
      throw Error(Error::Kind::Usage,
                  std::string("--configs says nothing; accepted is ") + accepted);
    products.push_back(std::move(product));
  }
}

std::vector<Configuration> ConfigurationList::evaluate(const Scope &scope) const {
  std::vector<Configuration> all;
  std::set<std::string> known;
  for (const Product &product : products) {
    std::vector<Configuration> combined(1);
    for (const Choice &choice : product) {
      std::vector<Configuration> longer;
      for (const Configuration &shorter : combined)
        for (const Expression &value : choice.values)
          longer.push_back(with(shorter, choice.name, value.evaluate(scope)));
      combined = std::move(longer);
    }
    for (Configuration &configuration : combined)
      if (known.insert(configuration.text()).second)
        all.push_back(std::move(configuration));
  }
  return all;
}

} // namespace nereid::command
