// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/Link.h"

#include "backend/llvm/Require.h"

#include "llvm/ExecutionEngine/JITLink/ELF_x86_64.h"
#include "llvm/ExecutionEngine/JITLink/x86_64.h"

namespace nereid::backend {
namespace {

namespace jitlink = llvm::jitlink;
namespace x86 = llvm::jitlink::x86_64;

class Linker {
public:
  explicit Linker(jitlink::LinkGraph &graph) : graph(graph) {}

  runtime::CodeImage run(llvm::StringRef entry) {
    // Functions of other libraries are called through stubs, which read addresses from a table.
    x86::GOTTableManager addresses(graph);
    x86::PLTTableManager stubs(graph, addresses);
    jitlink::visitExistingEdges(graph, addresses, stubs);
    place();
    for (jitlink::Block *block : placed)
      for (jitlink::Edge &edge : block->edges())
        resolve(*block, edge);
    for (jitlink::Block *block : placed) {
      llvm::ArrayRef<char> content = block->getContent();
      std::copy(content.begin(), content.end(), image.bytes.begin() + offsetOf(*block));
    }
    image.entry = offsetOf(entry);
    return std::move(image);
  }

private:
  /// Anywhere but at 0, which is no address.
  static constexpr uint64_t origin = 1 << 20;

  static uint64_t offsetOf(const jitlink::Block &block) {
    return block.getAddress().getValue() - origin;
  }
  uint64_t offsetOf(llvm::StringRef symbol) {
    for (jitlink::Symbol *defined : graph.defined_symbols())
      if (defined->hasName() && *defined->getName() == symbol)
        return defined->getAddress().getValue() - origin;
    NEREID_UNREACHABLE("the object does not define " + symbol.str());
  }

  void place() {
    uint64_t end = origin;
    for (jitlink::Section &section : graph.sections()) {
      // Nothing unwinds through a kernel.
      bool isKept = section.getMemLifetime() != llvm::orc::MemLifetime::NoAlloc &&
                    section.getName() != ".eh_frame";
      if (!isKept)
        continue;
      for (jitlink::Block *block : section.blocks()) {
        NEREID_CHECK(!block->isZeroFill(), "a kernel has no variables");
        uint64_t misalignment = (end - block->getAlignmentOffset()) % block->getAlignment();
        end += misalignment ? block->getAlignment() - misalignment : 0;
        block->setAddress(llvm::orc::ExecutorAddr(end));
        end += block->getSize();
        image.alignment = std::max(image.alignment, block->getAlignment());
        placed.push_back(block);
      }
    }
    NEREID_CHECK(origin % image.alignment == 0, "alignment beyond reason");
    image.bytes.resize(end - origin);
  }

  void resolve(jitlink::Block &block, jitlink::Edge &edge) {
    if (edge.getKind() == jitlink::Edge::KeepAlive)
      return;
    jitlink::Symbol &target = edge.getTarget();
    if (edge.getKind() == x86::Pointer64) {
      uint64_t offset = offsetOf(block) + edge.getOffset();
      if (target.isExternal())
        image.addresses.push_back(
            {offset, (*target.getName()).str(), static_cast<uint64_t>(edge.getAddend())});
      else
        image.addresses.push_back(
            {offset, "", target.getAddress().getValue() - origin + edge.getAddend()});
      return;
    }
    NEREID_CHECK(!target.isExternal(), "position-independent code names addresses in tables only");
    (void)block.getMutableContent(graph); // fixups are written there
    require(x86::applyFixup(graph, block, edge, nullptr), "applyFixup");
  }

  jitlink::LinkGraph &graph;
  runtime::CodeImage image;
  std::vector<jitlink::Block *> placed;
};

} // namespace

runtime::CodeImage link(llvm::MemoryBufferRef object, llvm::StringRef entry) {
  std::unique_ptr<jitlink::LinkGraph> graph =
      require(jitlink::createLinkGraphFromELFObject_x86_64(
                  object, std::make_shared<llvm::orc::SymbolStringPool>()),
              "createLinkGraphFromELFObject");
  return Linker(*graph).run(entry);
}

} // namespace nereid::backend
