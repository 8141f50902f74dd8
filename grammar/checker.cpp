#include "grammar/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include "grammar/file_scope.h"
#include "grammar/lowering_builder.h"
#include "grammar/operator_schemas.h"
#include "grammar/pattern_builder.h"
#include "grammar/rule_warnings.h"
#include "replay/runtimes/runtime.h"
#include "replay/timeline/target.h"
#include "support/case_folding.h"
#include "support/edit_distance.h"
#include "support/limits.h"

namespace amdahlc::grammar {
namespace {

using DeclarationKind = ast::Declaration::Kind;

constexpr int64_t kVersion = 1;
// What a file may name as `evidence`.
constexpr std::string_view kNamesOnly = "names";

class Checker {
 public:
  Checker(const std::vector<SourceFile>& files, const RuleLoadOptions& options, const SourceManager& sources,
          DiagnosticEngine& diagnostics)
      : files_(files),
        options_(options),
        diagnostics_(diagnostics),
        context_{schemas_, regexes_, sources, diagnostics, options.opsets} {}

  CheckedFiles run() {
    out_.scopes.resize(files_.size());
    visibleRules_.resize(files_.size());
    targets_.resize(files_.size());
    lowerings_.resize(files_.size());
    for (size_t f = 0; f < files_.size(); ++f) {
      checkVersion(files_[f]);
      findTargets(f);
      declareNames(f);
      checkEvidence(files_[f]);
      for (FragmentEntry& entry : out_.fragments) PatternBuilder::checkFragment(entry, context_);
      context_.attributes.report(diagnostics_);
      makeRules(f);
      refineRules(f);
      makeLowerings(f);
    }
    disableByOption();
    assemble();
    // Errors of parsing count, too: a rejected expression leaves a placeholder in the tree.
    out_.complete = !diagnostics_.hasErrors();
    for (const SourceFile& file : files_) out_.complete = out_.complete && !file.tree.hasSyntaxErrors;
    if (out_.complete && options_.warns) warnAboutRules(rules_, regexes_, diagnostics_);
    return std::move(out_);
  }

 private:
  void checkVersion(const SourceFile& file) {
    if (file.tree.hasSyntaxErrors && !file.tree.version) return;
    if (!file.tree.version)
      diagnostics_
          .error(DiagId::AkpVersion, SourceRange{file.buffer, 0, 0},
                 "the file does not begin with the version of its language")
          .fix({file.buffer, 0, 0}, "akp 1;");
    else if (file.tree.version->value != kVersion)
      diagnostics_.error(
          DiagId::AkpVersion, file.tree.version->range,
          fmt::format("version {} of the language; this program reads version {}", file.tree.version->value, kVersion));
  }

  bool nameIsFree(const ast::Name& name, const FileScope& scope, std::string_view what) {
    if (schemas_.find("", name.text) != nullptr) {
      diagnostics_.error(DiagId::AkpDuplicate, name.range,
                         fmt::format("{} `{}` has the name of an ONNX operator", what, name.text));
      return false;
    }
    std::optional<SourceRange> first;
    if (const auto found = scope.fragments.find(name.text); found != scope.fragments.end())
      first = found->second->declaration->name.range;
    if (const auto found = scope.classes.find(name.text); found != scope.classes.end())
      first = found->second->declaration->name.range;
    if (!first) return true;
    diagnostics_.error(DiagId::AkpDuplicate, name.range, fmt::format("`{}` is declared twice", name.text))
        .secondary(*first, "first here");
    return false;
  }

  /// Where the declarations of a file apply.
  void findTargets(size_t f) {
    std::vector<ast::Applies> applies;
    for (const ast::Declaration& declaration : files_[f].tree.declarationsOf(DeclarationKind::Applies))
      applies.push_back(declaration.applies.front());
    applyTargets(applies, targets_[f]);
  }

