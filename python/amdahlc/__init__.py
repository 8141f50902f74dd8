"""What limits the speed of a neural network, and what a change would save: analyses of measured runs.

>>> import amdahlc
>>> report = amdahlc.analyze("examples/encoder.trace.json.gz")
>>> len(report.advice) > 0
True

Nothing of machine learning is imported, nothing is printed, and every error of the command ``amdahlc`` is an exception
with the same text.
"""

from ._core import version as __version__
from ._errors import Diagnostic, Error, InputError, InternalError, LimitError, Warning
from ._prediction import Prediction
from ._ranks import Ranks, ranks
from ._report import Report, analyze, load
from ._run import Run
from ._table import Table

__all__ = [
    "Diagnostic",
    "Error",
    "InputError",
    "InternalError",
    "LimitError",
    "Prediction",
    "Ranks",
    "Report",
    "Run",
    "Table",
    "Warning",
    "__version__",
    "analyze",
    "load",
    "ranks",
]
