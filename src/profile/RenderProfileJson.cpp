// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A profile as a document (docs/profile.md).
#include "profile/ProfileDocument.h"

namespace nereid {
namespace {

using ProfileJson = nlohmann::ordered_json;

ProfileJson lineJson(const Profile::Line &line) {
  ProfileJson place = nullptr;
  if (line.place.line)
    place = {{"file", line.place.file},
             {"line", line.place.line},
             {"column", line.place.column},
             {"last_line", line.lastLine}};
  return {{"place", std::move(place)}, {"what", line.what},          {"meaning", line.meaning},
          {"waits", line.isWait},      {"fetches", line.isProducer}, {"count", line.count},
          {"seconds", line.seconds},   {"share", line.share}};
}

} // namespace

ProfileJson profiler::documentOf(const Profile &profile) {
  ProfileJson lines = ProfileJson::array(), blocks = ProfileJson::array();
  for (const Profile::Line &line : profile.lines)
    lines.push_back(lineJson(line));
  for (const Profile::Block &block : profile.blocks)
    blocks.push_back({block.number, block.multiprocessor, block.begin, block.end});
  return {{"kernel", profile.kernel},
          {"file", profile.file},
          {"device", profile.device},
          {"grid", {profile.gridX, profile.gridY, profile.gridZ}},
          {"blocks_launched", profile.launchedBlocks},
          {"warps", profile.warps},
          {"multiprocessors", profile.multiprocessors},
          {"threads", profile.threads},
          {"samples", profile.samples},
          {"sampled_launches", profile.sampledLaunches},
          {"clock_hertz", profile.clockHertz},
          {"resolution", profile.resolution},
          {"detail", profile.detail},
          {"turns", profile.turns},
          {"seconds", profile.seconds},
          {"profiled_seconds", profile.profiledSeconds},
          {"overhead", profile.overhead()},
          {"noting_blocks", profile.notingBlocks},
          {"noting_overhead", profile.notingOverhead},
          {"recorded", profile.recorded},
          {"waits", profile.waits},
          {"lines", std::move(lines)},
          // number, multiprocessor, begin, end
          {"blocks", std::move(blocks)},
          {"notes", profile.notes}};
}

std::string toJson(const Profile &profile) {
  return profiler::documentOf(profile).dump(2, ' ', false, ProfileJson::error_handler_t::replace) +
         "\n";
}

} // namespace nereid
