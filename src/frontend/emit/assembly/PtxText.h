// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of an inline assembly in PTX, read into instructions. It knows their form, not what they
// do.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nereid::emit::ptx {

/// A register, a placeholder `$2`, a number, or several of these in braces.
struct Operand {
  enum class Kind { Register, Placeholder, Number, Several } kind;
  std::string name = {};           // of a register
  unsigned index = 0;              // of a placeholder
  uint64_t bits = 0;               // of a number, as an integer or as written by 0f3F800000
  bool isReal = false;             // a number with a point: the bits are those of a float64
  std::vector<Operand> parts = {}; // of several, the lowest first
};

struct Instruction {
  std::string text;               // as written, for messages
  std::vector<std::string> words; // "cvt", "rn", "f16", "f32"
  std::vector<Operand> operands;
  std::optional<Operand> guard; // the predicate of @p
  bool isGuardNegated = false;
};

struct FormMistake {
  std::string reason, accepted;
};
/// What makes the text more or less than instructions of one block: pasted among others it would
/// hide or end them, which no assembler sees as the author's mistake. Nothing if all is well.
std::optional<FormMistake> mistakeInForm(const std::string &text);

/// Declarations of registers say nothing that their uses do not. `mistake` tells what cannot be
/// read if nothing comes back.
std::optional<std::vector<Instruction>> parse(const std::string &text, std::string &mistake);

} // namespace nereid::emit::ptx
