// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CallPools.h"

#include "Mutations.h"

#include <algorithm>

namespace nereid::fuzz {
namespace {

constexpr const char *callKernels =
    "import triton\nimport triton.language as tl\n"
    "@triton.jit\ndef first(x, y, n, B: tl.constexpr = 4):\n"
    "    tl.store(y, (tl.load(x) + n).to(y.dtype.element_ty))\n"
    "@triton.jit\ndef show(n):\n    tl.device_print('n', n)\n"
    "@triton.jit\ndef block(d, y):\n"
    "    tl.store(y, tl.sum(d.load([0, 0]).to(tl.float32)).to(y.dtype.element_ty))\n"
    "@triton.jit\ndef wrong(n):\n    tl.nosuch(n)\n";

constexpr const char *texts[] = {"cpu",
                                 "check",
                                 "first",
                                 "show",
                                 "block",
                                 "wrong",
                                 "x",
                                 "y",
                                 "n",
                                 "B",
                                 "d",
                                 "f32",
                                 "*f32",
                                 "float64",
                                 "",
                                 "\xff\xfe",
                                 "\x1b[2J",
                                 "nosuch",
                                 "k.py",
                                 "sm_90a",
                                 "none",
                                 "haswell",
                                 "x86-64",
                                 "cuda:99",
                                 "division_by_zero",
                                 "x=*f32,y=*f32,n=i32",
                                 "n=i32",
                                 "d=tensordesc<f32[4,4]>,y=*f32",
                                 "tile,passes",
                                 "ast",
                                 "asm,llvm"};

alignas(64) char memory[1 << 12];

} // namespace

nereid_module *CallPools::makeKernels() {
  nereid_module *module = nullptr;
  nereid_module_from_text(callKernels, std::strlen(callKernels), nullptr, nullptr, &module,
                          nullptr);
  return module;
}

nereid_device *CallPools::open(const char *name, nereid_error **error) {
  nereid_device *device = nullptr;
  nereid_device_options options{};
  options.size = sizeof(options);
  options.threads = 1;
  nereid_device_open(name, &options, &device, error);
  return device;
}

CallPools::CallPools(Random &random, const nereid_module *module) : random(random) {
  // Without these most sequences would get nowhere.
  devices.add(open(random.oneIn(2) ? "cpu" : "check", nullptr));
  modules.add(makeKernels());
  for (const char *name : {"first", "show", "block"}) {
    nereid_kernel *kernel = nullptr;
    check(nereid_module_kernel(module, name, &kernel, place()), kernel, true);
    kernels.add(kernel);
  }
  makeArray();
  makeArray();
}

void CallPools::call() {
  using Call = void (CallPools::*)();
  static constexpr Call calls[] = {
      &CallPools::openDevice,    &CallPools::makeArray,      &CallPools::borrowArray,
      &CallPools::copyArray,     &CallPools::readArray,      &CallPools::loadModule,
      &CallPools::takeKernel,    &CallPools::describeKernel, &CallPools::launchKernel,
      &CallPools::launchKernel,  &CallPools::prepareKernel,  &CallPools::prepareKernel,
      &CallPools::runLaunch,     &CallPools::runLaunch,      &CallPools::readLaunch,
      &CallPools::compileKernel, &CallPools::dumpKernel,     &CallPools::readArtifact,
      &CallPools::useStream,     &CallPools::useStream,      &CallPools::useEvent,
      &CallPools::parseType,     &CallPools::openCache,      &CallPools::releaseSome,
      &CallPools::releaseSome,   &CallPools::measureLaunch,  &CallPools::tuneKernel};
  (this->*random.pick(calls))();
}

nereid_error **CallPools::place() {
  wantsError = !random.oneIn(8);
  error = reinterpret_cast<nereid_error *>(&error); // anything but null: a success clears it
  return wantsError ? &error : nullptr;
}

bool CallPools::check(nereid_status status, const void *made, bool makes) {
  require(status >= NEREID_OK && status <= NEREID_ERROR_NO_MEMORY, "a status that there is not");
  if (makes)
    require((status == NEREID_OK) == (made != nullptr),
            "what a call made does not go with its status");
  nereid_error *given = wantsError ? error : nullptr;
  if (wantsError)
    require((status == NEREID_OK) == (given == nullptr), "an error does not go with its status");
  require(status != NEREID_ERROR_INTERNAL,
          given ? nereid_error_message(given) : "an internal error");
  if (given) {
    require(nereid_error_status(given) == status, "an error has another status");
    require(*nereid_error_message(given) != 0, "an error without a message");
    for (size_t i = 0; i <= nereid_error_finding_count(given); ++i) {
      const nereid_finding *finding = nereid_error_finding(given, i);
      require((i == nereid_error_finding_count(given)) == !finding, "findings are miscounted");
      require(!finding || (finding->id && finding->text && finding->place.file),
              "a finding is not whole");
    }
    random.oneIn(2) ? errors.add(given) : nereid_error_release(given);
  }
  lastFailed = status != NEREID_OK;
  return status == NEREID_OK;
}

const char *CallPools::text() { return random.oneIn(24) ? nullptr : random.pick(texts); }

int64_t CallPools::extent() {
  return random.oneIn(10) ? random.pick(edges) : static_cast<int64_t>(1 + random.below(8));
}

nereid_argument CallPools::argument(const char *name) {
  nereid_argument argument = nereid_arg_none(random.oneIn(40) ? text() : name);
  bool isArray = *name == 'x' || *name == 'y';
  argument.kind = *name == 'd' ? int(NEREID_ARGUMENT_DESCRIPTOR)
                  : isArray    ? NEREID_ARGUMENT_ARRAY
                               : NEREID_ARGUMENT_INT64;
  if (random.oneIn(10)) {
    constexpr nereid_argument_kind kinds[] = {-1, 9, 1 << 30, 0, 1, 2, 3, 4, 5, 6, 7, 8};
    argument.kind = random.pick(kinds);
  }
  argument.value.int64 = random.pick(edges);
  if (argument.kind == NEREID_ARGUMENT_STRING)
    argument.value.string = text();
  if (argument.kind == NEREID_ARGUMENT_ARRAY)
    argument.value.array = arrays.pick(random);
  if (argument.kind == NEREID_ARGUMENT_DESCRIPTOR) {
    static const int64_t shapes[][8] = {
        {4, 4, 4, 4, 4, 4, 4, 4}, {1, 1, 1, 1, 1, 1, 1, 1}, {0, -1, 3, INT64_MAX, 1, 1, 1, 1}};
    nereid_tensor_descriptor &descriptor = descriptors[descriptorCount++ % std::size(descriptors)];
    descriptor = {arrays.pick(random), random.oneIn(20) ? nullptr : random.pick(shapes),
                  random.oneIn(20) ? 7u : random.below(2)};
    argument.value.descriptor = random.oneIn(20) ? nullptr : &descriptor;
  }
  return argument;
}

/// Those of one of the kernels, or nearly.
std::vector<nereid_argument> CallPools::arguments() {
  constexpr const char *lists[][3] = {{"x", "y", "n"}, {"x", "y", "n"}, {"n"}, {"d", "y"}};
  std::vector<nereid_argument> given;
  for (const char *name : random.pick(lists))
    if (name && !random.oneIn(40))
      given.push_back(argument(name));
  if (random.oneIn(8))
    given.push_back(argument("B"));
  return given;
}

void CallPools::openDevice() {
  Sized<nereid_device_options> options(random);
  constexpr uint32_t threads[] = {0, 1, 1, 2, 3, 100};
  options->threads = random.pick(threads);
  options->flags = static_cast<uint32_t>(random.oneIn(6) ? random.bits() : random.below(16));
  options->cpu = random.oneIn(4) ? text() : nullptr;
  options->most_findings = random.below(3);
  const char *ignored[] = {text(), text()};
  options->ignored = random.oneIn(8) ? nullptr : ignored;
  options->ignored_count = random.oneIn(6) ? 1 + random.below(2) : 0;
  nereid_place line{text(), 3, 1};
  options->breakpoints = random.oneIn(8) ? nullptr : &line;
  options->breakpoint_count = random.oneIn(6);
  if (random.oneIn(2))
    options->stopped = [](void *, const nereid_stop *stop) -> nereid_resume {
      return stop ? static_cast<nereid_resume>(stop->program[0] + 2) : -1;
    };
  if (random.oneIn(2))
    options->warn = [](void *, const nereid_finding *) {};
  nereid_device *device = nullptr, **made = random.oneIn(20) ? nullptr : &device;
  bool isOpen = check(nereid_device_open(text(), options.get(), made, place()), device, made);
  require(!isOpen || nereid_device_name(device), "a device without a name");
  nereid_device_threads(device);
  devices.add(device);
}

void CallPools::makeArray() {
  int64_t shape[16];
  std::generate(std::begin(shape), std::end(shape), [&] { return extent(); });
  size_t rank = random.oneIn(10) ? random.below(16) : random.below(4);
  auto type = static_cast<nereid_dtype>(
      random.oneIn(10)  ? random.pick(edges)
      : random.oneIn(2) ? int64_t(NEREID_DTYPE_Float32)
                        : static_cast<int64_t>(random.below(NEREID_DTYPE_COUNT)));
  nereid_array *array = nullptr;
  auto make = random.oneIn(2) ? nereid_array_empty : nereid_array_zeros;
  check(make(devices.pick(random), type, random.oneIn(20) ? nullptr : shape, rank, &array, place()),
        array, true);
  if (nereid_array_size(array) < 1) // a compiled kernel would reach beyond
    nereid_array_release(array);
  else
    arrays.add(array);
}

void CallPools::borrowArray() {
  int64_t shape[4], strides[4];
  std::generate(std::begin(shape), std::end(shape), [&] { return extent(); });
  std::generate(std::begin(strides), std::end(strides), [&] { return extent(); });
  size_t rank = random.below(5);
  auto type = static_cast<nereid_dtype>(random.below(NEREID_DTYPE_COUNT + 1));
  void *data = random.oneIn(20) ? nullptr : memory + random.oneIn(20);
  nereid_array *array = nullptr;
  check(nereid_array_borrow(devices.pick(random), data, type, shape,
                            random.oneIn(2) ? nullptr : strides, rank, &array, place()),
        array, true);
  __int128 last = 0;
  for (size_t i = 0; i < nereid_array_rank(array); ++i)
    last += __int128(shape[i] - 1) * nereid_array_strides(array)[i];
  bool isThere = nereid_array_size(array) > 0 && (last + 1) * 8 < __int128(sizeof(memory));
  isThere ? arrays.add(array) : nereid_array_release(array);
}

void CallPools::copyArray() {
  nereid_array *array = arrays.pick(random);
  static char host[1 << 12];
  size_t bytes = nereid_array_bytes(array);
  if (bytes > sizeof(host) || random.oneIn(8))
    bytes = bytes == 24 ? 25 : 24;
  void *place_ = random.oneIn(16) ? nullptr : host;
  nereid_stream *stream = streams.pick(random);
  switch (random.below(4)) {
  case 0:
    check(nereid_array_copy_from(array, place_, bytes, place()));
    break;
  case 1:
    check(nereid_array_copy_to(array, place_, bytes, place()));
    break;
  case 2:
    check(nereid_array_copy_from_on(array, place_, bytes, stream, place()));
    break;
  default:
    check(nereid_array_copy_to_on(array, place_, bytes, stream, place()));
  }
}

void CallPools::readArray() {
  nereid_array *array = arrays.pick(random);
  double values[64];
  auto count = static_cast<size_t>(nereid_array_size(array));
  if (count > std::size(values) || random.oneIn(8))
    count = count == 7 ? 8 : 7;
  check(nereid_array_to_doubles(array, random.oneIn(16) ? nullptr : values, count, place()));
  require((nereid_array_data(array) != nullptr) == (array != nullptr), "an array without memory");
  nereid_dtype_name(nereid_array_dtype(array));
}

void CallPools::loadModule() {
  Sized<nereid_module_options> options(random);
  nereid_argument definition = argument("n");
  if (definition.kind >= NEREID_ARGUMENT_ARRAY || random.oneIn(3))
    options->definitions = &definition;
  options->definition_count = random.below(2);
  const char *path = text();
  options->paths = random.oneIn(8) ? nullptr : &path;
  options->path_count = random.below(2);
  options->first_line = random.oneIn(8) ? SIZE_MAX : random.below(9);
  options->path = random.oneIn(3) ? text() : nullptr;
  nereid_module *module = nullptr;
  if (random.oneIn(6))
    check(nereid_module_load(text(), options.get(), &module, place()), module, true);
  else
    check(nereid_module_from_text(random.oneIn(16) ? nullptr : callKernels,
                                  random.oneIn(4) ? random.below(std::strlen(callKernels))
                                                  : std::strlen(callKernels),
                                  text(), options.get(), &module, place()),
          module, true);
  require(!nereid_module_kernel_name(module, nereid_module_kernel_count(module)),
          "a kernel too many");
  modules.add(module);
}

void CallPools::takeKernel() {
  constexpr const char *names[] = {"first", "first", "show", "block", "wrong"};
  nereid_kernel *kernel = nullptr;
  check(nereid_module_kernel(modules.pick(random), random.oneIn(16) ? text() : random.pick(names),
                             &kernel, place()),
        kernel, true);
  kernels.add(kernel);
}

void CallPools::describeKernel() {
  nereid_kernel *kernel = kernels.pick(random);
  size_t count = nereid_kernel_parameter_count(kernel),
         index = random.oneIn(4) ? SIZE_MAX : random.below(count + 1);
  require((nereid_kernel_parameter_name(kernel, index) != nullptr) == (index < count),
          "parameters are miscounted");
  nereid_kernel_parameter_is_constexpr(kernel, index);
  nereid_kernel_parameter_has_default(kernel, index);
  require((nereid_kernel_name(kernel) != nullptr) == (kernel != nullptr),
          "a kernel without a name");
}

void CallPools::parseType() {
  nereid_dtype type = -1;
  bool isType = check(nereid_dtype_parse(text(), random.oneIn(8) ? nullptr : &type, place()));
  require(!isType || nereid_dtype_size(type) > 0, "a type without a size");
  type = static_cast<nereid_dtype>(random.pick(edges));
  require((nereid_dtype_name(type) != nullptr) == (nereid_dtype_size(type) != 0), "half a type");
}

void CallPools::openCache() {
  nereid_cache *cache = nullptr;
  check(nereid_cache_open(random.oneIn(8) ? nullptr : &cache, place())); // none: it is off
  caches.add(cache);
  auto see = [](void *, const char *, uint64_t, int64_t) {};
  check(nereid_cache_entries(caches.pick(random), random.oneIn(4) ? nullptr : +see, nullptr,
                             place()));
  nereid_cache_directory(cache);
  nereid_cache_problem(caches.pick(random));
}

void CallPools::releaseSome() {
  switch (random.below(9)) {
  case 0:
    return devices.releaseOne(random);
  case 1:
    return arrays.releaseOne(random);
  case 2:
    return modules.releaseOne(random);
  case 3:
    return kernels.releaseOne(random);
  case 4:
    return launches.releaseOne(random);
  case 5:
    return artifacts.releaseOne(random);
  case 6:
    return streams.releaseOne(random);
  case 7:
    return events.releaseOne(random);
  default:
    return errors.releaseOne(random);
  }
}

} // namespace nereid::fuzz
