# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory of Python's that kernels must leave alone, that goes when nobody keeps it, and that views lead through."""

import gc
import mmap
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

from running import main, require

require("numpy")
import numpy as np

import nereid
import nereid.language as tl


@nereid.jit
def copy(x, y, n, BLOCK: tl.constexpr = 16):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@nereid.jit
def copy_first(pair, out):
    tl.store(pair[1], tl.load(pair[0]))
    tl.store(out, 1)


@nereid.jit
def backwards(x, y, sx, sy, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i * sy, tl.load(x + i * sx))


class Capsule:
    """Gives DLPack's capsules of an array that is made for each, and no other interface."""

    def __init__(self, make, *versions):
        self.make, self.versions, self.given = make, versions, 0

    def __dlpack__(self, **named):
        self.given += 1
        return self.make().__dlpack__(**{name: value for name, value in named.items() if self.versions})

    def __dlpack_device__(self):
        return 1, 0


class Interface:

    def __init__(self, array):
        self.__array_interface__ = array.__array_interface__
        self.array = array


def frozen(count=16):
    array = np.arange(count, dtype=np.float32)
    array.flags.writeable = False
    return array


class ReadOnly(unittest.TestCase):

    def assertRefused(self, array, name="y"):
        with self.assertRaisesRegex(ValueError, f"argument '{name}' is an array that may only be read, and kernel"):
            copy[(1,)](np.zeros(16, np.float32), array, 16)

    def test_what_a_kernel_stores_into(self):
        text = b"\1" * 64
        out = np.zeros(16, np.float32)
        for array in (np.frombuffer(text, np.float32), frozen(), Interface(frozen()), Capsule(frozen, (1, 0))):
            with self.subTest(type(array).__name__):
                for _ in range(2):
                    self.assertRefused(array)
                    copy[(1,)](array, out, 16)  # may be read
        self.assertEqual(text, b"\1" * 64)
        with tempfile.TemporaryFile() as file:
            file.write(bytes(64))
            file.flush()
            with mmap.mmap(file.fileno(), 64, access=mmap.ACCESS_READ) as mapped:
                self.assertRefused(array := np.frombuffer(mapped, np.float32))
                del array
                gc.collect()
        copy[(1,)](frozen(), np.zeros(16, np.float32), 16)

    def test_elements_of_tuples(self):
        one, out = np.zeros(1, np.float32), np.zeros(1, np.int32)
        copy_first[(1,)]((frozen(1), one), out)
        with self.assertRaisesRegex(ValueError, r"'pair\.1' is an array that may only be read"):
            copy_first[(1,)]((one, frozen(1)), out)

    def test_compiled_kernels(self):
        out = np.zeros(16, np.float32)
        compiled = copy[(1,)](out, out.copy(), 16)
        with self.assertRaisesRegex(ValueError, "'y' is an array that may only be read"):
            compiled.run(1, 1, 1, 0, compiled.function, None, None, None, None, out, frozen(), 16, None)

    def test_descriptors(self):

        @nereid.jit
        def store(target):
            target.store([0], target.load([0]) + 1)

        memory = np.zeros(20, np.float32)
        memory = memory[(-memory.ctypes.data % 16) // 4:][:16]
        memory.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "'target' is an array that may only be read"):
            store[(1,)](nereid.TensorDescriptor(memory, [16], [1], [16]))


class Bound(unittest.TestCase):
    """Compiled kernels of all functions together keep to NEREID_KERNEL_MEMORY (docs/cache.md)."""

    PROGRAM = textwrap.dedent("""
        import gc, sys, weakref
        import numpy as np
        import nereid
        import nereid.language as tl
        from nereid.kept import held_bytes

        @nereid.jit
        def scale(x, K: tl.constexpr):
            i = tl.arange(0, 16)
            tl.store(x + i, tl.load(x + i) * K)

        @nereid.jit
        def add(x, K: tl.constexpr):
            i = tl.arange(0, 16)
            tl.store(x + i, tl.load(x + i) + K)

        x = np.zeros(16, np.float32)
        most, alive = 1 << 20, []
        first = weakref.ref(add[(1,)](x, 0))
        held = scale[(1,)](x, 2)
        count = int(sys.argv[1])
        for k in range(2, count):
            for function in scale, add:
                alive.append(weakref.ref(function[(1,)](x, k)))
                assert held_bytes() <= most + held.native.bytes, held_bytes()
            add[(1,)](x, 0)  # launched all the time: it stays
        gc.collect()
        kept = sum(kernel() is not None for kernel in alive)
        assert 0 < kept < len(alive), (kept, len(alive))
        assert first() is not None
        assert scale[(1,)](x, 2) is held  # somebody holds it: it is not compiled again
        x[:] = 1
        scale[(1,)](x, 3)  # one that went is compiled anew
        assert (x == 3).all()
        assert len(scale.device_caches[-1][0]) < count - 2
        scale.device_caches[-1][0].clear()
        before = held_bytes()
        del held
        add._kernels.clear()
        assert 0 == held_bytes() < before, (before, held_bytes())
    """)

    def test_what_was_launched_least_recently_goes(self):
        for interpret, count in ("1", 12), ("0", 140):
            with self.subTest(interpret=interpret), tempfile.TemporaryDirectory() as folder:
                program = pathlib.Path(folder, "program.py")
                program.write_text(self.PROGRAM)
                ran = subprocess.run([sys.executable, program, str(count)], capture_output=True, text=True,
                                     env={**os.environ, "NEREID_KERNEL_MEMORY": "1", "TRITON_INTERPRET": interpret,
                                          "NEREID_CACHE": "off"})
                self.assertEqual(ran.returncode, 0, ran.stderr)


