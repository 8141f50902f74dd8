// Declarations, rules and kernels.

#include <fmt/format.h>

#include <algorithm>

#include "grammar/ast_builder.h"
#include "grammar/syntax_errors.h"
#include "support/edit_distance.h"

namespace amdahlc::grammar {
namespace {

using P = AstBuilder::P;
using DeclarationKind = ast::Declaration::Kind;

constexpr size_t kDocChannel = 2;
// `///`.
constexpr size_t kDocMarkLength = 3;

/// The limit on nesting bounds the recursion.
bool hasError(antlr4::tree::ParseTree& tree) {
  if (auto* error = dynamic_cast<antlr4::tree::ErrorNode*>(&tree)) {
    // An inserted `;` is harmless.
    return error->getSymbol()->getType() != P::SEMI || error->getSymbol()->getTokenIndex() != INVALID_INDEX;
  }
  if (auto* context = dynamic_cast<antlr4::ParserRuleContext*>(&tree);
      context != nullptr && (context->exception || context->start == nullptr))
    return true;
  return std::any_of(tree.children.begin(), tree.children.end(), [](auto* child) { return hasError(*child); });
}

}  // namespace

bool AstBuilder::isDamaged(antlr4::tree::ParseTree& tree) const { return !clean_ && hasError(tree); }

std::vector<ast::Name> AstBuilder::targets(P::TargetListContext& context) {
  std::vector<ast::Name> out;
  for (auto* target : context.targetName()) {
    if (target->STRING() != nullptr)
      out.push_back({string(*target->STRING()->getSymbol()), range(*target)});
    else
      out.push_back(ruleName(*target->ruleName()));
  }
  return out;
}

ast::Applies AstBuilder::applies(P::AppliesContext& context) {
  ast::Applies out;
  out.of = context.RUNTIME() != nullptr  ? ast::Applies::Of::Runtime
           : context.VENDOR() != nullptr ? ast::Applies::Of::Vendor
                                         : ast::Applies::Of::Arch;
  out.names = targets(*context.targetList());
  out.range = range(context);
  return out;
}

void AstBuilder::condition(P::ConditionContext& context, ast::Launch& into) {
  if (context.FOR() != nullptr) {
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
  using Of = ast::Applies::Of;
  into.applies.push_back({context.ON() != nullptr     ? Of::Vendor
                          : context.ARCH() != nullptr ? Of::Arch
                                                      : Of::Runtime,
                          targets(*context.targetList()), range(context)});
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

void AstBuilder::unknownKeyword(antlr4::ParserRuleContext& word, const std::vector<std::string>& keywords,
                                std::string_view place) {
  sawUnknown_ = true;
  const SourceRange where = range(word);
  const std::string text = textOf(where);
  if (const auto close = closestName(text, keywords))
    diagnostics_.error(DiagId::AkpSyntax, where, fmt::format("unknown keyword `{}`; did you mean `{}`?", text, *close))
        .fix(where, *close);
  else
    diagnostics_.error(
        DiagId::AkpSyntax, where,
        fmt::format("`{}` does not start {}; expected one of {}", text, place, fmt::join(keywords, ", ")));
}

void AstBuilder::member(P::MemberContext& context, ast::RuleBody& into) {
  auto setOnce = [&](std::optional<ast::Name>& slot, ast::Name value, std::string_view what) {
    if (slot)
      diagnostics_.error(DiagId::AkpDuplicate, value.range, fmt::format("`{}` is given twice", what))
          .secondary(slot->range, "first here");
    else
      slot = std::move(value);
  };
  if (auto* unknown = context.unknownMember()) {
    unknownKeyword(*unknown->unknownMemberWord(), memberKeywords(), "a member of a rule");
  } else if (context.LABEL() != nullptr) {
    setOnce(into.label, {string(*context.STRING()->getSymbol()), range(*context.STRING()->getSymbol())}, "label");
  } else if (context.CATEGORY() != nullptr) {
    setOnce(into.category, ruleName(*context.ruleName()), "category");
  } else if (context.PRIORITY() != nullptr) {
    const int64_t value = (context.MINUS() != nullptr ? -1 : 1) * integer(*context.INT()->getSymbol());
    if (into.priority)
      diagnostics_.error(DiagId::AkpDuplicate, range(context), "`priority` is given twice")
          .secondary(into.priority->second, "first here");
    else
      into.priority = {value, range(context)};
  } else if (context.RECOMPUTE() != nullptr) {
    into.recompute = true;
  } else if (context.GENERATED() != nullptr) {
    into.generated = range(context);
  } else if (context.applies() != nullptr) {
    into.applies.push_back(applies(*context.applies()));
  } else if (auto* matches = context.matches()) {
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
    if (into.launches.empty()) into.addsLaunches = runs->RUNS() == nullptr;
    for (auto* each : runs->launch()) into.launches.push_back(launch(*each));
  }
}

ast::RuleBody AstBuilder::body(const std::vector<P::MemberContext*>& members) {
  ast::RuleBody out;
  for (auto* each : members)
    if (isUsable(each)) member(*each, out);
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

std::optional<ast::Declaration> declaration(AstBuilder& builder, P::ItemContext& item,
                                            antlr4::CommonTokenStream& tokens, std::string_view text) {
  ast::Declaration out;
  out.broken = builder.isDamaged(item);
  if (item.children.empty() || item.start == nullptr) return std::nullopt;
  out.range = builder.range(item);
  if (auto* unknown = item.unknownItem()) {
    if (unknown->unknownItemWord() != nullptr && unknown->unknownItemWord()->start != nullptr)
      builder.unknownKeyword(*unknown->unknownItemWord(), declarationKeywords(), "a declaration");
    return std::nullopt;
  }
  if (auto* import = item.importDecl()) {
    out.kind = DeclarationKind::Import;
    if (out.broken) return std::nullopt;
    out.import = {builder.string(*import->STRING()->getSymbol()), builder.range(*import->STRING()->getSymbol())};
  } else if (auto* applies = item.applies()) {
    out.kind = DeclarationKind::Applies;
    if (out.broken) return std::nullopt;
    out.applies = builder.applies(*applies);
  } else if (auto* evidence = item.evidenceDecl()) {
    out.kind = DeclarationKind::Evidence;
    if (out.broken) return std::nullopt;
    out.evidence = builder.name(*evidence->ident());
  } else if (auto* hidden = item.hiddenDecl()) {
    out.kind = DeclarationKind::Hidden;
    if (out.broken) return std::nullopt;
    for (auto* op : hidden->operatorName()) out.hidden.push_back(builder.operatorRef(*op));
  } else if (auto* disable = item.disableDecl()) {
    out.kind = DeclarationKind::Disable;
    if (out.broken) return std::nullopt;
    for (auto* name : disable->ruleName()) out.disabled.push_back(builder.ruleName(*name));
  } else if (auto* views = item.viewsDecl()) {
    out.kind = DeclarationKind::Class;
    out.operatorClass.views = true;
    if (views->ident() != nullptr && builder.isUsable(views->ident()))
      out.operatorClass.name = builder.name(*views->ident());
    else
      out.operatorClass.name = {"View", builder.range(*views->VIEWS()->getSymbol())};
    if (!out.broken)
      for (auto* op : views->operatorName()) out.operatorClass.members.push_back(builder.operatorRef(*op));
  } else if (auto* named = item.classDecl()) {
    out.kind = DeclarationKind::Class;
    if (!builder.isUsable(named->ident())) return std::nullopt;
    out.operatorClass.name = builder.name(*named->ident());
    if (!out.broken)
      for (auto* op : named->operatorName()) out.operatorClass.members.push_back(builder.operatorRef(*op));
  } else if (auto* fragment = item.fragmentDecl()) {
    out.kind = DeclarationKind::Fragment;
    if (!builder.isUsable(fragment->ident())) return std::nullopt;
    out.fragment.name = builder.name(*fragment->ident());
    if (!out.broken)
      out.fragment.pattern = builder.pattern(*fragment, fragment->params(), fragment->block(), *fragment->results());
  } else if (auto* kernel = item.kernelDecl()) {
    out.kind = DeclarationKind::Kernel;
    if (kernel->ruleName().empty() || !builder.isUsable(kernel->ruleName(0))) return std::nullopt;
    out.kernel.name = builder.ruleName(*kernel->ruleName(0));
    out.kernel.doc = docBefore(*kernel->start, tokens, text);
    out.kernel.body = builder.body(kernel->member());
    if (kernel->ruleName().size() == 2 && builder.isUsable(kernel->ruleName(1)) && !out.kernel.body.category)
      out.kernel.body.category = builder.ruleName(*kernel->ruleName(1));
  } else if (auto* refine = item.refineDecl()) {
    out.kind = DeclarationKind::Refine;
    if (!builder.isUsable(refine->ruleName())) return std::nullopt;
    out.kernel.name = builder.ruleName(*refine->ruleName());
    out.kernel.body = builder.body(refine->member());
  } else {
    return std::nullopt;
  }
  return out;
}

}  // namespace

ast::File buildAst(P::FileContext& tree, bool clean, antlr4::CommonTokenStream& tokens, BufferId buffer,
                   const SourceManager& sources, DiagnosticEngine& diagnostics) {
  ast::File file;
  const std::string_view text = sources.text(buffer);
  AstBuilder builder(buffer, text, clean, diagnostics);
  if (auto* version = tree.version(); builder.isUsable(version))
    file.version = {builder.integer(*version->INT()->getSymbol()), builder.range(*version->INT()->getSymbol())};
  for (auto* item : tree.item())
    if (auto made = declaration(builder, *item, tokens, text)) file.declarations.push_back(std::move(*made));
  file.hasSyntaxErrors = builder.sawUnknownKeyword();
  return file;
}

}  // namespace amdahlc::grammar
