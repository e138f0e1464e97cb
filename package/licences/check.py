#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check.py BUILD [--without PACKAGE]: whether components.json names whatever of other projects is in what travels, as
ninja knows it: the archives on the command line of the link, and the headers of each object. --without leaves a package
out of the list, to see that its absence is noticed."""

import argparse
import functools
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
# By build directory: src/ is in all of them.
TARGETS = {"nereid": ("program", ["src/", "tools/nereid/"]), "libnereid.so": ("library", ["src/"]),
           "nereid_python": ("wheel", ["src/", "python/"])}
# The compiler's own headers and the C library, which nothing carries.
SYSTEM = {"libc6-dev", "linux-libc-dev", "libclang-common-22-dev", "libcrypt-dev", "libgcc-12-dev", "libstdc++-12-dev"}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@functools.lru_cache(maxsize=None)
def package_of(path):
    found = subprocess.run(["dpkg-query", "--search", path], capture_output=True, text=True).stdout
    return found.split(":")[0] if found else ""


def files_of(packages):
    listed = subprocess.run(["dpkg-query", "--listfiles", *packages], capture_output=True, text=True).stdout
    return {line for line in listed.splitlines() if line.startswith("/")}


def is_foreign(path):
    return path.startswith("/") and not path.startswith(str(PROJECT)) and "/python3" not in path


def headers(build, folders):
    found, is_ours = set(), False
    for line in run("ninja", "-C", build, "-t", "deps").splitlines():
        if line and not line.startswith(" "):
            is_ours = any(line.startswith(folder) for folder in folders)
        elif is_ours and is_foreign(line.strip()):
            found.add(str(pathlib.Path(line.strip()).resolve()))
    return found


def archives(build, target):
    link = run("ninja", "-C", build, "-t", "commands", target).splitlines()[-1]
    return {str(pathlib.Path(word).resolve()) for word in re.findall(r"\S+\.a\b", link) if is_foreign(word)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--without")
    options = parser.parse_args()
    components = json.loads((HERE / "components.json").read_text())
    unknown = set()
    targets = run("ninja", "-C", options.build, "-t", "targets", "all")
    for target, (product, folders) in TARGETS.items():
        if f"\n{target}: " not in "\n" + targets:
            continue
        packages = SYSTEM | {package for component in components if product in component["products"]
                             for package in component.get("packages", [])} - {options.without}
        known = {str(pathlib.Path(path).resolve()) for path in files_of(sorted(packages))}
        for path in (headers(options.build, folders) | archives(options.build, target)) - known:
            unknown.add((product, package_of(path) or path))
    for product, package in sorted(unknown):
        print(f"package/licences/components.json: the {product} holds something of {package}, which the list lacks")
    sys.exit(1 if unknown else 0)


if __name__ == "__main__":
    main()
