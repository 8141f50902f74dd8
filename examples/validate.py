#!/usr/bin/env python3
# This file is long because the models that it compares are in it, so that a change can be read and tried as a whole.
"""Compare predictions of `amdahlc` with real changes of models, on this machine.

    python3 validate.py                                  # all changes; a Markdown table
    python3 validate.py --list                           # what would be compared
    python3 validate.py --only relu --out /some/folder   # one change; its recordings are kept
    python3 validate.py --record --out /some/folder      # recordings alone, on a machine without `amdahlc`

A change is a model before and after it, such as GELU and then ReLU. Both are recorded, in turns, so that a drift of the
machine's speed meets both. What `amdahlc` predicts from the recording of `before` stands beside what `after` took. A
prediction knows nothing of a run of `after`. It rests on the recording of `before` and on one of

    arithmetic    the ratio of operations or of sizes, such as 1/2x for twice the width
    roofline      the least times of both exported models on this machine, by hardware/measure.py
    alone         one operator, timed by itself on a tensor of the same shape
    the command   `remove`, `fuse` and `batch`, as they are

The table has times with the profiler, as the command reports them, and the ratio of plain times without it. Beside wall
it has the sum of the least times of all kernels, each over all iterations: a busy machine moves the median of a pass,
but hardly the fastest of 45 runs of a kernel, so that these ratios come out again. Changes that cannot be compared are
reported, and the others go on; the exit status is then 1. A large error is no failure.

A model or a change whose files are in the folder of `--out` is taken from there. So recordings of one machine can be
compared on another, with the same `--device`, and a run that was interrupted goes on.

Written for PyTorch 2.14, with onnx 1.23, onnxscript 0.7 and onnxruntime 1.32 (which one change needs). The changes
that need a GPU were recorded with PyTorch 2.11.
"""
import argparse
import collections
import contextlib
import csv
import dataclasses
import fractions
import gzip
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Sequence

import onnx
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval
from torch.profiler import ProfilerActivity, profile

import record

SOURCE = pathlib.Path(__file__).resolve().parents[1]
# A saving below this share of the time before is too near to the noise for an error in percent.
LEAST_SAVING = 0.03
ALONE_PASSES = 200
SIDES = ("before", "after")


# The models.

def varied(model: nn.Module) -> nn.Module:
    """With parameters and statistics that differ: equal tensors get merged when they are exported."""
    with torch.no_grad():
        for tensor in [*model.parameters(), *model.buffers()]:
            if tensor.is_floating_point():
                tensor.add_(0.02 * torch.rand_like(tensor))
    return model


def encoder(edit: Callable[[nn.Module], None] = lambda layer: None, batch=1, length=128, dtype=torch.float32, **sizes):
    """The encoder of record.py with four layers; `edit` changes one layer."""
    model = record.Encoder(**{"layers": 4, "length": length, **sizes})
    for layer in model.layers:
        edit(layer)
    return varied(model).to(dtype), (torch.randint(0, 8192, (batch, length)),)


def activation(module: nn.Module):
    def edit(layer):
        layer.feed_forward[1] = module
    return edit


class WrittenGelu(nn.Module):
    """GELU by tanh, as models spelled it before frameworks had it."""

    def forward(self, x):
        return 0.5 * x * (1.0 + torch.tanh(0.7978845608 * (x + 0.044715 * torch.pow(x, 3.0))))


class WrittenAttention(record.SelfAttention):
    """Attention as matmul, softmax, matmul."""

    def forward(self, x):
        query, key, value = (self.split(layer(x)) for layer in (self.query, self.key, self.value))
        scores = torch.matmul(query, key.transpose(-2, -1)) * query.shape[-1] ** -0.5
        mixed = torch.matmul(torch.softmax(scores, -1), value)
        return self.output(mixed.transpose(1, 2).reshape(x.shape))


class CopyingAttention(record.SelfAttention):
    """With copies of the heads that nothing needs."""

    def split(self, x):
        return super().split(x).contiguous()


class JoinedAttention(nn.Module):
    """One linear layer for query, key and value."""

    def __init__(self, hidden, heads):
        super().__init__()
        self.heads, self.qkv, self.output = heads, nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)

    def forward(self, x):
        batch, length, hidden = x.shape
        query, key, value = (part.view(batch, length, self.heads, hidden // self.heads).transpose(1, 2)
                             for part in self.qkv(x).chunk(3, -1))
        mixed = F.scaled_dot_product_attention(query, key, value)
        return self.output(mixed.transpose(1, 2).reshape(x.shape))


def attention(module: type, hidden=256, heads=4):
    def edit(layer):
        layer.attention = module(hidden, heads)
    return edit


def no_norms(layer: nn.Module) -> None:
    layer.attention_norm, layer.feed_forward_norm = nn.Identity(), nn.Identity()


class Block(nn.Module):
    def __init__(self, channels, act):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)
        self.act = act()

    def forward(self, x):
        return x + self.act(self.norm(self.conv(x)))


