// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RemarkSettings.h"

#include "FormatText.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace nereid::command {

using Json = nlohmann::ordered_json;

static Json toJson(const Remark &remark) {
  Json json = {{"id", remark.id}, {"text", remark.text}, {"accepted", remark.accepted}};
  if (remark.place.line)
    json["place"] = {
        {"file", remark.place.file}, {"line", remark.place.line}, {"column", remark.place.column}};
  json["count"] = remark.count;
  return json;
}

void RemarkSettings::addTo(CLI::App &command) {
  command
      .add_flag("--remarks{text}", form,
                "Say where the compiler declined a better form, and why, on standard error; "
                "--remarks=json: as a document on standard output")
      ->check(CLI::IsMember({"text", "json"}));
}

void RemarkSettings::print(const std::vector<Remark> &remarks) const {
  if (!isJson()) {
    for (const Remark &remark : remarks)
      sayText(stderr, remark.report);
    return;
  }
  Json json = {{"remarks", Json::array()}};
  for (const Remark &remark : remarks)
    json["remarks"].push_back(toJson(remark));
  std::string text =
      json.dump(2, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace);
  std::printf("%s\n", text.c_str());
}

} // namespace nereid::command
