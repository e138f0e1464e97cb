// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/CheckOptions.h"
#include "capi/Error.h"
#include "capi/Handles.h"
#include "capi/Options.h"
#include "nereid/devices.h"

using namespace nereid;

static DeviceOptions toDeviceOptions(const nereid_device_options *given) {
  constexpr uint32_t known = NEREID_DEVICE_NO_DISK_CACHE | NEREID_DEVICE_REFUSE_BROKEN_PROMISES |
                             NEREID_DEVICE_FIND_NONFINITE | NEREID_DEVICE_COMPARE_ORDERS |
                             NEREID_DEVICE_CHECK_ASSERTS;
  auto options = capi::readOptions(given);
  if (options.flags & ~known)
    throw Error(Error::Kind::Usage, "device options with flags " + std::to_string(options.flags) +
                                        "; those up to " + std::to_string(known) + " are known");
  bool usesDiskCache = !(options.flags & NEREID_DEVICE_NO_DISK_CACHE);
  return {options.threads, options.cpu ? options.cpu : "", usesDiskCache,
          capi::toCheckOptions(options), bool(options.flags & NEREID_DEVICE_CHECK_ASSERTS)};
}

nereid_status nereid_device_open(const char *name, const nereid_device_options *options,
                                 nereid_device **device, nereid_error **error) {
  return capi::guardMaking(device, error, [&] {
    return Device::open(capi::require(name, "name of a device"), toDeviceOptions(options));
  });
}

const char *nereid_device_name(const nereid_device *device) {
  return device ? device->device.name().c_str() : nullptr;
}

uint32_t nereid_device_threads(const nereid_device *device) {
  return device ? device->device.threads() : 0;
}

void nereid_device_release(nereid_device *device) { delete device; }

nereid_status nereid_devices(nereid_device_callback callback, void *user, nereid_error **error) {
  return capi::guard(error, [&] {
    capi::require(callback, "callback");
    for (const DeviceInfo &device : devices())
      callback(user, device.name.c_str(), device.description.c_str(),
               device.unavailableBecause.c_str());
  });
}
