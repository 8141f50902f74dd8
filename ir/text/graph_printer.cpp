#include "ir/text/printers.h"

namespace amdahlc::ir {

GraphPrinter::GraphPrinter(const Module& module, TextWriter& out)
    : module_(module), out_(out), constants_(module.graphs.size()), erased_(module.graphs.size()) {
  for (const ValueId value : module.values.ids()) {
    const Value& known = module.values[value];
    if (known.kind == Value::Kind::Constant) constants_[known.graph].push_back(value);
    if (module.graphs.size() > 1) names_.insert(uint64_t{known.graph.index()} << 32 | known.name.index);
  }
  for (const OpId op : module.ops.ids())
    if (module.ops[op].state != OpState::Live) erased_[module.ops[op].graph].push_back(op);
}

void GraphPrinter::printValue(GraphId graph, ValueId value) {
  if (value == kNone) {
    out_ << '_';
    return;
  }
  const Value& target = module_.values[value];
  size_t skipped = 0;
  for (size_t level = 0; graph != target.graph && level < module_.graphs.size(); ++level) {
    if (names_.contains(uint64_t{graph.index()} << 32 | target.name.index)) ++skipped;
    const OpId parent = module_.graphs[graph].parent;
    if (parent == kNone) break;
    graph = module_.ops[parent].graph;
  }
  out_ << '%';
  out_.name(module_.text(target.name));
  if (skipped != 0) out_ << '^' << skipped;
}

void GraphPrinter::printHead(OpId id) {
  const Op& op = module_.ops[id];
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (i != 0) out_ << ", ";
    printValue(op.graph, op.outputs[i]);
  }
  if (!op.outputs.empty()) out_ << " = ";
  if (!op.domain.empty()) out_.name(module_.text(op.domain)) << "::";
  out_.name(module_.text(op.type));
  out_.list(op.inputs, [&](ValueId input) { printValue(op.graph, input); }, '(', ')');
}

void GraphPrinter::printLiteral(const TensorConstant& constant, const Type& expected) {
  if (constant.type != expected) out_ << describe(constant.type) << ' ';
  if (constant.ints)
    out_.numbers(*constant.ints);
  else if (constant.floats)
    out_.numbers(*constant.floats);
  else
    out_ << "...";
}

void GraphPrinter::printValueFacts(const Value& value) {
  out_ << describe(value.type);
  if (value.byteSize != value.type.byteSize()) {
    out_ << " bytes ";
    if (value.byteSize)
      out_ << *value.byteSize;
    else
      out_ << '?';
  }
  if (value.storage != kNone) out_ << (value.isWritten ? " to " : " in ") << value.storage;
  if (!value.constant) return;
  const bool plain = value.kind == Value::Kind::Constant && value.constant->type == value.type &&
                     !value.constant->ints && !value.constant->floats;
  if (plain) return;
  out_ << " = ";
  printLiteral(*value.constant, value.type);
}

void GraphPrinter::printOutputTypes(const Op& op, OpId id) {
  std::vector<ValueId> present;
  for (const ValueId output : op.outputs)
    if (output != kNone) present.push_back(output);
  if (present.empty()) return;
  out_ << " : ";
  if (present.size() > 1) out_ << '(';
  for (size_t i = 0; i < present.size(); ++i) {
    if (i != 0) out_ << ", ";
    const Value& value = module_.values[present[i]];
    // A folded value is declared among the constants of its graph.
    if (value.kind == Value::Kind::Constant && value.producer == id)
      out_ << "constant";
    else
      printValueFacts(value);
  }
  if (present.size() > 1) out_ << ')';
}

void GraphPrinter::printTensor(const TensorConstant& constant) {
  out_ << "tensor " << describe(constant.type);
  if (!constant.ints && !constant.floats) return;
  out_ << " = ";
  printLiteral(constant, constant.type);
}

void GraphPrinter::printAttribute(const Attribute& attribute) {
  out_.name(attribute.name) << " = ";
  const Overloaded write{[&](int64_t value) { out_ << value; }, [&](double value) { out_ << value; },
                         [&](const std::string& value) { out_.quoted(value); },
                         [&](const TensorConstant& value) { printTensor(value); },
                         [&](const Type& value) { out_ << "type " << describe(value); }};
  const auto print = [&](const auto& value) {
    if constexpr (requires { write(value); }) write(value);
    // An empty list names its element type; the elements of others imply it.
    else if (value.empty())
      out_ << kListWords[attribute.value.index() - std::size(kListWords)] << " []";
    else
      out_.list(value, write);
  };
  std::visit(print, attribute.value);
}

void GraphPrinter::printOp(OpId id) {
  const Op& op = module_.ops[id];
  out_.line() << '#' << id << ' ';
  if (op.state == OpState::Absorbed) out_ << "absorbed into #" << op.absorbedInto << ' ';
  if (op.state == OpState::Folded) out_ << "folded ";
  printHead(id);
  if (!op.attributes.empty()) {
    out_ << ' ';
    out_.list(op.attributes, [&](const Attribute& attribute) { printAttribute(attribute); }, '{', '}');
  }
  printOutputTypes(op, id);
  const auto fact = [&](const char* word, Symbol symbol) {
    if (!symbol.empty()) (out_ << ' ' << word << ' ').name(module_.text(symbol));
  };
  fact("name", op.name);
  if (op.scope != kRootScope) (out_ << " scope ").name(module_.scopePath(op.scope));
  fact("call", op.sourceCall);
  fact("target", op.sourceTarget);
  fact("doc", op.docString);
  if (!op.metadata.empty()) {
    out_ << " metadata ";
    const auto entry = [&](const std::pair<Symbol, Symbol>& pair) {
      out_.quoted(module_.text(pair.first)) << " = ";
      out_.quoted(module_.text(pair.second));
    };
    out_.list(op.metadata, entry, '{', '}');
  }
  if (!op.controlPredecessors.empty()) {
    out_ << " after ";
    out_.list(op.controlPredecessors, [&](OpId before) { out_ << '#' << before; });
  }
  if (!op.absorbed.empty()) {
    out_ << " absorbed ";
    out_.list(op.absorbed, [&](OpId absorbed) { out_ << '#' << absorbed; });
  }
  if (op.regions.empty()) return;
  out_ << " regions";
  out_.open();
  for (const Region& region : op.regions) {
    out_.line().name(region.name) << " = ";
    printGraph(region.graph);
  }
  out_.close();
}

void GraphPrinter::printErased(GraphId graph) {
  if (erased_[graph].empty()) return;
  out_.line() << "erased";
  out_.open();
  for (const OpId op : erased_[graph]) printOp(op);
  out_.close();
}

void GraphPrinter::printGraph(GraphId id) {
  const Graph& graph = module_.graphs[id];
  (out_ << "graph " << id << ' ').name(module_.text(graph.name));
  out_.open();
  const auto declare = [&](const char* word, ValueId value) {
    out_.line() << word;
    printValue(id, value);
    out_ << " : ";
    printValueFacts(module_.values[value]);
    const OpId producer = module_.values[value].producer;
    if (producer != kNone) (out_ << "  // from #" << producer << ' ').name(module_.text(module_.ops[producer].type));
  };
  for (const ValueId input : graph.inputs) declare("input ", input);
  for (const ValueId constant : constants_[id]) declare("constant ", constant);
  for (const OpId op : graph.order) printOp(op);
  out_.line() << "return ";
  out_.list(graph.outputs, [&](ValueId output) { printValue(id, output); }, '(', ')');
  printErased(id);
  out_.close();
}

}  // namespace amdahlc::ir
