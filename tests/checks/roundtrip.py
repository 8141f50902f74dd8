"""After every pass, the printed IR fed back gives the same report byte for byte.

The default pipeline runs on the model (with the trace and a what-if, where there is a trace) and dumps the IR after each pass; then each dump is read with
`-passes=default`, and the JSON report, the kernel table and, with a trace, the bindings are compared. A dump taken before `trace-bind` needs the trace
again, one taken before `speedup-rewrite` the what-if; later ones carry both. What passes find out from host events needs the trace in any case, since dumps
do not contain those: a later dump is read with the trace, and without it, which must give the report of a pipeline without these passes. The liveness of
tensors is requested everywhere: a dump does not contain it, and what the report says of it must be the same. Rules are given to the first run alone: every dump carries them.
"""
import pathlib
import re
import tempfile
from typing import NamedTuple

from checks.command import amdahlc
from checks.places import ENCODER, ENCODER_TRACE, MODELS, SHARED, SOURCE, traces_of
from checks.results import Skip

WHAT_IF = '-what-if=id:0=2x'


class Case(NamedTuple):
    name: str
    model: pathlib.Path
    trace: str = ''
    rules: str = ''


def shared(model, trace=''):
    return Case(model.removesuffix('.torchscript') if model.startswith('resnet18.t') or 'fp32.t' in model else model, MODELS / f'{model}.onnx',
                trace and traces_of(trace))


# Why there is no replay: of a run without host events, and of a pipeline without the pass.
ABSENCES = b'the trace of the run was not given; give it with `-trace=`', b'the pipeline has no pass `schedule`'

# What host events tell: types, shapes and layouts of operands, of which types and shapes are those of the model in these runs, and what the allocator recorded.
OPERANDS_OF_RUN = ((rb'"no_measured": "[^"]*"', b'"no_measured": null'), (rb'(?s)"measured": \{.*?\n    \}', b'"measured": null'), (rb'  measured: .*\n', b''),
                   (rb'"weight_types": \[[^]]*\]', b'"weight_types": null'), (rb'"shapes": "run"', b'"shapes": "model"'),
                   (rb"  roofs assume the model's shapes, because .*\n", b''),
                   (rb'(?s)"advice": \[\n    \{\s+"kind": "change",\s+"selector": null,\s+"change": "keep images with channels last.*?\n   \]', b'"advice": []'),
                   (rb'  1\. keep images with channels last.*\n(?:     .*\n)*', b'  tried 1 change; none saves 1 % of it\n'))


def without_operands(text):
    for pattern, instead in OPERANDS_OF_RUN:
        text = re.sub(pattern, instead, text)
    return text


REFERENCE = SHARED / 'reference' / 'amdahl4ml'
CASES = [
    Case('encoder', ENCODER, ENCODER_TRACE),
    # Other rules than the default ones: reading the dump of `simplify` with those instead would give other kernels.
    Case('encoder-of-other-rules', ENCODER, rules='amdahl4ml'),
    Case('encoder-of-named-rules', ENCODER, ENCODER_TRACE, rules='pytorch'),
    shared('bert-small.dynamo', 'h100/bert-small'), shared('bert-small.dynamo-opset23', 'h100/bert-small'), shared('bert-small.torchscript', 'h100/bert-small'),
    shared('vit-base.dynamo', 'mi300/vit-base'), shared('vit-base.torchscript', 'mi300/vit-base'),
    shared('bert-small-fp32.torchscript', 'cpu/bert-small-fp32-eager'), shared('resnet18.torchscript', 'cpu/resnet18-eager'),
    Case('bert-mini-layer', REFERENCE / 'bert-mini_layer.onnx', REFERENCE / 'trace_dense_layer.json'),
    *map(shared, ('bert-small-fp32.ort-optimized', 'resnet18-b32.numbered-names', 'resnet18.ort-optimized')),
]
# Each of another runtime or export, and no longer than it takes to see a difference.
OF_PRINTED_RULES = ('encoder', 'bert-small.dynamo', 'resnet18', 'resnet18.ort-optimized')


def outputs(prefix, bound):
    """The files, and the options that write them."""
    kinds = ['json', 'csv', 'summary=full'] + (['bindings', 'dot'] if bound else [])
    return [f'{prefix}.{kind}' for kind in kinds], [f'-emit={kind}={prefix}.{kind}' for kind in kinds] + [f'-emit=liveness={prefix}.pictures']


