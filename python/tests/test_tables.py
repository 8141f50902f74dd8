"""Every table goes into every data frame, more than once, with the values of the command's outputs."""

import csv
import io

import duckdb
import pandas
import polars
import pyarrow
import pytest


def rows_of_csv(text):
    return list(csv.DictReader(io.StringIO(text.decode(), newline="")))


def as_csv(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ";".join(as_csv(one) for one in value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value)


def same_csv(value, text):
    """Numbers may be written in different ways."""
    cell = as_csv(value)
    return cell == text or (isinstance(value, float) and float(text) == value)


@pytest.mark.parametrize(("table", "output"), [("kernels", "csv"), ("events", "bindings")])
def test_rows_are_those_of_csv(report, command, table, output):
    found = getattr(report, table).to_dicts()
    expected = rows_of_csv(command(f"-emit={output}"))
    assert len(found) == len(expected)
    for row, texts in zip(found, expected, strict=True):
        assert list(row) == list(texts)
        wrong = {name: (row[name], texts[name]) for name in row if not same_csv(row[name], texts[name])}
        assert not wrong


def all_tables(report):
    return {"kernels": report.kernels, "events": report.events, **report.tables, **report.runs["encoder"].tables}


def test_every_table_goes_into_every_data_frame_twice(report):
    tables = all_tables(report)
    assert {"nodes", "aggregates.category", "advice", "unbound", "model.nodes", "data_problems"} <= set(tables)
    for name, table in tables.items():
        given = table  # noqa: F841: DuckDB finds it by its name
        expected = table.to_dicts()
        for _ in range(2):
            arrow = pyarrow.table(table)
            arrow.validate(full=True)
            assert arrow.to_pylist() == pyarrow.table(table).to_pylist()
            assert arrow.num_rows == len(table), name
            assert arrow.column_names == table.columns
            assert polars.DataFrame(table).height == len(table)
            assert duckdb.sql("select count(*) from given").fetchall() == [(len(table),)]
            assert isinstance(table.to_pandas(), pandas.DataFrame)
        assert [one for one in expected if not isinstance(one, dict)] == []


def test_values_in_a_data_frame_are_those_of_the_report(report):
    frame = polars.DataFrame(report.runs["encoder"].tables["aggregates.category"])
    rows = report.runs["encoder"].data["aggregates"]["category"]
    assert frame["name"].to_list() == [row["name"] for row in rows]
    assert frame["duration_ns"].to_list() == [row["duration_ns"] for row in rows]
    assert frame["ratio"].to_list() == [row["ratio"] for row in rows]
    events = polars.DataFrame(report.events)
    assert events["duration_ns"].dtype == polars.Int64
    assert events["name"].cast(polars.String).to_list() == [row["name"] for row in report.events.to_dicts()]


def test_a_table_outlives_its_report():
    import amdahlc
    from conftest import TRACE

    report = amdahlc.analyze(TRACE)
    stream = report.advice.__arrow_c_stream__()
    table = report.advice
    del report
    assert pyarrow.table(table).num_rows == len(table)
    del stream


def test_a_table_shows_itself(report):
    text = report.advice._repr_html_()
    assert "<table>" in text
    assert "saves_ns" in text
    assert repr(report.advice).startswith("<Table advice: ")
