// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// load_package PACKAGE DEVICE ROWS OUTPUT: what a package of PyTorch's gives for the sines of
// counted numbers, as tests/python/packages.py makes them. <torch/torch.h> would take half as long
// again to compile.
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <cstdio>
#include <fstream>
#include <string>

int main(int count, char **arguments) {
  if (count != 5)
    return 2;
  try {
    torch::inductor::AOTIModelPackageLoader loader(arguments[1]);
    int64_t rows = std::stoll(arguments[3]);
    at::Tensor input = at::arange(rows * 32, at::kFloat).reshape({rows, 32}).sin();
    std::vector<at::Tensor> inputs = {input.to(at::Device(std::string(arguments[2])))};
    at::Tensor output = loader.run(inputs).at(0).cpu();
    std::vector<char> bytes = torch::jit::pickle_save(output);
    std::ofstream(arguments[4], std::ios::binary).write(bytes.data(), bytes.size());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
