// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiling ahead of time: a kernel for a signature becomes an artifact, which is kept, moved to
// the machine that it is for and launched there; and what each stage made of the kernel on the way.
//
//   nereid::Kernel add = nereid::Module::load("add.py").kernel();
//   nereid::Signature signature =
//       nereid::parseSignature("x_ptr=*f32:16,y_ptr=*f32:16,out_ptr=*f32:16,n=i32,BLOCK=1024");
//   nereid::compile(add, signature, {.cpu = "haswell"}).save("add.nrd");
//   // elsewhere
//   nereid::Artifact::load("add.nrd").kernel().launch(device, {4}, {{"x_ptr", x}, ...});
//   // to read
//   std::string assembly = nereid::dump(add, signature, {.stages = {nereid::Stage::Asm}})[0].text;
#pragma once

#include "nereid/ArgumentType.h"
#include "nereid/Stage.h"
#include "nereid/nereid.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace nereid {

/// What one parameter is compiled for: an argument that each launch gives, or a constant.
struct SignatureEntry {
  std::string name;
  std::variant<ArgumentType, Argument> value;
};
/// An entry for each parameter without a default, in any order.
using Signature = std::vector<SignatureEntry>;

/// Reads "x_ptr=*f32:16,n=i32,BLOCK=1024": *f32 is an array, :16 says that it is a multiple of 16,
/// tensordesc<f32[64,32]> is a tensor descriptor of such blocks, and what is no type is a constant,
/// as an expression of the language. The elements of a tuple are entries: pair.0=*f32,pair.1=i32.
/// Throws Error(Usage) that says what is accepted.
NEREID_API Signature parseSignature(std::string_view text);
/// Reads "tile,asm". Throws Error(Usage) for names that are none.
NEREID_API std::vector<Stage> parseStages(std::string_view text);
/// The passes that CompileOptions::passes may name, in the order in which they run: those of all
/// targets, then each target's own.
NEREID_API std::vector<std::string> passNames();

/// A better form that the compiler declined (nereid/remarks.h).
struct Remark {
  std::string id;       ///< "load_narrow"
  std::string text;     ///< one sentence: what is so, and why
  std::string accepted; ///< what would be taken instead
  /// In the kernel's text, or in one that it calls; a line of 0: of the kernel as a whole.
  Place place;
  /// How many operations of the line it is said of.
  uint64_t count = 1;
  /// As the command line prints it: several lines, the last with its end.
  std::string report;
};
using RemarkSink = std::function<void(const Remark &remark)>;

struct CompileOptions {
  /// What the code is for: one of targetNames() (nereid/devices.h): "cpu", a GPU's "sm_90a".
  /// "none" stops after the target-independent passes.
  std::string target = "cpu";
  /// The cpu target: as DeviceOptions::cpu, but this machine need not have what that one has.
  std::string cpu = {};
  /// A GPU.
  Tuning tuning = {};
  /// Arrays of one launch may overlap; the code for arrays that do not is faster.
  bool mayOverlap = false;
  /// A launch in which an assertion does not hold is an Error(Checked). Also where TRITON_DEBUG=1.
  bool checksAsserts = false;
  /// A GPU: the code reads clocks, as `nereid profile` has it (nereid/profile.h). It wants buffers
  /// of whoever launches it, so dump() shows it and compile() refuses to make an artifact of it.
  bool takesClocks = false;
  /// Which stages `sink` gets, each as soon as it is done. What the sink throws leaves the call,
  /// once the compilation has ended.
  std::vector<Stage> stages = {};
  /// Of Stage::Passes, these alone (passNames()): the IR before each and after it, or that the pass
  /// changed nothing. Empty: the IR after all that changed it. One that is named is shown whether
  /// `stages` has Stage::Passes or not.
  std::vector<std::string> passes = {};
  StageSink sink = {};
  /// Gets what the compiler remarks, in the order of the text, once the code is there. Empty:
  /// nothing is looked for. What it throws leaves the call.
  RemarkSink remarks = {};
};

/// Reads names of stages and of passes, "tile,nvptx-fetch-loads", into both lists of the options.
/// Throws Error(Usage) for names that are none.
NEREID_API void selectStages(CompileOptions &options, std::string_view text);

/// What an artifact is, and what it is for.
struct ArtifactInfo {
  std::string kernel;   ///< its name
  std::string source;   ///< where its text was, for messages
  std::string compiler; ///< which build of Nereid made it
  std::string target;   ///< "cpu", "sm_90a"
  std::string cpu;      ///< of the cpu target, LLVM's name: "haswell"
  /// Of the cpu target, what the code may use, sorted: "avx2".
  std::vector<std::string> features;
  /// Every parameter, in order.
  Signature signature;
  bool mayOverlap = false;
};

/// A kernel compiled for a signature and a target: data that needs no compiler to be launched.
class NEREID_API Artifact {
public:
  /// Throws Error(Environment) if the file cannot be read, is damaged or was written by a Nereid
  /// of another format. A checksum finds accidents, no forgery: what is launched is code.
  static Artifact load(const std::string &path);
  /// `name` stands for the path in messages.
  static Artifact fromBytes(std::span<const uint8_t> bytes, const std::string &name = "<bytes>");

  /// What fromBytes() reads. Throws Error(Usage) for the target "none", which has no code.
  std::vector<uint8_t> bytes() const;
  /// The file appears whole or not at all; `nereid run` and Module::load() take it too.
  void save(const std::string &path) const;

  ArtifactInfo info() const;
  /// To launch it. The constants may be left out of the arguments; what is given otherwise than it
  /// was compiled for is refused.
  Kernel kernel() const;

private:
  friend struct detail::ModuleState;
  explicit Artifact(std::shared_ptr<detail::ModuleState> state) : state(std::move(state)) {}
  std::shared_ptr<detail::ModuleState> state;
};

/// Mistakes in the kernel, and parameters that the signature leaves out or does not know, are
/// Errors(Source) with findings.
NEREID_API Artifact compile(const Kernel &kernel, const Signature &signature,
                            const CompileOptions &options = {});

/// The same for what a launch with these arguments is compiled for: their types, which of them are
/// multiples of 16, which are 1, and whether arrays overlap. The arrays may be any device's.
NEREID_API Artifact compileFor(const Kernel &kernel, const Arguments &arguments,
                               const CompileOptions &options = {});

/// The outputs of `options.stages`, in the order in which they were made. Compiles as far as they
/// need it: tokens and ast need no signature. The sink is called as well, if there is one.
NEREID_API std::vector<StageOutput> dump(const Kernel &kernel, const Signature &signature,
                                         const CompileOptions &options);

} // namespace nereid
