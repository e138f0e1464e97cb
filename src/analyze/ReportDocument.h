// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/analyze.h"

#include <nlohmann/json.hpp>
#include <string>

namespace nereid::analyzer {

/// As docs/analyze.md says.
nlohmann::ordered_json documentOf(const Analysis &analysis);
/// For the page: what its pictures are drawn from.
nlohmann::ordered_json documentOf(const Analysis::Flow &flow);
nlohmann::ordered_json documentOf(const Analysis::Timeline &timeline);
nlohmann::ordered_json documentOf(const Analysis::Touches &touches);
nlohmann::ordered_json documentOf(const std::vector<Difference> &differences);
/// A report of the page: the document, and what its pictures are drawn from.
nlohmann::ordered_json pageDocumentOf(const Analysis &analysis);
/// The page that shows a document of `reports`, each a pageDocumentOf, or what profiles have.
std::string pageWith(const nlohmann::ordered_json &document);
/// In ASCII, whatever names and texts hold; for people, and as short as can be.
std::string written(const nlohmann::ordered_json &document);
std::string writtenShort(const nlohmann::ordered_json &document);

} // namespace nereid::analyzer
