// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/launch/Signature.h"

#include "frontend/emit/Evaluate.h"
#include "frontend/sema/Annotation.h"
#include "jit/launch/Binding.h"
#include "jit/launch/OutsideBrackets.h"
#include "nereid/expression.h"

#include "llvm/ADT/StringExtras.h"

namespace nereid {
namespace {

constexpr llvm::StringLiteral multipleOf16 = ":16";

std::string acceptedDTypes() {
  std::string list;
  for (DType type : allDTypes())
    list += (list.empty() ? "" : " ") + std::string(shortName(type));
  return list;
}

/// "f32[64,32]", after which `text` holds what follows; nothing for what is none.
std::optional<ArgumentType> parseBlock(llvm::StringRef text) {
  auto [name, extents] = text.split('[');
  std::optional<sema::ScalarType> type = sema::parseTypeName(name.trim());
  if (!type || type->isPointer || !extents.consume_back("]"))
    return std::nullopt;
  ArgumentType result{type->dtype, true};
  for (llvm::StringRef part : llvm::split(extents, ',')) {
    int64_t extent = 0;
    if (part.trim().getAsInteger(10, extent) || extent < 1)
      return std::nullopt;
    result.blockShape.push_back(extent);
  }
  return result;
}

/// "tensordesc<f32[64,32]>", with ":nan" for what pads with NaN and ":16" where address and strides
/// are multiples of 16 bytes.
std::optional<ArgumentType> parseDescriptor(llvm::StringRef text) {
  bool isMultiple = text.consume_back(multipleOf16), padsWithNan = text.consume_back(":nan");
  if (!text.consume_front("tensordesc<") || !text.consume_back(">"))
    return std::nullopt;
  std::optional<ArgumentType> type = parseBlock(text);
  if (!type || (padsWithNan && !isFloat(type->dtype)))
    throw Error(Error::Kind::Usage, "tensordesc<" + text.str() +
                                        ">: accepted is tensordesc<DTYPE[64,32]>, and :nan after "
                                        "it where DTYPE is a float");
  type->isMultipleOf16 = isMultiple;
  type->padsWithNan = padsWithNan;
  return type;
}

/// "f32[:,:]", an array of a kernel of threads, and "f32[:,::1]", whose rows lie next to one
/// another.
std::optional<ArgumentType> parseArray(llvm::StringRef text) {
  auto [name, dimensions] = text.split('[');
  std::optional<sema::ScalarType> type = sema::parseTypeName(name.trim());
  if (!type || type->isPointer || !dimensions.consume_back("]"))
    return std::nullopt;
  ArgumentType result{type->dtype, true};
  llvm::StringRef last;
  for (llvm::StringRef part : llvm::split(dimensions, ',')) {
    if (result.dimensions && last != ":")
      return std::nullopt; // only the last one says more
    last = part.trim();
    ++result.dimensions;
  }
  result.isContiguous = last == "::1";
  return last == ":" || last == "::1" ? std::optional(result) : std::nullopt;
}

/// "*f32:16"; nothing for what is no type.
std::optional<ArgumentType> parseType(llvm::StringRef text) {
  if (auto descriptor = parseDescriptor(text))
    return descriptor;
  if (auto array = parseArray(text))
    return array;
  bool isMultiple = text.consume_back(multipleOf16);
  std::optional<sema::ScalarType> type = sema::parseTypeName(text);
  if (!type)
    return std::nullopt;
  return ArgumentType{type->dtype, type->isPointer, isMultiple};
}

/// "x", or "pair.0" of an element of a tuple.
bool isName(llvm::StringRef text) {
  auto [parameter, elements] = text.split('.');
  bool isElement = elements.size() == text.size() - parameter.size() - 1;
  auto isNumber = [](llvm::StringRef part) {
    return !part.empty() && llvm::all_of(part, llvm::isDigit);
  };
  return !parameter.empty() && !llvm::isDigit(parameter[0]) &&
         llvm::all_of(parameter, [](char c) { return llvm::isAlnum(c) || c == '_'; }) &&
         (!isElement || llvm::all_of(llvm::split(elements, '.'), isNumber));
}

SignatureEntry parseEntry(llvm::StringRef entry) {
  auto [name, text] = entry.split('=');
  name = name.trim();
  text = text.trim();
  if (!entry.contains('=') || !isName(name))
    throw Error(Error::Kind::Usage,
                "'" + entry.trim().str() + "' is not of the form NAME=TYPE or NAME=CONSTANT");
  if (std::optional<ArgumentType> type = parseType(text))
    return {name.str(), *type};
  if (text.empty())
    throw Error(Error::Kind::Usage, name.str() + "=: a type or a constant is missing");
  if (text.starts_with("*"))
    throw Error(Error::Kind::Usage, name.str() + "=" + text.str() +
                                        ": no such pointer; accepted is *DTYPE or *DTYPE:16 with "
                                        "one of " +
                                        acceptedDTypes());
  return {name.str(), Expression(text.str(), "signature of " + name.str()).evaluate()};
}

} // namespace

Signature parseSignature(std::string_view text) {
  Signature signature;
  if (text.empty())
    return signature;
  SourceFile file("signature", std::string(text));
  size_t begin = 0;
  for (uint32_t comma : jit::findOutsideBrackets(TokenKind::Comma, file)) {
    signature.push_back(parseEntry(text.substr(begin, comma - begin)));
    begin = comma + 1;
  }
  signature.push_back(parseEntry(text.substr(begin)));
  return signature;
}

/// A program may make types that no text says and that no launch would give.
static void requireSoundBlock(const ast::Parameter &parameter, const ArgumentType &type) {
  auto requireThat = [&](bool isSound, const char *given, const char *accepted) {
    if (!isSound)
      throw Error(Error::Kind::Usage, "the signature gives '" + parameter.name + "' " + given +
                                          "; accepted is " + accepted);
  };
  const std::vector<int64_t> &block = type.blockShape;
  if (block.empty())
    return requireThat(!type.padsWithNan, "a padding, but no shape of blocks",
                       "padsWithNan of tensor descriptors");
  requireThat(type.isPointer, "a shape of blocks, but no pointer",
              "blockShape where isPointer is set: a tensor descriptor");
  requireThat(block.size() <= 5, "blocks of too many dimensions", "1 to 5");
  requireThat(llvm::all_of(block, [](int64_t extent) { return extent >= 1; }),
              "blocks without elements", "extents from 1 up");
  requireThat(!type.padsWithNan || isFloat(type.dtype), "integers that are padded with NaN",
              "padsWithNan of floats");
}

sema::RuntimeParameter jit::toRuntimeParameter(const ArgumentType &type) {
  using Order = sema::ArrayForm::Order;
  sema::RuntimeParameter parameter{{type.dtype, type.isPointer},
                                   type.isMultipleOf16,
                                   sema::Shape(type.blockShape.begin(), type.blockShape.end()),
                                   type.padsWithNan};
  if (type.dimensions)
    parameter.array = {type.dimensions, type.isContiguous ? Order::C : Order::Any};
  return parameter;
}

/// The type of an argument; of a constexpr, which has none, the type that it is.
static sema::SpecializedParameter specializeType(const ast::Parameter &parameter,
                                                 const ArgumentType &type, bool isOfThreads) {
  requireSoundBlock(parameter, type);
  if (type.dimensions && !isOfThreads)
    throw Error(Error::Kind::Usage, "the signature gives '" + parameter.name +
                                        "' an array with dimensions, which kernels of threads "
                                        "take; a kernel of tiles takes *" +
                                        std::string(shortName(type.dtype)));
  if (isOfThreads && type.isPointer) {
    ArgumentType array = type;
    array.dimensions = std::max(1u, type.dimensions);
    return jit::toRuntimeParameter(array);
  }
  sema::ScalarType scalar{type.dtype, type.isPointer};
  if (!sema::readAnnotation(parameter.annotation.get()).isConstexpr)
    return jit::toRuntimeParameter(type);
  if (!type.blockShape.empty())
    throw Error(Error::Kind::Usage,
                "'" + parameter.name +
                    "' is a constexpr and takes a constant; no tensor descriptor is one");
  if (type.isMultipleOf16)
    throw Error(Error::Kind::Usage, "'" + parameter.name +
                                        "' is a constexpr and takes a constant; no type with " +
                                        multipleOf16.str() + " is one");
  return sema::ConstantValue(scalar);
}

static sema::ConstantValue constantOf(const ast::Parameter &parameter, const Argument &argument) {
  if (argument.array())
    throw Error(Error::Kind::Usage, "the signature gives an array for '" + parameter.name +
                                        "'; its type or a constant is accepted");
  return jit::toConstant(argument.get());
}

static sema::SpecializedParameter specializePart(const ast::Parameter &parameter,
                                                 const jit::Given &given,
                                                 const Signature &signature, bool isOfThreads) {
  if (!given.index) {
    sema::CompoundParameter::Tuple tuple;
    for (const jit::Given &element : given.elements)
      tuple.elements.push_back(specializePart(parameter, element, signature, isOfThreads));
    return std::make_shared<const sema::CompoundParameter>(
        sema::CompoundParameter{std::move(tuple)});
  }
  const auto &value = signature[*given.index].value;
  if (const auto *type = std::get_if<ArgumentType>(&value))
    return specializeType(parameter, *type, isOfThreads);
  return constantOf(parameter, std::get<Argument>(value));
}

sema::Specialization jit::specialize(const driver::SourceModule &source,
                                     const ast::Function &function, const Signature &signature,
                                     bool mayOverlap) {
  llvm::SmallVector<llvm::StringRef> names;
  for (const SignatureEntry &entry : signature)
    names.push_back(entry.name);
  auto bound = bindParts(function, names);
  sema::Specialization specialization;
  for (const auto &[parameter, given] : llvm::zip_equal(function.parameters, bound)) {
    if (!given)
      specialization.parameters.push_back(emit::evaluateDefault(
          source.tree.moduleOf(function), function, parameter, source.modules));
    else
      specialization.parameters.push_back(
          specializePart(parameter, *given, signature, function.isOfThreads));
  }
  specialization.isNoAlias = !mayOverlap;
  return specialization;
}

} // namespace nereid
