# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests that are text: tile IR through nereid-opt (.mlir), the command line (.test).
import os
import shutil

import lit.formats

config.name = "Nereid"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.nereid_build_dir + "/tests"

# Longer names first: lit replaces in this order, and %nereid begins %nereid-opt.
config.substitutions.append(("%nereid-opt", config.nereid_build_dir + "/nereid-opt"))
config.substitutions.append(("%nereid", config.nereid_build_dir + "/nereid"))
config.substitutions.append(
    ("%fake_cuda", config.nereid_build_dir + "/tests/runtime/fake_cuda/libfake_cuda.so"))
config.substitutions.append(("%kernels", config.nereid_source_dir + "/kernels"))
config.substitutions.append(("%include", config.nereid_source_dir + "/include"))
config.substitutions.append(("%clangxx", config.nereid_cxx_compiler))
if shutil.which("g++"):
    config.available_features.add("g++")

# FileCheck, not, split-file.
config.environment["PATH"] = config.llvm_tools_dir + os.pathsep + config.environment.get("PATH", "")
config.environment["NEREID_CACHE"] = "off"  # a test of the cache turns it on, in a place of its own
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
