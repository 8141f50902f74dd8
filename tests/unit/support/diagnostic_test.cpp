#include "support/diagnostic.h"

#include <doctest/doctest.h>

#include <functional>
#include <new>
#include <stdexcept>
#include <string>

using namespace amdahlc;

namespace {

std::string rendered(const SourceManager& sources, const std::function<void(DiagnosticEngine&)>& report,
                     bool color = false) {
  std::string out;
  DiagnosticEngine engine([&](const Diagnostic& diagnostic) { out += render(diagnostic, sources, color); });
  report(engine);
  return out;
}

}  // namespace

TEST_CASE("a range is shown with its line, an underline, a label, a replacement and related places") {
  SourceManager sources;
  const BufferId id = sources.add("r.akp", "rule gemm {\n\troot MatMull(x)\n}\n");
  const std::string text = rendered(sources, [&](DiagnosticEngine& engine) {
    engine.error(DiagId::IrSyntax, SourceRange{id, 18, 25}, "unknown operator `MatMull`; did you mean `MatMul`?")
        .label("not an operator")
        .secondary(SourceRange{id, 5, 9}, "in this rule")
        .note("212 operators are known")
        .fix({id, 18, 25}, "MatMul");
  });
  CHECK(text ==
        "r.akp:2:7: error[ir-syntax]: unknown operator `MatMull`; did you mean `MatMul`?\n"
        "    2 |     root MatMull(x)\n"
        "      |          ^~~~~~~ not an operator\n"
        "      |          MatMul\n"
        "r.akp:1:6: note: in this rule\n"
        "    1 | rule gemm {\n"
        "      |      ^~~~\n"
        "note: 212 operators are known\n");
}

TEST_CASE("a sink may throw, but not while another exception passes through") {
  int reports = 0;
  DiagnosticEngine engine([&](const Diagnostic&) {
    ++reports;
    throw std::bad_alloc();
  });
  CHECK_THROWS_AS(engine.error(DiagId::IrSyntax, {}, "first"), std::bad_alloc);
  CHECK(reports == 1);
  const auto note = []() -> std::string { throw std::length_error("no note"); };
  CHECK_THROWS_AS(engine.error(DiagId::IrSyntax, {}, "second").note(note()), std::length_error);
  CHECK(reports == 1);
  // What is made and done with on the way, as in a destructor, is reported.
  struct Reporter {
    DiagnosticEngine& engine;
    ~Reporter() { CHECK_THROWS_AS(engine.error(DiagId::IrSyntax, {}, "third"), std::bad_alloc); }
  };
  const auto pass = [&] {
    const Reporter reporter{engine};
    throw std::length_error("passes through");
  };
  CHECK_THROWS_AS(pass(), std::length_error);
  CHECK(reports == 2);
}

TEST_CASE("elements of models and traces, files, and nowhere") {
  const SourceManager sources;
  CHECK(rendered(sources, [](DiagnosticEngine& e) {
          e.error(DiagId::OnnxInvalid, OnnxLocation{"m.onnx", "", "x/MatMul", ""}, "no");
        }) == "m.onnx: node `x/MatMul`: error[onnx-invalid]: no\n");
  CHECK(rendered(sources, [](DiagnosticEngine& e) {
          e.warning(DiagId::OnnxInvalid, OnnxLocation{"m.onnx", "g", "n", "v"}, "no");
        }) == "m.onnx: graph `g`, node `n`, value `v`: warning[onnx-invalid]: no\n");
  CHECK(rendered(sources, [](DiagnosticEngine& e) {
          e.error(DiagId::TraceSyntax, TraceLocation{"t.json", 17, 1500}, "no");
        }) == "t.json: byte 17, at 1.500 us: error[trace-syntax]: no\n");
  CHECK(rendered(sources, [](DiagnosticEngine& e) { e.remark(DiagId::TraceSyntax, FileLocation{"t.json"}, "no"); }) ==
        "t.json: remark[trace-syntax]: no\n");
  CHECK(rendered(sources, [](DiagnosticEngine& e) { e.error(DiagId::TraceSyntax, {}, "no"); }) ==
        "amdahlc: error[trace-syntax]: no\n");
}

