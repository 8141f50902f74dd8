// Facts about the format:
//   - Tables exist only where the run has such events. Their names may end in a version (`_V2`), and columns come and
//     go: both are found by name.
//   - Times are integer nanoseconds since the recording began, or since 1970 if the export was asked for that.
//   - Names are numbers of rows in `StringIds`.
//   - A process is the upper 40 of the 64 bits of `globalPid` and of `globalTid`; the lower 24 are the thread.
//   - `correlationId` is unique within a process only, and so is the number of a device: each process counts the
//     devices that it sees.
//   - CUDA graphs are by default recorded as a whole: one row for a launch, none for its kernels.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "replay/runtimes/pytorch.h"
#include "runs/trace/format.h"
#include "runs/trace/nsys_names.h"
#include "runs/trace/nsys_tracks.h"
#include "runs/trace/nvtx_range.h"
#include "support/name_list.h"
#include "support/printable.h"
#include "support/utf8.h"

namespace amdahlc::trace {
namespace {

/// Of `eventType` in NVTX_EVENTS, from ENUM_NSYS_EVENT_TYPE of newer files.
enum NvtxEventType : int64_t {
  PushRange = 35,
  StartRange = 37,
  PushPopRange = 59,
  StartEndRange = 60,
  // Of ranges that were imported from a text file.
  ImportedPushPopRange = 70,
  ImportedStartEndRange = 71,
};

/// Tables whose names only Nsight uses, and of which each export has one.
constexpr std::string_view kOwnTables[] = {"META_DATA_EXPORT", "META_DATA_CAPTURE", "TARGET_INFO_SESSION_START_TIME",
                                           "NVTX_EVENTS"};
constexpr std::string_view kActivityPrefix = "CUPTI_ACTIVITY_KIND_";
/// Tables of device work.
constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL", kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY",
                           kSets = "CUPTI_ACTIVITY_KIND_MEMSET", kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr std::string_view kWorkTables[] = {kKernels, kCopies, kSets, kGraphs};

int64_t durationBetween(int64_t startNs, int64_t endNs) {
  int64_t durationNs = 0;
  // The builder leaves out events that are as long.
  if (__builtin_sub_overflow(endNs, startNs, &durationNs)) return endNs < startNs ? -1 : INT64_MAX;
  return durationNs;
}

class NsysReader {
 public:
  NsysReader(SqliteFile& database, TimelineBuilder& builder)
      : database_(database), builder_(builder), tracks_(database, builder) {}

  void read() {
    readStrings();
    readRuntimeCalls();
    readStreams();
    readKernels();
    readCopies();
    readSets();
    readGraphs();
    readWaits();
    readRanges();
    nameThreads();
    finish();
  }

 private:
  using Columns = std::vector<std::string_view>;
  /// What a row of device work says about its place. The first columns of each query for device work.
  enum PlaceColumn : size_t {
    StartColumn,
    EndColumn,
    ProcessColumn,
    DeviceColumn,
    ContextColumn,
    StreamColumn,
    CorrelationColumn,
    GraphNodeColumn,
    FirstOwnColumn
  };
  static Columns deviceColumns(std::initializer_list<std::string_view> own) {
    Columns columns{"start", "end", "globalPid", "deviceId", "contextId", "streamId", "correlationId", "graphNodeId"};
    columns.insert(columns.end(), own);
    return columns;
  }

  /// Calls `read` with each row of the table that has a start and an end.
  template <typename Read>
  void eachInterval(std::string_view base, const Columns& columns, Read read) {
    database_.eachRow(base, columns, [&](SqliteFile::Rows& rows) {
      const auto start = rows.integer(StartColumn), end = rows.integer(EndColumn);
      if (start && end)
        read(rows, *start, durationBetween(*start, *end));
      else
        ++incomplete_;
    });
  }

  void readStrings() {
    enum : size_t { IdColumn, ValueColumn };
    database_.eachRow("StringIds", Columns{"id", "value"}, [&](SqliteFile::Rows& rows) {
      if (const auto id = rows.integer(IdColumn); id)
        if (const auto value = rows.text(ValueColumn); value) strings_.emplace(*id, wellFormed(*value));
    });
  }

