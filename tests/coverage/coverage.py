#!/usr/bin/env python3
"""coverage.py BUILD: which lines and branches the runs in a build folder of the preset `coverage` executed.

Prints a table by component and writes BUILD/html, a page for each source. Runs that ended by a signal
have written no counts. Generated sources, tests and libraries are left out.
"""
import collections
import json
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / 'tests'))
from checks.meta.tree import components  # noqa: E402

LLVM = 19
KINDS = ('lines', 'branches')


def tool(name, *arguments, **options):
    return subprocess.run([f'{name}-{LLVM}', *map(str, arguments)], check=True, cwd=SOURCE, **options)


def main(build):
    counts = sorted((build / 'counts').glob('*.profraw'))
    if not counts:
        sys.exit(f'error: no counts in {build / "counts"}: no test ran')
    profile = build / 'counts' / 'all.profdata'
    tool('llvm-profdata', 'merge', '-sparse', '-o', profile, *counts)
    programs = [path for path in sorted((build / 'bin').iterdir()) if path.is_file()]
    # Paths are recorded from the folder of the sources on.
    common = [f'-instr-profile={profile}', f'-compilation-dir={SOURCE}', programs[0]]
    common += [f'-object={program}' for program in programs[1:]]
    exported = tool('llvm-cov', 'export', '-summary-only', *common, stdout=subprocess.PIPE, text=True)
    known = components()
    sources = []
    sums = collections.defaultdict(lambda: {kind: [0, 0] for kind in KINDS})
    for file in json.loads(exported.stdout)['data'][0]['files']:
        path = pathlib.Path(file['filename'])
        if not path.is_relative_to(SOURCE) or not path.exists():
            continue
        component = max((one for one in known if str(path.relative_to(SOURCE)).startswith(one + '/')), key=len, default=None)
        if component is None:
            continue
        sources.append(path)
        for name in (component, 'in all'):
            for kind in KINDS:
                sums[name][kind][0] += file['summary'][kind]['covered']
                sums[name][kind][1] += file['summary'][kind]['count']
    if 'in all' not in sums:
        sys.exit('error: the counts are of no source of a component')
    print(f'{"component":<24}{"lines":>9}{"run":>9}{"branches":>11}{"run":>9}')
    for name in [*(one for one in known if one in sums), 'in all']:
        cells = ''
        for (covered, count), width in zip((sums[name][kind] for kind in KINDS), (9, 11)):
            share = f'{100 * covered / count:.1f} %' if count else '-'
            cells += f'{count:>{width}}{share:>9}'
        print(f'{name:<24}{cells}')
    html = build / 'html'
    tool('llvm-cov', 'show', '-format=html', f'-output-dir={html}', '-show-branches=count', *common, *sources, stdout=subprocess.DEVNULL)
    print(f'by source: {html.relative_to(SOURCE) if html.is_relative_to(SOURCE) else html}/index.html')


if __name__ == '__main__':
    main(pathlib.Path(sys.argv[1]).resolve())
