// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many links at once, some of them in helper processes.
#include "../EnvironmentVariable.h"
#include "../TemporaryDirectory.h"
#include "FakeDevice.h"
#include "runtime/cuda/LinkHelper.h"
#include "runtime/cuda/LinkPool.h"

#include <algorithm>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nereid::runtime::cuda;

namespace nereid::test {
namespace {

class CudaLinks : public FakeDevice {
protected:
  CudaLinks() {
    setenv("NEREID_HELPER", NEREID_PROGRAM, 1);
    setenv("FAKE_CUDA", "devices=32", 1); // there: here reset() says it
  }
  ~CudaLinks() override {
    unsetenv("NEREID_HELPER");
    unsetenv("FAKE_CUDA");
    fake_cuda::delayLinks(0);
  }
  /// A program of the shell's.
  std::string script(const std::string &text) {
    directory.write("helper", "#!/bin/sh\n" + text);
    std::filesystem::permissions(directory.path("helper"), std::filesystem::perms::owner_all);
    return directory.path("helper");
  }
  TemporaryDirectory directory;

  static std::string ptx(const std::string &entry) {
    return ".version 7.0\n.target sm_80\n.visible .entry " + entry + "(\n";
  }
};

TEST_F(CudaLinks, AHelperLinksAndRefuses) {
  std::unique_ptr<LinkHelper> helper = LinkHelper::start(linkHelperProgram(), 0);
  ASSERT_TRUE(helper);
  EXPECT_EQ(helper->link(ptx("a")), fake_cuda::makeCubin(90, {"a"}));
  EXPECT_EQ(helper->link(ptx("b")), fake_cuda::makeCubin(90, {"b"}));
  EXPECT_FALSE(helper->link(ptx("c") + "mistake\n"));
  EXPECT_EQ(helper->link(ptx("d")), fake_cuda::makeCubin(90, {"d"}));
}

TEST_F(CudaLinks, AProgramThatIsNoneHelpsNobody) {
  EXPECT_FALSE(LinkHelper::start("/nowhere/nereid", 0));
  std::unique_ptr<LinkHelper> helper = LinkHelper::start("/bin/true", 0);
  EXPECT_FALSE(helper && helper->link(ptx("a")));
}

TEST_F(CudaLinks, AHelperThatDoesNotAnswerIsGivenUp) {
  std::unique_ptr<LinkHelper> helper = LinkHelper::start(script("exec sleep 600\n"), 0);
  ASSERT_TRUE(helper);
  EXPECT_FALSE(helper->link(ptx("a"), std::chrono::milliseconds(50)));
  // Nor does it read what no socket holds at once.
  helper = LinkHelper::start(script("exec sleep 600\n"), 0);
  ASSERT_TRUE(helper);
  EXPECT_FALSE(helper->link(std::string(8 << 20, ' '), std::chrono::milliseconds(50)));
}

TEST_F(CudaLinks, AHelperThatEndsIsNoticedWhoeverHoldsItsSocket) {
  std::unique_ptr<LinkHelper> helper = LinkHelper::start(script("cat <&0 >/dev/null &\n"), 0);
  ASSERT_TRUE(helper);
  EXPECT_FALSE(helper->link(ptx("a")));
}

TEST_F(CudaLinks, AHelperIsEndedWhoeverHoldsItsSocket) {
  std::unique_ptr<LinkHelper> helper = LinkHelper::start(linkHelperProgram(), 0);
  ASSERT_TRUE(helper);
  EXPECT_TRUE(helper->link(ptx("a")));
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
TEST_F(CudaLinks, AHelperSeesTheGpusThatTheDriverWasOpenedWith) {
  constexpr const char *variable = "CUDA_VISIBLE_DEVICES";
  const char *visible = std::getenv(variable);
  std::string wanted = visible ? visible : "all";
  Driver::get();
  Variable changed(variable, "7");
  std::string seen = directory.path("seen");
  std::unique_ptr<LinkHelper> helper = LinkHelper::start(
      script("echo \"${" + std::string(variable) + "-all}\" > " + seen + "\n"), 0);
  ASSERT_TRUE(helper);
  EXPECT_FALSE(helper->link(ptx("a")));
  std::string line;
  std::getline(std::ifstream(seen) >> std::ws, line);
  EXPECT_EQ(line, wanted);
}

TEST_F(CudaLinks, ManyAtOnceShareTheWork) {
  fake_cuda::delayLinks(1000); // here; helpers take no time
  std::shared_ptr<Context> context = Context::open(3);
  constexpr size_t count = 10;
  std::vector<std::vector<uint8_t>> cubins(count);
  std::vector<std::string> messages(count);
  auto link = [&](size_t i) {
    std::string text = ptx("k" + std::to_string(i));
    if (i == 7)
      text += "mistake\n";
    try {
      cubins[i] = linkInTurn(*context, text, "kernel " + std::to_string(i));
    } catch (const Error &error) {
      messages[i] = error.what();
    }
  };
  fake_cuda::takeCalls();
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i)
    threads.emplace_back(link, i);
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i < count; ++i) {
    if (i == 7) // wherever it was tried first, this process says why
      EXPECT_TRUE(has(messages[i], "cannot compile kernel 7 for cuda:3", "Unknown symbol"));
    else
      EXPECT_EQ(cubins[i], fake_cuda::makeCubin(90, {"k" + std::to_string(i)})) << messages[i];
  }
  std::vector<std::string> calls = fake_cuda::takeCalls();
  auto here = std::ranges::count(calls, "cuLinkComplete");
  EXPECT_GE(here, 1);
  EXPECT_LT(here, int(count) - 1); // helpers did something
}

} // namespace
} // namespace nereid::test
