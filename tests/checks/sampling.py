"""Which cases of many are tried: all, or every Nth of them.

With AMDAHLC_SAMPLE=N, checks that try many cases of one kind take every Nth of the sorted list. AMDAHLC_SAMPLE_SEED, the hash of a commit, says which one is the
first: SEED mod N. So the cases of one commit are always the same, and those of several commits are others.
"""
import os


def taken():
    """N of every Nth."""
    return int(os.environ.get('AMDAHLC_SAMPLE') or 1)


def is_all():
    return taken() == 1


def sampled(cases, every=1):
    """The cases that are tried, of a sorted list; `every` is for kinds of which there are too many for any run."""
    cases = list(cases)
    step = taken() * every
    first = int(os.environ.get('AMDAHLC_SAMPLE_SEED') or '0', 16) % step
    # Of a list that is shorter than that, one case.
    return cases[first::step] or cases[first % len(cases):][:1] if cases else []


def sampled_by(kind, cases, every=1):
    """The same of each kind of case."""
    kinds = {}
    for case in cases:
        kinds.setdefault(kind(case), []).append(case)
    return [case for found in kinds.values() for case in sampled(found, every)]
