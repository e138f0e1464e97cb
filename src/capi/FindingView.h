// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid-c/nereid.h"
#include "nereid/error.h"

#include <vector>

namespace nereid::capi {

nereid_place toC(const Place &place);

/// A finding in C's terms, and the lists that it points to. Of the finding, which must outlive it,
/// it shows the strings. Moving a view leaves its lists where they are.
struct FindingView {
  explicit FindingView(const Finding &from);

  std::vector<nereid_note> notes;
  std::vector<nereid_place> calls;
  nereid_finding finding = {};

private:
  void addRun(const Finding &from);
};

} // namespace nereid::capi
