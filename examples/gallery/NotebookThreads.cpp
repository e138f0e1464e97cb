// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The notebook's kernels of threads: what it launches, and sizes that its blocks do not divide.
#include "Bounds.h"
#include "Gallery.h"

#include <numeric>

namespace nereid::gallery {
namespace {

/// How a kernel is launched at a size.
struct GridAndBlock {
  Grid grid;
  Block block;
};
using LaunchFor = std::function<GridAndBlock(int64_t size)>;

Input range(Trial &trial, DType type, const std::vector<int64_t> &shape) {
  Values values(
      size_t(std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>())));
  std::iota(values.begin(), values.end(), 0.0f);
  return trial.given(type, shape, values);
}

Doubles plus(const Values &values, double summand) {
  Doubles result(values.begin(), values.end());
  for (double &value : result)
    value += summand;
  return result;
}

void mapInBlock(Trial &trial, const Extents &size) {
  Input a = range(trial, DType::Float32, size);
  Array out = trial.output(DType::Float32, size);
  trial.launch({1}, {{"out", out}, {"a", a.array}}, {.block = {size[0]}});
  trial.expect(out, plus(a.values, 10));
  trial.setBytes(2 * 4 * size[0]);
}

/// The notebook's types: integers are added, and kept as float64.
void zipInBlock(Trial &trial, int64_t n, Tuning tuning, const Arguments &more) {
  Input a = range(trial, DType::Int64, {n}), b = range(trial, DType::Int64, {n});
  Array out = trial.output(DType::Float64, {n});
  Arguments arguments = {{"out", out}, {"a", a.array}, {"b", b.array}};
  arguments.insert(arguments.end(), more.begin(), more.end());
  trial.launch({1}, arguments, tuning);
  trial.expect(out, reference::add(a.values, b.values));
  trial.setBytes(3 * 8 * n);
}

void zipExactly(Trial &trial, const Extents &size) {
  zipInBlock(trial, size[0], {.block = {size[0]}}, {});
}

/// Twice as many threads as elements, which the notebook tries. Only the checked executor may: it
/// reports what others would overwrite.
void zipBeyond(Trial &trial, const Extents &size) {
  Tuning twice{.block = {2 * size[0]}};
  if (!trial.isChecked())
    return zipExactly(trial, size);
  trial.expectError(Error::Kind::Checked,
                    {"notebook_threads.py:", "out[i] = a[i] + b[i]",
                     "thread (" + std::to_string(size[0]) + ", 0, 0)"},
                    [&] { zipInBlock(trial, size[0], twice, {}); });
}

void zipGuarded(Trial &trial, const Extents &size) {
  zipInBlock(trial, size[0], {.block = {2 * size[0]}}, {{"size", size[0]}});
}

void mapMatrix(Trial &trial, const Extents &size) {
  int64_t n = size[0];
  Input a = range(trial, DType::Int64, {n, n});
  Array out = trial.output(DType::Int64, {n, n});
  trial.launch({1}, {{"out", out}, {"a", a.array}, {"size", n}}, {.block = {n, n}});
  trial.expect(out, plus(a.values, 10));
  trial.setBytes(2 * 8 * n * n);
}

/// Column plus row, by as many blocks and threads as the function says.
std::function<void(Trial &, const Extents &)> broadcast(LaunchFor launchFor) {
  return [=](Trial &trial, const Extents &size) {
    int64_t n = size[0];
    Input a = range(trial, DType::Int64, {n, 1}), b = range(trial, DType::Int64, {1, n});
    Array out = trial.output(DType::Int64, {n, n});
    GridAndBlock blocks = launchFor(n);
    trial.launch(blocks.grid, {{"out", out}, {"a", a.array}, {"b", b.array}, {"size", n}},
                 {.block = blocks.block});
    Doubles expected;
    for (float column : a.values)
      for (float row : b.values)
        expected.push_back(column + row);
    trial.expect(out, expected);
    trial.setBytes(8 * n * n);
  };
}

/// Each element and the two before it, by blocks of so many threads.
std::function<void(Trial &, const Extents &)> slidingSum(int64_t threads) {
  return [=](Trial &trial, const Extents &size) {
    int64_t n = size[0];
    Input a = range(trial, DType::Int64, {n});
    Array out = trial.output(DType::Float64, {n});
    trial.launch({cdiv(n, threads)}, {{"out", out}, {"a", a.array}, {"size", n}},
                 {.block = {threads}});
    Doubles expected;
    for (int64_t i = 0; i < n; ++i)
      expected.push_back(i < 2 ? double(i) : double(3 * i - 3));
    trial.expect(out, expected);
    trial.setBytes(2 * 8 * n);
  };
}

void dotOfBlocks(Trial &trial, const Extents &size) {
  int64_t n = size[0];
  Input a = trial.uniform({n}), b = trial.uniform({n}); // of one sign
  Array out = trial.zeroedOutput(DType::Float32, {1});
  trial.launch({cdiv(n, 256)}, {{"a", a.array}, {"b", b.array}, {"out", out}, {"size", n}},
               {.block = {256}});
  Doubles expected = {reference::dot(a.values, b.values)};
  trial.expect(out, expected, bound::sum(expected, n));
  trial.setBytes(2 * 4 * n);
}

} // namespace

Listings notebookThreadListings() {
  const std::string file = "notebook_threads.py", grid = "broadcast_grid_kernel";
  auto oneBlock = [](int64_t n) { return GridAndBlock{{1}, {2 * n, 3 * n}}; };
  auto oneThread = [](int64_t n) { return GridAndBlock{{n, n}, {1}}; };
  auto oneAxis = [](int64_t n) { return GridAndBlock{{n}, {n}}; };
  auto twoAxes = [](int64_t n) {
    int64_t edge = n < 16 ? 2 : 16;
    return GridAndBlock{{cdiv(n, edge), cdiv(n, edge)}, {edge, edge}};
  };
  return {
      {"T1", file, "map_kernel", mapInBlock, {{4}, {33}, {1024}}, {}, ""},
      {"T2", file, "zip_kernel", zipExactly, {{4}, {33}}, {}, ""},
      {"T2", file, "zip_kernel", zipBeyond, {{4}}, {}, "too many threads"},
      {"T3", file, "zip_guard_kernel", zipGuarded, {{4}, {33}, {512}}, {}, ""},
      {"T4", file, "map_2d_kernel", mapMatrix, {{4}, {7}, {32}}, {}, ""},
      {"T5", file, "broadcast_kernel", broadcast(oneBlock), {{4}, {7}, {13}}, {}, ""},
      {"T6", "notebook_grid_1.py", grid, broadcast(oneThread), {{4}, {7}}, {{256}}, "by blocks"},
      {"T7", "notebook_grid_2.py", grid, broadcast(oneAxis), {{4}, {7}}, {{1000}}, "one axis"},
      {"T8", "notebook_grid_3.py", grid, broadcast(twoAxes), {{4}, {7}}, {{1000}}, "two axes"},
      {"T9", file, "pool_kernel", slidingSum(4), {{8}, {9}, {1}}, {}, ""},
      {"T9", file, "pool_kernel", slidingSum(256), {{700}}, {{1 << 20}}, "blocks of 256"},
      {"T10", file, "pool_kernel_shared", slidingSum(4), {{8}, {9}, {1}}, {{1 << 18}}, ""},
      {"T11", file, "dot_kernel_numba", dotOfBlocks, {{800}, {1}}, {{1 << 20}}, ""},
  };
}

} // namespace nereid::gallery
