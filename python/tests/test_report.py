"""The report is that of the command, and predictions are its predictions, number for number."""

import json
import pickle
import random
import re

import amdahlc
import pytest
from conftest import MODEL, ROOT, TRACE


def test_json_is_that_of_the_command(report, command):
    assert report.to_json().encode() == command("-emit=json")


def test_attributes_are_those_of_the_only_run(report):
    run = report.runs["encoder"]
    assert report.trust == run.trust == "full"
    assert report.wall_ns == run.data["trace"]["wall_ns"]
    assert isinstance(report.wall_ns, int)
    assert report.warnings == []


def test_a_trace_without_a_model_and_a_trace_as_bytes():
    by_path = amdahlc.analyze(TRACE)
    assert by_path.busy_ns == amdahlc.analyze(trace=TRACE.read_bytes()).busy_ns
    assert len(by_path.advice) > 0


def test_several_labels_are_compared():
    both = amdahlc.analyze(MODEL, trace={"a": TRACE, "b": TRACE})
    assert list(both.runs) == ["a", "b"]
    assert {"comparisons", "compare.segments"} & set(both.tables)
    with pytest.raises(amdahlc.InputError, match="2"):
        both.what_if("linear=2x")
    assert both.runs["b"].what_if("linear=2x").run == "b"


def test_predictions_are_those_of_the_command(report, command):
    selectors = [row["label"] for row in report.kernels.to_dicts() if row["duration_ns"]]
    chosen = random.Random(7)
    scenarios = []
    for _ in range(20):
        changes = {chosen.choice(selectors): chosen.choice(["2x", "1.3x", "0", "40us"]) for _ in range(chosen.randint(1, 3))}
        scenarios.append(";".join(f"{name}={value}" for name, value in changes.items()))
    scenarios = list(dict.fromkeys(scenarios))
    rows = json.loads(command("-emit=json", *(f"-what-if={text}" for text in scenarios)))["runs"][0]["what_if"]
    for text, row in zip(scenarios, rows, strict=True):
        predicted = report.what_if(text)
        assert (predicted.busy_ns, predicted.wall_ns, predicted.window_ns) == (row["busy_ns"], row["wall_ns"], row["window_ns"])
        assert list(predicted.assumes) == row["assumes"]
    assert report.what_if({"linear": 2}).busy_ns == report.what_if("linear=2x").busy_ns


def test_curve_and_goal_are_those_of_the_command(command):
    report = amdahlc.analyze(MODEL, trace=TRACE)
    curve = report.curve("linear")
    assert curve == json.loads(command("-emit=json", "-curve=linear"))["runs"][0]["curves"][0]
    assert report.goal("1.1x") == json.loads(command("-emit=json", "-goal=1.1x"))["runs"][0]["goal"]


def test_the_lines_of_the_readme(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    block, = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    exec(block, {})
    assert "cuda-graph: wall" in capsys.readouterr().out


def test_an_output_and_the_page(report, command, tmp_path):
    assert report.render("csv") == command("-emit=csv")
    report.to_html(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")
    assert "sandbox" in report._repr_html_()


def test_saved_and_pickled_reports_are_the_same(report, tmp_path):
    report.save(tmp_path / "run.amdahlc")
    loaded = amdahlc.load(tmp_path / "run.amdahlc")
    assert loaded.to_json() == report.to_json()
    again = pickle.loads(pickle.dumps(loaded))
    assert again.what_if("linear=2x") == report.what_if("linear=2x")
    (tmp_path / "other").write_bytes(b"PK\x03\x04nothing")
    with pytest.raises(amdahlc.InputError, match="not a saved report"):
        amdahlc.load(tmp_path / "other")
