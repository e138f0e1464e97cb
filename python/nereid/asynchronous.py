# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilations that run in other threads while a program goes on."""

from contextvars import ContextVar

active_mode = ContextVar("active_mode", default=None)


class FutureKernel:
    """A kernel that is being compiled; result() waits for it."""

    def __init__(self, finalize, future):
        self.finalize_compile, self.future, self.kernel = finalize, future, None

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
    """`with AsyncCompileMode(executor): kernel.warmup(...)`: what is compiled inside is done when the block ends."""

    def __init__(self, executor, ignore_errors=False):
        self.executor, self.ignore_errors, self.futures = executor, ignore_errors, []

    def submit(self, key, compile, finalize):
        future = FutureKernel(finalize, self.executor.submit(compile))
        self.futures.append(future)
        return future

    def __enter__(self):
        if active_mode.get() is not None:
            raise RuntimeError("Another AsyncCompileMode is already active")
        active_mode.set(self)
        return self

    def __exit__(self, *error):
        active_mode.set(None)
        for future in self.futures:
            future.result(self.ignore_errors)
