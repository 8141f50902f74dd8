#!/usr/bin/env python3
"""Links between the pages lead somewhere, docs/index.md names every page or its folder, and each opens with a command whose output is checked."""
import re

from tree import SOURCE, files, finish, name

LINK = re.compile(r'\[[^\]\n]*\]\(([^)\s]+)\)')
BLOCK = re.compile(r'^```.*?^```$', re.DOTALL | re.MULTILINE)


def anchors(text):
    """Anchors as the usual renderers make them of headings."""
    found = set()
    for heading in re.findall(r'^#+ +(.*)$', BLOCK.sub('', text), re.MULTILINE):
        plain = re.sub(r'[^\w\- ]', '', heading.lower().replace('`', ''))
        found.add(plain.strip().replace(' ', '-'))
    return found


errors, count = [], 0
pages = files('.md')
for page in pages:
    for target in LINK.findall(BLOCK.sub('', page.read_text())):
        if re.match(r'[a-z]+://', target):
            continue
        count += 1
        path, _, anchor = target.partition('#')
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            errors.append(f'{name(page)}: {target} leads nowhere')
        elif anchor and file.suffix == '.md' and anchor not in anchors(file.read_text()):
            errors.append(f'{name(page)}: {target}: no such heading')
index = SOURCE / 'docs' / 'index.md'
for page in pages:
    first = re.search(r'^```(\w*)$', page.read_text(), re.MULTILINE)
    if name(page).startswith('docs/') and page != index and (not first or first[1] != 'console'):
        errors.append(f'{name(page)} must open with a ```console block: a working command and its output')
listed = {(index.parent / target.partition('#')[0]).resolve() for target in LINK.findall(index.read_text())} if index.exists() else set()
errors += [f'docs/index.md does not name {name(page)}' for page in pages if name(page).startswith('docs/') and page != index and page not in listed and page.parent not in listed]
finish(errors, f'{count} links in {len(pages)} pages')
