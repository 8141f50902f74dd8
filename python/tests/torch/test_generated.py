"""Generated code tells which nodes the operators that it calls run."""

import gzip
import json

import pytest

torch = pytest.importorskip("torch")

from amdahlc.torch.backends._generated import renamed, stated  # noqa: E402

CODE = """
def call(self, args):
    cpp_fused_mul_0(arg0, buf0)
    # Topologically Sorted Source Nodes: [y, up], Original ATen: [aten.mul, aten.view, aten.t, aten.mm]
    extern_kernels.mm(buf0, arg1, out=buf1)
    # Topologically Sorted Source Nodes: [gate], Original ATen: [aten.view, aten.t, aten.mm]
    extern_kernels.mm(buf0, arg2, out=buf2)
    # Topologically Sorted Source Nodes: [gate, up, product, image], Original ATen: [aten.mul, aten.convolution]
    buf3 = extern_kernels.convolution(buf2, arg3)
    assert_size_stride(buf3, (1, 2), (2, 1), 'torch.ops.aten.convolution.default')
"""


def graph():
    nodes = torch.fx.Graph()
    x, weight = nodes.placeholder("x"), nodes.placeholder("weight")
    y = nodes.create_node("call_function", torch.mul, (x, x), name="y")
    gate = nodes.create_node("call_function", torch._C._nn.linear, (y, weight), name="gate")
    up = nodes.create_node("call_function", torch._C._nn.linear, (y, weight), name="up")
    product = nodes.create_node("call_function", torch.mul, (gate, up), name="product")
    nodes.output((nodes.create_node("call_function", torch.conv2d, (product, weight), name="image"),))
    return nodes


def trace(operators, region="## Call CompiledFxGraph f1 ##"):
    spans = [{"ph": "X", "cat": "user_annotation", "name": region, "tid": 1, "ts": 0, "dur": 100}]
    for place, name in enumerate(operators):
        spans.append({"ph": "X", "cat": "cpu_op", "name": name, "tid": 1, "ts": 10 * place, "dur": 8})
        # An operator calls others, of the same name, too.
        spans.append({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "tid": 1, "ts": 10 * place + 1, "dur": 2})
    spans.append({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "tid": 1, "ts": 200, "dur": 8})
    return gzip.compress(json.dumps({"traceEvents": spans}).encode())


def nodes_of(file):
    events = json.loads(gzip.decompress(file))["traceEvents"]
    return [(event["name"], event["args"]["amdahlc node"]) for event in events if event.get("args", {}).get("amdahlc node")]


OPERATORS = ["graph_0_cpp_fused_mul_0", "aten::mm", "aten::mm", "aten::convolution"]


def test_each_call_states_its_node():
    file = stated(trace(OPERATORS), [CODE], graph())
    assert nodes_of(file) == [("aten::mm", "up"), ("aten::mm", "gate"), ("aten::convolution", "image")]


@pytest.mark.parametrize("file, codes", [
    (trace(OPERATORS[:-1]), [CODE]),
    (trace(OPERATORS), [CODE, CODE]),
    (trace(OPERATORS), []),
    (trace(OPERATORS, "another annotation"), [CODE]),
], ids=["other operators", "two codes", "no code", "no region"])
def test_nothing_is_stated_of_what_is_not_known(file, codes):
    assert nodes_of(stated(file, codes, graph())) == []


def test_one_product_of_two_nodes_states_neither():
    code = CODE.replace("[y, up]", "[y, gate, up]").replace("[gate],", "[y],")
    assert nodes_of(stated(trace(OPERATORS), [code], graph())) == [("aten::convolution", "image")]


def test_nodes_have_the_names_of_the_model():
    file = stated(trace(OPERATORS), [CODE], graph())
    assert nodes_of(renamed(file, {"up": "node_linear_1", "image": "node_conv2d"})) == [
        ("aten::mm", "node_linear_1"), ("aten::convolution", "node_conv2d")]
    assert renamed(trace(OPERATORS), {"up": "node_linear_1"}) == trace(OPERATORS)
