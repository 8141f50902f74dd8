"""Tables in the form of Arrow, which data frames take without copying."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import _core
from . import _style as style
from ._errors import from_core

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]

_TYPES = {"b": "bool", "l": "int64", "i": "int32", "g": "float64", "u": "string", "+l": "list", "+s": "struct", "+m": "map"}
_SHOWN_ROWS = 10


class Table:
    """Rows with typed columns; null is a fact that was not established.

    Polars, DuckDB, pandas and PyArrow read it through Arrow's PyCapsule interface, as often as they want, also after
    the report is gone: ``polars.DataFrame(table)``, ``pyarrow.table(table)``, ``duckdb.sql("from table")``.
    Columns that end in ``_ns`` are nanoseconds, in ``_bytes`` bytes, and ``ratio`` is a share from 0 to 1. The page about
    the report explains each.

    Attributes
    ----------
    name : str
        The key of the report, or the output of the command, that has the same rows.

    Examples
    --------
    >>> table = amdahlc.analyze("examples/encoder.trace.json.gz").category
    >>> table.columns[0], table.schema["duration_ns"]
    ('name', 'int64')
    >>> len(table) == len(table.to_dicts())
    True
    """

    __slots__ = ("_core", "name")

    def __init__(self, core: _core.Table, name: str) -> None:
        self._core = core
        self.name = name

    def __len__(self) -> int:
        return len(self._core)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [name for name, _ in self._core.columns]

    @property
    def schema(self) -> Mapping[str, str]:
        """By column its type: ``int64``, ``float64``, ``string``, ``bool``, ``list``, ``struct`` or ``map``.

        A column of texts that repeat is ``string`` here and a dictionary in Arrow.
        """
        return {name: _TYPES.get(format, format) for name, format in self._core.columns}

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A new stream of all rows, as Arrow's PyCapsule interface has it."""
        return self._core.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """The types of the columns, as Arrow's PyCapsule interface has it."""
        return self._core.__arrow_c_schema__()

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a data frame of pandas; needs PyArrow."""
        import pyarrow  # type: ignore[import-untyped]

        return pyarrow.table(self).to_pandas()

    def to_dicts(self) -> list[dict[str, Any]]:
        """Each row as a dict; lists and structs are lists and dicts."""
        return self._rows(len(self))

    def _rows(self, count: int) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = json.loads(self._core.head(count))
        return rows

    def __repr__(self) -> str:
        return f"<Table {self.name}: {len(self)} rows, {len(self.columns)} columns>"

    def _repr_html_(self) -> str:
        rows = self._rows(_SHOWN_ROWS)
        kinds = {name: kind for name, kind in self.schema.items() if not rows or any(row[name] not in (None, [], {}) for row in rows)}
        numbers = {name for name, kind in kinds.items() if kind in ("int64", "int32", "float64")}
        left_out = [name for name in self.schema if name not in kinds]
        more = len(self) - len(rows)
        notes = [f"{more:,} more rows"] * (more > 0) + [f"nothing here in {', '.join(left_out)}"] * (len(left_out) > 0)
        return style.block(
            style.heading(self.name, f"{len(self):,} rows, {len(self.schema)} columns")
            + style.table(list(kinds), numbers, [[style.cell(row[name]) for name in kinds] for row in rows])
            + (style.quiet("; ".join(notes)) if notes else ""))


class Tables(Mapping[str, Table]):
    """Tables by name, each made when it is asked for."""

    def __init__(self, parts: dict[str, tuple[Any, Any]]) -> None:
        self._parts = parts

    def __getitem__(self, name: str) -> Table:
        rows, schema = self._parts[name]
        return Table(from_core(_core.table, json.dumps(rows), json.dumps(schema)), name)

    def __contains__(self, name: object) -> bool:
        return name in self._parts

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __repr__(self) -> str:
        return f"<Tables: {', '.join(self)}>"


def tables_in(value: Any, schema: Any, prefix: str) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Each array of objects that is in no other array, by its keys joined with dots: its rows, and the schema of one."""
    for key, property in _known(schema).get("properties", {}).items():
        inner = value.get(key)
        known = _known(property)
        if inner is None or key == "runs":
            continue
        if isinstance(inner, list) and "properties" in _known(known.get("items", {})):
            yield prefix + key, (inner, known["items"])
        elif isinstance(inner, dict):
            yield from tables_in(inner, known, f"{prefix}{key}.")


def _known(schema: Any) -> Any:
    """The schema without the alternative null."""
    return schema["anyOf"][0] if "anyOf" in schema else schema


_SCHEMA: dict[str, Any] = {}


def report_schema() -> dict[str, Any]:
    if not _SCHEMA:
        _SCHEMA.update(json.loads(_core.report_schema()))
    return _SCHEMA
