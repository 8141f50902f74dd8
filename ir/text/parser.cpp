#include "ir/text/parser.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "ir/domain.h"
#include "ir/text.h"
#include "ir/text/printers.h"
#include "ir/verifier.h"
#include "support/edit_distance.h"
#include "support/text_encoding.h"

namespace amdahlc::ir {

OpId Parser::opRef() {
  expect("#");
  return id<OpId>("an operator's number");
}

std::optional<OpId> Parser::knownOpRef() {
  const SourceRange where = range(token_);
  const OpId op = opRef();
  return !panicking_ && isKnown(op, where) ? std::optional(op) : std::nullopt;
}

bool Parser::isKnown(OpId op, SourceRange where) {
  if (opSeen_.contains(op) && opSeen_[op]) return true;
  unknown(where, fmt::format("no operator `#{}`; the graphs define {}", op.index(), opSeen_.size()));
  return false;
}

void Parser::parseFrontEnd() {
  const auto* const found = std::ranges::find(kFrontEnds, nameOrString("a front end"));
  if (found == std::end(kFrontEnds)) return fail("expected a front end: `onnx`, `trace` or `execution-trace`");
  module_.frontEnd = static_cast<FrontEnd>(found - std::begin(kFrontEnds));
}

void Parser::parseTarget(Target& target) {
  const auto isNext = [&](const TargetField& field) { return accept(field.word); };
  while (true) {
    const auto field = std::ranges::find_if(kTargetFields, isNext);
    if (field == std::end(kTargetFields)) return;
    target.*field->member = nameOrString(field->what);
  }
}

void Parser::parseFacets() {
  list([&] {
    const bool isName = token_.kind == Token::Kind::Name;
    const auto facet = isName ? facetFromName(token_.text) : std::nullopt;
    if (facet) {
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

void Parser::parseScope() {
  const SourceRange where = range(token_);
  const ScopeId scope = module_.addScope(nameOrString("a module scope"));
  if (!accept("class")) return;
  const Symbol moduleClass = module_.strings.intern(nameOrString("a module class"));
  if (panicking_) return;
  if (!module_.scopes[scope].moduleClass.empty())
    return failAt(where, "a second class of scope `" + module_.scopePath(scope) + "`");
  module_.scopes.setClass(scope, moduleClass);
}

void Parser::parseStorage() {
  if (!ordinal("the number of a storage", "storage", module_.storages.size())) return;
  Storage storage;
  expect("bytes");
  if (!accept("?")) storage.bytes = integerWithin("a number of bytes", 0, std::numeric_limits<int64_t>::max());
  storage.isBefore = accept("before");
  storage.isAfter = accept("after");
  storage.onHost = accept("host");
  module_.storages.push_back(storage);
}

StorageId Parser::storageRef() {
  const SourceRange where = range(token_);
  const StorageId storage(index("the number of a storage"));
  if (module_.storages.contains(storage)) return storage;
  failAt(where, "there is no storage " + std::to_string(storage.index()));
  return kNone;
}

void Parser::parseTop() {
  if (accept("model")) {
    module_.modelName = string("a model's name");
  } else if (accept("front-end")) {
    parseFrontEnd();
  } else if (accept("data-edges")) {
    module_.dataEdges = integer("a number of edges");
  } else if (accept("storage")) {
    parseStorage();
  } else if (accept("opset")) {
    const std::string domain = nameOrString("a domain");
    module_.opsets[std::string(ownDomain(domain))] = integer("an opset version");
  } else if (accept("target")) {
    parseTarget(module_.target);
  } else if (accept("facets")) {
    parseFacets();
  } else if (accept("scope")) {
    parseScope();
  } else if (accept("truncated-roots")) {
    module_.truncatedRoots = integer("a number of roots");
  } else if (accept("problem")) {
    module_.dataProblems.append(parseProblem());
  } else if (at("graph")) {
    if (sawGraph_) return fail("a second main graph");
    sawGraph_ = true;
    parseGraph(kNone, 0);
    resolveErased();
    finishGraphs();
  } else if (!sawGraph_) {
    failExpected({"model", "front-end", "data-edges", "storage", "opset", "target", "facets", "scope",
                  "truncated-roots", "problem", "graph"});
  } else if (accept("rules")) {
    parseRules();
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

/// The text of the rules ends at a line that begins with `}`, so that it is found without reading the rules.
void Parser::parseRules() {
  if (sawRules_) return fail("a second block of rules");
  sawRules_ = true;
  if (!at("{")) return fail("expected `{`");
  const uint32_t begin = token_.end;
  const size_t last = lexer_.text().find("\n}", begin);
  if (last == std::string_view::npos) {
    lexer_.moveTo(static_cast<uint32_t>(lexer_.text().size()));
    advance();
    return fail("expected `}` at the beginning of a line, which ends the rules,");
  }
  const auto end = static_cast<uint32_t>(last + 1);
  lexer_.moveTo(end + 1);
  advance();
  auto rules = readRules_({buffer_, begin, end}, diagnostics_);
  if (!rules) {
    // What names a rule is not reported again.
    ++syntaxErrors_;
    return;
  }
  module_.rules = std::move(*rules);
  for (const RuleId rule : module_.rules.rules.ids()) ruleIds_.emplace(module_.rules.rules[rule].name, rule);
}

std::optional<Module> Parser::parse() {
  if (!accept("amdahlc.ir")) {
    fail("expected `amdahlc.ir 1`, which opens every IR text");
    return std::nullopt;
  }
  const SourceRange where = range(token_);
  if (const int64_t version = integer("the version of the text form"); !panicking_ && version != 1)
    failAt(where, "version " + std::to_string(version) + " of the text form; this program reads version 1");
  while (!panicking_ && !atEnd()) {
    parseTop();
    if (panicking_ && !recover()) break;
  }
  if (!panicking_ && !sawGraph_ && diagnostics_.errorCount() == errorsBefore_) fail("expected `graph`");
  if (diagnostics_.errorCount() != errorsBefore_) return std::nullopt;
  return std::move(module_);
}

std::optional<Module> parse(BufferId buffer, const SourceManager& sources, const RuleReader& readRules,
                            DiagnosticEngine& diagnostics) {
  if (sources.text(buffer).size() >= std::numeric_limits<uint32_t>::max() / 2) {
    diagnostics.error(DiagId::IrSyntax, FileLocation{std::string(sources.name(buffer))}, "text of 2 GiB or more");
    return std::nullopt;
  }
  // Names with other bytes are written with escapes.
  if (!checkEncoding(DiagId::IrSyntax, buffer, sources.text(buffer), diagnostics)) return std::nullopt;
  auto module = Parser(buffer, sources, readRules, diagnostics).parse();
  if (!module) return std::nullopt;
  // The errors are in this text, not in the model that it once came from.
  DiagnosticEngine invariants([&](Diagnostic diagnostic) {
    if (auto* place = std::get_if<OnnxLocation>(&diagnostic.primary.location)) place->file = sources.name(buffer);
    diagnostics.report(diagnostic);
  });
  if (!verify(*module, invariants)) return std::nullopt;
  return module;
}

}  // namespace amdahlc::ir
