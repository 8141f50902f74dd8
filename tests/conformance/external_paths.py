#!/usr/bin/env python3
"""No path that a model names is ever touched: amdahlc runs under strace on models whose weights claim to lie in files that exist.

Skipped (exit 77) where strace is not installed or not allowed.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

FLOAT = 1
EXTERNAL = 1


def varint(value: int) -> bytes:
    result = b""
    while value > 0x7F:
        result += bytes([value & 0x7F | 0x80])
        value >>= 7
    return result + bytes([value])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def message(field: int, content: bytes | str) -> bytes:
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def external_tensor(name: str, location: str) -> bytes:
    """A TensorProto of two floats whose data is said to be in `location`."""
    entries = b"".join(message(13, message(1, key) + message(2, value)) for key, value in
                       (("location", location), ("offset", "0"), ("length", "8")))
    return number(1, 2) + number(2, FLOAT) + message(8, name) + entries + number(14, EXTERNAL)


def float_input(name: str) -> bytes:
    shape = message(1, number(1, 2))
    return message(1, name) + message(2, message(1, number(1, FLOAT) + message(2, shape)))


def model_naming(locations: list[str]) -> bytes:
    """Initializers, a constant's attribute and an initializer of a function's body each name a location."""
    graph, previous = b"", "x"
    for index, location in enumerate(locations):
        if index % 2 == 0:
            graph += message(5, external_tensor(f"w{index}", location))
        else:
            attribute = message(1, "value") + message(5, external_tensor("", location)) + number(20, 4)
            graph += message(1, message(2, f"w{index}") + message(4, "Constant") + message(5, attribute))
        graph += message(1, message(1, previous) + message(1, f"w{index}") + message(2, f"y{index}") + message(4, "Add"))
        previous = f"y{index}"
    graph += message(2, "hostile") + message(11, float_input("x")) + message(12, float_input(previous))
    return number(1, 10) + message(7, graph) + message(8, number(2, 21))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="the amdahlc under test")
    binary = os.path.abspath(parser.parse_args().binary)
    strace = shutil.which("strace")
    if strace is None or subprocess.run([strace, "-o", os.devnull, "true"], capture_output=True).returncode != 0:
        print("skipped: strace is not installed or not allowed here")
        return 77

    with tempfile.TemporaryDirectory() as folder:
        inside = pathlib.Path(folder) / "models"
        inside.mkdir()
        absolute = pathlib.Path(folder) / "absolute-secret.bin"
        parent = pathlib.Path(folder) / "parent-secret.bin"
        beside = inside / "beside-secret.bin"
        for secret in (absolute, parent, beside):
            secret.write_bytes(bytes(8))
        model = inside / "hostile.onnx"
        model.write_bytes(model_naming([str(absolute), "../parent-secret.bin", "beside-secret.bin", "../missing-secret.bin"]))

        log = pathlib.Path(folder) / "strace.log"
        # Under ptrace the leak checker of the sanitizers cannot work.
        environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
        command = [strace, "-f", "-s", "4096", "-e", "trace=%file", "-o", str(log), binary, "-passes=", "-o", "-", str(model)]
        run = subprocess.run(command, cwd=inside, env=environment, capture_output=True, text=True, timeout=120)
        if run.returncode != 0:
            print(f"amdahlc refuses the model: exit {run.returncode}\n{run.stderr}")
            return 1
        calls = log.read_text().splitlines()
        if not any("hostile.onnx" in call for call in calls):
            print("strace did not see the model being opened: the test sees nothing")
            return 1
        touched = [call for call in calls if "secret" in call]
        print("\n".join(touched) or f"{len(calls)} file calls, none of a path that the model names")
        return 1 if touched else 0


if __name__ == "__main__":
    sys.exit(main())
