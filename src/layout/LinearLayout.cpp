// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/LinearLayout.h"

#include "support/Check.h"

#include <algorithm>

namespace nereid::layout {
namespace {

const Space *find(const Spaces &spaces, std::string_view name) {
  for (const Space &space : spaces)
    if (space.name == name)
      return &space;
  return nullptr;
}

unsigned bitsOf(const Spaces &spaces, std::string_view name) {
  const Space *space = find(spaces, name);
  return space ? space->bits : 0;
}

/// The lowest bit of a space in a packed point.
unsigned lowestBit(const Spaces &spaces, std::string_view name) {
  unsigned bit = 0;
  for (auto space = spaces.rbegin(); space != spaces.rend(); ++space) {
    if (space->name == name)
      return bit;
    bit += space->bits;
  }
  NEREID_UNREACHABLE("no space of that name: " + std::string(name));
}

/// A point of some spaces as a point of others that contain them, each coordinate raised by what
/// `below` has in its space.
class Placement {
public:
  Placement(const Spaces &from, const Spaces &to, const Spaces &below = {}) {
    unsigned bit = 0;
    for (auto space = from.rbegin(); space != from.rend(); bit += space->bits, ++space)
      if (space->bits)
        moves.push_back(
            {bit, space->size() - 1, lowestBit(to, space->name) + bitsOf(below, space->name)});
  }

