# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The few commands that one types. Everything else is CMake: see CMakePresets.json.
#
#   make run        installs what is missing, builds the release, runs the gallery, greys a picture
#   make test       the same set-up, then every test
#   make release    only the release binary, build/release/nereid
#   make bench      the benchmarks, as ratios measured in one run
#   make presubmit  what must pass before a change goes in (scripts/presubmit --full: everything)
#   make clean      removes what the above made

.DEFAULT_GOAL := run
.PHONY: run test release bench presubmit clean
.DELETE_ON_ERROR:

# Lets ccache keep what is compiled with a precompiled header, whatever directory the checkout is in.
export CCACHE_SLOPPINESS := pch_defines,time_macros,include_file_mtime,include_file_ctime
export CCACHE_BASEDIR := $(CURDIR)
# "[12/340  8s]": what ninja has done, of how much, and for how long.
export NINJA_STATUS := [%f/%t  %es]

build = cmake --build build/$(1) --parallel $(shell nproc) --

run: release
	@$(call build,release) nereid-gallery
	@mkdir -p out
	@build/release/nereid-gallery --device cpu --picture out/grey.png
	@echo "The grey picture: out/grey.png"

release:
	@scripts/setup
	@$(MAKE) --no-print-directory build/release/build.ninja
	@$(call build,release) nereid
	@strip build/release/nereid

test:
	@scripts/setup --test
	@$(MAKE) --no-print-directory build/dev/build.ninja
	@$(call build,dev)
	@ctest --test-dir build/dev --parallel 2 --output-on-failure

bench:
	@scripts/setup --bench
	@$(MAKE) --no-print-directory build/release/build.ninja
	@$(call build,release) nereid nereid_benchmarks
	@build/release/nereid_benchmarks

presubmit:
	@scripts/presubmit

clean:
	rm -rf build/dev build/release build/asan build/strict out

# Configures a preset, once; afterwards ninja runs CMake again by itself when a CMake file changes.
build/%/build.ninja: CMakePresets.json
	@cmake --preset $* --log-level=WARNING >build/$*.configure.log 2>&1 || \
	  { cat build/$*.configure.log; exit 1; }
	@touch $@
