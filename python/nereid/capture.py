# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the free names of a function's text stand for, for the compiler: names are Python's, so Python says what
they mean. Only what the text mentions is looked at."""

import ast
import builtins
import contextlib
import enum
import functools
import inspect
import threading
import types

from . import _native, knobs, language
from .language.constants import const, constexpr, unwrap
from .language.dtypes import DTYPES, block_type, constexpr_type, dtype, dtype_of, pointer_type
from .language.names import BUILTINS, LanguageClass
from .reads import MISSING, Read, ask_for_meanings, frozen, is_constant
from .records import is_record_class, object_from_native, object_of, record_fields, record_of
from .texts import FunctionText

# Classes and modules of the language, under the names that the compiler knows.
_LANGUAGE_CLASSES = {constexpr: "constexpr", const: "const", dtype: "dtype", pointer_type: "pointer_type",
                     block_type: "block_type", constexpr_type: "constexpr_type"}
# Python's own functions that each program of the checked mode calls.
_STATEMENTS = ("print", "breakpoint")
_PLAIN = (bool, int, float, str, type(None))


class Mentions(ast.NodeVisitor):
    """The names of a function that are not its own, each with the chains of attributes that follow it."""

    def __init__(self, own):
        self.own, self.chains = set(own), {}

    @classmethod
    def of(cls, text):
        function = ast.parse(text).body[0]
        found = cls(argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg))
        for statement in function.body:
            found.visit(statement)
        return found.chains

    # A name is the function's own from where it is bound on, so what is evaluated first is visited first.

    def visit_Assign(self, node):
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.visit(node.value)
            self.visit(node.target)
        self.visit(node.annotation)

    def visit_AugAssign(self, node):
        self.visit(node.value)
        if isinstance(node.target, ast.Name):
            self._mention(node.target.id, ())
        self.visit(node.target)

    def visit_NamedExpr(self, node):
        self.visit(node.value)
        self.visit(node.target)

    def visit_For(self, node):
        self.visit(node.iter)
        self.visit(node.target)
        for statement in node.body + node.orelse:
            self.visit(statement)

    def visit_ListComp(self, node):
        for generator in node.generators:
            self.visit(generator.iter)
            self.visit(generator.target)
            for condition in generator.ifs:
                self.visit(condition)
        self.visit(node.elt)

    def _mention(self, name, chain):
        if name not in self.own:
            self.chains.setdefault(name, set()).add(chain)

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            self._mention(node.id, ())
        else:
            self.own.add(node.id)

    def visit_Subscript(self, node):
        """`Class["member"]` of an enumeration is `Class.member`."""
        root, key = node.value, node.slice
        names_a_member = isinstance(key, ast.Constant) and isinstance(key.value, str) and _member_of(None) is not None
        if names_a_member and isinstance(root, (ast.Name, ast.Attribute)):
            self.visit(ast.Attribute(root, key.value, ast.Load()))
        self.generic_visit(node)

    def visit_Attribute(self, node):
        chain, root = [], node
        while isinstance(root, ast.Attribute):
            chain.append(root.attr)
            root = root.value
        if isinstance(root, ast.Name) and isinstance(root.ctx, ast.Load):
            self._mention(root.id, tuple(reversed(chain)))
        else:
            self.visit(root)


_reading = threading.local()


@contextlib.contextmanager
def reading(language):
    """Inside, this thread takes names for what they mean in another language than that of tiles: an object with
    language_path(value), with meaning_of(value), the compiler's value or None, and perhaps with own(value): what that
    language's functions get for a constant, with record_class(cls): a class of that language's records as one of
    Nereid's, with is_text(value): whether a function is a text of that language, with names_in(text): what else a text
    may ask for, and with `freezes_constants`: they stay what they were."""
    before, _reading.language = _other_language(), language
    try:
        yield
    finally:
        _reading.language = before


def _other_language():
    return getattr(_reading, "language", None)


def _member_of(value):
    """What the other language that is being read takes a member of an enumeration for; of None anything but None, if it
    takes them for something of its own."""
    member = getattr(_other_language(), "member", None)
    return member and member(value)


def language_path(value):
    """The path under which the compiler knows a module or a class of the language; None for others."""
    if _other_language():
        return _other_language().language_path(value)
    if isinstance(value, types.ModuleType):
        name = value.__name__
        name = "triton.language" + name[len("nereid.language"):] if name.startswith("nereid.language") else name
        return name if name == "triton" or name.startswith("triton.language") else None
    if isinstance(value, type):
        if value in _LANGUAGE_CLASSES:
            return "triton.language." + _LANGUAGE_CLASSES[value]
        if issubclass(value, LanguageClass):
            return "triton.language." + value.__name__
    return None


def _is_foreign_dtype(value):
    return type(value).__module__.startswith("torch") and type(value).__name__ == "dtype"


def to_native(value, chains=frozenset({()}), now=None):
    """`value` as the native module takes it; of a module or an object, with the attributes of `chains`. `now` gives
    what the name stands for later on, for what is called while programs run."""
    if isinstance(value, constexpr) and isinstance(value.value, types.FunctionType):
        return _constant_function(value.value)
    if knobs.runtime.interpret and isinstance(value, list) and any(chains):
        return _namespace(value, chains, now)  # itself, to which programs append
    if isinstance(value, language.tuple) and value.named:
        value = value.named._make(value)
    value = unwrap(value)
    if isinstance(value, enum.Enum) and _member_of(value) is not None:
        return to_native(_member_of(value))
    if isinstance(value, enum.Enum) and not isinstance(value, _PLAIN):
        return _namespace(value, chains | {("value",), ("name",)}, now)
    if isinstance(value, _PLAIN):
        return value
    if is_record_class(value):
        own_class = getattr(_other_language(), "record_class", lambda cls: cls)
        return record_of(own_class(value), to_native)
    if is_record_class(type(value)):
        return object_of(value, to_native)
    if isinstance(value, (tuple, list)):
        return tuple(to_native(element) for element in value)
    make = getattr(type(value), "_native_value", None)
    if make is not None:
        return make(value)
    meaning = _other_language().meaning_of(value) if _other_language() else None
    if meaning is not None:
        return meaning
    if isinstance(value, types.FunctionType) and getattr(value, "__triton_builtin__", False):
        return _extern_function(value)
    path = language_path(value)
    if path is not None:
        mentions_texts = any(_is_text(value, chain) for chain in chains)
        return _namespace(value, chains, now) if mentions_texts else _native.LanguagePart(path)
    if _is_foreign_dtype(value) and dtype_of(value) is not None:
        return dtype_of(value)._native_value()
    if isinstance(value, types.BuiltinFunctionType) and value.__module__ == "math":
        return call_of(value, "math." + value.__name__)
    if any(chains):
        return _namespace(value, chains, now)
    if knobs.runtime.interpret and callable(value) and not isinstance(value, type):
        return called_by_programs(value, now or (lambda: value))
    return _native.Foreign(_describe(value))


ask_for_meanings(to_native)


def _constant_function(function):
    """What @tl.constexpr makes of a function: called while a kernel is compiled, as a constexpr_function is."""
    return FunctionText.makers["constant"](function)._native_value()


def _extern_function(function):
    """What kernels call of a function that is marked core.extern or core.builtin: it is compiled as they are."""
    if not hasattr(function, "_nereid_extern"):
        function._nereid_extern = FunctionText.makers["library"](function)
    return function._nereid_extern._native_value()


def _is_text(value, chain):
    """Whether attributes of a module of the language lead to a function that Python has and the compiler lacks."""
    for name in chain:
        value = getattr(value, name, None)
    is_text = getattr(_other_language(), "is_text", lambda _: False)
    return isinstance(value, FunctionText) or is_text(value)


def _describe(value):
    if isinstance(value, types.FunctionType):
        wanted = "@cuda.jit(device=True)" if _other_language() else "@triton.jit"
        return f"the Python function '{value.__qualname__}', which is not decorated with {wanted}"
    if isinstance(value, types.ModuleType):
        return f"module '{value.__name__}'"
    if isinstance(value, type):
        return f"class '{value.__qualname__}'"
    return f"an object of type '{type(value).__qualname__}'"


def _namespace(value, chains, now):
    members = {}
    for name in {chain[0] for chain in chains if chain}:
        try:
            member = getattr(value, name)
        except AttributeError:
            continue  # the compiler says so where the text asks for it
        members[name] = to_native(member, frozenset(chain[1:] for chain in chains if chain and chain[0] == name),
                                  now and now.member(value, name))
    return _native.Namespace(_describe(value), members)


def call_of(function, key, must_use_result=False):
    """A plain function for the compiler to have run while it traces."""
    spoken = _other_language()  # the compiler may call from a thread of its own
    own = getattr(spoken, "own", lambda value: value)

    def run(*args, **kwargs):
        result = function(*(own(from_native(value)) for value in args),
                          **{name: own(from_native(value)) for name, value in kwargs.items()})
        with reading(spoken):
            return to_native(result)

    reason = must_use_result if isinstance(must_use_result, str) else "" if must_use_result else None
    return _native.Call(getattr(function, "__name__", "function"), key, run, result_matters=reason)


class Meaning:
    """What a name of a kernel's text stands for whenever it is asked, and where the text has it."""

    def __init__(self, function, text, path, get):
        self.function, self.text, self.path, self._get = function, text, path, get

    def __call__(self):
        return self._get()

    def member(self, value, name):
        return Meaning(self.function, self.text, (*self.path, name), functools.partial(getattr, value, name))

    def _line(self):
        """In the file: of the call, where there is but one; else of the kernel's `def`."""
        lines, first = inspect.getsourcelines(self.function)
        first += len(lines) - len(self.text.splitlines())  # which are from `def` on
        calls = [node.lineno for node in ast.walk(ast.parse(self.text))
                 if isinstance(node, ast.Call) and ast.unparse(node.func) == ".".join(self.path)]
        return first + calls[0] - 1 if len(calls) == 1 else first

    def call_in_kernel(self):
        """Calls it from a frame of the kernel's file, where a debugger then stops."""
        code = self.function.__code__
        text = "\n" * (self._line() - 1) + "stop()"
        frame = compile(text, code.co_filename, "exec").replace(co_name=code.co_name, co_qualname=code.co_qualname)
        exec(frame, self.function.__globals__, {"stop": self()})


