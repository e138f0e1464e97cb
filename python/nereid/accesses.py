# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which parameters of a kernel lead to what it reads and writes, as the library tells it."""

from . import _native


class UnknownAccess(Exception):
    """A kernel that finds an address elsewhere, in memory for instance."""


class Accesses:
    """The names of the parameters `read` and `written`, in their order, and `stored`, which is `written` with tuples by
    their elements ("pair.0"). `may_be_more` if an address comes from elsewhere."""

    def __init__(self, function, arguments, target, **options):
        read, written, self.may_be_more = _native.accesses(function, arguments, target, **options)
        self.stored = set(written)
        self.read, self.written = (list(dict.fromkeys(name.partition(".")[0] for name in names))
                                   for names in (read, written))

    def require_all(self):
        """Itself. Raises UnknownAccess if there may be more."""
        if self.may_be_more:
            raise UnknownAccess("an address that no parameter gives")
        return self
