// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile.assembly: a call of LLVM's inline assembly for each `pack` lanes.
#include "backend/cpu/lanes/AssemblyGrammar.h"
#include "backend/cpu/lanes/AssemblyMistakes.h"
#include "backend/cpu/lanes/CpuLaneTarget.h"
#include "backend/llvm/InlineAssembly.h"

#include "dialect/tile/SourcePlace.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/Error.h"

using namespace mlir;

namespace nereid::backend::cpu {
namespace {

/// One operation, at one width.
class Assembly {
public:
  Assembly(LaneBuilder &lanes, tile::AssemblyOp op, const SourceFile *source)
      : lanes(lanes), b(lanes.builder()), op(op), source(source),
        pack(static_cast<unsigned>(op.getPack())) {
    readConstraints();
    readText();
    // What clang says of every assembly: few instructions leave the flags alone.
    constraints = op.getConstraints().str() + ",~{dirflag},~{fpsr},~{flags}";
  }

  llvm::SmallVector<llvm::Value *, 2> emit(llvm::ArrayRef<llvm::Value *> operands);

private:
  struct Register {
    bool isVector = false;
    llvm::Type *type = nullptr;
    std::optional<size_t> tied = {}; // to the register of this result
    unsigned lanes() const {
      auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
      return vector ? vector->getNumElements() : 1;
    }
  };
  [[noreturn]] void fail(const std::string &mistake) {
    tile::failAt(op->getLoc(), source, DiagnosticId::assembly_mistake, mistake);
  }
  void readConstraints();
  void readText();
  void giveType(Register &reg, Type element);
  llvm::Value *toRegister(llvm::Value *value, unsigned begin, const Register &reg);
  llvm::Value *laneOf(llvm::Value *given, llvm::Type *lane, unsigned i);
  llvm::SmallVector<llvm::Value *, 2> call(llvm::ArrayRef<llvm::Value *> arguments);

