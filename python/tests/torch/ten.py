"""Ten programs of different kinds: each makes a call, the models that it calls, and the state that it changes."""

from typing import Any, NamedTuple

import torch
from torch import nn

WIDTH = 128


class Program(NamedTuple):
    call: Any
    models: dict[str, nn.Module]
    state: tuple[Any, ...]
    args: tuple[Any, ...] = ()
    # Modules by path, of which a report is expected to tell the times; the smallest ones if there are none.
    timed: dict[str, nn.Module] | None = None


class Mixture(nn.Module):
    """Two of four experts for each token."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(WIDTH, 4)
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(WIDTH, WIDTH * (index + 1)), nn.GELU(), nn.Linear(WIDTH * (index + 1), WIDTH)) for index in range(4)])
        self.out = nn.Linear(WIDTH, 16)

    def forward(self, x):
        weights, chosen = self.gate(x).softmax(-1).topk(2)
        result = torch.zeros_like(x)
        for index, expert in enumerate(self.experts):
            token, place = torch.where(chosen == index)
            if token.numel():
                result = result.index_add(0, token, expert(x[token]) * weights[token, place, None])
        return self.out(result)


class Decoder(nn.Module):
    """Greedy generation with a cache of keys and values."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(64, WIDTH)
        self.attend = nn.Linear(WIDTH, 3 * WIDTH)
        self.feed = nn.Sequential(nn.Linear(WIDTH, 8 * WIDTH), nn.ReLU(), nn.Linear(8 * WIDTH, WIDTH))
        self.head = nn.Linear(WIDTH, 64)

    def forward(self, tokens, cache):
        x = self.embed(tokens)
        query, key, value = self.attend(x).chunk(3, -1)
        cache.append((key, value))
        keys, values = (torch.cat(one, 1) for one in zip(*cache))
        x = x + nn.functional.scaled_dot_product_attention(query, keys, values)
        return self.head(x + self.feed(x))


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return 3 * x * x * gradient


class Cubic(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(WIDTH, 8 * WIDTH), nn.Linear(8 * WIDTH, WIDTH)

    def forward(self, x):
        return self.two(Cube.apply(self.one(x)))


class Wayward(nn.Module):
    """Takes a way that depends on values, and keeps a count: no exporter takes it."""

    def __init__(self):
        super().__init__()
        self.small, self.large = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(WIDTH, 16 * WIDTH)
        self.calls, self.history = 0, {}

    def forward(self, x):
        self.calls += 1
        self.history[self.calls] = float(x.mean())
        y = self.small(x)
        return y.sum() + self.large(x).sum() if y.abs().max().item() > 0 else y.sum()


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, WIDTH)
        self.lstm = nn.LSTM(WIDTH, WIDTH, batch_first=True)
        self.out = nn.Linear(WIDTH, 8)

    def forward(self, tokens):
        return self.out(self.lstm(self.embed(tokens))[0][:, -1])


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(x)))


def transformer():
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, batch_first=True), 2, enable_nested_tensor=False)
    return _forward(model, torch.randn(8, 32, WIDTH))


def convnet():
    model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 64, 3, padding=1), nn.BatchNorm2d(64),
                          nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(), nn.Linear(64 * 16 * 16, 10))
    return _forward(model, torch.randn(4, 3, 32, 32))


def lstm():
    return _forward(Classifier(), torch.randint(0, 100, (8, 24)))


def mixture():
    return _forward(Mixture(), torch.randn(256, WIDTH))


def decode():
    model, prompt = Decoder().eval(), torch.randint(0, 64, (4, 16))

    @torch.no_grad()
    def generate():
        cache = []
        tokens = model(prompt, cache)[:, -1:].argmax(-1)
        for _ in range(6):
            tokens = model(tokens, cache)[:, -1:].argmax(-1)
        return tokens

    return Program(generate, {"": model}, (model, prompt))


def training():
    model = nn.Sequential(nn.Linear(WIDTH, 8 * WIDTH), nn.GELU(), nn.Dropout(0.1), nn.Linear(8 * WIDTH, 2 * WIDTH), nn.LayerNorm(2 * WIDTH), nn.Linear(2 * WIDTH, 8))
    optimizer, scaler = torch.optim.AdamW(model.parameters()), torch.amp.GradScaler("cpu")
    x, y = torch.randn(256, WIDTH), torch.randint(0, 8, (256,))

    def step():
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    step()
    return Program(step, {"": model}, (model, optimizer, scaler, x, y))


def compiled():
    model = torch.compile(nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)))
    return _forward(model, torch.randn(256, WIDTH))._replace(timed={"": model})


def regional():
    """Blocks that are compiled by themselves, one in place, with eager modules between them."""
    wrapped, inside = torch.compile(Residual()), Residual()
    inside.compile()
    model = nn.Sequential(wrapped, nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH), inside)
    return _forward(model, torch.randn(256, WIDTH))._replace(timed=dict(model.named_children()))


def custom_function():
    model, x = Cubic(), torch.randn(256, WIDTH)

    def step():
        model.zero_grad()
        model(x).square().sum().backward()

    step()
    return Program(step, {"": model}, (model, x))


def wayward():
    return _forward(Wayward(), torch.randn(64, WIDTH))


def _forward(model, *args):
    return Program(model, {"": model}, (model, *args), args)


# Two ranks are processes of their own: test_record.py has them.
PROGRAMS = {one.__name__: one for one in (compiled, convnet, custom_function, decode, lstm, mixture, regional, training, transformer, wayward)}
