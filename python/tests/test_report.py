"""The report is that of the command, and predictions are its predictions, number for number."""

import json
import pickle
import random
import re
import shutil
import zipfile

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


def test_several_labels_are_compared(command):
    both = amdahlc.analyze(MODEL, trace={"a": TRACE, "b": TRACE})
    assert list(both.runs) == ["a", "b"]
    assert both.to_json().encode() == command("-emit=json", f"-trace=a={TRACE}", f"-trace=b={TRACE}", trace=None)
    assert len(both.compare) > 0
    assert len(both.comparisons) == 1
    with pytest.raises(amdahlc.InputError, match="2"):
        both.what_if("linear=2x")
    for label, run in both.runs.items():
        assert run.what_if("linear=2x").run == label
        assert run.curve("linear")["points"]
        assert run.goal("1.1x")["reachable"]
        assert len(run.advice) > 0
    assert not hasattr(both, "wall_ns")
    assert not hasattr(both, "advice")
    assert not hasattr(both.runs["a"], "streams")
    assert not hasattr(amdahlc.analyze(TRACE), "compare")


def test_warnings_are_there_again(tmp_path):
    with pytest.warns(amdahlc.Warning):
        report = amdahlc.analyze(MODEL, trace=TRACE, target="tensorrt")
    report.save(tmp_path / "saved")
    with pytest.warns(amdahlc.Warning):
        loaded = amdahlc.load(tmp_path / "saved")
    with pytest.warns(amdahlc.Warning):
        again = pickle.loads(pickle.dumps(report))
    assert [one.message for one in loaded.warnings] == [one.message for one in again.warnings] == [one.message for one in report.warnings] != []


@pytest.mark.parametrize("label", ["eager=1", "a,b", "=", "rank 0", "é"])
@pytest.mark.parametrize("name", ["a=b,c.json.gz", ",.json.gz", "[x]*.json.gz"])
def test_labels_and_names_of_files_may_have_any_characters(tmp_path, label, name):
    shutil.copy(TRACE, tmp_path / name)
    report = amdahlc.analyze(MODEL, trace={label: tmp_path / name})
    assert list(report.runs) == [label]
    assert report.what_if("linear=2x").run == label
    report.save(tmp_path / "saved")
    assert list(amdahlc.load(tmp_path / "saved").runs) == [label]


def test_a_label_that_is_none():
    with pytest.raises(amdahlc.InputError, match="no label of a run"):
        amdahlc.analyze(MODEL, trace={"a/b": TRACE})


def test_a_file_that_is_named_as_standard_input(tmp_path, monkeypatch):
    shutil.copy(TRACE, tmp_path / "-")
    monkeypatch.chdir(tmp_path)
    assert amdahlc.analyze("-").busy_ns == amdahlc.analyze(trace="-").busy_ns == amdahlc.analyze(TRACE).busy_ns


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


def test_curve_and_goal_are_those_of_the_command_and_the_report_stays(command):
    report = amdahlc.analyze(MODEL, trace=TRACE, curve="gelu")
    before = report.to_json()
    curve = report.curve("linear")
    assert curve == json.loads(command("-emit=json", "-curve=linear"))["runs"][0]["curves"][0]
    assert report.curve("gelu") == report.runs["encoder"].data["curves"][0]
    assert report.goal("1.1x") == json.loads(command("-emit=json", "-goal=1.1x"))["runs"][0]["goal"]
    assert report.goal(1.1)["target_ns"] == report.goal("1.1x")["target_ns"]
    assert report.to_json() == before
    assert report.render("json") == before.encode()
    assert [row["selector"] for row in report.curves.to_dicts()] == ["gelu"]
    with pytest.raises(amdahlc.InputError, match="no_such_group"):
        report.curve("no_such_group")
    with pytest.raises(amdahlc.InputError):
        report.goal("fast")
    assert report.render("json") == before.encode()


