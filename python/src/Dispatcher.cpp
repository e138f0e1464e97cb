// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dispatcher.h"

#include "BoundLauncher.h"
#include "DLPack.h"
#include "Lock.h"
#include "ProfilerRange.h"
#include "Streams.h"
#include "Values.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace nereid::python {
namespace {

bool hasLaunchHooks = false;
PyObject *settings = nullptr;

/// As knobs.runtime.debug says, without the interpreter: it is asked for at every launch.
bool isDebugging() {
  static nb::object &name = *new nb::object(nb::str("debug"));
  if (PyObject *value = settings ? PyDict_GetItemWithError(settings, name.ptr()) : nullptr)
    return PyObject_IsTrue(value) == 1;
  return host::checksAssertsByDefault();
}

int64_t extentOf(nb::handle extent) {
  PyObject *index = PyNumber_Index(extent.ptr());
  if (!index)
    throw nb::python_error();
  long long value = PyLong_AsLongLong(index);
  Py_DECREF(index);
  if (value == -1 && PyErr_Occurred())
    throw nb::python_error();
  return value;
}

Grid readGrid(nb::handle given) {
  PyObject *object = given.ptr();
  if (PyLong_Check(object))
    return {extentOf(given)};
  if (!PyTuple_Check(object) && !PyList_Check(object))
    throw nb::type_error(
        "a grid is a tuple of one to three integers, or a function that gives one");
  Py_ssize_t size = PySequence_Size(object);
  if (size < 1 || size > 3)
    throw nb::value_error("a grid has one to three extents");
  Grid grid;
  int64_t *extents[] = {&grid.x, &grid.y, &grid.z};
  for (Py_ssize_t i = 0; i < size; ++i)
    *extents[i] = extentOf(nb::steal(PySequence_GetItem(object, i)));
  return grid;
}

/// Whether a signal's handler raised something: Ctrl-C. Python runs handlers on its main thread,
/// and answers no to all others.
bool isInterrupted() {
  Locked lock;
  return PyErr_CheckSignals() != 0;
}

} // namespace

void runOn(void *stream, const host::Kernel &kernel, Grid grid, const LaunchKey &key,
           bool mayTrap) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0)
    return;
  {
    Unlocked unlocked;
    kernel.launchOn(stream, grid, key.slots, mayTrap);
  }
  if (key.owned.empty())
    return;
  nb::list owners;
  for (const auto &[object, view] : key.owned)
    owners.append(view.owner);
  keepUntilDone(Device::open("cuda:" + std::to_string(key.cudaDevice)).borrowStream(stream),
                owners);
}

void run(const host::Kernel &kernel, Grid grid, const std::vector<host::Slot> &slots,
         nb::handle launched) {
  static const std::function<bool()> &shouldEnd = *new std::function<bool()>(isInterrupted);
  if (grid.x == 0 || grid.y == 0 || grid.z == 0)
    return;
  ProfilerRange range(launched);
  {
    Unlocked unlocked;
    kernel.launch(grid, slots, shouldEnd);
  }
  if (PyErr_Occurred())
    throw nb::python_error();
}

void setHasLaunchHooks(bool hasHooks) { hasLaunchHooks = hasHooks; }
void setSettings(nb::dict dictionary) { settings = dictionary.release().ptr(); }

Dispatcher::Dispatcher(nb::object owner, nb::list list) : owner(std::move(owner)) {
  for (nb::handle item : list)
    parameters.push_back(readParameter(item));
}

void Dispatcher::bindNamed(nb::handle name, nb::handle value, Bound &bound) const {
  for (int isByText = 0; isByText < 2; ++isByText) // most names are the very objects
    for (size_t i = 0; i < parameters.size(); ++i) {
      const ParameterSpec &parameter = parameters[i];
      bool isSame = isByText ? PyUnicode_Compare(name.ptr(), parameter.name.ptr()) == 0
                             : name.is(parameter.name);
      if (!isSame)
        continue;
      if (bound.arguments[i])
        throw nb::type_error(
            ("got multiple values for argument '" + nb::cast<std::string>(parameter.name) + "'")
                .c_str());
      bound.arguments[i] = value;
      if (parameter.isOption && PyLong_Check(value.ptr()))
        bound.options.emplace_back(name, value); // a kernel that reads num_warps runs in as many
      return;
    }
  bound.options.emplace_back(name, value);
}

