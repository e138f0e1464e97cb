# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numba.cuda.random: xoroshiro128+ of Blackman and Vigna (prng.di.unimi.it, the version of 2016), with a state of two
words for each thread, `s0` and `s1` of a structure."""

import math

import numpy

from . import arrays
from .function import jit
from .names import TYPES

uint64, float32 = TYPES["uint64"], TYPES["float32"]

xoroshiro128p_dtype = numpy.dtype([("s0", numpy.uint64), ("s1", numpy.uint64)], align=True)

_ALL = (1 << 64) - 1
_JUMP = (0xbeac0467eba5facb, 0xd86b048b86aa9922)
_BITS = 128
_FIRST_TURN, _SHIFT, _SECOND_TURN = 55, 14, 36


@jit(device=True)
def xoroshiro128p_next(states, index):
    """The next 64 bits of the generator."""
    index = int(index)
    first = states[index]["s0"]
    second = states[index]["s1"]
    result = first + second
    second ^= first
    turned = (first << uint64(_FIRST_TURN)) | (first >> uint64(64 - _FIRST_TURN))
    states[index]["s0"] = turned ^ second ^ (second << uint64(_SHIFT))
    states[index]["s1"] = (second << uint64(_SECOND_TURN)) | (second >> uint64(64 - _SECOND_TURN))
    return result


@jit(device=True)
def xoroshiro128p_uniform_float64(states, index):
    """From 0 to 1, without 1."""
    return (xoroshiro128p_next(states, index) >> uint64(11)) * (1.0 / 9007199254740992)


@jit(device=True)
def xoroshiro128p_uniform_float32(states, index):
    return float32(xoroshiro128p_uniform_float64(states, index))


@jit(device=True)
def xoroshiro128p_normal_float64(states, index):
    """Of mean 0 and deviation 1, by Box and Muller; of their two numbers one. As Numba has it, both are of float32."""
    size = xoroshiro128p_uniform_float32(states, index)
    turn = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(-2.0 * math.log(size)) * math.cos(6.283185307179586 * turn)


@jit(device=True)
def xoroshiro128p_normal_float32(states, index):
    size = xoroshiro128p_uniform_float32(states, index)
    turn = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(float32(-2.0) * math.log(size)) * math.cos(float32(6.283185307179586) * turn)


# On the host, columns of states at once: the states that follow one another are far apart in one sequence, so that no
# thread comes to the numbers of the next.

def _turned(words, bits):
    return (words << numpy.uint64(bits)) | (words >> numpy.uint64(64 - bits))


def _step(states):
    first, second = states[:, 0], states[:, 1] ^ states[:, 0]
    states[:, 0] = _turned(first, _FIRST_TURN) ^ second ^ (second << numpy.uint64(_SHIFT))
    states[:, 1] = _turned(second, _SECOND_TURN)


def _jumped(states):
    """2**64 steps on."""
    states, sums = states.copy(), numpy.zeros_like(states)
    for word in _JUMP:
        for bit in range(64):
            if word >> bit & 1:
                sums ^= states
            _step(states)
    return sums


def _image(matrix, states):
    """What a linear map makes of states, given what it makes of each of their bits."""
    result = numpy.zeros_like(states)
    for bit in range(_BITS):
        is_set = states[:, bit // 64] >> numpy.uint64(bit % 64) & numpy.uint64(1)
        result ^= numpy.where(is_set[:, None] == 1, matrix[bit], numpy.uint64(0))
    return result


def _jump_matrix():
    units = numpy.zeros((_BITS, 2), numpy.uint64)
    for bit in range(_BITS):
        units[bit, bit // 64] = 1 << bit % 64
    return _jumped(units)


def _seeded(seed):
    """The state that splitmix64 makes of a seed."""
    word = (seed + 0x9E3779B97F4A7C15) & _ALL
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & _ALL
    word = ((word ^ word >> 27) * 0x94D049BB133111EB) & _ALL
    word ^= word >> 31
    return numpy.full((1, 2), word, numpy.uint64)


def _states(count, seed, begin):
    """Those of the jumps `begin` and on, as many again in each round."""
    states = _seeded(int(seed) & _ALL)
    jump = matrix = _jump_matrix()
    for bit in range(int(begin).bit_length()):
        if begin >> bit & 1:
            states = _image(matrix, states)
        matrix = _image(matrix, matrix)
    matrix = jump
    while len(states) < count:
        states = numpy.concatenate((states, _image(matrix, states)))
        matrix = _image(matrix, matrix)
    return numpy.ascontiguousarray(states[:count]).view(xoroshiro128p_dtype)[:, 0]


def create_xoroshiro128p_states(n, seed, subsequence_start=0, stream=0):
    """On the device, for `n` threads."""
    return arrays.to_device(_states(n, seed, subsequence_start), stream)


def init_xoroshiro128p_states(states, seed, subsequence_start=0, stream=0):
    """The same in an array that create_xoroshiro128p_states() gave."""
    states.copy_to_device(_states(len(states), seed, subsequence_start), stream)
