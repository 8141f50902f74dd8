"""Reads pages without a browser: their summary, the report, and the columns, as docs/page.md describes them."""
import array
import base64
import html.parser
import json
import pathlib
import re
import tempfile
import zlib

from checks.command import amdahlc
from checks.places import SOURCE

WIDTHS = {'u8': 1, 'u16': 2, 'u32': 4, 'i32': 4, 'f64': 8, 'text': 1}
UNSIGNED = {1: 'B', 2: 'H', 4: 'I', 8: 'Q'}
SIGNED = {'i32': 'i', 'f64': 'q'}


class Parser(html.parser.HTMLParser):
    """The content of each element with an id, and the values of `data` within the section `summary`."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.texts, self.values, self.open, self.tags = {}, [], [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        if tag == 'data' and any(name == 'summary' for _, name in self.open):
            self.values.append(attributes['value'])
        if tag not in ('meta', 'rect'):
            self.open.append((tag, attributes.get('id')))

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        for _, name in self.open:
            if name:
                self.texts[name] = self.texts.get(name, '') + data


class Document:
    def __init__(self, text):
        self.text = text
        self.parser = Parser()
        self.parser.feed(text)
        self.texts, self.values = self.parser.texts, self.parser.values
        self.page = json.loads(self.texts['page'])
        self.meta = {column['name']: column for column in self.page['columns']}
        self.decoded = {}

    def report(self):
        """By the code that docs/page.md has for it."""
        code = {}
        exec(re.search(r'```python\n(.*?)```', (SOURCE / 'docs' / 'page.md').read_text(), re.DOTALL)[1], code)
        return code['report'](self.text).encode()

    def column(self, name):
        """The values of a column; of a text, its bytes. None where there is none."""
        if name in self.meta and name not in self.decoded:
            self.decoded[name] = self.values_of(self.meta[name])
        return self.decoded.get(name)

    def values_of(self, meta):
        if 'of' in meta:
            whole, plus = self.column(meta['of']), meta.get('plus', 0)
            rows = self.column(meta['rows']) if 'rows' in meta else [1] * len(whole)
            assert len(rows) == len(whole), f'{meta["name"]}: other rows'
            return [value + plus for value, row in zip(whole, rows) if row]
        data = base64.b64decode(self.texts.get(meta['id'], ''), validate=True)
        if meta['deflated']:
            data = inflated(data)
        return values(data, meta, self.column(meta['after']) if 'after' in meta else [0] * meta['length'])

    def strings(self, run):
        text, start, strings = bytes(self.column(f'{run}/strings')), 0, []
        for end in self.column(f'{run}/strings.end'):
            strings.append(text[start:end].decode(errors='replace'))
            start = end + 1
        return strings


def inflated(data):
    return zlib.decompress(data, wbits=-15)


def values(data, meta, after):
    width, length, planes = WIDTHS[meta['type']], meta['length'], meta['planes']
    assert len(data) == planes * length, f'{meta["name"]}: {len(data)} bytes'
    joined = bytearray(width * length)
    for byte in range(planes):
        joined[byte::width] = data[byte * length:(byte + 1) * length]
    found = array.array(UNSIGNED[width], bytes(joined)).tolist()
    if meta['encoding'] != 'planes':
        value, mask = 0, (1 << 8 * width) - 1
        for i, bits in enumerate(found):
            found[i] = value = (value + ((bits >> 1) ^ -(bits & 1))) & mask
            value += after[i]
    if meta['type'] in SIGNED:
        found = array.array(SIGNED[meta['type']], array.array(UNSIGNED[width], found).tobytes()).tolist()
    return found


def written(*options, html='html'):
    """The page of a run of the command, and the bytes of its `-emit=json`."""
    with tempfile.TemporaryDirectory(prefix='checks-') as folder:
        page, report = pathlib.Path(folder, 'page.html'), pathlib.Path(folder, 'report.json')
        amdahlc.text(f'-emit={html}={page}', f'-emit=json={report}', *options)
        return Document(page.read_bytes().decode('utf-8')), report.read_bytes()
