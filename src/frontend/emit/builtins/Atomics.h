// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics on pointers, for the functions on pointers and the methods of descriptors.
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit {

/// What the language calls them; the operation depends on the element.
enum class AtomicAction { Add, Max, Min, And, Or, Xor, Exchange, CountUp, CountDown };

struct Atomic {
  AtomicAction action;
  Tensor pointer;
  Tensor value; // of the pointer's shape and element
  std::optional<Tensor> mask;
  tile::MemoryOrder order = tile::MemoryOrder::Relaxed;
  tile::MemoryScope scope = tile::MemoryScope::Device;
};

/// Whether memory can do it to such elements in one step.
bool isAtomic(AtomicAction action, DType element);
/// The same through a tensor descriptor, for which Triton's language has what Hopper's copy engine
/// has: maxima and minima of floats of 16 bits, and not of wider ones.
bool isAtomicThroughDescriptor(AtomicAction action, DType element);
/// The elements for which it can, for a diagnostic.
std::string_view atomicElements(AtomicAction action);
std::string_view atomicElementsThroughDescriptor(AtomicAction action);
/// Returns the old elements.
Tensor emitAtomic(Emitter &emitter, const Atomic &atomic, SourceRange range);

} // namespace nereid::emit
