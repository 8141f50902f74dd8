"""The models that record.py runs, and their inputs."""
import importlib.util
import pathlib
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn


class Tagger(nn.Module):
    """Two bidirectional recurrent layers."""

    def __init__(self, words=200, width=64, tags=10):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, width, 2, batch_first=True, bidirectional=True)
        self.norm = nn.LayerNorm(2 * width)
        self.tags = nn.Linear(2 * width, tags)

    def forward(self, words):
        states, _ = self.lstm(self.embedding(words))
        return self.tags(F.relu(self.norm(states)))


class Forecaster(nn.Module):
    """Two recurrent layers that the framework computes step by step."""

    def __init__(self, width=64):
        super().__init__()
        self.input = nn.Linear(8, width)
        self.gru = nn.GRU(width, width, 2, batch_first=True)
        self.output = nn.Linear(width, 4)

    def forward(self, series):
        states, _ = self.gru(torch.tanh(self.input(series)))
        return self.output(states[:, -1])


class BagClassifier(nn.Module):
    """Means of embeddings of two kinds."""

    def __init__(self, width=64):
        super().__init__()
        self.words = nn.EmbeddingBag(300, width, mode='mean')
        self.pairs = nn.EmbeddingBag(500, width, mode='mean')
        self.hidden = nn.Linear(2 * width, 96)
        self.output = nn.Linear(96, 5)

    def forward(self, words, pairs):
        both = torch.cat([self.words(words), self.pairs(pairs)], dim=1)
        return self.output(F.relu(self.hidden(both)))


class FusedEncoder(nn.Module):
    """Encoder layers of the framework, which run as one operator each."""

    def __init__(self, width=64, layers=2):
        super().__init__()
        self.embedding = nn.Embedding(200, width)
        layer = nn.TransformerEncoderLayer(width, 4, 160, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers)
        self.output = nn.Linear(width, 6)

    def forward(self, words):
        return self.output(self.encoder(self.embedding(words)))


class Expert(nn.Module):
    def __init__(self, width, inner, output):
        super().__init__()
        self.up = nn.Linear(width, inner)
        self.down = nn.Linear(inner, output)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))


class Switch(nn.Module):
    """One of two experts per input, whose weights all have shapes of their own."""

    def __init__(self, width=48):
        super().__init__()
        self.input = nn.Linear(32, width)
        self.large = Expert(width, 160, 40)
        self.small = Expert(width, 24, 40)
        self.output = nn.Linear(40, 6)

    def forward(self, x):
        is_large = x.mean() > 0
        x = torch.tanh(self.input(x))
        y = torch.cond(is_large, lambda x: self.large(x), lambda x: self.small(x), (x,))
        return self.output(y)


class ScriptedSwitch(nn.Module):
    """The same for an exporter that knows no `torch.cond`."""

    def __init__(self, switch):
        super().__init__()
        self.input, self.large, self.small, self.output = switch.input, switch.large, switch.small, switch.output

    def forward(self, x):
        is_large = bool(x.mean() > 0)
        x = torch.tanh(self.input(x))
        if is_large:
            y = self.large(x)
        else:
            y = self.small(x)
        return self.output(y)


class Block(nn.Module):
    def __init__(self, inner, outer, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inner, outer, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(outer)
        self.conv2 = nn.Conv2d(outer, outer, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outer)
        self.shortcut = nn.Sequential() if stride == 1 else nn.Sequential(nn.Conv2d(inner, outer, 1, stride, bias=False), nn.BatchNorm2d(outer))

    def forward(self, x):
        y = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        return F.relu(y + self.shortcut(x))


class ResidualNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, 1, 1, bias=False)
        self.norm = nn.BatchNorm2d(16)
        self.blocks = nn.Sequential(Block(16, 16, 1), Block(16, 16, 1), Block(16, 32, 2), Block(32, 32, 1))
        self.output = nn.Linear(32, 10)

    def forward(self, x):
        x = self.blocks(F.relu(self.norm(self.stem(x))))
        return self.output(x.mean((2, 3)))


class Perceptron(nn.Module):
    """What is trained: layers with dropout over an embedding."""

    def __init__(self, width=64, layers=3):
        super().__init__()
        self.embedding = nn.Embedding(200, width)
        self.layers = nn.Sequential(*(nn.Sequential(nn.Linear(width, width + 16 * i), nn.GELU(), nn.Dropout(0.1),
                                                    nn.Linear(width + 16 * i, width), nn.LayerNorm(width)) for i in range(1, layers + 1)))
        self.output = nn.Linear(width, 5)

    def forward(self, words):
        x = self.embedding(words)
        for layer in self.layers:
            x = x + layer(x)
        return self.output(x.mean(1))


def small_encoder():
    """The example of this repository, smaller."""
    spec = importlib.util.spec_from_file_location('example', pathlib.Path(__file__).resolve().parents[2] / 'examples' / 'record.py')
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    return example.Encoder(layers=2, hidden=64, heads=4, inner=160, vocabulary=200, length=16, classes=5)


class Run(NamedTuple):
    build: object                # () -> model
    inputs: object               # () -> list of the inputs of each forward
    compiled: bool = False
    training: bool = False       # each forward is followed by a loss, a backward pass and a step of an optimizer
    for_torchscript: object = None    # model -> what the TorchScript exporter gets


def words(*shape, count=200):
    return torch.randint(count, shape)


def alternating():
    """Inputs of which every second one takes the other branch."""
    x = torch.randn(4, 32)
    return [(x,), (-x,), (x,), (-x,)]


RUNS = {
    'lstm': Run(Tagger, lambda: [(words(2, 12),)] * 3),
    'gru': Run(Forecaster, lambda: [(torch.randn(2, 4, 8),)] * 3),
    'embedding_bag': Run(BagClassifier, lambda: [(words(4, 9), words(4, 8, count=500))] * 3),
    'fused_encoder': Run(FusedEncoder, lambda: [(words(2, 16),)] * 3),
    'cond': Run(Switch, alternating, for_torchscript=lambda model: torch.jit.script(ScriptedSwitch(model))),
    'compiled_encoder': Run(small_encoder, lambda: [(words(2, 16),)] * 3, compiled=True),
    'compiled_resnet': Run(ResidualNet, lambda: [(torch.randn(2, 3, 24, 24),)] * 3, compiled=True),
    'training': Run(Perceptron, lambda: [(words(4, 16),)] * 3, training=True),
}
