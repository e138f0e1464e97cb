// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Failure.h"

#include "jit/Boundary.h"

namespace nereid {

void jit::throwFailure(const runtime::FailurePtr &failure) {
  if (!failure)
    return;
  std::string note = failure->work.empty() ? "" : "\nnote: " + failure->work;
  try {
    launchAtBoundary([&] { std::rethrow_exception(failure->cause); });
  } catch (const Error &error) {
    throw Error(error.kind(), error.what() + note, error.findings());
  } catch (const std::exception &error) {
    std::throw_with_nested(
        Error(Error::Kind::Usage, std::string("the print sink threw: ") + error.what() + note));
  } catch (...) {
    std::throw_with_nested(Error(Error::Kind::Usage, "the print sink threw" + note));
  }
}

} // namespace nereid
