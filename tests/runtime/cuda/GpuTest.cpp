// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime on a real GPU; skipped where there is none. What ends a context runs in processes of
// its own, for which this program starts itself.
#include "GpuKernels.h"
#include "Messages.h"
#include "runtime/cuda/CudaKernel.h"
#include "runtime/cuda/DeviceMemory.h"
#include "runtime/cuda/Pointer.h"
#include "runtime/cuda/TensorMap.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <unistd.h>

using namespace nereid::runtime::cuda;
using nereid::runtime::CudaCode;
using nereid::runtime::Memory;

namespace nereid::test {
// Not the public ones of the same name.
using runtime::cuda::Event;
using runtime::cuda::Stream;
namespace {

ArgumentSlot slot(const Memory &memory) {
  return {reinterpret_cast<uint64_t>(memory.data()), memory.bytes()};
}

CudaCode ptxCode(const char *ptx, int sm, const std::string &entry, uint32_t threads = 128) {
  CudaCode code;
  code.ptx = ptx;
  code.ptxSm = sm;
  code.entry = entry;
  code.threads = threads;
  return code;
}

std::vector<int> read(const Memory &memory, size_t count) {
  std::vector<int> values(count);
  memory.copyToHost(values.data(), count * 4);
  return values;
}

class Gpu : public testing::Test {
protected:
  void SetUp() override {
    if (std::string reason = Driver::status().reason; !reason.empty())
      GTEST_SKIP() << reason;
    stream = std::make_shared<Stream>(Context::open(0));
    if (device().sm() < 80)
      GTEST_SKIP() << device().fullName() << " is older than sm_80";
  }
  const DeviceProperties &device() const { return stream->context().properties(); }
  CudaKernel load(const char *ptx, int sm, const std::string &entry, uint32_t threads = 128) {
    return CudaKernel(stream, ptxCode(ptx, sm, entry, threads), {entry, "kernels.py"});
  }

