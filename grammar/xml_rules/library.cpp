#include "grammar/xml_rules/library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "grammar/xml_rules/unread_parts.h"
#include "support/edit_distance.h"
#include "support/printable.h"

namespace amdahlc::grammar::xml_rules {
namespace {

struct Tag {
  std::string_view tag;
  EntryKind kind;
};
constexpr std::array<Tag, 4> kTags{{{"miscNode", EntryKind::Miscellaneous},
                                    {"hiddenOperation", EntryKind::Hidden},
                                    {"singleOperation", EntryKind::Single},
                                    {"OperationGroup", EntryKind::Group}}};

std::vector<std::string> tagNames() {
  std::vector<std::string> out;
  for (const Tag& row : kTags) out.emplace_back(row.tag);
  return out;
}

class LibraryReader {
 public:
  LibraryReader(const SourceManager& sources, DiagnosticEngine& diagnostics)
      : sources_(sources), diagnostics_(diagnostics) {}

  Library run(const XmlDocument& document) {
    const size_t errors = diagnostics_.errorCount();
    for (const XmlNode& node : document.before) comment(node);
    library_.before = std::exchange(pending_, {});
    warnUnreadOfRoot(document.root, diagnostics_);
    for (const XmlNode& node : document.root.children)
      node.kind == XmlNode::Kind::Comment ? comment(node) : element(node);
    for (const XmlNode& node : document.behind) comment(node);
    library_.behind = std::move(pending_);
    append(library_.behind, disabled_);
    if (library_.entries.empty() && diagnostics_.errorCount() == errors) {
      diagnostics_.error(DiagId::XmlRule, document.root.nameRange,
                         fmt::format("`{}` has no entry of a pattern library; it has {} as tags", document.root.name,
                                     fmt::join(tagNames(), ", ")));
    }
    dropReplaced();
    return std::move(library_);
  }

 private:
  static void append(std::vector<std::string>& to, const std::vector<std::string>& lines) {
    to.insert(to.end(), lines.begin(), lines.end());
  }

  void comment(const XmlNode& node) {
    const std::string& text = node.text.text;
    const auto held = std::ranges::find_if(
        kTags, [&](const Tag& row) { return text.find(fmt::format("<{}", row.tag)) != std::string::npos; });
    if (held == kTags.end()) return append(pending_, linesOf(text));
    diagnostics_.warning(DiagId::XmlDisabled, node.range,
                         fmt::format("a comment holds a `{}`; it stays a comment", held->tag));
    const bool isRule = held->kind == EntryKind::Single || held->kind == EntryKind::Group;
    append(isRule ? disabled_ : library_.switchedOff[held->kind], linesOf(text));
  }

  void element(const XmlNode& node) {
    const auto known = std::ranges::find(kTags, node.name, &Tag::tag);
    if (known == kTags.end()) {
      const auto near = closestName(node.name, tagNames());
      diagnostics_.warning(DiagId::XmlDisabled, node.nameRange,
                           fmt::format("`{}` is no tag of a pattern library, which switches the entry off; it becomes "
                                       "a comment{}",
                                       node.name, near ? fmt::format("; did you mean `{}`?", *near) : ""));
      return leaveOut(node, near ? std::ranges::find(kTags, *near, &Tag::tag)->kind : EntryKind::Group);
    }
    Entry entry;
    entry.kind = known->kind;
    entry.element = &node;
    const size_t errors = diagnostics_.errorCount();
    known->kind == EntryKind::Group ? readGroup(node, entry) : readAttributes(node, entry);
    if (diagnostics_.errorCount() != errors) return leaveOut(node, known->kind);
    warnUnread(node, diagnostics_);
    // A comment before the first entry of a kind is a heading of all of them; another one is about its entry.
    std::vector<std::string> comments = std::exchange(pending_, {});
    entry.before = std::exchange(disabled_, {});
    append(seen_.insert(entry.kind).second ? entry.before : entry.doc, comments);
    if (entry.kind == EntryKind::Group)
      for (const XmlNode& child : node.children)
        if (child.kind == XmlNode::Kind::Comment) append(entry.doc, linesOf(child.text.text));
    library_.entries.push_back(std::move(entry));
  }

  /// Keeps an entry as a comment, where one of its kind would be.
  void leaveOut(const XmlNode& node, EntryKind kind) {
    const bool isRule = kind == EntryKind::Single || kind == EntryKind::Group;
    std::vector<std::string>& to = isRule ? disabled_ : library_.switchedOff[kind];
    // Comments before it are about it, not about the next entry.
    append(to, std::exchange(pending_, {}));
    append(to, sourceLines(node, sources_));
  }

  const XmlText* needed(const XmlNode& node, const char* attribute) {
    const XmlText* found = node.attribute(attribute);
    if (found == nullptr || found->text.empty()) {
      diagnostics_.error(DiagId::XmlRule, node.nameRange,
                         fmt::format("`{}` has no attribute `{}`", node.name, attribute));
      return nullptr;
    }
    return found;
  }

