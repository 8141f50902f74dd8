#!/usr/bin/env python3
"""Change ten programs, on this CPU, and measure what each change saves: what advice of `amdahlc` should say.

    python3 validate_advice.py --out FOLDER                     # record the programs, and time both sides
    python3 validate_advice.py --out FOLDER --only attention    # one change
    python3 validate_advice.py --list                           # what is changed

A change is a program before and after it. Most of them are what somebody who optimises models would do. Some are bad
ideas: a compiler for a model that only multiplies large matrices, larger batches of what arithmetic limits, and weights
that are converted for each sample. Written to the folder are

    NAME.trace.json.gz      the program before the change, recorded by torch.profiler
    NAME.onnx               the model of that program without weights, of some
    NAME.et.json.gz         its execution trace, of some
    measured.csv            what each change saves of the time of a sample, by the clock, without the profiler

Both sides of a change run in one process, on one thread, in turns, so that a drift of the machine's speed meets both.
The time of a side is the median over the turns of the median of a turn. `low` to `high` is the middle half of savings
of single turns. The check `advice_changes` of tests/run_checks.py compares the advice for the recordings with the
measured savings, and keeps the table of docs/validation.md.

Written for PyTorch 2.14, with onnx 1.23 and onnxscript 0.7; torch.compile needs a C++ compiler.
"""
import argparse
import contextlib
import csv
import dataclasses
import gzip
import pathlib
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F
from torch import nn
from torch.profiler import ExecutionTraceObserver, ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, Dataset

import record
from validate import WrittenAttention, WrittenGelu, WrittenRmsNorm, varied

WARMUP = 3


@dataclasses.dataclass
class Program:
    """One side of a change."""
    step: Callable[[], object]  # an iteration
    samples: int = 1  # of an iteration
    model: nn.Module | None = None  # what a step calls, if nothing else
    args: tuple = ()
    trains: bool = False


def forward(module: nn.Module, *args: torch.Tensor, samples=1) -> Program:
    module.eval()
    return Program(lambda: module(*args), samples, module, args)


# The programs.

def attention(written: bool, samples=1) -> Program:
    """A layer of an encoder on 1536 tokens: the allocator always returns scores of this size to the system."""
    model = record.EncoderLayer(256, 4, 512)
    if written:
        model.attention = WrittenAttention(256, 4)
    return forward(varied(model), torch.randn(samples, 1536, 256), samples=samples)


class Elementwise(nn.Module):
    """Normalisations and activations that are spelled operator by operator, as many models do."""

    def __init__(self, hidden=1024, layers=3):
        super().__init__()
        self.norms = nn.ModuleList(WrittenRmsNorm(hidden) for _ in range(layers))
        self.activation = WrittenGelu()

    def forward(self, x):
        for norm in self.norms:
            x = x + self.activation(norm(x))
        return x


def elementwise_before():
    return forward(varied(Elementwise()), torch.randn(1024, 1024))


def compiled(program: Program) -> Program:
    program.model = torch.compile(program.model)
    return forward(program.model, *program.args, samples=program.samples)


def bfloat16(program: Program) -> Program:
    args = (v.to(torch.bfloat16) for v in program.args)
    return forward(program.model.to(torch.bfloat16), *args, samples=program.samples)


def autocast(program: Program) -> Program:
    def step():
        with torch.autocast("cpu", torch.bfloat16):
            program.model(*program.args)
    return Program(step, program.samples)


class ConvNextBlock(nn.Module):
    """A depthwise convolution, then linear layers over the channels, which are last for them."""

    def __init__(self, channels):
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, 7, padding=3, groups=channels)
        self.norm = nn.LayerNorm(channels)
        self.up, self.down = nn.Linear(channels, 2 * channels), nn.Linear(2 * channels, channels)

    def forward(self, x):
        y = self.depthwise(x).permute(0, 2, 3, 1)
        y = self.down(F.relu(self.up(self.norm(y))))
        return x + y.permute(0, 3, 1, 2)


def layout(memory_format: torch.memory_format, samples=4) -> Program:
    model = varied(nn.Sequential(*(ConvNextBlock(64) for _ in range(3)))).to(memory_format=memory_format)
    return forward(model, torch.randn(samples, 64, 56, 56).contiguous(memory_format=memory_format),
                   samples=samples)


def perceptron(samples: int) -> Program:
    model = varied(nn.Sequential(*(part for _ in range(4) for part in (nn.Linear(1024, 1024), nn.ReLU()))))
    return forward(model, torch.randn(samples, 1024), samples=samples)


def convolutions(samples: int, memory_format=torch.contiguous_format) -> Program:
    model = varied(nn.Sequential(*(nn.Conv2d(64, 64, 3, padding=1) for _ in range(3)))).to(memory_format=memory_format)
    return forward(model, torch.randn(samples, 64, 56, 56).contiguous(memory_format=memory_format), samples=samples)


def products(samples: int) -> Program:
    model = varied(nn.Sequential(*(nn.Linear(1024, 1024, bias=False) for _ in range(4))))
    return forward(model, torch.randn(samples, 1024), samples=samples)


