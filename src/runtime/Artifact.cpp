// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Artifact.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace nereid::runtime {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(IntegerParameter, number, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ParameterSum::Term, factor, parameters)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ParameterSum, terms)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MultipleCondition, parameter, divisor)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ArrayBox::Dimension, extent, stride, copied, step)
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little, "the header is written as it lies");

struct Header {
  char magic[8];
  uint32_t format, reserved;
  uint64_t payloadBytes;
  uint64_t checksum[2];
};
constexpr char magic[8] = {'N', 'E', 'R', 'E', 'I', 'D', '\x1a', '\n'};
/// Goes up whenever the payload changes its meaning.
constexpr uint32_t format = 8;

XXH128_hash_t checksumOf(std::span<const uint8_t> payload) {
  return XXH3_128bits(payload.data(), payload.size());
}

// Types and constants as text and JSON

std::string typeText(DType dtype, bool isPointer) {
  return (isPointer ? "*" : "") + std::string(shortName(dtype));
}

template <typename Type> Type typeFrom(std::string_view text) {
  bool isPointer = text.starts_with('*');
  std::optional<DType> dtype = parseDType(text.substr(isPointer));
  if (!dtype)
    throw ArtifactError("names an unknown type '" + std::string(text) + "'");
  return {*dtype, isPointer};
}

struct ConstantWriter {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(const DTypeConstant &type) const {
    return Json{{"dtype", typeText(type.dtype, type.isPointer)}};
  }
  Json operator()(double number) const { // by its bits: JSON knows no NaN
    return Json{{"float", std::bit_cast<uint64_t>(number)}};
  }
  Json operator()(const auto &value) const { return value; }
};

using Part = ArtifactParameter::Part;
constexpr std::pair<Part, const char *> partNames[] = {{Part::Value, ""},
                                                       {Part::Shape, "shape"},
                                                       {Part::Stride, "strides"},
                                                       {Part::BlockShape, "block_shape"},
                                                       {Part::PadsWithNan, "pads_with_nan"}};

std::string nameOf(Part part) {
  return std::find_if(std::begin(partNames), std::end(partNames),
                      [&](const auto &row) { return row.first == part; })
      ->second;
}

Part partFrom(std::string_view name) {
  for (const auto &[part, text] : partNames)
    if (name == text)
      return part;
  throw ArtifactError("has an unknown part '" + std::string(name) + "' of a parameter");
}

Json toJson(const ArtifactParameter &parameter) {
  Json json = {{"name", parameter.name}};
  if (!parameter.path.empty())
    json["path"] = parameter.path;
  if (parameter.part != Part::Value) {
    json["part"] = nameOf(parameter.part);
    json["dimension"] = parameter.dimension;
  }
  if (const auto *slot = std::get_if<ScalarSlot>(&parameter.value)) {
    json["type"] = typeText(slot->dtype, slot->isPointer);
    json["divisible"] = slot->isDivisibleBy16;
    return json;
  }
  json["value"] =
      std::visit(ConstantWriter(), std::get<ArtifactParameter::Constant>(parameter.value));
  return json;
}

ArtifactParameter::Constant constantFrom(const Json &json) {
  if (json.is_null())
    return std::monostate();
  if (json.is_boolean())
    return json.get<bool>();
  if (json.is_string())
    return json.get<std::string>();
  if (json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX)
    return json.get<uint64_t>();
  if (json.is_number_integer())
    return json.get<int64_t>();
  if (json.contains("float"))
    return std::bit_cast<double>(json.at("float").get<uint64_t>());
  return typeFrom<DTypeConstant>(json.at("dtype").get<std::string>());
}

/// Extents and strides are arguments, the facts of a descriptor constants.
bool isSound(const ArtifactParameter &parameter) {
  const auto *constant = std::get_if<ArtifactParameter::Constant>(&parameter.value);
  switch (parameter.part) {
  case Part::Value:
    return true;
  case Part::Shape:
  case Part::Stride:
    return !constant;
  case Part::BlockShape:
    return constant && std::holds_alternative<int64_t>(*constant);
  case Part::PadsWithNan:
    return constant && std::holds_alternative<bool>(*constant);
  }
  return false;
}

ArtifactParameter parameterFrom(const Json &json) {
  ArtifactParameter parameter{json.at("name"), {}};
  if (json.contains("path"))
    parameter.path = json.at("path").get<std::vector<uint32_t>>();
  if (json.contains("part")) {
    parameter.part = partFrom(json.at("part").get<std::string>());
    parameter.dimension = json.at("dimension");
  }
  if (json.contains("type")) {
    auto slot = typeFrom<ScalarSlot>(json.at("type").get<std::string>());
    slot.isDivisibleBy16 = json.at("divisible");
    parameter.value = slot;
  } else {
    parameter.value = constantFrom(json.at("value"));
  }
  if (!isSound(parameter))
    throw ArtifactError("has a part of a parameter that is none");
  return parameter;
}

