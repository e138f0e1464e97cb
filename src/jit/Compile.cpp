// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/compile.h"
#include "analysis/ParameterAccesses.h"
#include "backend/Backend.h"
#include "jit/Boundary.h"
#include "jit/CachedCompile.h"
#include "jit/State.h"
#include "jit/Suggest.h"
#include "jit/devices/CpuChoice.h"
#include "jit/host/CompileAhead.h"
#include "jit/launch/Signature.h"
#include "jit/launch/Specialize.h"
#include "jit/launch/Tuning.h"
#include "nereid/devices.h"
#include "nereid/remarks.h"
#include "passes/Pipeline.h"

#include "llvm/ADT/StringExtras.h"

#include <exception>
#include <optional>

namespace nereid {
namespace {

target::Target chooseTarget(const CompileOptions &options) {
  if (options.target == "cpu")
    return jit::chooseCpu(options.cpu);
  if (options.target == "none")
    return target::NoTarget();
  if (std::optional<target::NvidiaTarget> sm = target::findSm(options.target))
    return *sm;
  throw Error(Error::Kind::Usage,
              "no target '" + options.target + "'; there are: " + llvm::join(targetNames(), ", "));
}

/// The stages before the back end are every target's; the others are its own.
void requireStages(const std::vector<Stage> &wanted, const backend::Backend &backend) {
  std::vector<std::string_view> known;
  for (Stage stage : stages())
    if (stage <= Stage::Passes || llvm::is_contained(backend.stages, stage))
      known.push_back(name(stage));
  for (Stage stage : wanted)
    if (!llvm::is_contained(known, name(stage)))
      throw Error(Error::Kind::Usage, "target " + std::string(backend.name) + " has no stage '" +
                                          std::string(name(stage)) + "'; its stages are " +
                                          llvm::join(known, ", "));
}

/// Passes are every target's, or its own.
void requirePasses(const std::vector<std::string> &wanted, const backend::Backend &backend) {
  std::vector<std::string> known = passes::passNames();
  llvm::append_range(known, backend.passes());
  for (const std::string &pass : wanted)
    if (!llvm::is_contained(known, pass))
      throw Error(Error::Kind::Usage, "target " + std::string(backend.name) + " has no pass '" +
                                          pass + "'; its passes are " + llvm::join(known, ", "));
}

/// What the back end is asked for. Throws Error(Usage) for what no back end can do.
backend::CompileOptions targetOf(const CompileOptions &options) {
  jit::requireTuning(options.tuning);
  backend::CompileOptions target{chooseTarget(options)};
  target.checksAsserts = options.checksAsserts || jit::checksAsserts();
  target.policy = jit::policy();
  if (options.takesClocks && !std::holds_alternative<target::NvidiaTarget>(target.target))
    throw Error(Error::Kind::Usage,
                "target '" + options.target + "' has no clocks that kernels could read; GPUs have");
  if (options.takesClocks)
    target.clocks = backend::Clocks::All;
  requireStages(options.stages, backend::backendFor(target.target));
  requirePasses(options.passes, backend::backendFor(target.target));
  return target;
}

Dump dumpFor(const CompileOptions &options, StageSink sink) {
  std::vector<Stage> shown = options.stages;
  if (!options.passes.empty() && !llvm::is_contained(shown, Stage::Passes))
    shown.push_back(Stage::Passes);
  return {std::move(shown), std::move(sink), options.passes};
}

/// Keeps what a sink throws until no frame of the compiler is left that it could skip.
class GuardedSink {
public:
  explicit GuardedSink(StageSink sink) : sink(std::move(sink)) {}

