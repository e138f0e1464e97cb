// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/SourceLines.h"

#include "backend/AuthorPlace.h"
#include "backend/llvm/Require.h"
#include "support/Check.h"
#include "support/Source.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLine.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"

#include <map>

namespace nereid::backend {

void SourceLines::begin(llvm::Function &function) {
  llvm::Module &module = *function.getParent();
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  llvm::DIBuilder builder(module);
  llvm::DIFile *file = builder.createFile("places", ".");
  // Of lines alone: nothing else is emitted, and nothing is optimized less.
  builder.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C), file, "nereid",
                            /*isOptimized=*/true, "", 0, "",
                            llvm::DICompileUnit::DebugDirectivesOnly);
  program = builder.createFunction(
      file, function.getName(), function.getName(), file, 0,
      builder.createSubroutineType(builder.getOrCreateTypeArray({})), 0, llvm::DINode::FlagZero,
      llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  function.setSubprogram(program);
  builder.finalize();
}

llvm::DebugLoc SourceLines::locationOf(mlir::Location location) {
  auto [found, isNew] = numbers.try_emplace(location, 0);
  if (isNew) {
    runtime::CodePlace place = authorPlaceOf(location);
    auto known = llvm::find(list, place);
    found->second = place.line ? unsigned(known - list.begin()) + 1 : 0;
    if (place.line && known == list.end())
      list.push_back(std::move(place));
  }
  return llvm::DILocation::get(program->getContext(), found->second, 0, program);
}

SourceLines::Scope::Scope(SourceLines *lines, llvm::IRBuilderBase &builder, mlir::Operation *op)
    : lines(lines), builder(builder) {
  if (!lines)
    return;
  before = builder.getCurrentDebugLocation();
  builder.SetCurrentDebugLocation(lines->locationOf(op->getLoc()));
}

SourceLines::Scope::~Scope() {
  if (lines)
    builder.SetCurrentDebugLocation(before);
}

namespace {

uint64_t offsetOf(const llvm::object::ObjectFile &object, llvm::StringRef symbol) {
  for (const llvm::object::SymbolRef &defined : object.symbols())
    if (require(defined.getName(), "getName") == symbol)
      return require(defined.getValue(), "getValue");
  NEREID_UNREACHABLE("the object does not define " + symbol.str());
}

} // namespace

std::vector<runtime::CodeLine> readLines(llvm::MemoryBufferRef object, llvm::StringRef symbol,
                                         uint64_t entry) {
  std::unique_ptr<llvm::object::ObjectFile> file =
      require(llvm::object::ObjectFile::createELFObjectFile(object), "createELFObjectFile");
  uint64_t shift = entry - offsetOf(*file, symbol);
  std::unique_ptr<llvm::DWARFContext> context = llvm::DWARFContext::create(*file);
  const llvm::DWARFObject &sections = context->getDWARFObj();
  llvm::DWARFDataExtractor data(sections, sections.getLineSection(), /*IsLittleEndian=*/true,
                                /*AddressSize=*/8);
  std::multimap<uint64_t, unsigned> places; // by offset, equal ones as they came
  auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  llvm::DWARFDebugLine::SectionParser parser(data, *context, context->normal_units());
  while (!parser.done())
    for (const llvm::DWARFDebugLine::Row &row : parser.parseNext(ignore, ignore).Rows)
      places.emplace(row.Address.Address + shift, row.EndSequence ? 0 : row.Line);
  std::vector<runtime::CodeLine> lines;
  for (auto [offset, place] : places)
    lines.push_back({offset, place});
  return lines;
}

std::string showLines(llvm::StringRef assembly, llvm::ArrayRef<runtime::CodePlace> places,
                      const SourceFile *file) {
  std::string shown;
  std::string last;
  for (llvm::StringRef line : llvm::split(assembly, '\n')) {
    llvm::StringRef directive = line.trim();
    // That of unwinding comes with lines; nothing unwinds through a kernel.
    if (directive.starts_with(".file\t1 ") || directive.starts_with(".cfi_"))
      continue;
    if (!directive.consume_front(".loc\t1 ")) {
      shown += (line + "\n").str();
      continue;
    }
    unsigned number = 0;
    if (directive.consumeInteger(10, number) || !number || number > places.size())
      continue;
    const runtime::CodePlace &place = places[number - 1];
    std::string comment = "\t# " + place.file + ':' + std::to_string(place.line);
    if (place.lastLine > place.line)
      comment += '-' + std::to_string(place.lastLine);
    if (file && place.file == file->name() && file->hasLine(place.line))
      comment += ": " + llvm::StringRef(file->line(place.line)).trim().str();
    if (comment == last)
      continue;
    shown += comment + '\n';
    last = std::move(comment);
  }
  return shown;
}

} // namespace nereid::backend
