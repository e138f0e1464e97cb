// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the elements lie that an element of a result is made from, and which layouts follow from
// that.
#pragma once

#include "dialect/nv/Nv.h"

namespace nereid::nv {

/// Whether element e of the results is made from one element of each tile operand, which
/// sourceElement() names: lanewise operations and every reshape.
bool hasSourceElements(mlir::Operation *op);
/// For an operation with source elements: the element of a tile operand that element `element` of
/// the results is made from, both counted row-major in the padded shapes. Linear over F2.
layout::Vector sourceElement(mlir::OpOperand &operand, layout::Vector element);
/// The layout that an operand needs for its elements to be with the thread that makes the results',
/// each in one register.
layout::LinearLayout sourceLayout(mlir::OpOperand &operand, const layout::LinearLayout &result);
/// For each register of the result the operand's register that it is made from, where both have
/// layouts such that there is one.
llvm::SmallVector<unsigned> sourceRegisters(mlir::OpOperand &operand,
                                            const layout::LinearLayout &result);
/// The first register of the first thread that holds each of its elements, packed.
llvm::DenseMap<layout::Vector, unsigned> registersByElement(const layout::LinearLayout &layout);
/// A layout of the result such that the operand need not move; nothing if it is none of shape
/// operations.
std::optional<layout::LinearLayout> resultLayout(mlir::Operation *op,
                                                 const layout::LinearLayout &operand);

} // namespace nereid::nv
