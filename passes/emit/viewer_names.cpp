#include "passes/emit/viewer_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

/// What the viewer appends to a namespace for the id of its group.
constexpr std::string_view kGroupSuffix = "___group___";
/// The extension's name for a node without one.
constexpr std::string_view kUnnamed = "node";
/// Its name for a graph without one, more or less; the importer admits no such model.
constexpr std::string_view kUnnamedGraph = "<main>";

/// Properties that every object of JavaScript has. The viewer looks ids up in objects and takes these for nodes.
constexpr std::string_view kPropertiesOfObjects[] = {
    "__proto__",      "__defineGetter__", "__defineSetter__", "__lookupGetter__",     "__lookupSetter__", "constructor",
    "hasOwnProperty", "isPrototypeOf",    "toLocaleString",   "propertyIsEnumerable", "toString",         "valueOf"};

bool isSafeKey(std::string_view text) {
  return !text.empty() && !text.ends_with(kGroupSuffix) &&
         std::find(std::begin(kPropertiesOfObjects), std::end(kPropertiesOfObjects), text) ==
             std::end(kPropertiesOfObjects);
}

/// A component of a namespace. The viewer separates components by `/`, which `\` protects, and drops what precedes a
/// semicolon, and empty components.
std::string component(std::string_view text) {
  if (text.empty()) return "(unnamed)";
  std::string out;
  for (const char c : printable(text)) {
    if (c == '/')
      out += "\\/";
    else if (c == '\\' || c == ';' || c == '%')
      out += fmt::format("%{:02X}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out;
}

}  // namespace

ViewerNames::ViewerNames(const ir::Module& module, const ir::OperatorGraph& operators)
    : module_(module),
      ids_(module.ops.size()),
      kept_(module.ops.size()),
      graphs_(module.graphs.size()),
      bodies_(module.graphs.size()) {
  graphId_ = printable(module.text(module.graphs.front().name));
  if (graphId_.empty()) graphId_ = kUnnamedGraph;
  while (!isSafeKey(graphId_)) graphId_ += '_';
  graphs_[ir::kMainGraph] = {true, graphId_, ""};
  nameAsExtensionDoes();
  for (const ir::OpId op : module.ops.ids()) {
    std::string& id = ids_[op];
    if (id.empty()) id = claim(printable(module.displayName(op)));
  }
  openBodies(operators);
}

/// The extension gives unnamed nodes names, and renames the later of equally named nodes of a graph. Numbers are
/// counted over the whole model, which is a different model if functions were inlined; so a node keeps its id only if
/// it keeps its name.
void ViewerNames::nameAsExtensionDoes() {
  IdVector<ir::GraphId, std::unordered_set<std::string>> used(module_.graphs.size());
  std::unordered_map<std::string, size_t> numbers;
  for (const ir::OpId id : module_.ops.ids()) {
    const ir::Op& op = module_.ops[id];
    const std::string wanted(op.name.empty() ? kUnnamed : module_.text(op.name));
    std::string name = wanted;
    while (!used[op.graph].insert(name).second) name = fmt::format("{}_{}", wanted, ++numbers[wanted]);
    kept_[id] = !op.name.empty() && name == wanted;
    const Graph& graph = graphs_[op.graph];
    const std::string place = graph.prefix + name;
    if (graph.graph == graphId_) {
      const bool isOurs = graph.certain && kept_[id] && isSafeKey(place) && printable(place) == place;
      if (taken_.insert(place).second && isOurs) ids_[id] = place;
    }
    addBodies(id, name);
  }
}

/// Nodes of branches of an `If` are in the graph of the `If`. Other bodies are graphs, if their operator is in the main
/// graph; deeper ones are not shown.
void ViewerNames::addBodies(ir::OpId id, const std::string& name) {
  const ir::Op& op = module_.ops[id];
  const Graph outer = graphs_[op.graph];
  for (const ir::Region& region : op.regions) {
    Graph& body = graphs_[region.graph];
    if (op.domain.empty() && module_.text(op.type) == "If")
      body = {outer.certain && kept_[id], outer.graph, fmt::format("{}{}/{}/", outer.prefix, name, region.name)};
    else if (outer.graph == graphId_)
      body = {outer.certain && kept_[id], fmt::format("{}{}/{}", outer.prefix, name, region.name), ""};
  }
}

void ViewerNames::openBodies(const ir::OperatorGraph& operators) {
  // A region follows its operator.
  for (const ir::OpId id : operators.order()) {
    const ir::Op& op = module_.ops[id];
    for (const ir::Region& region : op.regions) {
      const std::string& outer = space(op.graph, op.scope);
      bodies_[region.graph] = {fmt::format("{}{}{}", outer, outer.empty() ? "" : "/",
                                           component(fmt::format("{} of {}", region.name, ownName(id)))),
                               op.scope};
    }
  }
}

bool ViewerNames::isFree(const std::string& id) const { return isSafeKey(id) && !taken_.contains(id); }

std::string ViewerNames::claim(const std::string& wanted) {
  std::string id = wanted;
  // Numbers go on where they ended, because thousands of bodies may use one name.
  while (!isFree(id)) id = fmt::format("{}_{}", wanted, ++numbers_[wanted]);
  taken_.insert(id);
  return id;
}

std::optional<ViewerNames::Place> ViewerNames::inOtherGraph(ir::OpId op) const {
  const Graph& graph = graphs_[module_.ops[op].graph];
  if (!graph.certain || !kept_[op] || graph.graph == graphId_) return std::nullopt;
  Place place{graph.graph, graph.prefix + std::string(module_.text(module_.ops[op].name))};
  for (const std::string& text : {place.graph, place.node})
    if (!isSafeKey(text) || printable(text) != text) return std::nullopt;
  return place;
}

std::string ViewerNames::ownName(ir::OpId op) const {
  const ir::Op& node = module_.ops[op];
  return kept_[op] ? std::string(module_.text(node.name)) : fmt::format("{}#{}", module_.text(node.type), op.index());
}

const std::string& ViewerNames::space(ir::GraphId graph, ir::ScopeId scope) {
  const auto [known, isNew] = spaces_.try_emplace({graph, scope});
  if (!isNew) return known->second;
  const Space& around = bodies_[graph];
  std::vector<ir::ScopeId> inside;
  // The modules around an operator are around its body.
  for (ir::ScopeId at = scope; at != ir::kRootScope; at = module_.scopes[at].parent) {
    if (graph != ir::kMainGraph && module_.scopes.isWithin(around.scope, at)) break;
    inside.push_back(at);
  }
  const auto deepest = inside.size() - std::min<size_t>(inside.size(), limits::kScopeNesting);
  std::string name = around.name;
  for (size_t i = inside.size(); i > deepest; --i) {
    if (!name.empty()) name += '/';
    name += component(module_.text(module_.scopes[inside[i - 1]].name));
  }
  return known->second = std::move(name);
}

}  // namespace amdahlc
