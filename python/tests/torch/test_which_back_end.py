"""The notebook about back ends runs from its first cell to its last."""

import os
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[3] / "examples/notebooks/5-which-back-end.ipynb"


@pytest.mark.skipif("AMDAHLC_NIGHTLY" not in os.environ, reason="it compiles for a minute")
def test_the_notebook_runs():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("matplotlib")
    pytest.importorskip("onnxruntime")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=600).execute()
    printed = "".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", []))
    assert "Graph breaks:" in printed and "Take " in printed and "Traceback" not in printed
