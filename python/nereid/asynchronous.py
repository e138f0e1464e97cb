# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilations that run in other threads while a program goes on."""

from contextvars import ContextVar

from . import _native

active_mode: ContextVar = ContextVar("active_mode", default=None)


class FutureKernel:
    """A kernel that is being compiled; result() waits for it."""

    def __init__(self, finalize, future):
        self.finalize_compile, self.future, self.kernel = finalize, future, None
        self.native = _native.Kernel()  # none yet

    def result(self, ignore_errors=False):
        if self.kernel is None:
            try:
                kernel = self.future.result()
            except Exception:
                if ignore_errors:
                    return None
                raise
            self.finalize_compile(kernel)
            self.kernel = kernel
        return self.kernel


class AsyncCompileMode:
    """`with AsyncCompileMode(executor): kernel.warmup(...)`: what is compiled inside is done when the block ends. With
    `for_launches` hooks are told of it as of what launches compile."""

    def __init__(self, executor, ignore_errors=False, for_launches=False):
        self.executor, self.ignore_errors, self.futures = executor, ignore_errors, {}
        self.for_launches = for_launches

    def submit(self, key, compile, finalize):
        """Each key is compiled once."""
        if key not in self.futures:
            self.futures[key] = FutureKernel(finalize, self.executor.submit(compile))
        return self.futures[key]

    def __enter__(self):
        if active_mode.get() is not None:
            raise RuntimeError("Another AsyncCompileMode is already active")
        active_mode.set(self)
        return self

    def __exit__(self, *error):
        active_mode.set(None)
        for future in self.futures.values():
            future.result(self.ignore_errors)
