// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nereid {

/// The type of one array element, as named by Triton's language.
enum class DType : uint8_t {
#define DTYPE(enumerator, name, shortName, bits, kind, numpy) enumerator,
#include "nereid/dtypes.def"
};

enum class DTypeKind : uint8_t { Bool, Signed, Unsigned, Float };

/// "float32"
std::string_view name(DType type);
/// "f32"
std::string_view shortName(DType type);
/// The type string of a .npy header ("<f4"); empty for bfloat16, which numpy lacks.
std::string_view numpyDescriptor(DType type);
DTypeKind kind(DType type);
/// Width of a value in bits; 1 for int1.
unsigned bitWidth(DType type);
/// Bytes one element takes in memory; int1 takes one.
unsigned byteSize(DType type);

inline bool isFloat(DType type) { return kind(type) == DTypeKind::Float; }
inline bool isInteger(DType type) { return !isFloat(type); }
inline bool isSigned(DType type) { return kind(type) == DTypeKind::Signed; }
inline bool isBool(DType type) { return kind(type) == DTypeKind::Bool; }

/// Accepts the short name ("f32") and the language's name ("float32").
std::optional<DType> parseDType(std::string_view text);

/// `count` elements of one type as another. Rounds once, to nearest even; integers saturate and
/// turn NaN to 0, and are exact between integers where they fit; int1 is value != 0.
void convertElements(DType from, const void *source, DType to, void *target, size_t count);

} // namespace nereid
