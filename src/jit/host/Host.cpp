// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/CacheKey.h"
#include "frontend/sema/Annotation.h"
#include "frontend/sema/Builtins.h"
#include "frontend/sema/DeviceFunctions.h"
#include "frontend/sema/TritonVersion.h"
#include "jit/AnalyzeLaunch.h"
#include "jit/Boundary.h"
#include "jit/ProfileLaunch.h"
#include "jit/State.h"
#include "jit/host/CompileAhead.h"
#include "jit/host/HostValues.h"
#include "jit/launch/Binding.h"
#include "jit/launch/GridCheck.h"
#include "jit/launch/KernelCache.h"
#include "jit/launch/Signature.h"
#include "jit/launch/Tuning.h"

#include "support/DeepStack.h"
#include "support/EnvironmentVariables.h"
#include "support/Interruption.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <chrono>

namespace nereid::host {

struct Kernel::State {
  /// Declared first, so that it goes last: the code runs on its threads.
  std::shared_ptr<detail::DeviceState> device;
  std::unique_ptr<runtime::Executable> executable;
  double compileMilliseconds;
};

Function::Function(const FunctionText &text) : state(std::make_shared<State>()) {
  giveDeepStacksThreads();
  jit::atBoundary([&] {
    driver::ModuleOptions options;
    options.name = text.name;
    options.firstLine = text.firstLine;
    state->source = driver::parseFunction(text.path, text.text, options);
  });
  state->function = state->source->tree.bindings.front().function.get();
  for (const ast::Parameter &parameter : state->function->parameters)
    state->parameters.push_back({parameter.name,
                                 sema::readAnnotation(parameter.annotation.get()).isConstexpr,
                                 parameter.defaultValue != nullptr});
}

void Function::explain(const Names &globals, const Names &defaults) const {
  state->source->tree.host = std::make_shared<const sema::HostScope>(
      sema::HostScope{jit::toSema(globals), jit::toSema(defaults)});
}

Record::Record(std::string name) : state(std::make_shared<State>()) {
  state->name = std::move(name);
}

void Record::explain(const std::vector<std::string> &fields, const Names &defaults,
                     const Names &methods, const std::vector<Record> &bases) const {
  state->fields = fields;
  state->defaults = jit::toSema(defaults);
  state->methods = jit::toSema(methods);
  state->bases.clear();
  for (const Record &base : bases)
    state->bases.push_back(base.state);
}

const std::string &Function::name() const { return state->function->name; }
const std::vector<Parameter> &Function::parameters() const { return state->parameters; }

static std::string digestOf(std::string_view key) {
  return llvm::toHex(llvm::BLAKE3::hash<32>(llvm::arrayRefFromStringRef(key)), /*LowerCase=*/true);
}

std::string Function::digest() const {
  std::string key(state->source->file.text());
  if (const auto &scope = state->source->tree.host)
    key += scope->key();
  return digestOf(key);
}

std::string Record::digest() const {
  return digestOf(sema::keyOf(std::shared_ptr<const sema::HostRecord>(state)));
}

static sema::SpecializedParameter toParameter(const Argument &argument);

namespace {

struct ToParameter {
  sema::SpecializedParameter operator()(const ArgumentType &type) const {
    return jit::toRuntimeParameter(type);
  }
  sema::SpecializedParameter operator()(const Value &value) const {
    sema::HostValue given = jit::toSema(value);
    if (const auto *constant = given.as<sema::ConstantValue>())
      return *constant;
    return compound({sema::CompoundParameter::Hosted{std::move(given)}});
  }
  sema::SpecializedParameter operator()(const TupleArgument &tuple) const {
    sema::CompoundParameter::Tuple result;
    for (const Argument &element : tuple.elements)
      result.elements.push_back(toParameter(element));
    if (tuple.record)
      result.record = tuple.record->get();
    return compound({std::move(result)});
  }

private:
  static sema::SpecializedParameter compound(sema::CompoundParameter parameter) {
    return std::make_shared<const sema::CompoundParameter>(std::move(parameter));
  }
};

void requirePadding(const Argument &argument, const ast::Parameter &parameter,
                    const ast::Function &function) {
  if (const auto *tuple = std::get_if<TupleArgument>(&argument.content))
    for (const Argument &element : tuple->elements)
      requirePadding(element, parameter, function);
  if (const auto *type = std::get_if<ArgumentType>(&argument.content))
    if (auto mistake = jit::mistakeOfPadding(type->dtype, type->padsWithNan, parameter.range,
                                             parameter.name, jit::describe(function)))
      throw jit::toError(*mistake);
}

driver::KernelRequest requestOf(const Function &function, const std::vector<Argument> &arguments,
                                bool mayOverlap, const Tuning &tuning = {}) {
  const Function::State &state = function.get();
  if (!state.function->mistake && arguments.size() != state.function->parameters.size())
    throw Error(Error::Kind::Usage, "kernel '" + function.name() + "' has " +
                                        std::to_string(state.function->parameters.size()) +
                                        " parameters, not " + std::to_string(arguments.size()));
  driver::KernelRequest request{state.source, state.function, {}};
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i < state.function->parameters.size())
      requirePadding(arguments[i], state.function->parameters[i], *state.function);
    request.specialization.parameters.push_back(toParameter(arguments[i]));
  }
  request.specialization.isNoAlias = !mayOverlap;
  request.specialization.tuning = jit::tuningFor(*state.function, tuning);
  return request;
}

