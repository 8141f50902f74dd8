#!/usr/bin/env python3
"""Export a model to ONNX and record one profiled run of it: the two inputs of `amdahlc`.

    python3 record.py                                      # the small encoder below, beside this script
    python3 record.py --model my_package.my_file:factory --out /some/folder

A factory takes no argument and returns `(module, inputs)`; `inputs` is a tuple of tensors, or a dict of keyword
arguments. Two files are written, named after `--name` (the factory's name without it):

    NAME.onnx            the graph, by torch.onnx.export(dynamo=True). Tensors of more than 128 bytes keep their type
                         and shape, and point into a file `weights.bin` that is never written: weights stay private
    NAME.trace.json.gz   torch.profiler's trace of the marked steps after warm-up, with shapes and module frames

Both are stripped of what identifies the machine (host name, folders of source files); no number is touched.
On a CUDA device the trace holds the device's kernels. Without one it holds the framework's operators on the CPU,
run on one thread so that a second recording resembles the first.

Written for PyTorch 2.13, with onnx 1.23 and onnxscript 0.7; the bundled files were recorded with these on a CPU.
"""
import argparse
import gzip
import importlib
import json
import os
import re
import sys
import tempfile

import onnx
import torch
import torch.nn.functional as F
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule

LARGEST_KEPT_TENSOR_BYTES = 128  # shapes and scalars are smaller


