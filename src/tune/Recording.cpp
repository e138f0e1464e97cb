// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Recording.h"

#include <charconv>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace nereid {
namespace {

using Json = nlohmann::ordered_json;
using tuning::RecordedArguments, tuning::RecordedMemory, tuning::RecordedSlot;

constexpr const char *launchesFormat = "nereid launches";
constexpr int launchesVersion = 1;

/// What is wrong with a file that is JSON.
[[noreturn]] void fail(const std::string &why) { throw std::invalid_argument(why); }

uint64_t parseBits(const Json &json) {
  auto text = json.get<std::string>();
  uint64_t bits = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
  if (error != std::errc() || end != text.data() + text.size())
    fail("'" + text + "' is no argument");
  return bits;
}

RecordedMemory toMemory(const Json &json, const Json &contents) {
  auto text = json.at("dtype").get<std::string>();
  std::optional<DType> dtype = parseDType(text);
  if (!dtype)
    fail("there is no dtype '" + text + "'");
  RecordedMemory memory{json.at("name").get<std::string>(), *dtype,
                        json.at("misalignment").get<uint64_t>(), json.at("content").get<size_t>()};
  if (memory.content >= contents.size() || memory.misalignment >= tuning::memoryAlignment)
    fail("an array that is none");
  return memory;
}

RecordedSlot toSlot(const Json &json, const std::vector<RecordedMemory> &memories,
                    const Json &contents) {
  if (json.is_string())
    return {.bits = parseBits(json)};
  RecordedSlot slot{0, json.at("memory").get<size_t>(), json.at("offset").get<uint64_t>(),
                    json.at("extent").get<uint64_t>(), json.at("below").get<uint64_t>()};
  if (*slot.memory >= memories.size())
    fail("an argument in memory that is none");
  uint64_t bytes = tuning::sizeOf(contents[memories[*slot.memory].content]);
  if (slot.offset > bytes || slot.extentBytes > bytes - slot.offset || slot.bytesBelow > slot.offset)
    fail("an argument that reaches beyond its memory");
  return slot;
}

host::Options toOptions(const Json &json) {
  host::Options options;
  options.mayOverlap = json.at("may_overlap").get<bool>();
  options.checksAsserts = json.at("checks_asserts").get<bool>();
  options.tuning.warps = json.at("warps").get<unsigned>();
  options.tuning.pipelineStages = json.at("pipeline_stages").get<unsigned>();
  options.tuning.maxRegisters = json.at("max_registers").get<unsigned>();
  return options;
}

RecordedLaunch toLaunch(const Json &json) {
  const Json &grid = json.at("grid");
  RecordedLaunch launch{json.at("kernel").get<std::string>(),
                        {grid.at(0).get<int64_t>(), grid.at(1).get<int64_t>(),
                         grid.at(2).get<int64_t>()}};
  launch.calls = json.at("calls").get<uint64_t>();
  if (json.contains("problem"))
    launch.problem = json.at("problem").get<std::string>();
  if (json.contains("ms"))
    for (const auto &[who, milliseconds] : json.at("ms").items())
      launch.milliseconds.emplace_back(who, milliseconds.get<double>());
  return launch;
}

RecordedArguments toArguments(const Json &json, const Recording::State &state,
                              RecordedLaunch &launch) {
  launch.options = toOptions(json.at("options"));
  RecordedArguments arguments{json.at("description").get<size_t>(), {}, {}};
  if (arguments.description >= state.kernels.size())
    fail("a kernel that is none");
  for (const Json &each : json.at("memories")) {
    const RecordedMemory &memory =
        arguments.memories.emplace_back(toMemory(each, state.contents));
    const Json &content = state.contents[memory.content];
    launch.bytes += tuning::sizeOf(content);
    if (content.contains("quantiles"))
      launch.described.push_back(memory.name);
  }
  for (const Json &each : json.at("slots"))
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
    throw Error(Error::Kind::Environment,
                "cannot read launches from " + path + ": " +
                    std::system_category().message(errno ? errno : EIO));
  return text;
}

} // namespace

Recording Recording::load(const std::string &path) { return fromText(readWhole(path), path); }

Recording Recording::fromText(std::string_view text, const std::string &name) {
  auto damaged = [&](const char *why) {
    return Error(Error::Kind::Environment, name + " holds no launches, or is damaged: " + why);
  };
  try {
    Json json = Json::parse(text);
    if (!json.is_object() || json.value("format", "") != launchesFormat)
      throw Error(Error::Kind::Environment, name + " holds no launches");
    if (json.at("version") != launchesVersion)
      throw Error(Error::Kind::Environment, name + " holds launches as another version of Nereid "
                                                   "writes them; record them anew");
    requireLanguage(json.at("language").get<std::string>(), name);
    auto state = std::make_shared<State>();
    state->name = name;
    state->machine = json.at("machine").get<std::string>();
    state->kernels = std::move(json.at("kernels"));
    state->contents = std::move(json.at("contents"));
    for (const Json &each : json.at("launches")) {
      RecordedLaunch &launch = state->launches.emplace_back(toLaunch(each));
      state->arguments.push_back(launch.problem.empty() ? toArguments(each, *state, launch)
                                                        : RecordedArguments{});
    }
    return Recording(std::move(state));
  } catch (const Json::exception &error) {
    throw damaged(error.what());
  } catch (const std::invalid_argument &error) {
    throw damaged(error.what());
  }
}

const std::vector<RecordedLaunch> &Recording::launches() const { return state->launches; }
const std::string &Recording::machine() const { return state->machine; }

} // namespace nereid
