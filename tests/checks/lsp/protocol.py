"""The life of the server, and messages that break the protocol."""
import json
import subprocess

from checks.command import amdahlc
from checks.lsp.cases import ServerCase
from checks.lsp.client import FULL, Refused, framed

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, NOT_INITIALIZED = -32700, -32600, -32601, -32602, -32002
URI = 'file:///nowhere/a.akp'


class Life(ServerCase):
    def test_shutdown_and_exit_end_with_zero(self):
        self.client.initialize()
        self.assertEqual(self.client.leave(), 0)

    def test_exit_without_shutdown_ends_with_one(self):
        self.client.initialize()
        self.client.notify('exit', None)
        self.assertEqual(self.client.server.wait(20), 1)

    def test_the_end_of_the_input_is_an_exit(self):
        self.client.initialize()
        self.client.server.stdin.close()
        self.assertEqual(self.client.server.wait(20), 1)
        done = subprocess.run([amdahlc.binary, '-lsp'], input=framed({'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': {'capabilities': {}}}) +
                              framed({'jsonrpc': '2.0', 'id': 2, 'method': 'shutdown'}), capture_output=True, timeout=20)
        self.assertEqual((done.returncode, done.stderr), (0, b''))

    def refused(self, code, method, params=None):
        with self.assertRaises(Refused) as caught:
            self.client.request(method, params)
        self.assertEqual(caught.exception.code, code)

    def test_requests_need_initialize_first(self):
        self.refused(NOT_INITIALIZED, 'textDocument/hover', {})
        self.client.initialize()
        self.refused(INVALID_REQUEST, 'initialize', {'capabilities': {}})

    def test_requests_after_shutdown_are_refused(self):
        self.client.initialize()
        self.client.request('shutdown')
        self.refused(INVALID_REQUEST, 'textDocument/hover', {})

    def test_unknown_methods(self):
        self.client.initialize()
        self.refused(METHOD_NOT_FOUND, 'textDocument/rename', {})
        for method in ('$/cancelRequest', '$/setTrace', 'workspace/didChangeConfiguration', 'unknown/method'):
            self.client.notify(method, {'id': 1})
        self.assertEqual(self.client.leave(), 0)

    def test_parameters_that_do_not_fit(self):
        self.client.initialize()
        self.client.open(URI, 'akp 1;\n')
        place = {'line': 0, 'character': 0}
        for params in (None, [], {}, {'textDocument': {}}, {'textDocument': {'uri': 1}}, {'textDocument': {'uri': URI}},
                       {'textDocument': {'uri': 'file:///other.akp'}, 'position': place},
                       {'textDocument': {'uri': URI}, 'position': {'line': -1, 'character': 0}},
                       {'textDocument': {'uri': URI}, 'position': {'line': 0.5, 'character': 0}},
                       {'textDocument': {'uri': URI}, 'position': {'line': 2**70, 'character': 0}}):
            self.refused(INVALID_PARAMS, 'textDocument/hover', params)
        far = {'textDocument': {'uri': URI}, 'position': {'line': 2**40, 'character': 2**62}}
        self.assertIsNone(self.client.request('textDocument/hover', far))

    def test_the_client_is_told_what_the_server_can_do(self):
        offered = self.client.initialize()['capabilities']
        self.assertEqual(offered['positionEncoding'], 'utf-16')
        self.assertEqual(offered['textDocumentSync'], {'openClose': True, 'change': 2, 'save': {'includeText': False}})
        self.assertEqual(offered['codeActionProvider'], {'codeActionKinds': ['quickfix']})
        self.assertTrue(self.client.diagnostics == {} and self.client.leave() == 0)
        self.assertEqual([one['params']['registrations'][0]['method'] for one in self.client.asked], ['workspace/didChangeWatchedFiles'])

    def test_utf8_where_it_is_offered(self):
        self.assertEqual(self.client.initialize(FULL | {'general': {'positionEncodings': ['utf-16', 'utf-8']}})['capabilities']['positionEncoding'], 'utf-8')


