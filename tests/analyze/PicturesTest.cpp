// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What pictures are drawn from: where programs touch arrays, against arithmetic and against the
// counts, and the way of data from loads to stores. And two analyses side by side.
#include "AnalyzeTest.h"

#include <numeric>
#include <set>

using namespace nereid;
using test::AnalyzeTest;

namespace {

using Touches = Analysis::Touches;

/// In bytes from the array's beginning, each element of one execution.
std::vector<int64_t> placesOf(const Touches &touches, const Touches::Event &event) {
  if (event.pattern < 0)
    return event.offsets;
  const Touches::Pattern &pattern = touches.patterns[event.pattern];
  std::vector<int64_t> places = {event.base};
  for (size_t dim = 0; dim < pattern.shape.size(); ++dim) {
    std::vector<int64_t> more;
    for (int64_t place : places)
      for (int64_t c = pattern.from[dim]; c < pattern.to[dim]; ++c)
        more.push_back(place + c * pattern.strides[dim]);
    places = std::move(more);
  }
  return places;
}

const Touches::Event &eventOf(const Analysis &a, size_t program, const std::string &kind,
                              const std::string &array) {
  for (const Touches::Event &event : a.touches.programs[program].events)
    if (a.accesses[event.access].kind == kind && a.accesses[event.access].array == array)
      return event;
  throw std::runtime_error("no such event");
}

/// Bytes that the programs shown ask for, by access.
std::vector<uint64_t> bytesOf(const Analysis &a, unsigned elementBytes) {
  std::vector<uint64_t> bytes(a.accesses.size());
  for (const Touches::Program &program : a.touches.programs)
    for (const Touches::Event &event : program.events)
      bytes[event.access] += placesOf(a.touches, event).size() * elementBytes;
  return bytes;
}

TEST_F(AnalyzeTest, TouchesOfAnOddCopy) {
  const int64_t n = 3003;
  Analysis a =
      analyze("copy", {3}, {{"x", floats({n})}, {"y", floats({n})}, {"n", n}, {"BLOCK", 1024}});
  ASSERT_EQ(a.touches.programs.size(), 3u);
  std::vector<int64_t> all;
  for (size_t program = 0; program < 3; ++program)
    for (int64_t place : placesOf(a.touches, eventOf(a, program, "load", "x")))
      all.push_back(place / 4);
  std::vector<int64_t> wanted(n);
  std::iota(wanted.begin(), wanted.end(), 0);
  EXPECT_EQ(all, wanted);
}

TEST_F(AnalyzeTest, TouchesOfATransposition) {
  const int64_t rows = 96, cols = 160, tile = 32;
  Analysis a = analyze("transpose_tiled", {rows / tile, cols / tile},
                       {{"x", floats({rows, cols})},
                        {"y", floats({cols, rows})},
                        {"rows", rows},
                        {"cols", cols},
                        {"R", tile},
                        {"C", tile}});
  for (size_t number = 0; number < a.touches.programs.size(); ++number) {
    const Touches::Program &program = a.touches.programs[number];
    std::set<int64_t> read, written;
    for (int64_t r = 0; r < tile; ++r)
      for (int64_t c = 0; c < tile; ++c) {
        read.insert(4 * ((program.x * tile + r) * cols + program.y * tile + c));
        written.insert(4 * ((program.y * tile + c) * rows + program.x * tile + r));
      }
    auto places = placesOf(a.touches, eventOf(a, number, "load", "x"));
    EXPECT_EQ(std::set<int64_t>(places.begin(), places.end()), read);
    places = placesOf(a.touches, eventOf(a, number, "store", "y"));
    EXPECT_EQ(std::set<int64_t>(places.begin(), places.end()), written);
  }
  EXPECT_EQ(use(a, "x").shape, (std::vector<int64_t>{rows, cols}));
  EXPECT_EQ(use(a, "x").elementBytes, 4u);
}

/// Where all programs are shown, what they touch is what was counted; by the copy engine, too.
TEST_F(AnalyzeTest, TouchesAreWhatWasCounted) {
  auto half = [&](int64_t r, int64_t c) { return array(DType::Float16, {r, c}); };
  for (int64_t size : {128, 104, 100}) {
    SCOPED_TRACE(size);
    Analysis a = analyze("matmul", {cdiv(size, 64), cdiv(size, 64)},
                         {{"a", half(size, size)},
                          {"b", half(size, size)},
                          {"c", half(size, size)},
                          {"M", size},
                          {"N", size},
                          {"K", size},
                          {"BM", 64},
                          {"BN", 64},
                          {"BK", 64}});
    std::vector<uint64_t> bytes = bytesOf(a, 2);
    ASSERT_EQ(a.touches.programs.size(), 4u);
    for (size_t i = 0; i < bytes.size(); ++i)
      EXPECT_EQ(bytes[i], a.accesses[i].bytes) << a.accesses[i].kind << " " << a.accesses[i].array;
  }
}

TEST_F(AnalyzeTest, TouchesOfAGather) {
  std::vector<int32_t> values(512);
  for (int32_t i = 0; i < 512; ++i)
    values[i] = i * 37 % 509;
  Array index = array(DType::Int32, {512});
  index.copyFrom(values.data());
  Analysis a = analyze(
      "gather", {1},
      {{"x", floats({512})}, {"index", index}, {"y", floats({512})}, {"n", 512}, {"BLOCK", 512}});
  const Touches::Event &event = eventOf(a, 0, "load", "x");
  ASSERT_EQ(event.offsets.size(), 512u);
  for (int64_t i = 0; i < 512; ++i)
    EXPECT_EQ(event.offsets[i], 4 * (i * 37 % 509));
}

/// Whether data comes from one step to the other, by any way.
bool leadsTo(const Analysis::Flow &flow, const std::string &from, const std::string &to) {
  std::set<unsigned> reached;
  for (unsigned i = 0; i < flow.steps.size(); ++i)
    if (flow.steps[i].kind + " " + flow.steps[i].what == from)
      reached.insert(i);
  for (size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const Analysis::Flow::Edge &edge : flow.edges)
      if (reached.contains(edge.from) && edge.through != "order")
        reached.insert(edge.to);
  }
  return std::ranges::any_of(
      reached, [&](unsigned i) { return flow.steps[i].kind + " " + flow.steps[i].what == to; });
}

