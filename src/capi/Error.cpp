// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/Error.h"
#include "capi/FindingView.h"

#include <new>
#include <string>
#include <vector>

using nereid::capi::FindingView;

struct nereid_error {
  nereid_status status;
  std::string message;
  std::vector<nereid::Finding> findings;
  /// Moving a view leaves its lists where they are.
  std::vector<FindingView> views;

  nereid_error(nereid_status status, std::string message,
               std::vector<nereid::Finding> findings = {})
      : status(status), message(std::move(message)), findings(std::move(findings)),
        views(this->findings.begin(), this->findings.end()) {}
};

namespace nereid::capi {
namespace {

nereid_status statusOf(Error::Kind kind) {
  switch (kind) {
  case Error::Kind::Source:
    return NEREID_ERROR_SOURCE;
  case Error::Kind::Usage:
    return NEREID_ERROR_USAGE;
  case Error::Kind::Environment:
    return NEREID_ERROR_ENVIRONMENT;
  case Error::Kind::Checked:
    return NEREID_ERROR_CHECKED;
  case Error::Kind::Internal:
    return NEREID_ERROR_INTERNAL;
  }
  return NEREID_ERROR_INTERNAL;
}

/// Needs no memory: the text is short enough to stand inside its string. Never released.
nereid_error *noMemory() noexcept {
  static nereid_error error(NEREID_ERROR_NO_MEMORY, "out of memory");
  return &error;
}

nereid_status report(nereid_error **error, nereid_status status, const char *message,
                     const std::vector<Finding> &findings = {}) {
  if (error)
    *error = new nereid_error(status, message, findings);
  return status;
}

nereid_status reportCurrent(nereid_error **error) {
  try {
    throw;
  } catch (const Error &caught) {
    return report(error, statusOf(caught.kind()), caught.what(), caught.findings());
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &caught) {
    return report(error, NEREID_ERROR_INTERNAL, caught.what());
  } catch (...) {
    return report(error, NEREID_ERROR_INTERNAL, "an exception of an unknown type");
  }
}

} // namespace

nereid_status reportException(nereid_error **error) noexcept {
  try {
    return reportCurrent(error);
  } catch (const std::bad_alloc &) {
    if (error)
      *error = noMemory();
    return NEREID_ERROR_NO_MEMORY;
  }
}

} // namespace nereid::capi

nereid_status nereid_error_status(const nereid_error *error) {
  return error ? error->status : NEREID_OK;
}

const char *nereid_error_message(const nereid_error *error) {
  return error ? error->message.c_str() : nullptr;
}

size_t nereid_error_finding_count(const nereid_error *error) {
  return error ? error->views.size() : 0;
}

const nereid_finding *nereid_error_finding(const nereid_error *error, size_t index) {
  return index < nereid_error_finding_count(error) ? &error->views[index].finding : nullptr;
}

void nereid_error_release(nereid_error *error) {
  if (error != nereid::capi::noMemory())
    delete error;
}
