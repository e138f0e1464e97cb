// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operator of ONNX Runtime's that runs a kernel which was compiled when this library was built:
// Gelu of the domain "nereid.example". SessionOptions.register_custom_ops_library("libgelu.so")
// makes it known.
#include <nereid/compile.h>
#include <nereid/nereid.h>

#include <onnxruntime_c_api.h>

#include <exception>
#include <vector>

namespace {

/// Of how many elements a program takes care, as the artifact was compiled.
constexpr int64_t block = 1024;

const OrtApi *api = nullptr;

/// What a session has of the operator; any thread may run it.
struct Gelu {
  nereid::Device device = nereid::Device::open("cpu");
  nereid::Kernel kernel = nereid::Artifact::load(GELU_ARTIFACT).kernel();

  void run(const float *x, float *out, int64_t count) const {
    auto arrayOf = [&](const float *data) {
      return device.borrow(const_cast<float *>(data), nereid::DType::Float32, {count});
    };
    kernel.launch(device, {nereid::cdiv(count, block)},
                  {{"x", arrayOf(x)}, {"out", arrayOf(out)}, {"n", count}});
  }
};

/// What `work` throws, as ONNX Runtime tells it.
template <typename F> OrtStatusPtr guarded(F &&work) noexcept {
  try {
    return work();
  } catch (const std::exception &error) {
    return api->CreateStatus(ORT_RUNTIME_EXCEPTION, error.what());
  }
}

OrtStatusPtr compute(void *kernel, OrtKernelContext *context) {
  return guarded([&]() -> OrtStatusPtr {
    const OrtValue *input = nullptr;
    OrtValue *output = nullptr;
    OrtTensorTypeAndShapeInfo *shape = nullptr;
    size_t rank = 0, count = 0;
    void *x = nullptr, *out = nullptr;
    if (OrtStatusPtr failed = api->KernelContext_GetInput(context, 0, &input))
      return failed;
    if (OrtStatusPtr failed = api->GetTensorTypeAndShape(input, &shape))
      return failed;
    OrtStatusPtr failed = api->GetDimensionsCount(shape, &rank);
    std::vector<int64_t> extents(failed ? 0 : rank);
    if (!failed)
      failed = api->GetDimensions(shape, extents.data(), rank);
    if (!failed)
      failed = api->GetTensorShapeElementCount(shape, &count);
    api->ReleaseTensorTypeAndShapeInfo(shape);
    if (!failed)
      failed = api->KernelContext_GetOutput(context, 0, extents.data(), rank, &output);
    if (!failed)
      failed = api->GetTensorMutableData(const_cast<OrtValue *>(input), &x);
    if (!failed)
      failed = api->GetTensorMutableData(output, &out);
    if (!failed)
      static_cast<Gelu *>(kernel)->run(static_cast<float *>(x), static_cast<float *>(out),
                                       static_cast<int64_t>(count));
    return failed;
  });
}

OrtCustomOp describe() {
  OrtCustomOp op{};
  op.version = ORT_API_VERSION;
  op.GetName = [](const OrtCustomOp *) { return "Gelu"; };
  // Null is the CPU's; for "CUDAExecutionProvider" an artifact of a GPU goes on the stream that
  // KernelContext_GetGPUComputeStream gives, as nereid::Device::borrowStream takes it.
  op.GetExecutionProviderType = [](const OrtCustomOp *) -> const char * { return nullptr; };
  op.GetInputTypeCount = op.GetOutputTypeCount = [](const OrtCustomOp *) -> size_t { return 1; };
  op.GetInputType = op.GetOutputType = [](const OrtCustomOp *, size_t) {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  };
  op.GetInputCharacteristic = op.GetOutputCharacteristic = [](const OrtCustomOp *, size_t) {
    return INPUT_OUTPUT_REQUIRED;
  };
  op.GetInputMemoryType = [](const OrtCustomOp *, size_t) { return OrtMemTypeDefault; };
  op.GetVariadicInputMinArity =
      op.GetVariadicOutputMinArity = [](const OrtCustomOp *) { return 1; };
  op.GetVariadicInputHomogeneity =
      op.GetVariadicOutputHomogeneity = [](const OrtCustomOp *) { return 1; };
  op.CreateKernelV2 = [](const OrtCustomOp *, const OrtApi *, const OrtKernelInfo *,
                         void **kernel) -> OrtStatusPtr {
    return guarded([&]() -> OrtStatusPtr {
      *kernel = new Gelu;
      return nullptr;
    });
  };
  op.KernelComputeV2 = compute;
  op.KernelDestroy = [](void *kernel) { delete static_cast<Gelu *>(kernel); };
  op.GetStartVersion = [](const OrtCustomOp *) { return 1; };
  op.GetEndVersion = [](const OrtCustomOp *) { return 1; };
  return op;
}

} // namespace

extern "C" __attribute__((visibility("default"))) OrtStatusPtr
RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base) {
  static const OrtCustomOp gelu = describe();
  static OrtCustomOpDomain *domain = nullptr; // as long as the library
  api = base->GetApi(ORT_API_VERSION);
  if (!domain) {
    if (OrtStatusPtr failed = api->CreateCustomOpDomain("nereid.example", &domain))
      return failed;
    if (OrtStatusPtr failed = api->CustomOpDomain_Add(domain, &gelu))
      return failed;
  }
  return api->AddCustomOpDomain(options, domain);
}
