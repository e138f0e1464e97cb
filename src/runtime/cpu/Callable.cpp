// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/Callable.h"

#include "runtime/Artifact.h"
#include "runtime/cpu/LookUp.h"
#include "runtime/cpu/Print.h"
#include "runtime/cpu/WholeGrid.h"

#include <cstring>
#include <dlfcn.h>

namespace nereid::runtime::cpu {
namespace {

struct Function {
  std::string_view name;
  void *address;
};

template <typename T> void *addressOf(T *function) { return reinterpret_cast<void *>(function); }

const Function ours[] = {
    {"memcpy", addressOf(&std::memcpy)},      {"memset", addressOf(&std::memset)},
    {"memmove", addressOf(&std::memmove)},    {"nereidLookUp", addressOf(&nereidLookUp)},
    {"nereidPrint", addressOf(&nereidPrint)}, {syncGridSymbol, addressOf(&nereidSyncGrid)},
};

/// Opened when the first kernel asks, which most never do, and never closed.
void *findIn(const char *library, const std::string &symbol) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return handle ? dlsym(handle, symbol.c_str()) : nullptr;
}

} // namespace

uint64_t addressOfCallable(const std::string &symbol) {
  void *address = nullptr;
  for (const Function &function : ours)
    if (function.name == symbol)
      address = function.address;
  const char *library = symbol.starts_with("_ZGV") ? "libmvec.so.1" : "libm.so.6";
  if (!address)
    address = findIn(library, symbol);
  if (!address)
    throw ArtifactError("calls " + symbol + ", which this machine's " + library + " does not have");
  return reinterpret_cast<uint64_t>(address);
}

} // namespace nereid::runtime::cpu
