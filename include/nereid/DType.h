// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/Export.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace nereid {

/// The type of one array element, as named by Triton's language.
enum class DType : uint8_t {
#define DTYPE(enumerator, name, shortName, signature, bits, kind, numpy) enumerator,
#include "nereid/dtypes.def"
};

enum class DTypeKind : uint8_t { Bool, Signed, Unsigned, Float };

/// All of them, in the table's order.
NEREID_API std::span<const DType> allDTypes();

/// "float32"
NEREID_API std::string_view name(DType type);
/// "f32"
NEREID_API std::string_view shortName(DType type);
/// The type string of a .npy header ("<f4"); empty for types that numpy lacks.
NEREID_API std::string_view numpyDescriptor(DType type);
NEREID_API DTypeKind kind(DType type);
/// Width of a value in bits; 1 for int1.
NEREID_API unsigned bitWidth(DType type);
/// Bytes one element takes in memory; int1 takes one.
NEREID_API unsigned byteSize(DType type);
/// Binary digits of a float, the implied one included: 24 for float32.
NEREID_API unsigned precision(DType type);
/// The largest finite number of a float: 448 for float8e4nv.
NEREID_API double largest(DType type);

inline bool isFloat(DType type) { return kind(type) == DTypeKind::Float; }
inline bool isFloat8(DType type) { return isFloat(type) && bitWidth(type) == 8; }
inline bool isInteger(DType type) { return !isFloat(type); }
inline bool isSigned(DType type) { return kind(type) == DTypeKind::Signed; }
inline bool isBool(DType type) { return kind(type) == DTypeKind::Bool; }

/// Accepts the language's name ("float32"), the short name ("f32"), and the one in signatures of
/// Triton's tools ("fp32").
NEREID_API std::optional<DType> parseDType(std::string_view text);

/// `count` elements of one type as another. Rounds once, to nearest even; integers saturate and
/// turn NaN to 0, and are exact between integers where they fit; int1 is value != 0.
NEREID_API void convertElements(DType from, const void *source, DType to, void *target,
                                size_t count);

} // namespace nereid
