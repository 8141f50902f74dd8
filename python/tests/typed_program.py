"""Uses all of the package with types that `mypy --strict` checks; test_documentation.py runs it."""

from __future__ import annotations

import pickle
import sys
from fractions import Fraction
from pathlib import Path

import amdahlc
import polars


def analyze(model: Path, trace: Path, folder: Path) -> list[str]:
    seen: list[str] = []

    def progress(what: str, part: float) -> None:
        seen.append(f"{what} {part}")

    report: amdahlc.Report = amdahlc.analyze(model, trace=trace, hardware="h100-sxm", progress=progress, stat="mean")
    both: amdahlc.Report = amdahlc.analyze(model, trace={"a": trace, "b": [trace]}, progress=False)
    times: list[int | None] = [report.wall_ns, report.busy_ns, report.window_ns]
    texts: list[str | None] = [report.verdict, report.trust, amdahlc.__version__, str(report), repr(report)]
    tables: dict[str, amdahlc.Table] = {"kernels": report.kernels, **report.tables, **report.runs["encoder"].tables}
    advice: amdahlc.Table = report.advice
    names: list[str] = advice.columns
    kinds: list[str] = [advice.schema[name] for name in names]
    rows: list[dict[str, object]] = advice.to_dicts()
    frame: polars.DataFrame = polars.DataFrame(report.category)
    segments: amdahlc.Table = both.compare
    events: amdahlc.Table | None = report.events
    liveness: dict[str, object] | None = report.liveness
    prediction: amdahlc.Prediction = report.what_if({"linear": "2x", "gelu": 1.5, "softmax": Fraction(3, 2)})
    predicted: tuple[int | None, float | None, tuple[str, ...]] = (prediction.busy_ns, prediction.speedup, prediction.assumes)
    of_run: amdahlc.Prediction = both.runs["b"].what_if("linear=2x")
    curve: dict[str, object] = report.curve("linear")
    goal: dict[str, object] = report.goal(1.1)
    picture: bytes = report.render("svg<fold=2>")
    page: str | None = report.to_html()
    report.to_html(folder / "page.html")
    report.save(folder / "run.amdahlc")
    loaded: amdahlc.Report = amdahlc.load(folder / "run.amdahlc")
    again: amdahlc.Report = pickle.loads(pickle.dumps(loaded))
    assert [run.busy_ns for run in again.runs.values()] == [report.busy_ns]
    warnings: list[amdahlc.Diagnostic] = report.warnings
    try:
        amdahlc.analyze(b"", trace=trace)
    except amdahlc.LimitError:
        raise
    except amdahlc.InputError as error:
        places: list[tuple[str, str | None, int | None]] = [(one.code, one.file, one.line) for one in error.diagnostics]
        seen += [code for code, _, _ in places]
    run: amdahlc.Run
    for run in both.runs.values():
        seen.append(f"{run.label} {run.trust} {len(run.scope)} {run.data['label']}")
    return [*seen, *(str(one) for one in (times, texts, len(tables), kinds, len(rows), frame.height, len(segments), events, liveness is None,
                                          predicted, of_run, len(curve), len(goal), len(picture), page is None, len(warnings)))]


if __name__ == "__main__":
    print(*analyze(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])), sep="\n")