// Code

Json toJson(const PrintSite &site) {
  Json operands = Json::array();
  for (const PrintedOperand &operand : site.operands)
    operands.push_back(
        {{"type", typeText(operand.dtype, operand.isPointer)}, {"shape", operand.shape}});
  return {{"style", static_cast<int>(site.format.style)},
          {"hex", site.format.isHex},
          {"texts", site.format.texts},
          {"failure", site.isFailure},
          {"operands", std::move(operands)}};
}

PrintSite printFrom(const Json &json) {
  PrintSite site;
  auto style = json.at("style").get<unsigned>();
  if (style > static_cast<unsigned>(PrintStyle::Plain))
    throw ArtifactError("has a print statement of an unknown style");
  site.format = {static_cast<PrintStyle>(style), json.at("hex"), json.at("texts")};
  site.isFailure = json.at("failure");
  for (const Json &operand : json.at("operands")) {
    auto type = typeFrom<DTypeConstant>(operand.at("type").get<std::string>());
    site.operands.push_back({type.dtype, type.isPointer, operand.at("shape"), nullptr});
  }
  if (site.format.texts.size() != site.operands.size() + 1)
    throw ArtifactError("has a print statement without its texts");
  return site;
}

Json toJson(const CodeImage &image) {
  Json addresses = Json::array();
  for (const CodeImage::Address &address : image.addresses)
    addresses.push_back({address.offset, address.symbol, address.addend});
  return {{"bytes", Json::binary(image.bytes)},
          {"alignment", image.alignment},
          {"entry", image.entry},
          {"addresses", std::move(addresses)}};
}

CodeImage imageFrom(const Json &json) {
  CodeImage image;
  image.bytes = json.at("bytes").get_binary();
  image.alignment = json.at("alignment");
  image.entry = json.at("entry");
  for (const Json &address : json.at("addresses"))
    image.addresses.push_back({address.at(0), address.at(1), address.at(2)});
  auto isInside = [&](const CodeImage::Address &address) {
    return address.offset <= image.bytes.size() && image.bytes.size() - address.offset >= 8;
  };
  bool isSound = image.entry < image.bytes.size() && std::has_single_bit(image.alignment) &&
                 std::all_of(image.addresses.begin(), image.addresses.end(), isInside);
  if (!isSound)
    throw ArtifactError("has code that leads outside of it");
  return image;
}

Json toJson(const std::vector<PrintSite> &sites) {
  Json prints = Json::array();
  for (const PrintSite &site : sites)
    prints.push_back(toJson(site));
  return prints;
}

std::vector<PrintSite> printsFrom(const Json &json) {
  std::vector<PrintSite> sites;
  for (const Json &site : json)
    sites.push_back(printFrom(site));
  return sites;
}

Json toJson(const SharedLoop &loop) {
  Json sums = Json::array();
  for (const SharedLoop::Sum &sum : loop.sums)
    sums.push_back({{"type", typeText(sum.dtype, false)}, {"elements", sum.elements}});
  return {{"sums", sums}, {"nanoseconds", loop.roundNanoseconds}};
}

SharedLoop sharedLoopFrom(const Json &json) {
  SharedLoop loop;
  for (const Json &sum : json.at("sums")) {
    DType dtype = typeFrom<ScalarSlot>(sum.at("type").get<std::string>()).dtype;
    if (!SharedLoop::canAdd(dtype))
      throw ArtifactError("adds up what has no sums");
    loop.sums.push_back({dtype, sum.at("elements")});
  }
  loop.roundNanoseconds = json.at("nanoseconds");
  return loop;
}

Json toJson(const CpuCode &code) {
  return {{"triple", code.triple},          {"cpu", code.cpu},
          {"features", code.features},      {"scratch", code.scratchBytes},
          {"prints", toJson(code.prints)},  {"image", toJson(code.image)},
          {"loop", toJson(code.sharedLoop)}};
}

CpuCode codeFrom(const Json &json) {
  CpuCode code;
  code.triple = json.at("triple");
  code.cpu = json.at("cpu");
  code.features = json.at("features");
  code.scratchBytes = json.at("scratch");
  code.prints = printsFrom(json.at("prints"));
  code.image = imageFrom(json.at("image"));
  code.sharedLoop = sharedLoopFrom(json.at("loop"));
  return code;
}