  /// Names go into reports, which are UTF-8.
  std::string wellFormed(std::string_view text) {
    text = builder_.nameWithinLimit(text);
    std::string out;
    while (out.size() < text.size()) {
      const std::string_view rest = text.substr(out.size());
      const size_t length = utf8::sequenceLength(rest);
      out += length == 0 ? "?" : rest.substr(0, length);
    }
    brokenNames_ += out != text;
    return out;
  }

  /// The text of the first column that has one; nullptr if none has.
  const std::string* nameFrom(SqliteFile::Rows& rows, std::initializer_list<size_t> columns) const {
    for (const size_t column : columns)
      if (const auto id = rows.integer(column); id)
        if (const auto known = strings_.find(*id); known != strings_.end() && !known->second.empty())
          return &known->second;
    return nullptr;
  }

  NsysStream streamIn(SqliteFile::Rows& rows) const {
    const auto global = rows.integer(ProcessColumn);
    return {global ? NsysProcess::of(*global) : tracks_.onlyProcess(), rows.integerOr(ContextColumn, -1),
            rows.integerOr(StreamColumn, -1)};
  }

  /// Before any event is added: the name of a stream's track depends on the others.
  void readStreams() {
    const int64_t incompleteBefore = incomplete_, wrongTypesBefore = database_.wrongTypes();
    for (const std::string_view base : kWorkTables)
      eachInterval(base, deviceColumns({}), [&](SqliteFile::Rows& rows, int64_t, int64_t) {
        tracks_.note(streamIn(rows), rows.integerOr(DeviceColumn, -1));
      });
    // The same rows are read and counted again.
    incomplete_ = incompleteBefore;
    database_.resetWrongTypes(wrongTypesBefore);
  }

  /// Adds an event of this kind for each row of a table of device work. `describe` reads the columns that only this
  /// table has, which are `own`, into the event and into the text of its name. The event is left out if it returns
  /// false.
  template <typename Describe>
  void eachDeviceEvent(EventKind kind, std::string_view base, std::initializer_list<std::string_view> own,
                       Describe describe) {
    eachInterval(base, deviceColumns(own), [&](SqliteFile::Rows& rows, int64_t startNs, int64_t durationNs) {
      const NsysStream stream = streamIn(rows);
      const int64_t cudaId = rows.integerOr(DeviceColumn, -1);
      RawEvent event;
      event.kind = kind;
      event.startNs = startNs;
      event.durationNs = durationNs;
      event.track = tracks_.deviceTrack(stream, cudaId);
      event.correlation = tracks_.correlationOf(stream.process, rows.integer(CorrelationColumn));
      if (rows.integer(GraphNodeColumn)) graphLaunches_.insert(event.correlation);
      if (info(kind).deviceWork) timeOfDevice_[tracks_.deviceOf(stream, cudaId)] += durationNs;
      std::string name;
      if (!describe(rows, event, name)) return;
      event.name = name;
      builder_.add(event);
    });
  }

  void readRuntimeCalls() {
    enum : size_t { ThreadColumn = EndColumn + 1, CallColumn, NameColumn };
    eachInterval("CUPTI_ACTIVITY_KIND_RUNTIME", {"start", "end", "globalTid", "correlationId", "nameId"},
                 [&](SqliteFile::Rows& rows, int64_t startNs, int64_t durationNs) {
                   const auto thread = rows.integer(ThreadColumn);
                   if (!thread) {
                     ++withoutThread_;
                     return;
                   }
                   const std::string* name = nameFrom(rows, {NameColumn});
                   withoutName_ += name == nullptr;
                   RawEvent event;
                   event.kind = EventKind::Runtime;
                   event.startNs = startNs;
                   event.durationNs = durationNs;
                   event.name = name ? withoutCudaVersion(*name) : "unknown call";
                   event.track = tracks_.hostTrack(*thread);
                   event.correlation = tracks_.correlationOf(NsysProcess::of(*thread), rows.integer(CallColumn));
                   hasCalls_ = true;
                   builder_.add(event);
                 });
  }

