/// The types of all values of a model whose inputs have other dimensions than it declares.
///
/// Where no operand of an operator has other dimensions, its results are those of the model. Others are inferred by the
/// schemas of ONNX. A model that was exported for fixed shapes has numbers in which a dimension of an input hides, and
/// inference alone believes them: `Reshape(x, [1, 50, -1, 64])` of x [16, 50, 192]. So the grouping of dimensions by a
/// `Reshape` is read off the shapes of the model, and constants give way to what contradicts them.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "ir/operator_graph.h"

namespace amdahlc {

/// A dimension in the model and in the run.
using DimChange = std::pair<int64_t, int64_t>;

/// Dimensions `runFrom` of an operand that the model has as `from`, after the regrouping that makes `from` `to` in the
/// model. `changes` are those of the inputs: they decide which of several dimensions grew. nullopt if the model's are
/// not numbers of equal products; a dimension that cannot be told is unknown.
std::optional<std::vector<ir::Dim>> regroupedDims(const std::vector<ir::Dim>& from, const std::vector<ir::Dim>& to,
                                                  const std::vector<ir::Dim>& runFrom,
                                                  const std::set<DimChange>& changes);

/// The dimensions of operands that calls had which run the kernels that read a value.
using OperandsOfReaders = std::function<std::vector<std::vector<int64_t>>(ir::ValueId)>;

/// The types of all values if the inputs of the main graph have these types. An unknown type, or dimension, where they
/// cannot be told. `operands` decides where inference fails; it may be null.
IdVector<ir::ValueId, ir::Type> propagateShapes(const ir::Module& module, const ir::OperatorGraph& graph,
                                                const std::vector<ir::Type>& inputs,
                                                const OperandsOfReaders& operands = {});

/// Where both have numbers: which dimensions of the inputs differ from those of the model.
std::set<DimChange> changedDims(const ir::Module& module, const std::vector<ir::Type>& inputs);

}  // namespace amdahlc
