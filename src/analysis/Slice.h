// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What values are computed from, and what is computed from them: one walk for whoever moves, copies
// or counts such operations. Each value is visited once, however often it is used.
#pragma once

#include "dialect/tile/Tile.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace nereid::analysis {

/// The walk that slices are: from `roots` against the flow, each node once, depth first. A node is
/// a value, or one with what is asked about it (along which dimension, in which layout).
/// `sourcesOf(node, sources)` gives what the node is computed from, in order, or false: there is no
/// slice then, and the walk ends. `done(node)` comes behind all of its sources. True if the walk
/// went through.
template <typename Node, typename SourcesOf, typename Done>
bool walkBack(llvm::ArrayRef<Node> roots, SourcesOf sourcesOf, Done done) {
  struct Open {
    Node node;
    llvm::SmallVector<Node, 4> sources;
    size_t next = 0;
  };
  llvm::DenseSet<Node> seen;
  llvm::SmallVector<Open> path;
  auto enter = [&](const Node &node) {
    if (!seen.insert(node).second)
      return true;
    path.push_back({node, {}});
    return static_cast<bool>(sourcesOf(node, path.back().sources));
  };
  for (const Node &root : roots) {
    if (!enter(root))
      return false;
    while (!path.empty()) {
      if (path.back().next == path.back().sources.size()) {
        done(path.pop_back_val().node);
      } else {
        const Node source = path.back().sources[path.back().next++];
        if (!enter(source))
          return false;
      }
    }
  }
  return true;
}

/// What a value is computed from at once: operands; of what loops carry and branches give what
/// enters and what is yielded, with the bounds of a count and the condition of a choice.
void addSources(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &sources);

/// Whether an operation belongs to a slice: it does, and what it is computed from is looked at; it
/// stands outside; or there is no slice.
enum class Belongs { Yes, No, Never };

/// From where a block's argument comes, as a loop carries it: what the slice takes in besides; null
/// if it ends there.
using SourceOfArgument = llvm::function_ref<mlir::Value(mlir::BlockArgument)>;

/// The operations that `roots` are computed from, each behind those that it is computed from itself
/// (but for what loops carry back); nothing if one is never to be one of them.
std::optional<llvm::SetVector<mlir::Operation *>> backwardSlice(
    mlir::ValueRange roots, llvm::function_ref<Belongs(mlir::Operation *)> belongs,
    SourceOfArgument sourceOf = [](mlir::BlockArgument) { return mlir::Value(); });

// Chains of arithmetic, from a load to a product, from a product to a store

/// Follows `tile` through operations that `isLink` takes, as long as `visit` goes on. It gets each
/// use of the tile, and of what the links make of it, by an operation that is no link. True if it
/// went on to the end.
bool followUses(mlir::Value tile, llvm::function_ref<bool(mlir::Operation *)> isLink,
                llvm::function_ref<mlir::WalkResult(mlir::OpOperand &)> visit);

/// The same against the flow: `visit` gets each result of an operation that is no link, of which
/// `tile` is made. Block arguments end the way. A result of a loop is what its round yields.
bool followSources(mlir::Value tile, llvm::function_ref<bool(mlir::Operation *)> isLink,
                   llvm::function_ref<mlir::WalkResult(mlir::OpResult)> visit);

/// The product whose factor the use is; null if it is none.
tile::DotOp productOfFactor(mlir::OpOperand &use);

} // namespace nereid::analysis
