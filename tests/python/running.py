# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the tests of the Python package run: with unittest alone; a test file whose libraries are missing ends with
77, which ctest shows as skipped. In CI (CI=true), where all libraries are to be installed, it fails."""

import ctypes
import importlib
import os
import subprocess
import sys
import tempfile
import unittest


def require(*libraries):
    for library in libraries:
        try:
            importlib.import_module(library)
        except ImportError as error:
            if os.environ.get("CI", "").lower() in ("true", "1"):
                print(f"failed: CI has no package {library}, which this test needs: {error}")
                sys.exit(1)
            print(f"skipped: {error}")
            sys.exit(77)


def require_gpu():
    """PyTorch, for a GPU that is there."""
    try:
        ctypes.CDLL("libcuda.so.1")  # a moment, where importing PyTorch takes seconds
    except OSError as error:
        print(f"skipped: no NVIDIA driver: {error}")
        sys.exit(77)
    require("torch")
    torch = importlib.import_module("torch")
    if not torch.cuda.is_available():
        print("skipped: PyTorch finds no GPU")
        sys.exit(77)
    return torch


def run_program(text, *arguments, environment=None, options=(), launcher=("-m", "nereid"), given=None,
                timeout=120):
    """Runs a program for which `import triton` means Nereid; gives what it wrote and its exit code."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "program.py")
        with open(path, "w") as file:
            file.write(text)
        done = subprocess.run([sys.executable, "-B", *launcher, *options, path, *arguments], capture_output=True,
                              text=True, env={**os.environ, **(environment or {})}, timeout=timeout, input=given)
    return done.stdout, done.stderr, done.returncode


def failures_when_checked(path):
    """What a test file writes when it runs again on the checked device, if it fails there; else nothing."""
    done = subprocess.run([sys.executable, "-B", path], capture_output=True, text=True,
                          env={**os.environ, "TRITON_INTERPRET": "1"})
    return done.stderr if done.returncode else ""


main = unittest.main