  void readKernels() {
    enum : size_t {
      DemangledColumn = FirstOwnColumn,
      ShortColumn,
      MangledColumn,
      GridXColumn,
      GridYColumn,
      GridZColumn,
      BlockXColumn,
      BlockYColumn,
      BlockZColumn,
      RegistersColumn,
      StaticColumn,
      DynamicColumn
    };
    eachDeviceEvent(EventKind::Kernel, kKernels,
                    {"demangledName", "shortName", "mangledName", "gridX", "gridY", "gridZ", "blockX", "blockY",
                     "blockZ", "registersPerThread", "staticSharedMemory", "dynamicSharedMemory"},
                    [&](SqliteFile::Rows& rows, RawEvent& event, std::string& text) {
                      const std::string* name = nameFrom(rows, {DemangledColumn, ShortColumn, MangledColumn});
                      withoutName_ += name == nullptr;
                      if (name) countRuntime(*name);
                      text = name ? *name : "unknown kernel";
                      LaunchFacts facts;
                      for (size_t i = 0; i < 3; ++i) {
                        facts.grid[i] = rows.integerOr(GridXColumn + i, -1);
                        facts.block[i] = rows.integerOr(BlockXColumn + i, -1);
                      }
                      facts.registers = rows.integerOr(RegistersColumn, -1);
                      const auto fixed = rows.integer(StaticColumn), dynamic = rows.integer(DynamicColumn);
                      if (fixed && dynamic && *fixed >= 0 && *dynamic >= 0 && *fixed <= INT64_MAX - *dynamic)
                        facts.sharedMemoryBytes = *fixed + *dynamic;
                      event.facts = builder_.facts(facts);
                      return true;
                    });
  }

  uint32_t factsOfBytes(std::optional<int64_t> bytes) {
    LaunchFacts facts;
    facts.bytes = bytes.value_or(-1);
    return builder_.facts(facts);
  }

  /// Calls of one operator have few different shapes.
  uint32_t factsOfShapes(NvtxRange& range) {
    const auto [known, added] = factsOfShapes_.try_emplace(std::string(range.shapesText), kNoFacts);
    if (added) known->second = builder_.facts(OperatorFacts{std::move(*range.shapes), {}});
    return known->second;
  }

  void readCopies() {
    enum : size_t { BytesColumn = FirstOwnColumn, KindColumn, FromColumn, ToColumn };
    eachDeviceEvent(EventKind::Copy, kCopies, {"bytes", "copyKind", "srcKind", "dstKind"},
                    [&](SqliteFile::Rows& rows, RawEvent& event, std::string& name) {
                      name = nsysCopyName(rows.integer(KindColumn), rows.integer(FromColumn), rows.integer(ToColumn));
                      event.facts = factsOfBytes(rows.integer(BytesColumn));
                      return true;
                    });
  }

  void readSets() {
    enum : size_t { BytesColumn = FirstOwnColumn, KindColumn };
    eachDeviceEvent(EventKind::Set, kSets, {"bytes", "memKind"},
                    [&](SqliteFile::Rows& rows, RawEvent& event, std::string& name) {
                      name = nsysSetName(rows.integer(KindColumn));
                      event.facts = factsOfBytes(rows.integer(BytesColumn));
                      return true;
                    });
  }

  void readGraphs() {
    enum : size_t { GraphColumn = FirstOwnColumn };
    int64_t whole = 0;
    eachDeviceEvent(EventKind::Kernel, kGraphs, {"graphId"},
                    [&](SqliteFile::Rows& rows, const RawEvent& event, std::string& name) {
                      if (event.correlation >= 0 && graphLaunches_.contains(event.correlation))
                        return false;  // its kernels are known
                      const auto graph = rows.integer(GraphColumn);
                      name = graph ? fmt::format("CUDA graph {}", *graph) : "CUDA graph";
                      ++whole;
                      return true;
                    });
    builder_.problem(
        "whole-graph", whole,
        "launches of CUDA graphs are recorded as a whole, each as one event; the kernels inside are unknown; "
        "record with `nsys profile --cuda-graph-trace=node` to see them");
  }

