/// What nodes and modules are called in Model Explorer: in our own graph, and in the graphs that its ONNX extension
/// makes of the model, so that the same node data fits both.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ir/module.h"
#include "ir/operator_graph.h"

namespace amdahlc {

/// All names are printable. Ids are unique, and safe as keys of JavaScript objects, which is what the viewer makes of
/// them.
class ViewerNames {
 public:
  /// Linear in the model.
  ViewerNames(const ir::Module& module, const ir::OperatorGraph& operators);

  /// Of the one graph in the file: the name of the model's main graph.
  const std::string& graphId() const { return graphId_; }
  /// The id that the extension gives the node, if that is certain and in the same graph; else one of our own.
  const std::string& id(ir::OpId op) const { return ids_[op]; }
  /// `wanted`, or `wanted_1`, `wanted_2`, ..., which no other node has.
  std::string claim(const std::string& wanted);
  /// Whether it can be a key and no node has it as its id.
  bool isFree(const std::string& id) const;

  struct Place {
    std::string graph, node;
  };
  /// Where the extension shows the node if it does not in the graph `graphId()`: in the body of a `Loop` or `Scan`,
  /// which is a graph of its own there. nullopt also for a node whose id there is not certain.
  std::optional<Place> inOtherGraph(ir::OpId op) const;

  /// The name of the operator in its own graph: its name, or `Type#index` if it has none or another one has the same.
  std::string ownName(ir::OpId op) const;
  /// The namespace of a module in the main graph or in a body: `layers/0/attention`. Empty for the root of the model.
  /// A body is inside the namespace of its operator: `layers/0/body of loop`.
  const std::string& space(ir::GraphId graph, ir::ScopeId scope);

 private:
  /// A graph of the module in the extension's view.
  struct Graph {
    /// Whether ids in it follow from names of the model alone.
    bool certain = false;
    /// The graph of the extension that has its nodes.
    std::string graph;
    /// Before the names of its nodes there.
    std::string prefix;
  };
  /// The namespace around the modules of a graph.
  struct Space {
    std::string name;
    ir::ScopeId scope = ir::kRootScope;
  };

  void nameAsExtensionDoes();
  void addBodies(ir::OpId op, const std::string& name);
  void openBodies(const ir::OperatorGraph& operators);

  const ir::Module& module_;
  std::string graphId_;
  IdVector<ir::OpId, std::string> ids_;
  /// Whether the extension keeps the name of the operator.
  IdVector<ir::OpId, bool> kept_;
  IdVector<ir::GraphId, Graph> graphs_;
  IdVector<ir::GraphId, Space> bodies_;
  std::map<std::pair<ir::GraphId, ir::ScopeId>, std::string> spaces_;
  std::unordered_set<std::string> taken_;
  /// By wanted id: the last number behind it.
  std::unordered_map<std::string, size_t> numbers_;
};

}  // namespace amdahlc
