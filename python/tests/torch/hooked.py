"""Times of modules by hooks of the test, and their comparison with a report of the same steps.

Operators of a module run inside of its call, so the report may not give it more than its hooks, however much the machine is
disturbed; and in the step that is disturbed least it has to give nearly as much.
"""

import time
from collections import defaultdict

import torch


def leaves(model, key=""):
    """The modules without parts of a model, and LSTMs, by path."""
    return {path: module for path, module in model.named_modules(prefix=key) if path and (not list(module.children()) or isinstance(module, torch.nn.LSTM))}


class Timed:
    """How long each call of a module takes, by path and step."""

    def __init__(self, modules):
        self.steps = []
        for path, module in modules.items():
            calls = []
            # Of a module that was compiled in place, TorchDynamo sees the hooks.
            unseen = torch.compiler.disable if module._compiled_call_impl is not None else lambda hook: hook
            module.register_forward_pre_hook(unseen(lambda *_, calls=calls: calls.append(time.perf_counter_ns())))
            module.register_forward_hook(unseen(lambda *_, calls=calls, path=path: self._end(path, calls)))

    def _end(self, path, calls):
        self.steps[-1][path] += time.perf_counter_ns() - calls.pop()

    def step(self, call):
        def timed(*args):
            self.steps.append(defaultdict(int))
            return call(*args)

        return timed

    def compare(self, run, steps):
        """Checks the times of the forward pass in the last steps, by scope."""
        found = {path: [0] * steps for path in self.steps[-1]}
        assert found
        for kernel in run["kernels"]:
            if kernel["phase"] == "forward" and kernel["scope"] in found and kernel["samples_ns"]:
                found[kernel["scope"]] = [one + more for one, more in zip(found[kernel["scope"]], kernel["samples_ns"][0])]
        last = self.steps[-steps:]
        whole = sum(min(step[path] for step in last) for path in found)
        for path, samples in found.items():
            hooks = [step[path] for step in last]
            assert all(one <= 1.02 * hook + 2000 for one, hook in zip(samples, hooks)), (path, samples, hooks)
            if min(hooks) > 0.1 * whole:
                assert max(one / hook for one, hook in zip(samples, hooks)) > 0.5, (path, samples, hooks)
