# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m nereid [--numba] script.py ...; python -m nereid -m module ...; python -m nereid -c text ...: runs a
program for which `import triton` means Nereid, and, with --numba, `from numba import cuda`. A - in place of the script
stands for standard input.

python -m nereid compare [--json FILE] [--plot FILE] script.py ...: runs it with the installed Triton on a GPU, and times
each of its launches under both.

python -m nereid profile [--json FILE] [--trace FILE] script.py ...: runs it, and says what it launched, from where, and
how long that took.

python -m nereid --version; python -m nereid --licences: which Nereid this is, and what it carries of other projects, with
their licences."""

import importlib.metadata
import os
import sys

from .executed import keep_text
from .install import install_as_numba_cuda, install_as_triton, install_for_children
from .programs import is_program, run_program
from .wording import printable


def _refuse(reason):
    print(printable(f"python -m nereid: {reason}"), file=sys.stderr)
    return 2


def _about(option):
    """Both texts are written when the package is built. A wheel has licences where wheels have them, a build directory
    has no such place."""
    name = "version.txt" if option == "--version" else "licences.txt"
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    if os.path.exists(beside):
        with open(beside, encoding="utf-8") as file:
            return file.read()
    return importlib.metadata.distribution("nereid").read_text(f"licenses/{name}")


def _run_text(text, name):
    sys.path.insert(0, "")
    keep_text(name, text)
    exec(compile(text, name, "exec"), {"__name__": "__main__"})


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments else 2
    if arguments[0] in ("--version", "--licences"):
        if len(arguments) > 1:
            return _refuse(f"{arguments[0]} stands alone; '{arguments[1]}' is too much")
        print(_about(arguments[0]), end="")
        return 0
    if arguments[0] == "compare" and not is_program("compare"):
        from .compare.command import main as compare

        return compare(arguments[1:])
    if arguments[0] == "profile" and not is_program("profile"):
        from .profiling.command import main as profile

        return profile(arguments[1:])
    install_as_triton()
    install_for_children()
    if arguments[0] == "--numba":
        install_as_numba_cuda()
        del arguments[0]
        if not arguments:
            return _refuse("--numba: a program is missing")
    if arguments[0] in ("-m", "-c") and len(arguments) < 2:
        return _refuse(f"{arguments[0]}: an argument is missing")
    if arguments[0] == "-m":
        run_program(arguments[1], arguments[2:], is_module=True)
    elif arguments[0] == "-c":
        sys.argv = ["-c", *arguments[2:]]
        _run_text(arguments[1], "<string>")
    elif arguments[0] == "-":
        sys.argv = arguments
        _run_text(sys.stdin.read(), "<stdin>")
    elif arguments[0].startswith("-"):
        return _refuse(f"there is no option {arguments[0]}")
    elif not is_program(arguments[0]):
        return _refuse(f"the directory {arguments[0]} has no __main__.py" if os.path.isdir(arguments[0]) else
                       f"there is no file {arguments[0]}")
    else:
        run_program(arguments[0], arguments[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