TEST_F(AnalyzeTest, FlowFromLoadsToStores) {
  Analysis a = analyze("gather", {1},
                       {{"x", floats({512})},
                        {"index", array(DType::Int32, {512})},
                        {"y", floats({512})},
                        {"n", 512},
                        {"BLOCK", 512}});
  EXPECT_TRUE(leadsTo(a.flow, "load index", "load x"));
  EXPECT_TRUE(leadsTo(a.flow, "load x", "store y"));
  EXPECT_FALSE(leadsTo(a.flow, "load x", "load index"));
  auto half = [&] { return array(DType::Float16, {512, 512}); };
  Analysis product = analyze("matmul", {8, 8},
                             {{"a", half()},
                              {"b", half()},
                              {"c", half()},
                              {"M", 512},
                              {"N", 512},
                              {"K", 512},
                              {"BM", 64},
                              {"BN", 64},
                              {"BK", 64}});
  const std::string store = access(product, "send").array == "c" ? "send c" : "store c";
  EXPECT_TRUE(leadsTo(product.flow, "fetch a", store));
  EXPECT_TRUE(leadsTo(product.flow, "fetch b", store));
  EXPECT_FALSE(leadsTo(product.flow, "fetch a", "fetch b"));
  bool isCarried = std::ranges::any_of(product.flow.edges, [](const auto &edge) {
    return edge.through == "next round" && edge.from == edge.to;
  });
  EXPECT_TRUE(isCarried); // the sum
  ASSERT_FALSE(product.flow.loops.empty());
  for (const Analysis::Flow::Loop &loop : product.flow.loops)
    EXPECT_EQ(loop.rounds, 8);
  EXPECT_TRUE(std::ranges::any_of(product.flow.steps, &Analysis::Step::isOfProducer));
}

