// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache's directory: whatever lies there, a launch gives its result, and where the directory
// can be written to, a whole entry is there afterwards.
#include "../runtime/TemporaryDirectory.h"
#include "Kinds.h"
#include "Mutations.h"
#include "OddPlaces.h"
#include "nereid/cache.h"

#include <cstdlib>
#include <vector>

namespace nereid::fuzz {
namespace {

namespace fs = std::filesystem;

std::string kernelThatAdds(int number) {
  return "import triton\nimport triton.language as tl\n@triton.jit\ndef k(x):\n"
         "    tl.store(x, tl.load(x) + " +
         std::to_string(number) + ")\n";
}

class CacheKind final : public Kind {
public:
  CacheKind() {
    setenv("NEREID_CACHE", "on", 1);
    setenv("NEREID_CACHE_DIR", directory.c_str(), 1);
    for (int number : {1, 2}) {
      launch(number);
      for (const auto &file : fs::directory_iterator(directory))
        if (std::string name = file.path().filename(); names.empty() || name != names[0])
          names.push_back(name);
      require(names.size() == static_cast<size_t>(number), "no entry was kept");
      entries.push_back(readWhole(directory / names.back()));
    }
  }

  /// A letter that says what is done, and a number or a file's bytes: l only looks at them, which
  /// takes no compiler.
  std::string make(Random &random) override {
    std::string bytes = entries[0];
    switch (random.below(24)) {
    case 0:
      return "o" + std::to_string(random.below(oddThings));
    case 1:
      return "d" + std::to_string(random.below(oddThings));
    case 2:
      return "p" + bytes.substr(0, random.below(bytes.size()));
    case 3:
      return "f" + (random.oneIn(3) ? entries[1] : bytes);
    case 4:
      return "l" + bytes;
    case 5:
      return "l" + bytes + std::string(1 + random.below(40), '\0');
    default:
      damageBytes(random, bytes);
      return (random.oneIn(12) ? "f" : "l") + bytes;
    }
  }

  Outcome attempt(const std::string &input) override {
    restore();
    fs::path file = directory / names[0];
    std::string rest = input.substr(std::min<size_t>(input.size(), 1));
    bool isFile = input.starts_with('f'), isDirectory = input.starts_with('d');
    if (input.starts_with('l'))
      return lookAt(rest);
    if (isFile)
      writeWhole(file, rest);
    else if (input.starts_with('p'))
      writeWhole(directory / (names[0] + ".part-AbCdEf"), rest);
    else
      putOddThing(rest.empty() ? 0 : static_cast<unsigned>(rest[0] - '0') % oddThings,
                  isDirectory ? directory : file, directory / names[1]);
    launch(1);
    look();
    bool wasUsed = !isFile || rest == entries[0];
    if (isFile || input.starts_with('p'))
      require(readWhole(file) == entries[0], "no whole entry is there after a launch");
    return wasUsed ? Outcome::Accepted : Outcome::Refused;
  }

private:
  void launch(int number) {
    Array x = device.array(std::vector<float>{40});
    Module::fromText(kernelThatAdds(number)).kernel().launch(device, {1}, {{"x", x}});
    require(x.toVector<float>()[0] == 40 + static_cast<float>(number),
            "a launch gives another result");
  }

  /// What `nereid cache` does; how many entries are whole.
  static size_t look() {
    size_t whole = 0;
    std::optional<DiskCache> cache = DiskCache::open();
    cache->problem();
    for (const DiskCache::Entry &entry : cache->entries())
      whole += unlessRefused([&] { cache->load(entry).info(); }) == Outcome::Accepted;
    return whole;
  }

  Outcome lookAt(const std::string &bytes) {
    writeWhole(directory / names[0], bytes);
    size_t whole = look();
    require(whole == 1 + (bytes == entries[0]), "a damaged entry is taken for a whole one");
    return whole == 2 ? Outcome::Accepted : Outcome::Refused;
  }

  void restore() {
    std::error_code error;
    fs::permissions(directory, fs::perms::owner_all, error);
    if (!fs::is_directory(fs::symlink_status(directory)))
      removeThing(directory);
    fs::create_directories(directory);
    fs::permissions(directory, fs::perms::owner_all);
    removeThing(directory / (names[0] + ".part-AbCdEf"));
    for (size_t i = 0; i < names.size(); ++i)
      writeWhole(directory / names[i], entries[i]);
  }

  test::TemporaryDirectory own;
  fs::path directory = own.path("cache");
  std::vector<std::string> names, entries;
  Device device = [this] {
    setenv("NEREID_CACHE", "on", 1);
    setenv("NEREID_CACHE_DIR", directory.c_str(), 1);
    return Device::open("cpu", {.threads = 1});
  }();
};

} // namespace

std::unique_ptr<Kind> cacheKind() { return std::make_unique<CacheKind>(); }

} // namespace nereid::fuzz
