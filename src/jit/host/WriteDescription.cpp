// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Compiler.h"
#include "jit/host/Described.h"
#include "jit/host/HostValues.h"
#include "nereid/replay.h"

#include "llvm/Support/Base64.h"

#include <bit>
#include <map>

namespace nereid::jit {
namespace {

std::string integerText(sema::Integer value) {
  return value < 0 ? std::to_string(static_cast<int64_t>(value))
                   : std::to_string(static_cast<uint64_t>(value));
}

/// Values and, each once, the functions and classes behind them, which may name each other.
class DescriptionWriter {
public:
  explicit DescriptionWriter(std::vector<HostAnswer> noted) {
    for (HostAnswer &each : noted)
      answers[each.call].insert_or_assign(each.asked, std::move(each.answer));
  }

  Json write(const sema::HostValue &value) {
    return std::visit([&](const auto &part) { return of(part); }, value.variant);
  }

  Json write(const host::Argument &argument) {
    return std::visit([&](const auto &content) { return of(content); }, argument.content);
  }

  Json take(size_t function, Json arguments) {
    return {{"functions", std::move(functions)},
            {"records", std::move(records)},
            {"calls", std::move(calls)},
            {"function", function},
            {"arguments", std::move(arguments)}};
  }

  size_t place(const sema::HostedFunction &hosted) {
    auto [entry, isNew] = places.try_emplace(hosted.function, functions.size());
    size_t at = entry->second;
    if (!isNew)
      return at;
    functions.push_back(nullptr); // first, since its names may lead back to it
    // Who makes one gives its source as the owner (HostValues.cpp).
    const auto &source = *static_cast<const driver::SourceModule *>(hosted.owner.get());
    Json json = {{"text", source.file.text()},
                 {"path", source.file.path()},
                 {"name", source.file.name()},
                 {"line", source.file.position(0).line}};
    if (const auto &scope = hosted.module->host) {
      json["globals"] = namesOf(scope->globals);
      json["defaults"] = namesOf(scope->defaults);
    }
    functions[at] = std::move(json);
    return at;
  }

private:
  // ---- Values
  Json of(const sema::ConstantValue &constant) {
    if (const auto *boolean = std::get_if<bool>(&constant))
      return *boolean;
    if (const auto *integer = std::get_if<sema::Integer>(&constant))
      return {{described::integer, integerText(*integer)}};
    if (const auto *number = std::get_if<double>(&constant))
      return {{described::number, std::to_string(std::bit_cast<uint64_t>(*number))}};
    if (const auto *text = std::get_if<std::string>(&constant))
      return {{described::text, *text}};
    if (const auto *type = std::get_if<sema::ScalarType>(&constant))
      return {{described::dtype, name(type->dtype)}, {"pointer", type->isPointer}};
    return nullptr;
  }
  Json of(const sema::LanguagePart &part) { return {{described::part, part.path}}; }
  Json of(const sema::HostedFunction &hosted) { return {{described::function, place(hosted)}}; }
  Json of(const std::shared_ptr<const sema::HostTuple> &tuple) {
    Json elements = Json::array();
    for (const sema::HostValue &element : tuple->elements)
      elements.push_back(write(element));
    Json json = {{described::tuple, std::move(elements)}};
    if (tuple->record)
      json["record"] = placeOf(tuple->record);
    return json;
  }
  Json of(const std::shared_ptr<const sema::HostNamespace> &space) {
    return {{described::space, space->name}, {"members", namesOf(space->members)}};
  }
  Json of(const std::shared_ptr<const sema::HostCall> &call) {
    auto [entry, isNew] = places.try_emplace(call.get(), calls.size());
    size_t at = entry->second;
    if (!isNew)
      return {{described::call, at}};
    calls.push_back(nullptr);
    Json json = {{"name", call->name}, {"key", call->key}};
    if (call->resultMatters)
      json["matters"] = *call->resultMatters;
    json["answers"] = Json::object();
    for (const auto &[asked, answer] : answers[call->key])
      json["answers"][asked] = write(answer);
    calls[at] = std::move(json);
    return {{described::call, at}};
  }
  Json of(const std::shared_ptr<const sema::HostRecord> &record) {
    return {{described::record, placeOf(record)}};
  }
  Json of(const std::shared_ptr<const sema::HostArray> &array) {
    return {{described::array, name(array->dtype)},
            {"shape", array->shape},
            {"bytes", llvm::encodeBase64(array->bytes)}};
  }
  Json of(const sema::Foreign &foreign) { return {{described::foreign, foreign.description}}; }

  // ---- Arguments
  Json of(const ArgumentType &type) {
    return {{described::slot, name(type.dtype)},     {"pointer", type.isPointer},
            {"multiple_of_16", type.isMultipleOf16}, {"block_shape", type.blockShape},
            {"pads_with_nan", type.padsWithNan},     {"dimensions", type.dimensions},
            {"contiguous", type.isContiguous}};
  }
  Json of(const host::Value &value) { return {{described::constant, write(toSema(value))}}; }
  Json of(const host::TupleArgument &tuple) {
    Json elements = Json::array();
    for (const host::Argument &element : tuple.elements)
      elements.push_back(write(element));
    Json json = {{described::tuple, std::move(elements)}};
    if (tuple.record)
      json["record"] = placeOf(tuple.record->get());
    return json;
  }

  Json namesOf(const sema::HostScope::Names &names) {
    Json json = Json::object();
    for (const auto &[name, value] : names)
      json[name] = write(value);
    return json;
  }
  size_t placeOf(const std::shared_ptr<const sema::HostRecord> &record) {
    auto [entry, isNew] = places.try_emplace(record.get(), records.size());
    size_t at = entry->second;
    if (!isNew)
      return at;
    records.push_back(nullptr);
    Json bases = Json::array();
    for (const auto &base : record->bases)
      bases.push_back(placeOf(base));
    records[at] = {{"name", record->name},
                   {"fields", record->fields},
                   {"defaults", namesOf(record->defaults)},
                   {"methods", namesOf(record->methods)},
                   {"bases", std::move(bases)}};
    return at;
  }

  std::map<std::string, std::map<std::string, sema::HostValue>>
      answers; // by call, by what is asked
  std::map<const void *, size_t> places;
  Json functions = Json::array(), records = Json::array(), calls = Json::array();
};

} // namespace
} // namespace nereid::jit

namespace nereid::host {

std::string describe(const Function &function, const std::vector<Argument> &arguments,
                     const CompileOptions &options) {
  std::vector<jit::HostAnswer> answers;
  {
    jit::HostAnswers journal;
    accesses(function, arguments, options); // which traces it
    answers = journal.take();
  }
  jit::DescriptionWriter writer(std::move(answers));
  const Function::State &state = function.get();
  size_t place = writer.place({&state.source->tree, state.function, state.source});
  jit::Json written = jit::Json::array();
  for (const Argument &argument : arguments)
    written.push_back(writer.write(argument));
  try {
    return writer.take(place, std::move(written)).dump();
  } catch (const jit::Json::exception &error) {
    throw Error(Error::Kind::Usage, "kernel '" + function.name() +
                                        "' mentions a text that is no UTF-8: " + error.what());
  }
}

} // namespace nereid::host