  std::shared_ptr<Stream> stream;
};

TEST_F(Gpu, SaysWhatItIs) {
  std::printf("driver for CUDA %s; %s: %s, %d multiprocessors, %d bytes of shared memory\n",
              versionText(Driver::get().version()).c_str(), device().fullName().c_str(),
              sizeText(device().memory).c_str(), device().multiprocessors, device().sharedPerBlock);
  EXPECT_GT(device().multiprocessors, 0);
  EXPECT_GE(device().sharedPerBlock, 99 << 10);
  EXPECT_EQ(device().registersPerBlock, 65536);
  EXPECT_EQ(device().grid, (std::array<int, 3>{2147483647, 65535, 65535}));
}

TEST_F(Gpu, AddsWithLinkedPtx) {
  constexpr size_t count = 100003, n = 99991;
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> x(count), y(count), out(count);
  for (size_t i = 0; i < count; ++i)
    x[i] = uniform(generator), y[i] = uniform(generator);
  auto a = allocateDevice(stream, count * 4), b = allocateDevice(stream, count * 4),
       c = allocateDevice(stream, count * 4);
  a->copyFromHost(x.data(), count * 4);
  b->copyFromHost(y.data(), count * 4);
  LinkedCode linked = link(stream->context(), ampereKernels, "it", LinkLog::Verbose);
  std::printf("%zu bytes of machine code; %s\n", linked.cubin.size(), linked.log.c_str());
  EXPECT_TRUE(has(linked.log, "registers"));
  CudaCode code = ptxCode("", 0, "add");
  code.cubin = linked.cubin;
  code.cubinSm = device().sm();
  CudaKernel kernel(stream, code, {"add", "kernels.py"});
  EXPECT_EQ(kernel.attributes().localBytes, 0);
  EXPECT_EQ(kernel.attributes().binaryVersion, device().sm());
  EXPECT_GE(kernel.blocksPerMultiprocessor(), 8);
  // -3, with what is not its own above it.
  std::vector<ArgumentSlot> slots = {slot(*a), slot(*b), slot(*c), {n, 0}, {0xfffd, 0}};
  kernel.launch({(count + 127) / 128, 1, 1}, slots, nullptr);
  c->copyToHost(out.data(), count * 4);
  for (size_t i = 0; i < count; ++i)
    ASSERT_EQ(out[i], i < n ? float(double(x[i]) - 3 * double(y[i])) : 0.0f) << i;
}

TEST_F(Gpu, ShowsWhatIsWrongWithPtx) {
  std::string text = messageOf([&] {
    link(stream->context(),
         ".version 7.0\n.target sm_80\n.address_size 64\n.entry k() { add.u32 %a, %b, 1; }\n",
         "kernel 'k' (k.py)");
  });
  std::puts(text.c_str());
  EXPECT_TRUE(has(text, "cannot compile kernel 'k' (k.py) for cuda:0", "failed", "line 4"));
  text = messageOf([&] { link(stream->context(), ".version 99.0\n.target sm_80\n", "it"); });
  std::puts(text.c_str());
  EXPECT_TRUE(has(text, "install a newer driver"));
  CudaCode damaged = ptxCode("", 0, "add");
  damaged.cubin.assign(1000, 7);
  damaged.cubinSm = device().sm();
  text = messageOf([&] { CudaKernel(stream, damaged, {"k", "k.py"}); });
  std::puts(text.c_str());
  EXPECT_TRUE(has(text, "cannot load kernel 'k' (k.py)"));
}

TEST_F(Gpu, KnowsItsMemory) {
  auto memory = allocateDevice(stream, 1000);
  EXPECT_EQ(read(*memory, 250), std::vector<int>(250));
  std::vector<int> values(250);
  std::iota(values.begin(), values.end(), 1);
  memory->copyFromHost(values.data(), 1000);
  auto *middle = static_cast<char *>(memory->data()) + 400;
  EXPECT_EQ(read(*borrowDevice(stream, middle, 600), 150),
            std::vector<int>(values.begin() + 100, values.end()));
  auto borrow = [&](void *address, size_t bytes) {
    std::string text = messageOf([&] { borrowDevice(stream, address, bytes); }, Error::Kind::Usage);
    std::puts(text.c_str());
    return text;
  };
  EXPECT_TRUE(has(borrow(values.data(), 1000), "the host's own"));
  EXPECT_TRUE(has(borrow(middle, 1000), "1000 bytes are asked for", "ends after 600"));
  auto pinned = allocatePinned(stream->sharedContext(), 1000);
  copyToDevice(*stream, memory->data(), pinned->data(), 4);
  EXPECT_EQ(borrowDevice(stream, pinned->data(), 1000)->data(), pinned->data());
  auto borrowed = borrowDevice(stream, memory->data(), 1000);
  void *freed = memory->data();
  memory.reset();
  EXPECT_TRUE(has(borrow(freed, 4), "it was freed"));
  std::string text = messageOf([&] { read(*borrowed, 1); });
  std::puts(text.c_str());
  EXPECT_TRUE(has(text, "it was freed"));
  text = messageOf([&] { allocateDevice(stream, size_t(1) << 46); });
  std::puts(text.c_str());
  EXPECT_TRUE(has(text, "cannot allocate 64 TiB", "are free"));
}

TEST_F(Gpu, OrdersStreamsByEvents) {
  constexpr size_t bytes = size_t(64) << 20;
  auto other = std::make_shared<Stream>(stream->sharedContext());
  auto a = allocateDevice(stream, bytes), b = allocateDevice(stream, bytes);
  Event begin(stream->sharedContext(), Event::Timing::On),
      end(stream->sharedContext(), Event::Timing::On);
  begin.record(*stream);
  for (int i = 1; i <= 40; ++i)
    fillBytes(*stream, a->data(), static_cast<unsigned char>(i), bytes);
  end.record(*stream);
  other->wait(end);
  copyOnDevice(*other, b->data(), a->data(), bytes);
  other->synchronize();
  EXPECT_TRUE(end.isDone());
  EXPECT_GT(end.millisecondsSince(begin), 0.05f);
  std::vector<int> values = read(*b, bytes / 4);
  EXPECT_EQ(values, std::vector<int>(bytes / 4, 40 * 0x01010101));
}

TEST_F(Gpu, ReachesAnotherOne) {
  if (Driver::get().deviceCount() < 2)
    GTEST_SKIP() << "there is one GPU";
  constexpr size_t count = 1 << 20;
  auto far = std::make_shared<Stream>(Context::open(1));
  auto x = allocateDevice(stream, count * 4), there = allocateDevice(far, count * 4),
       result = allocateDevice(far, count * 4);
  std::vector<float> values(count), found(count);
  std::iota(values.begin(), values.end(), 1.0f);
  x->copyFromHost(values.data(), count * 4);
  std::string why = whyUnreachable(stream->context(), there->data(), count * 4);
  std::puts(why.c_str());
  if (!why.empty())
    GTEST_SKIP() << why;
  EXPECT_EQ(whyUnreachable(stream->context(), there->data(), count * 4), "");
  std::vector<ArgumentSlot> slots = {
      slot(*x), slot(*x), slot(*there), {count, 0}, {2, 0}}; // x + 2 x, over there
  CudaKernel kernel = load(ampereKernels, 80, "add");
  kernel.launchOn(stream->handle(), {count / 128, 1, 1}, slots, nullptr);
  Event stored(stream->sharedContext());
  stored.record(*stream);
  far->wait(stored);
  copyOnDevice(*far, result->data(), there->data(), count * 4);
  far->synchronize();
  result->copyToHost(found.data(), count * 4);
  for (size_t i = 0; i < count; ++i)
    ASSERT_EQ(found[i], 3 * values[i]) << i;
}

TEST_F(Gpu, LaunchesClustersAndDependents) {
  if (!device().hasClusters)
    GTEST_SKIP() << device().fullName() << " has no clusters";
  auto memory = allocateDevice(stream, 64);
  CudaCode ranks = ptxCode(hopperKernels, 90, "ranks", 32);
  ranks.cluster = {4, 1, 1};
  std::vector<ArgumentSlot> slots = {slot(*memory)};
  CudaKernel(stream, ranks, {"ranks", "k.py"}).launch({8, 1, 1}, slots, nullptr);
  EXPECT_EQ(read(*memory, 9), (std::vector<int>{0, 1, 2, 3, 0, 1, 2, 3, 0}));
  ranks.cluster = {16, 1, 1}; // more than is portable
  CudaKernel(stream, ranks, {"ranks", "k.py"}).launch({16, 1, 1}, slots, nullptr);
  EXPECT_EQ(read(*memory, 16)[15], 15);
  ranks.cluster = {32, 1, 1};
  std::string text = messageOf([&] { CudaKernel(stream, ranks, {"ranks", "k.py"}); });
  std::puts(text.c_str());
  EXPECT_TRUE(has(text, "is made for clusters of 32 blocks", "has clusters of up to"));
  CudaCode chain = ptxCode(hopperKernels, 90, "chain", 1);
  chain.overlapsPrevious = true;
  CudaKernel kernel(stream, chain, {"chain", "k.py"});
  fillBytes(*stream, memory->data(), 0, 4);
  for (int i = 0; i < 1000; ++i)
    kernel.enqueue(*stream, {1, 1, 1}, slots);
  stream->synchronize();
  EXPECT_EQ(read(*memory, 1)[0], 1000);
}

TEST_F(Gpu, EncodesTensorMaps) {
  if (!Driver::get().tensorMapEncodeTiled)
    GTEST_SKIP() << "the driver has no tensor maps";
  auto memory = allocateDevice(stream, 512 * 100 * 2);
  TensorMapShape shape{DType::Float16, 2,        {512, 100},
                       {1024},         {64, 64}, TensorMapShape::Swizzle::Bytes128};
  EXPECT_EQ(whyNoTensorMap(Driver::get(), shape, memory->data()), "");
  std::optional<CUtensorMap> map = encodeTensorMap(stream->context(), shape, memory->data());
  ASSERT_TRUE(map);
  EXPECT_EQ(map->opaque[0], reinterpret_cast<uint64_t>(memory->data()));
}

TEST_F(Gpu, FailingLaunchesLeaveMemoryAsItWas) {
  auto freeBytes = [&] {
    size_t free = 0, total = 0;
    stream->context().call(Driver::get().memGetInfo, &free, &total);
    return free;
  };
  CudaCode add = ptxCode("", 0, "add");
  add.cubin = link(stream->context(), ampereKernels, "it").cubin;
  add.cubinSm = device().sm();
  CudaCode big = add, nameless = add;
  big.sharedBytes = 1 << 20;
  nameless.entry = "sub";
  Function function =
      runtime::cuda::Module::load(stream->sharedContext(), add.cubin, "it")->function("add");
  void *parameters[5] = {};
  auto failAll = [&](bool isAllocating) {
    EXPECT_THROW(CudaKernel(stream, big, {"k", "k.py"}), Error);
    EXPECT_THROW(CudaKernel(stream, nameless, {"k", "k.py"}), Error);
    EXPECT_NE(function.launch(*stream, {1, 1, 1}, {2048}, parameters).result, 0);
    if (isAllocating) // the driver takes a tenth of a second to be sure
      EXPECT_THROW(allocateDevice(stream, size_t(1) << 46), Error);
  };
  failAll(true);
  size_t before = freeBytes();
  for (int i = 0; i < 1000; ++i)
    failAll(i % 100 == 0);
  EXPECT_EQ(freeBytes(), before);
}

// Faults. A child does one thing wrong and prints what it is told.

const char *faultOfThisProcess() { return std::getenv("NEREID_TEST_FAULT"); }

class GpuFault : public Gpu {
protected:
  static std::string runChild(const std::string &fault, const std::string &environment = "") {
    std::string command = environment + " NEREID_TEST_FAULT=" + fault + " /proc/" +
                          std::to_string(getpid()) + "/exe --gtest_filter=GpuFault.Child 2>&1";
    FILE *pipe = popen(command.c_str(), "r");
    std::string text;
    char buffer[4096];
    while (size_t count = fread(buffer, 1, sizeof buffer, pipe))
      text.append(buffer, count);
    EXPECT_EQ(pclose(pipe), 0);
    std::puts(text.c_str());
    return text;
  }
};

TEST_F(GpuFault, Child) {
  if (!faultOfThisProcess())
    GTEST_SKIP() << "only as a child of the others";
  std::string fault = faultOfThisProcess();
  {
    auto memory = allocateDevice(stream, 64);
    const char *entry = fault == "trap" ? "trap" : fault == "assert" ? "check" : "store";
    uint64_t argument = fault == "illegal"      ? uint64_t(1) << 44
                        : fault == "misaligned" ? slot(*memory).bits + 1
                                                : 0;
    CudaKernel kernel = load(ampereKernels, 80, entry, 1);
    std::vector<ArgumentSlot> slots = {{argument, 0}};
    std::printf("FIRST %s\n", messageOf([&] { kernel.launch({2, 3, 1}, slots, nullptr); }).c_str());
    std::printf("THEN %s\n", messageOf([&] { allocateDevice(stream, 64); }).c_str());
    int value = 0;
    std::printf("ALSO %s\n", messageOf([&] { memory->copyToHost(&value, 4); }).c_str());
  }
  // The driver gives no new context, either, once nothing uses this one.
  stream.reset();
  std::printf("LAST %s\n", messageOf([&] { Context::open(0); }).c_str());
}

TEST_F(GpuFault, NamesTheKernelAndRefusesFromThenOn) {
  const struct {
    const char *fault, *name, *kernel;
  } rows[] = {{"illegal", "CUDA_ERROR_ILLEGAL_ADDRESS", "store"},
              {"misaligned", "CUDA_ERROR_MISALIGNED_ADDRESS", "store"},
              {"trap", "CUDA_ERROR_LAUNCH_FAILED", "trap"},
              {"assert", "CUDA_ERROR_ASSERT", "check"}};
  for (const auto &row : rows)
    EXPECT_TRUE(has(runChild(row.fault),
                    "FIRST kernel '" + std::string(row.kernel) +
                        "' (kernels.py) on a grid of (2, 3, 1) failed: cuStreamSynchronize",
                    row.name, "this process has lost cuda:0",
                    "THEN cuda:0 cannot be used any more in this process, because kernel '",
                    "ALSO cuda:0 cannot be used any more",
                    "LAST cuda:0 cannot be used any more in this process, because kernel '"));
}

TEST_F(GpuFault, IsReportedByTheLaunchWhereLaunchesBlock) {
  EXPECT_TRUE(
      has(runChild("illegal", "CUDA_LAUNCH_BLOCKING=1"),
          "FIRST kernel 'store' (kernels.py) on a grid of (2, 3, 1) failed: cuLaunchKernel"));
}

} // namespace
} // namespace nereid::test