class Lifetime(unittest.TestCase):

    def test_copies_that_capsules_hold(self):
        size = 1 << 20
        out = np.zeros(16, np.float32)
        for versions in (), ((1, 0),):
            given = Capsule(lambda: np.full(size, 7, np.float32), *versions)
            for _ in range(3):
                out[:] = 0
                copy[(1,)](given, out, 16)
                np.testing.assert_array_equal(out, 7)

    def test_one_array_for_one_argument(self):
        """What is compiled is compiled for the very array of the launch."""
        arrays = [np.zeros(16, np.float32)]
        given = Capsule(lambda: arrays[0])
        kernel = nereid.jit(copy.fn)
        kernel[(1,)](given, np.zeros(16, np.float32), 16)
        self.assertEqual(given.given, 1)


class Views(unittest.TestCase):

    def test_all_ways_through_memory(self):
        for interpret in (False, True):
            kernel = nereid.jit(backwards.fn)
            kernel.is_interpreted = kernel._dispatcher.is_host_only = interpret
            x = np.arange(64, dtype=np.float32)
            for view in (x[15::-1], x[40:24:-1], x[47:0:-3], x[3:19], np.broadcast_to(x[5:6], 16), x[::4]):
                with self.subTest(view=view[:3], interpret=interpret):
                    y = np.zeros(16, np.float32)
                    kernel[(1,)](view, y, view.strides[0] // 4, 1, 16)
                    np.testing.assert_array_equal(y, view)
                    back = np.zeros(31, np.float32)[30:14:-1]
                    kernel[(1,)](view, back, view.strides[0] // 4, -1, 16)
                    np.testing.assert_array_equal(back, view)

    def test_out_of_bounds_of_a_view_that_goes_backwards(self):
        kernel = nereid.jit(backwards.fn)
        kernel.is_interpreted = kernel._dispatcher.is_host_only = True
        x, y = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
        for view, element in (x[8::-1], r"x\[-9\]"), (x[12:4:-1], r"x\[-8\]"):
            with self.assertRaisesRegex(Exception, f"out-of-bounds read of {element}"):
                kernel[(1,)](view, y, -1, 1, 16)


class Ends(unittest.TestCase):

    def run_program(self, text):
        made = subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True,
                              timeout=120)
        return made.returncode, made.stdout, made.stderr

    def test_daemon_threads_in_kernels(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(textwrap.dedent("""
                import threading, time
                import numpy as np
                import nereid, nereid.language as tl

                @nereid.jit
                def count(x):
                    tl.atomic_add(x, 1)

                x = np.zeros(1, np.int64)
                count[(1,)](x)
                for _ in range(2):
                    threading.Thread(target=lambda: count[(1 << 30, 1 << 8)](x), daemon=True).start()
                time.sleep(0.3)
                print("ends")
            """))
            file.flush()
            made = subprocess.run([sys.executable, file.name], capture_output=True, text=True, timeout=120)
        self.assertEqual((made.returncode, made.stdout), (0, "ends\n"), made.stderr)

    def test_subinterpreters(self):
        code, out, err = self.run_program("""
            try:
                import _xxsubinterpreters as interpreters
            except ImportError:
                import _interpreters as interpreters
            import sys
            import numpy as np
            import nereid, nereid.language as tl
            import linecache

            text = "def k(x, y: tl.constexpr):\\n    tl.store(x, y)\\n"
            linecache.cache["<k>"] = len(text), None, text.splitlines(keepends=True), "<k>"
            names = dict(tl=tl)
            exec(compile(text, "<k>", "exec"), names)
            kernel, x = nereid.jit(names["k"]), np.zeros(1, np.int32)
            kernel[(1,)](x, tl.constexpr(3))
            other = interpreters.create()
            try:
                print(interpreters.run_string(other, "import nereid._native"))  # from 3.13 on the error
            except Exception as error:
                print(error)
            kernel[(1,)](x, tl.constexpr(4))
            print(x[0])
        """)
        self.assertEqual(code, 0, err)
        self.assertRegex(out, "subinterpreter")
        self.assertEqual(out.split()[-1], "4")


if __name__ == "__main__":
    main()
