// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/Arguments.h"
#include "capi/Error.h"

using namespace nereid;

static bool isDType(nereid_dtype type) { return type >= 0 && type < NEREID_DTYPE_COUNT; }

const char *nereid_dtype_name(nereid_dtype type) {
  // The table's texts are literals.
  return isDType(type) ? name(capi::toDType(type)).data() : nullptr;
}

size_t nereid_dtype_size(nereid_dtype type) {
  return isDType(type) ? byteSize(capi::toDType(type)) : 0;
}

nereid_status nereid_dtype_parse(const char *text, nereid_dtype *type, nereid_error **error) {
  return capi::guard(error, [&] {
    capi::require(type, "place for a type");
    std::optional<DType> parsed = parseDType(capi::require(text, "name of a type"));
    if (!parsed)
      throw Error(Error::Kind::Usage, "'" + std::string(text) + "' is no element type");
    *type = static_cast<nereid_dtype>(*parsed);
  });
}
