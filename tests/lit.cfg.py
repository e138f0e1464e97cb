# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests that are text: tile IR through nereid-opt (.mlir), the command line (.test).
import glob
import os
import shutil
import site
import sys

import lit.formats

config.name = "Nereid"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.nereid_build_dir + "/tests"

# Longer names first: lit replaces in this order, and %nereid begins %nereid-opt.
# Passes that print do it function by function.
config.substitutions.append(("%nereid-opt", config.nereid_build_dir + "/nereid-opt --mlir-disable-threading"))
config.substitutions.append(("%nereid", config.nereid_build_dir + "/nereid"))
config.substitutions.append(
    ("%fake_cuda", config.nereid_build_dir + "/tests/runtime/fake_cuda/libfake_cuda.so"))
config.substitutions.append(("%kernels", config.nereid_source_dir + "/kernels"))
config.substitutions.append(("%include", config.nereid_source_dir + "/include"))
config.substitutions.append(("%clangxx", config.nereid_cxx_compiler))
config.substitutions.append(("%clang", config.nereid_c_compiler))
for compiler in ("gcc", "g++"):
    if shutil.which(compiler):
        config.available_features.add(compiler)

# NVIDIA's assembler finds PTX that no GPU would load, its disassembler shows what became of it. They are no part of Debian;
# PyPI's nvidia-cuda-nvcc and nvidia-cuda-nvdisasm have them.
def find_of_nvidia(program):
    places = [path for base in site.getsitepackages() + [site.getusersitepackages()]
              for path in glob.glob(f"{base}/nvidia/*/bin/{program}")]
    return shutil.which(program) or next(iter(sorted(places)), None)


for program in ("ptxas", "nvdisasm"):
    if found := find_of_nvidia(program):
        config.available_features.add(program)
        config.substitutions.append((f"%{program}", found))

# The library as others link it. A sanitizer's runtime is no business of a program that does not know it.
if config.nereid_has_library and not config.nereid_sanitize:
    config.available_features.add("library")
config.substitutions.append(("%build_dir", config.nereid_build_dir))
config.substitutions.append(("%libnereid", config.nereid_build_dir + "/libnereid"))
config.substitutions.append(("%link_nereid", "{0}/libnereid.so -Wl,-rpath,{0}".format(config.nereid_build_dir)))
config.substitutions.append(("%link_static_nereid", "{}/libnereid.a {}".format(
    config.nereid_build_dir, config.nereid_static_dependencies)))

# LLVM as a shared library, for a process that holds another one.
if os.path.exists(config.llvm_library_dir + "/libLLVM.so"):
    config.available_features.add("libLLVM")
config.substitutions.append(("%link_llvm", "-L{0} -lLLVM -Wl,-rpath,{0}".format(config.llvm_library_dir)))
config.substitutions.append(("%llvm_include", config.llvm_include_dir))

# FileCheck, not, split-file; and for `python3` the Python that runs this: pyenv's begins with a script, which takes longer than
# most of what tests do in Python.
config.environment["PATH"] = os.pathsep.join(
    [config.llvm_tools_dir, os.path.dirname(sys.executable), config.environment.get("PATH", "")])
config.environment["NEREID_CACHE"] = "off"  # a test of the cache turns it on, in a place of its own
config.environment["NEREID_BRIEF"] = "off"  # they are about the code that runs fast; a test of the other turns it on
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
