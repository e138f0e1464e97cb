// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/remarks.h"
#include "capi/Arguments.h"
#include "capi/CompileOptions.h"
#include "capi/Error.h"
#include "capi/FindingView.h"
#include "capi/Handles.h"
#include "nereid-c/remarks.h"

using namespace nereid;

static void showAll(const std::vector<Remark> &remarks, nereid_remark_callback callback,
                    void *user) {
  for (const Remark &remark : remarks) {
    nereid_remark shown{remark.id.c_str(),       remark.text.c_str(), remark.accepted.c_str(),
                        capi::toC(remark.place), remark.count,        remark.report.c_str()};
    callback(user, &shown);
  }
}

nereid_status nereid_kernel_remarks(const nereid_kernel *kernel, const char *signature,
                                    const nereid_compile_options *options,
                                    nereid_remark_callback callback, void *user,
                                    nereid_error **error) {
  return capi::guard(error, [&] {
    capi::require(callback, "callback");
    Signature parsed = parseSignature(capi::require(signature, "signature"));
    showAll(
        remarks(capi::require(kernel, "kernel")->kernel, parsed, capi::toCompileOptions(options)),
        callback, user);
  });
}

nereid_status nereid_kernel_remarks_for(const nereid_kernel *kernel,
                                        const nereid_argument *arguments, size_t count,
                                        const nereid_compile_options *options,
                                        nereid_remark_callback callback, void *user,
                                        nereid_error **error) {
  return capi::guard(error, [&] {
    capi::require(callback, "callback");
    showAll(remarksFor(capi::require(kernel, "kernel")->kernel, capi::toArguments(arguments, count),
                       capi::toCompileOptions(options)),
            callback, user);
  });
}
