#include <doctest/doctest.h>

#include "grammar/rule_loader.h"
#include "ir/text.h"
#include "sample_module.h"

using namespace amdahlc;
using namespace amdahlc::ir;
using namespace amdahlc::ir::test;

namespace {

/// Parses damaged text: it is refused with a message, or it is sound.
void checkSurvives(const std::string& text) {
  SourceManager sources;
  size_t located = 0;
  DiagnosticEngine diagnostics(
      [&](const Diagnostic& diagnostic) { located += render(diagnostic, sources, false).empty() ? 0 : 1; });
  const auto module = parse(sources.add("damaged.air", text), sources, grammar::ruleReader(sources), diagnostics);
  CHECK(module.has_value() == (located == 0));
  if (module) CHECK_FALSE(print(*module).empty());
}

}  // namespace

TEST_CASE("text truncated at any byte is refused or valid") {
  const std::string text = print(everything());
  for (size_t length = 0; length < text.size(); length += 7) checkSurvives(text.substr(0, length));
}

TEST_CASE("text with any line missing, doubled or moved is refused or sound") {
  const std::string text = print(everything());
  for (size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    const size_t end = text.find('\n', begin) + 1;
    checkSurvives(text.substr(0, begin) + text.substr(end));
    checkSurvives(text.substr(0, end) + text.substr(begin));
    const size_t next = text.find('\n', end);
    if (end == 0 || next == std::string::npos) break;
    checkSurvives(text.substr(0, begin) + text.substr(end, next + 1 - end) + text.substr(begin, end - begin) +
                  text.substr(next + 1));
  }
}

TEST_CASE("text with a byte changed is refused or sound") {
  const std::string text = print(everything());
  uint32_t random = 12345;
  for (size_t i = 0; i < 4000; ++i) {
    random = random * 1664525u + 1013904223u;
    std::string damaged = text;
    static constexpr char kBytes[] = "#%@{}[]():,=0197\"\\-. \n_x\xff";
    damaged[(random >> 8) % damaged.size()] = kBytes[random % (sizeof kBytes - 1)];
    checkSurvives(damaged);
  }
}

TEST_CASE("nesting is bounded") {
  const std::string head = "amdahlc.ir 1\ngraph 0 main {\n";
  std::string regions = head;
  for (int i = 1; i < 3000; ++i)
    regions += "#" + std::to_string(i - 1) + " If() regions {\nthen_branch = graph " + std::to_string(i) + " g {\n";
  checkSurvives(regions);
  std::string expr = "amdahlc.ir 1\ngraph 0 main {\nreturn ()\n}\nrules {\nakp 1;\nkernel a { match -> A() where ";
  for (int i = 0; i < 100000; ++i) expr += "(";
  checkSurvives(expr + "\n}\n");
  std::string types = head + "input %x : ";
  for (int i = 0; i < 100000; ++i) types += "seq<";
  checkSurvives(types);
  checkSurvives(head + "#4294967294 A()\nreturn ()\n}\n");
  checkSurvives(head + "#0 A() regions {\nbody = graph 4000000000 g {\n");
}
