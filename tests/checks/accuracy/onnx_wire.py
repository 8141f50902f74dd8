"""Reads and reorders the nodes of an ONNX file on the level of protobuf's wire format; needs no package.

Only what scoring needs is decoded: of nodes their name, type, inputs, outputs, metadata and bodies, of constants their dimensions. `permuted`
moves the encoded nodes as they are, so that everything that is not decoded here is kept.
"""
import random
from typing import NamedTuple

from checks.protobuf import contents, field, fields, read_varint

# Numbers of fields in onnx.proto.
MODEL_GRAPH = 7
GRAPH_NODE, GRAPH_INITIALIZER = 1, 5
TENSOR_DIMS, TENSOR_NAME = 1, 8
NODE_INPUT, NODE_OUTPUT, NODE_NAME, NODE_TYPE, NODE_ATTRIBUTE, NODE_METADATA = 1, 2, 3, 4, 5, 9
ATTRIBUTE_NAME, ATTRIBUTE_GRAPH, ATTRIBUTE_GRAPHS = 1, 6, 11
ENTRY_KEY, ENTRY_VALUE = 1, 2


class Node(NamedTuple):
    name: str
    type: str
    inputs: list      # names of values, with those that bodies take from outside
    outputs: list
    metadata: dict
    bodies: list      # (attribute, nodes) of each graph that is an attribute


def text_entry(data):
    key = value = ''
    for number, _, content in fields(data):
        if number == ENTRY_KEY:
            key = content.decode()
        elif number == ENTRY_VALUE:
            value = content.decode()
    return key, value


def bodies_of(attribute):
    """(attribute, nodes) of each graph of an attribute."""
    name = ''.join(content.decode() for content in contents(attribute, ATTRIBUTE_NAME))
    return [(name, [decode_node(node) for node in contents(content, GRAPH_NODE)]) for number, _, content in fields(attribute)
            if number in (ATTRIBUTE_GRAPH, ATTRIBUTE_GRAPHS)]


def decode_node(data):
    name = kind = ''
    inputs, outputs, metadata, bodies = [], [], {}, []
    for number, _, content in fields(data):
        if number == NODE_INPUT:
            inputs.append(content.decode())
        elif number == NODE_OUTPUT:
            outputs.append(content.decode())
        elif number == NODE_NAME:
            name = content.decode()
        elif number == NODE_TYPE:
            kind = content.decode()
        elif number == NODE_ATTRIBUTE:
            bodies += bodies_of(content)
        elif number == NODE_METADATA:
            key, value = text_entry(content)
            metadata[key] = value
    # What the nodes of a body read counts, whether it is defined inside or not.
    inputs += [value for _, nodes in bodies for node in nodes for value in node.inputs]
    return Node(name, kind, inputs, outputs, metadata, bodies)


def read_nodes(model):
    """The top-level nodes of an encoded model, in its order, with those of their bodies inside."""
    return [decode_node(node) for graph in contents(model, MODEL_GRAPH) for node in contents(graph, GRAPH_NODE)]


def read_constants(model):
    """Dimensions of each initializer of the top-level graph, by name."""
    found = {}
    for graph in contents(model, MODEL_GRAPH):
        for tensor in contents(graph, GRAPH_INITIALIZER):
            dims, name = [], ''
            for number, raw, content in fields(tensor):
                if number == TENSOR_NAME:
                    name = content.decode()
                elif number == TENSOR_DIMS:
                    dims += packed_varints(content) if content is not None else [read_varint(raw, read_varint(raw, 0)[1])[0]]
            found[name] = tuple(dims)
    return found


def packed_varints(data):
    values, at = [], 0
    while at < len(data):
        value, at = read_varint(data, at)
        values.append(value)
    return values


def random_order(nodes, seed):
    """An order of nodes by index, drawn at random among those in which each value is computed before it is read."""
    producer = {value: index for index, node in enumerate(nodes) for value in node.outputs if value}
    needs = [{producer[value] for value in node.inputs if value in producer} - {index} for index, node in enumerate(nodes)]
    users = [[] for _ in nodes]
    for index, producers in enumerate(needs):
        for before in producers:
            users[before].append(index)
    missing = [len(producers) for producers in needs]
    ready = [index for index, count in enumerate(missing) if count == 0]
    generator, order = random.Random(seed), []
    while ready:
        pick = generator.randrange(len(ready))
        ready[pick], ready[-1] = ready[-1], ready[pick]
        index = ready.pop()
        order.append(index)
        for user in users[index]:
            missing[user] -= 1
            if missing[user] == 0:
                ready.append(user)
    if len(order) != len(nodes):
        raise ValueError('the nodes of the model have a cycle')
    return order


def permuted(model, seed):
    """The encoded model with its top-level nodes in another order that its dependencies allow."""
    out = bytearray()
    for number, raw, content in fields(model):
        if number != MODEL_GRAPH:
            out += raw
            continue
        parts = list(fields(content))
        encoded = [part for number, part, _ in parts if number == GRAPH_NODE]
        order = random_order([decode_node(node) for number, _, node in parts if number == GRAPH_NODE], seed)
        others = b''.join(part for number, part, _ in parts if number != GRAPH_NODE)
        graph = b''.join(encoded[index] for index in order) + others
        out += field(MODEL_GRAPH, graph)
    return bytes(out)