def blocks(act=nn.ReLU, batch=1, fold=False, channels=64, size=56):
    """Six convolutions with batch normalisation, at one resolution."""
    model = varied(nn.Sequential(*(Block(channels, act) for _ in range(6)))).eval()
    if fold:
        for block in model:
            block.conv, block.norm = fuse_conv_bn_eval(block.conv, block.norm), nn.Identity()
    return model, (torch.randn(batch, channels, size, size),)


class InvertedBlock(nn.Module):
    def __init__(self, channels, inner, kernel):
        super().__init__()
        self.expand, self.project = nn.Conv2d(channels, inner, 1), nn.Conv2d(inner, channels, 1)
        self.depthwise = nn.Conv2d(inner, inner, kernel, padding=kernel // 2, groups=inner)

    def forward(self, x):
        return x + self.project(F.relu6(self.depthwise(F.relu6(self.expand(x)))))


def mobile(kernel: int):
    return varied(nn.Sequential(*(InvertedBlock(48, 192, kernel) for _ in range(4)))), (torch.randn(1, 48, 56, 56),)


class Recurrent(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.bottom, self.cell = nn.Linear(256, 256), cell(256, 256, batch_first=True)
        self.norm, self.top = nn.LayerNorm(256), nn.Linear(256, 512)

    def forward(self, x):
        return self.top(F.gelu(self.norm(self.cell(F.relu(self.bottom(x)))[0])))


def recurrent(cell: type):
    return varied(Recurrent(cell)), (torch.randn(4, 64, 256),)


class LanguageModel(nn.Module):
    """An encoder's layers and a head, for every token or for the last one."""

    def __init__(self, last_only):
        super().__init__()
        self.layers = nn.Sequential(*(record.EncoderLayer(256, 4, 1024) for _ in range(3)))
        self.head, self.last_only = nn.Linear(256, 8192), last_only

    def forward(self, x):
        x = self.layers(x)
        return self.head(x[:, -1:] if self.last_only else x)


def language_model(last_only: bool):
    return varied(LanguageModel(last_only)), (torch.randn(1, 128, 256),)


class Tables(nn.Module):
    """A ranking model: features from tables, one by one or as one table, and layers on them."""

    def __init__(self, joined, tables=40, rows=2000, width=32):
        super().__init__()
        self.joined = joined
        if joined:
            self.table = nn.Embedding(tables * rows, width)
            self.register_buffer("begins", rows * torch.arange(tables))
        else:
            self.tables = nn.ModuleList(nn.Embedding(rows, width) for _ in range(tables))
        self.top = nn.Sequential(nn.Linear(tables * width, 256), nn.ReLU(), nn.Linear(256, 64))

    def forward(self, features):
        if self.joined:
            rows = self.table(features + self.begins).flatten(1)
        else:
            rows = torch.cat([table(features[:, number]) for number, table in enumerate(self.tables)], 1)
        return self.top(rows)


def tables(joined: bool):
    return varied(Tables(joined)), (torch.randint(0, 2000, (512, 40)),)


class Experts(nn.Module):
    """Many small linear layers on one input, or one large one."""

    def __init__(self, joined, count=64, width=16):
        super().__init__()
        self.bottom = nn.Linear(256, 256)
        widths = [count * width] if joined else count * [width]
        self.parts = nn.ModuleList(nn.Linear(256, width) for width in widths)
        self.top = nn.Linear(count * width, 256)

    def forward(self, x):
        x = F.relu(self.bottom(x))
        outputs = [part(x) for part in self.parts]
        return self.top(F.relu(torch.cat(outputs, -1) if len(outputs) > 1 else outputs[0]))


def experts(joined: bool):
    return varied(Experts(joined)), (torch.randn(256, 256),)


def large(edit: Callable[[nn.Module], None] = lambda layer: None, **sizes):
    """An encoder whose kernels take longer than their launches on a large GPU."""
    return encoder(edit, **{"hidden": 1024, "heads": 16, "inner": 4096, "batch": 8, "length": 512, **sizes})


class WrittenRmsNorm(nn.Module):
    """Operator by operator, as many language models spell it."""

    def __init__(self, hidden):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class CausalAttention(record.SelfAttention):
    def forward(self, x):
        mixed = F.scaled_dot_product_attention(self.split(self.query(x)), self.split(self.key(x)),
                                               self.split(self.value(x)), is_causal=True)
        return self.output(mixed.transpose(1, 2).reshape(x.shape))


class DecoderLayer(nn.Module):
    def __init__(self, norm, hidden, heads, inner):
        super().__init__()
        self.attention_norm, self.feed_forward_norm = norm(hidden), norm(hidden)
        self.attention = CausalAttention(hidden, heads)
        self.gate, self.up = nn.Linear(hidden, inner, bias=False), nn.Linear(hidden, inner, bias=False)
        self.down = nn.Linear(inner, hidden, bias=False)

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        y = self.feed_forward_norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Decoder(nn.Module):
    """Layers as those of Llama: normalisation by root mean square before each part, and a gated feed-forward part."""

    def __init__(self, norm, layers, hidden, heads, inner, vocabulary):
        super().__init__()
        self.word = nn.Embedding(vocabulary, hidden)
        self.layers = nn.ModuleList(DecoderLayer(norm, hidden, heads, inner) for _ in range(layers))
        self.norm, self.head = norm(hidden), nn.Linear(hidden, vocabulary, bias=False)

    def forward(self, tokens):
        x = self.word(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


def decoder(norm=WrittenRmsNorm, batch=8, length=512, dtype=torch.float32):
    model = varied(Decoder(norm, layers=2, hidden=1024, heads=16, inner=2816, vocabulary=8192)).to(dtype)
    return model, (torch.randint(0, 8192, (batch, length)),)


# Ways to run a model.

def median_seconds(run: Callable[[], object], device: str, passes: int) -> float:
    times = []
    for number in range(passes + 3):
        begin = time.perf_counter()
        run()
        if device == "cuda":
            torch.cuda.synchronize()
        if number >= 3:
            times.append(time.perf_counter() - begin)
    return statistics.median(times)


class Eager:
    """PyTorch, operator by operator."""

    def __init__(self, model, device: str, folder: str):
        module, args = model
        self.module, self.args, self.device = module.eval().to(device), tuple(v.to(device) for v in args), device
        self.run = self.module

    def exported(self) -> bytes:
        return record.without_weights(record.export(self.module, self.args, {}, 18))

    def trace(self, steps: int) -> bytes:
        return record.anonymous(record.record(self.run, self.args, {}, self.device, 3, steps))

    def seconds(self, passes: int) -> float:
        with torch.no_grad():
            return median_seconds(lambda: self.run(*self.args), self.device, passes)


class TensorFloat32(Eager):
    """PyTorch that may round operands of matrix products to TF32."""

    def __init__(self, model, device: str, folder: str):
        super().__init__(model, device, folder)
        self.run = self.rounded

    def rounded(self, *args):
        torch.backends.cuda.matmul.allow_tf32 = True
        result = self.module(*args)
        torch.backends.cuda.matmul.allow_tf32 = False
        return result


class CudaGraph(Eager):
    """All launches of a pass as one CUDA graph."""

    def __init__(self, model, device: str, folder: str):
        super().__init__(model, device, folder)
        self.graph = torch.cuda.CUDAGraph()
        with torch.no_grad():
            median_seconds(lambda: self.module(*self.args), device, 3)  # libraries allocate in the first calls
            with torch.cuda.graph(self.graph):
                self.module(*self.args)
        self.run = lambda *args: self.graph.replay()


class CopiesIn(Eager):
    """The arguments are copied to the device in each pass."""

    def __init__(self, model, device: str, folder: str):
        super().__init__(model, device, folder)
        self.waiting = tuple(v.pin_memory() for v in model[1])
        self.run = self.copied

    def copies(self):
        return tuple(v.to(self.device, non_blocking=True) for v in self.waiting)

    def copied(self, *args):
        return self.module(*self.copies())


class CopiesAhead(CopiesIn):
    """Each pass copies the arguments of the next one, in a stream of its own."""

    def __init__(self, model, device: str, folder: str):
        super().__init__(model, device, folder)
        self.stream, self.next = torch.cuda.Stream(), self.copies()

    def copied(self, *args):
        torch.cuda.current_stream().wait_stream(self.stream)
        now = self.next
        with torch.cuda.stream(self.stream):
            self.next = self.copies()
        return self.module(*now)


class Compiled(Eager):
    """torch.compile."""

    mode = "default"

    def __init__(self, model, device: str, folder: str):
        super().__init__(model, device, folder)
        self.run = torch.compile(self.module, mode=self.mode)


class CompiledGraph(Compiled):
    """torch.compile, with its kernels in CUDA graphs."""

    mode = "reduce-overhead"


class OnnxRuntime:
    """The exported model in ONNX Runtime."""

    level = "ORT_ENABLE_ALL"

    def __init__(self, model, device: str, folder: str):
        module, args = model
        self.device, self.folder = device, tempfile.mkdtemp(dir=folder)
        self.model = record.export(module.eval(), args, {}, 18)
        self.path = os.path.join(self.folder, "model.onnx")
        onnx.save(self.model, self.path, save_as_external_data=True, location="weights.bin")
        self.feeds = {entry.name: value.numpy() for entry, value in zip(self.model.graph.input, args)}
        self.plain = self.session(False)

    def session(self, profiled: bool):
        import onnxruntime
        wanted = "CUDAExecutionProvider" if self.device == "cuda" else "CPUExecutionProvider"
        if wanted not in onnxruntime.get_available_providers():
            raise ModuleNotFoundError(f"this onnxruntime has no {wanted}", name="onnxruntime")
        options = onnxruntime.SessionOptions()
        options.enable_profiling, options.profile_file_prefix = profiled, os.path.join(self.folder, "profile")
        options.intra_op_num_threads = 1
        options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, self.level)
        return onnxruntime.InferenceSession(self.path, options, providers=[wanted])

    def exported(self) -> bytes:
        return record.without_weights(self.model)

    def trace(self, steps: int) -> bytes:
        session = self.session(True)
        for _ in range(steps):
            session.run(None, self.feeds)
        with open(session.end_profiling(), encoding="utf-8") as file:
            return gzip.compress(record.without_folders(file.read()).encode(), 9, mtime=0)

    def seconds(self, passes: int) -> float:
        return median_seconds(lambda: self.plain.run(None, self.feeds), self.device, passes)


class UnoptimizedOnnxRuntime(OnnxRuntime):
    level = "ORT_DISABLE_ALL"


# Predictions.

class Tool:
    """The command, and what it says of this machine."""

    def __init__(self, binary: str, hardware: str):
        self.binary, self.hardware = binary, hardware

    def report(self, *options: str, rounded=False) -> tuple[dict, str]:
        """The only run of the report, and the warnings. PyTorch rounds operands of products to TF32 only if told to."""
        passes = f"-passes=default<roofline.float32={'tf32' if rounded else 'ieee'}>"
        command = [self.binary, f"-hardware={self.hardware}", passes, *options, "-emit=json"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"amdahlc {' '.join(options)}: {done.stderr.strip()}")
        return json.loads(done.stdout)["runs"][0], done.stderr


def nanoseconds_alone(module: nn.Module, shape: tuple[int, ...], device: str) -> int:
    """The operator on a tensor of the shape, by itself. On a GPU, the time of its kernels."""
    module, x = module.to(device), torch.randn(shape, device=device)
    with torch.no_grad():
        seconds = median_seconds(lambda: module(x), device, ALONE_PASSES)
        if device == "cuda":
            with profile(activities=[ProfilerActivity.CUDA]) as profiler:
                for _ in range(ALONE_PASSES):
                    module(x)
                torch.cuda.synchronize()
            microseconds = sum(event.self_device_time_total for event in profiler.key_averages())
            seconds = microseconds / 1e6 / ALONE_PASSES
    return round(1e9 * seconds)


@dataclasses.dataclass
class Before:
    """What a prediction may use: the recording of `before`, and the model `after` as if nobody had run it."""
    tool: Tool
    after: str  # the exported model
    run: dict  # of the report
    alone: int | None  # nanoseconds of the operator that the prediction has alone


@dataclasses.dataclass(frozen=True)
class Prediction:
    how: str
    options: Callable[[Before], list[str]]
    alone: tuple[nn.Module, tuple[int, ...]] | None = None  # what is timed by itself, and the shape of its operand


def new_time(kernel: dict, nanoseconds: float) -> str:
    return f"kernel:{kernel['id']}={round(nanoseconds)}ns"


def scenario(changes: Iterable[str]) -> str:
    return f"-what-if={';'.join(changes)}"


def stated(how: str, *options: str) -> Prediction:
    return Prediction(how, lambda before: list(options))


def all_as(selectors: Iterable[str], new: str) -> list[str]:
    return [f"{selector}={new}" for selector in selectors]


def by_time_alone(selectors: Iterable[str], module: nn.Module, shape: tuple[int, ...], gone: Sequence[str] = ()):
    """What each selector selects takes as long as the module does; what `gone` selects does not run."""
    def options(before):
        removed = [f"remove({','.join(gone)})"] if gone else []
        return [scenario(all_as(selectors, f"{before.alone}ns") + removed)]
    return Prediction(f"{type(module).__name__} alone", options, (module, shape))


def by_part_alone(label: str, operator: str, module: nn.Module, shape: tuple[int, ...]) -> Prediction:
    """Each kernel of the label loses a part, which takes as long as it does by itself. A replay knows the time that the
    host spends in the operator of the part, and loses it as well."""
    def options(before):
        less = [new_time(kernel, max(kernel["duration_ns"] - before.alone, 0)) for kernel in before.run["kernels"]
                if kernel["label"] == label and kernel["duration_ns"]]
        return [scenario(less + [f"host-op:{operator}=1000x"] * (before.run["replay"]["reason"] is None))]
    return Prediction(f"less {type(module).__name__} alone", options, (module, shape))


def least_times(run: dict, group: Callable[[str], str]) -> dict[str, float]:
    """By group of module scopes, the sum of the kernels' least times."""
    sums = collections.Counter()
    for kernel in run["kernels"]:
        if kernel["state"] == "no-device-work":
            continue
        if kernel["roofline"] is None or kernel["roofline"]["attainable_ns"] is None:
            raise RuntimeError(f"no least time of kernel {kernel['id']} `{kernel['label']}`")
        sums[group(kernel["scope"])] += kernel["roofline"]["attainable_ns"]
    return sums


def by_roofline(group: Callable[[str], str] = lambda scope: scope, rounded_after=False) -> Prediction:
    """The time of a group of scopes changes as its least time does."""
    def options(before):
        target = "/".join(before.run["target"][key] or "" for key in ("runtime", "vendor", "arch"))
        after, _ = before.tool.report(f"-target={target}", before.after, rounded=rounded_after)
        old, new = least_times(before.run, group), least_times(after, group)
        if missing := set(new) - set(old):
            raise RuntimeError(f"scopes without a counterpart: {', '.join(sorted(missing))}")
        result = []
        for kernel in before.run["kernels"]:
            scope = group(kernel["scope"])
            if kernel["duration_ns"] and old[scope] and new.get(scope, 0) != old[scope]:
                result.append(new_time(kernel, kernel["duration_ns"] * new.get(scope, 0) / old[scope]))
        return [scenario(result or ["device=1x"])]  # nothing changes
    return Prediction("roofline", options)


# The changes.

@dataclasses.dataclass(frozen=True)
class Change:
    name: str
    what: str
    before: Callable[[], tuple]
    after: Callable[[], tuple]
    predictions: list[Prediction]
    back_ends: tuple[type, type] = (Eager, Eager)


def in_layers(count: int, *parts: str) -> list[str]:
    return [f"scope:layers.{number}.{part}" for number in range(count) for part in parts]


INNER = (1, 128, 1024)  # of the feed-forward layers
FEED_FORWARD = in_layers(4, "feed_forward")
NORMS = in_layers(4, "attention_norm", "feed_forward_norm")


def without_part(scope: str) -> str:
    """`query`, `key` and `value` are one group with the linear layer that does the work of all."""
    stem, _, last = scope.rpartition(".")
    return f"{stem}.qkv" if last in ("query", "key", "value") else scope


def without_number(scope: str) -> str:
    """`parts.0`, `parts.1` and so on are one group."""
    return "parts" if scope.startswith("parts.") else scope


# What ONNX Runtime's documentation says that it fuses in an encoder, as rules.
ORT_FUSIONS = ("matmul_add", "add_layer_norm", "spelled_gelu")

# What torch.compile joins into kernels of its own.
COMPILED_TOGETHER = ("elementwise", "reduction", "activation")

CHANGES = [
    Change("wide", "feed-forward width 1024 to 2048", encoder, lambda: encoder(inner=2048),
           [stated("arithmetic: 1/2x", scenario(all_as(FEED_FORWARD, "1/2x"))), by_roofline()]),
    Change("narrow", "feed-forward width 1024 to 512", encoder, lambda: encoder(inner=512),
           [stated("arithmetic: 2x", scenario(all_as(FEED_FORWARD, "2x"))), by_roofline()]),
    Change("layer", "4 layers to 3", encoder, lambda: encoder(layers=3),
           [stated("`remove`", "-what-if=remove(scope:layers.3)")]),
    Change("length", "128 tokens to 256", encoder, lambda: encoder(length=256), [by_roofline()]),
    Change("relu", "GELU to ReLU", encoder, lambda: encoder(activation(nn.ReLU())),
           [by_time_alone(["rule:gelu"], nn.ReLU(), INNER)]),
    Change("silu", "GELU to SiLU", encoder, lambda: encoder(activation(nn.SiLU())),
           [by_time_alone(["rule:gelu"], nn.SiLU(), INNER)]),
    Change("gelu", "GELU by tanh: 8 operators to one", lambda: encoder(activation(WrittenGelu())),
           lambda: encoder(activation(nn.GELU(approximate="tanh"))), [stated("`fuse`", "-what-if=fuse(rule:gelu)")]),
    Change("norms", "8 of 9 normalisations dropped", encoder, lambda: encoder(no_norms),
           [stated("`remove`", f"-what-if=remove({','.join(NORMS)})")]),
    Change("attention", "matmul, softmax, matmul to one attention, 512 tokens",
           lambda: encoder(attention(WrittenAttention), layers=2, length=512), lambda: encoder(layers=2, length=512),
           [stated("`fuse`", "-what-if=fuse(rule:sdpa)")]),
    Change("copies", "no copies of the heads, 512 tokens",
           lambda: encoder(attention(CopyingAttention), layers=2, length=512), lambda: encoder(layers=2, length=512),
           [stated("`remove`", "-bind-threshold=0.8", "-what-if=remove(/^node_view/)")]),
    Change("qkv", "three projections to one", encoder, lambda: encoder(attention(JoinedAttention)),
           [by_roofline(without_part),
            by_time_alone(in_layers(4, "attention.query"), nn.Linear(256, 768), (1, 128, 256),
                          in_layers(4, "attention.key", "attention.value"))]),
    Change("bfloat16", "float32 to bfloat16", encoder, lambda: encoder(dtype=torch.bfloat16), [by_roofline()]),
    Change("batch", "encoder, batch 1 to 2", encoder, lambda: encoder(batch=2),
           [stated("`batch`", "-what-if=batch(2x)")]),
    Change("images", "convolutions, batch 2 to 4", lambda: blocks(batch=2), lambda: blocks(batch=4),
           [stated("`batch`", "-what-if=batch(2x)")]),
    Change("fold", "batch normalisation folded into convolutions", blocks, lambda: blocks(fold=True),
           [by_part_alone("convolution_batch_norm", "aten::batch_norm", nn.BatchNorm2d(64).eval(), (1, 64, 56, 56))]),
    Change("depthwise", "depthwise convolutions 5x5 to 3x3", lambda: mobile(5), lambda: mobile(3),
           [stated("arithmetic: 25/9x", scenario(f"scope:{number}.depthwise=25/9x" for number in range(4))),
            by_roofline()]),
    Change("gru", "LSTM to GRU", lambda: recurrent(nn.LSTM), lambda: recurrent(nn.GRU),
           [stated("arithmetic: 4/3x", "-what-if=scope:cell=4/3x"), by_roofline(),
            by_time_alone(["scope:cell"], nn.GRU(256, 256, batch_first=True), (4, 64, 256))]),
    Change("head", "head for 128 tokens to one for the last",
           lambda: language_model(False), lambda: language_model(True),
           [stated("arithmetic: 128x", "-what-if=scope:head=128x"), by_roofline()]),
    Change("tables", "40 embeddings and a concatenation to one embedding", lambda: tables(False), lambda: tables(True),
           [stated("`fuse`", "-what-if=fuse(category:embedding,category:copy)")]),
    Change("experts", "64 small linear layers to one", lambda: experts(False), lambda: experts(True),
           [by_roofline(without_number),
            by_time_alone(["scope:parts.0"], nn.Linear(256, 1024), (256, 256),
                          [*(f"scope:parts.{number}" for number in range(1, 64)), "category:copy"])]),
    Change("onnxruntime", "ONNX Runtime: graph optimisation off to on", encoder, encoder,
           [stated("`fuse`", scenario(f"fuse(rule:{rule})" for rule in ORT_FUSIONS))],
           (UnoptimizedOnnxRuntime, OnnxRuntime)),
]

NEEDS_GPU = [
    Change("graph", "small encoder: launches to one CUDA graph", encoder, encoder,
           [stated("`cuda-graph`", "-what-if=cuda-graph")], (Eager, CudaGraph)),
    Change("copies_ahead", "convolutions, batch 64: input copied a pass ahead", *2 * (lambda: blocks(batch=64),),
           [stated("`overlap-copies`", "-what-if=overlap-copies")], (CopiesIn, CopiesAhead)),
    Change("large_layer", "large encoder: 4 layers to 3", large, lambda: large(layers=3),
           [stated("`remove`", "-what-if=remove(scope:layers.3)")]),
    Change("large_wide", "large encoder: feed-forward width 4096 to 8192", large, lambda: large(inner=8192),
           [stated("arithmetic: 1/2x", scenario(all_as(FEED_FORWARD, "1/2x"))), by_roofline()]),
    Change("large_length", "large encoder: 512 tokens to 1024", large, lambda: large(length=1024), [by_roofline()]),
    Change("large_batch", "large encoder: batch 8 to 16", large, lambda: large(batch=16),
           [stated("`batch`", "-what-if=batch(2x)")]),
    Change("large_attention", "large encoder: matmul, softmax, matmul to one attention",
           lambda: large(attention(WrittenAttention, 1024, 16)), large, [stated("`fuse`", "-what-if=fuse(rule:sdpa)")]),
    Change("large_norms", "large encoder: 8 of 9 normalisations dropped", large, lambda: large(no_norms),
           [stated("`remove`", f"-what-if=remove({','.join(NORMS)})")]),
    Change("large_bfloat16", "large encoder: float32 to bfloat16", large, lambda: large(dtype=torch.bfloat16),
           [by_roofline()]),
    Change("tf32", "large encoder: products rounded to TF32", large, large, [by_roofline(rounded_after=True)],
           (Eager, TensorFloat32)),
    Change("rms_norm", "decoder: normalisation of 6 operators to one", decoder, lambda: decoder(nn.RMSNorm),
           [stated("`fuse`", "-what-if=fuse(rule:spelled_rms_norm)")]),
    Change("decoder_graph", "decoder of 128 tokens in bfloat16: launches to one CUDA graph",
           *2 * (lambda: decoder(batch=1, length=128, dtype=torch.bfloat16),),
           [stated("`cuda-graph`", "-what-if=cuda-graph")], (Eager, CudaGraph)),
    Change("compile", "decoder in bfloat16: torch.compile", *2 * (lambda: decoder(dtype=torch.bfloat16),),
           [stated("`fuse`", f"-what-if=fuse({','.join(f'category:{name}' for name in COMPILED_TOGETHER)})")],
           (Eager, Compiled)),
    Change("compile_graph", "compiled decoder in bfloat16: launches to one CUDA graph",
           *2 * (lambda: decoder(dtype=torch.bfloat16),), [stated("`cuda-graph`", "-what-if=cuda-graph")],
           (Compiled, CompiledGraph)),
]


# The comparison.

@dataclasses.dataclass
class Row:
    """One prediction of one change. Times are nanoseconds per iteration, medians over the recordings."""
    change: str
    what: str
    how: str
    wall_model: str
    busy_before: float
    busy_predicted: float
    busy_measured: float
    wall_before: float
    wall_predicted: float
    wall_measured: float
    window_before: float | None
    window_predicted: float | None  # known by replay only
    window_measured: float | None
    least_before: float  # the sum of the least times of kernels, the least of all recordings
    least_predicted: float
    least_measured: float
    plain_before: float
    plain_measured: float
    noise: float  # spread of wall between equal recordings, over their median; the larger one of before and after
    caution: str
    options: str

    def ratio(self, kind: str, of: str) -> float:
        return getattr(self, f"{kind}_{of}") / getattr(self, f"{kind}_before")

    def error(self, kind: str) -> float:
        """Of the predicted ratio. Plain times are compared with that of the window, or of wall where it is unknown."""
        known = kind if kind != "plain" else "window" if self.window_before and self.window_predicted else "wall"
        return self.ratio(known, "predicted") / self.ratio(kind, "measured") - 1

    def saving_error(self) -> float | None:
        predicted, measured = (1 - self.ratio("wall", of) for of in ("predicted", "measured"))
        return predicted / measured - 1 if abs(measured) > max(LEAST_SAVING, self.noise) else None


def median(items: list[dict], key: str) -> float | None:
    values = [item[key] for item in items]
    return None if None in values else statistics.median(values)


def least_by_kernel(run: dict) -> dict[int, int]:
    """The shortest time of each kernel in an iteration, by its id."""
    return {kernel["id"]: min(min(samples) for samples in kernel["samples_ns"])
            for kernel in run["kernels"] if kernel["samples_ns"]}


def least_under(scenario: dict, least: dict[int, int]) -> float:
    """The sum of least times that a scenario predicts."""
    factors = {kernel["id"]: fractions.Fraction(kernel["factor"]) for kernel in scenario["kernels"]}
    return float(sum(ns * factors.get(number, 1) for number, ns in least.items()))


def spread(runs: list[dict]) -> float:
    walls = [run["wall_ns"] for run in runs]
    return (max(walls) - min(walls)) / statistics.median(walls)


def declined(warnings: str) -> list[str]:
    return [line.partition(": ")[2] for line in warnings.splitlines() if "[change-declined]" in line]


@dataclasses.dataclass(frozen=True)
class Recordings:
    """The files of a change in a folder."""
    folder: pathlib.Path
    change: Change

    def model(self, side: str) -> pathlib.Path:
        return self.folder / f"{self.change.name}.{side}.onnx"

    def trace(self, side: str, number: int) -> pathlib.Path:
        return self.folder / f"{self.change.name}.{side}.{number}.trace.json.gz"

    @property
    def times(self) -> pathlib.Path:
        """The machine, and nanoseconds of passes without the profiler by side, and of operators alone. Written last."""
        return self.folder / f"{self.change.name}.times.json"

    def make(self, options: argparse.Namespace) -> None:
        if self.times.exists():
            return
        sides, plain = {}, {side: [] for side in SIDES}
        for side, back_end, model in zip(SIDES, self.change.back_ends, (self.change.before, self.change.after)):
            torch.manual_seed(0)
            sides[side] = back_end(model(), options.device, str(self.folder))
            if not self.model(side).exists():
                self.model(side).write_bytes(sides[side].exported())
        for number in range(1, options.recordings + 1):
            for side, back_end in sides.items():
                plain[side].append(round(1e9 * back_end.seconds(options.passes)))
                # The report leaves out the first pass.
                self.trace(side, number).write_bytes(back_end.trace(options.passes + 1))
        alone = {prediction.how: nanoseconds_alone(*prediction.alone, options.device)
                 for prediction in self.change.predictions if prediction.alone}
        machine = (f"{platform.machine()}, {options.device}, PyTorch {torch.__version__}; of each side "
                   f"{options.recordings} recordings of {options.passes} passes")
        self.times.write_text(json.dumps({"machine": machine, "plain": plain, "alone": alone}))


def compare(change: Change, tool: Tool, recordings: Recordings, measured: dict) -> list[Row]:
    """`measured` is the content of the file of times."""
    times, scenarios, least = (collections.defaultdict(list) for _ in range(3))
    used, cautions = {}, collections.defaultdict(dict)
    for number in range(1, len(measured["plain"]["before"]) + 1):
        for side in SIDES:
            path, model = recordings.trace(side, number), str(recordings.model(side))
            run, _ = tool.report(f"-trace={path}", model)
            times[side].append(run["trace"])
            if side == "after":
                least[side].append(sum(least_by_kernel(run).values()))
                continue
            if run["trust"] == "none":
                raise RuntimeError(f"{path.name}: {run['verdict']}")
            for index, prediction in enumerate(change.predictions):
                before = Before(tool, str(recordings.model("after")), run, measured["alone"].get(prediction.how))
                used[index] = prediction.options(before)
                predicted, warnings = tool.report(f"-trace={path}", *used[index], model)
                # Its options may bind other kernels than those of `run`.
                kernels = least_by_kernel(predicted)
                for scenario in predicted["what_if"]:
                    key = index, scenario["wall_model"]
                    scenarios[key].append(scenario)
                    least["before", *key].append(sum(kernels.values()))
                    least["predicted", *key].append(least_under(scenario, kernels))
                    texts = declined(warnings) + [scenario["caution"]] * (scenario["caution"] is not None)
                    cautions[key].update(dict.fromkeys(texts))
    noise = max(map(spread, times.values()))
    rows = []
    for (index, wall_model), found in scenarios.items():
        figures = [median(of, key) for key in ("busy_ns", "wall_ns", "window_ns")
                   for of in (times["before"], found, times["after"])]
        figures += [min(least[of]) for of in (("before", index, wall_model), ("predicted", index, wall_model), "after")]
        rows.append(Row(change.name, change.what, change.predictions[index].how, wall_model, *figures,
                        *(statistics.median(measured["plain"][side]) for side in SIDES), noise,
                        "; ".join(cautions[index, wall_model]), " ".join(used[index])))
    return rows


COLUMNS = ("change", "predicted by", "before ms", "predicted ms", "measured ms", "error", "of the saving", "noise",
           "busy, predicted", "busy, measured", "least kernels, predicted", "least kernels, measured",
           "least kernels error", "plain, measured", "plain error")


def percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:+.1f} %"


def markdown(rows: list[Row]) -> str:
    lines = ["| " + " | ".join(COLUMNS) + " |", "|--|--|" + "--:|" * (len(COLUMNS) - 2)]
    for row in rows:
        how = row.how + ", replay" * (row.wall_model == "replay")
        walls = (row.wall_before, row.wall_predicted, row.wall_measured)
        ratios = [row.ratio(kind, of) for kind in ("busy", "least") for of in ("predicted", "measured")]
        cells = [f"{row.what} (`{row.change}`)", how, *(f"{wall / 1e6:.2f}" for wall in walls),
                 percent(row.error("wall")), percent(row.saving_error()), f"{100 * row.noise:.1f} %",
                 *(f"{ratio:.3f}" for ratio in ratios), percent(row.error("least")),
                 f"{row.ratio('plain', 'measured'):.3f}", percent(row.error("plain"))]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_csv(path: str, rows: list[Row]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in dataclasses.fields(Row)])
        writer.writerows(dataclasses.astuple(row) for row in rows)


