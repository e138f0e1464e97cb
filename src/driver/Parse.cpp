// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a file to a syntax tree, with the limits that keep a stray input from hurting.
#include "driver/Compiler.h"
#include "frontend/parse/Parser.h"
#include "support/Diagnostics.h"

#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace nereid::driver {

static constexpr uint64_t largestSource = 16u << 20;

static void refuseTooLarge(const std::string &path, uint64_t bytes) {
  if (bytes > largestSource)
    fail({}, DiagnosticId::file_too_large, path, bytes >> 20, largestSource >> 20);
}

static void refuseBinary(const SourceFile &file) {
  std::string_view text = file.text();
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  const auto *end = begin + text.size(), *position = begin;
  size_t zero = text.find('\0');
  if (zero != std::string_view::npos)
    fail({}, DiagnosticId::file_not_text, file.path(), zero);
  if (!llvm::isLegalUTF8String(&position, end))
    fail({}, DiagnosticId::file_not_text, file.path(), position - begin);
}

std::shared_ptr<const SourceModule> parse(std::string path, std::string text) {
  refuseTooLarge(path, text.size());
  auto source = std::make_shared<SourceModule>(std::move(path), std::move(text));
  try {
    refuseBinary(source->file);
    auto begin = std::chrono::steady_clock::now();
    source->tree = parseModule(source->file);
    source->parseTime = std::chrono::steady_clock::now() - begin;
  } catch (SourceError &error) {
    error.owner = source;
    throw;
  }
  return source;
}

std::shared_ptr<const SourceModule> parseFile(const std::string &path) {
  // The size comes first: a file that is too large is not read, and a device never ends.
  llvm::sys::fs::file_status status;
  std::error_code error = llvm::sys::fs::status(path, status);
  if (!error && llvm::sys::fs::is_directory(status))
    error = std::make_error_code(std::errc::is_a_directory);
  if (error)
    fail({}, DiagnosticId::file_unreadable, path, error.message());
  refuseTooLarge(path, status.getSize());
  auto buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    fail({}, DiagnosticId::file_unreadable, path, buffer.getError().message());
  return parse(path, (*buffer)->getBuffer().str());
}

} // namespace nereid::driver
