#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""asserts_that_fail.py NEREID: PTX of a kernel whose assertion fails in two of three programs, in the emulator: with a
buffer, whose records name the statement and the programs, and without one, where it traps."""

import os
import pathlib
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE / "emulator"))

import emulate  # noqa: E402

BLOCK, PROGRAMS = 256, 3
HEADER_BYTES, RECORD_BYTES = 16, 16  # runtime/PrintRecord.h

text = subprocess.run([sys.argv[1], "compile", f"{HERE}/OperationInputs/kernels.py::asserted", "--target=sm_90a", "--dump=ptx",
                       "-s", f"x=*f32:16,out=*f32:16,n=i32,BLOCK={BLOCK}"],
                      env=os.environ | {"TRITON_DEBUG": "1"}, check=True, capture_output=True, text=True).stdout
elements = [1.0] * (BLOCK * PROGRAMS)
elements[5] = elements[77] = elements[2 * BLOCK + 200] = -1.0  # "positive" fails in programs 0 and 2
x = struct.pack(f"{len(elements)}f", *elements)
out = bytes(len(x))

_, stored, buffer = emulate.run_ptx(text, "asserted", [x, out, len(elements), bytes(4096)], (PROGRAMS, 1, 1))
asked, = struct.unpack_from("Q", buffer)
records = [struct.unpack_from("4I", buffer, HEADER_BYTES + at) for at in range(0, asked, RECORD_BYTES)]
print("records", sorted(set(records)))
print("goes on", stored == x)
try:
    emulate.run_ptx(text, "asserted", [x, out, len(elements)], (PROGRAMS, 1, 1))
except RuntimeError as error:
    print("traps:", error)
