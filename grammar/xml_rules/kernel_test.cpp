// RE2 has no look-around. A regular expression with some is converted in two steps, each of which holds for every name,
// not for the names of some trace; regex_language.h decides.
//
//   1. A look-around is left out if the expression accepts the same names without it: `.*a.*(?!b).*` is `/a/`, because
//      what follows `.*` may be nothing.
//   2. The others become tests of their own: `A(?!X)B` is `/AB/ and not /AX/`, `A(?=X)B` is `/AB/ and /AX/`, and the
//      same for what stands before; or, where literal text must not follow, the other texts: `a(?!b)` is `a([^b]|$)`.
//      `((?!X).)*` is `not /X/`. Each is a guess, and taken only if it accepts the same names.
#include "grammar/xml_rules/kernel_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "grammar/xml_rules/kernel_regex.h"
#include "grammar/xml_rules/regex_language.h"

namespace amdahlc::grammar::xml_rules {
namespace {

using Kind = RegexNode::Kind;
using Answer = Decision::Answer;

void collectLooks(const RegexNode& node, std::vector<const RegexNode*>& out) {
  if (node.kind == Kind::Look) out.push_back(&node);
  for (const RegexNode& part : node.parts) collectLooks(part, out);
}

std::vector<const RegexNode*> looksOf(const RegexNode& node) {
  std::vector<const RegexNode*> out;
  collectLooks(node, out);
  return out;
}

/// Removes the look-around that begins at `begin`, or all of them.
void removeLook(RegexNode& node, std::optional<uint32_t> begin) {
  std::erase_if(node.parts,
                [&](const RegexNode& part) { return part.kind == Kind::Look && (!begin || part.begin == *begin); });
  for (RegexNode& part : node.parts) removeLook(part, begin);
}

KernelRegex without(KernelRegex regex, std::optional<uint32_t> begin) {
  removeLook(regex.root, begin);
  return regex;
}

RegexNode concat(std::vector<RegexNode> parts) {
  RegexNode out;
  out.parts = std::move(parts);
  return out;
}

RegexNode anyName() {
  RegexNode any;
  any.kind = Kind::Symbols;
  any.symbols = anySymbol();
  any.text = ".";
  RegexNode out;
  out.kind = Kind::Repeat;
  out.max = RegexNode::kUnbounded;
  out.parts.push_back(any);
  return out;
}

/// A regular expression that is searched for, and whether it must match or must not.
struct Test {
  KernelRegex regex;
  bool negative = false;
};
/// Any of them, each of tests that all hold.
using Tests = std::vector<std::vector<Test>>;

/// A test for each look-around. nullopt if one is not directly in an alternative.
std::optional<Tests> asTests(const KernelRegex& regex) {
  const bool several = regex.root.kind == Kind::Alternate;
  Tests out;
  for (const RegexNode& alternative : several ? regex.root.parts : std::vector{regex.root}) {
    const std::vector<RegexNode>& parts = alternative.parts;
    std::vector<Test>& all = out.emplace_back();
    all.push_back({without({alternative, regex.ignoreCase}, std::nullopt), false});
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].kind != Kind::Look) continue;
      std::vector<RegexNode> text;
      if (parts[i].behind) {
        text = {anyName(), parts[i].parts.front()};
        text.insert(text.end(), parts.begin() + static_cast<std::ptrdiff_t>(i) + 1, parts.end());
      } else {
        text.assign(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(i));
        // The parts of what may follow stand beside the others, so that `.*` at its ends is seen.
        const RegexNode& body = parts[i].parts.front();
        if (body.kind == Kind::Concat)
          text.insert(text.end(), body.parts.begin(), body.parts.end());
        else
          text.push_back(body);
      }
      RegexNode whole = concat(std::move(text));
      removeLook(whole, std::nullopt);
      for (RegexNode& part : whole.parts)
        if (part.kind == Kind::Alternate) {  // `|` binds less than what stands beside it
          RegexNode group;
          group.kind = Kind::Group;
          group.parts.push_back(part);
          part = std::move(group);
        }
      all.push_back({{std::move(whole), regex.ignoreCase}, parts[i].negative});
    }
    if (!looksOf(all.front().regex.root).empty()) return std::nullopt;
    size_t direct = 0;
    for (const RegexNode& part : parts) direct += part.kind == Kind::Look ? 1 : 0;
    if (direct != looksOf(alternative).size()) return std::nullopt;
  }
  return out;
}

