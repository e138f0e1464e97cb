// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/Interpreter.h"
#include "jit/Boundary.h"
#include "jit/CheckReport.h"
#include "jit/HostDevice.h"
#include "support/Check.h"
#include "support/DeepStack.h"

#include <cstdio>
#include <mutex>

namespace nereid::jit {
namespace {

/// A kernel that is interpreted. Launches take turns, because its MLIR context is not for threads.
class CheckedKernel final : public runtime::Executable {
public:
  CheckedKernel(tile::Kernel kernel, std::shared_ptr<const driver::SourceModule> source)
      : kernel(std::move(kernel)), source(std::move(source)) {
    this->kernel.function()->walk([&](mlir::Operation *) { ++operations; });
  }

  void launch(GridExtent grid, std::span<const ArgumentSlot> arguments,
              const runtime::PrintSink *print) override {
    std::lock_guard lock(turn);
    StageScope stage("interpret", kernel.name, [&] { return kernel.text(); });
    CheckReport report(*source, print);
    interpret::run(kernel.function(), arguments, grid, report);
    std::fflush(stdout);
    if (report.isEmpty())
      return;
    std::vector<Finding> findings;
    for (const Diagnostic &diagnostic : report.diagnostics())
      findings.push_back(toFinding(diagnostic));
    throw Error(Error::Kind::Checked, report.render(), std::move(findings));
  }

  /// MLIR does not tell; measured were a context with its dialects, and what an operation adds.
  size_t bytes() const override { return 210'000 + 250 * operations; }

private:
  tile::Kernel kernel;
  std::shared_ptr<const driver::SourceModule> source;
  size_t operations = 0;
  std::mutex turn;
};

class CheckDevice final : public HostDevice {
public:
  unsigned threads() const override { return 1; }

  void keepRelevant(sema::Specialization &) const override {}

  std::unique_ptr<runtime::Executable> build(const driver::KernelRequest &request) override {
    tile::Kernel kernel = onDeepStack([&] {
      Dump quiet;
      return driver::emitTile(*request.source, *request.function, request.specialization, quiet);
    });
    return std::make_unique<CheckedKernel>(std::move(kernel), request.source);
  }

  std::unique_ptr<runtime::Executable> load(const runtime::Artifact &artifact) override {
    throw Error(Error::Kind::Usage, "device check runs kernels from their source; '" +
                                        artifact.kernel + "' is compiled");
  }
};

} // namespace

std::unique_ptr<OpenDevice> openCheckDevice(const DeviceOptions &, unsigned) {
  return std::make_unique<CheckDevice>();
}

} // namespace nereid::jit
