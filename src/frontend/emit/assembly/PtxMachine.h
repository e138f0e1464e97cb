// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of PTX as operations of the tile dialect, so that every executor runs them. What PTX
// calls approximate is computed as accurately as the language's own functions.
#pragma once

#include "frontend/emit/Emitter.h"
#include "frontend/emit/assembly/PtxText.h"

namespace nereid::emit::ptx {

/// The type at the end of an instruction: ".f32", ".bf16x2".
struct OperandType {
  DType dtype;
  bool isPair = false; // two in one register, the first in its lower half
  bool isBits = false; // .b32: neither signed nor a number

  unsigned width() const { return static_cast<unsigned>(bitWidth(dtype)) * (isPair ? 2 : 1); }
};

/// Whether all that it does is to order the accesses of a program's threads: a fence, a barrier.
bool isWait(const Instruction &instruction);

/// Registers as unsigned integers of their width, predicates as int1; each of `shape`.
class Machine {
public:
  Machine(Emitter &emitter, SourceRange range, sema::Shape shape)
      : emitter(emitter), range(range), shape(std::move(shape)) {}

  /// `$index`
  void set(unsigned index, Tensor bits) { placeholders[index] = std::move(bits); }
  std::optional<Tensor> get(unsigned index) const;
  Tensor zero(unsigned width) { return constantBits(0, width); }
  /// Refuses what is not known here.
  void run(const Instruction &instruction);

private:
  using Words = std::vector<std::string_view>;
  [[noreturn]] void refuse() const;
  void allow(const Words &modifiers) const;
  bool has(std::string_view word) const { return llvm::is_contained(current->words, word); }
  OperandType typeOf(std::string_view word) const;

  Tensor constantBits(uint64_t bits, unsigned width);
  Tensor readBits(const Operand &operand, unsigned width);
  Tensor readPredicate(const Operand &operand);
  Tensor read(size_t index, OperandType type);
  Tensor resize(const Tensor &bits, unsigned width);
  Tensor lowerHalf(const Tensor &bits);
  Tensor upperHalf(const Tensor &bits);
  Tensor joined(const Tensor &lower, const Tensor &upper);
  Tensor toBits(const Tensor &value);
  Tensor asType(const Tensor &bits, DType type);
  void write(Tensor bits);
  void assign(const Operand &target, const Tensor &bits);
  Tensor *slotOf(const Operand &target);

  Tensor number(double value, const Tensor &like);
  Tensor inFloat32(const Tensor &x, llvm::function_ref<Tensor(const Tensor &)> compute);
  Tensor device(std::string_view function, std::vector<Tensor> operands);
  Tensor floatFunction(std::string_view name, const Tensor &x);
  Tensor arithmetic(llvm::ArrayRef<Tensor> x, OperandType type);
  Tensor integerArithmetic(llvm::ArrayRef<Tensor> x);
  Tensor saturated(ast::BinaryOp op, const Tensor &x, const Tensor &y);
  DType doubled(DType type) const;
  Tensor product(const Tensor &x, const Tensor &y);
  Tensor wide(size_t index, DType type);
  Tensor amount(size_t index, uint64_t most);
  Tensor right(const Tensor &value, const Tensor &by);
  Tensor byte(size_t index, unsigned number);
  Tensor leastOrGreatest(const Tensor &x, const Tensor &y);
  Tensor converted(Tensor value, OperandType from, OperandType to);
  Tensor rounded(const Tensor &x);

  void runMove();
  void runArithmetic();
  void runBits();
  void runConvert();
  void runCompare();
  void runSelect();
  void runLookup();
  void runPermute();
  // PtxFields.cpp
  void runExtract();
  void runInsert();
  void runFunnel();
  void runBytes();
  void runTensorFloat();
  void runFourBits();
  Tensor toFourBits(size_t index);
  Tensor fromFourBits(const Tensor &bits, unsigned shift);

  Emitter &emitter;
  SourceRange range;
  sema::Shape shape;
  const Instruction *current = nullptr;
  std::map<unsigned, Tensor> placeholders;
  std::map<std::string, Tensor> registers;
};

} // namespace nereid::emit::ptx
