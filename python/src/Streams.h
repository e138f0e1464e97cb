// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and events of a GPU for Python, and what must stay until they have come by.
#pragma once

#include "nereid/nereid.h"

#include <nanobind/nanobind.h>

namespace nereid::python {

namespace nb = nanobind;

/// Keeps an object until the work that the stream has by now is done, and for ever if the stream is
/// being captured: the graph may be launched at any time.
void keepUntilDone(const Stream &stream, nb::object owner);

/// Stream and Event.
void addStreams(nb::module_ &module);

} // namespace nereid::python
