#!/usr/bin/env python3
"""Bundles the page's TypeScript and styles with esbuild, and writes them with their hashes as a source of C++."""
import argparse
import base64
import hashlib
import json
import pathlib
import re
import subprocess
import tempfile
import zlib

FOLDER = pathlib.Path(__file__).resolve().parent
# The style of the summary follows those of the views, whose colours it uses.
ENTRIES = {'main': FOLDER / 'page' / 'main.ts', 'head': FOLDER / 'page' / 'head.css'}
# Members of objects that only the script makes and reads: the bundle has short names for them.
SHORTENED = ('byteSeconds|denominator|describesSelection|deviceSelf|deviceTotal|durationOf|hasColumn|hostSelf|hostTotal|isAvailable|isBeyond|isReachable|isSelected|'
             'isStopped|kernelOf|labelOf|manners|navigate|subject|viewport|conflict|numerator|onSelect|placeOf|rowHeight|rowOf|showsAll|showsPath|shownRows|startOf|textOf|trackOf')


def bundle(esbuild):
    """The script, the style, and the files that they are made of."""
    with tempfile.TemporaryDirectory() as folder:
        out, facts = pathlib.Path(folder), pathlib.Path(folder, 'facts.json')
        # The names of the files that were read are relative to the folder in which esbuild runs.
        subprocess.run([esbuild, *(f'{name}={entry}' for name, entry in ENTRIES.items()), '--bundle', '--minify', '--target=es2022', '--format=iife',
                        '--legal-comments=none', '--charset=utf8', f'--mangle-props=^({SHORTENED})$', '--log-level=warning', f'--outdir={out}', f'--metafile={facts}'], check=True, cwd=FOLDER)
        style = [out / name for name in ('main.css', 'head.css')]
        files = [FOLDER / name for name in json.loads(facts.read_text())['inputs']]
        for file in files:
            # A text, or what comes from elsewhere, keeps the long name.
            if found := re.search(rf'["\'`]({SHORTENED})["\'`]', file.read_text()) or ('contract' in file.parts and re.search(rf'\b({SHORTENED})\??:', file.read_text())):
                raise SystemExit(f'error: {file} has the name {found[1]}, which bundle.py shortens')
        return (out / 'main.js').read_text(encoding='utf-8'), ''.join(file.read_text() for file in style if file.exists()), files


def checked(text, *ends):
    """The text as the content of an element, whose hash is that of the same bytes. What would end the element earlier is an error."""
    text = text.strip()
    for end in ends:
        if end in text.lower():
            raise SystemExit(f'error: the bundle has `{end}`, which ends or changes its element in HTML')
    if '\r' in text or '\0' in text:
        raise SystemExit('error: the bundle has a character that HTML replaces, so that its hash would not hold')
    return text


def sha256(text):
    return 'sha256-' + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def deflated(data):
    """As raw DEFLATE."""
    return zlib.compress(data, 9, wbits=-15)


def literal(text):
    """A raw string of C++."""
    end = 'amdahlc'
    assert f'){end}"' not in text
    return f'R"{end}({text}){end}"'


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--esbuild', required=True)
    parser.add_argument('--depfile', type=pathlib.Path, required=True)
    parser.add_argument('--replay', type=pathlib.Path, help='the WebAssembly module that replays a run')
    parser.add_argument('source', type=pathlib.Path)
    options = parser.parse_args()
    script, style, files = bundle(options.esbuild)
    script, style = checked(script, '</script', '<!--'), checked(style, '</style')
    replay = base64.b64encode(deflated(options.replay.read_bytes())).decode() if options.replay else ''
    options.source.parent.mkdir(parents=True, exist_ok=True)
    options.source.write_text(f'''#include "report/page/page_assets.h"
namespace amdahlc::page {{
const Assets kAssets{{
{literal(script)},
"{sha256(script)}",
{literal(style)},
"{sha256(style)}",
"{replay}"}};
}}
''')
    names = (str(file).replace(' ', '\\ ') for file in files)
    options.depfile.write_text(f'{options.source}: {" ".join(names)}\n')


if __name__ == '__main__':
    main()
