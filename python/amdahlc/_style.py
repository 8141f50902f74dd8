"""How reports and tables look in a notebook: in its own colours, so that they suit a light and a dark one."""

from __future__ import annotations

import html

_FAINT = "color-mix(in srgb, currentColor 14%, transparent)"
_SHEET = (
    ".amdahlc{max-width:100%;line-height:1.45}"
    ".amdahlc p,.amdahlc ol{margin:.35em 0;max-width:60em}"
    ".amdahlc .quiet{opacity:.65;font-size:.92em}"
    ".amdahlc .badge{border:1px solid currentColor;border-radius:1em;padding:0 .6em;font-size:.85em;opacity:.75}"
    ".amdahlc .scroll{overflow-x:auto}"
    ".amdahlc table{border-collapse:collapse;border:0;margin:.4em 0;font-size:.92em;color:inherit;table-layout:auto}"
    ".amdahlc table :is(tr,th,td){background:none;border:0;color:inherit}"
    f".amdahlc table :is(th,td){{padding:.22em .9em .22em 0;text-align:left;white-space:nowrap;border-bottom:1px solid {_FAINT}}}"
    ".amdahlc table th{font-weight:600;opacity:.7;vertical-align:bottom}"
    ".amdahlc table .number{text-align:right;font-variant-numeric:tabular-nums}"
    ".amdahlc table .bar{min-width:9em;width:14em}"
    f".amdahlc .track{{display:block;height:.55em;border-radius:.3em;background:{_FAINT}}}"
    ".amdahlc .track span{display:block;height:100%;border-radius:.3em;background:#3b82c4}"
)


def block(content: str) -> str:
    """Content with the style of this package."""
    return f'<style>{_SHEET}</style><div class="amdahlc">{content}</div>'


def paragraphs(text: str) -> str:
    """Lines of the command, joined to sentences: a line that continues another one begins with blanks."""
    joined: list[str] = []
    for line in text.split("\n"):
        if line.startswith(" ") and joined:
            joined[-1] += f" {line.strip()}"
        else:
            joined.append(line)
    return "".join(f"<p>{html.escape(one)}</p>" for one in joined)


def bar(share: float) -> str:
    """A part of a whole, between 0 and 1."""
    return f'<span class="track"><span style="width:{100 * min(max(share, 0), 1):.1f}%"></span></span>'
