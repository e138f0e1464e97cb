// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an expression of a kernel can be while the kernel is being traced.
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/names/Meaning.h"
#include "frontend/sema/Builtins.h"
#include "frontend/sema/Constant.h"
#include "frontend/sema/DeviceFunctions.h"
#include "frontend/sema/Environment.h"
#include "frontend/sema/HostModules.h"
#include "frontend/sema/HostScope.h"
#include "frontend/sema/Type.h"

#include "mlir/IR/Value.h"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace nereid::emit {

using names::ClassReference;
using names::EnvironmentLookup;
using names::ModuleReference;

struct Value;

/// A run-time value: a scalar or a tile.
struct Tensor {
  mlir::Value value;
  sema::ValueType type;

  DType dtype() const { return type.scalar.dtype; }
  bool isPointer() const { return type.scalar.isPointer; }
  bool isTile() const { return type.isTile(); }
  const sema::Shape &shape() const { return type.shape; }
};

struct Frame;

struct JitFunction {
  const ast::Function *function;
  const ast::Module *module;
  /// Of a function inside of another: that call of it which made this one; null of all else.
  const Frame *around = nullptr;
};

/// A class of tuples whose elements have names.
struct RecordType {
  std::string name;
  std::vector<std::string> fields; // those of the bases first
  const ast::Record *definition;   // with `module`; both null if the text does not define it
  const ast::Module *module;
  SourceRange range;
  std::vector<std::shared_ptr<const RecordType>> bases = {};
  std::shared_ptr<const sema::HostRecord> host = {}; // a class of the host's

  /// A method of its own, not of the bases; nothing if it has none of that name.
  std::optional<JitFunction> ownMethod(std::string_view method) const;

  /// The class of which the field or the method is, this one first; null if none has it.
  const RecordType *ownerOfField(std::string_view field) const;
  const RecordType *ownerOfMethod(std::string_view method) const;
  bool isOrDerivesFrom(const RecordType &other) const;
};

struct Tuple {
  std::vector<Value> elements;
  /// Whose object it is; null for an ordinary tuple.
  std::shared_ptr<const RecordType> record = {};
};

/// {key: value}, of which all is known while the kernel is compiled.
struct Dictionary {
  std::vector<Value> keys, values;

  /// Null if there is no such key.
  const Value *find(const Value &key) const;
};

/// The class itself, which makes its objects when it is called.
struct RecordReference {
  std::shared_ptr<const RecordType> type;
};

/// A window onto an array: tl.make_block_ptr. Shape, strides and offsets are int64 scalars.
struct BlockPointer {
  Tensor base;
  std::vector<Tensor> shape, strides, offsets;
  sema::Shape block;
  /// Only the offsets differ between paths that meet, so control flow carries nothing else.
  bool isPinned = false;
};

/// A description of an array: tl.make_tensor_descriptor. Shape is of int32 scalars, strides of
/// int64.
struct TensorDescriptor {
  Tensor base;
  std::vector<Tensor> shape, strides;
  sema::Shape block;
  bool padsWithNan = false;
};

/// What the elements of a structured array hold. Places and sizes are in bytes.
struct Structure {
  struct Field {
    std::string name;
    int64_t offset = 0;
    std::vector<int64_t> shape; // of a field that is an array
    DType type = DType::UInt8;  // of an element; of a complex one's parts
    bool isComplex = false;
    /// What kernels copy and do nothing else with, as bytes.
    bool isOpaque = false;
    std::string kind = {};                           // as ArrayView has it
    std::shared_ptr<const Structure> structure = {}; // of an element that has fields itself

    bool operator==(const Field &other) const;
  };
  int64_t size = 0;
  std::vector<Field> fields;
  /// The type as kernels name it.
  std::shared_ptr<const Value> type = {};

  const Field *find(std::string_view name) const;
  bool operator==(const Structure &other) const;
};

/// An array of a kernel of threads, or a part of one. Shape and strides are int64 scalars; strides
/// count elements.
struct ArrayView {
  Tensor base;
  std::vector<Tensor> shape, strides;
  /// Its elements are complex numbers: a float that `base` and the strides lead to, and the next.
  bool isComplex = false;
  /// Its elements have fields: `base` is of bytes, which strides count. Without dimensions it is
  /// one such element, where it lies.
  std::shared_ptr<const Structure> structure = {};
  /// A field of structures: what leaves it may still be within their memory.
  bool isField = false;
  /// Of elements that are no numbers, NumPy's name of their type: `datetime64[D]`, `timedelta64[s]`
  /// (Times.h), `U12`, `S12` (Texts.h).
  std::string kind = {};
};

/// `x.sum`: a function that gets `object` first.
struct BoundMethod {
  std::shared_ptr<const Value> object;
  std::shared_ptr<const Value> callee;
};

/// `dtype.is_floating`: a function without parameters whose result is known.
struct KnownResult {
  std::string name;
  std::shared_ptr<const Value> result;
};

/// A method of a string, an integer or a dictionary; without an object a function of Python's own,
/// such as `sorted`.
struct ConstantMethod {
  std::string name;
  std::shared_ptr<const Value> object;
};

/// `x.type`
struct TypeReference {
  sema::ValueType type;
  /// The type of a block pointer, which points at a block of `type`.
  bool isBlockPointer = false;
  bool operator==(const TypeReference &) const = default;
};