  /// Fills the scope of a file: first the declarations of its imports, then its own classes and fragments.
  void declareNames(size_t f) {
    FileScope& scope = out_.scopes[f];
    scope.incomplete = files_[f].tree.hasSyntaxErrors;
    for (const auto& [range, imported] : files_[f].imports) {
      scope.incomplete = scope.incomplete || out_.scopes[imported].incomplete;
      visibleRules_[f].insert(visibleRules_[imported].begin(), visibleRules_[imported].end());
      for (const auto& [name, entry] : out_.scopes[imported].fragments)
        if (const auto [at, added] = scope.fragments.emplace(name, entry); !added && at->second != entry)
          conflict(f, entry->declaration->name, at->second->declaration->name);
      for (const auto& [name, entry] : out_.scopes[imported].classes)
        if (const auto [at, added] = scope.classes.emplace(name, entry); !added && at->second != entry)
          conflict(f, entry->declaration->name, at->second->declaration->name);
    }
    for (const ast::Declaration& declaration : files_[f].tree.declarationsOf(DeclarationKind::Fragment)) {
      if (!nameIsFree(declaration.name, scope, "fragment")) continue;
      out_.fragments.push_back(
          {&declaration, &scope, declaration.broken ? FragmentEntry::State::Bad : FragmentEntry::State::Unchecked});
      scope.fragments.emplace(declaration.name.text, &out_.fragments.back());
    }
    for (const ast::Declaration& declaration : files_[f].tree.declarations) {
      if (declaration.kind == DeclarationKind::Class) declareClass(declaration, scope, targets_[f]);
      if (declaration.kind != DeclarationKind::Hidden) continue;
      bool ignored = true;
      PatternBuilder(context_, scope).flatten(declaration.operators, rules_.hidden.any, ignored);
    }
  }

  void conflict(size_t f, const ast::Name& second, const ast::Name& first) {
    diagnostics_
        .error(DiagId::AkpDuplicate, FileLocation{files_[f].shown},
               fmt::format("two imported files declare `{}`", second.text))
        .secondary(first.range, "here")
        .secondary(second.range, "and here");
  }

  void declareClass(const ast::Declaration& written, FileScope& scope, const ir::Applicability& where) {
    if (!nameIsFree(written.name, scope, "class")) return;
    ClassEntry entry;
    entry.declaration = &written;
    entry.views = !written.operators.empty();
    PatternBuilder(context_, scope).flatten(written.operators, entry.members, entry.views);
    entry.views = entry.views || written.views;
    if (written.views) {
      ir::Applicability places = where;
      applyTargets(written.applies, places);
      rules_.addViews(places, entry.members);
    }
    out_.classes.push_back(std::move(entry));
    scope.classes.emplace(written.name.text, &out_.classes.back());
  }

  /// A rule may name an unknown runtime or vendor, because a trace can name any. A misspelled name is reported. An
  /// architecture must be known, because its order is needed.
  void checkTarget(const ast::Name& name, std::vector<std::string> ir::Applicability::* of) {
    const auto unknown = [&](std::string_view what, std::string_view text, std::string_view hint) {
      return diagnostics_.warning(DiagId::AkpUnknownName, name.range,
                                  fmt::format("unknown {} `{}`{}", what, text, hint));
    };
    if (of == &ir::Applicability::archs) {
      std::string_view arch = name.text;
      if (arch.ends_with('+')) arch.remove_suffix(1);
      if (vendorOfArchitecture(arch).empty()) unknown("architecture", arch, nearestArchitectures(arch));
      return;
    }
    const std::string folded = toLower(name.text);
    const bool isRuntime = of == &ir::Applicability::runtimes;
    const auto& known = isRuntime ? knownRuntimes() : knownVendors();
    if (std::ranges::find(known, folded) != known.end()) return;
    if (const std::string hint = didYouMean(folded, known); !hint.empty()) {
      auto report = unknown(isRuntime ? "runtime" : "vendor", name.text, hint);
      fixName(report, name.range, folded, known);
    }
  }

