# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Upstream in a process that may die: its compiler ends in assertions on some mistakes."""

import multiprocessing
import os
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from answer import Refused

FORK = multiprocessing.get_context("fork")
PATIENCE = 60


class Isolated:
    """Answers in a forked process, which costs milliseconds to replace."""

    def __init__(self, answer: Callable[[Any], Any]):
        self.answer = answer
        self.start()

    def start(self) -> None:
        self.connection, theirs = FORK.Pipe()
        self.process = FORK.Process(target=serve, args=(theirs, self.answer), daemon=True)
        self.process.start()
        theirs.close()

    def ask(self, case: Any) -> Any:
        self.connection.send(case)
        try:
            if self.connection.poll(PATIENCE):
                return self.connection.recv()
            how = f"no answer in {PATIENCE} s"
        except (EOFError, ConnectionError):
            how = "the process died"
        self.process.kill()
        self.process.join()
        self.start()
        return Refused(how)


def serve(connection: Connection, answer: Callable[[Any], Any]) -> None:
    # What LLVM says about a mistake goes past Python's streams.
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    while True:
        try:
            case = connection.recv()
        except EOFError:
            return
        connection.send(answer(case))
