// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/TouchRecorder.h"

#include "dialect/nv/Nv.h"
#include "dialect/tile/Tile.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

using namespace mlir;

namespace nereid::analyzer {

using interpret::AccessEvent, interpret::AddressSpace;
using Pattern = Analysis::Touches::Pattern;

namespace {

constexpr size_t mostEvents = 160; // of a program
constexpr size_t mostPatterns = 64;
constexpr int64_t mostOffsets = 512;

int64_t offsetIn(const AccessEvent &event, int64_t lane) {
  const uint64_t pointer = event.pointers[lane];
  return int64_t(pointer - event.memory.array(AddressSpace::numberOf(pointer)).origin);
}

bool asks(const AccessEvent &event, int64_t lane) { return !event.mask || event.mask[lane]; }

/// Of the tile that threads access; for a box each row's ends.
std::vector<int64_t> shapeOf(Operation *op, const AccessPlan &plan, int64_t lanes) {
  if (isOfEngine(plan.mover))
    return {lanes / 2, 2};
  auto copy = llvm::dyn_cast<nv::CopyOp>(op);
  Value pointer = copy ? copy.getPointer() : tile::accessOf(op).pointer;
  return std::vector<int64_t>(tile::shapeOf(pointer.getType()));
}

/// Counts through the coordinates of a shape, row-major.
class Coordinates {
public:
  explicit Coordinates(llvm::ArrayRef<int64_t> shape) : shape(shape), at(shape.size(), 0) {}
  void next() {
    for (size_t dim = at.size(); dim-- > 0;) {
      if (++at[dim] < shape[dim])
        return;
      at[dim] = 0;
    }
  }
  llvm::ArrayRef<int64_t> operator*() const { return at; }

private:
  llvm::ArrayRef<int64_t> shape;
  llvm::SmallVector<int64_t, 4> at;
};

/// The ranges of coordinates that ask for something, if those are all of a box; nothing otherwise.
bool findRanges(const AccessEvent &event, Pattern &pattern) {
  pattern.from = pattern.shape;
  pattern.to.assign(pattern.shape.size(), 0);
  int64_t asking = 0, inside = 1;
  Coordinates at(pattern.shape);
  for (int64_t lane = 0; lane < event.lanes; ++lane, at.next()) {
    if (!asks(event, lane))
      continue;
    ++asking;
    for (auto [from, to, coordinate] : llvm::zip(pattern.from, pattern.to, *at)) {
      from = std::min(from, coordinate);
      to = std::max(to, coordinate + 1);
    }
  }
  for (auto [from, to] : llvm::zip(pattern.from, pattern.to))
    inside *= std::max<int64_t>(0, to - from);
  return asking > 0 && asking == inside;
}

/// Strides that give each asking lane's place; false if there are none.
bool findStrides(const AccessEvent &event, Pattern &pattern, int64_t &base) {
  llvm::SmallVector<int64_t, 4> weights(pattern.shape.size(), 1);
  for (size_t dim = weights.size(); dim-- > 1;)
    weights[dim - 1] = weights[dim] * pattern.shape[dim];
  int64_t first = 0;
  for (auto [from, weight] : llvm::zip(pattern.from, weights))
    first += from * weight;
  const int64_t origin = offsetIn(event, first);
  pattern.strides.assign(pattern.shape.size(), 0);
  base = origin;
  for (size_t dim = 0; dim < weights.size(); ++dim)
    if (pattern.to[dim] - pattern.from[dim] > 1) {
      pattern.strides[dim] = offsetIn(event, first + weights[dim]) - origin;
      base -= pattern.strides[dim] * pattern.from[dim];
    }
  Coordinates at(pattern.shape);
  for (int64_t lane = 0; lane < event.lanes; ++lane, at.next()) {
    if (!asks(event, lane))
      continue;
    int64_t place = base;
    for (auto [stride, coordinate] : llvm::zip(pattern.strides, *at))
      place += stride * coordinate;
    if (place != offsetIn(event, lane))
      return false;
  }
  return true;
}

} // namespace

std::vector<uint64_t> programsToShow(GridExtent grid) {
  const uint64_t all = grid.programs(), spread = 6;
  // The first along each axis tell the page how the others follow, if they do.
  std::vector<uint64_t> programs = {0, 1, 2, 3, grid.x, uint64_t(grid.x) * grid.y, all - 1};
  for (uint64_t i = 1; i < spread; ++i)
    programs.push_back(all / spread * i);
  llvm::sort(programs);
  programs.erase(std::unique(programs.begin(), programs.end()), programs.end());
  llvm::erase_if(programs, [&](uint64_t program) { return program >= all; });
  return programs;
}

void TouchRecorder::begins(const interpret::RunEvent &event) {
  sites.clear();
  for (const interpret::AccessSite &site : event.sites)
    sites.push_back(slice.accessAt(site.location));
}

void TouchRecorder::ends(interpret::ProgramId) { programs.push_back(std::exchange(now, {})); }

int TouchRecorder::numberOf(Pattern pattern) {
  auto found = llvm::find(patterns, pattern);
  if (found != patterns.end())
    return int(found - patterns.begin());
  if (patterns.size() == mostPatterns)
    return -1;
  patterns.push_back(std::move(pattern));
  return int(patterns.size()) - 1;
}

void TouchRecorder::addRegular(const AccessEvent &event, const AccessPlan &plan,
                               Analysis::Touches::Event &touch, std::vector<int64_t> shape) {
  Pattern pattern{std::move(shape), {}, {}, {}};
  if (!findRanges(event, pattern) || !findStrides(event, pattern, touch.base))
    return;
  if (isOfEngine(plan.mover)) {
    // From a row's ends to all of its elements.
    pattern.shape[1] = pattern.strides[1] / int64_t(plan.elementBytes) + 1;
    pattern.strides[1] = plan.elementBytes;
    pattern.to[1] = pattern.shape[1];
  }
  touch.pattern = numberOf(std::move(pattern));
}

void TouchRecorder::accesses(const AccessEvent &event) {
  Operation *op = sites[event.site.number];
  if (!op)
    return;
  if (now.events.size() == mostEvents) {
    now.isCut = true;
    return;
  }
  bool isAny = false;
  for (int64_t lane = 0; lane < event.lanes && !isAny; ++lane)
    isAny = asks(event, lane);
  if (!isAny)
    return;
  const AccessPlan &plan = plans.find(op)->second;
  Event made{op, {}};
  addRegular(event, plan, made.touch, shapeOf(op, plan, event.lanes));
  if (made.touch.pattern < 0) {
    made.touch.every = unsigned((event.lanes + mostOffsets - 1) / mostOffsets);
    for (int64_t lane = 0; lane < event.lanes; lane += made.touch.every)
      made.touch.offsets.push_back(asks(event, lane) ? offsetIn(event, lane) : -1);
  }
  now.events.push_back(std::move(made));
}

} // namespace nereid::analyzer
