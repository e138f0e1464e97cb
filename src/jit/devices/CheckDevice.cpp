// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/ArrayCopies.h"
#include "check/RaceCheck.h"
#include "check/WrittenCheck.h"
#include "dialect/tile/Tile.h"
#include "interpret/Interpreter.h"
#include "jit/devices/Breakpoints.h"
#include "jit/devices/CheckMemory.h"
#include "jit/devices/CheckReport.h"
#include "jit/devices/HostDevice.h"
#include "jit/launch/Convert.h"
#include "support/Check.h"
#include "support/DeepStack.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdio>
#include <mutex>

namespace nereid::jit {
namespace {

/// What the kernels of a device share with it.
struct CheckState {
  CheckOptions options;
  std::shared_ptr<WrittenBlocks> blocks = std::make_shared<WrittenBlocks>();

  bool canStop() const { return options.stopped && !options.breakpoints.empty(); }
};

/// Gives warnings to who wants them.
void warn(const CheckReport &report, const CheckOptions &options) {
  if (!options.warn) {
    std::fprintf(stderr, "%s\n", report.render().c_str());
    return;
  }
  for (const Finding &finding : report.findings())
    options.warn(finding);
}

/// A kernel that is interpreted. Launches take turns, because its MLIR context is not for threads.
class CheckedKernel final : public runtime::Executable {
public:
  CheckedKernel(tile::Kernel kernel, std::shared_ptr<const driver::SourceModule> source,
                std::shared_ptr<const CheckState> state)
      : kernel(std::move(kernel)), source(std::move(source)), state(std::move(state)) {
    this->kernel.function()->walk([&](mlir::Operation *) { ++operations; });
  }

  void launch(GridExtent grid, std::span<const ArgumentSlot> arguments,
              const runtime::PrintSink *print) override {
    launchViews(grid, arguments, {}, print);
  }

  void launchViews(GridExtent grid, std::span<const ArgumentSlot> arguments,
                   std::span<const uint64_t> bytesBelow, const runtime::PrintSink *print) override {
    std::lock_guard lock(turn);
    StageScope stage("interpret", kernel.name, [&] { return kernel.text(); });
    CheckReport report(*source, state->options, print, kernel.receivers,
                       tile::blockOf(kernel.function()));
    std::optional<check::ArrayCopies> before;
    if (state->options.comparesOrders)
      before.emplace(arguments, bytesBelow);
    run(grid, arguments, bytesBelow, report);
    if (before && !report.hasErrors())
      compareOrders(grid, arguments, bytesBelow, *before, report);
    std::fflush(stdout);
    if (report.hasErrors())
      throw Error(Error::Kind::Checked, report.render(), report.findings());
    if (!report.findings().empty())
      warn(report, state->options);
  }

  /// MLIR does not tell; measured were a context with its dialects, and what an operation adds.
  size_t bytes() const override { return 210'000 + 250 * operations; }

private:
  void run(GridExtent grid, std::span<const ArgumentSlot> arguments,
           std::span<const uint64_t> bytesBelow, CheckReport &report) {
    check::RaceCheck races(report);
    check::WrittenCheck written(report,
                                [this](uint64_t address) { return state->blocks->find(address); });
    interpret::Listener *listeners[] = {&races, &written};
    Breakpoints breakpoints(*source, state->options, tile::blockOf(kernel.function()));
    interpret::run(kernel.function(), arguments, grid, report,
                   {.listeners = listeners,
                    .followsDoubts = true,
                    .findsNonFinite = state->options.findsNonFinite,
                    .lines = state->canStop() ? &breakpoints : nullptr,
                    .source = kernel.source,
                    .bytesBelow = bytesBelow});
    written.settle();
  }

  /// Runs the programs once more in another order, and leaves what the first run left.
  void compareOrders(GridExtent grid, std::span<const ArgumentSlot> arguments,
                     std::span<const uint64_t> bytesBelow, const check::ArrayCopies &before,
                     CheckReport &report) {
    check::ArrayCopies after(arguments, bytesBelow);
    before.restore();
    interpret::Observer quiet; // what there is to say was said
    interpret::run(kernel.function(), arguments, grid, quiet,
                   {.shuffleSeed = state->options.seed, .bytesBelow = bytesBelow});
    for (mlir::BlockArgument argument : kernel.function().getArguments()) {
      mlir::Type pointee = tile::pointeeOf(argument.getType());
      std::optional<DType> dtype = pointee ? tile::dtypeOf(pointee) : std::nullopt;
      if (!dtype)
        continue;
      unsigned number = argument.getArgNumber();
      auto difference = after.compare(number, byteSize(*dtype));
      if (!difference)
        continue;
      auto textAt = [&](const void *element) {
        return llvm::formatv("{0}", loadElement(*dtype, element)).str();
      };
      int64_t offset = difference->index * int64_t(byteSize(*dtype));
      auto *now = reinterpret_cast<const std::byte *>(arguments[number].bits) + offset;
      report.dependsOnOrder(kernel.function().getLoc(),
                            {nameOf(number), difference->index,
                             textAt(after.element(number, difference->index, byteSize(*dtype))),
                             textAt(now), difference->count, difference->elements});
    }
    after.restore();
  }

  std::string nameOf(unsigned number) {
    return kernel.function().getArgAttrOfType<mlir::StringAttr>(number, tile::nameAttr).str();
  }

  tile::Kernel kernel;
  std::shared_ptr<const driver::SourceModule> source;
  std::shared_ptr<const CheckState> state;
  size_t operations = 0;
  std::mutex turn;
};

class CheckDevice final : public HostDevice {
public:
  explicit CheckDevice(CheckOptions options)
      : state(std::make_shared<CheckState>(CheckState{std::move(options)})) {}

  unsigned threads() const override { return 1; }
  std::string targetName() const override { return "check"; }

  std::shared_ptr<runtime::Memory> allocate(size_t bytes) override {
    return allocateChecked(bytes, state->blocks);
  }

  void keepRelevant(sema::Specialization &) const override {}

  std::unique_ptr<runtime::Executable> build(const driver::KernelRequest &request) override {
    tile::Kernel kernel = onDeepStack([&] {
      Dump quiet;
      return driver::emitTile(*request.source, *request.function, request.specialization, quiet,
                              request.wantedConstants, state->canStop());
    });
    return std::make_unique<CheckedKernel>(std::move(kernel), request.source, state);
  }

  std::unique_ptr<runtime::Executable> load(const runtime::Artifact &artifact) override {
    throw Error(Error::Kind::Usage, "device check runs kernels from their source; '" +
                                        artifact.kernel + "' is compiled");
  }

private:
  std::shared_ptr<const CheckState> state;
};

} // namespace

/// A mistyped name would silence nothing.
static void requireFindings(const std::vector<std::string> &ids) {
  std::vector<std::string> known;
#define FINDING(id, severity, text) known.push_back(#id);
#include "support/findings.def"
  for (const std::string &id : ids) {
    if (llvm::is_contained(known, id))
      continue;
    std::string closest = closestName(id, known);
    throw Error(Error::Kind::Usage, "no finding is called '" + id + "'; " +
                                        (closest.empty() ? "there are " + llvm::join(known, ", ")
                                                         : "did you mean '" + closest + "'?"));
  }
}

std::unique_ptr<OpenDevice> openCheckDevice(const DeviceOptions &options, unsigned) {
  requireFindings(options.check.ignored);
  return std::make_unique<CheckDevice>(options.check);
}

} // namespace nereid::jit
