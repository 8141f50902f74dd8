"""Every file of a golden fixture is used by two goldens at least, and no golden repeats the content of a fixture."""
import sys

from checks.meta.tree import goldens, name
from checks.places import FIXTURES

sys.path.insert(0, str(FIXTURES.parent))
from run import Golden  # noqa: E402


def check(check):
    users, fixtures = {}, {file: file.read_text(encoding='utf-8') for file in sorted(FIXTURES.rglob('*')) if file.is_file()}
    for path in goldens():
        golden = Golden(path)
        for file in golden.fixture_files.values():
            if any(file.name in command for command in golden.commands):
                users.setdefault(file, []).append(path)
        for section, lines in golden.inputs.items():
            check.none(f'{name(path)} pastes', (f'`{name(file)}`; say `--- use {file.relative_to(FIXTURES)}`' for file, text in fixtures.items()
                                                if file.name == section and '\n'.join(lines) + '\n' == text))
    for file in fixtures:
        check.at_least(f'goldens that use the fixture {name(file)}', len(users.get(file, [])), 2)
