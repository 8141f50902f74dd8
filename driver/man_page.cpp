#include <fmt/format.h>

#include <algorithm>

#include "driver/help.h"
#include "driver/options.h"
#include "driver/version.h"
#include "support/printable.h"

namespace amdahlc::driver {
namespace {

/// A line of text, with nothing that the formatter would take for its own.
std::string escaped(std::string_view text) {
  // A point or an apostrophe at the begin of a line would make it a request.
  return (text.starts_with('.') || text.starts_with('\'') ? "\\&" : "") +
         replaced(text, {{'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}, {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}});
}

/// Allows a line to end after each comma of a long word, which would not fit on one line.
std::string breakable(const std::string& text) {
  constexpr size_t kLongWord = 60;
  return text.size() <= kLongWord ? text : replaced(text, {{',', ",\\:"}});
}

/// The same with text in backquotes in bold, which is how help marks what is typed.
std::string marked(std::string_view text) {
  if (std::ranges::count(text, '`') % 2 != 0) return escaped(text);
  std::string result;
  for (bool typed = false; !text.empty(); typed = !typed) {
    const size_t end = std::min(text.find('`'), text.size());
    if (end > 0)
      result +=
          typed ? fmt::format("\\fB{}\\fP", breakable(escaped(text.substr(0, end)))) : escaped(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

/// Paragraphs of help: lines that begin with four blanks stay as they are, an empty line ends a paragraph. A heading
/// begins a paragraph itself.
std::string paragraphs(std::string_view text, bool afterHeading = false) {
  std::string result;
  bool verbatim = false, begins = true;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const bool indented = line.starts_with("    ");
    // Empty lines around examples belong to them.
    if (line.empty()) {
      begins = true;
      continue;
    }
    if (indented && !verbatim) result += (afterHeading && result.empty()) ? ".RS 4\n.nf\n" : ".PP\n.RS 4\n.nf\n";
    if (!indented && verbatim) result += ".fi\n.RE\n";
    if (!indented && begins) result += ".PP\n";
    verbatim = indented;
    begins = false;
    result += (indented ? escaped(line.substr(4)) : marked(line)) + '\n';
  }
  return verbatim ? result + ".fi\n.RE\n" : result;
}

std::string item(std::string_view tag, const std::string& text) {
  return fmt::format(".TP\n\\fB{}\\fP\n{}\n", escaped(tag), text);
}

std::string passText(const PassInfo& info, const Pass& pass) {
  std::string text = item(info.name, marked(info.summary));
  if (pass.options().empty()) return text;
  text += ".RS\n";
  for (const PassOption& option : pass.options())
    text += item(valueForm(option), marked(withDetails(option.text.summary, option.text.details)));
  return text + ".RE\n";
}

}  // namespace

std::string manPage(const PassRegistry& registry) {
  std::string text = fmt::format(".TH AMDAHLC 1 \"\" \"amdahlc {}\" \"User Commands\"\n", versionNumber());
  // Lines of long words have no blanks that could be stretched.
  text += ".ad l\n";
  text += fmt::format(".SH NAME\namdahlc \\- {}\n", escaped(kPurpose));
  text += fmt::format(".SH SYNOPSIS\n{}\n", escaped(kUsage));
  text += ".SH EXAMPLES\n" + paragraphs(kExamples, true);
  text += ".SH OPTIONS\n";
  for (const TopicHelp& topic : topicHelp(registry)) {
    text += fmt::format(".SS {}\n", escaped(topic.title));
    for (const OptionRow& row : optionTable())
      if (row.topic == topic.topic) text += item(describe(row), marked(withDetails(row.summary, row.details)));
    text += paragraphs(topic.more);
  }
  text += ".SH PASSES\nA pass with its options, as \\fB\\-passes=\\fP takes them in angle brackets:\n";
  for (const PassInfo& info : registry.passes()) text += passText(info, registry.declarations(info));
  text += fmt::format(".SH FILES\n.TP\n\\fI../{}\\fP\nthe shipped rules, from the folder of the command\n",
                      escaped(kRulesFolder));
  text += fmt::format(".TP\n\\fI../{}\\fP\nthe shipped descriptions of hardware\n", escaped(kHardwareFolder));
  return text;
}

}  // namespace amdahlc::driver
