#include "report/comparison/report_reader.h"

#include <fmt/format.h>

#include <algorithm>
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
    return nanoseconds(member(key), fmt::format("{}.{}", where_, key));
  }
  /// nullopt for null.
  std::optional<int64_t> time(std::string_view key) const {
    return member(key).is_null() ? std::nullopt : std::optional(nanoseconds(key));
  }
  /// For each recording, a time for each iteration; empty for null, and in reports that have none.
  Samples samples(std::string_view key) const {
    Samples all;
    if (const Json* const found = find(key); found == nullptr || found->is_null()) return all;
    for (const Part& recording : parts(key)) {
      std::vector<int64_t>& timesNs = all.emplace_back();
      if (!recording.value_.is_array()) throw Fault{fmt::format("`{}` is no array", recording.where_)};
      for (const Json& one : recording.value_) timesNs.push_back(recording.nanoseconds(one, recording.where_));
      if (timesNs.empty()) throw Fault{fmt::format("`{}` is empty", recording.where_)};
    }
    return all;
  }

 private:
  static int64_t nanoseconds(const Json& value, std::string_view where) {
    if (value.is_number_unsigned() ? value.get<uint64_t>() <= INT64_MAX
                                   : value.is_number_integer() && value.get<int64_t>() >= 0)
      return value.get<int64_t>();
    throw Fault{fmt::format("`{}` is no time: a number of nanoseconds that is not negative", where)};
  }

  const Json& value_;
  std::string where_;
};

/// The times of a run in a report.
class TimeReader {
 public:
  explicit TimeReader(const Part& trace) : trace_(trace) {
    if (trace_.find(keys::kStatistic) != nullptr && trace_.text(keys::kStatistic) == name(Average::Mean))
      average_ = Average::Mean;
    if (trace_.find(keys::kSamples) != nullptr) samples_.emplace(trace_.part(keys::kSamples));
    if (hasSamples()) busy_ = samples_->samples(keys::kBusySamples);
  }

  Average average() const { return average_; }
  /// A total; nullopt for null.
  std::optional<MeasuredTime> total(std::string_view key, std::string_view keyOfSamples) const {
    const auto ns = trace_.time(key);
    if (!ns) return std::nullopt;
    return time(*ns, hasSamples() ? samples_->samples(keyOfSamples) : Samples());
  }
  /// Of a kernel or a group; nullopt for null.
  std::optional<MeasuredTime> of(const Part& row) const {
    const auto ns = row.time(keys::kDuration);
    if (!ns) return std::nullopt;
    return time(*ns, row.samples(keys::kSamples));
  }

 private:
  bool hasSamples() const { return samples_ && !samples_->isNull(); }

  MeasuredTime time(int64_t statedNs, Samples samples) const {
    if (samples.empty()) return MeasuredTime(statedNs);
    if (!std::ranges::equal(samples, busy_, {}, &std::vector<int64_t>::size, &std::vector<int64_t>::size))
      throw Fault{
          fmt::format("a `{0}` has other iterations than `{0}.{1}` of its trace", keys::kSamples, keys::kBusySamples)};
    return average_ == Average::Mean ? MeasuredTime(statedNs) : MeasuredTime(std::move(samples));
  }

  const Part& trace_;
  Average average_ = Average::Median;
  std::optional<Part> samples_;
  Samples busy_;
};

std::vector<MeasuredGroup> groups(const Part& aggregates, std::string_view key, const TimeReader& times) {
  std::vector<MeasuredGroup> rows;
  for (const Part& row : aggregates.parts(key))
    rows.push_back({row.text(keys::kName), times.of(row).value_or(MeasuredTime{})});
  return rows;
}

/// nullopt for a run without times.
std::optional<MeasuredRun> readRun(const Part& run) {
  const Part trace = run.part(keys::kTrace), aggregates = run.part(keys::kAggregates);
  if (trace.isNull() || aggregates.isNull()) return std::nullopt;
  const TimeReader times(trace);
  MeasuredRun out;
  out.average = times.average();
  const auto busy = times.total(keys::kBusy, keys::kBusySamples);
  if (!busy) return std::nullopt;
  out.busy = *busy;
  if (trace.find(keys::kUndisturbedBusy) != nullptr) out.undisturbedBusyNs = trace.time(keys::kUndisturbedBusy);
  out.wall = times.total(keys::kWall, keys::kWallSamples);
  out.window = times.total(keys::kWindow, keys::kWindowSamples);
  out.label = run.text(keys::kLabel);
  out.device = run.part(keys::kTarget).text(keys::kDevice);
  const std::string trust = run.text(keys::kTrust);
  if (trust == keys::kTrustNone) out.distrust = printable(run.text(keys::kVerdict));
  if (trust == keys::kTrustLimited) out.caution = printable(run.text(keys::kVerdict));
  if (run.find(keys::kBinding) != nullptr) {
    const Part binding = run.part(keys::kBinding);
    const Json* const forwards = binding.find(keys::kForwards);
    // A run of which no forward was found says 0.
    if (forwards != nullptr && forwards->is_number() && forwards->get<double>() > 0)
      out.forwards = forwards->get<double>();
    for (const std::string_view key : {keys::kAmbiguous, keys::kUnknown})
      if (binding.find(key) != nullptr)
        if (const auto ns = binding.time(key)) out.unexplainedNs += std::min(*ns, INT64_MAX - out.unexplainedNs);
  }
  for (const Part& row : run.parts(keys::kKernels)) {
    const auto time = times.of(row);
    if (!time) continue;
    if (const std::string state = row.text(keys::kState); state != keys::kNoDeviceWork)
      out.kernels.push_back({row.text(keys::kLabel), row.texts(keys::kNodes), row.text(keys::kScope),
                             row.text(keys::kCategory), *time,
                             state == keys::kMissed || state == keys::kAmbiguousKernel});
  }
  out.categories = groups(aggregates, keys::kCategory, times);
  out.scopes = groups(aggregates, keys::kScope, times);
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
