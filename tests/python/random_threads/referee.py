# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel of threads means: Python runs its text, one thread of a block after the other, each until it comes to
where threads meet. Numbers are Python's, integers wrapped to 64 bits behind each operation."""

import ast
import math

import numpy as np

BLOCK_MEETINGS = {"syncthreads", "syncthreads_count", "syncthreads_and", "syncthreads_or"}
WARP_MEETINGS = {"syncwarp", "shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync", "ballot_sync", "any_sync",
                 "all_sync", "match_any_sync"}
WARP = 32


def wrapped(value):
    return (value + 2**63) % 2**64 - 2**63 if type(value) is int else value


class _Rewritten(ast.NodeTransformer):
    """Operations wrap; where threads meet, the kernel hands what it brings to who runs it."""

    def visit_BinOp(self, node):
        self.generic_visit(node)
        return ast.Call(ast.Name("wrapped", ast.Load()), [node], [])

    def visit_UnaryOp(self, node):
        return node if isinstance(node.op, ast.Not) and self.generic_visit(node) else self.visit_BinOp(node)

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        made = ast.Call(ast.Name("wrapped", ast.Load()), [ast.BinOp(read, node.op, node.value)], [])
        return ast.Assign([node.target], made)

    def visit_Call(self, node):
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if name not in BLOCK_MEETINGS | WARP_MEETINGS:
            return node
        return ast.Yield(ast.Tuple([ast.Constant(name), *node.args], ast.Load()))


def code_of(text):
    tree = ast.fix_missing_locations(_Rewritten().visit(ast.parse(text)))
    return compile(tree, "<kernel>", "exec")


class Array:
    """Elements are Python's numbers; stores keep as many bits as there are."""

    def __init__(self, data):
        self.data = data
        self.is_time, self.is_float = data.dtype.kind in "mM", data.dtype.kind == "f"

    def __getitem__(self, index):
        found = self.data[index]
        return found if self.is_time else found.item()

    def __setitem__(self, index, value):
        if not self.is_time and not self.is_float:
            value = np.int64(wrapped(int(value))).astype(self.data.dtype)
        self.data[index] = value

    @property
    def size(self):
        return self.data.size

    @property
    def shape(self):
        return self.data.shape


class _Atomics:

    def _by(change):
        def atomic(self, array, index, *given):
            old = array[index]
            array[index] = change(old, *given)
            return old

        return atomic

    add, sub = _by(lambda old, value: old + value), _by(lambda old, value: old - value)
    max, min = _by(max), _by(min)
    and_, or_, xor = _by(lambda a, b: a & b), _by(lambda a, b: a | b), _by(lambda a, b: a ^ b)
    exch = _by(lambda old, value: value)
    cas = _by(lambda old, was, value: value if old == was else old)
    inc = _by(lambda old, most: 0 if old >= most else old + 1)
    dec = _by(lambda old, most: most if old == 0 or old > most else old - 1)


class _Arrays:
    """shared.array, of which all threads of a block have the same, and local.array."""

    def __init__(self, made, memory=b""):
        self.made, self.memory, self.count = made, memory, 0

    def array(self, shape, dtype):
        self.count += 1
        if self.made is None:
            return Array(np.zeros(shape, dtype))
        if shape == 0:
            return Array(np.frombuffer(self.memory, dtype))
        return Array(self.made.setdefault(self.count, np.zeros(shape, dtype)))


class _Extent:

    def __init__(self, xyz):
        self.x, self.y, self.z = xyz


