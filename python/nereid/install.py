# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How `import triton` comes to mean Nereid: a finder in front of all others, in this process alone."""

import importlib
import importlib.machinery
import os
import sys
import warnings


class TritonFinder:
    """Finds the package `triton` in this one, whether or not Triton is installed, and `jax_triton`, which builds on it.
    Their submodules follow from their paths, as those of any package do."""

    directory = os.path.join(os.path.dirname(os.path.abspath(__file__)), "as_triton")

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name not in ("triton", "jax_triton"):
            return None
        return importlib.machinery.PathFinder.find_spec(name, [cls.directory])


def install_as_triton():
    """Makes `import triton` mean Nereid. Another Triton that was imported before cannot go on: it imports parts of
    itself while it runs, and would get Nereid's."""
    if TritonFinder in sys.meta_path:
        return
    sys.meta_path.insert(0, TritonFinder)
    before = getattr(sys.modules.get("triton"), "__file__", None)
    if "triton" not in sys.modules or _is_ours(before):
        return
    for name in [name for name in sys.modules if name == "triton" or name.startswith("triton.")]:
        del sys.modules[name]
    warnings.warn(f"another Triton was imported before install_as_triton(), from {before}: kernels made with it "
                  "do not run any more", RuntimeWarning, stacklevel=2)


def _is_ours(file):
    """A process that install_for_children() spoke to has it by its path."""
    return file is not None and os.path.dirname(os.path.dirname(os.path.abspath(file))) == TritonFinder.directory


class NumbaFinder:
    """Finds numba.cuda in this package, and numba itself where it is not installed. No other finder is asked for the
    parts of numba.cuda: that of the package numba-cuda, which redirects them, asks itself without end where their
    path is another than it knows."""

    directory = os.path.join(os.path.dirname(os.path.abspath(__file__)), "as_numba")

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name == "numba.cuda":
            return importlib.machinery.PathFinder.find_spec(name, [os.path.join(cls.directory, "numba")])
        if name.startswith("numba.cuda."):
            if spec := importlib.machinery.PathFinder.find_spec(name, path):
                return spec
            raise ModuleNotFoundError(f"Nereid's numba.cuda has no module '{name}'", name=name)
        if name != "numba" or importlib.machinery.PathFinder.find_spec(name) is not None:
            return None
        return importlib.machinery.PathFinder.find_spec(name, [cls.directory])


def install_as_numba_cuda():
    """Makes `from numba import cuda` mean Nereid. Numba's half for CPUs stays what it is, if it is installed. Numba
    reads functions that Python compiled, where Nereid needs their text: so what exec() is given, and -c, is kept.
    NUMBA_ENABLE_CUDASIM=1 asks for the checked device."""
    if NumbaFinder in sys.meta_path:
        return
    from . import knobs
    from .executed import keep_executed_texts, keep_text_of_command

    keep_executed_texts()
    keep_text_of_command()
    if os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0"):
        knobs.runtime.interpret = True
    sys.meta_path.insert(0, NumbaFinder)
    for name in [name for name in sys.modules if name == "numba.cuda" or name.startswith("numba.cuda.")]:
        del sys.modules[name]
    if "numba" in sys.modules:
        sys.modules["numba"].cuda = importlib.import_module("numba.cuda")


def install_for_children():
    """The same for the Pythons that this process starts (workers of tests, of multiprocessing): they find the
    package by PYTHONPATH, or by a copy of this process's path, before what is installed."""
    ours = [TritonFinder.directory, os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    others = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path not in ours]
    os.environ["PYTHONPATH"] = os.pathsep.join(ours + others)
    sys.path.insert(0, TritonFinder.directory)
