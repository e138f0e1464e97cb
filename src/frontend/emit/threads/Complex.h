// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex numbers of kernels of threads: tuples of two floats, so that control flow carries them
// as it carries tuples. Arrays hold the two next to one another.
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit::threads {

/// Both float32 (complex64) or both float64 (complex128).
struct Complex {
  Tensor real, imag;
  DType part() const { return real.dtype(); }
};

/// Nothing if it is no complex number.
std::optional<Complex> complexOf(const Value &value);
Value complexValue(const Complex &number);
/// What parts a complex number needs to hold `number`, real or complex, as Numba has it; nothing if
/// it is no number.
std::optional<DType> partFor(const Value &number);
/// What parts a variable has that may hold either; nothing unless one is complex and both are
/// numbers.
std::optional<DType> commonPart(const Value &lhs, const Value &rhs);
/// A number, real or complex, as a complex one with such parts.
Complex toComplex(Emitter &emitter, const Value &number, DType part, SourceRange range);

/// Whether it is not zero; nothing if it is no complex number.
std::optional<mlir::Value> complexTruth(Emitter &emitter, const Value &value, SourceRange range);

/// Nothing where no operand is complex.
std::optional<Value> complexBinary(Emitter &emitter, ast::BinaryOp op, const Value &lhs,
                                   const Value &rhs, SourceRange range);
std::optional<Value> complexCompare(Emitter &emitter, ast::CompareOp op, const Value &lhs,
                                    const Value &rhs, SourceRange range);
std::optional<Value> complexUnary(Emitter &emitter, ast::UnaryOp op, const Value &operand,
                                  SourceRange range);
/// real, imag and conjugate, which real numbers have, too; nothing for all else.
std::optional<Value> numberAttribute(Emitter &emitter, const Value &object, const std::string &name,
                                     SourceRange range);
/// The square root of the sum of the parts' squares.
Tensor sizeOf(Emitter &emitter, const Complex &number, SourceRange range);

/// A function of src/library of float64s, and what it gives.
Value callLibrary(Emitter &emitter, std::string_view function, llvm::ArrayRef<Tensor> operands,
                  SourceRange range);

/// An array whose elements are complex numbers, of one whose elements are as many parts: each has
/// its second part behind it.
ArrayView asComplexArray(Emitter &emitter, ArrayView array, SourceRange range);
/// What a host hands over as "complex number", "complex array" and "array without dimensions"
/// (python/nereid/threads/complex_numbers.py); nothing for objects of other classes.
std::optional<Value> hostComplex(const sema::HostRecord &record, const Tuple &parts);

} // namespace nereid::emit::threads
