"""Which times of a graph can be told apart."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping


def within_noise(samples: Mapping[str, Mapping[int, int]], confidence: float = 0.95) -> set[str]:
    """The names whose median cannot be told from that of the fastest name.

    Runs that were taken in the same turn are compared with each other, so that a machine that slows down changes
    nothing. A name is within noise if the interval of the median ratio contains 1. It is one of order statistics of
    the binomial distribution, without an assumption about how times are distributed. With fewer than six turns there
    is no such interval, and everything is within noise.

    Parameters
    ----------
    samples : mapping
        For each name its times by number of the turn.
    confidence : float

    Returns
    -------
    set of str
        With the fastest one only if another one is in it.
    """
    if len(samples) < 2:
        return set()
    fastest = min(samples, key=lambda name: statistics.median(samples[name].values()))
    same = set()
    for name, times in samples.items():
        if name == fastest:
            continue
        ratios = sorted(math.log(max(times[turn], 1) / max(samples[fastest][turn], 1)) for turn in times if turn in samples[fastest])
        rank = _rank(len(ratios), (1 - confidence) / 2)
        if rank is None or ratios[rank] <= 0 <= ratios[-1 - rank]:
            same.add(name)
    return same | {fastest} if same else set()


def _rank(count: int, tail: float) -> int | None:
    """The largest rank k with P(Binomial(count, 1/2) <= k) at most ``tail``; None if there is none."""
    total, term = 0.0, 0.5**count if count < 1000 else 0.0
    if term == 0.0:
        # The normal distribution is close enough for so many.
        return int(count / 2 + statistics.NormalDist().inv_cdf(tail) * math.sqrt(count) / 2)
    rank = None
    for k in range(count + 1):
        total += term
        if total > tail:
            break
        rank = k
        term *= (count - k) / (k + 1)
    return rank
