/// The extension `amdahlc._core`: one analysis, its tables, and the command. The package `amdahlc` around it is what
/// users see.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanoarrow/nanoarrow.h>

#include "api/analysis.h"
#include "api/inputs.h"
#include "api/trace_files.h"
#include "driver/command.h"
#include "driver/options.h"
#include "driver/settings.h"
#include "driver/version.h"
#include "passes/registry/all_passes.h"
#include "python/src/arrow_table.h"
#include "report/outputs/output.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace amdahlc::python {
namespace {

/// The parts of `argv`, which stay valid as long as it.
class Arguments {
 public:
  explicit Arguments(std::vector<std::string> texts) : texts_(std::move(texts)) {
    texts_.insert(texts_.begin(), "amdahlc");
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  int count() const { return static_cast<int>(texts_.size()); }
  char** values() { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

/// File, line and column from 1, as far as they are known.
using Place = std::tuple<std::string, std::optional<uint32_t>, std::optional<uint32_t>>;

/// Where a message points to.
Place placeOf(const Location& location, const SourceManager& sources) {
  if (const auto* range = std::get_if<SourceRange>(&location)) {
    const LineColumn place = sources.lineColumn(range->buffer, range->begin);
    return {std::string(sources.name(range->buffer)), place.line, place.column};
  }
  if (const auto* file = std::get_if<FileLocation>(&location)) return {file->file, std::nullopt, std::nullopt};
  if (const auto* model = std::get_if<OnnxLocation>(&location)) return {model->file, std::nullopt, std::nullopt};
  if (const auto* trace = std::get_if<TraceLocation>(&location)) return {trace->file, std::nullopt, std::nullopt};
  return {};
}

std::string_view nameOf(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Remark:
      return "remark";
    case Severity::Note:
      return "note";
  }
  return "";
}

/// What messages quote of an input may be no UTF-8.
nb::str textOf(std::string_view text) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

using Progress = nb::typed<nb::callable, void(nb::str, double)>;

/// An analysis that several threads may use, one after the other. Its work is done without Python's lock.
class Analysis {
 public:
  /// Arguments as the command has them, less its name. `model` holds the bytes of the input if it is no file.
  /// `progress` is called with what is done and which part of it, below 0 if that is unknown; it may be None. `traces`
  /// are further ones: the label of a run, which may be empty, and its files.
  Analysis(std::vector<std::string> arguments, std::optional<nb::bytes> model, const std::string& shippedFolder,
           std::optional<Progress> progress,
           const std::vector<std::pair<std::string, std::vector<std::string>>>& traces)
      : progress_(std::move(progress)) {
    // The C library's reader of options has a state of the process; Python's lock guards it.
    Arguments argv(std::move(arguments));
    driver::Invocation invocation =
        driver::readCommandLine(argv.count(), argv.values(), messages_.sources, messages_.diagnostics);
    if (messages_.diagnostics.hasErrors()) {
      outcome_ = api::Outcome::RequestFault;
      return;
    }
    for (const auto& [label, files] : traces) {
      // Messages quote it as an option of the command.
      const std::string start = label.empty() ? "-trace=" : fmt::format("-trace={}=", label);
      const std::string names = fmt::format("{}", fmt::join(files, ","));
      const BufferId buffer = messages_.sources.add("<command line>", start + names);
      const auto begin = static_cast<uint32_t>(start.size());
      const SourceRange range{buffer, begin, begin + static_cast<uint32_t>(names.size())};
      invocation.traces.push_back({label, files, range});
    }
    driver::Settings settings;
    outcome_ = driver::readSettings(invocation, allPasses(), messages_.sources, messages_.diagnostics, settings);
    if (outcome_ != api::Outcome::Done) return;
    if (model && settings.request.model) settings.request.model->bytes = std::string(model->c_str(), model->size());
    settings.request.shippedFolder = shippedFolder;
    request_ = std::move(settings.request);
  }
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  /// The exit code of the command: 0 if all is well.
  int run() {
    if (outcome_ != api::Outcome::Done) return static_cast<int>(outcome_);
    return static_cast<int>(alone([&] {
      api::Environment environment;
      environment.progress = [this](std::string_view what, double part) { breathe(what, part); };
      analysis_.emplace(std::move(request_), messages_.sources, messages_.diagnostics, std::move(environment));
      return outcome_ = analysis_->run();
    }));
  }

  // Before the run.

  /// Adds traces of ranks, each with its number, if that is given.
  void addRanks(std::vector<std::tuple<std::string, std::optional<int64_t>>> files) {
    std::vector<api::RankArgument::File> ranks;
    for (auto& [path, number] : files) ranks.push_back({std::move(path), number});
    api::addRanks(request_, std::move(ranks), DiagId::OptionValue, messages_.diagnostics);
    if (messages_.diagnostics.hasErrors()) outcome_ = api::Outcome::RequestFault;
  }
  /// The traces of the ranks, in the order of their numbers for `giveRank`.
  std::vector<std::string> rankFiles() const {
    std::vector<std::string> paths;
    if (outcome_ == api::Outcome::Done && request_.ranks)
      for (const api::RankArgument::File& file : request_.ranks->files) paths.push_back(file.path);
    return paths;
  }
  /// What `readRank` found in a trace, which is then not read again.
  void giveRank(size_t file, nb::bytes found) {
    request_.ranks->files.at(file).found = std::string(found.c_str(), found.size());
  }
  /// Reads the trace of one rank with the options of this analysis.
  nb::bytes readRank(const std::string& path) {
    const std::string found = alone([&] { return api::readRank(path, request_.selection); });
    return nb::bytes(found.data(), found.size());
  }

  // After a run without a fault. An empty value stands for an error, which `messages` has.

  /// An output that the run rendered, by its kind: `json`; it is of the passes that the run had.
  nb::bytes output(const std::string& kind) {
    return alone([&] {
      const auto& artifacts = analysis_->artifacts();
      const auto found = std::ranges::find(artifacts, kind, &Artifact::kind);
      const std::string& bytes = found->bytes;
      const nb::gil_scoped_acquire acquired;
      return nb::bytes(bytes.data(), bytes.size());
    });
  }
  std::optional<nb::bytes> render(const std::string& output) {
    const auto artifacts = alone([&] { return analysis_->render(output); });
    if (!artifacts || artifacts->empty()) return std::nullopt;
    return nb::bytes(artifacts->front().bytes.data(), artifacts->front().bytes.size());
  }
  std::optional<std::string> further(const std::string& passes, const std::string& key) {
    return alone([&] { return analysis_->further(passes, key); });
  }
  std::optional<std::string> predict(const std::string& changes) {
    auto rows = alone([&] { return analysis_->predictionRows(changes); });
    return rows ? std::optional(std::move(rows->rows)) : std::nullopt;
  }
  ArrowTable kernels() {
    return alone([&] {
      const RowTable table = analysis_->kernels();
      return ArrowTable::ofRows(table.rows, table.rowSchema);
    });
  }
  std::optional<ArrowTable> events(const std::string& run) {
    return alone([&] {
      auto table = analysis_->events(run);
      return table ? std::optional(ArrowTable::ofEvents(std::move(*table))) : std::nullopt;
    });
  }

  /// Severity, code, message, file, line, column, notes, and the text of the command.
  using Message = std::tuple<nb::str, nb::str, nb::str, std::optional<nb::str>, std::optional<uint32_t>,
                             std::optional<uint32_t>, std::vector<nb::str>, nb::str>;
  /// All messages since the last call.
  std::vector<Message> takeMessages() {
    // Work in another thread reports messages without Python's lock.
    const auto all = alone([&] {
      std::vector<std::tuple<Diagnostic, Place, std::string>> moved;
      for (const Diagnostic& message : messages_.list)
        moved.emplace_back(message, placeOf(message.primary.location, messages_.sources),
                           amdahlc::render(message, messages_.sources, false));
      messages_.list.clear();
      return moved;
    });
    std::vector<Message> taken;
    for (const auto& [message, place, text] : all) {
      const auto& [file, line, column] = place;
      std::vector<nb::str> notes;
      for (const std::string& note : message.notes) notes.push_back(textOf(note));
      taken.emplace_back(textOf(nameOf(message.severity)), textOf(name(message.id)), textOf(message.message),
                         file.empty() ? std::nullopt : std::optional(textOf(file)), line, column, std::move(notes),
                         textOf(text));
    }
    return taken;
  }

 private:
  template <typename Work>
  auto alone(const Work& work) -> decltype(work()) {
    const nb::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    return work();
  }

  /// Lets Python handle signals twenty times a second, so that Ctrl-C ends the work, and tells of progress.
  void breathe(std::string_view what, double part) {
    const auto now = std::chrono::steady_clock::now();
    if (now - lastBreath_ < std::chrono::milliseconds(50)) return;
    lastBreath_ = now;
    const nb::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (progress_) (*progress_)(textOf(what), part);
  }

  std::optional<Progress> progress_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point lastBreath_;
  api::Messages messages_;
  /// Until the run.
  api::Request request_;
  api::Outcome outcome_ = api::Outcome::Done;
  std::optional<api::Analysis> analysis_;
};

nb::capsule streamOf(const ArrowTable& table, const nb::object& /*requestedSchema*/) {
  auto stream = std::make_unique<ArrowArrayStream>();
  stream->release = nullptr;
  table.exportStream(*stream);
  return nb::capsule(stream.release(), "arrow_array_stream", [](void* pointer) noexcept {
    const std::unique_ptr<ArrowArrayStream> owned(static_cast<ArrowArrayStream*>(pointer));
    if (owned->release != nullptr) owned->release(owned.get());
  });
}

nb::capsule schemaOf(const ArrowTable& table) {
  auto schema = std::make_unique<ArrowSchema>();
  schema->release = nullptr;
  table.exportSchema(*schema);
  return nb::capsule(schema.release(), "arrow_schema", [](void* pointer) noexcept {
    const std::unique_ptr<ArrowSchema> owned(static_cast<ArrowSchema*>(pointer));
    if (owned->release != nullptr) owned->release(owned.get());
  });
}

/// Runs the command in this process, which it may end.
int runCommand(std::vector<std::string> arguments, const std::string& shippedFolder) {
  driver::setShippedFolder(shippedFolder);
  Arguments argv(std::move(arguments));
  const nb::gil_scoped_release released;
  std::signal(SIGINT, SIG_DFL);
  return static_cast<int>(driver::runCommand(argv.count(), argv.values()));
}

}  // namespace
}  // namespace amdahlc::python

NB_MODULE(_core, module) {
  using namespace amdahlc;
  using python::Analysis;
  using python::ArrowTable;
  module.attr("version") = driver::versionNumber();
  module.def("report_schema", [] { return findOutput("json")->schema(); });
  module.def("ranks_schema", [] { return findOutput("ranks-json")->schema(); });
  module.def("run_command", &python::runCommand, "arguments"_a, "shipped_folder"_a);
  module.def(
      "table",
      [](const std::string& rows, const std::string& rowSchema) { return ArrowTable::ofRows(rows, rowSchema); },
      "rows"_a, "row_schema"_a);
  nb::class_<Analysis>(module, "Analysis")
      .def(nb::init<std::vector<std::string>, std::optional<nb::bytes>, const std::string&,
                    std::optional<python::Progress>,
                    const std::vector<std::pair<std::string, std::vector<std::string>>>&>(),
           "arguments"_a, "model"_a.none(), "shipped_folder"_a, "progress"_a.none(), "traces"_a = nb::make_tuple())
      .def("run", &Analysis::run)
      .def("add_ranks", &Analysis::addRanks, "files"_a)
      .def("rank_files", &Analysis::rankFiles)
      .def("give_rank", &Analysis::giveRank, "file"_a, "found"_a)
      .def("read_rank", &Analysis::readRank, "path"_a)
      .def("output", &Analysis::output, "kind"_a)
      .def("render", &Analysis::render, "output"_a)
      .def("further", &Analysis::further, "passes"_a, "key"_a)
      .def("predict", &Analysis::predict, "changes"_a)
      .def("kernels", &Analysis::kernels)
      .def("events", &Analysis::events, "run"_a)
      .def("take_messages", &Analysis::takeMessages);
  nb::class_<ArrowTable>(module, "Table")
      .def("__len__", &ArrowTable::rows)
      .def_prop_ro("columns",
                   [](const ArrowTable& table) {
                     std::vector<std::tuple<std::string, std::string>> columns;
                     for (int64_t column = 0; column < table.columns(); ++column)
                       columns.emplace_back(table.columnName(column), table.columnFormat(column));
                     return columns;
                   })
      .def("head", &ArrowTable::head, "rows"_a)
      .def("__arrow_c_stream__", &python::streamOf, "requested_schema"_a.none() = nb::none())
      .def("__arrow_c_schema__", &python::schemaOf);
}