def training(**options) -> Program:
    model = varied(nn.Sequential(*(part for _ in range(4) for part in (nn.Linear(96, 96), nn.Tanh()))))
    optimizer = torch.optim.AdamW(model.parameters(), **options)
    x, target = torch.randn(32, 96), torch.randn(32, 96)

    def step():
        optimizer.zero_grad()
        F.mse_loss(model(x), target).backward()
        optimizer.step()
    return Program(step, 32, trains=True)


class Images(Dataset):
    """Compressed images, which are made smaller after they were read."""

    def __init__(self, size=384):
        self.size = size
        rows = torch.arange(size * size) % size
        self.files = [zlib.compress(bytes(((rows * (3 + number)) % 251).tolist() * 3)) for number in range(8)]

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        pixels = torch.frombuffer(bytearray(zlib.decompress(self.files[index % 8])), dtype=torch.uint8)
        return F.avg_pool2d(pixels.view(3, self.size, self.size).float(), 6) / 128 - 1


def loading(**options) -> Program:
    model = varied(nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(),
                                 nn.Conv2d(32, 32, 3, padding=1), nn.ReLU())).eval()
    batches: Iterator[torch.Tensor] = iter(DataLoader(Images(), batch_size=4, **options))
    return Program(lambda: model(next(batches)), 4)


TEXTS = ["the quick brown fox jumps over the lazy dog, again and again; " * 16] * 8
NUMBERS = {chr(code): code - 31 for code in range(32, 128)}


def tokens_by_letter(texts: list[str]) -> torch.Tensor:
    return torch.tensor([[NUMBERS[letter] for letter in text] for text in texts])


def tokens_at_once(texts: list[str]) -> torch.Tensor:
    letters = torch.frombuffer(bytearray("".join(texts).encode()), dtype=torch.uint8)
    return letters.view(len(texts), -1).long() - 31


def preprocessing(tokens: Callable[[list[str]], torch.Tensor]) -> Program:
    model = varied(nn.Sequential(nn.EmbeddingBag(128, 256), nn.Linear(256, 1024), nn.ReLU(),
                                 nn.Linear(1024, 64))).eval()
    return Program(lambda: model(tokens(TEXTS)), len(TEXTS))


# The changes.

@dataclasses.dataclass(frozen=True)
class Change:
    name: str
    what: str
    helps: bool  # or it is a bad idea
    before: Callable[[], Program]
    after: Callable[[], Program]
    stacks: bool = False  # functions of Python are recorded
    execution_trace: bool = False
    model: bool = False  # it is exported
    recording: str | None = None  # that of another change, which begins with the same program


CHANGES = [
    Change("attention", "matmul, softmax, matmul to one call", True, lambda: attention(True), lambda: attention(False),
           execution_trace=True, model=True),
    Change("elementwise", "normalisations and activations by `torch.compile`", True, elementwise_before,
           lambda: compiled(elementwise_before()), model=True),
    Change("layout", "convolutions between linear layers with channels last", True,
           lambda: layout(torch.contiguous_format), lambda: layout(torch.channels_last), model=True),
    Change("batch", "linear layers, batch 1 to 2", True, lambda: perceptron(1), lambda: perceptron(2), model=True),
    Change("optimizer", "AdamW, parameter by parameter to `fused=True`", True,
           lambda: training(foreach=False, fused=False), lambda: training(fused=True)),
    Change("loading", "images decoded by a worker of the `DataLoader`", True, loading,
           lambda: loading(num_workers=1, prefetch_factor=4), stacks=True),
    Change("preprocessing", "text to numbers letter by letter, to all at once", True,
           lambda: preprocessing(tokens_by_letter), lambda: preprocessing(tokens_at_once), stacks=True),
    Change("bfloat16", "large linear layers in bfloat16", True, lambda: perceptron(256),
           lambda: bfloat16(perceptron(256))),
    Change("compiled_products", "large products by `torch.compile`", False, lambda: products(512),
           lambda: compiled(products(512))),
    Change("larger_batch", "convolutions, batch 8 to 16", False, lambda: convolutions(8), lambda: convolutions(16),
           model=True),
    Change("attention_bfloat16", "attention of three operators in bfloat16", True, lambda: attention(True),
           lambda: bfloat16(attention(True)), recording="attention"),
    Change("attention_batch", "attention of three operators, batch 1 to 2", False, lambda: attention(True),
           lambda: attention(True, 2), recording="attention"),
    Change("layout_batch", "depthwise convolutions and linear layers, batch 4 to 8", False,
           lambda: layout(torch.contiguous_format), lambda: layout(torch.contiguous_format, 8), recording="layout"),
    Change("layout_bfloat16", "depthwise convolutions and linear layers in bfloat16", True,
           lambda: layout(torch.contiguous_format), lambda: bfloat16(layout(torch.contiguous_format)),
           recording="layout"),
    Change("layout_compiled", "linear layers with activations by `torch.compile`", True,
           lambda: layout(torch.contiguous_format), lambda: compiled(layout(torch.contiguous_format)),
           recording="layout"),
    Change("convolutions_layout", "convolutions with channels last", True, lambda: convolutions(8),
           lambda: convolutions(8, torch.channels_last), recording="larger_batch"),
    Change("convolutions_bfloat16", "convolutions in bfloat16", True, lambda: convolutions(8),
           lambda: bfloat16(convolutions(8)), recording="larger_batch"),
    Change("autocast", "linear layers at batch 1 by `torch.autocast`", False, lambda: perceptron(1),
           lambda: autocast(perceptron(1)), recording="batch"),
]


