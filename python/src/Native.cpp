// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nereid._native: the library as Python sees it. What programs use is written in Python on top.
#include "DeviceMemory.h"
#include "Dispatcher.h"
#include "LoadedKernel.h"
#include "Lock.h"
#include "Numbers.h"
#include "Streams.h"
#include "Tuning.h"
#include "Values.h"
#include "XlaCalls.h"

#include "nereid/cache.h"
#include "nereid/compile.h"
#include "nereid/devices.h"
#include "nereid/environment.h"
#include "nereid/replay.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <sstream>

namespace nereid::python {
namespace {

/// "fp32": the name in signatures of Triton's tools.
std::string_view signatureName(DType type) {
  constexpr std::string_view names[] = {
#define DTYPE(enumerator, name, shortName, signature, bits, kind, numpy) signature,
#include "nereid/dtypes.def"
  };
  return names[static_cast<size_t>(type)];
}

const char *nameOf(Error::Kind kind) {
  switch (kind) {
  case Error::Kind::Source:
    return "source";
  case Error::Kind::Usage:
    return "usage";
  case Error::Kind::Environment:
    return "environment";
  case Error::Kind::Checked:
    return "checked";
  case Error::Kind::Internal:
    return "internal";
  }
  return "";
}

nb::tuple toTuple(const Place &place) {
  return nb::make_tuple(place.file, place.line, place.column);
}

nb::list toList(const std::vector<Finding> &findings) {
  nb::list list;
  for (const Finding &finding : findings) {
    nb::list notes, calls;
    for (const Finding::Note &note : finding.notes)
      notes.append(nb::make_tuple(note.text, toTuple(note.place)));
    for (const Place &place : finding.calls)
      calls.append(toTuple(place));
    list.append(nb::make_tuple(finding.id, finding.text, toTuple(finding.place), notes, calls));
  }
  return list;
}

/// nereid.errors makes the exception, since which one it is depends on what runs.
void raise(const Error &error) {
  try {
    nb::object make = nb::module_::import_("nereid.errors").attr("from_native");
    nb::object exception = make(nameOf(error.kind()), error.what(), toList(error.findings()));
    PyErr_SetObject(exception.type().ptr(), exception.ptr());
  } catch (nb::python_error &failure) {
    failure.restore();
  }
}

/// "*fp32", "i32", "constexpr", with ":16" behind a multiple of 16.
std::string signatureOf(const host::Argument &argument) {
  auto scalar = [](DType type, bool isPointer, bool isMultiple) {
    std::string text = isPointer ? "*" : "";
    text += signatureName(type);
    return isMultiple ? text + ":16" : text;
  };
  if (const auto *type = std::get_if<ArgumentType>(&argument.content)) {
    if (type->blockShape.empty())
      return scalar(type->dtype, type->isPointer, type->isMultipleOf16);
    std::string text = "tensordesc<" + std::string(signatureName(type->dtype)) + "[";
    for (size_t i = 0; i < type->blockShape.size(); ++i)
      text += (i ? ", " : "") + std::to_string(type->blockShape[i]);
    return text + "]>";
  }
  if (const auto *tuple = std::get_if<host::TupleArgument>(&argument.content)) {
    std::string text = "(";
    for (const host::Argument &element : tuple->elements)
      text += signatureOf(element) + ",";
    return text + ")";
  }
  return "constexpr";
}

/// "fp16[64, 32]", what stands between the brackets of "tensordesc<...>"; nothing for what is no
/// block.
std::optional<ArgumentType> descriptorOf(const std::string &text) {
  size_t open = text.find('[');
  auto dtype = parseDType(text.substr(0, open));
  if (!dtype || open == std::string::npos || !text.ends_with(']'))
    return std::nullopt;
  ArgumentType descriptor{*dtype, true};
  std::istringstream extents(text.substr(open + 1, text.size() - open - 2));
  for (std::string part; std::getline(extents, part, ',');) {
    std::istringstream number(part);
    int64_t extent = 0;
    if (!(number >> extent) || extent < 1 || !(number >> std::ws).eof())
      return std::nullopt;
    descriptor.blockShape.push_back(extent);
  }
  return descriptor.blockShape.empty() ? std::nullopt : std::optional(descriptor);
}

host::Argument argumentOf(const std::string &type) {
  bool isMultiple = type.ends_with(":16");
  std::string text = isMultiple ? type.substr(0, type.size() - 3) : type;
  constexpr std::string_view descriptor = "tensordesc<";
  if (text.starts_with(descriptor) && text.ends_with('>')) {
    size_t length = text.size() - descriptor.size() - 1;
    auto block = descriptorOf(text.substr(descriptor.size(), length));
    if (!block)
      throw nb::value_error(
          ("no type '" + type + "': a descriptor is tensordesc<fp16[64, 32]>").c_str());
    block->isMultipleOf16 = isMultiple;
    return {*block};
  }
  bool isPointer = text.starts_with('*');
  auto dtype = parseDType(isPointer ? text.substr(1) : text);
  if (!dtype)
    throw nb::value_error(("no type '" + type + "'").c_str());
  return {ArgumentType{*dtype, isPointer, isMultiple}};
}

void addKernelClasses(nb::module_ &module) {
  nb::class_<Device>(module, "Device")
      .def(
          "__init__",
          [](Device *self, const std::string &name, uint64_t threads, bool findsAll) {
            CheckOptions check{.refusesBrokenPromises = findsAll,
                               .findsNonFinite = findsAll,
                               .comparesOrders = findsAll};
            new (self)
                Device(Device::open(name, {.threads = unsigned(std::min<uint64_t>(threads, ~0u)),
                                           .check = std::move(check)}));
          },
          nb::arg("name") = "cpu", nb::arg("threads") = 0, nb::arg("finds_all") = false)
      .def_prop_ro("name", [](const Device &self) { return self.name(); })
      .def_prop_ro("threads", &Device::threads);
  nb::class_<host::Argument>(module, "Argument")
      .def("__init__", [](host::Argument *self,
                          const std::string &type) { new (self) host::Argument(argumentOf(type)); })
      .def_static(
          "constant", [](nb::object value) { return host::Argument{toValue(value)}; },
          nb::arg("value").none())
      .def_static("tuple",
                  [](const std::vector<host::Argument> &elements) {
                    host::TupleArgument tuple;
                    tuple.elements = elements;
                    return host::Argument{std::move(tuple)};
                  })
      .def_prop_ro("signature", signatureOf);
  nb::class_<host::Kernel>(module, "Kernel")
      .def(nb::init<>(), "None yet: launching it does nothing.")
      .def_prop_ro("compile_milliseconds", &host::Kernel::compileMilliseconds)
      .def_prop_ro("was_kept", &host::Kernel::wasKept)
      .def_prop_ro("bytes", &host::Kernel::bytes)
      .def_prop_ro("resources", &host::Kernel::resources);
  module.def("most_kernel_bytes", host::mostKernelBytes);
  module.def(
      "compile",
      [](const Device &device, const host::Function &function,
         const std::vector<host::Argument> &arguments, bool mayOverlap, unsigned warps,
         unsigned stages, unsigned registers, bool checksAsserts, std::array<int64_t, 4> block) {
        Unlocked unlocked;
        Tuning tuning{warps, stages, registers, {block[0], block[1], block[2], block[3]}};
        return host::compile(device, function, arguments, {mayOverlap, tuning, checksAsserts});
      },
      nb::arg("device"), nb::arg("function"), nb::arg("arguments"), nb::arg("may_overlap"),
      nb::arg("warps") = 0, nb::arg("pipeline_stages") = 0, nb::arg("max_registers") = 0,
      nb::arg("checks_asserts") = false, nb::arg("block") = std::array<int64_t, 4>{0, 1, 1, 0});
  module.def("key_of", host::keyOf, nb::arg("arguments"));
  module.def(
      "assemble",
      [](const Device &device, const std::string &ptx) {
        std::vector<uint8_t> code = host::assemble(device, ptx);
        return nb::bytes(code.data(), code.size());
      },
      nb::arg("device"), nb::arg("ptx"));
}

void addGpuClasses(nb::module_ &module) {
  nb::class_<KernelResources>(module, "KernelResources")
      .def_ro("threads", &KernelResources::threads)
      .def_ro("registers", &KernelResources::registers)
      .def_ro("local_bytes", &KernelResources::localBytes)
      .def_ro("shared_bytes", &KernelResources::sharedBytes)
      .def_ro("programs_per_multiprocessor", &KernelResources::programsPerMultiprocessor)
      .def_ro("occupancy", &KernelResources::occupancy);
  nb::class_<GpuInfo>(module, "GpuInfo")
      .def_ro("name", &GpuInfo::name)
      .def_ro("target", &GpuInfo::target)
      .def_prop_ro("card", [](const GpuInfo &self) { return analyzeCardIn(self.name); })
      .def_ro("sm_major", &GpuInfo::smMajor)
      .def_ro("sm_minor", &GpuInfo::smMinor)
      .def_ro("memory", &GpuInfo::memory)
      .def_ro("multiprocessors", &GpuInfo::multiprocessors)
      .def_ro("threads_per_block", &GpuInfo::threadsPerBlock)
      .def_ro("registers_per_block", &GpuInfo::registersPerBlock)
      .def_ro("shared_per_block", &GpuInfo::sharedPerBlock)
      .def_ro("shared_per_multiprocessor", &GpuInfo::sharedPerMultiprocessor)
      .def_ro("clock", &GpuInfo::clock)
      .def_ro("memory_clock", &GpuInfo::memoryClock)
      .def_ro("memory_bus_bits", &GpuInfo::memoryBusBits)
      .def_ro("l2", &GpuInfo::l2);
  module.def("gpu_info", &gpuInfo, nb::arg("number") = 0);
  module.def("gpu_free_memory", &gpuFreeMemory, nb::arg("number") = 0);
}

CompileOptions optionsFor(const std::string &target, unsigned warps, unsigned pipelineStages,
                          unsigned registers, bool checksAsserts, bool mayOverlap,
                          std::array<int64_t, 4> block) {
  CompileOptions options;
  options.target = target;
  options.tuning = {warps, pipelineStages, registers, {block[0], block[1], block[2], block[3]}};
  options.checksAsserts = checksAsserts;
  options.mayOverlap = mayOverlap;
  return options;
}

std::vector<std::tuple<std::string, std::string, std::string>>
dumpStages(const host::Function &function, const std::vector<host::Argument> &arguments,
           const std::string &stages, const std::string &target, unsigned warps,
           unsigned pipelineStages, unsigned registers, bool checksAsserts, bool mayOverlap,
           std::array<int64_t, 4> block) {
  Unlocked unlocked;
  CompileOptions options =
      optionsFor(target, warps, pipelineStages, registers, checksAsserts, mayOverlap, block);
  selectStages(options, stages);
  std::vector<std::tuple<std::string, std::string, std::string>> result;
  for (StageOutput &output : host::dump(function, arguments, options))
    result.emplace_back(name(output.stage), output.detail, std::move(output.text));
  return result;
}

/// Of each: id, text, what would be accepted, file, line, column, count, report.
using RemarkRow = std::tuple<std::string, std::string, std::string, std::string, unsigned, unsigned,
                             uint64_t, std::string>;

std::vector<RemarkRow> remarksOf(const host::Function &function,
                                 const std::vector<host::Argument> &arguments,
                                 const std::string &target, unsigned warps, unsigned pipelineStages,
                                 unsigned registers, bool checksAsserts, bool mayOverlap,
                                 std::array<int64_t, 4> block) {
  Unlocked unlocked;
  CompileOptions options =
      optionsFor(target, warps, pipelineStages, registers, checksAsserts, mayOverlap, block);
  std::vector<RemarkRow> rows;
  for (const Remark &remark : host::remarks(function, arguments, options))
    rows.emplace_back(remark.id, remark.text, remark.accepted, remark.place.file, remark.place.line,
                      remark.place.column, remark.count, remark.report);
  return rows;
}

/// (read, written, whether there may be more)
using AccessRow = std::tuple<std::vector<std::string>, std::vector<std::string>, bool>;

AccessRow accessesOf(const host::Function &function, const std::vector<host::Argument> &arguments,
                     const std::string &target, unsigned warps, unsigned pipelineStages,
                     unsigned registers, bool checksAsserts, bool mayOverlap,
                     std::array<int64_t, 4> block) {
  Unlocked unlocked;
  host::Accesses found = host::accesses(
      function, arguments,
      optionsFor(target, warps, pipelineStages, registers, checksAsserts, mayOverlap, block));
  return {std::move(found.read), std::move(found.written), found.mayBeMore};
}

/// As nereid/replay.h has it.
std::string describe(const host::Function &function, const std::vector<host::Argument> &arguments,
                     const std::string &target, unsigned warps, unsigned pipelineStages,
                     unsigned registers, bool checksAsserts, bool mayOverlap,
                     std::array<int64_t, 4> block) {
  Unlocked unlocked;
  return host::describe(
      function, arguments,
      optionsFor(target, warps, pipelineStages, registers, checksAsserts, mayOverlap, block));
}

using NameRow = std::tuple<std::string, std::string, std::string>;
std::vector<NameRow> toRows(const std::vector<host::LanguageName> &names) {
  std::vector<NameRow> rows;
  for (const host::LanguageName &name : names)
    rows.emplace_back(name.path, name.signature, name.meaning);
  return rows;
}

/// Of a float the bits of its mantissa and the bias of its exponent; of an integer 0 for both.
std::pair<int, int> mantissaAndBias(DType type) {
  switch (type) {
#define INTEGER_DTYPE(enumerator, name, shortName, signature, bits, kind, numpy)
#define FLOAT_DTYPE(enumerator, name, shortName, signature, exponentBits, mantissaBits, bias,      \
                    specials, overflow, numpy)                                                     \
  case DType::enumerator:                                                                          \
    return {mantissaBits, bias};
#include "nereid/dtypes.def"
  default:
    return {0, 0};
  }
}

/// (name, short name, name in signatures, bits, kind, numpy's type, bits of the mantissa, bias)
nb::list dtypes() {
  nb::list list;
  for (DType type : allDTypes()) {
    const char *kinds[] = {"bool", "signed", "unsigned", "float"};
    auto [mantissa, bias] = mantissaAndBias(type);
    list.append(nb::make_tuple(std::string(name(type)), std::string(shortName(type)),
                               std::string(signatureName(type)), bitWidth(type),
                               kinds[static_cast<int>(kind(type))],
                               std::string(numpyDescriptor(type)), mantissa, bias));
  }
  return list;
}

} // namespace
} // namespace nereid::python

