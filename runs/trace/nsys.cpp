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

#include "replay/runtimes/runtime.h"
#include "runs/trace/format.h"
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

// By number, from the tables ENUM_CUDA_MEMCPY_OPER, ENUM_CUDA_MEM_KIND and ENUM_CUPTI_SYNC_TYPE of newer exports.
constexpr std::string_view kCopyKinds[] = {"",     "HtoD",         "DtoH",         "HtoA",        "AtoH",
                                           "AtoA", "AtoD",         "DtoA",         "DtoD",        "HtoH",
                                           "PtoP", "Unified HtoD", "Unified DtoH", "Unified DtoD"};
constexpr std::string_view kMemoryKinds[] = {"Pageable", "Pinned",        "Device",        "Array",
                                             "Managed",  "Device Static", "Managed Static"};
constexpr std::string_view kWaits[] = {"", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"};

template <size_t N>
std::string_view nameIn(const std::string_view (&names)[N], std::optional<int64_t> index) {
  const bool known = index && *index >= 0 && *index < static_cast<int64_t>(N) && !names[*index].empty();
  return known ? names[static_cast<size_t>(*index)] : "Unknown";
}

/// `Memcpy HtoD (Pinned -> Device)`, from the numbers of `copyKind`, `srcKind` and `dstKind`. Kineto writes the same:
/// the names of copies agree between the profilers.
std::string nsysCopyName(std::optional<int64_t> kind, std::optional<int64_t> from, std::optional<int64_t> to) {
  return fmt::format("Memcpy {} ({} -> {})", nameIn(kCopyKinds, kind), nameIn(kMemoryKinds, from),
                     nameIn(kMemoryKinds, to));
}

/// `Memset (Device)`, from the number of `memKind`.
std::string nsysSetName(std::optional<int64_t> memory) {
  return fmt::format("Memset ({})", nameIn(kMemoryKinds, memory));
}

/// `Stream Sync`, from the number of `syncType`.
std::string_view nsysWaitName(std::optional<int64_t> kind) { return nameIn(kWaits, kind); }

/// `cudaLaunchKernel_v7000` is `cudaLaunchKernel` as of CUDA 7.0; `cuMemcpyHtoD_v2` is a name of its own.
std::string_view withoutCudaVersion(std::string_view call) {
  const size_t at = call.rfind("_v");
  if (at == std::string_view::npos) return call;
  const std::string_view version = call.substr(at + 2);
  return version.size() >= 4 && isDigits(version) ? call.substr(0, at) : call;
}

/// The runtime whose namespaces a kernel's name contains (`at::native::`); empty if it is of none.
std::string_view runtimeOfKernel(std::string_view name) {
  for (const std::string& runtime : knownRuntimes())
    for (const std::string_view space : runtimeAdapter(runtime).kernelNamespaces())
      if (name.find(space) != std::string_view::npos) return runtime;
  return {};
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
  using Cell = SqliteFile::Cell;
  /// What a row of device work says about its place. The first columns of each query for device work.
  static constexpr std::string_view kPlaceColumns[] = {"start",    "end",      "globalPid",     "contextId",
                                                       "streamId", "deviceId", "correlationId", "graphNodeId"};

  /// Calls `read` with start, duration and the other cells of each row of the table that has a start and an end, which
  /// are the first columns.
  template <size_t kCount, typename Read>
  void eachInterval(std::string_view base, const std::string_view (&columns)[kCount], const Read& read) {
    database_.eachRow(base, columns, [&](Cell startCell, Cell endCell, auto... others) {
      const auto start = startCell.integer(), end = endCell.integer();
      if (start && end)
        read(*start, durationBetween(*start, *end), others...);
      else
        ++incomplete_;
    });
  }

  void readStrings() {
    database_.eachRow("StringIds", {"id", "value"}, [&](Cell id, Cell value) {
      if (const auto number = id.integer())
        if (const auto text = value.text()) strings_.emplace(*number, wellFormed(*text));
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

  /// The text of the first cell that has one; nullptr if none has.
  const std::string* nameFrom(std::initializer_list<Cell> cells) const {
    for (const Cell& cell : cells)
      if (const auto id = cell.integer())
        if (const auto known = strings_.find(*id); known != strings_.end() && !known->second.empty())
          return &known->second;
    return nullptr;
  }

  NsysStream streamIn(Cell process, Cell context, Cell stream) const {
    const auto global = process.integer();
    return {global ? NsysProcess::of(*global) : tracks_.onlyProcess(), context.integer().value_or(-1),
            stream.integer().value_or(-1)};
  }

  /// Before any event is added: the name of a stream's track depends on the others.
  void readStreams() {
    const int64_t incompleteBefore = incomplete_, wrongTypesBefore = database_.wrongTypes();
    for (const std::string_view base : kWorkTables)
      eachInterval(base, kPlaceColumns,
                   [&](int64_t, int64_t, Cell process, Cell context, Cell stream, Cell device, Cell, Cell) {
                     tracks_.note(streamIn(process, context, stream), device.integer().value_or(-1));
                   });
    // The same rows are read and counted again.
    incomplete_ = incompleteBefore;
    database_.resetWrongTypes(wrongTypesBefore);
  }

  /// Adds an event of this kind for each row of a table of device work. `describe` reads the cells of the columns that
  /// only this table has, which are `own`, into the event and into the text of its name. The event is left out if it
  /// returns false.
  template <size_t kOwn, typename Describe>
  void eachDeviceEvent(EventKind kind, std::string_view base, const std::string_view (&own)[kOwn],
                       const Describe& describe) {
    std::string_view columns[std::size(kPlaceColumns) + kOwn];
    std::ranges::copy(own, std::ranges::copy(kPlaceColumns, columns).out);
    eachInterval(base, columns,
                 [&](int64_t startNs, int64_t durationNs, Cell process, Cell context, Cell number, Cell device,
                     Cell correlation, Cell graphNode, auto... cells) {
                   const NsysStream stream = streamIn(process, context, number);
                   const int64_t cudaId = device.integer().value_or(-1);
                   RawEvent event;
                   event.kind = kind;
                   event.startNs = startNs;
                   event.durationNs = durationNs;
                   event.track = tracks_.deviceTrack(stream, cudaId);
                   event.correlation = tracks_.correlationOf(stream.process, correlation.integer());
                   if (graphNode.integer()) graphLaunches_.insert(event.correlation);
                   if (info(kind).deviceWork) timeOfDevice_[tracks_.deviceOf(stream, cudaId)] += durationNs;
                   std::string name;
                   if (!describe(event, name, cells...)) return;
                   event.name = name;
                   builder_.add(event);
                 });
  }

  void readRuntimeCalls() {
    eachInterval("CUPTI_ACTIVITY_KIND_RUNTIME", {"start", "end", "globalTid", "correlationId", "nameId"},
                 [&](int64_t startNs, int64_t durationNs, Cell threadCell, Cell correlation, Cell nameCell) {
                   const auto thread = threadCell.integer();
                   if (!thread) {
                     ++withoutThread_;
                     return;
                   }
                   const std::string* name = nameFrom({nameCell});
                   withoutName_ += name == nullptr;
                   RawEvent event;
                   event.kind = EventKind::Runtime;
                   event.startNs = startNs;
                   event.durationNs = durationNs;
                   event.name = name ? withoutCudaVersion(*name) : "unknown call";
                   event.track = tracks_.hostTrack(*thread);
                   event.correlation = tracks_.correlationOf(NsysProcess::of(*thread), correlation.integer());
                   hasCalls_ = true;
                   builder_.add(event);
                 });
  }

  void readKernels() {
    eachDeviceEvent(EventKind::Kernel, kKernels,
                    {"demangledName", "shortName", "mangledName", "registersPerThread", "staticSharedMemory",
                     "dynamicSharedMemory", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"},
                    [&](RawEvent& event, std::string& text, Cell demangled, Cell shortened, Cell mangled,
                        Cell registers, Cell fixedBytes, Cell dynamicBytes, auto... sizes) {
                      const std::string* name = nameFrom({demangled, shortened, mangled});
                      withoutName_ += name == nullptr;
                      if (name) countRuntime(*name);
                      text = name ? *name : "unknown kernel";
                      const int64_t known[] = {sizes.integer().value_or(-1)...};
                      LaunchFacts facts;
                      std::copy_n(known, 3, facts.grid);
                      std::copy_n(known + 3, 3, facts.block);
                      facts.registers = registers.integer().value_or(-1);
                      const auto fixed = fixedBytes.integer(), dynamic = dynamicBytes.integer();
                      if (fixed && dynamic && *fixed >= 0 && *dynamic >= 0 && *fixed <= INT64_MAX - *dynamic)
                        facts.sharedMemoryBytes = *fixed + *dynamic;
                      event.facts = builder_.facts(facts);
                      return true;
                    });
  }

  uint32_t factsOfBytes(Cell bytes) {
    LaunchFacts facts;
    facts.bytes = bytes.integer().value_or(-1);
    return builder_.facts(facts);
  }

  /// Calls of one operator have few different shapes.
  uint32_t factsOfShapes(NvtxRange& range) {
    const auto [known, added] = factsOfShapes_.try_emplace(std::string(range.shapesText), kNoFacts);
    if (added) known->second = builder_.facts(OperatorFacts{std::move(*range.shapes), {}});
    return known->second;
  }

  void readCopies() {
    eachDeviceEvent(EventKind::Copy, kCopies, {"bytes", "copyKind", "srcKind", "dstKind"},
                    [&](RawEvent& event, std::string& name, Cell bytes, Cell kind, Cell from, Cell to) {
                      name = nsysCopyName(kind.integer(), from.integer(), to.integer());
                      event.facts = factsOfBytes(bytes);
                      return true;
                    });
  }

  void readSets() {
    eachDeviceEvent(EventKind::Set, kSets, {"bytes", "memKind"},
                    [&](RawEvent& event, std::string& name, Cell bytes, Cell kind) {
                      name = nsysSetName(kind.integer());
                      event.facts = factsOfBytes(bytes);
                      return true;
                    });
  }

  void readGraphs() {
    int64_t whole = 0;
    eachDeviceEvent(EventKind::Kernel, kGraphs, {"graphId"}, [&](const RawEvent& event, std::string& name, Cell graph) {
      if (event.correlation >= 0 && graphLaunches_.contains(event.correlation)) return false;  // its kernels are known
      const auto number = graph.integer();
      name = number ? fmt::format("CUDA graph {}", *number) : "CUDA graph";
      ++whole;
      return true;
    });
    builder_.problem(
        "whole-graph", whole,
        "launches of CUDA graphs are recorded as a whole, each as one event; the kernels inside are unknown; "
        "record with `nsys profile --cuda-graph-trace=node` to see them");
  }

  void readWaits() {
    eachDeviceEvent(EventKind::Synchronization, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", {"syncType"},
                    [](RawEvent&, std::string& name, Cell kind) {
                      name = nsysWaitName(kind.integer());
                      return true;
                    });
  }

  void readRanges() {
    int64_t unfinished = 0, cutOff = 0;
    const auto readRange = [&](Cell startCell, Cell endCell, Cell threadCell, Cell typeCell, Cell textCell,
                               Cell textId) {
      const int64_t type = typeCell.integer().value_or(typeCell.exists() ? int64_t{0} : int64_t{PushPopRange});
      const bool isRange = type == PushPopRange || type == StartEndRange || type == ImportedPushPopRange ||
                           type == ImportedStartEndRange;
      const auto start = startCell.integer(), end = endCell.integer();
      if (type == PushRange || type == StartRange || (isRange && start && !end)) ++unfinished;
      if (!isRange || !end) return;
      const auto thread = threadCell.integer();
      if (!start || !thread) {
        ++(start ? withoutThread_ : incomplete_);
        return;
      }
      std::string own;
      const std::string* text = nullptr;
      if (const auto written = textCell.text(); written && !written->empty())
        text = &(own = wellFormed(*written));
      else
        text = nameFrom({textId});
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
    };
    database_.eachRow("NVTX_EVENTS", {"start", "end", "globalTid", "eventType", "text", "textId"}, readRange);
    builder_.problem("unfinished-range", unfinished, "NVTX ranges without an end are left out");
    builder_.problem("shortened-range", cutOff,
                     "NVTX ranges of operators have a shortened text; their shapes are unknown");
  }

  void nameThreads() {
    database_.eachRow("ThreadNames", {"nameId", "globalTid"}, [&](Cell nameCell, Cell threadCell) {
      const auto thread = threadCell.integer();
      if (!thread) return;
      const auto track = tracks_.findHostTrack(*thread);
      const std::string* name = nameFrom({nameCell});
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
      return std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
    };
    if (hasOperators_)
      target.runtime = kPyTorch;
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
  return std::ranges::any_of(database.tables(),
                             [](const std::string& table) { return table.starts_with(kActivityPrefix); }) ||
         std::ranges::any_of(kOwnTables, [&](std::string_view table) { return !database.newestTable(table).empty(); });
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
