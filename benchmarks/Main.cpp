// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The figures Nereid promises, each as a ratio or a time measured in this run. One that is
// missed is a line that says MISS and, with --check, the exit code 1; run on an otherwise idle
// machine.
//
//   nereid_benchmarks [--check] [--threads N] [--nereid PATH-OF-RELEASE-BINARY]
#include "Peer.h"
#include "Reference.h"
#include "Timing.h"

#include "nereid/nereid.h"

#include <CLI/CLI.hpp>
#if !__has_include(<cblas.h>)
#error "the benchmarks compare with OpenBLAS, which is missing: scripts/setup --bench installs it"
#endif
#include <cblas.h>

#include <cmath>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern "C" {
void openblas_set_num_threads(int threads);
char *openblas_get_config();
char *openblas_get_corename();
}

namespace nereid::bench {
namespace {

struct Options {
  unsigned threads = std::thread::hardware_concurrency();
  std::string nereid = NEREID_BINARY;
  std::string kernels = NEREID_BENCHMARK_KERNELS;
};

class Report {
public:
  /// `atLeast` for ratios and rates, otherwise at most.
  void add(const std::string &what, double value, const char *unit, double bound, bool atLeast,
           const std::string &detail) {
    bool holds = atLeast ? value >= bound : value <= bound;
    isGood &= holds;
    std::printf("%-42s %9.3f %-9s %s %7.3f  %-4s  %s\n", what.c_str(), value, unit,
                atLeast ? ">=" : "<=", bound, holds ? "ok" : "MISS", detail.c_str());
    std::fflush(stdout);
  }
  bool isGood = true;
};

std::string format(const char *text, double a, double b) {
  char buffer[160];
  std::snprintf(buffer, sizeof buffer, text, a, b);
  return buffer;
}

std::vector<float> randomValues(size_t count) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  for (float &value : values)
    value = uniform(generator);
  return values;
}

double largestDifference(const std::vector<float> &a, const std::vector<float> &b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::fabs(double(a[i]) - b[i]));
  return largest;
}

void benchmarkAdd(const Options &options, const Module &module, Report &report) {
  int64_t n = 1 << 24, block = 65536;
  Device device = Device::open("cpu", {options.threads});
  std::vector<float> x = randomValues(n), y = randomValues(n), byHand(n);
  Array ax = device.array(x), ay = device.array(y), out = device.zeros(DType::Float32, {n});
  Launch launch = module.kernel("add").prepare(
      device, {{"x_ptr", ax}, {"y_ptr", ay}, {"out_ptr", out}, {"n", n}, {"BLOCK_SIZE", block}});
  runtime::cpu::ThreadPool threads(options.threads);
  Comparison result =
      compare([&] { launch.run({cdiv(n, block)}); },
              [&] { addByHand(x.data(), y.data(), byHand.data(), n, threads); }, 41);
  double bytes = 12.0 * n;
  report.add("add f32 2^24, of a hand-written loop", result.ratio(), "x", 0.9, true,
             format("%.1f against %.1f GB/s", bytes / result.oursSeconds / 1e9,
                    bytes / result.theirsSeconds / 1e9) +
                 format(", difference %.1g", largestDifference(out.toVector<float>(), byHand), 0));
}

void benchmarkMatmul(const Options &options, const Module &module, Report &report, int64_t n) {
  Device device = Device::open("cpu", {options.threads});
  openblas_set_num_threads(static_cast<int>(options.threads));
  std::vector<float> a = randomValues(n * n), b = randomValues(n * n), c(n * n);
  Array aa = device.array(a, {n, n}), ab = device.array(b, {n, n}),
        ac = device.zeros(DType::Float32, {n, n});
  int64_t block = 128, blockK = 128;
  Launch launch = module.kernel("matmul").prepare(device, {{"a_ptr", aa},
                                                           {"b_ptr", ab},
                                                           {"c_ptr", ac},
                                                           {"M", n},
                                                           {"N", n},
                                                           {"K", n},
                                                           {"stride_am", n},
                                                           {"stride_ak", 1},
                                                           {"stride_bk", n},
                                                           {"stride_bn", 1},
                                                           {"stride_cm", n},
                                                           {"stride_cn", 1},
                                                           {"BLOCK_M", block},
                                                           {"BLOCK_N", block},
                                                           {"BLOCK_K", blockK}});
  int size = static_cast<int>(n);
  auto blas = [&] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1, a.data(), size,
                b.data(), size, 0, c.data(), size);
  };
  Comparison result = compare([&] { launch.run({cdiv(n, block), cdiv(n, block)}); }, blas, 15);
  double flops = 2.0 * n * n * n;
  report.add("matmul f32 " + std::to_string(n) + ", of OpenBLAS", result.ratio(), "x", 0.4, true,
             format("%.1f against %.1f GFLOP/s", flops / result.oursSeconds / 1e9,
                    flops / result.theirsSeconds / 1e9) +
                 format(", difference %.1g", largestDifference(ac.toVector<float>(), c), 0));
}

