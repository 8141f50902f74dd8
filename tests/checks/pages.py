"""Tables that checks keep in pages of the documentation, between the markers of docs/update.py."""
import difflib
import sys

from checks.places import SOURCE

sys.path.insert(0, str(SOURCE / 'docs'))
import update   # noqa: E402

SOURCE_NAME = 'tests/run_checks.py '


def markdown(head, rows, texts):
    """A table; columns are aligned to the right, except those of texts."""
    rule = '|' + '|'.join('--' if name in texts else '--:' for name in head) + '|'
    first, *others = ['| ' + ' | '.join(map(str, line)) + ' |' for line in (head, *rows)]
    return '\n'.join([first, rule, *others]) + '\n'


def keep(check, name, tables):
    """Compares the tables of a check, by name, with those in its page; with `--write` writes them."""
    path = SOURCE / name
    page = path.read_text(encoding='utf-8')
    filled = update.fill(page, lambda source: tables.get(source.removeprefix(SOURCE_NAME)) if source.startswith(SOURCE_NAME) else None)
    if check.write:
        path.write_text(filled, encoding='utf-8')
        check.say(f'{"nothing to update in" if filled == page else "wrote"} {name}')
    elif not check.that(filled == page, f'{name} has other figures; `tests/run_checks.py --write {check.name}` writes them'):
        print('\n'.join(difflib.unified_diff(page.split('\n'), filled.split('\n'), name, 'as it should be', lineterm='', n=0)))