TEST_CASE("a huge line is cropped around the caret") {
  SourceManager sources;
  const BufferId id = sources.add("m.air", std::string(100000, 'a') + "HERE" + std::string(100000, 'b'));
  const std::string text =
      rendered(sources, [&](DiagnosticEngine& e) { e.error(DiagId::IrSyntax, SourceRange{id, 100000, 100004}, "no"); });
  CHECK(text.size() < 500);
  CHECK(text.find("aaaHEREbbb") != std::string::npos);
  const size_t sourceLine = text.find('\n') + 1;
  const size_t caretLine = text.find('\n', sourceLine) + 1;
  CHECK(text.find("HERE") - sourceLine == text.find("^~~~") - caretLine);
}

TEST_CASE("control bytes and broken UTF-8 cannot forge output, and the caret stays in place") {
  SourceManager sources;
  const BufferId id = sources.add("x", "a\x1b\xff\u00e9Z\r\n");
  const std::string text =
      rendered(sources, [&](DiagnosticEngine& e) { e.error(DiagId::IrSyntax, SourceRange{id, 5, 6}, "bad \x1b[31m"); });
  CHECK(text == "x:1:6: error[ir-syntax]: bad <1B>[31m\n    1 | a<1B><FF>\u00e9Z\n      |           ^\n");
}

TEST_CASE(
    "controls of several bytes and surrogates do not reach the terminal through an excerpt, a name or a message") {
  SourceManager sources;
  const BufferId id = sources.add("f\u202e", "a\u009b2J\u202e\xed\xa0\x80Z");
  const std::string text = rendered(
      sources, [&](DiagnosticEngine& e) { e.error(DiagId::IrSyntax, SourceRange{id, 11, 12}, "bad \u2066 \u0085"); });
  CHECK(text ==
        "f<E2><80><AE>:1:12: error[ir-syntax]: bad <E2><81><A6> <C2><85>\n"
        "    1 | a<C2><9B>2J<E2><80><AE><ED><A0><80>Z\n"
        "      |                                    ^\n");
}

TEST_CASE("places at and past the end of a text are shown, not read past") {
  SourceManager sources;
  const BufferId id = sources.add("x", "ab");
  const BufferId empty = sources.add("y", "");
  CHECK(rendered(sources, [&](DiagnosticEngine& e) { e.error(DiagId::IrSyntax, SourceRange{id, 2, 2}, "end"); }) ==
        "x:1:3: error[ir-syntax]: end\n    1 | ab\n      |   ^\n");
  CHECK(rendered(sources, [&](DiagnosticEngine& e) { e.error(DiagId::IrSyntax, SourceRange{id, 900, 901}, "end"); }) ==
        "x:1:3: error[ir-syntax]: end\n    1 | ab\n      |   ^\n");
  CHECK(rendered(sources, [&](DiagnosticEngine& e) { e.error(DiagId::IrSyntax, SourceRange{empty, 0, 0}, "end"); }) ==
        "y:1:1: error[ir-syntax]: end\n    1 | \n      | ^\n");
}

TEST_CASE("the engine counts and colours only on request") {
  SourceManager sources;
  DiagnosticEngine engine;
  engine.error(DiagId::IrSyntax, {}, "a");
  engine.warning(DiagId::IrSyntax, {}, "b");
  engine.remark(DiagId::IrSyntax, {}, "c");
  CHECK(engine.errorCount() == 1);
  CHECK(engine.warningCount() == 1);
  CHECK(rendered(
            sources, [](DiagnosticEngine& e) { e.error(DiagId::IrSyntax, {}, "a"); }, true)
            .find("\033[") != std::string::npos);
}
