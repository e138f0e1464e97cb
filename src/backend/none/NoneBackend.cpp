// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/none/NoneBackend.h"

namespace nereid::backend {
namespace {

class NoExecutable final : public runtime::Executable {
public:
  void launch(GridExtent, std::span<const ArgumentSlot>) override {}
};

class NoneBackend final : public Backend {
public:
  std::string_view name() const override { return "none"; }
  llvm::ArrayRef<driver::Stage> stages() const override { return {}; }
  std::unique_ptr<runtime::Executable> compile(driver::TileKernel, driver::Dump &) override {
    return std::make_unique<NoExecutable>();
  }
};

} // namespace

std::unique_ptr<Backend> createNoneBackend() { return std::make_unique<NoneBackend>(); }

} // namespace nereid::backend
