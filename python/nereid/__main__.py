# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m nereid script.py ...; python -m nereid -m module ...; python -m nereid -c text ...: runs a program for
which `import triton` means Nereid."""

import os
import runpy
import sys

from .install import install_as_triton, install_for_children


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments else 2
    install_as_triton()
    install_for_children()
    if arguments[0] in ("-m", "-c") and len(arguments) < 2:
        print(f"python -m nereid {arguments[0]}: an argument is missing", file=sys.stderr)
        return 2
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    elif arguments[0] == "-c":
        sys.argv = ["-c", *arguments[2:]]
        sys.path.insert(0, "")
        exec(compile(arguments[1], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv = arguments
        sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
        runpy.run_path(arguments[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