  void readWaits() {
    enum : size_t { KindColumn = FirstOwnColumn };
    eachDeviceEvent(EventKind::Synchronization, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", {"syncType"},
                    [&](SqliteFile::Rows& rows, RawEvent&, std::string& name) {
                      name = nsysWaitName(rows.integer(KindColumn));
                      return true;
                    });
  }

  void readRanges() {
    enum : size_t { ThreadColumn = EndColumn + 1, TypeColumn, TextColumn, TextIdColumn };
    int64_t unfinished = 0, cutOff = 0;
    const Columns columns{"start", "end", "globalTid", "eventType", "text", "textId"};
    database_.eachRow("NVTX_EVENTS", columns, [&](SqliteFile::Rows& rows) {
      const int64_t type = rows.integerOr(TypeColumn, rows.has(TypeColumn) ? int64_t{0} : int64_t{PushPopRange});
      const bool isRange = type == PushPopRange || type == StartEndRange || type == ImportedPushPopRange ||
                           type == ImportedStartEndRange;
      const auto start = rows.integer(StartColumn), end = rows.integer(EndColumn);
      if (type == PushRange || type == StartRange || (isRange && start && !end)) ++unfinished;
      if (!isRange || !end) return;
      const auto thread = rows.integer(ThreadColumn);
      if (!start || !thread) {
        ++(start ? withoutThread_ : incomplete_);
        return;
      }
      std::string own;
      const std::string* text = nullptr;
      if (const auto written = rows.text(TextColumn); written && !written->empty())
        text = &(own = wellFormed(*written));
      else
        text = nameFrom(rows, {TextIdColumn});
      if (text == nullptr) {
        ++withoutName_;
        return;
      }
      NvtxRange range = readNvtxRange(*text);
      cutOff += range.cutOff;
      hasOperators_ |= range.kind == EventKind::Operator;
      RawEvent event;
      event.kind = range.kind;
      event.startNs = *start;
      event.durationNs = durationBetween(*start, *end);
      event.name = range.name;
      event.track = tracks_.hostTrack(*thread);
      event.recordOrder = range.operatorId;
      event.sequenceNumber = range.sequenceNumber;
      if (range.shapes) event.facts = factsOfShapes(range);
      builder_.add(event);
    });
    builder_.problem("unfinished-range", unfinished, "NVTX ranges without an end are left out");
    builder_.problem("shortened-range", cutOff,
                     "NVTX ranges of operators have a shortened text; their shapes are unknown");
  }

  void nameThreads() {
    enum : size_t { NameColumn, ThreadColumn };
    database_.eachRow("ThreadNames", Columns{"nameId", "globalTid"}, [&](SqliteFile::Rows& rows) {
      const auto thread = rows.integer(ThreadColumn);
      if (!thread) return;
      const auto track = tracks_.findHostTrack(*thread);
      const std::string* name = nameFrom(rows, {NameColumn});
      if (track && name) builder_.nameTrack(*track, *name);
    });
  }

  void finish() {
    builder_.problem("incomplete-event", incomplete_, "events without a start or an end are left out");
    builder_.problem("event-without-thread", withoutThread_, "calls and ranges without a thread are left out");
    builder_.problem("event-without-name", withoutName_,
                     "kernels and calls whose name the file lacks are `unknown`; such ranges are left out");
    builder_.problem("name-not-utf-8", brokenNames_, "bytes of names that are not UTF-8 are question marks");
    builder_.problem("value-of-another-type", database_.wrongTypes(),
                     "values have another type than their column; they are unknown");
    tracks_.reportProblems();
    if (timeOfDevice_.empty() && !hasCalls_)
      builder_.problem(
          "no-cuda-activity", 1,
          "the file has no CUDA activity: nothing ran on a GPU, or the run was recorded without `nsys profile "
          "--trace=cuda`, and times are those of the host");
    builder_.facts().target = target();
  }

