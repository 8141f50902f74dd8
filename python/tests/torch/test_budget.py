"""`compare(max_seconds=)`: sessions end in time, and say what they left out."""

import time

import torch
from amdahlc.torch import accelerate, compare
from torch import nn


def test_a_budget_leaves_the_rest_out():
    @accelerate
    def slow(x):
        return x @ x

    done = []
    with compare(backends=["eager"], reports=False, repeats=10**6, max_seconds=0.5, progress=lambda what, part: done.append((what, part))) as session:
        slow(torch.ones(256, 256))
    result = session.segments[1]["eager"]
    assert 0 < result.runs < 10**6 and "max_seconds" in result.left_out and "max_seconds" in str(session)
    assert any("compiling for eager" in what for what, _ in done) and all(-1 <= part <= 1 for _, part in done)


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attend, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width))

    def forward(self, x, cache):
        parts = self.attend(self.before(x)).chunk(3, -1)
        query, key, value = (one.unflatten(-1, (self.heads, -1)).transpose(1, 2) for one in parts)
        if cache is not None:
            key, value = torch.cat([cache[0], key], 2), torch.cat([cache[1], value], 2)
        taken = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=cache is None)
        x = x + self.project(taken.transpose(1, 2).flatten(2))
        return x + self.feed(self.between(x)), (key, value)


class Generator(nn.Module):
    """GPT-2 in small. What it generates is a graph of its own for each length of the cache."""

    def __init__(self, width=64, heads=4, layers=1, words=256, length=64):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.layers = nn.ModuleList([Layer(width, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens, caches):
        begin = caches[0][0].shape[2] if caches else 0
        x = self.words(tokens) + self.places(torch.arange(begin, begin + tokens.shape[1]))
        new = []
        for index, layer in enumerate(self.layers):
            x, cache = layer(x, caches[index] if caches else None)
            new.append(cache)
        return (self.norm(x[:, -1]) @ self.words.weight.T).argmax(-1, keepdim=True), new


def test_a_model_that_generates_ends_near_its_budget():
    model, prompt = Generator().eval(), torch.randint(0, 256, (2, 8))
    step = accelerate(model)
    begin = time.monotonic()
    with compare(backends=["inductor"], repeats=1, reports=False):
        step(prompt, None)
    budget, said = 2 * (time.monotonic() - begin), []
    session = compare(backends=["eager", "inductor"], repeats=10**6, max_seconds=budget, progress=lambda what, _: said.append((time.monotonic(), what)))
    with session:
        token, caches = prompt, None
        for _ in range(6):
            token, caches = step(token, caches)
        begin = time.monotonic()
    end = time.monotonic()
    # A step of the session, such as a compilation, is not interrupted.
    times = [begin, *(when for when, _ in said), end]
    longest = max(later - before for before, later in zip(times, times[1:]))
    assert end - begin < budget + longest + 1, (end - begin, longest)
    graphs = [one for one in session.segments if one.kind == "graph"]
    assert len(graphs) == 6
    assert graphs[0]["eager"].runs > 0 and graphs[0]["inductor"].runs > 0
    assert graphs[-1]["eager"].left_out == graphs[-1]["inductor"].left_out == "all runs, because max_seconds was reached"
    assert f"{graphs[-1].name} on inductor: left out are all runs, because max_seconds was reached" in str(session)
    assert all(one[name].runs or one[name].left_out for one in graphs for name in ("eager", "inductor"))
    assert all(not one[name].failures for one in graphs for name in ("eager", "inductor"))
    # The program goes on with what it was.
    with session:
        step(token, caches)
    assert session.segments[-2]["eager"].left_out == "all runs, because max_seconds was reached"