class Cuda:
    """What a thread sees of `cuda`."""

    atomic = _Atomics()
    warpsize = WARP

    def __init__(self, kernel, block_index, thread, shared, dynamic):
        x, y, z = kernel.block
        self.threadIdx = _Extent((thread % x, thread // x % y, thread // x // y))
        self.blockIdx, self.blockDim, self.gridDim = map(_Extent, (block_index, kernel.block, kernel.grid))
        self.laneid = thread % WARP
        self.shared, self.local = _Arrays(shared, dynamic), _Arrays(None)

    def grid(self, axes):
        found = [getattr(self.blockIdx, a) * getattr(self.blockDim, a) + getattr(self.threadIdx, a) for a in "xyz"[:axes]]
        return found[0] if axes == 1 else tuple(found)

    @staticmethod
    def jit(fn=None, device=False):
        return fn or (lambda fn: fn)

    popc = staticmethod(lambda value: int(value).bit_count())
    clz = staticmethod(lambda value: 32 - int(value).bit_length())
    ffs = staticmethod(lambda value: (int(value) & -int(value)).bit_length())


class _Types:
    """NumPy's types as functions, and what kernels name of NumPy besides."""

    def __init__(self):
        for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
            dtype = np.dtype(name)
            setattr(self, name, lambda value, dtype=dtype: np.int64(wrapped(int(value))).astype(dtype).item())
        


def _answers_of_block(name, brought):
    if name == "syncthreads":
        return [None] * len(brought)
    holds = [bool(args[0]) for args in brought]
    found = {"syncthreads_count": sum(holds), "syncthreads_and": int(all(holds)), "syncthreads_or": int(any(holds))}
    return [found[name]] * len(brought)


def signed(mask):
    """Numba's masks of lanes are int32."""
    return mask - 2**32 if mask >> 31 else mask


def _lane_asked(name, lane, by):
    if name == "shfl_sync":
        return by % WARP
    meant = {"shfl_up_sync": lane - by, "shfl_down_sync": lane + by, "shfl_xor_sync": lane ^ by}[name]
    return meant if 0 <= meant < WARP else lane


def _answers_of_warp(name, brought):
    """`brought`: by lane."""
    if name == "syncwarp":
        return {lane: None for lane in brought}
    if name.startswith("shfl"):
        return {lane: brought[_lane_asked(name, lane, by)][1] for lane, (_, _, by) in brought.items()}
    if name == "match_any_sync":
        return {lane: signed(sum(1 << other for other, (_, theirs) in brought.items() if theirs == mine))
                for lane, (_, mine) in brought.items()}
    holds = {lane: bool(args[1]) for lane, args in brought.items()}
    found = {"ballot_sync": signed(sum(held << lane for lane, held in holds.items())), "any_sync": any(holds.values()),
             "all_sync": all(holds.values())}
    return {lane: found[name] for lane in brought}


class _Block:

    def __init__(self, threads):
        self.threads, self.waiting = dict(enumerate(threads)), {}  # by number: generators; what they brought
        self.results = {}

    def advance(self, number, answer):
        self.waiting.pop(number, None)
        try:
            self.waiting[number] = self.threads[number].send(answer)
        except StopIteration:
            del self.threads[number]

    def run(self):
        for number in list(self.threads):
            self.advance(number, None)
        while self.threads:
            if not self.meet_in_warps():
                name = {brought[0] for brought in self.waiting.values()}
                assert len(name) == 1 and name <= BLOCK_MEETINGS, f"threads meet nobody: {name}"
                numbers = list(self.waiting)
                answers = _answers_of_block(name.pop(), [self.waiting[number][1:] for number in numbers])
                for number, answer in zip(numbers, answers):
                    self.advance(number, answer)

    def meet_in_warps(self):
        """Whether some did."""
        for number, (name, *args) in self.waiting.items():
            if name not in WARP_MEETINGS:
                continue
            first = number // WARP * WARP
            lanes = [lane for lane in range(WARP) if args[0] >> lane & 1 and first + lane in self.threads]
            if all(self.waiting[first + lane][0] == name for lane in lanes):
                brought = {lane: self.waiting[first + lane][1:] for lane in lanes}
                for lane, answer in _answers_of_warp(name, brought).items():
                    self.advance(first + lane, answer)
                return True
        return False


def run(kernel, arguments):
    """The arrays that the kernel leaves, by name; those given are not touched."""
    code = code_of(kernel.text)
    given = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in arguments.items()}
    seen = {name: Array(value) if isinstance(value, np.ndarray) else value for name, value in given.items()}
    names = {"wrapped": wrapped, "math": math, "np": _Types(), **{name: np.dtype(name) for name in (
        "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split())}}
    x, y, z = kernel.grid
    for number in range(x * y * z):
        index, shared, threads = (number % x, number // x % y, number // x // y), {}, []
        dynamic = bytearray(kernel.shared)
        for thread in range(math.prod(kernel.block)):
            scope = {**names, "cuda": Cuda(kernel, index, thread, shared, dynamic)}
            exec(code, scope)
            threads.append(scope["kernel"](*seen.values()))
        _Block(threads).run()
    return {name: value for name, value in given.items() if isinstance(value, np.ndarray)}