/// `x.type` of what is known while the kernel is compiled: the type of this one value.
struct ConstantType {
  std::shared_ptr<const Value> value;
};

/// `x.type` of a tuple, and tl.tuple_type([...]): the types of its elements in order, with their
/// names if they have any.
struct TupleType {
  std::vector<Value> types;
  std::vector<std::string> fields = {};
  /// The tuple itself, where all of it is known; null otherwise.
  std::shared_ptr<const Value> constant = {};
};

/// An f-string with run-time values: one text more than values.
struct FormattedText {
  std::vector<std::string> texts;
  std::vector<Tensor> values;
};

/// lower:upper:step of a subscript.
struct SliceValue {
  std::shared_ptr<const Value> lower, upper, step; // each may be null
};

/// range(...) or static_range(...).
struct RangeValue {
  std::shared_ptr<const Value> lower, upper, step;
  bool isStatic = false;
  std::vector<std::pair<std::string, sema::ConstantValue>> options;
};

struct Value {
  using Variant =
      std::variant<sema::ConstantValue, Tensor, Tuple, BlockPointer, TensorDescriptor, ArrayView,
                   ModuleReference, ClassReference, JitFunction, const sema::Builtin *, BoundMethod,
                   KnownResult, TypeReference, FormattedText, SliceValue, RangeValue,
                   const sema::HostFunction *, const sema::DeviceFunction *, EnvironmentLookup,
                   sema::ArrayFacts, std::shared_ptr<const sema::HostNamespace>,
                   std::shared_ptr<const sema::HostCall>, RecordReference, ConstantType, TupleType,
                   Dictionary, ConstantMethod>;

  // All of these are compiled once, in Value.cpp: they are long, and every file of this directory
  // would hold them again.
  Value() noexcept; // None
  Value(const Value &);
  Value(Value &&) noexcept;
  Value &operator=(const Value &);
  Value &operator=(Value &&) noexcept;
  ~Value();
  /// One for each alternative.
  template <typename T>
    requires(!std::is_same_v<T, Value> && std::is_constructible_v<Variant, T>)
  Value(T alternative);

  template <typename T> const T *as() const { return std::get_if<T>(&variant); }
  template <typename T> T *as() { return std::get_if<T>(&variant); }
  template <typename T> bool is() const { return std::holds_alternative<T>(variant); }
  bool isNone() const;

  Variant variant;
};

Value integerValue(sema::Integer value);
Value boolValue(bool value);
Value stringValue(std::string value);
Value dtypeValue(sema::ScalarType type);
Value tupleOf(llvm::ArrayRef<int64_t> integers);
std::shared_ptr<const Value> share(Value value);

/// How a diagnostic calls the value: "float32 tile of shape (8,)", "int 3", "a tuple".
std::string describe(const Value &value);

/// A constant as Python prints it, "(8, 'a')"; all else as diagnostics call it.
std::string toText(const Value &value);

/// Nothing if the object has no such method that is known here.
std::optional<ConstantMethod> constantMethod(const Value &object, const std::string &name);
/// What Python has without an import, and only functions that compute constants call.
std::optional<ConstantMethod> constantFunction(const std::string &name);

/// Whether the value is a constant number, a scalar or a tile (of pointers, too).
bool isNumber(const Value &value);
/// Whether the value is a pointer or a tile of pointers.
bool isPointer(const Value &value);

/// Whether the value is a function or a method.
bool isCallable(const Value &value);

/// The constant that a value is known to be: one of the source, or a scalar that folded to one.
std::optional<sema::ConstantValue> asConstant(const Value &value);

/// The value with whatever folded made a constant again; nothing if a run-time value remains.
std::optional<Value> constexprForm(const Value &value);

/// Whether Python takes the value for true, of constants and tuples; nothing for all else.
std::optional<bool> knownTruth(const Value &value);

/// `value.type`: nothing for what has no type in the language.
std::optional<Value> typeValue(const Value &value);
/// The element type that a value is: tl.int32, and `x.type` of a scalar.
std::optional<sema::ScalarType> scalarTypeOf(const Value &value);
/// Whether the value is a type: tl.int32, `x.type` of whatever has one, what tl.block_type and
/// tl.tuple_type make.
bool isType(const Value &value);

/// Whether both are the same value, so that control flow need not merge them. Types are if they are
/// equal.
bool isSame(const Value &lhs, const Value &rhs);

/// Whether both are windows onto one array, which only their offsets may tell apart.
bool isSameArray(const BlockPointer &lhs, const BlockPointer &rhs);

bool isSameStructure(const std::shared_ptr<const Structure> &lhs,
                     const std::shared_ptr<const Structure> &rhs);
/// Whether both are arrays of one rank and one type of elements, so that control flow can merge
/// them.
bool isSameKind(const ArrayView &lhs, const ArrayView &rhs);

/// Whether both describe arrays of one element in blocks of one shape, so that control flow can
/// merge them.
bool isSameKind(const TensorDescriptor &lhs, const TensorDescriptor &rhs);

/// The run-time values inside (of a tuple, a block pointer, a descriptor) in a fixed order.
void flatten(const Value &value, std::vector<Tensor> &parts);
/// `like` with its run-time values replaced by those at `next`, which advances.
Value rebuild(const Value &like, const mlir::Value *&next);

} // namespace nereid::emit