  /// The targets of a rule replace those of its file.
  void applyTargets(const std::vector<ast::Applies>& written, ir::Applicability& into) {
    for (const ast::Applies& applies : written) (into.*applies.of).clear();
    for (const ast::Applies& applies : written) {
      auto& list = into.*applies.of;
      for (const ast::Name& name : applies.names) {
        checkTarget(name, applies.of);
        if (std::ranges::find(list, name.text) == list.end()) list.push_back(name.text);
      }
    }
  }

  /// Whether what is named as `evidence` is known.
  bool isNamesOnly(const ast::Name& kind) {
    if (kind.text == kNamesOnly) return true;
    const std::vector<std::string> known{std::string(kNamesOnly)};
    auto report = diagnostics_.error(
        DiagId::AkpUnknownName, kind.range,
        fmt::format("unknown kind of evidence `{}`{}", kind.text, didYouMeanOrKnown(kind.text, known, "")));
    fixName(report, kind.range, kind.text, known);
    return false;
  }

  /// Notes whether the rules of a file bind by names only.
  void checkEvidence(const SourceFile& file) {
    const ast::Name* first = nullptr;
    for (const ast::Declaration& declaration : file.tree.declarationsOf(DeclarationKind::Evidence)) {
      const ast::Name& kind = declaration.name;
      if (isNamesOnly(kind)) namesOnly_.emplace(file.buffer, declaration.range);
      if (first != nullptr)
        diagnostics_.error(DiagId::AkpDuplicate, kind.range, "`evidence` is given twice")
            .secondary(first->range, "first here");
      else
        first = &kind;
    }
  }

  /// Where the evidence of a rule is stated: in the rule or in its file.
  std::optional<SourceRange> evidenceOf(const ir::Rule& rule) const {
    if (const auto own = ownEvidence_.find({rule.range.buffer, rule.range.begin}); own != ownEvidence_.end())
      return own->second;
    const auto ofFile = namesOnly_.find(rule.range.buffer);
    return ofFile == namesOnly_.end() ? std::nullopt : std::optional(ofFile->second);
  }

  std::vector<ir::Pattern> lowerMatches(const ast::Declaration& rule, const FileScope& scope) {
    std::vector<ir::Pattern> out;
    for (const ast::Pattern& match : rule.body.matches)
      if (auto pattern = PatternBuilder(context_, scope).lower(match))
        out.push_back(std::move(*pattern));
      else
        out_.damaged.insert(rule.name.text);
    context_.attributes.report(diagnostics_);
    return out;
  }

  void lowerLaunches(const ast::RuleBody& body, ir::Rule& rule) {
    ExpressionChecker expressions(regexes_, context_.sources, diagnostics_);
    for (const ast::Launch& launch : body.launches) {
      if (launch.nothing) {
        rule.noDeviceWork = true;
        if (!launch.sequence.operators.empty() || !launch.sequence.operatorPatterns.empty() || !launch.applies.empty())
          diagnostics_.error(
              DiagId::AkpRule, launch.range,
              "`runs as nothing` holds for every target; limit the rule itself with `runtime` or `vendor`");
        if (body.launches.size() != 1)
          diagnostics_.error(DiagId::AkpRule, launch.range, "`runs as nothing` has no alternatives");
        continue;
      }
      ir::LaunchSequence sequence = launch.sequence;
      bool mayBeEmpty = true;
      for (ir::KernelStep& step : sequence.steps) {
        expressions.test(step.test, expression::Context::Kernel);
        mayBeEmpty = mayBeEmpty && step.min == 0;
      }
      if (mayBeEmpty)
        diagnostics_.error(DiagId::AkpRule, launch.range,
                           "the sequence can be empty; at least one kernel must not be optional");
      for (size_t i = 0; i < sequence.operatorPatterns.size(); ++i)
        expressions.regex(sequence.operatorPatterns[i], launch.operatorPatternRanges[i]);
      if (rule.namesOnly && launch.operatorsRange)
        diagnostics_
            .error(DiagId::AkpRule, *launch.operatorsRange,
                   fmt::format("`for op` is never read: rule `{}` binds by names only", rule.name))
            .secondary(*evidenceOf(rule), "by this");
      applyTargets(launch.applies, sequence.where);
      rule.launches.push_back(std::move(sequence));
    }
    if (rule.noDeviceWork) rule.launches.clear();
  }