def test_the_lines_of_the_readme(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    block, = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    exec(block, {})
    assert "cuda-graph: wall" in capsys.readouterr().out


def kept(path, **changes):
    """A saved report whose description has other values."""
    with zipfile.ZipFile(path) as saved:
        document = json.loads(saved.read("amdahlc.json"))
        members = {name: saved.read(name) for name in saved.namelist() if name != "amdahlc.json"}
    with zipfile.ZipFile(path, "w") as changed:
        for name, data in members.items():
            changed.writestr(name, data)
        changed.writestr("amdahlc.json", json.dumps({**document, **changes}))
    return path


@pytest.mark.parametrize("changes", [
    {"traces": None}, {"options": [["hardware", "h100", ["/etc/passwd"]]]}, {"options": [["hardware", "/etc/passwd", [None]]]},
    {"operands": ["../../etc/passwd"]}, {"traces": [["", ["/etc/passwd"]]]}, {"options": [["print-to", "x", []]]}, {"options": 3}])
def test_a_saved_report_that_reaches_beyond_itself_is_refused(report, tmp_path, changes):
    report.save(tmp_path / "saved.amdahlc")
    with pytest.raises(amdahlc.InputError, match="not a saved report"):
        amdahlc.load(kept(tmp_path / "saved.amdahlc", **changes))


def test_an_output_and_the_page(report, command, tmp_path):
    assert report.render("csv") == command("-emit=csv")
    report.to_html(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")
    assert "sandbox" in report._repr_html_()


def ranks_in(folder):
    """Traces of two ranks, and a file that is none."""
    folder.mkdir()
    for rank in range(2):
        shutil.copy(ROOT / "examples/h100/decoder.trace.json.gz", folder / f"rank{rank}.json.gz")
    (folder / "notes.txt").write_text("none")
    return folder


def test_a_report_of_a_folder_of_traces_is_saved(tmp_path):
    folder = ranks_in(tmp_path / "run one")
    for trace in (folder, folder / "rank*.json.gz"):
        report = amdahlc.analyze(trace=trace, rank=1)
        report.save(tmp_path / "saved")
        loaded = amdahlc.load(tmp_path / "saved")
        assert list(loaded.runs) == list(report.runs)
        assert len(loaded.tables["ranks"]) == 2
        assert loaded.runs[list(loaded.runs)[0]].busy_ns == report.busy_ns


@pytest.mark.filterwarnings("ignore::amdahlc.Warning")
def test_a_report_with_files_of_options_is_saved(tmp_path):
    (tmp_path / "own.yaml").write_text((ROOT / "hardware/h100-sxm.yaml").read_text())
    (tmp_path / "plan.yaml").write_text("scenarios: [{name: faster, speedups: [{rule: linear, speedup: 2}]}]\n")
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/own.akp").write_text('akp 1;\nimport "../pytorch.akp";\n')
    shutil.copytree(ROOT / "rules", tmp_path, dirs_exist_ok=True)
    baseline = tmp_path / "baseline.json"
    baseline.write_text(amdahlc.analyze(MODEL, trace=TRACE).to_json())
    report = amdahlc.analyze(MODEL, trace=TRACE, hardware=tmp_path / "own.yaml", rules=tmp_path / "rules/own.akp", baseline=baseline,
                             what_if=[tmp_path / "plan.yaml", "gelu=2x"])
    report.save(tmp_path / "saved")
    for path in (tmp_path / "own.yaml", tmp_path / "plan.yaml", tmp_path / "rules/own.akp", tmp_path / "pytorch.akp", baseline):
        path.unlink()
    loaded = amdahlc.load(tmp_path / "saved")
    assert [row["name"] for row in loaded.runs["encoder"].data["what_if"]] == ["faster", "gelu=2x"]
    assert loaded.runs["encoder"].data["roofline"] == report.runs["encoder"].data["roofline"]
    assert len(loaded.comparisons) == len(report.comparisons) == 1


def test_saved_and_pickled_reports_are_the_same(report, tmp_path):
    report.save(tmp_path / "run.amdahlc")
    loaded = amdahlc.load(tmp_path / "run.amdahlc")
    assert loaded.to_json() == report.to_json()
    again = pickle.loads(pickle.dumps(loaded))
    assert again.what_if("linear=2x") == report.what_if("linear=2x")
    assert again.notes == report.notes == []
    (tmp_path / "other").write_bytes(b"PK\x03\x04nothing")
    with pytest.raises(amdahlc.InputError, match="not a saved report"):
        amdahlc.load(tmp_path / "other")