LanguageName nameOf(const std::string &path, const sema::Builtin &row) {
  return {path + std::string(row.name), std::string(row.signature), std::string(row.meaning)};
}

} // namespace

static sema::SpecializedParameter toParameter(const Argument &argument) {
  return std::visit(ToParameter(), argument.content);
}

static std::shared_ptr<const Kernel::State>
makeOn(const Device &device,
       llvm::function_ref<std::unique_ptr<runtime::Executable>(jit::OpenDevice &)> make) {
  const std::shared_ptr<detail::DeviceState> &on = detail::DeviceState::of(device);
  auto start = std::chrono::steady_clock::now();
  auto executable = jit::atBoundary([&] { return make(*on->device); });
  double milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return std::make_shared<const Kernel::State>(
      Kernel::State{on, std::move(executable), milliseconds});
}

void appendAddressSlots(const Argument &argument, std::vector<bool> &isAddress) {
  if (const auto *type = std::get_if<ArgumentType>(&argument.content)) {
    isAddress.push_back(type->isPointer);
    if (size_t rank = type->blockShape.size())
      isAddress.insert(isAddress.end(), 2 * rank - 1, false);
  }
  if (const auto *tuple = std::get_if<TupleArgument>(&argument.content))
    for (const Argument &element : tuple->elements)
      appendAddressSlots(element, isAddress);
}

std::string keyOf(const std::vector<Argument> &arguments) {
  sema::Specialization specialization;
  for (const Argument &argument : arguments)
    specialization.parameters.push_back(toParameter(argument));
  return specialization.key();
}

Kernel compile(const Device &device, const Function &function,
               const std::vector<Argument> &arguments, const Options &options) {
  driver::KernelRequest request =
      requestOf(function, arguments, options.mayOverlap, options.tuning);
  request.specialization.checksAsserts = options.checksAsserts;
  Kernel kernel;
  kernel.state = makeOn(device, [&](jit::OpenDevice &on) {
    on.keepRelevant(request.specialization);
    return on.build(request);
  });
  return kernel;
}

Artifact compileAhead(const Function &function, const std::vector<Argument> &arguments,
                      const CompileOptions &options) {
  return detail::ModuleState::wrap(jit::compileAhead(
      requestOf(function, arguments, options.mayOverlap, options.tuning), options));
}

Kernel load(const Device &device, const Artifact &artifact) {
  Kernel kernel;
  kernel.state = makeOn(
      device, [&](jit::OpenDevice &on) { return on.load(detail::ModuleState::of(artifact)); });
  return kernel;
}

static llvm::SmallVector<ArgumentSlot, 16> toArguments(std::span<const Slot> slots) {
  llvm::SmallVector<ArgumentSlot, 16> arguments;
  for (const Slot &slot : slots)
    arguments.push_back({slot.bits, slot.extentBytes});
  return arguments;
}

void Kernel::launch(Grid grid, std::span<const Slot> slots) const {
  GridExtent extent = jit::checkGrid(grid);
  if (!extent.programs())
    return;
  auto arguments = toArguments(slots);
  llvm::SmallVector<uint64_t, 16> below;
  for (const Slot &slot : slots)
    below.push_back(slot.bytesBelow);
  jit::launchAtBoundary([&] { state->executable->launchViews(extent, arguments, below, nullptr); });
}

void Kernel::launchOn(void *stream, Grid grid, std::span<const Slot> slots, bool mayTrap) const {
  GridExtent extent = jit::checkGrid(grid);
  if (!extent.programs())
    return;
  auto arguments = toArguments(slots);
  jit::launchAtBoundary(
      [&] { state->executable->launchOn(stream, extent, arguments, nullptr, mayTrap); });
}

void requireExtent(std::string_view argument, int64_t extent) {
  if (auto mistake = jit::mistakeOfExtents(extent, {}, argument, "the kernel"))
    throw Error(Error::Kind::Usage, mistake->text);
}

std::optional<KernelResources> Kernel::resources() const { return state->executable->resources(); }

void Kernel::launch(Grid grid, std::span<const Slot> slots,
                    const std::function<bool()> &shouldEnd) const {
  Interruption interruption(shouldEnd);
  launch(grid, slots);
}

