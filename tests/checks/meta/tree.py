"""The project's files, its lists and its goldens."""
import os
import pathlib
import re

from checks.places import SOURCE

NOT_OURS = {'.git', '.cache', 'build', '__pycache__'}
EXPECTED = re.compile(r'(stdout|stderr|exit \d+|file \S+)$')


def files(*suffixes):
    """Files of the project, sorted; with one of the suffixes, if any are given."""
    found = []
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = sorted(name for name in folders if name not in NOT_OURS)
        # In a worktree `.git` is a file.
        found += [pathlib.Path(folder, name) for name in sorted(names) if name not in NOT_OURS and (not suffixes or name.endswith(suffixes))]
    return found


def name(path):
    return str(path.relative_to(SOURCE))


def rows(file, macro):
    """The arguments of `macro(...)` rows of a .def file, as text."""
    return re.findall(rf'^{macro}\((.*)\)', (SOURCE / file).read_text(), re.MULTILINE)


def pass_names():
    return [row.split('"')[1] for row in rows('passes/passes.def', 'AMDAHLC_PASS')]


def components():
    """The components in link order."""
    found, passes = [], [f'passes/{name.replace("-", "_")}' for name in pass_names()]
    emit = passes.index('passes/emit')
    lists = {'${pass_components_before_report}': passes[:emit], '${pass_components_with_report}': passes[emit:]}
    for one in re.search(r'set\(AMDAHLC_COMPONENTS\s+([^)]*)\)', (SOURCE / 'CMakeLists.txt').read_text())[1].split():
        found += lists.get(one, [one])
    return [component for component in found if (SOURCE / component).is_dir()]


def goldens(folder=''):
    return sorted((SOURCE / 'tests' / 'golden' / folder).rglob('*.test'))


def sections(golden):
    """{section name: its text} of a golden; the head is named ''."""
    parts, current = {'': []}, ''
    for line in golden.read_text(encoding='utf-8', errors='replace').split('\n'):
        if line.startswith('--- '):
            current = line[4:].strip()
            parts.setdefault(current, [])
        else:
            parts[current].append(line)
    return {key: '\n'.join(lines) for key, lines in parts.items()}


def expected_text(golden):
    """Everything that a golden expects to come out."""
    return '\n'.join(text for key, text in sections(golden).items() if EXPECTED.match(key))
