# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The environment upstream lives in: pinned versions, apart from the system's Python."""

import hashlib
import os
import pathlib
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HOME = ROOT / "build" / "referee"


def enter() -> None:
    """Continues this program inside the environment, which is made on the first run."""
    requirements = HERE / "requirements.txt"
    wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
    stamp = HOME / "stamp"
    if not stamp.exists() or stamp.read_text() != wanted:
        create(requirements)
        stamp.write_text(wanted)
    if pathlib.Path(sys.prefix) != HOME:
        python = str(HOME / "bin" / "python")
        os.execv(python, [python, str(HERE), *sys.argv[1:]])


def create(requirements: pathlib.Path) -> None:
    print(f"Installing {requirements.name} into {HOME}", file=sys.stderr)
    venv.create(HOME, with_pip=True, clear=True)
    pip = [str(HOME / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "--requirement", str(requirements)], check=True)


def find_nereid(given: str | None) -> pathlib.Path:
    """The given binary, or the newest of those that were built."""
    if given:
        return pathlib.Path(given).resolve()
    built = [ROOT / "build" / preset / "nereid" for preset in ("release", "dev")]
    found = [path for path in built if path.exists()]
    if not found:
        sys.exit("no build/release/nereid and no build/dev/nereid: run make first")
    return max(found, key=lambda path: path.stat().st_mtime)
