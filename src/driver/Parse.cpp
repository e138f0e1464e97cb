// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a file to a syntax tree, with the limits that keep a stray input from hurting.
#include "driver/Compiler.h"
#include "frontend/parse/Parser.h"
#include "support/Diagnostics.h"

#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"

namespace nereid::driver {

static constexpr uint64_t largestSource = 16u << 20;

static void refuseTooLarge(const std::string &path, uint64_t bytes) {
  if (bytes > largestSource)
    fail({}, DiagnosticId::file_too_large, path, llvm::divideCeil(bytes, 1 << 20),
         largestSource >> 20);
}

static void refuseBinary(const SourceFile &file) {
  std::string_view text = file.text();
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  const auto *end = begin + text.size(), *position = begin;
  size_t zero = text.find('\0');
  if (zero != std::string_view::npos)
    fail({}, DiagnosticId::file_not_text, file.name(), zero);
  if (!llvm::isLegalUTF8String(&position, end))
    fail({}, DiagnosticId::file_not_text, file.name(), position - begin);
}

static void parseAs(ast::Module (*read)(const SourceFile &file), SourceText &source) {
  refuseBinary(source.file);
  auto begin = std::chrono::steady_clock::now();
  source.tree = read(source.file);
  source.parseTime = std::chrono::steady_clock::now() - begin;
}

void parse(SourceText &source) { parseAs(parseModule, source); }

static std::shared_ptr<SourceModule> parseAs(ast::Module (*read)(const SourceFile &file),
                                             std::string path, std::string text,
                                             const ModuleOptions &options) {
  refuseTooLarge(path, text.size());
  auto source = std::make_shared<SourceModule>(std::move(path), std::move(text), options);
  try {
    parseAs(read, *source);
  } catch (SourceError &error) {
    error.owner = source;
    throw;
  }
  return source;
}

std::shared_ptr<const SourceModule> parse(std::string path, std::string text,
                                          const ModuleOptions &options) {
  return parseAs(parseModule, std::move(path), std::move(text), options);
}

std::shared_ptr<SourceModule> parseFunction(std::string path, std::string text,
                                            const ModuleOptions &options) {
  return parseAs(parseFunctionText, std::move(path), std::move(text), options);
}

/// The whole file, or more than is accepted of one that does not say its size: a device never ends.
static llvm::Expected<std::string> readText(const std::string &path) {
  llvm::Expected<llvm::sys::fs::file_t> file = llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return file.takeError();
  std::string text;
  size_t count = 0;
  constexpr size_t chunk = 1 << 16;
  do {
    text.resize(count + chunk);
    llvm::Expected<size_t> read =
        llvm::sys::fs::readNativeFile(*file, {text.data() + count, chunk});
    if (!read) {
      llvm::sys::fs::closeFile(*file);
      return read.takeError();
    }
    text.resize(count + *read);
  } while (text.size() > std::exchange(count, text.size()) && count <= largestSource);
  llvm::sys::fs::closeFile(*file);
  return text;
}

std::string readFile(const std::string &path) {
  // The size comes first: a file that is too large is not read.
  llvm::sys::fs::file_status status;
  std::error_code error = llvm::sys::fs::status(path, status);
  if (!error && llvm::sys::fs::is_directory(status))
    error = std::make_error_code(std::errc::is_a_directory);
  if (error)
    fail({}, DiagnosticId::file_unreadable, path, error.message());
  refuseTooLarge(path, status.getSize());
  llvm::Expected<std::string> text = readText(path);
  if (!text)
    fail({}, DiagnosticId::file_unreadable, path,
         llvm::errorToErrorCode(text.takeError()).message());
  return std::move(*text);
}

std::shared_ptr<const SourceModule> parseFile(const std::string &path,
                                              const ModuleOptions &options) {
  return parse(path, readFile(path), options);
}

} // namespace nereid::driver
