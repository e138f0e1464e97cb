# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which parameters of a kernel lead to what it reads and writes, by the tile dialect. Every function is inlined there,
and what a pointer is made of is told by its operations."""

import itertools
import re

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_VALUE = re.compile(r"%[\w.$-]+(?:#\d+)?")
_LINE = re.compile(r"^(?:(?P<results>%[^=]*?) = )?(?P<name>[a-z_]\w*\.[\w.]+|return)(?P<rest>.*)$")
_PARAMETER = re.compile(r'(%\w+): [^{%]*\{[^}]*?tile\.name = "([\w.]+)')
_POINTER_PARAMETER = re.compile(r"(%\w+): !tile\.ptr")
_BINDING = re.compile(r"(%[\w.$-]+) = (%[\w.$#-]+)")

_WRITES = ("tile.store", "tile.atomic_rmw", "tile.atomic_cas")
_READS = ("tile.load", "tile.atomic_rmw", "tile.atomic_cas")
_WITH_COMBINER = ("tile.reduce", "tile.scan")
# Of these no result leads anywhere that an operand of another place leads.
_LEADING = {"tile.offset": slice(0, 1), "arith.select": slice(1, 3)}
_MEMORY = "memory"  # whatever was found there


class UnknownAccess(Exception):
    """A kernel of which this cannot be told."""


class _Region:
    """An operation whose regions are being read: its results, and where what a region yields goes besides."""

    def __init__(self, name, results):
        self.name, self.results = name, results
        self.arguments, self.entry, self.values = [], [], []


class Accesses:
    """The names of the parameters: `written` and `read`. UnknownAccess if an address comes from elsewhere. `stored` has
    those that can be told of what is written, tuples by their elements ("pair.0")."""

    def __init__(self, text, only_stored=False):
        self._sources = {}  # of each value what it is made of
        self._names = [{}]  # of each open region the values by name: siblings use the same names
        self._numbers = itertools.count()
        self._regions, self._parameters, self._pointers = [], {}, set()
        stores, loads = self._stores, self._loads = [], []
        self._handed = []  # to an author's own instructions, with whether they may write
        for line in text.splitlines():
            self._read(_STRING.sub('""', line.strip()) if "func.func" not in line else line.strip())
        reached = [(value, writes) for value, writes in self._handed if self._roots_of(value) & self._pointers]
        stores += [value for value, writes in reached if writes]
        loads += [value for value, _ in reached]
        self.stored = {self._parameters[root] for value in stores for root in self._roots_of(value) & self._pointers}
        if not only_stored:
            self.written, self.read = self._roots(stores), self._roots(loads)

    def _read(self, line):
        if line.startswith("func.func"):
            return self._begin_kernel(line)
        if line.startswith("}"):
            return self._end_region(line)
        if line.startswith("^"):
            return self._begin_block(line)
        if not line or line.startswith("module"):
            return None
        match = _LINE.match(line)
        if not match:
            raise UnknownAccess(line)
        name, rest = match["name"], match["rest"]
        results = [self._define(part) for part in self._result_names(match["results"] or "")]
        if rest.endswith("{"):
            return self._begin_region(name, results, rest)
        operands = [self._of(operand) for operand in _VALUE.findall(rest)]
        if name in ("scf.yield", "tile.yield", "scf.condition"):
            return self._yield(name, operands)
        if name.startswith(("func.", "cf.")):
            raise UnknownAccess(line)
        if name in _WRITES:
            self._stores.append(operands[0])
        if name == "tile.assembly":
            self._handed += [(operand, " effects" in rest) for operand in operands]
            operands = [_MEMORY]
        if name in _READS:
            self._loads.append(operands[0])
            operands = [_MEMORY]
        for result in results:
            self._sources[result] += operands[_LEADING.get(name, slice(None))]
        return None

    def _begin_kernel(self, line):
        if self._parameters:
            raise UnknownAccess("several functions")
        pointers = _POINTER_PARAMETER.findall(line)
        for value, name in _PARAMETER.findall(line):
            number = self._define(value)
            self._parameters[number] = name
            if value in pointers:
                self._pointers.add(number)

    @staticmethod
    def _result_names(text):
        """ "%a, %b:2": three values. """
        for part in filter(None, map(str.strip, text.split(","))):
            name, _, count = part.partition(":")
            yield from [f"{name}#{i}" for i in range(int(count))] if count else [name]

    def _define(self, name):
        number = next(self._numbers)
        self._names[-1][name] = number
        self._sources[number] = []
        return number

    def _of(self, name):
        for names in reversed(self._names):
            if name in names:
                return names[name]
        raise UnknownAccess(name)

    def _flow(self, sources, *targets):
        for values in targets:
            if len(values) != len(sources):
                raise UnknownAccess("a region that yields something else than its operation gives")
            for value, source in zip(values, sources):
                self._sources[value].append(source)

    def _begin_region(self, name, results, rest):
        region = _Region(name, results)
        if name in ("scf.for", "scf.while"):
            bindings = _BINDING.findall(rest)
            index = bindings.pop(0) if name == "scf.for" else None
            region.values = [self._of(value) for _, value in bindings]
        elif name in _WITH_COMBINER:
            region.values = [self._of(value) for value in _VALUE.findall(rest)]
            for result in results:
                self._sources[result] += region.values
        elif name != "scf.if":
            raise UnknownAccess(name)
        self._regions.append(region)
        self._names.append({})
        if name in ("scf.for", "scf.while"):
            if index:
                self._define(index[0])
            region.arguments = region.entry = [self._define(argument) for argument, _ in bindings]
            self._flow(region.values, region.entry)
            if name == "scf.for":
                self._flow(region.values, results)

    def _begin_block(self, line):
        region = self._regions[-1] if self._regions else None
        arguments = [self._define(value) for value in _VALUE.findall(line)]
        if region and region.name in _WITH_COMBINER:
            for argument in arguments:
                self._sources[argument] += region.values
        elif region and region.name == "scf.while" and line.startswith("^bb0"):
            self._flow(region.values, arguments)
        else:
            raise UnknownAccess(line)

    def _yield(self, name, operands):
        region = self._regions[-1]
        if name == "scf.condition":
            region.values = operands[1:]  # for the body's block
            self._flow(region.values, region.results)
        elif region.name == "scf.while":
            self._flow(operands, region.entry)
        elif region.name in _WITH_COMBINER:
            for result in region.results:
                self._sources[result] += operands
        else:
            self._flow(operands, region.results, *([region.entry] if region.name == "scf.for" else []))

    def _end_region(self, line):
        if not self._regions:
            return
        self._names.pop()
        if line.endswith("{"):
            self._names.append({})
        else:
            self._regions.pop()

    def _roots(self, values):
        """The parameters that the values are made of, in their order."""
        found = set()
        for value in set(values):
            roots = self._roots_of(value)
            if _MEMORY in roots or not roots & self._pointers:
                raise UnknownAccess("an address that no parameter gives")
            found |= roots & self._pointers
        return list(dict.fromkeys(self._parameters[number].partition(".")[0] for number in sorted(found)))

    def _roots_of(self, value):
        seen, open_values, roots = set(), [value], set()
        while open_values:
            value = open_values.pop()
            if value in seen:
                continue
            seen.add(value)
            if value == _MEMORY or value in self._parameters:
                roots.add(value)
            else:
                open_values += self._sources[value]
        return roots
