// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Recording.h"
#include "tune/Fields.h"

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace nereid {
namespace {

using tuning::Json, tuning::field, tuning::fieldOf, tuning::arrayField, tuning::valueOf;
using tuning::RecordedArguments, tuning::RecordedMemory, tuning::RecordedSlot;

constexpr const char *launchesFormat = "nereid launches";
constexpr int launchesVersion = 1;

/// What is wrong with a file that is JSON.
[[noreturn]] void fail(const std::string &why) { throw std::invalid_argument(why); }

uint64_t parseBits(const Json &json) {
  auto text = valueOf<std::string>(json);
  uint64_t bits = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
  if (error != std::errc() || end != text.data() + text.size())
    fail("'" + text + "' is no argument");
  return bits;
}

RecordedMemory toMemory(const Json &json, const Json &contents) {
  auto text = fieldOf<std::string>(json, "dtype");
  std::optional<DType> dtype = parseDType(text);
  if (!dtype)
    fail("there is no dtype '" + text + "'");
  RecordedMemory memory{fieldOf<std::string>(json, "name"), *dtype,
                        fieldOf<uint64_t>(json, "misalignment"), fieldOf<size_t>(json, "content")};
  if (memory.content >= contents.size() || memory.misalignment >= tuning::memoryAlignment)
    fail("an array that is none");
  return memory;
}

RecordedSlot toSlot(const Json &json, const std::vector<RecordedMemory> &memories,
                    const Json &contents) {
  if (json.is_string())
    return {.bits = parseBits(json)};
  RecordedSlot slot{0, fieldOf<size_t>(json, "memory"), fieldOf<uint64_t>(json, "offset"),
                    fieldOf<uint64_t>(json, "extent"), fieldOf<uint64_t>(json, "below")};
  if (*slot.memory >= memories.size())
    fail("an argument in memory that is none");
  uint64_t bytes = tuning::sizeOf(contents[memories[*slot.memory].content]);
  if (slot.offset > bytes || slot.extentBytes > bytes - slot.offset ||
      slot.bytesBelow > slot.offset)
    fail("an argument that reaches beyond its memory");
  return slot;
}

host::Options toOptions(const Json &json) {
  host::Options options;
  options.mayOverlap = fieldOf<bool>(json, "may_overlap");
  options.checksAsserts = fieldOf<bool>(json, "checks_asserts");
  options.tuning.warps = fieldOf<unsigned>(json, "warps");
  options.tuning.pipelineStages = fieldOf<unsigned>(json, "pipeline_stages");
  options.tuning.maxRegisters = fieldOf<unsigned>(json, "max_registers");
  return options;
}

RecordedLaunch toLaunch(const Json &json) {
  const Json &grid = arrayField(json, "grid", 3);
  RecordedLaunch launch{
      fieldOf<std::string>(json, "kernel"),
      {valueOf<int64_t>(grid[0]), valueOf<int64_t>(grid[1]), valueOf<int64_t>(grid[2])}};
  launch.calls = fieldOf<uint64_t>(json, "calls");
  if (json.contains("problem"))
    launch.problem = fieldOf<std::string>(json, "problem");
  if (json.contains("ms"))
    for (const auto &[who, milliseconds] : field(json, "ms").items())
      launch.milliseconds.emplace_back(who, valueOf<double>(milliseconds));
  return launch;
}

RecordedArguments toArguments(const Json &json, const Recording::State &state,
                              RecordedLaunch &launch) {
  launch.options = toOptions(field(json, "options"));
  RecordedArguments arguments{fieldOf<size_t>(json, "description"), {}, {}};
  if (arguments.description >= state.kernels.size())
    fail("a kernel that is none");
  for (const Json &each : arrayField(json, "memories")) {
    const RecordedMemory &memory = arguments.memories.emplace_back(toMemory(each, state.contents));
    const Json &content = state.contents[memory.content];
    launch.bytes += tuning::sizeOf(content);
    if (content.contains("quantiles"))
      launch.described.push_back(memory.name);
  }
  for (const Json &each : arrayField(json, "slots"))
    arguments.slots.push_back(toSlot(each, arguments.memories, state.contents));
  return arguments;
}

void requireLanguage(const std::string &recorded, const std::string &name) {
  std::string here = host::languageVersion().release;
  if (recorded != here)
    throw Error(Error::Kind::Environment,
                name + " was recorded where the language was that of Triton " + recorded +
                    "; here it is that of " + here + " (NEREID_TRITON_VERSION)");
}

std::string readWhole(const std::string &path) {
  std::error_code error;
  if (std::filesystem::is_character_file(path, error)) // /dev/zero never ends
    throw Error(Error::Kind::Environment, path + " is a device and holds no launches");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (char chunk[1 << 16]; file.read(chunk, sizeof(chunk)) || file.gcount() > 0;)
    text.append(chunk, static_cast<size_t>(file.gcount()));
  if (!file.eof()) // it could not be opened, or is a directory
    throw Error(Error::Kind::Environment, "cannot read launches from " + path + ": " +
                                              std::system_category().message(errno ? errno : EIO));
  return text;
}

} // namespace

Recording Recording::load(const std::string &path) { return fromText(readWhole(path), path); }

Recording Recording::fromText(std::string_view text, const std::string &name) {
  auto damaged = [&](const std::string &why) {
    return Error(Error::Kind::Environment, name + " holds no launches, or is damaged: " + why);
  };
  Json json;
  try {
    json = Json::parse(text);
    if (!json.is_object() || json.value("format", "") != launchesFormat)
      throw Error(Error::Kind::Environment, name + " holds no launches");
    if (field(json, "version") != launchesVersion)
      throw Error(Error::Kind::Environment, name + " holds launches as another version of Nereid "
                                                   "writes them; record them anew");
    requireLanguage(fieldOf<std::string>(json, "language"), name);
    auto state = std::make_shared<State>();
    state->name = name;
    state->machine = fieldOf<std::string>(json, "machine");
    arrayField(json, "kernels"), arrayField(json, "contents");
    state->kernels = std::move(json["kernels"]);
    state->contents = std::move(json["contents"]);
    for (const Json &each : arrayField(json, "launches")) {
      RecordedLaunch &launch = state->launches.emplace_back(toLaunch(each));
      state->arguments.push_back(launch.problem.empty() ? toArguments(each, *state, launch)
                                                        : RecordedArguments{});
    }
    return Recording(std::move(state));
  } catch (const tuning::FieldMistake &mistake) {
    throw damaged(tuning::describe(json, mistake));
  } catch (const Json::exception &error) {
    throw damaged(tuning::describe(error));
  } catch (const std::invalid_argument &error) {
    throw damaged(error.what());
  }
}

const std::vector<RecordedLaunch> &Recording::launches() const { return state->launches; }
const std::string &Recording::machine() const { return state->machine; }

} // namespace nereid