void benchmarkSoftmax(const Options &options, const Module &module, Report &report) {
  int64_t rows = 4096, columns = 781;
  Device device = Device::open("cpu", {options.threads});
  std::vector<float> x = randomValues(rows * columns), byHand(rows * columns);
  Array ax = device.array(x), out = device.zeros(DType::Float32, {rows * columns});
  Launch launch = module.kernel("softmax").prepare(
      device,
      {{"x_ptr", ax}, {"y_ptr", out}, {"columns", columns}, {"BLOCK_SIZE", nextPowerOf2(columns)}});
  runtime::cpu::ThreadPool threads(options.threads);
  Comparison result =
      compare([&] { launch.run({rows}); },
              [&] { softmaxByHand(x.data(), byHand.data(), rows, columns, threads); }, 15);
  double bytes = 8.0 * rows * columns;
  report.add("softmax f32 4096 x 781, of a hand-written one", result.ratio(), "x", 1.0, true,
             format("%.1f against %.1f GB/s", bytes / result.oursSeconds / 1e9,
                    bytes / result.theirsSeconds / 1e9));
}

/// Milliseconds to compile anew: a fresh module has an empty cache.
double compileMilliseconds(const Options &options, const Device &device, const char *kernel,
                           const Arguments &arguments) {
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) {
    Module fresh = Module::load(options.kernels);
    times.push_back(fresh.kernel(kernel).prepare(device, arguments).compileMilliseconds());
  }
  return median(times);
}

void benchmarkCompile(const Options &options, Report &report) {
  Device device = Device::open("cpu", {options.threads});
  Array x = device.zeros(DType::Float32, {1 << 20});
  Array a = device.zeros(DType::Float32, {512, 512}), b = device.zeros(DType::Float32, {512, 512}),
        c = device.zeros(DType::Float32, {512, 512});
  Array y = device.zeros(DType::Float32, {1 << 20}), out = device.zeros(DType::Float32, {1 << 20});
  auto add = [&](int block) {
    return compileMilliseconds(
        options, device, "add",
        {{"x_ptr", x}, {"y_ptr", y}, {"out_ptr", out}, {"n", 1 << 20}, {"BLOCK_SIZE", block}});
  };
  double matmul = compileMilliseconds(options, device, "matmul",
                                      {{"a_ptr", a},
                                       {"b_ptr", b},
                                       {"c_ptr", c},
                                       {"M", 512},
                                       {"N", 512},
                                       {"K", 512},
                                       {"stride_am", 512},
                                       {"stride_ak", 1},
                                       {"stride_bk", 512},
                                       {"stride_bn", 1},
                                       {"stride_cm", 512},
                                       {"stride_cn", 1},
                                       {"BLOCK_M", 128},
                                       {"BLOCK_N", 128},
                                       {"BLOCK_K", 128}});
  report.add("compile matmul", matmul, "ms", 100, false, "");
  double small = add(1024), large = add(65536);
  report.add("compile add, block 65536 over 1024", large / small, "x", 1.5, false,
             format("%.2f and %.2f ms", large, small));
}

/// What the host pays for names: a launch by name, its arguments made anew, less a prepared one.
/// In batches short enough that most are not interrupted.
void benchmarkLaunchByName(const Module &module, Report &report) {
  constexpr int batch = 100, rounds = 501;
  Device device = Device::open("cpu", {1});
  Array x = device.zeros(DType::Float32, {64}), y = device.zeros(DType::Float32, {64}),
        out = device.zeros(DType::Float32, {64});
  Kernel add = module.kernel("add");
  auto arguments = [&] {
    return Arguments{{"x_ptr", x}, {"y_ptr", y}, {"out_ptr", out}, {"n", 64}, {"BLOCK_SIZE", 64}};
  };
  Launch launch = add.prepare(device, arguments());
  std::vector<double> named, prepared;
  for (int round = 0; round < rounds; ++round) {
    named.push_back(seconds([&] {
      for (int i = 0; i < batch; ++i)
        add.launch(device, Grid{1}, arguments());
    }));
    prepared.push_back(seconds([&] {
      for (int i = 0; i < batch; ++i)
        launch.run({1});
    }));
  }
  double byName = 1e6 * median(named) / batch, ready = 1e6 * median(prepared) / batch;
  report.add("launch by name, 5 arguments, over prepared", byName - ready, "us", 1, false,
             format("%.3f and %.3f us", byName, ready));
}