def _stops(function):
    """Whether it stops its caller in a debugger."""
    return function is breakpoint or (getattr(function, "__module__", None) == "pdb"
                                      and getattr(function, "__name__", None) == "set_trace")


def called_by_programs(function, now):
    """A plain function that each program calls in the checked mode, with arrays for tiles and scalars: to print, to
    compare, to stop in a debugger. Kernels get no result. As in Python, the name may stand for another by then."""

    def run(*args, **kwargs):
        if not args and not kwargs and isinstance(now, Meaning) and _stops(now()):
            return now.call_in_kernel()
        now()(*map(_array_or_constant, args), **{name: _array_or_constant(value) for name, value in kwargs.items()})

    name = getattr(function, "__qualname__", type(function).__qualname__)
    key = f"{getattr(function, '__module__', None)}.{name}"
    if not isinstance(function, types.FunctionType):  # methods and objects: there may be several of that name
        key += f" of {id(getattr(function, '__self__', function))}"
    return _native.Call(name, key, run, True)


def _array_or_constant(value):
    """A tile comes as (bytes, NumPy's type, shape). Scalars are arrays of one element, as upstream has them."""
    if not (isinstance(value, tuple) and len(value) == 3 and isinstance(value[0], bytes)):
        return from_native(value)
    import numpy

    data, kind, shape = value
    return numpy.frombuffer(data, kind).reshape(shape or (1,)).copy()


