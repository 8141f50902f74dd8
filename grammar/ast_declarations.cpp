// Declarations, rules and kernels.

#include <fmt/format.h>

#include <algorithm>

#include "grammar/ast_builder.h"
#include "grammar/written_tokens.h"

namespace amdahlc::grammar {
namespace {

using P = AstBuilder::P;
using DeclarationKind = ast::Declaration::Kind;

constexpr size_t kDocChannel = 2;
// `///`.
constexpr size_t kDocMarkLength = 3;

}  // namespace

std::vector<ast::Name> AstBuilder::targets(P::TargetListContext& context) {
  std::vector<ast::Name> out;
  for (auto* target : context.targetName())
    if (target->STRING() != nullptr)
      out.push_back({string(*target->STRING()->getSymbol()), range(*target)});
    else
      out.push_back(ruleName(*target->ruleName()));
  return out;
}

ast::Applies AstBuilder::applies(antlr4::ParserRuleContext& context, P::TargetListContext& names) {
  const size_t keyword = context.start->getType();
  return {keyword == P::RUNTIME ? &ir::Applicability::runtimes
          : keyword == P::ARCH  ? &ir::Applicability::archs
                                : &ir::Applicability::vendors,
          targets(names), range(context)};
}

void AstBuilder::condition(P::ConditionContext& context, ast::Launch& into) {
  if (context.FOR() != nullptr) {
    if (context.OP() == nullptr) {
      const SourceRange first = range(*context.frameworkOperator(0));
      const SourceRange gap{buffer_, first.begin, first.begin};
      diagnostics_
          .error(DiagId::AkpSyntax, first,
                 fmt::format("expected `op`, found `{}`; a framework operator is named by `for op`", textOf(first)))
          .fix(gap, setApart("op", text_, gap));
    }
    if (!into.operatorsRange) into.operatorsRange = range(context);
    for (auto* op : context.frameworkOperator()) {
      if (op->STRING() != nullptr) {
        into.sequence.operators.push_back(string(*op->STRING()->getSymbol()));
      } else {
        into.sequence.operatorPatterns.push_back(regex(*op->REGEX()->getSymbol()));
        into.operatorPatternRanges.push_back(range(*op));
      }
    }
    return;
  }
  into.applies.push_back(applies(context, *context.targetList()));
}

std::vector<ast::Applies> AstBuilder::places(const std::vector<P::ConditionContext*>& conditions,
                                             std::string_view what) {
  ast::Launch out;
  for (auto* each : conditions) condition(*each, out);
  if (out.operatorsRange)
    diagnostics_.error(DiagId::AkpSyntax, *out.operatorsRange,
                       fmt::format("`for op` tells kernels apart, not {}", what));
  return out.applies;
}

ast::Launch AstBuilder::launch(P::LaunchContext& context) {
  ast::Launch out;
  out.range = range(context);
  out.nothing = context.NOTHING() != nullptr;
  out.sequence.anyOrder = context.SET() != nullptr;
  for (auto* step : context.step()) {
    ir::KernelStep made;
    made.test = expression(*step->expr());
    if (step->count() != nullptr)
      std::tie(made.min, made.max) = counts(*step->count());
    else if (step->STAR() != nullptr)
      made.min = 0, made.max = 0;
    else if (step->PLUS() != nullptr)
      made.max = 0;
    else if (step->QUESTION() != nullptr)
      made.min = 0;
    out.sequence.steps.push_back(std::move(made));
  }
  for (auto* each : context.condition()) condition(*each, out);
  return out;
}

void AstBuilder::reportTwice(SourceRange second, SourceRange first, std::string_view what) {
  diagnostics_.error(DiagId::AkpDuplicate, second, fmt::format("`{}` is given twice", what))
      .secondary(first, "first here");
}

void AstBuilder::givenTwice(antlr4::ParserRuleContext& second, SourceRange first, std::string_view what,
                            std::string_view instead) {
  const SourceRange where = range(second);
  const auto begin = SourceRange{buffer_, where.begin, where.begin + static_cast<uint32_t>(what.size())};
  diagnostics_
      .error(DiagId::AkpDuplicate, begin,
             fmt::format("`{}` is given twice; write `{}` for an alternative", what, instead))
      .secondary(SourceRange{first.buffer, first.begin, first.begin + 1}, "first here")
      .fix(begin, std::string(instead));
}

void AstBuilder::member(P::MemberContext& context, ast::RuleBody& into) {
  if (context.LABEL() != nullptr) {
    antlr4::Token& text = *context.STRING()->getSymbol();
    setOnce(into.label, ast::Name{string(text), range(text)}, "label");
  } else if (context.CATEGORY() != nullptr) {
    setOnce(into.category, ruleName(*context.ruleName()), "category");
  } else if (context.PRIORITY() != nullptr) {
    const int64_t value = (context.MINUS() != nullptr ? -1 : 1) * integer(*context.INT()->getSymbol());
    setOnce(into.priority, ast::Integer{value, range(context)}, "priority");
  } else if (context.RECOMPUTE() != nullptr) {
    into.recompute = true;
  } else if (context.GENERATED() != nullptr) {
    into.generated = range(context);
  } else if (context.EVIDENCE() != nullptr) {
    setOnce(into.evidence, name(*context.ident()), "evidence");
  } else if (auto* written = context.applies()) {
    into.applies.push_back(applies(*written, *written->targetList()));
  } else if (auto* matches = context.matches()) {
    if (!into.matches.empty() && matches->OR().size() != matches->matchAlt().size())
      givenTwice(*matches->matchAlt(0), into.matches.front().range, "match", "or match");
    if (into.matches.empty()) into.addsMatches = matches->OR().size() == matches->matchAlt().size();
    size_t conditions = 0;
    for (auto* match : matches->matchAlt()) {
      into.matches.push_back(pattern(*match, match->params(), match->block(), *match->results()));
      if (match->expr() == nullptr) continue;
      ++conditions;
      into.matches.back().where.push_back(expression(*match->expr()));
    }
    // A `where` after the last alternative applies to all of them, unless an earlier one has its own.
    const size_t count = matches->matchAlt().size();
    if (conditions == 1 && matches->matchAlt().back()->expr() != nullptr)
      for (size_t i = 2; i <= count; ++i)
        into.matches[into.matches.size() - i].where.push_back(into.matches.back().where.back());
  } else if (auto* runs = context.runs()) {
    if (!into.launches.empty() && runs->RUNS() != nullptr)
      givenTwice(*runs, into.launches.front().range, "runs as", "or as");
    if (into.launches.empty()) into.addsLaunches = runs->RUNS() == nullptr;
    for (auto* each : runs->launch()) into.launches.push_back(launch(*each));
  }
}

ast::RuleBody AstBuilder::body(const std::vector<P::MemberContext*>& members) {
  ast::RuleBody out;
  for (auto* each : members) member(*each, out);
  return out;
}

namespace {

std::string docBefore(antlr4::Token& token, antlr4::CommonTokenStream& tokens, std::string_view text) {
  std::string doc;
  for (antlr4::Token* line : tokens.getHiddenTokensToLeft(token.getTokenIndex(), static_cast<ssize_t>(kDocChannel))) {
    std::string_view written = text.substr(line->getStartIndex() + kDocMarkLength,
                                           line->getStopIndex() + 1 - line->getStartIndex() - kDocMarkLength);
    if (written.starts_with(' ')) written.remove_prefix(1);
    while (!written.empty() && (written.back() == ' ' || written.back() == '\t')) written.remove_suffix(1);
    if (!doc.empty()) doc += '\n';
    doc += written;
  }
  return doc;
}

/// `broken`: only the name of the declaration is used.
std::optional<ast::Declaration> declaration(AstBuilder& builder, P::ItemContext& item, bool broken,
                                            antlr4::CommonTokenStream& tokens, std::string_view text) {
  ast::Declaration out;
  out.broken = broken;
  out.range = builder.range(item);
  out.doc = docBefore(*item.start, tokens, text);
  if (auto* views = item.viewsDecl()) {
    out.kind = DeclarationKind::Class;
    out.views = true;
    if (views->ident() != nullptr)
      out.name = builder.name(*views->ident());
    else
      out.name = {"View", builder.range(*views->VIEWS()->getSymbol())};
    if (!broken) out.applies = builder.places(views->condition(), "views");
    if (!broken) out.operators = builder.operatorRefs(views->operatorName());
  } else if (auto* named = item.classDecl()) {
    out.kind = DeclarationKind::Class;
    out.name = builder.name(*named->ident());
    if (!broken) out.operators = builder.operatorRefs(named->operatorName());
  } else if (auto* lower = item.lowerDecl()) {
    out.kind = DeclarationKind::Lower;
    for (auto* call : lower->STRING())
      out.calls.push_back({builder.string(*call->getSymbol()), builder.range(*call->getSymbol())});
    out.name = out.calls.front();
    if (!broken) {
      out.pattern = builder.lowering(*lower);
      out.applies = builder.places(lower->condition(), "lowerings");
    }
  } else if (auto* fragment = item.fragmentDecl()) {
    out.kind = DeclarationKind::Fragment;
    out.name = builder.name(*fragment->ident());
    if (!broken) out.pattern = builder.pattern(*fragment, fragment->params(), fragment->block(), *fragment->results());
  } else if (auto* kernel = item.kernelDecl()) {
    out.kind = DeclarationKind::Kernel;
    out.name = builder.ruleName(*kernel->ruleName(0));
    if (!broken) out.body = builder.body(kernel->member());
    if (kernel->ruleName().size() == 2 && !out.body.category)
      out.body.category = builder.ruleName(*kernel->ruleName(1));
  } else if (auto* refine = item.refineDecl()) {
    out.kind = DeclarationKind::Refine;
    out.name = builder.ruleName(*refine->ruleName());
    if (!broken) out.body = builder.body(refine->member());
  } else if (broken) {
    return std::nullopt;
  } else if (auto* import = item.importDecl()) {
    out.kind = DeclarationKind::Import;
    out.name = {builder.string(*import->STRING()->getSymbol()), builder.range(*import->STRING()->getSymbol())};
  } else if (auto* applies = item.applies()) {
    out.kind = DeclarationKind::Applies;
    out.applies = {builder.applies(*applies, *applies->targetList())};
  } else if (auto* evidence = item.evidenceDecl()) {
    out.kind = DeclarationKind::Evidence;
    out.name = builder.name(*evidence->ident());
  } else if (auto* hidden = item.hiddenDecl()) {
    out.kind = DeclarationKind::Hidden;
    out.operators = builder.operatorRefs(hidden->operatorName());
  } else if (auto* disable = item.disableDecl()) {
    out.kind = DeclarationKind::Disable;
    for (auto* name : disable->ruleName()) out.disabled.push_back(builder.ruleName(*name));
  }
  // The name itself may be the guess.
  if (broken && out.name.text.empty()) return std::nullopt;
  return out;
}

}  // namespace

ast::File buildAst(P::FileContext& tree, const std::vector<SourceRange>& guesses, antlr4::CommonTokenStream& tokens,
                   BufferId buffer, const SourceManager& sources, DiagnosticEngine& diagnostics) {
  ast::File file;
  const std::string_view text = sources.text(buffer);
  AstBuilder builder(buffer, text, diagnostics);
  std::vector<uint32_t> guessed;
  for (const SourceRange& guess : guesses) guessed.push_back(guess.begin);
  std::ranges::sort(guessed);
  const auto isBroken = [&](SourceRange range) {
    const auto first = std::ranges::lower_bound(guessed, range.begin);
    return first != guessed.end() && *first < range.end;
  };
  if (auto* version = tree.version(); version != nullptr && !isBroken(builder.range(*version)))
    file.version =
        ast::Integer{builder.integer(*version->INT()->getSymbol()), builder.range(*version->INT()->getSymbol())};
  for (auto* item : tree.item())
    if (auto made = declaration(builder, *item, isBroken(builder.range(*item)), tokens, text))
      file.declarations.push_back(std::move(*made));
  return file;
}

}  // namespace amdahlc::grammar
