// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiled kernel on one GPU.
#pragma once

#include "runtime/Artifact.h"
#include "runtime/Executable.h"
#include "runtime/cuda/BoxMaps.h"
#include "runtime/cuda/Module.h"

#include <array>
#include <functional>
#include <mutex>

namespace nereid::runtime::cuda {

/// The entry of a CudaCode has one parameter for each run-time parameter of the kernel, in order: a
/// pointer to global memory, or a number of the parameter's own width (booleans as bytes); if it
/// prints, one more, for what it prints (PrintRecord.h); if its blocks loop over programs, the
/// grid's three numbers; and last the tensor maps of its boxes. One block runs one program, whose
/// id in the grid is %ctaid; or one cluster runs it, and the id is %clusterid; or, of a loop, those
/// that are %nctaid.x apart from %ctaid.x on, numbered along x first.
class CudaKernel final : public Executable {
public:
  /// The most run-time parameters a kernel may have: what every device takes, 4096 bytes, holds
  /// as many pointers.
  static constexpr size_t mostParameters = 512;

  /// Gets the code with the limit of registers that was chosen.
  using KeepCode = std::function<void(const CudaCode &code)>;
  /// Makes the same kernel without boxes, when a launch first wants it.
  using MakePlain = std::function<std::unique_ptr<Executable>()>;
  /// Makes the same kernel for launches whose rows begin at multiples of so many bytes
  /// (CudaCode::wanted), when one first comes.
  using MakeBetter = std::function<std::unique_ptr<Executable>(unsigned bytes)>;

  /// Loads the code for the device of `stream`, on which launch() then runs. Machine code that is
  /// missing, was made for another device, or is refused by the driver is made of the PTX. Throws
  /// Error(Environment) if the device cannot run it. `makePlain` is for code with boxes that does
  /// not bring one without (CudaCode::withoutBoxes); it gives a CudaKernel. With neither, launches
  /// that want that kernel are an Error(Usage). Without `makeBetter`, which gives a CudaKernel as
  /// well, all launches take this code.
  CudaKernel(std::shared_ptr<Stream> stream, const CudaCode &code, KernelLabel label,
             const KeepCode &keep = {}, MakePlain makePlain = {}, MakeBetter makeBetter = {});

  void launch(GridExtent grid, std::span<const ArgumentSlot> arguments,
              const PrintSink *print) override;
  /// Allocates nothing and waits for nothing, so that a stream that is being captured takes it; of
  /// such a one, kernels that print are an Error(Usage), and assertions trap.
  void launchOn(void *stream, GridExtent grid, std::span<const ArgumentSlot> arguments,
                const PrintSink *print, bool mayTrap = false) override;
  std::unique_ptr<ClockedLaunch> prepareClocked(GridExtent grid,
                                                std::span<const ArgumentSlot> arguments,
                                                const ClockLimits &limits) override;
  size_t bytes() const override { return sizeof(*this); } // the code is the device's
  std::optional<KernelResources> resources() const override;
  /// Returns at once. Later calls report what goes wrong on the device. Allocates no memory. Of a
  /// kernel that prints, the last argument is the buffer; of one that takes clocks, what
  /// ClockRecords.h says follows.
  void enqueue(const Stream &on, GridExtent grid, std::span<const ArgumentSlot> arguments);

  const FunctionAttributes &attributes() const { return function.attributes(); }
  int blocksPerMultiprocessor() const { return function.blocksPerMultiprocessor(shape); }

private:
  [[noreturn]] void refuse(const std::string &reason) const;
  CudaKernel &plain();
  /// The code that is best for these arguments, null for this one.
  CudaKernel *better(std::span<const ArgumentSlot> arguments);
  Function load(const CudaCode &code, const KeepCode &keep) const;
  std::optional<Function> assemble(const CudaCode &code, unsigned limit) const;
  /// The PTX, assembled once, or twice where fewer registers let another block share an SM; and the
  /// limit of registers that was chosen, 0 for none.
  std::pair<Function, unsigned> assembleWell(const CudaCode &code) const;
  void requireGrid(GridExtent grid) const;
  uint32_t loopingBlocks(uint32_t programs) const;
  bool wantsPlain(GridExtent grid) const;
  bool needsPlain(GridExtent grid, std::span<const ArgumentSlot> arguments) const;
  void launchPrinting(const Stream &on, GridExtent grid, std::span<const ArgumentSlot> arguments,
                      const PrintSink *sink);

  std::shared_ptr<Stream> stream;
  std::shared_ptr<const KernelLabel> label;
  LaunchShape shape;
  std::vector<PrintSite> prints;
  std::vector<ClockSite> clocks;
  Function function;
  Boxes boxes;
  bool loopsOverPrograms, programsAreAlike;
  bool isClusterTooLarge = false; // for this device
  MakePlain makePlain;
  std::once_flag plainIsMade;
  std::unique_ptr<Executable> plainKernel;
  std::vector<MultipleCondition> wanted;
  MakeBetter makeBetter;
  /// For rows at multiples of 16, 8 and 4 bytes.
  struct Better {
    std::once_flag isMade;
    std::unique_ptr<Executable> kernel;
  };
  std::array<Better, 3> betterKernels;
};

} // namespace nereid::runtime::cuda
