// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/PrintClocks.h"

#include "nereid/error.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid::backend::nvptx {

void printClocks(llvm::ArrayRef<runtime::ClockSite> sites, llvm::raw_ostream &out) {
  for (const auto &[i, site] : llvm::enumerate(sites)) {
    out << "// clock " << i + 1 << ": " << toString(site.name)
        << (site.isProducer ? " of who fetches" : "");
    if (site.line)
      out << ", " << printable(site.file) << ":" << site.line << ":" << site.column;
    if (site.lastLine > site.line)
      out << " to line " << site.lastLine;
    out << "\n";
  }
}

} // namespace nereid::backend::nvptx
