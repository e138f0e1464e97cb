// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/HostScope.h"

#include "frontend/ast/Ast.h"

#include <set>

namespace nereid::sema {
namespace {

const HostValue *findIn(const HostScope::Names &names, std::string_view name) {
  auto found = names.find(name);
  return found == names.end() ? nullptr : &found->second;
}

/// Writes values and the functions behind them, each function once.
class KeyWriter {
public:
  explicit KeyWriter(bool withPlaces = false) : withPlaces(withPlaces) {}

  void write(const HostScope &scope) {
    writeAll(scope.globals);
    text += "defaults";
    writeAll(scope.defaults);
  }

  void write(const HostValue &value) {
    std::visit([&](const auto &part) { writePart(part); }, value.variant);
  }

  /// What a class says of its objects; in methods it may be named again.
  void writePart(const std::shared_ptr<const HostRecord> &record) {
    text += 'r';
    auto [entry, isNew] = records.try_emplace(record.get(), records.size());
    text += std::to_string(entry->second);
    if (!isNew)
      return;
    writeText(record->name);
    for (const std::string &field : record->fields)
      writeText(field);
    writeAll(record->defaults);
    writeAll(record->methods);
    for (const auto &base : record->bases)
      writePart(base);
  }

  std::string text;

private:
  void writeAll(const HostScope::Names &names) {
    text += '{';
    for (const auto &[name, value] : names) {
      writeText(name);
      write(value);
    }
    text += '}';
  }

  /// With its length, so that parts cannot run together.
  void writeText(std::string_view part) {
    text += std::to_string(part.size()) + ':';
    text += part;
  }

  void writePlace(SourceRange range) {
    auto [line, column] = range.file->position(range.begin);
    writeText(range.file->name());
    writeText(std::to_string(line) + ':' + std::to_string(column));
  }

  void writePart(const ConstantValue &constant) {
    text += 'c';
    if (const double *number = std::get_if<double>(&constant))
      writeText(std::to_string(std::bit_cast<uint64_t>(*number)));
    else
      writeText(typeName(constant) + ' ' + toString(constant));
  }
  void writePart(const LanguagePart &part) {
    text += 'l';
    writeText(part.path);
  }
  void writePart(const HostedFunction &function) {
    text += 'f';
    auto [entry, isNew] = numbers.try_emplace(function.module, numbers.size());
    text += std::to_string(entry->second);
    if (!isNew)
      return;
    writeText(function.function->range.text());
    writeText(function.function->floorsDivision ? "floor_division" : "");
    writeText(function.function->resultMatters.value_or(""));
    if (withPlaces)
      writePlace(function.function->range);
    if (function.module->host)
      write(*function.module->host);
  }
  void writePart(const std::shared_ptr<const HostTuple> &tuple) {
    text += '(';
    for (const HostValue &element : tuple->elements)
      write(element);
    text += ')';
    if (tuple->record)
      writePart(tuple->record);
  }
  void writePart(const std::shared_ptr<const HostNamespace> &space) {
    text += 'n';
    writeAll(space->members);
  }
  void writePart(const std::shared_ptr<const HostCall> &call) {
    text += 'h';
    writeText(call->key);
    writeText(call->resultMatters.value_or(""));
  }
  void writePart(const std::shared_ptr<const HostArray> &array) {
    text += 'a';
    writeText(name(array->dtype));
    for (int64_t extent : array->shape)
      writeText(std::to_string(extent));
    writeText(array->bytes);
  }
  void writePart(const Foreign &) { text += 'x'; }

  bool withPlaces;
  std::map<const ast::Module *, size_t> numbers;
  std::map<const HostRecord *, size_t> records;
};

} // namespace

const HostValue *HostScope::find(std::string_view name) const { return findIn(globals, name); }

const HostValue *HostScope::defaultOf(std::string_view parameter) const {
  return findIn(defaults, parameter);
}

std::string HostScope::key(bool withPlaces) const {
  KeyWriter writer(withPlaces);
  writer.write(*this);
  return std::move(writer.text);
}

std::string keyOf(const HostValue &value) {
  KeyWriter writer;
  writer.write(value);
  return std::move(writer.text);
}

std::string keyOf(const std::shared_ptr<const HostRecord> &record) {
  return keyOf(HostValue{record});
}

} // namespace nereid::sema
