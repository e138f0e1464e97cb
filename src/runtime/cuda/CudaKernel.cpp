// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/CudaKernel.h"

#include "nereid/error.h"
#include "runtime/GridText.h"
#include "runtime/PrintRecord.h"
#include "runtime/cuda/AssemblyPool.h"
#include "runtime/cuda/DeviceMemory.h"
#include "runtime/cuda/FewerRegisters.h"
#include "runtime/cuda/Fit.h"
#include "support/Check.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>

namespace nereid::runtime::cuda {

static constexpr size_t gridNumbers = 3, clockNumbers = 7;
static constexpr uint64_t mostPrograms = std::numeric_limits<int32_t>::max(); // of a loop

CudaKernel::CudaKernel(std::shared_ptr<Stream> on, const CudaCode &code, KernelLabel name,
                       const KeepCode &keep, MakePlain makePlain, MakeBetter makeBetter)
    : stream(std::move(on)), label(std::make_shared<KernelLabel>(std::move(name))),
      shape{code.threads,          code.sharedBytes, code.cluster,
            code.overlapsPrevious, code.rows,        code.meetsWholeGrid},
      prints(code.prints), clocks(code.clocks), function(load(code, keep)),
      boxes{code.boxes, code.conditions}, loopsOverPrograms(code.loopsOverPrograms),
      programsAreAlike(code.programsAreAlike), makePlain(std::move(makePlain)), wanted(code.wanted),
      makeBetter(std::move(makeBetter)) {
  if (!code.withoutBoxes.empty())
    this->makePlain = [on = stream, code = code.withoutBoxes[0], name = *label] {
      return std::make_unique<CudaKernel>(on, code, name);
    };
  const DeviceProperties &device = stream->context().properties();
  shape.overlapsPrevious &= canOverlapLaunches(device);
  if (std::string reason = whyUnfit(device, attributes(), shape); !reason.empty())
    refuse(reason);
  function.prepare(shape);
  if (shape.blocksInCluster() == 1)
    return;
  std::string reason = whyUnfitCluster(device, shape, function.largestCluster(shape));
  isClusterTooLarge = !reason.empty();
  if (isClusterTooLarge && !this->makePlain)
    refuse(reason);
}

std::optional<KernelResources> CudaKernel::resources() const {
  const DeviceProperties &device = stream->context().properties();
  int programs = blocksPerMultiprocessor();
  auto number = [](auto value) { return static_cast<unsigned>(value); };
  return KernelResources{.threads = shape.threads,
                         .registers = number(attributes().registers),
                         .localBytes = number(attributes().localBytes),
                         .sharedBytes = number(attributes().sharedBytes) + shape.sharedBytes,
                         .programsPerMultiprocessor = number(programs),
                         .occupancy =
                             double(programs) * shape.threads / device.threadsPerMultiprocessor};
}

void CudaKernel::refuse(const std::string &reason) const {
  throw Error(Error::Kind::Environment, label->text() + " " + reason);
}

Function CudaKernel::load(const CudaCode &code, const KeepCode &keep) const {
  Context &context = stream->context();
  const DeviceProperties &device = context.properties();
  CodeForm form = chooseForm(device, code);
  if (form == CodeForm::None)
    refuse(whyNoForm(device, code));
  if (form == CodeForm::Cubin) {
    auto refusal = canMakeCode(device, code) ? Module::Refusal::IsNull : Module::Refusal::Throws;
    if (auto module = Module::load(stream->sharedContext(), code.cubin, label->text(), refusal))
      return module->function(code.entry);
  }
  const bool isKnown = code.limit.sm == device.sm() && code.limit.driver == device.driver;
  if (isKnown && form == CodeForm::Ptx)
    return assemble(code, code.limit.registers).value();
  auto [function, limit] = assembleWell(code);
  if (keep) {
    CudaCode complete = code;
    complete.limit = {limit, device.sm(), device.driver};
    complete.cubin.clear(); // if there was one, it was refused
    complete.cubinSm = 0;
    keep(complete);
  }
  return function;
}

/// Nothing if the text can have no limit.
std::optional<Function> CudaKernel::assemble(const CudaCode &code, unsigned limit) const {
  const std::string text = limit ? withRegisterLimit(code.ptx, limit) : code.ptx;
  if (text.empty())
    return std::nullopt;
  std::vector<uint8_t> ptx(text.begin(), text.end());
  ptx.push_back(0);
  return assembleInTurn(stream->sharedContext(), ptx, label->text())->function(code.entry);
}

std::pair<Function, unsigned> CudaKernel::assembleWell(const CudaCode &code) const {
  const DeviceProperties &device = stream->context().properties();
  auto blocksOf = [&](const Function &function) {
    if (!whyUnfit(device, function.attributes(), shape).empty())
      return 0;
    function.prepare(shape);
    return function.blocksPerMultiprocessor(shape);
  };
  const Function first = assemble(code, 0).value();
  std::optional<Function> other;
  auto tryLimit = [&](unsigned limit) -> std::optional<LimitedCode> {
    try {
      other = assemble(code, limit);
    } catch (const Error &) {
      other.reset(); // a product's registers are all taken together: fewer are no code at all
    }
    if (!other)
      return std::nullopt;
    return LimitedCode{other->attributes().localBytes, blocksOf(*other)};
  };
  const unsigned limit =
      chooseLimit(device, first.attributes(), shape, blocksOf(first), factsOf(code.ptx), tryLimit);
  return {limit ? *other : first, limit};
}

CudaKernel &CudaKernel::plain() {
  std::call_once(plainIsMade, [&] {
    if (!makePlain)
      throw Error(Error::Kind::Usage,
                  label->text() +
                      " cannot be launched: its code copies whole boxes of arrays or runs programs "
                      "by clusters of blocks, which these "
                      "arguments, this grid or this device do not allow, and it came without the "
                      "code for such "
                      "launches, as kernels from the cache do; launch it from its source, or from "
                      "a file that it is compiled to");
    OutsideCapture outside(stream->context());
    plainKernel = makePlain();
  });
  return static_cast<CudaKernel &>(*plainKernel);
}

CudaKernel *CudaKernel::better(std::span<const ArgumentSlot> arguments) {
  if (wanted.empty() || !makeBetter || !prints.empty()) // whose sites are this code's
    return nullptr;
  constexpr unsigned mostBytes = 16;
  for (unsigned step = 0; step < betterKernels.size(); ++step) {
    auto holds = [&](const MultipleCondition &condition) {
      return MultipleCondition{condition.parameter, condition.divisor >> step}.holdsFor(arguments);
    };
    auto asksForSome = [&](const MultipleCondition &condition) {
      return condition.divisor >> step > 1;
    };
    if (std::none_of(wanted.begin(), wanted.end(), asksForSome))
      return nullptr;
    if (!std::all_of(wanted.begin(), wanted.end(), holds))
      continue;
    Better &found = betterKernels[step];
    std::call_once(found.isMade, [&] {
      OutsideCapture outside(stream->context());
      try {
        found.kernel = makeBetter(mostBytes >> step);
      } catch (const std::exception &) {
        // This code computes the same; who compiles that text ahead is told what is wrong with it.
      }
    });
    return static_cast<CudaKernel *>(found.kernel.get());
  }
  return nullptr;
}

void CudaKernel::requireGrid(GridExtent grid) const {
  const DeviceProperties &device = stream->context().properties();
  if (std::string reason = whyUnfitGrid(device, grid); !reason.empty()) [[unlikely]]
    throw Error(Error::Kind::Usage, label->text() + " cannot be launched on a grid of " +
                                        gridText(grid) + ": " + reason);
}

/// One for each multiprocessor, at most. Where all programs take as long, a few less if each then
/// runs as many as the others: none is last, alone and without another block's requests to hide its
/// waits. (On an H200 with 132, 128 gain 1 % for 512 tiles of a matmul and for 4096 rows of 128
/// KB.)
uint32_t CudaKernel::loopingBlocks(uint32_t programs) const {
  constexpr uint32_t mostIdle = 8; // one of so many
  auto all = static_cast<uint32_t>(stream->context().properties().multiprocessors);
  uint32_t blocks = std::min(programs, all);
  if (!programsAreAlike || !blocks)
    return blocks;
  auto divideUp = [](uint32_t a, uint32_t b) { return (a + b - 1) / b; };
  uint32_t even = divideUp(programs, divideUp(programs, blocks));
  return (blocks - even) * mostIdle <= all ? even : blocks;
}

/// Whether no launch on this grid can be of this code: the device has no room for its clusters, as
/// many blocks are no grid, or its loops cannot count the programs.
bool CudaKernel::wantsPlain(GridExtent grid) const {
  const auto mostBlocks = static_cast<uint64_t>(stream->context().properties().grid[0]);
  return (loopsOverPrograms && grid.programs() > mostPrograms) || isClusterTooLarge ||
         (shape.cluster[0] > 1 && uint64_t(grid.x) * shape.cluster[0] > mostBlocks);
}

void CudaKernel::enqueue(const Stream &on, GridExtent grid,
                         std::span<const ArgumentSlot> arguments) {
  NEREID_CHECK(arguments.size() <= mostParameters + !prints.empty() + clockNumbers,
               "a kernel was loaded that has too many");
  if (CudaKernel *other = better(arguments))
    return other->enqueue(on, grid, arguments);
  requireGrid(grid);
  if (wantsPlain(grid)) [[unlikely]]
    return plain().enqueue(on, grid, arguments);
  // Numbers lie at the low end of their slot, so a slot is where its parameter's value is.
  void *parameters[mostParameters + 1 + clockNumbers + gridNumbers + mostBoxes];
  void **next = parameters;
  for (const ArgumentSlot &argument : arguments)
    *next++ = const_cast<uint64_t *>(&argument.bits);
  GridExtent blocks = {grid.x * shape.cluster[0], grid.y * shape.cluster[1],
                       grid.z * shape.cluster[2]};
  if (loopsOverPrograms) {
    blocks = {loopingBlocks(static_cast<uint32_t>(grid.programs())), 1, 1};
    for (uint32_t *number : {&grid.x, &grid.y, &grid.z})
      *next++ = number;
  }
  CUtensorMap maps[mostBoxes];
  if (!boxes.empty()) {
    if (!boxes.makeMaps(on.context(), arguments, maps))
      return plain().enqueue(on, grid, arguments);
    for (size_t i = 0; i < boxes.boxes.size(); ++i)
      *next++ = &maps[i];
  }
  Function::Launched launched = function.launch(on, blocks, shape, parameters);
  Context &context = on.context();
  // Before a failure is reported: with CUDA_LAUNCH_BLOCKING the launch itself reports a fault.
  context.launches().add(label, grid, on.handle());
  if (launched.result) [[unlikely]]
    context.fail(launched.symbol, launched.result,
                 label->text() + " cannot be launched on a grid of " + gridText(grid));
}

/// Whether a launch is one of the kernel without boxes.
bool CudaKernel::needsPlain(GridExtent grid, std::span<const ArgumentSlot> arguments) const {
  if (wantsPlain(grid))
    return true;
  CUtensorMap maps[mostBoxes];
  return !boxes.empty() && !boxes.makeMaps(stream->context(), arguments, maps);
}

namespace {

class CudaClockedLaunch final : public ClockedLaunch {
public:
  CudaClockedLaunch(CudaKernel &kernel, const std::shared_ptr<Stream> &stream, GridExtent grid,
                    std::span<const ArgumentSlot> given, ClockReadings about)
      : kernel(kernel), stream(stream), grid(grid), readings(std::move(about)),
        arguments(given.begin(), given.end()) {
    const ClockShares &shares = readings.shares;
    table = allocateDevice(stream, shares.rows * sizeof(BlockRow));
    records = allocateDevice(stream, (shares.areas + 1) * shares.areaBytes);
    auto at = reinterpret_cast<uint64_t>(records->data());
    firstArea = (at + shares.areaBytes - 1) / shares.areaBytes * shares.areaBytes;
    arguments.push_back({reinterpret_cast<uint64_t>(table->data()), table->bytes()});
    arguments.push_back({firstArea, records->bytes()});
    for (uint32_t number : shares.numbers(readings.warps))
      arguments.push_back({number, 0});
  }

