// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Dump.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid {

bool Dump::wants(Stage stage) const { return llvm::is_contained(wanted, stage); }

bool Dump::wantsLaterThan(Stage stage) const {
  return llvm::any_of(wanted, [&](Stage each) { return each > stage; });
}

Dump::Duration Dump::lap() {
  auto now = std::chrono::steady_clock::now();
  return now - std::exchange(lapBegan, now);
}

void Dump::show(Stage stage, Print print) { show(stage, lap(), print); }

void Dump::show(Stage stage, Duration time, Print print, llvm::StringRef detail) {
  if (wants(stage)) {
    StageOutput output{stage, detail.str(), time.count(), {}};
    llvm::raw_string_ostream out(output.text);
    print(out);
    sink(output);
  }
  lap();
}

} // namespace nereid
