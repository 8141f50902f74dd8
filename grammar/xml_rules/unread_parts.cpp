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

/// What is read of the elements of a tag.
struct Read {
  std::string_view tag;
  std::array<std::string_view, 3> attributes;
  bool text = false;
  bool elements = false;
};
constexpr std::array<Read, 14> kRead{{{"miscNode", {"name"}},
                                      {"hiddenOperation", {"name"}},
                                      {"singleOperation", {"name", "nodeName", "kernelNameRegex"}},
                                      {"OperationGroup", {}, false, true},
                                      {"name", {}, true},
                                      {"kernelNameRegex", {}, true},
                                      {"nodes", {}, false, true},
                                      {"node", {}, true},
                                      {"sequential", {}, false, true},
                                      {"branching", {}, false, true},
                                      {"branchedStart", {}, false, true},
                                      {"emptyBranch", {}},
                                      {"miscellaneousNodes", {}},
                                      {"crossbranchjump", {}}}};

}  // namespace

void warnUnread(const XmlNode& entry, DiagnosticEngine& diagnostics) {
  const auto row = std::ranges::find(kRead, entry.name, &Read::tag);
  if (row == kRead.end()) return;
  std::vector<std::string> known;
  for (const std::string_view name : row->attributes)
    if (!name.empty()) known.emplace_back(name);
  for (const XmlAttribute& attribute : entry.attributes)
    if (std::ranges::find(known, attribute.name) == known.end())
      diagnostics.warning(DiagId::XmlDisabled, attribute.value.range,
                          fmt::format("`{}` is no attribute of `{}` and has no effect{}", attribute.name, entry.name,
                                      didYouMean(attribute.name, known)));
  if (!row->text && !entry.text.text.empty())
    diagnostics.warning(DiagId::XmlDisabled, entry.text.range, fmt::format("text in `{}` has no effect", entry.name));
  for (const XmlNode& child : entry.children) {
    if (child.kind != XmlNode::Kind::Element) continue;
    if (row->elements)
      warnUnread(child, diagnostics);
    else
      diagnostics.warning(DiagId::XmlDisabled, child.nameRange,
                          fmt::format("`{}` in `{}` has no effect", child.name, entry.name));
  }
}

}  // namespace amdahlc::grammar::xml_rules
