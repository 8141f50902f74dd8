#include "ir/onnx_import/wording.h"

#include "support/case_folding.h"

namespace amdahlc::ir::onnx_import {

std::string libraryMessage(std::string_view message) {
  message = message.substr(0, message.find("\n\n==> Context:"));
  // `[ShapeInferenceError] (op_type:Add, node name: a): [ShapeInferenceError] text`
  while (message.starts_with('[') || message.starts_with('(')) {
    const size_t end = message.find_first_of("])");
    if (end == std::string_view::npos) break;
    message.remove_prefix(end + 1);
    while (message.starts_with(' ') || message.starts_with(':')) message.remove_prefix(1);
  }
  std::string line;
  for (char c : message) {
    if (c == '\n' || c == ' ') {
      if (!line.empty() && line.back() != ' ') line += ' ';
    } else {
      line += c == '\'' || c == '"' ? '`' : c;
    }
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
  // A leading name such as `TensorProto` keeps its case.
  if (line.size() > 1 && line[1] >= 'a' && line[1] <= 'z' && line.find(' ') != std::string::npos &&
      line.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 1) > line.find(' '))
    line[0] = toLower(line[0]);
  return line.empty() ? "the ONNX library rejects it without a reason" : line;
}

}  // namespace amdahlc::ir::onnx_import
