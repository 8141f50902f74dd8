#include "ir/selectors.h"

namespace amdahlc::ir {
namespace {

constexpr SelectorRow kRows[] = {
#define AMDAHLC_SELECTOR(KIND, NAME, PREFIX, KEY, FORM, SUBJECT) \
  {SelectorKind::KIND, NAME, PREFIX, KEY, FORM, SelectorSubject::SUBJECT},
#include "ir/selectors.def"
};

/// The key of a selector without a kind in a file.
constexpr std::string_view kAnyKey = "select";

std::optional<std::string_view> afterPrefix(std::string_view text, std::string_view prefix) {
  if (prefix.empty() || !text.starts_with(prefix) || text.substr(prefix.size(), 1) != ":") return std::nullopt;
  return text.substr(prefix.size() + 1);
}

}  // namespace

std::span<const SelectorRow> selectorTable() { return kRows; }

std::string_view name(SelectorKind kind) { return kRows[static_cast<size_t>(kind)].name; }

SelectorSubject subjectOf(SelectorKind kind) { return kRows[static_cast<size_t>(kind)].subject; }

std::optional<SelectorKind> selectorKindFromName(std::string_view name) {
  for (const SelectorRow& row : kRows)
    if (row.name == name) return row.kind;
  return std::nullopt;
}

Selector parseSelector(std::string_view text, SourceRange range) {
  if (text.size() > 2 && text.front() == '/' && text.back() == '/')
    return {SelectorKind::Regex, std::string(text.substr(1, text.size() - 2)), range};
  for (const SelectorRow& row : kRows) {
    if (row.subject == SelectorSubject::Whole && text == row.name) return {row.kind, {}, range};
    if (!row.hasPrefix()) continue;
    for (const std::string_view prefix : {row.name, row.otherPrefix})
      if (const auto rest = afterPrefix(text, prefix)) return {row.kind, std::string(*rest), range};
  }
  return {SelectorKind::Any, std::string(text), range};
}

std::string describe(SelectorKind kind, std::string_view text) {
  if (kind == SelectorKind::Any) return std::string(text);
  if (kind == SelectorKind::Regex) return "/" + std::string(text) + "/";
  if (subjectOf(kind) == SelectorSubject::Whole) return std::string(name(kind));
  return std::string(name(kind)) + ":" + std::string(text);
}

std::vector<SelectorKey> selectorKeys() {
  std::vector<SelectorKey> keys;
  for (const SelectorRow& row : kRows) {
    if (row.subject == SelectorSubject::Whole) continue;
    keys.push_back({row.kind == SelectorKind::Any ? kAnyKey : row.name, row.kind});
    if (!row.otherKey.empty()) keys.push_back({row.otherKey, row.kind});
  }
  return keys;
}

}  // namespace amdahlc::ir