Json toJson(const ArrayBox &box) {
  return {{"type", typeText(box.type, false)},
          {"parameter", box.parameter},
          {"offset", box.offset},
          {"dimensions", box.dimensions},
          {"swizzle", box.swizzleBytes}};
}

ArrayBox boxFrom(const Json &json) {
  ArrayBox box;
  box.type = typeFrom<ScalarSlot>(json.at("type").get<std::string>()).dtype;
  box.parameter = json.at("parameter");
  box.offset = json.at("offset");
  box.dimensions = json.at("dimensions");
  box.swizzleBytes = json.at("swizzle");
  return box;
}

/// Whether the numbers in it are those of parameters, and what the copy engine takes.
bool isSound(const CudaCode &code, size_t parameters) {
  auto isParameter = [&](IntegerParameter parameter) {
    return parameter.number < parameters && (parameter.bytes == 4 || parameter.bytes == 8);
  };
  auto isSum = [&](const ParameterSum &sum) {
    return std::all_of(sum.terms.begin(), sum.terms.end(), [&](const ParameterSum::Term &term) {
      return std::all_of(term.parameters.begin(), term.parameters.end(), isParameter);
    });
  };
  auto isDimension = [&](const ArrayBox::Dimension &dimension) {
    return isSum(dimension.extent) && isSum(dimension.stride);
  };
  auto isBox = [&](const ArrayBox &box) {
    return box.parameter < parameters && isSum(box.offset) && !box.dimensions.empty() &&
           box.dimensions.size() <= 5 &&
           std::all_of(box.dimensions.begin(), box.dimensions.end(), isDimension);
  };
  auto isCondition = [&](const MultipleCondition &condition) {
    return isParameter(condition.parameter) && condition.divisor > 0;
  };
  return code.boxes.size() <= mostBoxes &&
         std::all_of(code.boxes.begin(), code.boxes.end(), isBox) &&
         std::all_of(code.conditions.begin(), code.conditions.end(), isCondition) &&
         std::all_of(code.wanted.begin(), code.wanted.end(), isCondition);
}

Json toJson(const CudaCode &code) {
  Json boxes = Json::array(), withoutBoxes = Json::array();
  for (const ArrayBox &box : code.boxes)
    boxes.push_back(toJson(box));
  for (const CudaCode &other : code.withoutBoxes)
    withoutBoxes.push_back(toJson(other));
  return {{"cubin", Json::binary(code.cubin)},
          {"cubinSm", code.cubinSm},
          {"limit", {code.limit.registers, code.limit.sm, code.limit.driver}},
          {"ptx", code.ptx},
          {"ptxSm", code.ptxSm},
          {"oneSm", code.isForOneSm},
          {"entry", code.entry},
          {"threads", code.threads},
          {"rows", code.rows},
          {"shared", code.sharedBytes},
          {"cluster", code.cluster},
          {"overlaps", code.overlapsPrevious},
          {"wholeGrid", code.meetsWholeGrid},
          {"prints", toJson(code.prints)},
          {"loops", code.loopsOverPrograms},
          {"alike", code.programsAreAlike},
          {"boxes", std::move(boxes)},
          {"conditions", code.conditions},
          {"wanted", code.wanted},
          {"withoutBoxes", std::move(withoutBoxes)}};
}

CudaCode cudaCodeFrom(const Json &json, size_t parameters) {
  CudaCode code;
  code.cubin = json.at("cubin").get_binary();
  code.cubinSm = json.at("cubinSm");
  const Json &limit = json.at("limit");
  code.limit = {limit.at(0), limit.at(1), limit.at(2)};
  code.ptx = json.at("ptx");
  code.ptxSm = json.at("ptxSm");
  code.isForOneSm = json.at("oneSm");
  code.entry = json.at("entry");
  code.threads = json.at("threads");
  code.rows = json.value("rows", code.rows); // kernels of threads came later
  code.sharedBytes = json.at("shared");
  code.cluster = json.at("cluster");
  code.overlapsPrevious = json.at("overlaps");
  code.meetsWholeGrid = json.value("wholeGrid", false); // came later
  code.prints = printsFrom(json.at("prints"));
  code.loopsOverPrograms = json.at("loops");
  code.programsAreAlike = json.at("alike");
  for (const Json &box : json.at("boxes"))
    code.boxes.push_back(boxFrom(box));
  code.conditions = json.at("conditions");
  code.wanted = json.value("wanted", code.wanted); // came later
  for (const Json &other : json.at("withoutBoxes"))
    code.withoutBoxes.push_back(cudaCodeFrom(other, parameters));
  bool hasCode = !code.cubin.empty() || !code.ptx.empty();
  bool isBlock = code.threads && code.rows[0] && code.rows[1] &&
                 code.threads % (uint64_t(code.rows[0]) * code.rows[1]) == 0;
  if (!hasCode || !isBlock ||
      std::find(code.cluster.begin(), code.cluster.end(), 0u) != code.cluster.end())
    throw ArtifactError("has no code that a GPU could be given");
  if (!isSound(code, parameters))
    throw ArtifactError("has boxes of arrays that it does not have");
  return code;
}

