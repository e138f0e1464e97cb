// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Streams.h"

#include "Lock.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace nereid::python {

void keepUntilDone(const Stream &stream, nb::object owner) {
  struct Kept {
    Event end;
    Stream stream; // whose last handle would wait for its work
    nb::object owner;
  };
  static auto &all = *new std::vector<Kept>();
  std::vector<Kept> done; // freed last, since that may run Python
  auto firstDone =
      std::partition(all.begin(), all.end(), [](const Kept &kept) { return !kept.end.isDone(); });
  std::move(firstDone, all.end(), std::back_inserter(done));
  all.erase(firstDone, all.end());
  try {
    all.push_back({stream.record(), stream, owner});
  } catch (const Error &) { // is being captured
    static auto &forEver = *new std::vector<std::pair<Stream, nb::object>>();
    forEver.emplace_back(stream, std::move(owner));
  }
}

void addStreams(nb::module_ &module) {
  nb::class_<Event>(module, "Event")
      .def("is_done", &Event::isDone)
      .def("wait",
           [](const Event &event) {
             Unlocked unlocked;
             event.wait();
           })
      .def(
          "milliseconds_since",
          [](const Event &event, const Event &earlier) {
            Unlocked unlocked;
            return event.millisecondsSince(earlier);
          },
          nb::arg("earlier"));
  nb::class_<Stream>(module, "Stream")
      .def_static(
          "open", [](const Device &device) { return device.streamInOrderWithDefault(); },
          nb::arg("device"))
      .def_static(
          "borrow",
          [](const Device &device, uint64_t handle) {
            return device.borrowStream(reinterpret_cast<void *>(handle));
          },
          nb::arg("device"), nb::arg("handle"))
      .def_prop_ro("handle",
                   [](const Stream &stream) { return reinterpret_cast<uint64_t>(stream.handle()); })
      .def("is_idle", &Stream::isIdle)
      .def("record", &Stream::record)
      .def("wait", &Stream::wait, nb::arg("event"))
      .def("synchronize", [](const Stream &stream) {
        Unlocked unlocked;
        stream.synchronize();
      });
}

} // namespace nereid::python
