/// How speed-ups name their kernels: the kinds of selectors and their spelling in options, files and IR text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace amdahlc::ir {

enum class SelectorKind : uint8_t {
#define AMDAHLC_SELECTOR(KIND, ...) KIND,
#include "ir/selectors.def"
};

/// What a kind of selectors is about.
enum class SelectorSubject : uint8_t {
  Kernels,
  /// All of something; the selector is its name alone.
  Whole,
  /// Host events of a name.
  HostEvents,
  /// Device events of a phase of the run, with and without kernels.
  Phases,
  /// Device events of a group of forwards, with and without kernels.
  Forwards,
};

/// One row of selectors.def.
struct SelectorRow {
  SelectorKind kind;
  std::string_view name;
  std::string_view otherPrefix;
  std::string_view otherKey;
  std::string_view form;
  SelectorSubject subject;
  /// Whether a name follows its prefix.
  bool hasPrefix() const { return !form.empty() && subject != SelectorSubject::Whole; }
};

/// In the order of selectors.def, which is the order in which a selector without a kind is tried.
std::span<const SelectorRow> selectorTable();
std::string_view name(SelectorKind kind);
SelectorSubject subjectOf(SelectorKind kind);
std::optional<SelectorKind> selectorKindFromName(std::string_view name);

struct Selector {
  /// `Any`: what it means is decided where kernels are known.
  SelectorKind kind = SelectorKind::Any;
  std::string text;
  /// Where it was written (not part of the IR text).
  SourceRange range = {};
  friend bool operator==(const Selector& a, const Selector& b) { return a.kind == b.kind && a.text == b.text; }
};

/// Reads `/regex/`, a prefix and a name such as `node:NAME`, `device`, or a bare name. A name may begin with `/`
/// (exporters write `/encoder/MatMul`): only a second slash at the end makes it a regular expression.
/// `range` is where the text was written. Whether the selector is one that a change takes, `checkScenario` says.
Selector parseSelector(std::string_view text, SourceRange range = {});
/// The text that `parseSelector` reads as this selector.
std::string describe(SelectorKind kind, std::string_view text);

/// Keys that select in a file of speed-ups, each with its kind; the value of a key of kind `Any` is read by
/// `parseSelector`.
struct SelectorKey {
  std::string_view key;
  SelectorKind kind;
};
std::vector<SelectorKey> selectorKeys();

}  // namespace amdahlc::ir