  /// Adds the members of a rule, or those of a refinement of it. `patterns` are its matches.
  void applyBody(const ast::RuleBody& body, std::vector<ir::Pattern> patterns, ir::Rule& rule) {
    if (body.label) rule.label = body.label->text;
    if (body.category) rule.category = body.category->text;
    if (body.priority) rule.priority = body.priority->value;
    rule.recompute = rule.recompute || body.recompute;
    rule.generated = rule.generated || body.generated.has_value();
    applyTargets(body.applies, rule.where);
    if (!body.matches.empty() && !body.addsMatches) rule.patterns.clear();
    std::move(patterns.begin(), patterns.end(), std::back_inserter(rule.patterns));
    if (body.launches.empty()) return;
    if (!body.addsLaunches) rule.launches.clear();
    rule.noDeviceWork = false;
    lowerLaunches(body, rule);
  }

  void makeRules(size_t f) {
    for (const ast::Declaration& written : files_[f].tree.declarationsOf(DeclarationKind::Kernel)) {
      if (rules_.rules.size() >= limits::kRules) {
        diagnostics_.error(DiagId::AkpTooLarge, written.name.range, fmt::format("more than {} rules", limits::kRules));
        break;
      }
      ir::Rule rule;
      rule.name = written.name.text;
      rule.range = written.name.range;
      rule.doc = written.doc;
      rule.file = files_[f].shown;
      rule.label = rule.name;
      rule.category = ir::kOtherCategory;
      rule.where = targets_[f];
      if (written.body.evidence && isNamesOnly(*written.body.evidence))
        ownEvidence_.emplace(std::pair(rule.range.buffer, rule.range.begin), written.body.evidence->range);
      rule.namesOnly = evidenceOf(rule).has_value();
      applyBody(written.body, lowerMatches(written, out_.scopes[f]), rule);
      if (written.body.matches.empty() && !written.broken)
        diagnostics_.error(DiagId::AkpRule, written.name.range, fmt::format("rule `{}` has no `match`", rule.name));
      if (written.body.addsMatches || written.body.addsLaunches)
        diagnostics_.error(DiagId::AkpRule, written.name.range,
                           fmt::format("rule `{}` begins with `or {}`; no alternative is before it", rule.name,
                                       written.body.addsMatches ? "match" : "as"));
      makeUnique(rule);
      if (const auto [at, added] = ruleIndex_.emplace(rule.name, rules_.rules.nextId()); !added) {
        diagnostics_
            .error(DiagId::AkpDuplicate, rule.range, fmt::format("rule `{}` is declared twice", written.name.text))
            .secondary(rules_.rules[at->second].range, "first here");
        continue;
      }
      writtenNames_.push_back(written.name.text);
      visibleRules_[f].insert(rules_.rules.push_back(std::move(rule)));
    }
  }

  void makeLowerings(size_t f) {
    std::vector<ir::Lowering>& made = lowerings_[f];
    for (const ast::Declaration& written : files_[f].tree.declarationsOf(DeclarationKind::Lower)) {
      if (written.broken) continue;
      auto lowering = buildLowering(written, out_.scopes[f], context_);
      if (!lowering) continue;
      lowering->where = targets_[f];
      applyTargets(written.applies, lowering->where);
      made.push_back(std::move(*lowering));
    }
    reportRepeated(made, diagnostics_);
  }

