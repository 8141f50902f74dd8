#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>

#include "grammar/lsp/feature.h"
#include "grammar/lsp/markup.h"
#include "grammar/lsp/operator_facts.h"
#include "grammar/operator_schemas.h"
#include "grammar/writable.h"
#include "ir/domain.h"
#include "ir/onnx_schemas/operators.h"
#include "ir/type.h"
#include "replay/runtimes/runtime.h"
#include "replay/timeline/target.h"

namespace amdahlc::lsp {
namespace {

using grammar::Writable;
using DeclarationKind = grammar::ast::Declaration::Kind;

// Kinds of the protocol.
enum class Kind : uint8_t {
  Function = 3,
  Variable = 6,
  Class = 7,
  Property = 10,
  Enum = 13,
  Keyword = 14,
  EnumMember = 20,
  Constant = 21,
  Operator = 24,
  TypeParameter = 25,
};

/// The order of kinds of items in the list, where they fit a word equally well.
enum class Rank : uint8_t { Near, Declared, Keyword, Known, Elsewhere };

constexpr std::string_view kJoint = "::";

/// The end of a word, behind the type that follows where the word is a domain.
uint32_t endWithType(std::string_view text, uint32_t end) {
  if (!text.substr(end).starts_with(kJoint)) return end;
  const auto isLetter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  end += static_cast<uint32_t>(kJoint.size());
  while (end < text.size() && isLetter(static_cast<unsigned char>(text[end]))) ++end;
  return end;
}

class Completion {
 public:
  Completion(const Analysis& analysis, const Client& client, const Writable& writable, const FilePlace& word,
             std::string_view written)
      : analysis_(analysis), client_(client), writable_(writable), range_(rangeValue(word)), written_(written) {}

  Json items() {
    if (const size_t joint = written_.rfind(kJoint); joint != std::string_view::npos) {
      operatorsOfDomain(joint);
      return std::move(items_);
    }
    names();
    for (const std::string& keyword : writable_.keywords) add(keyword, Kind::Keyword, Rank::Keyword, "");
    return std::move(items_);
  }

 private:
  Json& add(const std::string& text, Kind kind, Rank rank, std::string_view detail) {
    Json item{{"label", text},
              {"kind", static_cast<int>(kind)},
              {"sortText", fmt::format("{}{}", static_cast<int>(rank), text)},
              {"textEdit", {{"range", range_}, {"newText", text}}}};
    if (!detail.empty()) item["detail"] = detail;
    return items_.emplace_back(std::move(item));
  }

  void document(Json& item, std::string_view text) const {
    if (!text.empty()) item["documentation"] = Markup(client_.completionMarkdown).paragraph(text).value();
  }

  void names() {
    using Names = Writable::Names;
    const auto isOneOf = [&](auto... names) { return ((writable_.names == names) || ...); };
    // `sm_80+` is no word, so that it is written in quotes, where nothing is completed: there is nothing for `Arch`.
    if (isOneOf(Names::Operand, Names::Value, Names::WhereTest, Names::AttributeValue)) values();
    if (isOneOf(Names::Operand)) fragments();
    if (isOneOf(Names::Operand, Names::Operator)) operators();
    if (isOneOf(Names::Rule)) rules();
    if (isOneOf(Names::Category)) categories();
    if (isOneOf(Names::Runtime))
      for (const std::string& name : knownRuntimes()) add(name, Kind::Constant, Rank::Near, "runtime");
    if (isOneOf(Names::Vendor))
      for (const std::string& name : knownVendors()) add(name, Kind::Constant, Rank::Near, "vendor");
    if (isOneOf(Names::Evidence)) add("names", Kind::EnumMember, Rank::Near, "kind of evidence");
    if (isOneOf(Names::AttributeTest)) attributes();
    if (isOneOf(Names::WhereTest)) expressionNames(expression::Context::Where);
    if (isOneOf(Names::AttributeTest)) expressionNames(expression::Context::Attribute);
    if (isOneOf(Names::AttributeValue)) expressionNames(expression::Context::Argument);
    if (isOneOf(Names::ConstantTest)) expressionNames(expression::Context::Constant);
    if (isOneOf(Names::KernelTest)) expressionNames(expression::Context::Kernel);
  }

  void values() {
    for (const std::string& name : writable_.values) add(name, Kind::Variable, Rank::Near, "value");
  }

  void fragments() {
    if (analysis_.file() == nullptr) return;
    for (const auto& [name, entry] : analysis_.scope().fragments) add(name, Kind::Function, Rank::Declared, "fragment");
  }

  void operators() {
    if (analysis_.file() != nullptr)
      for (const auto& [name, entry] : analysis_.scope().classes)
        add(name, Kind::Enum, Rank::Declared, entry->views ? "views" : "class");
    for (const auto& [domain, type] : ir::onnx_schemas::operatorNames())
      add(describe({domain, type}), Kind::Operator, domain.empty() ? Rank::Known : Rank::Elsewhere,
          ir::describeDomain(domain));
  }

