"""Programs of many kinds: the report is right by module, and the program is as it was."""

import json

import pytest
import torch
from amdahlc.torch import profile
from checks.sampling import sampled
from hooked import Timed, leaves
from programs import bits
from ten import PROGRAMS

STEPS = 6


@pytest.mark.parametrize("name", sampled(sorted(PROGRAMS)))
def test_a_program(name):
    torch._dynamo.reset()
    program = PROGRAMS[name]()
    program.call(*program.args)
    timed = Timed(program.timed or {path: one for key, model in program.models.items() for path, one in leaves(model, key).items()})
    before = bits(*program.state)
    step = timed.step(program.call)
    report = profile(step, *program.args, iterations=STEPS, warmup=1, state=program.state)
    assert bits(*program.state) == before
    run = report.runs["run"].data
    assert report.trust == "full", report
    assert run["trace"]["iterations"] == STEPS
    assert json.loads(report.to_json())["data_problems"] == []
    busy, recorded = run["trace"]["samples_ns"]["busy"][0], report.recording.step_ns
    assert all(one <= whole for one, whole in zip(busy, recorded))
    assert [phase["name"] for phase in run["phases"] if phase["name"] == "backward"] == ["backward"] * (name in ("training", "custom_function"))
    timed.compare(run, STEPS)
    assert any("`torch.compile` no module is called" in note for note in report.notes) == (program.timed is not None)


def test_the_fast_path_of_a_transformer_stays_what_it_is():
    model = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), 2, enable_nested_tensor=False).eval()
    with torch.no_grad():
        report = profile(model, torch.randn(2, 8, 64), iterations=2, warmup=1)
    kernels = report.runs["run"].data["kernels"]
    assert [(one["operator"], one["scope"]) for one in kernels] == [("aten::_transformer_encoder_layer_fwd", f"layers.{index}") for index in (0, 1)]
    assert not torch.nn.modules.module._has_any_global_hook()