def from_native(value):
    """What a function of Python's gets for a constant of a kernel."""
    if isinstance(value, tuple):
        return tuple(from_native(element) for element in value)
    if isinstance(value, _native.RecordObject):
        return object_from_native(value, from_native)
    if isinstance(value, _native.ElementType):
        found = DTYPES[value.name]
        return pointer_type(found) if value.is_pointer else found
    return value


class scope_of:
    """The names that a function sees: those of the functions round it, then its module's."""

    def __init__(self, function):
        self.globals = function.__globals__
        self._cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        self.nonlocals = {name: cell.cell_contents for name, cell in self._cells.items() if _is_filled(cell)}

    def get(self, name, default=None):
        return self.nonlocals.get(name, default) if name in self._cells else self.globals.get(name, default)

    def place_of(self, name):
        """Where it is looked up, as a Read has it: a container and the first key."""
        return (self._cells[name], "cell_contents") if name in self._cells else (self.globals, name)

    def __contains__(self, name):
        return name in (self.nonlocals if name in self._cells else self.globals)


def _is_filled(cell):
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True


def _found(value, chains, path=()):
    """What to_native() reads of a value, as (path of attributes, what is there)."""
    if knobs.runtime.interpret and not hasattr(type(value), "_native_value") and (
            isinstance(value, list) and any(chains) or isinstance(value, (types.FunctionType, types.MethodType))):
        return  # looked up by each program
    value_of_it = unwrap(value)
    if is_record_class(type(value_of_it)) and not isinstance(value_of_it, tuple):
        for name in record_fields(type(value_of_it)):
            yield from _found(getattr(value_of_it, name), frozenset({()}), (*path, name))
    elif language_path(value_of_it) is not None:
        yield path, value
        for chain in chains:
            if _is_text(value_of_it, chain):
                yield (*path, *chain), functools.reduce(getattr, chain, value_of_it)
    elif not any(chains) or _is_whole(value_of_it):
        yield path, value
    else:
        for name in {chain[0] for chain in chains if chain}:
            rest = frozenset(chain[1:] for chain in chains if chain and chain[0] == name)
            yield from _found(getattr(value_of_it, name, MISSING), rest, (*path, name))


