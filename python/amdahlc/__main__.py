"""The command: ``python -m amdahlc`` is ``amdahlc``."""

import sys

from . import _core
from ._report import _DATA


def main() -> int:
    """Runs the command with the arguments of the process; returns its exit code."""
    return _core.run_command(sys.argv[1:], str(_DATA))


if __name__ == "__main__":
    sys.exit(main())
