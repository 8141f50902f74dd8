#include "grammar/wrong_spellings.h"

#include <algorithm>
#include <ranges>
#include <string>

#include "AkpLexer.h"
#include "grammar/syntax_errors.h"
#include "ir/type.h"
#include "support/case_folding.h"
#include "support/edit_distance.h"

namespace amdahlc::grammar {
namespace {

using L = generated::AkpLexer;

struct Row {
  size_t meant;
  /// With blanks between them.
  std::string_view written;
};

// One thing may be written in several ways, and one way may mean several things, the most likely first. What parses
// decides.
constexpr Row kRows[] = {
    {L::NE, "!== <> ne"},
    {L::AND, "& &&"},
    {L::LE, "=<"},
    {L::NOT, "~"},
    {L::NOTHING, "None nil none null"},
    {L::CONST, "constant literal"},
    {L::DISABLE, "delete remove"},
    {L::RUNTIME, "engine framework"},
    {L::CLASS, "enum group type"},
    {L::BUT, "except"},
    {L::RUNS, "executes launch launches runs_as"},
    {L::REFINE, "extend extends override"},
    {L::HIDDEN_OPS, "ignore skip"},
    {L::LABEL, "name title"},
    {L::LOWER, "decompose lowering map rewrite translate"},
    {L::IN, "of"},
    {L::OP, "operator"},
    {L::AKP, "version"},
    {L::AS, "is"},
    {L::EQ, "=~ eq === is"},
    {L::ASSIGN, ":= ==="},
    {L::ARROW, "return returns yields =>"},
    {L::GE, "=>"},
    {L::OR, "elif else ||"},
    {L::BAR, "||"},
    {L::FOR, "from"},
    {L::WHERE, "assert if requires when require"},
    {L::IMPORT, "include use using from require"},
    {L::VENDOR, "device gpu"},
    {L::ARCH, "gpu"},
    {L::MATCH, "pattern"},
    {L::KERNEL, "rule struct def pattern"},
    {L::FRAGMENT, "fn func macro template def function pattern"},
    {L::KERNEL, "function"},
};

struct ElementTypeRow {
  std::string_view written;
  ir::ElementType meant;
};

using E = ir::ElementType;
constexpr ElementTypeRow kElementTypes[] = {
    {"bf16", E::BFloat16}, {"boolean", E::Bool}, {"f16", E::Float16}, {"f32", E::Float},        {"f64", E::Double},
    {"fp16", E::Float16},  {"fp32", E::Float},   {"fp64", E::Double}, {"fp8", E::Float8E4M3FN}, {"half", E::Float16},
    {"i16", E::Int16},     {"i32", E::Int32},    {"i64", E::Int64},   {"i8", E::Int8},          {"int", E::Int32},
    {"long", E::Int64},    {"single", E::Float}, {"str", E::String},  {"u16", E::UInt16},       {"u32", E::UInt32},
    {"u64", E::UInt64},    {"u8", E::UInt8},
};

}  // namespace

std::string inDoubleQuotes(std::string_view text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size();
    if (escape && text[i + 1] != '\'') out += text[i];
    if (escape) ++i;
    if (!escape && text[i] == '"') out += '\\';
    out += text[i];
  }
  return out + "\"";
}

std::string_view elementTypeMeantBy(std::string_view written) {
  for (const ElementTypeRow& row : kElementTypes)
    if (equalIgnoringCase(row.written, written)) return ir::name(row.meant);
  return {};
}

std::vector<size_t> meantBy(std::string_view written) {
  std::vector<size_t> out;
  for (const Row& row : kRows)
    for (const auto word : std::views::split(row.written, ' '))
      if (std::ranges::equal(word, written)) out.push_back(row.meant);
  return out;
}

std::vector<size_t> keywordsNear(std::string_view word) {
  // A name of one letter is near any word of two.
  if (word.size() < 2) return {};
  // A third of its length, as for other names, but never so much that another word is meant.
  const size_t limit = std::clamp<size_t>(word.size() / 3, 1, 2);
  std::vector<size_t> out;
  for (size_t type = L::AKP; type <= L::WHERE; ++type)
    if (editDistance(word, tokenText(type), limit) <= limit) out.push_back(type);
  std::ranges::stable_sort(out, [&](size_t a, size_t b) {
    return editDistance(word, tokenText(a), limit) < editDistance(word, tokenText(b), limit);
  });
  return out;
}

}  // namespace amdahlc::grammar
