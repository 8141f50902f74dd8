#include "report/comparison/report_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <utility>

#include "support/json_tree.h"
#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc::comparison {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSchema = "amdahlc.report/1";

/// What the text lacks, as a clause for users.
struct Fault {
  std::string what;
};

/// Keys that hold nothing to compare, and much of a report. `depth` counts the objects and arrays around the key.
bool isSkipped(size_t depth, std::string_view key) {
  constexpr size_t kInReport = 1, kInRun = 3;
  const auto isOneOf = [key](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), key) != names.end();
  };
  if (depth == kInReport) return isOneOf({"model", "data_problems"});
  return depth == kInRun && isOneOf({"nodes", "what_if", "branches", "unbound", "critical_path"});
}

const Json& member(const Json& object, const char* key, const std::string& where) {
  if (!object.is_object()) throw Fault{fmt::format("`{}` is no object", where)};
  const auto found = object.find(key);
  if (found == object.end()) throw Fault{fmt::format("`{}` has no `{}`", where, key)};
  return *found;
}

const Json& arrayMember(const Json& object, const char* key, const std::string& where) {
  const Json& value = member(object, key, where);
  if (!value.is_array()) throw Fault{fmt::format("`{}.{}` is no array", where, key)};
  return value;
}

std::string textMember(const Json& object, const char* key, const std::string& where) {
  const Json& value = member(object, key, where);
  if (value.is_null()) return "";
  if (!value.is_string()) throw Fault{fmt::format("`{}.{}` is no text", where, key)};
  return value.get<std::string>();
}

int64_t nanoseconds(const Json& value, const std::string& where) {
  if (value.is_number_unsigned() ? value.get<uint64_t>() <= INT64_MAX
                                 : value.is_number_integer() && value.get<int64_t>() >= 0)
    return value.get<int64_t>();
  throw Fault{fmt::format("`{}` is no time: a number of nanoseconds that is not negative", where)};
}

/// `KEY` with `KEY_stddev`; nullopt for null.
std::optional<MeasuredTime> timeMember(const Json& object, const std::string& key, const std::string& where,
                                       int64_t iterations) {
  const Json& mean = member(object, key.c_str(), where);
  if (mean.is_null()) return std::nullopt;
  MeasuredTime time{nanoseconds(mean, fmt::format("{}.{}", where, key)), std::nullopt, iterations};
  const std::string spread = key + "_stddev";
  const Json& deviation = member(object, spread.c_str(), where);
  if (deviation.is_null()) return time;
  if (!deviation.is_number() || !std::isfinite(deviation.get<double>()) || deviation.get<double>() < 0)
    throw Fault{fmt::format("`{}.{}` is no deviation", where, spread)};
  time.standardDeviationNs = deviation.get<double>();
  return time;
}

std::vector<MeasuredGroup> groups(const Json& aggregates, const char* key, const std::string& where,
                                  int64_t iterations) {
  std::vector<MeasuredGroup> rows;
  for (const Json& row : arrayMember(aggregates, key, where)) {
    const std::string place = fmt::format("{}.{}[{}]", where, key, rows.size());
    rows.push_back(
        {textMember(row, "name", place), timeMember(row, "duration_ns", place, iterations).value_or(MeasuredTime{})});
  }
  return rows;
}

void readKernels(const Json& run, const std::string& where, int64_t iterations, MeasuredRun& out) {
  size_t number = 0;
  for (const Json& row : arrayMember(run, "kernels", where)) {
    const std::string place = fmt::format("{}.kernels[{}]", where, number++);
    const auto time = timeMember(row, "duration_ns", place, iterations);
    if (!time || textMember(row, "state", place) == "no-device-work") continue;
    MeasuredKernel kernel{textMember(row, "label", place), {}, textMember(row, "scope", place), *time};
    for (const Json& node : arrayMember(row, "nodes", place)) {
      if (!node.is_string()) throw Fault{fmt::format("`{}.nodes` holds something else than names", place)};
      kernel.nodes.push_back(node.get<std::string>());
    }
    out.kernels.push_back(std::move(kernel));
  }
}

/// nullopt for a run without times.
std::optional<MeasuredRun> readRun(const Json& run, const std::string& where) {
  const Json& trace = member(run, "trace", where);
  const Json& aggregates = member(run, "aggregates", where);
  if (trace.is_null() || aggregates.is_null()) return std::nullopt;
  const std::string place = where + ".trace";
  const int64_t iterations = nanoseconds(member(trace, "iterations", place), place + ".iterations");
  MeasuredRun out;
  const auto busy = timeMember(trace, "busy_ns", place, iterations);
  if (!busy) return std::nullopt;
  out.busy = *busy;
  out.wall = timeMember(trace, "wall_ns", place, iterations);
  out.window = timeMember(trace, "window_ns", place, iterations);
  out.label = textMember(run, "label", where);
  const std::string target = where + ".target";
  out.device = textMember(member(run, "target", where), "device", target);
  // Reports of the first version have no `trust`, and another meaning of `forwards`.
  const std::string trust = run.contains("trust") ? textMember(run, "trust", where) : "";
  if (trust == "none") out.distrust = printable(textMember(run, "verdict", where));
  if (trust == "limited") out.caution = printable(textMember(run, "verdict", where));
  if (const auto binding = run.find("binding"); binding != run.end() && binding->is_object())
    if (const auto forwards = binding->find("forwards");
        forwards != binding->end() && forwards->is_number() && binding->contains("forwards_total"))
      out.forwards = forwards->get<double>();
  readKernels(run, where, iterations, out);
  out.categories = groups(aggregates, "category", where + ".aggregates", iterations);
  out.scopes = groups(aggregates, "scope", where + ".aggregates", iterations);
  return out;
}

/// A clause for users. `text` is what could not be read.
std::string clause(const JsonTree& tree, std::string_view text) {
  switch (tree.fault) {
    case JsonFault::Nesting:
      return fmt::format("values are nested more than {} deep", limits::kReportNesting);
    case JsonFault::NumberRange:
      return "a number is beyond the range of a double";
    case JsonFault::Syntax:
      break;
  }
  const std::string_view before = text.substr(0, std::min(text.size(), tree.at > 0 ? tree.at - 1 : 0));
  const size_t line = static_cast<size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
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
    if (!report.is_object() || !report.contains("schema"))
      return fail(fmt::format("no report; `schema` is missing, which is `{}` in what `-emit=json` writes", kSchema));
    if (report["schema"] != Json(kSchema))
      return fail(fmt::format("no report of the schema `{}`; write one with `-emit=json`", kSchema));
    Baseline baseline;
    baseline.file = file;
    size_t number = 0;
    for (const Json& run : arrayMember(report, "runs", "report")) {
      auto measured = readRun(run, fmt::format("runs[{}]", number++));
      if (!measured) continue;
      measured->report = file;
      baseline.runs.push_back(std::move(*measured));
    }
    if (baseline.runs.empty())
      return fail("the report has no times; write it with `-trace=` and a pipeline that has `timing`");
    return baseline;
  } catch (const Fault& fault) {
    return fail(fault.what);
  } catch (const Json::exception&) {
    return fail("a value has another type than a report has");
  }
}

}  // namespace amdahlc::comparison
