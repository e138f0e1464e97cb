// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/GlobalAccess.h"

#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/ValueHandle.h"

namespace nereid::backend::nvptx {

GlobalAccess::GlobalAccess(LaneBuilder &lanes, mlir::Type element, unsigned count, bool isVolatile,
                           Eviction eviction)
    : lanes(lanes), b(lanes.builder()), element(element), count(count), isVolatile(isVolatile),
      eviction(isVolatile ? Eviction() : eviction) {
  llvm::Type *memory = lanes.memoryType(element);
  elementBits = memory->isPointerTy() ? 64 : memory->getScalarSizeInBits();
  wordBits = elementBits == 64 ? 64 : std::min(32u, elementBits * count);
  words = elementBits * count / wordBits;
}

llvm::Type *GlobalAccess::wordType() const { return b.getIntNTy(std::max(16u, wordBits)); }

std::string GlobalAccess::shape() const {
  std::string vector = words > 1 ? "v" + std::to_string(words) + "." : "";
  return vector + "b" + std::to_string(wordBits);
}

std::string GlobalAccess::hint() const {
  if (!eviction.policy || eviction.levels == 0)
    return "";
  return ".L1::" + tile::stringifyEvictionPolicy(*eviction.policy).str() +
         (eviction.levels > 1 ? ".L2::cache_hint" : "");
}

llvm::Value *GlobalAccess::cachePolicy() {
  if (!eviction.policy || eviction.levels < 2)
    return nullptr;
  std::string text =
      "createpolicy.fractional.L2::" + tile::stringifyEvictionPolicy(*eviction.policy).str() +
      ".b64 $0, 1.0;";
  auto *code = llvm::InlineAsm::get(llvm::FunctionType::get(b.getInt64Ty(), false), text, "=l",
                                    /*hasSideEffects=*/false);
  llvm::CallInst *policy = b.CreateCall(code);
  policy->setDoesNotAccessMemory(); // so that one serves all
  policy->setDoesNotThrow();
  return policy;
}

llvm::SmallVector<llvm::Value *, 4> GlobalAccess::toWords(llvm::ArrayRef<llvm::Value *> values) {
  llvm::Type *bits = b.getIntNTy(elementBits);
  llvm::SmallVector<llvm::Value *, 4> result;
  unsigned perWord = wordBits / elementBits;
  for (unsigned first = 0; first < count; first += perWord) {
    llvm::Value *word = llvm::PoisonValue::get(llvm::FixedVectorType::get(bits, perWord));
    for (unsigned i = 0; i < perWord; ++i) {
      llvm::Value *value = lanes.toMemory(values[first + i], element);
      value = value->getType()->isPointerTy() ? b.CreatePtrToInt(value, bits)
                                              : b.CreateBitCast(value, bits);
      word = b.CreateInsertElement(word, value, i);
    }
    result.push_back(b.CreateZExt(b.CreateBitCast(word, b.getIntNTy(wordBits)), wordType()));
  }
  return result;
}

llvm::SmallVector<llvm::Value *, 8> GlobalAccess::fromWords(llvm::ArrayRef<llvm::Value *> values) {
  llvm::SmallVector<llvm::Value *, 8> result;
  unsigned perWord = wordBits / elementBits;
  llvm::Type *bits = b.getIntNTy(elementBits), *memory = lanes.memoryType(element);
  for (llvm::Value *word : values) {
    llvm::Value *vector = b.CreateBitCast(b.CreateTrunc(word, b.getIntNTy(wordBits)),
                                          llvm::FixedVectorType::get(bits, perWord));
    for (unsigned i = 0; i < perWord; ++i) {
      llvm::Value *value = b.CreateExtractElement(vector, i);
      value =
          memory->isPointerTy() ? b.CreateIntToPtr(value, memory) : b.CreateBitCast(value, memory);
      result.push_back(lanes.fromMemory(value, element));
    }
  }
  return result;
}

/// As PTX: LLVM has no predicated access, and would make branches of it.
llvm::SmallVector<llvm::Value *, 8> GlobalAccess::load(llvm::Value *address, llvm::Value *predicate,
                                                       llvm::ArrayRef<llvm::Value *> others) {
  std::string outputs, list, constraints, tied;
  for (unsigned i = 0; i < words; ++i) {
    list += (i ? ", $" : "$") + std::to_string(i);
    constraints += (i ? ",=" : "=") + std::string(1, letter());
    tied += "," + std::to_string(i);
  }
  if (words > 1)
    list = "{" + list + "}";
  llvm::SmallVector<llvm::Value *, 8> operands;
  llvm::SmallVector<llvm::Type *, 8> types;
  if (predicate) {
    operands.append(toWords(others));
    constraints += tied;
  }
  std::string at = std::to_string(words + operands.size());
  std::string text = (isVolatile ? "ld.relaxed.gpu.global" : "ld.global") + hint() + "." + shape() +
                     " " + list + ", [$" + at + "]";
  operands.push_back(address);
  constraints += ",l";
  if (llvm::Value *policy = cachePolicy()) {
    text += ", $" + std::to_string(words + operands.size());
    operands.push_back(policy);
    constraints += ",l";
  }
  text += ";";
  if (predicate) {
    text = "@$" + std::to_string(words + operands.size()) + " " + text;
    operands.push_back(predicate);
    constraints += ",b";
  }
  constraints += ",~{memory}";
  for (llvm::Value *operand : operands)
    types.push_back(operand->getType());
  llvm::SmallVector<llvm::Type *, 4> wordTypes(words, wordType());
  llvm::Type *type = words == 1 ? wordType() : llvm::StructType::get(b.getContext(), wordTypes);
  auto *code = llvm::InlineAsm::get(llvm::FunctionType::get(type, types, false), text, constraints,
                                    /*hasSideEffects=*/true);
  llvm::Value *loaded = b.CreateCall(code, operands);
  llvm::SmallVector<llvm::Value *, 4> result;
  for (unsigned i = 0; i < words; ++i)
    result.push_back(words == 1 ? loaded : b.CreateExtractValue(loaded, i));
  return fromWords(result);
}

/// Whether it is what `load` makes, under a predicate that is false.
static bool isLoadNeverMade(const llvm::CallInst &call) {
  auto *code = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  if (!code || !code->getAsmString().starts_with("@$") || !code->getAsmString().contains(" ld."))
    return false;
  auto *predicate = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(call.arg_size() - 1));
  return predicate && predicate->isZero();
}

