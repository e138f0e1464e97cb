// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/BitWeights.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <bit>

using namespace mlir;

namespace nereid::analysis {
namespace {

constexpr unsigned mostFollowed = 1024;    // that are looked at
constexpr int64_t most = int64_t(1) << 56; // weights and constants beyond are not followed
using Weights = llvm::SmallVector<int64_t>;

struct Form {
  Weights weights;
  std::optional<int64_t> start; // nothing: a number that only the launch knows

  bool isUniform() const {
    return llvm::all_of(weights, [](int64_t w) { return w == 0; });
  }
};

using MaybeForm = std::optional<Form>;

/// Whether all these numbers are known, none is negative and no bit is in two: then their sum is
/// their union, and each bit of it comes from one of them.
bool shareNoBits(const Form &a, const Form *b = nullptr) {
  uint64_t seen = 0;
  auto takes = [&](int64_t number) {
    const bool isFresh = number >= 0 && number < farWeight && (seen & uint64_t(number)) == 0;
    seen |= uint64_t(number);
    return isFresh;
  };
  auto takesAll = [&](const Form &form) {
    return form.start && takes(*form.start) && llvm::all_of(form.weights, takes);
  };
  return takesAll(a) && (!b || takesAll(*b));
}

/// The operation on each of the numbers that a form consists of.
MaybeForm each(Form form, llvm::function_ref<int64_t(int64_t)> change) {
  for (int64_t &weight : form.weights)
    weight = change(weight);
  if (form.start)
    form.start = change(*form.start);
  const bool isSmall =
      llvm::all_of(form.weights, [](int64_t w) { return -most < w && w < most; }) &&
      (!form.start || (-most < *form.start && *form.start < most));
  return isSmall ? MaybeForm(std::move(form)) : std::nullopt;
}

MaybeForm sum(const Form &a, const Form &b, int64_t sign = 1) {
  Form result = a;
  for (auto [weight, other] : llvm::zip_equal(result.weights, b.weights))
    weight += sign * other;
  result.start = a.start && b.start ? std::optional(*a.start + sign * *b.start) : std::nullopt;
  return each(std::move(result), [](int64_t number) { return number; });
}

MaybeForm times(const Form &form, int64_t factor) {
  return each(form,
              [=](int64_t number) { return llvm::checkedMul(number, factor).value_or(most); });
}

MaybeForm product(const Form &a, const Form &b) {
  if (b.isUniform() && b.start)
    return times(a, *b.start);
  if (!b.isUniform())
    return std::nullopt;
  return times({a.weights, std::nullopt}, farWeight);
}

unsigned bitsOf(int64_t size) { return unsigned(std::countr_zero(uint64_t(size))); }

/// For each bit of a place in a row-major tile of this shape, the dimension that it is of and which
/// bit of its index it is.
llvm::SmallVector<std::pair<int, unsigned>> bitsOfPlaces(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<std::pair<int, unsigned>> bits;
  for (int dimension = int(shape.size()); dimension-- > 0;)
    for (unsigned bit = 0; bit < bitsOf(shape[dimension]); ++bit)
      bits.emplace_back(dimension, bit);
  return bits;
}

class WeighedBits {
public:
  MaybeForm of(Value value) {
    if (auto found = known.find(value); found != known.end())
      return found->second;
    if (++operations > mostFollowed)
      return std::nullopt;
    MaybeForm form = compute(value);
    known[value] = form;
    return form;
  }

private:
  MaybeForm compute(Value value) {
    llvm::ArrayRef<int64_t> shape = tile::shapeOf(value.getType());
    if (!llvm::all_of(shape, [](int64_t size) { return std::has_single_bit(uint64_t(size)); }))
      return std::nullopt;
    const Form uniform{Weights(bitsOfPlaces(shape).size(), 0), std::nullopt};
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)) && constant.getSignificantBits() < 40)
      return Form{uniform.weights, constant.getSExtValue()};
    Operation *op = value.getDefiningOp();
    if (!tile::isTile(value.getType()))
      return uniform;
    return op ? ofOperation(op, uniform) : std::nullopt;
  }

  MaybeForm ofOperation(Operation *op, const Form &uniform) {
    if (auto range = llvm::dyn_cast<tile::RangeOp>(op)) {
      Form form{uniform.weights, range.getStart()};
      for (auto [bit, weight] : llvm::enumerate(form.weights))
        weight = int64_t(1) << bit;
      return form;
    }
    if (llvm::isa<tile::ReshapeOp>(op)) // the same row-major places
      return of(op->getOperand(0));
    if (tile::movesLanes(op))
      return ofMovement(op);
    if (!tile::isElementwise(op) || op->getNumResults() != 1 || op->getNumRegions() > 0)
      return std::nullopt;
    llvm::SmallVector<Form, 3> operands;
    for (Value operand : op->getOperands()) {
      MaybeForm form = of(operand);
      if (!form)
        return std::nullopt;
      if (form->weights.size() != uniform.weights.size()) // a scalar
        form->weights = uniform.weights;
      operands.push_back(std::move(*form));
    }
    if (MaybeForm form = ofArithmetic(op, operands))
      return form;
    return llvm::all_of(operands, [](const Form &form) { return form.isUniform(); })
               ? MaybeForm(uniform)
               : std::nullopt;
  }

  static MaybeForm ofArithmetic(Operation *op, llvm::ArrayRef<Form> of) {
    return llvm::TypeSwitch<Operation *, MaybeForm>(op)
        .Case<tile::OffsetOp, arith::AddIOp>([&](auto) { return sum(of[0], of[1]); })
        .Case([&](arith::SubIOp) { return sum(of[0], of[1], -1); })
        .Case([&](arith::MulIOp) {
          MaybeForm form = product(of[0], of[1]);
          return form ? form : product(of[1], of[0]);
        })
        .Case<arith::OrIOp, arith::XOrIOp>(
            [&](auto) { return shareNoBits(of[0], &of[1]) ? sum(of[0], of[1]) : std::nullopt; })
        .Case<arith::ExtSIOp, arith::ExtUIOp>([&](auto) { return of[0]; })
        .Default(
            [&](Operation *) { return of.size() == 2 ? ofBits(op, of[0], of[1]) : std::nullopt; });
  }

  /// Operations by a known number that keep some bits of the first operand, or move them.
  static MaybeForm ofBits(Operation *op, const Form &of, const Form &by) {
    if (!by.isUniform() || !by.start || *by.start < 0)
      return std::nullopt;
    const int64_t number = *by.start;
    const bool isPower = std::has_single_bit(uint64_t(number));
    if (llvm::isa<arith::ShLIOp>(op))
      return number < 32 ? times(of, int64_t(1) << number) : std::nullopt;
    if (!shareNoBits(of))
      return std::nullopt;
    if (llvm::isa<arith::AndIOp>(op))
      return each(of, [=](int64_t bits) { return bits & number; });
    if (llvm::isa<arith::ShRSIOp, arith::ShRUIOp>(op))
      return number < 64 ? each(of, [=](int64_t bits) { return bits >> number; }) : std::nullopt;
    if (llvm::isa<arith::DivSIOp, arith::DivUIOp>(op) && isPower)
      return each(of, [=](int64_t bits) { return bits / number; });
    if (llvm::isa<arith::RemSIOp, arith::RemUIOp>(op) && isPower)
      return each(of, [=](int64_t bits) { return bits % number; });
    return std::nullopt;
  }

  MaybeForm ofMovement(Operation *op) {
    OpOperand &source = op->getOpOperand(0);
    MaybeForm form = of(source.get());
    if (!form || !tile::isLanewise(op))
      return std::nullopt;
    auto from = bitsOfPlaces(tile::shapeOf(source.get().getType()));
    const tile::LaneMap map = tile::laneMapOf(source);
    Form result{{}, form->start};
    for (auto [dimension, bit] : bitsOfPlaces(tile::shapeOf(op->getResult(0).getType()))) {
      int64_t weight = 0;
      for (auto [at, weighed] : llvm::zip_equal(from, form->weights))
        if (map[at.first] == dimension && at.second == bit)
          weight = weighed;
      result.weights.push_back(weight);
    }
    return result;
  }

  llvm::DenseMap<Value, MaybeForm> known;
  unsigned operations = 0;
};

} // namespace

std::optional<llvm::SmallVector<int64_t>> bitWeights(Value tile) {
  MaybeForm form = WeighedBits().of(tile);
  return form ? std::optional(std::move(form->weights)) : std::nullopt;
}

} // namespace nereid::analysis
