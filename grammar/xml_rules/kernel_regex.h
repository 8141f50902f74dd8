/// Regular expressions of Python over kernel names: parsed, and written as RE2 reads them.
///
/// Kernel names are taken to be one line of text: no character is a line feed. `\w`, `\d` and `\b` are those of ASCII.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace amdahlc::grammar::xml_rules {

/// The symbols of names: those of ASCII, and one that stands for all other characters.
inline constexpr size_t kOtherSymbol = 128;
using SymbolSet = std::bitset<kOtherSymbol + 1>;

/// All symbols of names: every one but the line feed.
const SymbolSet& anySymbol();
bool isWordSymbol(size_t symbol);

struct RegexNode {
  enum class Kind : uint8_t { Symbols, Concat, Alternate, Repeat, Group, Begin, End, Boundary, NoBoundary, Look };
  Kind kind = Kind::Concat;
  /// Symbols.
  SymbolSet symbols;
  /// Symbols: as RE2 reads them.
  std::string text;
  /// Symbols: `symbols` is not exactly what `text` matches, because of characters beyond ASCII.
  bool inexact = false;
  /// Repeat; without an upper bound `max` is `kUnbounded`.
  uint32_t min = 0;
  uint32_t max = 0;
  /// Look.
  bool negative = false;
  bool behind = false;
  /// Offsets in the parsed text.
  uint32_t begin = 0;
  uint32_t end = 0;
  /// Concat, Alternate; one of Repeat, Group and Look.
  std::vector<RegexNode> parts;

  static constexpr uint32_t kUnbounded = UINT32_MAX;
};

struct KernelRegex {
  RegexNode root;
  bool ignoreCase = false;
};

/// What is wrong, in lower case, and where.
struct RegexFault {
  std::string message;
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// The expression, or what RE2 could not do.
std::variant<KernelRegex, RegexFault> parseKernelRegex(std::string_view text);

/// `.*`, which matches every name.
bool matchesAnyName(const RegexNode& node);

/// The text between the slashes of a regular expression of `.akp`, which is searched for. It accepts the names at whose
/// beginning `regex`, without look-arounds, matches: `.*` at its ends is left out, and `^` is written where it is
/// needed.
std::string searchText(const KernelRegex& regex);

}  // namespace amdahlc::grammar::xml_rules
