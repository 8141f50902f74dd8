"""Predictions of runs under changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Prediction:
    """What a scenario would do to one run, per iteration.

    Attributes
    ----------
    run : str
        The label of the run.
    scenario : str
        The changes.
    wall_ns, busy_ns, window_ns : int or None
        Predicted times in nanoseconds, as in ``-emit=json``; None: unknown.
    base_wall_ns, base_busy_ns, base_window_ns : int or None
        The times that the prediction started from.
    speedup, speedup_wall : float or None
        Base over predicted busy and wall time; None: infinite or unknown.
    error : float or None
        By how much a replay of the unchanged run misses its wall time, as a share of it; None: the run is not replayed.
    assumes : tuple of str
        What the prediction rests on besides what every prediction does.
    caution : str or None
        Why it is worth little; None: no reason.
    unknown : str or None
        Why there is no prediction, and all times are None.

    Examples
    --------
    >>> report = amdahlc.analyze("examples/encoder.onnx", trace="examples/encoder.trace.json.gz")
    >>> print(report.what_if("linear=2x"))
    linear=2x: wall 7.334 ms -> 4.669 ms, 1.57x as fast
    """

    run: str
    scenario: str
    wall_ns: int | None = None
    busy_ns: int | None = None
    window_ns: int | None = None
    base_wall_ns: int | None = None
    base_busy_ns: int | None = None
    base_window_ns: int | None = None
    speedup: float | None = None
    speedup_wall: float | None = None
    error: float | None = None
    assumes: tuple[str, ...] = ()
    caution: str | None = None
    unknown: str | None = None

    def __str__(self) -> str:
        if self.unknown is not None:
            return f"{self.scenario}: unknown, because {self.unknown}"
        base, ns, name = self.base_wall_ns, self.wall_ns, "wall"
        if ns is None or base is None:
            base, ns, name = self.base_busy_ns, self.busy_ns, "busy"
        if base is None or ns is None:
            return f"{self.scenario}: unknown"
        factor = f", {base / ns:.3g}x as fast" if ns > 0 else ""
        return f"{self.scenario}: {name} {_readable(base)} -> {_readable(ns)}{factor}"


def scenario_text(changes: str | Mapping[str, Any]) -> str:
    """Changes as `-what-if=` takes them."""
    return changes if isinstance(changes, str) else ";".join(f"{key}={factor_text(value)}" for key, value in changes.items())


def prediction_of(row: dict[str, Any], scenario: str, error: float | None) -> Prediction:
    found = row["prediction"]
    if found is None:
        return Prediction(row["run"], scenario, unknown=row["unknown"])
    names = ("wall_ns", "busy_ns", "window_ns", "base_wall_ns", "base_busy_ns", "base_window_ns", "speedup", "speedup_wall",
             "caution")
    return Prediction(row["run"], scenario, error=error if found["no_replay"] is None else None,
                      assumes=tuple(found["assumes"]), **{name: found[name] for name in names})


def factor_text(value: Any) -> str:
    """How `-what-if=` writes it: a text is taken as it is, a number is how many times as fast."""
    if isinstance(value, str):
        return value
    return f"{value}x" if not isinstance(value, Fraction) else f"{value.numerator}/{value.denominator}x"


def _readable(ns: int) -> str:
    for unit, size in (("s", 10**9), ("ms", 10**6), ("us", 10**3)):
        if ns >= size:
            return f"{ns / size:.4g} {unit}"
    return f"{ns} ns"