  /// Rules of one name and different runtimes are those of libraries that are loaded together.
  void makeUnique(ir::Rule& rule) const {
    const auto known = ruleIndex_.find(rule.name);
    if (known == ruleIndex_.end()) return;
    const ir::Applicability own{rule.where.runtimes, {}, {}};
    const ir::Applicability first{rules_.rules[known->second].where.runtimes, {}, {}};
    if (ir::admitCommonTarget(own, first)) return;
    const std::string name = nameWithRuntime(rule, rule.name);
    // Another rule may be called like that.
    if (!ruleIndex_.contains(name)) rule.name = name;
  }

  /// `onnxruntime-gemm`.
  static std::string nameWithRuntime(const ir::Rule& rule, const std::string& written) {
    return rule.where.runtimes.empty() ? written : fmt::format("{}-{}", toLower(rule.where.runtimes.front()), written);
  }

  bool isCalled(ir::RuleId rule, const std::string& name) const {
    return writtenNames_[rule] == name || nameWithRuntime(rules_.rules[rule], writtenNames_[rule]) == name;
  }

  /// The rules of this name that this file declares or imports: several, if they are for different runtimes.
  std::vector<ir::RuleId> visibleRules(size_t f, const ast::Name& name) {
    std::vector<ir::RuleId> found;
    std::vector<std::string> names;
    for (const ir::RuleId rule : visibleRules_[f]) {
      if (isCalled(rule, name.text)) found.push_back(rule);
      names.push_back(writtenNames_[rule]);
    }
    if (!found.empty() || out_.scopes[f].incomplete) return found;
    auto report = unknownName(diagnostics_, name.range,
                              fmt::format("no rule `{}` in this file or its imports", name.text), name.text, names);
    if (const auto elsewhere = ruleIndex_.find(name.text); elsewhere != ruleIndex_.end())
      report.note(fmt::format("`{}` declares one; import it", rules_.rules[elsewhere->second].file));
    return found;
  }

  /// The one rule that a refinement is of.
  std::optional<ir::RuleId> refinedRule(size_t f, const ast::Name& name) {
    const std::vector<ir::RuleId> found = visibleRules(f, name);
    if (found.empty()) return std::nullopt;
    for (size_t i = 1; i < found.size(); ++i)
      diagnostics_
          .error(DiagId::AkpDuplicate, name.range,
                 fmt::format("two imported rules are called `{}`; write `{}` or `{}`", name.text,
                             nameWithRuntime(rules_.rules[found[0]], name.text),
                             nameWithRuntime(rules_.rules[found[i]], name.text)))
          .secondary(rules_.rules[found[0]].range, "here")
          .secondary(rules_.rules[found[i]].range, "and here");
    return found.front();
  }

  void refineRules(size_t f) {
    for (const ast::Declaration& declaration : files_[f].tree.declarationsOf(DeclarationKind::Disable))
      for (const ast::Name& name : declaration.disabled)
        for (const ir::RuleId rule : visibleRules(f, name)) disabled_.insert(rule);
    for (const ast::Declaration& declaration : files_[f].tree.declarationsOf(DeclarationKind::Refine)) {
      const ast::RuleBody& body = declaration.body;
      if (body.evidence)
        diagnostics_.error(DiagId::AkpRule, body.evidence->range,
                           "a refinement leaves the evidence of its rule as it is");
      auto patterns = lowerMatches(declaration, out_.scopes[f]);
      const auto index = refinedRule(f, declaration.name);
      ir::Rule unknown;  // the refinement of an unknown rule is checked as well
      ir::Rule& rule = index ? rules_.rules[*index] : unknown;
      applyBody(body, std::move(patterns), rule);
    }
  }

