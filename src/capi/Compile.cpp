// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/compile.h"
#include "capi/Arguments.h"
#include "capi/CompileOptions.h"
#include "capi/Error.h"
#include "capi/Handles.h"
#include "capi/Options.h"

using namespace nereid;

CompileOptions capi::toCompileOptions(const nereid_compile_options *given) {
  auto options = readOptions(given);
  CompileOptions result;
  if (options.target)
    result.target = options.target;
  if (options.cpu)
    result.cpu = options.cpu;
  result.tuning = {options.warps, options.pipeline_stages, options.max_registers,
                   capi::toBlock(options.block, options.shared_bytes)};
  if (options.flags & ~uint32_t(NEREID_COMPILE_MAY_OVERLAP))
    throw Error(Error::Kind::Usage, std::to_string(options.flags) +
                                        " are no flags of a compilation; "
                                        "NEREID_COMPILE_MAY_OVERLAP is accepted");
  result.mayOverlap = options.flags & NEREID_COMPILE_MAY_OVERLAP;
  return result;
}

static const Kernel &kernelOf(const nereid_kernel *kernel) {
  return capi::require(kernel, "kernel")->kernel;
}

nereid_status nereid_kernel_compile(const nereid_kernel *kernel, const char *signature,
                                    const nereid_compile_options *options,
                                    nereid_artifact **artifact, nereid_error **error) {
  return capi::guardMaking(artifact, error, [&] {
    Signature parsed = parseSignature(capi::require(signature, "signature"));
    return compile(kernelOf(kernel), parsed, capi::toCompileOptions(options));
  });
}

nereid_status nereid_kernel_compile_for(const nereid_kernel *kernel,
                                        const nereid_argument *arguments, size_t count,
                                        const nereid_compile_options *options,
                                        nereid_artifact **artifact, nereid_error **error) {
  return capi::guardMaking(artifact, error, [&] {
    return compileFor(kernelOf(kernel), capi::toArguments(arguments, count),
                      capi::toCompileOptions(options));
  });
}

nereid_status nereid_artifact_from_data(const void *data, size_t bytes, nereid_artifact **artifact,
                                        nereid_error **error) {
  return capi::guardMaking(artifact, error, [&] {
    const auto *begin = static_cast<const uint8_t *>(capi::require(data, "artifact"));
    return Artifact::fromBytes({begin, bytes});
  });
}

const void *nereid_artifact_data(const nereid_artifact *artifact) {
  return artifact ? artifact->bytes.data() : nullptr;
}

size_t nereid_artifact_bytes(const nereid_artifact *artifact) {
  return artifact ? artifact->bytes.size() : 0;
}

nereid_status nereid_artifact_save(const nereid_artifact *artifact, const char *path,
                                   nereid_error **error) {
  return capi::guard(error, [&] {
    capi::require(artifact, "artifact")->artifact.save(capi::require(path, "path"));
  });
}

nereid_status nereid_artifact_kernel(const nereid_artifact *artifact, nereid_kernel **kernel,
                                     nereid_error **error) {
  return capi::guardMaking(kernel, error,
                           [&] { return capi::require(artifact, "artifact")->artifact.kernel(); });
}

void nereid_artifact_release(nereid_artifact *artifact) { delete artifact; }

nereid_status nereid_kernel_dump(const nereid_kernel *kernel, const char *signature,
                                 const char *stages, const nereid_compile_options *options,
                                 nereid_stage_callback callback, void *user, nereid_error **error) {
  return capi::guard(error, [&] {
    CompileOptions compileOptions = capi::toCompileOptions(options);
    selectStages(compileOptions, capi::require(stages, "list of stages"));
    capi::require(callback, "callback");
    Signature parsed = parseSignature(capi::require(signature, "signature"));
    for (const StageOutput &output : dump(kernelOf(kernel), parsed, compileOptions))
      callback(user, std::string(name(output.stage)).c_str(), output.detail.c_str(),
               output.milliseconds, output.text.data(), output.text.size());
  });
}
