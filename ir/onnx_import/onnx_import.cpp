#include "ir/onnx_import/onnx_import.h"

#include <limits>

#include <fmt/format.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/stubs/logging.h>

#include "ir/onnx_import/build.h"
#include "ir/onnx_import/check.h"
#include "ir/onnx_import/prepare.h"
#include "ir/onnx_import/schemas.h"
#include "ir/onnx_import/text_format.h"
#include "ir/onnx_import/unique_names.h"
#include "ir/onnx_import/wire_format.h"
#include "ir/onnx_import/wording.h"
#include "ir/onnx_schemas/operators.h"
#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc::ir {

namespace {

using namespace onnx_import;

std::string lastPathComponent(const std::string& file) { return file.substr(file.find_last_of('/') + 1); }

void countProblems(Module& module, const PrepareCounts& prepared, const CheckCounts& checked,
                   const ImportSchemas& schemas) {
  const auto count = [&](std::string_view name, int64_t number, std::string_view what) {
    module.dataProblems.add(name, number, what);
  };
  count("external-path-outside", prepared.outsidePaths,
        fmt::format(
            "tensors with external data outside of the model's folder, such as `{}`; no external file is ever opened",
            prepared.firstOutsidePath));
  count("tensor-without-data", prepared.tensorsWithoutData, "constants that have neither data nor a file with it");
  count("deprecated-operator", checked.deprecatedOperators, "nodes whose operator is deprecated in the imported opset");
  count("domain-not-imported", checked.domainsNotImported, "nodes of a domain that the model does not import");
  count("newer-operator", checked.newerOperators,
        "nodes of an operator and an opset that are newer than the ONNX library of this build");
  count("shape-of-high-rank", prepared.highRanks + schemas.highRanks(),
        fmt::format("shapes of more than {} dimensions count as unknown", limits::kRank));
  if (schemas.failureCount() == 0) return;
  const InferenceFailure& first = schemas.failures().front();
  count("shape-not-inferred", schemas.failureCount(),
        fmt::format("nodes whose shapes could not be inferred, first `{}`: {}", first.node, first.what));
}

std::optional<Module> importModel(onnx::ModelProto& model, const std::string& file, const OnnxImportOptions& options,
                                  DiagnosticEngine& diagnostics) {
  if (!model.has_graph()) {
    diagnostics.error(DiagId::OnnxInvalid, FileLocation{file}, "the file contains no graph; is it an ONNX model?");
    return std::nullopt;
  }
  PrepareCounts prepared;
  CheckCounts checked;
  if (!dropWeights(model, file, prepared, diagnostics)) return std::nullopt;
  if (!inlineFunctions(model, file, diagnostics)) return std::nullopt;
  dropHighRanks(model, prepared);
  if (!checkModel(model, file, checked, diagnostics)) return std::nullopt;
  if (!fixDims(model, options.dims, file, diagnostics)) return std::nullopt;
  GraphConstants constants = takeConstants(model);
  const int64_t renamed = makeNamesUnique(model, constants);
  ImportSchemas schemas;
  inferShapes(model, schemas);
  if (!schemas.conflicts().empty()) {
    const ShapeConflict& first = schemas.conflicts().front();
    diagnostics.warning(DiagId::OnnxShapeInference, OnnxLocation{file, printable(model.graph().name()), first.node, ""},
                        schemas.conflicts().size() == 1
                            ? fmt::format("a declared shape contradicts its operator: {}", first.what)
                            : fmt::format("{} declared shapes contradict their operators, first: {}",
                                          schemas.conflicts().size(), first.what));
  }
  Module module = buildModule(model, constants, lastPathComponent(file));
  module.dataProblems.add(
      "shadowed-name", renamed,
      "values of bodies that have the name of a value around them; they are written with `@` and a number");
  countProblems(module, prepared, checked, schemas);
  return module;
}

/// The ONNX library throws undocumented exceptions. None may leave this component.
std::optional<Module> guardedImport(onnx::ModelProto& model, const std::string& file, const OnnxImportOptions& options,
                                    DiagnosticEngine& diagnostics) {
  try {
    return importModel(model, file, options, diagnostics);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {
    diagnostics.error(DiagId::OnnxInvalid, FileLocation{file}, printable(libraryMessage(failure.what())));
  }
  return std::nullopt;
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

void registerOnnxSchemas() { onnx_schemas::registerSchemas(); }

}  // namespace amdahlc::ir
