// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/host/Described.h"
#include "jit/host/HostValues.h"
#include "nereid/replay.h"

#include "llvm/Support/Base64.h"

#include <bit>
#include <charconv>
#include <map>
#include <memory>

namespace nereid::jit {
namespace {

[[noreturn]] void fail(const std::string &why) {
  throw Error(Error::Kind::Environment, "this is no description of a kernel: " + why);
}

template <typename T> T parseNumber(const std::string &text) {
  T value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    fail("'" + text + "' is no number of its kind");
  return value;
}

DType parseType(const Json &json) {
  auto text = json.get<std::string>();
  std::optional<DType> type = parseDType(text);
  if (!type)
    fail("there is no dtype '" + text + "'");
  return *type;
}

/// What a function of the host answered while the kernel was recorded.
struct Answers {
  std::string name;
  std::map<std::string, host::Value> known;

  host::Value operator()(std::span<const std::pair<std::string, host::Value>> given) const {
    std::vector<sema::HostCall::Named> asked;
    for (const auto &[name, value] : given)
      asked.emplace_back(name, toSema(value));
    auto found = known.find(keyOfAsked(asked));
    if (found == known.end())
      throw Error(Error::Kind::Usage, "the kernel calls '" + name +
                                          "', a function of the program that was recorded, "
                                          "with other arguments than it did there");
    return found->second;
  }
};

class DescriptionReader {
public:
  explicit DescriptionReader(const Json &json) : json(json) {
    // All of them first: they may name each other.
    for (const Json &each : json.at("functions"))
      functions.emplace_back(
          host::FunctionText{each.at("text").get<std::string>(), each.at("path").get<std::string>(),
                             each.at("name").get<std::string>(), each.at("line").get<unsigned>()});
    for (const Json &each : json.at("records"))
      records.emplace_back(each.at("name").get<std::string>());
    for (const Json &each : json.at("calls")) {
      auto answers = std::make_shared<Answers>();
      answers->name = each.at("name").get<std::string>();
      auto call = std::make_shared<host::Call>();
      call->name = answers->name;
      call->key = each.at("key").get<std::string>();
      call->call = [answers](auto given) { return (*answers)(given); };
      if (each.contains("matters"))
        call->resultMatters = each.at("matters").get<std::string>();
      calls.push_back({std::move(call), std::move(answers)});
    }
  }

  host::Description read() {
    for (size_t i = 0; i < calls.size(); ++i)
      for (const auto &[asked, answer] : json["calls"][i].at("answers").items())
        calls[i].answers->known.emplace(asked, value(answer));
    for (size_t i = 0; i < records.size(); ++i)
      explain(records[i], json["records"][i]);
    for (size_t i = 0; i < functions.size(); ++i)
      if (const Json &each = json["functions"][i]; each.contains("globals"))
        functions[i].explain(names(each.at("globals")), names(each.at("defaults")));
    host::Description description{at(functions, json.at("function")), {}};
    for (const Json &each : json.at("arguments"))
      description.arguments.push_back(argument(each));
    return description;
  }

private:
  void explain(const host::Record &record, const Json &each) {
    std::vector<host::Record> bases;
    for (const Json &base : each.at("bases"))
      bases.push_back(at(records, base));
    record.explain(each.at("fields").get<std::vector<std::string>>(), names(each.at("defaults")),
                   names(each.at("methods")), bases);
  }

  template <typename T> const T &at(const std::vector<T> &list, const Json &place) const {
    if (!place.is_number_unsigned() || place.get<size_t>() >= list.size())
      fail("a place that is none");
    return list[place.get<size_t>()];
  }

  host::Names names(const Json &object) const {
    host::Names result;
    for (const auto &[name, each] : object.items())
      result.emplace_back(name, value(each));
    return result;
  }

  /// A file may nest values as deep as it likes; kernels' are as deep as their authors write.
  class Depth {
  public:
    explicit Depth(unsigned &depth) : depth(depth) {
      constexpr unsigned most = 200;
      if (++depth > most)
        fail("values within values, too deep");
    }
    ~Depth() { --depth; }

  private:
    unsigned &depth;
  };

