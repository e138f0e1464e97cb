// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A linear layout: which element of a tile is at which place, as a linear map over F2. The theory
// is that of "Linear Layouts: Robust Code Generation of Efficient Tensor Computation Using F2"
// (arXiv 2505.23819).
//
// Inputs say where (register, lane, warp; or an offset into shared memory), outputs say which
// element (one coordinate per dimension of the tile). All sizes are powers of two, and the element
// at a place is the XOR of the basis vectors of the bits that are set in the place's number.
#pragma once

#include "layout/Subspace.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace nereid::layout {

/// One coordinate, of 2^bits values.
struct Space {
  std::string name;
  unsigned bits;

  uint64_t size() const { return uint64_t(1) << bits; }
  bool operator==(const Space &) const = default;
};

/// Coordinates together. A point is one number, row-major: the last space has the lowest bits. For
/// the dimensions of a tile this is the number of the element in row-major order.
using Spaces = std::vector<Space>;
using Coordinates = std::vector<uint64_t>; // one for each space

unsigned totalBits(const Spaces &spaces);
uint64_t pack(const Spaces &spaces, const Coordinates &coordinates);
Coordinates unpack(const Spaces &spaces, uint64_t point);

class LinearLayout {
public:
  /// The basis vectors of one input, from its lowest bit up.
  struct Input {
    std::string name;
    std::vector<Coordinates> bases;
  };

  /// The layout of no inputs and no outputs.
  LinearLayout() = default;
  /// `bases` are packed points of `outputs`, from the lowest bit of the last input up.
  LinearLayout(Spaces inputs, Spaces outputs, std::vector<Vector> bases);
  /// Inputs are listed as the text form lists them: the one with the lowest bits first.
  LinearLayout(const std::vector<Input> &inputs, Spaces outputs);

  static LinearLayout identity(Space input, std::string output);
  /// Every place holds element 0: how a value is repeated.
  static LinearLayout zero(Space input, Spaces outputs = {});

  const Spaces &inputs() const { return ins; }
  const Spaces &outputs() const { return outs; }
  unsigned inputBits() const { return unsigned(columns.size()); }
  unsigned outputBits() const { return totalBits(outs); }
  /// The bases of all inputs; or of one, empty if there is none of that name.
  std::span<const Vector> bases() const { return columns; }
  std::span<const Vector> bases(std::string_view input) const;

  /// The packed element at a packed place.
  Vector operator()(uint64_t place) const { return combine(columns, place); }
  Coordinates operator()(const Coordinates &place) const;

  unsigned rank() const { return image().dimension(); }
  bool isInjective() const { return rank() == inputBits(); }
  bool isSurjective() const { return rank() == outputBits(); }
  bool isInvertible() const { return isInjective() && isSurjective(); }
  /// Packed outputs that are reached; packed inputs that hold element 0.
  Subspace image() const;
  Subspace image(std::string_view input) const;
  Subspace kernel() const;

  /// First this, then `next`, whose inputs are this one's outputs, in any order and not smaller.
  LinearLayout then(const LinearLayout &next) const;
  /// The layout must be invertible.
  LinearLayout inverse() const;
  /// A P with A P A = A. Where A is surjective, A P = 1, and P finds each element at the place with
  /// the lowest bits that can be; where A is injective, P A = 1.
  LinearLayout pseudoInverse() const;

  /// `inner` repeated as `outer` says: in each space `inner` has the low bits and `outer` the high
  /// ones. Spaces are in the order of `outer`; what it lacks comes after them.
  friend LinearLayout operator*(const LinearLayout &inner, const LinearLayout &outer);
  /// The C with all spaces of this one, some perhaps of one value, and *this == inner * C.
  std::optional<LinearLayout> dividedBy(const LinearLayout &inner) const;

  /// What is left when other inputs are 0 and other outputs are dropped; in the given order.
  LinearLayout sublayout(const std::vector<std::string> &inputs,
                         const std::vector<std::string> &outputs) const;
  /// The same map with its spaces in another order.
  LinearLayout withInputOrder(const std::vector<std::string> &names) const;
  LinearLayout withOutputOrder(const std::vector<std::string> &names) const;
  /// The same numbers, cut into other spaces of as many bits in all: row-major reshaping.
  LinearLayout reshapedInputs(Spaces spaces) const;
  LinearLayout reshapedOutputs(Spaces spaces) const;

  bool operator==(const LinearLayout &) const = default;

private:
  Spaces ins, outs;
  std::vector<Vector> columns;
};

/// "{register: [[0, 1], [8, 0]], lane: [[0, 2], [0, 4]]} -> {dim0: 16, dim1: 8}": the input with
/// the lowest bits first, each with its basis vectors from the lowest bit up. Where there is one
/// output, vectors are numbers: "{offset: [1, 2]} -> {dim0: 4}".
std::string toString(const LinearLayout &layout);
/// Reads what toString() writes, with any white space. Nothing for any other text, and then `error`
/// says what is wrong.
std::optional<LinearLayout> parseLayout(std::string_view text, std::string &error);

} // namespace nereid::layout