/// Runs a program to its end, its output thrown away.
bool succeeds(std::vector<std::string> command) {
  std::vector<char *> arguments;
  for (std::string &argument : command)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process;
  int error =
      posix_spawn(&process, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = -1;
  return error == 0 && waitpid(process, &status, 0) == process && status == 0;
}

void benchmarkColdStart(const Options &options, Report &report) {
  if (!std::filesystem::exists(options.nereid)) {
    std::printf("no release binary at %s: cold start and size not measured\n",
                options.nereid.c_str());
    report.isGood = false;
    return;
  }
  std::vector<std::string> command = {options.nereid,
                                      "run",
                                      options.kernels + "::add",
                                      "--grid",
                                      "1",
                                      "x_ptr=arange:f32[1000]",
                                      "y_ptr=ones:f32[1000]",
                                      "out_ptr=empty:f32[1000]",
                                      "n=1000",
                                      "BLOCK_SIZE=1024"};
  // Cold without a cache, warm with one that the first run fills; taken in turns.
  std::string directory = "/tmp/nereid-bench-XXXXXX";
  if (!mkdtemp(directory.data()))
    throw std::runtime_error("mkdtemp failed");
  setenv("NEREID_CACHE_DIR", directory.c_str(), 1);
  std::vector<double> cold, warm, empty;
  bool isOk = succeeds(command);
  for (int i = 0; i < 41; ++i) {
    setenv("NEREID_CACHE", "off", 1);
    cold.push_back(1e3 * seconds([&] { isOk &= succeeds(command); }));
    setenv("NEREID_CACHE", "on", 1);
    warm.push_back(1e3 * seconds([&] { isOk &= succeeds(command); }));
    empty.push_back(1e3 * seconds([&] { isOk &= succeeds({"/bin/true"}); }));
  }
  std::filesystem::remove_all(directory);
  report.isGood &= isOk;
  report.add("cold start, add of 1000 elements", median(cold), "ms", 20, false,
             format("of which an empty process takes %.2f ms", median(empty), 0) +
                 (isOk ? "" : ", FAILED"));
  report.add("warm start, of the cold", median(warm) / median(cold), "", 0.6, false,
             format("%.2f ms with the kernel in the cache", median(warm), 0));
  double megabytes = static_cast<double>(std::filesystem::file_size(options.nereid)) / 1e6;
  report.add("release binary", megabytes, "MB", 60, false, options.nereid);
}

void benchmarkInterpreter(const Options &options, const Module &module, Report &report) {
  int64_t n = 1 << 20;
  Device device = Device::open("check");
  Array x = device.zeros(DType::Float32, {n}), y = device.zeros(DType::Float32, {n}),
        out = device.zeros(DType::Float32, {n});
  Launch launch = module.kernel("add").prepare(
      device, {{"x_ptr", x}, {"y_ptr", y}, {"out_ptr", out}, {"n", n}, {"BLOCK_SIZE", 1024}});
  launch.run({n / 1024});
  std::vector<double> times;
  for (int i = 0; i < 7; ++i)
    times.push_back(seconds([&] { launch.run({n / 1024}); }));
  report.add("interpreter, f32 add", n / median(times) / 1e6, "M elem/s", 20, true, "");
}

void benchmarkChecks(const Options &options, const Module &module, Report &report) {
  int64_t rows = 4096, columns = 1024;
  Device cpu = Device::open("cpu", {options.threads}), check = Device::open("check");
  Array x = cpu.array(randomValues(rows * columns)),
        out = cpu.zeros(DType::Float32, {rows * columns});
  Arguments arguments = {
      {"x_ptr", x}, {"y_ptr", out}, {"columns", columns}, {"BLOCK_SIZE", columns}};
  Launch compiled = module.kernel("softmax").prepare(cpu, arguments),
         checked = module.kernel("softmax").prepare(check, arguments);
  Comparison result = compare([&] { checked.run({rows}); }, [&] { compiled.run({rows}); }, 7);
  report.add("softmax f32 4096 x 1024 checked, of compiled", 1 / result.ratio(), "x", 30, false,
             format("%.1f against %.2f ms", result.oursSeconds * 1e3, result.theirsSeconds * 1e3));
}

} // namespace
} // namespace nereid::bench

int main(int argc, char **argv) {
  using namespace nereid::bench;
  Options options;
  CLI::App app("Measures what Nereid promises.");
  app.add_option("--threads", options.threads, "threads for both sides of each comparison");
  app.add_option("--nereid", options.nereid, "the release binary, for cold start and size");
  bool isCheck = false;
  app.add_flag("--check", isCheck, "a figure that is missed is a failure");
  CLI11_PARSE(app, argc, argv);
  // What is compiled here is to be compiled, but for the line that measures the cache.
  setenv("NEREID_CACHE", "off", 1);
  try {
    nereid::Module module = nereid::Module::load(options.kernels);
    Report report;
    std::printf("%u threads; OpenBLAS runs its code for %s (%s)\n", options.threads,
                openblas_get_corename(), openblas_get_config());
    if (std::string reason = refusePeer(openblas_get_corename(), __builtin_cpu_supports("avx2"),
                                        __builtin_cpu_supports("avx512f"));
        !reason.empty())
      throw nereid::Error(nereid::Error::Kind::Environment, reason);
    benchmarkAdd(options, module, report);
    benchmarkMatmul(options, module, report, 512);
    benchmarkMatmul(options, module, report, 1024);
    benchmarkSoftmax(options, module, report);
    benchmarkCompile(options, report);
    benchmarkLaunchByName(module, report);
    benchmarkColdStart(options, report);
    benchmarkInterpreter(options, module, report);
    benchmarkChecks(options, module, report);
    return report.isGood || !isCheck ? 0 : 1;
  } catch (const nereid::Error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
