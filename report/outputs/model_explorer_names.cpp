#include "report/outputs/model_explorer_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

/// What the viewer appends to a namespace for the id of its group.
constexpr std::string_view kGroupSuffix = "___group___";
constexpr std::string_view kUnnamedGraph = "(unnamed)";

/// Properties that every object of JavaScript has. The viewer looks ids up in objects and takes these for nodes.
constexpr std::string_view kPropertiesOfObjects[] = {
    "__proto__",      "__defineGetter__", "__defineSetter__", "__lookupGetter__",     "__lookupSetter__", "constructor",
    "hasOwnProperty", "isPrototypeOf",    "toLocaleString",   "propertyIsEnumerable", "toString",         "valueOf"};

bool isSafeKey(std::string_view text) {
  return !text.empty() && !text.ends_with(kGroupSuffix) &&
         std::ranges::find(kPropertiesOfObjects, text) == std::end(kPropertiesOfObjects);
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

ModelExplorerNames::ModelExplorerNames(const ir::Module& module, const ir::OperatorGraph& operators)
    : module_(module), ids_(module.ops.size()), bodies_(module.graphs.size()) {
  graphId_ = printable(module.text(module.graphs.front().name));
  if (graphId_.empty()) graphId_ = kUnnamedGraph;
  while (!isSafeKey(graphId_)) graphId_ += '_';
  for (const ir::OpId op : module.ops.ids()) ids_[op] = claim(printable(module.displayName(op)));
  // A region follows its operator.
  for (const ir::OpId id : operators.order()) {
    const ir::Op& op = module.ops[id];
    for (const ir::Region& region : op.regions) {
      const std::string& around = space(op.graph, op.scope);
      bodies_[region.graph] = {fmt::format("{}{}{}", around, around.empty() ? "" : "/",
                                           component(fmt::format("{} of {}", region.name, module.displayName(id)))),
                               op.scope};
    }
  }
}

bool ModelExplorerNames::isFree(const std::string& id) const { return isSafeKey(id) && !taken_.contains(id); }

std::string ModelExplorerNames::claim(const std::string& wanted) {
  std::string id = wanted;
  // Numbers go on where they ended, because thousands of bodies may use one name.
  while (!isFree(id)) id = fmt::format("{}_{}", wanted, ++numbers_[wanted]);
  taken_.insert(id);
  return id;
}

const std::string& ModelExplorerNames::space(ir::GraphId graph, ir::ScopeId scope) {
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