  LaneBuilder &lanes;
  Builder &b;
  tile::AssemblyOp op;
  const SourceFile *source;
  unsigned pack;
  std::string constraints;
  std::vector<Register> outputs, inputs;
};

/// "xmm7" and the like; the names of the first 32 are the same in all sizes.
bool isVectorName(llvm::StringRef name) {
  unsigned number = 0;
  bool isVector =
      name.consume_front("xmm") || name.consume_front("ymm") || name.consume_front("zmm");
  return isVector && !name.getAsInteger(10, number) && number < 32;
}

/// A register for numbers: neither the stack's pointers nor flags, nor the upper bytes, which
/// instructions with the newer registers cannot name.
bool isGeneralName(llvm::StringRef name) {
  static constexpr llvm::StringRef letters[] = {"al", "bl", "cl", "dl"};
  llvm::StringRef number = name;
  unsigned index = 0;
  if (number.consume_front("r") && number.size() >= 1 && llvm::isDigit(number.front())) {
    if (!number.consume_back("d") && !number.consume_back("w"))
      number.consume_back("b");
    return !number.getAsInteger(10, index) && index >= 8 && index <= 15;
  }
  if (llvm::is_contained(letters, name) || name == "sil" || name == "dil")
    return true;
  if (!name.consume_front("r"))
    name.consume_front("e");
  return name == "ax" || name == "bx" || name == "cx" || name == "dx" || name == "si" ||
         name == "di";
}

bool isVectorRegister(llvm::StringRef code) {
  return code == "x" || code == "v" ||
         (code.consume_front("{") && code.consume_back("}") && isVectorName(code));
}

bool isGeneralRegister(llvm::StringRef code) {
  if (code.size() == 1)
    return llvm::StringRef("rqQabcdSD").contains(code);
  return code.consume_front("{") && code.consume_back("}") && isGeneralName(code);
}

/// How a text may ask for a part of a register: ${0:b}
constexpr llvm::StringRef sizes = "bhwkqxt";

void Assembly::readConstraints() {
  // LLVM reads on behind the text's end where a code of several letters is announced and is none.
  bool isReadable = !op.getConstraints().contains('@') && !op.getConstraints().contains('^');
  auto parsed = isReadable ? llvm::InlineAsm::ParseConstraints(op.getConstraints())
                           : llvm::InlineAsm::ConstraintInfoVector();
  if (parsed.empty())
    fail("its constraints cannot be read: '" + op.getConstraints().str() + "'");
  for (const auto &constraint : parsed) {
    if (constraint.Type == llvm::InlineAsm::isClobber)
      continue;
    bool isOutput = constraint.Type == llvm::InlineAsm::isOutput;
    std::vector<Register> &registers = isOutput ? outputs : inputs;
    llvm::StringRef code = constraint.Codes.empty() ? "" : llvm::StringRef(constraint.Codes[0]);
    size_t tied = 0;
    if (constraint.isIndirect)
      fail("operands are registers, and '*' asks for memory");
    bool isNumber = !code.getAsInteger(10, tied), isVector = isVectorRegister(code);
    bool isKnown =
        isNumber ? !isOutput && tied < outputs.size() : isVector || isGeneralRegister(code);
    // What else LLVM knows asks for memory, constants and flags, or ends the process here.
    if (!isKnown || constraint.Codes.size() != 1 || constraint.isMultipleAlternative ||
        constraint.isCommutative)
      fail("the constraint '" + llvm::join(constraint.Codes, "") +
           "' is none of r, q, Q, a, b, c, d, S, D, x, v, a register as {ax}, and the number of a "
           "result");
    registers.push_back({isNumber ? outputs[tied].isVector : isVector});
    registers.back().tied = isNumber ? std::optional(tied) : std::nullopt;
  }
  if (outputs.size() != op.getNumResults() || inputs.size() != op.getNumOperands())
    fail("its constraints name " + std::to_string(outputs.size()) + " results and " +
         std::to_string(inputs.size()) + " operands, and there are " +
         std::to_string(op.getNumResults()) + " and " + std::to_string(op.getNumOperands()));
  for (size_t i = 0; i < outputs.size(); ++i)
    giveType(outputs[i], tile::elementOf(op.getOutputs()[i].getType()));
  for (size_t i = 0; i < inputs.size(); ++i)
    giveType(inputs[i], tile::elementOf(op.getOperands()[i].getType()));
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].tied && inputs[i].type != outputs[*inputs[i].tied].type)
      fail("operand " + std::to_string(i) + " has the register of result " +
           std::to_string(*inputs[i].tied) + ", and other elements");
}

/// Every `$`, in comments, too, which ends LLVM's process where it means nothing; then the rest.
void Assembly::readText() {
  size_t count = outputs.size() + inputs.size();
  for (llvm::StringRef rest = op.getText(); !rest.empty();) {
    rest = rest.drop_until([](char c) { return c == '$'; });
    llvm::StringRef mark = rest.take_front(8);
    if (rest.empty() || rest.consume_front("$$"))
      continue;
    rest = rest.drop_front();
    bool isBraced = rest.consume_front("{");
    size_t index = 0;
    bool isKnown = !rest.consumeInteger(10, index) && index < count;
    if (isKnown && isBraced && rest.consume_front(":")) {
      isKnown = !rest.empty() && sizes.contains(rest.front());
      rest = rest.drop_front(!rest.empty());
    }
    if (!isKnown || (isBraced && !rest.consume_front("}")))
      fail("'" + mark.str() + "' names none of the " + std::to_string(count) +
           " registers: $0 or ${0:b} does, and $$ is a '$'");
  }
  if (std::optional<std::string> mistake = mistakeInAssembly(op.getText()))
    fail(*mistake);
}

void Assembly::giveType(Register &reg, Type element) {
  unsigned width = element.getIntOrFloatBitWidth(), bits = pack * width;
  if (reg.isVector) {
    // LLVM puts float32, float64 and no other scalar there, and no vector of less than 128 bits.
    bool isScalar = pack == 1 && (element.isF32() || element.isF64());
    reg.type = lanes.vectorOf(lanes.laneType(element), isScalar ? 1 : std::max(pack, 128 / width));
    return;
  }
  if (bits > 64)
    fail("a general register has 64 bits, not the " + std::to_string(bits) + " of " +
         std::to_string(pack) + " elements");
  reg.type = b.getIntNTy(bits);
}

