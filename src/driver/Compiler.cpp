// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Compiler.h"

#include "backend/Backend.h"
#include "dialect/tile/Remark.h"
#include "dialect/tile/SharedMemory.h"
#include "driver/CacheKey.h"
#include "frontend/emit/EmitTile.h"
#include "frontend/lex/Lexer.h"
#include "frontend/parse/Parser.h"
#include "passes/Pipeline.h"
#include "support/Check.h"
#include "support/DeepStack.h"
#include "support/Diagnostics.h"
#include "target/NvidiaTarget.h"

#include "mlir/IR/Verifier.h"

namespace nereid::driver {

void showSource(const SourceModule &source, const ast::Function &function, Dump &dump) {
  if (dump.wants(Stage::Tokens)) {
    dump.lap();
    std::vector<Token> tokens = tokenize(source.file);
    dump.show(Stage::Tokens, [&](llvm::raw_ostream &out) { print(tokens, out); });
  }
  dump.show(Stage::Ast, source.parseTime,
            [&](llvm::raw_ostream &out) { ast::print(function, out); });
}

tile::Kernel emitTile(const SourceModule &source, const ast::Function &function,
                      const sema::Specialization &specialization, Dump &dump,
                      std::vector<std::string> *wantedConstants, bool keepsVariables) {
  StageScope stage("emit tile", function.name, [&] { return std::string(source.file.text()); });
  dump.lap();
  tile::Kernel kernel;
  kernel.name = function.name;
  kernel.source = &source.file;
  kernel.context = tile::createContext();
  std::string types;
  llvm::raw_string_ostream typeListing(types);
  kernel.module = emit::emitTile(*kernel.context, source.tree.moduleOf(function), function,
                                 specialization, source.modules,
                                 {.types = dump.wants(Stage::Types) ? &typeListing : nullptr,
                                  .wantedConstants = wantedConstants,
                                  .receivers = &kernel.receivers,
                                  .keepsVariables = keepsVariables});
  NEREID_CHECK(mlir::succeeded(mlir::verify(*kernel.module)), "the emitted tile IR is not valid");
  tile::requireSharedMemory(kernel, target::mostSharedPerBlock(), "a GPU");
  // Types are found while the kernel is emitted: one piece of work, one time.
  Dump::Duration time = dump.lap();
  dump.show(Stage::Types, time, [&](llvm::raw_ostream &out) { out << types; });
  dump.show(Stage::Tile, time, [&](llvm::raw_ostream &out) { kernel.module->print(out); });
  return kernel;
}

void optimizeTile(tile::Kernel &kernel, Dump &dump) {
  StageScope stage("optimize tile", kernel.name, [&] { return kernel.text(); });
  passes::runTilePipeline(*kernel.module, dump);
  dump.lap();
}

namespace {

struct ConstantWriter {
  using Constant = runtime::ArtifactParameter::Constant;
  Constant operator()(sema::Integer integer) const {
    return integer > INT64_MAX ? Constant(static_cast<uint64_t>(integer))
                               : Constant(static_cast<int64_t>(integer));
  }
  Constant operator()(const sema::ScalarType &type) const {
    return runtime::DTypeConstant{type.dtype, type.isPointer};
  }
  Constant operator()(const auto &value) const { return value; }
};

/// Lists what the parameter `name` was compiled for. Of a compound one, what is run-time, by its
/// place.
class ParameterWriter {
public:
  ParameterWriter(std::string name, std::vector<runtime::ArtifactParameter> &list)
      : name(std::move(name)), list(list) {}

  void add(const sema::SpecializedParameter &parameter) {
    if (const auto *runtime = std::get_if<sema::RuntimeParameter>(&parameter))
      return add(*runtime);
    if (const auto *constant = std::get_if<sema::ConstantValue>(&parameter))
      return push(Part::Value, 0, std::visit(ConstantWriter(), *constant));
    using Compound = sema::CompoundParameter;
    const auto &part = std::get<std::shared_ptr<const Compound>>(parameter)->part;
    if (const auto *tuple = std::get_if<Compound::Tuple>(&part))
      for (size_t i = 0; i < tuple->elements.size(); ++i) {
        path.push_back(static_cast<uint32_t>(i));
        add(tuple->elements[i]);
        path.pop_back();
      }
  }

private:
  using Part = runtime::ArtifactParameter::Part;

  static Part toPart(sema::RuntimeParameter::Part::Kind kind) {
    using Kind = sema::RuntimeParameter::Part::Kind;
    return kind == Kind::Value ? Part::Value : kind == Kind::Shape ? Part::Shape : Part::Stride;
  }

  void add(const sema::RuntimeParameter &runtime) {
    for (const auto &[kind, dimension, type] : runtime.parts()) {
      const Part part = toPart(kind);
      push(part, dimension,
           runtime::ScalarSlot{type.dtype, type.isPointer,
                               part == Part::Value && runtime.isDivisibleBy16});
    }
    if (!runtime.isDescriptor())
      return;
    using Constant = runtime::ArtifactParameter::Constant;
    for (auto [dimension, extent] : llvm::enumerate(runtime.block))
      push(Part::BlockShape, static_cast<uint32_t>(dimension), Constant(int64_t(extent)));
    push(Part::PadsWithNan, 0, Constant(runtime.padsWithNan));
  }

  void push(Part part, uint32_t dimension,
            std::variant<runtime::ScalarSlot, runtime::ArtifactParameter::Constant> value) {
    list.push_back({name, std::move(value), path, part, dimension});
  }

  const std::string name;
  std::vector<uint32_t> path;
  std::vector<runtime::ArtifactParameter> &list;
};

} // namespace

runtime::Artifact compile(const KernelRequest &request, const backend::CompileOptions &given,
                          Dump &dump) {
  return compileWith(request, given, dump, backend::backendFor(given.target).compile);
}

runtime::Artifact compileWith(const KernelRequest &request, const backend::CompileOptions &given,
                              Dump &dump, CodeMaker makeCode) {
  sema::Specialization specialization = relevantPart(request.specialization, given);
  backend::CompileOptions options = given;
  options.tuning = specialization.tuning;
  options.checksAsserts |= specialization.checksAsserts;
  if (const auto *gpu = std::get_if<target::NvidiaTarget>(&options.target))
    specialization.target = gpu->sm;
  runtime::Artifact artifact = onDeepStack([&] {
    try {
      tile::Kernel kernel = emitTile(*request.source, *request.function, specialization, dump,
                                     request.wantedConstants);
      if (!kernel.receivers.empty())
        fail(request.function->nameRange, DiagnosticId::foreign_name,
             "a function of the host's that programs call on device check alone");
      if (request.remarks)
        tile::collectRemarks(*kernel.context, kernel.source, *request.remarks);
      optimizeTile(kernel, dump);
      return makeCode(std::move(kernel), options, dump);
    } catch (SourceError &error) {
      error.owner = request.source;
      throw;
    }
  });
  artifact.kernel = request.function->name;
  artifact.source = request.source->file.name();
  artifact.compiler = buildId();
  artifact.isNoAlias = specialization.isNoAlias;
  for (auto [parameter, value] : llvm::zip(request.function->parameters, specialization.parameters))
    ParameterWriter(parameter.name, artifact.parameters).add(value);
  return artifact;
}

} // namespace nereid::driver
