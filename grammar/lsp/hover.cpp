#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "grammar/lsp/feature.h"
#include "grammar/lsp/markup.h"
#include "grammar/lsp/operator_facts.h"
#include "ir/text.h"
#include "ir/type.h"
#include "support/plural.h"

namespace amdahlc::lsp {
namespace {

using grammar::Mention;
using DeclarationKind = grammar::ast::Declaration::Kind;

// The languages of code blocks, as editors know them.
constexpr std::string_view kRules = "akp";

/// Writes about one name.
class Hover {
 public:
  Hover(const Analysis& analysis, const Mention& mention, bool markdown)
      : analysis_(analysis), mention_(mention), declared_(declaration()), out_(markdown) {}

  Json value() {
    switch (mention_.of) {
      case Mention::Of::Operator:
        for (const ir::OperatorName& name : mention_.operators) describeOperator(name, out_);
        break;
      case Mention::Of::Class:
        aboutClass();
        break;
      case Mention::Of::Fragment:
        aboutFragment();
        break;
      case Mention::Of::Rule:
        aboutRule();
        break;
      case Mention::Of::Value:
        out_.title("value", mention_.name);
        if (mention_.declaration) out_.code(lineOf(*mention_.declaration), kRules);
        break;
      case Mention::Of::File:
        aboutFile();
        break;
      case Mention::Of::Function:
        aboutFunction();
        break;
      case Mention::Of::ElementType:
        out_.title("element type", mention_.name);
        if (const uint32_t bits = ir::bitWidth(*ir::elementTypeFromName(mention_.name)); bits != 0)
          out_.paragraph(plural(bits, "bit"));
        break;
      case Mention::Of::Attribute:
        aboutAttribute();
        break;
    }
    return out_.value();
  }

 private:
  /// The declaration of which the mention is the name; nullptr if there is none.
  const grammar::ast::Declaration* declaration() const {
    if (!mention_.declaration) return nullptr;
    for (const grammar::SourceFile& file : analysis_.rules().files) {
      if (file.buffer != mention_.declaration->buffer) continue;
      for (const grammar::ast::Declaration& one : file.tree.declarations)
        if (one.range.begin <= mention_.declaration->begin && mention_.declaration->end <= one.range.end) return &one;
    }
    return nullptr;
  }

  /// With the doc comment of what is declared.
  void title(std::string_view words, std::string_view code) {
    out_.title(words, code);
    if (declared_ != nullptr) out_.paragraph(declared_->doc);
  }

  std::string lineOf(SourceRange range) const {
    const SourceManager& sources = analysis_.sources();
    std::string_view line = sources.line(range.buffer, sources.lineColumn(range.buffer, range.begin).line);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    return std::string(line);
  }

  void aboutClass() {
    title(declared_ != nullptr && declared_->views ? "views" : "class", mention_.name);
    std::vector<std::string> members;
    for (const ir::OperatorName& member : mention_.operators) members.push_back(describe(member));
    if (!members.empty()) out_.code(fmt::format("{}", fmt::join(members, " | ")), kRules);
  }

  void aboutFragment() {
    std::vector<std::string> parameters;
    if (declared_ != nullptr)
      for (const grammar::ast::Parameter& parameter : declared_->pattern.parameters)
        parameters.push_back(parameter.name.text + (parameter.optional ? "?" : ""));
    title("fragment", fmt::format("{}({})", mention_.name, fmt::join(parameters, ", ")));
    const auto& fragments = analysis_.scope().fragments;
    const auto found = fragments.find(mention_.name);
    if (found == fragments.end() || found->second->state != grammar::FragmentEntry::State::Good) return;
    const auto expanded = grammar::expandFragment(*found->second, analysis_.sources());
    if (expanded) out_.paragraph("Expanded:").code(ir::printPattern(*expanded), kRules);
  }

  void aboutRule() {
    std::string signature = mention_.name;
    if (declared_ != nullptr && declared_->body.category) signature += " : " + declared_->body.category->text;
    title("kernel", signature);
    const grammar::CheckedFiles& checked = analysis_.rules().checked;
    if (declared_ == nullptr || declared_->broken || checked.damaged.contains(mention_.name)) return;
    const auto& rules = checked.rules.rules;
    const auto rule = std::ranges::find(rules, mention_.name, &ir::Rule::name);
    if (rule == rules.end()) {
      out_.paragraph("It is disabled.");
      return;
    }
    ir::Rule shown = *rule;
    shown.doc.clear();
    out_.paragraph("Checked form:").code(ir::printRule(shown), kRules);
  }

  void aboutFile() {
    out_.title("file", mention_.name);
    if (!mention_.declaration) return;
    for (const grammar::SourceFile& file : analysis_.rules().files) {
      if (file.buffer != mention_.declaration->buffer) continue;
      const auto count = [&](DeclarationKind kind) {
        return std::ranges::count(file.tree.declarations, kind, &grammar::ast::Declaration::kind);
      };
      out_.paragraph(fmt::format("{}, {}, {}", plural(count(DeclarationKind::Kernel), "rule"),
                                 plural(count(DeclarationKind::Fragment), "fragment"),
                                 plural(count(DeclarationKind::Import), "import")));
    }
  }

  void aboutFunction() {
    const expression::Function& function = *mention_.function;
    out_.title(function.form == expression::Function::Form::Call ? "function" : "name", function.signature());
    out_.paragraph(fmt::format("{}: {}", expression::describe(function.result), function.documentation));
    std::vector<std::string_view> places;
    for (const expression::Context context : function.contexts) places.push_back(expression::describe(context));
    out_.paragraph(fmt::format("Allowed in {}.", fmt::join(places, ", ")));
  }

  void aboutAttribute() {
    out_.title("attribute", mention_.name);
    bool known = false;
    for (const ir::OperatorName& name : mention_.operators) {
      const std::string words = describeAttribute(name, mention_.name);
      if (words.empty()) continue;
      out_.item(describe(name), ": " + words);
      known = true;
    }
    if (!known) out_.paragraph("No schema has it.");
  }

  const Analysis& analysis_;
  const Mention& mention_;
  const grammar::ast::Declaration* declared_;
  Markup out_;
};

}  // namespace

Json answerHover(Session& session, const Json& params) {
  const Document& document = documentOf(session, params);
  const Position position = positionOf(params, "position");
  const Analysis& analysis = session.workspace.analysis(document);
  const Mention* mention = analysis.mentionAt(position);
  if (mention == nullptr) return nullptr;
  return {{"contents", Hover(analysis, *mention, session.client.hoverMarkdown).value()},
          {"range", rangeValue(analysis.place(mention->range))}};
}

}  // namespace amdahlc::lsp
