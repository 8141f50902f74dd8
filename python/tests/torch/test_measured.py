"""What a back end measured: turns, and differences of results."""

import pytest
import torch
from amdahlc.torch._graph import Graph, Input
from amdahlc.torch._measure import Measured, Settings, joined, measure
from amdahlc.torch._results import Segment
from amdahlc.torch._tensors import Modes, RandomState
from amdahlc.torch.backends import Backend, Compiled


def test_turns_of_backward_samples_are_their_own():
    # The machine is slower from turn to turn; only the later ones have gradients on the second back end.
    first = Measured(samples_ns=[1] * 20, turns=list(range(20)), backward_ns=[1000 * 2**turn for turn in range(20)], backward_turns=list(range(20)))
    second = Measured(samples_ns=[1] * 20, turns=list(range(20)), backward_ns=[1001 * 2**turn for turn in range(10, 20)],
                      backward_turns=list(range(10, 20)))
    third = Measured(samples_ns=[1] * 20, turns=list(range(20)), backward_ns=[1000 * 2**turn for turn in range(10, 20)],
                     backward_turns=list(range(10, 20)))
    measured = {"first": first, "second": second, "third": third}
    assert Segment("graph", "Graph #1", 1, [], None, measured).within_noise() == set(measured)
    assert Segment("backward", "Graph #1 backward", 1, [], None, measured).within_noise() == {"first", "third"}
    both = joined(second, third)
    assert len(both.backward_turns) == len(set(both.backward_turns)) == len(both.backward_ns) == 20
    second.fail("wrong")
    assert not second.backward_turns


@pytest.mark.parametrize("result", [[torch.ones(3)], [torch.ones(2, dtype=torch.float64)], [torch.tensor([1.0, torch.nan])], [None], []])
def test_what_cannot_be_subtracted_has_no_difference(result):
    class Wrong(Backend):
        def compile(self, graph, inputs, changed):
            class Run(Compiled):
                def run(self, inputs):
                    return result

            return Run()

    graph = Graph(torch.fx.symbolic_trace(lambda x: (x * 2,)), [Input("x", False)], Modes.now())
    measured = measure(graph, [([torch.ones(2)], RandomState.now())], {"wrong": Wrong()}, Settings(2, True, False, False))["wrong"]
    assert measured.failures == 1 and "wrong result" in measured.reasons[0] and measured.difference is None