void Dispatcher::bind(const Passed &passed, Bound &bound) const {
  bound.arguments.resize(parameters.size());
  const size_t count = passed.count;
  bool isVariadic = !parameters.empty() && parameters.back().isVariadic;
  size_t named = parameters.size() - isVariadic;
  if (count > named && !isVariadic)
    throw nb::type_error(("takes " + std::to_string(named) + " positional arguments but " +
                          std::to_string(count) + " were given")
                             .c_str());
  for (size_t i = 0; i < std::min(count, named); ++i)
    bound.arguments[i] = passed.values[i];
  if (isVariadic) {
    bound.rest = passed.tuple(named);
    bound.arguments.back() = bound.rest;
  }
  for (size_t i = 0; i < passed.nameCount(); ++i)
    bindNamed(passed.name(i), passed.named(i), bound);
  std::string missing;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!bound.arguments[i] && parameters[i].fallback.is_valid())
      bound.arguments[i] = parameters[i].fallback;
    if (!bound.arguments[i])
      missing += (missing.empty() ? "'" : ", '") + nb::cast<std::string>(parameters[i].name) + "'";
  }
  if (!missing.empty())
    throw nb::type_error(("missing required arguments: " + missing).c_str());
}

nb::dict Dispatcher::asDictionary(const Bound &bound) const {
  nb::dict dictionary;
  for (size_t i = 0; i < parameters.size(); ++i)
    dictionary[parameters[i].name] = bound.arguments[i];
  return dictionary;
}

nb::list Dispatcher::argumentsOf(LaunchKey &key, const Bound &bound) const {
  nb::object toConstant = owner.attr("_constant");
  LaunchKey again(key, toConstant);
  nb::list arguments;
  for (size_t i = 0; i < parameters.size(); ++i)
    arguments.append(nb::cast(again.describe(parameters[i], bound.arguments[i])));
  return arguments;
}

nb::dict Dispatcher::optionsOf(const Bound &bound) {
  nb::dict options;
  for (auto [name, value] : bound.options)
    options[name] = value;
  return options;
}

namespace {

/// Of each slot that the argument has the type, in order.
void addSlotTypes(const host::Argument &argument, std::vector<ArgumentType> &types) {
  const auto *type = std::get_if<ArgumentType>(&argument.content);
  if (type && !type->blockShape.empty())
    throw nb::type_error("a tensor descriptor is made of an array that is there, and there is none "
                         "yet; a kernel may make it itself (tl.make_tensor_descriptor)");
  if (type)
    types.push_back(*type);
  if (const auto *tuple = std::get_if<host::TupleArgument>(&argument.content))
    for (const host::Argument &element : tuple->elements)
      addSlotTypes(element, types);
}

} // namespace

LaunchKey Dispatcher::keyOf(const Bound &bound) const {
  LaunchKey key;
  for (size_t i = 0; i < parameters.size(); ++i)
    key.add(parameters[i], bound.arguments[i]);
  return key;
}

nb::tuple Dispatcher::describe(nb::args args, nb::kwargs kwargs) const {
  const Unpacked passed(args, kwargs);
  Bound bound;
  bind(passed, bound);
  LaunchKey key = keyOf(bound);
  nb::list arguments = argumentsOf(key, bound), slots;
  std::vector<ArgumentType> types;
  for (nb::handle argument : arguments)
    addSlotTypes(nb::cast<const host::Argument &>(argument), types);
  for (size_t i = 0; i < types.size(); ++i)
    slots.append(nb::make_tuple(key.slots[i].bits, types[i].isPointer, types[i].isMultipleOf16));
  return nb::make_tuple(arguments, slots, asDictionary(bound), optionsOf(bound));
}

