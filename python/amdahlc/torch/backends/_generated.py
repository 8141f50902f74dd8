"""Which nodes of a captured graph the operators run that generated code calls.

`torch.compile` generates kernels, and calls the framework's operators for products, convolutions and attention, in an
order of its own. The trace names these operators only. Above each call the code lists the nodes of the captured graph
that it stems from:

    # Topologically Sorted Source Nodes: [y, linear_3], Original ATen: [aten.mul, aten.view, aten.t, aten.mm]
    extern_kernels.mm(...)

So the n-th call of an operator in the code is its n-th event in the trace.
"""

from __future__ import annotations

import bisect
import gzip
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

# The annotation around each call of code that the compiler made.
REGION = "Call CompiledFxGraph"
_NODE = "amdahlc node"
_LIST = re.compile(r"# Topologically Sorted Source Nodes: \[([^\]]*)\]")
_CALL = re.compile(r"\bextern_kernels\.(\w+)\(|\btorch\.ops\.(\w+)\.(\w+)\.\w+\(")
_KERNEL = re.compile(r"^cpp_fused_\w+\(|\.run\(")
_CONVOLUTION = re.compile(r"conv(_transpose)?[123]d|convolution")
_PRODUCTS = {"linear", "matmul", "__matmul__", "mm", "bmm", "addmm", "baddbmm", "einsum"}


def stated(file: bytes, codes: Sequence[str], graph: torch.fx.Graph) -> bytes:
    """States the node that each operator called by generated code runs, where the code tells it.

    Parameters
    ----------
    file : bytes
        A compressed trace of PyTorch's profiler.
    codes : sequence of str
        What was generated for the graph. Nothing is stated of a region whose operators are not those of one code.
    graph : torch.fx.Graph
        The captured graph.
    """
    targets = {node.name: getattr(node.target, "__name__", str(node.target)) for node in graph.nodes}
    calls = [_calls(code, targets) for code in codes]
    operators = {operator for code in calls for operator, _ in code}
    trace = json.loads(gzip.decompress(file))
    for events in _regions(trace["traceEvents"]):
        found = [event for event in events if event["name"] in operators]
        fitting = [code for code in calls if code and [operator for operator, _ in code] == [event["name"] for event in found]]
        if len(fitting) != 1:
            continue
        for event, (_, node) in zip(found, fitting[0], strict=True):
            if node:
                event.setdefault("args", {})[_NODE] = node
    return gzip.compress(json.dumps(trace).encode(), 3, mtime=0)


def renamed(file: bytes, names: Mapping[str, str]) -> bytes:
    """The trace with the nodes that it states by the names that a model has for them, without those that it lacks."""
    if not file.startswith(b"\x1f\x8b") or _NODE.encode() not in (text := gzip.decompress(file)):
        return file
    trace = json.loads(text)
    for event in trace["traceEvents"]:
        if node := event.get("args", {}).pop(_NODE, None):
            if node in names:
                event["args"][_NODE] = names[node]
    return gzip.compress(json.dumps(trace).encode(), 3, mtime=0)


def _calls(code: str, targets: Mapping[str, str]) -> list[tuple[str, str]]:
    """The operators that the code calls, as the trace names them, each with its node; empty: not known."""
    calls: list[tuple[str, list[str]]] = []
    nodes: list[str] = []
    for line in code[max(code.find("def call("), 0):].splitlines():
        text = line.strip()
        if listed := _LIST.match(text):
            nodes = listed[1].split(", ")
        elif not text.startswith(("#", "assert")) and (call := _CALL.search(text)):
            operator = f"aten::{call[1]}" if call[1] else f"{call[2]}::{call[3]}"
            calls.append((operator, [node for node in nodes if _may_run(operator, targets.get(node, ""))]))
            nodes = []
        elif _KERNEL.search(text):
            nodes = []
    # A call also lists the nodes whose results it only reads; these have calls of their own.
    last = [listed[-1] if listed else "" for _, listed in calls]
    return [(operator, node if node and last.count(node) == 1 and not set(listed[:-1]) - set(last) else "")
            for (operator, listed), node in zip(calls, last, strict=True)]


def _may_run(operator: str, target: str) -> bool:
    name = operator.rpartition("::")[2].strip("_")
    if "mm" in name or "linear" in name:
        return target in _PRODUCTS
    if "scaled_dot_product" in name:
        return target == "scaled_dot_product_attention"
    return "convolution" in name and _CONVOLUTION.fullmatch(target) is not None


def _regions(events: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """For each call of generated code the outermost operators within it, in order."""
    threads: dict[tuple[Any, Any], list[dict[str, Any]]] = {}
    regions = []
    for event in events:
        if event.get("ph") != "X":
            continue
        if event.get("cat") == "cpu_op":
            threads.setdefault((event.get("pid"), event["tid"]), []).append(event)
        elif REGION in event.get("name", ""):
            regions.append(event)
    for operators in threads.values():
        operators.sort(key=lambda event: (event["ts"], -event["dur"]))
    for region in regions:
        operators = threads.get((region.get("pid"), region["tid"]), [])
        outermost: list[dict[str, Any]] = []
        for event in itertools.islice(operators, bisect.bisect_left(operators, region["ts"], key=lambda event: event["ts"]), None):
            if event["ts"] >= region["ts"] + region["dur"]:
                break
            if not outermost or event["ts"] >= outermost[-1]["ts"] + outermost[-1]["dur"]:
                outermost.append(event)
        yield outermost
