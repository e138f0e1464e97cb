// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/Arguments.h"

#include "capi/Error.h"
#include "capi/Handles.h"

namespace nereid::capi {

DType toDType(nereid_dtype type) {
  if (type < 0 || type >= NEREID_DTYPE_COUNT)
    throw Error(Error::Kind::Usage, std::to_string(type) + " is no element type; 0 to " +
                                        std::to_string(NEREID_DTYPE_COUNT - 1) + " are accepted");
  return static_cast<DType>(type);
}

static TensorDescriptor toDescriptor(const nereid_tensor_descriptor *given) {
  const nereid_tensor_descriptor &descriptor = *require(given, "tensor descriptor");
  const Array &array = require(descriptor.array, "array of a tensor descriptor")->array;
  if (descriptor.pads_with_nan > 1)
    throw Error(Error::Kind::Usage, "a tensor descriptor whose pads_with_nan is " +
                                        std::to_string(descriptor.pads_with_nan) +
                                        "; 0 and 1 are accepted");
  size_t rank = array.shape().size();
  const int64_t *block = rank ? require(descriptor.block_shape, "shape of blocks") : nullptr;
  return {array, {block, block + rank}, descriptor.pads_with_nan == 1};
}

static Argument toArgument(const nereid_argument &argument) {
  switch (argument.kind) {
  case NEREID_ARGUMENT_NONE:
    return nullptr;
  case NEREID_ARGUMENT_BOOL:
    return argument.value.boolean;
  case NEREID_ARGUMENT_INT64:
    return argument.value.int64;
  case NEREID_ARGUMENT_UINT64:
    return argument.value.uint64;
  case NEREID_ARGUMENT_DOUBLE:
    return argument.value.number;
  case NEREID_ARGUMENT_STRING:
    return require(argument.value.string, "string");
  case NEREID_ARGUMENT_DTYPE:
    return toDType(argument.value.dtype);
  case NEREID_ARGUMENT_ARRAY:
    return require(argument.value.array, "array")->array;
  case NEREID_ARGUMENT_DESCRIPTOR:
    return toDescriptor(argument.value.descriptor);
  }
  throw Error(Error::Kind::Usage, "argument '" + std::string(argument.name) + "' is of kind " +
                                      std::to_string(argument.kind) + ", which there is not");
}

Arguments toArguments(const nereid_argument *arguments, size_t count) {
  if (count)
    require(arguments, "list of arguments");
  Arguments result;
  for (size_t i = 0; i < count; ++i)
    result.push_back({require(arguments[i].name, "name of an argument"), toArgument(arguments[i])});
  return result;
}

} // namespace nereid::capi