size_t Kernel::bytes() const { return jit::KernelCache::bytesOf(*state->executable); }

size_t mostKernelBytes() { return jit::KernelCache::ofProcess().limit(); }

double Kernel::compileMilliseconds() const { return state->compileMilliseconds; }

bool Kernel::wasKept() const { return state->executable->wasKept; }

std::vector<StageOutput> dump(const Function &function, const std::vector<Argument> &arguments,
                              const CompileOptions &options) {
  return jit::dumpStages(requestOf(function, arguments, options.mayOverlap, options.tuning),
                         options);
}

std::vector<Remark> remarks(const Function &function, const std::vector<Argument> &arguments,
                            const CompileOptions &options) {
  return jit::remarksOf(requestOf(function, arguments, options.mayOverlap, options.tuning),
                        options);
}

Accesses accesses(const Function &function, const std::vector<Argument> &arguments,
                  const CompileOptions &options) {
  return jit::accessesOf(requestOf(function, arguments, options.mayOverlap, options.tuning),
                         options);
}

bool meansYes(std::string_view text) { return nereid::meansYes(text); }

std::optional<uint64_t> numberIn(std::string_view text) { return nereid::numberIn(text); }

bool checksAssertsByDefault() { return jit::checksAsserts(); }

Analysis analyze(const Function &function, const std::vector<Argument> &arguments, Grid grid,
                 std::span<const Slot> slots, bool mayOverlap, const AnalyzeOptions &options) {
  return jit::analyzeLaunch(requestOf(function, arguments, mayOverlap, options.tuning),
                            toArguments(slots), grid, options);
}

Profile profile(const Device &device, const Function &function,
                const std::vector<Argument> &arguments, Grid grid, std::span<const Slot> slots,
                bool mayOverlap, const ProfileOptions &options) {
  jit::requireProfiles(device);
  driver::KernelRequest request = requestOf(function, arguments, mayOverlap, options.tuning);
  std::shared_ptr<const Kernel::State> plain = makeOn(device, [&](jit::OpenDevice &on) {
    on.keepRelevant(request.specialization);
    return on.build(request);
  });
  auto given = toArguments(slots);
  return jit::atBoundary([&] {
    return jit::profileLaunch(
        {device, plain->executable.get(), request, {given.begin(), given.end()}}, grid, options);
  });
}

std::vector<uint8_t> assemble(const Device &device, std::string_view ptx) {
  return detail::DeviceState::of(device)->device->assemble(ptx);
}

std::vector<LanguageName> languageNames() {
  std::vector<LanguageName> names;
  for (const sema::Builtin &row : sema::allBuiltins())
    for (const char *module : {"triton", "triton.language", "triton.language.math"})
      if (row.isFunctionOf(module))
        names.push_back(nameOf(std::string(module) + ".", row));
  for (const sema::Builtin &row : sema::allBuiltins())
    if (row.isFunctionOf(""))
      names.push_back(nameOf("builtins.", row));
  for (const std::string &name : sema::deviceFunctionNames())
    names.push_back({"triton.language.extra.libdevice." + name, "", ""});
  return names;
}

std::vector<LanguageName> methodNames() {
  std::vector<LanguageName> names;
  for (const sema::Builtin &row : sema::allBuiltins())
    if (row.isMethod())
      names.push_back(nameOf("", row));
  return names;
}

std::vector<std::string> threadNames() { return sema::threadNames(); }

std::vector<std::pair<std::string, DType>> threadTypes() {
  std::vector<std::pair<std::string, DType>> types;
  for (auto &[name, type] : sema::numbaTypes())
    types.emplace_back(name, type);
  return types;
}

std::vector<std::string> missingNames() {
  std::vector<std::string> names;
  constexpr const char *modules[] = {"triton", "triton.language", "triton.language.math"};
  auto add = [&](std::string_view name) {
    for (const char *module : modules)
      if (sema::findMissingFunction(module, name))
        names.push_back(std::string(module) + "." + std::string(name));
  };
#define UPSTREAM(name, place, instead, because) add(#name);
#include "frontend/sema/upstream.def"
  return names;
}

LanguageVersion languageVersion() {
  const char *said = readVariable(KnownVariable::NEREID_TRITON_VERSION);
  if (said && !sema::findTritonVersion(said)) {
    std::vector<std::string> known;
    for (const sema::TritonVersion &version : sema::tritonVersions())
      known.push_back(std::to_string(version.major) + '.' + std::to_string(version.minor));
    throw Error(Error::Kind::Environment, std::string("NEREID_TRITON_VERSION is '") + said +
                                              "', and must be one of " + llvm::join(known, ", "));
  }
  LanguageVersion version{std::string(sema::tritonVersion().release), {}};
  for (const sema::TritonDifference &difference : sema::tritonDifferences())
    version.differences.emplace_back(difference.name, difference.holds);
  return version;
}

} // namespace nereid::host
