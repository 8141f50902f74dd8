"""A client of the Language Server Protocol that trusts nothing: it checks the framing, JSON-RPC and the shape of each message that it gets.

    with Client(binary) as client:
        client.initialize()
        client.open('file:///a.akp', text)
        client.request('textDocument/hover', ...)
"""
import json
import os
import pathlib
import select
import subprocess
import time

from checks.lsp import shapes

SECONDS = 60
HEADER_LIMIT = 4096


class ProtocolError(AssertionError):
    """The server broke the protocol."""


class Refused(Exception):
    """An error is the answer to a request."""

    def __init__(self, error):
        super().__init__(f'{error["code"]}: {error["message"]}')
        self.code, self.message = error['code'], error['message']


# What editors of today can do.
FULL = {
    'general': {'positionEncodings': ['utf-16']},
    'workspace': {'workspaceEdit': {'documentChanges': True}, 'didChangeWatchedFiles': {'dynamicRegistration': True}},
    'textDocument': {
        'publishDiagnostics': {'relatedInformation': True, 'versionSupport': True, 'tagSupport': {'valueSet': [1]}},
        'codeAction': {'codeActionLiteralSupport': {'codeActionKind': {'valueSet': ['quickfix']}}},
        'documentSymbol': {'hierarchicalDocumentSymbolSupport': True},
        'hover': {'contentFormat': ['markdown', 'plaintext']},
        'completion': {'completionItem': {'documentationFormat': ['markdown']}},
    },
}


def framed(message):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b'Content-Length: %d\r\n\r\n' % len(body) + body


class Client:
    def __init__(self, binary, *arguments):
        self.server = subprocess.Popen([binary, '-lsp', *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.buffer, self.last_id = b'', 0
        self.versions = {}
        # URI -> the parameters of the last publishDiagnostics, and how many there were in all.
        self.diagnostics, self.published = {}, 0
        self.asked = []

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.server.kill()
        self.server.wait()
        for pipe in (self.server.stdin, self.server.stdout, self.server.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass

    def processor_seconds(self):
        """The time that all threads of the server have spent on processors, in seconds."""
        fields = pathlib.Path(f'/proc/{self.server.pid}/stat').read_text().rpartition(')')[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    # The wire.

    def send_bytes(self, data):
        self.server.stdin.write(data)
        self.server.stdin.flush()

    def fill(self, until):
        left = until - time.monotonic()
        if left <= 0 or not select.select([self.server.stdout], [], [], left)[0]:
            raise ProtocolError(f'no message within {SECONDS} s')
        data = os.read(self.server.stdout.fileno(), 1 << 20)
        if not data:
            raise ProtocolError(f'the server ended its output; stderr: {self.server.stderr.read().decode(errors="replace")}')
        self.buffer += data

    def receive(self, seconds=SECONDS):
        """The next message, checked."""
        until = time.monotonic() + seconds
        while b'\r\n\r\n' not in self.buffer:
            if len(self.buffer) > HEADER_LIMIT:
                raise ProtocolError(f'no header in {self.buffer[:80]!r}')
            self.fill(until)
        header, _, rest = self.buffer.partition(b'\r\n\r\n')
        fields = dict(line.split(b': ', 1) for line in header.split(b'\r\n'))
        if set(fields) != {b'Content-Length'}:
            raise ProtocolError(f'header {header!r}')
        length = int(fields[b'Content-Length'])
        self.buffer = rest
        while len(self.buffer) < length:
            self.fill(until)
        body, self.buffer = self.buffer[:length], self.buffer[length:]
        text = body.decode('utf-8')
        if any(ord(letter) < 32 or 0x7f <= ord(letter) < 0xa0 for letter in text):
            raise ProtocolError('a control character')
        message = json.loads(text)
        shapes.check_message(message)
        self.note(message)
        return message

    def note(self, message):
        method = message.get('method')
        if method == 'textDocument/publishDiagnostics':
            self.diagnostics[message['params']['uri']] = message['params']
            self.published += 1
        elif method == 'client/registerCapability':
            self.asked.append(message)
            self.send_bytes(framed({'jsonrpc': '2.0', 'id': message['id'], 'result': None}))

    # Messages.

    def notify(self, method, params):
        self.send_bytes(framed({'jsonrpc': '2.0', 'method': method, 'params': params}))

    def start(self, method, params=None):
        """Sends a request; its id."""
        self.last_id += 1
        self.send_bytes(framed({'jsonrpc': '2.0', 'id': self.last_id, 'method': method} | ({} if params is None else {'params': params})))
        return self.last_id

    def answer(self, wanted):
        """The message that answers a request; what comes before it is noted."""
        while True:
            message = self.receive()
            if 'method' not in message and message['id'] == wanted:
                return message

    def request(self, method, params=None):
        message = self.answer(self.start(method, params))
        if 'error' in message:
            raise Refused(message['error'])
        shapes.check_result(method, message['result'])
        return message['result']

    # The life of a server.

    def initialize(self, capabilities=None):
        result = self.request('initialize', {'processId': os.getpid(), 'rootUri': None, 'capabilities': FULL if capabilities is None else capabilities})
        self.notify('initialized', {})
        return result

    def leave(self):
        """`shutdown` and `exit`; the exit code."""
        assert self.request('shutdown') is None
        self.notify('exit', None)
        return self.server.wait(SECONDS)

    # Documents.

    def open(self, uri, text):
        self.versions[uri] = 1
        self.notify('textDocument/didOpen', {'textDocument': {'uri': uri, 'languageId': 'akp', 'version': 1, 'text': text}})

    def change(self, uri, *changes):
        """Each change is a whole text, or (start, end, text) with positions as (line, character)."""
        self.versions[uri] += 1
        written = [{'text': one} if isinstance(one, str) else
                   {'range': {'start': shapes.position(*one[0]), 'end': shapes.position(*one[1])}, 'text': one[2]} for one in changes]
        self.notify('textDocument/didChange', {'textDocument': {'uri': uri, 'version': self.versions[uri]}, 'contentChanges': written})

    def close(self, uri):
        self.notify('textDocument/didClose', {'textDocument': {'uri': uri}})

    def diagnostics_of(self, uri):
        """Those of the present version of a document."""
        while self.diagnostics.get(uri, {}).get('version') != self.versions[uri]:
            self.receive()
        return self.diagnostics[uri]['diagnostics']

    def at(self, method, uri, line, character):
        return self.request(method, {'textDocument': {'uri': uri}, 'position': shapes.position(line, character)})


def uri_of(path):
    return pathlib.Path(path).resolve().as_uri()
