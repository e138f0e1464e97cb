// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Generator.h"

#include <functional>
#include <map>

namespace nereid::generate {

/// Writes products of tiles that feed themselves and each other, in chains, loops and branches:
/// sums that stand beside their own factors, share accumulators and outlive each other. All sums
/// have one shape and one type. Where they are floats, what the lines do to their bounds is
/// followed through every round, and only what stays on the grid is written. No line makes a
/// negative zero: whether a sum of nothing else is one depends on where summing starts.
class DotChain {
public:
  explicit DotChain(Generator &generator);
  void write();

private:
  /// What is known of each name's elements.
  using Bounds = std::map<std::string, Accuracy>;
  /// Lines, and what they do to the bounds.
  struct Step {
    std::vector<Statement> lines;
    std::function<void(Bounds &)> effect;
  };
  /// The two factors of a product.
  struct Factors {
    std::string text;
    std::function<Accuracy(const Bounds &)> bound;
  };

  void chooseTypes();
  void chooseSizes();
  void makeTiles();
  /// A square tile of -1, 0 and 1 whose rows and columns have few numbers that are not 0.
  std::string sparseFactor(int64_t side, int64_t &weight);
  std::string tile(const char *prefix, const std::string &text, const Accuracy &accuracy);
  std::string loaded(const std::string &array, const std::string &index);

  Step step(int depth);
  Step productStep();
  Step elementwiseStep();
  Step memoryStep();
  Step branch(int depth);
  Step loop(int depth);
  Step sequence(int64_t count, int depth);
  Factors factors(const std::string &wanted);
  std::string product(const Factors &factors, const std::string &sum = {}) const;

  static void settle(Bounds &bounds, const std::string &name, const Accuracy &accuracy);
  Accuracy rounded(const Accuracy &accuracy, DType type) const;
  bool staysOnGrid(const Step &chain) const;
  std::string anySum() { return random.pick(sums); }

  Generator &generator;
  Random &random;
  DType factorType = DType::Float32, sumType = DType::Float32;
  int64_t rows = 0, columns = 0;
  int64_t leftWeight = 0, rightWeight = 0; // the most numbers in a line of these that are not 0
  std::string left, right, scale, source, storage, index, storageOffsets;
  std::vector<std::string> narrow, sums; // tiles of both types; the first are none if they agree
  Bounds initial;
};

} // namespace nereid::generate
