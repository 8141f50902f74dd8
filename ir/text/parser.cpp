#include "ir/text/parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "ir/text.h"
#include "ir/text/escape.h"
#include "ir/verifier.h"
#include "support/edit_distance.h"

namespace amdahlc::ir {

namespace {

constexpr size_t kMaxSyntaxErrors = 10;
constexpr size_t kMaxErrors = 50;

}  // namespace

Parser::Parser(BufferId buffer, const SourceManager& sources, DiagnosticEngine& diagnostics)
    : buffer_(buffer),
      sources_(sources),
      diagnostics_(diagnostics),
      lexer_(sources.text(buffer)),
      errorsBefore_(diagnostics.errorCount()) {
  advance();
}

void Parser::advance() {
  if (!panicking_) token_ = lexer_.next();
}

bool Parser::at(std::string_view text) const {
  return (token_.kind == Token::Kind::Punctuation || token_.kind == Token::Kind::Name) && token_.text == text;
}

bool Parser::accept(std::string_view text) {
  if (!at(text)) return false;
  advance();
  return true;
}

bool Parser::expect(std::string_view text) {
  if (accept(text)) return true;
  fail("expected `" + std::string(text) + "`");
  return false;
}

void Parser::fail(const std::string& message) {
  if (token_.kind != Token::Kind::Bad) {
    failAt(range(token_), atEnd() ? message + " before the end of the text" : message);
  } else if (token_.text.front() == '"') {
    failAt(range(token_), "string without a closing quote on its line");
  } else {
    failAt(range(token_), "a character that starts nothing; " + message);
  }
}

void Parser::failAt(SourceRange where, const std::string& message) {
  if (panicking_) return;
  diagnostics_.error(DiagId::IrSyntax, where, message);
  ++syntaxErrors_;
  // An error seen only when its line was read already needs nothing skipped.
  const std::string_view text = lexer_.text();
  const size_t lineEnd = text.find('\n', where.begin);
  const uint32_t next = token_.begin;
  skipLine();
  if (lineEnd < next) resumeAt_ = next;
}

void Parser::skipLine() {
  resumeAt_ = static_cast<uint32_t>(std::min(lexer_.text().find('\n', token_.begin), lexer_.text().size()));
  panicking_ = true;
  token_ = Token{Token::Kind::End, token_.begin, token_.begin, {}};
}

void Parser::failExpected(std::span<const std::string_view> words) {
  std::string message = "expected ";
  std::vector<std::string> known;
  for (const std::string_view word : words) {
    if (!known.empty()) message += known.size() + 1 == words.size() ? " or " : ", ";
    message += '`' + std::string(word) + '`';
    known.emplace_back(word);
  }
  if (token_.kind == Token::Kind::Name) message += didYouMean(token_.text, known);
  fail(message);
}

bool Parser::recover() {
  if (syntaxErrors_ >= kMaxSyntaxErrors || diagnostics_.errorCount() - errorsBefore_ >= kMaxErrors) return false;
  panicking_ = false;
  lexer_.moveTo(resumeAt_);
  advance();
  if (!atEnd()) return true;
  panicking_ = true;
  return false;
}

void Parser::unknown(SourceRange where, const std::string& message) {
  // What a skipped line would have defined is missing: naming that too helps nobody.
  if (panicking_ || syntaxErrors_ != 0 || diagnostics_.errorCount() - errorsBefore_ >= kMaxErrors) return;
  diagnostics_.error(DiagId::IrUnknownName, where, message);
}

int64_t Parser::integer(const char* what) {
  int64_t value = 0;
  if (token_.kind != Token::Kind::Integer) {
    fail(std::string("expected ") + what);
    return 0;
  }
  const auto [end, failure] = std::from_chars(token_.text.data(), token_.text.data() + token_.text.size(), value);
  if (failure != std::errc{} || end != token_.text.data() + token_.text.size()) {
    fail(std::string(what) + " does not fit 64 bits");
    return 0;
  }
  advance();
  return value;
}

uint32_t Parser::index(const char* what) {
  const SourceRange where = range(token_);
  const int64_t value = integer(what);
  if (value < 0 || value >= int64_t{std::numeric_limits<uint32_t>::max()}) {
    failAt(where, std::string("expected ") + what + " from 0 to 4294967294");
    return 0;
  }
  return static_cast<uint32_t>(value);
}

double Parser::real(const char* what) {
  double value = 0;
  if (token_.kind == Token::Kind::Integer || token_.kind == Token::Kind::Float || at("inf") || at("nan")) {
    const auto [end, failure] = std::from_chars(token_.text.data(), token_.text.data() + token_.text.size(), value);
    if (failure != std::errc{} || end != token_.text.data() + token_.text.size()) {
      fail(std::string(what) + " does not fit a double");
      return 0;
    }
    advance();
    return value;
  }
  fail(std::string("expected ") + what);
  return 0;
}

std::string Parser::string(const char* what) {
  if (token_.kind != Token::Kind::String) {
    fail(std::string("expected ") + what + " in quotes");
    return {};
  }
  std::string_view text = token_.text;
  UnquoteError error;
  auto value = consumeQuoted(text, error);
  if (!value) {
    const auto at = static_cast<uint32_t>(token_.begin + error.offset);
    failAt({buffer_, at, std::min(at + 2, token_.end)}, error.what);
    return {};
  }
  advance();
  return std::move(*value);
}

std::string Parser::nameOrString(const char* what) {
  if (token_.kind == Token::Kind::String) return string(what);
  if (token_.kind != Token::Kind::Name) {
    fail(std::string("expected ") + what);
    return {};
  }
  std::string text(token_.text);
  advance();
  return text;
}

Type Parser::type() {
  if (panicking_) return {};
  std::string_view rest = lexer_.text().substr(token_.begin);
  const size_t before = rest.size();
  if (auto parsed = parseType(rest)) {
    lexer_.moveTo(static_cast<uint32_t>(token_.begin + (before - rest.size())));
    advance();
    return std::move(*parsed);
  }
  std::string message = "expected a type such as `float32[1,batch,?]`";
  if (token_.kind == Token::Kind::Name && !elementTypeFromName(token_.text))
    message += didYouMean(token_.text, elementTypeNames());
  fail(message);
  return {};
}

OpId Parser::opRef() {
  expect("#");
  return id<OpId>("an operator's number");
}

std::optional<OpId> Parser::knownOpRef() {
  const SourceRange where = range(token_);
  const OpId op = opRef();
  if (panicking_) return std::nullopt;
  if (opSeen_.contains(op) && opSeen_[op]) return op;
  unknown(where,
          "no operator `#" + std::to_string(op.index()) + "`; the graphs define " + std::to_string(opSeen_.size()));
  return std::nullopt;
}

std::vector<int64_t> Parser::integers(const char* what) {
  std::vector<int64_t> values;
  list([&] { values.push_back(integer(what)); });
  return values;
}

std::vector<KernelId> Parser::kernelIds() {
  std::vector<KernelId> kernels;
  list([&] { kernels.push_back(id<KernelId>("a kernel's id")); });
  return kernels;
}

std::optional<Rational> Parser::rational(const char* what) {
  const SourceRange where = range(token_);
  const int64_t numerator = integer(what);
  const int64_t denominator = accept("/") ? integer("a denominator") : 1;
  if (panicking_) return std::nullopt;
  if (numerator < 0 || denominator <= 0) {
    failAt(where, std::string("expected ") + what + " that is not negative, over a positive denominator");
    return std::nullopt;
  }
  return Rational::of(numerator, denominator);
}

void Parser::parseTarget(Target& target) {
  while (true) {
    if (accept("runtime")) {
      target.runtime = nameOrString("a runtime");
    } else if (accept("vendor")) {
      target.vendor = nameOrString("a vendor");
    } else if (accept("arch")) {
      target.arch = nameOrString("an architecture");
    } else if (accept("device")) {
      target.device = nameOrString("a device");
    } else {
      return;
    }
  }
}

void Parser::parseFacets() {
  list([&] {
    const bool isName = token_.kind == Token::Kind::Name;
    if (const auto facet = isName ? facetFromName(token_.text) : std::nullopt) {
      module_.establish(*facet);
      return advance();
    }
    std::vector<std::string> names;
    for (const FacetInfo& known : allFacets()) names.emplace_back(known.name);
    fail("expected a facet such as `fused`" + (isName ? didYouMean(token_.text, names) : std::string()));
  });
}

DataProblem Parser::parseProblem() {
  DataProblem problem;
  problem.name = nameOrString("a problem's name");
  problem.count = integer("a count");
  problem.what = string("a sentence");
  return problem;
}

void Parser::parseTop() {
  if (accept("model")) {
    module_.modelName = string("a model's name");
  } else if (accept("opset")) {
    std::string domain = nameOrString("a domain");
    module_.opsets[domain == "ai.onnx" ? std::string() : std::move(domain)] = integer("an opset version");
  } else if (accept("target")) {
    parseTarget(module_.target);
  } else if (accept("facets")) {
    parseFacets();
  } else if (accept("truncated-roots")) {
    module_.truncatedRoots = integer("a number of roots");
  } else if (accept("problem")) {
    module_.dataProblems.push_back(parseProblem());
  } else if (at("graph")) {
    if (sawGraph_) return fail("a second main graph");
    sawGraph_ = true;
    parseGraph(kNone, 0);
    resolveErased();
    finishGraphs();
  } else if (!sawGraph_) {
    failExpected({"model", "opset", "target", "facets", "truncated-roots", "problem", "graph"});
  } else if (accept("rules")) {
    parseRuleSet();
  } else if (accept("candidates")) {
    parseCandidates();
  } else if (accept("timeline")) {
    parseTimeline();
  } else if (accept("cover")) {
    parseCover();
  } else if (accept("scenario")) {
    parseScenario();
  } else {
    failExpected({"rules", "candidates", "timeline", "cover", "scenario"});
  }
}

std::optional<Module> Parser::parse() {
  if (!accept("amdahlc.ir")) {
    fail("expected `amdahlc.ir 1`, which opens every IR text");
    return std::nullopt;
  }
  const SourceRange where = range(token_);
  if (const int64_t version = integer("the version of the text form"); !panicking_ && version != 1) {
    failAt(where, "version " + std::to_string(version) + " of the text form; this program reads version 1");
  }
  while (!panicking_ && !atEnd()) {
    parseTop();
    if (panicking_ && !recover()) break;
  }
  if (!panicking_ && !sawGraph_ && diagnostics_.errorCount() == errorsBefore_) fail("expected `graph`");
  if (diagnostics_.errorCount() != errorsBefore_) return std::nullopt;
  return std::move(module_);
}

std::optional<Module> parse(BufferId buffer, const SourceManager& sources, DiagnosticEngine& diagnostics) {
  if (sources.text(buffer).size() >= std::numeric_limits<uint32_t>::max() / 2) {
    diagnostics.error(DiagId::IrSyntax, FileLocation{std::string(sources.name(buffer))}, "text of 2 GiB or more");
    return std::nullopt;
  }
  auto module = Parser(buffer, sources, diagnostics).parse();
  if (!module) return std::nullopt;
  // What is wrong stands in this text, not in the model that it once came from.
  DiagnosticEngine invariants([&](Diagnostic diagnostic) {
    if (auto* place = std::get_if<OnnxLocation>(&diagnostic.primary.location)) place->file = sources.name(buffer);
    diagnostics.report(std::move(diagnostic));
  });
  if (!verify(*module, invariants)) return std::nullopt;
  return module;
}

}  // namespace amdahlc::ir