nb::tuple Dispatcher::slots(nb::args args, nb::kwargs kwargs) const {
  const Unpacked passed(args, kwargs);
  Bound bound;
  bind(passed, bound);
  LaunchKey key = keyOf(bound);
  key.findDevice([&] { return nb::cast<int>(owner.attr("_default_device")()); });
  std::vector<bool> isAddress;
  for (nb::handle argument : argumentsOf(key, bound))
    host::appendAddressSlots(nb::cast<const host::Argument &>(argument), isAddress);
  if (isAddress.size() != key.slots.size())
    throw nb::type_error("kernels of threads are not recorded");
  nb::list slots;
  for (size_t i = 0; i < isAddress.size(); ++i) {
    const host::Slot &slot = key.slots[i];
    nb::object extent = nb::none(), below = nb::none();
    if (isAddress[i]) {
      extent = nb::cast(slot.extentBytes);
      below = nb::cast(slot.bytesBelow);
    }
    slots.append(nb::make_tuple(slot.bits, extent, below));
  }
  return nb::make_tuple(slots, key.mayOverlap);
}

/// Of a launch option, which may be None.
static unsigned numberOf(const nb::dict &options, const char *name) {
  if (!options.contains(name) || nb::object(options[name]).is_none())
    return 0;
  return nb::cast<unsigned>(options[name]);
}

nb::tuple Dispatcher::analyze(const host::Function &function, nb::handle grid,
                              const std::string &target, const std::string &card, uint64_t programs,
                              uint64_t mostAccesses, bool isL2Dirty, nb::args args,
                              nb::kwargs kwargs) {
  const Unpacked passed(args, kwargs);
  Bound bound;
  bind(passed, bound);
  LaunchKey key = keyOf(bound);
  key.findDevice([] { return -1; });
  if (key.hasArrays() && key.cudaDevice >= 0)
    throw nb::value_error("arrays of the host are analyzed, and these lie in a GPU's memory");
  key.finish(isDebugging());
  std::vector<host::Argument> arguments;
  for (nb::handle argument : argumentsOf(key, bound))
    arguments.push_back(nb::cast<host::Argument>(argument));
  const nb::dict given = optionsOf(bound);
  AnalyzeOptions options{target, card, {}, programs, mostAccesses, isL2Dirty};
  options.tuning = {numberOf(given, "num_warps"), numberOf(given, "num_stages"),
                    numberOf(given, "maxnreg")};
  nb::object extents = PyCallable_Check(grid.ptr()) ? grid(asDictionary(bound)) : nb::borrow(grid);
  const Grid programsOf = readGrid(extents);
  Analysis analysis;
  {
    Unlocked unlocked;
    analysis = host::analyze(function, arguments, programsOf, key.slots, key.mayOverlap, options);
  }
  nb::tuple shown =
      nb::make_tuple(analysis.seconds, toText(analysis), toJson(analysis), toHtml(analysis));
  return nb::make_tuple(shown, nb::cast(std::move(analysis)));
}

nb::tuple Dispatcher::profile(const host::Function &function, nb::handle device, nb::handle grid,
                              const std::string &detail, unsigned turns, nb::args args,
                              nb::kwargs kwargs) {
  const Unpacked passed(args, kwargs);
  Bound bound;
  bind(passed, bound);
  LaunchKey key = keyOf(bound);
  auto defaultDevice = [&] { return nb::cast<int>(owner.attr("_default_device")()); };
  key.findDevice(defaultDevice);
  if (!key.hasArrays())
    key.cudaDevice = defaultDevice();
  key.finish(isDebugging());
  std::vector<host::Argument> arguments;
  for (nb::handle argument : argumentsOf(key, bound))
    arguments.push_back(nb::cast<host::Argument>(argument));
  const nb::dict given = optionsOf(bound);
  ProfileOptions options{.detail = detail, .turns = turns};
  options.tuning = {numberOf(given, "num_warps"), numberOf(given, "num_stages"),
                    numberOf(given, "maxnreg")};
  nb::object extents = PyCallable_Check(grid.ptr()) ? grid(asDictionary(bound)) : nb::borrow(grid);
  const Grid programsOf = readGrid(extents);
  nb::object on = device(key.cudaDevice);
  const Device &opened = nb::cast<const Device &>(on);
  Profile profile;
  {
    Unlocked unlocked;
    profile =
        host::profile(opened, function, arguments, programsOf, key.slots, key.mayOverlap, options);
  }
  return nb::make_tuple(profile.seconds, profile.profiledSeconds, toText(profile), toJson(profile),
                        toTrace(profile), toHtml(profile));
}

