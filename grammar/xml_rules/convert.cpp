#include "grammar/xml_rules/convert.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "grammar/checker.h"
#include "grammar/parse.h"
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

class Converter {
 public:
  Converter(const SourceManager& sources, DiagnosticEngine& diagnostics)
      : sources_(sources), diagnostics_(diagnostics) {}

  /// Empty if no entry could be converted.
  std::string run(const Library& library, const std::string& file) {
    std::string out = fmt::format("// Converted from {}, a pattern library of Amdahl4ML.\n", printable(file));
    out += commented("//", library.before);
    // The predecessor reads traces of PyTorch on NVIDIA's devices, and of these only the names of kernels.
    out += "akp 1;\nruntime pytorch;\nvendor nvidia;\nevidence names;\n";
    out += operators(library, EntryKind::Hidden);
    out += operators(library, EntryKind::Miscellaneous);
    for (const Entry& entry : library.entries)
      if (entry.kind == EntryKind::Single || entry.kind == EntryKind::Group) out += kernel(entry);
    if (!library.behind.empty()) out += "\n" + commented("//", library.behind);
    return converted_ ? out : "";
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
    std::string body;
    std::vector<std::string> types;
    if (!match(entry, body, types)) return out + commented("//", sourceLines(*entry.element, sources_));
    const auto test = kernelTest(entry.kernelRegex, budget_, diagnostics_);
    if (!test) return out + commented("//", sourceLines(*entry.element, sources_));
    converted_ = true;
    // A group may have the name of a single operation, and single operations of several types may share one.
    const std::string written = printable(entry.name);
    std::string name = written;
    for (int number = 2; !names_.insert(name).second; ++number) name = fmt::format("{}-{}", written, number);
    out += commented("///", entry.doc);
    out += fmt::format("kernel {} : {} {{\n", ruleName(name), categoryOf(types));
    if (name != written) out += fmt::format("  label {};\n", quotedString(written));
    return out + fmt::format("{}  runs as {};\n}}\n", body, *test);
  }

  bool match(const Entry& entry, std::string& body, std::vector<std::string>& types) {
    if (entry.kind == EntryKind::Single) {
      const auto type = types_.find(entry.operatorType, diagnostics_);
      if (!type) return false;
      types.push_back(type->type);
      body = "  " + matchText(*type) + ";\n";
      return true;
    }
    const auto graph = groupGraph(*entry.pattern, hasMiscellaneous_, types_, diagnostics_);
    if (!graph) return false;
    for (const GroupOperator& one : graph->operators) types.push_back(one.type.type);
    body = "  " + matchText(*graph);
    if (const auto folded = withFoldedShapes(*graph))
      body +=
          "\n  // The same where the shapes are known, so that simplify has folded the arithmetic with them.\n  or " +
          matchText(*folded);
    body += ";\n";
    return true;
  }

  const SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  OperatorTypes types_;
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
  std::string text = Converter(sources, diagnostics)
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
  SourceFile file;
  file.shown = "<converted rules>";
  file.buffer = sources.add(file.shown, text);
  const size_t errors = diagnostics.errorCount();
  file.tree = parse(file.buffer, sources, diagnostics);
  std::vector<SourceFile> files;
  files.push_back(std::move(file));
  checkRules(files, {}, sources, diagnostics);
  if (diagnostics.errorCount() != errors) return std::nullopt;
  return text;
}

}  // namespace amdahlc::grammar::xml_rules
