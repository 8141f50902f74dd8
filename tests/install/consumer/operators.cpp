// operators MODEL: imports an ONNX model and prints it as IR text, as the command does without a pass.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ir/onnx_import/onnx_import.h"
#include "ir/text.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: operators MODEL\n", stderr);
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  amdahlc::SourceManager sources;
  amdahlc::DiagnosticEngine diagnostics([&](const amdahlc::Diagnostic& diagnostic) {
    std::fputs(amdahlc::render(diagnostic, sources, false).c_str(), stderr);
  });
  const std::string name = std::filesystem::path(argv[1]).filename().string();
  const auto module = amdahlc::ir::importOnnx(bytes, name, {}, diagnostics);
  if (!module) return 1;
  std::fputs(amdahlc::ir::print(*module).c_str(), stdout);
  return 0;
}