  void countRuntime(const std::string& kernel) {
    const auto [known, added] = runtimeOf_.try_emplace(&kernel);
    if (added) known->second = runtimeOfKernel(kernel);
    if (!known->second.empty()) ++kernelsOf_[known->second];
  }

  Target target() const {
    Target target;
    const auto most = [](const auto& counts) {
      return std::max_element(counts.begin(), counts.end(),
                              [](const auto& a, const auto& b) { return a.second < b.second; });
    };
    if (hasOperators_)
      target.runtime = PyTorchRuntime::kName;
    else if (!kernelsOf_.empty())
      target.runtime = most(kernelsOf_)->first;
    if (timeOfDevice_.empty()) return target;
    target.vendor = "nvidia";
    for (const auto& [device, time] : timeOfDevice_) {
      Target ofDevice = target;
      tracks_.devices().describe(device, ofDevice);
      builder_.deviceTarget(std::to_string(device), ofDevice);
    }
    tracks_.devices().describe(most(timeOfDevice_)->first, target);
    return target;
  }

  SqliteFile& database_;
  TimelineBuilder& builder_;
  NsysTracks tracks_;
  std::unordered_map<int64_t, std::string> strings_;
  /// By device.
  std::map<int64_t, __int128> timeOfDevice_;
  /// Correlations of the launches of graphs whose kernels are recorded.
  std::unordered_set<int64_t> graphLaunches_;
  /// The runtime of each kernel's name in `strings_`.
  std::unordered_map<const std::string*, std::string_view> runtimeOf_;
  /// By runtime.
  std::map<std::string_view, int64_t> kernelsOf_;
  std::unordered_map<std::string, uint32_t> factsOfShapes_;
  bool hasCalls_ = false;
  bool hasOperators_ = false;

  int64_t incomplete_ = 0;
  int64_t withoutThread_ = 0;
  int64_t withoutName_ = 0;
  int64_t brokenNames_ = 0;
};

bool isNsight(const SqliteFile& database) {
  return std::any_of(database.tables().begin(), database.tables().end(),
                     [](const std::string& table) { return table.starts_with(kActivityPrefix); }) ||
         std::any_of(std::begin(kOwnTables), std::end(kOwnTables),
                     [&](std::string_view table) { return !database.newestTable(table).empty(); });
}

std::string tablesOf(const SqliteFile& database) {
  std::vector<std::string> names;
  for (const std::string_view table : database.tables()) names.push_back(printable(table.substr(0, 64)));
  if (names.empty()) return "it has no tables";
  return (names.size() == 1 ? "its table is " : "its tables are ") + firstNames(names);
}

bool looksLikeNsys(const Beginning& beginning) { return looksLikeSqlite(beginning.bytes); }

bool readNsys(TraceFiles files, TimelineBuilder& builder, DiagnosticEngine& diagnostics) {
  TraceFile& file = *files.front();
  const auto database = SqliteFile::open(file, diagnostics);
  if (!database) return false;
  if (!isNsight(*database)) {
    diagnostics
        .error(DiagId::TraceUnknownFormat, FileLocation{file.name()},
               fmt::format("the SQLite database is not an export of Nsight Systems; {}", tablesOf(*database)))
        .note(std::string(kNsysFormat.advice));
    return false;
  }
  try {
    NsysReader(*database, builder).read();
    return true;
  } catch (const SqliteError& error) {
    diagnostics.error(DiagId::TraceInvalid, FileLocation{file.name()}, error.what());
    return false;
  }
}

}  // namespace

const Format kNsysFormat{
    .name = "nsys",
    .description = "Nsight Systems SQLite export",
    .maxFiles = 1,
    .recognises = looksLikeNsys,
    .read = readNsys,
    .advice = "`nsys export --type=sqlite REPORT.nsys-rep` makes an SQLite export of a report of Nsight Systems",
    .endingsOfOthers = {".nsys-rep", ".qdrep"}};

}  // namespace amdahlc::trace
