# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the results of functions that Python runs while a kernel is compiled depend on: a kernel that another process
kept is used where all of it is the same, and nowhere else."""

import enum
import functools
import os
import tempfile
import types
import unittest
from dataclasses import dataclass
from unittest import mock

from running import main, require, run_program

require("numpy")

import nereid
import nereid.language as tl
from nereid.dependencies import dependency_key


class Config:
    N = 2
    inner = types.SimpleNamespace(depth=1)

    @classmethod
    def doubled(cls):
        return cls.N * 2


@dataclass
class Tile:
    rows: int

    def size(self):
        return self.rows * SIZES["columns"]


class Slotted:
    __slots__ = ("n",)

    def __init__(self):
        self.n = 1


class Mode(enum.Enum):
    FAST = 1


SIZES = {"columns": [4, 8]}
TILE, SLOTTED, MODE = Tile(3), Slotted(), Mode.FAST
settings = types.ModuleType("settings")
settings.M, settings.Config = 20, Config


def helper(n=1):
    return settings.M + n


@functools.cache
def cached():
    return helper()


def even(n):
    return n == 0 or odd(n - 1)


def odd(n):
    return n != 0 and even(n - 1)


class Keys(unittest.TestCase):

    def assertSeen(self, function, change):
        before = dependency_key(function)
        self.assertEqual(dependency_key(function), before)
        with change:
            self.assertNotEqual(dependency_key(function), before)
        self.assertEqual(dependency_key(function), before)

    def test_what_is_read_through_modules_classes_and_objects(self):
        n, m = mock.patch.object(Config, "N", 3), mock.patch.object(settings, "M", 21)
        self.assertSeen(lambda: Config.N, n)
        self.assertSeen(lambda: settings.Config.N, n)
        self.assertSeen(lambda: Config().N, n)
        self.assertSeen(lambda: Config.doubled(), n)
        self.assertSeen(lambda: Config.inner.depth, mock.patch.object(Config.inner, "depth", 2))
        self.assertSeen(lambda: settings.M, m)
        self.assertSeen(lambda: getattr(settings, "M"), m)
        self.assertSeen(lambda: TILE.rows, mock.patch.object(TILE, "rows", 4))
        self.assertSeen(lambda: TILE.size(), mock.patch.object(TILE, "rows", 4))
        self.assertSeen(lambda: TILE.size(), mock.patch.dict(SIZES, columns=[4, 9]))
        self.assertSeen(lambda: str(SLOTTED), mock.patch.object(SLOTTED, "n", 2))
        self.assertSeen(lambda: MODE.value, mock.patch.dict(globals(), MODE=tl.float32))

    def test_what_functions_read(self):
        m = mock.patch.object(settings, "M", 21)
        decorated = nereid.constexpr_function(helper)
        for function in (lambda: helper(), lambda: [helper() for _ in range(3)], lambda: cached(), lambda: decorated(),
                         lambda call=functools.partial(helper, 2): call()):
            self.assertSeen(function, m)
        self.assertSeen(lambda: helper(), mock.patch.dict(globals(), helper=lambda: settings.M + 2))
        self.assertSeen(lambda: even(3), mock.patch.dict(globals(), odd=lambda n: n % 2))

    def test_how_deep_it_lies_makes_no_difference(self):
        names = {"helper": helper}
        for number in range(2000):
            exec(f"def f{number}(): return {'helper' if number == 0 else f'f{number - 1}'}()", names)
        self.assertSeen(names["f1999"], mock.patch.object(settings, "M", 21))

    def test_environment(self):
        name, other = "NEREID_TEST_" + "OF_KEYS", "NEREID_TEST_OF_OTHER_KEYS"
        literal = lambda: os.environ.get("NEREID_TEST_OF_KEYS", "5") + os.getenv("NEREID_TEST_OF_KEYS")

        def imported():
            import os as system
            return system.environ.get(name)

        def aliased():
            from os import getenv
            return getenv(name)

        for function in (literal, lambda: os.environ[name], lambda: os.environ.get(name, 1), lambda: name in os.environ,
                         imported, aliased):
            self.assertSeen(function, mock.patch.dict(os.environ, {name: "1"}))
        with mock.patch.dict(os.environ, {other: "1"}):
            after = dependency_key(literal)
        self.assertEqual(after, dependency_key(literal))

    def test_what_is_not_read(self):
        before = dependency_key(helper)
        with mock.patch.object(Config, "N", 3), mock.patch.object(settings, "unused", 1, create=True):
            self.assertEqual(dependency_key(helper), before)


KERNEL = """
import triton, triton.language as tl
import numpy as np
import settings
from settings import Config
def helper(): return settings.M + 1
@triton.constexpr_function
def from_class(): return Config.N
@triton.constexpr_function
def from_helper(): return helper()
@triton.jit
def kernel(out):
    tl.store(out, from_class())
    tl.store(out + 1, from_helper())
out = np.zeros(2, np.int32)
compiled = kernel[(1,)](out)
print(*out, from_class.cache_key, from_helper.cache_key)
"""


class Processes(unittest.TestCase):

    def launched(self, directory, text):
        with open(os.path.join(directory, "settings.py"), "w") as file:
            file.write(text)
        path = os.pathsep.join([directory, os.environ.get("PYTHONPATH", "")])
        out, err, code = run_program(KERNEL, environment={"PYTHONPATH": path, "NEREID_CACHE": "on",
                                                          "NEREID_CACHE_DIR": os.path.join(directory, "cache")})
        self.assertEqual(code, 0, err)
        first, second, *keys = out.split()
        return (int(first), int(second)), keys

    def test_kernels_of_other_processes(self):
        with tempfile.TemporaryDirectory() as directory:
            results, keys = self.launched(directory, "class Config:\n    N = 2\nM = 20\n")
            self.assertEqual(results, (2, 21))
            self.assertEqual(self.launched(directory, "class Config:\n    N = 2\nM = 20\n"), (results, keys))
            self.assertEqual(self.launched(directory, "class Config:\n    N = 3\nM = 20\n")[0], (3, 21))
            self.assertEqual(self.launched(directory, "class Config:\n    N = 3\nM = 30\n")[0], (3, 31))


if __name__ == "__main__":
    main()
