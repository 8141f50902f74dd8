/// The names of nodes and modules in the files for Model Explorer. The graph and the node data use the same names, so
/// that the viewer finds the node of each value.
#pragma once

#include <map>
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
class ModelExplorerNames {
 public:
  /// Linear in the model.
  ModelExplorerNames(const ir::Module& module, const ir::OperatorGraph& operators);

  /// Of the one graph in the file: the name of the model's main graph.
  const std::string& graphId() const { return graphId_; }
  /// The name of the node in reports, or that name with a number behind it.
  const std::string& id(ir::OpId op) const { return ids_[op]; }
  /// `wanted`, or `wanted_1`, `wanted_2`, ..., which no other node has.
  std::string claim(const std::string& wanted);
  /// Whether it can be a key and no node has it as its id.
  bool isFree(const std::string& id) const;
  /// The namespace of a module in the main graph or in a body: `layers/0/attention`. Empty for the root of the model.
  /// A body is inside the namespace of its operator: `layers/0/body of loop`.
  const std::string& space(ir::GraphId graph, ir::ScopeId scope);

 private:
  /// The namespace around the modules of a graph.
  struct Space {
    std::string name;
    ir::ScopeId scope = ir::kRootScope;
  };

  const ir::Module& module_;
  std::string graphId_;
  IdVector<ir::OpId, std::string> ids_;
  IdVector<ir::GraphId, Space> bodies_;
  std::map<std::pair<ir::GraphId, ir::ScopeId>, std::string> spaces_;
  std::unordered_set<std::string> taken_;
  /// By wanted id: the last number behind it.
  std::unordered_map<std::string, size_t> numbers_;
};

}  // namespace amdahlc
