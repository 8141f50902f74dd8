"""Programs of many kinds: the report is right by module, and the program is as it was.

Hooks of the test time the modules in the same steps as the recording. Operators of a module run inside of its call, so the
report may not give it more than its hooks, however much the machine is disturbed; and in the step that is disturbed
least it has to give nearly as much.
"""

import json
import time
from collections import defaultdict

import pytest
import torch
from amdahlc.torch import profile
from checks.sampling import sampled
from programs import bits
from ten import PROGRAMS

STEPS = 6


class Timed:
    """How long each call of a module takes, by path and step."""

    def __init__(self, models):
        self.steps = []
        self._handles = []
        for key, model in models.items():
            for path, module in model.named_modules(prefix=key):
                path = path.replace("_orig_mod.", "")
                if path and not list(module.children()) or path.endswith("lstm"):
                    open_calls = []
                    self._handles.append(module.register_forward_pre_hook(lambda *_, calls=open_calls: calls.append(time.perf_counter_ns())))
                    self._handles.append(module.register_forward_hook(lambda *_, calls=open_calls, path=path: self._end(path, calls)))

    def _end(self, path, calls):
        self.steps[-1][path] += time.perf_counter_ns() - calls.pop()

    def step(self, call):
        def timed(*args):
            self.steps.append(defaultdict(int))
            return call(*args)

        return timed


@pytest.mark.parametrize("name", sampled(sorted(PROGRAMS)))
def test_a_program(name):
    torch._dynamo.reset()
    program = PROGRAMS[name]()
    program.call(*program.args)
    timed = Timed(program.models) if name != "compiled" else Timed({})
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
    if name == "compiled":
        assert any("CompiledFxGraph" in kernel["nodes"][0] or "mm" in kernel["operator"] for kernel in run["kernels"])
        return
    found = {path: [0] * STEPS for path in timed.steps[-1]}
    for kernel in run["kernels"]:
        if kernel["phase"] == "forward" and kernel["scope"] in found and kernel["samples_ns"]:
            found[kernel["scope"]] = [one + more for one, more in zip(found[kernel["scope"]], kernel["samples_ns"][0])]
    steps = timed.steps[-STEPS:]
    whole = sum(min(step[path] for step in steps) for path in found)
    for path, samples in found.items():
        hooks = [step[path] for step in steps]
        assert all(one <= 1.02 * hook + 2000 for one, hook in zip(samples, hooks)), (path, samples, hooks)
        if min(hooks) > 0.1 * whole:
            assert max(one / hook for one, hook in zip(samples, hooks)) > 0.7, (path, samples, hooks)


def test_the_fast_path_of_a_transformer_stays_what_it_is():
    model = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), 2, enable_nested_tensor=False).eval()
    with torch.no_grad():
        report = profile(model, torch.randn(2, 8, 64), iterations=2, warmup=1)
    kernels = report.runs["run"].data["kernels"]
    assert [(one["operator"], one["scope"]) for one in kernels] == [("aten::_transformer_encoder_layer_fwd", f"layers.{index}") for index in (0, 1)]
    assert not torch.nn.modules.module._has_any_global_hook()
