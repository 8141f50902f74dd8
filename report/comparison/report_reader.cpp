#include "report/comparison/report_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/comparison/report_keys.h"
#include "support/json_tree.h"
#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc::comparison {
namespace {

using Json = nlohmann::json;

/// What the text lacks, as a clause for users.
struct Fault {
  std::string what;
};

/// Keys that hold nothing to compare are much of a report. `depth` counts the objects and arrays around the key.
bool isSkipped(size_t depth, std::string_view key) {
  constexpr size_t kInReport = 1, kInRun = 3;
  if (depth == kInReport) return key != keys::kSchema && key != keys::kRuns;
  return depth == kInRun && std::ranges::find(keys::kOfRun, key) == std::end(keys::kOfRun);
}

/// A part of a report, and its place there for messages.
class Part {
 public:
  Part(const Json& value, std::string where) : value_(value), where_(std::move(where)) {}

  bool isNull() const { return value_.is_null(); }
  /// Null if it is no object, or has no such key.
  const Json* find(std::string_view key) const {
    const auto found = value_.find(key);
    return found == value_.end() ? nullptr : &*found;
  }
  const Json& member(std::string_view key) const {
    if (!value_.is_object()) throw Fault{fmt::format("`{}` is no object", where_)};
    if (const Json* found = find(key)) return *found;
    throw Fault{fmt::format("`{}` has no `{}`", where_, key)};
  }
  Part part(std::string_view key) const { return {member(key), fmt::format("{}.{}", where_, key)}; }
  const Json& array(std::string_view key) const {
    const Json& value = member(key);
    if (!value.is_array()) throw Fault{fmt::format("`{}.{}` is no array", where_, key)};
    return value;
  }
  std::vector<Part> parts(std::string_view key) const {
    std::vector<Part> all;
    for (const Json& one : array(key)) all.emplace_back(one, fmt::format("{}.{}[{}]", where_, key, all.size()));
    return all;
  }
  /// Empty for null.
  std::string text(std::string_view key) const {
    const Json& value = member(key);
    if (value.is_null()) return "";
    if (!value.is_string()) throw Fault{fmt::format("`{}.{}` is no text", where_, key)};
    return value.get<std::string>();
  }
  std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> all;
    for (const Json& one : array(key)) {
      if (!one.is_string()) throw Fault{fmt::format("`{}.{}` holds something else than names", where_, key)};
      all.push_back(one.get<std::string>());
    }
    return all;
  }
  int64_t nanoseconds(std::string_view key) const {
    const Json& value = member(key);
    if (value.is_number_unsigned() ? value.get<uint64_t>() <= INT64_MAX
                                   : value.is_number_integer() && value.get<int64_t>() >= 0)
      return value.get<int64_t>();
    throw Fault{fmt::format("`{}.{}` is no time: a number of nanoseconds that is not negative", where_, key)};
  }
  /// With its deviation; nullopt for null.
  std::optional<MeasuredTime> time(std::string_view key, int64_t iterations) const {
    if (member(key).is_null()) return std::nullopt;
    MeasuredTime time{nanoseconds(key), std::nullopt, iterations};
    const std::string spread = std::string(key) + std::string(keys::kDeviationSuffix);
    const Json& deviation = member(spread);
    if (deviation.is_null()) return time;
    if (!deviation.is_number() || !std::isfinite(deviation.get<double>()) || deviation.get<double>() < 0)
      throw Fault{fmt::format("`{}.{}` is no deviation", where_, spread)};
    time.standardDeviationNs = deviation.get<double>();
    return time;
  }

 private:
  const Json& value_;
  std::string where_;
};

std::vector<MeasuredGroup> groups(const Part& aggregates, std::string_view key, int64_t iterations) {
  std::vector<MeasuredGroup> rows;
  for (const Part& row : aggregates.parts(key))
    rows.push_back({row.text(keys::kName), row.time(keys::kDuration, iterations).value_or(MeasuredTime{})});
  return rows;
}

