// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Sweep.h"

#include "ConfigurationList.h"
#include "Value.h"

namespace nereid::command {
namespace {

constexpr size_t mostPoints = 1000;

[[noreturn]] void failSweep(const std::string &text, const std::string &reason) {
  throw Error(Error::Kind::Usage,
              "--sweep " + text + ": " + reason +
                  "; accepted are NAME=2**10..2**20, NAME=128..4096:+128, NAME=1..10**6:*10 and "
                  "NAME=100,200,300");
}

int64_t toInteger(const std::string &text, const std::string &part) {
  std::vector<int64_t> values = Expression(part, "--sweep").evaluateIntegers();
  if (values.size() != 1)
    failSweep(text, "'" + part + "' is not one integer");
  return values[0];
}

std::vector<int64_t> range(const std::string &text, int64_t first, int64_t last, char by,
                           int64_t step) {
  if (first > last)
    failSweep(text, "the range is empty");
  if (by == '*' && first < 1)
    failSweep(text, "a range that multiplies begins at 1 or above");
  if (step < (by == '*' ? 2 : 1))
    failSweep(text, "a step is +1 or more, or *2 or more");
  std::vector<int64_t> values;
  for (int64_t value = first; value <= last;) {
    values.push_back(value);
    if (values.size() > mostPoints)
      failSweep(text, "these are more than " + std::to_string(mostPoints) + " points");
    if (by == '*' ? __builtin_mul_overflow(value, step, &value)
                  : __builtin_add_overflow(value, step, &value))
      break;
  }
  return values;
}

} // namespace

Sweep parseSweep(const std::string &text) {
  Assignment assignment = parseAssignment(text, "--sweep NAME=FIRST..LAST");
  Sweep sweep{assignment.name, {}};
  size_t dots = assignment.text.find("..");
  if (dots == std::string::npos) {
    for (const std::string &part : splitOutsideBrackets(assignment.text, ','))
      sweep.values.push_back(toInteger(text, part));
    if (sweep.values.empty())
      failSweep(text, "there is no value");
    return sweep;
  }
  std::string last = assignment.text.substr(dots + 2), step = "*2";
  if (size_t colon = last.find(':'); colon != std::string::npos) {
    step = last.substr(colon + 1);
    last.resize(colon);
  }
  if (step.size() < 2 || (step[0] != '*' && step[0] != '+'))
    failSweep(text, "'" + step + "' is no step");
  sweep.isGeometric = step[0] == '*';
  sweep.values = range(text, toInteger(text, assignment.text.substr(0, dots)),
                       toInteger(text, last), step[0], toInteger(text, step.substr(1)));
  return sweep;
}

} // namespace nereid::command
