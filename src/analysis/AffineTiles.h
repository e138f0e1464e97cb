// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers and addresses as polynomials: what a box of an array is found by.
#pragma once

#include "analysis/Polynomial.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace nereid::analysis {

/// The element at (i, j, ...) is base + start + i * strides[0] + j * strides[1] + ..., of pointers
/// counted in elements. A scalar has no strides.
struct AffineTile {
  mlir::Value base; // a scalar pointer; null for integers
  Polynomial start;
  llvm::SmallVector<Polynomial, 2> strides;
};

/// Arithmetic is taken to be exact: offsets that wrap are a mistake of the program, which the
/// checked mode reports (docs/decisions/0007).
class AffineTiles {
public:
  /// Whether remainders are taken for runs, which they are where `conditionsOf` holds: for who
  /// makes sure of that, and else not.
  enum class Remainders { AreRuns, AreUnknown };
  explicit AffineTiles(Remainders remainders = Remainders::AreRuns) : remainders(remainders) {}

  /// Nothing if the value is no such sum.
  std::optional<AffineTile> of(mlir::Value value);

  /// What a symbol stands for: an integer scalar of the kernel; or, where `value` is null, the
  /// remainder of `dividend` by `modulus`, a parameter, of which `length` must be a divisor.
  struct Unknown {
    mlir::Value value;
    Polynomial dividend;
    mlir::Value modulus;
    int64_t length;
  };
  const Unknown &operator[](Symbol symbol) const { return unknowns[symbol]; }
  Symbol symbolOf(mlir::Value scalar);

  /// That `value`, a parameter of the kernel, is positive and a multiple of `divisor`.
  struct Condition {
    mlir::Value value;
    int64_t divisor;
    bool operator==(const Condition &) const = default;
  };
  /// What the polynomial's symbols rest on.
  llvm::SmallVector<Condition, 2> conditionsOf(const Polynomial &polynomial) const;

  /// The polynomial as operations on scalars, an integer of `type`.
  mlir::Value materialize(const Polynomial &polynomial, mlir::OpBuilder &builder,
                          mlir::Location loc, mlir::Type type) const;

private:
  using Form = std::optional<AffineTile>;
  Form compute(mlir::Value value);
  Form ofOperation(mlir::Operation *op);
  Form ofMovement(mlir::Operation *op);
  Form ofSum(mlir::Value lhs, mlir::Value rhs, bool isDifference = false);
  Form ofProduct(mlir::Value lhs, mlir::Value rhs);
  Form ofRemainder(mlir::Operation *op);
  Form ofCarried(mlir::BlockArgument argument, mlir::scf::ForOp loop);
  std::optional<Polynomial> stepFrom(mlir::BlockArgument argument, mlir::Value next);
  std::optional<Polynomial> inRoundsBefore(const Polynomial &step, mlir::scf::ForOp loop);
  bool isKnownBefore(const Polynomial &polynomial, mlir::scf::ForOp loop) const;
  Form unknown(mlir::Value value);
  mlir::Value materialize(Symbol symbol, mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Type type) const;

  Remainders remainders;
  llvm::SmallVector<Unknown> unknowns;
  llvm::DenseMap<mlir::Value, Symbol> symbols;
  llvm::DenseMap<mlir::Value, Form> known;
};

} // namespace nereid::analysis