def default_passes(arguments, folder):
    text = amdahlc.text('-print-pipeline', '-emit=liveness=unused', *arguments, cwd=folder).strip()
    return [name.split('<')[0] for name in text.split(',') if not name.startswith('emit')]


def check(check):
    case = next(case for case in CASES if case.name == check.last_name)
    if not case.model.exists():
        raise Skip(f'{case.model.parent.name}/{case.model.name} of the folder `shared` is missing')
    with tempfile.TemporaryDirectory() as folder:
        trace = [f'-trace={case.trace}'] if case.trace else []
        what_if = [WHAT_IF] if trace else []
        rules = [f'-rules={SOURCE}/rules/{case.rules}.akp'] if case.rules else []
        source = [*rules, *trace, *what_if, case.model]
        passes = default_passes([*trace, *what_if, case.model], folder)
        # One run writes what is expected, and the dump after each pass.
        amdahlc.text('-verify-each', f'-print-after={",".join(passes)}', '-print-to=dumps', *outputs('expected', bool(trace))[1],
                     *(['-emit=ir=bound.air'] if trace else []), *source, cwd=folder)
        dumps = re.split(r'^// IR after (\S+)\n', pathlib.Path(folder, 'dumps').read_text(encoding='utf-8'), flags=re.MULTILINE)
        check.equal('passes that are dumped', dumps[1::2], passes)
        for name, text in zip(passes, dumps[2::2]):
            pathlib.Path(folder, f'after-{name}.air').write_text(text, encoding='utf-8')
        if trace:
            left = default_passes(['bound.air'], folder)
            check.that(left != passes, 'no pass reads host events')
            amdahlc.text(f'-passes={",".join(left)}', '-verify-each', *outputs('expected-without', True)[1], *source, cwd=folder)
        for index, name in enumerate(passes):
            again = what_if if 'speedup-rewrite' not in passes[:index + 1] else []
            readings = [('expected', trace)]
            if trace and 'trace-bind' in passes[:index + 1]:
                readings.append(('expected-without', []))
            for expected, given in readings:
                files, emit = outputs('actual', bool(trace))
                amdahlc.text('-passes=default', '-verify-each', *given, *again, *emit, f'after-{name}.air', cwd=folder)
                for file, original in zip(files, outputs(expected, bool(trace))[0]):
                    text, wanted = pathlib.Path(folder, file).read_bytes(), pathlib.Path(folder, original).read_bytes()
                    if not given and (b'run-has-other-shapes' in wanted or b'channels last' in wanted):
                        # A dump does not contain the operands of calls, so that bytes and operations are those of the model, and strides are not known.
                        continue
                    if not given:
                        text, wanted = without_operands(text.replace(*ABSENCES)), without_operands(wanted)
                    check.that(text == wanted,
                               f'the {file.partition(".")[2]} from the dump after {name} differs; reproduce: amdahlc -print-after={name} -print-to=after.air ... '
                               f'{case.model.name}, then amdahlc -passes=default {" ".join(given)} after.air')


def printed_rules(check):
    """Rules that `-print-rules` prints, used as a rule file, print the same and give the same reports.

    Each shipped library is printed, and those that can be loaded together: two are for the same runs, and have rules of the same names.
    """
    libraries = sorted((SOURCE / 'rules').glob('*.akp'))
    sets = [[library] for library in libraries] + [[one for one in libraries if one.stem != other] for other in ('amdahl4ml', 'pytorch')]
    with tempfile.TemporaryDirectory() as folder:
        printed = pathlib.Path(folder, 'printed.akp')
        for files in sets:
            given, name = '-rules=' + ','.join(map(str, files)), ' and '.join(file.name for file in files)
            printed.write_text(amdahlc.text('-print-rules', given), encoding='utf-8')
            check.equal(f'{name}: what was printed, printed again', amdahlc.text('-print-rules', f'-rules={printed}'), printed.read_text(encoding='utf-8'))
            for case in CASES:
                if case.name in OF_PRINTED_RULES and case.model.exists():
                    source = [*([f'-trace={case.trace}'] if case.trace else []), case.model, '-emit=json']
                    check.that(amdahlc.text(given, *source) == amdahlc.text(f'-rules={printed}', *source),
                               f'{name}: another report of {case.name}; reproduce: amdahlc -print-rules {given} > printed.akp, then amdahlc -rules=printed.akp')
