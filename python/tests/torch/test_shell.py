"""`python -m amdahlc.torch`: what it takes, what it writes, and its errors."""

import subprocess
import sys
from typing import NamedTuple

import amdahlc
import pytest
from amdahlc.torch.__main__ import main

SCRIPT = """
import torch
torch.set_num_threads(1)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = torch.nn.Linear(16, 16), torch.nn.Linear(16, 4)
    def forward(self, x, scale=1.0):
        return self.two(self.one(x).relu()) * scale
def make():
    return Net(), torch.randn(4, 16)
def several():
    return Net(), (torch.randn(4, 16), 2.0)
def named():
    return Net(), torch.randn(4, 16), {"scale": 2.0}
def step():
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    def train():
        optimizer.zero_grad()
        net(torch.randn(4, 16)).sum().backward()
        optimizer.step()
    return train
def nothing():
    pass
def failing():
    return {}["missing"]
"""


class Ran(NamedTuple):
    code: int
    out: str
    error: str


@pytest.fixture
def shell(tmp_path, monkeypatch, capsys):
    (tmp_path / "script.py").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments):
        try:
            code = main(arguments)
        except SystemExit as ended:
            code = ended.code
        return Ran(code, *capsys.readouterr())

    return run


def test_a_module_and_its_inputs(shell, tmp_path):
    ran = shell("script.py:make", "--iterations=3", "--warmup=1", "--html=out.html", "--json=out.json", "--save=out.saved")
    assert (ran.code, ran.error) == (0, "")
    assert "3 iterations" in ran.out and "page: out.html" in ran.out and "recording changes it" in ran.out
    assert (tmp_path / "out.html").read_text().startswith("<!")
    assert amdahlc.load(tmp_path / "out.saved").to_json() == (tmp_path / "out.json").read_text()


@pytest.mark.parametrize("name", ["script.py", "script.py:several", "script.py:named", "script.py:step"])
def test_what_a_function_may_return(shell, name):
    ran = shell(name, "--iterations=2", "--warmup=0")
    assert (ran.code, ran.error) == (0, "")
    assert "two" in ran.out and "no display" in ran.out


@pytest.mark.parametrize(("arguments", "text"), [
    (["missing.py:make"], "missing.py: no such file"),
    (["script.py:other"], "no function `other`; it has Net, make, several, named, step, nothing, failing"),
    (["script.py:nothing"], "returned NoneType; it has to return a module and its inputs"),
    (["script.py:failing"], "KeyError: 'missing'"),
    (["script.py:make", "--html=no/such/folder.html", "--iterations=1", "--warmup=0"], "no/such/folder.html: No such file"),
    (["script.py:make", "--hardware=abacus", "--iterations=1", "--warmup=0"], "abacus"),
])
def test_errors(shell, arguments, text):
    ran = shell(*arguments)
    assert ran.code == 1
    assert text in ran.error and "amdahlc/torch" not in ran.error


def test_wrong_options_are_those_of_a_command(shell):
    ran = shell("script.py:make", "--iterations=0")
    assert ran.code == 2 and "no whole number from 1 on" in ran.error
    assert "SCRIPT.py:FUNCTION" in shell("--help").out


def test_the_module_runs(tmp_path):
    ran = subprocess.run([sys.executable, "-m", "amdahlc.torch", "missing.py"], cwd=tmp_path, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == "python -m amdahlc.torch: error: missing.py: no such file; the program is SCRIPT.py:FUNCTION\n"
