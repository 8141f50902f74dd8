"""Folders, and the recorded runs that several checks are about."""
import hashlib
import os
import pathlib
import subprocess
from typing import NamedTuple

from checks.results import Skip

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SHARED = SOURCE.parent / 'shared'
MODELS, TRACES = SHARED / 'models', SHARED / 'traces'
EXAMPLES = SOURCE / 'examples'
DATA = SOURCE / 'tests' / 'data'
FIXTURES = SOURCE / 'tests' / 'golden' / 'fixtures'
ENCODER, ENCODER_TRACE = EXAMPLES / 'encoder.onnx', EXAMPLES / 'encoder.trace.json.gz'
CONFORMANCE_PACKAGE = 'libonnx-testdata'
# The machine that recorded the traces of a CPU is not known; this one is at least as slow as any that could have.
CPU, A100 = 'epyc-genoa-2-cores', 'a100-80gb-pcie'


def installed(name, requirements):
    """The folder into which `./dev` installs packages of Python."""
    version = hashlib.sha256(requirements.read_bytes()).hexdigest()[:12]
    cache = pathlib.Path(os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache')
    folder = cache / 'amdahlc' / f'{name}-{version}'
    if not folder.exists():
        raise Skip(f'{folder.name} is missing, which `./dev test` installs')
    return folder


class Pair(NamedTuple):
    """A recorded run and a model of it, below the folder `shared`."""
    trace: str      # as the checks print it, below `traces`
    model: str      # below `models`
    hardware: str = None   # where the trace does not name its device

    @property
    def traces(self):
        """Of `-trace=`."""
        return traces_of(self.trace)

    @property
    def model_path(self):
        return MODELS / f'{self.model}.onnx'

    def options(self):
        return [f'-trace=run={self.traces}', *([f'-hardware={self.hardware}'] if self.hardware else [])]

    def __str__(self):
        return f'{self.trace} on {self.model}'


def traces_of(name):
    """The value of `-trace=` for a run below `traces`; the folder of a TensorRT engine is its profile with the layer information."""
    if name.endswith('.json'):
        return str(TRACES / name)
    if name.startswith('tensorrt/'):
        return f'{TRACES / name}/profile.json,{TRACES / name}/graph.json'
    return str(TRACES / f'{name}.json.gz')


GPU_PAIRS = [Pair(f'{device}/{model}', f'{model}.{export}') for device in ('h100', 'mi300') for model, export in (
    ('bert-small', 'dynamo'), ('bert-small', 'torchscript'), ('bert-small', 'dynamo-opset23'), ('vit-base', 'dynamo'), ('vit-base', 'torchscript'))]
CPU_PAIRS = [Pair(f'cpu/{model}-{mode}', f'{model}.torchscript', CPU) for model in ('bert-small-fp32', 'resnet18') for mode in ('eager', 'inductor')]
# A model that ONNX Runtime optimised at the highest level is another graph than what runs at the others.
ONNXRUNTIME_PAIRS = [Pair(f'ort/{model}-{level}', f'{model}.{kind}', CPU) for model in ('resnet18', 'bert-small-fp32') for level in ('none', 'basic', 'all')
                     for kind in ('torchscript', 'ort-optimized')[:2 if level == 'all' else 1]]
TENSORRT_PAIRS = [Pair(f'tensorrt/resnet18-a100-{precision}', 'resnet18-b32.numbered-names', A100) for precision in ('fp16', 'fp32')]
REFERENCE_PAIR = Pair('../reference/amdahl4ml/trace_dense_layer.json', '../reference/amdahl4ml/bert-mini_layer')
PAIRS = GPU_PAIRS + CPU_PAIRS + ONNXRUNTIME_PAIRS + TENSORRT_PAIRS


def conformance_models():
    """Models of Debian's package of conformance tests; none where it is not installed."""
    try:
        listing = subprocess.run(['dpkg', '-L', CONFORMANCE_PACKAGE], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    return sorted(line for line in listing.splitlines() if line.endswith('.onnx'))