# Recordings and times.

def recorded(program: Program, change: Change, steps: int) -> dict[str, bytes]:
    """Files by what follows the name."""
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        observed, trace = pathlib.Path(folder, "observed.json"), pathlib.Path(folder, "trace.json")
        observer = ExecutionTraceObserver().register_callback(str(observed)) if change.execution_trace else None
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True, with_stack=change.stacks, with_modules=True,
                     execution_trace_observer=observer,
                     schedule=schedule(wait=0, warmup=WARMUP, active=steps, repeat=1)) as profiler:
            for _ in range(WARMUP + steps):
                program.step()
                profiler.step()
        profiler.export_chrome_trace(str(trace))
        files[".trace.json.gz"] = record.anonymous(trace.read_text(encoding="utf-8"))
        if observer:
            files[".et.json.gz"] = gzip.compress(record.without_folders(observed.read_text()).encode(), 9, mtime=0)
    if change.model:
        files[".onnx"] = record.without_weights(record.export(program.model, program.args, {}, 18))
    return files


def seconds_of_turn(program: Program, seconds: float) -> float:
    """The median time of a sample."""
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        begin = time.perf_counter()
        program.step()
        times.append(time.perf_counter() - begin)
    return statistics.median(times) / program.samples


@dataclasses.dataclass
class Row:
    """A line of measured.csv: times of a sample, and the part of it that the change saves."""
    change: str
    recording: str
    what: str
    helps: str
    before_us: float
    after_us: float
    saved: float
    low: float
    high: float


def measured(change: Change, options: argparse.Namespace, before: Program, after: Program) -> Row:
    for program in (before, after):
        for _ in range(WARMUP):
            program.step()
    pairs = []
    for turn in range(options.turns):
        sides = (before, after) if turn % 2 == 0 else (after, before)
        times = {id(side): seconds_of_turn(side, options.seconds) for side in sides}
        pairs.append((times[id(before)], times[id(after)]))
    low, _, high = statistics.quantiles([1 - after / before for before, after in pairs], n=4)
    medians = [statistics.median(side) for side in zip(*pairs)]
    saved = 1 - medians[1] / medians[0]
    return Row(change.name, change.recording or change.name, change.what, "yes" if change.helps else "no",
               *(round(1e6 * of, 3) for of in medians), *(round(part, 4) for part in (saved, low, high)))


def gradients(*programs: Program):
    return contextlib.nullcontext() if any(program.trains for program in programs) else torch.no_grad()


def update_csv(path: pathlib.Path, row: Row) -> None:
    """Replaces the line of the change."""
    fields = [field.name for field in dataclasses.fields(Row)]
    rows = {}
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            rows = {old["change"]: old for old in csv.DictReader(file)}
    rows[row.change] = dataclasses.asdict(row)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[change.name] for change in CHANGES if change.name in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, metavar="FOLDER", help="where the files go")
    parser.add_argument("--list", action="store_true", help="list the changes and stop")
    parser.add_argument("--only", action="append", choices=[change.name for change in CHANGES], help="may be repeated")
    parser.add_argument("--no-recording", action="store_true", help="measure alone")
    parser.add_argument("--no-times", action="store_true", help="record alone")
    parser.add_argument("--steps", type=int, default=5, help="recorded iterations (default 5)")
    parser.add_argument("--turns", type=int, default=15, help="of each side (default 15)")
    parser.add_argument("--seconds", type=float, default=0.3, help="of a turn (default 0.3)")
    options = parser.parse_args()
    changes = [change for change in CHANGES if not options.only or change.name in options.only]
    if options.list:
        for change in changes:
            print(f"{change.name:23}{change.what}{'' if change.helps else ' (a bad idea)'}")
        return 0
    if options.out is None:
        parser.error("--out names the folder of the files")
    options.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    for change in changes:
        torch.manual_seed(0)
        before = change.before()
        with gradients(before):
            if not options.no_recording and change.recording is None:
                with contextlib.redirect_stdout(sys.stderr):  # exporters print
                    files = recorded(before, change, options.steps)
                for suffix, data in files.items():
                    path = options.out / (change.name + suffix)
                    path.write_bytes(data)
                    print(f"{path}: {len(data)} bytes")
            if not options.no_times:
                row = measured(change, options, before, change.after())
                update_csv(options.out / "measured.csv", row)
                saved, low, high = (f"{100 * part:.1f}" for part in (row.saved, row.low, row.high))
                print(f"{change.name}: saves {saved} % ({low} to {high})", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