// What nanobind knows of types and the classes that launches look for are one per process, so that
// a second interpreter would take them from the first. It is refused before anything is made anew.
#define PyInit__native initInMainInterpreter
NB_MODULE(_native, module) {
  using namespace nereid::python;
  nb::set_leak_warnings(false); // kernels live as long as the functions that they are made of
  nb::register_exception_translator([](const std::exception_ptr &pointer, void *) {
    try {
      std::rethrow_exception(pointer);
    } catch (const nereid::Error &error) {
      raise(error);
    }
  });
  addValueClasses(module);
  addKernelClasses(module);
  addGpuClasses(module);
  addDispatcherClass(module);
  addLoadedKernelClass(module);
  addTuning(module);
  addStreams(module);
  addDeviceMemory(module);
  addXlaCalls(module);
  module.def("dump", dumpStages, nb::arg("function"), nb::arg("arguments"), nb::arg("stages"),
             nb::arg("target") = "cpu", nb::arg("warps") = 0, nb::arg("pipeline_stages") = 0,
             nb::arg("max_registers") = 0, nb::arg("checks_asserts") = false,
             nb::arg("may_overlap") = false, nb::arg("block") = std::array<int64_t, 4>{0, 1, 1, 0});
  module.def("remarks", remarksOf, nb::arg("function"), nb::arg("arguments"),
             nb::arg("target") = "cpu", nb::arg("warps") = 0, nb::arg("pipeline_stages") = 0,
             nb::arg("max_registers") = 0, nb::arg("checks_asserts") = false,
             nb::arg("may_overlap") = false, nb::arg("block") = std::array<int64_t, 4>{0, 1, 1, 0});
  module.def("accesses", accessesOf, nb::arg("function"), nb::arg("arguments"),
             nb::arg("target") = "cpu", nb::arg("warps") = 0, nb::arg("pipeline_stages") = 0,
             nb::arg("max_registers") = 0, nb::arg("checks_asserts") = false,
             nb::arg("may_overlap") = false, nb::arg("block") = std::array<int64_t, 4>{0, 1, 1, 0});
  module.def("describe", describe, nb::arg("function"), nb::arg("arguments"),
             nb::arg("target") = "cpu", nb::arg("warps") = 0, nb::arg("pipeline_stages") = 0,
             nb::arg("max_registers") = 0, nb::arg("checks_asserts") = false,
             nb::arg("may_overlap") = false, nb::arg("block") = std::array<int64_t, 4>{0, 1, 1, 0});
  module.def("means_yes", nereid::host::meansYes, nb::arg("text"));
  module.def("number_in", nereid::host::numberIn, nb::arg("text"));
  module.def("language_names", [] { return toRows(nereid::host::languageNames()); });
  module.def("method_names", [] { return toRows(nereid::host::methodNames()); });
  module.def("thread_names", nereid::host::threadNames);
  module.def("thread_types", [] {
    std::vector<std::pair<std::string, std::string>> types;
    for (auto &[name, type] : nereid::host::threadTypes())
      types.emplace_back(name, std::string(nereid::name(type)));
    return types;
  });
  module.def("missing_names", nereid::host::missingNames);
  module.def("language_version", [] {
    nereid::host::LanguageVersion version = nereid::host::languageVersion();
    return std::pair(version.release, version.differences);
  });
  module.def("environment_mistakes", nereid::environmentMistakes);
  module.def("dtypes", dtypes);
  module.attr("KNOWN_MULTIPLE") = nereid::knownMultiple;
  module.def(
      "number_type",
      [](nb::object number) {
        const auto given = nereid::python::readNumber(number.ptr());
        return std::string(
            signatureName(nereid::specialize::typeOfNumber(given, /*isOfThreads=*/false)));
      },
      nb::arg("number"), "The type that a bool, an int or a float has as an argument.");
  module.def("dtype_of", [](nb::object text) -> std::optional<std::string> {
    auto type = dtypeOfText(nb::cast<std::string>(nb::str(text)));
    return type ? std::optional(std::string(nereid::name(*type))) : std::nullopt;
  });
  module.def("cpu_features", [] { return nereid::cpuInfo().features; });
  module.def("cpu_name", [] { return nereid::cpuInfo().name; });
  module.def("devices", [] {
    std::vector<std::tuple<std::string, std::string, std::string>> rows;
    for (const nereid::DeviceInfo &device : nereid::devices())
      rows.emplace_back(device.name, device.description, device.unavailableBecause);
    return rows;
  });
  module.def("printable", [](nb::bytes text) {
    return nereid::printable({static_cast<const char *>(text.data()), text.size()});
  });
  module.def("version", [] { return std::string(nereid::version()); });
}

#undef PyInit__native
extern "C" NB_EXPORT PyObject *PyInit__native() {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0)
    return initInMainInterpreter();
  PyErr_SetString(PyExc_ImportError,
                  "nereid works in Python's main interpreter alone, not in a subinterpreter");
  return nullptr;
}
