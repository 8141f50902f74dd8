#!/usr/bin/env python3
"""Runs fuzz targets that the preset `fuzz` built, and keeps what they find worth keeping.

  fuzz.py run BUILD SECONDS [TARGET...]   runs each target (all) for SECONDS, one on each processor; fails where one finds something
  fuzz.py keep BUILD [TARGET...]          reduces the corpus of a target to the inputs that reach more than the seeds do, and writes
                                          tests/fuzz/corpus/TARGET.tar.xz, which every later run begins with
                                          and adds what the runs of that folder did to tests/fuzz/runs.csv, the record of all runs
  fuzz.py table BUILD                     prints what all runs did, by target: those in the record, and those of that folder since
  fuzz.py targets                         lists the targets

BUILD is the folder of the preset. BUILD/fuzz/corpus/TARGET has the inputs that a run added, and the next run begins with; a finding is kept in
BUILD/fuzz/findings/TARGET. BUILD/fuzz/runs.csv has a row of each run, with the seconds of processor time that it had: on a busy machine SECONDS is more.
"""
import argparse
import concurrent.futures
import contextlib
import csv
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

import runs
import seeds

HERE = pathlib.Path(__file__).resolve().parent
# libFuzzer ends a run that takes longer or needs more: both are findings.
SECONDS_OF_AN_INPUT, MEGABYTES = 20, 3000
# A longer text of rules is more of the same, and slower.
LENGTHS = {'akp': 1000, 'rules_on_graph': 1000}
# A kept corpus is replayed by every test run and stays in the history of the repository.
KEPT_BYTES, KEPT_INPUT_BYTES = 40_000, 1024


def targets():
    return sorted(file.stem for file in (HERE / 'targets').glob('*.cpp'))


def folders(build, target):
    """(working corpus, findings) of a target; they exist."""
    made = [build / 'fuzz' / kind / target for kind in ('corpus', 'findings')]
    for folder in made:
        folder.mkdir(parents=True, exist_ok=True)
    return made


@contextlib.contextmanager
def seed_folder(build, corpus):
    """A folder with the seeds of all targets, for this run alone: one that another run writes anew is empty for a while. `corpus`: also kept inputs."""
    with tempfile.TemporaryDirectory(dir=build / 'fuzz', prefix='seeds-') as folder:
        # Inputs that grow from the files of the folder `shared` could not be kept in the repository. Another run may read them now.
        seeds.write(pathlib.Path(folder), build / 'bin' / 'schema_models', shared=False, corpus=corpus)
        for target in targets():
            pathlib.Path(folder, target).mkdir(exist_ok=True)
        yield pathlib.Path(folder)


def program(build, target):
    """The command that runs a target; options and folders of libFuzzer follow."""
    return [build / 'bin' / 'fuzz', target]


def limits():
    return [f'-timeout={SECONDS_OF_AN_INPUT}', f'-rss_limit_mb={MEGABYTES}']


def environment():
    return {**os.environ, 'UBSAN_OPTIONS': 'print_stacktrace=1'}


def needs_too_long(build, target, path):
    """Whether an input that timed out needs that much processor time, too: libFuzzer's clock goes on while others have the processors."""
    process = subprocess.Popen([*program(build, target), '-timeout=600', path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=environment())
    _, status, usage = os.wait4(process.pid, 0)
    return status != 0 or usage.ru_utime + usage.ru_stime > SECONDS_OF_AN_INPUT


def run(build, target, seconds, inputs):
    """A row for the table: (target, executions, a second, edges, features, inputs, finding)."""
    corpus, findings = folders(build, target)
    dictionary = inputs / f'{target}.dict'
    length = [f'-max_len={LENGTHS[target]}'] if target in LENGTHS else []
    command = [*program(build, target), f'-max_total_time={seconds}', *length, *limits(), '-print_final_stats=1', f'-artifact_prefix={findings}/',
               *([f'-dict={dictionary}'] if dictionary.is_file() else []), corpus, inputs / target]
    log = findings.parent / f'{target}.log'
    with open(log, 'w', encoding='utf-8') as file:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, env=environment())
        _, status, usage = os.wait4(process.pid, 0)
    text = log.read_text(encoding='utf-8', errors='replace')
    statistics = dict(re.findall(r'^stat::(\w+):\s+(\d+)', text, re.MULTILINE))
    covered = re.findall(r'cov: (\d+) ft: (\d+) corp: (\d+)', text)
    # A unit that is only slow is kept as well, and on a busy machine any may be.
    finding = re.search(r'Test unit written to (\S*/(?:crash|leak|oom|timeout)-\w+)', text)
    if finding and '/timeout-' in finding.group(1) and not needs_too_long(build, target, finding.group(1)):
        os.remove(finding.group(1))
        finding, status = None, 0
    if status != 0:
        sys.stderr.write(text[-6000:])
    row = (target, statistics.get('number_of_executed_units', '?'), statistics.get('average_exec_per_sec', '?'),
           *(covered[-1] if covered else '???'), finding.group(1) if finding else '' if status == 0 else f'status {status}, see {log}')
    with open(build / 'fuzz' / 'runs.csv', 'a', encoding='utf-8', newline='') as file:
        csv.writer(file).writerow((int(time.time()), round(usage.ru_utime + usage.ru_stime), *row))
    return row


