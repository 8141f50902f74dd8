-- Drives the language server with Neovim's own client. $BINARY is the command, $FOLDER an empty folder. Writes what
-- fails to stderr; the exit status is 1 then.
local function check(holds, what)
  if not holds then
    io.stderr:write('error: ' .. what .. '\n')
    vim.cmd('cquit 1')
  end
end

local path = vim.env.FOLDER .. '/rules 𝔘.akp'
local text = {
  'akp 1;',
  'class Act = Relu | Gelu;',
  '/// The fragment.',
  'fragment twice(x) -> Act(Act(x));',
  'kernel k { label "𝔘"; match(x) -> twice(Relux(x)) }',
}
vim.fn.writefile(text, path)
vim.cmd('edit ' .. vim.fn.fnameescape(path))
local buffer = vim.api.nvim_get_current_buf()
local left
local id = vim.lsp.start_client({
  name = 'amdahlc',
  cmd = { vim.env.BINARY, '-lsp' },
  root_dir = vim.env.FOLDER,
  on_exit = function(code) left = code end,
})
check(id, 'the client does not start')
check(vim.lsp.buf_attach_client(buffer, id), 'the buffer is not attached')

local function diagnostics(count)
  vim.wait(20000, function()
    return #vim.diagnostic.get(buffer) == count
  end, 10)
  local found = vim.diagnostic.get(buffer)
  check(#found == count, count .. ' diagnostics expected, found ' .. vim.inspect(found))
  table.sort(found, function(a, b) return a.col < b.col end)
  return found
end

local function request(method, params)
  local answers, problem = vim.lsp.buf_request_sync(buffer, method, params, 20000)
  check(answers and answers[id] and not answers[id].err, method .. ': ' .. vim.inspect(answers or problem))
  return answers[id].result
end

local function at(line, column)
  vim.api.nvim_win_set_cursor(0, { line, column })
  return vim.lsp.util.make_position_params(0, 'utf-16')
end

-- Diagnostics; columns of Neovim are bytes.
local unknown, missing = unpack(diagnostics(2))
check(unknown.code == 'akp-unknown-operator' and unknown.col == text[5]:find('Relux', 1, true) - 1, vim.inspect(unknown))
check(missing.code == 'akp-syntax' and missing.col == #text[5] - 2, vim.inspect(missing))

-- A fix, applied by the editor.
local params = vim.lsp.util.make_given_range_params({ 5, 0 }, { 5, #text[5] - 1 }, buffer, 'utf-16')
params.context = { diagnostics = {} }
local actions = request('textDocument/codeAction', params)
table.sort(actions, function(a, b) return a.title < b.title end)
check(#actions == 2 and actions[1].title == 'Insert `;`' and actions[2].title == 'Replace `Relux` with `Relu`', vim.inspect(actions))
vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
local line = vim.api.nvim_buf_get_lines(buffer, 4, 5, true)[1]
check(line == text[5]:gsub('%) }$', '); }'), 'the fixed line is ' .. line)

-- Typed text reaches the server as changes of parts.
diagnostics(1)
vim.api.nvim_buf_set_text(buffer, 4, unknown.col + 4, 4, unknown.col + 5, { '' })
diagnostics(0)

-- Questions about places.
line = vim.api.nvim_buf_get_lines(buffer, 4, 5, true)[1]
local twice = line:find('twice', 1, true) - 1
local hover = request('textDocument/hover', at(5, twice))
check(hover.contents.value:find('The fragment.', 1, true), vim.inspect(hover))
local target = request('textDocument/definition', at(5, twice))
check(target[1].range.start.line == 3, vim.inspect(target))
check(vim.lsp.util.jump_to_location(target[1], 'utf-16'), 'no jump')
check(vim.api.nvim_win_get_cursor(0)[1] == 4, 'the jump ends elsewhere')
local items = request('textDocument/completion', at(5, twice + 2))
local labels = vim.tbl_map(function(item) return item.label end, vim.lsp.util.extract_completion_items(items))
check(vim.tbl_contains(labels, 'twice') and vim.tbl_contains(labels, 'Act'), vim.inspect(labels))
local symbols = request('textDocument/documentSymbol', { textDocument = vim.lsp.util.make_text_document_params() })
check(#vim.lsp.util.symbols_to_items(symbols, buffer) == 3, vim.inspect(symbols))

vim.lsp.stop_client(id)
vim.wait(20000, function() return left ~= nil end, 10)
check(left == 0, 'the server ended with ' .. vim.inspect(left))
io.stdout:write('Neovim: diagnostics, a fix, hover, definition, completion, symbols\n')
vim.cmd('qall!')
