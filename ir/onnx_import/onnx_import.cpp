#include "ir/onnx_import/onnx_import.h"

#include <limits>
#include <utility>

#include <fmt/format.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/stubs/logging.h>

#include "ir/onnx_import/schemas.h"
#include "ir/onnx_import/steps.h"
#include "ir/onnx_import/wording.h"
#include "ir/onnx_schemas/operators.h"
#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc::ir {

namespace {

using namespace onnx_import;

std::string lastPathComponent(const std::string& file) { return file.substr(file.find_last_of('/') + 1); }

std::optional<Module> importModel(onnx::ModelProto& model, const std::string& file, const OnnxImportOptions& options,
                                  DiagnosticEngine& diagnostics) {
  if (!model.has_graph()) {
    diagnostics.error(DiagId::OnnxInvalid, FileLocation{file}, "the file contains no graph; is it an ONNX model?");
    return std::nullopt;
  }
  DataProblems problems;
  if (!dropWeights(model, file, problems, diagnostics)) return std::nullopt;
  if (!inlineFunctions(model, file, diagnostics)) return std::nullopt;
  const int64_t highRanks = dropHighRanks(model);
  if (!checkModel(model, file, problems, diagnostics)) return std::nullopt;
  if (!fixDims(model, options.dims, file, diagnostics)) return std::nullopt;
  GraphConstants constants = takeConstants(model);
  problems.add("shadowed-name", makeNamesUnique(model, constants),
               "values of bodies that have the name of a value around them; they are written with `@` and a number");
  ImportSchemas schemas;
  // A program states the types of the run. Inference would take its attributes for those of the schemas.
  const bool isOfRun = isProgram(model);
  const InferenceFindings conflicts = isOfRun ? InferenceFindings() : inferShapes(model, schemas);
  if (conflicts.count > 0) {
    diagnostics.warning(
        DiagId::OnnxShapeInference, OnnxLocation{file, printable(model.graph().name()), conflicts.node, ""},
        conflicts.count == 1
            ? fmt::format("a declared shape contradicts its operator: {}", conflicts.what)
            : fmt::format("{} declared shapes contradict their operators, first: {}", conflicts.count, conflicts.what));
  }
  problems.add("shape-of-high-rank", highRanks + schemas.highRanks(),
               fmt::format("shapes of more than {} dimensions count as unknown", limits::kRank));
  const InferenceFindings& failures = schemas.failures();
  problems.add("shape-not-inferred", failures.count,
               fmt::format("nodes whose shapes could not be inferred, first `{}`: {}", failures.node, failures.what));
  Module module = buildModule(model, constants, lastPathComponent(file));
  module.dataProblems = std::move(problems);
  if (isOfRun && !readProgram(model, file, module, diagnostics)) return std::nullopt;
  return module;
}

/// The ONNX library throws undocumented exceptions. None may leave this component.
std::optional<Module> guardedImport(onnx::ModelProto& model, const std::string& file, const OnnxImportOptions& options,
                                    DiagnosticEngine& diagnostics) {
  return callLibrary([&] { return importModel(model, file, options, diagnostics); },
                     [&](const char* what) -> std::optional<Module> {
                       diagnostics.error(DiagId::OnnxInvalid, FileLocation{file}, printable(libraryMessage(what)));
                       return std::nullopt;
                     });
}

/// The messages of a model: an allocation for thousands of them, and freed without a walk over them.
class ModelMemory {
 public:
  onnx::ModelProto& model() { return *model_; }

 private:
  static google::protobuf::ArenaOptions options() {
    google::protobuf::ArenaOptions options;
    options.start_block_size = size_t{1} << 16;
    options.max_block_size = size_t{1} << 20;
    return options;
  }

  google::protobuf::Arena arena_{options()};
  onnx::ModelProto* model_ = google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&arena_);
};

}  // namespace

std::optional<Module> importOnnx(std::string_view bytes, const std::string& file, const OnnxImportOptions& options,
                                 DiagnosticEngine& diagnostics) {
  if (bytes.empty()) {
    diagnostics.error(DiagId::OnnxParse, FileLocation{file}, "the file is empty");
    return std::nullopt;
  }
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    diagnostics.error(
        DiagId::OnnxParse, FileLocation{file},
        fmt::format(
            "the file has {} bytes, more than the 2147483647 that protobuf reads; save the model with external data",
            bytes.size()));
    return std::nullopt;
  }
  const google::protobuf::LogSilencer silence;
  ModelMemory memory;
  onnx::ModelProto& model = memory.model();
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    const WireDamage damage = findWireDamage(bytes);
    const std::string element = damage.element.empty() ? "" : fmt::format(", in `{}`", damage.element);
    diagnostics.error(
        DiagId::OnnxParse, FileLocation{file},
        fmt::format("invalid protobuf at byte {} of {}{}: {}", damage.offset, bytes.size(), element, damage.what));
    return std::nullopt;
  }
  return guardedImport(model, file, options, diagnostics);
}

std::optional<Module> importOnnxText(BufferId buffer, const SourceManager& sources, const OnnxImportOptions& options,
                                     DiagnosticEngine& diagnostics) {
  ModelMemory memory;
  onnx::ModelProto& model = memory.model();
  if (!parseText(buffer, sources, model, diagnostics)) return std::nullopt;
  return guardedImport(model, std::string(sources.name(buffer)), options, diagnostics);
}

}  // namespace amdahlc::ir
