// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/emit/SharedStack.h"

#include "backend/nvptx/ptx/PtxAsm.h"
#include "dialect/nv/Nv.h"
#include "support/Check.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

namespace nereid::backend::nvptx {

static constexpr unsigned sharedSpace = 3;

static uint64_t roomSize(uint64_t size) { return llvm::alignTo(size, nv::roomAlignment); }

llvm::Value *SharedStack::at(uint64_t offset) {
  if (!memory) {
    auto *type = llvm::ArrayType::get(b.getInt8Ty(), 0);
    memory = new llvm::GlobalVariable(module, type, /*isConstant=*/false,
                                      llvm::GlobalValue::ExternalLinkage, nullptr, "shared",
                                      nullptr, llvm::GlobalValue::NotThreadLocal, sharedSpace);
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

void SharedStack::free(uint64_t size) {
  NEREID_CHECK(top >= roomSize(size), "more shared memory is freed than was allocated");
  top -= roomSize(size);
  while (!reservations.empty() && reservations.back().begin >= top)
    reservations.pop_back();
  mayBeRead = true;
}

/// Beside rooms every byte is spoken for.
uint64_t SharedStack::placeForScratch(uint64_t size) const {
  constexpr uint64_t small = 1024, alignment = 128;
  uint64_t beside = llvm::alignTo(read.end, alignment);
  return top == 0 && read.begin == 0 && beside + size <= small ? beside : 0;
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
  b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::nvvm_bar_warp_sync, {b.getInt32(-1)});
  // Other warps may still read what was there before.
  read = read.end > read.begin ? Scratch{std::min(read.begin, written.begin),
                                         std::max(read.end, written.end)}
                               : written;
}

/// Lanes that all ask for the same 16 bytes are served in two halves, as an H200 was seen to do;
/// the plan takes them for four groups.
void SharedStack::countRead(const layout::SharedAccess &access) {
  const bool isSame = access.instruction == layout::SharedInstruction::Vector &&
                      llvm::all_of(access.address.lane, [](auto basis) { return basis == 0; });
  const unsigned most = isSame ? 2 : access.wavefronts;
  countAccesses(access.steps.size(), std::min(access.wavefronts, most),
             std::min(access.idealWavefronts, most));
}

void SharedStack::countAccesses(uint64_t requests, uint64_t wavefronts, uint64_t least) {
  if (!user)
    return;
  const uint64_t all = requests * (threads / target::warpSize);
  OperationCosts &costs = spent[user];
  costs.sharedRequests += all;
  costs.sharedWavefronts += all * wavefronts;
  costs.leastWavefronts += all * least;
}

void SharedStack::barrier() {
  countBarrier();
  for (const std::function<void()> &emit : std::exchange(delayed, {}))
    emit();
  b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_count,
                    {b.getInt32(0), b.getInt32(threads)});
  mayBeRead = false;
  read = {};
}

llvm::Value *SharedStack::pointer(llvm::Value *address) {
  return b.CreateIntToPtr(address, llvm::PointerType::get(b.getContext(), sharedSpace));
}

/// As PTX: LLVM has no predicated access, and would make branches of it.
void SharedStack::store(llvm::Value *value, llvm::Value *address, llvm::Value *predicate) {
  countAccesses(1);
  llvm::Type *type = value->getType();
  unsigned width = type->isPointerTy() ? 64 : std::max(8u, type->getScalarSizeInBits());
  llvm::Type *word = b.getIntNTy(std::max(16u, width));
  llvm::Value *bits =
      type->isPointerTy()
          ? b.CreatePtrToInt(value, word)
          : b.CreateZExt(b.CreateBitCast(value, b.getIntNTy(type->getScalarSizeInBits())), word);
  const char *letter = width == 64 ? "l" : width == 32 ? "r" : "h";
  std::string text = "st.shared.b" + std::to_string(width) + " [$0], $1;";
  std::string constraints = std::string("r,") + letter;
  llvm::SmallVector<llvm::Value *, 3> operands = {address, bits};
  if (predicate) {
    text = "@$2 " + text;
    constraints += ",b";
    operands.push_back(predicate);
  }
  emitPtx(b, text, nullptr, constraints, operands);
}

void SharedStack::addOne(llvm::Value *address, llvm::Value *predicate) {
  countAccesses(1);
  emitPtx(b, "@$1 red.shared.add.u32 [$0], 1;", nullptr, "r,b", {address, predicate});
}

} // namespace nereid::backend::nvptx
