# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel for CPUs as a shared library that needs nothing of Nereid, for packages of PyTorch
(torch/csrc/inductor/aoti_runtime/cpu_triton_runtime_wrappers.h says how it is called). The C compiler that PyTorch needs
for packages anyway makes it."""

import os
import shlex
import shutil
import subprocess
import tempfile

# How a slot's bits are made of what PyTorch gives: an address itself, or that of an int64_t, a float or a bool.
_READ = {"fp32": "from_float(*(const float *)given)", "fp64": "from_double(*(const float *)given)",
         "i1": "*(const _Bool *)given"}
_INTEGERS = {f"{sign}{bits}": f"(uint{bits}_t)*(const int64_t *)given" for sign in "iu" for bits in (8, 16, 32, 64)}

_KERNEL = """\
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

typedef struct { uint64_t bits, extent; } slot;
typedef void (*code)(const slot *, const uint32_t *, uint64_t, uint64_t, void *, const void *);

static const unsigned char image[] = { @IMAGE@ };
@DECLARATIONS@
static void look_up(const void *context) { (void)context; }
static const struct { uint64_t offset; const void *function; uint64_t addend; } addresses[] = { @ADDRESSES@ {0, 0, 0} };
static code entry;

static uint64_t from_float(float number) { uint64_t bits = 0; memcpy(&bits, &number, sizeof number); return bits; }
static uint64_t from_double(double number) { uint64_t bits; memcpy(&bits, &number, sizeof number); return bits; }

/* Its bytes at a place of their own, with their addresses filled in. */
__attribute__((constructor)) static void load(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (sizeof image + page - 1) / page * page;
  unsigned char *begin = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED) abort();
  memcpy(begin, image, sizeof image);
  for (size_t i = 0; i < @COUNT@; ++i) {
    uint64_t base = addresses[i].function ? (uint64_t)addresses[i].function : (uint64_t)begin;
    uint64_t value = base + addresses[i].addend;
    memcpy(begin + addresses[i].offset, &value, sizeof value);
  }
  if (mprotect(begin, size, PROT_READ | PROT_EXEC)) abort();
  entry = (code)(begin + @ENTRY@);
  @PERMISSION@
}

static void run(const slot *slots, const uint32_t *grid, uint64_t begin, uint64_t end) {
  void *scratch = aligned_alloc(64, @SCRATCH@);
  if (!scratch) abort();
  entry(slots, grid, begin, end, scratch, 0);
  free(scratch);
}

__attribute__((visibility("default")))
void @SYMBOL@(uint32_t x, uint32_t y, uint32_t z, int threads, void **arguments) {
  uint32_t grid[3] = {x, y, z};
  uint64_t programs = (uint64_t)x * y * z;
  slot slots[] = { @SLOTS@ {0, 0} };
  (void)threads;
  (void)arguments;
#ifdef _OPENMP
  if (programs > 1 && !omp_in_parallel()) {
    #pragma omp parallel
    {
      uint64_t team = (uint64_t)omp_get_num_threads(), number = (uint64_t)omp_get_thread_num();
      uint64_t begin = programs * number / team, end = programs * (number + 1) / team;
      if (begin < end) run(slots, grid, begin, end);
    }
    return;
  }
#endif
  if (programs) run(slots, grid, 0, programs);
}
"""

_LAUNCHER = """\
#include <stdint.h>
__attribute__((visibility("default")))
void run_from_nativert(uint32_t x, uint32_t y, uint32_t z, int threads, void **arguments, void *kernel) {
  ((void (*)(uint32_t, uint32_t, uint32_t, int, void **))kernel)(x, y, z, threads, arguments);
}
"""


def compiler():
    """The command of a C compiler. Raises KeyError, as for a stage that is not to be had, where there is none."""
    command = shlex.split(os.environ.get("CC", "")) or [next(filter(shutil.which, ("cc", "gcc", "clang")), "")]
    if not shutil.which(command[0]):
        raise KeyError("so: there is no C compiler (CC, cc, gcc, clang), which makes shared libraries of kernels")
    return command


def build(text, *options):
    """The shared library that C text becomes, as bytes."""
    with tempfile.TemporaryDirectory() as directory:
        source, library = os.path.join(directory, "kernel.c"), os.path.join(directory, "kernel.so")
        with open(source, "w") as file:
            file.write(text)
        command = [*compiler(), "-std=gnu11", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", *options, source, "-o",
                   library, "-lm"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{shlex.join(command)} failed: {done.stderr}")
        with open(library, "rb") as file:
            return file.read()


def slot_of(name, kind, place):
    """What fills the slot of a run-time parameter from argument `place` of all."""
    kind = kind.split(":")[0]
    if kind.startswith("*"):
        return f"{{(uint64_t)arguments[{place}], 0}},"
    read = _READ.get(kind) or _INTEGERS.get(kind)
    if read is None:
        raise KeyError(f"so: parameter '{name}' of type {kind} has no place in a package for CPUs")
    return "{" + read.replace("given", f"arguments[{place}]") + ", 0},"


def kernel_library(symbol, entry, signature):
    """Of what `_native.cpu_entry` gives, and a kind ("*fp32", "i32", "constexpr") for each parameter by name."""
    functions = sorted({name for _, name, _ in entry["addresses"] if name and name != "nereidLookUp"})
    numbers = {name: f"function_{number}" for number, name in enumerate(functions)}
    numbers["nereidLookUp"] = "look_up"
    addresses = [f"{{{offset}u, {'(const void *)' + numbers[name] if name else '0'}, {addend}u}},"
                 for offset, name, addend in entry["addresses"]]
    scratch = max(64, (entry["scratch_bytes"] + 63) // 64 * 64)
    parts = {
        "IMAGE": ",".join(map(str, entry["image"])), "ADDRESSES": " ".join(addresses),
        "DECLARATIONS": "\n".join(f'extern char {numbers[name]}[] __asm__("{name}");' for name in functions),
        "COUNT": str(len(addresses)), "ENTRY": str(entry["entry"]), "SCRATCH": str(scratch), "SYMBOL": symbol,
        "PERMISSION": "syscall(SYS_arch_prctl, 0x1023, 18);" if entry["uses_amx"] else "",
        "SLOTS": " ".join(slot_of(name, kind, place) for place, (name, kind) in enumerate(signature.items())
                          if kind != "constexpr")
    }
    text = _KERNEL
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    vectors = ["-Wl,--no-as-needed", "-lmvec"] if any(name.startswith("_ZGV") for name in functions) else []
    return build(text, "-fopenmp", *vectors)


def launcher_library():
    return build(_LAUNCHER)
