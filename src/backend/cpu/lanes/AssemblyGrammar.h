// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an author may write for the CPU's assembler. An assembler does more than instructions: it
// reads files, makes sections and symbols, and fills memory, and what it does not resolve itself is
// left to a linker. None of that may come from a kernel's text, so what is accepted is a grammar:
//
//   text        = { line-end | ";" | label | instruction } ; a comment runs from "#" to the line's
//   end label       = digits ":" instruction = { "{" word "}" } { prefix } mnemonic [ operand { ","
//   operand } ] operand     = ( "$$" number | "%" register [ "(" digit ")" ] | hole | memory |
//   target )
//                 { "{" [ "%" ] word "}" }
//   memory      = [ number ] "(" [ base ] [ "," index [ "," scale ] ] ")"
//   base, index = "%" register | hole
//   hole        = "$" digits | "${" digits [ ":" letter ] "}"
//   target      = digits ( "b" | "f" )      of jumps alone, and there is such a label in the text
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace nereid::backend::cpu {

/// What of the text is none of the above, as a diagnostic has it; nothing if all is well. Whether
/// there is such an instruction only the assembler knows.
std::optional<std::string> mistakeInAssembly(llvm::StringRef text);

} // namespace nereid::backend::cpu
