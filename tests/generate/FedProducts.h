// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Generator.h"

namespace nereid::generate {

/// Writes loops that load what they multiply, the way matmuls and attention do: tiles that step
/// through arrays by offsets, carried pointers, block pointers or descriptors, under masks or not;
/// products that feed others of the round; loops one after the other and within each other. Every
/// factor is one of -2, -1, 0, 1, 2, so that sums are exact in any order.
class FedProducts {
public:
  explicit FedProducts(Generator &generator);
  void write();

private:
  /// A loop over `length` rows or columns, `block` of them in a round.
  struct Loop {
    int64_t block = 0, length = 0;
    bool isRagged = false;                    // the last round is not whole
    std::string first, lengthText, at, lanes; // `at` and `lanes` stand in the body
    std::vector<Statement> before, body, atEnd;
    void add(const std::string &line) { body.push_back({line, {}, {}}); }
  };
  enum class Way { Rows, Columns }; // of an array, along which a loop steps

  void chooseTypes();
  void chooseSizes();
  Loop newLoop();
  std::vector<Statement> finished(Loop &loop);
  void fillRound(Loop &loop);
  std::string stream(Loop &loop, Way way);
  std::string weights(Loop &loop);
  std::string score(Loop &loop, std::string &source);
  std::string innerSum(Loop &loop);
  std::string rowOfRound(Loop &loop);
  void update(Loop &loop, const std::string &sum, const std::string &weight,
              const std::string &source);

  std::string narrow(const std::string &sum) const;
  std::string array(DType type, int64_t size);
  std::string number(int64_t value);
  std::string extent(const Loop &loop) const;
  std::string zeros(int64_t rows, int64_t columns) const;

  Generator &generator;
  Random &random;
  DType factorType = DType::Float16, sumType = DType::Float32;
  int64_t rows = 0, columns = 0, longest = 0;
  std::string rowLanes, columnLanes, fixed;
  std::vector<std::string> sums;
};

} // namespace nereid::generate