  void operator()(const StageOutput &output) noexcept {
    if (thrown || !sink)
      return;
    try {
      sink(output);
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  void rethrow() const {
    if (thrown)
      std::rethrow_exception(thrown);
  }

private:
  StageSink sink;
  std::exception_ptr thrown;
};

enum class Extent { Artifact, Stages };

/// What the kernel is compiled for.
struct Purpose {
  llvm::function_ref<sema::Specialization(const detail::KernelState &kernel)> specialize;
  /// It is asked again once the kernel's declaration knows which parameters are needed as
  /// constants.
  bool hasValues;
};

/// To code that copies boxes of arrays, the code for launches whose arrays are none; to code whose
/// blocks run several programs, or a part of one, that of launches by others (nereid/entry.h).
void addPlainCode(runtime::Artifact &artifact, const driver::KernelRequest &request,
                  backend::CompileOptions target, const runtime::DiskCache *cache = nullptr) {
  auto *code = std::get_if<runtime::CudaCode>(&artifact.code);
  if (!code || !code->withoutBoxes.empty() ||
      (code->boxes.empty() && code->conditions.empty() && !code->loopsOverPrograms &&
       code->cluster[0] == 1))
    return;
  driver::KernelRequest again = request;
  again.remarks = nullptr; // that it has no boxes was asked for
  runtime::Artifact plain = jit::compileOrFetch(again, jit::plainOptions(std::move(target)), cache);
  code->withoutBoxes.push_back(std::get<runtime::CudaCode>(std::move(plain.code)));
}

/// Compiles, to the end or as far as the stages need it.
std::shared_ptr<const runtime::Artifact> run(const Kernel &kernel, Purpose purpose,
                                             const CompileOptions &options, Extent extent,
                                             StageSink sink) {
  backend::CompileOptions target = targetOf(options);
  if (options.takesClocks && extent == Extent::Artifact)
    throw Error(Error::Kind::Usage, "code that takes clocks is launched where it is made: show it "
                                    "(--dump=ptx), or let `nereid profile` launch it");
  const detail::KernelState &state = detail::KernelState::of(kernel);
  if (!state.declaration)
    throw Error(Error::Kind::Usage, "kernel '" + state.name + "' is compiled already");
  std::vector<std::string> wanted;
  driver::KernelRequest request{state.module->source,
                                &state.declaration->function(),
                                {},
                                purpose.hasValues ? &wanted : nullptr};
  RemarkList remarks;
  if (options.remarks)
    request.remarks = &remarks;
  GuardedSink guarded(std::move(sink));
  Dump dump = dumpFor(options, std::ref(guarded));
  auto artifact = jit::atBoundary([&]() -> std::shared_ptr<const runtime::Artifact> {
    driver::showSource(*request.source, *request.function, dump);
    if (extent == Extent::Stages && !options.remarks && !dump.wantsLaterThan(Stage::Ast))
      return nullptr;
    for (;;) {
      request.specialization = purpose.specialize(state);
      request.specialization.isNoAlias &= !options.mayOverlap;
      request.specialization.tuning = jit::tuningFor(*request.function, options.tuning);
      try {
        auto artifact = std::make_shared<runtime::Artifact>(driver::compile(request, target, dump));
        if (extent == Extent::Artifact)
          addPlainCode(*artifact, request, target);
        return artifact;
      } catch (const SourceError &) {
        if (!state.declaration->addByValue(wanted))
          throw;
      }
    }
  });
  guarded.rethrow();
  for (const Remark &remark : jit::toPublic(remarks))
    options.remarks(remark);
  return artifact;
}

} // namespace

std::vector<Remark> jit::toPublic(const RemarkList &list) {
  std::vector<Remark> result;
  for (const CompilerRemark &each : list.remarks()) {
    std::string report;
    llvm::raw_string_ostream out(report);
    each.print(out);
    result.push_back({std::string(nameOf(each.id)),
                      printable(each.text),
                      acceptedOf(each.id),
                      {each.file, each.line, each.column},
                      each.count,
                      std::move(report)});
  }
  return result;
}

/// The words of a list with commas, of which there is one at least in a text that is not empty.
static std::vector<std::string> namesIn(std::string_view text) {
  std::vector<std::string> names;
  for (llvm::StringRef word : llvm::split(llvm::StringRef(text), ','))
    if (!word.trim().empty())
      names.push_back(word.trim().str());
  if (names.empty() && !text.empty())
    throw Error(Error::Kind::Usage, "'" + std::string(text) + "' names no stage");
  return names;
}

[[noreturn]] static void refuseStage(const std::string &word) {
  std::vector<std::string> known;
  for (Stage stage : stages())
    known.emplace_back(name(stage));
  throw Error(Error::Kind::Usage,
              "no stage '" + word + "'; " + jit::suggest(word, known, "stages", "stage"));
}

std::vector<Stage> parseStages(std::string_view text) {
  std::vector<Stage> list;
  for (const std::string &word : namesIn(text)) {
    std::optional<Stage> stage = parseStage(word);
    if (!stage)
      refuseStage(word);
    list.push_back(*stage);
  }
  return list;
}

std::vector<std::string> passNames() {
  std::vector<std::string> names = passes::passNames();
  for (const backend::Backend *backend : backend::backends())
    llvm::append_range(names, backend->passes());
  return names;
}

void selectStages(CompileOptions &options, std::string_view text) {
  const std::vector<std::string> known = passNames();
  for (const std::string &word : namesIn(text))
    if (std::optional<Stage> stage = parseStage(word))
      options.stages.push_back(*stage);
    else if (llvm::is_contained(known, word))
      options.passes.push_back(word);
    else if (word.find('-') != std::string::npos) // as names of passes have it, and no stage's
      throw Error(Error::Kind::Usage,
                  "no pass '" + word + "'; " + jit::suggest(word, known, "passes", "pass"));
    else
      refuseStage(word);
}

std::vector<std::string> targetNames() {
  std::vector<std::string> names = {"cpu"};
  llvm::append_range(names, target::smNames());
  names.emplace_back("none");
  return names;
}

static std::shared_ptr<const runtime::Artifact> run(const Kernel &kernel,
                                                    const Signature &signature,
                                                    const CompileOptions &options, Extent extent,
                                                    StageSink sink) {
  auto specialize = [&](const detail::KernelState &state) {
    return jit::specialize(*state.module->source, state.declaration->function(), signature,
                           options.mayOverlap);
  };
  return run(kernel, {specialize, /*hasValues=*/false}, options, extent, std::move(sink));
}

Artifact compile(const Kernel &kernel, const Signature &signature, const CompileOptions &options) {
  return detail::ModuleState::wrap(run(kernel, signature, options, Extent::Artifact, options.sink));
}

Artifact compileFor(const Kernel &kernel, const Arguments &arguments,
                    const CompileOptions &options) {
  auto specialize = [&](const detail::KernelState &state) {
    const jit::Declaration &declaration = *state.declaration;
    return jit::specialize(declaration, arguments, declaration.byValue()).specialization;
  };
  return detail::ModuleState::wrap(
      run(kernel, {specialize, /*hasValues=*/true}, options, Extent::Artifact, options.sink));
}

/// Puts what is remarked into a list that lives as long as the call.
static CompileOptions collecting(const CompileOptions &options, std::vector<Remark> &found) {
  CompileOptions result = options;
  result.remarks = [&](const Remark &remark) { found.push_back(remark); };
  return result;
}

std::vector<Remark> remarks(const Kernel &kernel, const Signature &signature,
                            const CompileOptions &options) {
  std::vector<Remark> found;
  run(kernel, signature, collecting(options, found), Extent::Stages, options.sink);
  return found;
}

std::vector<Remark> remarksFor(const Kernel &kernel, const Arguments &arguments,
                               const CompileOptions &options) {
  std::vector<Remark> found;
  auto specialize = [&](const detail::KernelState &state) {
    const jit::Declaration &declaration = *state.declaration;
    return jit::specialize(declaration, arguments, declaration.byValue()).specialization;
  };
  run(kernel, {specialize, /*hasValues=*/true}, collecting(options, found), Extent::Stages,
      options.sink);
  return found;
}

std::shared_ptr<const runtime::Artifact> jit::compileAhead(const driver::KernelRequest &request,
                                                           const CompileOptions &options) {
  backend::CompileOptions target = targetOf(options);
  std::optional<runtime::DiskCache> disk = openDiskCache({});
  const runtime::DiskCache *cache = disk ? &*disk : nullptr;
  return atBoundary([&] {
    auto artifact = std::make_shared<runtime::Artifact>(compileOrFetch(request, target, cache));
    addPlainCode(*artifact, request, target, cache);
    return artifact;
  });
}

std::vector<StageOutput> jit::dumpStages(driver::KernelRequest request,
                                         const CompileOptions &options) {
  std::vector<StageOutput> outputs;
  GuardedSink guarded([&](const StageOutput &output) { outputs.push_back(output); });
  backend::CompileOptions target = targetOf(options);
  Dump dump = dumpFor(options, std::ref(guarded));
  atBoundary([&] {
    driver::showSource(*request.source, *request.function, dump);
    driver::compile(request, target, dump);
  });
  guarded.rethrow();
  return outputs;
}

host::Accesses jit::accessesOf(const driver::KernelRequest &request,
                               const CompileOptions &options) {
  backend::CompileOptions target = targetOf(options);
  host::Accesses accesses;
  auto look = [&](tile::Kernel kernel, const backend::CompileOptions &, Dump &) {
    mlir::func::FuncOp function = kernel.function();
    const analysis::ParameterAccesses found = analysis::parameterAccesses(function);
    auto names = [&](const llvm::BitVector &arguments) {
      std::vector<std::string> list;
      for (unsigned number : arguments.set_bits())
        list.push_back(function.getArgAttrOfType<mlir::StringAttr>(number, tile::nameAttr).str());
      return list;
    };
    accesses = {names(found.read), names(found.written), found.mayBeMore};
    return runtime::Artifact();
  };
  Dump quiet;
  atBoundary([&] { driver::compileWith(request, target, quiet, look); });
  return accesses;
}

std::vector<Remark> jit::remarksOf(driver::KernelRequest request, const CompileOptions &options) {
  backend::CompileOptions target = targetOf(options);
  RemarkList remarks;
  request.remarks = &remarks;
  Dump quiet;
  atBoundary([&] { driver::compile(request, target, quiet); });
  return toPublic(remarks);
}

std::vector<StageOutput> dump(const Kernel &kernel, const Signature &signature,
                              const CompileOptions &options) {
  std::vector<StageOutput> outputs;
  run(kernel, signature, options, Extent::Stages, [&](const StageOutput &output) {
    outputs.push_back(output);
    if (options.sink)
      options.sink(output);
  });
  return outputs;
}

} // namespace nereid
