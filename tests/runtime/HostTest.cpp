// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions whose names a running host explains (nereid/host.h).
#include "nereid/host.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>

using namespace nereid;

namespace {

host::Value tl() { return {host::LanguagePart{"triton.language"}}; }

host::Kernel compileFor(const host::Function &function, std::vector<host::Argument> rest) {
  std::vector<host::Argument> arguments = {{ArgumentType{DType::Int32, true, false}}};
  arguments.insert(arguments.end(), rest.begin(), rest.end());
  return host::compile(Device::open("cpu", {.usesDiskCache = false}), function, arguments, {});
}

int32_t resultOf(const host::Kernel &kernel, std::vector<host::Slot> rest = {}) {
  int32_t result = -1;
  std::vector<host::Slot> slots = {{reinterpret_cast<uint64_t>(&result), sizeof(result)}};
  slots.insert(slots.end(), rest.begin(), rest.end());
  kernel.launch({}, slots);
  return result;
}

TEST(Host, NamesAreWhatTheHostSays) {
  host::Function helper({.text = "def helper(x, by=THREE):\n    return x * by", .name = "a.py"});
  helper.explain({}, {{"by", {int64_t(3)}}});
  host::Function kernel(
      {.text = "@odd.decorator\ndef kernel(out):\n    tl.store(out, f(config.size) + limit(5))",
       .name = "b.py"});
  host::Namespace config{"an object", {{"size", {int64_t(7)}}}};
  host::Call limit{"limit", "limit 1",
                   [](std::span<const std::pair<std::string, host::Value>> given) {
                     return host::Value{std::get<int64_t>(given[0].second.content) * 100};
                   }};
  kernel.explain({{"tl", tl()},
                  {"f", {helper}},
                  {"config", {std::make_shared<const host::Namespace>(config)}},
                  {"limit", {std::make_shared<const host::Call>(limit)}}},
                 {});
  EXPECT_EQ(resultOf(compileFor(kernel, {})), 7 * 3 + 500);
}

TEST(Host, ProgramsCallTheHostOnTheCheckDevice) {
  host::Function kernel({.text = "def kernel(out):\n"
                                 "    pid = tl.program_id(0)\n"
                                 "    look(pid * 10 + tl.arange(0, 2), 7, f'at {pid}', last=pid)\n",
                         .name = "a.py"});
  std::string seen;
  host::Call look{"look", "look", {}};
  look.run = [&](std::span<const host::Call::Given> given) {
    ASSERT_EQ(given.size(), 4u);
    EXPECT_EQ(given[0].constant, nullptr);
    EXPECT_EQ(std::vector(given[0].tile.shape.begin(), given[0].tile.shape.end()),
              std::vector<int64_t>{2});
    auto *tile = static_cast<const int32_t *>(given[0].tile.elements);
    seen += std::to_string(tile[0]) + ' ' + std::to_string(tile[1]) + ' ' +
            std::to_string(std::get<int64_t>(given[1].constant->content)) + ' ' +
            std::get<std::string>(given[2].constant->content) + ' ' + given[3].name + '=' +
            std::to_string(*static_cast<const int32_t *>(given[3].tile.elements)) + "; ";
    EXPECT_TRUE(given[3].tile.shape.empty());
    if (tile[0] == 20)
      throw std::out_of_range("far enough");
  };
  kernel.explain({{"tl", tl()}, {"look", {std::make_shared<const host::Call>(look)}}}, {});
  std::vector<host::Argument> arguments = {{ArgumentType{DType::Int32, true, false}}};
  host::Kernel checked = host::compile(Device::open("check"), kernel, arguments, {});
  int32_t out = 0;
  host::Slot slot{reinterpret_cast<uint64_t>(&out), sizeof(out)};
  EXPECT_THROW(checked.launch({5}, {&slot, 1}), std::out_of_range);
  EXPECT_EQ(seen, "0 1 7 at [0] last=0; 10 11 7 at [1] last=1; 20 21 7 at [2] last=2; ");
  EXPECT_THROW(compileFor(kernel, {}), Error); // no other device can call it
}

TEST(Host, CompoundArguments) {
  host::Function kernel(
      {.text = "def kernel(out, pair, F):\n    tl.store(out, F(pair[0]) - pair[1])",
       .name = "a.py"});
  host::Function negate({.text = "def negate(x):\n    return -x", .name = "a.py"});
  kernel.explain({{"tl", tl()}}, {});
  host::TupleArgument pair{{{ArgumentType{DType::Int32}}, {host::Value{int64_t(2)}}}};
  host::Kernel compiled = compileFor(kernel, {{pair}, {host::Value{negate}}});
  EXPECT_EQ(resultOf(compiled, {{40, 0}}), -42);
}

TEST(Host, RecordsAreArgumentsAndConstants) {
  host::Record point("Point"), labelled("Labelled");
  host::Function sum({.text = "def sum(self):\n    return self.x * 10 + self.y", .name = "a.py"});
  host::Function twin({.text = "def twin(self):\n    return Point(self.y)", .name = "a.py"});
  sum.explain({}, {});
  twin.explain({{"Point", {point}}}, {}); // a method that names its own class
  point.explain({"x", "y"}, {{"y", {int64_t(7)}}}, {{"sum", {sum}}, {"twin", {twin}}}, {});
  labelled.explain({"x", "y", "label"}, {}, {}, {point});
  host::Function kernel(
      {.text =
           "def kernel(out, p):\n"
           "    tl.static_assert(isinstance(p, Point) and isinstance(p, Labelled))\n"
           "    tl.static_assert(not isinstance(Point(1), Labelled) and Point(1).y == 7)\n"
           "    tl.static_assert(ORIGIN.twin().sum() == 27 and p.label == 'a' and len(p) == 3)\n"
           "    tl.store(out, p.sum() + p[0] + ORIGIN.x)",
       .name = "b.py"});
  host::Tuple origin{{{int64_t(1000)}, {int64_t(2)}}, point};
  kernel.explain({{"tl", tl()},
                  {"Point", {point}},
                  {"Labelled", {labelled}},
                  {"ORIGIN", {std::make_shared<const host::Tuple>(origin)}}},
                 {});
  host::TupleArgument argument{
      {{ArgumentType{DType::Int32}}, {ArgumentType{DType::Int32}}, {host::Value{std::string("a")}}},
      labelled};
  EXPECT_EQ(resultOf(compileFor(kernel, {{argument}}), {{40, 0}, {5, 0}}), 405 + 40 + 1000);
}

TEST(Host, MistakesHaveTheirPlaceInTheFile) {
  host::Function kernel(
      {.text = "def kernel(out):\n    tl.store(out, other)", .name = "m.py", .firstLine = 40});
  kernel.explain({{"tl", tl()}, {"other", {host::Foreign{"a torch.device"}}}}, {});
  try {
    compileFor(kernel, {});
    FAIL();
  } catch (const Error &error) {
    ASSERT_EQ(error.findings().size(), 1u);
    EXPECT_EQ(error.findings()[0].place.file, "m.py");
    EXPECT_EQ(error.findings()[0].place.line, 41u);
    EXPECT_EQ(error.findings()[0].text, "a kernel cannot use a torch.device");
  }
}

TEST(Host, DigestsTellMeaningsApart) {
  auto digestWith = [](host::Value value) {
    host::Function kernel({.text = "def kernel(out):\n    tl.store(out, N)", .name = "a.py"});
    kernel.explain({{"tl", tl()}, {"N", std::move(value)}}, {});
    return kernel.digest();
  };
  EXPECT_EQ(digestWith({int64_t(1)}), digestWith({int64_t(1)}));
  for (host::Value other : {host::Value{int64_t(2)}, host::Value{1.0}, host::Value{true},
                            host::Value{std::string("1")}, host::Value{}})
    EXPECT_NE(digestWith({int64_t(1)}), digestWith(other));
}

TEST(Host, KeysTellArgumentsApart) {
  auto descriptor = [](DType dtype, bool isMultiple, std::vector<int64_t> block, bool padsWithNan) {
    return host::Argument{ArgumentType{dtype, true, isMultiple, std::move(block), padsWithNan}};
  };
  host::Record one("Point"), other("Point");
  one.explain({"x"}, {{"x", {int64_t(1)}}}, {}, {});
  other.explain({"x"}, {{"x", {int64_t(2)}}}, {}, {});
  std::vector<host::Argument> arguments = {
      descriptor(DType::Float32, true, {16}, false),
      descriptor(DType::Float32, true, {16}, true),
      descriptor(DType::Float32, false, {16}, false),
      descriptor(DType::Float32, true, {32}, false),
      descriptor(DType::Float32, true, {16, 16}, false),
      descriptor(DType::Int32, true, {16}, false),
      {ArgumentType{DType::Float32, true, true}},
      {ArgumentType{DType::Float32, true, false}},
      {host::Value{one}},
      {host::Value{other}},
      {host::TupleArgument{{{ArgumentType{DType::Int32}}}, one}},
      {host::TupleArgument{{{ArgumentType{DType::Int32}}}, other}}};
  for (size_t i = 0; i < arguments.size(); ++i)
    for (size_t j = 0; j < arguments.size(); ++j)
      EXPECT_EQ(host::keyOf({arguments[i]}) == host::keyOf({arguments[j]}), i == j) << i << j;
}

TEST(Host, IntegersAreNotPaddedWithNan) {
  host::Function kernel({.text = "def kernel(out, pair):\n    tl.store(out, 1)", .name = "a.py"});
  kernel.explain({{"tl", tl()}}, {});
  host::Argument integers{ArgumentType{DType::Int32, true, true, {16}, true}};
  for (const host::Argument &argument : {integers, host::Argument{host::TupleArgument{{integers}}}})
    try {
      compileFor(kernel, {argument});
      ADD_FAILURE();
    } catch (const Error &error) {
      ASSERT_EQ(error.findings().size(), 1u);
      EXPECT_EQ(error.findings()[0].id, "argument_value");
    }
}

TEST(Host, LaunchesEndWhenAsked) {
  host::Function kernel(
      {.text = "def kernel(out):\n    for i in range(1000):\n        tl.atomic_add(out, 1)",
       .name = "a.py"});
  kernel.explain({{"tl", tl()}}, {});
  host::Kernel compiled = compileFor(kernel, {});
  int32_t count = 0;
  std::array slots = {host::Slot{reinterpret_cast<uint64_t>(&count), sizeof(count)}};
  int polls = 0;
  compiled.launch({1 << 30}, slots, [&] { return ++polls == 2; });
  EXPECT_EQ(polls, 2);
}

} // namespace
