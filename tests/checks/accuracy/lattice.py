"""Sums over all alignments of a run: the probability of the right ones under given numbers of evidence, and its gradient.

The model is that of passes/trace_bind/align.cpp: a run is aligned with the program by steps of which each has evidence, and the probability of an alignment is
proportional to the exponential of its sum. The sums over alignments run forward and backward over calls and positions, as in a linear-chain conditional random
field (Lafferty, McCallum and Pereira, 2001). The alignments of the truth are those in which no call is bound to a wrong unit, and no call is left alone that has
a right one.

Needs numpy, scipy and numba.
"""
import sys
from typing import NamedTuple

# numba asks for the package `coverage`, and would find the folder of that name beside this package.
sys.modules.setdefault('coverage', None)

import numba   # noqa: E402
import numpy   # noqa: E402
import scipy.sparse   # noqa: E402

# What the truth is charged for a call that it cannot bind, because its labels contradict the order of the program.
CONTRADICTED = -12.0


class Lattice(NamedTuple):
    """A run and the ways to align it. An option of call `i` leads from `begin` to `end`; those of call `i` are `first[i]` to `first[i + 1]`."""
    skips: numpy.ndarray      # by position: the row of evidence of a unit that no call ran, or -1
    first: numpy.ndarray
    begin: numpy.ndarray
    end: numpy.ndarray
    calls: numpy.ndarray      # that an option takes
    features: scipy.sparse.csr_matrix   # options by rows of evidence: how often each counts
    right: numpy.ndarray      # whether the truth allows the option
    alone: numpy.ndarray      # by call: the row of evidence of leaving it without a partner
    must: numpy.ndarray       # by call: whether the truth binds it
    restart: float            # the number of evidence for a new forward; minus infinity if only one forward is possible
    jump: float               # that for a skip of any number of units


@numba.njit(cache=False)
def _closure(row, walk, restart, jump):
    """Moves along the program without a call, in place."""
    last = len(row) - 1
    for position in range(last):
        row[position + 1] += row[position] * walk[position]
    if restart > 0:
        more = row[last] * restart
        for position in range(last + 1):
            row[position] += more
            if position < last:
                more *= walk[position]
    behind = 0.0
    for position in range(last + 1):
        own = row[position]
        row[position] += jump * behind
        behind += own
    most = row.max()
    if most > 0:
        row /= most
    return most


@numba.njit(cache=False)
def _sums(walk, first, begin, end, calls, option, alone, allowed, restart, jump):
    """(ln of the sum over alignments, expected number of skips by position, of options, of calls without a partner)."""
    positions, count = len(walk) + 1, len(first) - 1
    most_calls = calls.max() if len(calls) else 1
    ahead, ahead_log = numpy.zeros((count + 1, positions)), numpy.zeros(count + 1)
    for call in range(count + 1):
        base = 0.0
        row = numpy.zeros(positions)
        if call == 0:
            row[0] = 1.0
        else:
            base = ahead_log[call - 1]
            row += ahead[call - 1] * alone[call - 1]
            for before in range(max(0, call - most_calls), call):
                scale = numpy.exp(ahead_log[before] - base)
                for at in range(first[before], first[before + 1]):
                    if allowed[at] and before + calls[at] == call:
                        row[end[at]] += ahead[before, begin[at]] * option[at] * scale
        most = _closure(row, walk, restart, jump)
        ahead[call] = row
        ahead_log[call] = base + numpy.log(most)
    total = ahead_log[count] + numpy.log(max(ahead[count, positions - 1], 1e-300))
    back, back_log = numpy.zeros((count + 1, positions)), numpy.zeros(count + 1)
    for call in range(count, -1, -1):
        base = 0.0
        row = numpy.zeros(positions)
        if call == count:
            row[positions - 1] = 1.0
        else:
            base = back_log[call + 1]
            row += back[call + 1] * alone[call]
            for at in range(first[call], first[call + 1]):
                if allowed[at] and call + calls[at] <= count:
                    row[begin[at]] += back[call + calls[at], end[at]] * option[at] * numpy.exp(back_log[call + calls[at]] - base)
        reversed_row = row[::-1].copy()
        most = _closure(reversed_row, walk[::-1].copy(), restart, jump)
        back[call] = reversed_row[::-1]
        back_log[call] = base + numpy.log(most)
    skips, options, lone = numpy.zeros(len(walk)), numpy.zeros(len(begin)), numpy.zeros(count)
    for call in range(count + 1):
        skips += ahead[call, :-1] * walk * back[call, 1:] * numpy.exp(ahead_log[call] + back_log[call] - total)
    for call in range(count):
        lone[call] = (ahead[call] * back[call + 1]).sum() * alone[call] * numpy.exp(ahead_log[call] + back_log[call + 1] - total)
        for at in range(first[call], first[call + 1]):
            behind = call + calls[at]
            if allowed[at] and behind <= count:
                options[at] = ahead[call, begin[at]] * option[at] * back[behind, end[at]] * numpy.exp(ahead_log[call] + back_log[behind] - total)
    return total, skips, options, lone


def sums(lattice, numbers, of_truth):
    """(ln of the sum over alignments, expected counts of the rows of evidence, probabilities of options, of calls without a partner)."""
    has_unit = lattice.skips >= 0
    walk = numpy.where(has_unit, numpy.exp(numbers[numpy.maximum(lattice.skips, 0)]), 1.0)
    alone = numpy.exp(numbers[lattice.alone] + (CONTRADICTED * lattice.must if of_truth else 0.0))
    allowed = lattice.right if of_truth else numpy.ones(len(lattice.right), dtype=bool)
    total, skips, options, lone = _sums(walk, lattice.first, lattice.begin, lattice.end, lattice.calls, numpy.exp(lattice.features @ numbers), alone, allowed,
                                        numpy.exp(lattice.restart), numpy.exp(lattice.jump))
    counts = lattice.features.T @ options
    numpy.add.at(counts, lattice.alone, lone)
    numpy.add.at(counts, lattice.skips[has_unit], skips[has_unit])
    return total, counts, options, lone


def loss(lattices, numbers):
    """(minus ln of the probability of the truth, summed over lattices, and its gradient)."""
    value, gradient = 0.0, numpy.zeros(len(numbers))
    for lattice in lattices:
        right, expected_right, *_ = sums(lattice, numbers, True)
        every, expected, *_ = sums(lattice, numbers, False)
        value += every - right
        gradient += expected - expected_right
    return value, gradient


def wrong_calls(lattices, numbers):
    """(calls whose likeliest partner contradicts the truth, calls that the truth binds)."""
    wrong = bound = 0
    for lattice in lattices:
        _, _, options, lone = sums(lattice, numbers, False)
        for call in range(len(lattice.alone)):
            own = slice(lattice.first[call], lattice.first[call + 1])
            best = options[own].argmax() if options[own].size else None
            is_bound = best is not None and options[own][best] > lone[call]
            wrong += not lattice.right[own][best] if is_bound else bool(lattice.must[call]) and lone[call] > 0.5
            bound += bool(lattice.must[call])
    return wrong, bound
