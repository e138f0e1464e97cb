// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/PrintClocks.h"

#include "nereid/error.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid::backend::nvptx {

void printClocks(llvm::ArrayRef<runtime::ClockSite> sites, llvm::raw_ostream &out) {
  for (const auto &[i, site] : llvm::enumerate(sites)) {
    out << "// clock " << i + 1 << ": " << toString(site.name)
        << (site.isProducer ? " of who fetches" : "");
    if (site.place.line)
      out << ", " << printable(site.place.file) << ":" << site.place.line << ":"
          << site.place.column;
    if (site.place.lastLine > site.place.line)
      out << " to line " << site.place.lastLine;
    out << "\n";
  }
}

} // namespace nereid::backend::nvptx