  void readAttributes(const XmlNode& node, Entry& entry) {
    const bool single = entry.kind == EntryKind::Single;
    if (const XmlText* name = needed(node, "name")) {
      entry.name = name->text;
      entry.nameRange = name->range;
      if (!single) entry.operatorType = *name;
    }
    if (!single) return;
    if (const XmlText* type = needed(node, "nodeName")) entry.operatorType = *type;
    if (const XmlText* regex = needed(node, "kernelNameRegex")) entry.kernelRegex = *regex;
  }

  void readGroup(const XmlNode& node, Entry& entry) {
    const auto text = [&](const char* tag) -> XmlText {
      const XmlNode* child = node.child(tag);
      if (child != nullptr && !child->text.text.empty()) return child->text;
      diagnostics_.error(DiagId::XmlRule, child != nullptr ? child->nameRange : node.nameRange,
                         fmt::format("`{}` has no {}`{}`", node.name, child != nullptr ? "text in its " : "", tag));
      return {};
    };
    const XmlText name = text("name");
    entry.name = name.text;
    entry.nameRange = name.range;
    entry.kernelRegex = text("kernelNameRegex");
    const XmlNode* nodes = node.child("nodes");
    const std::vector<const XmlNode*> parts = nodes != nullptr ? nodes->elements() : std::vector<const XmlNode*>();
    if (parts.empty())
      diagnostics_.error(
          DiagId::XmlRule, nodes != nullptr ? nodes->nameRange : node.nameRange,
          fmt::format("`{}` has no {}", node.name, nodes != nullptr ? "element in its `nodes`" : "`nodes`"));
    else
      entry.pattern = parts.front();
    if (parts.size() > 1)
      diagnostics_.error(DiagId::XmlRule, parts[1]->nameRange, "`nodes` has one element; join them by `sequential`");
    const std::array<std::string, 3> tags{"name", "kernelNameRegex", "nodes"};
    std::set<std::string> read;
    for (const XmlNode* child : node.elements())
      if (!read.insert(child->name).second && std::ranges::find(tags, child->name) != tags.end())
        diagnostics_.error(DiagId::XmlRule, child->nameRange,
                           fmt::format("`{}` has a second `{}`", node.name, child->name));
    for (const XmlNode* child : node.elements())
      if (std::ranges::find(tags, child->name) == tags.end())
        diagnostics_.warning(DiagId::XmlDisabled, child->nameRange,
                             fmt::format("`{}` is no tag of an `{}` and has no effect{}", child->name, node.name,
                                         didYouMean(child->name, tags)));
  }

  /// The predecessor keeps one group of a name and one single operator of a type: the later one, in the place of the
  /// earlier one.
  void dropReplaced() {
    std::map<std::pair<EntryKind, std::string>, size_t> places;
    std::vector<Entry> kept;
    for (Entry& entry : library_.entries) {
      const bool group = entry.kind == EntryKind::Group;
      const auto [at, isNew] =
          places.emplace(std::pair{entry.kind, group ? entry.name : entry.operatorType.text}, kept.size());
      if (isNew) {
        kept.push_back(std::move(entry));
        continue;
      }
      Entry& old = kept[at->second];
      if (entry.kind == EntryKind::Single || group)
        diagnostics_
            .warning(DiagId::XmlDisabled, old.nameRange,
                     fmt::format("{} `{}` is replaced by a later one; it becomes a comment",
                                 group ? "the group" : "the single operation of", at->first.second))
            .secondary(entry.nameRange, "the one that counts");
      std::vector<std::string> before = std::move(old.before);
      append(before, old.doc);
      if (entry.kind == EntryKind::Single || group) append(before, sourceLines(*old.element, sources_));
      append(before, entry.before);
      entry.before = std::move(before);
      old = std::move(entry);
    }
    library_.entries = std::move(kept);
  }

  const SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  Library library_;
  /// Comments since the last entry; what they hold of entries, and entries that are switched off.
  std::vector<std::string> pending_, disabled_;
  std::set<EntryKind> seen_;
};

}  // namespace

std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  size_t shared = std::string_view::npos;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    const bool first = lines.empty();
    if (first) line = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    if (first && line.empty()) continue;
    if (!first && !line.empty()) shared = std::min(shared, line.find_first_not_of(" \t"));
    lines.push_back(line);
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  std::vector<std::string> out;
  for (size_t i = 0; i < lines.size(); ++i)
    out.push_back(printable(lines[i].substr(i == 0 ? 0 : std::min(shared, lines[i].size()))));
  return out;
}

std::vector<std::string> sourceLines(const XmlNode& node, const SourceManager& sources) {
  return linesOf(sources.text(node.range.buffer).substr(node.range.begin, node.range.end - node.range.begin));
}

Library readLibrary(const XmlDocument& document, const SourceManager& sources, DiagnosticEngine& diagnostics) {
  return LibraryReader(sources, diagnostics).run(document);
}

}  // namespace amdahlc::grammar::xml_rules
