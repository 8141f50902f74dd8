"""What the tests of the language server share: a server for each test, and texts with marks for places."""
import pathlib
import sys
import tempfile
import unittest

from client import Client, uri_of

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BINARY = None
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
        self.client = Client(BINARY)
        self.addCleanup(self.client.__exit__, None)
        folder = tempfile.TemporaryDirectory(prefix='rules of é-')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

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


def main():
    global BINARY
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    sys.modules['cases'].BINARY = BINARY
    unittest.main(module='__main__', verbosity=1)
