// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Module.h"

namespace nereid::runtime::cuda {
namespace {

constexpr uint32_t portableCluster = 8; // blocks; more only where the function is told

/// A launch with attributes, which configurations only point to.
struct Configuration {
  std::array<CUlaunchAttribute, 3> attributes;
  CUlaunchConfig config;

  Configuration(GridExtent grid, const LaunchShape &shape, CUstream stream)
      : config{grid.x,
               grid.y,
               grid.z,
               shape.threadsAlongX(),
               shape.rows[0],
               shape.rows[1],
               shape.sharedBytes,
               stream,
               attributes.data(),
               0} {
    if (shape.blocksInCluster() > 1) {
      CUlaunchAttribute &attribute = attributes[config.numAttrs++];
      attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      attribute.value.clusterDim = {shape.cluster[0], shape.cluster[1], shape.cluster[2]};
    }
    if (shape.meetsWholeGrid) {
      CUlaunchAttribute &attribute = attributes[config.numAttrs++];
      attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
      attribute.value.cooperative = 1;
    }
    if (shape.overlapsPrevious) {
      CUlaunchAttribute &attribute = attributes[config.numAttrs++];
      attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
      attribute.value.programmaticStreamSerializationAllowed = 1;
    }
  }
  Configuration(const Configuration &) = delete;
  Configuration &operator=(const Configuration &) = delete;
};

} // namespace

Function::Function(std::shared_ptr<const Module> owner, const std::string &name)
    : module(std::move(owner)) {
  const Driver &driver = context().driver();
  const auto &get = driver.moduleGetFunction;
  if (CUresult result = context().attempt(get, &function, module->module.get(), name.c_str()))
    context().fail(get.symbol, result, "cannot find '" + name + "' in its code");
  const struct {
    int &value;
    CUfunction_attribute attribute;
  } rows[] = {{attributes_.threadsPerBlock, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
              {attributes_.registers, CU_FUNC_ATTRIBUTE_NUM_REGS},
              {attributes_.sharedBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES},
              {attributes_.localBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES},
              {attributes_.binaryVersion, CU_FUNC_ATTRIBUTE_BINARY_VERSION}};
  for (const auto &row : rows)
    context().call(driver.funcGetAttribute, &row.value, row.attribute, function);
}

Context &Function::context() const { return module->module.context(); }

void Function::prepare(const LaunchShape &shape) const {
  const auto &set = context().driver().funcSetAttribute;
  if (shape.sharedBytes)
    context().call(set, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                   static_cast<int>(shape.sharedBytes));
  if (shape.blocksInCluster() > portableCluster)
    context().call(set, function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
}

int Function::blocksPerMultiprocessor(const LaunchShape &shape) const {
  int blocks = 0;
  context().call(context().driver().occupancyMaxActiveBlocks, &blocks, function,
                 static_cast<int>(shape.threads), size_t(shape.sharedBytes));
  return blocks;
}

int Function::largestCluster(const LaunchShape &shape) const {
  LaunchShape single = shape;
  single.cluster = {1, 1, 1};
  single.overlapsPrevious = false;
  Configuration configuration({1, 1, 1}, single, nullptr);
  int blocks = 0;
  context().call(context().driver().occupancyMaxPotentialClusterSize, &blocks, function,
                 &configuration.config);
  return blocks;
}

Function::Launched Function::launch(const Stream &stream, GridExtent grid, const LaunchShape &shape,
                                    void **parameters) const {
  const Driver &driver = context().driver();
  void **noExtra = nullptr;
  if (!shape.hasAttributes())
    return {driver.launchKernel.symbol,
            context().attempt(driver.launchKernel, function, grid.x, grid.y, grid.z,
                              shape.threadsAlongX(), shape.rows[0], shape.rows[1],
                              shape.sharedBytes, stream.handle(), parameters, noExtra)};
  Configuration configuration(grid, shape, stream.handle());
  return {driver.launchKernelEx.symbol,
          context().attempt(driver.launchKernelEx, &configuration.config, function, parameters,
                            noExtra)};
}

} // namespace nereid::runtime::cuda
