// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A profile in the page of analyses (src/analyze/page): beside what is predicted, or by itself.
#include "analyze/ReportDocument.h"
#include "profile/ProfileDocument.h"

#include <algorithm>

namespace nereid {
namespace {

using PageJson = nlohmann::ordered_json;

/// What the page draws of warps: of a few blocks, evenly, as many intervals as a browser shows
/// without waiting.
PageJson intervalsOf(const Profile &profile) {
  constexpr size_t mostIntervals = 6000, mostBlocks = 12;
  std::vector<uint32_t> noting;
  for (const Profile::Interval &interval : profile.intervals)
    if (noting.empty() || noting.back() != interval.block)
      noting.push_back(interval.block);
  std::vector<uint32_t> shown;
  const size_t step = std::max<size_t>(1, (noting.size() + mostBlocks - 1) / mostBlocks);
  for (size_t at = 0; at < noting.size(); at += step)
    shown.push_back(noting[at]);
  const size_t ofBlock = mostIntervals / std::max<size_t>(shown.size(), 1);
  PageJson intervals = PageJson::array();
  std::vector<size_t> taken(profile.blocks.size(), 0);
  for (const Profile::Interval &interval : profile.intervals)
    if (std::ranges::find(shown, interval.block) != shown.end() &&
        taken[interval.block]++ < ofBlock)
      intervals.push_back({profile.blocks[interval.block].number, interval.warp, interval.line,
                           interval.begin, interval.end});
  return intervals;
}

PageJson pagePartOf(const Profile &profile) {
  PageJson document = profiler::documentOf(profile);
  document["intervals"] = intervalsOf(profile);
  constexpr size_t mostBlocks = 8192; // of a picture 1,100 pixels wide with a row for each SM
  if (const size_t step = (profile.blocks.size() + mostBlocks - 1) / mostBlocks; step > 1) {
    PageJson some = PageJson::array();
    for (size_t at = 0; at < profile.blocks.size(); at += step)
      some.push_back(std::move(document["blocks"][at]));
    document["blocks"] = std::move(some);
  }
  return document;
}

} // namespace

std::string toHtml(const Profile &profile) {
  const PageJson none = PageJson::array();
  PageJson report = {{"kernel", profile.kernel},
                     {"file", profile.file},
                     {"grid", {profile.gridX, profile.gridY, profile.gridZ}},
                     {"text", profile.text},
                     {"first_line", profile.firstLine},
                     {"accesses", none},
                     {"exchanges", none},
                     {"shared", none},
                     {"products", none},
                     {"profile", pagePartOf(profile)}};
  return analyzer::pageWith({{"reports", PageJson::array({std::move(report)})}});
}

std::string toHtml(const Analysis &analysis, const Profile &profile) {
  PageJson document = analyzer::pageDocumentOf(analysis);
  document["profile"] = pagePartOf(profile);
  return analyzer::pageWith({{"reports", PageJson::array({std::move(document)})}});
}

} // namespace nereid