Dispatcher::Entry Dispatcher::compile(LaunchKey &key, const Bound &bound) {
  nb::list arguments = argumentsOf(key, bound);
  nb::dict options = optionsOf(bound);
  nb::object compiled =
      owner.attr("_compile")(arguments, asDictionary(bound), options, key.mayOverlap,
                             key.cudaDevice, nb::bytes(key.bytes.data(), key.bytes.size()));
  Entry entry{nb::cast<host::Kernel>(compiled.attr("native")), compiled, {}, {}};
  if (!key.readOnly.empty())
    compiled.attr("require_unwritten")(key.readOnly);
  for (PyObject *identity : key.identities)
    entry.identities.push_back(nb::borrow(identity));
  if (!entry.identities.empty())
    entry.watched = Watched::listOf(
        nb::cast<nb::list>(owner.attr("_reads_of_arguments")(asDictionary(bound).values())));
  return entry;
}

void Dispatcher::requireGeneration() {
  if (std::exchange(generation, functionGeneration) != functionGeneration)
    kernels.clear();
}

void *Dispatcher::streamOf(const LaunchKey &key, nb::handle given) const {
  if (given.is_valid() && !given.is_none())
    return reinterpret_cast<void *>(nb::cast<uint64_t>(given));
  if (key.stream)
    return reinterpret_cast<void *>(*key.stream);
  void *stream = nullptr;
  if (key.library && key.library->currentStream) {
    if (key.library->currentStream(dlpack::Cuda, key.cudaDevice, &stream) == 0)
      return stream;
    PyErr_Clear();
  }
  return reinterpret_cast<void *>(nb::cast<uint64_t>(owner.attr("_stream")(key.cudaDevice)));
}

nb::object Dispatcher::call(nb::handle grid, nb::handle stream, nb::handle block,
                            const Passed &passed) {
  if (hasPreRun && !grid.is_none())
    owner.attr("_before_run")(passed.tuple(), passed.dictionary());
  Bound bound;
  bind(passed, bound);
  if (block.is_valid() && !block.is_none()) {
    if (!bound.options.empty())
      throw nb::type_error(("got an unexpected keyword argument '" +
                            nb::cast<std::string>(bound.options.front().first) + "'")
                               .c_str());
    static nb::object &name = *new nb::object(nb::str("block"));
    bound.options.emplace_back(name, block);
  }
  LaunchKey key = keyOf(bound);
  for (auto [name, value] : bound.options)
    key.addOption(name, value);
  auto defaultDevice = [&] { return nb::cast<int>(owner.attr("_default_device")()); };
  key.findDevice(defaultDevice);
  if (!key.hasArrays())
    key.cudaDevice = defaultDevice();
  else if (isHostOnly && key.cudaDevice >= 0 && !grid.is_none())
    return block.is_valid() && !block.is_none()
               ? owner.attr("_run_on_host")(grid, block, passed.tuple(), passed.dictionary())
               : owner.attr("_run_on_host")(grid, passed.tuple(), passed.dictionary());
  if (isHostOnly)
    key.cudaDevice = -1;
  key.finish(isDebugging());
  check(watched);
  requireGeneration();
  auto known = kernels.find(key.bytes);
  if (known != kernels.end() && known->second.watched) {
    check(WatchedList(known->second.watched)); // while Python runs, the entry may go
    requireGeneration();
    known = kernels.find(key.bytes);
  }
  nb::object compiled;
  host::Kernel kernel;
  if (known != kernels.end()) {
    kernel = known->second.kernel;
    compiled = known->second.compiled;
    known->second.lastUse = ++useCount;
  } else {
    Entry entry = compile(key, bound);
    kernel = entry.kernel;
    compiled = entry.compiled;
    if (key.isExact && kernel)
      kernels.insert_or_assign(key.bytes, std::move(entry));
  }
  if (grid.is_none() || !kernel)
    return compiled;
  nb::object extents = PyCallable_Check(grid.ptr()) ? grid(asDictionary(bound)) : nb::borrow(grid);
  auto launch = [&] {
    if (key.cudaDevice >= 0)
      runOn(streamOf(key, stream), kernel, readGrid(extents), key);
    else
      run(kernel, readGrid(extents), key.slots, owner);
  };
  if (hasLaunchHooks)
    owner.attr("_launch_hooked")(
        extents, compiled, asDictionary(bound), nb::cpp_function(launch),
        key.cudaDevice >= 0 ? reinterpret_cast<uint64_t>(streamOf(key, stream)) : uint64_t(0));
  else
    launch();
  return compiled;
}

