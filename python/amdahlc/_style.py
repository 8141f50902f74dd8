"""How reports and tables look in a notebook: in its own colours, so that they suit a light and a dark one."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

_FAINT = "color-mix(in srgb, currentColor 15%, transparent)"
# The class is doubled, so that the rules of notebooks for all tables give way.
_SHEET = (
    ".amdahlc{max-width:100%;line-height:1.45}"
    ".amdahlc p{margin:.35em 0;max-width:64em}"
    ".amdahlc .quiet{opacity:.68;font-size:.92em}"
    ".amdahlc h4{margin:.5em 0 .25em;font-size:1em;font-weight:600}"
    ".amdahlc h4 span{font-weight:400;opacity:.68;margin-left:.6em}"
    f".amdahlc .badge{{background:{_FAINT};border-radius:1em;padding:.1em .7em;font-size:.85em;font-weight:400;margin-left:.7em}}"
    ".amdahlc .scroll{overflow-x:auto}"
    ".amdahlc.amdahlc table{border-collapse:collapse;border:0;margin:.3em 0;font-size:.92em;color:inherit;table-layout:auto}"
    ".amdahlc.amdahlc table :is(thead,tbody,tr,th,td){background:none;border:0;color:inherit}"
    ".amdahlc.amdahlc table :is(th,td){padding:.24em 1.1em .24em 0;text-align:left;vertical-align:top;white-space:nowrap}"
    f".amdahlc.amdahlc table tr{{border-bottom:1px solid {_FAINT}}}"
    ".amdahlc.amdahlc table th{font-weight:600;opacity:.72;vertical-align:bottom}"
    ".amdahlc.amdahlc table .number{text-align:right;font-variant-numeric:tabular-nums}"
    ".amdahlc.amdahlc table .text{white-space:normal;min-width:18em;max-width:48em}"
    f".amdahlc .track{{display:inline-block;width:9em;height:.55em;border-radius:.3em;background:{_FAINT};margin-left:.8em}}"
    ".amdahlc .track span{display:block;height:100%;border-radius:.3em;background:#3b82c4}"
)
_CELL = 60


def block(content: str) -> str:
    """Content with the style of this package."""
    return f'<style>{_SHEET}</style><div class="amdahlc">{content}</div>'


def heading(text: str, more: str) -> str:
    """A name, and quieter what is said of it."""
    return f"<h4>{html.escape(text)}<span>{html.escape(more)}</span></h4>"


def quiet(text: str) -> str:
    """A note."""
    return f'<p class="quiet">{html.escape(text)}</p>'


def paragraphs(text: str) -> str:
    """Lines of the command as sentences: a line that begins with blanks continues the one before it."""
    joined: list[str] = []
    for line in text.split("\n"):
        if line.startswith(" ") and joined:
            joined[-1] += f" {line.strip()}"
        else:
            joined.append(line)
    return "".join(f"<p>{html.escape(one)}</p>" for one in joined)


def table(columns: Sequence[str], numbers: Iterable[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells, which are HTML; the columns in ``numbers`` stand to the right."""
    kinds = [' class="number"' if name in set(numbers) else "" for name in columns]
    head = "".join(f"<th{kind}>{html.escape(name)}</th>" for name, kind in zip(columns, kinds))
    body = "".join("<tr>" + "".join(f"<td{kind}>{one}</td>" for one, kind in zip(row, kinds)) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def cell(value: Any) -> str:
    """A value of a table, in short."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:,}".replace(",", "\u2009")
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        value = ", ".join(f"{key}: {one}" for key, one in value.items())
    if isinstance(value, list):
        value = "; ".join(str(one) for one in value)
    text = str(value)
    return html.escape(text if len(text) <= _CELL else text[: _CELL - 1] + "\u2026")


def run(data: dict[str, Any], pieces: int = 3) -> str:
    """The object of a run in the report: the verdict, and what to do first."""
    trust = f'<span class="badge">trust: {html.escape(data["trust"] or "unknown")}</span>'
    head = f'<h4>{html.escape(data["label"])}{trust}</h4><p>{html.escape(data["verdict"] or "no times")}</p>'
    base = (data["advice_limit"] or {}).get("base_ns")
    rows = ""
    for one in data["advice"] or []:
        likely = one["kind"] == "change"
        share = one["saves_ns"]["likely" if likely else "at_most"] / base if base else 0
        # The first screen of the command leaves them out, too.
        if share <= 0 or rows.count("<tr>") == pieces:
            continue
        bar = f'<span class="track"><span style="width:{100 * min(share, 1):.1f}%"></span></span>'
        rows += (f'<tr><td class="text">{html.escape(one["change"])}</td><td class="number">{"" if likely else "at most "}{100 * share:.1f} %</td>'
                 f"<td>{bar}</td></tr>")
    if not rows:
        return head
    return f'{head}<table><thead><tr><th>what to do first</th><th class="number">likely saves</th><th></th></tr></thead><tbody>{rows}</tbody></table>'
