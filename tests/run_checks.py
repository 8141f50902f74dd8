#!/usr/bin/env python3
"""Runs the checks of tests/checks: laws about the command that no golden can show.

  run_checks.py [--binary PATH] [NAME...]    all checks, or those of a name, a folder or a test of ctest: `liveness/g10`, `liveness`, `accuracy/recorded`
  run_checks.py --list                       their names, with what each is about

  --installed    test a binary that was not built from this checkout
  --only REGEX   of checks with named cases, those that match
  --sanitized    the binary has sanitizers: limits of time and memory are not checked, and only checks that are about memory run
  --write        checks that keep tables in pages write them instead of comparing

Without --binary, the newest below build/. AMDAHLC_SAMPLE and AMDAHLC_SAMPLE_SEED choose a sample of cases (checks/sampling.py). What is missing, such as the
folder `shared` beside the project, is said by name. Exit status: 0 all passed, 1 some failed, 77 all skipped. The last line counts.
"""
import argparse
import pathlib
import sys
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from checks import command, places, table   # noqa: E402
from checks.results import Check, Skip   # noqa: E402


def run(row, chosen, options):
    """`passed`, `failed` or `skipped`."""
    check, start = Check(row.name, options.write, options.only, [one.name for one in chosen]), time.monotonic()
    try:
        if row.shared and not places.SHARED.is_dir():
            raise Skip('the folder `shared` beside the project is missing')
        row.function()(check)
        check.that(check.compared, 'nothing was compared')
        status = 'failed' if check.faults else 'passed'
    except Skip as missing:
        status = 'skipped'
        print(f'{row.name}: skipped, because {missing}')
    except Exception:   # a check that cannot end is a failure of this one
        status = 'failed'
        print(f'{row.name}: {traceback.format_exc()}')
    print(f'{status} {row.name}: {check.compared} comparisons, {check.faults} faults, {time.monotonic() - start:.1f} s', flush=True)
    return status


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', type=pathlib.Path)
    parser.add_argument('--only', default='')
    for flag in ('installed', 'sanitized', 'write', 'list', 'tests'):
        parser.add_argument(f'--{flag}', action='store_true', help=argparse.SUPPRESS)
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    rows = [row for row in table.ROWS if row.sanitized or not options.sanitized]
    if options.list:
        print('\n'.join(f'{row.name:40}{row.about()}' for row in rows))
        return 0
    if options.tests:   # for CMake
        print('\n'.join(' '.join([name, *(row.name for row in rows if row.test() == name)]) for name in dict.fromkeys(row.test() for row in rows)))
        return 0
    chosen = [row for row in rows if not options.names or any(map(row.is_named, options.names))]
    for name in options.names:
        if not any(row.is_named(name) for row in chosen):
            parser.error(f'no check `{name}`; --list names them')
    command.amdahlc.sanitized = options.sanitized
    try:
        command.choose(options.binary, options.installed)
    except command.WrongBinary as wrong:
        parser.error(str(wrong))
    statuses = [run(row, chosen, options) for row in chosen]
    counts = {status: statuses.count(status) for status in ('passed', 'failed', 'skipped')}
    print(f'{counts["passed"]} passed, {counts["failed"]} failed' + (f', {counts["skipped"]} skipped' if counts['skipped'] else ''))
    return 1 if counts['failed'] else 77 if counts['skipped'] == len(statuses) else 0


if __name__ == '__main__':
    sys.exit(main())