  host::Value value(const Json &each) const {
    Depth inner(depth);
    if (each.is_null())
      return {};
    if (each.is_boolean())
      return {each.get<bool>()};
    if (!each.is_object() || each.empty())
      fail("a value of no kind");
    const std::string kind = each.begin().key();
    const Json &content = each.begin().value();
    if (kind == described::integer)
      return integer(content.get<std::string>());
    if (kind == described::number)
      return {std::bit_cast<double>(parseNumber<uint64_t>(content.get<std::string>()))};
    if (kind == described::text)
      return {content.get<std::string>()};
    if (kind == described::dtype)
      return {host::ElementType{parseType(content), each.at("pointer").get<bool>()}};
    if (kind == described::part)
      return {host::LanguagePart{content.get<std::string>()}};
    if (kind == described::function)
      return {at(functions, content)};
    if (kind == described::tuple)
      return {tuple(each)};
    if (kind == described::space)
      return {std::make_shared<const host::Namespace>(
          host::Namespace{content.get<std::string>(), names(each.at("members"))})};
    if (kind == described::call)
      return {std::shared_ptr<const host::Call>(at(calls, content).call)};
    if (kind == described::record)
      return {at(records, content)};
    if (kind == described::array)
      return {array(each)};
    if (kind == described::foreign)
      return {host::Foreign{content.get<std::string>()}};
    fail("there is no value of kind '" + kind + "'");
  }

  static host::Value integer(const std::string &text) {
    if (text.starts_with('-'))
      return {parseNumber<int64_t>(text)};
    auto number = parseNumber<uint64_t>(text);
    return number <= INT64_MAX ? host::Value{static_cast<int64_t>(number)} : host::Value{number};
  }

  std::shared_ptr<const host::Tuple> tuple(const Json &each) const {
    auto result = std::make_shared<host::Tuple>();
    for (const Json &element : each.at(described::tuple))
      result->elements.push_back(value(element));
    if (each.contains("record"))
      result->record = at(records, each.at("record"));
    return result;
  }

  static std::shared_ptr<const host::ConstantArray> array(const Json &each) {
    std::vector<char> bytes;
    if (llvm::Error error = llvm::decodeBase64(each.at("bytes").get<std::string>(), bytes))
      fail(llvm::toString(std::move(error)));
    auto shape = each.at("shape").get<std::vector<int64_t>>();
    DType dtype = parseType(each.at(described::array));
    uint64_t size = byteSize(dtype);
    for (int64_t extent : shape)
      if (extent < 0 || __builtin_mul_overflow(size, static_cast<uint64_t>(extent), &size))
        fail("an array of no such shape");
    if (size != bytes.size())
      fail("an array whose bytes are not those of its shape");
    return std::make_shared<const host::ConstantArray>(
        host::ConstantArray{dtype, std::move(shape), std::string(bytes.begin(), bytes.end())});
  }

  host::Argument argument(const Json &each) const {
    Depth inner(depth);
    if (!each.is_object() || each.empty())
      fail("an argument of no kind");
    const std::string kind = each.begin().key();
    if (kind == described::slot)
      return {ArgumentType{
          parseType(each.at(described::slot)), each.at("pointer").get<bool>(),
          each.at("multiple_of_16").get<bool>(), each.at("block_shape").get<std::vector<int64_t>>(),
          each.at("pads_with_nan").get<bool>(), each.at("dimensions").get<unsigned>(),
          each.at("contiguous").get<bool>()}};
    if (kind == described::constant)
      return {value(each.at(described::constant))};
    if (kind == described::tuple) {
      host::TupleArgument result;
      for (const Json &element : each.at(described::tuple))
        result.elements.push_back(argument(element));
      if (each.contains("record"))
        result.record = at(records, each.at("record"));
      return {std::move(result)};
    }
    if (kind == described::block) // as earlier versions wrote a tensor descriptor
      return {ArgumentType{parseType(each.at("dtype")), true, each.at("multiple_of_16").get<bool>(),
                           each.at(described::block).get<std::vector<int64_t>>(),
                           each.at("pads_with_nan").get<bool>()}};
    fail("there is no argument of kind '" + kind + "'");
  }

  struct HostCall {
    std::shared_ptr<host::Call> call;
    std::shared_ptr<Answers> answers;
  };
  const Json &json;
  mutable unsigned depth = 0;
  std::vector<host::Function> functions;
  std::vector<host::Record> records;
  std::vector<HostCall> calls;
};

} // namespace
} // namespace nereid::jit

namespace nereid::host {

Description readDescription(std::string_view text) {
  try {
    const jit::Json json = jit::Json::parse(text);
    return jit::DescriptionReader(json).read();
  } catch (const jit::Json::exception &error) {
    jit::fail(error.what());
  }
}

} // namespace nereid::host