def keep(build, target, inputs):
    """Keeps inputs that add coverage to that of the seeds, the smallest first, up to a size. False if none does where some did before: then they stay."""
    corpus, _ = folders(build, target)
    with tempfile.TemporaryDirectory(prefix='fuzz-') as name:
        small, merged = pathlib.Path(name, 'small'), pathlib.Path(name, 'merged')
        small.mkdir()
        for file in corpus.iterdir():
            if file.stat().st_size <= KEPT_INPUT_BYTES:
                shutil.copy(file, small)
        for content in seeds.kept(target):
            (small / hashlib.sha1(content).hexdigest()).write_bytes(content)
        # libFuzzer keeps what is in the first folder, and adds from the others what reaches more.
        shutil.copytree(inputs / target, merged)
        before = set(os.listdir(merged))
        subprocess.run([*program(build, target), '-merge=1', *limits(), merged, small], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env=environment(), check=True)
        added = sorted((file for file in merged.iterdir() if file.name not in before), key=lambda file: (file.stat().st_size, file.name))
        total, contents = 0, []
        for file in added:
            total += file.stat().st_size
            if total > KEPT_BYTES:
                break
            contents.append(file.read_bytes())
    path = seeds.CORPUS / f'{target}.tar.xz'
    if not contents and path.exists():
        print(f'error: {target}: no input reaches more than the seeds do, although {path} has some', file=sys.stderr)
        return False
    path.parent.mkdir(exist_ok=True)
    # Without times and owners, so that the same inputs make the same file.
    with tarfile.open(path, 'w:xz', format=tarfile.USTAR_FORMAT, preset=9) as archive:
        for number, content in enumerate(contents):
            entry = tarfile.TarInfo(f'{number:04}')
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    print(f'{target}: {len(contents)} of {len(added)} inputs kept, {path.stat().st_size:,} bytes', flush=True)
    return True


def chosen(names):
    for name in names:
        if name not in targets():
            sys.exit(f'error: no fuzz target `{name}`; the targets are {", ".join(targets())}')
    return names or targets()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest='command', required=True)
    commands.add_parser('targets')
    commands.add_parser('table').add_argument('build', type=pathlib.Path)
    for command in ('run', 'keep'):
        sub = commands.add_parser(command)
        sub.add_argument('build', type=pathlib.Path)
        if command == 'run':
            sub.add_argument('seconds', type=int)
        sub.add_argument('targets', nargs='*')
    options = parser.parse_args()
    if options.command == 'targets':
        print('\n'.join(targets()))
        return 0
    build = options.build.resolve()
    (build / 'fuzz').mkdir(parents=True, exist_ok=True)
    if options.command == 'table':
        rows = [*runs.read(runs.RECORD), *runs.since_record(build)]
        if not rows:
            sys.exit('error: nothing ran yet')
        print(runs.table(rows), end='')
        return 0
    names = chosen(options.targets)
    # Kept inputs are chosen anew, among those that were kept before, too.
    with seed_folder(build, corpus=options.command != 'keep') as inputs:
        if options.command == 'keep':
            # One target without anything to keep is no reason to lose what the others found.
            failed = False
            for target in names:
                if keep(build, target, inputs):
                    runs.record(build, target)
                else:
                    failed = True
            return int(failed)
        print(f'{"target":18}{"executions":>12}{"a second":>10}{"edges":>8}{"features":>10}{"inputs":>8}  finding', flush=True)
        findings = 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for row in pool.map(lambda target: run(build, target, options.seconds, inputs), names):
                findings += row[-1] != ''
                print(f'{row[0]:18}{row[1]:>12}{row[2]:>10}{row[3]:>8}{row[4]:>10}{row[5]:>8}  {row[6]}', flush=True)
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
