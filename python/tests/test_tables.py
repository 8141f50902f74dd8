"""Every table goes into every data frame, more than once, with the values of the command's outputs."""

import csv
import io
import warnings

import amdahlc
import duckdb
import numpy
import pandas
import polars
import pyarrow
import pytest
from conftest import MODEL, ROOT, TRACE


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


FRAMES = {
    "pyarrow": lambda table: pyarrow.table(table).to_pylist(),
    "polars": lambda table: polars.DataFrame(table).to_dicts(),
    "duckdb": lambda table: rows_of_duckdb(table),
    "pandas": lambda table: [{name: of_pandas(value) for name, value in row.items()} for row in table.to_pandas().to_dict("records")],
}


def rows_of_duckdb(given):
    found = duckdb.sql("select * from given")
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def of_pandas(value):
    """A value of a cell: pandas has NaN for null, and lists as arrays."""
    if isinstance(value, numpy.ndarray):
        return [of_pandas(one) for one in value]
    if isinstance(value, dict):
        return {name: of_pandas(one) for name, one in value.items()}
    return None if value is None or value is pandas.NA or value != value else value


def plain(value):
    """A map is a list of pairs in some data frames; without an entry it is an empty list everywhere."""
    if isinstance(value, list) and value and all(isinstance(one, tuple) and len(one) == 2 for one in value):
        value = dict(value)
    elif isinstance(value, list) and value and all(isinstance(one, dict) and list(one) == ["key", "value"] for one in value):
        value = {one["key"]: one["value"] for one in value}
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()} or []
    return [plain(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(("table", "output"), [("kernels", "csv"), ("events", "bindings")])
@pytest.mark.parametrize("example", ["encoder", "unbound", "alone"])
def test_rows_are_those_of_csv(command, examples, example, table, output, frame):
    model, trace, report = examples[example]
    expected = rows_of_csv(command(f"-emit={output}", model=model, trace=trace))
    for _ in range(2):
        found = [plain(row) for row in FRAMES[frame](getattr(report, table))]
        assert len(found) == len(expected)
        for row, texts in zip(found, expected, strict=True):
            assert list(row) == list(texts)
            wrong = {name: (row[name], texts[name]) for name in row if not same_csv(row[name], texts[name])}
            assert not wrong


@pytest.fixture(scope="module")
def examples(report):
    """A run that is bound, one with events that are not, and one without a model."""
    graph = ROOT / "examples/h100/decoder.graph.trace.json.gz"
    model = ROOT / "examples/h100/decoder.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", amdahlc.Warning)
        unbound = amdahlc.analyze(model, trace=graph)
    assert {row["state"] for row in unbound.events.to_dicts()} > {"bound"}
    return {"encoder": (MODEL, TRACE, report), "unbound": (model, graph, unbound), "alone": (None, TRACE, amdahlc.analyze(TRACE))}


def all_tables(report):
    label, = report.runs
    return {"kernels": report.kernels, "events": report.events, **report.tables, **report.runs[label].tables}


@pytest.mark.parametrize("example", ["encoder", "unbound", "alone"])
def test_every_table_goes_into_every_data_frame_twice(examples, example):
    report = examples[example][2]
    tables = all_tables(report)
    if example == "encoder":
        assert {"nodes", "aggregates.category", "advice", "unbound", "model.nodes", "data_problems"} <= set(tables)
    for name, table in tables.items():
        expected = table.to_dicts()
        assert len(expected) == len(table)
        pyarrow.table(table).validate(full=True)
        for frame, rows in FRAMES.items():
            for _ in range(2):
                assert [plain(row) for row in rows(table)] == [plain(row) for row in expected], (name, frame)
    run, = report.runs.values()
    for name, table in run.tables.items():
        rows = run.data
        for key in name.split("."):
            rows = rows[key]
        for found, row in zip(table.to_dicts(), rows, strict=True):
            # A column of several types is one of texts.
            row = {key: str(value) if isinstance(found[key], str) else value for key, value in row.items()}
            assert plain(found) == plain(row), name


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
