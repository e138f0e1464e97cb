// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a warp that wait for one another: at tile.sync_warp, tile.shuffle, tile.ballot and
// tile.active_mask.
#include "interpret/schedule/BlockSchedule.h"

namespace nereid::interpret {

static constexpr size_t warpSize = 32;

std::span<const std::unique_ptr<BlockSchedule::Thread>>
BlockSchedule::warpOf(const Thread &thread) const {
  uint64_t number = numberOf(thread.program, execution.grid) % block.threads();
  uint64_t first = number / warpSize * warpSize;
  return std::span(threads).subspan(first, std::min(warpSize, block.threads() - first));
}

bool BlockSchedule::isNamed(const Thread &waiting, size_t lane) const {
  return waiting.meeting.members >> lane & 1;
}

bool BlockSchedule::isWaitingWith(const Thread &waiting, const Thread &other) const {
  bool isSamePlace =
      waiting.meeting.kind != WarpMeeting::Kind::Active || *other.place == *waiting.place;
  return other.turn == Turn::InWarp && other.meeting.isSameAs(waiting.meeting) && isSamePlace;
}

/// Lets those of its warp go on whose members have all come, now that this thread has come to a
/// meeting or to its end. Threads that have ended are not waited for.
bool BlockSchedule::releaseWarps(const Thread &changed) {
  if (changed.turn != Turn::InWarp && changed.turn != Turn::Ended)
    return false;
  auto warp = warpOf(changed);
  bool isAnyReleased = false;
  for (const auto &waiting : warp) {
    if (waiting->turn != Turn::InWarp)
      continue;
    bool isComplete = true;
    for (size_t lane = 0; lane < warp.size(); ++lane)
      isComplete &= !isNamed(*waiting, lane) || warp[lane]->turn == Turn::Ended ||
                    isWaitingWith(*waiting, *warp[lane]);
    if (isComplete)
      release(*waiting);
    isAnyReleased |= isComplete;
  }
  return isAnyReleased;
}

/// Who asks which threads are here goes on, with those of its warp that ask at the same place, when
/// no other thread can: so as many of them are together as can be.
bool BlockSchedule::releaseActive() {
  for (const auto &asking : threads) {
    if (asking->turn != Turn::InWarp || asking->meeting.kind != WarpMeeting::Kind::Active)
      continue;
    release(*asking);
    patience = 0;
    return true;
  }
  return false;
}

/// Where no thread can go on, the first that waits for its warp does, without those that it misses.
bool BlockSchedule::releaseStuckWarp() {
  for (const auto &waiting : threads) {
    if (waiting->turn != Turn::InWarp)
      continue;
    auto warp = warpOf(*waiting);
    for (size_t lane = 0; lane < warp.size(); ++lane)
      if (isNamed(*waiting, lane) && warp[lane]->turn != Turn::Ended &&
          !isWaitingWith(*waiting, *warp[lane])) {
        execution.observer.warpMissed(*waiting->place, waiting->program, unsigned(lane),
                                      WarpGap::Elsewhere, warp[lane]->place);
        break;
      }
    release(*waiting);
    return true;
  }
  return false;
}

/// Gives all that wait for the same what they wait for.
void BlockSchedule::release(const Thread &first) {
  noteMeeting();
  auto warp = warpOf(first);
  WarpMeeting meeting = first.meeting;
  std::array<bool, warpSize> isWaiting = {}, isHere = {};
  std::array<uint64_t, warpSize> given = {};
  uint64_t ballot = 0;
  llvm::SmallVector<uint64_t, warpSize> together;
  for (size_t lane = 0; lane < warp.size(); ++lane) {
    if (!isWaitingWith(first, *warp[lane]))
      continue;
    isWaiting[lane] = true;
    isHere[lane] = isNamed(first, lane);
    given[lane] = warp[lane]->meeting.given;
    ballot |= uint64_t(isHere[lane] && given[lane]) << lane;
    together.push_back(numberOf(warp[lane]->program, execution.grid));
    if (!isHere[lane])
      execution.observer.warpMissed(*warp[lane]->place, warp[lane]->program, unsigned(lane),
                                    WarpGap::NotNamed, std::nullopt);
  }
  for (size_t lane = 0; lane < warp.size(); ++lane) {
    Thread &thread = *warp[lane];
    if (!isWaiting[lane])
      continue;
    thread.turn = Turn::Runs;
    thread.received = ballot;
    if (meeting.kind != WarpMeeting::Kind::Shuffle)
      continue;
    uint32_t source = thread.meeting.source % warpSize;
    thread.received = isHere[source] ? given[source] : thread.meeting.given;
    if (!isHere[source])
      execution.observer.warpMissed(*thread.place, thread.program, source,
                                    source < warp.size() && isNamed(thread, source) ? WarpGap::Ended
                                    : source < warp.size() ? WarpGap::NotNamed
                                                           : WarpGap::Absent,
                                    std::nullopt);
  }
  if (meeting.kind == WarpMeeting::Kind::Sync)
    for (Listener *listener : execution.listeners)
      listener->meetSome(together);
}

uint64_t BlockSchedule::meetWarp(mlir::Location place, const WarpMeeting &meeting) {
  Thread &thread = *current;
  thread.turn = Turn::InWarp;
  thread.place = place;
  thread.meeting = meeting;
  leaveAndReceive();
  return thread.received;
}

} // namespace nereid::interpret
