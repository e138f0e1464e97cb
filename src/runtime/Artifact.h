// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiled kernel as data: what a back end makes, what is kept in a file, what a device loads.
#pragma once

#include "nereid/DType.h"
#include "runtime/ArrayBox.h"
#include "runtime/ClockRecords.h"
#include "runtime/CodePlace.h"
#include "runtime/PrintSite.h"

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nereid::runtime {

/// The element type of an array parameter, or the type of a number.
struct ScalarSlot {
  DType dtype = DType::Int32;
  bool isPointer = false;
  /// The kernel counts on a multiple of 16: an integer's value, a pointer's address in bytes.
  bool isDivisibleBy16 = false;

  bool operator==(const ScalarSlot &) const = default;
};
/// A dtype that is the value of a parameter.
struct DTypeConstant {
  DType dtype = DType::Int32;
  bool isPointer = false;

  bool operator==(const DTypeConstant &) const = default;
};

/// What a parameter of the kernel, or a part of one, was compiled for: an argument of each launch,
/// or a constant.
struct ArtifactParameter {
  using Constant =
      std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, DTypeConstant>;
  /// A number, a constant or the pointer of an array; or what a tensor descriptor, and an array of
  /// a kernel of threads, have besides.
  enum class Part : uint8_t { Value, Shape, Stride, BlockShape, PadsWithNan };

  std::string name; ///< the kernel's parameter
  std::variant<ScalarSlot, Constant> value;
  /// Of an element of a tuple its place, of one in a tuple in it several.
  std::vector<uint32_t> path = {};
  Part part = Part::Value;
  uint32_t dimension = 0; ///< of Shape, Stride and BlockShape

  /// "x", "pair.0": what arguments are given by.
  std::string argumentName() const;
  /// "x.shape[0]": with its part.
  std::string fullName() const;
  bool operator==(const ArtifactParameter &) const = default;
};

/// Machine code and its constants in one piece that runs wherever it lies.
struct CodeImage {
  /// Eight bytes at `offset` that hold an address: of a function of the C library or the runtime,
  /// by name, or, if the name is empty, of the byte `addend` of this image.
  struct Address {
    uint64_t offset = 0;
    std::string symbol;
    uint64_t addend = 0;
    bool operator==(const Address &) const = default;
  };
  std::vector<uint8_t> bytes;
  /// The image begins at a multiple of this.
  uint64_t alignment = 1;
  uint64_t entry = 0; // offset of the kernel
  std::vector<Address> addresses;

  bool operator==(const CodeImage &) const = default;
};

/// A loop whose rounds several threads may share; none without sums. runtime/cpu/PartialSums.h says
/// how.
struct SharedLoop {
  /// What its rounds add up: a tile, row-major, or one number.
  struct Sum {
    DType dtype = DType::Float32;
    uint64_t elements = 1;
    bool operator==(const Sum &) const = default;
  };
  std::vector<Sum> sums;
  uint64_t roundNanoseconds = 0; // of one core, estimated

  static bool canAdd(DType dtype) {
    return dtype == DType::Float32 || dtype == DType::Float64 || dtype == DType::Int32 ||
           dtype == DType::Int64;
  }
  bool operator==(const SharedLoop &) const = default;
};

/// From this byte of an image on, instructions are of a place: of the first, 1; 0: of none.
struct CodeLine {
  uint64_t offset = 0;
  unsigned place = 0;

  bool operator==(const CodeLine &) const = default;
};

/// For a CPU. runtime/cpu/CpuKernel.h says how the entry is called.
struct CpuCode {
  std::string triple, cpu;           // LLVM's names
  std::vector<std::string> features; // what the code may use, sorted
  uint64_t scratchBytes = 0;         // each thread's working memory
  std::vector<PrintSite> prints;
  CodeImage image;
  SharedLoop sharedLoop = {};
  /// Of code that is to be profiled: which line instructions are of, in order. It is launched where
  /// it was made, and no file holds it.
  std::vector<CodePlace> places = {};
  std::vector<CodeLine> lines = {};
};

/// What code for CPUs calls where the programs of a grid wait for one another.
inline constexpr const char *syncGridSymbol = "nereidSyncGrid";
/// Whether it does, so that all of them must be under way at once.
bool meetsWholeGrid(const CodeImage &image);

/// For an NVIDIA GPU. runtime/cuda/CudaKernel.h says how the entry is called.
struct CudaCode {
  /// Machine code and the compute capability it was made for (90: sm_90); may be empty.
  std::vector<uint8_t> cubin;
  int cubinSm = 0;
  /// The limit of registers under which the PTX was found to be best, 0 for none, by a GPU of this
  /// compute capability and a driver of this CUDA version (major * 1000 + minor * 10). Others look
  /// for their own.
  struct RegisterLimit {
    unsigned registers = 0;
    int sm = 0, driver = 0;
    bool operator==(const RegisterLimit &) const = default;
  };
  RegisterLimit limit = {};
  /// What the driver makes machine code of where there is none that fits, and the least compute
  /// capability that it runs on; may be empty if there is machine code.
  std::string ptx;
  int ptxSm = 0;
  /// sm_90a: runs on that compute capability and on no later one.
  bool isForOneSm = false;
  std::string entry; // the kernel's symbol
  /// Of a block: one program of the grid, or of a cluster's blocks one.
  uint32_t threads = 0, sharedBytes = 0;
  /// How its threads are counted: so many rows along y, and planes along z.
  std::array<uint32_t, 2> rows = {1, 1};
  /// So many blocks, one cluster, run a program of the grid together.
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  /// May begin before the launch before it has ended: a programmatic dependent launch. All threads
  /// wait by themselves (griddepcontrol.wait), before anything that another launch may see.
  bool overlapsPrevious = false;
  bool meetsWholeGrid = false; // blocks wait for one another: all of them run at once
  /// Where there are any, the entry's next parameter is the buffer of PrintRecord.h.
  std::vector<PrintSite> prints;
  /// Code that notes what its warps do when (ClockRecords.h): what each number stands for, from 1.
  /// Where there are any, the entry's next parameters are the buffers and how blocks share them. It
  /// is launched where it was made, and no file holds it.
  std::vector<ClockSite> clocks = {};
  /// A block runs one program after the other, as many blocks as the device has multiprocessors.
  /// The entry's next parameters are the numbers of programs along x, y and z.
  bool loopsOverPrograms = false;
  /// With loopsOverPrograms: all programs take as long, so that blocks had better run as many each.
  bool programsAreAlike = false;
  /// The entry's last parameters are the tensor maps of these.
  std::vector<ArrayBox> boxes;
  std::vector<MultipleCondition> conditions;
  /// What makes other code of the kernel faster: where all hold, or all with half or a quarter of
  /// their divisors (rows at multiples of 16, 8 or 4 bytes), launches had better take that.
  std::vector<MultipleCondition> wanted;
  /// With boxes or loopsOverPrograms: none, or one for launches of whose arrays no maps can be
  /// made, and of too many programs.
  std::vector<CudaCode> withoutBoxes;

  bool operator==(const CudaCode &) const = default;
};

/// Of a target that has no machine.
struct NoCode {};

struct Artifact {
  std::string kernel;   // its name
  std::string source;   // the path of its text, for messages
  std::string compiler; // which build made it
  std::string key;      // in the cache, what it answers: driver/CacheKey.h
  std::vector<ArtifactParameter> parameters;
  /// No two arrays of a launch may overlap.
  bool isNoAlias = false;
  std::variant<NoCode, CpuCode, CudaCode> code;
};

/// Why bytes are no artifact: "is truncated".
class ArtifactError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A header (magic, format, size, XXH3 checksum) and CBOR. A byte that changed on the way is
/// noticed; a forger is not, so artifacts come only from where programs may come from.
std::vector<uint8_t> serialize(const Artifact &artifact);
/// Throws ArtifactError.
Artifact deserialize(std::span<const uint8_t> bytes);
/// Whether a file that begins like this is meant as an artifact.
bool looksLikeArtifact(std::string_view beginning);

} // namespace nereid::runtime