  Vector operator()(Vector point) const {
    Vector moved = 0;
    for (const Move &move : moves)
      moved |= (point >> move.from & move.mask) << move.to;
    return moved;
  }

private:
  struct Move {
    unsigned from;
    Vector mask;
    unsigned to;
  };
  std::vector<Move> moves;
};

Spaces product(const Spaces &inner, const Spaces &outer) {
  Spaces spaces = outer;
  for (Space &space : spaces)
    space.bits += bitsOf(inner, space.name);
  for (const Space &space : inner)
    if (!find(outer, space.name))
      spaces.push_back(space);
  return spaces;
}

Spaces select(const Spaces &spaces, const std::vector<std::string> &names) {
  Spaces selected;
  for (const std::string &name : names) {
    const Space *space = find(spaces, name);
    NEREID_CHECK(space, "no space of that name: " + name);
    selected.push_back(*space);
  }
  return selected;
}

} // namespace

unsigned totalBits(const Spaces &spaces) {
  unsigned bits = 0;
  for (const Space &space : spaces)
    bits += space.bits;
  return bits;
}

uint64_t pack(const Spaces &spaces, const Coordinates &coordinates) {
  NEREID_CHECK(spaces.size() == coordinates.size(), "one coordinate for each space");
  uint64_t point = 0;
  for (size_t i = 0; i < spaces.size(); ++i) {
    NEREID_CHECK(coordinates[i] < spaces[i].size(), "coordinate outside its space");
    point = point << spaces[i].bits | coordinates[i];
  }
  return point;
}

Coordinates unpack(const Spaces &spaces, uint64_t point) {
  Coordinates coordinates(spaces.size());
  for (size_t i = spaces.size(); i-- > 0; point >>= spaces[i].bits)
    coordinates[i] = point & (spaces[i].size() - 1);
  return coordinates;
}

LinearLayout::LinearLayout(Spaces inputs, Spaces outputs, std::vector<Vector> bases)
    : ins(std::move(inputs)), outs(std::move(outputs)), columns(std::move(bases)) {
  NEREID_CHECK(totalBits(ins) == columns.size(), "one basis vector for each bit of the inputs");
  NEREID_CHECK(inputBits() < 64 && outputBits() < 64, "a point is one word");
  for (Vector column : columns)
    NEREID_CHECK(column >> outputBits() == 0, "a basis vector is outside the outputs");
}

LinearLayout::LinearLayout(const std::vector<Input> &inputs, Spaces outputs)
    : outs(std::move(outputs)) {
  for (const Input &input : inputs) {
    ins.insert(ins.begin(), {input.name, unsigned(input.bases.size())});
    for (const Coordinates &basis : input.bases)
      columns.push_back(pack(outs, basis));
  }
  NEREID_CHECK(inputBits() < 64 && outputBits() < 64, "a point is one word");
}

LinearLayout LinearLayout::identity(Space input, std::string output) {
  std::vector<Vector> bases(input.bits);
  for (unsigned bit = 0; bit < input.bits; ++bit)
    bases[bit] = Vector(1) << bit;
  const unsigned bits = input.bits;
  return LinearLayout({std::move(input)}, Spaces{{std::move(output), bits}}, std::move(bases));
}

LinearLayout LinearLayout::zero(Space input, Spaces outputs) {
  std::vector<Vector> bases(input.bits, 0);
  return LinearLayout({std::move(input)}, std::move(outputs), std::move(bases));
}

std::span<const Vector> LinearLayout::bases(std::string_view input) const {
  const Space *space = find(ins, input);
  if (!space)
    return {};
  return bases().subspan(lowestBit(ins, input), space->bits);
}

Coordinates LinearLayout::operator()(const Coordinates &place) const {
  return unpack(outs, (*this)(pack(ins, place)));
}

Subspace LinearLayout::image() const { return Subspace(columns); }
Subspace LinearLayout::image(std::string_view input) const { return Subspace(bases(input)); }

Subspace LinearLayout::kernel() const {
  PartialFunction solver;
  Subspace kernel;
  for (size_t i = 0; i < columns.size(); ++i)
    if (const auto rest = solver.define(columns[i], Vector(1) << i); !rest.at)
      kernel.insert(rest.value);
  return kernel;
}

LinearLayout LinearLayout::then(const LinearLayout &next) const {
  NEREID_CHECK(outs.size() == next.ins.size(), "the outputs of one are the inputs of the other");
  for (const Space &space : outs)
    NEREID_CHECK(find(next.ins, space.name) && space.bits <= bitsOf(next.ins, space.name),
                 "the next layout has no such input, or a smaller one: " + space.name);
  const Placement place(outs, next.ins);
  std::vector<Vector> bases;
  for (Vector column : columns)
    bases.push_back(next(place(column)));
  return LinearLayout(ins, next.outs, std::move(bases));
}

LinearLayout LinearLayout::inverse() const {
  NEREID_CHECK(isInvertible(), "no inverse: " + toString(*this));
  return pseudoInverse();
}

LinearLayout LinearLayout::pseudoInverse() const {
  PartialFunction placeOf;
  for (size_t i = 0; i < columns.size(); ++i)
    placeOf.define(columns[i], Vector(1) << i);
  // What is outside the image may go anywhere.
  for (unsigned bit = 0; bit < outputBits(); ++bit)
    placeOf.define(Vector(1) << bit, 0);
  std::vector<Vector> bases;
  for (unsigned bit = 0; bit < outputBits(); ++bit)
    bases.push_back(*placeOf(Vector(1) << bit));
  return LinearLayout(outs, ins, std::move(bases));
}

LinearLayout operator*(const LinearLayout &inner, const LinearLayout &outer) {
  Spaces inputs = product(inner.ins, outer.ins), outputs = product(inner.outs, outer.outs);
  const Placement innerPlace(inner.outs, outputs), outerPlace(outer.outs, outputs, inner.outs);
  std::vector<Vector> bases;
  for (auto space = inputs.rbegin(); space != inputs.rend(); ++space) {
    for (Vector basis : inner.bases(space->name))
      bases.push_back(innerPlace(basis));
    for (Vector basis : outer.bases(space->name))
      bases.push_back(outerPlace(basis));
  }
  return LinearLayout(std::move(inputs), std::move(outputs), std::move(bases));
}

std::optional<LinearLayout> LinearLayout::dividedBy(const LinearLayout &inner) const {
  for (const auto &[mine, other] : {std::pair(&ins, &inner.ins), std::pair(&outs, &inner.outs)})
    for (const Space &space : *other)
      if (!find(*mine, space.name) || space.bits > bitsOf(*mine, space.name))
        return std::nullopt;
  Spaces inputs = ins, outputs = outs;
  for (Space &space : inputs)
    space.bits -= bitsOf(inner.ins, space.name);
  for (Space &space : outputs)
    space.bits -= bitsOf(inner.outs, space.name);

  // A vector of the quotient, put back into its place, is the vector that it came from.
  const Placement innerPlace(inner.outs, outs), back(outputs, outs, inner.outs);
  std::vector<Vector> outputBases;
  for (unsigned bit = 0; bit < totalBits(outputs); ++bit)
    outputBases.push_back(back(Vector(1) << bit));
  PartialFunction quotientOf;
  for (size_t bit = 0; bit < outputBases.size(); ++bit)
    quotientOf.define(outputBases[bit], Vector(1) << bit);
  std::vector<Vector> bases;
  for (auto space = ins.rbegin(); space != ins.rend(); ++space) {
    const std::span<const Vector> mine = this->bases(space->name), other = inner.bases(space->name);
    for (size_t i = 0; i < mine.size(); ++i) {
      if (i < other.size()) {
        if (mine[i] != innerPlace(other[i]))
          return std::nullopt;
        continue;
      }
      const auto quotient = quotientOf(mine[i]);
      if (!quotient)
        return std::nullopt;
      bases.push_back(*quotient);
    }
  }
  return LinearLayout(std::move(inputs), std::move(outputs), std::move(bases));
}

LinearLayout LinearLayout::sublayout(const std::vector<std::string> &inputs,
                                     const std::vector<std::string> &outputs) const {
  Spaces newIns = select(ins, inputs), newOuts = select(outs, outputs);
  std::vector<Vector> bases;
  for (auto space = newIns.rbegin(); space != newIns.rend(); ++space)
    for (Vector basis : this->bases(space->name)) {
      const Coordinates coordinates = unpack(outs, basis);
      Coordinates kept;
      for (const Space &output : newOuts)
        kept.push_back(coordinates[find(outs, output.name) - outs.data()]);
      bases.push_back(pack(newOuts, kept));
    }
  return LinearLayout(std::move(newIns), std::move(newOuts), std::move(bases));
}

LinearLayout LinearLayout::withInputOrder(const std::vector<std::string> &names) const {
  NEREID_CHECK(names.size() == ins.size(), "every input once");
  std::vector<std::string> outputs;
  for (const Space &space : outs)
    outputs.push_back(space.name);
  return sublayout(names, outputs);
}

LinearLayout LinearLayout::withOutputOrder(const std::vector<std::string> &names) const {
  NEREID_CHECK(names.size() == outs.size(), "every output once");
  std::vector<std::string> inputs;
  for (const Space &space : ins)
    inputs.push_back(space.name);
  return sublayout(inputs, names);
}

LinearLayout LinearLayout::reshapedInputs(Spaces spaces) const {
  return LinearLayout(std::move(spaces), outs, columns);
}

LinearLayout LinearLayout::reshapedOutputs(Spaces spaces) const {
  NEREID_CHECK(totalBits(spaces) == outputBits(), "a tile is reshaped to as many elements");
  return LinearLayout(ins, std::move(spaces), columns);
}

} // namespace nereid::layout
