// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes random kernels from the top down: a statement asks for expressions of a type, and those for
// operands, down to names, literals and loads, which come as statements of their own before it.
#pragma once

#include "Kernel.h"
#include "Random.h"

namespace nereid::generate {

struct Expression {
  std::string text;
  ValueType type;
  Accuracy accuracy = {};
};

struct Variable {
  std::string name;
  ValueType type;
  Accuracy accuracy;
  bool isAssignable = true;
};

/// Whether an expression may be anything, or must be on the grid to be summed.
enum class Demand { Any, Grid };

class Generator {
public:
  explicit Generator(uint64_t seed);
  /// The kernel of this seed; to be called once.
  Kernel generate();

private:
  using Maker = Expression (Generator::*)(const ValueType &, int depth, Demand);

  // Generator.cpp: the frame of a kernel, and what all share.
  void chooseShapes();
  void chooseGrid();
  void writeResults();
  Shape anyShape();
  ValueType anyType();
  std::string freshName(const char *prefix);
  void emit(Statement statement);
  /// Emits `name = value` and returns the variable.
  Variable &define(const char *prefix, const Expression &value, bool isAssignable = true);
  std::string scalarParameter(const std::string &annotation,
                              std::variant<bool, int64_t, double> value);
  const Variable *findVariable(const ValueType &type, Demand demand);

  // Expressions.cpp and Operators.cpp: elementwise.
  Expression expression(const ValueType &type, int depth, Demand demand = Demand::Any);
  Expression leaf(const ValueType &type, Demand demand);
  Expression literalTile(const ValueType &type, Demand demand = Demand::Any);
  Expression castOfVariable(const ValueType &type);
  Expression literal(DType type, Demand demand = Demand::Any);
  std::pair<Expression, Expression> operands(const ValueType &type, int depth, Demand demand,
                                             Promotion promotion, bool mayBeLiteral);
  Expression arithmetic(const ValueType &type, int depth, Demand demand);
  Expression division(const ValueType &type, int depth, Demand demand);
  Expression bits(const ValueType &type, int depth, Demand demand);
  Expression comparison(const ValueType &type, int depth, Demand demand);
  Expression logic(const ValueType &type, int depth, Demand demand);
  Expression choice(const ValueType &type, int depth, Demand demand);
  Expression conditional(const ValueType &type, int depth, Demand demand);
  Expression comparisonWithLiteral(const ValueType &type, int depth);
  Expression extremum(const ValueType &type, int depth, Demand demand);
  Expression extremumOfInteger(const ValueType &type, int depth);
  void defineExtremum();
  Expression unary(const ValueType &type, int depth, Demand demand);
  Expression rounding(const ValueType &type, int depth, Demand demand);
  Expression multiplyAdd(const ValueType &type, int depth, Demand demand);
  Expression upperHalf(const ValueType &type, int depth, Demand demand);
  Expression clamped(const ValueType &type, int depth, Demand demand);
  Expression cast(const ValueType &type, int depth, Demand demand);
  Expression bitcast(const ValueType &type, int depth, Demand demand);

  // Shapes.cpp
  Shape smaller(const Shape &shape);
  Expression broadcast(const ValueType &type, int depth, Demand demand);
  Expression expand(const ValueType &type, int depth, Demand demand);
  Expression reshape(const ValueType &type, int depth, Demand demand);
  Expression permute(const ValueType &type, int depth, Demand demand);
  static bool isJoinable(const Shape &shape);
  Expression joined(const ValueType &type, int depth, Demand demand);
  Expression half(const ValueType &type, int depth, Demand demand);

  // Elements.cpp
  std::string anyTileOf(DType dtype, bool isAssignable);
  std::string indexText(int64_t size);
  Expression element(const ValueType &type, int depth, Demand demand);
  void assignElement();

  // Reductions.cpp
  ValueType sourceOf(const Shape &shape, DType dtype, size_t axis, int64_t length) const;
  Expression reduction(const ValueType &type, int depth, Demand demand);
  Expression sum(const ValueType &type, int depth);
  Expression largest(const ValueType &type, int depth);
  Expression position(const ValueType &type, int depth);
  Expression customReduction(const ValueType &type, int depth);
  /// The text of a reduction of `source` that leaves `shape`, by a random spelling.
  std::string reduced(const std::string &function, const std::string &source, size_t axis,
                      const Shape &shape, const std::string &extra);
  void pairReduction();
  Expression counts(const ValueType &type, int depth, Demand demand);
  void dot();

  // ScaledDot.cpp
  struct ScaledOperand {
    std::string text, format;
    Accuracy accuracy; // of the scaled numbers
    std::string scale = {};
  };
  ScaledOperand scaledOperand(int64_t rows, int64_t columns, bool isLeft);
  void scaledDot();

  // Scans.cpp
  std::string anyAxis(const Shape &shape, int64_t &length);
  Expression scan(const ValueType &type, int depth, Demand demand);
  Expression reordered(const ValueType &type, int depth, Demand demand);
  Expression order(const ValueType &type, int depth);
  Expression merged(const ValueType &type, int depth, Demand demand);
  void pairScan();

  // Philox.cpp
  static bool hasRandomNumbers(const ValueType &type);
  Expression randomNumbers(const ValueType &type, int depth, Demand demand);