/// `pack` lanes, as many of them as there are; beyond the last one, it again.
llvm::Value *Assembly::toRegister(llvm::Value *value, unsigned begin, const Register &reg) {
  unsigned width = LaneBuilder::widthOf(value), held = reg.isVector ? reg.lanes() : pack;
  if (width == 1 || held == 1) {
    llvm::Value *lane = width == 1 ? value : b.CreateExtractElement(value, begin);
    return b.CreateBitCast(lanes.splat(lane, held), reg.type);
  }
  llvm::SmallVector<int> taken(held);
  for (unsigned i = 0; i < held; ++i)
    taken[i] = static_cast<int>(begin + std::min(i, std::min(pack, width - begin) - 1));
  return b.CreateBitCast(b.CreateShuffleVector(value, taken), reg.type);
}

/// Lane `i` of what the assembly gave.
llvm::Value *Assembly::laneOf(llvm::Value *given, llvm::Type *lane, unsigned i) {
  unsigned held = static_cast<unsigned>(given->getType()->getPrimitiveSizeInBits() /
                                        lane->getPrimitiveSizeInBits());
  llvm::Value *all = b.CreateBitCast(given, lanes.vectorOf(lane, held));
  return held == 1 ? all : b.CreateExtractElement(all, i);
}

/// What the registers of the outputs hold afterwards.
llvm::SmallVector<llvm::Value *, 2> Assembly::call(llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::SmallVector<llvm::Type *> results;
  for (const Register &reg : outputs)
    results.push_back(reg.type);
  llvm::FunctionType *type = assemblyType(b.getContext(), arguments, results);
  if (llvm::Error mistake = llvm::InlineAsm::verify(type, constraints))
    fail(llvm::toString(std::move(mistake)));
  llvm::CallInst *call = b.CreateCall(
      llvm::InlineAsm::get(type, op.getText(), constraints, /*hasSideEffects=*/false), arguments);
  call->setOnlyReadsMemory();
  call->setDoesNotThrow();
  llvm::Metadata *number = llvm::ConstantAsMetadata::get(b.getInt64(numberOf(op)));
  call->setMetadata("srcloc", llvm::MDNode::get(b.getContext(), number));
  return resultsOf(b, call);
}

llvm::SmallVector<llvm::Value *, 2> Assembly::emit(llvm::ArrayRef<llvm::Value *> operands) {
  unsigned width = LaneBuilder::widthOf(operands[0]);
  llvm::SmallVector<llvm::Type *, 2> types;
  llvm::SmallVector<llvm::Value *, 2> all;
  for (Value output : op.getOutputs()) {
    types.push_back(lanes.laneType(tile::elementOf(output.getType())));
    all.push_back(llvm::PoisonValue::get(lanes.vectorOf(types.back(), width)));
  }
  for (unsigned begin = 0; begin < width; begin += pack) {
    llvm::SmallVector<llvm::Value *> arguments;
    for (size_t i = 0; i < operands.size(); ++i)
      arguments.push_back(toRegister(operands[i], begin, inputs[i]));
    for (auto [part, type, whole] : llvm::zip_equal(call(arguments), types, all)) {
      if (width == 1)
        whole = laneOf(part, type, 0);
      for (unsigned i = 0; width > 1 && i < std::min(pack, width - begin); ++i)
        whole = b.CreateInsertElement(whole, laneOf(part, type, i), begin + i);
    }
  }
  return all;
}

} // namespace

llvm::SmallVector<llvm::Value *, 2>
CpuLaneTarget::emitAssembly(LaneBuilder &lanes, Operation *op,
                            llvm::ArrayRef<llvm::Value *> operands) const {
  return Assembly(lanes, llvm::cast<tile::AssemblyOp>(op), source).emit(operands);
}

} // namespace nereid::backend::cpu
