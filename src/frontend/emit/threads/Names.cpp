// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/threads/Names.h"

#include <cmath>
#include <cstring>

namespace nereid::emit::threads {

using sema::ConstantValue;

static constexpr llvm::StringRef modules[] = {
    "numba",
    "numba.types",
    "numba.cuda",
    "numba.cuda.shared",
    "numba.cuda.local",
    "numba.cuda.const",
    "numba.cuda.atomic",
    "numba.cuda.cg",
    "numba.cuda.libdevice",
    "numba.cuda.fp16",
    "numpy",
    "math",
    "cmath",
};

bool isKnownModule(llvm::StringRef path) {
  return path == "numba" || path.starts_with("numba.") || path == "numpy" ||
         path.starts_with("numpy.") || path == "math" || path.starts_with("math.") ||
         path == "cmath" || path.starts_with("cmath.");
}

static Tensor scalar(mlir::Value value) { return {value, {{DType::Int32}, {}}}; }

template <typename Op> static Tensor indexOf(Emitter &emitter, int axis, SourceRange range) {
  return scalar(emitter.make<Op>(range, emitter.builder.getI32Type(),
                                 emitter.builder.getI32IntegerAttr(axis)));
}

Tensor threadIndex(Emitter &emitter, int axis, SourceRange range) {
  if (emitter.block[axis] == 1)
    return emitter.integer(0, DType::Int32, range);
  return indexOf<tile::ThreadIdOp>(emitter, axis, range);
}

Tensor blockIndex(Emitter &emitter, int axis, SourceRange range) {
  return indexOf<tile::ProgramIdOp>(emitter, axis, range);
}

Tensor gridExtent(Emitter &emitter, int axis, SourceRange range) {
  return indexOf<tile::NumProgramsOp>(emitter, axis, range);
}

Tensor laneIndex(Emitter &emitter, SourceRange range) {
  Tensor number = threadIndex(emitter, 2, range);
  for (int axis : {1, 0}) {
    number = emitter.like<mlir::arith::MulIOp>(
        range, number, emitter.integer(emitter.block[axis], DType::Int32, range));
    number = emitter.like<mlir::arith::AddIOp>(range, number, threadIndex(emitter, axis, range));
  }
  return emitter.like<mlir::arith::AndIOp>(range, number, emitter.integer(31, DType::Int32, range));
}

/// cuda.threadIdx.x and its kin.
static std::optional<Value> place(Emitter &emitter, llvm::StringRef name, SourceRange range) {
  auto [vector, axisName] = name.split('.');
  size_t axis = llvm::StringRef("xyz").find(axisName);
  if (axisName.size() != 1 || axis == llvm::StringRef::npos)
    return std::nullopt;
  int number = static_cast<int>(axis);
  if (vector == "threadIdx")
    return Value(threadIndex(emitter, number, range));
  if (vector == "blockIdx")
    return Value(blockIndex(emitter, number, range));
  if (vector == "gridDim")
    return Value(gridExtent(emitter, number, range));
  if (vector == "blockDim")
    return Value(emitter.integer(emitter.block[axis], DType::Int32, range));
  return std::nullopt;
}

static std::optional<Value> partOfCuda(Emitter &emitter, llvm::StringRef name, SourceRange range) {
  constexpr llvm::StringRef vectors[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
  if (llvm::is_contained(vectors, name))
    return Value(ModuleReference{"numba.cuda." + name.str()});
  if (name == "warpsize")
    return Value(emitter.integer(32, DType::Int32, range));
  if (name == "laneid")
    return Value(laneIndex(emitter, range));
  return place(emitter, name, range);
}

static std::optional<Value> numberNamed(llvm::StringRef name) {
  if (name == "pi")
    return Value(ConstantValue(3.14159265358979323846));
  if (name == "e")
    return Value(ConstantValue(2.71828182845904523536));
  if (name == "tau")
    return Value(ConstantValue(6.28318530717958647693));
  if (name == "inf")
    return Value(ConstantValue(HUGE_VAL));
  if (name == "nan")
    return Value(ConstantValue(std::nan("")));
  return std::nullopt;
}

/// A function of math or numpy.
static std::optional<Value> mathFunction(Emitter &emitter, llvm::StringRef module,
                                         const std::string &name) {
  if (module == "numpy")
    if (auto own = emitter.builtinOf("numpy", name))
      return own;
  if (std::string_view device = sema::threadMathFunction(module, name); !device.empty())
    return Value(sema::findDeviceFunction(device));
  if (module == "numpy" && (name == "abs" || name == "absolute"))
    return emitter.builtinOf("python", "abs");
  return emitter.builtinOf("math", name);
}

std::optional<Value> valueOf(Emitter &emitter, llvm::StringRef path, SourceRange range) {
  if (llvm::is_contained(modules, path))
    return Value(ModuleReference{path.str()});
  auto [module, name] = path.rsplit('.');
  if (auto type = sema::threadTypeNamed(module, name))
    return dtypeValue({*type});
  if ((module == "numpy" || module == "numba.types") &&
      (name == "complex64" || name == "complex128"))
    return emitter.builtinOf("numba", name.str());
  if (module == "cmath")
    if (auto number = numberNamed(name))
      return number;
  if (module == "math" || module == "numpy") {
    if (auto number = numberNamed(name))
      return number;
    return mathFunction(emitter, module, name.str());
  }
  if (module == "numba.cuda.libdevice")
    if (const sema::DeviceFunction *symbol = sema::findDeviceSymbol(name))
      return Value(symbol);
  if (path.starts_with("numba.cuda."))
    if (auto part = partOfCuda(emitter, path.drop_front(std::strlen("numba.cuda.")), range))
      return part;
  return emitter.builtinOf(module.str(), name.str());
}

std::optional<Value> groupAttribute(Emitter &emitter, const Value &object,
                                    const std::string &name) {
  const auto *group = object.as<ClassReference>();
  return group && group->name == gridGroup ? emitter.builtinOf("numba.cuda.cg.GridGroup", name)
                                           : std::nullopt;
}

std::optional<Value> pythonValue(Emitter &emitter, const std::string &name) {
  return emitter.builtinOf("python", name);
}

} // namespace nereid::emit::threads