size_t runTimeParameters(const Artifact &artifact) {
  return std::count_if(artifact.parameters.begin(), artifact.parameters.end(),
                       [](const ArtifactParameter &parameter) {
                         return std::holds_alternative<ScalarSlot>(parameter.value);
                       });
}

Artifact artifactFrom(const Json &json) {
  Artifact artifact;
  artifact.kernel = json.at("kernel");
  artifact.source = json.at("source");
  artifact.compiler = json.at("compiler");
  artifact.key = json.at("key");
  artifact.isNoAlias = json.at("noalias");
  for (const Json &parameter : json.at("parameters"))
    artifact.parameters.push_back(parameterFrom(parameter));
  if (json.contains("cpu"))
    artifact.code = codeFrom(json.at("cpu"));
  if (json.contains("cuda"))
    artifact.code = cudaCodeFrom(json.at("cuda"), runTimeParameters(artifact));
  return artifact;
}

} // namespace

std::string ArtifactParameter::argumentName() const {
  std::string text = name;
  for (uint32_t place : path)
    text += "." + std::to_string(place);
  return text;
}

std::string ArtifactParameter::fullName() const {
  if (part == Part::Value)
    return argumentName();
  std::string text = argumentName() + "." + nameOf(part);
  return part == Part::PadsWithNan ? text : text + "[" + std::to_string(dimension) + "]";
}

std::vector<uint8_t> serialize(const Artifact &artifact) {
  Json parameters = Json::array();
  for (const ArtifactParameter &parameter : artifact.parameters)
    parameters.push_back(toJson(parameter));
  Json json = {{"kernel", artifact.kernel},     {"source", artifact.source},
               {"compiler", artifact.compiler}, {"key", artifact.key},
               {"noalias", artifact.isNoAlias}, {"parameters", std::move(parameters)}};
  if (const auto *code = std::get_if<CpuCode>(&artifact.code))
    json["cpu"] = toJson(*code);
  if (const auto *code = std::get_if<CudaCode>(&artifact.code))
    json["cuda"] = toJson(*code);

  std::vector<uint8_t> bytes(sizeof(Header));
  Json::to_cbor(json, bytes);
  std::span<const uint8_t> payload = std::span(bytes).subspan(sizeof(Header));
  XXH128_hash_t checksum = checksumOf(payload);
  Header header{{}, format, 0, payload.size(), {checksum.low64, checksum.high64}};
  std::memcpy(header.magic, magic, sizeof(magic));
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

Artifact deserialize(std::span<const uint8_t> bytes) {
  Header header;
  if (bytes.size() < sizeof(header))
    throw ArtifactError("is too short for a compiled kernel");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::memcmp(header.magic, magic, sizeof(magic)) != 0)
    throw ArtifactError("is no compiled kernel");
  if (header.format != format)
    throw ArtifactError("has format " + std::to_string(header.format) + "; this Nereid reads " +
                        std::to_string(format));
  if (header.reserved)
    throw ArtifactError("is damaged: its header is wrong");
  std::span<const uint8_t> payload = bytes.subspan(sizeof(header));
  if (payload.size() < header.payloadBytes)
    throw ArtifactError("is truncated");
  if (payload.size() > header.payloadBytes)
    throw ArtifactError("is longer than it says: " + std::to_string(payload.size()) +
                        " bytes behind its header, and not " + std::to_string(header.payloadBytes));
  XXH128_hash_t checksum = checksumOf(payload);
  if (checksum.low64 != header.checksum[0] || checksum.high64 != header.checksum[1])
    throw ArtifactError("is damaged: its checksum is wrong");
  try {
    return artifactFrom(Json::from_cbor(payload));
  } catch (const Json::exception &error) {
    throw ArtifactError(std::string("is malformed: ") + error.what());
  }
}

bool meetsWholeGrid(const CodeImage &image) {
  return std::any_of(image.addresses.begin(), image.addresses.end(),
                     [](const auto &address) { return address.symbol == syncGridSymbol; });
}

bool looksLikeArtifact(std::string_view beginning) {
  return beginning.starts_with(std::string_view(magic, sizeof(magic)));
}

} // namespace nereid::runtime
