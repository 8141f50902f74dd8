#!/usr/bin/env python3
"""Every ONNX conformance model of Debian's libonnx-testdata is imported, printed, parsed back and printed the same.

Skipped (exit 77) where the package is not installed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

PACKAGE = "libonnx-testdata"
EXPECTED = 1072  # in version 1.12.0: fewer means that the test looks in the wrong place


def conformance_models() -> list[str]:
    try:
        listing = subprocess.run(["dpkg", "-L", PACKAGE], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    return sorted(line for line in listing.splitlines() if line.endswith(".onnx"))


def round_trip(binary: str, model: str, folder: pathlib.Path) -> str:
    """An explanation, or an empty string when the model survives."""
    first, second = folder / "first.air", folder / "second.air"
    for source, target in ((model, first), (first, second)):
        command = [binary, "-passes=", "-verify-each", "-o", str(target), str(source)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if run.returncode != 0 or run.stderr:
            return f"{' '.join(command)}: exit {run.returncode}\n{run.stderr}"
    if first.read_bytes() != second.read_bytes():
        return f"{model}: the text form changes when it is read and printed again"
    return ""


def check(binary: str, models: list[str]) -> list[str]:
    def one(model: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            return round_trip(binary, model, pathlib.Path(folder))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [failure for failure in pool.map(one, models) if failure]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="the amdahlc under test")
    parser.add_argument("--every", type=int, default=1, help="try every Nth model of the package's")
    parser.add_argument("models", nargs="*", help="models to try instead of the package's")
    arguments = parser.parse_args()
    models = arguments.models or conformance_models()
    if not models:
        print(f"skipped: package {PACKAGE} is not installed")
        return 77
    tried = models if arguments.models else models[:: arguments.every]
    failures = check(arguments.binary, tried)
    for failure in failures[:20]:
        print(failure)
    print(f"{len(tried) - len(failures)} of {len(tried)} models survive the round trip")
    if not arguments.models and len(models) < EXPECTED:
        print(f"{PACKAGE} lists {len(models)} models; {EXPECTED} were expected")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
