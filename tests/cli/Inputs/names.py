# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each way to name a file, with names that no file can have: one mistake of the user's, said within seconds, and not a
byte of it that a terminal would obey."""

import subprocess
import sys

program, add, directory = sys.argv[1:]
arrays = ["x_ptr=ones:f32[64]", "y_ptr=ones:f32[64]", "out_ptr=empty:f32[64]", "n=64"]
run = [program, "run", add, "--grid", "1", *arrays]
tune = [program, "tune", add, "--grid", "1", *arrays, "--fresh", "--configs", "BLOCK=64"]
signature = ["-s", "x_ptr=*f32,y_ptr=*f32,out_ptr=*f32,n=i32,BLOCK=64"]


def commands(name):
    yield [program, "run", name, "--grid", "1"]
    yield [program, "run", name + "::add", "--grid", "1"]
    yield run + ["BLOCK=64", "--save", "out_ptr=" + name]
    yield [program, "run", add, "--grid", "1", "x_ptr=@" + name, *arrays[1:], "BLOCK=64"]
    yield [program, "compile", name, *signature]
    yield [program, "compile", add, *signature, "-o", name]
    yield tune + ["--records", name]
    yield [program, "records", name]
    yield [program, "bench", add, "--sweep", "n=64..128", *arrays[:3], "BLOCK=64", "--grid", "1", "-o", name + ".png"]
    yield [program, "explain", name]


failures = 0
for name in ["n" * 300, "n" * 5000, directory + "/" + "d/" * 3000, directory + "/\x1b[2J\u202e\r/x"]:
    for command in commands(name):
        done = subprocess.run(command, capture_output=True, timeout=60)
        said = done.stdout + done.stderr
        hostile = [mark for mark in (b"\x1b", b"\r", "\u202e".encode()) if mark in said]
        if done.returncode != 1 or hostile or b"internal error" in said:
            failures += 1
            print(command[1:3], name[:40].encode(), done.returncode, hostile, said[:300])
sys.exit(failures > 0)
