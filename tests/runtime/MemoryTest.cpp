// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Memory.h"
#include "nereid/nereid.h"
#include "runtime/cpu/CpuKernel.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

using namespace nereid;

namespace {

TEST(Memory, IsAlignedZeroedAndCounted) {
  size_t before = runtime::hostBytesInUse();
  for (size_t bytes :
       {size_t(0), size_t(1), size_t(63), size_t(65), size_t(1) << 20, (size_t(1) << 21) + 3}) {
    auto memory = runtime::allocateHost(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory->data()) % 64, 0u);
    EXPECT_EQ(memory->bytes(), bytes);
    EXPECT_EQ(runtime::hostBytesInUse(), before + bytes);
    auto *first = static_cast<const char *>(memory->data());
    for (size_t i = 0; i < bytes; ++i)
      ASSERT_EQ(first[i], 0);
  }
  EXPECT_EQ(runtime::hostBytesInUse(), before);
}

TEST(Memory, MoreThanTheMachineHasIsRefused) {
  try {
    runtime::allocateHost(size_t(1) << 60);
    FAIL() << "allocated an exabyte";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), Error::Kind::Environment);
    EXPECT_NE(std::string(error.what()).find("allocation"), std::string::npos);
  }
}

TEST(Memory, BorrowedMemoryIsTheCallers) {
  int value = 3, copy = 0;
  auto memory = runtime::borrowHost(&value, sizeof(value));
  memory->copyToHost(&copy, sizeof(copy));
  EXPECT_EQ(copy, 3);
  copy = 5;
  memory->copyFromHost(&copy, sizeof(copy));
  EXPECT_EQ(value, 5);
}

/// Adds the second argument to each program's element, as generated code would.
void addToEach(const ArgumentSlot *arguments, const GridExtent *grid, uint64_t begin, uint64_t end,
               void *, const runtime::cpu::LaunchContext *) {
  auto *values = reinterpret_cast<uint64_t *>(arguments[0].bits);
  for (uint64_t i = begin; i < end; ++i)
    values[i] += arguments[1].bits + grid->y;
}

/// Code that does nothing but jump to a function of this program.
runtime::CpuCode jumpTo(runtime::cpu::KernelEntry entry) {
  runtime::CpuCode code;
  code.image.bytes = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0}; // mov rax, ...; jmp rax
  std::memcpy(code.image.bytes.data() + 2, &entry, sizeof(entry));
  return code;
}

TEST(CpuKernel, PassesSlotsGridAndPrograms) {
  runtime::cpu::ThreadPool pool(3);
  runtime::cpu::CpuKernel kernel(jumpTo(addToEach), "adding", pool);
  std::vector<uint64_t> values(5 * 7 * 2, 1);
  ArgumentSlot slots[] = {{reinterpret_cast<uint64_t>(values.data()), values.size() * 8}, {10, 0}};
  kernel.launch({5, 7, 2}, slots, nullptr);
  for (uint64_t value : values)
    EXPECT_EQ(value, 18u);
}

} // namespace
