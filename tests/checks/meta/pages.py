"""Links between the pages lead somewhere, docs/index.md names every page or its folder, and each opens with a command whose output is checked."""
import re

from checks.meta.tree import files, name
from checks.places import SOURCE

LINK = re.compile(r'\[[^\]\n]*\]\(([^)\s]+)\)')
BLOCK = re.compile(r'^```.*?^```$', re.DOTALL | re.MULTILINE)


def anchors(text):
    """Anchors as the usual renderers make them of headings."""
    found = set()
    for heading in re.findall(r'^#+ +(.*)$', BLOCK.sub('', text), re.MULTILINE):
        plain = re.sub(r'[^\w\- ]', '', heading.lower().replace('`', ''))
        found.add(plain.strip().replace(' ', '-'))
    return found


def check(check):
    index = SOURCE / 'docs' / 'index.md'
    listed = {(index.parent / target.partition('#')[0]).resolve() for target in LINK.findall(index.read_text())}
    for page in files('.md'):
        for target in LINK.findall(BLOCK.sub('', page.read_text())):
            if re.match(r'[a-z]+://', target):
                continue
            path, _, anchor = target.partition('#')
            file = (page.parent / path).resolve() if path else page
            if check.that(file.exists(), f'{name(page)}: {target} leads nowhere') and anchor and file.suffix == '.md':
                check.that(anchor in anchors(file.read_text()), f'{name(page)}: {target}: no such heading')
        if name(page).startswith('docs/') and page != index:
            first = re.search(r'^```(\w*)$', page.read_text(), re.MULTILINE)
            check.that(first and first[1] == 'console', f'{name(page)} must open with a ```console block: a working command and its output')
            check.that(page in listed or page.parent in listed, f'docs/index.md does not name {name(page)}')
