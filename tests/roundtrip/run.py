#!/usr/bin/env python3
"""After every pass, the printed IR fed back gives the same report byte for byte.

  run.py --binary PATH [--rules PATH] MODEL [TRACE]

Runs the default pipeline on the model (with the trace and a what-if, where a trace is given), dumping the IR after each pass; then feeds each
dump back with `-passes=default` and compares the JSON report, the kernel table and, with a trace, the bindings. A dump taken before
`trace-bind` needs the trace again, one taken before `speedup-rewrite` the what-if; later ones carry both. What passes find out from host
events needs the trace in any case, since dumps do not contain those: a later dump is read with the trace, and without it, which must give the
report of a pipeline without these passes. The liveness of tensors is requested everywhere: a dump does not contain it, and its listings must be the same. Rules are given to the first run alone: every dump carries them. Exit status 77 where the model is
not there.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

WHAT_IF = '-speedup=id:0=2x'
LISTINGS = ('kernels.config', 'tensors.config', 'liveness_analysis.config')


def run(command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors='replace')
    if done.returncode:
        sys.exit(f'exit {done.returncode}: {" ".join(map(str, command))}\n{done.stderr}')
    return done.stdout


def outputs(prefix, bound):
    """The files, and the options that write them."""
    kinds = ['json', 'csv', 'summary'] + (['bindings', 'dot'] if bound else [])
    files = [f'{prefix}.{kind}' for kind in kinds] + [f'{prefix}.tensors/{listing}' for listing in LISTINGS]
    return files, [f'-emit={kind}={prefix}.{kind}' for kind in kinds] + [f'-emit=liveness={prefix}.tensors']


def default_passes(binary, arguments, folder):
    text = run([binary, '-print-pipeline', '-emit=liveness=unused', *arguments], folder).strip()
    return [name.split('<')[0] for name in text.split(',') if not name.startswith('emit')]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', type=pathlib.Path, required=True)
    parser.add_argument('--rules', type=pathlib.Path, help='what is left out: the default library')
    parser.add_argument('model', type=pathlib.Path)
    parser.add_argument('trace', type=pathlib.Path, nargs='?')
    options = parser.parse_args()
    for path in filter(None, (options.model, options.trace)):
        if not path.exists():
            print(f'skipped: {path.parent.name}/{path.name} is not there')
            return 77
    model, binary = options.model.resolve(), options.binary.resolve()
    with tempfile.TemporaryDirectory() as folder:
        trace = [f'-trace={options.trace.resolve()}'] if options.trace else []
        what_if = [WHAT_IF] if options.trace else []
        rules = [f'-rules={options.rules.resolve()}'] if options.rules else []
        passes = default_passes(binary, [*trace, *what_if, model], folder)
        _, emit = outputs('expected', bool(trace))
        run([binary, '-verify-each', *rules, *trace, *what_if, *emit, model], folder)
        if trace:
            run([binary, *rules, *trace, *what_if, '-emit=ir=bound.air', model], folder)
            left = default_passes(binary, ['bound.air'], folder)
            if left == passes:
                sys.exit('no pass reads host events')
            _, emit = outputs('expected-without', True)
            run([binary, f'-passes={",".join(left)}', '-verify-each', *rules, *trace, *what_if, *emit, model], folder)
        failures = read = 0
        for index, name in enumerate(passes):
            dump = f'after-{name}.air'
            run([binary, f'-print-after={name}', f'-print-to={dump}', '-emit=json=unused.json', '-emit=liveness=unused', *rules, *trace, *what_if, model], folder)
            again = what_if if 'speedup-rewrite' not in passes[:index + 1] else []
            readings = [('expected', trace)]
            if trace and 'trace-bind' in passes[:index + 1]:
                readings.append(('expected-without', []))
            for expected, given in readings:
                files, emit = outputs('actual', bool(trace))
                wanted, _ = outputs(expected, bool(trace))
                run([binary, '-passes=default', '-verify-each', *given, *again, *emit, dump], folder)
                read += 1
                for file, original in zip(files, wanted):
                    if pathlib.Path(folder, file).read_bytes() != pathlib.Path(folder, original).read_bytes():
                        print(f'the {file.partition(".")[2]} from the dump after {name} differs; reproduce: amdahlc -print-after={name} -print-to={dump} ... {model.name}, '
                              f'then amdahlc -passes=default {" ".join(map(str, given))} {dump}')
                        failures += 1
    print(f'{model.name}: {len(passes)} dumps, read {read} times, {failures} differences')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