/// nullopt for a run without times.
std::optional<MeasuredRun> readRun(const Part& run) {
  const Part trace = run.part(keys::kTrace), aggregates = run.part(keys::kAggregates);
  if (trace.isNull() || aggregates.isNull()) return std::nullopt;
  const int64_t iterations = trace.nanoseconds(keys::kIterations);
  MeasuredRun out;
  const auto busy = trace.time(keys::kBusy, iterations);
  if (!busy) return std::nullopt;
  out.busy = *busy;
  out.wall = trace.time(keys::kWall, iterations);
  out.window = trace.time(keys::kWindow, iterations);
  out.label = run.text(keys::kLabel);
  out.device = run.part(keys::kTarget).text(keys::kDevice);
  // Reports of the first version have no `trust`, and another meaning of `forwards`.
  const std::string trust = run.find(keys::kTrust) != nullptr ? run.text(keys::kTrust) : "";
  if (trust == keys::kTrustNone) out.distrust = printable(run.text(keys::kVerdict));
  if (trust == keys::kTrustLimited) out.caution = printable(run.text(keys::kVerdict));
  if (run.find(keys::kBinding) != nullptr) {
    const Part binding = run.part(keys::kBinding);
    const Json* const forwards = binding.find(keys::kForwards);
    const bool isKnown = forwards != nullptr && forwards->is_number() && binding.find(keys::kForwardsTotal) != nullptr;
    // A run of which no forward was found says 0.
    if (isKnown && forwards->get<double>() > 0) out.forwards = forwards->get<double>();
  }
  for (const Part& row : run.parts(keys::kKernels))
    if (const auto time = row.time(keys::kDuration, iterations); time && row.text(keys::kState) != keys::kNoDeviceWork)
      out.kernels.push_back({row.text(keys::kLabel), row.texts(keys::kNodes), row.text(keys::kScope), *time});
  out.categories = groups(aggregates, keys::kCategory, iterations);
  out.scopes = groups(aggregates, keys::kScope, iterations);
  return out;
}

/// A clause for users. `text` is what could not be read.
std::string clause(const JsonTree& tree, std::string_view text) {
  if (tree.fault == JsonFault::Nesting)
    return fmt::format("values are nested more than {} deep", limits::kReportNesting);
  if (tree.fault == JsonFault::NumberRange) return "a number is beyond the range of a double";
  const std::string_view before = text.substr(0, std::min(text.size(), tree.at > 0 ? tree.at - 1 : 0));
  const size_t line = static_cast<size_t>(std::ranges::count(before, '\n')) + 1;
  return fmt::format("line {}, column {}: no JSON", line, before.size() - (before.rfind('\n') + 1) + 1);
}

}  // namespace

std::optional<Baseline> readReport(const std::string& file, std::string_view text, DiagnosticEngine& diagnostics) {
  const auto fail = [&](const std::string& why) {
    diagnostics.error(DiagId::BaselineInvalid, FileLocation{file}, why);
    return std::nullopt;
  };
  const JsonTree tree = parseJsonTree(text, limits::kReportNesting, isSkipped);
  if (!tree.value) return fail(clause(tree, text));
  const Json& report = *tree.value;
  try {
    const Json* const schema = Part(report, "report").find(keys::kSchema);
    if (schema == nullptr)
      return fail(fmt::format("no report; `{}` is missing, which is `{}` in what `-emit=json` writes", keys::kSchema,
                              keys::kReportSchema));
    if (*schema == Json("amdahlc.report/1"))
      return fail(
          fmt::format("a report of an earlier version, which has other times than `{}`; write it again, from "
                      "the same trace, with `-emit=json`",
                      keys::kReportSchema));
    if (*schema != Json(keys::kReportSchema))
      return fail(fmt::format("no report of the schema `{}`; write one with `-emit=json`", keys::kReportSchema));
    Baseline baseline;
    baseline.file = file;
    size_t number = 0;
    for (const Json& run : Part(report, "report").array(keys::kRuns)) {
      auto measured = readRun({run, fmt::format("{}[{}]", keys::kRuns, number++)});
      if (!measured) continue;
      measured->report = file;
      baseline.runs.push_back(std::move(*measured));
    }
    if (baseline.runs.empty())
      return fail("the report has no times; write it with `-trace=` and a pipeline that has `timing`");
    return baseline;
  } catch (const Fault& fault) {
    return fail(fault.what);
  }
}

}  // namespace amdahlc::comparison
