// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operator of PyTorch's that runs a kernel which was compiled when this library was built: no
// compiler and no Python at run time. torch.ops.load_library("libgelu.so") makes it
// torch.ops.nereid_example.gelu, in C++ and in Python.
#include <nereid/compile.h>
#include <nereid/nereid.h>

#include <ATen/ops/empty_like.h>
#include <torch/library.h>

namespace {

/// Of how many elements a program takes care, as the artifact was compiled.
constexpr int64_t block = 1024;

/// An array over a tensor's memory, which the operator keeps for as long as the launch takes.
nereid::Array arrayOf(const nereid::Device &device, const at::Tensor &tensor) {
  return device.borrow(tensor.data_ptr(), nereid::DType::Float32, {tensor.numel()});
}

at::Tensor gelu(const at::Tensor &input) {
  TORCH_CHECK(input.scalar_type() == at::kFloat, "gelu is compiled for float32, and the tensor is ",
              input.scalar_type());
  // What a process loads once; any thread may launch it.
  static const nereid::Device &device = *new nereid::Device(nereid::Device::open("cpu"));
  static const nereid::Kernel &kernel =
      *new nereid::Kernel(nereid::Artifact::load(GELU_ARTIFACT).kernel());
  at::Tensor x = input.contiguous(), out = at::empty_like(x);
  kernel.launch(device, {nereid::cdiv(x.numel(), block)},
                {{"x", arrayOf(device, x)}, {"out", arrayOf(device, out)}, {"n", x.numel()}});
  return out;
}

} // namespace

TORCH_LIBRARY(nereid_example, library) { library.def("gelu(Tensor input) -> Tensor"); }
TORCH_LIBRARY_IMPL(nereid_example, CPU, library) { library.impl("gelu", gelu); }
