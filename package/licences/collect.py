#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what Nereid carries of other projects: FOLDER/licences.txt (a list, then each text) and FOLDER/nereid.spdx.json
(SPDX 2.3), and of the program's text a C++ file if one is named.

components.json is the list; the texts are those of the packages that were linked: Debian's copyright files, with the
common licence that they only refer to, what the wheels say whose headers are carried, and the beginning of a header.
check.py holds the list against what is linked.
"""

import argparse
import importlib.metadata
import json
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENTS, COMMON = pathlib.Path("/usr/share/doc"), pathlib.Path("/usr/share/common-licenses")
LITERAL = 8000  # characters in one C++ literal; compilers promise 65,536


def load(product):
    components = json.loads((HERE / "components.json").read_text())
    return [component for component in components if product in component["products"]]


def wheel_of(component, origins):
    """The wheel whose headers are carried: its metadata lies beside its package."""
    folder = origins.get(component.get("wheel"))
    for parent in folder.resolve().parents if folder else []:
        for found in importlib.metadata.distributions(name=component["wheel"], path=[str(parent)]):
            return found
    return None


def header_of(component, origins):
    path = origins.get("nanobind", HERE) / component.get("header", "none")
    return path.read_text() if path.exists() else ""


def version_of(component, origins):
    """Of a package of the system, of a wheel, or as a header has it."""
    for package in component.get("packages", []):
        found = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", package], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout
    if wheel := wheel_of(component, origins):
        return wheel.version
    numbers = re.findall(r"^#define \w+_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header_of(component, origins), re.MULTILINE)
    return ".".join(numbers)


def text_of(component, origins):
    """The texts; where the system is not Debian's there are none, and the licence's name has to do."""
    paths = [DOCUMENTS / package / "copyright" for package in component.get("packages", [])]
    paths += [COMMON / name for name in component.get("texts", [])]
    texts = [path.read_text() for path in paths if path.exists()]
    wheel = wheel_of(component, origins)
    texts += filter(None, [wheel and wheel.read_text("licenses/LICENSE")])
    texts += re.findall(r"\A/\*.*?\*/\n", header_of(component, origins), re.DOTALL)
    texts = list(dict.fromkeys(texts))
    return "\n".join(texts) or f"(The text was not at hand where this was built; the licence is {component['licence']}.)\n"


def write_text(components, origins):
    parts = ["Nereid: Apache-2.0 WITH LLVM-exception. It carries parts of these projects:\n\n"]
    parts += [f"  {component['name']} {version_of(component, origins)}: {component['licence']}\n" for component in components]
    shown = set()
    for component in components:
        text = text_of(component, origins)
        parts.append(f"\n{'=' * 100}\n{component['name']}: {component['licence']}\n{'=' * 100}\n\n")
        parts.append("(As above.)\n" if text in shown else text)
        shown.add(text)
    return "".join(parts)


def spdx(components, version, origins):
    """https://spdx.github.io/spdx-spec/v2.3"""
    def package(name, licence, number):
        return {"SPDXID": "SPDXRef-" + "".join(c if c.isalnum() else "-" for c in name), "name": name,
                "versionInfo": number, "licenseConcluded": licence, "licenseDeclared": licence,
                "downloadLocation": "NOASSERTION", "copyrightText": "NOASSERTION", "filesAnalyzed": False}

    packages = [package("Nereid", "Apache-2.0 WITH LLVM-exception", version)]
    packages += [package(component["name"], component["licence"], version_of(component, origins)) for component in components]
    relations = [{"spdxElementId": packages[0]["SPDXID"], "relationshipType": "CONTAINS", "relatedSpdxElement": other["SPDXID"]}
                 for other in packages[1:]]
    relations.insert(0, {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                         "relatedSpdxElement": packages[0]["SPDXID"]})
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"nereid-{version}",
            "documentNamespace": f"urn:nereid:spdx:{version}",
            "creationInfo": {"created": "1970-01-01T00:00:00Z", "creators": ["Tool: nereid-collect-licences"]},
            "packages": packages, "relationships": relations}


def as_cpp(text):
    pieces = [text[at:at + LITERAL] for at in range(0, len(text), LITERAL)]
    literals = "\n".join(f'  out += R"LICENCE({piece})LICENCE";' for piece in pieces)
    return ('// Made by package/licences/collect.py.\n#include "About.h"\n\n'
            f"std::string nereid::command::licences() {{\n  std::string out;\n{literals}\n  return out;\n}}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--product", choices=["program", "library", "wheel"], required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--nanobind", type=pathlib.Path, help="the package's folder")
    parser.add_argument("--xla", type=pathlib.Path, help="the folder of jaxlib's headers")
    parser.add_argument("--cpp", type=pathlib.Path)
    options = parser.parse_args()
    components = load(options.product)
    origins = {name: folder for name, folder in (("nanobind", options.nanobind), ("jaxlib", options.xla)) if folder}
    text = write_text(components, origins)
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / "licences.txt").write_text(text)
    (options.folder / "nereid.spdx.json").write_text(json.dumps(spdx(components, options.version, origins), indent=1) + "\n")
    if options.cpp:
        options.cpp.write_text(as_cpp(text))


if __name__ == "__main__":
    main()
