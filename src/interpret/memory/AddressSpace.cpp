// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/memory/AddressSpace.h"

#include "dialect/tile/NamedArrays.h"
#include "dialect/tile/Tile.h"

namespace nereid::interpret {

static std::string nameOfArgument(mlir::func::FuncOp kernel, unsigned index) {
  if (auto name = kernel.getArgAttrOfType<mlir::StringAttr>(index, tile::nameAttr))
    return name.str();
  return "argument " + std::to_string(index);
}

AddressSpace::AddressSpace(mlir::func::FuncOp kernel, std::span<const ArgumentSlot> arguments,
                           std::span<const uint64_t> bytesBelow)
    : arrays(arguments.size() + 1) {
  constexpr uint64_t middle = uint64_t(1) << (positionBits - 1), pageMask = 4095;
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto [address, extentBytes] = arguments[i];
    mlir::Type pointee = tile::pointeeOf(kernel.getArgumentTypes()[i]);
    if (address == 0 || !pointee)
      continue;
    uint64_t below = bytesBelow.empty() ? 0 : bytesBelow[i], first = address - below;
    uint64_t origin = uint64_t(i + 1) << positionBits | (middle + (first & pageMask));
    arrays[i + 1] = {reinterpret_cast<std::byte *>(first),       below + extentBytes,       origin,
                     tile::byteSizeOf(tile::elementOf(pointee)), nameOfArgument(kernel, i), below};
  }
  for (const tile::NamedArray &named : tile::namedArraysOf(kernel))
    add(reinterpret_cast<std::byte *>(named.address), static_cast<uint64_t>(named.bytes),
        static_cast<uint64_t>(named.elementBytes), "an array that the kernel names");
}

uint64_t AddressSpace::add(std::byte *base, uint64_t extentBytes, uint64_t elementBytes,
                           std::string name) {
  uint64_t number = arrays.size();
  uint64_t origin = number << positionBits | uint64_t(1) << (positionBits - 1);
  arrays.push_back({base, extentBytes, origin, elementBytes, std::move(name)});
  return number;
}

uint64_t AddressSpace::fromAddress(uint64_t address) const {
  if (&array(numberOf(address)) != &arrays[0])
    return address;
  // Where arrays overlap, the one that reaches furthest beyond the address.
  uint64_t pointer = address, reach = 0;
  for (const Array &array : arrays) {
    uint64_t offset = address - reinterpret_cast<uint64_t>(array.base);
    if (offset >= array.extentBytes || array.extentBytes - offset <= reach)
      continue;
    pointer = array.origin + offset;
    reach = array.extentBytes - offset;
  }
  return pointer;
}

uint64_t AddressSpace::toAddress(uint64_t pointer) const {
  const Array &array = this->array(numberOf(pointer));
  return reinterpret_cast<uint64_t>(array.base) + (pointer - array.origin);
}

} // namespace nereid::interpret
