// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tells the compiled forms of one kernel apart, and the slots of a launch, in one walk over
// the arguments: the fast path of a launch. Nothing here is kept, and nothing is parsed.
#pragma once

#include "nereid/host.h"
#include "nereid/specialize.h"

#include "ArrayView.h"
#include "Reused.h"

#include <nanobind/nanobind.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nereid::python {

/// How a kernel takes one parameter.
struct ParameterSpec {
  nb::str name;        ///< interned
  nb::object fallback; ///< the default; not valid where there is none
  bool isConstexpr = false;
  bool isVariadic = false;
  bool isOption = false; ///< what is passed by its name is an option of the launch as well
  specialize::ParameterRules rules = {};
};

/// From a tuple (name, [] or [default], is_constexpr, is_variadic, knows_one, knows_multiples, type
/// or None), behind which True stands for a parameter of a kernel of threads.
ParameterSpec readParameter(nb::handle tuple);

/// A host tensor descriptor (triton.tools.tensor_descriptor.TensorDescriptor).
void setDescriptorClass(nb::object type);
bool isDescriptor(nb::handle object);
/// tl.constexpr, whose instances stand for what they hold.
void setConstexprClass(nb::object type);
bool isConstexpr(nb::handle object);
/// tl.dtype, whose instances are equal if their names are.
void setDtypeClass(nb::object type);
/// What a constexpr stands for; every other object itself.
nb::object unwrapped(nb::handle object);

class LaunchKey {
public:
  /// Room for what most kernels take: growing by halves would cost a tenth of a small launch.
  LaunchKey() {
    bytes.reserve(160);
    slots.reserve(24);
    pointers.reserve(8);
  }
  /// For another walk over the same arguments, which describes them: what `other` made of them is
  /// used again. `toConstant` makes what toValue() takes of an object that it does not know.
  LaunchKey(const LaunchKey &other, nb::object toConstant)
      : owned(other.owned), made(other.made), toConstant(std::move(toConstant)) {}

  /// Both add what they find to the key. An argument that no key can hold makes the launch a slow
  /// one: isExact is false then.
  void add(const ParameterSpec &parameter, nb::handle argument);
  /// add(), and the same as the compiler takes it, for when there is no kernel yet: what the key
  /// tells apart and what is compiled are found in one walk.
  host::Argument describe(const ParameterSpec &parameter, nb::handle argument);
  void addOption(nb::handle name, nb::handle value);
  /// Finds the device of the arrays, and whether they may overlap. Of arrays on several GPUs it is
  /// what `current` gives, or that of the first one if there is no such GPU (-1). Arrays that it
  /// does not reach are a ValueError.
  void findDevice(const std::function<int()> &current);
  /// Ends the key.
  void finish(bool isDebugging);

  Reused<std::string> bytes;
  Reused<std::vector<host::Slot>> slots;
  bool isExact = true, mayOverlap = false;
  bool hasArrays() const { return !pointers.empty(); }
  /// -1: the host; or a CUDA device.
  int cudaDevice = -1;
  /// Of the first array on that device, as in ArrayView.
  const dlpack::ExchangeApi *library = nullptr;
  std::optional<uint64_t> stream = {};
  /// Objects whose identity is in the key.
  std::vector<PyObject *> identities;
  /// Of arrays that must stay as they are: the parameter's name, and behind dots the places of
  /// elements of tuples.
  std::vector<std::string> readOnly;
  /// Arrays that something else than the argument keeps, with the arguments.
  std::vector<std::pair<PyObject *, ArrayView>> owned;

  /// What arguments were made into, by argument.
  std::vector<std::pair<PyObject *, nb::object>> made;

  /// As the global function; of an argument that makes its array anew, the same each time.
  std::optional<ArrayView> viewArray(nb::handle argument);

private:
  void addConstant(nb::handle value);
  void addConstantKey(nb::handle value);
  void addText(nb::handle text);
  void addRuntime(const ParameterSpec &parameter, nb::handle argument);
  void addOfThreads(const ParameterSpec &parameter, nb::handle argument);
  void addNumber(const ParameterSpec &parameter, nb::handle argument);
  void addSpecialized(nb::handle argument, const specialize::SpecializedNumber &number);
  void addDescriptor(const ParameterSpec &parameter, nb::handle descriptor);
  void addArray(const ParameterSpec &parameter, const ArrayView &view, const ArgumentType &type);
  void addTuple(const ParameterSpec &parameter, nb::handle tuple);
  void addType(const ArgumentType &type);
  void addTupleClass(nb::handle tuple);
  template <typename T> void put(char tag, const T &value);

  struct Pointer {
    uint64_t begin, end;
    int device;
    bool isExtentKnown;
    const ParameterSpec *parameter;
    const dlpack::ExchangeApi *library;
    std::optional<uint64_t> stream;

    /// One of unknown extent, which has its first byte, may be anywhere.
    bool mayOverlap(const Pointer &other) const;
  };
  void requireReach(const Pointer &pointer, const Pointer &first) const;
  void takeStream();
  /// Of parameters that are pointers: integers that stand for arrays of unknown extent.
  size_t addresses = 0;
  std::string path; ///< inside a tuple
  Reused<std::vector<Pointer>> pointers;
  /// While arguments are described: where to; null otherwise.
  std::vector<host::Argument> *described = nullptr;
  nb::object toConstant;
};

} // namespace nereid::python
