// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/ShareDifferences.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

#include <map>
#include <vector>

namespace nereid::backend::nvptx {
namespace {

/// Terms by their numbers, each with how often it is added (below zero: taken away).
using Terms = std::vector<std::pair<unsigned, int>>;

/// A number as a sum.
struct Sum {
  Terms terms;
  llvm::APInt constant;
};

struct Difference {
  llvm::Instruction *instruction;
  llvm::APInt constant;
};

class Sharing {
public:
  void add(llvm::Instruction &difference) {
    if (std::optional<Sum> sum = sumOf(difference))
      groups[{numberOf(difference.getParent()), sum->terms}].push_back(
          {&difference, sum->constant});
  }

  void run() {
    for (auto &[place, members] : groups) {
      llvm::DenseSet<llvm::APInt> constants;
      for (const Difference &each : members)
        constants.insert(each.constant);
      if (constants.size() + place.second.size() < members.size())
        for (const Difference &each : members)
          replace(each, place.second);
    }
  }

private:
  static constexpr unsigned mostTerms = 8;

  std::optional<Sum> sumOf(llvm::Instruction &difference) {
    std::map<unsigned, int> counts;
    llvm::APInt constant(difference.getType()->getIntegerBitWidth(), 0);
    llvm::SmallVector<std::pair<llvm::Value *, int>> open = {{&difference, 1}};
    for (unsigned seen = 0; !open.empty(); ++seen) {
      auto [value, sign] = open.pop_back_val();
      auto *op = llvm::dyn_cast<llvm::BinaryOperator>(value);
      if (auto *number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
        constant += sign > 0 ? number->getValue() : -number->getValue();
      } else if (op && seen < 2 * mostTerms && op->getOpcode() == llvm::Instruction::Add) {
        open.append({{op->getOperand(1), sign}, {op->getOperand(0), sign}});
      } else if (op && seen < 2 * mostTerms && op->getOpcode() == llvm::Instruction::Sub) {
        open.append({{op->getOperand(1), -sign}, {op->getOperand(0), sign}});
      } else {
        counts[numberOf(value)] += sign;
      }
    }
    Terms terms;
    for (auto [term, count] : counts)
      if (count)
        terms.emplace_back(term, count);
    const bool isPlain =
        llvm::all_of(terms, [](const auto &term) { return term.second == 1 || term.second == -1; });
    if (!isPlain || terms.empty() || terms.size() > mostTerms)
      return std::nullopt;
    return Sum{std::move(terms), std::move(constant)};
  }

  unsigned numberOf(llvm::Value *term) {
    auto [entry, isNew] = numbers.try_emplace(term, values.size());
    if (isNew)
      values.push_back(term);
    return entry->second;
  }

  /// Where it stands; what others compute alike is found to be the same later.
  void replace(const Difference &difference, const Terms &terms) {
    llvm::IRBuilder<> b(difference.instruction);
    llvm::Value *sum = nullptr;
    for (int sign : {1, -1})
      for (auto [term, count] : terms) {
        if (count != sign)
          continue;
        if (!sum)
          sum = sign > 0 ? values[term] : b.CreateNeg(values[term]);
        else
          sum = sign > 0 ? b.CreateAdd(sum, values[term]) : b.CreateSub(sum, values[term]);
      }
    difference.instruction->replaceAllUsesWith(b.CreateAdd(sum, b.getInt(difference.constant)));
  }

  llvm::DenseMap<llvm::Value *, unsigned> numbers;
  std::vector<llvm::Value *> values;
  std::map<std::pair<unsigned, Terms>, std::vector<Difference>> groups; // of a block
};

} // namespace

void shareDifferences(llvm::Function &function) {
  Sharing sharing;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (instruction.getOpcode() == llvm::Instruction::Sub && instruction.getType()->isIntegerTy())
      sharing.add(instruction);
  sharing.run();
}

} // namespace nereid::backend::nvptx
