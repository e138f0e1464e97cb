// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/host/HostValues.h"

#include "frontend/sema/Promotion.h"
#include "support/Check.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <deque>
#include <mutex>
#include <optional>

namespace nereid::jit {
namespace {

using sema::ConstantValue;

std::mutex oneJournal, journalMutex; // one HostAnswers at a time; what it has noted
std::optional<std::vector<HostAnswer>> journal;

void note(const host::Call &call, std::span<const sema::HostCall::Named> arguments,
          const sema::HostValue &answer) {
  std::lock_guard lock(journalMutex);
  if (journal)
    journal->push_back({call.key, keyOfAsked(arguments), answer});
}

void runCall(const host::Call &call, std::span<const sema::HostCall::Given> given) {
  std::vector<host::Call::Given> arguments;
  std::deque<host::Value> constants; // which the arguments point to
  for (const sema::HostCall::Given &argument : given) {
    const PrintedOperand &tile = argument.operand;
    const host::Value *constant = nullptr;
    if (argument.constant)
      constant = &constants.emplace_back(toHost(*argument.constant));
    arguments.push_back(
        {argument.name, constant, {tile.dtype, tile.isPointer, tile.shape, tile.elements}});
  }
  call.run(arguments);
}

struct ToSema {
  sema::HostValue operator()(std::monostate none) const { return constant(none); }
  sema::HostValue operator()(bool boolean) const { return constant(boolean); }
  sema::HostValue operator()(int64_t integer) const { return constant(sema::Integer(integer)); }
  sema::HostValue operator()(uint64_t integer) const { return constant(sema::Integer(integer)); }
  sema::HostValue operator()(double number) const { return constant(number); }
  sema::HostValue operator()(const std::string &text) const { return constant(text); }
  sema::HostValue operator()(host::ElementType type) const {
    return constant(sema::ScalarType{type.dtype, type.isPointer});
  }
  sema::HostValue operator()(const host::LanguagePart &part) const {
    return {sema::LanguagePart{part.path}};
  }
  sema::HostValue operator()(const host::Function &function) const {
    const host::Function::State &state = function.get();
    return {sema::HostedFunction{&state.source->tree, state.function, state.source}};
  }
  sema::HostValue operator()(const std::shared_ptr<const host::Tuple> &tuple) const {
    auto result = std::make_shared<sema::HostTuple>();
    for (const host::Value &element : tuple->elements)
      result->elements.push_back(toSema(element));
    if (tuple->record)
      result->record = tuple->record->get();
    return {std::shared_ptr<const sema::HostTuple>(std::move(result))};
  }
  sema::HostValue operator()(const std::shared_ptr<const host::Namespace> &space) const {
    return {std::make_shared<const sema::HostNamespace>(
        sema::HostNamespace{space->name, toSema(space->members)})};
  }
  sema::HostValue operator()(const std::shared_ptr<const host::Call> &call) const {
    auto run = [call](std::span<const sema::HostCall::Named> arguments) {
      host::Names given;
      for (const auto &[name, value] : arguments)
        given.emplace_back(name, toHost(value));
      sema::HostValue answer = toSema(call->call(given));
      note(*call, arguments, answer);
      return answer;
    };
    sema::HostCall result{call->name, call->key, run};
    result.resultMatters = call->resultMatters;
    if (call->run)
      result.run = [call](std::span<const sema::HostCall::Given> given) { runCall(*call, given); };
    return {std::make_shared<const sema::HostCall>(std::move(result))};
  }
  sema::HostValue operator()(const host::Record &record) const {
    return {std::shared_ptr<const sema::HostRecord>(record.get())};
  }
  sema::HostValue operator()(const std::shared_ptr<const host::ConstantArray> &array) const {
    return {std::make_shared<const sema::HostArray>(
        sema::HostArray{array->dtype, array->shape, array->bytes})};
  }
  sema::HostValue operator()(const host::Foreign &foreign) const {
    return {sema::Foreign{foreign.description}};
  }

private:
  static sema::HostValue constant(ConstantValue value) { return {std::move(value)}; }
};

struct ConstantToHost {
  host::Value operator()(sema::ScalarType type) const {
    return {host::ElementType{type.dtype, type.isPointer}};
  }
  host::Value operator()(sema::Integer integer) const {
    if (sema::fits(integer, DType::Int64))
      return {static_cast<int64_t>(integer)};
    return {static_cast<uint64_t>(integer)};
  }
  host::Value operator()(const auto &value) const { return {value}; }
};

/// All records are the host's own.
host::Record toRecord(const std::shared_ptr<const sema::HostRecord> &record) {
  return host::Record(std::static_pointer_cast<host::Record::State>(
      std::const_pointer_cast<sema::HostRecord>(record)));
}

struct ToHost {
  host::Value operator()(const ConstantValue &constant) const {
    return std::visit(ConstantToHost(), constant);
  }
  host::Value operator()(const sema::LanguagePart &part) const {
    return {host::LanguagePart{part.path}};
  }
  host::Value operator()(const std::shared_ptr<const sema::HostTuple> &tuple) const {
    auto result = std::make_shared<host::Tuple>();
    for (const sema::HostValue &element : tuple->elements)
      result->elements.push_back(toHost(element));
    if (tuple->record)
      result->record = toRecord(tuple->record);
    return {std::shared_ptr<const host::Tuple>(std::move(result))};
  }
  host::Value operator()(const std::shared_ptr<const sema::HostNamespace> &space) const {
    host::Namespace result{space->name, {}};
    for (const auto &[name, value] : space->members)
      result.members.emplace_back(name, toHost(value));
    return {std::make_shared<const host::Namespace>(std::move(result))};
  }
  host::Value operator()(const std::shared_ptr<const sema::HostRecord> &record) const {
    return {toRecord(record)};
  }
  host::Value operator()(const sema::Foreign &foreign) const {
    return {host::Foreign{foreign.description}};
  }
  /// The front end hands neither functions nor arrays to the host.
  host::Value operator()(const auto &) const { return {host::Foreign{"a function"}}; }
};

} // namespace

sema::HostValue toSema(const host::Value &value) { return std::visit(ToSema(), value.content); }

host::Value toHost(const sema::HostValue &value) { return std::visit(ToHost(), value.variant); }

sema::HostScope::Names toSema(const host::Names &names) {
  sema::HostScope::Names result;
  for (const auto &[name, value] : names)
    result.insert_or_assign(name, toSema(value));
  return result;
}

std::string keyOfAsked(std::span<const sema::HostCall::Named> arguments) {
  std::string all;
  for (const auto &[name, value] : arguments) {
    std::string key = sema::keyOf(value);
    all += std::to_string(name.size()) + ':' + name + std::to_string(key.size()) + ':' + key;
  }
  return llvm::toHex(llvm::BLAKE3::hash<16>(llvm::arrayRefFromStringRef(all)), /*LowerCase=*/true);
}

HostAnswers::HostAnswers() {
  oneJournal.lock();
  std::lock_guard lock(journalMutex);
  journal.emplace();
}

HostAnswers::~HostAnswers() {
  {
    std::lock_guard lock(journalMutex);
    journal.reset();
  }
  oneJournal.unlock();
}

std::vector<HostAnswer> HostAnswers::take() {
  std::lock_guard lock(journalMutex);
  return std::exchange(*journal, {});
}

} // namespace nereid::jit
