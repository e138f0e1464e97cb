# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The few commands that one types. Everything else is CMake: see CMakePresets.json.
#
#   make run        installs what is missing, builds the release, runs the gallery, greys a picture
#   make test       the same set-up, then every test
#   make test-gpu   on a machine with an NVIDIA GPU: the tests that need one
#   make bundle     out/nereid-gpu.tar.xz: program, kernels, tests and benchmarks for a machine with a GPU and nothing else
#   make release    only what `cmake --install build/release` installs: build/release/nereid, the library
#   make wheel      out/nereid-*.whl, for the Python that python3 is (3.12: for all later ones, too)
#   make bench      the benchmarks, as ratios measured in one run; with CHECK=1 a figure that is missed is a failure
#   make presubmit  what must pass before a change goes in (scripts/presubmit --full: everything)
#   make clean      removes what the above made

.DEFAULT_GOAL := run
.PHONY: run test test-gpu bundle release wheel bench presubmit clean
.DELETE_ON_ERROR:

# Lets ccache keep what is compiled with a precompiled header, wherever the checkout is.
export CCACHE_SLOPPINESS := pch_defines,time_macros,include_file_mtime,include_file_ctime
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_PCH_EXTSUM := 1
# "[12/340  8s]": what ninja has done, of how much, and for how long.
export NINJA_STATUS := [%f/%t  %es] $()

configure = $(MAKE) --silent --no-print-directory build/$(1)/build.ninja
build = cmake --build build/$(1) --parallel $(shell nproc) --target

run:
	@scripts/setup
	@$(call configure,release)
	@$(call build,release) nereid nereid-gallery
	@strip build/release/nereid
	@mkdir -p out
	@build/release/nereid-gallery --device both --picture out/grey.png
	@echo "The grey picture: out/grey.png"

release:
	@scripts/setup
	@$(call configure,release)
	@$(call build,release) nereid nereid_shared nereid_archive
	@strip build/release/nereid

wheel:
	@scripts/setup --wheel
	@$(call configure,release)
	@scripts/make_wheel

# One test more than there are processors: tests wait for a sixth of their time, some for a browser or for Jupyter's kernels,
# and as many tests as processors leave those idle for as long.
# What pip and npm bring comes while the rest is compiled; then the Python package is configured and built.
test:
	@scripts/setup --test
	@$(call configure,release)
	@(scripts/setup_python && scripts/setup_onnxruntime) & fetched=$$!; $(call build,release) programs && wait $$fetched
	@cmake build/release >build/release/configure.log || { cat build/release/configure.log; exit 1; }
	@$(call build,release) all
	@ctest --test-dir build/release --parallel $(shell expr $(shell nproc) + 1) --output-on-failure

test-gpu:
	@scripts/setup --test
	@$(call configure,release)
	@$(call build,release) nereid gpu_tests
	@build/release/nereid devices | grep cuda
	@ctest --test-dir build/release -L gpu --output-on-failure

bundle:
	@scripts/setup --test
	@scripts/bundle

bench:
	@scripts/setup --bench
	@$(call configure,release)
	@$(call build,release) nereid nereid_benchmarks
	@strip build/release/nereid
	@build/release/nereid_benchmarks $(if $(CHECK),--check)

presubmit:
	@scripts/presubmit

clean:
	rm -rf build/dev build/release build/asan build/strict build/subdirectory build/wheel-* out

# Configures a preset, once; afterwards ninja runs CMake again by itself when a CMake file changes.
build/%/build.ninja: CMakePresets.json
	@echo "Configuring build/$*"
	@mkdir -p $(@D)
	@cmake --preset $* >$(@D)/configure.log 2>&1 || { cat $(@D)/configure.log; exit 1; }
	@touch $@