  void disableByOption() {
    for (const RequestedName& name : options_.disabled) {
      bool any = false;
      for (const ir::RuleId rule : rules_.rules.ids())
        if (isCalled(rule, name.text)) {
          disabled_.insert(rule);
          any = true;
        }
      if (any) continue;
      std::vector<std::string> names;
      for (const ir::Rule& rule : rules_.rules) names.push_back(rule.name);
      diagnostics_.error(DiagId::AkpUnknownName, name.range,
                         fmt::format("no rule `{}` to disable{}", name.text, didYouMean(name.text, names)));
    }
  }

  /// A compiler names the operators of the code that it generates; a match can only tell which operators may be in it.
  void checkGenerated(const ir::Rule& rule) {
    if (!std::ranges::all_of(rule.patterns, ir::isOneOperator))
      diagnostics_.error(
          DiagId::AkpRule, rule.range,
          fmt::format("a `match` of rule `{}` is not of the form `Op(_, ...)`; the rule is `generated`, so "
                      "that it can only say which operators its kernels may hold",
                      rule.name));
    if (!ir::runsAsOneNamedKernel(rule))
      diagnostics_.error(
          DiagId::AkpRule, rule.range,
          fmt::format("rule `{}` is `generated`, but does not run as one kernel that is known by its own name",
                      rule.name));
  }

  void assemble() {
    IdVector<ir::RuleId, ir::Rule> kept;
    for (const ir::RuleId rule : rules_.rules.ids())
      if (!disabled_.contains(rule)) kept.push_back(std::move(rules_.rules[rule]));
    rules_.rules = std::move(kept);
    // A file comes behind those that it imports, and may replace their lowerings.
    for (auto& ofFile : std::views::reverse(lowerings_))
      std::ranges::move(ofFile, std::back_inserter(rules_.lowerings));
    for (const ir::Rule& rule : rules_.rules)
      if (rule.generated) checkGenerated(rule);
    for (ir::Rule& rule : rules_.rules)
      for (ir::Pattern& pattern : rule.patterns)
        for (ir::PatternNode& node : pattern.nodes)
          node.view =
              !node.operators.any.empty() && std::ranges::all_of(node.operators.any, [&](const ir::OperatorName& name) {
                return rules_.isView(name, rule.where);
              });
  }

  const std::vector<SourceFile>& files_;
  const RuleLoadOptions& options_;
  DiagnosticEngine& diagnostics_;
  OperatorSchemas schemas_;
  Regexes regexes_;
  CheckContext context_;
  // Per file.
  std::vector<std::set<ir::RuleId>> visibleRules_;
  std::vector<ir::Applicability> targets_;
  std::vector<std::vector<ir::Lowering>> lowerings_;
  // The statements `evidence names`, by file, and those of rules, by the place of their names.
  std::map<BufferId, SourceRange> namesOnly_;
  std::map<std::pair<BufferId, uint32_t>, SourceRange> ownEvidence_;
  std::map<std::string, ir::RuleId> ruleIndex_;
  /// As in the file.
  IdVector<ir::RuleId, std::string> writtenNames_;
  std::set<ir::RuleId> disabled_;
  CheckedFiles out_;
  ir::RuleSet& rules_ = out_.rules;
};

}  // namespace

CheckedFiles checkRules(const std::vector<SourceFile>& files, const RuleLoadOptions& options,
                        const SourceManager& sources, DiagnosticEngine& diagnostics) {
  return Checker(files, options, sources, diagnostics).run();
}

std::optional<ir::Pattern> expandFragment(const FragmentEntry& fragment, const SourceManager& sources) {
  // What is wrong with it was reported when it was checked.
  DiagnosticEngine unheard;
  OperatorSchemas schemas;
  Regexes regexes;
  const std::vector<std::pair<std::string, int64_t>> anyOpset;
  CheckContext context{schemas, regexes, sources, unheard, anyOpset};
  return PatternBuilder(context, *fragment.home).lower(fragment.declaration->pattern);
}

}  // namespace amdahlc::grammar
