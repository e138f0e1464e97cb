// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One access of a thread to global memory: up to 16 bytes, under a predicate or not.
#pragma once

#include "backend/llvm/LaneBuilder.h"

namespace nereid::backend::nvptx {

/// How soon caches may give up what is touched, and how many of them are told: the SM's own, then
/// the second level.
struct Eviction {
  std::optional<tile::EvictionPolicy> policy = std::nullopt;
  unsigned levels = 0;
};

class GlobalAccess {
public:
  /// An access of `count` neighbouring elements, aligned as a whole: at most 16 bytes.
  GlobalAccess(LaneBuilder &lanes, mlir::Type element, unsigned count, bool isVolatile = false,
               Eviction eviction = {});

  /// Where the predicate is false, memory is not touched and the lanes are `others`. A null
  /// predicate is true.
  llvm::SmallVector<llvm::Value *, 8> load(llvm::Value *address, llvm::Value *predicate,
                                           llvm::ArrayRef<llvm::Value *> others);
  void store(llvm::Value *address, llvm::Value *predicate, llvm::ArrayRef<llvm::Value *> values);
  /// Adds floats to those in memory, each for itself: several of 32 bits, or pairs of 16 bits.
  /// `order` is what stands behind `atom.global.`: "gpu.relaxed".
  void add(llvm::StringRef order, llvm::Value *address, llvm::Value *predicate,
           llvm::ArrayRef<llvm::Value *> values);

private:
  /// `before` instruction [address], {words}; `after`
  void emitWrite(const std::string &before, const std::string &instruction,
                 const std::string &after, llvm::Value *address, llvm::Value *predicate,
                 llvm::ArrayRef<llvm::Value *> values);
  /// Lanes as the words that one instruction moves, and back.
  llvm::SmallVector<llvm::Value *, 4> toWords(llvm::ArrayRef<llvm::Value *> values);
  llvm::SmallVector<llvm::Value *, 8> fromWords(llvm::ArrayRef<llvm::Value *> words);
  /// ".L1::evict_last.L2::cache_hint", or nothing.
  std::string hint() const;
  /// What the latter takes as its last operand, i64; null if it is not there.
  llvm::Value *cachePolicy();
  /// "v2.b32"
  std::string shape() const;
  /// What the constraint letter of a word is.
  char letter() const { return wordBits == 64 ? 'l' : wordBits == 32 ? 'r' : 'h'; }
  llvm::Type *wordType() const;

  LaneBuilder &lanes;
  Builder &b;
  mlir::Type element;
  unsigned count, elementBits, wordBits, words;
  bool isVolatile;
  Eviction eviction;
};

/// Loads under a predicate that LLVM has found to be false are not made: what they give is known.
/// The assembler would find that out, later than LLVM simplifies, and has then lost signs (see
/// HideNegations.h).
void dropLoadsNeverMade(llvm::Function &function);

} // namespace nereid::backend::nvptx
