"""Captured graphs as ONNX models."""

from __future__ import annotations

import contextlib
import copy
import logging
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from .._graph import Graph, is_tensor
from .._tensors import cloned


@dataclass
class Exported:
    """A graph as an ONNX model.

    Attributes
    ----------
    model : bytes
        With weights as initializers.
    feeds : list of (str, int)
        Its inputs: their names and their positions among the inputs of the graph.
    results : list of int or None
        For each result of the graph its position among the outputs; None: it is no tensor.
    constants : list
        The results that are no tensors.
    changed : list of (int, int)
        Inputs that the graph changes: their positions, and the positions of their new values among the outputs.
    nodes : dict
        From a node of the graph to that of the model which returns its value, where there is one such node.
    """

    model: bytes
    feeds: list[tuple[str, int]]
    results: list[int | None]
    constants: list[Any]
    changed: list[tuple[int, int]]
    nodes: dict[str, str]


def export(graph: Graph, inputs: Sequence[Any], changed: Sequence[int]) -> Exported:
    """Exports a graph with its weights, for the shapes and the numbers of these inputs.

    Parameters
    ----------
    graph : Graph
    inputs : sequence
        Tensors and numbers. Numbers become constants of the model.
    changed : sequence of int
        The inputs that the graph changes in place. ONNX has no such thing: their new values become outputs.

    Raises
    ------
    Exception
        What the exporter says.
    """
    import onnx_ir

    module, results, constants = _functional(graph, inputs, changed)
    tensors = [index for index, value in enumerate(inputs) if isinstance(value, torch.Tensor)]
    with _quiet():
        program = torch.onnx.export(module, tuple(inputs[index] for index in tensors), dynamo=True, optimize=False,
                                    verbose=False)
    if program is None:
        raise RuntimeError("the exporter gave no program")
    model = program.model
    given = list(model.graph.inputs)
    if len(given) != len(tensors):
        raise RuntimeError(f"the exported model has {len(given)} inputs for {len(tensors)} tensors")
    feeds = []
    for value, index in zip(given, tensors, strict=True):
        name = graph.inputs[index].name
        if graph.inputs[index].weight and index not in changed:
            value.name = name
            tensor = inputs[index].detach().cpu().contiguous()
            value.const_value = _tensor(onnx_ir, tensor, name)
            model.graph.register_initializer(value)
            model.graph.inputs.remove(value)
        else:
            feeds.append((str(value.name), index))
    with _quiet():
        program.optimize()
    outputs = len(model.graph.outputs)
    wanted = sum(one is not None for one in results) + len(changed)
    if outputs != wanted:
        raise RuntimeError(f"the exported model has {outputs} outputs for {wanted} results")
    # An optimizer may rename or drop inputs that nothing reads.
    left = {value.name for value in model.graph.inputs}
    return Exported(program.model_proto.SerializeToString(), [one for one in feeds if one[0] in left], results, constants,
                    [(index, outputs - len(changed) + place) for place, index in enumerate(changed)], _nodes(program))


def _nodes(program: Any) -> dict[str, str]:
    named = {value.name: node.name for node in program.model.graph for value in node.outputs}
    nodes: dict[str, list[str]] = {}
    for node in program.exported_program.graph.nodes:
        # The exporter calls a value as its node is called.
        if (stack := node.meta.get("source_fn_stack")) and node.name in named:
            nodes.setdefault(stack[-1][0], []).append(named[node.name])
    return {source: found[0] for source, found in nodes.items() if len(found) == 1}


def _functional(graph: Graph, inputs: Sequence[Any],
                changed: Sequence[int]) -> tuple[torch.fx.GraphModule, list[int | None], list[Any]]:
    """A copy of the graph without numbers among inputs and results, which returns what it changes."""
    module = copy.deepcopy(graph.module)
    nodes = module.graph
    places = [node for node in nodes.nodes if node.op == "placeholder"]
    first = next(node for node in nodes.nodes if node.op != "placeholder")
    copies = []
    for index, place in enumerate(places):
        if not isinstance(inputs[index], torch.Tensor):
            place.replace_all_uses_with(inputs[index])
            nodes.erase_node(place)
        elif index in changed:
            with nodes.inserting_before(first):
                copied = nodes.call_method("clone", (place,))
            place.replace_all_uses_with(copied, delete_user_cb=lambda user, one=copied: user is not one)
            copies.append(copied)
    for node in nodes.nodes:
        # The exporter keeps this of the nodes that it makes of one.
        node.meta["source_fn_stack"] = [(node.name, node.target)]
    output = next(node for node in reversed(nodes.nodes) if node.op == "output")
    values = None
    results: list[int | None] = []
    constants: list[Any] = []
    tensors: list[torch.fx.Node] = []
    for one in output.args[0]:
        if isinstance(one, torch.fx.Node) and is_tensor(one):
            results.append(len(tensors))
            tensors.append(one)
        else:
            if isinstance(one, torch.fx.Node) and values is None:
                values = graph.module.forward(*cloned(inputs))
            results.append(None)
            constants.append(one if values is None else values[len(results) - 1])
    output.args = ((*tensors, *copies),)
    nodes.lint()
    module.recompile()
    return module, results, constants


def _tensor(ir: Any, tensor: torch.Tensor, name: str) -> Any:
    if tensor.dtype == torch.bfloat16:
        return ir.Tensor(tensor.view(torch.uint16).numpy(), dtype=ir.DataType.BFLOAT16, name=name)
    return ir.tensor(tensor.numpy(), name=name)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """The exporter warns and logs about packages that are not installed, and about models that train."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
