// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/Schedule.h"

#include "support/Interruption.h"

#include "dialect/tile/Tile.h"
#include "interpret/Planner.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <sys/mman.h>
#include <ucontext.h>

// How clang and how g++ say that the address sanitizer watches.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NEREID_WATCHES_STACKS
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define NEREID_WATCHES_STACKS
#endif
#ifdef NEREID_WATCHES_STACKS
#include <sanitizer/common_interface_defs.h>
#endif

namespace nereid::interpret {

/// Rounds of waiting after which another program has its turn.
static constexpr unsigned roundsPerTurn = 64;
/// How long programs may wait with none done in between, until nobody is expected to end the wait:
/// about a second if they stand still, and several if they do not, since they may be at work.
static constexpr uint64_t mostPatience = uint64_t(1) << 24, stillRound = 4, busyRound = 1;
/// How many programs may be set aside before they have a turn between any two that are started: a
/// stack each, so 64 MiB of address space (docs/decisions/0011-programs-that-wait.md).
static constexpr size_t mostWaiting = 64;

bool canWait(mlir::func::FuncOp kernel) {
  return kernel
      .walk([](mlir::scf::WhileOp loop) {
        return loop.walk([](mlir::Operation *op) {
          return tile::accessOf(op).reads ? mlir::WalkResult::interrupt()
                                          : mlir::WalkResult::advance();
        });
      })
      .wasInterrupted();
}

namespace {

/// Memory for a stack; what is not touched costs address space only.
class Stack {
public:
  static constexpr size_t bytes = 1 << 20;
  Stack()
      : base(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0)) {
    if (base == MAP_FAILED)
      throw std::bad_alloc();
    mprotect(base, 4096, PROT_NONE); // an overflow faults
  }
  ~Stack() { munmap(base, bytes); }
  Stack(const Stack &) = delete;
  Stack &operator=(const Stack &) = delete;

  void *const base;
};

/// One side of a switch between stacks, and what the address sanitizer wants to know of it.
struct Side {
  ucontext_t context;
  const void *stack = nullptr;
  size_t stackBytes = 0;
  void *sanitizerState = nullptr;

  /// Returns when something switches back.
  void leaveFor(Side &other, [[maybe_unused]] bool forGood = false) {
#ifdef NEREID_WATCHES_STACKS
    __sanitizer_start_switch_fiber(forGood ? nullptr : &sanitizerState, other.stack,
                                   other.stackBytes);
#endif
    swapcontext(&context, &other.context);
    arrived(nullptr);
  }
  /// The first thing on a stack that was switched to.
  void arrived([[maybe_unused]] Side *from) {
#ifdef NEREID_WATCHES_STACKS
    const void *bottom = nullptr;
    size_t bytes = 0;
    __sanitizer_finish_switch_fiber(sanitizerState, &bottom, &bytes);
    if (from) {
      from->stack = bottom;
      from->stackBytes = bytes;
    }
#endif
  }
};

} // namespace

struct Schedule::Suspended {
  Stack stack;
  Side here, there; // of the program, and of who runs it
  ProgramId program = {};
  std::vector<std::byte> values;
  /// Where it waits, and where it once waited for none of those that had started.
  std::optional<mlir::Location> place, waitForLater;
  std::exception_ptr failure;
  bool isDone = false;
  unsigned rounds = 0, stillRounds = 0; // of waiting, since its turn began and in a row
  llvm::function_ref<void()> run;

  explicit Suspended(Run run) : run(run) {
    here.stack = stack.base;
    here.stackBytes = Stack::bytes;
  }
  static void main(unsigned high, unsigned low) {
    auto *self = reinterpret_cast<Suspended *>(uint64_t(high) << 32 | low);
    self->here.arrived(&self->there);
    try {
      self->run();
    } catch (...) {
      self->failure = std::current_exception();
    }
    self->isDone = true;
    self->here.leaveFor(self->there, /*forGood=*/true);
  }
};

Schedule::Schedule(Execution &execution, Arena &values, Run run)
    : execution(execution), values(values), run(run) {}
Schedule::~Schedule() = default;

void Schedule::runAll() {
  uint64_t count = execution.grid.programs();
  Interruption *interruption = Interruption::current();
  while (next < count || !waiting.empty()) {
    if (interruption && interruption->isRequested())
      return;
    if (patience >= mostPatience) {
      for (const auto &program : waiting)
        execution.observer.waitNeverEnds(*program->place, program->program);
      return;
    }
    if (next < count)
      startNext();
    // While there are more to start, only too many make those that wait take turns.
    bool takesTurns = next >= count || waiting.size() >= mostWaiting;
    for (size_t turns = takesTurns ? waiting.size() : 0; turns > 0; --turns)
      resume();
  }
}

void Schedule::startNext() {
  if (idle.empty())
    idle.push_back(std::make_unique<Suspended>(run));
  std::unique_ptr<Suspended> program = std::move(idle.back());
  idle.pop_back();
  program->program = programOf(execution.order.at(next++), execution.grid);
  program->isDone = false;
  program->rounds = program->stillRounds = 0;
  program->waitForLater.reset();
  getcontext(&program->here.context);
  program->here.sanitizerState = nullptr;
  program->here.context.uc_stack.ss_sp = program->stack.base;
  program->here.context.uc_stack.ss_size = Stack::bytes;
  program->here.context.uc_link = nullptr;
  auto address = reinterpret_cast<uint64_t>(program.get());
  makecontext(&program->here.context, reinterpret_cast<void (*)()>(&Suspended::main), 2,
              unsigned(address >> 32), unsigned(address));
  waiting.push_back(std::move(program));
  enter(*waiting.back());
}

void Schedule::resume() {
  std::rotate(waiting.begin(), waiting.begin() + 1, waiting.end());
  values.restore(waiting.back()->values);
  enter(*waiting.back());
}

/// Runs the last of those that wait until it waits again or is done.
void Schedule::enter(Suspended &program) {
  execution.program = program.program;
  execution.round = {};
  current = &program;
  program.there.leaveFor(program.here);
  current = nullptr;
  if (!program.isDone) {
    values.save(program.values);
    return;
  }
  patience = 0;
  if (program.waitForLater)
    execution.observer.waitsForLater(*program.waitForLater, program.program);
  execution.programEnds();
  std::exception_ptr failure = std::exchange(program.failure, nullptr);
  idle.push_back(std::move(waiting.back()));
  waiting.pop_back();
  if (failure)
    std::rethrow_exception(failure);
}

void Schedule::waited(mlir::Location loop, bool standsStill) {
  patience += standsStill ? stillRound : busyRound;
  current->stillRounds = standsStill ? current->stillRounds + 1 : 0;
  if (++current->rounds < roundsPerTurn && patience < mostPatience)
    return;
  bool isAlone = waiting.size() == 1 && next < execution.grid.programs();
  if (isAlone && current->stillRounds >= roundsPerTurn)
    current->waitForLater = loop;
  current->rounds = 0;
  current->place = loop;
  current->here.leaveFor(current->there);
}

} // namespace nereid::interpret
