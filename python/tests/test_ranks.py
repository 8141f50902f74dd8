"""Ranks that any executor reads are those of the command."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor

import amdahlc
import polars
import pytest
from conftest import BINARY, ROOT

RANKS = ROOT / "examples/ranks"
FILES = sorted(RANKS.glob("*.json.gz"))
sys.path.insert(0, str(ROOT / "tests"))


def of_command(*options, output="ranks-json"):
    return subprocess.run([BINARY, f"-emit={output}", *map(str, options)], check=True, capture_output=True).stdout.decode()


@pytest.fixture(scope="module")
def expected():
    return of_command(f"-trace={RANKS}")


@pytest.mark.parametrize("executor", [None, ThreadPoolExecutor, ProcessPoolExecutor])
def test_the_document_is_that_of_the_command(executor, expected):
    if executor is None:
        found = amdahlc.ranks(RANKS)
    else:
        with executor(2) as pool:
            found = amdahlc.ranks(RANKS, executor=pool)
    assert found.to_json() == expected
    assert str(found) + "\n" == of_command(f"-trace={RANKS}", output="ranks")
    assert found.straggler["rank"] == 2
    assert repr(found) == "<Ranks: 4, straggler 2>"


class AtOnce:
    """An executor without a class above it, as adapters of clusters are."""

    def submit(self, work, /, *arguments):
        future = Future()
        future.set_result(work(*arguments))
        return future


def test_files_in_a_list_a_pattern_and_numbers(expected):
    assert amdahlc.ranks(FILES, executor=AtOnce()).to_json() == expected
    assert amdahlc.ranks(f"{RANKS}/rank*.json.gz", executor=AtOnce()).to_json() == expected
    numbered = amdahlc.ranks(dict(zip((10, 11, 12, 13), FILES, strict=True)))
    assert [row["rank"] for row in numbered.ranks.to_dicts()] == [10, 11, 12, 13]


def test_tables(expected):
    found = amdahlc.ranks(RANKS)
    assert set(found.tables) == {"ranks", "across_ranks.collectives", "across_ranks.waits", "across_ranks.data_problems"}
    assert polars.DataFrame(found.ranks).to_dicts() == found.data["ranks"]
    assert polars.DataFrame(found.collectives)["wait_ns"].sum() == sum(row["wait_ns"] for row in found.data["across_ranks"]["collectives"])
    assert found.waits.to_dicts() == found.data["across_ranks"]["waits"]
    assert polars.read_csv(of_command(f"-trace={RANKS}", output="ranks-csv").encode())["busy_ns"].to_list() == polars.DataFrame(found.ranks)["busy_ns"].to_list()
    assert "<table" in found._repr_html_()
    assert "nothing here in other_steps" in found.ranks._repr_html_()


def test_options_reach_the_reader():
    options = {"steps": "11..12"}
    with ThreadPoolExecutor(2) as pool:
        found = amdahlc.ranks(RANKS, executor=pool, **options)
    assert found.to_json() == of_command(f"-trace={RANKS}", "-steps=11..12")
    assert found.to_json() != amdahlc.ranks(RANKS).to_json()
    with pytest.raises(TypeError, match="jobs"):
        amdahlc.ranks(RANKS, executor=AtOnce(), jobs=2)


def test_faults_are_those_of_the_command(tmp_path):
    for file in FILES:
        shutil.copy(file, tmp_path)
    (tmp_path / "rank4.json").write_text('{"traceEvents": 3}')
    (tmp_path / "rank5.json").write_text("[")
    command = subprocess.run([BINARY, f"-trace={tmp_path}"], capture_output=True, text=True, check=False)
    assert command.returncode == 1
    for executor in (None, AtOnce()):
        with pytest.raises(amdahlc.InputError) as raised:
            amdahlc.ranks(tmp_path, executor=executor)
        assert str(raised.value) == command.stderr.rstrip("\n")
        assert {one.file.rpartition("/")[2] for one in raised.value.diagnostics} == {"rank4.json", "rank5.json"}
    for traces, message in ((tmp_path / "nothing*.json", "no file matches"), ([], "no traces"), (FILES[0], "several ranks")):
        with pytest.raises(amdahlc.InputError, match=message):
            amdahlc.ranks(traces, executor=AtOnce())


class Failing(AtOnce):
    """The second piece of work fails, as that of a worker that is lost; those after it are still to begin."""

    def __init__(self):
        self.futures = []

    def submit(self, work, /, *arguments):
        future = super().submit(work, *arguments) if not self.futures else Future()
        if len(self.futures) == 1:
            future.set_exception(RuntimeError("the worker is gone"))
        self.futures.append(future)
        return future


def test_a_lost_worker_ends_the_work():
    executor = Failing()
    with pytest.raises(RuntimeError, match="the worker is gone"):
        amdahlc.ranks(RANKS, executor=executor)
    assert [one.cancelled() for one in executor.futures] == [False, False, True, True]


def test_bytes_of_something_else_are_refused():
    class Garbling(AtOnce):
        def submit(self, work, /, *arguments):
            future = Future()
            version, found = work(*arguments)
            future.set_result((version, found[:-1] + b"?"))
            return future

    with pytest.raises(amdahlc.InternalError, match="damaged"):
        amdahlc.ranks(RANKS, executor=Garbling())


def test_progress_tells_of_each_trace():
    seen = []
    amdahlc.ranks(RANKS, executor=AtOnce(), progress=lambda what, part: seen.append((what, part)))
    assert [part for what, part in seen if what == "read traces of ranks"][:4] == [0.25, 0.5, 0.75, 1.0]


MEMORY = """
import resource, sys, amdahlc
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as pool:
    found = amdahlc.ranks(sys.argv[1], executor=pool)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
sys.stderr.write(found.to_json())
"""


def test_many_ranks_take_no_more_memory_than_few(tmp_path):
    from checks.ranks.simulate import Options, simulate, trace_text

    options = Options(ranks=256, steps=4, layers=12, frames=4)
    text = trace_text(options, *simulate(Options(ranks=2, steps=4, layers=12, frames=4)), 0)
    used = {}
    for count in (8, 256):
        folder = tmp_path / str(count)
        folder.mkdir()
        for rank in range(count):
            (folder / f"rank{rank}.json").write_text(text.replace('"rank": 0,', f'"rank": {rank},'))
        run = subprocess.run([sys.executable, "-c", MEMORY, folder], capture_output=True, text=True, check=True, env=os.environ)
        assert run.stderr == of_command(f"-trace={folder}")
        used[count] = int(run.stdout)
    # In KiB. Together the traces are larger than that.
    assert used[256] - used[8] < 12 * 1024 < 256 * len(text) / 1024
