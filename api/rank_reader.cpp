#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "api/inputs.h"
#include "api/rank_attempt.h"
#include "runs/execution_trace/reader.h"
#include "runs/program/traced_calls.h"
#include "runs/ranks/numbering.h"
#include "runs/trace/reader.h"
#include "support/file.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/printable.h"

namespace amdahlc::api {
namespace {

std::optional<ranks::RankRecord> readRank(const std::string& path, const TraceSelection& selection,
                                          DiagnosticEngine& diagnostics) {
  const auto timeline = trace::readTrace({path}, {"rank", selection}, diagnostics);
  if (!timeline || !trace::hasWork(*timeline, path, diagnostics)) return std::nullopt;
  return ranks::recordOf(*timeline);
}

/// Without memory it says nothing: even a message takes some, which other threads may have taken.
RankAttempt readBesideOthers(const std::string& path, const TraceSelection& selection) {
  RankAttempt attempt;
  try {
    DiagnosticEngine diagnostics([&](const Diagnostic& diagnostic) { attempt.found.push_back(diagnostic); });
    attempt.record = readRank(path, selection, diagnostics);
  } catch (const std::bad_alloc&) {
    attempt.found.clear();
    attempt.ranOutOfMemory = true;
  }
  return attempt;
}

/// Calls `work` with 0 to `count` - 1, each once, from up to `threads` threads, the calling one among them. Rethrows
/// an exception of `work` after all threads have ended; then pieces may be left. Numbers are handed out in ascending
/// order. After each piece of the calling thread, `progress` is called there with the number of pieces that are done.
void runInParallel(size_t count, size_t threads, const std::function<void(size_t)>& work,
                   const std::function<void(size_t)>& progress) {
  std::atomic<size_t> next{0}, done{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto take = [&](bool isCaller) {
    for (size_t i = next++; i < count; i = next++) {
      try {
        work(i);
        const size_t finished = ++done;
        if (isCaller && progress) progress(finished);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
        return;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (size_t i = 1; i < std::min(threads, count); ++i) {
      try {
        others.emplace_back(take, false);
      } catch (const std::exception&) {
        break;  // without memory or threads, fewer do the same work
      }
    }
    take(true);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

bool joinExecutionTrace(const TraceArgument& argument, const Timeline& timeline,
                        std::optional<execution_trace::ExecutionTrace>& found, DiagnosticEngine& diagnostics) {
  const std::optional<int64_t> rank = timeline.rank ? std::optional(timeline.rank->rank) : argument.rank;
  const auto number = ranks::rankInFileName(timeline.file);
  std::vector<std::string> files = argument.executionTraces;
  std::ranges::stable_partition(
      files, [&](const std::string& file) { return number && ranks::rankInFileName(inputName(file)) == number; });
  size_t most = 0;
  for (const std::string& file : files) {
    auto trace = withinMemory(diagnostics, FileLocation{inputName(file)}, "the execution trace was read",
                              [&] { return execution_trace::readExecutionTrace(file, diagnostics); });
    if (!trace) return false;
    if (const auto stated = execution_trace::statedRank(*trace); stated && rank) {
      if (*stated != *rank) continue;
      found = std::move(trace);
      return true;
    }
    const execution_trace::Links links = program::linksOf(timeline, *trace);
    if (!links.belongTogether || links.linked <= most) continue;
    most = links.linked;
    found = std::move(trace);
  }
  return true;
}

std::string readRank(const std::string& path, const TraceSelection& selection) {
  return packed(readBesideOthers(path, selection));
}

std::optional<LoadedRanks> loadRanks(const Request& request, DiagnosticEngine& diagnostics,
                                     const std::function<void(double)>& progress) {
  const RankArgument& argument = *request.ranks;
  const size_t count = argument.files.size();
  const size_t threads =
      request.jobs > 0 ? static_cast<size_t>(request.jobs) : std::max<size_t>(std::thread::hardware_concurrency(), 1);
  std::vector<RankAttempt> attempts(count);
  runInParallel(
      count, threads,
      [&](size_t i) {
        const RankArgument::File& file = argument.files[i];
        attempts[i] = file.found ? unpacked(*file.found) : readBesideOthers(file.path, request.selection);
      },
      [&](size_t done) { progress(static_cast<double>(done) / static_cast<double>(count)); });

  bool good = true;
  std::vector<ranks::RankRecord> records;
  std::vector<ranks::RankName> names;
  for (size_t i = 0; i < count; ++i) {
    // Others may have taken its memory.
    if (attempts[i].ranOutOfMemory)
      attempts[i].record =
          withinMemory(diagnostics, FileLocation{inputName(argument.files[i].path)}, "the trace was read",
                       [&] { return readRank(argument.files[i].path, request.selection, diagnostics); });
    for (const Diagnostic& diagnostic : attempts[i].found) diagnostics.report(diagnostic);
    good &= attempts[i].record.has_value();
    if (!attempts[i].record) continue;
    ranks::RankRecord& record = records.emplace_back(std::move(*attempts[i].record));
    names.push_back(
        {record.file, argument.files[i].number, record.stated ? std::optional(record.stated->rank) : std::nullopt});
  }
  if (!good) return std::nullopt;
  ranks::Numbering numbering = ranks::numberRanks(names);
  if (!numbering.fault.empty()) {
    diagnostics.error(DiagId::TraceLabel, argument.range, numbering.fault);
    return std::nullopt;
  }
  const auto& numbers = numbering.numbers;
  const auto chosen = request.rank ? std::ranges::find(numbers, *request.rank) : std::ranges::min_element(numbers);
  if (chosen == numbers.end()) {
    diagnostics.error(DiagId::OptionConflict, request.rankRange,
                      fmt::format("no trace is of rank {}; they are of {}..{}", *request.rank,
                                  *std::ranges::min_element(numbers), *std::ranges::max_element(numbers)));
    return std::nullopt;
  }
  LoadedRanks loaded;
  const RankArgument::File& file = argument.files[static_cast<size_t>(chosen - numbers.begin())];
  loaded.rank = *chosen;
  loaded.paths = {file.path};
  if (!file.executionTrace.empty()) loaded.paths.push_back(file.executionTrace);
  loaded.executionTraces = argument.executionTraces;
  loaded.comparison = ranks::compareRanks(std::move(records), numbering);
  loaded.comparison.problems.add("other-file", static_cast<int64_t>(argument.others.size()),
                                 "files of the folder are left out: their names are not those of traces");
  return loaded;
}

}  // namespace amdahlc::api
