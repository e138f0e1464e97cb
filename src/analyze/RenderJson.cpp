// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report as a document.
#include "analyze/ReportDocument.h"

namespace nereid {
namespace {

using Json = nlohmann::ordered_json;

Json toJson(const Place &place) {
  if (!place.line)
    return nullptr;
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

Json toJson(const Analysis::Access::Layout &a) {
  return {{"shape", a.shape}, {"register", a.registers}, {"lane", a.lanes}, {"warp", a.warps}};
}

Json toJson(const Analysis::Access &a) {
  Json json = {{"place", toJson(a.place)},
               {"kind", a.kind},
               {"array", a.array},
               {"bytes_of_lane", a.bytesOfLane},
               {"requests", a.requests},
               {"sectors", a.sectors},
               {"least_sectors", a.leastSectors},
               {"bytes", a.bytes},
               {"l2_work", a.l2Work},
               {"lane_stride", a.laneStride},
               {"is_found", a.isFound},
               {"lost_seconds", a.lostSeconds},
               {"lanes_of_request", a.lanesOfRequest}};
  if (!a.layout.shape.empty())
    json["layout"] = toJson(a.layout);
  return json;
}

Json toJson(const Analysis::Shared &a) {
  return {{"place", toJson(a.place)},
          {"kind", a.kind},
          {"requests", a.requests},
          {"wavefronts", a.wavefronts},
          {"least_wavefronts", a.leastWavefronts},
          {"barriers", a.barriers},
          {"warp_barriers", a.warpBarriers},
          {"mbarriers", a.mbarriers},
          {"lost_seconds", a.lostSeconds}};
}

Json toJson(const Analysis::Product &a) {
  return {{"place", toJson(a.place)},
          {"instruction", a.instruction},
          {"count", a.count},
          {"flops", a.flops},
          {"seconds", a.seconds}};
}

Json toJson(const Analysis::Arithmetic &a) {
  return {{"place", toJson(a.place)}, {"fma", a.fma}, {"integer", a.integer},
          {"special", a.special},     {"f64", a.f64}, {"other", a.other}};
}

Json toJson(const Analysis::Instructions &a) {
  Json json = {{"place", toJson(a.place)}};
#define UNIT(member, name, meaning) json[#member] = a.member;
#include "nereid/units.def"
  return json;
}

Json toJson(const Analysis::ArrayUse &a) {
  return {{"name", a.name},
          {"bytes", a.bytes},
          {"read_bytes", a.readBytes},
          {"written_bytes", a.writtenBytes},
          {"asked_bytes", a.askedBytes},
          {"memory_bytes", a.memoryBytes},
          {"reuse", a.reuse},
          {"shape", a.shape},
          {"element_bytes", a.elementBytes}};
}

Json toJson(const Analysis::Bound &a) {
  return {{"name", a.name},
          {"seconds", a.seconds},
          {"amount", a.amount},
          {"exposed_seconds", a.exposedSeconds}};
}

Json toJson(const Analysis::Advice &a) {
  return {{"place", toJson(a.place)}, {"cause", a.cause}, {"accept", a.accept}, {"gain", a.gain}};
}

Json toJson(const Remark &a) {
  return {{"id", a.id},
          {"text", a.text},
          {"accepted", a.accepted},
          {"place", toJson(a.place)},
          {"count", a.count}};
}

Json toJson(const Analysis::Step &a) {
  return {{"place", toJson(a.place)}, {"kind", a.kind},  {"what", a.what},
          {"where", a.where},         {"loop", a.loop},  {"is_of_producer", a.isOfProducer},
          {"barriers", a.barriers},   {"times", a.times}};
}

Json toJson(const Analysis::Flow::Loop &a) {
  return {{"place", toJson(a.place)}, {"outer", a.outer}, {"rounds", a.rounds}};
}

Json toJson(const Analysis::Flow::Edge &a) {
  return {{"from", a.from}, {"to", a.to}, {"through", a.through}};
}

Json toJson(const Analysis::Flow::Room &a) {
  return {{"place", toJson(a.place)},
          {"what", a.what},
          {"bytes", a.bytes},
          {"slots", a.slots},
          {"shape", a.shape},
          {"offsets", a.offsets},
          {"element_bytes", a.elementBytes}};
}

Json toJson(const Analysis::Exchange &a) {
  Json json = {{"place", toJson(a.place)}, {"kind", a.kind}, {"what", a.what},
               {"through", a.through},     {"cost", a.cost}, {"times", a.times}};
  if (!a.before.shape.empty())
    json["before"] = toJson(a.before);
  if (!a.after.shape.empty())
    json["after"] = toJson(a.after);
  if (!a.room.shape.empty())
    json["room"] = toJson(a.room);
  return json;
}

Json toJson(const Analysis::Timeline::Span &a) {
  return {{"who", a.who},        {"step", a.step},   {"execution", a.execution},
          {"is_wait", a.isWait}, {"begin", a.begin}, {"end", a.end}};
}

Json toJson(const Analysis::Timeline::Hold &a) {
  return {
      {"room", a.room}, {"slot", a.slot}, {"begin", a.begin}, {"there", a.there}, {"end", a.end}};
}

Json toJson(const Analysis::Touches::Pattern &a) {
  return {{"shape", a.shape}, {"strides", a.strides}, {"from", a.from}, {"to", a.to}};
}

Json toJson(const Analysis::Touches::Event &a) {
  Json json = {{"access", a.access}, {"pattern", a.pattern}, {"base", a.base}};
  if (!a.offsets.empty()) {
    json["offsets"] = a.offsets;
    json["every"] = a.every;
  }
  return json;
}

Json toJson(const Difference &a) {
  return {{"section", a.section}, {"name", a.name},           {"first", a.first},
          {"second", a.second},   {"differs", a.isDifferent}, {"ratio", a.ratio}};
}

Json toJson(const Analysis::Touches::Program &a);

template <typename T> Json listOf(const std::vector<T> &list) {
  Json array = Json::array();
  for (const T &each : list)
    array.push_back(toJson(each));
  return array;
}

Json toJson(const Analysis::Touches::Program &a) {
  return {{"at", {a.x, a.y, a.z}}, {"is_cut", a.isCut}, {"events", listOf(a.events)}};
}

Json kernelOf(const Analysis &a) {
  Json kernel = {{"threads", a.threads}, {"shared_bytes", a.sharedBytes}};
  if (a.isAssembled) {
    kernel["registers"] = a.registers;
    kernel["spill_store_bytes"] = a.spillStoreBytes;
    kernel["spill_load_bytes"] = a.spillLoadBytes;
    kernel["stack_bytes"] = a.stackBytes;
  }
  kernel["resident_blocks"] = a.residentBlocks;
  kernel["residence_limit"] = a.residenceLimit;
  kernel["occupancy"] = a.occupancy;
  kernel["blocks"] = a.blocks;
  kernel["waves"] = a.waves;
  kernel["tail"] = a.tail;
  kernel["longest_program"] = {{"place", {a.longestX, a.longestY, a.longestZ}},
                               {"times", a.longestProgram}};
  kernel["time_at_work"] = a.timeAtWork;
  kernel["barriers"] = a.barriers;
  kernel["flops"] = a.flops;
  kernel["l2_bytes"] = a.l2Bytes;
  kernel["memory_bytes"] = a.memoryBytes;
  kernel["intensity"] = a.intensity;
  kernel["peak_flops"] = a.peakFlops;
  kernel["peak_bytes"] = a.peakBytes;
  kernel["ceilings"] = Json::array();
  for (const Analysis::Ceiling &each : a.ceilings)
    kernel["ceilings"].push_back({{"name", each.name},
                                  {"is_of_bytes", each.isOfBytes},
                                  {"rate", each.rate},
                                  {"bytes", each.bytes}});
  kernel["seconds"] = a.seconds;
  kernel["bound"] = a.bound;
  return kernel;
}

Json countersOf(const Analysis &analysis) {
  Json counters = Json::object();
  for (const HardwareCounter &counter : hardwareCounters(analysis))
    counters[counter.key] = counter.predicted ? Json(*counter.predicted) : Json();
  return counters;
}

} // namespace

nlohmann::ordered_json analyzer::documentOf(const Analysis &analysis) {
  return {{"kernel", analysis.kernel},
          {"file", analysis.file},
          {"target", analysis.target},
          {"card", analysis.card},
          {"multiprocessors", analysis.multiprocessors},
          {"grid", {analysis.gridX, analysis.gridY, analysis.gridZ}},
          {"programs", analysis.programs},
          {"programs_run", analysis.programsRun},
          {"count_error", analysis.countError},
          {"launch", kernelOf(analysis)},
          {"accesses", listOf(analysis.accesses)},
          {"shared", listOf(analysis.shared)},
          {"exchanges", listOf(analysis.exchanges)},
          {"products", listOf(analysis.products)},
          {"arithmetic", listOf(analysis.arithmetic)},
          {"instructions", listOf(analysis.instructions)},
          {"instructions_of", analysis.instructionSource},
          {"counters", countersOf(analysis)},
          {"arrays", listOf(analysis.arrays)},
          {"bounds", listOf(analysis.bounds)},
          {"advice", listOf(analysis.advice)},
          {"remarks", listOf(analysis.remarks)},
          {"notes", analysis.notes}};
}

Json analyzer::documentOf(const Analysis::Flow &flow) {
  return {{"steps", listOf(flow.steps)},
          {"loops", listOf(flow.loops)},
          {"edges", listOf(flow.edges)},
          {"rooms", listOf(flow.rooms)}};
}

Json analyzer::documentOf(const Analysis::Timeline &timeline) {
  return {{"spans", listOf(timeline.spans)},
          {"holds", listOf(timeline.holds)},
          {"seconds", timeline.seconds},
          {"is_cut", timeline.isCut}};
}

Json analyzer::documentOf(const Analysis::Touches &touches) {
  return {{"patterns", listOf(touches.patterns)}, {"programs", listOf(touches.programs)}};
}

Json analyzer::documentOf(const std::vector<Difference> &differences) {
  return listOf(differences);
}

std::string analyzer::written(const Json &document) {
  return document.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

std::string analyzer::writtenShort(const Json &document) {
  return document.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

std::string toJson(const Analysis &analysis) {
  return analyzer::written(analyzer::documentOf(analysis));
}

std::string toJson(const Comparison &comparison) {
  return analyzer::written({{"first", analyzer::documentOf(comparison.first)},
                            {"second", analyzer::documentOf(comparison.second)},
                            {"differences", analyzer::documentOf(comparison.differences)}});
}

} // namespace nereid
