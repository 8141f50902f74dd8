#include "grammar/xml_rules/convert.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "grammar/checker.h"
#include "grammar/parse.h"
#include "grammar/rule_text.h"
#include "grammar/xml_rules/akp_text.h"
#include "grammar/xml_rules/kernel_test.h"
#include "grammar/xml_rules/library.h"
#include "support/file.h"
#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc::grammar::xml_rules {
namespace {

std::string commented(std::string_view marks, const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += fmt::format("{}{}{}\n", marks, line.empty() ? "" : " ", line);
  return out;
}

/// Where the rule of an entry begins in the text that is written, and where the entry has its name.
struct RulePlace {
  uint32_t begin = 0;
  SourceRange entry;
};

/// The rule file, with the places of its rules in the order of the text.
struct Converted {
  std::string text;
  std::vector<RulePlace> places;
};

/// The checks that a reader of a rule file makes.
void checkText(const std::string& text, SourceManager& sources, DiagnosticEngine& diagnostics) {
  SourceFile file;
  file.shown = "<converted rules>";
  file.buffer = sources.add(file.shown, text);
  file.tree = parse(file.buffer, sources, diagnostics);
  std::vector<SourceFile> files;
  files.push_back(std::move(file));
  checkRules(files, {}, sources, diagnostics);
}

/// Reports what the checks find at the entries: nobody has seen the text that they read.
class AtEntries {
 public:
  AtEntries(const std::vector<RulePlace>& places, SourceRange whole, DiagnosticEngine& diagnostics)
      : places_(places), whole_(whole), diagnostics_(diagnostics) {}

  void report(Diagnostic diagnostic) {
    diagnostic.notes.emplace_back("this is about the rule that the entry becomes");
    moveToEntry(diagnostic.primary);
    for (Label& label : diagnostic.secondary) moveToEntry(label);
    diagnostic.fix.reset();
    diagnostics_.report(diagnostic);
  }

 private:
  void moveToEntry(Label& label) const {
    const SourceRange* range = std::get_if<SourceRange>(&label.location);
    if (range == nullptr) return;
    const auto next = std::ranges::upper_bound(places_, range->begin, {}, &RulePlace::begin);
    label.location = next == places_.begin() ? whole_ : std::prev(next)->entry;
  }

  const std::vector<RulePlace>& places_;
  SourceRange whole_;
  DiagnosticEngine& diagnostics_;
};

class Converter {
 public:
  Converter(const SourceManager& sources, DiagnosticEngine& diagnostics)
      : sources_(sources), diagnostics_(diagnostics) {}

  /// Without text if no entry could be converted.
  Converted run(const Library& library, const std::string& file) {
    std::string out = fmt::format("// Converted from {}, a pattern library of Amdahl4ML.\n", printable(file));
    out += commented("//", library.before);
    // The predecessor reads traces of PyTorch on NVIDIA's devices, and of these only the names of kernels.
    declarations_ = "akp 1;\nruntime pytorch;\nvendor nvidia;\nevidence names;\n";
    declarations_ += operators(library, EntryKind::Hidden);
    declarations_ += operators(library, EntryKind::Miscellaneous);
    out += declarations_;
    std::vector<RulePlace> places;
    for (const Entry& entry : library.entries)
      if (entry.kind == EntryKind::Single || entry.kind == EntryKind::Group) {
        places.push_back({static_cast<uint32_t>(out.size()), entry.nameRange});
        out += kernel(entry);
      }
    if (!library.behind.empty()) out += "\n" + commented("//", library.behind);
    if (!converted_) return {};
    return {std::move(out), std::move(places)};
  }

 private:
  /// `hidden A, B;` or the class of miscellaneous operators.
  std::string operators(const Library& library, EntryKind kind) {
    std::string comments;
    std::vector<std::string> names;
    for (const Entry& entry : library.entries) {
      if (entry.kind != kind) continue;
      comments += commented("//", entry.before) + commented("//", entry.doc);
      const auto type = types_.find(entry.operatorType, diagnostics_);
      if (!type)
        comments += commented("//", sourceLines(*entry.element, sources_));
      else if (std::ranges::find(names, type->shown) == names.end())
        names.push_back(type->shown);
    }
    if (const auto off = library.switchedOff.find(kind); off != library.switchedOff.end())
      comments += commented("//", off->second);
    if (comments.empty() && names.empty()) return "";
    if (names.empty()) return "\n" + comments;
    converted_ = true;
    if (kind == EntryKind::Hidden) return fmt::format("\n{}hidden {};\n", comments, fmt::join(names, ", "));
    hasMiscellaneous_ = true;
    return fmt::format("\n{}class {} = {};\n", comments, kMiscellaneousClass, fmt::join(names, " | "));
  }

