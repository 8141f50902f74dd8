"""What the tests of the language server share: a server for each test, and texts with marks for places."""
import pathlib
import tempfile
import unittest

from checks.command import amdahlc
from checks.lsp.client import Client, uri_of

MARK = '¦'


def marked(text):
    """The text without its marks, and their places as (line, character in UTF-16)."""
    places, plain = [], text.split(MARK)
    for i in range(len(plain) - 1):
        before = ''.join(plain[:i + 1])
        places.append((before.count('\n'), len(before.rpartition('\n')[2].encode('utf-16-le')) // 2))
    return ''.join(plain), places


class ServerCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.client = self.another_client()
        folder = tempfile.TemporaryDirectory(prefix='rules of é-')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def another_client(self):
        client = Client(amdahlc.binary)
        self.addCleanup(client.__exit__, None)
        return client

    def file(self, name, text):
        """A file of the disk; its URI."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding='utf-8')
        return uri_of(path)

    def document(self, text, name='rules.akp'):
        """An open document that is not on the disk, with its places."""
        plain, places = marked(text)
        uri = uri_of(self.folder / name)
        self.client.open(uri, plain)
        return uri, places

    def found(self, uri):
        """(code, severity, (line, character) of start and end) of each diagnostic."""
        def place(position):
            return (position['line'], position['character'])
        return [(one['code'], one['severity'], place(one['range']['start']), place(one['range']['end']))
                for one in self.client.diagnostics_of(uri)]

    def wait_for(self, uri, some):
        """Until there are diagnostics, or none."""
        while bool(self.client.diagnostics[uri]['diagnostics']) != some:
            self.client.receive()