void dropLoadsNeverMade(llvm::Function &function) {
  llvm::SmallVector<llvm::CallInst *> loads;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction); call && isLoadNeverMade(*call))
      loads.push_back(call);
  for (llvm::CallInst *load : loads) {
    llvm::IRBuilder<> b(load);
    llvm::Value *words = load->getArgOperand(0); // behind which the other words stand
    if (auto *several = llvm::dyn_cast<llvm::StructType>(load->getType())) {
      words = llvm::PoisonValue::get(several);
      for (unsigned i = 0; i < several->getNumElements(); ++i)
        words = b.CreateInsertValue(words, load->getArgOperand(i), i);
    }
    llvm::WeakVH handle = load;
    llvm::replaceAndRecursivelySimplify(load, words);
    if (handle) // LLVM takes it for one with effects, which it does not erase
      load->eraseFromParent();
  }
}

void GlobalAccess::emitWrite(const std::string &before, const std::string &instruction,
                             const std::string &after, llvm::Value *address, llvm::Value *predicate,
                             llvm::ArrayRef<llvm::Value *> values) {
  llvm::SmallVector<llvm::Value *, 8> operands = {address};
  llvm::SmallVector<llvm::Type *, 8> types;
  std::string list, constraints = "l";
  for (llvm::Value *word : toWords(values)) {
    list += (list.empty() ? "$" : ", $") + std::to_string(operands.size());
    operands.push_back(word);
    constraints += std::string(",") + letter();
  }
  if (words > 1)
    list = "{" + list + "}";
  if (llvm::Value *policy = cachePolicy()) {
    list += ", $" + std::to_string(operands.size());
    operands.push_back(policy);
    constraints += ",l";
  }
  std::string guard;
  if (predicate) {
    guard = "@$" + std::to_string(operands.size()) + " ";
    operands.push_back(predicate);
    constraints += ",b";
  }
  constraints += ",~{memory}";
  for (llvm::Value *operand : operands)
    types.push_back(operand->getType());
  std::string text = before + guard + instruction + " [$0], " + list + ";" + after;
  auto *code = llvm::InlineAsm::get(llvm::FunctionType::get(b.getVoidTy(), types, false), text,
                                    constraints, /*hasSideEffects=*/true);
  b.CreateCall(code, operands);
}

void GlobalAccess::store(llvm::Value *address, llvm::Value *predicate,
                         llvm::ArrayRef<llvm::Value *> values) {
  emitWrite("", "st.global" + hint() + "." + shape(), "", address, predicate, values);
}

void GlobalAccess::add(llvm::StringRef order, llvm::Value *address, llvm::Value *predicate,
                       llvm::ArrayRef<llvm::Value *> values) {
  std::string type = element.isF32() ? "f32" : element.isBF16() ? "bf16x2" : "f16x2";
  std::string rounding = elementBits == 16 ? "noftz." : "", vector, old = "old0";
  if (words > 1) {
    vector = "v" + std::to_string(words) + ".";
    for (unsigned i = 1; i < words; ++i)
      old += ", old" + std::to_string(i);
    old = "{" + old + "}";
  }
  emitWrite("{ .reg .b32 old<4>; ",
            "atom.global." + order.str() + ".add." + rounding + vector + type + " " + old + ",",
            " }", address, predicate, values);
}

} // namespace nereid::backend::nvptx
