// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EmitKernel.h"

#include "dialect/tile/Kernel.h"
#include "frontend/emit/EmitTile.h"
#include "frontend/parse/Parser.h"
#include "support/Check.h"
#include "support/Diagnostics.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace nereid::test {
namespace {

sema::ConstantValue literal(const std::string &text) {
  if (auto dtype = parseDType(text))
    return sema::ScalarType{*dtype};
  if (text == "None")
    return {};
  if (text == "True" || text == "False")
    return text == "True";
  if (text.front() == '\'')
    return text.substr(1, text.size() - 2);
  if (text.find_first_of(".e") != std::string::npos)
    return std::stod(text);
  return sema::Integer(std::stoll(text));
}

sema::RuntimeParameter runtimeParameter(llvm::StringRef text) {
  sema::RuntimeParameter parameter;
  parameter.isDivisibleBy16 = text.consume_back(":16");
  parameter.type.isPointer = text.consume_front("*");
  auto dtype = parseDType(text.str());
  NEREID_CHECK(dtype, "an unknown type in a test: " + text.str());
  parameter.type.dtype = *dtype;
  return parameter;
}

} // namespace

sema::Specialization specialize(const Signature &signature) {
  sema::Specialization specialization;
  for (const std::string &text : signature) {
    if (text.front() == '=')
      specialization.parameters.push_back(literal(text.substr(1)));
    else
      specialization.parameters.push_back(runtimeParameter(text));
  }
  return specialization;
}

Outcome emitKernel(const std::string &text, const Signature &signature, bool withLocations) {
  return tryKernel(text, [&](size_t) { return signature; }, withLocations);
}

Outcome tryKernel(const std::string &text,
                  const std::function<Signature(size_t parameters)> &signatureFor,
                  bool withLocations) {
  SourceFile file("k.py", text);
  std::unique_ptr<mlir::MLIRContext> context = tile::createContext();
  Outcome outcome;
  try {
    ast::Module module = parseModule(file);
    std::vector<std::string> names = module.functionNames();
    if (names.empty()) {
      outcome.id = nameOf(DiagnosticId::no_such_kernel);
      outcome.line = outcome.column = 1;
      return outcome;
    }
    const ast::Function &function = *module.function(names.back());
    Signature signature = signatureFor(function.parameters.size());
    llvm::raw_string_ostream types(outcome.types);
    auto ir = emit::emitTile(*context, module, function, specialize(signature),
                             sema::Environment::none(), {.types = &types});
    outcome.isVerified = mlir::succeeded(mlir::verify(*ir));
    llvm::raw_string_ostream out(outcome.ir);
    mlir::OpPrintingFlags flags;
    if (withLocations)
      flags.enableDebugInfo(true, /*prettyForm=*/false);
    ir->print(out, flags);
  } catch (const SourceError &error) {
    outcome.id = nameOf(error.diagnostic.id);
    outcome.message = error.diagnostic.render();
    if (const SourceFile *source = error.diagnostic.range.file) {
      auto [line, column] = source->position(error.diagnostic.range.begin);
      outcome.line = line;
      outcome.column = column;
    }
  }
  return outcome;
}

} // namespace nereid::test
