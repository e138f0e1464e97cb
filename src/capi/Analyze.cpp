// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/analyze.h"
#include "capi/Arguments.h"
#include "capi/Error.h"
#include "capi/Handles.h"
#include "capi/Options.h"
#include "nereid-c/analyze.h"

using namespace nereid;

struct nereid_analysis {
  explicit nereid_analysis(Analysis of)
      : analysis(std::move(of)), text(toText(analysis)), json(toJson(analysis)),
        html(toHtml(analysis)) {}

  Analysis analysis;
  std::string text, json, html;
};

struct nereid_comparison {
  explicit nereid_comparison(const Comparison &comparison)
      : text(toText(comparison)), json(toJson(comparison)), html(toHtml(comparison)) {}

  std::string text, json, html;
};

static AnalyzeOptions toAnalyzeOptions(const nereid_analyze_options *given) {
  auto options = capi::readOptions(given);
  AnalyzeOptions result;
  if (options.target)
    result.target = options.target;
  if (options.card)
    result.card = options.card;
  result.tuning = {options.warps, options.pipeline_stages, options.max_registers};
  result.programs = options.programs;
  result.mostAccesses = options.most_accesses;
  result.isL2Dirty = options.l2_dirty != 0;
  return result;
}

nereid_status nereid_kernel_analyze(const nereid_kernel *kernel, int64_t x, int64_t y, int64_t z,
                                    const nereid_argument *arguments, size_t count,
                                    const nereid_analyze_options *options,
                                    nereid_analysis **analysis, nereid_error **error) {
  return capi::guardMaking(analysis, error, [&] {
    return analyze(capi::require(kernel, "kernel")->kernel, Grid{x, y, z},
                   capi::toArguments(arguments, count), toAnalyzeOptions(options));
  });
}

double nereid_analysis_seconds(const nereid_analysis *analysis) {
  return analysis ? analysis->analysis.seconds : 0;
}

template <typename T> static const char *textOf(const T *report, std::string T::*part) {
  return report ? (report->*part).c_str() : "";
}

const char *nereid_analysis_bound(const nereid_analysis *analysis) {
  return analysis ? analysis->analysis.bound.c_str() : "";
}
const char *nereid_analysis_text(const nereid_analysis *analysis) {
  return textOf(analysis, &nereid_analysis::text);
}
const char *nereid_analysis_json(const nereid_analysis *analysis) {
  return textOf(analysis, &nereid_analysis::json);
}
const char *nereid_analysis_html(const nereid_analysis *analysis) {
  return textOf(analysis, &nereid_analysis::html);
}
void nereid_analysis_release(nereid_analysis *analysis) { delete analysis; }

nereid_status nereid_analysis_compare(const nereid_analysis *first, const nereid_analysis *second,
                                      nereid_comparison **comparison, nereid_error **error) {
  return capi::guardMaking(comparison, error, [&] {
    return compare(capi::require(first, "first")->analysis,
                   capi::require(second, "second")->analysis);
  });
}
const char *nereid_comparison_text(const nereid_comparison *comparison) {
  return textOf(comparison, &nereid_comparison::text);
}
const char *nereid_comparison_json(const nereid_comparison *comparison) {
  return textOf(comparison, &nereid_comparison::json);
}
const char *nereid_comparison_html(const nereid_comparison *comparison) {
  return textOf(comparison, &nereid_comparison::html);
}
void nereid_comparison_release(nereid_comparison *comparison) { delete comparison; }
