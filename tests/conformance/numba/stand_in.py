# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest's under which the test suite of numba-cuda runs on Nereid without a GPU: what the suite imports of
its package and Nereid has not is taken from Numba's half for CPUs, where that has it under another name, and what skips
tests skips nothing but what asks for a simulator. apart.txt beside it says which tests are not of the language."""

import importlib
import importlib.abc
import importlib.machinery
import os
import sys
import types
import unittest
from pathlib import Path

import nereid
import nereid.errors
from outcomes import Counts, initialize_from_pytest_config, pytest_addoption  # noqa: F401

nereid.install_as_numba_cuda()

import numba  # noqa: E402
import numba.core  # noqa: E402
import numba.cuda  # noqa: F401

TESTS = Path(os.environ["NUMBA_CUDA_TESTS"]).resolve()

# Where Numba's half for CPUs has what numba-cuda keeps a copy of.
_ELSEWHERE = {"np": "numba.np", "typing": "numba.core.typing", "misc": "numba.misc", "datamodel": "numba.core.datamodel",
              "typeconv": "numba.core.typeconv", "core": "numba.core", "types": "numba.core.types",
              "utils": "numba.core.utils", "cgutils": "numba.core.cgutils", "extending": "numba.core.extending"}
# Parts of numba-cuda's compiler and of its way to NVIDIA's: tests of them can be read, and fail.
_HOLLOW = ("memory_management errors cuda_paths cudaimpl cudadecl flags descriptor deviceufunc libdevicefuncs launchconfig "
           "_internal nvvmutils codegen dispatcher target cudadrv.nvvm cudadrv.nvrtc cudadrv.libs").split()
_HOLLOW_NAMES = {"numba.cuda": "compile_all LinkableCode CUSource PTXSource LTOIR Cubin Fatbin Archive Object",
                 "numba.cuda.compiler": "run_frontend compile_cuda ExternFunction",
                 "numba.cuda.cudadrv.driver": "driver Linker"}


class Hollow:
    """Anything by name, which does nothing: a decorator leaves what it decorates."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Hollow()

    def __call__(self, *args, **kwargs):
        return args[0] if len(args) == 1 and callable(args[0]) and not kwargs else Hollow()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def __mro_entries__(self, bases):
        return (object, ) if len(bases) == 1 else ()

    def __iter__(self):
        return iter(())

    def __sub__(self, other):  # of counts of allocations
        return 0


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of numba.cuda that Nereid has not."""

    @staticmethod
    def _elsewhere(name):
        part, _, rest = name.removeprefix("numba.cuda.").partition(".")
        if part not in _ELSEWHERE:
            return None
        try:
            return importlib.import_module(_ELSEWHERE[part] + ("." + rest if rest else ""))
        except ImportError:
            return None

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if not name.startswith("numba.cuda.") or _is_ours(name, path):
            return None
        short = name.removeprefix("numba.cuda.")
        if short == "tests" or short.startswith("tests."):
            return importlib.machinery.PathFinder.find_spec(name, [str(TESTS.parent)] if short == "tests" else path)
        if short == "testing":
            return importlib.machinery.ModuleSpec(name, cls())
        if any(short == hollow or short.startswith(hollow + ".") for hollow in _HOLLOW):
            return importlib.machinery.ModuleSpec(name, cls(), is_package=True)
        if (found := cls._elsewhere(name)) is not None:
            spec = importlib.machinery.ModuleSpec(name, cls(), is_package=hasattr(found, "__path__"))
            spec.loader_state = found
            return spec
        return None

    def create_module(self, spec):
        return types.ModuleType(spec.name)

    def exec_module(self, module):
        short = module.__name__.removeprefix("numba.cuda.")
        if short == "testing":
            _fill_testing(module)
        elif any(short == hollow or short.startswith(hollow + ".") for hollow in _HOLLOW):
            module.__path__ = []
            module.__getattr__ = lambda name: getattr(Hollow(), name)
        elif (found := self._elsewhere(module.__name__)) is not None:
            kept = {name: vars(module)[name] for name in ("__name__", "__spec__", "__loader__", "__package__")}
            vars(module).update(vars(found))
            vars(module).update(kept)
            if hasattr(found, "__path__"):
                module.__path__ = []


def _is_ours(name, path):
    return importlib.machinery.PathFinder.find_spec(name, path) is not None


def _fill_testing(module):
    """What the suite's own module of this name has, without what it asks of a GPU and of NVIDIA's tools."""
    from numba.cuda.tests.support import TestCase

    class CUDATestCase(TestCase):
        FLOAT16_RTOL = 2.0**-10

        def skip_if_lto(self, reason):
            pass

        def assertFileCheckAsm(self, *args, **kwargs):
            self.fail("the text of another compiler's code")

        assertFileCheckLLVM = assertFileCheckMatches = assertFileCheckAsm

    class ForeignArray:

        def __init__(self, array):
            self._arr = array
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    def unchanged(test):
        return test

    vars(module).update(
        unittest=unittest, CUDATestCase=CUDATestCase, ContextResettingTestCase=CUDATestCase, ForeignArray=ForeignArray,
        test_data_dir=TESTS / "data", numba_cuda_dir=TESTS.parent, cc_X_or_above=lambda major, minor: True,
        ensure_supported_ccs_initialized=lambda: None, skip_unless_cudasim=unittest.skip,
        skip_unless_conda_cudatoolkit=unittest.skip,
        xfail_unless_cudasim=unittest.skip("numba-cuda does not pass it on a GPU either"))
    for name in ("skip_on_cudasim skip_if_external_memmgr skip_under_cuda_memcheck skip_without_nvdisasm "
                 "skip_with_nvdisasm skip_on_arm skip_on_wsl2 skip_if_mvc_enabled skip_with_cuda_python "
                 "skip_if_nvjitlink_missing skip_on_nvjitlink_13_1_sm_120").split():
        setattr(module, name, lambda *_: unchanged)
    for name in ("skip_unless_cc_50 skip_unless_cc_53 skip_unless_cc_60 skip_unless_cc_75 skip_unless_cc_90 "
                 "skip_if_cudadevrt_missing skip_if_cuda_includes_missing skip_if_curand_kernel_missing "
                 "skip_if_mvc_libraries_unavailable skip_on_standalone_numba_cuda").split():
        setattr(module, name, unchanged)


def _prepare():
    sys.meta_path.insert(0, Finder())
    from numba.core import config, extending
    from numba.core.datamodel import models

    for name, value in (("CUDA_MEMORY_MANAGER", "default"), ("CUDA_USE_NVIDIA_BINDING", True), ("CUDA_DEBUG_POLY", 0),
                        ("CUDA_DEBUG_POLY_USE_TYPED_CONST", 0), ("CUDA_ENABLE_NRT", False),
                        ("CUDA_NVRTC_EXTRA_SEARCH_PATHS", "")):
        if not hasattr(config, name):
            setattr(config, name, value)
    extending.core_models = models
    for module, names in _HOLLOW_NAMES.items():
        for name in names.split():
            setattr(importlib.import_module(module), name, Hollow())
    importlib.import_module("numba.cuda.cudadrv.driver")._have_nvjitlink = lambda: False
    for name in ("cuda", "cuda.core", "cuda.core._utils", "cuda.core._utils.cuda_utils"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["cuda.core._utils.cuda_utils"].CUDAError = nereid.errors.NereidError
    # Programs that tests start find Nereid, too: children/sitecustomize.py.
    paths = [str(Path(__file__).parent / "children"), str(Path(__file__).parent), *sys.path]
    os.environ["NEREID_STANDS_IN"] = "1"
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(filter(None, paths)))


_prepare()


def pytest_configure(config):
    config.pluginmanager.register(Counts(config))
