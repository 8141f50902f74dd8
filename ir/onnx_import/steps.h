/// The steps of the import, in their order. Private to this component.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/module.h"
#include "ir/onnx_schemas/onnx_proto.h"
#include "support/data_problems.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::ir::onnx_import {

// Reading.

/// Parses ONNX's text form. Reports `onnx-parse` at the place in the buffer and returns false if the text is not a
/// model.
bool parseText(BufferId buffer, const SourceManager& sources, onnx::ModelProto& model, DiagnosticEngine& diagnostics);

/// The place and kind of the first damage, which protobuf's own parser does not report.
struct WireDamage {
  /// In the file.
  uint64_t offset = 0;
  /// `graph.node[3].attribute[0]`; empty at the top level.
  std::string element;
  /// One phrase.
  std::string what;
};

/// Precondition: protobuf rejected `bytes` as a model. Nesting is limited as in protobuf.
WireDamage findWireDamage(std::string_view bytes);

// Preparing, before any other part of the ONNX library reads the model.

/// Makes shapes of more than limits::kRank dimensions unknown, in sequences and optionals, too. Returns their number.
int64_t dropHighRanks(onnx::TypeProto& type);
/// Drops all shapes of a type.
void dropShapes(onnx::TypeProto& type);

/// The same, of all declared types of the model.
int64_t dropHighRanks(onnx::ModelProto& model);

/// Drops all external references, and the data of big tensors, everywhere in the model. Reports malformed tensors as
/// `onnx-invalid` and returns false.
bool dropWeights(onnx::ModelProto& model, const std::string& file, DataProblems& problems,
                 DiagnosticEngine& diagnostics);

/// Replaces symbolic dimensions by numbers. Reports names that no type of the model uses as `onnx-unknown-dim` and
/// returns false.
bool fixDims(onnx::ModelProto& model, const std::map<std::string, int64_t>& dims, const std::string& file,
             DiagnosticEngine& diagnostics);

/// Inlines model-local functions. Functions with other opsets than the model's stay calls. Reports recursion, models
/// that would be too large, and graphs nested deeper than `limits::kGraphNesting` (with or without functions) as
/// `onnx-invalid` and returns false.
bool inlineFunctions(onnx::ModelProto& model, const std::string& file, DiagnosticEngine& diagnostics);

/// An initializer of a graph.
struct ConstantInfo {
  std::string name;
  TensorConstant constant;
  std::optional<int64_t> byteSize;
};
using GraphConstants = std::unordered_map<const onnx::GraphProto*, std::vector<ConstantInfo>>;

/// Reads the initializers of every graph; those without data then become plain typed names, so that shape inference
/// does not look for their data. The model's messages must not move afterwards.
GraphConstants takeConstants(onnx::ModelProto& model);

// Checking: the structure of the model, its names, order and operators.

/// Imported opsets by domain, ONNX's own spelled as the empty string.
std::map<std::string, int64_t> importedOpsets(const onnx::ModelProto& model);

/// Reports errors of the graph as `onnx-invalid`, at the node: names that are not defined or are defined twice, nodes
/// out of order, operators that ONNX does not know in the imported opset, wrong operand counts, missing attributes.
/// True if there are none. Operators of other domains are not checked. Unlike the library's checker it never reads a
/// tensor's data and never looks for a file.
bool checkModel(const onnx::ModelProto& model, const std::string& file, DataProblems& problems,
                DiagnosticEngine& diagnostics);

// Building.

/// Makes names of values unique: no two graphs define one of which one encloses the other.
///
/// Renames values of bodies that have the name of a value of a graph around them to `NAME@N`, with the least number
/// that is free. ONNX forbids such names, but its checker accepts them, and its inference confuses the values.
///
/// Where a name is used, it means the value that is defined before it in the innermost graph that has one. In a body,
/// the results of the operator of that body are not defined yet. Returns the number of values that were renamed. The
/// model was checked before.
int64_t makeNamesUnique(onnx::ModelProto& model, GraphConstants& constants);

/// Builds a module from a model with inferred shapes.
/// Precondition: `checkModel` found nothing.
Module buildModule(const onnx::ModelProto& model, const GraphConstants& constants, const std::string& modelName);

/// Whether the file is the program of a run, which `ir/onnx_export` wrote.
bool isProgram(const onnx::ModelProto& model);
/// Adds to the module of a program what its metadata says. Reports metadata that is missing, or that contradicts the
/// graph, as `onnx-invalid` and returns false.
bool readProgram(const onnx::ModelProto& model, const std::string& file, Module& module, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::ir::onnx_import
