"""The shapes of what the server sends, by the specification of the protocol (3.17)."""
from checks.shapes import ANY, check, fail


def position(line, character):
    return {'line': line, 'character': character}


def order(value):
    return (value['line'], value['character'])


def text_range(value):
    check(value, {'start': POSITION, 'end': POSITION})
    if order(value['start']) > order(value['end']):
        fail('a range whose end is not before its start', value)


def line_range(value):
    text_range(value)
    if value['start']['line'] != value['end']['line']:
        fail('an edit in one line', value)


def uri(value):
    if ':' not in value:
        fail('a URI', value)


def one_form(value):
    check(value, {'changes?': {'*': [EDIT]}, 'documentChanges?': [{'textDocument': {'uri': uri, 'version': (int, NULL)}, 'edits': [EDIT]}]})
    if len(value) != 1:
        fail('one form of changes', value)


def items(value):
    check(value, [{'label': str, 'kind': range(1, 26), 'sortText': str, 'textEdit': {'range': line_range, 'newText': ANY}, 'detail?': ANY, 'documentation?': MARKUP}])
    labels = [(item['label'], item['kind']) for item in value]
    if len(labels) != len(set(labels)):
        fail('each item once', sorted(one for one in labels if labels.count(one) > 1))


def nested(value):
    check(value, {'name': str, 'kind': SYMBOL_KINDS, 'detail': ANY, 'range': text_range, 'selectionRange': text_range})
    inner, outer = value['selectionRange'], value['range']
    if order(inner['start']) < order(outer['start']) or order(inner['end']) > order(outer['end']):
        fail('a selection inside its range', value)


NULL = {None}
POSITION = {'line': range(2**31), 'character': range(2**31)}
LOCATION = {'uri': uri, 'range': text_range}
MARKUP = {'kind': {'markdown', 'plaintext'}, 'value': str}
EDIT = {'range': text_range, 'newText': ANY}
SYMBOL_KINDS = range(1, 27)
DIAGNOSTIC = {'range': text_range, 'severity': range(1, 5), 'source': ANY, 'code': str, 'message': str,
              'relatedInformation?': [{'location': LOCATION, 'message': str}], 'tags?': [range(1, 3)]}
CAPABILITIES = ('positionEncoding', 'textDocumentSync', 'codeActionProvider', 'completionProvider', 'definitionProvider', 'documentSymbolProvider', 'hoverProvider')
RESULTS = {
    'initialize': {'capabilities': dict.fromkeys(CAPABILITIES, ANY), 'serverInfo': {'name': str, 'version': str}},
    'shutdown': NULL,
    'textDocument/hover': ({None}, {'contents': MARKUP, 'range': text_range}),
    'textDocument/completion': {'isIncomplete': bool, 'items': items},
    'textDocument/definition': ({None}, [LOCATION]),
    'textDocument/documentSymbol': ([{'name': str, 'kind': SYMBOL_KINDS, 'location': LOCATION}], [nested]),
    'textDocument/codeAction': [{'title': str, 'kind': ANY, 'isPreferred': ANY, 'diagnostics': [DIAGNOSTIC], 'edit': one_form}],
}
MESSAGES = {
    'textDocument/publishDiagnostics': {'uri': uri, 'diagnostics': [DIAGNOSTIC], 'version?': (int, NULL)},
    'client/registerCapability': ANY,
}
ERROR = {'code': {-32700, -32600, -32601, -32602, -32603, -32002}, 'message': str}


def check_result(method, result):
    check(result, RESULTS[method])


def check_message(message):
    """A message of JSON-RPC from the server."""
    envelope = {'jsonrpc': {'2.0'}}
    if 'method' in message:
        check(message, envelope | {'method': set(MESSAGES), 'params': MESSAGES.get(message['method'], ANY), 'id?': ANY})
    elif 'error' in message:
        check(message, envelope | {'id': ANY, 'error': ERROR})
    else:
        check(message, envelope | {'id': (int, str), 'result': ANY})
