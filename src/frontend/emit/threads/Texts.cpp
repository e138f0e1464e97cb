// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/threads/Texts.h"

#include "llvm/Support/ConvertUTF.h"

namespace nereid::emit::threads {

using namespace mlir;
using ast::CompareOp;

namespace {

/// Characters of a text, wherever it is.
struct Characters {
  Emitter &emitter;
  SourceRange range;
  const ArrayView *array = nullptr;
  std::vector<uint32_t> known = {};
  int64_t length = 0;

  Tensor place(int64_t index) const {
    return emitter.offset(array->base, emitter.integer(index, DType::Int64, range), false, range);
  }
  /// Zero behind the end.
  Tensor at(int64_t index, DType type) const {
    if (!array || index >= length)
      return emitter.integer(index < length ? known[static_cast<size_t>(index)] : 0, type, range);
    Tensor from = place(index);
    Tensor character{emitter.make<tile::LoadOp>(range, from.value), {{from.dtype()}, {}}};
    return emitter.cast(character, {type}, range);
  }
};

bool isText(const Value &value) {
  const auto *array = value.as<ArrayView>();
  return array && array->shape.empty() && lengthOfTexts(array->kind);
}

std::optional<Characters> charactersOf(Emitter &emitter, const Value &value, SourceRange range) {
  Characters characters{emitter, range};
  if (isText(value)) {
    characters.array = value.as<ArrayView>();
    characters.length = *lengthOfTexts(characters.array->kind);
    return characters;
  }
  const auto *constant = value.as<sema::ConstantValue>();
  const auto *text = constant ? std::get_if<std::string>(constant) : nullptr;
  if (!text)
    return std::nullopt;
  const char *begin = text->data(), *end = begin + text->size();
  while (begin < end) {
    llvm::UTF32 character = 0;
    llvm::UTF32 *next = &character;
    const auto *from = reinterpret_cast<const llvm::UTF8 *>(begin);
    llvm::ConvertUTF8toUTF32(&from, reinterpret_cast<const llvm::UTF8 *>(end), &next, next + 1,
                             llvm::lenientConversion);
    if (reinterpret_cast<const char *>(from) == begin)
      break; // no character at all
    characters.known.push_back(character);
    begin = reinterpret_cast<const char *>(from);
  }
  characters.length = static_cast<int64_t>(characters.known.size());
  return characters;
}

} // namespace

std::optional<int64_t> lengthOfTexts(std::string_view kind) {
  llvm::StringRef name(kind);
  int64_t length = 0;
  if (name.size() < 2 || (name[0] != 'U' && name[0] != 'S') ||
      name.drop_front().getAsInteger(10, length))
    return std::nullopt;
  return length;
}

DType characterOf(std::string_view kind) { return kind[0] == 'U' ? DType::Int32 : DType::Int8; }

void writeText(Emitter &emitter, const ArrayView &text, const Value &value, SourceRange range) {
  auto from = charactersOf(emitter, value, range);
  if (!from)
    failWithNote(range, {{}, "it is given a text of the kernel's, or one of an array"},
                 DiagnosticId::not_a_value, describe(value));
  Characters to{emitter, range, &text, {}, *lengthOfTexts(text.kind)};
  for (int64_t i = 0; i < to.length; ++i) {
    emitter.countStep(range);
    Tensor character = from->at(i, text.base.dtype());
    tile::StoreOp::create(emitter.builder, emitter.locate(range), to.place(i).value,
                          character.value);
  }
}

std::optional<Value> textCompare(Emitter &emitter, CompareOp op, const Value &lhs, const Value &rhs,
                                 SourceRange range) {
  if (!isText(lhs) && !isText(rhs))
    return std::nullopt;
  auto left = charactersOf(emitter, lhs, range), right = charactersOf(emitter, rhs, range);
  if (!left || !right || (op != CompareOp::Eq && op != CompareOp::Ne))
    failWithNote(range, {{}, "texts of arrays are equal to others, or not"},
                 DiagnosticId::operand_types, spelling(op), describe(lhs), describe(rhs));
  Tensor all = emitter.constant(sema::ConstantValue(true), {DType::Int1}, range);
  for (int64_t i = 0; i < std::max(left->length, right->length); ++i) {
    emitter.countStep(range);
    Tensor isSame = emitter.compareSame(
        CompareOp::Eq, {left->at(i, DType::Int32), right->at(i, DType::Int32)}, range);
    all = emitter.like<arith::AndIOp>(range, all, isSame);
  }
  return op == CompareOp::Eq ? Value(all) : emitter.logicalNot(all, range);
}

} // namespace nereid::emit::threads
