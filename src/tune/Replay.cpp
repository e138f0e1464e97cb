// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/devices.h"
#include "tune/Recording.h"

#include <algorithm>
#include <cstring>

namespace nereid {
namespace {

/// One piece of memory on the device, and what it held when it was recorded.
struct Piece {
  tuning::RecordedMemory recorded;
  Array whole; ///< with room to begin at the recorded address modulo memoryAlignment
  std::vector<uint8_t> before; ///< of all of `whole`
  uint64_t shift, bytes;

  uint64_t address() const { return reinterpret_cast<uint64_t>(whole.data()) + shift; }
};

Piece makePiece(const tuning::RecordedMemory &recorded, const nlohmann::ordered_json &content,
                const Device &device) {
  std::vector<uint8_t> bytes = tuning::bytesOf(content);
  constexpr uint64_t room = 2 * tuning::memoryAlignment;
  Array whole = device.empty(DType::UInt8, {static_cast<int64_t>(bytes.size() + room)});
  uint64_t begin = reinterpret_cast<uint64_t>(whole.data());
  uint64_t aligned = (begin + tuning::memoryAlignment - 1) & ~(tuning::memoryAlignment - 1);
  uint64_t shift = aligned - begin + recorded.misalignment;
  std::vector<uint8_t> before(whole.bytes());
  std::copy(bytes.begin(), bytes.end(), before.begin() + static_cast<ptrdiff_t>(shift));
  return {recorded, std::move(whole), std::move(before), shift, bytes.size()};
}

bool runsOnGpu(const Device &device) { return device.name().starts_with("cuda"); }

std::string targetOf(const Device &device) {
  if (!runsOnGpu(device))
    return "cpu";
  size_t colon = device.name().find(':');
  unsigned number = colon == std::string::npos
                        ? 0
                        : static_cast<unsigned>(std::stoul(device.name().substr(colon + 1)));
  return gpuInfo(number).target;
}

} // namespace

struct Replay::State {
  Device device;
  host::Description description;
  host::Options options;
  Grid grid;
  host::Kernel kernel;
  std::vector<Piece> pieces;
  std::vector<host::Slot> slots;

  void addSlots(const tuning::RecordedArguments &arguments);
  void launch(const Stream *stream) const {
    if (stream)
      kernel.launchOn(stream->handle(), grid, slots);
    else
      kernel.launch(grid, slots);
  }
  void putBack() const {
    for (const Piece &piece : pieces)
      piece.whole.copyFrom(piece.before.data());
  }
};

void Replay::State::addSlots(const tuning::RecordedArguments &arguments) {
  std::vector<bool> isAddress;
  for (const host::Argument &argument : description.arguments) {
    const auto *type = std::get_if<ArgumentType>(&argument.content);
    if (type && type->dimensions)
      throw Error(Error::Kind::Usage, "kernels of threads are not launched from recordings");
    host::appendAddressSlots(argument, isAddress);
  }
  if (isAddress.size() != arguments.slots.size())
    throw Error(Error::Kind::Environment,
                "the recording is damaged: a launch of '" + description.function.name() + "' has " +
                    std::to_string(arguments.slots.size()) + " arguments, and its kernel takes " +
                    std::to_string(isAddress.size()));
  for (size_t i = 0; i < isAddress.size(); ++i) {
    const tuning::RecordedSlot &slot = arguments.slots[i];
    if (isAddress[i] != slot.memory.has_value() && slot.bits)
      throw Error(Error::Kind::Environment,
                  "the recording is damaged: a number stands for an array of a launch of '" +
                      description.function.name() + "'");
    if (slot.memory)
      slots.push_back(
          {pieces[*slot.memory].address() + slot.offset, slot.extentBytes, slot.bytesBelow});
    else
      slots.push_back({slot.bits});
  }
}

Replay::Replay(const Recording &recording, size_t launch, const Device &device) {
  const Recording::State &recorded = recording.get();
  if (launch >= recorded.launches.size())
    throw Error(Error::Kind::Usage,
                recorded.name + " holds " + std::to_string(recorded.launches.size()) + " launches");
  const RecordedLaunch &of = recorded.launches[launch];
  if (!of.problem.empty())
    throw Error(Error::Kind::Usage, of.problem);
  const tuning::RecordedArguments &arguments = recorded.arguments[launch];
  host::Description description =
      host::readDescription(recorded.kernels[arguments.description].dump());
  host::Kernel kernel =
      host::compile(device, description.function, description.arguments, of.options);
  state = std::make_shared<State>(
      State{device, std::move(description), of.options, of.grid, std::move(kernel), {}, {}});
  for (const tuning::RecordedMemory &memory : arguments.memories)
    state->pieces.push_back(makePiece(memory, recorded.contents[memory.content], device));
  state->addSlots(arguments);
}

double Replay::compileMilliseconds() const { return state->kernel.compileMilliseconds(); }

void Replay::run() const {
  state->putBack();
  if (!runsOnGpu(state->device)) {
    state->launch(nullptr);
    return;
  }
  Stream stream = state->device.stream();
  state->launch(&stream);
  stream.synchronize();
}

Measurement Replay::measure(const TimerOptions &options) const {
  run();
  std::vector<const Piece *> changed;
  for (const Piece &piece : state->pieces) {
    std::vector<uint8_t> after(piece.before.size());
    piece.whole.copyTo(after.data());
    if (after != piece.before)
      changed.push_back(&piece);
  }
  auto putBack = [&](const Stream *stream) {
    for (const Piece *piece : changed)
      if (stream)
        piece->whole.copyFrom(piece->before.data(), *stream);
      else
        std::memcpy(piece->whole.data(), piece->before.data(), piece->before.size());
  };
  return Timer(state->device, options)
      .measureWork([this](const Stream *stream) { state->launch(stream); }, putBack);
}

std::vector<Replay::Memory> Replay::memories() const {
  std::vector<Memory> result;
  for (const Piece &piece : state->pieces) {
    DType dtype = piece.recorded.dtype;
    auto count = static_cast<int64_t>(piece.bytes / byteSize(dtype));
    result.push_back(
        {piece.recorded.name,
         state->device.borrow(reinterpret_cast<void *>(piece.address()), dtype, {count})});
  }
  return result;
}

std::vector<Remark> Replay::remarks() const {
  if (state->device.name() == "check")
    return {}; // nothing is compiled
  CompileOptions options;
  options.target = targetOf(state->device);
  options.tuning = state->options.tuning;
  options.mayOverlap = state->options.mayOverlap;
  options.checksAsserts = state->options.checksAsserts;
  return host::remarks(state->description.function, state->description.arguments, options);
}

Analysis Replay::analyze(AnalyzeOptions options) const {
  if (runsOnGpu(state->device))
    throw Error(Error::Kind::Usage,
                "a launch on " + state->device.name() + ": arrays of the host are analyzed");
  options.tuning = state->options.tuning;
  state->putBack();
  return host::analyze(state->description.function, state->description.arguments, state->grid,
                       state->slots, state->options.mayOverlap, options);
}

} // namespace nereid
