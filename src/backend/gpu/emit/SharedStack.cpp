// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/emit/SharedStack.h"

#include "dialect/nv/Nv.h"
#include "support/Check.h"

namespace nereid::backend::gpu {

static uint64_t roomSize(uint64_t size) { return llvm::alignTo(size, nv::roomAlignment); }

llvm::Value *SharedStack::at(uint64_t offset) {
  if (!memory) {
    auto *type = llvm::ArrayType::get(b.getInt8Ty(), 0);
    memory = new llvm::GlobalVariable(
        module, type, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage, nullptr, "shared",
        nullptr, llvm::GlobalValue::NotThreadLocal, target.sharedSpace());
    memory->setAlignment(llvm::Align(nv::roomAlignment));
  }
  llvm::Value *base = b.CreatePtrToInt(memory, b.getInt32Ty());
  return offset ? b.CreateAdd(base, b.getInt32(offset)) : base;
}

void SharedStack::count(uint64_t size, uint64_t end) {
  mostBytes = std::max(mostBytes, end);
  if (user && size > largestBytes) {
    largestBytes = size;
    largest = user;
  }
  for (const Reservation &reservation : reservations)
    if (end > reservation.bytes &&
        (!mostExcess || end - reservation.bytes > mostExcess->taken - mostExcess->reserved))
      mostExcess = {user, end, reservation.bytes};
}

llvm::Value *SharedStack::allocate(uint64_t size, std::optional<uint64_t> reserved) {
  awaitReaders(); // of the scratch that was there
  llvm::Value *address = at(top);
  if (reserved)
    reservations.push_back({top, *reserved});
  top += roomSize(size);
  count(size, top);
  return address;
}

llvm::Value *SharedStack::keep(uint64_t size) {
  NEREID_CHECK(top == 0, "a room is to be kept that is not the first");
  llvm::Value *address = allocate(size);
  bottom = top;
  return address;
}

void SharedStack::free(uint64_t size) {
  NEREID_CHECK(top >= bottom + roomSize(size), "more shared memory is freed than was allocated");
  top -= roomSize(size);
  while (!reservations.empty() && reservations.back().begin >= top)
    reservations.pop_back();
  mayBeRead = true;
}

/// Beside rooms every byte is spoken for.
uint64_t SharedStack::placeForScratch(uint64_t size) const {
  constexpr uint64_t small = 1024, alignment = 128;
  uint64_t beside = llvm::alignTo(read.end, alignment);
  return top == bottom && read.begin == 0 && beside + size <= small ? beside : 0;
}

llvm::Value *SharedStack::beginWriting(uint64_t size) {
  uint64_t place = placeForScratch(size);
  bool overlaps = read.begin < place + size && place < read.end;
  if (mayBeRead || overlaps)
    barrier();
  written = {place, place + size};
  count(size, top + written.end);
  return at(top + place);
}

void SharedStack::awaitReaders() {
  if (mayBeRead || read.end > read.begin)
    barrier();
}

void SharedStack::beginReading(bool isWithinWarps) {
  if (!isWithinWarps) {
    barrier();
    read = written;
    return;
  }
  countWarpBarrier();
  target.syncWarp(b);
  // Other warps may still read what was there before.
  read = read.end > read.begin
             ? Scratch{std::min(read.begin, written.begin), std::max(read.end, written.end)}
             : written;
}

/// Accesses of 16 bytes a lane: where each asks for the same as the next one, or as the one after
/// that, the four groups of lanes that a plan takes apart are served two at a time, as an H200 was
/// seen to do.
void SharedStack::countRead(const layout::SharedAccess &access, uint64_t requests) {
  const std::vector<layout::Vector> &lane = access.address.lane;
  const bool isVector = access.instruction == layout::SharedInstruction::Vector;
  const bool areTwice = isVector && lane.size() > 1 && (lane[0] == 0 || lane[1] == 0);
  auto served = [&](unsigned wavefronts) {
    return areTwice && access.idealWavefronts == 4 ? wavefronts / 2 : wavefronts;
  };
  countAccesses(requests, served(access.wavefronts), served(access.idealWavefronts));
}

void SharedStack::countBarrier() {
  if (user)
    ++spent[user].barriers;
}

void SharedStack::countWarpBarrier() {
  if (user)
    spent[user].warpBarriers += threads / lanesPerWarp;
}

void SharedStack::countAccesses(uint64_t requests, uint64_t wavefronts, uint64_t least) {
  if (!user)
    return;
  const uint64_t all = requests * (threads / lanesPerWarp);
  OperationCosts &costs = spent[user];
  costs.sharedRequests += all;
  costs.sharedWavefronts += all * wavefronts;
  costs.leastWavefronts += all * least;
}

void SharedStack::barrier() {
  countBarrier();
  for (const std::function<void()> &emit : std::exchange(delayed, {}))
    emit();
  target.syncBlock(b, threads);
  mayBeRead = false;
  read = {};
}

void SharedStack::barrierWhere(llvm::Value *predicate) {
  countBarrier();
  target.syncBlockWhere(b, threads, predicate);
}

llvm::Value *SharedStack::pointer(llvm::Value *address, uint64_t offset) {
  llvm::Value *pointer =
      b.CreateIntToPtr(address, llvm::PointerType::get(b.getContext(), target.sharedSpace()));
  return offset ? b.CreateConstInBoundsGEP1_32(b.getInt8Ty(), pointer, offset) : pointer;
}

void SharedStack::store(llvm::Value *value, llvm::Value *address, llvm::Value *predicate) {
  countAccesses(1);
  target.storeShared(b, value, address, predicate);
}

void SharedStack::addOne(llvm::Value *address, llvm::Value *predicate) {
  countAccesses(1);
  target.addOneShared(b, address, predicate);
}

} // namespace nereid::backend::gpu