  // MapElementwise.cpp
  static bool isMappable(const ValueType &type);
  Expression mappedLanes(const ValueType &type, int depth, Demand demand);

  // Functions.cpp
  Expression helperCall(const ValueType &type, int depth, Demand demand);
  std::string makeHelper(const ValueType &type, const std::vector<ValueType> &parameters);
  /// Puts a function or class before the kernel, once; gives its name.
  std::string declare(const std::string &name, const std::string &text);
  void approximateFunction();
  Expression approximate(const Expression &argument, int64_t &summands);

  // LongSums.cpp
  Expression longTile(const ValueType &type);
  void longSum();
  void longProduct();

  // Assembly.cpp
  static bool hasInstruction(const ValueType &type);
  Expression assembly(const ValueType &type, int depth, Demand demand);

  // Records.cpp
  void record();

  // Descriptors.cpp
  ArrayParameter &addDescriptor(const ValueType &type, int64_t blocks, Fill fill);
  Expression loadHostBlock(const ValueType &type, Demand demand);
  void storeHostBlock();
  void gatherRows();

  // Tuples.cpp
  void tupleOfLiterals();
  void tupleOfTiles();

  // Memory.cpp, Stores.cpp and NarrowStores.cpp
  /// An array in which every program has a part of its own, `span` elements from `pid * span`.
  struct OwnArray {
    std::string name, alias; // the alias may be empty
    DType dtype;
    int64_t size, span;
    std::string sizeText;
    bool isWhole; // every program's part lies inside the array
  };
  std::string localIndex(const Shape &shape);
  ArrayParameter &addArray(const char *prefix, DType dtype, int64_t size, Fill fill);
  std::string sizeText(int64_t size);
  const ArrayParameter &sharedArray(DType dtype, Demand demand);
  OwnArray &addOwnArray(DType dtype, int64_t wanted);
  OwnArray &ownArray(DType dtype, int64_t wanted);
  std::string nameOf(const OwnArray &array);
  std::string ownOffsets(const OwnArray &array, const std::string &index);
  std::string ownMask(const OwnArray &array, const std::string &index, const Shape &shape);
  std::string randomMask(const std::string &needed, const Shape &shape);
  Expression load(const ValueType &type, Demand demand);
  Expression maskedLoad(const std::string &pointer, const std::string &mask, const ValueType &type,
                        Accuracy accuracy, Demand demand);
  Expression loadShared(const ValueType &type, Demand demand);
  std::string loadSpecial(const ValueType &type);
  Expression loadOwn(const OwnArray &array, const ValueType &type);
  Expression loadBlock(const ValueType &type, Demand demand);
  struct Window {
    std::string text, boundaryCheck;
    /// The same as a tensor descriptor, whose call is not closed, if it can be one.
    std::string descriptor, offsets;
    bool isInside; // the whole block
  };
  Window window(const std::string &base, int64_t size, const Shape &shape);
  void store();
  void storeOf(const Expression &value);
  void storeBlock();
  void narrowStore();
  std::string memoryOrder();
  void atomic();
  void compareAndSwap();
  void countAtomically();

  // Handover.cpp
  /// What one program has for all, and the operator that puts two of them together.
  struct Share {
    std::string value;
    ValueType type;
    std::string op, index;
    std::string combined(const std::string &lhs, const std::string &rhs) const;
    std::string place(const std::string &array, const std::string &program) const;
  };
  bool mayHandOver() const;
  void handOver();
  void emitWhole(std::vector<Statement> lines);
  std::string counters(int64_t count);
  std::string acquired(const std::string &counter);
  Statement waitUntil(const std::string &counter, const std::string &holds);
  Statement released(const std::string &counter, int change);
  Share share(const std::vector<std::string> &operators);
  std::string arrayFor(const Share &share, int64_t parts, Fill fill);
  void updateUnderLock();
  void takeTurns();
  void scanInAChain();
  void finishAsTheLast();
  void lookBack();

  // ControlFlow.cpp
  void statement();
  void defineSomething();
  void reassign();
  void swap();
  void branch();
  void forLoop();
  void elseAfter(Statement &loop);
  void whileLoop();
  void walk();
  void earlyReturn();
  void leaveTurn();
  /// "range(...)" of at most `most` turns.
  std::string rangeText(int most);
  std::vector<Statement> blockOf(int count);
  void chooseCarried();
  void leaveBody(const std::vector<Variable> &before);
  Expression condition();

  // Carried.cpp
  void carriedTiles();

  // DotChain.cpp
  friend class DotChain;
  void dotChain();

  // FedProducts.cpp
  friend class FedProducts;
  void fedProducts();

  Random random;
  Kernel kernel;
  std::vector<Statement> *block;
  std::vector<Variable> scope;
  std::vector<OwnArray> ownArrays;
  Shape baseShape, otherShape;
  int64_t programs = 1;
  /// There are so many programs that several threads meet.
  bool isCrowd = false;
  bool mayHaveEnded = false; // a program may have returned already
  int names = 0, nesting = 0, loops = 0, budget = 0, helperDepth = 0, loadDepth = 0;
};

/// The most elements of a tile.
constexpr int64_t mostElements = 4096;

} // namespace nereid::generate