  /// `joint`: where `::` is behind a domain, perhaps one in quotes, or `*`. Editors compare an item with what is
  /// written, so that an item repeats the domain as it is.
  void operatorsOfDomain(size_t joint) {
    const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    std::string_view domain = written_.substr(0, joint);
    while (!domain.empty() && blank(domain.back())) domain.remove_suffix(1);
    if (domain.size() >= 2 && domain.front() == '"') domain = domain.substr(1, domain.size() - 2);
    domain = ir::ownDomain(domain);
    size_t type = joint + kJoint.size();
    while (type < written_.size() && blank(written_[type])) ++type;
    std::set<std::string> types;
    for (const auto& [known, name] : ir::onnx_schemas::operatorNames())
      if ((domain == "*" || domain == known) && types.insert(name).second)
        add(fmt::format("{}{}", written_.substr(0, type), name), Kind::Operator, Rank::Known,
            ir::describeDomain(known));
  }

  /// `use`: takes each rule of the document and of its imports.
  template <typename Use>
  void eachRule(Use use) const {
    for (const grammar::SourceFile& file : analysis_.rules().files)
      for (const auto& declaration : file.tree.declarationsOf(DeclarationKind::Kernel)) use(file, declaration);
  }

  void rules() {
    eachRule([&](const grammar::SourceFile& file, const grammar::ast::Declaration& declaration) {
      const std::string& name = declaration.name.text;
      const bool plain =
          std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
      // Text between quotes is escaped as in its declaration.
      const SourceRange written = declaration.name.range;
      const std::string_view text = analysis_.sources().text(written.buffer);
      document(add(plain ? name : std::string(text.substr(written.begin, written.end - written.begin)), Kind::Class,
                   Rank::Near, file.shown),
               declaration.doc);
    });
  }

  void categories() {
    std::set<std::string> found;
    eachRule([&](const grammar::SourceFile&, const grammar::ast::Declaration& declaration) {
      if (declaration.body.category) found.insert(declaration.body.category->text);
    });
    for (const std::string& name : found) add(name, Kind::EnumMember, Rank::Near, "category");
  }

  void attributes() {
    const grammar::OperatorSchemas schemas;
    // By name, the operators that have it.
    std::map<std::string, std::vector<ir::OperatorName>> found;
    for (const grammar::ast::OperatorRef& ref : writable_.operators)
      for (const ir::OperatorName& name : operatorsOf(ref))
        if (const grammar::OperatorSchema* schema = schemas.find(name.domain, name.type))
          for (const auto& [attribute, kind] : schema->attributes) found[attribute].push_back(name);
    for (const auto& [attribute, names] : found)
      add(attribute, Kind::Property, Rank::Near,
          fmt::format("{}: {}", describe(names.front()), describeAttribute(names.front(), attribute)));
  }

  std::vector<ir::OperatorName> operatorsOf(const grammar::ast::OperatorRef& ref) const {
    if (!ref.domain && analysis_.file() != nullptr)
      if (const auto named = analysis_.scope().classes.find(ref.type); named != analysis_.scope().classes.end())
        return named->second->members;
    return {{ref.domain.value_or(""), ref.type}};
  }

  void expressionNames(expression::Context context) {
    for (const expression::Function& function : expression::functions())
      if (function.allows(context))
        document(add(std::string(function.name),
                     function.form == expression::Function::Form::Call ? Kind::Function : Kind::Constant,
                     Rank::Declared, function.signature()),
                 function.documentation);
    // Kernel tests and values of attributes have no types to compare.
    if (context == expression::Context::Kernel || context == expression::Context::Argument) return;
    for (const std::string& name : ir::elementTypeNames()) add(name, Kind::TypeParameter, Rank::Known, "element type");
  }

  const Analysis& analysis_;
  const Client& client_;
  const Writable& writable_;
  const Json range_;
  /// The word, as far as it is written in front of the place.
  std::string_view written_;
  Json items_ = Json::array();
};

}  // namespace

Json answerCompletion(Session& session, const Json& params) {
  const Document& document = documentOf(session, params);
  const Position position = positionOf(params, "position");
  const Analysis& analysis = session.workspace.analysis(document);
  const uint32_t offset = analysis.positions().offset(position);
  const std::string text = document.text.text();
  const Writable writable = grammar::writableAt(text, offset);
  const std::string_view written = std::string_view(text).substr(writable.begin, offset - writable.begin);
  const FilePlace word{document.uri, analysis.positions().at(writable.begin),
                       analysis.positions().at(endWithType(text, writable.end))};
  return {{"isIncomplete", false}, {"items", Completion(analysis, session.client, writable, word, written).items()}};
}

}  // namespace amdahlc::lsp