RegexNode symbols(const SymbolSet& set, std::string text) {
  RegexNode out;
  out.kind = Kind::Symbols;
  out.symbols = set;
  out.text = std::move(text);
  return out;
}

/// What may stand where the text `parts[from..]` must not: the end, another symbol, or the same symbol and so on.
RegexNode anythingBut(const std::vector<RegexNode>& parts, size_t from) {
  RegexNode out;
  out.kind = Kind::Alternate;
  RegexNode end;
  end.kind = Kind::End;
  const std::string& text = parts[from].text;
  out.parts = {concat({symbols(anySymbol() & ~parts[from].symbols, "[^" + text + "]")}), concat({end})};
  if (from + 1 < parts.size()) out.parts.push_back(concat({parts[from], anythingBut(parts, from + 1)}));
  RegexNode group;
  group.kind = Kind::Group;
  group.parts.push_back(std::move(out));
  return group;
}

/// Look-aheads that exclude literal text, with the other texts in their place.
void writeOut(RegexNode& node) {
  for (RegexNode& part : node.parts) {
    const RegexNode* body = part.kind == Kind::Look && part.negative && !part.behind ? &part.parts.front() : nullptr;
    const bool literal = body != nullptr && body->kind == Kind::Concat && !body->parts.empty() &&
                         std::ranges::all_of(body->parts, [](const RegexNode& one) {
                           return one.kind == Kind::Symbols && one.symbols.count() == 1 && !one.inexact;
                         });
    if (literal) {
      RegexNode others = anythingBut(body->parts, 0);
      others.begin = part.begin;
      others.end = part.end;
      part = std::move(others);
    } else {
      writeOut(part);
    }
  }
}

std::optional<Tests> asOtherTexts(const KernelRegex& regex) {
  KernelRegex written = regex;
  if (regex.ignoreCase) return std::nullopt;  // brackets of one letter have two then
  writeOut(written.root);
  if (!looksOf(written.root).empty()) return std::nullopt;
  return Tests{{Test{std::move(written), false}}};
}

/// `((?!X).)*` passes over names that have no X in them: `.*`, and `not /X/`. Moves each X into `out`.
void takeExcluded(RegexNode& node, std::vector<RegexNode>& out) {
  for (RegexNode& part : node.parts) {
    takeExcluded(part, out);
    if (part.kind != Kind::Repeat || part.min != 0 || part.max != RegexNode::kUnbounded) continue;
    const RegexNode& group = part.parts.front();
    if (group.kind != Kind::Group || group.parts.front().kind != Kind::Concat) continue;
    const std::vector<RegexNode>& inside = group.parts.front().parts;
    if (inside.size() != 2 || inside[0].kind != Kind::Look || inside[0].behind || !inside[0].negative) continue;
    if (inside[1].kind != Kind::Symbols || inside[1].symbols != anySymbol()) continue;
    out.push_back(concat({anyName(), inside[0].parts.front()}));
    part = anyName();
  }
}

std::optional<Tests> asExclusions(const KernelRegex& regex) {
  KernelRegex rest = regex;
  std::vector<RegexNode> excluded;
  takeExcluded(rest.root, excluded);
  if (excluded.empty() || !looksOf(rest.root).empty()) return std::nullopt;
  Tests out{{Test{std::move(rest), false}}};
  for (RegexNode& one : excluded) out.front().push_back({{std::move(one), regex.ignoreCase}, true});
  return out;
}

std::string print(const Tests& tests) {
  std::string out;
  for (const std::vector<Test>& all : tests) {
    std::string together;
    for (const Test& test : all) {
      const std::string text = searchText(test.regex);
      if ((text == "^" || text == "$") && !test.negative && all.size() > 1) continue;  // accepts every name
      together += fmt::format("{}{}/{}/", together.empty() ? "" : " and ", test.negative ? "not " : "", text);
    }
    out += (out.empty() ? "" : " or ") + (together.empty() ? "/^/" : together);
  }
  return out;
}

