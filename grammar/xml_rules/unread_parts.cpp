#include "grammar/xml_rules/unread_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "support/edit_distance.h"

namespace amdahlc::grammar::xml_rules {
namespace {

enum class Content : uint8_t { None, Text, Elements };

/// What is read of the elements of a tag.
struct Read {
  std::string_view tag;
  std::array<std::string_view, 3> attributes;
  Content content = Content::None;
};
constexpr std::array<Read, 14> kRead{{{"miscNode", {"name"}},
                                      {"hiddenOperation", {"name"}},
                                      {"singleOperation", {"name", "nodeName", "kernelNameRegex"}},
                                      {"OperationGroup", {}, Content::Elements},
                                      {"name", {}, Content::Text},
                                      {"kernelNameRegex", {}, Content::Text},
                                      {"nodes", {}, Content::Elements},
                                      {"node", {}, Content::Text},
                                      {"sequential", {}, Content::Elements},
                                      {"branching", {}, Content::Elements},
                                      {"branchedStart", {}, Content::Elements},
                                      {"emptyBranch", {}},
                                      {"miscellaneousNodes", {}},
                                      {"crossbranchjump", {}}}};

/// XML's own, such as `xml:space` and `xmlns`.
bool belongsToXml(std::string_view attribute) {
  return attribute == "xmlns" || attribute.starts_with("xmlns:") || attribute.starts_with("xml:");
}

void warnAttributes(const XmlNode& node, const std::vector<std::string>& known, DiagnosticEngine& diagnostics) {
  for (const XmlAttribute& attribute : node.attributes)
    if (!belongsToXml(attribute.name) && std::ranges::find(known, attribute.name) == known.end())
      diagnostics.warning(DiagId::XmlDisabled, attribute.value.range,
                          fmt::format("`{}` is no attribute of `{}` and has no effect{}", attribute.name, node.name,
                                      didYouMean(attribute.name, known)));
}

void warnText(const XmlNode& node, DiagnosticEngine& diagnostics) {
  if (!node.text.text.empty())
    diagnostics.warning(DiagId::XmlDisabled, node.text.first, fmt::format("text in `{}` has no effect", node.name));
}

}  // namespace

void warnUnreadOfRoot(const XmlNode& root, DiagnosticEngine& diagnostics) {
  warnAttributes(root, {}, diagnostics);
  warnText(root, diagnostics);
}

void warnUnread(const XmlNode& entry, DiagnosticEngine& diagnostics) {
  const auto row = std::ranges::find(kRead, entry.name, &Read::tag);
  if (row == kRead.end()) return;
  std::vector<std::string> known;
  for (const std::string_view name : row->attributes)
    if (!name.empty()) known.emplace_back(name);
  warnAttributes(entry, known, diagnostics);
  if (row->content != Content::Text) warnText(entry, diagnostics);
  for (const XmlNode& child : entry.children) {
    if (child.kind != XmlNode::Kind::Element) continue;
    // Others report what is no part of a group.
    if (entry.name == "OperationGroup" && child.name != "name" && child.name != "kernelNameRegex" &&
        child.name != "nodes")
      continue;
    if (row->content == Content::Elements)
      warnUnread(child, diagnostics);
    else
      diagnostics.warning(DiagId::XmlDisabled, child.nameRange,
                          fmt::format("`{}` in `{}` has no effect", child.name, entry.name));
  }
}

}  // namespace amdahlc::grammar::xml_rules