  std::string kernel(const Entry& entry) {
    std::string out = "\n" + commented("//", entry.before);
    if (!entry.before.empty()) out += "\n";
    const auto leftOut = [&] {
      return out + commented("//", entry.doc) + commented("//", sourceLines(*entry.element, sources_));
    };
    // The main form, and one that may stand beside it.
    std::string body, folded;
    std::vector<std::string> types;
    if (!match(entry, body, folded, types)) return leftOut();
    const auto test = kernelTest(entry.kernelRegex, budget_, diagnostics_);
    if (!test) return leftOut();
    // A group may have the name of a single operation, and single operations of several types may share one.
    const std::string written = printable(entry.name);
    std::string name = written;
    for (int number = 2; names_.contains(name); ++number) name = fmt::format("{}-{}", written, number);
    std::string head = fmt::format("kernel {} : {} {{\n", ruleName(name), categoryOf(types));
    if (name != written) head += fmt::format("  label {};\n", quotedString(written));
    const std::string tail = fmt::format("  runs as {};\n}}\n", *test);
    if (!folded.empty() && !whyNotAccepted(head + body + ";\n" + tail) &&
        !whyNotAccepted(head + body + folded + ";\n" + tail))
      body += folded;
    const std::string text = head + body + ";\n" + tail;
    if (const auto why = whyNotAccepted(text)) {
      diagnostics_.error(DiagId::XmlRule, entry.nameRange, fmt::format("its rule would be no rule: {}", *why));
      return leftOut();
    }
    names_.insert(name);
    converted_ = true;
    return out + commented("///", entry.doc) + text;
  }

  /// The first error of a rule behind the declarations; nullopt if it is accepted.
  std::optional<std::string> whyNotAccepted(const std::string& rule) const {
    SourceManager sources;
    std::optional<std::string> first;
    DiagnosticEngine engine([&](const Diagnostic& diagnostic) {
      if (diagnostic.severity == Severity::Error && !first) first = diagnostic.message;
    });
    checkText(declarations_ + rule, sources, engine);
    return first;
  }

  bool match(const Entry& entry, std::string& body, std::string& folded, std::vector<std::string>& types) {
    if (entry.kind == EntryKind::Single) {
      const auto type = types_.find(entry.operatorType, diagnostics_);
      if (!type) return false;
      types.push_back(type->type);
      body = "  " + matchText(*type);
      return true;
    }
    const auto graph = groupGraph(*entry.pattern, hasMiscellaneous_, types_, diagnostics_);
    if (!graph) return false;
    for (const GroupOperator& one : graph->operators) types.push_back(one.type.type);
    body = "  " + matchText(*graph);
    if (const auto shorter = withFoldedShapes(*graph))
      folded =
          "\n  // The same where the shapes are known, so that simplify has folded the arithmetic with them.\n  or " +
          matchText(*shorter);
    return true;
  }

  const SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  OperatorTypes types_;
  /// What every rule stands behind.
  std::string declarations_;
  std::set<std::string> names_;
  bool hasMiscellaneous_ = false;
  bool converted_ = false;
  /// States that may still be compared to decide on look-arounds.
  size_t budget_ = limits::kXmlRegexStatesOfAll;
};

}  // namespace

std::optional<std::string> convertLibrary(const std::string& path, SourceManager& sources,
                                          DiagnosticEngine& diagnostics) {
  auto read = readFile(path, limits::kRuleFileBytes, diagnostics);
  if (!read) return std::nullopt;
  const BufferId buffer = sources.add(inputName(path), std::move(*read));
  const auto document = readXml(buffer, sources, diagnostics);
  if (!document) return std::nullopt;
  const Library library = readLibrary(*document, sources, diagnostics);
  auto [text, places] =
      Converter(sources, diagnostics)
          .run(library, path == "-" ? inputName(path) : std::filesystem::path(path).filename().string());
  if (text.empty()) {
    if (!diagnostics.hasErrors())
      diagnostics.error(DiagId::XmlRule, document->root.nameRange, "no entry of the library could be converted");
    return std::nullopt;
  }
  if (static_cast<int64_t>(text.size()) > limits::kRuleFileBytes) {
    diagnostics.error(DiagId::FileTooLarge, FileLocation{inputName(path)},
                      fmt::format("it becomes a rule file of {} bytes, more than the limit of {}", text.size(),
                                  limits::kRuleFileBytes));
    return std::nullopt;
  }
  // The same checks that a reader of the text will make.
  const size_t errors = diagnostics.errorCount();
  AtEntries atEntries(places, document->root.nameRange, diagnostics);
  SourceManager written;
  DiagnosticEngine engine([&](const Diagnostic& diagnostic) { atEntries.report(diagnostic); });
  checkText(text, written, engine);
  if (diagnostics.errorCount() != errors) return std::nullopt;
  return std::move(text);
}

}  // namespace amdahlc::grammar::xml_rules
