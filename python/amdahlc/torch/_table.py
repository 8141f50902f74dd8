"""The table of a session as text, and its page."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from .._errors import InputError

if TYPE_CHECKING:
    from ._results import BackendResult, Profile, Segment
    from ._session import Session

_HEAD = ("Segment", "Runs", "Mean ms", "+- ms", "Failures", "Difference")


def table(session: Session) -> str:
    """The table: a row for each segment and back end, totals, and what is to be said about them."""
    profiles = session.profiles
    lines = [f"Runs discarded because compilation occurred: {session.discarded}"]
    number = 0
    notes: dict[str, None] = {}
    for place, profile in enumerate(profiles):
        lines += _profile(session, profile, f"Profile {place + 1}/{len(profiles)}: {profile.name}", number, notes)
        number += len(profile.segments)
    if not profiles:
        lines.append("No call was measured.")
    lines += notes
    if session.breaks:
        lines.append("Graph breaks:")
        lines += [f"    {one}" for one in session.breaks]
    return "\n".join(lines)


def _profile(session: Session, profile: Profile, title: str, number: int, notes: dict[str, None]) -> list[str]:
    rows: list[tuple[str, ...] | None] = []
    for place, segment in enumerate(profile.segments, number):
        times = f" (x{segment.per_call})" if segment.per_call > 1 else ""
        if segment.kind == "uncompiled":
            rows.append((f"{place}  {segment.name}{times}", str(segment.runs), _ms(segment.mean_ns), _ms(segment.std_ns), "", ""))
        else:
            rows.append((f"{place}  {segment.name}{times}", "", "", "", "", ""))
            same = segment.within_noise()
            rows += [_row(one, one.name in same) for one in segment.backends.values()]
            for one in segment.backends.values():
                _note(segment, one, notes)
            if same:
                notes["~ within noise: the medians of the runs marked so cannot be told apart"] = None
            if segment.left_out:
                notes[f"{segment.name}: {segment.left_out} calls were left out, because copies of their inputs are too large"] = None
        rows.append(None)
    filled = [row for row in rows if row is not None]
    widths = [max(len(_HEAD[column]), *(len(row[column]) for row in filled)) for column in range(len(_HEAD))]
    lines = [title, _line(_HEAD, widths)]
    lines.append("=" * len(lines[-1]))
    lines += ["" if row is None else _line(row, widths) for row in rows[:-1]]
    lines.append("-" * len(lines[1]))
    uncompiled = profile.uncompiled_ns
    if uncompiled is None:
        lines.append("Total uncompiled code run time: not measured, because something was compiled in every call; call it again")
    else:
        lines.append(f"Total uncompiled code run time: {_ms(uncompiled)} ms")
        lines.append(f"Not attributed (the session's own work between segments): {_ms(profile.not_attributed_ns)} ms")
    return lines + _totals(session, profile)


def _totals(session: Session, profile: Profile) -> list[str]:
    if not any(one.kind != "uncompiled" for one in profile.segments):
        return ["No graph was captured: all code ran uncompiled."]
    rows = []
    for name in session.names:
        compiled, total = profile.compiled_ns(name), profile.total_ns(name)
        price = ""
        if name in session.prices and total is not None:
            # Nanoseconds of a million calls are 3.6e12 a hour.
            price = f"{session.prices[name] * total * 1e6 / 3.6e12:.3g} per million calls"
        rows.append((f"    {name}", _ms(total), _ms(compiled), price or (_why(profile, name) if compiled is None else "")))
    widths = [max(len(row[column]) for row in [*rows, ("", "", "compiled", "")]) for column in range(3)]
    head = " " * widths[0] + "  " + "total".rjust(widths[1]) + "  " + "compiled".rjust(widths[2])
    return ["Total times (compiled + uncompiled) per backend, ms:", head,
            *(f"{a.ljust(widths[0])}  {b.rjust(widths[1])}  {c.rjust(widths[2])}  {d}".rstrip() for a, b, c, d in rows)]


def _why(profile: Profile, name: str) -> str:
    missing = [one.name for one in profile.segments if one.kind != "uncompiled" and (name not in one.backends or one[name].mean_ns is None)]
    return f"no time of {', '.join(dict.fromkeys(missing))}"


def _row(one: BackendResult, same: bool) -> tuple[str, ...]:
    difference = "-" if one.difference is None else f"{one.difference:.2g}"
    if one.unchecked and not one.failures:
        difference = "not checked"
    mean = _ms(one.mean_ns) + ("~" if same else " ")
    return (f"    {one.name}", str(one.runs), mean, _ms(one.std_ns), str(one.failures), difference)


def _note(segment: Segment, one: BackendResult, notes: dict[str, None]) -> None:
    for text in [*one.reasons, one.left_out and f"left out are {one.left_out}",
                 one.unchecked and f"results were not compared: {one.unchecked}", one.note]:
        if text:
            notes[f"{segment.name.removesuffix(' backward')} on {one.name}: {text}"] = None


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    first, *others = (cell.ljust(width) if not column else cell.rjust(width)
                      for column, (cell, width) in enumerate(zip(cells, widths, strict=True)))
    return "  ".join([first, *others]).rstrip()


def _ms(ns: float | None) -> str:
    return "-" if ns is None else f"{ns / 1e6:.3f}"


def page(session: Session) -> str:
    """The table, and for each graph the page of its report with all back ends."""
    parts: list[str] = []
    seen = set()
    for place, segment in enumerate(session.segments):
        if segment.kind != "graph" or segment.name in seen:
            continue
        seen.add(segment.name)
        title = f"{place}: {segment.name} ({', '.join(segment.shapes)})"
        try:
            inner = segment.compare.render("html").decode()
            body = (f'<iframe sandbox="allow-scripts" srcdoc="{html.escape(inner, quote=True)}" loading="lazy" '
                    f'title="{html.escape(title, quote=True)}"></iframe>')
        except InputError as error:
            body = f"<p>{html.escape(str(error))}</p>"
        parts.append(f"<details{'' if parts else ' open'}><summary>{html.escape(title)}</summary>{body}</details>")
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Back ends: amdahlc</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root {{ color-scheme: light dark }}
body {{ font: 14px/1.45 system-ui, sans-serif; margin: 1.5rem }}
pre {{ overflow-x: auto; font: 13px/1.4 ui-monospace, monospace }}
summary {{ cursor: pointer; font-weight: 600; margin: .75rem 0 }}
iframe {{ width: 100%; height: 85vh; border: 1px solid #8886 }}
</style></head><body>
<h1>Back ends side by side</h1>
<pre>{html.escape(table(session))}</pre>
<p>The pages below are of recordings, in which short operators take longer. They say why a back end is fast or slow; the table, which was measured without a recording, says how fast it is.</p>
{''.join(parts)}
</body></html>
"""
