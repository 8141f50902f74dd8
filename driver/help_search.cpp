// Help by a word, for `-help=WORD` that names no text.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "api/shipped_files.h"
#include "driver/help.h"
#include "driver/version.h"
#include "report/outputs/output_options.h"
#include "support/case_folding.h"
#include "support/words.h"

namespace amdahlc::driver {
namespace {

namespace fs = std::filesystem;

/// The page whose headings are ids of messages.
constexpr std::string_view kPageOfMessages = "docs/messages.md";
/// Of a group, in the list of what was found.
constexpr size_t kMostRows = 10;

/// A heading of a page, and the lines below it up to the next heading.
struct PageSection {
  /// `docs/replay.md`
  std::string page;
  /// 1 for the title of the page.
  size_t level = 0;
  std::string heading;
  /// Of the heading in a link, as the usual renderers make it.
  std::string anchor;
  std::string text = {};
};

std::string anchorOf(std::string_view heading) {
  std::string anchor;
  for (const char c : heading) {
    if (isLetterOrDigit(c) || c == '_' || c == '-') anchor += toLower(c);
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

void readPage(const fs::path& file, const std::string& page, std::vector<PageSection>& sections) {
  std::ifstream in(file);
  bool isInBlock = false;
  const size_t first = sections.size();
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) isInBlock = !isInBlock;
    const size_t level = line.find_first_not_of('#');
    if (isInBlock || level == 0 || level == std::string::npos || line[level] != ' ') {
      if (sections.size() > first) sections.back().text += line + '\n';
      continue;
    }
    std::string heading = line.substr(level + 1);
    std::erase(heading, '`');
    std::string anchor = anchorOf(heading);
    sections.push_back({page, level, std::move(heading), std::move(anchor)});
  }
}

/// Of all pages that ship with the command, in the order of their names.
std::vector<PageSection> pageSections() {
  std::vector<PageSection> sections;
  const auto folder = api::folderOf(api::kShippedPages, shippedFolder());
  if (!folder) return sections;
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(*folder, error), end; entry != end; entry.increment(error))
    if (entry->path().extension() == api::kShippedPages.ending) files.push_back(entry->path());
  std::ranges::sort(files);
  for (const fs::path& file : files)
    readPage(file, fmt::format("{}/{}", api::kShippedPages.folder, file.lexically_relative(*folder).string()),
             sections);
  return sections;
}

class HelpSearch {
 public:
  explicit HelpSearch(std::string_view words) {
    for (size_t begin = 0; begin < words.size();) {
      const size_t end = std::min(words.find(' ', begin), words.size());
      if (end > begin) words_.push_back(words.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  void beginGroup(std::string title) { groups_.push_back({std::move(title), {}}); }

  /// Adds a line to the last group if it has all words; those with the words in their names come first.
  void offer(std::string name, std::string_view summary, std::string_view details = "") {
    const std::string shown = fmt::format("{} {}", name, summary);
    const std::string all = fmt::format("{} {}", shown, details);
    if (words_.empty() || !hasAll(all)) return;
    groups_.back().rows.push_back({hasAll(name) ? 0 : hasAll(shown) ? 1 : 2, std::move(name), std::string(summary)});
  }

  std::string text() {
    std::string text;
    for (Group& group : groups_) {
      std::vector<Row>& rows = group.rows;
      if (rows.empty()) continue;
      std::ranges::stable_sort(rows, {}, &Row::order);
      const size_t more = rows.size() - std::min(rows.size(), kMostRows);
      rows.resize(rows.size() - more);
      size_t width = 0;
      for (const Row& row : rows) width = std::max(width, row.name.size());
      text += fmt::format("{}{}:\n", text.empty() ? "" : "\n", group.title);
      for (const Row& row : rows) text += fmt::format("    {:<{}}  {}\n", row.name, width, row.summary);
      if (more > 0) text += fmt::format("    and {} more\n", more);
    }
    return text;
  }

 private:
  struct Row {
    int order;
    std::string name, summary;
  };
  struct Group {
    std::string title;
    std::vector<Row> rows;
  };

  bool hasAll(std::string_view text) const {
    return std::ranges::all_of(words_, [&](std::string_view word) { return hasWordThatBegins(text, word); });
  }

  std::vector<std::string_view> words_;
  std::vector<Group> groups_;
};

}  // namespace

std::string searchHelp(std::string_view words, const PassRegistry& registry) {
  const std::string_view name = words.substr(std::min(words.find_first_not_of('-'), words.size()));
  const std::vector<PageSection> sections = pageSections();
  std::string exact;
  const auto isExact = [&](const PageSection& section) {
    return section.page == kPageOfMessages && section.anchor == name;
  };
  for (const PageSection& section : sections)
    if (isExact(section)) exact += section.heading + "\n" + section.text;
  HelpSearch search(name);
  search.beginGroup("options");
  for (const OptionRow& row : optionTable()) {
    if (row.topic == Topic::Hidden) continue;
    if (row.name == name)
      exact += describeFully(row);
    else
      search.offer(describe(row), row.summary, row.details);
  }
  search.beginGroup("texts, as `-help=NAME`");
  for (const TopicHelp& topic : topicHelp(registry)) search.offer(std::string(topic.name), topic.title, topic.more);
  for (const PassInfo& pass : registry.passes()) search.offer(pass.name, pass.summary);
  for (const Output* output : allOutputs()) search.offer(std::string(output->name), output->summary);
  search.beginGroup("options of passes, as `-passes='default<NAME>'`");
  for (const PassInfo& pass : registry.passes())
    for (const PassOption& option : registry.declarations(pass).options())
      search.offer(fmt::format("{}.{}", pass.name, valueForm(option)), option.text.summary, option.text.details);
  search.beginGroup("options of outputs, as `-emit='KIND<NAME>'`");
  const OutputOptions options;
  for (const PassOption& option : options.options())
    if (!outputsTaking(option.name).empty()) search.offer(valueForm(option), option.text.summary, option.text.details);
  search.beginGroup(fmt::format("pages, in {} beside the command", kPagesFolder));
  for (const PageSection& section : sections)
    if (!isExact(section))
      search.offer(section.level == 1 ? section.page : fmt::format("{}#{}", section.page, section.anchor),
                   section.heading);
  const std::string found = search.text();
  return exact + (exact.empty() || found.empty() ? "" : "\n") + found;
}

}  // namespace amdahlc::driver
