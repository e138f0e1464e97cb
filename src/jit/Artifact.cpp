// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/PendingFile.h"
#include "jit/Boundary.h"
#include "jit/ReadArtifact.h"
#include "jit/State.h"
#include "nereid/compile.h"

namespace nereid {
namespace {

using Constant = runtime::ArtifactParameter::Constant;
using Entry = std::variant<ArgumentType, Argument>;

struct EntryWriter {
  Entry operator()(const runtime::ScalarSlot &slot) const {
    return ArgumentType{slot.dtype, slot.isPointer, slot.isDivisibleBy16};
  }
  Entry operator()(const Constant &constant) const { return std::visit(*this, constant); }
  Entry operator()(std::monostate) const { return Argument(nullptr); }
  Entry operator()(const runtime::DTypeConstant &type) const {
    if (type.isPointer) // no argument can be one, but the type of one can
      return ArgumentType{type.dtype, true};
    return Argument(type.dtype);
  }
  Entry operator()(const auto &value) const { return Argument(value); }
};

} // namespace

std::shared_ptr<const runtime::Artifact> jit::readArtifact(std::span<const uint8_t> bytes,
                                                           const std::string &name) {
  try {
    return std::make_shared<runtime::Artifact>(runtime::deserialize(bytes));
  } catch (const runtime::ArtifactError &error) {
    throw Error(Error::Kind::Environment, name + ' ' + error.what());
  }
}

Artifact detail::ModuleState::wrap(std::shared_ptr<const runtime::Artifact> artifact) {
  auto state = std::make_shared<ModuleState>();
  state->artifact = std::move(artifact);
  return Artifact(std::move(state));
}

Artifact Artifact::fromBytes(std::span<const uint8_t> bytes, const std::string &name) {
  return detail::ModuleState::wrap(jit::readArtifact(bytes, name));
}

Artifact Artifact::load(const std::string &path) {
  std::string bytes = jit::atBoundary([&] { return driver::readFile(path); });
  return fromBytes({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}, path);
}

std::vector<uint8_t> Artifact::bytes() const {
  if (std::holds_alternative<runtime::NoCode>(state->artifact->code))
    throw Error(Error::Kind::Usage, "kernel '" + state->artifact->kernel +
                                        "' was compiled for no target: there is no code to keep");
  return runtime::serialize(*state->artifact);
}

void Artifact::save(const std::string &path) const {
  std::vector<uint8_t> data = bytes();
  files::PendingFile file(path);
  file.write(data.data(), data.size());
  file.finish();
  file.commit();
}

ArtifactInfo Artifact::info() const {
  const runtime::Artifact &artifact = *state->artifact;
  ArtifactInfo info;
  info.kernel = artifact.kernel;
  info.source = artifact.source;
  info.compiler = artifact.compiler;
  info.target = "none";
  info.mayOverlap = !artifact.isNoAlias;
  if (const auto *code = std::get_if<runtime::CpuCode>(&artifact.code)) {
    info.target = "cpu";
    info.cpu = code->cpu;
    info.features = code->features;
  } else if (const auto *code = std::get_if<runtime::CudaCode>(&artifact.code)) {
    int sm = code->ptx.empty() ? code->cubinSm : code->ptxSm;
    info.target = "sm_" + std::to_string(sm) + (code->isForOneSm ? "a" : "");
  }
  for (const runtime::ArtifactParameter &parameter : artifact.parameters)
    info.signature.push_back({parameter.fullName(), std::visit(EntryWriter(), parameter.value)});
  return info;
}

Kernel Artifact::kernel() const { return detail::ModuleState::wrap(state).kernel(); }

} // namespace nereid
