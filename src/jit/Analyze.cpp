// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/analyze.h"
#include "analyze/Analyzer.h"
#include "dialect/tile/Tile.h"
#include "jit/AnalyzeLaunch.h"
#include "jit/Boundary.h"
#include "jit/State.h"
#include "jit/host/CompileAhead.h"
#include "jit/launch/GridCheck.h"
#include "jit/launch/Specialize.h"
#include "jit/launch/Tuning.h"
#include "support/DeepStack.h"
#include "target/CardFile.h"

#include "llvm/ADT/StringExtras.h"

namespace nereid {
namespace {

target::NvidiaTarget requireGpu(const std::string &name) {
  if (std::optional<target::NvidiaTarget> sm = target::findSm(name))
    return *sm;
  throw Error(Error::Kind::Usage, "cannot analyze for target '" + name + "'; GPUs are analyzed: " +
                                      llvm::join(target::smNames(), ", "));
}

target::Card requireCard(const AnalyzeOptions &options, const target::NvidiaTarget &sm) {
  std::optional<target::Card> card =
      options.card.empty() ? target::cardOf(sm.sm) : target::findCard(options.card);
  // No card of the table has a name with one of these.
  if (!card && options.card.find_first_of("./\\") != std::string::npos)
    card = target::parseCard(jit::atBoundary([&] { return driver::readFile(options.card); }),
                             options.card);
  if (!card)
    throw Error(Error::Kind::Usage,
                "no card '" + options.card +
                    "'; there are: " + llvm::join(target::cardNames(), ", ") +
                    "; or a file that `nereid calibrate` wrote, as ./here.card");
  if (card->sm != sm.sm)
    throw Error(Error::Kind::Usage, "card '" + card->name + "' runs code for " + card->sm +
                                        ", not for " + sm.sm + ": take --target " + card->sm);
  return *card;
}

void requireHostArrays(const Arguments &arguments) {
  for (const NamedArgument &argument : arguments)
    if (const Array *array = argument.value.array();
        array && detail::ArrayState::of(*array).memoryName != "host")
      throw Error(Error::Kind::Usage,
                  "argument '" + argument.name +
                      "' lies in a GPU's memory: arrays of the host are analyzed");
}

void requireTiles(const ast::Function &kernel) {
  if (kernel.isOfThreads)
    throw Error(Error::Kind::Usage,
                "kernel '" + kernel.name + "' is one of threads; kernels of tiles are analyzed");
}

backend::CompileOptions optionsFor(const AnalyzeOptions &options, const target::NvidiaTarget &sm) {
  backend::CompileOptions result{sm};
  jit::requireTuning(options.tuning);
  result.policy = jit::policy();
  return result;
}

} // namespace

std::vector<std::string> analyzeCards() { return target::cardNames(); }
std::string analyzeCardIn(std::string_view device) { return target::cardNameIn(device); }

/// What can be said before anything is compiled.
static analyzer::Request requestFor(Grid grid, const AnalyzeOptions &options) {
  const target::NvidiaTarget sm = requireGpu(options.target);
  analyzer::Request request;
  request.card = requireCard(options, sm);
  request.options = optionsFor(options, sm);
  request.grid = jit::checkGrid(grid);
  request.programs = options.programs;
  request.mostAccesses = options.mostAccesses;
  request.isL2Dirty = options.isL2Dirty;
  if (request.grid.programs() == 0)
    throw Error(Error::Kind::Usage, "a grid without programs has nothing to analyze");
  return request;
}

/// For pictures: how arrays are folded.
static void addShapes(Analysis &analysis, const Arguments &arguments) {
  for (const NamedArgument &argument : arguments)
    if (const Array *array = argument.value.array())
      for (Analysis::ArrayUse &use : analysis.arrays)
        if (use.name == argument.name) {
          use.shape = array->shape();
          use.elementBytes = unsigned(byteSize(array->dtype()));
        }
}

static Analysis analyzeSpecialized(analyzer::Request request) {
  requireTiles(*request.kernel.function);
  RemarkList remarks;
  request.kernel.remarks = &remarks;
  Analysis analysis = analyzer::analyze(request);
  analysis.remarks = jit::toPublic(remarks);
  return analysis;
}

Analysis jit::analyzeLaunch(driver::KernelRequest kernel, std::span<const ArgumentSlot> slots,
                            Grid grid, const AnalyzeOptions &options) {
  analyzer::Request request = requestFor(grid, options);
  request.kernel = std::move(kernel);
  request.arguments = slots;
  return atBoundary([&] { return analyzeSpecialized(std::move(request)); });
}

Analysis analyze(const Kernel &kernel, Grid grid, const Arguments &arguments,
                 const AnalyzeOptions &options) {
  analyzer::Request request = requestFor(grid, options);
  const detail::KernelState &state = detail::KernelState::of(kernel);
  if (!state.declaration)
    throw Error(Error::Kind::Usage,
                "kernel '" + state.name + "' is compiled already: its source is analyzed");
  requireHostArrays(arguments);
  const jit::Declaration &declaration = *state.declaration;
  requireTiles(declaration.function());
  return jit::atBoundary([&] {
    for (;;) {
      std::vector<std::string> wanted;
      jit::SpecializedArguments bound =
          jit::specialize(declaration, arguments, declaration.byValue());
      bound.specialization.tuning = jit::tuningFor(declaration.function(), options.tuning);
      request.kernel = {declaration.source(), &declaration.function(),
                        std::move(bound.specialization), &wanted};
      request.arguments = bound.slots;
      try {
        Analysis analysis = analyzeSpecialized(request);
        addShapes(analysis, arguments);
        return analysis;
      } catch (const SourceError &) {
        if (!state.declaration->addByValue(wanted))
          throw;
      }
    }
  });
}

} // namespace nereid
