// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many texts assembled at once, some of them in helper processes.
#include "../EnvironmentVariable.h"
#include "../TemporaryDirectory.h"
#include "FakeDevice.h"
#include "runtime/cuda/AssemblyHelper.h"
#include "runtime/cuda/AssemblyPool.h"

#include <algorithm>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nereid::runtime::cuda;

namespace nereid::test {
namespace {

using Answer = AssemblyHelper::Answer;

class CudaAssembly : public FakeDevice {
protected:
  CudaAssembly() {
    setenv("NEREID_HELPER", NEREID_PROGRAM, 1);
    setenv("FAKE_CUDA", "devices=32", 1); // there: here reset() says it
    setenv("CUDA_CACHE_PATH", directory.path(".").c_str(), 1);
  }
  ~CudaAssembly() override {
    unsetenv("NEREID_HELPER");
    unsetenv("FAKE_CUDA");
    unsetenv("CUDA_CACHE_PATH");
    fake_cuda::delayAssembly(0);
  }
  /// A program of the shell's.
  std::string script(const std::string &text) {
    directory.write("helper", "#!/bin/sh\n" + text);
    std::filesystem::permissions(directory.path("helper"), std::filesystem::perms::owner_all);
    return directory.path("helper");
  }
  TemporaryDirectory directory;

  static std::vector<uint8_t> ptx(const std::string &entry, const std::string &more = "") {
    std::string text = ".version 7.0\n.target sm_80\n.visible .entry " + entry + "(\n" + more;
    text.push_back('\0');
    return {text.begin(), text.end()};
  }
};

TEST_F(CudaAssembly, AHelperAssemblesAndRefuses) {
  std::unique_ptr<AssemblyHelper> helper = AssemblyHelper::start(assemblyHelperProgram(), 0);
  ASSERT_TRUE(helper);
  EXPECT_EQ(helper->assemble(ptx("a")), Answer::Made);
  EXPECT_EQ(helper->assemble(ptx("b")), Answer::Made);
  EXPECT_EQ(helper->assemble(ptx("c", "mistake\n")), Answer::Refused);
  EXPECT_EQ(helper->assemble(ptx("d")), Answer::Made);
}

TEST_F(CudaAssembly, AProgramThatIsNoneHelpsNobody) {
  EXPECT_FALSE(AssemblyHelper::start("/nowhere/nereid", 0));
  std::unique_ptr<AssemblyHelper> helper = AssemblyHelper::start("/bin/true", 0);
  EXPECT_TRUE(!helper || helper->assemble(ptx("a")) == Answer::Gone);
}

TEST_F(CudaAssembly, AHelperThatDoesNotAnswerIsGivenUp) {
  std::unique_ptr<AssemblyHelper> helper = AssemblyHelper::start(script("exec sleep 600\n"), 0);
  ASSERT_TRUE(helper);
  EXPECT_EQ(helper->assemble(ptx("a"), std::chrono::milliseconds(50)), Answer::Gone);
  // Nor does it read what no socket holds at once.
  helper = AssemblyHelper::start(script("exec sleep 600\n"), 0);
  ASSERT_TRUE(helper);
  EXPECT_EQ(helper->assemble(std::vector<uint8_t>(8 << 20, ' '), std::chrono::milliseconds(50)),
            Answer::Gone);
}

TEST_F(CudaAssembly, AHelperThatEndsIsNoticedWhoeverHoldsItsSocket) {
  std::unique_ptr<AssemblyHelper> helper =
      AssemblyHelper::start(script("cat <&0 >/dev/null &\n"), 0);
  ASSERT_TRUE(helper);
  EXPECT_EQ(helper->assemble(ptx("a")), Answer::Gone);
}

TEST_F(CudaAssembly, AHelperIsEndedWhoeverHoldsItsSocket) {
  std::unique_ptr<AssemblyHelper> helper = AssemblyHelper::start(assemblyHelperProgram(), 0);
  ASSERT_TRUE(helper);
  EXPECT_EQ(helper->assemble(ptx("a")), Answer::Made);
  pid_t forked = fork();
  if (!forked) {
    sleep(600);
    _exit(0);
  }
  helper.reset();
  kill(forked, SIGKILL);
  EXPECT_EQ(waitpid(forked, nullptr, 0), forked);
}

// The ordinal is one of the GPUs that this process sees.
TEST_F(CudaAssembly, AHelperSeesTheGpusThatTheDriverWasOpenedWith) {
  constexpr const char *variable = "CUDA_VISIBLE_DEVICES";
  const char *visible = std::getenv(variable);
  std::string wanted = visible ? visible : "all";
  Driver::get();
  Variable changed(variable, "7");
  std::string seen = directory.path("seen");
  std::unique_ptr<AssemblyHelper> helper = AssemblyHelper::start(
      script("echo \"${" + std::string(variable) + "-all}\" > " + seen + "\n"), 0);
  ASSERT_TRUE(helper);
  EXPECT_EQ(helper->assemble(ptx("a")), Answer::Gone);
  std::string line;
  std::getline(std::ifstream(seen) >> std::ws, line);
  EXPECT_EQ(line, wanted);
}

TEST_F(CudaAssembly, ManyAtOnceShareTheWork) {
  fake_cuda::delayAssembly(1000); // here; helpers take no time
  std::shared_ptr<Context> context = Context::open(3);
  constexpr size_t count = 10;
  std::vector<std::shared_ptr<const nereid::runtime::cuda::Module>> modules(count);
  std::vector<std::string> messages(count);
  auto assemble = [&](size_t i) {
    std::vector<uint8_t> text = ptx("k" + std::to_string(i), i == 7 ? "mistake\n" : "");
    try {
      modules[i] = assembleInTurn(context, text, "kernel " + std::to_string(i));
    } catch (const Error &error) {
      messages[i] = error.what();
    }
  };
  fake_cuda::takeCalls();
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i)
    threads.emplace_back(assemble, i);
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i < count; ++i) {
    if (i == 7) // wherever it was tried first, this process says why
      EXPECT_TRUE(has(messages[i], "cannot compile kernel 7 for cuda:3", "Unknown symbol"));
    else
      EXPECT_TRUE(modules[i]) << messages[i];
  }
  std::vector<std::string> calls = fake_cuda::takeCalls();
  auto here = std::ranges::count(calls, fake_cuda::assembly);
  EXPECT_GE(here, 1);
  EXPECT_LT(here, int(count) - 1); // helpers did something
}

// Starting one takes half a second, and a text with a mistake says nothing of the next one.
TEST_F(CudaAssembly, HelpersStayWhenTheyRefuse) {
  std::string starts = directory.path("starts");
  Variable helper("NEREID_HELPER",
                  script("echo started >> " + starts + "\nexec " + NEREID_PROGRAM + " \"$@\"\n"));
  fake_cuda::delayAssembly(200);
  std::shared_ptr<Context> context = Context::open(4);
  auto assemble = [&](size_t i) {
    try {
      assembleInTurn(context, ptx("k" + std::to_string(i), "mistake\n"), "a kernel");
    } catch (const Error &) {
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 12; ++i)
    threads.emplace_back(assemble, i);
  for (std::thread &thread : threads)
    thread.join();
  std::ifstream lines(starts);
  auto started = std::count(std::istreambuf_iterator<char>(lines), {}, '\n');
  EXPECT_GE(started, 1);
  EXPECT_LE(started, std::min(8u, std::thread::hardware_concurrency()));
}

} // namespace
} // namespace nereid::test
