"""The shapes of what the server sends, by the specification of the protocol (3.17)."""

ERRORS = {-32700, -32600, -32601, -32602, -32603, -32002}
COMPLETION_KINDS = range(1, 26)
SYMBOL_KINDS = range(1, 27)


def position(line, character):
    return {'line': line, 'character': character}


def fail(what, value):
    raise AssertionError(f'{what}: {value!r}')


def keys(value, required, optional=()):
    """An object with these keys and no others."""
    if not isinstance(value, dict) or not set(required) <= set(value) or not set(value) <= set(required) | set(optional):
        fail(f'an object with {sorted(required)} and maybe {sorted(optional)}', value)


def text(value):
    if not isinstance(value, str) or not value:
        fail('a text', value)


def check_position(value):
    keys(value, ('line', 'character'))
    if not all(type(value[key]) is int and 0 <= value[key] < 2**31 for key in value):
        fail('a position', value)


def order(value):
    return (value['line'], value['character'])


def check_range(value):
    keys(value, ('start', 'end'))
    check_position(value['start'])
    check_position(value['end'])
    if order(value['start']) > order(value['end']):
        fail('a range whose end is not before its start', value)


def inside(inner, outer):
    return order(outer['start']) <= order(inner['start']) and order(inner['end']) <= order(outer['end'])


def check_location(value):
    keys(value, ('uri', 'range'))
    if ':' not in value['uri']:
        fail('a URI', value)
    check_range(value['range'])


def check_markup(value):
    keys(value, ('kind', 'value'))
    if value['kind'] not in ('markdown', 'plaintext'):
        fail('a kind of markup', value)
    text(value['value'])


def check_diagnostic(value):
    keys(value, ('range', 'severity', 'source', 'code', 'message'), ('relatedInformation', 'tags'))
    check_range(value['range'])
    if value['severity'] not in (1, 2, 3, 4):
        fail('a severity', value)
    text(value['message'])
    text(value['code'])
    for related in value.get('relatedInformation', []):
        keys(related, ('location', 'message'))
        check_location(related['location'])
        text(related['message'])
    if not set(value.get('tags', [])) <= {1, 2}:
        fail('tags', value)


def check_edit(value):
    keys(value, ('range', 'newText'))
    check_range(value['range'])


def check_workspace_edit(value):
    keys(value, (), ('changes', 'documentChanges'))
    if len(value) != 1:
        fail('one form of changes', value)
    for edits in value.get('changes', {}).values():
        for edit in edits:
            check_edit(edit)
    for change in value.get('documentChanges', []):
        keys(change, ('textDocument', 'edits'))
        keys(change['textDocument'], ('uri', 'version'))
        for edit in change['edits']:
            check_edit(edit)


def check_publish(params):
    keys(params, ('uri', 'diagnostics'), ('version',))
    for one in params['diagnostics']:
        check_diagnostic(one)


def check_hover(value):
    if value is None:
        return
    keys(value, ('contents', 'range'))
    check_markup(value['contents'])
    check_range(value['range'])


def check_completion(value):
    keys(value, ('isIncomplete', 'items'))
    labels = []
    for item in value['items']:
        keys(item, ('label', 'kind', 'sortText', 'textEdit'), ('detail', 'documentation'))
        text(item['label'])
        if item['kind'] not in COMPLETION_KINDS:
            fail('a kind of completion', item)
        check_edit(item['textEdit'])
        if item['textEdit']['range']['start']['line'] != item['textEdit']['range']['end']['line']:
            fail('an edit in one line', item)
        if 'documentation' in item:
            check_markup(item['documentation'])
        labels.append((item['label'], item['kind']))
    if len(labels) != len(set(labels)):
        fail('each item once', sorted(one for one in labels if labels.count(one) > 1))


def check_definition(value):
    for one in value or []:
        check_location(one)


def check_symbols(value):
    for one in value:
        if 'location' in one:
            keys(one, ('name', 'kind', 'location'))
            check_location(one['location'])
        else:
            keys(one, ('name', 'kind', 'detail', 'range', 'selectionRange'))
            check_range(one['range'])
            check_range(one['selectionRange'])
            if not inside(one['selectionRange'], one['range']):
                fail('a selection inside its range', one)
        text(one['name'])
        if one['kind'] not in SYMBOL_KINDS:
            fail('a kind of symbol', one)


def check_actions(value):
    for one in value:
        keys(one, ('title', 'kind', 'isPreferred', 'diagnostics', 'edit'))
        text(one['title'])
        check_workspace_edit(one['edit'])
        for diagnostic in one['diagnostics']:
            check_diagnostic(diagnostic)


def check_initialize(value):
    keys(value, ('capabilities', 'serverInfo'))
    keys(value['serverInfo'], ('name', 'version'))
    keys(value['capabilities'], ('positionEncoding', 'textDocumentSync', 'codeActionProvider', 'completionProvider', 'definitionProvider',
                                 'documentSymbolProvider', 'hoverProvider'))


RESULTS = {
    'initialize': check_initialize,
    'shutdown': lambda value: value is None or fail('null', value),
    'textDocument/hover': check_hover,
    'textDocument/completion': check_completion,
    'textDocument/definition': check_definition,
    'textDocument/documentSymbol': check_symbols,
    'textDocument/codeAction': check_actions,
}


def check_result(method, result):
    RESULTS[method](result)


def check_message(message):
    """A message of JSON-RPC from the server."""
    if message.get('jsonrpc') != '2.0':
        fail('JSON-RPC 2.0', message)
    if 'method' in message:
        keys(message, ('jsonrpc', 'method', 'params'), ('id',))
        if message['method'] == 'textDocument/publishDiagnostics':
            check_publish(message['params'])
        elif message['method'] != 'client/registerCapability':
            fail('a method that clients know', message)
    elif 'error' in message:
        keys(message, ('jsonrpc', 'id', 'error'))
        keys(message['error'], ('code', 'message'))
        if message['error']['code'] not in ERRORS:
            fail('a code of an error', message)
        text(message['error']['message'])
    else:
        keys(message, ('jsonrpc', 'id', 'result'))
        if not isinstance(message['id'], (int, str)):
            fail('the id of a request', message)
