"""The pages that several checks open, each written once by a process."""
import functools
import json
import re
import subprocess
import sys
from typing import NamedTuple

from checks import command
from checks.command import amdahlc
from checks.page.document import Document
from checks.places import ENCODER, ENCODER_TRACE, EXAMPLES, FIXTURES

H100, BACK_ENDS = EXAMPLES / 'h100', EXAMPLES / 'back_ends'
OPTIONS = {
    # The bundled example: one thread of a CPU.
    'encoder': (f'-trace=run={ENCODER_TRACE}', ENCODER),
    # A run of a GPU with its model, with all views that one run can have.
    'decoder': (f'-trace=run={H100 / "decoder.trace.json.gz"}', '-hardware=h100-sxm', H100 / 'decoder.onnx'),
    # Traces alone, of a GPU, of one that launches graphs, and of a CPU: their graphs are programs.
    'gpu': (f'-trace=run={H100 / "encoder.trace.json.gz"}',),
    'graphs': (f'-trace=run={H100 / "decoder.graph.trace.json.gz"}',),
    'cpu': (f'-trace=run={ENCODER_TRACE}',),
    'comparison': (*(f'-trace={BACK_ENDS / name}' for name in ('eager.trace.json.gz', 'compiled.trace.json.gz', 'onnxruntime.json.gz')), ENCODER),
    'ranks': (f'-trace={EXAMPLES / "ranks"}', '-rank=0'),
}


def captured():
    """A server that launches the graph of a capture in each step, with the size of its batch."""
    subprocess.run([sys.executable, '-B', FIXTURES / 'captured-graphs' / 'make.py'], cwd=folder(), check=True)
    run = folder() / 'run.json'
    run.write_text(re.sub(r'ProfilerStep#\d', 'step[DECODE bs=4]', run.read_text()))
    return f'-trace=run={run},{folder() / "capture.json"}', '-hardware=mi300x', '-passes=default<host.batch-size=4>'


class Written(NamedTuple):
    path: object
    report: dict        # of `-emit=json`
    document: Document
    csv: str            # of `-emit=csv`; of ranks, none


@functools.cache
def folder():
    return command.temporary()


@functools.cache
def written(name):
    path, report, table = (folder() / f'{name}.{end}' for end in ('html', 'json', 'csv'))
    # Pictures of tensors make the report tell of them.
    liveness = [f'-emit=liveness={folder() / name}'] if name == 'decoder' else []
    amdahlc.text(f'-emit=html={path}', f'-emit=json={report}', f'-emit=csv={table}', *liveness, *(OPTIONS[name] if name in OPTIONS else captured()))
    return Written(path, json.loads(report.read_bytes()), Document(path.read_text()), table.read_text())
