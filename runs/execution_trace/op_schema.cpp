#include "runs/execution_trace/op_schema.h"

#include <algorithm>

namespace amdahlc::execution_trace {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// The first place of one of these characters outside of brackets and quotes, or the end of the text. A closing bracket
/// without an opening one counts as outside.
size_t findOutside(std::string_view text, std::string_view wanted) {
  size_t depth = 0;
  char quote = '\0';
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != '\0') {
      if (c == '\\')
        ++at;
      else if (c == quote)
        quote = '\0';
      continue;
    }
    if (depth == 0 && wanted.find(c) != wanted.npos) return at;
    if (c == '"' || c == '\'')
      quote = c;
    else if (c == '(' || c == '[')
      ++depth;
    else if ((c == ')' || c == ']') && depth > 0)
      --depth;
  }
  return text.size();
}

SchemaArgument argumentOf(std::string_view text) {
  SchemaArgument argument;
  const size_t equals = findOutside(text, "=");
  if (equals < text.size()) argument.defaultValue = trimmed(text.substr(equals + 1));
  const std::string_view declared = trimmed(text.substr(0, equals));
  const size_t blank = declared.find_last_of(' ');
  argument.type = trimmed(declared.substr(0, std::min(blank, declared.size())));
  if (blank != declared.npos) argument.name = declared.substr(blank + 1);
  argument.isWritten = argument.type.find('!') != argument.type.npos;
  return argument;
}

}  // namespace

std::vector<SchemaArgument> schemaArguments(std::string_view schema) {
  std::vector<SchemaArgument> arguments;
  const size_t open = schema.find('(');
  if (open == schema.npos) return arguments;
  for (std::string_view rest = schema.substr(open + 1); !rest.empty();) {
    const size_t end = findOutside(rest, ",)");
    const std::string_view text = trimmed(rest.substr(0, end));
    // Arguments behind a star are given by name; the star is none.
    if (!text.empty() && text != "*") arguments.push_back(argumentOf(text));
    if (end == rest.size() || rest[end] == ')') break;
    rest.remove_prefix(end + 1);
  }
  return arguments;
}

}  // namespace amdahlc::execution_trace
