# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the RUN lines of a folder's lit tests run."""

import dataclasses
import re
import shlex


@dataclasses.dataclass
class RunLine:
    test: str  # the file's name
    number: int
    environment: dict
    words: list  # the program and what it gets


def _lines(path):
    """Each with its number; what goes on behind a backslash is one line."""
    begun, number = "", 0
    for i, line in enumerate(path.read_text().splitlines(), 1):
        number = number if begun else i
        if match := re.match(r"(?:.*?)\b(RUN|DEFINE):\s?(.*)", line):
            text = match[2] if begun else f"{match[1]}: {match[2]}"
            if text.endswith("\\"):
                begun += text[:-1]
                continue
            yield number, begun + text
            begun = ""


def run_lines_in(folder, nereid):
    """Of commands that stand alone or before a pipe. The names that lit replaces are %S, %nereid and those that a test
    defines; others stay."""
    for path in sorted(folder.glob("*.test")):
        replaced = {"%S": str(folder), "%nereid": nereid}
        for number, line in _lines(path):
            kind, _, text = line.partition(": ")
            while (more := _replace(text, replaced)) != text:
                text = more
            if kind == "DEFINE":
                name, _, value = text.partition(" = ")
                replaced[name.strip()] = value.strip()
            elif not text.startswith("%if"):
                yield _run_line(path.name, number, text)


def _replace(text, replaced):
    for name, value in replaced.items():
        text = re.sub(re.escape(name) + ("" if name.endswith("}") else r"(?![\w-])"), lambda _, value=value: value, text)
    return text


def _run_line(test, number, text):
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|><")
    lexer.whitespace_split, lexer.commenters = True, ""
    words = list(lexer)
    words = words[:next((i for i, word in enumerate(words) if set(word) <= set("|><")), len(words))]
    environment = {}
    if words and words[0] == "env":
        words.pop(0)
        while words and "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            environment[name] = value
    return RunLine(test, number, environment, words)
