#include "api/change_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "api/option_values.h"
#include "support/decimal_time.h"
#include "support/edit_distance.h"
#include "support/limits.h"

namespace amdahlc::api {
namespace {

/// Sets the new time from `10us` or `0`.
bool setTime(std::string_view text, ir::Change& change) {
  if (text == "0")
    change.factor = Rational::of(0);
  else if (const auto fixedNs = parseDuration(text))
    change.fixedNs = fixedNs;
  else
    return false;
  return true;
}

/// The change, other than a new time, with whose name the text begins, if `fits` the rest of it.
template <typename Fits>
const ir::ChangeRow* changeBefore(std::string_view text, Fits fits) {
  for (const ir::ChangeRow& row : ir::changeTable())
    if (row.kind != ir::ChangeKind::NewTime && text.starts_with(row.name) && fits(text.substr(row.name.size())))
      return &row;
  return nullptr;
}

/// The change that the text names, alone or before parentheses.
const ir::ChangeRow* changeNamedBy(std::string_view text) {
  return changeBefore(
      text, [](std::string_view rest) { return rest.empty() || (rest.front() == '(' && rest.back() == ')'); });
}

/// Whether the text begins with the name of a change, and a parenthesis.
bool opensChange(std::string_view text) {
  return changeBefore(text, [](std::string_view rest) { return rest.starts_with('('); }) != nullptr;
}

/// What is wrong with a text that is neither a change of the table nor has a new time.
std::string whatIsMissing(const std::string& text) {
  static constexpr UnitSuffix kNewTimes[] = {{"x", 1}, {"ns", 1}, {"us", 1}, {"ms", 1}};
  if (parseInUnits(text, kNewTimes))
    return fmt::format("`{}` does not say of what; write `linear={}`, or another name of the table of kernels", text,
                       text);
  const std::string newTime =
      fmt::format("`{}` says no new time; write `{}=2x`, `{}=10us` or `{}=0`", text, text, text, text);
  const size_t open = text.find('(');
  if (open == std::string::npos) return newTime;
  const std::string name = text.substr(0, open);
  std::vector<std::string> known;
  for (const ir::ChangeRow& row : ir::changeTable())
    if (row.kind != ir::ChangeKind::NewTime) known.emplace_back(row.name);
  if (std::ranges::find(known, name) != known.end()) return fmt::format("`{}` has no `)` at its end", text);
  return text.back() == ')' ? fmt::format("`{}` is not a change{}", name, didYouMeanOrKnown(name, known)) : newTime;
}

/// Whether an operand ends before `rest`: blanks, and a comma or nothing.
bool endsOperand(std::string_view rest) {
  const size_t next = rest.find_first_not_of(' ');
  return next == std::string_view::npos || rest[next] == ',';
}

bool isNewTime(std::string_view text) {
  ir::Change ignored;
  return text.ends_with('x') ? Rational::parse(text.substr(0, text.size() - 1)).has_value() : setTime(text, ignored);
}

/// The parts of `text` that are changes, with `;` between them.
std::vector<std::string_view> changesIn(std::string_view text) {
  // Longer ones are part of a regular expression. Without a limit each `;` behind one would read it again.
  constexpr size_t kLongestTime = 200;
  std::vector<std::string_view> parts;
  size_t begin = std::min(text.find_first_not_of(' '), text.size()), equals = std::string_view::npos, opened = 0,
         closed = 0;
  // Whether the part that ends at `end` is a change, right or wrong, and not the beginning of a name or a regular
  // expression with a `;`.
  const auto isWhole = [&](std::string_view part, size_t end) {
    if (part.empty()) return true;
    if (opensChange(part)) return opened == closed;
    if (equals == std::string_view::npos)
      return changeNamedBy(part) != nullptr || (part.back() == ')' && opened == closed);
    if (part.front() != '/') return true;
    const std::string_view time = text.substr(equals + 1, end - equals - 1);
    return time.size() <= kLongestTime && isNewTime(trimmed(time));
  };
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ';';
    opened += c == '(';
    closed += c == ')';
    if (c == '=') equals = i;
    if (c != ';') continue;
    const std::string_view part = trimmed(text.substr(begin, i - begin));
    if (i < text.size() && !isWhole(part, i)) continue;
    parts.push_back(part);
    begin = std::min(text.find_first_not_of(' ', i + 1), text.size());
    equals = std::string_view::npos;
    opened = closed = 0;
  }
  return parts;
}

/// The parts of `text` between commas; a comma in a regular expression separates nothing.
std::vector<std::string_view> operandsIn(std::string_view text) {
  std::vector<std::string_view> parts;
  text = trimmed(text);
  while (true) {
    const std::string_view rest = text.substr(std::min(text.find_first_not_of(' '), text.size()));
    size_t from = static_cast<size_t>(rest.data() - text.data());
    if (rest.starts_with('/')) {
      // To the next slash before a comma or the end.
      size_t slash = rest.find('/', 1);
      while (slash != std::string_view::npos && !endsOperand(rest.substr(slash + 1))) slash = rest.find('/', slash + 1);
      if (slash != std::string_view::npos) from += slash;
    }
    const size_t comma = text.find(',', from);
    parts.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

class ChangeReader {
 public:
  ChangeReader(const ir::ChangeRow& row, const std::string& text, SourceRange range,
               std::function<SourceRange(std::string_view)> partOf, DiagnosticEngine& diagnostics)
      : row_(row), text_(text), partOf_(std::move(partOf)), diagnostics_(diagnostics) {
    change_.kind = row.kind;
    change_.range = range;
  }

  std::optional<ir::Change> read() {
    const std::string_view rest = std::string_view(text_).substr(row_.name.size());
    const std::string_view inside = rest.empty() ? rest : rest.substr(1, rest.size() - 2);
    if (!trimmed(inside).empty()) readOperands(operandsIn(inside));
    if (!isGood_) return std::nullopt;
    return std::move(change_);
  }

 private:
  void readOperands(const std::vector<std::string_view>& operands) {
    if (operands.size() > limits::kSpeedupsOfScenario)
      return fault(text_, fmt::format("more than {} selectors in a change", limits::kSpeedupsOfScenario));
    for (const std::string_view operand : operands) readOperand(operand);
  }

  void readOperand(std::string_view operand) {
    if (row_.operands == ir::ChangeOperands::None)
      return fault(operand, fmt::format("`{}` takes nothing in parentheses", row_.name));
    if (row_.operands == ir::ChangeOperands::Ratio) return readRatio(operand);
    if (row_.operands == ir::ChangeOperands::KernelsAndStream && operand.starts_with(kStream))
      return readStream(operand.substr(kStream.size()));
    change_.selectors.push_back(ir::parseSelector(operand, partOf_(operand)));
  }

  void readRatio(std::string_view text) {
    const auto ratio =
        text.ends_with('x') ? Rational::parse(text.substr(0, text.size() - 1)) : std::optional<Rational>();
    if (!ratio) return fault(text, fmt::format("`{}` is not a ratio above 0, such as `2x` or `1/2x`", text));
    if (change_.factor) return fault(text, "the ratio is given twice");
    change_.factor = ratio;
  }

  void readStream(std::string_view number) {
    if (change_.stream) return fault(number, "the stream is given twice");
    const auto stream = parseWhole(number);
    if (!stream) return fault(number, fmt::format("`{}` is not the number of a stream", number));
    change_.stream = stream;
  }

  void fault(std::string_view at, const std::string& message) {
    isGood_ = false;
    diagnostics_.error(DiagId::SpeedupSyntax, partOf_(at), message);
  }

  static constexpr std::string_view kStream = "stream=";

  const ir::ChangeRow& row_;
  const std::string& text_;
  std::function<SourceRange(std::string_view)> partOf_;
  DiagnosticEngine& diagnostics_;
  ir::Change change_;
  bool isGood_ = true;
};

}  // namespace

bool readTimesAsFast(std::string_view number, SourceRange range, ir::Change& change, DiagnosticEngine& diagnostics) {
  const auto times = Rational::parse(number);
  if (times && !times->isZero()) {
    change.factor = Rational::of(times->denominator, times->numerator);
    return true;
  }
  diagnostics.error(
      DiagId::SpeedupSyntax, range,
      times ? "a speed-up of 0 would take forever; for a kernel that costs nothing give the time 0"
            : fmt::format("`{}` is not a speed-up; it takes a number above 0 such as 2, 1.5 or 3/2", number));
  return false;
}

bool readTime(std::string_view text, SourceRange range, ir::Change& change, DiagnosticEngine& diagnostics) {
  if (setTime(text, change)) return true;
  diagnostics.error(DiagId::SpeedupSyntax, range,
                    fmt::format("`{}` is not a time; write one with its unit, such as `10us`, or `0`", text));
  return false;
}

/// Sets factor or fixed time of `change` from `2x`, `10us` or `0`.
static bool readNewTime(std::string_view text, SourceRange range, ir::Change& change, DiagnosticEngine& diagnostics) {
  if (text.ends_with('x')) return readTimesAsFast(text.substr(0, text.size() - 1), range, change, diagnostics);
  if (setTime(text, change)) return true;
  diagnostics.error(
      DiagId::SpeedupSyntax, range,
      fmt::format("`{}` is not a new time; write `2x` (twice as fast), `10us` (a time with its unit) or `0`", text));
  return false;
}

std::optional<ir::Change> readChange(const std::string& text, SourceRange range, DiagnosticEngine& diagnostics) {
  const auto partOf = [&](std::string_view part) { return placeOf(part, text, range); };
  if (const ir::ChangeRow* row = changeNamedBy(text))
    return ChangeReader(*row, text, range, partOf, diagnostics).read();
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || (opensChange(text) && text.find(')') == std::string::npos)) {
    diagnostics.error(DiagId::SpeedupSyntax, range, whatIsMissing(text));
    return std::nullopt;
  }
  const std::string_view left = std::string_view(text).substr(0, equals),
                         right = std::string_view(text).substr(equals + 1);
  ir::Change change;
  change.range = partOf(left);
  change.selectors.push_back(ir::parseSelector(left, change.range));
  if (!readNewTime(right, partOf(right), change, diagnostics)) return std::nullopt;
  return change;
}

std::optional<ir::Scenario> readScenario(const std::string& text, SourceRange range, DiagnosticEngine& diagnostics) {
  static const std::string kKeepsIdle = fmt::format("<{}>", ir::kIdleConstant);
  ir::Scenario scenario{text, {}, text.starts_with(kKeepsIdle), range};
  const std::vector<std::string_view> parts =
      changesIn(std::string_view(text).substr(scenario.keepsIdle ? kKeepsIdle.size() : 0));
  if (parts.size() > limits::kSpeedupsOfScenario) {
    diagnostics.error(DiagId::SpeedupSyntax, range,
                      fmt::format("more than {} changes in a scenario", limits::kSpeedupsOfScenario));
    return std::nullopt;
  }
  bool isGood = true;
  for (const std::string_view part : parts) {
    if (!isGood && diagnostics.hasTooManyErrors()) break;
    const SourceRange place = placeOf(part, text, range);
    std::optional<ir::Change> change;
    if (part.empty() && parts.size() > 1)
      diagnostics.error(DiagId::SpeedupSyntax, place, "an empty change; `;` stands between two changes");
    else if (part.empty() && scenario.keepsIdle)
      diagnostics.error(DiagId::SpeedupSyntax, place,
                        fmt::format("`{}` stands before changes, such as `sdpa=2x`", kKeepsIdle));
    else
      change = readChange(std::string(part), place, diagnostics);
    isGood &= change.has_value();
    if (change) scenario.changes.push_back(std::move(*change));
  }
  if (!isGood || !ir::checkScenario(scenario, DiagId::SpeedupSyntax, diagnostics)) return std::nullopt;
  return scenario;
}

bool isScenarioFile(std::string_view text) {
  return text == "-" || text.ends_with(".json") || text.ends_with(".yaml") || text.ends_with(".yml");
}

}  // namespace amdahlc::api