class Wire(ServerCase):
    def setUp(self):
        super().setUp()
        self.client.initialize()

    def errors(self, data, count=1):
        """Codes of the errors that bytes cause; then the server still answers."""
        self.client.send_bytes(data)
        wanted = self.client.start('textDocument/documentSymbol', {'textDocument': {'uri': 'file:///not-open.akp'}})
        codes = []
        while True:
            message = self.client.receive()
            if message.get('id') == wanted:
                break
            if 'error' in message:
                self.assertIsNone(message['id'])
                codes.append(message['error']['code'])
        self.assertEqual(message['error']['code'], INVALID_PARAMS)
        self.assertEqual(len(codes), count, data[:60])
        return set(codes)

    def test_text_that_is_no_json(self):
        for body in (b'', b'{', b'{"jsonrpc": "2.0"', b'nul', b'\xff\xfe', b'"\xc3\x28"', b'{"a": 1}}', b'[' * 100000, b'[' * 200 + b']' * 200):
            self.assertEqual(self.errors(framed(body)), {PARSE_ERROR}, body[:40])

    def test_json_that_is_no_request(self):
        for value in (1, 'text', None, [], [{'jsonrpc': '2.0', 'id': 1, 'method': 'shutdown'}], {}, {'jsonrpc': '1.0', 'method': 'exit'},
                      {'jsonrpc': '2.0', 'id': {}, 'method': 'shutdown'}, {'jsonrpc': '2.0', 'id': 1.5, 'method': 'shutdown'},
                      {'jsonrpc': '2.0', 'method': 5}, {'jsonrpc': '2.0'}):
            self.assertEqual(self.errors(framed(value)), {INVALID_REQUEST}, value)

    def test_an_answer_to_the_server_needs_none(self):
        self.assertEqual(self.errors(framed({'jsonrpc': '2.0', 'id': 'watch', 'error': {'code': -1, 'message': 'no'}}), 0), set())

    def test_headers_that_are_none(self):
        body = b'{"jsonrpc":"2.0","method":"$/x"}'
        length = b'Content-Length: %d' % len(body)
        for data in (b'garbage\r\n\r\n', b'\r\n\r\n', b'Content-Type: text\r\n\r\n', b'Content-Length: many\r\n\r\n', b'Content-Length: -5\r\n\r\n',
                     b'Content-Length: 99999999999999999999999\r\n\r\n', b'\x00\xff' * 9000 + b'\n\n', body + b'\n', body,
                     b'Content-Type: text; charset=latin-1\r\n' + length + b'\r\n\r\n' + body):
            self.assertEqual(self.errors(data), {PARSE_ERROR}, data[:60])

    def test_headers_that_are_unusual(self):
        body = b'{"jsonrpc":"2.0","method":"$/x"}'
        for head in (b'content-length: %d\r\n\r\n', b'Content-Length:%d\n\n', b'Content-Type: application/vscode-jsonrpc; charset=utf8\r\nContent-Length: %d\r\n\r\n'):
            self.assertEqual(self.errors(head % len(body) + body, 0), set(), head)

    def test_a_message_in_pieces(self):
        data = framed({'jsonrpc': '2.0', 'id': 'x', 'method': 'textDocument/hover', 'params': {}})
        for i in range(len(data)):
            self.client.send_bytes(data[i:i + 1])
        message = self.client.receive()
        while message.get('id') != 'x':
            message = self.client.receive()
        self.assertEqual(message['error']['code'], INVALID_PARAMS)

    def test_a_message_that_is_too_large_is_passed_over(self):
        self.assertEqual(self.errors(framed(b' ' * ((1 << 25) + 1))), {PARSE_ERROR})

    def test_a_message_of_many_values_takes_time_in_proportion(self):
        # Each pair was one step once. The client waits for some seconds.
        self.assertEqual(self.errors(framed({'jsonrpc': '2.0', 'method': '$/x', 'params': [{}] * 1_000_000}), 0), set())

    def test_a_length_without_such_a_message_is_reported_at_once(self):
        server = subprocess.Popen([amdahlc.binary, '-lsp'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        server.stdin.write(b'Content-Length: %d\r\n\r\n{}' % (1 << 40))
        server.stdin.flush()
        length = int(server.stdout.readline().partition(b':')[2])
        self.assertEqual(server.stdout.readline(), b'\r\n')
        self.assertEqual(json.loads(server.stdout.read(length))['error']['code'], PARSE_ERROR)
        server.communicate(timeout=20)

    def test_nothing_but_the_protocol_is_on_stdout(self):
        messages = framed({'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': {'capabilities': {}}}) + \
            framed({'jsonrpc': '2.0', 'method': 'textDocument/didOpen', 'params': {}}) + framed({'jsonrpc': '2.0', 'id': 2, 'method': 'shutdown'}) + \
            framed({'jsonrpc': '2.0', 'method': 'exit'})
        done = subprocess.run([amdahlc.binary, '-lsp'], input=messages, capture_output=True, timeout=20)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, b'amdahlc: textDocument/didOpen: no `textDocument`\n')
        parts = done.stdout.split(b'Content-Length: ')[1:]
        self.assertEqual([json.loads(part.partition(b'\r\n\r\n')[2])['id'] for part in parts], [1, 2])

    def test_a_client_that_is_gone_ends_the_server(self):
        server = subprocess.Popen([amdahlc.binary, '-lsp'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        server.stdout.close()
        server.stdin.write(framed({'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': {'capabilities': {}}}))
        server.stdin.flush()
        self.assertEqual(server.wait(20), 1)
        server.stdin.close()