TEST_F(AnalyzeTest, FlowThroughAnArray) {
  Analysis a = analyze(
      "through_scratch", {4},
      {{"x", floats({1024})}, {"scratch", floats({1024})}, {"y", floats({1024})}, {"BLOCK", 256}});
  EXPECT_TRUE(leadsTo(a.flow, "load x", "store scratch"));
  EXPECT_TRUE(leadsTo(a.flow, "store scratch", "load scratch"));
  EXPECT_TRUE(leadsTo(a.flow, "load x", "store y"));
  EXPECT_FALSE(leadsTo(a.flow, "load scratch", "store scratch"));
}

TEST_F(AnalyzeTest, FlowCountsBarriers) {
  Analysis a = analyze("transpose_tiled", {1, 1},
                       {{"x", floats({64, 64})},
                        {"y", floats({64, 64})},
                        {"rows", 64},
                        {"cols", 64},
                        {"R", 64},
                        {"C", 64}});
  double barriers = 0;
  for (const Analysis::Step &step : a.flow.steps)
    barriers += step.barriers * step.times;
  EXPECT_EQ(barriers, double(a.barriers));
  EXPECT_GT(a.barriers, 0u);
}

const Difference &difference(const Comparison &comparison, const std::string &name) {
  for (const Difference &row : comparison.differences)
    if (row.name == name)
      return row;
  throw std::runtime_error("no row " + name);
}

TEST_F(AnalyzeTest, ComparisonOfConfigurations) {
  auto with = [&](int64_t block) {
    return analyze("copy", {4096 / block},
                   {{"x", floats({4096})}, {"y", floats({4096})}, {"n", 4096}, {"BLOCK", block}});
  };
  Comparison comparison = compare(with(1024), with(512));
  const Difference &programs = difference(comparison, "programs");
  EXPECT_EQ(programs.first, "4");
  EXPECT_EQ(programs.second, "8");
  EXPECT_TRUE(programs.isDifferent);
  EXPECT_EQ(programs.ratio, 2);
  // By line: the same kernel. As many sectors, but the compiler may give it fewer warps.
  EXPECT_FALSE(difference(comparison, "line 9: load of x").isDifferent);
  Comparison same = compare(with(512), with(512));
  EXPECT_TRUE(std::ranges::none_of(same.differences, &Difference::isDifferent));
  EXPECT_NE(toText(same).find("The second takes 1.00 of the first's time"), std::string::npos);
}

TEST_F(AnalyzeTest, ComparisonOfKernels) {
  auto arguments = [&](Arguments more) {
    Arguments all = {
        {"x", floats({512, 512})}, {"y", floats({512, 512})}, {"rows", 512}, {"cols", 512}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  Comparison comparison =
      compare(analyze("transpose_naive", {512, 1}, arguments({{"BLOCK", 512}})),
              analyze("transpose_tiled", {8, 8}, arguments({{"R", 64}, {"C", 64}})));
  // By array: they are other lines.
  const Difference &store = difference(comparison, "store of y");
  EXPECT_TRUE(store.isDifferent);
  EXPECT_LT(store.ratio, 0.2);
  Analysis copy = analyze(
      "copy", {4}, {{"x", floats({4096})}, {"y", floats({4096})}, {"n", 4096}, {"BLOCK", 1024}});
  Comparison other = compare(std::move(copy), comparison.second);
  const Difference &convert = difference(other, "convert in shared memory");
  EXPECT_EQ(convert.first, "");
  EXPECT_NE(convert.second, "");
  EXPECT_EQ(convert.ratio, 0);
  EXPECT_NE(toJson(comparison).find("\"differences\""), std::string::npos);
  EXPECT_NE(toHtml(comparison).find("\"reports\""), std::string::npos);
}

} // namespace
