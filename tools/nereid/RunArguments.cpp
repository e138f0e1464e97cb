// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RunArguments.h"

#include "Npy.h"

#include <algorithm>

namespace nereid::command {

RunArguments::RunArguments(Device device, uint64_t seed, const std::vector<std::string> &texts)
    : device(std::move(device)), seed(seed) {
  for (const std::string &text : texts) {
    Assignment assignment = parseAssignment(text, "NAME=VALUE");
    for (const Entry &entry : entries)
      if (entry.name == assignment.name)
        throw Error(Error::Kind::Usage, "argument '" + assignment.name + "' is given twice");
    Value value = parseValue(assignment.name, assignment.text);
    entries.push_back({std::move(assignment.name), std::move(value), false, std::nullopt});
  }
}

std::vector<std::string> RunArguments::names() const {
  std::vector<std::string> names;
  for (const Entry &entry : entries)
    names.push_back(entry.name);
  return names;
}

const Argument *RunArguments::find(const std::string &name) const {
  auto entry = std::find_if(entries.begin(), entries.end(),
                            [&](const Entry &candidate) { return candidate.name == name; });
  if (entry == entries.end())
    return nullptr;
  if (!entry->made) {
    path.push_back(name);
    if (std::exchange(entry->isBeingMade, true))
      failCircle(name);
    entry->made = make(entry->name, entry->value);
    path.pop_back();
  }
  return &*entry->made;
}

void RunArguments::failCircle(const std::string &name) const {
  std::string circle;
  for (auto step = std::find(path.begin(), path.end(), name); step != path.end(); ++step)
    circle += (circle.empty() ? "" : " -> ") + *step;
  throw Error(Error::Kind::Usage, "arguments depend on each other in a circle: " + circle);
}

Argument RunArguments::make(const std::string &name, const Value &value) const {
  if (auto *file = std::get_if<FileValue>(&value))
    return readNpy(device, file->path, file->type);
  if (auto *filled = std::get_if<FilledValue>(&value))
    return makeFilled(device, filled->fill, filled->type, filled->shape.evaluateIntegers(*this),
                      name, seed);
  if (auto *blocks = std::get_if<BlocksValue>(&value)) {
    Argument array = std::visit([&](const auto &of) { return make(name, of); }, blocks->array);
    if (!array.array())
      throw Error(Error::Kind::Usage, name + "=blocks[...]: a descriptor is of an array");
    return TensorDescriptor{*array.array(), blocks->blockShape.evaluateIntegers(*this)};
  }
  return std::get<Expression>(value).evaluate(*this);
}

Arguments RunArguments::evaluate() const {
  Arguments arguments;
  for (const Entry &entry : entries)
    arguments.push_back({entry.name, *find(entry.name)});
  return arguments;
}

} // namespace nereid::command
