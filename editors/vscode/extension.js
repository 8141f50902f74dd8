// Starts `amdahlc -lsp` for rule files.
const { workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

function activate() {
  const command = workspace.getConfiguration('amdahlc').get('path', 'amdahlc');
  // Without a transport, the client talks over stdin and stdout and adds no argument of its own.
  client = new LanguageClient('amdahlc', 'amdahlc', { command, args: ['-lsp'] }, { documentSelector: [{ language: 'akp' }] });
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