  void clear(void *on) override {
    Stream given = streamOf(on);
    fillBytes(given, table->data(), 0, table->bytes());
    fillBytes(given, records->data(), 0, records->bytes());
  }
  uint64_t notingBlocks() const override { return readings.shares.areas / readings.warps; }
  void queue(void *on) override { kernel.enqueue(streamOf(on), grid, arguments); }
  ClockReadings read() override {
    ClockReadings result = readings;
    result.rows.resize(readings.shares.rows);
    table->copyToHost(result.rows.data(), table->bytes());
    std::vector<std::byte> bytes(records->bytes());
    records->copyToHost(bytes.data(), bytes.size());
    result.records.resize(readings.shares.areas * readings.shares.areaBytes / sizeof(ClockRecord));
    std::memcpy(result.records.data(),
                bytes.data() + (firstArea - reinterpret_cast<uint64_t>(records->data())),
                result.records.size() * sizeof(ClockRecord));
    return result;
  }

private:
  Stream streamOf(void *handle) const {
    return Stream(stream->sharedContext(), static_cast<CUstream>(handle));
  }

  CudaKernel &kernel;
  std::shared_ptr<Stream> stream;
  GridExtent grid;
  ClockReadings readings;
  std::vector<ArgumentSlot> arguments;
  std::shared_ptr<Memory> table, records;
  uint64_t firstArea = 0;
};

} // namespace

std::unique_ptr<ClockedLaunch> CudaKernel::prepareClocked(GridExtent grid,
                                                          std::span<const ArgumentSlot> arguments,
                                                          const ClockLimits &limits) {
  if (clocks.empty())
    return Executable::prepareClocked(grid, arguments, limits);
  if (!prints.empty())
    throw Error(Error::Kind::Usage, label->text() + " prints, or checks what it asserts: kernels "
                                                    "that do neither are profiled");
  requireGrid(grid);
  if (CudaKernel *other = better(arguments))
    return other->prepareClocked(grid, arguments, limits);
  if (needsPlain(grid, arguments))
    return plain().prepareClocked(grid, arguments, limits);
  const DeviceProperties &device = stream->context().properties();
  ClockReadings about;
  about.sites = clocks;
  about.blocks = loopsOverPrograms ? loopingBlocks(static_cast<uint32_t>(grid.programs()))
                                   : grid.programs() * shape.blocksInCluster();
  if (about.blocks > std::numeric_limits<uint32_t>::max())
    throw Error(Error::Kind::Usage, label->text() + ": a grid of " + gridText(grid) +
                                        " cannot be profiled: up to 2^32 - 1 blocks are");
  about.warps = (shape.threads + 31) / 32;
  about.clockHertz = 1e3 * device.clock;
  about.multiprocessors = static_cast<unsigned>(device.multiprocessors);
  about.shares = ClockShares::of(about.blocks, about.warps, limits);
  return std::make_unique<CudaClockedLaunch>(*this, stream, grid, arguments, std::move(about));
}

void CudaKernel::launch(GridExtent grid, std::span<const ArgumentSlot> arguments,
                        const PrintSink *print) {
  NEREID_CHECK(clocks.empty(), "code that takes clocks is launched by prepareClocked");
  if (!prints.empty())
    return launchPrinting(*stream, grid, arguments, print);
  enqueue(*stream, grid, arguments);
  stream->synchronize();
}

void CudaKernel::launchOn(void *handle, GridExtent grid, std::span<const ArgumentSlot> arguments,
                          const PrintSink *print, bool mayTrap) {
  NEREID_CHECK(clocks.empty(), "code that takes clocks is launched by prepareClocked");
  Stream on(stream->sharedContext(), static_cast<CUstream>(handle));
  if (prints.empty())
    return enqueue(on, grid, arguments);
  const bool isCapturing = on.isCapturing();
  if ((mayTrap || isCapturing) && std::ranges::all_of(prints, &PrintSite::isFailure)) {
    std::vector<ArgumentSlot> all(arguments.begin(), arguments.end());
    all.push_back({0, 0}); // without a buffer, what fails traps
    return enqueue(on, grid, all);
  }
  if (isCapturing)
    throw Error(Error::Kind::Usage, label->text() +
                                        " prints, and cannot be launched on a stream that is being "
                                        "captured: what it prints is read when it has ended");
  launchPrinting(on, grid, arguments, print);
}

void CudaKernel::launchPrinting(const Stream &on, GridExtent grid,
                                std::span<const ArgumentSlot> arguments, const PrintSink *sink) {
  // Of this launch alone: another thread may launch the kernel meanwhile.
  std::shared_ptr<Memory> records = allocateDevice(stream, printBufferBytes);
  std::vector<ArgumentSlot> all(arguments.begin(), arguments.end());
  all.push_back({reinterpret_cast<uint64_t>(records->data()), records->bytes()});
  enqueue(on, grid, all);
  on.synchronize();
  uint64_t asked;
  records->copyToHost(&asked, sizeof(asked));
  std::vector<std::byte> bytes(std::min(printBufferBytes, printHeaderBytes + asked));
  records->copyToHost(bytes.data(), bytes.size());
  PrintedFailure failure = readPrints(prints, bytes, [&](const std::string &lines) {
    if (sink)
      (*sink)(lines);
    else
      std::fwrite(lines.data(), 1, lines.size(), stdout);
  });
  if (failure.count)
    failure.raise(label->text(), grid);
}

} // namespace nereid::runtime::cuda
