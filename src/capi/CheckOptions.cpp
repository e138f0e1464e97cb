// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/CheckOptions.h"

#include "capi/Error.h"
#include "capi/FindingView.h"

#include <algorithm>
#include <limits>

namespace nereid::capi {

static Resume toResume(nereid_resume resume) {
  switch (resume) {
  case NEREID_RESUME_CONTINUE:
    return Resume::Continue;
  case NEREID_RESUME_STEP:
    return Resume::Step;
  case NEREID_RESUME_FINISH:
    return Resume::Finish;
  }
  throw Error(Error::Kind::Usage, "a stopped program cannot go on in way " +
                                      std::to_string(resume) + "; 0 to 2 are accepted");
}

static Resume ask(nereid_stopped_callback stopped, void *user, const Stop &stop) {
  std::vector<nereid_variable> variables;
  for (const Stop::Variable &variable : stop.variables)
    variables.push_back(
        {variable.name.c_str(), variable.constant.empty() ? nullptr : variable.constant.c_str(),
         static_cast<nereid_dtype>(variable.type), static_cast<uint32_t>(variable.shape.size()),
         variable.shape.data(), variable.elements.data()});
  nereid_stop given = {};
  given.place = toC(stop.place);
  std::ranges::copy(std::initializer_list<uint32_t>{stop.program.x, stop.program.y, stop.program.z},
                    given.program);
  if (stop.thread) {
    given.has_thread = 1;
    given.thread[0] = stop.thread->x;
    given.thread[1] = stop.thread->y;
    given.thread[2] = stop.thread->z;
  }
  given.variables = variables.data();
  given.variable_count = variables.size();
  return toResume(stopped(user, &given));
}

CheckOptions toCheckOptions(const nereid_device_options &options) {
  auto has = [&](uint32_t flag) { return (options.flags & flag) != 0; };
  CheckOptions check{.refusesBrokenPromises = has(NEREID_DEVICE_REFUSE_BROKEN_PROMISES),
                     .findsNonFinite = has(NEREID_DEVICE_FIND_NONFINITE),
                     .comparesOrders = has(NEREID_DEVICE_COMPARE_ORDERS),
                     .seed = options.seed};
  constexpr uint64_t most = std::numeric_limits<unsigned>::max();
  check.mostFindings = static_cast<unsigned>(std::min(options.most_findings, most));
  for (size_t i = 0; i < options.ignored_count; ++i)
    check.ignored.emplace_back(
        require(require(options.ignored, "list of ids")[i], "id of a finding"));
  if (options.warn)
    check.warn = [warn = options.warn, user = options.warn_user](const Finding &finding) {
      FindingView view(finding);
      warn(user, &view.finding);
    };
  for (size_t i = 0; i < options.breakpoint_count; ++i) {
    const nereid_place &place = require(options.breakpoints, "list of places")[i];
    check.breakpoints.push_back(
        {require(place.file, "file of a breakpoint"), place.line, place.column});
  }
  if (options.breakpoint_count) {
    require(options.stopped, "callback for breakpoints");
    check.stopped = [stopped = options.stopped, user = options.stopped_user](const Stop &stop) {
      return ask(stopped, user, stop);
    };
  }
  return check;
}

} // namespace nereid::capi