def _is_whole(value):
    """Whether it means the same whatever attributes are asked for."""
    return (is_constant(value) or isinstance(value, (tuple, list)) or is_record_class(value)
            or hasattr(type(value), "_native_value") or _is_foreign_dtype(value))


def capture(function, text, is_self):
    """What the names of `text` mean in `function`: a dictionary for the compiler, and the Reads of what must stay as it
    is. Names of which `is_self` holds are left to the text itself."""
    names, reads = {}, []
    scope = scope_of(function)
    for name, chains in Mentions.of(text).items():
        container, key = scope.place_of(name)
        value = scope.get(name, MISSING)
        if value is MISSING and name in _STATEMENTS and knobs.runtime.interpret and not _other_language():
            names[name] = called_by_programs(
                getattr(builtins, name), Meaning(function, text, (name,), functools.partial(getattr, builtins, name)))
        elif not (value is MISSING or is_self(value) or _is_builtin(name, value)):
            names[name] = to_native(value, frozenset(chains),
                                    Meaning(function, text, (name,), functools.partial(scope.get, name)))
            shown = f"Global variable {name}" if container is scope.globals else f"Variable {name}"
            for path, found in _found(value, frozenset(chains)):
                if is_constant(found) and getattr(_other_language(), "freezes_constants", False):
                    continue
                reads.append(Read(container, (key, *path), frozen(found), ".".join((shown, *path)), is_constant(found),
                                  is_of_text=True))
            continue
        reads.append(Read(container, (key,), value, name, is_of_text=True))
    names.update(getattr(_other_language(), "names_in", lambda _: {})(text))
    return names, reads


def _is_builtin(name, value):
    """Whether Python's own is meant; or there is a program's print_if for an executor that runs kernels as Python."""
    is_own = isinstance(value, types.FunctionType) and f"builtins.{name}" in BUILTINS
    return is_own or (value is not None and getattr(builtins, name, None) is value)