/// Whether the tests, as `.akp` reads them back, accept the names that `regex` accepts.
Decision sameNames(const KernelRegex& regex, const Tests& tests, size_t& budget) {
  std::vector<KernelRegex> read;
  for (const std::vector<Test>& all : tests)
    for (const Test& test : all) {
      auto parsed = parseKernelRegex(searchText(test.regex));
      if (std::holds_alternative<RegexFault>(parsed)) return {Answer::Unknown, "", "what it becomes is too large"};
      read.push_back(std::move(std::get<KernelRegex>(parsed)));
    }
  std::vector<RegexSide> sides{{&regex, RegexUse::AtBegin}};
  for (const KernelRegex& one : read) sides.push_back({&one, RegexUse::Anywhere});
  return holdsForEveryName(
      sides,
      [&](const std::vector<bool>& accepted) {
        bool any = false;
        size_t at = 1;
        for (const std::vector<Test>& all : tests) {
          bool every = true;
          for (const Test& test : all) every = (accepted[at++] != test.negative) && every;
          any = any || every;
        }
        return accepted[0] == any;
      },
      budget);
}

std::string nameOf(const RegexNode& look) { return look.behind ? "look-behind" : "look-ahead"; }

}  // namespace

std::optional<std::string> kernelTest(const XmlText& text, size_t& budget, DiagnosticEngine& diagnostics) {
  auto parsed = parseKernelRegex(text.text);
  if (const auto* fault = std::get_if<RegexFault>(&parsed)) {
    diagnostics.error(DiagId::XmlRegex, text.part(fault->begin, fault->end), fault->message);
    return std::nullopt;
  }
  KernelRegex regex = std::move(std::get<KernelRegex>(parsed));
  const KernelRegex original = regex;
  const auto written = [&](const RegexNode& look) { return text.text.substr(look.begin, look.end - look.begin); };
  // Why the last look-around is needed, for the messages below.
  std::optional<Decision> needed;
  for (const RegexNode* look : looksOf(original.root)) {
    const KernelRegex rest = without(regex, look->begin);
    Decision same = holdsForEveryName(
        {{&regex, RegexUse::AtBegin}, {&rest, RegexUse::AtBegin}},
        [](const std::vector<bool>& accepted) { return accepted[0] == accepted[1]; }, budget);
    if (same.answer != Answer::Holds) {
      needed = std::move(same);
      continue;
    }
    diagnostics.remark(DiagId::XmlLookAround, text.part(look->begin, look->end),
                       fmt::format("{} `{}` is left out: the regular expression accepts the same names without it",
                                   nameOf(*look), written(*look)));
    regex = rest;
  }
  const std::vector<const RegexNode*> left = looksOf(regex.root);
  if (left.empty()) return print({{Test{regex, false}}});
  const RegexNode& first = *left.front();
  const SourceRange place = text.part(first.begin, first.end);
  std::string example;
  for (const auto& attempt : {asTests(regex), asExclusions(regex), asOtherTexts(regex)}) {
    if (!attempt) continue;
    const Decision same = sameNames(original, *attempt, budget);
    if (same.answer == Answer::Holds) {
      diagnostics.remark(DiagId::XmlLookAround, place,
                         fmt::format("{} `{}` is rewritten: `{}` accepts the same names", nameOf(first), written(first),
                                     print(*attempt)));
      return print(*attempt);
    }
    if (example.empty() && same.answer == Answer::Fails)
      example = fmt::format("`{}` would differ, for example on the name `{}`", print(*attempt), same.counterexample);
    if (same.answer == Answer::Unknown) needed = same;
  }
  const std::string why = needed && needed->answer == Answer::Unknown ? fmt::format(": {}", needed->reason) : "";
  auto report = diagnostics.error(DiagId::XmlLookAround, place,
                                  fmt::format("{} `{}` can be neither left out nor rewritten exactly{}; RE2 has no {}",
                                              nameOf(first), written(first), why, nameOf(first)));
  if (needed && needed->answer == Answer::Fails)
    report.note(fmt::format("without it, the name `{}` would be accepted", needed->counterexample));
  if (!example.empty()) report.note(example);
  return std::nullopt;
}

}  // namespace amdahlc::grammar::xml_rules