int Dispatcher::traverse(visitproc visit, void *arg) const {
  Py_VISIT(owner.ptr());
  auto visitWatched = [&](const WatchedList &list) {
    for (size_t i = 0; list && i < list->size(); ++i) {
      Py_VISIT((*list)[i].container.ptr());
      Py_VISIT((*list)[i].expected.ptr());
      Py_VISIT((*list)[i].notice.ptr());
    }
    return 0;
  };
  for (const auto &[key, entry] : kernels) {
    Py_VISIT(entry.compiled.ptr());
    if (int result = visitWatched(entry.watched))
      return result;
  }
  if (int result = visitWatched(watched))
    return result;
  for (const ParameterSpec &parameter : parameters)
    Py_VISIT(parameter.fallback.ptr());
  return 0;
}

void Dispatcher::drop() {
  owner.reset();
  kernels.clear();
  watched.reset();
}

static int traverseDispatcher(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<Dispatcher>(self)->traverse(visit, arg) : 0;
}
static int clearDispatcher(PyObject *self) {
  nb::inst_ptr<Dispatcher>(self)->drop();
  return 0;
}

void addDispatcherClass(nb::module_ &module) {
  static PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void *>(traverseDispatcher)},
                                {Py_tp_clear, reinterpret_cast<void *>(clearDispatcher)},
                                {0, nullptr}};
  nb::class_<Analysis>(module, "Analysis")
      .def("compare", [](const Analysis &self, const Analysis &other) {
        Comparison both = nereid::compare(self, other);
        return nb::make_tuple(toText(both), toJson(both), toHtml(both));
      });
  nb::class_<Dispatcher>(module, "Dispatcher", nb::type_slots(slots))
      .def(nb::init<nb::object, nb::list>(), nb::arg("owner"), nb::arg("parameters"))
      .def("bind", bindLauncher, nb::arg("grid"), nb::arg("stream") = nb::none(),
           nb::arg("block") = nb::none(),
           nb::sig("def bind(self, grid: object, stream: object | None = None, "
                   "block: object | None = None) -> BoundLauncher"))
      .def("prepare",
           [](Dispatcher &self, nb::args args, nb::kwargs kwargs) {
             return self.call(nb::none(), {}, {}, Unpacked(args, kwargs));
           })
      .def("describe", &Dispatcher::describe)
      .def("slots", &Dispatcher::slots)
      .def("analyze", &Dispatcher::analyze)
      .def("profile", &Dispatcher::profile)
      .def("watch", &Dispatcher::watch)
      .def("clear", &Dispatcher::clear)
      .def("uses", &Dispatcher::uses)
      .def("forget", &Dispatcher::forget)
      .def("__len__", &Dispatcher::size)
      .def_rw("has_pre_run", &Dispatcher::hasPreRun)
      .def_rw("is_host_only", &Dispatcher::isHostOnly);
  addLauncherClass(module);
  module.def("set_has_launch_hooks", setHasLaunchHooks);
  module.def("has_launch_hooks", [] { return hasLaunchHooks; });
  module.def(
      "grid_extents",
      [](nb::object grid) {
        Grid extents = readGrid(grid);
        return nb::make_tuple(extents.x, extents.y, extents.z);
      },
      nb::arg("grid").none());
  module.def("set_settings", setSettings);
  module.def("forget_functions", Dispatcher::forgetFunctions);
  module.def("set_descriptor_class", setDescriptorClass);
  module.def("set_constexpr_class", setConstexprClass);
  module.def("set_dtype_class", setDtypeClass);
}

} // namespace nereid::python