def description_of_hardware(out: pathlib.Path, device: str) -> str:
    """Measures one thread of the machine; on a CPU quickly, as large products in types that it lacks take hours."""
    path = out / "hardware.yaml"
    if not path.exists():
        print("measuring the machine", file=sys.stderr)
        command = [sys.executable, str(SOURCE / "hardware" / "measure.py"), f"--device={device}", f"--output={path}"]
        command += ["--quick"] * (device == "cpu")
        subprocess.run(command, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    return str(path)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--list", action="store_true", help="list the changes and stop")
    add("--only", metavar="NAME", action="append", choices=[change.name for change in CHANGES + NEEDS_GPU],
        help="compare this change; may be repeated")
    add("--record", action="store_true", help="record into the folder of --out, and do not compare")
    add("--device", choices=["auto", "cpu", "cuda"], default="auto")
    add("--amdahlc", metavar="PATH", default="amdahlc", help="the command (default: that of PATH)")
    add("--hardware", metavar="NAME|FILE", help="description of the device (default: it is measured)")
    add("--out", metavar="FOLDER", help="keep models, recordings and the description of the hardware there")
    add("--csv", metavar="FILE", help="write all figures there")
    add("--recordings", type=int, default=3, metavar="N", help="of each side, in turns (default 3)")
    add("--passes", type=int, default=15, metavar="N", help="passes of a recording that count (default 15)")
    options = parser.parse_args()
    if options.recordings < 1 or options.passes < 2:
        parser.error("--recordings needs at least 1, --passes at least 2")
    if options.record and not options.out:
        parser.error("--record needs --out")
    if options.device == "auto":
        options.device = "cuda" if torch.cuda.is_available() else "cpu"
    return options


def main() -> int:
    options = parsed()
    known = CHANGES + NEEDS_GPU * (options.device == "cuda")
    changes = [change for change in known if not options.only or change.name in options.only]
    if unknown := set(options.only or ()) - {change.name for change in known}:
        print(f"these changes need a GPU: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 1
    if options.list:
        for change in changes:
            print(f"{change.name:15} {change.what}; predicted by {', '.join(p.how for p in change.predictions)}")
        return 0
    torch.set_num_threads(1)
    rows, failures, machines = [], [], {}
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(options.out or scratch)
        out.mkdir(parents=True, exist_ok=True)
        tool = Tool(options.amdahlc, options.hardware or description_of_hardware(out, options.device))
        for change in changes:
            print(f"{change.name}: {change.what}", file=sys.stderr)
            try:
                with contextlib.redirect_stdout(sys.stderr):  # exporters print
                    recordings = Recordings(out, change)
                    recordings.make(options)
                    measured = json.loads(recordings.times.read_text())
                    machines[measured["machine"]] = None
                    if not options.record:
                        rows += compare(change, tool, recordings, measured)
            except Exception as error:  # of a framework, too: the other changes can still be compared
                if isinstance(error, ModuleNotFoundError) and error.name == "onnxruntime":
                    print(f"{change.name} is left out: {error}", file=sys.stderr)
                    continue
                traceback.print_exc()
                failures.append(f"{change.name}: {error}")
    print("\n".join(machines))
    if not options.record:
        print("\n" + markdown(rows))
    for note in dict.fromkeys(f"{row.change}, {row.how}: {row.caution}" for row in rows if row.caution):
        print("\n" + note)
    for failure in failures:
        print(f"\nfailed: {failure}")
    if options.csv:
        write_csv(options.csv, rows)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