class SelfAttention(nn.Module):
    def __init__(self, hidden: int, heads: int):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = (nn.Linear(hidden, hidden) for _ in range(4))

    def split(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, hidden = x.shape
        return x.view(batch, length, self.heads, hidden // self.heads).transpose(1, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mixed = F.scaled_dot_product_attention(self.split(self.query(x)), self.split(self.key(x)),
                                               self.split(self.value(x)))
        return self.output(mixed.transpose(1, 2).reshape(x.shape))


class EncoderLayer(nn.Module):
    def __init__(self, hidden: int, heads: int, inner: int):
        super().__init__()
        self.attention = SelfAttention(hidden, heads)
        self.attention_norm = nn.LayerNorm(hidden)
        self.feed_forward = nn.Sequential(nn.Linear(hidden, inner), nn.GELU(), nn.Linear(inner, hidden))
        self.feed_forward_norm = nn.LayerNorm(hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


class Embeddings(nn.Module):
    def __init__(self, vocabulary: int, length: int, hidden: int):
        super().__init__()
        self.word = nn.Embedding(vocabulary, hidden)
        self.position = nn.Embedding(length, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.register_buffer("positions", torch.arange(length).unsqueeze(0))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.norm(self.word(tokens) + self.position(self.positions))


class Classifier(nn.Module):
    def __init__(self, hidden: int, classes: int):
        super().__init__()
        self.pooler = nn.Linear(hidden, hidden)
        self.activation = nn.Tanh()
        self.decoder = nn.Linear(hidden, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.decoder(self.activation(self.pooler(x[:, 0])))


class Encoder(nn.Module):
    def __init__(self, layers=2, hidden=256, heads=4, inner=1024, vocabulary=8192, length=128, classes=16):
        super().__init__()
        self.embeddings = Embeddings(vocabulary, length, hidden)
        self.layers = nn.ModuleList(EncoderLayer(hidden, heads, inner) for _ in range(layers))
        self.classifier = Classifier(hidden, classes)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embeddings(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.classifier(x)


def encoder():
    """The bundled example: a two-layer transformer encoder, one sequence of 128 tokens."""
    model = Encoder()
    with torch.no_grad():
        for parameter in model.parameters():  # untrained norms and biases are equal, and equal tensors get merged
            parameter.add_(0.02 * torch.randn_like(parameter))
    return model, (torch.randint(0, 8192, (1, 128)),)


def without_folders(text: str) -> str:
    """Source files by their path inside their package, or by name alone; nothing above that."""
    folders = r'(?<![\w.\-/])(?:~|\.{1,2}|[A-Za-z]:)?/[^"<>\n]*'
    text = re.sub(folders + r"(?:(?:site|dist)-packages|lib/python[\d.]+)/", "", text)
    return re.sub(folders + r'/(?=[^/"<>\n]*\.py\b)', "", text)


def export(module: nn.Module, args: tuple, kwargs: dict, opset: int) -> onnx.ModelProto:
    """With weights."""
    return torch.onnx.export(module, args, kwargs=kwargs, dynamo=True, opset_version=opset).model_proto


def without_weights(model: onnx.ModelProto) -> bytes:
    offset = 0
    for tensor in model.graph.initializer:
        size = len(tensor.raw_data)
        if size > LARGEST_KEPT_TENSOR_BYTES:
            tensor.ClearField("raw_data")
            tensor.data_location = onnx.TensorProto.EXTERNAL
            for key, value in (("location", "weights.bin"), ("offset", offset), ("length", size)):
                tensor.external_data.add(key=key, value=str(value))
            offset += size
    for node in model.graph.node:
        for entry in node.metadata_props:
            entry.value = without_folders(entry.value)
    return model.SerializeToString(deterministic=True)


def record(module: nn.Module, args: tuple, kwargs: dict, device: str, warmup: int, steps: int) -> str:
    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * (device == "cuda")
    with torch.no_grad(), profile(activities=activities, record_shapes=True, with_stack=True, with_modules=True,
                                  schedule=schedule(wait=0, warmup=warmup, active=steps, repeat=1)) as profiler:
        for _ in range(warmup + steps):
            module(*args, **kwargs)
            if device == "cuda":
                torch.cuda.synchronize()
            profiler.step()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(path)
        with open(path, encoding="utf-8") as file:
            return file.read()


def anonymous(trace: str) -> bytes:
    """Edits the text, not the parsed document, so that every number stays digit for digit."""
    trace = re.sub(r'\s*"(?:host_?name|traceName)":\s*"[^"]*"(,|(?=\s*}))', "", trace)
    trace = re.sub(r",(\s*})\s*$", r"\1", trace)
    json.loads(trace)  # still well formed
    return gzip.compress(without_folders(trace).encode(), 9, mtime=0)


def options_of(description: str, parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The command line; `parser` may have further options."""
    parser.description, parser.formatter_class = description, argparse.RawDescriptionHelpFormatter
    parser.add_argument("--model", metavar="MODULE:FUNCTION", help="factory of a model of your own")
    parser.add_argument("--out", default=os.path.dirname(os.path.abspath(__file__)), help="folder of the results")
    parser.add_argument("--name", help="stem of the files")
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    parser.add_argument("--steps", type=int, default=5, help="recorded forward passes (default 5)")
    parser.add_argument("--warmup", type=int, default=3, help="passes before them, not recorded (default 3)")
    parser.add_argument("--opset", type=int, default=18, help="ONNX operator set (default 18)")
    options = parser.parse_args()
    if options.steps < 1 or options.warmup < 0 or options.model and options.model.count(":") != 1:
        parser.error("--steps needs at least 1, --warmup at least 0, --model the form MODULE:FUNCTION")
    if options.device == "auto":
        options.device = "cuda" if torch.cuda.is_available() else "cpu"
    return options


def load(options: argparse.Namespace) -> tuple[nn.Module, tuple, dict]:
    """The model on its device, and the arguments of a call. Sets `options.name`."""
    factory = encoder
    if options.model:
        sys.path.insert(0, os.getcwd())
        module_name, function = options.model.split(":")
        factory = getattr(importlib.import_module(module_name), function)
    options.name = options.name or factory.__name__
    torch.manual_seed(0)
    torch.set_num_threads(1)
    module, inputs = factory()
    args, kwargs = ((), inputs) if isinstance(inputs, dict) else (tuple(inputs), {})
    return (module.eval().to(options.device), tuple(v.to(options.device) for v in args),
            {key: v.to(options.device) for key, v in kwargs.items()})


def write(options: argparse.Namespace, files: dict[str, bytes]) -> None:
    """Files by what follows the name."""
    os.makedirs(options.out, exist_ok=True)
    for suffix, data in files.items():
        with open(os.path.join(options.out, options.name + suffix), "wb") as file:
            file.write(data)
        print(f"{file.name}: {len(data)} bytes")


def main() -> None:
    options = options_of(__doc__, argparse.ArgumentParser())
    module, args, kwargs = load(options)
    trace = anonymous(record(module, args, kwargs, options.device, options.warmup, options.steps))
    model = without_weights(export(module, args, kwargs, options.opset))
    write(options, {".trace.json.gz": trace, ".onnx": model})


if __name__ == "__main__":
    main()
